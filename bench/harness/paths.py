"""Where things are."""
import pathlib
import shutil

ROOT = pathlib.Path(__file__).resolve().parents[2]
LEAT = ROOT / "build" / "leat"
CLIENT = ROOT / "build" / "release" / "bench" / "client" / "bench_client"
WORKER = ROOT / "build" / "release" / "bench" / "worker" / "bench_worker"
BRIDGE_CLIENT = ROOT / "build" / "release" / "bench" / "bridge_client" / "bench_bridge_client"
HOPS = ROOT / "build" / "release" / "bench" / "hops" / "bench_hops"
PROGRAMS = ROOT / "bench" / "mpush" / "node"  # what they need is in NODE_PATH, by ./dev bench
NODE = shutil.which("node")
RESULTS = ROOT / "bench" / "results"
