"""Servers that leat cannot work with: those of a cluster, and old ones that quote what they do not know."""
import hashlib
import json
import unittest

from leat_testing import LEAT, Case, eventually, free_port
from servers import valkey_program
from terminal import Terminal

CLUSTER = "the server is part of a cluster (cluster mode is on); leat needs a single server, or one behind Sentinel"
SECRET = "hunter2"

KINDS = {
    "mpush": ("--in", "{t}in", "--out", "{t}out"),
    "exec": ("--in", "{t}in", "--command", "cat"),
    "rquery": ("--in", "{t}in", "--prefixes", "{t}"),
    "mdispatch": ("--in", "{t}in", "--workers", "{t}workers"),
    "bridge": ("--in", "{t}in"),
}
ROUTER = """
redis: %s
configs:
  RedisImporter.singleton:
    queue: {in: "{t}in", pending: "{t}pending"}
    timeout: 2000
    route: [RedisExporter.singleton]
  RedisExporter.singleton:
    queue: {out: "{t}out"}
"""
COMMANDS = (("ps",), ("stop", "ns:1"), ("metrics",), ("queue", "ls"), ("queue", "ls", "{t}in"), ("queue", "peek", "{t}in"),
            ("queue", "push", "{t}in", "x"), ("queue", "move", "{t}in", "{t}out"), ("queue", "purge", "{t}in", "--yes"),
            ("queue", "redrive", "{t}dead"), ("queue", "return", "{t}pending", "{t}in"), ("message", "show", "1"),
            ("message", "done", "1"), ("message", "retry", "1"), ("top", "--json", "--count", "1"), ("inspect", "bridge", "c1"))


class ServerOfACluster(Case):
    def setUp(self):
        super().setUp()
        self.node = self.server("--cluster-enabled", "yes", "--cluster-port", str(free_port()), program=self.program())
        self.node.cli("cluster", "addslotsrange", 0, 16383)
        eventually(lambda: "cluster_state:ok" in self.node.cli("cluster", "info"), 20)
        self.node.cli("lpush", "{t}in", "message")

    def program(self):
        return None

    def tearDown(self):
        self.assertEqual(self.node.cli("lrange", "{t}in", 0, -1), "message")
        self.assertEqual(self.node.cli("dbsize"), "1")

    def refuse(self, kind, *words):
        leat = self.leat(kind, *words)
        self.assertEqual(leat.exit_code(), 1, leat.output())
        self.assertIn(CLUSTER, leat.output())

    def test_every_kind_refuses_it(self):
        for kind, words in KINDS.items():
            with self.subTest(kind):
                self.refuse(kind, *words, "--redis", self.node.url)

    def test_a_router_refuses_it(self):
        self.refuse("router", self.file("routes.yaml", ROUTER % self.node.url))

    def test_a_file_of_services_refuses_it(self):
        self.refuse("run", self.file("run.yaml", f"redis: {self.node.url}\nservices:\n"
                                     "  one: {kind: mpush, in: '{t}in', out: ['{t}out']}\n"
                                     "  two: {kind: exec, in: '{t}in', command: [cat]}\n"))

    def test_a_database_of_it_is_refused_the_same(self):
        self.refuse("mpush", *KINDS["mpush"], "--redis", f"{self.node.url}/3")

    def test_every_command_refuses_it(self):
        for words in COMMANDS:
            with self.subTest(words):
                run = self.run_leat(*words, "--redis", self.node.url)
                self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
                self.assertIn(CLUSTER, run.stderr)

    def test_a_second_server_may_not_be_one_either(self):
        redis = self.server()
        redis.cli("lpush", "in", "message")
        self.refuse("mpush", "--in", "in", "--out", "out", "--redis", redis.url, "--serviceRedis", self.node.url,
                    "--serviceNamespace", "ns")
        self.assertEqual(redis.cli("lrange", "in", 0, -1), "message")

    def test_an_exporter_does_not_push_to_one(self):
        redis = self.server()
        redis.cli("lpush", "{t}in", "message")
        for more in ("", ', reply: "{t}reply"'):
            with self.subTest(more):
                routes = ROUTER.replace('out: "{t}out"', 'out: "{t}out"' + more) % redis.url
                leat = self.leat("router", self.file("routes.yaml", routes + f"    redis: {self.node.url}\n"))
                leat.wait_for(CLUSTER)
                eventually(lambda: redis.cli("lrange", "{t}in:error", 0, -1) == "message")
                leat.close()
                redis.cli("lmove", "{t}in:error", "{t}in", "left", "left")


@unittest.skipUnless(valkey_program(), "no Valkey here")
class ValkeyOfACluster(ServerOfACluster):
    def program(self):
        return valkey_program()


