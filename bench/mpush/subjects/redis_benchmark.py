import subprocess

from stage import SUBJECT_CORE, cpu_seconds
from subject import Subject


class RedisBenchmark(Subject):
    """How fast messages can be pushed at all: one list, one client."""
    name = "redis-benchmark"
    label = "redis-benchmark LPUSH -P 100"
    title = "redis-benchmark LPUSH -P 100 -c 1: only a push, to one list"

    def measure(self, stage):
        count = 1_000_000
        before = cpu_seconds([stage.server.process.pid])
        run = subprocess.run(
            ["taskset", "-c", str(SUBJECT_CORE), "redis-benchmark", "-p", str(stage.port), "-t", "lpush", "-d",
             str(stage.work.size), "-P", "100", "-c", "1", "-n", str(count), "--csv"],
            capture_output=True, text=True, check=True)
        assert stage.db.llen("mylist") == count
        rate = float(run.stdout.splitlines()[-1].split(",")[1].strip('"'))
        return {"rate": rate, "messages": count, "cpu": None,
                "server_cpu": (cpu_seconds([stage.server.process.pid]) - before) / count * 1e6, "memory": None,
                "longest": stage.longest_commands()}


SUBJECT = RedisBenchmark()
