"""Message tracking as people meet it: timeouts, capacity, other servers, bad input, leat metrics."""
import json
import signal
import time
import unittest

from tracking_case import NS, TrackingCase
from waiting import eventually


class Timekeeping(TrackingCase):
    def test_the_first_is_timed_out_when_it_is_due(self):
        self.start("--messageTimeout", 1)
        for turn in range(3):
            self.db.lpush("in", f"m{turn}")
            key = f"{NS}:message:{turn + 1}"
            eventually(lambda: self.db.exists(key))
            due = self.db.zscore(f"{NS}:message:deadlines", turn + 1)  # a single one is listed by its id
            while self.db.exists(key):
                seconds, micros = self.db.time()
                self.assertLess(seconds * 1000 + micros / 1000 - due, 300, "promised are 50 ms; the machine may be busy")
                time.sleep(0.002)
            seconds, micros = self.db.time()
            late = seconds * 1000 + micros / 1000 - due
            print(f"timed out {late:.0f} ms after its deadline", flush=True)
            self.assertGreaterEqual(late, 0)

    def test_deadlines_of_others(self):
        idle = self.start("--messageTimeout", 59, name="patient")
        quick = self.start("--messageTimeout", 1, name="quick")
        idle.process.send_signal(signal.SIGSTOP)
        self.db.lpush("in", "a")
        eventually(lambda: self.db.exists(f"{NS}:message:1"))
        quick.process.kill()
        idle.process.send_signal(signal.SIGCONT)
        self.await_count("timeout", 1, 4)

    def test_a_mass_of_them(self):
        self.start("--messageTimeout", 2, "--messageCapacity", 100_000)
        for at in range(0, 50_000, 1000):
            self.db.lpush("in", *range(at, at + 1000))
        eventually(lambda: self.db.get(f"{NS}:message:id") == "50000", 20)
        self.await_count("timeout", 50_000, 15)
        eventually(lambda: not self.db.exists(f"{NS}:message:ids"), 5, "an exact list at rest")

    def test_nothing_is_asked_of_redis_while_nothing_is_tracked(self):
        self.start("--messageTimeout", 1)
        self.db.lpush("in", "a")
        self.await_count("timeout", 1)
        time.sleep(1.5)
        def calls():
            return sum(each["calls"] for name, each in self.db.info("commandstats").items() if name.startswith("cmdstat_eval"))
        before = calls()
        time.sleep(4)
        self.assertLessEqual(calls() - before, 4)  # each of three loops looks once in popTimeout, and a heartbeat


class Capacity(TrackingCase):
    def test_beyond_it_messages_are_delivered_untracked(self):
        leat = self.start("--messageCapacity", 3)
        self.db.lpush("in", *"abcdefgh")
        eventually(lambda: self.db.llen("out1") == 8)
        self.assertEqual(self.db.get(f"{NS}:message:id"), "3")
        self.assertEqual(self.db.hgetall(f"{NS}:metrics:messageCapacity"), {"count": "5", "max": "3"})
        leat.wait_for("delivered untracked")

    def test_or_wait(self):
        self.start("--messageCapacity", 3, "--retry.attempts", 2, "--overCapacity", "wait", name="one")
        self.start("--messageCapacity", 3, "--retry.attempts", 2, "--overCapacity", "wait", name="two")
        self.db.lpush("in", *range(1, 9))
        eventually(lambda: self.db.llen("out0") == 3)
        time.sleep(0.3)
        self.assertEqual(self.db.llen("out0"), 3)
        for number in range(1, 9):
            eventually(lambda: self.db.exists(f"{NS}:message:{number}"), 3)
            self.done(number)
        eventually(lambda: self.db.llen("out0") == 8)
        self.await_count("done", 8)
        self.assertEqual(self.count("messageCapacity"), 0)


