"""bridge: responses in order per conversation, as people run it: bad input, settings, faults, outcomes, instances."""
import itertools
import json
import signal
import time
import unittest

from bridge_case import PENDING, QUEUE, BridgeCase, min_info
from leat_testing import eventually

ODD_IDS = ["pendingMessages", "counts", "events", "state", "req", "res", "asyncRequest", "req:x", "res:x", "asyncRequest:x", "x:req", "x:lock",
           "a{b}c", "50%", "%25", 'say "hi"', "back\\slash", "\\", '"', '","rsId":"', "with\0nul", "tab\tand\nline", "\U0001f600 ü", "a:b:c",
           " ", "null", "{}", "x" * 1024, "\u2028", "\x7f", "'", "/", "bridge:queue:x"]


class Input(BridgeCase):
    def test_ids_of_every_kind_are_delivered_as_they_are(self):
        self.bridge("--concurrent", 100)
        for odd in ODD_IDS:
            self.request(odd, odd, odd)
            self.response(odd, odd, odd, odd)
        self.await_counts(responses=len(ODD_IDS))
        for odd in ODD_IDS:
            delivery = self.take(odd, odd)
            self.assertEqual([delivery[name] for name in ("conversationId", "requestId", "origin")], [odd] * 3)
            self.assertEqual(delivery["body"], {"text": odd})
            self.answer(delivery, asyncResponseId=odd)
            self.ack(odd, origin=odd)
        self.await_counts(delivered=len(ODD_IDS), responses=len(ODD_IDS), requests=len(ODD_IDS))
        self.assertEqual({name for _, name in self.events()}, set(ODD_IDS))
        self.assertEqual(self.db.exists("bridge:in:dead", PENDING), 0)
        self.assertEqual(self.messages(), sorted(f"{QUEUE}req:{odd}" for odd in ODD_IDS))

    def test_groups_of_odd_ids_fail_together_and_leave_others_alone(self):
        """A group is told by what its members begin with."""
        ids = [each for each in ODD_IDS if len(each) < 1000]
        self.bridge()
        for odd in ids:
            self.request("c", odd)
        for odd, reply in itertools.product(ids, "12"):
            self.response("c", odd, odd + reply)
        self.await_counts(requests=len(ids), responses=2 * len(ids))
        for number, odd in enumerate(ids, 1):
            self.answer(self.take(odd + "1"), "fatal", reason="no")
            self.await_counts(cancelled=2 * number)
        self.assertEqual(self.events(), [("cancelled", odd + reply) for odd in ids for reply in "12"])
        self.assertEqual(self.db.exists(PENDING, QUEUE + "c", QUEUE + "c:req"), 0)
        dead = [json.loads(each)["responseId"] for each in reversed(self.db.lrange("bridge:in:dead", 0, -1))]
        self.assertEqual(dead, [odd + reply for odd in ids for reply in "12"])

    def test_numbers_are_ids_by_their_digits(self):
        self.bridge()
        self.put('{"type":"request","conversationId":1,"requestId":18446744073709551615,"origin":7}',
                 '{"type":"response","conversationId":"1","requestId":18446744073709551615,"responseId":-2,"origin":7,"body":1}')
        delivery = self.take("-2", origin="7")
        self.assertEqual((delivery["conversationId"], delivery["requestId"]), ("1", "18446744073709551615"))

    def test_bodies_arrive_as_they_were_written(self):
        self.bridge()
        self.request("c", "r")
        bodies = ['1.10', '"ü\\u00fc\\n"', '[ ]', '{"a":1,"a":2}', '123456789012345678901234567890', 'null', 'false',
                  '{"corr":"x","fence":1}', "[" * 60 + "]" * 60]
        reply = '{"type":"response","conversationId":"c","requestId":"r","responseId":"a%d","origin":"whatsapp"%s}'
        for number, body in enumerate(bodies):
            self.put(reply % (number, ',"body":' + body))
        self.put(reply % (len(bodies), ""))
        for body in [*bodies, "null"]:
            text = self.db.brpop("bridge:out:whatsapp", 10)[1]
            self.assertTrue(text.endswith(f',"body":{body}}}'), text)
            self.answer(json.loads(text))
        self.await_counts(delivered=len(bodies) + 1)

    def test_a_body_of_5_megabytes(self):
        self.bridge()
        self.request("c", "r")
        body = "ü" * (5 << 19)
        self.response("c", "r", "a1", body=body)
        self.response("c", "r", "a2")
        first = self.take("a1")
        self.assertEqual(first["body"], body)
        self.answer(first)
        self.deliver("a2")
        self.await_counts(delivered=2)

    def test_what_cannot_be_read_is_dead_with_a_reason_and_the_rest_goes_on(self):
        leat = self.bridge("--serviceNamespace", "ns")
        request = {"type": "request", "conversationId": "c", "requestId": "r", "origin": "o"}
        response = {**request, "type": "response", "responseId": "a"}
        wrong = {
            b"": "not JSON", b"hello": "not JSON", b"\xff\xfe": "not JSON", b'{"type":"request"': "not JSON", b"null": "not a JSON object",
            b"[]": "not a JSON object", b'"request"': "not a JSON object", b"{}": "type must be", b'{"type":1}': "type must be",
            b'{"type":"reqest"}': "did you mean request?", b'{"type":"request","conversationId":"\xed\xa0\x80"}': "not JSON",
            b'{"type":"request","conversationId":"\\ud800","requestId":"r","origin":"o"}': "not JSON", b"[" * 200_000: "not JSON"}
        for name in ("conversationId", "requestId", "origin"):
            wrong[json.dumps({key: value for key, value in request.items() if key != name}).encode()] = f"{name} is missing"
            for value, why in (("", "1 to 1024 bytes"), ("x" * 1025, "1 to 1024 bytes"), (None, "must be a text"), (1.5, "must be a text"),
                               ([], "must be a text"), (True, "must be a text")):
                wrong[json.dumps({**request, name: value}).encode()] = f"{name} {why}" if why.startswith("must") else why
        wrong[json.dumps({**response, "responseId": None}).encode()] = "responseId must be a text"
        for value in (-1, 1 << 41, 1e3, "1", None, 1 << 70):
            wrong[json.dumps({**request, "requestTimestamp": value}).encode()] = "requestTimestamp must be a whole number from 0 to"
        wrong[json.dumps({**response, "more": 1}).encode()] = "more must be true or false"
        wrong[json.dumps({**response, "corr": 1}).encode()] = "corr must be a text"
        wrong[b'{"type":"ack"}'] = "asyncResponseId is missing"
        wrong[b'{"type":"ack","asyncResponseId":"x","status":"sent"}'] = "status must be delivered or error"
        wrong[b'{"type":"cancel"}'] = "requestId is missing"
        self.put(*wrong)
        for message, why in wrong.items():
            story = self.await_dead(message)
            self.assertEqual(story["name"], "Invalid", message)
            self.assertIn(why, story["reason"], message)
        self.request("c", "r")
        self.response("c", "r", "a1")
        self.deliver("a1")
        self.await_counts(delivered=1)
        self.assertEqual(self.db.llen("bridge:in:dead"), len(wrong))
        self.await_settled()
        self.assertEqual(leat.stop(), 0)
        self.assertEqual(self.db.hget("ns:metrics:bridge:invalid", "count"), str(len(wrong)))

    def test_answers_that_cannot_be_read_are_dead_and_the_delivery_can_still_be_answered(self):
        self.bridge()
        self.request("c", "r")
        self.response("c", "r", "a1")
        delivery = self.take("a1")
        good = {"conversationId": "c", "requestId": "r", "responseId": "a1", "fence": delivery["fence"], "status": "sent"}
        wrong = {"x": "not JSON", "{}": "conversationId is missing"}
        for change, why in (({"fence": None}, "fence must be"), ({"fence": -1}, "fence must be"), ({"fence": 1 << 53}, "fence must be"),
                            ({"fence": str(delivery["fence"])}, "fence must be"), ({"status": "SENT"}, "status must be"), ({"status": None}, "must be a text"),
                            ({"asyncResponseId": ""}, "asyncResponseId must have"), ({"status": "recoverable", "retryAfter": 86_400_001}, "retryAfter must be"),
                            ({"status": "recoverable", "retryAfter": 1.5}, "retryAfter must be"), ({"status": "fatal", "reason": 1}, "reason must be")):
            wrong[json.dumps({**good, **change})] = why
        self.db.lpush("bridge:answers", *wrong)
        for message, why in wrong.items():
            self.assertIn(why, self.await_dead(message)["reason"])
        self.assertEqual(self.status("a1"), "PENDING")
        self.answer(delivery)
        self.await_counts(delivered=1)

    def test_an_id_of_another_conversation_or_origin_is_refused(self):
        self.bridge()
        self.request("c", "r")
        self.response("c", "r", "a1")
        self.take("a1")
        for conversation, request, response, origin in (("d", "r", "b1", "whatsapp"), ("c", "r", "b1", "teams"), ("d", "s", "a1", "whatsapp")):
            self.response(conversation, request, response, origin)
        eventually(lambda: self.db.llen("bridge:in:dead") == 3)
        self.assertEqual({self.story(each)["name"] for each in self.db.lrange("bridge:in:dead", 0, -1)}, {"CONFLICT"})
        self.assertEqual(self.fields("res", "a1")["conversationId"], "c")

    def test_a_full_conversation_has_its_messages_tried_again_and_then_gives_them_up(self):
        self.bridge("--conversationCapacity", 2, "--maxDeliveries", 2, "--retry.first", 0.05)
        for number in range(3):
            self.request("c", f"r{number}")
        self.await_counts(requests=2, full=2)
        eventually(lambda: self.db.llen("bridge:in:dead") == 1)
        message = self.db.lindex("bridge:in:dead", 0)
        self.assertEqual(json.loads(message)["requestId"], "r2")
        self.assertEqual(self.story(message)["reason"], "the conversation has 2 requests")


