"""What Redis needs for messages that are claimed and not yet sent, each alone in its conversation."""
import time

from bench import Part
from bridged import BridgeWork, begin, finish, say
from stage import Stage

COUNT, SIZE, SAMPLE = 20_000, 400, 200
SETTINGS = {"as Redis comes": (),
            "with `hash-max-listpack-value 4096` and `zset-max-listpack-value 512`":
                ("--hash-max-listpack-value", "4096", "--zset-max-listpack-value", "512")}
KINDS = {"request (hash)": "req:*", "response (hash)": "res:*", "conversation (sorted set)": "conversation",
         "its requests (list)": "*:req", "its lease (string)": "*:lock"}
PREFIX = "bridge:queue:"


def kind_of(key):
    name = key.decode().removeprefix(PREFIX)
    if name in ("pendingMessages", "counts", "events"):
        return name
    return next((kind for kind, pattern in KINDS.items() if pattern.strip("*") in name), "conversation (sorted set)")


def in_flight(server):
    with Stage(BridgeWork("part", "", server=server)) as stage:
        before = stage.db.info("memory")["used_memory"]
        begin(stage, "hold", count=COUNT, size=SIZE, concurrent=COUNT, lease=120_000)
        after = stage.db.info("memory")["used_memory"]
        seen = {}
        for key in stage.db.scan_iter(count=1000):
            seen.setdefault(kind_of(key), []).append(key)
        rows = {kind: sum(stage.db.memory_usage(key, samples=0) for key in keys[:SAMPLE]) / len(keys[:SAMPLE])
                for kind, keys in seen.items() if len(keys) > 1}
        rows["its place in pendingMessages"] = stage.db.memory_usage(f"{PREFIX}pendingMessages", samples=0) / COUNT
        keys = sum(map(len, seen.values()))
    return {"all": (after - before) / COUNT, "keys": keys / COUNT, "kinds": rows}


def idle():
    """Bytes of conversations that are over, when their times have passed."""
    with Stage(BridgeWork("part", "")) as stage:
        finish(stage, begin(stage, "library", dedup=300, ttl=300, warm=300, time=500))
        time.sleep(1)
        left = [key for key in stage.db.scan_iter(count=1000) if kind_of(key) not in ("counts", "events", "pendingMessages")]
        return {"conversations": 1000, "keys": len(left), "bytes": sum(stage.db.memory_usage(key) for key in left)}


def measure():
    return say("memory", {"settings": {name: in_flight(server) for name, server in SETTINGS.items()}, "idle": idle()})


def lines(seen):
    first = next(iter(seen["settings"].values()))
    kinds = sorted(first["kinds"], key=lambda each: -first["kinds"][each])
    table = ["| bytes per message in flight | " + " | ".join(seen["settings"]) + " |", "|---|" + "---:|" * len(seen["settings"])]
    for kind in kinds:
        table.append(f"| {kind} | " + " | ".join(f"{each['kinds'][kind]:,.0f}" for each in seen["settings"].values()) + " |")
    table.append("| all of Redis, by `used_memory` | " + " | ".join(f"{each['all']:,.0f}" for each in seen["settings"].values()) + " |")
    over = seen["idle"]
    return [*table, "", f"Bodies of {SIZE} B, ids are UUIDs, {COUNT:,} messages. Kinds are by `MEMORY USAGE`, without the tables of "
            f"keys and expiries. Of {over['conversations']:,} conversations that are over, {over['keys']} keys and {over['bytes']} bytes "
            "were left when their times had passed."]


PART = Part("memory", "Memory of Redis", measure, lines)
