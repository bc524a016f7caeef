"""A bridge of several instances under load: instances are killed, Redis is restarted, clients fail. What the clients got is counted."""
import collections
import json
import os
import random
import signal
import threading
import time
import unittest

import redis

from leat_testing import Case, eventually

ALL = bool(os.environ.get("LEAT_TEST_ALL"))
INSTANCES, CONVERSATIONS = (10, 10_000) if ALL else (4, 3_000)
# Short times, so that what was lost comes back while we look; requests do not expire.
SETTINGS = ["--messageTtl", "120000", "--maxPendingTtl", "3000", "--maxPendingTtlMargin", "1000", "--awaitedRetriesFactor", "0.1",
            "--sentMessageTtl", "2000", "--awaitedMessagesByTurn", "200", "--concurrent", "200", "--dedupTtl", "3000"]


class Gateway(threading.Thread):
    """Takes deliveries of an origin and says how each ended: every tenth fails at its first attempt, every fifth is acknowledged
    later. Whatever it wants to say it says again until Redis has heard it."""

    def __init__(self, server, origin):
        super().__init__(daemon=True)
        self.server = server
        self.origin = origin
        self.taken = collections.defaultdict(list)  # conversation: the responses that were taken, in their order
        self.failed = set()
        self.orders = {}
        self.fences = collections.defaultdict(int)
        self.problems = []
        self.random = random.Random(origin)
        self.ended = threading.Event()

    def until_heard(self, command, *words):
        while not self.ended.is_set():
            try:
                return getattr(self.server.client(), command)(*words)
            except (redis.RedisError, OSError):
                time.sleep(0.02)

    def run(self):
        client = self.server.client()
        while not self.ended.is_set():
            try:
                deliveries = client.rpop(f"bridge:out:{self.origin}", 50) or []
            except (redis.RedisError, OSError):  # what was on its way is lost here; its lease ends, and it comes again
                time.sleep(0.02)
                continue
            answers, acks = [], []
            for each in map(json.loads, deliveries):
                self.take(each, answers, acks)
            if answers:
                self.until_heard("lpush", "bridge:answers", *answers)
            if acks:
                self.until_heard("lpush", "bridge:in", *acks)
            if not deliveries:
                time.sleep(0.002)

    def take(self, delivery, answers, acks):
        if time.time() * 1000 > delivery["deadline"]:
            return  # it says so itself: another will have it
        response, conversation = delivery["responseId"], delivery["conversationId"]
        if delivery["fence"] < self.fences[conversation]:
            return  # older than what we have seen
        self.fences[conversation] = delivery["fence"]
        answer = {key: delivery[key] for key in ("conversationId", "requestId", "responseId", "fence", "origin")}
        dice = hash(response) % 10
        if dice == 0 and response not in self.failed:
            self.failed.add(response)
            answers.append(json.dumps({**answer, "status": "recoverable", "reason": "503"}))
            return
        self.taken[conversation].append(response)
        self.orders[response] = tuple(map(int, delivery["order"].split(".")))
        if dice in (1, 2):
            name = f"{response}/{delivery['fence']}"
            answers.append(json.dumps({**answer, "status": "sent", "asyncResponseId": name}))
            acks.append(json.dumps({"type": "ack", "asyncResponseId": name, "origin": self.origin}))
        else:
            answers.append(json.dumps({**answer, "status": "sent"}))