class ServerThatQuotes(Case):
    """One that does not know HELLO answers with the handshake, and the password in it."""

    def setUp(self):
        super().setUp()
        self.redis = self.server("--rename-command", "HELLO", "", "--requirepass", SECRET, "--user", "bob", "on",
                                 f">{SECRET}%", "~*", "&*", "+@all")

    def urls(self):
        yield f"redis://:{SECRET}@127.0.0.1:{self.redis.port}"
        yield f"redis://bob:{SECRET}%25@127.0.0.1:{self.redis.port}"
        yield f"redis://127.0.0.1:{self.redis.port}?password={SECRET}"

    def keeps_it(self, code, output):
        self.assertEqual(code, 1, output)
        self.assertIn("unknown command", output)
        self.assertIn("***", output)
        self.assertNotIn(SECRET, output)

    def test_no_kind_shows_the_password(self):
        for url in self.urls():
            for kind, words in KINDS.items():
                with self.subTest(kind=kind, url=url):
                    leat = self.leat(kind, *words, "--redis", url)
                    self.keeps_it(leat.exit_code(), leat.output())

    def test_no_command_shows_the_password(self):
        for url in self.urls():
            for words in COMMANDS:
                with self.subTest(words=words, url=url):
                    run = self.run_leat(*words, "--redis", url)
                    self.keeps_it(run.returncode, run.stdout + run.stderr)

    def test_a_screen_does_not_show_the_password(self):
        for words in (("top",), ("inspect", "bridge", "c1", "--watch")):
            screen = Terminal([LEAT, *words, "--redis", next(self.urls())])
            eventually(lambda: screen.read() or b"unknown command" in screen.received, what=lambda: screen.received)
            self.assertNotIn(SECRET.encode(), screen.received)
            screen.press(b"q")
            screen.close()

    def test_a_second_server_does_not_show_it(self):
        leat = self.leat("mpush", "--in", "in", "--out", "out", "--redis", self.server().url, "--serviceRedis", next(self.urls()),
                         "--serviceNamespace", "ns")
        self.keeps_it(leat.exit_code(), leat.output())


class ScriptThatQuotes(Case):
    """What a script returns of an error, as a value, may name a key that holds what the URL does."""

    def setUp(self):
        super().setUp()
        self.redis = self.server("--requirepass", SECRET)
        self.db = self.redis.client(password=SECRET)
        self.url = f"redis://:{SECRET}@127.0.0.1:{self.redis.port}"

    def assert_masked(self, leat, text):
        leat.wait_for(text)
        (line,) = [each for each in leat.output().splitlines() if text in each]
        self.assertIn("***", line)
        self.assertNotIn(SECRET, line)

    def test_a_bridge_that_cannot_deliver(self):
        self.db.set(f"bridge:out:{SECRET}", "no list")
        self.db.lpush("bridge:in", json.dumps({"type": "response", "conversationId": "c", "requestId": "q", "responseId": "a",
                                               "origin": SECRET, "body": 1}))
        self.assert_masked(self.leat("bridge", "--redis", self.url), "deliveries cannot be pushed")

    def test_a_retry_that_cannot_be_pushed(self):
        leat = self.leat("mpush", "--redis", self.url, "--in", "in", "--out", SECRET, "--serviceNamespace", "ns", "--messageTimeout", 1,
                         "--retry.first", 0.2, "--retry.attempts", 3)
        self.db.lpush("in", "message")
        eventually(lambda: self.db.delete(SECRET))
        self.db.set(SECRET, "no list")
        self.assert_masked(leat, "cannot go where it should")

    def test_a_hand_that_cannot_be_recovered(self):
        self.db.zadd(f"{SECRET}:owners", {"7": 1})
        self.db.set(f"{SECRET}:7", "no list")
        leat = self.leat("exec", "--redis", self.url, "--in", "in", "--pending", SECRET, "--command", "cat", "--lease", 2)
        self.assert_masked(leat, "cannot be recovered")

    def test_a_dead_letter_that_cannot_go_back(self):
        self.db.lpush("dead", "message")
        self.db.hset("dead:story", hashlib.sha1(b"message").hexdigest(), json.dumps({"origin": SECRET}))
        self.db.set(SECRET, "no list")
        run = self.run_leat("queue", "redrive", "dead", "--redis", self.url)
        self.assertIn("***", run.stdout + run.stderr)
        self.assertNotIn(SECRET, run.stdout + run.stderr)


class SentinelThatLeadsToOne(Case):
    def test_the_password_is_shown_nowhere(self):
        group = self.sentinel_group("--rename-command", "HELLO", "")
        group.master.cli("config", "set", "requirepass", SECRET)  # for those who come now
        url = group.url.replace("redis+sentinel://", f"redis+sentinel://:{SECRET}@")
        leat = self.leat("mpush", *KINDS["mpush"], "--redis", url)
        self.assertEqual(leat.exit_code(), 1)
        self.assertIn("unknown command", leat.output())
        self.assertNotIn(SECRET, leat.output())


if __name__ == "__main__":
    unittest.main()
