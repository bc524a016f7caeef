"""The situations of the original's page on the synchronization of response messages, in its order and with its ids, against a
running bridge: keys, types, fields and times to live. Each test says where the page contradicts itself or was corrected."""
import json
import time
import unittest

from bridge_case import PENDING, QUEUE, BridgeCase, min_info
from leat_testing import eventually

REQUEST_FIELDS = {"conversationId", "origin", "requestId", "requestTimestamp", "status", "responseIdCounter", "expiresAtTS"}
RESPONSE_FIELDS = {"conversationId", "origin", "requestId", "responseId", "requestTimestamp", "responseTimestamp", "status",
                   "expiresAtTS", "awaitedToDateTS", "awaitedRetries", "taskItem"}
T = 1_700_000_000_000  # a requestTimestamp: milliseconds


class Page(BridgeCase):
    def requests(self):
        """rq-message-1 and rq-message-2 of conv-01, rq-message-3 of conv-02: as the page has them."""
        self.request("conv-01", "rq-message-1", requestTimestamp=T)
        self.request("conv-01", "rq-message-2", requestTimestamp=T + 5)
        self.request("conv-02", "rq-message-3", requestTimestamp=T + 7)
        self.await_counts(requests=3)

    def two_replies(self):
        """res-message-1-1 is with its gateway, res-message-1-2 behind it."""
        self.request("conv-01", "rq-message-1", requestTimestamp=T)
        self.response("conv-01", "rq-message-1", "res-message-1-1")
        self.response("conv-01", "rq-message-1", "res-message-1-2")
        self.await_counts(responses=2)
        return self.take("res-message-1-1")

    def assert_ttl(self, key, milliseconds):
        """That it was set to so much, a moment ago."""
        left = self.db.pttl(QUEUE + key)
        self.assertTrue(milliseconds - 3000 < left <= milliseconds, f"{key} {left}")

    def conversation(self, name):
        return self.db.zrange(QUEUE + name, 0, -1, withscores=True)

    def pending(self):
        return [member for member, _ in self.db.zrange(PENDING, 0, -1, withscores=True)]

    def list(self, conversation):
        return self.db.lrange(f"{QUEUE}{conversation}:req", 0, -1)


class RequestMessage(Page):
    def test_a_request(self):
        """The example's expiresAtTS fits no setting (H25): it is compared with the clock and MESSAGE_TTL."""
        self.bridge()
        before = int(time.time())
        self.request("conv-01", "rq-message-1", requestTimestamp=1)
        self.await_counts(requests=1)
        self.assertEqual(self.messages(), [QUEUE + "conv-01:req", QUEUE + "req:rq-message-1"])
        self.assertEqual(self.db.type(QUEUE + "req:rq-message-1"), "hash")
        fields = self.fields("req", "rq-message-1")
        self.assertTrue(before + 10 <= int(fields.pop("expiresAtTS")) <= time.time() + 10)
        self.assertEqual(fields, {"conversationId": "conv-01", "origin": "whatsapp", "requestId": "rq-message-1",
                                  "requestTimestamp": "1", "status": "WAITING", "responseIdCounter": "0"})
        self.assertEqual(self.db.type(QUEUE + "conv-01:req"), "list")
        self.assertEqual(self.list("conv-01"), [QUEUE + "req:rq-message-1"])
        self.assert_ttl("req:rq-message-1", 10_000)
        self.assert_ttl("conv-01:req", 10_000)

    def test_another_message_of_the_same_user(self):
        """Whatever the clocks say, its requestTimestamp is after that of the first (H3)."""
        self.bridge()
        self.request("conv-01", "rq-message-1", requestTimestamp=T)
        self.request("conv-01", "rq-message-2", requestTimestamp=T)
        self.await_counts(requests=2)
        self.assertEqual(self.list("conv-01"), [QUEUE + "req:rq-message-1", QUEUE + "req:rq-message-2"])
        for name in ("rq-message-1", "rq-message-2"):
            self.assertEqual(set(self.fields("req", name)), REQUEST_FIELDS)
        self.assertEqual(self.fields("req", "rq-message-1")["requestTimestamp"], str(T))
        self.assertEqual(self.fields("req", "rq-message-2")["requestTimestamp"], str(T + 1))

    def test_a_message_of_another_user(self):
        self.bridge()
        self.requests()
        self.assertEqual(self.list("conv-01"), [QUEUE + "req:rq-message-1", QUEUE + "req:rq-message-2"])
        self.assertEqual(self.list("conv-02"), [QUEUE + "req:rq-message-3"])
        self.assertEqual(self.messages(), [QUEUE + each for each in (
            "conv-01:req", "conv-02:req", "req:rq-message-1", "req:rq-message-2", "req:rq-message-3")])

    def test_an_async_callback_carries_the_id_of_its_request_which_is_reused(self):
        self.bridge()
        self.request("conv-01", "rq-message-1", requestTimestamp=T)
        self.request("conv-01", "rq-message-1", requestTimestamp=T + 9)
        self.response("conv-01", "rq-message-1", "res-message-1-1")
        self.deliver("res-message-1-1")
        self.await_counts(requests=1, delivered=1)
        self.assertEqual(self.db.exists(QUEUE + "conv-01:req"), 0)


