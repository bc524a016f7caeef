"""Messages that are too large for a setting, for the server's buffers, or for those who share a connection with them."""
import base64
import json
import pathlib
import time
import unittest

from leat_testing import eventually
from routing_case import RoutingCase, answer_to

LARGE = 3 << 20
LIMITS = {"what leat sends": ("client-query-buffer-limit", "1mb"),
          "what leat reads": ("client-output-buffer-limit", "normal 1mb 0 0")}


class LargeMessages(RoutingCase):
    def dispatch(self, *words):
        return self.leat("mdispatch", "--redis", self.redis.url, "--in", "in", "--workers", "work", "--lease", 3, *words)

    def ask(self, *names, **more):
        self.db.lpush("in", *(json.dumps({"meta": {"id": name, "reply": f"in:reply:{name}"}, **more}) for name in names))

    def answer_of(self, name, timeout=10):
        eventually(lambda: self.db.llen(f"in:reply:{name}") > 0, timeout, lambda: f"an answer for {name}")
        (answer,) = self.db.lrange(f"in:reply:{name}", 0, -1)
        return json.loads(answer)

    def assert_too_large(self, name, timeout=10):
        self.assertEqual(self.answer_of(name, timeout)["error"]["name"], "TooLarge")

    def command(self, text):
        script = self.file("command.sh", "#!/bin/sh\n" + text + "\n")
        script.chmod(0o755)
        return "--command", script

    @staticmethod
    def peak_of(leat):
        """Megabytes."""
        status = pathlib.Path(f"/proc/{leat.pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) >> 10

    def limit(self, what):
        self.db.config_set(*LIMITS[what])

    def await_dead(self, dead, timeout=15):
        eventually(lambda: self.db.llen(dead) == 1, timeout, lambda: f"one in {dead}; there is {self.db.keys('*')}")
        (details,) = self.db.hvals(f"{dead}:story")
        details = json.loads(details)
        self.assertEqual(details["name"], "TooLarge")
        return details

    # ---- the setting

    def test_an_answer_that_is_too_large_is_an_error_and_the_next_are_answered(self):
        self.worker(answer=lambda body: "x" * LARGE if "large" in body else "y")
        self.dispatch("--maxMessageBytes", 1 << 20, "--concurrency", 10)
        self.ask("a", what="large")
        self.ask(*(f"n{i}" for i in range(50)))
        self.assert_too_large("a")
        for i in range(50):
            self.assertEqual(self.answer_of(f"n{i}")["body"], "y")
        self.assertFalse(self.db.exists("in:dead"))

    def test_what_json_would_blow_up_travels_as_base64(self):
        told = b"\x01" * LARGE
        self.worker(answer=lambda body: {"body": base64.b64encode(told).decode(), "encoding": "base64"})
        self.dispatch("--maxMessageBytes", 6 << 20)
        self.ask("a")
        answer = self.answer_of("a")
        self.assertEqual(answer.get("encoding"), "base64")
        self.assertEqual(base64.b64decode(answer["body"]), told)

    def test_a_request_that_is_too_large_is_refused_and_costs_no_memory(self):
        self.worker(answer=lambda body: "y")
        leat = self.dispatch("--timeout", 60_000)
        self.ask("huge", what="\\x01" * (18 << 20))  # 90 MB
        self.ask("small")
        self.assertEqual(self.answer_of("small", 20)["body"], "y")
        self.assert_too_large("huge", 20)
        self.assertLess(self.peak_of(leat), 600, "MB")

    def test_answers_that_cannot_be_acknowledged_yet_stay_in_redis(self):
        """50 answers of 5 MB, with 16 MB in flight: while none can be acknowledged, and while all are."""
        self.db.set("replies", "no list")
        leat = self.dispatch("--reply", "replies", "--concurrency", 50, "--timeout", 120_000, "--maxBytesInFlight", 16 << 20)
        self.db.lpush("in", *(f"q{i}" for i in range(50)))
        for each in self.await_list("work", 50):
            request = json.loads(each)
            self.db.lpush(request["meta"]["reply"], answer_to(request, "x" * (5 << 20)))
        leat.wait_for("waiting for repair")
        self.assertGreater(self.db.llen(request["meta"]["reply"]), 40)
        self.db.delete("replies")
        eventually(lambda: self.db.llen("replies") == 50, 60, lambda: f"{self.db.llen('replies')} answered")
        self.assertLess(self.peak_of(leat), 200, "MB")
        self.await_nothing_pending()

    def test_large_messages_that_wait_to_be_tracked_elsewhere_are_few(self):
        """The other server is slow, and each message of 8 MB is kept there."""
        there = self.server()
        proxy = self.proxy(there)
        proxy.delay = 0.2
        leat = self.leat("mpush", "--redis", self.redis.url, "--in", "in", "--out", "out", "--serviceNamespace", "ns",
                         "--serviceRedis", proxy.url, "--retry.attempts", 2, "--messageTimeout", 600, "--messageExpire", 1200, "--messageCapacity", 10_000)
        leat.wait_for("registered")
        large = "x" * (8 << 20)
        pipe = self.db.pipeline()
        pipe.lpush("in", *(f"small {i}" for i in range(2000)))
        for i in range(24):
            pipe.lpush("in", f"{i}{large}")
        pipe.execute()
        eventually(lambda: self.db.llen("out") == 2024, 60, lambda: f"{self.db.llen('out')} moved")

        def are_tracked():  # on a busy machine the slow server may be taken for dead: what was on the way then is not tracked
            return int(there.client().get("ns:message:tracked") or 0) == 2024 or "delivered untracked" in leat.output()
        eventually(are_tracked, 60, lambda: there.client().get("ns:message:tracked"))
        self.assertLess(self.peak_of(leat), 200, "MB")

    def test_a_result_that_is_too_large_is_given_up(self):
        self.leat("exec", "--redis", self.redis.url, "--in", "in", "--reply", "out", "--maxMessageBytes", 1 << 20, "--maxOutput", LARGE,
                  *self.command("head -c 2000000 /dev/zero"))
        self.db.lpush("in", "a")
        self.assertIn("maxMessageBytes", self.await_dead("in:dead")["reason"])
        self.assertFalse(self.db.exists("out"))

    # ---- the server's buffers

    def test_one_large_request_does_not_hold_up_a_hundred_others(self):
        for what in LIMITS:
            with self.subTest(what):
                self.db.flushall()
                self.db.config_set("client-query-buffer-limit", "1gb")
                self.db.config_set("client-output-buffer-limit", "normal 0 0 0")
                self.ask("large", what="x" * LARGE)
                self.ask(*(f"n{i}" for i in range(100)))
                self.limit(what)
                worker = self.worker(answer=lambda body: "y")
                leat = self.dispatch("--concurrency", 100, "--timeout", 60_000)
                for i in range(100):
                    self.assertEqual(self.answer_of(f"n{i}", 20)["body"], "y")
                if what == "what leat sends":
                    self.assert_too_large("large", 20)
                else:
                    self.await_dead("in:dead", 20)
                eventually(lambda: not self.db.exists("in", "in:pending:1"), 10)
                leat.stop()
                worker.close()

    def test_one_large_answer_does_not_hold_up_a_hundred_others(self):
        self.worker(answer=lambda body: "x" * LARGE if "large" in body else "y")
        self.dispatch("--concurrency", 100, "--timeout", 60_000)
        self.ask("first")
        self.answer_of("first")
        self.limit("what leat reads")
        self.ask("a", what="large")
        self.ask(*(f"n{i}" for i in range(100)))
        for i in range(100):
            self.assertEqual(self.answer_of(f"n{i}", 20)["body"], "y")
        self.assert_too_large("a", 20)

    def test_a_large_message_of_a_worker_is_done_or_given_up_and_others_go_on(self):
        for what in LIMITS:
            with self.subTest(what):
                self.db.flushall()
                self.db.config_set("client-query-buffer-limit", "1gb")
                self.db.config_set("client-output-buffer-limit", "normal 0 0 0")
                self.db.lpush("in", "x" * LARGE, *(f"n{i}" for i in range(100)))
                self.limit(what)
                leat = self.leat("exec", "--redis", self.redis.url, "--in", "in", "--reply", "out", "--concurrency", 50, "--maxOutput", LARGE,
                                 "--lease", 3, "--command", "cat")
                eventually(lambda: self.db.llen("out") >= 100, 30, lambda: f"{self.db.llen('out')} done")
                if what == "what leat sends":  # its output is the message itself, which Redis has
                    eventually(lambda: self.db.llen("out") == 101, 10, lambda: f"{self.db.llen('out')} done")
                else:
                    self.await_dead("in:dead", 20)
                    self.assertEqual(self.db.llen("out"), 100)
                leat.stop()

    def test_a_large_result_is_given_up_when_no_connection_survives_it(self):
        self.db.lpush("in", "large", *(f"n{i}" for i in range(100)))
        self.limit("what leat sends")
        self.leat("exec", "--redis", self.redis.url, "--in", "in", "--reply", "out", "--concurrency", 50, "--maxOutput", 4 << 20, "--lease", 3,
                  *self.command("m=$(cat); if [ $m = large ]; then head -c 3000000 /dev/zero; else printf y; fi"))
        eventually(lambda: self.db.llen("out") == 100, 30, lambda: f"{self.db.llen('out')} done")
        self.assertIn("closes the connection", self.await_dead("in:dead", 20)["reason"])

    def test_a_large_response_does_not_hold_up_other_conversations(self):
        for what in LIMITS:
            with self.subTest(what):
                self.db.flushall()
                self.db.config_set("client-query-buffer-limit", "1gb")
                self.db.config_set("client-output-buffer-limit", "normal 0 0 0")

                def response(name, body):
                    ids = {"conversationId": name, "requestId": f"q{name}", "origin": "o"}
                    return json.dumps({"type": "response", **ids, "responseId": f"a{name}", "body": body})
                self.db.lpush("bridge:in", response("large", "x" * LARGE), *(response(f"n{i}", i) for i in range(40)))
                self.limit(what)
                leat = self.leat("bridge", "--redis", self.redis.url, "--lease", 3)
                eventually(lambda: self.db.llen("bridge:out:o") == 40, 20, lambda: f"{self.db.llen('bridge:out:o')} delivered")
                self.await_dead("bridge:in:dead", 20)
                leat.stop()

    def test_a_large_response_is_not_overtaken_when_the_answer_that_brought_it_is_lost(self):
        proxy = self.proxy(self.redis)
        self.leat("bridge", "--redis", proxy.url, "--in", "in").wait_for("taking")
        names = []
        for round_ in range(5):
            new = [f"{round_}-{i}" for i in range(10)]
            names += new
            dropped = proxy.dropped
            proxy.drop_answer(b"EVALSHA")
            self.db.lpush("in", *(json.dumps({
                "type": "response", "conversationId": "c", "requestId": f"q{name}", "responseId": name, "origin": "o",
                "body": "x" * (200_000 if i == 4 else 10)}) for i, name in enumerate(new)))
            eventually(lambda: proxy.dropped > dropped, 10, "a lost answer")
            eventually(lambda: not self.db.exists("in", "in:pending:1"), 10, lambda: self.db.keys("*"))
        taken = []
        while delivery := self.db.brpop("bridge:out:o", 3 if len(taken) < len(names) else 1):
            delivery = json.loads(delivery[1])
            taken.append(delivery["responseId"])
            self.db.lpush("bridge:answers", json.dumps({**{key: delivery[key] for key in ("conversationId", "requestId", "responseId", "fence")},
                                                        "status": "sent"}))
        self.assertEqual(taken, names)

    def test_what_goes_back_is_not_overtaken_by_large_messages_behind_it(self):
        """The answers of an accept and of the take that follows are lost together: what was accepted goes back, unread ones are behind it."""
        proxy = self.proxy(self.redis)
        self.leat("bridge", "--redis", proxy.url, "--in", "in", "--concurrency", 1000).wait_for("taking")

        def push(*numbers, size=10):
            self.db.lpush("in", *(json.dumps({"type": "response", "conversationId": "c", "requestId": f"q{n}", "responseId": f"r{n}",
                                              "origin": "o", "body": "x" * size}) for n in numbers))
        for turn in range(0, 30, 10):
            proxy.hold_answers(b"r%d" % turn)
            push(*range(turn, turn + 5))
            eventually(lambda: proxy.held > turn // 10, 10, "answers that do not come")
            push(turn + 5)
            push(turn + 6, size=200_000)
            push(*range(turn + 7, turn + 10))
            until = time.monotonic() + 0.3  # mostly they are taken, though nobody hears of it; not when a call was on its way
            while self.db.exists("in") and time.monotonic() < until:
                time.sleep(0.01)
            proxy.cut()
            eventually(lambda: not self.db.exists("in", "in:pending:1"), 10, lambda: self.db.keys("*"))
        taken = []
        while delivery := self.db.brpop("bridge:out:o", 3 if len(taken) < 30 else 1):
            delivery = json.loads(delivery[1])
            taken.append(delivery["responseId"])
            self.db.lpush("bridge:answers", json.dumps({**{key: delivery[key] for key in ("conversationId", "requestId", "responseId", "fence")},
                                                        "status": "sent"}))
        self.assertEqual(taken, [f"r{n}" for n in range(30)])

    # ---- together with what else may be wrong

    def test_a_request_that_is_too_large_and_may_not_be_answered_goes_to_the_dead_letters(self):
        leat = self.dispatch("--maxMessageBytes", 1 << 20)
        self.worker(answer=lambda body: "y")
        for reply in ({"reply": "elsewhere"}, {}):
            self.db.lpush("in", json.dumps({"meta": {"id": "a", **reply}, "what": "x" * (2 << 20)}))
        eventually(lambda: self.db.llen("in:dead") == 2, 10, lambda: self.db.keys("*"))
        self.ask("after")
        self.assertEqual(self.answer_of("after")["body"], "y")
        self.assertIsNone(leat.process.poll())

    def test_many_large_messages_in_flight_do_not_hold_redis(self):
        """Each is named when it is acknowledged, and none is looked for among the others."""
        self.redis.go_first()
        self.db.config_set("slowlog-log-slower-than", 150_000)
        self.dispatch("--concurrency", 600, "--timeout", 2000, "--reply", "out")
        pipe = self.db.pipeline(transaction=False)
        for i in range(600):
            pipe.lpush("in", f"{i:06}" + "x" * 66_000)
        pipe.execute()
        eventually(lambda: self.db.llen("out") == 600, 40, lambda: f"{self.db.llen('out')} answers")
        self.assertEqual([each["duration"] for each in self.db.slowlog_get()], [])

    def test_a_hand_that_is_larger_than_what_may_be_read_at_once_is_read_in_parts(self):
        for size in (60_000, 30_000):
            with self.subTest(size):
                self.db.flushall()
                self.db.config_set("client-output-buffer-limit", "normal 0 0 0")
                self.db.lpush("in", *(f"{i:03}" + "x" * size for i in range(100)))
                self.db.config_set("client-output-buffer-limit", "normal 512kb 0 0")
                leat = self.leat("exec", "--redis", self.redis.url, "--in", "in", "--reply", "out", "--concurrency", 100, "--lease", 3,
                                 "--command", "cat")
                eventually(lambda: self.db.llen("out") > 0, 20, "some are done")
                self.db.client_kill_filter(_type="normal", skipme=True)
                eventually(lambda: self.db.llen("out") == 100, 20, lambda: f"{self.db.llen('out')} done")
                leat.stop()

    def test_a_large_message_that_is_pushed_twice_does_not_stop_the_others(self):
        file = self.file("router.yaml", """
configs:
  RedisImporter.one:
    queue: {in: in, reply: reply, recovery: again, error: in:dead}
    timeout: 60000
    json: true
    errorReply: true
    recover: [SyntaxError]
    concurrency: 20
    route: [RedisExporter.one]
  RedisExporter.one: {queue: {out: out}}
""")
        self.db.lpush("in", "x" * LARGE, *(str(i) for i in range(50)))
        self.limit("what leat sends")
        self.leat("router", file, "--redis", self.redis.url)
        eventually(lambda: self.db.llen("out") == 50, 20, lambda: f"{self.db.llen('out')} of 50; {self.db.keys('*')}")
        eventually(lambda: self.db.llen("again") + self.db.llen("in:dead") == 1, 20, lambda: self.db.keys("*"))

    def test_what_was_too_large_can_be_sent_back_though_it_is_deduplicated(self):
        file = self.file("router.yaml", """
configs:
  RedisImporter.one:
    queue: {in: in, reply: reply, error: in:dead}
    timeout: 60000
    maxMessageBytes: 1048576
    route: [DedupeFilter.one, RedisExporter.ask]
  DedupeFilter.one: {prefix: 'seen:', window: 600}
  RedisExporter.ask: {queue: {out: work, reply: answers}}
""")
        answers = iter(["x" * (2 << 20), "small"])
        self.worker(answer=lambda body: next(answers))
        self.leat("router", file, "--redis", self.redis.url)
        self.db.lpush("in", "a")
        self.await_dead("in:dead")
        self.assertEqual(self.run_leat("queue", "redrive", "in:dead", "--redis", self.redis.url).returncode, 0)
        eventually(lambda: self.db.lrange("reply", 0, -1) == [b"small"], 10, lambda: self.db.keys("*"))

    def test_many_large_messages_that_cannot_be_read_do_not_hold_up_the_small_ones(self):
        self.db.lpush("in", *(f"{i}" + "x" * LARGE for i in range(10)), *(f"n{i}" for i in range(200)))
        self.limit("what leat reads")
        self.leat("exec", "--redis", self.redis.url, "--in", "in", "--reply", "out", "--concurrency", 20, "--lease", 3, "--command", "cat")
        eventually(lambda: self.db.llen("out") == 200, 40, lambda: f"{self.db.llen('out')} done, {self.db.llen('in:dead')} dead")
        eventually(lambda: self.db.llen("in:dead") == 10, 20, lambda: f"{self.db.llen('in:dead')} dead")


if __name__ == "__main__":
    unittest.main()
