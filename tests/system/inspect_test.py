"""leat inspect bridge: what a conversation waits for, and why."""
import json
import re
import unittest

from leat_testing import Case, LEAT, eventually
from terminal import Terminal


class Inspect(Case):
    def setUp(self):
        super().setUp()
        self.redis = self.server()
        self.db = self.redis.client()

    def bridge(self, *words):
        return self.leat("bridge", "--redis", self.redis.url, *words, name="bridge")

    def push(self, kind, **members):
        self.db.lpush("bridge:in", json.dumps({"type": kind, "conversationId": "c1", "origin": "web", **members}))

    def ask(self, *requests, **members):
        for each in requests:
            self.push("request", requestId=each, **members)

    def reply(self, request, response, **members):
        self.push("response", requestId=request, responseId=response, body="x", **members)

    def take(self):
        return json.loads(self.db.brpop("bridge:out:web", 10)[1])

    def answer(self, delivery, status, **members):
        known = {each: delivery[each] for each in ("conversationId", "requestId", "responseId", "fence")}
        self.db.lpush("bridge:answers", json.dumps({**known, "status": status, **members}))

    def inspect(self, *words, code=0):
        run = self.run_leat("inspect", "bridge", *words, "--redis", self.redis.url)
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        return run.stdout + run.stderr

    def look(self, conversation="c1", *words):
        return json.loads(self.inspect(conversation, "--json", *words))

    def look_until(self, state):
        return eventually(lambda: (seen := self.look())["state"] == state and seen, what=lambda: self.look())

    def test_nobody_knows_it(self):
        self.assertIn("nothing is known of conversation c1", self.inspect("c1"))
        seen = self.look()
        self.assertFalse(seen["known"])
        self.assertEqual((seen["requests"], seen["responses"], seen["lease"], seen["response"]), ([], [], None, None))

    def test_an_earlier_request_has_no_reply(self):
        self.bridge()
        self.ask("r0", "r1")
        self.reply("r1", "a1")
        seen = self.look_until("WAIT_REQUEST")
        self.assertEqual((seen["response"], seen["request"], seen["waitsFor"]), ("a1", "r1", "bridge:queue:req:r0"))
        self.assertTrue(0 < seen["waits"] <= 10_001, seen)
        self.assertEqual(seen["until"], seen["now"] + seen["waits"])
        self.assertEqual([(each["id"], each["status"], each["replies"]) for each in seen["requests"]],
                         [("r0", "WAITING", 0), ("r1", "PENDING", 1)])
        self.assertEqual([(each["id"], each["request"], each["attempts"]) for each in seen["responses"]], [("a1", "r1", 0)])
        text = self.inspect("c1")
        self.assertRegex(text, r"a1 waits: request r0 has no reply yet; it gives way in \d+\.\d s")
        self.assertRegex(text, r"until +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} UTC, in \d+\.\d s")
        self.assertIn("nobody holds it", text)
        self.ask("r2", "r3")
        eventually(lambda: self.look()["allRequests"] == 4)
        self.assertIn("requests: the first 2 of 4", self.inspect("c1", "--most", 2))
        self.assertEqual(len(self.look("c1", "--most", 2)["requests"]), 2)

    def test_a_request_without_a_response(self):
        self.bridge()
        self.ask("r0")
        self.assertEqual(self.look_until("IDLE")["responses"], [])
        eventually(lambda: re.search(r"no response waits; request r0 has no reply yet, and gives way in", self.inspect("c1")))

    def test_more_replies_are_announced(self):
        self.bridge()
        self.ask("r0", "r1")
        self.reply("r0", "a0", more=True)
        self.answer(self.take(), "sent")
        self.reply("r1", "a1")
        self.look_until("WAIT_REQUEST")
        self.assertIn("a1 waits: request r0 has announced more replies; it gives way in", self.inspect("c1"))

    def test_from_its_delivery_to_its_end(self):
        self.bridge("--maxPendingTtl", 60_000)
        self.ask("r0", "r1")
        self.reply("r0", "a0")
        self.reply("r1", "a1")
        delivery = self.take()
        eventually(lambda: self.look()["allResponses"] == 2)
        seen = self.look_until("WAIT_LEASE")
        self.assertEqual((seen["lease"]["token"], seen["lease"]["response"]), (delivery["fence"], "a0"))
        self.assertRegex(self.inspect("c1"), r"a0 is being sent by instance [0-9a-f]{8}\.\.\., its lease ends in \d\d\.\d s")
        self.answer(delivery, "recoverable", reason="503\x1b[2J")
        seen = self.look_until("WAIT_BACKOFF")
        self.assertGreater(seen["waits"], 30_000)
        self.assertEqual(seen["responses"][0]["reason"], "503\x1b[2J")
        text = self.inspect("c1")
        self.assertRegex(text, r"a0 failed \(503\\x1b\[2J\), next try in \d\d\.\d s")
        self.assertNotIn("\x1b", text)
        self.push("cancel", requestId="r0")
        delivery = self.take()
        self.assertEqual(delivery["responseId"], "a1")
        self.answer(delivery, "sent", asyncResponseId="wamid.1")
        seen = self.look_until("WAIT_ACK")
        self.assertEqual((seen["response"], seen["responses"][0]["asyncResponseId"]), ("a1", "wamid.1"))
        self.assertRegex(self.inspect("c1"), r"a1 was sent and waits for its acknowledgement, for \d\.\d s at most")
        self.push("ack", asyncResponseId="wamid.1")
        eventually(lambda: not self.look()["known"])

    def test_nobody_has_room(self):
        self.bridge("--concurrent", 1, "--concurrentFactor", 1)
        self.ask("other", conversationId="c0")
        self.reply("other", "b0", conversationId="c0")
        self.take()  # and no answer: the only slot is taken
        self.ask("r0")
        self.reply("r0", "a0")
        seen = self.look_until("FREE")
        self.assertIsNone(seen["waits"])
        self.assertIn("a0 can go: an instance with room will take it", self.inspect("c1"))

    def test_another_prefix_and_an_odd_name(self):
        self.bridge("--prefix", "chat:")
        self.ask("r0", conversationId="x\n{y}:req")
        eventually(lambda: self.look("x\n{y}:req", "--prefix", "chat:")["known"])
        self.assertIn("x\\x0a{y}:req", self.inspect("x\n{y}:req", "--prefix", "chat:"))
        self.assertFalse(self.look("x\n{y}:req")["known"])

    def test_watch(self):
        self.bridge()
        screen = Terminal([LEAT, "inspect", "bridge", "c1", "--watch", "--redis", self.redis.url])
        eventually(lambda: screen.shows("nothing is known of conversation c1"), what=lambda: screen.cells)
        self.ask("r0", "r1")
        self.reply("r1", "a1")
        eventually(lambda: screen.shows("a1 waits: request r0 has no reply yet"), what=lambda: screen.cells)
        screen.press(b"q")
        self.assertEqual(screen.close(), 0)
        self.assertTrue(screen.received.endswith(b"\x1b[?25h\x1b[?1049l"))

    def test_bad_input(self):
        self.assertIn("CONVERSATION", self.inspect(code=2))
        self.assertIn("1 to 1024 bytes", self.inspect("", code=2))
        self.assertIn("--most", self.inspect("c1", "--most", 0, code=2))
        gone = self.run_leat("inspect", "bridge", "c1", "--redis", "redis://127.0.0.1:1")
        self.assertEqual(gone.returncode, 1)
        self.assertIn("cannot reach redis://127.0.0.1:1: Connection refused", gone.stderr)
        self.db.set("bridge:queue:c1", "no sorted set")
        self.assertIn("WRONGTYPE", self.inspect("c1", code=1))


if __name__ == "__main__":
    unittest.main()