class Outcomes(BridgeCase):
    def one(self, *words, count=2):
        """A bridge, a request and so many replies, the first of them with its gateway."""
        self.bridge(*words)
        self.request("c", "r")
        for number in range(1, count + 1):
            self.response("c", "r", f"a{number}")
        self.await_counts(responses=count)
        return self.take("a1")

    def test_an_answer_that_comes_twice(self):
        first = self.one()
        self.answer(first)
        self.answer(first)
        self.await_counts(delivered=1, fenced=1)
        self.take("a2")

    def test_answers_to_what_nobody_sent(self):
        first = self.one()
        for change in ({"conversationId": "nobody"}, {"responseId": "a2"}, {"responseId": "nobody"}, {"fence": first["fence"] - 1},
                       {"fence": first["fence"] + 1}, {"fence": 0}):
            self.answer({**first, **change})
        self.await_counts(fenced=6)
        self.assertEqual((self.count("delivered"), self.waiting()), (0, []))
        self.answer(first)
        self.take("a2")

    def test_an_old_fence_cannot_end_what_another_sends_now(self):
        first = self.one("--maxPendingTtl", 300, "--maxPendingTtlMargin", 100)
        again = self.take("a1", timeout=3)
        for status in ("sent", "recoverable", "fatal"):
            self.answer(first, status)
        self.await_counts(fenced=3)
        self.assertEqual([self.count(name) for name in ("delivered", "cancelled", "awaited")], [0, 0, 0])
        self.assertGreater(again["fence"], first["fence"])
        self.assertEqual(again["order"], first["order"])

    def test_a_response_that_comes_twice_is_delivered_once(self):
        first = self.one(count=1)
        self.response("c", "r", "a1")
        self.await_counts(duplicate=1)
        self.answer(first)
        self.await_counts(delivered=1)
        self.response("c", "r", "a1")
        self.await_counts(duplicate=2)
        self.assertEqual((self.waiting(), self.count("responses")), ([], 1))

    def test_a_late_reply_goes_before_those_of_later_requests(self):
        self.bridge("--concurrent", 1, "--concurrentFactor", 1)
        self.request("c", "r")
        self.request("c", "s")
        self.request("other", "o")
        self.response("c", "r", "a1")
        first = self.take("a1")
        self.response("other", "o", "o1")  # has the one slot then
        self.await_counts(responses=2)
        self.answer(first)
        other = self.take("o1")
        self.response("c", "s", "b1")
        self.response("c", "r", "a2")
        self.await_counts(responses=4)
        self.assertEqual(self.status("a2"), "WAITING")  # for room
        self.answer(other)
        self.deliver("a2", "b1")

    def test_a_recoverable_failure_waits_as_long_as_the_client_says(self):
        first = self.one("--awaitedRetriesFactor", 0.001)
        self.answer(first, "recoverable", reason="429", retryAfter=700)
        self.await_counts(awaited=2)
        due = int(self.fields("res", "a1")["awaitedTo"])
        self.assertAlmostEqual(due, time.time() * 1000 + 700, delta=400)
        again = self.take("a1", timeout=5)
        self.assertGreaterEqual(again["fence"] / 1000, due)
        self.assertEqual(again["attempt"], 2)
        self.answer(again, "recoverable", retryAfter=1)  # the pause of the bridge is longer: 2 * 30 ms
        self.assertEqual(self.take("a1", timeout=5)["attempt"], 3)

    def test_a_fatal_failure_cancels_the_group_and_tells_of_it(self):
        first = self.one(count=3)
        self.request("c", "s")
        self.response("c", "s", "b1")
        self.await_counts(responses=4)
        self.answer(first, "fatal", reason="no such user")
        self.deliver("b1")
        self.await_counts(delivered=1, cancelled=3)
        dead = [json.loads(each) for each in reversed(self.db.lrange("bridge:in:dead", 0, -1))]
        self.assertEqual(dead, [{"type": "response", "conversationId": "c", "requestId": "r", "responseId": f"a{n}", "origin": "whatsapp",
                                 "body": {"text": f"a{n}"}} for n in (1, 2, 3)])
        self.assertEqual([self.story(each)["reason"] for each in self.db.lrange("bridge:in:dead", 0, -1)], ["no such user"] * 3)
        self.response("c", "r", "a4")
        self.await_counts(late=1)
        self.assertEqual(self.waiting(), [])

    def test_after_so_many_attempts_it_is_cancelled(self):
        delivery = self.one("--maxAttempts", 3, "--awaitedRetriesFactor", 0.001)
        for attempt in (1, 2, 3):
            self.assertEqual(delivery["attempt"], attempt)
            self.answer(delivery, "recoverable", reason="busy")
            if attempt < 3:
                delivery = self.take("a1", timeout=5)
        self.await_counts(cancelled=2)
        self.assertEqual(self.events(), [("cancelled", "a1"), ("cancelled", "a2")])

    def test_more_holds_the_place_of_a_request(self):
        self.bridge()
        self.request("c", "r")
        self.request("c", "s")
        self.response("c", "r", "a1", more=True)
        self.deliver("a1")
        self.await_counts(delivered=1)
        self.response("c", "s", "b1")
        self.await_counts(responses=2)
        self.assertEqual(self.waiting(), [])
        self.response("c", "r", "a2")
        self.deliver("a2", "b1")
        self.await_counts(delivered=3)

    def test_more_that_does_not_come_holds_it_for_the_life_of_a_request(self):
        self.bridge("--messageTtl", 500)
        self.request("c", "r")
        self.response("c", "r", "a1", more=True)
        self.deliver("a1")
        self.request("c", "s")
        self.response("c", "s", "b1")
        self.await_counts(responses=2, delivered=1)
        self.take("b1", timeout=3)

    def test_cancel_makes_way(self):
        self.bridge()
        for each in ("r", "s"):
            self.request("c", each)
        self.response("c", "s", "b1")
        self.await_counts(responses=1)
        self.assertEqual(self.waiting(), [])
        self.cancel("nobody")
        self.cancel("r", conversationId="c")
        self.take("b1")
        self.assertEqual(self.count("requestsCancelled"), 1)
        self.cancel("s", conversationId="another")
        eventually(lambda: self.db.llen("bridge:in:dead") == 1)
        self.assertEqual(self.story(self.db.lindex("bridge:in:dead", 0))["name"], "CONFLICT")
        self.assertEqual(self.status("b1"), "PENDING")
        self.response("c", "r", "a1")
        self.await_counts(late=1)

    def test_cancel_of_what_is_being_sent(self):
        first = self.one()
        self.cancel("r", reason="never mind")
        self.await_counts(cancelled=2)
        self.answer(first)
        self.request("c", "s")
        self.response("c", "s", "b1")
        self.deliver("b1")
        self.await_counts(delivered=1, cancelled=2)
        self.assertEqual(self.story(self.db.lindex("bridge:in:dead", 0))["reason"], "never mind")