class ResponseMessage(Page):
    def test_a_response(self):
        """It is under its own id, not its request's (H25); the score's fraction is its number / 4096, which a double holds
        exactly (H1, H2); what belongs to a response is kept until leat ends it by expiresAtTS, and not until its key expires
        (H7); the request is kept as long as its replies (H6); its counter is responseIdCounter, not requestIdCounter (H24); awaitedToDateTS
        is when its lease ends, not when it expires. The key of the lease is ours."""
        self.bridge()
        self.requests()
        before = int(time.time())
        self.response("conv-01", "rq-message-1", "res-message-1-1", responseTimestamp=T + 12, corr="corr-1")
        delivery = self.take("res-message-1-1")
        member = min_info("rq-message-1", "res-message-1-1", "conv-01")
        self.assertEqual(member, '{"rqId":"rq-message-1","rsId":"res-message-1-1","cnId":"conv-01"}')

        key = QUEUE + "res:res-message-1-1"
        self.assertEqual(self.db.type(key), "hash")
        fields = self.db.hgetall(key)
        self.assertEqual(set(fields), RESPONSE_FIELDS | {"sentAttempt", "fence"})
        self.assertEqual(int(fields.pop("fence")), delivery["fence"])
        self.assertTrue(before + 900 <= int(fields.pop("expiresAtTS")) <= time.time() + 900)
        awaited_to = int(fields.pop("awaitedToDateTS"))
        self.assertTrue(before + 30 <= awaited_to <= time.time() + 30)
        self.assertEqual(json.loads(fields.pop("taskItem")), {"corr": "corr-1", "body": {"text": "res-message-1-1"}})
        self.assertEqual(fields, {"conversationId": "conv-01", "origin": "whatsapp", "requestId": "rq-message-1",
                                  "responseId": "res-message-1-1", "requestTimestamp": str(T), "responseTimestamp": str(T + 12),
                                  "status": "PENDING", "awaitedRetries": "0", "sentAttempt": "1"})

        self.assertEqual(self.db.type(QUEUE + "conv-01"), "zset")
        self.assertEqual(self.conversation("conv-01"), [(member, T + 1 / 4096)])
        self.assertEqual(self.db.type(PENDING), "zset")
        ((found, score),) = self.db.zrange(PENDING, 0, -1, withscores=True)
        self.assertEqual((found, int(score)), (member, awaited_to))
        for each in ("res:res-message-1-1", "conv-01", "req:rq-message-1", "conv-01:req"):
            self.assert_ttl(each, 604_800_000)
        self.assertEqual(self.db.ttl(PENDING), -1)
        request = self.fields("req", "rq-message-1")
        self.assertEqual((request["status"], request["responseIdCounter"]), ("PENDING", "1"))
        lock = json.loads(self.db.get(QUEUE + "conv-01:lock"))
        self.assertEqual((lock["tok"], lock["rs"]), (delivery["fence"], "res-message-1-1"))
        self.assert_ttl("conv-01:lock", 30_000)

        self.assertEqual({name: delivery[name] for name in ("conversationId", "requestId", "origin", "order", "attempt", "corr", "body")},
                         {"conversationId": "conv-01", "requestId": "rq-message-1", "origin": "whatsapp", "order": f"{T}.1",
                          "attempt": 1, "corr": "corr-1", "body": {"text": "res-message-1-1"}})
        self.assertTrue((before + 25) * 1000 <= delivery["deadline"] <= (time.time() + 25) * 1000)

    def test_another_response_to_the_same_request(self):
        """Two of the same millisecond have their order all the same (H1); the example gives both the index 0."""
        self.bridge()
        self.request("conv-01", "rq-message-1", requestTimestamp=T)
        for number in (1, 2):
            self.response("conv-01", "rq-message-1", f"res-message-1-{number}", responseTimestamp=T + 9999)
        self.await_counts(responses=2)
        members = [min_info("rq-message-1", f"res-message-1-{number}", "conv-01") for number in (1, 2)]
        self.assertEqual(self.conversation("conv-01"), [(members[0], T + 1 / 4096), (members[1], T + 2 / 4096)])
        self.assertEqual(sorted(self.pending()), members)
        self.assertEqual(self.fields("req", "rq-message-1")["responseIdCounter"], "2")
        self.assertEqual(set(self.fields("res", "res-message-1-2")), RESPONSE_FIELDS | {"sentAttempt"})

    def test_a_response_to_another_request(self):
        """The page answers rq-message-2 in conv-02, but asked it in conv-01 (H25): it is rq-message-3 that conv-02 has. Asked
        in the page's way, it is refused."""
        self.bridge()
        self.requests()
        self.response("conv-01", "rq-message-1", "res-message-1-1")
        self.response("conv-01", "rq-message-1", "res-message-1-2")
        self.response("conv-02", "rq-message-3", "res-message-3-1")
        self.await_counts(responses=3)
        member = min_info("rq-message-3", "res-message-3-1", "conv-02")
        self.assertEqual(self.conversation("conv-02"), [(member, T + 7 + 1 / 4096)])
        self.assertEqual(sorted(self.pending()), [min_info("rq-message-1", "res-message-1-1", "conv-01"),
                                                  min_info("rq-message-1", "res-message-1-2", "conv-01"), member])
        self.assertEqual(self.waiting(), ["res-message-1-1", "res-message-3-1"])  # no conversation waits for another

        self.response("conv-02", "rq-message-2", "res-message-2-1")
        eventually(lambda: self.db.llen("bridge:in:dead") == 1)
        story = self.story(self.db.lindex("bridge:in:dead", 0))
        self.assertEqual((story["name"], story["reason"]), ("CONFLICT", "the request belongs to another conversation or origin"))
        self.assertEqual(self.db.exists(QUEUE + "res:res-message-2-1"), 0)

    def test_retries_are_not_lost_when_it_is_quiet_for_the_life_of_a_request(self):
        """pendingMessages does not expire after MESSAGE_TTL, as the tables have it (H7)."""
        self.bridge("--messageTtl", 300)
        self.two_replies()
        self.request("conv-02", "rq-message-3")
        self.await_counts(requests=2)
        self.await_gone(QUEUE + "req:rq-message-3", timeout=3)
        self.assertEqual(len(self.pending()), 2)
        self.assertEqual(self.list("conv-01"), [QUEUE + "req:rq-message-1"])