class Elsewhere(TrackingCase):
    """The keys of services and messages on another server."""

    def setUp(self):
        super().setUp()
        self.other = self.server()
        self.there = self.other.client(decode_responses=True)

    def start(self, *words, **more):
        return super().start("--serviceRedis", self.other.url, *words, **more)

    def test_done_and_timed_out(self):
        self.start("--messageTimeout", 1)
        self.db.lpush("in", "1", "2", '{"meta":{"id":3}}')
        eventually(lambda: self.there.hget(f"{NS}:message:xid:3", "id") == "3")
        self.there.lpush(f"{NS}:message:done", "1")
        self.await_count("done", 1, db=self.there)
        self.await_count("timeout", 2, db=self.there)
        self.assertEqual(sorted(self.db.keys("*")), ["out0", "out1"])

    def test_a_retry_is_pushed_back(self):
        self.start("--messageTimeout", 1, "--retry.attempts", 2, "--retry.first", 0.1)
        self.db.lpush("in", "x")
        for _ in range(2):
            self.assertEqual(self.take("out0"), "x")
        self.await_count("dead", 1, db=self.there)
        self.assertEqual(self.there.lrange(f"{NS}:message:dead", 0, -1), ["x"])
        self.assertFalse(self.db.exists("out0"))

    def test_waiting_for_room(self):
        self.start("--messageCapacity", 2, "--retry.attempts", 2, "--overCapacity", "wait")
        self.db.lpush("in", *range(1, 6))
        eventually(lambda: self.db.llen("out0") == 2)
        time.sleep(0.3)
        self.assertEqual(self.db.llen("out0"), 2)
        for number in range(1, 6):
            eventually(lambda: self.there.exists(f"{NS}:message:{number}"), 3)
            self.there.lpush(f"{NS}:message:done", number)
        eventually(lambda: self.db.llen("out0") == 5)

    def test_no_attempt_is_spent_while_the_queues_are_away(self):
        self.redis.close()
        self.redis = self.server("--appendonly", "yes", "--appendfsync", "always")
        self.db = self.redis.client(decode_responses=True)
        self.start("--messageTimeout", 1, "--retry.attempts", 2, "--retry.first", 0.1)
        self.db.lpush("in", "x")
        self.assertEqual(self.take("out0"), "x")
        self.redis.stop()
        eventually(lambda: self.there.exists(f"{NS}:message:retries"))
        time.sleep(2.5)
        self.assertEqual(self.there.hget(f"{NS}:message:1", "attempts"), "1")
        self.redis.start()
        self.assertEqual(self.take("out0"), "x")
        self.assertEqual(self.there.hget(f"{NS}:message:1", "attempts"), "2")

    def test_a_full_out_gets_no_retry(self):
        self.start("--messageTimeout", 1, "--retry.attempts", 2, "--retry.first", 0.1, "--maxLength", 1)
        self.db.lpush("in", "x")
        eventually(lambda: self.there.exists(f"{NS}:message:retries"))
        time.sleep(1.5)
        self.assertEqual(self.db.llen("out0"), 1)
        self.assertEqual(self.count("dead", db=self.there), 0)
        self.db.delete("out0", "out1")
        self.assertEqual(self.take("out0"), "x")

    def test_whatever_was_delivered_under_wait_is_tracked(self):
        for name in ("one", "two"):
            self.start("--messageCapacity", 500, "--retry.attempts", 2, "--overCapacity", "wait", name=name)
        self.db.lpush("in", *range(5000))
        eventually(lambda: int(self.there.get(f"{NS}:message:id") or 0) >= 500)
        time.sleep(0.5)
        self.assertEqual(self.db.llen("out0"), int(self.there.get(f"{NS}:message:id")))

    def test_services_with_other_queues_leave_retries_alone(self):
        third = self.server()
        self.start("--messageTimeout", 1, "--retry.attempts", 2, "--retry.first", 0.1)
        other = self.leat("mpush", "--in", "in", "--out", "out0", "--redis", third.url, "--serviceRedis", self.other.url,
                          "--serviceNamespace", NS, "--name", "other", name="other")
        other.wait_for("renew: started")
        self.db.lpush("in", *range(20))
        eventually(lambda: self.db.llen("out0") == 40, 8)
        self.assertEqual(third.client().exists("out0"), 0)

    def test_delivery_goes_on_while_the_other_server_is_away(self):
        self.start()
        self.other.stop()
        self.db.lpush("in", "a", "b")
        eventually(lambda: self.db.llen("out1") == 2)
        self.other.start()

    def test_under_wait_nothing_is_delivered_while_the_other_server_is_away(self):
        leat = self.start("--retry.attempts", 2, "--overCapacity", "wait")
        self.other.stop()
        self.db.lpush("in", "a", "b")
        before = self.db.info("stats")["total_connections_received"]
        time.sleep(2.5)
        self.assertEqual(self.db.llen("in"), 2)
        self.assertLess(self.db.info("stats")["total_connections_received"] - before, 3, leat.output()[-1000:])
        self.other.start()
        eventually(lambda: self.db.llen("out1") == 2, 15)

    def test_two_names_of_one_server_are_one_server(self):
        words = ("--serviceRedis", f"redis://localhost:{self.redis.port}/3")
        TrackingCase.start(self, *words)
        self.db.lpush("in", "5")
        third = self.redis.client(db=3, decode_responses=True)
        eventually(lambda: third.hget(f"{NS}:message:xid:5", "id") == "1")
        selects = self.db.info("commandstats")["cmdstat_select"]["calls"]
        self.db.lpush("in", "6")
        eventually(lambda: third.hget(f"{NS}:message:xid:6", "id") == "2")
        self.assertGreater(self.db.info("commandstats")["cmdstat_select"]["calls"], selects)  # one script wrote to both


