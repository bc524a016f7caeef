"""The redis-cli sessions of the original's page on service lifecycle: registration and renewal, list of ids, hashes, SIGTERM
via pid, remote shutdown, clean-up at start. With the corrections that its own programs needed."""
import os
import re
import signal
import socket
import time
import unittest

from leat_testing import Case, eventually

NS = "demo:mpush"


class Lifecycle(Case):
    def setUp(self):
        super().setUp()
        self.redis = self.server()
        self.cli = self.redis.cli

    def start(self, *words, wait=True, **more):
        leat = self.leat("mpush", "--in", "demo:mpush:in", "--out", "demo:mpush:out0", "--redis", self.redis.url,
                         "--serviceNamespace", NS, *words, **more)
        if wait:
            leat.wait_for("renew: started")
        return leat

    def test_registration(self):
        self.cli("set", f"{NS}:service:id", 8)
        leat = self.start()
        self.assertIn("INFO renew: started demo:mpush:service:9 15", leat.output())
        self.assertRegex(leat.output(), r"INFO Service: registered demo:mpush:service:9 "
                         rf"\{{ host: '{re.escape(socket.gethostname())}', pid: {leat.pid}, started: \d{{10}} \}}")
        ttl = int(self.cli("ttl", "demo:mpush:service:9"))
        self.assertTrue(55 <= ttl <= 60, ttl)
        self.assertEqual(self.cli("lrange", "demo:mpush:service:ids", 0, -1), "9")
        fields = self.cli("hgetall", "demo:mpush:service:9").splitlines()
        self.assertEqual(fields[0:5:2], ["host", "pid", "started"])
        self.assertEqual(fields[1:4:2], [socket.gethostname(), str(leat.pid)])
        self.assertEqual(len(fields), 6)
        self.assertEqual(self.cli("hmget", "demo:mpush:service:9:info", "kind", "name").splitlines(), ["mpush", "mpush"])
        self.assertEqual(self.cli("smembers", "leat:namespaces"), NS)

    def test_the_heartbeat_renews(self):
        self.start("--serviceExpire", 6, "--serviceRenew", 1)
        eventually(lambda: self.cli("hkeys", "demo:mpush:service:1") == "host\npid\nstarted\nrenewed")
        first = self.cli("hget", "demo:mpush:service:1", "renewed")
        eventually(lambda: self.cli("hget", "demo:mpush:service:1", "renewed") > first)
        time.sleep(4)  # it would have expired by now
        self.assertGreaterEqual(int(self.cli("ttl", "demo:mpush:service:1")), 4)
        pipe = self.redis.client().pipeline()
        ends = pipe.expiretime("demo:mpush:service:1:info").expiretime("demo:mpush:service:1").execute()
        self.assertLessEqual(abs(ends[0] - ends[1]), 1)

    def test_sigterm_via_the_pid_found_in_redis(self):
        leat = self.start()
        number = self.cli("lrange", "demo:mpush:service:ids", 0, 0)
        os.kill(int(self.cli("hget", f"demo:mpush:service:{number}", "pid")), signal.SIGTERM)
        self.assertEqual(leat.exit_code(), 0)
        self.assertIn("INFO entry: SIGTERM", leat.output())
        self.assertIn("INFO Service: ended demo:mpush:service:1 { del: 1, lrem: 1 }", leat.output())
        self.assertEqual(self.cli("exists", "demo:mpush:service:1", "demo:mpush:service:1:info", "demo:mpush:service:ids"),
                         "0")

    def test_remote_shutdown_idle(self):
        leat = self.start("--popTimeout", 30)
        time.sleep(0.3)
        began = time.monotonic()
        self.assertEqual(self.cli("del", "demo:mpush:service:1", raw=False), "(integer) 1")
        self.assertEqual(leat.exit_code(), 0)
        self.assertLess(time.monotonic() - began, 1.5)
        self.assertIn("remote shutdown", leat.output())
        self.assertEqual(self.cli("exists", "demo:mpush:service:ids"), "0")

    def test_remote_shutdown_under_load(self):
        db = self.redis.client()
        for _ in range(300):
            db.lpush("demo:mpush:in", *["x" * 100] * 2000)
        leat = self.start()
        self.assertEqual(self.cli("del", "demo:mpush:service:1"), "1")
        began = time.monotonic()
        self.assertEqual(leat.exit_code(), 0)
        self.assertLess(time.monotonic() - began, 1.5)
        self.assertEqual(db.llen("demo:mpush:in") + db.llen("demo:mpush:out0"), 600_000)

    def test_clean_up_at_start(self):
        dead = self.start()
        dead.stop(signal.SIGKILL)
        self.cli("del", "demo:mpush:service:1")
        living = self.start()
        self.assertEqual(self.cli("lrange", "demo:mpush:service:ids", 0, -1), "2")
        third = self.start()
        self.assertEqual(self.cli("lrange", "demo:mpush:service:ids", 0, -1), "3\n2")
        self.assertEqual(living.stop(), 0)
        self.assertEqual(third.stop(), 0)

    def test_living_ids_are_never_trimmed(self):
        services = [self.start("--serviceCapacity", 3, "--name", f"s{i}") for i in range(4)]
        self.assertEqual(self.cli("lrange", "demo:mpush:service:ids", 0, -1), "4\n3\n2\n1")
        for each in services[:3]:
            self.assertNotIn("more services are listed", each.output())
        services[3].wait_for("more services are listed than serviceCapacity key=demo:mpush:service:ids listed=4 serviceCapacity=3")
        for each in services:
            self.assertEqual(each.stop(), 0)

    def test_service_redis_in_another_database(self):
        leat = self.start("--serviceRedis", self.redis.url + "/1")
        self.assertEqual(self.cli("-n", 1, "exists", "demo:mpush:service:1"), "1")
        self.assertEqual(self.cli("exists", "demo:mpush:service:1"), "0")
        self.cli("lpush", "demo:mpush:in", "x")
        eventually(lambda: self.cli("llen", "demo:mpush:out0") == "1")
        self.cli("-n", 1, "del", "demo:mpush:service:1")
        self.assertEqual(leat.exit_code(), 0)

    def test_service_redis_on_another_server(self):
        other = self.server()
        leat = self.start("--serviceRedis", other.url)
        self.assertEqual(other.cli("exists", "demo:mpush:service:1"), "1")
        self.assertEqual(self.cli("keys", "*service*"), "")
        self.assertEqual(leat.stop(), 0)
        self.assertEqual(other.cli("keys", "*service:*"), "demo:mpush:service:id")

    def test_a_foreign_heartbeat_ends_it_and_the_key_stays(self):
        leat = self.start("--serviceExpire", 60, "--serviceRenew", 1)
        eventually(lambda: self.cli("hget", "demo:mpush:service:1", "renewed"))
        self.cli("hset", "demo:mpush:service:1", "renewed", 1)
        self.assertEqual(leat.exit_code(), 1)
        self.assertIn("another service writes our key", leat.output())
        self.assertEqual(self.cli("hget", "demo:mpush:service:1", "renewed"), "1")
        self.assertEqual(self.cli("lrange", "demo:mpush:service:ids", 0, -1), "1")

    def test_a_collision_at_start(self):
        self.cli("hset", "demo:mpush:service:1", "host", "other")
        leat = self.start(wait=False)
        self.assertEqual(leat.exit_code(), 1)
        self.assertIn("cannot register", leat.output())
        self.assertEqual(self.cli("hgetall", "demo:mpush:service:1"), "host\nother")

    def test_the_server_lost_its_data(self):
        self.cli("set", f"{NS}:service:id", 5)
        leat = self.start()
        self.cli("flushall")
        leat.wait_for("registering again")
        eventually(lambda: self.cli("exists", "demo:mpush:service:1") == "1")
        self.cli("lpush", "demo:mpush:in", "x")
        eventually(lambda: self.cli("llen", "demo:mpush:out0") == "1")
        self.assertEqual(leat.stop(), 0)
        self.assertIn("ended demo:mpush:service:1 { del: 1, lrem: 1 }", leat.output())

    def expire_in_an_outage(self, leat):
        """Redis is away for longer than serviceExpire."""
        self.redis.stop()
        leat.wait_for("Redis does not answer")
        time.sleep(4)
        self.redis.start()

    def test_expired_in_an_outage(self):
        self.redis = self.server("--appendonly", "yes")
        self.cli = self.redis.cli
        leat = self.start("--serviceExpire", 3, "--serviceRenew", 1)
        self.expire_in_an_outage(leat)
        self.assertEqual(leat.exit_code(), 1)
        self.assertIn("expired while Redis was away", leat.output())

    def test_run_starts_an_expired_service_anew(self):
        self.redis = self.server("--appendonly", "yes")
        self.cli = self.redis.cli
        file = self.file("orders.yaml", f"""kind: mpush
redis: {self.redis.url}
serviceNamespace: {NS}
serviceExpire: 3
serviceRenew: 1
in: demo:mpush:in
out: [demo:mpush:out0]
""")
        leat = self.leat("run", file)
        leat.wait_for("renew: started demo:mpush:service:1")
        self.expire_in_an_outage(leat)
        leat.wait_for("renew: started demo:mpush:service:2")
        self.cli("lpush", "demo:mpush:in", "x")
        eventually(lambda: self.cli("llen", "demo:mpush:out0") == "1")
        self.assertEqual(leat.stop(), 0)

    def test_an_end_without_redis_says_what_is_left(self):
        leat = self.start()
        self.redis.process.send_signal(signal.SIGSTOP)
        began = time.monotonic()
        self.assertEqual(leat.stop(timeout=20), 1)
        self.assertLess(time.monotonic() - began, 8)
        self.assertIn("key=demo:mpush:service:1", leat.output())
        self.redis.process.send_signal(signal.SIGCONT)

    def test_a_heartbeat_that_is_no_longer_allowed_is_a_failure(self):
        self.cli("acl", "setuser", "bob", "on", ">pw", "~*", "+@all")
        url = f"redis://bob:pw@127.0.0.1:{self.redis.port}"
        leat = self.leat("mpush", "--in", "a", "--out", "b", "--redis", url, "--serviceNamespace", NS, "--serviceExpire", 6,
                         "--serviceRenew", 1)
        leat.wait_for("renew: started")
        self.cli("acl", "setuser", "bob", "-expire")
        self.assertEqual(leat.exit_code(), 1)
        self.assertIn("Redis refuses, stopping", leat.output())

    def test_a_server_that_forgot_the_last_heartbeat_is_forgiven(self):
        leat = self.start("--serviceExpire", 30, "--serviceRenew", 1)
        eventually(lambda: self.cli("hget", "demo:mpush:service:1", "renewed"))
        self.cli("save")
        saved = self.cli("hget", "demo:mpush:service:1", "renewed")
        eventually(lambda: self.cli("hget", "demo:mpush:service:1", "renewed") > saved)
        self.redis.stop(signal.SIGKILL)
        self.redis.start()
        eventually(lambda: self.cli("hget", "demo:mpush:service:1", "renewed") > saved)
        self.assertEqual(leat.stop(), 0)

    def test_a_server_that_came_back_without_the_key_has_lost_it(self):
        leat = self.start("--serviceExpire", 3, "--serviceRenew", 1)
        self.cli("save")
        time.sleep(4)  # the key of the file expires before it is read again
        self.redis.stop(signal.SIGKILL)
        self.redis.start()
        leat.wait_for("registering again")
        eventually(lambda: self.cli("exists", "demo:mpush:service:2") == "1")
        self.assertEqual(leat.stop(), 0)

    def test_an_id_that_another_holds_after_a_loss_is_a_collision(self):
        leat = self.start("--serviceExpire", 3, "--serviceRenew", 1)
        self.redis.client().pipeline().flushall().hset("demo:mpush:service:1", "host", "other").execute()
        self.assertEqual(leat.exit_code(), 1)
        self.assertIn("cannot register, stopping", leat.output())
        self.assertEqual(self.cli("hgetall", "demo:mpush:service:1"), "host\nother")


if __name__ == "__main__":
    unittest.main()
