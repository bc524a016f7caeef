"""Real servers and the real binary for the tests that look at leat from outside."""
import contextlib
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

from proxy import Proxy
from servers import SentinelGroup, Server, TlsServer, free_port
from waiting import eventually

__all__ = ["Case", "LEAT", "Leat", "ROOT", "eventually", "free_port", "is_running"]

LEAT = os.environ.get("LEAT") or str(pathlib.Path(__file__).resolve().parents[2] / "build" / "leat")
ROOT = pathlib.Path(__file__).resolve().parents[2]


def is_running(pid):
    """A zombie is not; whose child it was decides when it is buried."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class Leat:
    """A running leat; its output is collected in a file."""

    def __init__(self, folder, *words, env=None, name="leat", program=None):
        self.log = pathlib.Path(folder) / f"{name}-{time.monotonic_ns()}.log"
        clean = {k: v for k, v in os.environ.items() if k not in ("REDIS_URL", "propsFile", "loggerLevel")}
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([program or LEAT, *map(str, words)], stdout=log, stderr=subprocess.STDOUT, cwd=folder,
                                            env={**clean, **(env or {})})

    @property
    def pid(self):
        return self.process.pid

    def output(self):
        return self.log.read_text(errors="replace")

    def wait_for(self, text, timeout=10.0):
        eventually(lambda: text in self.output() or (self.process.poll() is not None and self.fail(text)), timeout,
                   lambda: f"{text!r} in the log, which is\n{self.output()}\n:")

    def fail(self, text):
        if text in self.output():
            return True
        raise AssertionError(f"leat ended with {self.process.returncode} before it said {text!r}:\n{self.output()}")

    def exit_code(self, timeout=20.0):
        return self.process.wait(timeout)

    def stop(self, number=signal.SIGTERM, timeout=10.0):
        self.process.send_signal(number)
        return self.exit_code(timeout)

    @staticmethod
    def cpu_seconds():
        """Of all children that have ended."""
        return sum(os.times()[2:4])

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Case(unittest.TestCase):
    """A folder, servers and processes that are gone after each test."""

    def setUp(self):
        self.stack = contextlib.ExitStack()
        self.addCleanup(self.stack.close)
        self.folder = pathlib.Path(self.stack.enter_context(tempfile.TemporaryDirectory(prefix="leat-test-")))

    def owned(self, made):
        self.stack.callback(made.close)
        return made

    def server(self, *arguments, program=None):
        return self.owned(Server(tempfile.mkdtemp(dir=self.folder), *arguments, program=program))

    def tls_server(self, *arguments, program=None):
        return self.owned(TlsServer(tempfile.mkdtemp(dir=self.folder), *arguments, program=program))

    def sentinel_group(self, *arguments, program=None):
        return self.owned(SentinelGroup(tempfile.mkdtemp(dir=self.folder), *arguments, program=program))

    def proxy(self, target, **options):
        return self.owned(Proxy(target, **options))

    def leat(self, *words, **options):
        return self.owned(Leat(self.folder, *words, **options))

    def file(self, name, text):
        path = self.folder / name
        if isinstance(text, bytes):
            path.write_bytes(text)
        else:
            path.write_text(text)
        return path

    def run_leat(self, *words, env=None, timeout=30, given=None):
        clean = {k: v for k, v in os.environ.items() if k not in ("REDIS_URL", "propsFile", "loggerLevel")}
        return subprocess.run([LEAT, *map(str, words)], capture_output=True, text=True, timeout=timeout, input=given,
                              cwd=self.folder, env={**clean, **(env or {})})
