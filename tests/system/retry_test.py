"""Retries and the dead, as workers meet them."""
import hashlib
import json
import signal
import time
import unittest

from tracking_case import NS, TrackingCase
from waiting import eventually


class Retry(TrackingCase):
    policy = ("--messageTimeout", 1, "--messageExpire", 3, "--retry.first", 0.2)

    def test_a_worker_that_fails_twice_of_three(self):
        self.start(*self.policy, "--retry.attempts", 3)
        began = int(self.db.time()[0])
        self.db.lpush("in", "12345")
        for attempt in range(3):
            self.assertEqual(self.take("out0"), "12345")
            known = self.db.hgetall(f"{NS}:message:1")
            self.assertEqual(known["attempts"], str(attempt + 1))
            times = [int(each) for each in known["times"].split()]
            self.assertEqual(len(times), attempt + 1)
            self.assertEqual(times, sorted(times))
            self.assertTrue(all(began <= each <= began + 10 for each in times), known)
            self.assertTrue(times[-1] <= int(known["deadline"]) <= times[-1] + 1, known)
        self.done(self.db.hget(f"{NS}:message:xid:12345", "id"))
        self.await_count("done", 1)
        self.assertEqual(self.count("retry"), 2)
        self.assertEqual(self.count("timeout"), 2)
        self.assertEqual(self.count("dead"), 0)
        self.assertEqual(self.db.llen("out1"), 3)  # await: first; nobody had reported
        eventually(lambda: not self.left(), 15)

    def test_a_poison_message_ends_in_dead_with_its_story(self):
        self.start(*self.policy, "--retry.attempts", 2)
        self.db.lpush("in", "good", "poison", "fine")
        for _ in range(3):
            message = self.take("out0")
            if message != "poison":
                self.done(self.db.hget(f"{NS}:message:xid:{hashlib.sha1(message.encode()).hexdigest()}", "id"))
        self.await_count("dead", 1)
        self.assertEqual(self.count("done"), 2)
        self.assertEqual(self.db.lrange(f"{NS}:message:dead", 0, -1), ["poison"])
        stories = self.db.hgetall(f"{NS}:message:dead:story")
        self.assertEqual(list(stories), [hashlib.sha1(b"poison").hexdigest()])
        story = json.loads(stories.popitem()[1])
        self.assertEqual(story["reason"], "not done after 2 attempts")
        self.assertEqual((story["attempts"], story["id"], story["origin"]), (2, "2", "in"))
        self.assertEqual(story["silent"], ["out0", "out1"])
        self.assertEqual(len(story["times"].split()), 2)
        eventually(lambda: not self.left(), 15)

    def test_await_all_retries_only_the_silent_subscriber(self):
        self.start(*self.policy, "--retry.attempts", 3, "--await", "all")
        self.db.lpush("in", "7")
        self.assertEqual(self.take("out0"), "7")
        self.assertEqual(self.take("out1"), "7")
        self.done("1:out0")
        self.assertEqual(self.take("out1"), "7")
        self.done("1:out1")
        self.await_count("done", 1)
        time.sleep(1.5)
        self.assertEqual(self.db.exists("out0", "out1"), 0)
        eventually(lambda: not self.left(), 15)

    def test_a_list_of_the_dead_that_is_none(self):
        leat = self.start(*self.policy, "--retry.attempts", 1, "--dead", "graveyard")
        self.db.set("graveyard", "text")
        self.db.lpush("in", "lost?")
        leat.wait_for("key=graveyard")
        time.sleep(3)  # it is tried every second
        self.db.delete("graveyard")
        eventually(lambda: self.db.lrange("graveyard", 0, -1) == ["lost?"])
        self.assertEqual(self.count("dead"), 1)
        leat.wait_for("going on, a message cannot go where it should", 15)
        self.assertEqual(leat.output().count("a message cannot go where it should"), 2)


class SurvivesEverything(TrackingCase):
    def server_words(self):
        return ("--appendonly", "yes", "--appendfsync", "always")

    def test_a_delayed_retry(self):
        words = ("--messageTimeout", 1, "--retry.attempts", 2, "--retry.first", 3, "--retry.jitter", 0)
        leat = self.start(*words)
        self.db.lpush("in", "again")
        self.assertEqual(self.take("out0"), "again")
        eventually(lambda: self.db.exists(f"{NS}:message:retries"))
        due = self.db.zscore(f"{NS}:message:retries", "1") / 1000
        leat.process.kill()
        leat.process.wait()
        self.redis.stop(signal.SIGKILL)
        self.redis.start()
        self.start(*words)
        self.assertEqual(self.take("out0"), "again")
        self.assertGreaterEqual(self.db.time()[0] + 1, due)
        self.assertEqual(self.db.hget(f"{NS}:message:1", "attempts"), "2")
        self.done("1")
        self.await_count("done", 1)


if __name__ == "__main__":
    unittest.main()
