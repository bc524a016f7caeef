"""leat message: one tracked message."""
import json
import unittest

from leat_testing import Case, eventually


class Message(Case):
    def setUp(self):
        super().setUp()
        self.redis = self.server()
        self.db = self.redis.client()

    def mpush(self, *words):
        self.leat("mpush", "--redis", self.redis.url, "--in", "in", "--out", "a,b", "--serviceNamespace", "ns", *words)

    def message(self, *words, code=0):
        run = self.run_leat("message", *words, "--redis", self.redis.url)
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        return run.stdout + run.stderr

    def show(self, which, code=0):
        return json.loads(self.message("show", which, "--json", code=code))[0]

    def test_where_it_is_and_how_it_ends(self):
        self.mpush()
        self.db.lpush("in", "first", "12345", '{"meta": {"id": "order-9"}}')
        eventually(lambda: self.db.exists("ns:message:3"))
        self.db.rpop("a")
        seen = self.show("1")
        self.assertEqual((seen["state"], seen["id"], seen["namespace"]), ("delivered", "1", "ns"))
        self.assertEqual([(each["queue"], each["place"]) for each in seen["where"]], [("a", None), ("b", 0)])
        self.assertEqual(self.show("xid:12345")["id"], "2")
        self.assertEqual(self.show("xid:order-9")["where"][1], {"out": "b", "state": "queued", "queue": "b", "place": 2,
                                                                "reported": False})
        text = self.message("show", "1")
        self.assertIn("taken from a", text)
        self.assertIn("waits in b, 0 before it", text)
        self.assertIn("1: done", self.message("done", "1"))
        self.assertEqual(self.show("1")["state"], "done")
        self.assertIn("not tracked", self.message("done", "1", code=1))
        self.assertEqual(self.db.hget("ns:metrics:done", "count"), b"1")

    def test_the_report_of_an_out(self):
        self.mpush("--await", "all")
        self.db.lpush("in", "x")
        eventually(lambda: self.db.exists("ns:message:1"))
        self.message("done", "1", "--out", "a")
        self.assertIn("was not delivered to c", self.message("done", "1", "--out", "c", code=1))
        seen = self.show("1")
        self.assertEqual([(each["queue"], each["reported"]) for each in seen["where"]], [("a", True), ("b", False)])
        self.assertIn("1:b: done", self.message("done", "1:b"))
        self.assertIn("expected ID", self.message("done", "1:", code=2))

    def test_its_body_is_shown_bounded_and_escaped(self):
        self.mpush("--retry", "true")
        self.db.lpush("in", b"\x1b[31mred " + b"x" * 5000)
        eventually(lambda: self.db.exists("ns:message:1:body"))
        text = self.message("show", "1")
        self.assertRegex(text, r"body +.*\\x1b\[31mred xxx")
        self.assertIn("size       5,009 bytes", text)
        self.assertLess(len(text), 2000)
        self.assertIn("\\x1b[31mred xxx", self.show("1")["body"])

    def test_one_that_is_unknown_is_called_what_it_was_asked_by(self):
        self.mpush()
        eventually(lambda: self.db.exists("ns:service:id"))
        self.assertIn("message    xid:banana of ns", self.message("show", "xid:banana", code=1))

    def test_retry_now(self):
        self.mpush("--retry.attempts", 3, "--retry.first", 3600, "--retry.max", 3600, "--messageTimeout", 3,
                   "--messageExpire", 120)
        self.db.lpush("in", "x")
        eventually(lambda: self.db.exists("ns:message:1"))
        self.assertIn("delivered again now", self.message("retry", "1"))
        eventually(lambda: self.db.llen("a") == 2)
        self.assertEqual((self.show("1")["attempts"], self.show("1")["state"]), (2, "delivered"))
        eventually(lambda: self.show("1")["state"] == "waiting")  # by its second deadline, not by its first
        self.assertGreater(self.show("1")["due"], 3000)
        self.assertIn("delivered again now", self.message("retry", "1"))
        eventually(lambda: self.db.llen("a") == 3)
        self.assertIn("attempts are used up", self.message("retry", "1", code=1))
        eventually(lambda: self.db.llen("ns:message:dead") == 1)
        seen = self.show("1")
        self.assertEqual((seen["state"], seen["dead"], seen["story"]["attempts"]), ("dead", "ns:message:dead", 3))
        self.assertIn("sent back to in", self.message("retry", "1"))
        eventually(lambda: self.db.exists("ns:message:2"))
        self.assertEqual(self.db.exists("ns:message:dead", "ns:message:dead:story"), 0)

    def test_exec_reports_what_it_has_done(self):
        self.mpush()
        self.leat("exec", "--redis", self.redis.url, "--in", "a", "--command", "true", "--serviceNamespace", "ns", name="x")
        self.db.lpush("in", *range(100, 120))
        eventually(lambda: self.db.hget("ns:metrics:done", "count") == b"20")
        self.assertEqual(self.db.hget("ns:metrics:settled", "count"), b"20")
        self.assertEqual(self.show("20")["state"], "done")
        self.assertEqual(self.db.llen("ns:message:done"), 0)

    def test_in_whose_hands_it_is(self):
        self.mpush()
        work = self.file("work", "#!/bin/sh\nread m; case $m in f*) exit 1 ;; d*) exit 65 ;; esac; sleep 60\n")
        work.chmod(0o755)
        self.leat("exec", "--redis", self.redis.url, "--in", "a", "--command", work, "--retry.first", 60, "--concurrency", 3,
                  "--name", "worker", "--stopTimeout", 0, name="worker")
        self.db.lpush("in", "long", "fails", "dies")
        eventually(lambda: self.db.llen("a:dead") == 1 and self.db.zcard("a:pending:delayed") == 1)
        self.assertEqual([self.show(str(n))["where"][0]["state"] for n in (1, 2, 3)], ["in hand", "delayed", "dead"])
        self.assertIn("in work with worker (pid", self.message("show", "1"))
        self.assertIn("given up: in a:dead", self.message("show", "3"))

    def test_bad_input(self):
        self.assertIn("no service was ever registered", self.message("show", "1", code=1))
        self.mpush()
        eventually(lambda: self.db.exists("ns:service:1"))
        self.assertEqual(self.show("7", code=1)["state"], "unknown")
        self.assertIn("expected ID or xid:X", self.message("show", "seven", code=2))
        self.assertIn("cannot be delivered again", self.message("retry", "7", code=1))
        self.db.sadd("leat:namespaces", "other")
        self.assertIn("--namespace ns | other", self.message("show", "1", code=1))


if __name__ == "__main__":
    unittest.main()