class Acks(BridgeCase):
    def sent(self, *words):
        """a1 is sent under the name n1, a2 behind it."""
        self.bridge(*words)
        self.request("c", "r")
        self.response("c", "r", "a1")
        self.response("c", "r", "a2")
        self.answer(self.take("a1"), asyncResponseId="n1")
        self.await_status("a1", "SENT")

    def test_an_ack_of_the_wrong_origin_changes_nothing(self):
        self.sent()
        self.ack("n1", origin="teams")
        eventually(lambda: self.db.llen("bridge:in:dead") == 1)
        story = self.story(self.db.lindex("bridge:in:dead", 0))
        self.assertEqual((story["name"], story["reason"]), ("CONFLICT", "it was sent to another origin"))
        self.assertEqual((self.status("a1"), self.waiting()), ("SENT", []))
        self.ack("n1", origin="whatsapp")
        self.take("a2")

    def test_an_ack_without_an_origin(self):
        self.sent()
        self.ack("n1")
        self.take("a2")

    def test_an_early_ack_of_the_wrong_origin_is_not_taken_for_ours(self):
        self.bridge()
        self.request("c", "r")
        self.response("c", "r", "a1")
        first = self.take("a1")
        self.ack("n1", origin="teams")
        self.await_counts(ackUnmatched=1)
        self.answer(first, asyncResponseId="n1")
        self.await_counts(ackConflict=1)
        self.assertEqual(self.status("a1"), "SENT")

    def test_an_ack_that_comes_twice(self):
        self.sent("--sentMessageTtl", 60_000)
        self.ack("n1")
        self.ack("n1")
        self.take("a2")
        self.await_counts(delivered=1, ackUnmatched=1)

    def test_an_ack_that_comes_late(self):
        """Its name may still be known just then, or not: in either case it changes nothing."""
        self.sent("--sentMessageTtl", 400)
        self.await_counts(noAck=1)
        self.ack("n1")
        eventually(lambda: self.count("ackLate") + self.count("ackUnmatched") == 1)
        self.answer(self.take("a2"))
        self.await_counts(delivered=1, noAck=1)
        self.await_settled()
        self.await_gone(QUEUE + "asyncRequest:n1")

    def test_a_recoverable_error_by_ack(self):
        self.sent("--awaitedRetriesFactor", 0.001)
        self.ack("n1", status="error", recoverable=True, reason="busy")
        self.assertEqual(self.take("a1", timeout=5)["attempt"], 2)
        self.assertEqual(self.count("awaited"), 2)
        self.assertEqual(self.fields("res", "a1")["reason"], "busy")

    def test_a_fatal_error_by_ack(self):
        self.sent()
        self.ack("n1", status="error", reason="blocked by the user")
        self.await_counts(cancelled=2)
        self.assertEqual(self.events(), [("cancelled", "a1"), ("cancelled", "a2")])

    def test_an_early_error_by_ack(self):
        self.bridge("--awaitedRetriesFactor", 0.001)
        self.request("c", "r")
        self.response("c", "r", "a1")
        first = self.take("a1")
        self.ack("n1", status="error", recoverable=True)
        self.await_counts(ackUnmatched=1)
        self.answer(first, asyncResponseId="n1")
        again = self.take("a1", timeout=5)
        self.ack("n2", status="error")
        self.await_counts(ackUnmatched=2)
        self.answer(again, asyncResponseId="n2")
        self.await_counts(cancelled=1, ackEarly=2)


