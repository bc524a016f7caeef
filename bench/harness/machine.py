"""On what, with what, from which state of the source."""
import datetime
import os
import pathlib
import platform
import subprocess

from paths import LEAT, NODE, ROOT
from servers import redis_program


def output(*words):
    run = subprocess.run(words, capture_output=True, text=True, cwd=ROOT)
    return run.stdout.strip() if run.returncode == 0 else "unknown"


def describe():
    cpu = next((line.split(":")[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
                if line.startswith("model name")), platform.machine())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    system = next((line.split("=")[1].strip('"') for line in pathlib.Path("/etc/os-release").read_text().splitlines()
                   if line.startswith("PRETTY_NAME")), platform.system())
    dirty = "" if output("git", "status", "--porcelain", "--", "src", "bench") == "" else " and changes"
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": f"{os.cpu_count()} cores of {cpu}, {memory:.0f} GiB",
        "system": f"{system}, Linux {platform.release()}",
        "server": output(redis_program(), "--version").split(" sha=")[0],
        "node": output(NODE, "--version") if NODE else "none",
        "leat": output(str(LEAT), "--version"),
        "commit": output("git", "rev-parse", "--short", "HEAD") + dirty,
    }