class Validation(Page):
    def test_an_earlier_request_without_a_response_is_waited_for(self):
        self.bridge()
        self.requests()
        self.response("conv-01", "rq-message-2", "res-message-2-1")
        self.await_counts(responses=1)
        self.assertEqual(self.waiting(), [])
        self.response("conv-01", "rq-message-1", "res-message-1-1")
        self.await_counts(responses=2)
        self.assertEqual(self.waiting(), ["res-message-1-1"])
        self.deliver("res-message-1-1", "res-message-2-1")
        self.await_counts(delivered=2)

    def test_a_request_that_is_gone_is_passed_over(self):
        """The page has that for responses only: a request that never gets a reply would block its conversation (H4)."""
        self.bridge("--messageTtl", 500)
        self.request("conv-01", "rq-message-1")
        self.request("conv-01", "rq-message-2")
        self.response("conv-01", "rq-message-2", "res-message-2-1")
        self.await_counts(responses=1)
        self.assertEqual(self.waiting(), [])
        self.take("res-message-2-1", timeout=3)
        self.assertEqual(self.list("conv-01"), [QUEUE + "req:rq-message-2"])

    def test_case_1_the_first_in_the_list_goes(self):
        self.bridge()
        self.two_replies()
        self.assertEqual(self.waiting(), [])

    def test_case_2_when_the_first_is_another_that_exists_it_waits(self):
        """The page says that the request waits then; it is the response."""
        self.bridge()
        first = self.two_replies()
        self.assertEqual(self.status("res-message-1-2"), "PENDING")
        self.assertEqual(self.waiting(), [])
        self.answer(first)
        self.take("res-message-1-2")
        self.assertEqual(self.conversation("conv-01"), [(min_info("rq-message-1", "res-message-1-2", "conv-01"), T + 2 / 4096)])

    def test_case_3_when_the_first_is_gone_it_is_removed_and_checked_again(self):
        self.bridge("--awaitedRetriesFactor", 0.02)
        first = self.two_replies()
        self.answer(first, "recoverable")
        self.await_status("res-message-1-2", "AWAITED")
        self.assertEqual(self.db.delete(QUEUE + "res:res-message-1-1"), 1)
        self.take("res-message-1-2", timeout=3)
        self.assertEqual(self.conversation("conv-01"), [(min_info("rq-message-1", "res-message-1-2", "conv-01"), T + 2 / 4096)])
        self.assertEqual(self.pending(), [min_info("rq-message-1", "res-message-1-2", "conv-01")])
        self.assertEqual(self.events(), [("expired", "res-message-1-1")])

    def test_a_request_leaves_the_list_when_the_last_of_its_responses_is_delivered(self):
        """The page does not say who removes it (H8). What stays is for a reply that comes twice or late."""
        self.bridge("--dedupTtl", 400)
        first = self.two_replies()
        self.answer(first)
        second = self.take("res-message-1-2")
        self.assertEqual(self.list("conv-01"), [QUEUE + "req:rq-message-1"])
        self.answer(second)
        self.await_counts(delivered=2)
        self.assertEqual([key for key in self.messages() if key != QUEUE + "req:rq-message-1"], [])
        self.await_gone(QUEUE + "req:rq-message-1", timeout=3)