class BridgeFaults(Case):
    def setUp(self):
        super().setUp()
        self.redis = self.server("--appendonly", "yes", "--appendfsync", "always")
        self.gave_up = threading.Event()
        self.addCleanup(self.gave_up.set)

    def start(self):
        return self.leat("bridge", "--redis", self.redis.url, *SETTINGS, name="bridge")

    def push(self, messages):
        """Again until Redis has heard it: what came twice is known."""
        texts = [json.dumps(each) for each in messages]
        for at in range(0, len(texts), 100):
            while True:
                try:
                    self.redis.client().lpush("bridge:in", *texts[at:at + 100])
                    break
                except (redis.RedisError, OSError):
                    time.sleep(0.02)

    def feed(self):
        """Two requests each; the second is answered first, then the first, with two replies. Instances that share a queue may take
        from it in any order, and so each step waits until the one before has arrived."""
        def all_of(kind, request, reply=None, **more):
            return [{"type": kind, "conversationId": f"c{n}", "origin": "whatsapp" if n % 2 else "teams", "requestId": f"q{n}-{request}",
                     **({"responseId": f"r{n}-{request}-{reply}", "body": n} if reply else {}), **more} for n in range(CONVERSATIONS)]

        for step, (messages, counted) in enumerate((
                (all_of("request", 1), "requests"), (all_of("request", 2), "requests"), (all_of("response", 2, 1), "responses"),
                (all_of("response", 1, 1, more=True), "responses"), (all_of("response", 1, 2), "responses"))):
            self.push(messages)
            expected = CONVERSATIONS * (step + 1 if counted == "requests" else step - 1)
            while self.try_counts().get(counted, 0) < expected and not self.gave_up.is_set():
                time.sleep(0.02)

    def try_counts(self):
        try:
            return self.counts()
        except (redis.RedisError, OSError):
            return {}

    def counts(self):
        return {k.decode(): int(v) for k, v in self.redis.client().hgetall("bridge:queue:counts").items()}

    def test_instances_are_killed_and_redis_restarts(self):
        gateways = [Gateway(self.redis, origin) for origin in ("whatsapp", "teams")]
        for each in gateways:
            each.start()
            self.stack.callback(each.ended.set)
        instances = [self.start() for _ in range(INSTANCES)]
        fed = threading.Thread(target=self.feed, daemon=True)
        fed.start()
        expected = 3 * CONVERSATIONS
        began, restarted, killed = time.monotonic(), False, 0
        kills = random.Random(8)

        def taken():
            return sum(len(set(each)) for gateway in gateways for each in list(gateway.taken.values()))

        while taken() < expected or fed.is_alive():
            self.assertLess(time.monotonic(), began + (600 if ALL else 90), f"{taken()} of {expected}: {self.counts()}")
            if time.monotonic() > began + 1 + killed:  # one a second
                victim = kills.randrange(len(instances))
                instances[victim].stop(signal.SIGKILL)
                instances[victim] = self.start()
                killed += 1
            if not restarted and taken() > expected // 3:
                self.redis.stop()
                self.redis.start()
                restarted = True
            time.sleep(0.02)
        self.assertTrue(restarted)
        eventually(lambda: self.counts().get("delivered", 0) + self.counts().get("noAck", 0) == expected, 30, self.counts)
        # What the killed ones had in hand comes back while others live, and is counted.
        in_hand = ("bridge:in:pending:*", "bridge:answers:pending:*")
        client = self.redis.client()
        eventually(lambda: not any(client.type(key) == b"list" for names in in_hand for key in client.scan_iter(names, 1000))
                   and not client.exists("bridge:in", "bridge:answers"), 60)
        for each in gateways:
            each.ended.set()
            each.join()
        self.check_result(gateways, killed)
        self.check_nothing_is_left(instances)

    def check_result(self, gateways, killed):
        counts, doubled = self.counts(), 0
        for gateway in gateways:
            self.assertGreater(len(gateway.failed), 0)
            for conversation, responses in gateway.taken.items():
                firsts = list(dict.fromkeys(responses))
                doubled += len(responses) - len(firsts)
                self.assertEqual(firsts, sorted(firsts, key=gateway.orders.get), f"out of order in {conversation}")
                number = conversation[1:]
                self.assertEqual(firsts, [f"r{number}-1-1", f"r{number}-1-2", f"r{number}-2-1"])
        print(f"killed {killed}, doubled {doubled}, {counts}")
        self.assertEqual(counts["responses"], 3 * CONVERSATIONS)
        self.assertEqual(counts.get("expired", 0) + counts.get("cancelled", 0), 0)
        # Twice is only what was sent, and whose outcome came too late to be written down.
        self.assertLessEqual(doubled, counts.get("fenced", 0) + counts.get("noAck", 0))

    def check_nothing_is_left(self, instances):
        client = self.redis.client()
        for each in instances:
            self.assertEqual(each.stop(), 0)

        def left():
            return sorted(key.decode() for key in client.keys("bridge:*")
                          if key not in (b"bridge:queue:counts", b"bridge:queue:events", b"bridge:queue:state", b"bridge:in:pending:id", b"bridge:answers:pending:id"))

        eventually(lambda: not left(), 15, lambda: f"left behind: {left()[:10]}")


if __name__ == "__main__":
    unittest.main()