class Ledger(BridgeCase):
    def test_events_tell_how_each_response_ended(self):
        self.bridge("--sentMessageTtl", 300)
        for name in ("delivered", "no-ack", "cancelled"):
            self.request(name, name)
            self.response(name, name, name)
        for status in ({"status": "sent"}, {"status": "sent", "asyncResponseId": "n"}, {"status": "fatal", "reason": "why"}):
            self.answer(self.take(), **status)
        eventually(lambda: len(self.events()) == 3)
        told = {each["event"]: each for _, each in self.db.xrange(QUEUE + "events")}
        self.assertEqual(set(told), {"delivered", "no-ack", "cancelled"})
        for name, each in told.items():
            self.assertEqual(each["message"], min_info(name, name, name))
        self.assertEqual((told["cancelled"]["reason"], told["cancelled"]["origin"]), ("why", "whatsapp"))
        self.await_counts(requests=3, responses=3, delivered=1, noAck=1, cancelled=1)

    def test_no_events(self):
        self.bridge("--events", 0)
        self.request("c", "r")
        self.response("c", "r", "a1")
        self.deliver("a1")
        self.await_counts(delivered=1)
        self.assertEqual(self.db.exists(QUEUE + "events"), 0)

    def test_about_so_many_events_are_kept(self):
        self.bridge("--events", 1)
        self.request("c", "r")
        for number in range(300):
            self.response("c", "r", f"a{number}")
        self.deliver(*(f"a{number}" for number in range(300)))
        self.await_counts(delivered=300)
        self.assertLess(self.db.xlen(QUEUE + "events"), 250)

    def test_partial_metrics(self):
        leat = self.bridge("--metricsPartialInterval", 100, "--serviceNamespace", "ns", env={"AURA_LOGGING_EXTRA_TIME_METRICS": "true"})
        self.request("c", "r")
        self.response("c", "r", "a1")
        self.take("a1")
        leat.wait_for("partial metrics messages=0")
        self.assertRegex(leat.output(), r"partial metrics messages=2 mean=\d+\.\d\dms max=\d+\.\d\dms deliveries=1 room=49"
                                        r"|messages=1 (.|\n)*messages=1 .*deliveries=1 room=49")
        eventually(lambda: self.db.hget("ns:metrics:bridge:CLAIMED", "count") == "1")
        self.assertEqual(self.db.hget("ns:metrics:bridge:REGISTERED", "count"), "1")

    def test_a_list_that_cannot_be_pushed_to_is_in_the_log_when_that_begins_and_when_it_ends(self):
        leat = self.bridge("--awaitedTimeWhenRetriesEnd", 100)
        self.db.set("bridge:out:whatsapp", "a text")
        self.request("c", "r")
        self.response("c", "r", "a1")
        leat.wait_for("nothing is lost, deliveries cannot be pushed")
        for other in range(3):  # of other lists say nothing of this one
            time.sleep(0.8)
            self.request(f"c{other}", f"r{other}", origin="o")
            self.response(f"c{other}", f"r{other}", f"o{other}", origin="o")
            self.deliver(f"o{other}", origin="o")
        self.db.delete("bridge:out:whatsapp")
        self.deliver("a1")
        leat.wait_for("going on, deliveries cannot be pushed")
        self.assertEqual(leat.output().count("deliveries cannot be pushed"), 2, leat.output())

    def test_no_partial_metrics_by_default(self):
        leat = self.bridge("--metricsPartialInterval", 50)
        self.request("c", "r")
        self.response("c", "r", "a1")
        self.deliver("a1")
        self.await_counts(delivered=1)
        self.assertEqual(leat.stop(), 0)
        self.assertNotIn("partial metrics", leat.output())


    def test_who_follows_a_correlator_finds_it_in_the_log(self):
        leat = self.bridge("--log-level", "debug")
        self.request("c", "r", corr="one")
        self.response("c", "r", "a1", corr="two")
        self.put('{"type":"nothing","corr":"three"}')
        self.deliver("a1")
        self.await_counts(delivered=1)
        for line in ('REGISTERED corr="one" message=', 'CLAIMED corr="two" message=', 'Invalid corr="three" message='):
            leat.wait_for(line)

    def test_no_messages_in_the_log_by_default(self):
        leat = self.bridge()
        self.request("c", "r")
        self.response("c", "r", "a1", corr="two")
        self.deliver("a1")
        self.await_counts(delivered=1)
        self.assertNotIn("two", leat.output())


