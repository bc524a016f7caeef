"""Real servers and the real binary for the tests that look at leat from outside."""
import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

LEAT = os.environ.get("LEAT") or str(pathlib.Path(__file__).resolve().parents[2] / "build" / "leat")
ROOT = pathlib.Path(__file__).resolve().parents[2]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def is_running(pid):
    """A zombie is not; whose child it was decides when it is buried."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def eventually(holds, timeout=10.0, what="the condition"):
    """Looks again until it is true; its last value comes back. No sleep that is longer than needed."""
    deadline = time.monotonic() + timeout
    while True:
        value = holds()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"{what} did not come true within {timeout} s; last seen: {value!r}")
        time.sleep(0.01)


class Server:
    """A private redis-server (or valkey-server) on a free port of 127.0.0.1."""

    def __init__(self, folder, *arguments, program=None):
        self.folder = pathlib.Path(folder)
        self.port = free_port()
        self.arguments = arguments
        self.program = program or shutil.which("redis-server") or shutil.which("valkey-server")
        assert self.program, "no redis-server on PATH; run the tests through ./dev test"
        self.start()

    def start(self):
        for _ in range(5):
            with open(self.folder / "redis.log", "ab") as log:
                self.process = subprocess.Popen(
                    [self.program, "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder), "--save",
                     "", *self.arguments], stdout=log, stderr=subprocess.STDOUT)
            eventually(lambda: self.answers() or self.process.poll() is not None, what="the server's answer")
            if self.process.poll() is None:
                return
            self.port = free_port()  # somebody was quicker
        raise AssertionError((self.folder / "redis.log").read_text())

    def answers(self):
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as probe:
                probe.sendall(b"PING\r\n")
                return probe.recv(5) in (b"+PONG", b"-NOAU")
        except OSError:
            return False

    @property
    def url(self):
        return f"redis://127.0.0.1:{self.port}"

    def cli(self, *words, raw=True):
        """What redis-cli prints, as a person sees it (raw=False) or as a pipe does."""
        run = subprocess.run(
            ["redis-cli", "-p", str(self.port), *(() if raw else ("--no-raw",)), *map(str, words)],
            capture_output=True, text=True, timeout=60, check=True)
        return run.stdout.rstrip("\n")

    def client(self, **options):
        import redis  # Debian's python3-redis
        return redis.Redis(port=self.port, **options)

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.process.wait(timeout=30)

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.stop(signal.SIGKILL)


class Proxy:
    """A port that leads to a server, or to another one from now on: a name that moves. Connections that are there stay."""

    def __init__(self, target):
        self.target = target
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port = self.listening.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listening.accept()
                server = socket.create_connection(("127.0.0.1", self.target.port))
                for source, sink in ((client, server), (server, client)):
                    threading.Thread(target=self.pump, args=(source, sink), daemon=True).start()

    @staticmethod
    def pump(source, sink):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_RDWR)
        source.close()  # each is the source of one pump

    def close(self):
        self.listening.close()


class Leat:
    """A running leat; its output is collected in a file."""

    def __init__(self, folder, *words, env=None, name="leat"):
        self.log = pathlib.Path(folder) / f"{name}-{time.monotonic_ns()}.log"
        clean = {k: v for k, v in os.environ.items() if k not in ("REDIS_URL", "propsFile", "loggerLevel")}
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([LEAT, *map(str, words)], stdout=log, stderr=subprocess.STDOUT, cwd=folder,
                                            env={**clean, **(env or {})})

    @property
    def pid(self):
        return self.process.pid

    def output(self):
        return self.log.read_text(errors="replace")

    def wait_for(self, text, timeout=10.0):
        eventually(lambda: text in self.output() or (self.process.poll() is not None and self.fail(text)), timeout,
                   f"{text!r} in the log")

    def fail(self, text):
        if text in self.output():
            return True
        raise AssertionError(f"leat ended with {self.process.returncode} before it said {text!r}:\n{self.output()}")

    def exit_code(self, timeout=20.0):
        return self.process.wait(timeout)

    def stop(self, number=signal.SIGTERM, timeout=10.0):
        self.process.send_signal(number)
        return self.exit_code(timeout)

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

    def server(self, *arguments, program=None):
        folder = tempfile.mkdtemp(dir=self.folder)
        made = Server(folder, *arguments, program=program)
        self.stack.callback(made.close)
        return made

    def proxy(self, target):
        made = Proxy(target)
        self.stack.callback(made.close)
        return made

    def leat(self, *words, env=None, name="leat"):
        made = Leat(self.folder, *words, env=env, name=name)
        self.stack.callback(made.close)
        return made

    def file(self, name, text):
        path = self.folder / name
        if isinstance(text, bytes):
            path.write_bytes(text)
        else:
            path.write_text(text)
        return path

    def run_leat(self, *words, env=None, timeout=30):
        clean = {k: v for k, v in os.environ.items() if k not in ("REDIS_URL", "propsFile", "loggerLevel")}
        return subprocess.run([LEAT, *map(str, words)], capture_output=True, text=True, timeout=timeout,
                              cwd=self.folder, env={**clean, **(env or {})})