class BadInput(TrackingCase):
    def test_reports_that_are_none(self):
        self.start()
        self.db.lpush("in", "1", "2")
        eventually(lambda: self.db.exists(f"{NS}:message:2"))
        self.done("abc", "", "-1", "other:message:1", "x" * (10 << 20), "99")
        self.done("1")
        self.await_count("done", 1)
        self.assertEqual(self.count("done:invalid"), 5)
        self.assertEqual(self.count("done:unknown"), 1)

    def test_a_hash_edited_by_hand(self):
        self.start("--messageTimeout", 1)
        self.db.lpush("in", *range(4))
        eventually(lambda: self.db.exists(f"{NS}:message:4"))
        self.db.hset(f"{NS}:message:1", "timestamp", "soon")
        self.db.hset(f"{NS}:message:2", mapping={"deadline": "never", "xid": "4"})
        self.db.delete(f"{NS}:message:3")
        self.db.set(f"{NS}:message:3", "text")
        self.done("1", "3")
        self.await_count("timeout", 1)
        self.await_count("message:invalid", 3)
        self.db.lpush("in", "fresh")
        eventually(lambda: self.db.exists(f"{NS}:message:5"))
        self.done("5")
        self.await_count("done", 1)

    def test_a_done_list_that_is_none(self):
        leat = self.start()
        self.db.hset(f"{NS}:message:done", "field", "value")
        leat.wait_for(f"key={NS}:message:done")
        self.db.lpush("in", "1", "2")
        eventually(lambda: self.db.llen("out1") == 2)
        self.db.delete(f"{NS}:message:done")
        self.done("1")
        self.await_count("done", 1)
        leat.wait_for("going on")

    def test_keys_of_tracking_that_are_none_hold_messages_back_until_repair(self):
        leat = self.start()
        self.db.set(f"{NS}:message:ids", "text")
        self.db.lpush("in", "1")
        leat.wait_for(f"key={NS}:message:ids")
        self.assertEqual(self.db.llen("in"), 1)
        self.db.delete(f"{NS}:message:ids")
        eventually(lambda: self.db.llen("out0") == 1)
        eventually(lambda: self.count("error") > 0, what="the count of errors, which is written each second")
        self.assertIn("messagePush", self.db.hget(f"{NS}:metrics:error", "last"))

    def test_settings(self):
        run = self.run_leat("mpush", "--in", "a", "--out", "b", "--serviceNamespace", "ns", "--messageTimeout", 60)
        self.assertEqual(run.returncode, 2)
        self.assertIn("messageExpire must be larger than messageTimeout (60)", run.stderr)
        file = self.file("bad.yaml", "kind: mpush\nin: a\nout: [b]\nserviceNamespace: ns\nawait: both\nretry:\n"
                         "  attempts: 0\n  frist: 1\n")
        run = self.run_leat("lint", file)
        self.assertEqual(run.returncode, 2)
        self.assertIn("bad.yaml:5:8: error: await", run.stderr + run.stdout)
        self.assertIn("bad.yaml:7:13: error: retry.attempts", run.stderr + run.stdout)
        self.assertIn("unknown setting retry.frist; did you mean retry.first?", run.stderr + run.stdout)
        for words in (("--in", "ns:message:done"), ("--out", "x", "--done", "x"), ("--dead", "a", "--retry", "true"),
                      ("--dead", "d", "--done", "d", "--retry", "true"), ("--retry.first", 9, "--retry.max", 5)):
            run = self.run_leat("mpush", "--in", "a", "--out", "b", "--serviceNamespace", "ns", *words)
            self.assertEqual(run.returncode, 2, (words, run.stderr))


class Metrics(TrackingCase):
    def test_what_is_shown(self):
        self.start("--messageTimeout", 1)
        self.db.lpush("in", *range(1, 6))
        eventually(lambda: self.db.exists(f"{NS}:message:5"))
        self.done(1, 2, 3)
        self.await_count("done", 3)
        run = self.run_leat("metrics", "--redis", self.redis.url)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(run.stdout, r"(?m)^demo  tracked now 2, of these to be delivered again 0$")
        self.assertRegex(run.stdout, r"(?m)^done +3 +0\.0 s +0 s ")
        self.assertRegex(run.stdout, r"(?m)^start +1 ")
        self.assertRegex(run.stdout, r"(?m)^ +0-10 %  █{40} 3$")
        self.await_count("timeout", 2)
        run = self.run_leat("metrics", "--redis", self.redis.url, "--namespace", NS, "--json")
        found = json.loads(run.stdout)[0]
        self.assertEqual(found["namespace"], NS)
        self.assertEqual(found["tracked"], 0)
        self.assertEqual(found["metrics"]["done"]["count"], 3)
        self.assertEqual(found["metrics"]["done"]["histogram"]["histo0"], 3)
        self.assertEqual(found["metrics"]["timeout"]["histogram"]["histo100"], 2)

    def test_nothing_there(self):
        run = self.run_leat("metrics", "--redis", self.redis.url)
        self.assertEqual((run.returncode, run.stdout), (0, "no service was ever registered here\n"))
        self.db.sadd("leat:namespaces", "odd")
        self.db.set("odd:metrics:done", "text")
        self.assertEqual(self.run_leat("metrics", "--redis", self.redis.url).returncode, 0)
        self.assertEqual(self.run_leat("metrics", "--redis", "redis://127.0.0.1:1").returncode, 1)


if __name__ == "__main__":
    unittest.main()
