"""What blocked messages cost Redis while they wait."""
import time

from bench import Part
from bridged import BridgeWork, begin, say
from stage import Stage

COUNT, SECONDS = 2000, 3
OURS = ("cmdstat_info", "cmdstat_config|resetstat")


def measure():
    with Stage(BridgeWork("part", "")) as stage:
        begin(stage, "block", count=COUNT, ttl=60_000, concurrent=25)
        time.sleep(0.5)
        stage.db.config_resetstat()
        time.sleep(SECONDS)
        seen = {name: each["calls"] for name, each in stage.db.info("commandstats").items() if name not in OURS}
    calls = sum(seen.values())
    return say("blocked", {"messages": COUNT, "seconds": SECONDS, "calls": calls, "rate": calls / SECONDS / COUNT, "commands": seen})


def lines(seen):
    named = ", ".join(f"{name.removeprefix('cmdstat_')} {calls}" for name, calls in seen["commands"].items())
    return [f"{seen['messages']:,} messages that wait for the reply to an earlier request, settings as they come: {seen['calls']} "
            f"commands in {seen['seconds']} s{f' ({named})' if named else ''}, those within scripts counted, too: "
            f"{seen['rate']:.5f} per message and second."]


PART = Part("blocked", "Blocked messages", measure, lines)