class Awaited(Page):
    def test_a_recoverable_error_puts_the_whole_group_off(self):
        """One date for the group: MAX_PENDING_TIME of the formula is MAX_PENDING_TTL, the first retry is number 1 (H24)."""
        self.bridge()
        first = self.two_replies()
        before = time.time()
        self.answer(first, "recoverable", reason="503")
        self.await_counts(awaited=2)
        dates = set()
        for number in (1, 2):
            fields = self.fields("res", f"res-message-1-{number}")
            self.assertEqual((fields["status"], fields["awaitedRetries"], fields["reason"]), ("AWAITED", "0", "503"))
            score = self.db.zscore(PENDING, min_info("rq-message-1", f"res-message-1-{number}", "conv-01"))
            self.assertEqual(int(score), int(fields["awaitedToDateTS"]))
            dates.add(score)
        (date,) = dates
        self.assertTrue(before + 29.9 <= date <= time.time() + 30, date - before)
        self.assertEqual(self.db.exists(QUEUE + "conv-01:lock"), 0)
        self.assertEqual(self.db.ttl(PENDING), -1)
        self.assertEqual(self.waiting(), [])

    def test_the_rest_of_the_conversation_waits_behind_it_and_others_do_not(self):
        self.bridge()
        self.requests()
        self.response("conv-01", "rq-message-1", "res-message-1-1")
        self.response("conv-01", "rq-message-2", "res-message-2-1")
        self.answer(self.take("res-message-1-1"), "recoverable")
        self.await_counts(awaited=1)
        self.response("conv-02", "rq-message-3", "res-message-3-1")
        self.take("res-message-3-1")
        self.assertEqual(self.status("res-message-2-1"), "PENDING")
        self.assertEqual(self.waiting(), [])

    def test_it_is_collected_when_it_is_due_and_locked_for_others(self):
        """The pause grows with each retry: currentRetry * MAX_PENDING_TTL * AWAITED_RETRIES_FACTOR. The page wants it blocked,
        but has no key for that: it is the lease, and the score goes to its end (H11)."""
        self.bridge("--awaitedRetriesFactor", 0.01)  # 300 ms
        first = self.two_replies()
        member = min_info("rq-message-1", "res-message-1-1", "conv-01")
        for retry in (1, 2):
            self.answer(first, "recoverable")
            self.await_status("res-message-1-1", "AWAITED")
            due = self.db.zscore(PENDING, member)
            again = self.take("res-message-1-1", timeout=5)
            now = time.time()
            self.assertTrue(due - 0.01 <= now <= due + 2, now - due)
            self.assertEqual(again["attempt"], retry + 1)
            self.assertGreater(again["fence"], first["fence"])
            self.assertAlmostEqual(due, first["fence"] / 1e6 + 0.3 * retry, delta=0.25)
            fields = self.fields("res", "res-message-1-1")
            self.assertEqual((fields["status"], fields["awaitedRetries"]), ("PENDING", str(retry)))
            self.assertAlmostEqual(self.db.zscore(PENDING, member), now + 30, delta=2)
            self.assertEqual(json.loads(self.db.get(QUEUE + "conv-01:lock"))["tok"], again["fence"])
            first = again
        self.answer(first)
        self.deliver("res-message-1-2")
        self.await_counts(delivered=2, retried=2)  # its sibling was put off with it, and tried once

    def test_what_waited_behind_others_for_too_long_is_awaited(self):
        self.bridge("--maxPendingTtl", 600, "--maxPendingTtlMargin", 100, "--messageTtl", 60_000)
        self.requests()
        self.response("conv-01", "rq-message-2", "res-message-2-1")
        self.await_counts(responses=1)
        self.assertEqual(self.status("res-message-2-1"), "PENDING")
        # Its date is the end of the wait for rq-message-1. Any look after MAX_PENDING_TTL finds that it waits too long.
        self.assertGreater(self.db.zscore(PENDING, min_info("rq-message-2", "res-message-2-1", "conv-01")), time.time() + 50)
        eventually(lambda: time.time() > int(self.fields("res", "res-message-2-1")["responseTimestamp"]) / 1000 + 0.6)
        self.db.zadd(PENDING, {min_info("rq-message-2", "res-message-2-1", "conv-01"): 1})
        self.await_status("res-message-2-1", "AWAITED")
        self.response("conv-01", "rq-message-1", "res-message-1-1")
        self.deliver("res-message-1-1", "res-message-2-1")
        self.await_counts(delivered=2)

    def test_a_delivery_without_an_outcome_is_made_again_when_its_lease_ends(self):
        """Also when whoever had it is gone; its outcome is refused then (H10)."""
        self.bridge("--maxPendingTtl", 500, "--maxPendingTtlMargin", 100)
        first = self.two_replies()
        again = self.take("res-message-1-1", timeout=3)
        self.assertGreater(again["fence"], first["fence"])
        self.assertEqual(again["attempt"], 2)
        self.answer(first)
        self.await_counts(fenced=1)
        self.answer(again)
        self.take("res-message-1-2")

    def test_after_its_life_it_is_deleted(self):
        self.bridge("--awaitedMessageTtl", 1000, "--sentMessageTtl", 1000, "--maxPendingTtl", 400, "--maxPendingTtlMargin", 100)
        first = self.two_replies()
        self.answer(first, "recoverable", retryAfter=60_000)
        self.await_counts(awaited=2)
        eventually(lambda: ("expired", "res-message-1-1") in self.events(), 5, self.events)
        self.assertEqual(self.db.exists(QUEUE + "res:res-message-1-1"), 0)