class Settings(BridgeCase):
    NUMBERS = {"AWAITED_MESSAGE_TTL": "awaitedMessageTtl", "AWAITED_MESSAGES_BY_TURN": "awaitedMessagesByTurn",
               "AWAITED_MESSAGES_INTERVAL": "awaitedMessagesInterval", "AWAITED_RETRIES_FACTOR": "awaitedRetriesFactor",
               "AWAITED_TIME_WHEN_RETRIES_END": "awaitedTimeWhenRetriesEnd", "CHECK_QUEUE_INTERVAL": "checkQueueInterval",
               "CONCURRENT": "concurrent", "CONCURRENT_FACTOR": "concurrentFactor", "INTERVAL": "interval", "MAX_PENDING_TTL": "maxPendingTtl",
               "MAX_PENDING_TTL_MARGIN": "maxPendingTtlMargin", "MAX_RETRIES": "maxRetries", "MESSAGE_TTL": "messageTtl",
               "SENT_MESSAGE_TTL": "sentMessageTtl", "METRICS_PARTIAL_INTERVAL": "metricsPartialInterval"}

    def message_ttl(self, *words, env=None, file=None):
        """Of a bridge that is run so, as Redis has it, and what was said."""
        self.db.flushall()
        words = [self.file("b.yaml", file), *words] if file else words
        leat = self.leat("bridge", *words, "--redis", self.redis.url, env=env)
        leat.wait_for("taking")
        self.request("c", "r")
        self.await_counts(requests=1)
        left = self.db.pttl(QUEUE + "req:r")
        leat.stop()
        return -(-left // 1000) * 1000, leat.output()

    def refused(self, *words, env=None, file=None):
        words = [self.file("b.yaml", file), *words] if file else words
        run = self.run_leat("bridge", "--redis", self.redis.url, *words, env=env, timeout=10)
        self.assertEqual(run.returncode, 2, run.stderr)
        return run.stderr

    def test_a_flag_wins_over_the_environment_and_that_over_the_file(self):
        file, env = "messageTtl: 20000\n", {"AURA_QUEUE_MANAGER_MESSAGE_TTL": "30000"}
        self.assertEqual(self.message_ttl()[0], 10_000)
        self.assertEqual(self.message_ttl(file=file)[0], 20_000)
        self.assertEqual(self.message_ttl(file=file, env=env)[0], 30_000)
        self.assertEqual(self.message_ttl("--messageTtl", 40_000, file=file, env=env)[0], 40_000)

    def test_the_misspelt_name_works_with_a_warning_and_the_right_one_wins(self):
        ttl, said = self.message_ttl(env={"AURA_QUEUE_QUEUE_MANAGER_MESSAGE_TTL": "20000"})
        self.assertEqual(ttl, 20_000)
        self.assertIn("AURA_QUEUE_QUEUE_MANAGER_MESSAGE_TTL: warning: the name is AURA_QUEUE_MANAGER_MESSAGE_TTL\n", said)
        ttl, said = self.message_ttl(env={"AURA_QUEUE_QUEUE_MANAGER_MESSAGE_TTL": "20000", "AURA_QUEUE_MANAGER_MESSAGE_TTL": "30000"})
        self.assertEqual(ttl, 30_000)
        self.assertIn("AURA_QUEUE_QUEUE_MANAGER_MESSAGE_TTL: warning: the name is AURA_QUEUE_MANAGER_MESSAGE_TTL, which is set, and wins", said)

    def test_numbers_in_groups_of_three_are_read_with_a_warning(self):
        for how, place in (({"env": {"AURA_QUEUE_MANAGER_MESSAGE_TTL": "900.000"}}, "AURA_QUEUE_MANAGER_MESSAGE_TTL"),
                           ({"file": "messageTtl: 900.000\n"}, "b.yaml:1:13"), ({"file": "messageTtl: '900.000'\n"}, "b.yaml:1:13")):
            ttl, said = self.message_ttl(**how)
            self.assertEqual(ttl, 900_000)
            self.assertIn(f"{place}: warning: messageTtl: 900.000 is read as 900000", said)
        for odd in ("900.0", "0.5", "1.0000", "1234.000", ".000", "9.00.000", "900,000", "1234.0", "900.000ms"):
            self.assertIn("AURA_QUEUE_MANAGER_MESSAGE_TTL: error: messageTtl",
                          self.refused(env={"AURA_QUEUE_MANAGER_MESSAGE_TTL": odd}), odd)

    def test_every_variable_of_the_original_is_known_and_nonsense_is_refused_by_its_name(self):
        for prefix in ("AURA_QUEUE_MANAGER_", "AURA_QUEUE_QUEUE_MANAGER_"):
            said = self.refused(env={prefix + name: "soon" for name in self.NUMBERS})
            for name, setting in self.NUMBERS.items():
                self.assertIn(f"{prefix}{name}: error: {setting}: expected a", said)
        said = self.refused(env={"AURA_QUEUE_MANAGER_" + name: "0" for name in self.NUMBERS})
        for name, setting in self.NUMBERS.items():
            self.assertRegex(said, f"(?m)^AURA_QUEUE_MANAGER_{name}: error: .*{setting}")
        self.assertIn("AURA_LOGGING_EXTRA_TIME_METRICS: error", self.refused(env={"AURA_LOGGING_EXTRA_TIME_METRICS": "maybe"}))

    def test_every_default_of_the_page_is_accepted_as_it_is_printed_there(self):
        page = {"AWAITED_MESSAGE_TTL": "900.000", "AWAITED_MESSAGES_BY_TURN": "15", "AWAITED_MESSAGES_INTERVAL": "20.000",
                "AWAITED_RETRIES_FACTOR": "1", "AWAITED_TIME_WHEN_RETRIES_END": "5000", "CHECK_QUEUE_INTERVAL": "1000", "CONCURRENT": "25",
                "CONCURRENT_FACTOR": "2", "INTERVAL": "200", "MAX_PENDING_TTL": "30.000", "MAX_PENDING_TTL_MARGIN": "5.000", "MAX_RETRIES": "100",
                "MESSAGE_TTL": "10.000", "SENT_MESSAGE_TTL": "5.000", "METRICS_PARTIAL_INTERVAL": "30.000", "DATABASE": "REDIS"}
        self.assertEqual(set(page), {*self.NUMBERS, "DATABASE"})
        ttl, said = self.message_ttl(env={"AURA_QUEUE_MANAGER_" + name: value for name, value in page.items()})
        self.assertEqual(ttl, 10_000)
        self.assertEqual(said.count("is read as"), 7)
        self.assertNotIn("error", said)

    def test_mongodb_is_refused_in_a_sentence(self):
        for how in ({"env": {"AURA_QUEUE_MANAGER_DATABASE": "MONGODB"}}, {"file": "database: MONGODB\n"}):
            self.assertIn("leat keeps conversations in Redis only; MONGODB, the default of the original, is not supported.", self.refused(**how))
        self.assertIn("AURA_QUEUE_MANAGER_DATABASE: error", self.refused(env={"AURA_QUEUE_MANAGER_DATABASE": "POSTGRES"}))

    def test_times_that_cannot_be(self):
        for words, told in ((("--maxPendingTtlMargin", 30_000), "error: maxPendingTtlMargin must be smaller than maxPendingTtl"),
                            (("--awaitedMessageTtl", 30_000), "error: awaitedMessageTtl must be larger than maxPendingTtl"),
                            (("--sentMessageTtl", 900_001), "error: sentMessageTtl must not be larger than awaitedMessageTtl"),
                            (("--in", "bridge:queue:in"), "--in: error"), (("--prefix", "bridge:"), "error"), (("--in", "bridge:out:x"), "out"),
                            (("--answers", "bridge:in"), "bridge:in"), (("--messageTtl", 86_400_001), "--messageTtl: error")):
            self.assertIn(told, self.refused(*words), words)
        self.assertIn("maxRetries * interval is not smaller", self.message_ttl("--interval", 250)[1])

    def test_other_names_for_everything(self):
        self.bridge("--in", "chat:in", "--out", "chat:out", "--answers", "chat:answers", "--prefix", "chat:q:")
        self.db.lpush("chat:in", '{"type":"request","conversationId":"c","requestId":"r","origin":"o"}',
                      '{"type":"response","conversationId":"c","requestId":"r","responseId":"a","origin":"o"}', "x")
        delivery = json.loads(self.db.brpop("chat:out:o", 10)[1])
        self.db.lpush("chat:answers", json.dumps({"conversationId": "c", "requestId": "r", "responseId": "a", "fence": delivery["fence"], "status": "sent"}))
        eventually(lambda: self.db.hget("chat:q:counts", "delivered") == "1")
        eventually(lambda: self.db.llen("chat:in:dead") == 1)
        self.assertEqual(self.db.keys("bridge:*"), [])


class Faults(BridgeCase):
    def server_words(self):
        return ("--appendonly", "yes", "--appendfsync", "always") if "redis_comes_back" in self.id() else ()

    def test_a_list_of_an_origin_of_the_wrong_type(self):
        self.db.set("bridge:out:whatsapp", "a text")
        leat = self.bridge()
        for conversation, origin in (("c", "whatsapp"), ("d", "teams")):
            self.request(conversation, conversation, origin)
            self.response(conversation, conversation, conversation + "1", origin)
        self.deliver("d1", origin="teams")
        self.await_counts(responses=2, delivered=1)
        leat.wait_for("key=bridge:out:whatsapp")
        self.assertEqual(self.status("c1"), "PENDING")
        self.db.delete("bridge:out:whatsapp")
        delivery = self.take("c1", timeout=5)
        self.assertEqual(delivery["attempt"], 1)
        self.answer(delivery)
        self.await_counts(delivered=2)

    def test_a_delivery_that_cannot_be_pushed_waits_longer_after_so_many_tries(self):
        self.db.set("bridge:out:whatsapp", "a text")
        self.bridge("--maxRetries", 2, "--awaitedTimeWhenRetriesEnd", 60_000)
        self.request("c", "r")
        self.response("c", "r", "a1")
        self.await_status("a1", "AWAITED")
        self.await_counts(retriesEnded=1)
        self.assertGreater(self.db.zscore(PENDING, min_info("r", "a1", "c")), self.db.time()[0] + 30)
        seen = self.run_leat("inspect", "bridge", "c", "--redis", self.redis.url)
        self.assertIn("cannot be pushed to; next look in", seen.stdout)

    def test_what_waited_because_it_could_not_be_pushed_is_tried_again(self):
        self.db.set("bridge:out:whatsapp", "a text")
        self.bridge("--maxRetries", 1, "--awaitedTimeWhenRetriesEnd", 300)
        self.request("c", "r")
        self.response("c", "r", "a1")
        self.await_status("a1", "AWAITED")
        self.db.delete("bridge:out:whatsapp")
        delivery = self.take("a1")
        self.assertEqual(delivery["attempt"], 1)
        self.answer(delivery)
        self.await_counts(delivered=1)

    def test_a_key_of_a_conversation_of_the_wrong_type(self):
        for broken in ("c", "c:req", "c:lock", "req:rc", "res:c1"):
            with self.subTest(broken):
                self.db.flushall()
                leat = self.bridge("--retry.first", 0.05, "--retry.max", 0.2, "--maxDeliveries", 1000, name=broken)
                self.db.lpush(QUEUE + broken, "x") if broken != "c:req" else self.db.set(QUEUE + broken, "x")
                self.request("c", "rc")
                self.response("c", "rc", "c1")
                self.request("d", "rd")
                self.response("d", "rd", "d1")
                self.deliver("d1")
                self.await_counts(delivered=1)
                self.assertEqual(self.waiting(), [])
                self.db.delete(QUEUE + broken)
                self.deliver("c1")
                self.await_counts(delivered=2, responses=2)
                self.assertEqual(leat.stop(), 0)

    def test_a_key_that_breaks_while_a_delivery_is_on_its_way(self):
        """Told or not, each is delivered, and told once."""
        for broken, name in itertools.product(("c", "c:req", "req:r", "res:a1", "res:a2"), (None, "n1")):
            with self.subTest(broken, name=name):
                self.db.flushall()
                leat = self.bridge("--retry.first", 0.05, "--retry.max", 0.2, "--maxDeliveries", 1000, "--maxPendingTtl", 1500,
                                   "--maxPendingTtlMargin", 100, name=f"{broken}-{name}")
                self.request("c", "r")
                self.response("c", "r", "a1")
                self.response("c", "r", "a2")
                self.await_counts(responses=2)
                first = self.take("a1")
                if name:
                    self.answer(first, asyncResponseId=name)
                    self.await_status("a1", "SENT")
                self.db.rename(QUEUE + broken, "kept")
                self.db.lpush(QUEUE + broken, "x") if broken != "c:req" else self.db.set(QUEUE + broken, "x")
                self.ack(name) if name else self.answer(first)
                self.request("d", "rd", "teams")
                self.response("d", "rd", "d1", "teams")
                self.deliver("d1", origin="teams")
                eventually(lambda: ("delivered", "d1") in self.events())
                self.await_settled() if broken in ("req:r", "res:a1") and not name else None
                self.db.rename("kept", QUEUE + broken) if self.db.exists(QUEUE + broken) else self.db.delete("kept")
                taken = self.take(timeout=5)
                if taken["responseId"] == "a1":  # its outcome got lost: delivered again
                    self.answer(taken)
                    taken = self.take(timeout=5)
                self.assertEqual(taken["responseId"], "a2")
                self.answer(taken)
                eventually(lambda: not self.db.exists(PENDING, QUEUE + "c", QUEUE + "c:req", QUEUE + "c:lock"), 5,
                           lambda: f"nothing left; there is {self.messages()}")
                self.assertEqual(sorted(self.events()), [("delivered", each) for each in ("a1", "a2", "d1")])
                self.assertEqual(leat.stop(), 0)

    def test_a_lease_that_ends_makes_room_though_nobody_says_anything(self):
        self.bridge("--concurrent", 1, "--concurrentFactor", 1, "--maxPendingTtl", 1000, "--maxPendingTtlMargin", 200)
        self.request("c", "r")
        self.response("c", "r", "a1")
        first = self.take("a1")
        again = self.take("a1", timeout=4)
        self.assertGreater(again["fence"], first["fence"])

    def test_a_gateway_that_is_away_holds_up_no_other(self):
        self.bridge("--concurrent", 2, "--concurrentFactor", 1, "--maxPendingTtl", 1000, "--maxPendingTtlMargin", 500)
        for n in range(10):
            self.request(f"c{n}", f"r{n}", "down")
            self.response(f"c{n}", f"r{n}", f"a{n}", "down")
        self.await_counts(responses=10)
        self.request("d", "s", "up")
        self.response("d", "s", "b1", "up")
        self.answer(self.take("b1", "up", timeout=3))
        self.await_counts(delivered=1)
        eventually(lambda: len(self.waiting("down")) == 10)
        seen = self.run_leat("inspect", "bridge", "c0", "--redis", self.redis.url)
        self.assertIn("a0 waits for its gateway: the list of down", seen.stdout)

    def test_an_outcome_that_cannot_be_written_makes_no_room(self):
        self.bridge("--concurrent", 1, "--concurrentFactor", 1, "--retry.first", 0.1, "--retry.factor", 1, "--maxDeliveries", 3)
        self.request("c", "r")
        self.response("c", "r", "a1")
        first = self.take("a1")
        self.request("d", "s")
        self.response("d", "s", "b1")
        self.await_status("b1", "WAITING")
        self.db.rename(QUEUE + "c", "kept")
        self.db.set(QUEUE + "c", "x")
        self.answer(first)
        eventually(lambda: self.db.llen("bridge:in:dead") == 1)
        self.assertIn("WRONGTYPE", self.story(self.db.lindex("bridge:in:dead", 0))["reason"])
        self.assertEqual((self.waiting(), self.status("b1")), ([], "WAITING"))
        self.db.rename("kept", QUEUE + "c")
        self.answer(first)
        self.take("b1")
        self.await_counts(delivered=1)

    def test_pending_messages_of_the_wrong_type(self):
        self.db.set(PENDING, "a text")
        leat = self.bridge()
        self.request("c", "r")
        self.response("c", "r", "a1")
        leat.wait_for(f"key={PENDING}")
        self.db.delete(PENDING)
        self.deliver("a1")
        self.await_counts(delivered=1, requests=1, responses=1)
        self.assertEqual(self.db.exists("bridge:in:dead"), 0)

    def test_redis_comes_back(self):
        leat = self.bridge()
        self.request("c", "r")
        for each in ("a1", "a2"):
            self.response("c", "r", each)
        self.await_counts(responses=2)
        first = self.take("a1")
        self.redis.stop()
        leat.wait_for("Redis does not answer")
        self.redis.start()
        self.db = self.client()
        self.answer(first)
        self.deliver("a2")
        self.response("c", "r", "a3")
        self.deliver("a3")
        self.await_counts(delivered=3, responses=3)
        self.await_settled()
        self.assertEqual(leat.stop(), 0)

    def test_a_full_redis_loses_nothing(self):
        leat = self.bridge()
        self.request("c", "r")
        self.response("c", "r", "a1")
        first = self.take("a1")
        leat.process.send_signal(signal.SIGSTOP)
        self.answer(first)
        for each in ("a2", "a3"):
            self.response("c", "r", each)
        self.request("d", "s")
        self.response("d", "s", "b1")
        self.db.config_set("maxmemory", 1)
        leat.process.send_signal(signal.SIGCONT)
        leat.wait_for("OOM")
        self.assertEqual(leat.process.poll(), None)
        self.db.config_set("maxmemory", 0)
        taken = [self.take(), self.take()]
        self.assertEqual({each["responseId"] for each in taken}, {"a2", "b1"})
        for each in taken:
            self.answer(each)
        self.deliver("a3")
        self.await_counts(delivered=4, responses=4, requests=2)
        self.assertEqual(self.db.exists("bridge:in:dead"), 0)
        self.await_settled()

    def test_what_is_due_goes_on_in_a_full_redis(self):
        leat = self.bridge("--sentMessageTtl", 500)
        self.request("c", "r")
        self.response("c", "r", "a1")
        self.response("c", "r", "a2")
        self.answer(self.take("a1"), asyncResponseId="n1")
        self.await_status("a1", "SENT")
        self.db.config_set("maxmemory", 1)
        self.take("a2", timeout=5)  # nobody acknowledged, and the agent may write
        self.db.config_set("maxmemory", 0)
        self.await_counts(noAck=1)
        self.assertEqual(leat.stop(), 0)

    def test_a_signal_ends_it_at_once(self):
        leat = self.bridge("--popTimeout", 30)
        self.request("c", "r")
        self.response("c", "r", "a1")
        self.response("c", "r", "a2")
        self.take("a1")
        for number in range(2000):
            self.db.lpush("bridge:in", '{"type":"request","conversationId":"c%d","requestId":"s%d","origin":"o"}' % (number, number))
        began = time.monotonic()
        self.assertEqual(leat.stop(), 0)
        self.assertLess(time.monotonic() - began, 3)
        self.assertEqual([key for key in self.db.keys("bridge:*pending*") if not key.endswith(":id") and key != PENDING], [])
        self.bridge()
        self.await_counts(requests=2001)

    def test_a_remote_shutdown(self):
        leat = self.bridge("--serviceNamespace", "ns")
        eventually(lambda: self.db.exists("ns:service:1"))
        self.db.delete("ns:service:1")
        began = time.monotonic()
        self.assertEqual(leat.exit_code(), 0)
        self.assertLess(time.monotonic() - began, 3)

    def test_waits_end_when_the_listener_has_nothing_to_hear(self):
        """Dates alone wake it: another instance, which is gone, has set them."""
        gone = self.bridge("--maxPendingTtl", 600, "--maxPendingTtlMargin", 100)
        self.request("c", "r")
        self.response("c", "r", "a1")
        self.take("a1")
        gone.process.kill()
        gone.process.wait()
        self.bridge("--awaitedMessagesInterval", 86_400_000, "--interval", 86_400_000, name="second")
        self.assertEqual(self.take("a1", timeout=5)["attempt"], 2)


class Instances(BridgeCase):
    def test_two_share_the_work(self):
        """Each may have one delivery on its way: so there are two, one of each."""
        words = ("--concurrent", 1, "--concurrentFactor", 1)
        both = [self.bridge(*words, name=f"b{number}") for number in range(2)]
        for number in range(6):
            self.request(f"c{number}", f"r{number}")
            self.response(f"c{number}", f"r{number}", f"a{number}")
        self.await_counts(responses=6)
        eventually(lambda: len(self.waiting()) == 2, 10, self.waiting)
        locks = self.db.keys(QUEUE + "*:lock")
        self.assertEqual(len({json.loads(self.db.get(each))["owner"] for each in locks}), 2)
        seen = []
        for _ in range(6):
            delivery = self.take()
            seen.append(delivery["responseId"])
            self.answer(delivery)
        self.await_counts(delivered=6)
        self.assertEqual(sorted(seen), [f"a{number}" for number in range(6)])
        for each in both:
            self.assertEqual(each.stop(), 0)

    def test_every_conversation_is_in_order_whoever_does_it(self):
        for number in range(3):
            self.bridge("--concurrency", 3, name=f"b{number}")
        conversations = [f"c{number}" for number in range(20)]
        for request, each in itertools.product("rst", conversations):
            self.request(each, f"{each}-{request}")
        self.await_counts(requests=60)
        for reply, request, each in itertools.product("12", "tsr", conversations):
            self.response(each, f"{each}-{request}", f"{each}-{request}{reply}")
            self.await_settled() if each == conversations[-1] else None
        seen = {each: [] for each in conversations}
        for _ in range(120):
            delivery = self.take()
            seen[delivery["conversationId"]].append(delivery["responseId"])
            self.answer(delivery)
        self.await_counts(delivered=120, responses=120)
        for each, order in seen.items():
            self.assertEqual(order, [f"{each}-{request}{reply}" for request in "rst" for reply in "12"])
        self.assertEqual(self.db.exists(PENDING), 0)

    def test_another_takes_the_outcome_when_one_is_killed(self):
        killed = self.bridge(name="killed")
        self.request("c", "r")
        self.response("c", "r", "a1")
        self.response("c", "r", "a2")
        first = self.take("a1")
        self.await_settled()
        killed.process.kill()
        killed.process.wait()
        self.bridge(name="second")
        self.answer(first)
        self.deliver("a2")
        self.await_counts(delivered=2)

    def test_room_for_so_many_deliveries_and_no_more(self):
        self.bridge("--concurrent", 2, "--concurrentFactor", 3)
        for number in range(20):
            self.request(f"c{number}", f"r{number}")
            self.response(f"c{number}", f"r{number}", f"a{number}")
        self.await_counts(responses=20)
        self.assertEqual(self.waiting(), [f"a{number}" for number in range(6)])
        self.assertEqual(self.status("a6"), "WAITING")
        taken = set()
        for _ in range(20):
            delivery = self.take()
            taken.add(delivery["responseId"])
            self.answer(delivery)
        self.await_counts(delivered=20)
        self.assertEqual(len(taken), 20)


if __name__ == "__main__":
    unittest.main()
