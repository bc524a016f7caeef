"""Private servers on free ports of 127.0.0.1: Redis or Valkey, with TLS, or under three sentinels."""
import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile

from waiting import eventually


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def redis_program():
    found = shutil.which("redis-server") or shutil.which("valkey-server")
    assert found, "no redis-server on PATH; run the tests through ./dev test"
    return found


def valkey_program():
    """Where ./dev put it; None when the tests were started without."""
    return os.environ.get("LEAT_VALKEY") or None


class Server:
    """A private redis-server (or valkey-server). start() after stop() is the same server again, with what its files hold."""

    def __init__(self, folder, *arguments, program=None):
        self.folder = pathlib.Path(folder)
        self.port = free_port()
        self.arguments = arguments
        self.program = program or redis_program()
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
        """That never sends anything twice: newer versions of the library would, when an answer is lost."""
        import redis  # Debian's python3-redis
        return redis.Redis(port=self.port, retry=None, **options)

    def role(self):
        """`master` or `slave`; empty while nobody can say. Sentinel cuts every client of a server whose role it changes."""
        run = subprocess.run(["redis-cli", "-p", str(self.port), "role"], capture_output=True, text=True, timeout=10)
        return run.stdout.split("\n")[0] if run.returncode == 0 else ""

    def go_first(self):
        """Before other work of this machine, as far as we may: else its slow log tells how busy the machine is."""
        with contextlib.suppress(PermissionError):
            os.setpriority(os.PRIO_PROCESS, self.process.pid, -20)

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.process.wait(timeout=30)

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.stop(signal.SIGKILL)


class TlsServer(Server):
    """Has a plain port for the test itself, and a TLS port with a certificate of an authority of its own for leat."""

    def __init__(self, folder, *arguments, program=None):
        self.tls_port = free_port()
        self.authority = self.make_certificates(pathlib.Path(folder))
        super().__init__(folder, "--tls-port", str(self.tls_port), "--tls-cert-file", f"{folder}/server.crt",
                         "--tls-key-file", f"{folder}/server.key", "--tls-ca-cert-file", str(self.authority),
                         "--tls-auth-clients", "no", *arguments, program=program)

    @staticmethod
    def make_certificates(folder):
        def openssl(*words):
            subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                "/CN=leat tests", "-keyout", "ca.key", "-out", "ca.crt")
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=127.0.0.1",
                "-keyout", "server.key", "-out", "server.csr")
        (folder / "san").write_text("subjectAltName=IP:127.0.0.1")
        openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-days", "2", "-extfile", "san",
                "-out", "server.crt")
        return folder / "ca.crt"


class SentinelGroup:
    """Three sentinels, a master and one replica. `master` is whoever was it at the start."""

    def __init__(self, folder, *arguments, program=None):
        self.folder = pathlib.Path(folder)
        self.servers = []
        self.sentinels = []
        try:
            self.program = program or redis_program()
            self.master = self.add_server("--repl-diskless-sync-delay", "0", *arguments)
            self.replica = self.add_server("--replicaof", "127.0.0.1", str(self.master.port), "--repl-diskless-sync-delay",
                                           "0", *arguments)
            eventually(lambda: self.replica.client().info("replication").get("master_link_status") == "up", 20)
            self.ports = [self.add_sentinel() for _ in range(3)]
            eventually(lambda: all(self.knows_the_others(port) for port in self.ports), 60,
                       "three sentinels that know each other")
        except BaseException:
            self.close()
            raise
        self.url = "redis+sentinel://" + ",".join(f"127.0.0.1:{port}" for port in self.ports) + "/mymaster"

    def add_server(self, *arguments):
        made = Server(tempfile.mkdtemp(dir=self.folder), *arguments, program=self.program)
        self.servers.append(made)
        return made

    def add_sentinel(self):
        folder = tempfile.mkdtemp(dir=self.folder)
        port = free_port()
        with open(f"{folder}/sentinel.conf", "w") as conf:
            conf.write(f"""port {port}
bind 127.0.0.1
dir {folder}
sentinel monitor mymaster 127.0.0.1 {self.master.port} 2
sentinel down-after-milliseconds mymaster 1000
sentinel failover-timeout mymaster 3000
""")
        with open(f"{folder}/log", "w") as log:
            self.sentinels.append(subprocess.Popen([self.program, f"{folder}/sentinel.conf", "--sentinel"], stdout=log,
                                                   stderr=log))
        return port

    def ask(self, port, *words):
        run = subprocess.run(["redis-cli", "-p", str(port), "sentinel", *words], capture_output=True, text=True, timeout=10)
        return run.stdout

    def knows_the_others(self, port):
        shown = self.ask(port, "master", "mymaster").splitlines()
        fields = dict(zip(shown[::2], shown[1::2]))
        return fields.get("num-other-sentinels") == "2" and fields.get("num-slaves") == "1"

    def current(self):
        """The server that the first sentinel calls master."""
        shown = self.ask(self.ports[0], "get-master-addr-by-name", "mymaster").split()
        return next((each for each in self.servers if len(shown) == 2 and str(each.port) == shown[1]), self.master)

    def close(self):
        for each in self.sentinels:
            each.kill()
            each.wait()
        for each in self.servers:
            each.close()
