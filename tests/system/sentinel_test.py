"""Sentinel: found at the start, asked again after each loss. Three sentinels, a master and a replica, all real."""
import shutil
import subprocess
import tempfile
import unittest

from leat_testing import Case, eventually, free_port


class Sentinel(Case):
    def setUp(self):
        super().setUp()
        self.master = self.server("--repl-diskless-sync-delay", "0")
        self.replica = self.server("--replicaof", "127.0.0.1", str(self.master.port), "--repl-diskless-sync-delay", "0")
        eventually(lambda: "master_link_status:up" in self.replica.cli("info", "replication"), 20)
        self.ports = [self.start_sentinel() for _ in range(3)]
        eventually(lambda: all(self.knows_the_others(port) for port in self.ports), 30, "three sentinels that know each other")
        self.url = "redis+sentinel://" + ",".join(f"127.0.0.1:{port}" for port in self.ports) + "/mymaster"

    def start_sentinel(self):
        folder = tempfile.mkdtemp(dir=self.folder)
        port = free_port()
        with open(f"{folder}/sentinel.conf", "w") as conf:
            conf.write(f"""port {port}
bind 127.0.0.1
dir {folder}
sentinel monitor mymaster 127.0.0.1 {self.master.port} 2
sentinel down-after-milliseconds mymaster 500
sentinel failover-timeout mymaster 3000
""")
        with open(f"{folder}/log", "w") as log:
            process = subprocess.Popen([shutil.which("redis-server"), f"{folder}/sentinel.conf", "--sentinel"], stdout=log,
                                       stderr=log)
        self.stack.callback(process.wait)
        self.stack.callback(process.kill)
        return port

    def sentinel(self, port, *words):
        run = subprocess.run(["redis-cli", "-p", str(port), *words], capture_output=True, text=True, timeout=10)
        return run.stdout

    def knows_the_others(self, port):
        shown = self.sentinel(port, "sentinel", "master", "mymaster").splitlines()
        fields = dict(zip(shown[::2], shown[1::2]))
        return fields.get("num-other-sentinels") == "2" and fields.get("num-slaves") == "1"

    def test_the_master_is_found_and_a_failover_followed(self):
        leat = self.leat("mpush", "--in", "in", "--out", "out", "--redis", self.url, "--popTimeout", 1,
                         "--serviceNamespace", "ns")
        leat.wait_for("renew: started")
        self.master.client().lpush("in", "one")
        eventually(lambda: self.master.client().llen("out") == 1)
        eventually(lambda: self.replica.client().llen("out") == 1)  # what is not replicated yet may be lost by Redis
        self.master.stop(9)
        eventually(lambda: "role:master" in self.replica.cli("info", "replication"), 30, "the failover")
        self.replica.client().lpush("in", "two")
        eventually(lambda: self.replica.client().lrange("out", 0, -1) == [b"two", b"one"], 30, "the message on the new master")
        self.assertEqual(leat.stop(), 0)
        self.assertEqual(self.replica.cli("exists", "ns:service:1"), "0")

    def test_a_failover_that_leaves_the_old_master_running(self):
        leat = self.leat("mpush", "--in", "in", "--out", "out", "--redis", self.url, "--popTimeout", 1)
        self.master.client().lpush("in", "one")
        eventually(lambda: self.replica.client().llen("out") == 1)
        self.assertIn("OK", self.sentinel(self.ports[0], "sentinel", "failover", "mymaster"))
        eventually(lambda: "role:master" in self.replica.cli("info", "replication"), 30, "the failover")
        eventually(lambda: "role:slave" in self.master.cli("info", "replication"), 30, "the old master's new role")
        self.replica.client().lpush("in", "two")
        eventually(lambda: self.replica.client().lrange("out", 0, -1) == [b"two", b"one"], 30, "the message on the new master")
        self.assertEqual(leat.stop(), 0)

    def test_one_sentinel_of_those_named_is_enough(self):
        url = f"redis+sentinel://127.0.0.1:{free_port()},127.0.0.1:{self.ports[1]}/mymaster/0"
        leat = self.leat("mpush", "--in", "in", "--out", "out", "--redis", url)
        self.master.client().lpush("in", "one")
        eventually(lambda: self.master.client().llen("out") == 1)
        self.assertEqual(leat.stop(), 0)

    def test_a_master_that_nobody_knows_is_waited_for(self):
        leat = self.leat("mpush", "--in", "in", "--out", "out", "--redis", self.url.replace("mymaster", "nobody"))
        leat.wait_for("Redis does not answer, trying again")
        self.assertEqual(leat.stop(), 0)


if __name__ == "__main__":
    unittest.main()
