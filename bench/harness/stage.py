"""A private server on a core of its own, the subject's processes on another, and how long a pile of messages takes."""
import contextlib
import os
import pathlib
import select
import subprocess
import tempfile
import time

from paths import ROOT
from proxy import Proxy
from servers import Server

SERVER_CORE, SUBJECT_CORE = 0, min(1, os.cpu_count() - 1)

# LPUSH of a thousand numbered messages of a size.
FILL = """local filling = string.rep('x', ARGV[2] - 10)
local batch = {}
for i = 1, ARGV[3] do batch[i] = string.format('%010d', ARGV[1] + i - 1) .. filling end
redis.call('LPUSH', KEYS[1], unpack(batch))"""

# How many of the messages of a list, from the oldest on, are not what they should be.
CHECK = """local wrong = 0
local chunk = redis.call('LRANGE', KEYS[1], -(ARGV[1] + ARGV[2]), -(ARGV[1] + 1))
for i = 1, #chunk do
    local message = chunk[#chunk + 1 - i]
    if #message ~= tonumber(ARGV[3]) or tonumber(message:sub(1, 10)) ~= ARGV[4] + ARGV[1] + i - 1 then wrong = wrong + 1 end
end
return wrong + math.abs(ARGV[2] - #chunk)"""


def pin(pid, core):
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(ProcessLookupError):
            os.sched_setaffinity(int(task.name), {core})


def cpu_seconds(pids):
    total = 0
    for pid in pids:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


def resident_megabytes(pids):
    total = 0
    for pid in pids:
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
        total += int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")))
    return total / 1024


class Stage:
    """Where one subject meets one work. Everything is gone at the end of the `with`."""

    def __init__(self, work, programs=ROOT):
        self.work = work
        self.programs = programs  # the checkout whose binaries are measured
        self.outs = [f"out{i}" for i in range(work.outs)]

    def __enter__(self):
        self.stack = contextlib.ExitStack()
        self.folder = self.stack.enter_context(tempfile.TemporaryDirectory(prefix="leat-bench-"))
        self.server = Server(self.folder, "--latency-tracking-info-percentiles", "99.9 100", *self.work.server)
        self.stack.callback(self.server.close)
        pin(self.server.process.pid, SERVER_CORE)
        self.db = self.server.client()
        self.port = self.server.port
        if self.work.delay:
            proxy = Proxy(self.server)
            proxy.delay = self.work.delay
            self.stack.callback(proxy.close)
            self.port = proxy.port
        self.url = f"redis://127.0.0.1:{self.port}"
        self._fill = self.db.register_script(FILL)
        self._check = self.db.register_script(CHECK)
        self.processes = []
        self.cpu = self.server_cpu = 0.0  # of the timed parts
        self.longest = [0.0, 0.0]
        return self

    def __exit__(self, *_):
        self.stack.close()

    def spawn(self, *words, **options):
        log = self.stack.enter_context(open(f"{self.folder}/subject-{len(self.processes)}.log", "w+"))
        words = [str(each).replace(f"{ROOT}/build/", f"{self.programs}/build/", 1) for each in words]
        process = subprocess.Popen(["taskset", "-c", str(SUBJECT_CORE), *words], stderr=log,
                                   stdout=options.pop("stdout", log), cwd=self.folder, **options)
        self.stack.callback(process.wait)
        self.stack.callback(process.kill)
        self.processes.append(process)
        return process

    @property
    def out_words(self):
        return [word for out in self.outs for word in ("--out", out)]

    @property
    def pids(self):
        return [each.pid for each in self.processes]

    def used(self):
        """CPU seconds of the subject and of the server until now."""
        return cpu_seconds(self.pids), cpu_seconds([self.server.process.pid])

    def fill(self, key, count, start=0):
        for at in range(0, count, 1000):
            self._fill(keys=[key], args=[start + at, self.work.size, min(1000, count - at)])

    def wrong_messages(self, key, count, start=0):
        return sum(self._check(keys=[key], args=[at, min(5000, count - at), self.work.size, start])
                   for at in range(0, count, 5000))

    def longest_commands(self):
        """In milliseconds, of those that came since the statistics were reset: 999 of 1000 of each, and all of them."""
        seen = [each for name, each in self.db.info("latencystats").items()
                if isinstance(each, dict) and "config" not in name and "info" not in name]
        return [max((each[part] / 1000 for each in seen), default=0.0) for part in ("p99.9", "p100")]

    def settle(self):
        """The server's own files are quiet before the clock starts."""
        if self.work.server:
            time.sleep(1.2)

    def timed(self, begin, is_over):
        """Seconds from the beginning until it is over; CPU and the longest commands are noted."""
        self.settle()
        self.db.config_resetstat()
        used = self.used()
        began = time.perf_counter()
        begin()
        while not is_over():
            assert time.perf_counter() < began + 120, f"no end in sight; see {self.folder}"
            time.sleep(0.001)
        passed = time.perf_counter() - began
        self.cpu += self.used()[0] - used[0]
        self.server_cpu += self.used()[1] - used[1]
        self.longest = [max(pair) for pair in zip(self.longest, self.longest_commands())]
        return passed

    def move(self, count, start=0):
        """Seconds until a pile that appears at once in `in` is in every out. Content and order are checked after."""
        self.fill("pile", count, start)
        passed = self.timed(lambda: self.db.rename("pile", "in"),
                            lambda: all(self.db.llen(out) >= count for out in self.outs))
        wrong = [self.wrong_messages(out, count, start) for out in self.outs]
        assert not any(wrong), f"wrong or misplaced messages: {wrong}"
        self.db.delete(*self.outs)
        return passed

    def warm_up(self, count=2000, start=0):
        self.move(count, start)
        self.cpu = self.server_cpu = 0.0
        self.longest = [0.0, 0.0]

    def await_line(self, process):
        seen, _, _ = select.select([process.stdout], [], [], 120)
        assert seen, f"no line in sight; see {self.folder}"
        line = process.stdout.readline()
        assert line, "the subject has ended: " + pathlib.Path(f"{self.folder}/subject-0.log").read_text()[-1000:]
        return line