class Errors(Page):
    def test_a_non_recoverable_error_cancels_the_group(self):
        """And what still comes for the request, of which the page says nothing (H15)."""
        self.bridge()
        first = self.two_replies()
        self.request("conv-01", "rq-message-2", requestTimestamp=T + 5)
        self.response("conv-01", "rq-message-2", "res-message-2-1")
        self.await_counts(responses=3)
        self.answer(first, "fatal", reason="no such user")
        self.take("res-message-2-1")
        self.assertEqual(self.db.exists(QUEUE + "res:res-message-1-1", QUEUE + "res:res-message-1-2"), 0)
        self.assertEqual(self.list("conv-01"), [QUEUE + "req:rq-message-2"])
        self.assertEqual(self.fields("req", "rq-message-1")["status"], "CANCEL")
        self.assertEqual(self.events(), [("cancelled", "res-message-1-1"), ("cancelled", "res-message-1-2")])
        self.response("conv-01", "rq-message-1", "res-message-1-3")
        self.await_counts(late=1)
        self.assertEqual(self.db.exists(QUEUE + "res:res-message-1-3"), 0)
        self.assertEqual(self.waiting(), [])


class AckManagement(Page):
    """The page calls the identifier asyncRequestId and asyncResponseId (H24): it is what the client gave when it took the message."""

    def test_what_is_sent_waits_for_its_ack(self):
        """Its hash lives SENT_MESSAGE_TTL, not until some timer of an instance (H17)."""
        self.bridge()
        first = self.two_replies()
        self.answer(first, asyncResponseId="rA1")
        self.await_status("res-message-1-1", "SENT")
        member = min_info("rq-message-1", "res-message-1-1", "conv-01")
        self.assertEqual(self.db.type(QUEUE + "asyncRequest:rA1"), "string")
        self.assertEqual(self.db.get(QUEUE + "asyncRequest:rA1"), member)
        fields = self.fields("res", "res-message-1-1")
        self.assertEqual(fields["asyncResponseId"], "rA1")
        self.assertAlmostEqual(int(fields["expiresAtTS"]), time.time() + 5, delta=2)
        self.assertEqual(int(self.db.zscore(PENDING, member)), int(fields["awaitedToDateTS"]))
        for key in ("asyncRequest:rA1", "res:res-message-1-1"):
            self.assert_ttl(key, 5000)
        self.assertEqual(self.waiting(), [])

    def test_the_ack_removes_all_references_and_makes_way(self):
        self.bridge()
        first = self.two_replies()
        self.answer(first, asyncResponseId="rA1")
        self.await_status("res-message-1-1", "SENT")
        self.ack("rA1", origin="whatsapp")
        second = self.take("res-message-1-2")
        self.assertEqual(self.db.exists(QUEUE + "asyncRequest:rA1", QUEUE + "res:res-message-1-1"), 0)
        member = min_info("rq-message-1", "res-message-1-2", "conv-01")
        self.assertEqual(self.pending(), [member])
        self.assertEqual(self.conversation("conv-01"), [(member, T + 2 / 4096)])
        self.answer(second, asyncResponseId="rA2")
        self.ack("rA2", origin="whatsapp")
        self.await_counts(delivered=2)
        self.assertEqual(self.messages(), [QUEUE + "req:rq-message-1"])
        self.assertEqual(self.events(), [("delivered", "res-message-1-1"), ("delivered", "res-message-1-2")])

    def test_without_an_ack_it_counts_as_sent(self):
        self.bridge("--sentMessageTtl", 600)
        first = self.two_replies()
        self.answer(first, asyncResponseId="rA1")
        self.await_status("res-message-1-1", "SENT")
        deadline = self.db.execute_command("PEXPIRETIME", QUEUE + "res:res-message-1-1")
        second = self.take("res-message-1-2", timeout=5)
        self.assertGreaterEqual(second["fence"] / 1000, deadline - 2)  # the key's life begins a moment after the response's
        self.assertEqual(self.events(), [("no-ack", "res-message-1-1")])
        self.assertEqual(self.db.exists(QUEUE + "asyncRequest:rA1", QUEUE + "res:res-message-1-1"), 0)
        self.assertEqual(self.pending(), [min_info("rq-message-1", "res-message-1-2", "conv-01")])
        self.await_counts(noAck=1)

    def test_an_ack_that_is_earlier_than_the_answer(self):
        """The page has no such case; the client's ACK may be quicker than the bridge (H16)."""
        self.bridge()
        first = self.two_replies()
        self.ack("rA1", origin="whatsapp")
        self.await_counts(ackUnmatched=1)
        self.answer(first, asyncResponseId="rA1")
        self.take("res-message-1-2")
        self.await_counts(delivered=1, ackEarly=1)
        self.assertEqual(self.db.exists(QUEUE + "asyncRequest:rA1"), 0)

    def test_each_of_the_three_examples_has_its_own_identifier(self):
        """The page's table, with its ids: rA1, rA2 and rB1."""
        self.bridge()
        for request, responses in (("rqId-A", ("rsId-A1", "rsId-A2")), ("rqId-B", ("rsId-B1",))):
            self.request("cnId-1", request)
            for each in responses:
                self.response("cnId-1", request, each)
        self.await_counts(responses=3)
        for request, response, name in (("rqId-A", "rsId-A1", "rA1"), ("rqId-A", "rsId-A2", "rA2"), ("rqId-B", "rsId-B1", "rB1")):
            self.answer(self.take(response), asyncResponseId=name)
            self.await_status(response, "SENT")
            self.assertEqual(self.db.get(f"{QUEUE}asyncRequest:{name}"), min_info(request, response, "cnId-1"))
            self.ack(name)
        self.await_counts(delivered=3)


if __name__ == "__main__":
    unittest.main()
