"""Works and subjects of a bridge: the work's words for the programs that stand around one."""
import dataclasses
import json
import pathlib
import subprocess

from paths import BRIDGE_CLIENT, LEAT, NODE
from stage import Stage
from subject import SelfMeasured, Work

NODE_FILES = pathlib.Path(__file__).parent / "node"
BACKOFF = 20  # milliseconds before the first retry


@dataclasses.dataclass(frozen=True)
class BridgeWork(Work):
    """`in_flight` are requests that were given and are not answered to their end."""
    conversations: int = 1000
    replies: int = 1
    ack: bool = False
    errors: int = 0  # percent of the responses whose first send fails
    in_flight: int = 1000
    subjects: tuple = ("leat", "leat-service", "script-100", "node")


def words_of(work, **more):
    named = {"conversations": work.conversations, "replies": work.replies, "ack": int(work.ack), "size": work.size,
             "errors": work.errors, "in-flight": work.in_flight, "backoff": BACKOFF, **more}
    return [word for name, value in named.items() for word in (f"--{name}", value)]


class Bridged(SelfMeasured):
    def program(self, stage):
        """Its words: it measures."""
        raise NotImplementedError

    def start(self, stage):
        stage.spawn(*self.program(stage), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


class Driven(Bridged):
    """By a mode of the client."""
    mode = ""

    def program(self, stage):
        return BRIDGE_CLIENT, self.mode, "--port", stage.port, *words_of(stage.work)


class InNode(Bridged):
    file = ""
    count = 0

    def program(self, stage):
        work = stage.work
        return NODE, NODE_FILES / self.file, stage.port, work.conversations, work.replies, work.size, self.count


def service_words(stage):
    """A `leat bridge` that is never full."""
    return (LEAT, "bridge", "--redis", stage.url, "--name", "bench", "--concurrent", 10_000, "--concurrency", 4000,
            "--maxPendingTtl", 1000 * BACKOFF, "--awaitedRetriesFactor", 0.001)


def begin(stage, mode, **words):
    """A mode of the client that has said that it is ready."""
    process = stage.spawn(BRIDGE_CLIENT, mode, "--port", stage.port, *words_of(stage.work, **words), stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True)
    assert json.loads(stage.await_line(process)) == "ready"
    return process


def finish(stage, process):
    """What it saw, from now on."""
    process.stdin.write("go\n")
    process.stdin.flush()
    seen = json.loads(stage.await_line(process))
    assert seen["ok"], f"wrong, missing or misplaced messages: {seen}"
    return seen


def seen_by(mode, work=BridgeWork("part", ""), **words):
    with Stage(work) as stage:
        return finish(stage, begin(stage, mode, **words))


def say(part, seen):
    print(f"          {part:<12} {seen}", flush=True)
    return seen
