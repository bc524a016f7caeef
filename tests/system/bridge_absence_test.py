"""What becomes of responses when gateways are slow, when no instance is there, or when one stands still for long."""
import collections
import json
import os
import pathlib
import signal
import threading
import time
import unittest

from bridge_case import PENDING, QUEUE, BridgeCase
from leat_testing import eventually

UNSERVED = "its life ended while no instance served"
SHORT = ("--maxPendingTtl", 1000, "--maxPendingTtlMargin", 200, "--interval", 50, "--maxRetries", 5, "--sentMessageTtl", 500)


class Absence(BridgeCase):
    def come(self, count, conversation="c"):
        for i in range(count):
            self.request(f"{conversation}{i}", f"q-{conversation}{i}")
            self.response(f"{conversation}{i}", f"q-{conversation}{i}", f"a-{conversation}{i}")

    def gateway(self, pause, stop, looks_at_deadlines=True):
        """Confirms everything, one after the other; what comes too late it drops, or sends all the same."""
        db = self.client()
        sent = collections.Counter()

        def work():
            while not stop.is_set():
                taken = db.brpop("bridge:out:whatsapp", 0.2)
                delivery = json.loads(taken[1]) if taken else None
                if delivery and (not looks_at_deadlines or delivery["deadline"] > time.time() * 1000):
                    time.sleep(pause)
                    sent[delivery["responseId"]] += 1
                    db.lpush("bridge:answers", json.dumps({**{key: delivery[key] for key in ("conversationId", "requestId", "responseId", "fence")},
                                                           "status": "sent"}))

        thread = threading.Thread(target=work)
        thread.start()
        self.stack.callback(thread.join)
        self.stack.callback(stop.set)
        return sent

    def test_each_response_is_tried_though_the_gateway_is_slow_and_lives_are_short(self):
        """Room for 5, 20 a second, 100 responses with a life of 1.1 s: most lives end while they wait for room."""
        self.bridge(*SHORT, "--awaitedMessageTtl", 1100, "--concurrent", 5, "--concurrentFactor", 1)
        sent = self.gateway(0.05, threading.Event())
        self.come(100)
        eventually(lambda: self.count("delivered") + self.count("expired") == 100, 30, lambda: self.db.hgetall(QUEUE + "counts"))
        self.assertEqual((self.count("delivered"), self.count("expired"), len(sent)), (100, 0, 100))
        self.assertEqual(set(sent.values()), {1})

    def fall_behind(self, looks_at_deadlines):
        """Five a second, room for 8, 0.6 s in which one may be sent: more than half of what is pushed at a time comes too late."""
        short = [400 if word == 200 else word for word in SHORT]  # the margin is longer than a send
        self.bridge(*short, "--awaitedMessageTtl", 1100, "--concurrent", 8, "--concurrentFactor", 1)
        sent = self.gateway(0.2, threading.Event(), looks_at_deadlines)
        self.come(24)
        eventually(lambda: self.count("delivered") + self.count("expired") == 24, 60, lambda: self.db.hgetall(QUEUE + "counts"))
        self.assertEqual((self.count("delivered"), self.count("expired"), len(sent)), (24, 0, 24))
        # On a busy machine a send, or its outcome, takes longer than the margin now and then: that is sent once more.
        self.assertLess(sum(sent.values()), 32)

    def test_a_delivery_that_came_too_late_to_be_sent_is_no_try(self):
        self.fall_behind(looks_at_deadlines=True)

    def test_a_delivery_that_nobody_has_taken_yet_is_not_pushed_again(self):
        self.fall_behind(looks_at_deadlines=False)

    def test_a_gateway_that_takes_nothing_had_its_try(self):
        """It is not behind, it is away: what was pushed once ends with its life."""
        self.bridge(*SHORT, "--awaitedMessageTtl", 1100, "--concurrent", 5, "--concurrentFactor", 1)
        self.come(20)
        eventually(lambda: self.count("expired") == 20, 20, lambda: self.db.hgetall(QUEUE + "counts"))
        self.assertEqual(self.db.exists(PENDING), 0)

    def test_what_ended_while_no_instance_served_is_told_and_can_be_sent_back(self):
        first = self.bridge(*SHORT, "--awaitedMessageTtl", 1100, "--concurrent", 10, "--concurrentFactor", 1)
        self.come(100)
        self.await_counts(responses=100)
        self.await_settled()  # else what was accepted and not yet acknowledged comes again, and is known
        first.process.kill()
        first.process.wait()
        gone = time.monotonic() + 7  # longer than their lives, and than it takes to be missed
        eventually(lambda: time.monotonic() > gone, 10)
        self.db.delete("bridge:out:whatsapp")
        second = self.bridge(*SHORT, "--awaitedMessageTtl", 60_000, "--concurrent", 200)
        eventually(lambda: self.count("expired") == 100, 15, lambda: self.db.hgetall(QUEUE + "counts"))
        self.assertEqual(len(self.events()), 100)
        self.assertEqual({entry["reason"] for _, entry in self.db.xrange(QUEUE + "events")}, {UNSERVED})
        self.assertEqual(self.db.llen("bridge:in:dead"), 100)
        self.assertEqual(self.story(self.db.lindex("bridge:in:dead", 0))["reason"], UNSERVED)
        self.assertEqual(self.db.exists(PENDING), 0)
        redriven = self.run_leat("queue", "redrive", "bridge:in:dead", "--redis", self.redis.url)
        self.assertEqual(redriven.returncode, 0, redriven.stderr)
        eventually(lambda: len(self.waiting()) == 100, 10, lambda: self.db.hgetall(QUEUE + "counts"))
        self.deliver(*self.waiting())
        self.await_counts(delivered=100, duplicate=0)
        second.stop()

    def test_outcomes_that_waited_for_an_instance_count(self):
        """The gateway sends on while nobody is there: nothing of that is sent again, or given up; neither when the process was
        killed, nor when it only stood still, with outcomes in flight or none."""
        for life, is_killed in ((1100, True), (60_000, True), (60_000, False)):
            with self.subTest(life=life, is_killed=is_killed):
                self.db.flushall()
                words = (*SHORT, "--awaitedMessageTtl", life, "--concurrent", 1000)
                first = self.bridge(*words)
                self.come(1000)
                eventually(lambda: len(self.waiting()) == 1000, 20)
                first.process.send_signal(signal.SIGKILL if is_killed else signal.SIGSTOP)
                taken = self.db.rpop("bridge:out:whatsapp", 1000)
                self.db.lpush("bridge:answers", *(json.dumps({**{key: json.loads(each)[key] for key in (
                    "conversationId", "requestId", "responseId", "fence")}, "status": "sent"}) for each in taken))
                gone = time.monotonic() + 6.5
                eventually(lambda: time.monotonic() > gone, 10)
                if is_killed:
                    first.process.wait()
                    first = self.bridge(*words)
                else:
                    first.process.send_signal(signal.SIGCONT)
                self.await_counts(delivered=1000, expired=0, fenced=0, retried=0)
                self.assertEqual(self.waiting(), [])
                self.assertEqual(self.db.exists("bridge:in:dead"), 0)
                first.stop()

    @unittest.skipUnless(os.environ.get("LEAT_STOPPING"), "needs the leat that stops itself")
    def test_who_stood_still_longer_than_every_lease_accepts_nothing_twice(self):
        """It stops with messages in flight, before they are accepted; others take them over, deliver them, and forget them."""
        words = (*SHORT, "--lease", 3, "--dedupTtl", 500, "--concurrency", 100, "--concurrent", 1000)
        slow = self.bridge(*words, program=os.environ["LEAT_STOPPING"], env={"LEAT_STOPS_AT": "before_bridge_accept:2"}, name="slow")
        self.come(50)
        eventually(lambda: pathlib.Path(f"/proc/{slow.pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "T", 10, "it stands still")
        self.bridge(*words, name="other")
        sent = self.gateway(0, threading.Event())
        eventually(lambda: self.count("delivered") == 50, 20, lambda: self.db.hgetall(QUEUE + "counts"))
        eventually(lambda: not self.messages(), 10, lambda: f"forgotten; there is {self.messages()}")
        slow.process.send_signal(signal.SIGCONT)
        self.come(20, "later")
        eventually(lambda: self.count("delivered") >= 70, 20, lambda: self.db.hgetall(QUEUE + "counts"))
        self.await_settled()
        self.assertEqual({name: times for name, times in sent.items() if times > 1}, {})
        self.assertEqual((self.count("delivered"), len(sent)), (70, 70))

    def test_an_error_at_the_end_of_a_life_leaves_no_key_for_ever(self):
        """Tried again near the end of its life, sent, and taken back when its life is over: many in one call."""
        self.bridge("--maxPendingTtl", 300, "--maxPendingTtlMargin", 100, "--interval", 10, "--maxRetries", 5, "--awaitedMessageTtl", 2000,
                    "--sentMessageTtl", 2000, "--dedupTtl", 200, "--concurrent", 200, "--concurrency", 200)
        self.come(100)
        for _ in range(100):
            self.answer(self.take(), "recoverable", retryAfter=1500, reason="busy")
        for i in range(100):
            self.answer(self.take(), asyncResponseId=f"n{i}")
        eventually(lambda: len(self.db.keys(QUEUE + "asyncRequest:*")) == 100, 5)
        over = time.monotonic() + 1.7
        eventually(lambda: time.monotonic() > over, 3)
        self.put(*({"type": "ack", "asyncResponseId": f"n{i}", "status": "error", "recoverable": True} for i in range(100)))
        eventually(lambda: not self.messages(), 15, lambda: f"nothing left; there is {[(key, self.db.ttl(key)) for key in self.messages()]}")

    def test_a_flood_of_failing_groups_is_dealt_with_in_parts(self):
        """No call holds Redis for long, and none of the outcomes is lost when a call leaves some for the next."""
        self.bridge("--concurrent", 200, "--concurrency", 1000, "--conversationCapacity", 1000)
        self.redis.go_first()
        self.db.config_set("slowlog-log-slower-than", 100_000)
        pipe = self.db.pipeline(transaction=False)
        for c in range(100):
            pipe.lpush("bridge:in", json.dumps({"type": "request", "conversationId": f"c{c}", "requestId": f"q{c}", "origin": "whatsapp"}),
                       *(json.dumps({"type": "response", "conversationId": f"c{c}", "requestId": f"q{c}", "responseId": f"a{c}-{k}",
                                     "origin": "whatsapp", "body": k}) for k in range(200)))
        pipe.execute()
        self.await_counts(responses=20_000)
        deliveries = [self.take() for _ in range(100)]
        self.db.lpush("bridge:answers", *(json.dumps({**{key: each[key] for key in ("conversationId", "requestId", "responseId", "fence")},
                                                      "status": "recoverable", "reason": "down"}) for each in deliveries))
        self.await_counts(awaited=20_000, fenced=0)
        self.await_settled()
        self.assertEqual(self.db.slowlog_get(), [])


if __name__ == "__main__":
    unittest.main()
