"""A fault is in the log once when it begins and once when it ends, also while other calls go well."""
import json
import time
import unittest

from leat_testing import eventually
from routing_case import RoutingCase


# What the main loop of a service says; others name what they do.
NOW = "nothing is lost reason="
GOES_ON = "going on\n"


class FaultWords(RoutingCase):
    def said(self, leat, words):
        return leat.output().count(words)

    def assert_said(self, leat, times):
        self.assertEqual({words: self.said(leat, words) for words in times}, times, leat.output())

    def goes_on(self, leat, feed, seconds=4.0):
        """Other calls go well meanwhile: `feed` makes some."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            feed()
            time.sleep(0.02)
        self.assertIsNone(leat.process.poll())

    def start(self, kind, *words):
        return self.leat(kind, "--redis", self.redis.url, "--in", "in", "--lease", 2, *words)

    def test_a_queue_of_the_wrong_type(self):
        for kind, words in {"exec": ("--command", "true"), "mdispatch": ("--workers", "work"), "bridge": ("--answers", "answers")}.items():
            with self.subTest(kind):
                self.db.flushall()
                self.db.set("in", "no list")
                leat = self.start(kind, *words)
                leat.wait_for("waiting for repair")
                self.goes_on(leat, lambda: None)
                self.assert_said(leat, {NOW: 1, "going on": 0})
                self.db.delete("in")
                self.db.lpush("in", "x")
                eventually(lambda: self.db.llen("in") == 0 and self.said(leat, GOES_ON) == 1, 10, leat.output)
                self.assert_said(leat, {NOW: 1, GOES_ON: 1})
                leat.close()

    def test_results_that_cannot_be_pushed(self):
        self.db.set("out", "no list")
        leat = self.start("exec", "--command", "cat", "--reply", "out", "--concurrency", 3)
        self.db.lpush("in", "a", "b")
        leat.wait_for("waiting for repair")
        self.goes_on(leat, lambda: None)
        self.assert_said(leat, {NOW: 1, "going on": 0})
        self.db.delete("out")
        leat.wait_for("going on")
        eventually(lambda: self.db.llen("out") == 2)
        self.assert_said(leat, {NOW: 1, GOES_ON: 1})

    def test_what_the_dead_have_left_and_cannot_be_recovered(self):
        first = self.start("exec", "--command", "sleep,60")
        self.db.lpush("in", "poor")
        eventually(lambda: self.db.llen("in:pending:1") == 1)
        first.process.kill()
        first.exit_code()
        self.db.set("in:dead", "no list")
        second = self.start("exec", "--command", "cat", "--reply", "out", "--maxDeliveries", 1)
        cannot = "what dead consumers had in flight cannot be recovered"
        second.wait_for(cannot)
        self.goes_on(second, lambda: self.db.lpush("in", "x"))
        self.assertGreater(self.db.llen("out"), 20)
        self.assert_said(second, {cannot: 1, "going on": 0})
        self.db.delete("in:dead")
        eventually(lambda: self.db.lrange("in:dead", 0, -1) == [b"poor"], 10, second.output)
        eventually(lambda: "going on, " + cannot in second.output(), 30, second.output)

    def test_one_of_two_lists_of_workers(self):
        routes = {"redis": self.redis.url, "configs": {
            f"{kind}.{name}": each for name in ("good", "bad") for kind, each in {
                "RedisImporter": {"queue": {"in": f"{name}:in", "error": f"{name}:dead"}, "timeout": 3000, "concurrency": 10,
                                  "route": [f"RedisExporter.{name}"]},
                "RedisExporter": {"queue": {"out": f"{name}:work", "reply": "answers"}}}.items()}}
        self.db.set("bad:work", "no list")
        self.worker("good:work")
        leat = self.leat("router", self.config(routes))
        self.goes_on(leat, lambda: (self.db.lpush("good:in", "x"), self.db.lpush("bad:in", "y")))
        cannot = "requests cannot be pushed to bad:work"
        self.assert_said(leat, {cannot: 1, "going on": 0})
        self.db.delete("bad:work")
        leat.wait_for("going on, " + cannot)

    def test_queries_that_write_while_redis_is_full(self):
        leat = self.start("rquery", "--prefixes", "data:", "--allow", "set", "--concurrency", 10)

        def ask(times=1):
            query = json.dumps({"meta": {"id": "q", "reply": "in:reply:q"}, "commands": [{"command": "set data:2 x", "save": "x"}]})
            self.db.lpush("in", *[query] * times)
        ask()
        eventually(lambda: self.db.llen("in:reply:q") == 1, 10, leat.output)
        for round in (1, 2):
            ask(50)
            self.db.config_set("maxmemory", 1)
            eventually(lambda: self.said(leat, "waiting") > self.said(leat, "going on"), 10, leat.output)
            time.sleep(2)
            self.assertLessEqual(self.said(leat, "waiting"), 2 * round, leat.output())  # of queries, and of the queue
            self.db.config_set("maxmemory", 0)
            eventually(lambda: self.db.llen("in:reply:q") == 1 + 50 * round, 10, leat.output)
            ask()
            self.db.rpop("in:reply:q")
            eventually(lambda: self.said(leat, "waiting") == self.said(leat, "going on"), 10, leat.output)

    def test_messages_of_a_bridge_that_may_not_be_accepted(self):
        """Each queue has a fault of its own."""
        self.db.execute_command("ACL", "SETUSER", "bob", "on", ">secret", "~*", "&*", "+@all")
        url = f"redis://bob:secret@127.0.0.1:{self.redis.port}"
        leat = self.leat("bridge", "--redis", url, "--in", "in", "--answers", "answers", "--lease", 2)
        leat.wait_for("taking in=in")
        self.db.execute_command("ACL", "SETUSER", "bob", "-set")
        faults = ["messages of in are refused", "messages of answers are refused"]
        response = {"type": "response", "conversationId": "c", "requestId": "r", "responseId": "p", "origin": "o", "body": "x"}
        outcome = {"conversationId": "c", "requestId": "r", "responseId": "other", "fence": 1, "status": "sent"}
        self.db.lpush("in", json.dumps(response))
        leat.wait_for(faults[0])
        self.assertNotIn(faults[1], leat.output())
        self.db.lpush("answers", json.dumps(outcome))
        leat.wait_for(faults[1])
        self.goes_on(leat, lambda: self.db.lpush("answers", json.dumps(outcome)), 3)
        self.assert_said(leat, {faults[0]: 1, faults[1]: 1, "going on": 0})
        self.db.execute_command("ACL", "SETUSER", "bob", "+set")
        for each in faults:
            leat.wait_for("going on, " + each)
        eventually(lambda: self.db.hget("bridge:queue:res:p", "status"), 10, lambda: str(self.db.keys("*")))

    def test_a_fault_that_comes_again_is_told_again(self):
        leat = self.start("exec", "--command", "true")
        for number in (1, 2):
            self.db.set("in", "no list")
            eventually(lambda: self.said(leat, NOW) == number, 10, leat.output)
            self.db.delete("in")
            self.db.lpush("in", "x")
            eventually(lambda: self.said(leat, GOES_ON) == number, 10, leat.output)
        self.assertEqual(leat.stop(), 0)


if __name__ == "__main__":
    unittest.main()
