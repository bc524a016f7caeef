"""What is measured. A subject is a file with one of these; so is a work."""
import dataclasses
import json
import subprocess

from paths import NODE, PROGRAMS
from stage import resident_megabytes


@dataclasses.dataclass(frozen=True)
class Work:
    """A point of the space: the base, or one step along an axis from it."""
    name: str
    title: str
    size: int = 100
    outs: int = 2
    count: int = 100_000
    server: tuple = ()
    replicas: int = 1
    delay: float = 0.0
    rounds: int = 3
    seconds: float = 1.0  # how long one measurement adds up piles
    subjects: tuple = ("leat", "script", "script-4", "moves")
    order: int = 0
    unit: str = "messages"
    tracked: int = 0  # messages that are tracked before the clock starts
    in_flight: int = 1  # messages that are taken and not settled, at most
    held: int = 0  # messages beside these that are taken and never settled


class Subject:
    """Moves what it finds in the list `in` to every out. `start` says how to run it."""
    name = label = title = ""  # the label is for the chart
    most = None  # messages of one run, for slow ones

    def start(self, stage):
        raise NotImplementedError

    def measure(self, stage):
        for _ in range(stage.work.replicas):
            self.start(stage)
        stage.warm_up()
        count = min(stage.work.count, self.most or stage.work.count)
        moved, passed = 0, 0.0
        while passed < stage.work.seconds and moved < 20 * count:
            passed += stage.move(count)
            moved += count
        return {"rate": moved / passed, "messages": moved, "cpu": stage.cpu / moved * 1e6,
                "server_cpu": stage.server_cpu / moved * 1e6, "memory": resident_megabytes(stage.pids),
                "longest": stage.longest}


class SelfMeasured(Subject):
    """A program that prepares itself, waits for a line, and prints what it saw as JSON: messages, seconds, ok, and perhaps the
    milliseconds p50, p99 and max."""
    program = ""
    count = 0

    def start(self, stage):
        stage.spawn(NODE, PROGRAMS / self.program, stage.port, self.count, stage.work.size, *stage.outs,
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def measure(self, stage):
        self.start(stage)
        process = stage.processes[0]
        assert json.loads(stage.await_line(process)) == "ready"
        stage.db.config_resetstat()
        before = stage.used()
        process.stdin.write("go\n")
        process.stdin.flush()
        seen = json.loads(stage.await_line(process))
        assert seen["ok"], f"{self.name}: wrong messages"
        after = stage.used()
        return {"rate": seen["messages"] / seen["seconds"], "messages": seen["messages"],
                "cpu": (after[0] - before[0]) / seen["messages"] * 1e6,
                "server_cpu": (after[1] - before[1]) / seen["messages"] * 1e6,
                "memory": resident_megabytes(stage.pids), "longest": stage.longest_commands(),
                **{part: seen[part] for part in ("p50", "p99", "max") if part in seen}}
