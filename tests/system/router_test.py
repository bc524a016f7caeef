"""router: importers, the processors of their routes, exporters, and replies."""
import json
import os
import re
import signal
import threading
import time
import unittest

from leat_testing import eventually
from routing_case import RoutingCase, answer_to, chain, importer

EXPORTER = {"RedisExporter.singleton": {"queue": {"out": "out"}}}
DEDUPE = {"DedupeFilter.d": {"prefix": "seen:"}}


def rules(*all, **more):
    return {"RedisImporter.singleton": importer("regexpRouter.r", **more), "regexpRouter.r": {"rules": list(all)}, **EXPORTER}


def cast(*branches, importer_=None, reply="first", **processors):
    return {"RedisImporter.singleton": importer("multicast.m", **(importer_ or {})),
            "multicast.m": {"routes": list(branches), "reply": reply},
            **{name.replace("_", "."): settings for name, settings in processors.items()}}


def out(name, reply=None, **more):
    return {"queue": {"out": name, **({"reply": reply} if reply else {})}, **more}


class Replies(RoutingCase):
    def test_text_goes_back_as_it_is_and_values_as_json(self):
        bodies = {"1": "text", "2": '{"a": 1} ', "3": {"b": [1, True, "ü"]}, "4": 7, "5": "", "6": b"\x00\xff"}
        self.worker(answer=lambda body: bodies[body] if isinstance(bodies[body], bytes) else {"body": bodies[body]})
        self.router(chain())
        self.db.lpush("in", *bodies)
        replies = self.await_list("reply", len(bodies))
        self.assertEqual(replies[:2] + replies[3:], [b"text", b'{"a": 1} ', b"7", b"", b"\x00\xff"])
        self.assertEqual(json.loads(replies[2]), bodies["3"])
        self.await_nothing_pending()

    def test_a_null_is_no_reply(self):
        self.worker(answer=lambda body: {"body": None if body == "1" else body})
        self.router(chain())
        self.db.lpush("in", "1", "2")
        self.assertEqual(self.await_list("reply", 1), [b"2"])
        self.assertEqual(self.db.exists("in:error"), 0)

    def test_numbers_keep_their_digits(self):
        body = '{"price":1.10,"big":123456789012345678901234567890,"deep":' + "[" * 60 + "]" * 60 + "}"
        self.worker(whole=True, answer=lambda asked: [f'{{"meta":{{"id":"{asked["meta"]["id"]}"}},"body":{body}}}'])
        self.router(chain(timeout=1000))
        self.db.lpush("in", "x")
        (reply,) = self.await_list("reply", 1)
        self.assertEqual(re.sub(r"\s", "", reply.decode()), body)

    def test_messages_of_any_bytes_and_sizes(self):
        self.worker(answer=lambda body: body)
        self.router(chain(timeout=30_000))
        messages = [b"", b"\x00\xff\xfe", "grüße".encode(), b" [1] ", os.urandom(3_000_000), b"x" * (30 << 20)]
        for each in messages:
            self.db.lpush("in", each)
        self.assertTrue(self.await_list("reply", len(messages), 30) == messages)
        self.await_nothing_pending()

    def test_without_a_reply_queue_replies_are_dropped(self):
        worker = self.worker()
        configs = chain()
        del configs["RedisImporter.singleton"]["queue"]["reply"]
        self.router(configs)
        self.db.lpush("in", "1")
        eventually(lambda: worker.requests and not self.db.exists("in:pending:1"))
        self.assertEqual(self.db.exists("in:error", "reply", "in"), 0)

    def test_an_error_of_a_worker(self):
        self.worker(answer=lambda body: {"error": {"name": "Sad", "message": "so it is"} if body == "1" else "just text"})
        self.router(chain(errorReply=True))
        self.db.lpush("in", "1", "2")
        self.assertEqual(self.await_failure("1"), ("Sad", "so it is"))
        self.assertEqual(self.await_failure("2")[1], "just text")
        replies = [json.loads(each)["error"] for each in self.await_list("reply", 2)]
        self.assertEqual(replies[0], {"name": "Sad", "message": "so it is"})
        self.assertEqual(replies[1]["message"], "just text")

    def test_a_timeout_is_told_to_the_reply_queue_only_with_error_reply(self):
        self.router(chain(timeout=200, errorReply=True))
        self.db.lpush("in", "1")
        (reply,) = self.await_list("reply", 1)
        told = {"name": "Timeout", "message": "RedisImporter.singleton timeout (200ms)"}
        self.assertEqual(json.loads(reply), {"error": told})
        self.assertEqual(self.await_failure("1"), tuple(told.values()))

    def test_what_is_told_is_json_whatever_the_message(self):
        self.router(rules({"regexp": "^x", "route": ["RedisExporter.singleton"]}, errorReply=True))
        self.db.lpush("in", b"\xff\x00y")
        (reply,) = self.await_list("reply", 1)
        self.assertEqual(json.loads(reply.decode())["error"]["name"], "NoRoute")

    def test_workers_that_answer_nonsense_cost_a_timeout(self):
        self.worker(whole=True, answer=lambda asked: ["", "[]", "{", b"\xff", json.dumps({"meta": {"id": "x-1"}, "body": ""}),
                                                      json.dumps({"meta": {"id": asked["meta"]["id"]}})])
        leat = self.router(chain(timeout=300), "--serviceNamespace", "ns")
        self.db.lpush("in", "1")
        self.assertEqual(self.await_failure("1")[0], "Timeout")
        self.await_count("answer:invalid", 5)
        self.await_count("answer:unknown", 1)
        self.assertIn("cannot be read", leat.output())

    def test_workers_whose_queue_has_the_wrong_type_are_in_the_log(self):
        self.db.set("work", "a text")
        leat = self.router(chain(timeout=500))
        self.db.lpush("in", "1")
        self.assertEqual(self.await_failure("1")[0], "Timeout")
        self.assertIn("key=work", leat.output())

    def test_the_exporters_own_timeout(self):
        configs = chain()
        configs["RedisExporter.singleton"]["timeout"] = 200
        self.router(configs)
        self.db.lpush("in", "1")
        self.assertEqual(self.await_failure("1"), ("Timeout", "RedisExporter.singleton timeout (200ms)"))

    def test_the_deadline_is_told_to_the_worker(self):
        self.router(chain(timeout=3000))
        self.db.lpush("in", "1")
        request = json.loads(self.await_list("work", 1)[0])
        self.assertAlmostEqual(request["meta"]["deadline"] / 1000, time.time() + 3, delta=1)
        self.assertEqual(request["body"], "1")

    def test_a_recovery_queue(self):
        self.worker(answer=lambda body: {"error": {"name": "Busy", "message": ""}} if body == "1" else None)
        self.router(chain(timeout=300, queue={"recovery": "again"}, recover=["Timeout", "Busy"]))
        self.db.lpush("in", "1", b"2")
        self.assertEqual(self.await_list("again", 2), [b"1", b"2"])
        self.assertEqual(self.db.exists("in:error", "in:error:story", "reply"), 0)
        self.await_nothing_pending()

    def test_json_importers_refuse_what_is_none(self):
        self.router(chain(out="out", json=True))
        wrong = [b"", b"{", b"[1,]", b"\xff", b"{} x", b"nul"]
        right = [b"{}", b" 1 ", b'"a"', b"null", b"[" * 50 + b"]" * 50]
        self.db.lpush("in", *wrong, *right)
        self.assertEqual(self.await_list("out", len(right)), right)
        for each in wrong:
            self.assertEqual(self.await_failure(each)[0], "SyntaxError")
        self.assertEqual(self.db.llen("in:error"), len(wrong))


class Order(RoutingCase):
    def test_one_at_a_time_keeps_the_order(self):
        self.router(chain({"DurationMonitor.d": {}}, out="out"))
        self.db.lpush("in", *range(2000))
        self.assertEqual(self.await_list("out", 2000), [b"%d" % n for n in range(2000)])

    def test_one_at_a_time_waits_for_the_worker(self):
        self.router(chain())
        self.db.lpush("in", "1", "2", "3")
        for n in (1, 2, 3):
            request = json.loads(self.await_list("work", 1)[0])
            self.assertEqual(request["body"], str(n))
            self.assertEqual(self.db.llen("in"), 3 - n)
            self.db.delete("work")
            self.db.lpush(request["meta"]["reply"], answer_to(request, request["body"]))
            self.await_list("reply", n)

    def test_many_at_a_time_with_slow_workers(self):
        workers = [self.worker(answer=lambda body: time.sleep(0.2) or body) for _ in range(10)]
        self.router(chain(concurrency=20))
        began = time.monotonic()
        self.db.lpush("in", *range(40))
        self.assertEqual(sorted(map(int, self.await_list("reply", 40))), list(range(40)))
        self.assertLess(time.monotonic() - began, 4)
        self.assertGreater(min(len(each.requests) for each in workers), 0)
        self.await_nothing_pending()

    def test_answers_in_reversed_order(self):
        self.router(chain(concurrency=50))
        self.db.lpush("in", *range(50))
        for each in reversed(self.await_list("work", 50)):
            request = json.loads(each)
            self.db.lpush(request["meta"]["reply"], answer_to(request, request["body"]))
        self.assertEqual(sorted(map(int, self.await_list("reply", 50))), list(range(50)))


class Filters(RoutingCase):
    def test_http_requests(self):
        right = [{"url": "/"}, {"url": "https://x/y?z#a", "method": "POST", "json": False, "headers": {"a": "b"}}]
        wrong = {"url": {"method": "GET"}, "method": {"url": "/", "method": "get"}, "json": {"url": "/", "json": "true"},
                 "headers": {"url": "/", "headers": {"a": 1}}}
        self.router(chain({"HttpRequestValidator.v": {}}, out="out"))
        self.db.lpush("in", *map(json.dumps, [*wrong.values(), *right, [], {"url": "/\n"}, {"url": "http://"}]))
        self.assertEqual([json.loads(each) for each in self.await_list("out", 2)], right)
        for name, each in wrong.items():
            kind, reason = self.await_failure(json.dumps(each))
            self.assertEqual(kind, "InvalidRequest")
            self.assertIn(name, reason)
        self.assertEqual(self.db.llen("in:error"), 7)

    def test_a_limit_of_ones_own(self):
        self.router(chain({"RateLimitFilter.r": {"limit": 3, "periodMillis": 700}}, out="out"))
        self.db.lpush("in", *range(10))
        self.await_list("in:error", 7)
        self.assertEqual(self.list("out"), [b"0", b"1", b"2"])
        time.sleep(0.75)
        self.db.lpush("in", "again")
        self.assertEqual(self.await_list("out", 4)[-1], b"again")

    def test_a_bucket_of_tokens(self):
        bucket = {"limit": 10, "periodMillis": 1000, "algorithm": "tokenBucket", "burst": 2}
        self.router(chain({"RateLimitFilter.r": bucket}, out="out"))
        self.db.lpush("in", *range(5))
        self.await_list("in:error", 3)
        self.assertEqual(self.db.llen("out"), 2)
        time.sleep(0.25)
        self.db.lpush("in", *range(5))
        self.await_list("in:error", 6)

    def test_what_is_refused_is_dropped_as_json(self):
        self.router(chain({"RateLimitFilter.r": {"limit": 1, "periodMillis": 0, "queue": {"drop": "drop"}}}, out="out"))
        self.db.lpush("in", "first", '{"a": 1}', 'a "text"', b"\xff")
        self.await_list("in:error", 3)
        self.assertEqual([json.loads(each) for each in self.list("drop")], [{"a": 1}, 'a "text"', "\ufffd"])

    def test_a_shared_limit_is_one_for_two_processes(self):
        for algorithm in ("fixedWindow", "tokenBucket"):
            self.db.flushall()
            limit = {"limit": 10, "periodMillis": 60_000, "shared": "limits:r", "algorithm": algorithm}
            routers = [self.router(chain({"RateLimitFilter.r": limit}, out="out"), name=f"r{n}") for n in range(2)]
            for each in routers:
                each.wait_for("taking")
            self.db.lpush("in", *range(30))
            eventually(lambda: self.db.llen("out") + self.db.llen("in:error") == 30)
            self.assertEqual(self.db.llen("out"), 10, algorithm)
            self.assertEqual(self.story(self.list("in:error")[0])["name"], "LimitExceeded")
            self.assertGreater(self.db.pttl("limits:r"), 0)
            for each in routers:
                self.assertEqual(each.stop(), 0)

    def test_what_is_late_is_no_reply(self):
        self.router(chain({"ExpiredFilter.e": {}}, {"TimeoutFilter.t": {"timeout": 200}}, timeout=3000))
        self.db.lpush("in", "1")
        self.assertEqual(self.await_failure("1"), ("Timeout", "TimeoutFilter.t timeout (200ms)"))

    def test_durations_of_all_outcomes(self):
        self.worker(answer=lambda body: time.sleep(0.06) or ({"error": "x"} if body == "1" else body))
        self.router(chain({"DurationMonitor.d": {}}, timeout=500), "--serviceNamespace", "ns")
        self.db.lpush("in", "1", "2")
        self.await_count("duration:DurationMonitor.d", 2)
        self.assertGreaterEqual(self.count("duration:DurationMonitor.d", "sum"), 120)
        self.assertGreaterEqual(self.count("duration:DurationMonitor.d", "max"), 60)


class Dedupe(RoutingCase):
    def test_each_id_once(self):
        self.router(chain({"DedupeFilter.d": {"prefix": "seen:", "queue": {"drop": "again"}}}, out="out"),
                    "--serviceNamespace", "ns")
        messages = [b"7", b'{"meta": {"id": "a"}, "n": 1}', b"text", b"\xff"]
        again = [b"7", b'{"meta": {"id": "a"}, "n": 2}', b"text", b"\xff"]
        self.db.lpush("in", *messages, *again)
        self.assertEqual(self.await_list("out", 4), messages)
        self.assertEqual(self.await_list("again", 4), again)
        self.await_count("duplicate:DedupeFilter.d", 4)
        self.assertGreater(self.db.ttl("seen:7"), 3000)
        self.assertEqual(self.db.exists("in:error", "reply"), 0)

    def test_what_failed_may_come_again(self):
        self.worker(answer=lambda body: {"error": "no"} if self.db.set("tried", 1, nx=True) else "yes")
        self.router(chain(DEDUPE))
        self.db.lpush("in", "1")
        self.await_failure("1")
        eventually(lambda: not self.db.exists("seen:1"))
        self.db.lpush("in", "1")
        self.assertEqual(self.await_list("reply", 1), [b"yes"])

    def test_what_fails_behind_it_on_the_way_back_may_come_again(self):
        """It was fine when it passed, but another route of the multicast fails it."""
        self.router(cast({"route": ["DedupeFilter.d", "RedisExporter.a"]}, {"route": ["RateLimitFilter.x", "RedisExporter.b"]},
                         DedupeFilter_d=DEDUPE["DedupeFilter.d"], RateLimitFilter_x={"limit": 1, "periodMillis": 0},
                         RedisExporter_a=out("a"), RedisExporter_b=out("b")))
        self.db.lpush("in", "1", "2")
        self.await_failure("2")
        self.assertEqual((self.list("a"), self.list("b")), ([b"1"], [b"1"]))
        self.assertIsNone(self.db.get("seen:2"))

    def test_a_lost_answer_of_redis_loses_no_message(self):
        proxy = self.proxy(self.redis)
        self.router(chain(DEDUPE, out="out"), url=proxy.url)
        self.db.lpush("in", "1")
        self.await_list("out", 1)
        proxy.drop_answer(b"seen:x")
        message = b'{"meta": {"id": "x"}}'
        self.db.lpush("in", message)
        eventually(lambda: proxy.dropped == 1)
        eventually(lambda: message in self.list("out") + self.list("in:error"), 8, "the message")

    def test_a_killed_router_loses_nothing(self):
        configs = chain(DEDUPE, concurrency=20)
        leat = self.router(configs)
        self.db.lpush("in", *range(20))
        self.await_list("work", 20)
        leat.process.kill()
        leat.process.wait()
        self.db.delete("work")
        self.worker(answer=lambda body: body)
        self.router(configs)
        self.assertEqual(sorted(map(int, self.await_list("reply", 20, 20))), list(range(20)))
        self.await_nothing_pending()

    def stop_with_twenty_in_hand(self, *words, url=None):
        """What is done cannot be written down, and leat is asked to stop."""
        configs = chain(DEDUPE, out="out", concurrency=20, timeout=1000)
        leat = self.router(configs, *words, url=url)
        self.db.lpush("in", *range(20))
        eventually(lambda: len(self.db.keys("seen:*")) == 20, 10, lambda: self.db.keys("*"))
        leat.stop(timeout=20)
        self.assertEqual(self.db.llen("in"), 20)
        return configs

    def assert_all_come(self, configs):
        self.router(configs, "--serviceNamespace", "ns")
        eventually(lambda: self.db.llen("out") + self.count("duplicate:DedupeFilter.d") >= 20)
        self.assertEqual(sorted(map(int, self.await_list("out", 20))), list(range(20)))
        self.assertEqual(self.count("duplicate:DedupeFilter.d"), 0)
        self.await_nothing_pending()
        self.assertEqual({self.db.get(each) for each in self.db.keys("seen:*")}, {b"done"})

    def test_what_was_given_back_because_a_list_has_the_wrong_type_is_no_duplicate(self):
        self.db.hset("out", "somebody's", "own")
        configs = self.stop_with_twenty_in_hand()
        self.db.delete("out")
        self.assert_all_come(configs)

    def test_what_was_given_back_because_a_right_is_missing_is_no_duplicate(self):
        self.db.execute_command("ACL", "SETUSER", "some", "reset", "on", ">pw", "+@all", "%R~out", "~in*", "~seen:*", "&*")
        configs = self.stop_with_twenty_in_hand(url=f"redis://some:pw@127.0.0.1:{self.redis.port}")
        self.assert_all_come(configs)

    def test_an_id_at_work_in_another_instance_is_a_duplicate(self):
        configs = chain({"DedupeFilter.d": {"prefix": "seen:", "queue": {"drop": "again"}}}, concurrency=5, timeout=20_000)
        self.router(configs, name="first")
        self.db.lpush("in", "1")
        self.await_list("work", 1)
        self.router(configs, name="second")
        eventually(lambda: self.db.zcard("in:pending:owners") == 2)
        self.db.lpush("in", *["1"] * 10)
        self.assertEqual(self.await_list("again", 10), [b"1"] * 10)
        self.worker()
        self.assertEqual(self.await_list("reply", 1), [b"1"])


class Rules(RoutingCase):
    def test_the_first_rule_that_matches(self):
        configs = {
            "RedisImporter.singleton": importer("regexpRouter.r"),
            "regexpRouter.r": {"pluck": "url", "rules": [
                {"label": "off", "match": "all", "disabled": True, "route": ["RedisExporter.off"]},
                {"label": "secret", "regexp": "^/secret", "response": {"statusCode": 403, "content": "No"}},
                {"label": "deep", "regex": "^x$", "pluck": "a.b", "route": ["RedisExporter.deep"]},
                {"label": "dotted", "regex": "^y$", "pluck": "a.b", "route": ["RedisExporter.dotted"]},
                {"label": "number", "regexp": "^4[0-9]$", "pluck": "n", "route": ["RedisExporter.number"]},
                {"label": "rest", "regexp": ".", "route": ["RedisExporter.rest"]}]},
            **{f"RedisExporter.{each}": out(each) for each in ("off", "deep", "dotted", "number", "rest")}}
        self.router(configs)
        self.db.lpush("in", '{"url": "/secret/1"}', '{"a": {"b": "x"}}', '{"a.b": "y"}', '{"n": 42}', '{"url": "/"}', '{"url": ""}',
                      '{"url": null}', "no json", "[]")
        for each, expected in {"deep": b'{"a": {"b": "x"}}', "dotted": b'{"a.b": "y"}', "number": b'{"n": 42}',
                               "rest": b'{"url": "/"}'}.items():
            self.assertEqual(self.await_list(each, 1), [expected])
        self.assertEqual([json.loads(each) for each in self.await_list("reply", 1)], [{"statusCode": 403, "content": "No"}])
        for each in ('{"url": ""}', '{"url": null}', "no json", "[]"):
            name, reason = self.await_failure(each)
            self.assertEqual(name, "NoRoute")
            self.assertTrue(reason.startswith("no route"), reason)
        self.assertEqual(self.db.exists("off"), 0)

    def test_match_all_and_the_text_of_messages(self):
        self.router(rules({"regexp": "^a", "response": {"content": "A"}}, {"match": "all", "route": ["RedisExporter.singleton"]}))
        self.db.lpush("in", "abc", b"\xff\xfe", "", "bcd")
        self.assertEqual(self.await_list("out", 3), [b"\xff\xfe", b"", b"bcd"])
        self.assertEqual(json.loads(self.await_list("reply", 1)[0])["content"], "A")

    def test_no_text_makes_it_slow(self):
        """It would never end where expressions backtrack."""
        self.router(rules({"regexp": "^(a+)+$", "route": ["RedisExporter.singleton"]},
                          {"regexp": "(x+x+)+y", "route": ["RedisExporter.singleton"]}))
        began = time.monotonic()
        self.db.lpush("in", "a" * 50_000 + "!", "x" * 50_000, "a" * 50_000)
        self.await_list("out", 1)
        self.await_list("in:error", 2)
        self.assertLess(time.monotonic() - began, 3)
        self.assertLess(len(self.story(b"x" * 50_000)["reason"]), 2000)

    def test_routers_behind_routers_intercept_replies(self):
        self.worker(answer=lambda body: body)
        configs = {"RedisImporter.singleton": importer("TimeoutFilter.t", "regexpRouter.a"), "TimeoutFilter.t": {"timeout": 4000},
                   "regexpRouter.a": {"rules": [{"match": "all", "route": ["DurationMonitor.d", "regexpRouter.b"]}]},
                   "DurationMonitor.d": {},
                   "regexpRouter.b": {"rules": [{"match": "all", "route": ["RedisExporter.w"]}]},
                   "RedisExporter.w": out("work", "answers")}
        self.router(configs, "--serviceNamespace", "ns")
        self.db.lpush("in", "1")
        self.assertEqual(self.await_list("reply", 1), [b"1"])
        self.await_count("duration:DurationMonitor.d", 1)


class Multicast(RoutingCase):
    def test_all_or_none(self):
        self.router(cast({"route": ["RedisExporter.a"]}, {"route": ["RateLimitFilter.x", "RedisExporter.b"]},
                         {"route": ["RedisExporter.c"]}, RateLimitFilter_x={"limit": 1, "periodMillis": 0},
                         RedisExporter_a=out("a"), RedisExporter_b=out("b"), RedisExporter_c=out("c")))
        self.db.lpush("in", "1", "2")
        self.assertEqual(self.await_failure("2"), ("LimitExceeded", "Limit exceeded"))
        self.assertEqual([self.list(each) for each in "abc"], [[b"1"]] * 3)
        self.assertEqual(self.db.exists("reply"), 0)
        self.await_nothing_pending()

    def test_an_optional_route_costs_nobody(self):
        self.router(cast({"route": ["RedisExporter.a"]}, {"optional": True, "route": ["RateLimitFilter.x", "RedisExporter.b"]},
                         RateLimitFilter_x={"limit": 1, "periodMillis": 0}, RedisExporter_a=out("a"), RedisExporter_b=out("b")),
                    "--serviceNamespace", "ns")
        self.db.lpush("in", "1", "2")
        self.assertEqual(self.await_list("a", 2), [b"1", b"2"])
        self.assertEqual(self.list("b"), [b"1"])
        self.await_count("optional:multicast.m", 1)
        self.assertEqual(self.db.exists("in:error"), 0)

    def test_an_optional_route_that_never_answers_costs_nobody(self):
        self.router(cast({"route": ["RedisExporter.a"]}, {"optional": True, "route": ["RedisExporter.b"]},
                         importer_={"timeout": 500}, RedisExporter_a=out("a"), RedisExporter_b=out("b", "answers")))
        self.db.lpush("in", "1")
        eventually(lambda: self.db.exists("a", "in:error"))
        self.assertEqual((self.list("a"), self.list("in:error")), ([b"1"], []))

    def test_replies(self):
        self.worker("x", answer=lambda body: time.sleep(0.05) or "X")
        self.worker("y", answer=lambda body: {"body": {"y": 1}})
        self.worker("z", answer=lambda body: b"\xff")
        routes = [{"route": ["RedisExporter.n"]}, *({"route": [f"RedisExporter.{each}"]} for each in "xyz")]
        exporters = {"RedisExporter_n": out("n"), **{f"RedisExporter_{each}": out(each, "answers") for each in "xyz"}}
        for reply, expected in {"first": [b"X"], "none": []}.items():
            leat = self.router(cast(*routes, reply=reply, **exporters))
            self.db.lpush("in", "1")
            eventually(lambda: self.db.llen("n") == 1)
            self.assertEqual(self.list("reply"), expected)
            self.db.delete("reply", "n")
            self.assertEqual(leat.stop(), 0)
        self.router(cast(*routes, reply="all", **exporters))
        self.db.lpush("in", "1")
        replies = json.loads(self.await_list("reply", 1)[0].decode())
        self.assertEqual(replies[:2], ["X", {"y": 1}])

    def test_a_timeout_of_one_route(self):
        self.worker("x", answer=lambda body: "X")
        self.router(cast({"route": ["RedisExporter.x"]}, {"route": ["TimeoutFilter.t", "RedisExporter.y"]},
                         TimeoutFilter_t={"timeout": 200}, RedisExporter_x=out("x", "answers"), RedisExporter_y=out("y", "answers")))
        self.db.lpush("in", "1")
        self.assertEqual(self.await_failure("1"), ("Timeout", "TimeoutFilter.t timeout (200ms)"))
        self.assertEqual(self.db.exists("reply"), 0)


class Elsewhere(RoutingCase):
    def setUp(self):
        super().setUp()
        self.other = self.server()
        self.there = self.other.client()

    def test_an_exporter_to_another_server(self):
        configs = chain(out="out")
        configs["RedisExporter.singleton"]["redis"] = self.other.url
        self.router(configs)
        self.db.lpush("in", "1", b"\xff")
        self.assertEqual(self.await_list("out", 2, db=self.there), [b"1", b"\xff"])
        self.await_nothing_pending()

    def test_an_exporter_that_asks_on_another_server(self):
        self.worker(server=self.other)
        configs = chain()
        configs["RedisExporter.singleton"]["redis"] = self.other.url
        leat = self.router(configs)
        self.db.lpush("in", "a")
        self.assertEqual(self.await_list("reply", 1), [b"A"])
        self.assertEqual(leat.stop(), 0)
        self.assertEqual(self.there.keys("*"), [b"answers:instances"])  # for late answers, which others sweep

    def test_the_other_server_goes_and_comes(self):
        configs = chain(out="out", timeout=10_000)
        configs["RedisExporter.singleton"]["redis"] = self.other.url
        self.router(configs)
        self.other.stop()
        self.db.lpush("in", "1")
        time.sleep(0.3)
        self.other.start()
        self.await_list("out", 1, db=self.there)
        self.await_nothing_pending()

    def test_a_wrong_type_there_is_in_the_log(self):
        self.there.set("out", "a text")
        configs = chain(out="out", timeout=400)
        configs["RedisExporter.singleton"]["redis"] = self.other.url
        leat = self.router(configs)
        self.db.lpush("in", "1")
        self.assertEqual(self.await_failure("1")[0], "Timeout")
        self.assertIn("WRONGTYPE", leat.output())


class Configurations(RoutingCase):
    def refused(self, configs, *texts, path=None):
        run = self.run_leat("router", path or self.config(configs), "--redis", self.redis.url, timeout=5)
        self.assertEqual(run.returncode, 2, run.stderr)
        for each in texts:
            self.assertIn(each, run.stderr)
        return run.stderr

    YAML = """configs:
  RedisImporter.singleton:
    queue: {in: in, reply: reply}
    timeout: 2000
    route:
    - RateLimitFilter.singleton
    - RedisExporter.singleton
  RateLimitFilter.singleton: {limit: 100}
  RedisExporter.singleton:
    queue: {out: out}
"""

    def test_a_map_a_list_and_nothing_but_processors(self):
        whole = chain({"RateLimitFilter.singleton": {"limit": 100}}, out="out")
        a_list = [{"processorName": name, **settings} for name, settings in whole.items()]
        for n, each in enumerate((self.YAML, {"configs": a_list}, a_list, whole)):
            leat = self.router(each)
            self.db.lpush("in", n)
            self.assertEqual(self.await_list("out", n + 1)[-1], b"%d" % n)
            self.assertEqual(leat.stop(), 0)

    def test_a_folder_with_settings(self):
        folder = self.folder / "config"
        folder.mkdir()
        for name, settings in chain(out="out").items():
            (folder / f"{name}.yaml").write_text(json.dumps(settings))
        (folder / "redix.yaml").write_text(f"redis: {self.redis.url}\nserviceNamespace: ns\n")
        (folder / "README.md").write_text("not ours")
        (folder / ".hidden.yaml").write_text("not ours: [")
        self.leat("router", folder)
        self.db.lpush("in", "1")
        self.await_list("out", 1)
        self.assertEqual(self.db.exists("ns:service:1"), 1)

    def test_unknown_processors(self):
        self.refused(self.YAML.replace("- RedisExporter.singleton", "- RedisExporter.singelton"),
                     "routes.yaml:7:7: error", "unknown processor RedisExporter.singelton", "did you mean RedisExporter.singleton?")

    def test_unknown_types_and_settings(self):
        self.refused(self.YAML.replace("  RateLimitFilter.singleton:", "  RateLimiFilter.singleton:"), "routes.yaml:8:3: error",
                     "did you mean RateLimitFilter?")
        self.refused(self.YAML.replace("limit: 100", "limits: 100"), "routes.yaml:8:31: error", "did you mean limit?")
        self.refused(self.YAML.replace("RateLimitFilter.singleton", "RateLimitFilter"), "routes.yaml:8:3", "RateLimitFilter.singleton")

    def test_routes_that_end_nowhere(self):
        self.refused(self.YAML.replace("    - RedisExporter.singleton\n", ""), "routes.yaml:6:7: error", "ends nowhere")
        self.refused(self.YAML.replace("    - RateLimitFilter.singleton\n    - RedisExporter.singleton\n", "      []\n"),
                     "route")

    def test_routes_that_go_on_behind_their_end(self):
        self.refused(self.YAML.replace("    - RateLimitFilter.singleton\n", "").replace(
            "    - RedisExporter.singleton\n", "    - RedisExporter.singleton\n    - RateLimitFilter.singleton\n"),
            "routes.yaml:7:7: error")

    def test_an_importer_in_a_route(self):
        self.refused(self.YAML.replace("- RedisExporter.singleton", "- RedisImporter.singleton"), "routes.yaml:7:7: error",
                     "importer")

    def test_routes_that_go_round(self):
        text = self.refused({
            "RedisImporter.singleton": importer("regexpRouter.a"),
            "regexpRouter.a": {"rules": [{"match": "all", "route": ["regexpRouter.b"]}]},
            "regexpRouter.b": {"rules": [{"regexp": "x", "route": ["multicast.c"]}]},
            "multicast.c": {"routes": [{"route": ["regexpRouter.a"]}]}}, "round")
        for each in ("regexpRouter.a", "regexpRouter.b", "multicast.c"):
            self.assertIn(each, text)
        self.refused({"RedisImporter.singleton": importer("multicast.c"), "multicast.c": {"routes": [{"route": ["multicast.c"]}]}},
                     "round")

    def test_an_exporter_back_to_where_it_came_from(self):
        self.refused(chain(out="in"), "in")

    def test_two_files_of_the_same_name(self):
        folder = self.folder / "config"
        folder.mkdir()
        for name, settings in chain(out="out").items():
            (folder / f"{name}.yaml").write_text(json.dumps(settings))
        (folder / "RedisExporter.singleton.json").write_text("{}")
        self.refused(None, "RedisExporter.singleton", "same name", path=folder)

    def test_the_same_name_twice(self):
        self.refused([{"processorName": "RedisImporter.a", **importer("RedisExporter.e")},
                      {"processorName": "RedisExporter.e", **out("a")}, {"processorName": "RedisExporter.e", **out("b")}],
                     "RedisExporter.e is also declared at", "routes.yaml:1:")

    def test_wrong_rules(self):
        for rule, text in [({"regexp": "("}, "regular expression"), ({"match": "some"}, "match"), ({}, "regexp"),
                           ({"match": "all", "response": {"statusCode": 1}}, "statusCode"), ("x", "rules")]:
            self.refused(rules(rule if isinstance(rule, str) or "response" in rule else {
                **rule, "route": ["RedisExporter.singleton"]}), text, "routes.yaml:1:")

    def test_empty_and_strange_files(self):
        folder = self.folder / "empty"
        folder.mkdir()
        self.refused(None, "folder", path=folder)
        for text in ("", "[]", "{}", "configs:", "configs: 5", "configs: [1]", "[{}]", "text", "configs: {a.b: 5}",
                     "RedisImporter.a:", "RedisImporter.a: {queue: x}", "RedisExporter.a: {queue: {out: x}}",
                     "RedisImporter.a: {queue: {in: a}, timeout: 1, route: RedisExporter.a}\nRedisExporter.a: {queue: {out: b}}",
                     "multicast.m: {routes: [5]}", "multicast.m: {routes: {route: []}}", "regexpRouter.r: {rules: 5}"):
            with self.subTest(text):
                self.refused(text, "error")

    def test_nothing_is_taken_before_all_is_checked(self):
        self.db.lpush("in", "1")
        self.refused(self.YAML.replace("out: out", "uot: out"))
        self.assertEqual(self.list("in"), [b"1"])


class Reloads(RoutingCase):
    def reload(self, leat, configs, text="reloaded"):
        before = leat.output().count(text)
        self.config(configs)
        leat.process.send_signal(signal.SIGHUP)
        eventually(lambda: leat.output().count(text) > before, 5, lambda: leat.output())

    def test_messages_under_way_end_on_the_old_routes(self):
        leat = self.router(chain())
        self.db.lpush("in", "1")
        request = json.loads(self.await_list("work", 1)[0])
        for n in range(3):
            self.reload(leat, chain(out=f"out{n}"))
        self.db.lpush("in", "2")
        self.db.lpush(request["meta"]["reply"], answer_to(request, "one"))
        self.assertEqual(self.await_list("reply", 1), [b"one"])
        self.assertEqual(self.await_list("out2", 1), [b"2"])
        self.assertEqual(self.db.exists("out0", "out1", "in:error"), 0)
        self.await_nothing_pending()
        self.assertEqual(leat.stop(), 0)

    def test_what_is_under_way_on_the_old_routes_may_time_out(self):
        leat = self.router(chain(timeout=600))
        self.db.lpush("in", "1")
        self.await_list("work", 1)
        self.reload(leat, chain(out="out"))
        self.assertEqual(self.await_failure("1"), ("Timeout", "RedisImporter.singleton timeout (600ms)"))
        self.db.lpush("in", "2")
        self.await_list("out", 1)

    def test_a_bad_configuration_is_refused(self):
        leat = self.router(chain(out="out"))
        leat.wait_for("taking")
        for n, bad in enumerate(("not: [", chain({"RateLimitFilter.r": {"limit": "x"}}, out="elsewhere"), "", "[]",
                                 chain(out="elsewhere", queue={"reply": "in"}))):
            self.reload(leat, bad, "refused")
            self.db.lpush("in", n)
            self.assertEqual(self.await_list("out", n + 1)[-1], b"%d" % n)
        self.assertIn("routes.yaml:1:", leat.output())
        os.remove(self.folder / "routes.yaml")
        leat.process.send_signal(signal.SIGHUP)
        leat.wait_for("does not exist")
        self.reload(leat, chain(out="other"))
        self.db.lpush("in", "last")
        self.await_list("other", 1)

    def test_nothing_is_lost_or_reordered_by_many(self):
        leat = self.router(chain(out="out"))
        leat.wait_for("taking")
        for n in range(30):
            self.config(chain(out="out", timeout=3000 + n))
            leat.process.send_signal(signal.SIGHUP)
            self.db.lpush("in", *range(20 * n, 20 * n + 20))
            time.sleep(0.01)
        self.assertEqual(self.await_list("out", 600), [b"%d" % n for n in range(600)])
        self.assertGreater(leat.output().count("reloaded"), 5)
        self.assertEqual(leat.stop(), 0)
        self.assertEqual(sorted(self.db.keys("in*")), [b"in:pending:id"])

    def test_importers_come_and_go(self):
        leat = self.router(chain(out="out"))
        leat.wait_for("taking")
        two = {**chain(out="out"), "RedisImporter.second": importer("RedisExporter.singleton", queue={"in": "in2"})}
        self.db.lpush("in2", "2")
        self.reload(leat, two)
        self.await_list("out", 1)
        self.reload(leat, chain(out="out"))
        eventually(lambda: not self.db.exists("in2:pending:owners"))
        self.db.lpush("in2", "3")
        self.db.lpush("in", "1")
        self.assertEqual(self.await_list("out", 2)[-1], b"1")
        self.assertEqual(self.list("in2"), [b"3"])

    def test_the_same_again_changes_nothing(self):
        leat = self.router(chain({"RateLimitFilter.r": {"limit": 1, "periodMillis": 0}}, out="out"))
        self.db.lpush("in", "1")
        self.await_list("out", 1)
        leat.process.send_signal(signal.SIGHUP)
        time.sleep(0.2)
        self.db.lpush("in", "2")
        self.await_failure("2")
        self.assertNotIn("reloaded", leat.output())

    def test_watched_files(self):
        leat = self.router(chain(out="out"), "--watch")
        leat.wait_for("taking")
        self.config(chain(out="out1"))  # in place
        leat.wait_for("reloaded")
        self.db.lpush("in", "1")
        self.await_list("out1", 1)
        self.config("not: [")
        leat.wait_for("refused")
        new = self.config(chain(out="out2"), "new")
        os.rename(new, self.folder / "routes.yaml")  # as editors do
        eventually(lambda: leat.output().count("reloaded") == 2)
        self.db.lpush("in", "2")
        self.await_list("out2", 1)

    def test_a_watched_folder(self):
        folder = self.folder / "config"
        folder.mkdir()
        for name, settings in chain(out="out").items():
            (folder / f"{name}.yaml").write_text(json.dumps(settings))
        leat = self.leat("router", folder, "--redis", self.redis.url, "--watch")
        leat.wait_for("taking")
        (folder / "RateLimitFilter.r.yaml").write_text("limit: 1\nperiodMillis: 0\n")
        (folder / "RedisImporter.singleton.yaml").write_text(
            json.dumps(importer("RateLimitFilter.r", "RedisExporter.singleton")))
        leat.wait_for("reloaded")
        eventually(lambda: self.db.lpush("in", "x") and self.db.llen("in:error") > 0)
        (folder / "RateLimitFilter.r.yaml").unlink()
        leat.wait_for("unknown processor RateLimitFilter.r")
        self.assertIsNone(leat.process.poll())


class Faults(RoutingCase):
    def test_a_killed_router_loses_no_message(self):
        configs = chain(concurrency=100, timeout=20_000)
        leat = self.router(configs)
        self.db.lpush("in", *range(60))
        self.await_list("work", 60)
        leat.process.kill()
        leat.process.wait()
        self.worker(answer=lambda body: body if int(body) % 3 else {"error": "thirds fail"})
        self.router(configs)
        eventually(lambda: self.db.llen("reply") + self.db.llen("in:error") == 60, 20)
        done, failed = self.list("reply"), self.list("in:error")
        self.assertEqual(sorted(map(int, done + failed)), list(range(60)))
        self.assertEqual(len(failed), 20)
        self.await_nothing_pending()

    def test_a_killed_router_exports_each_message_once(self):
        configs = chain({"DurationMonitor.d": {}}, out="out", concurrency=10)
        self.db.lpush("in", *range(5000))
        for n in range(4):
            leat = self.router(configs)
            eventually(lambda: self.db.llen("out") > 1000 * n)
            leat.process.kill()
            leat.process.wait()
        self.router(configs)
        self.assertEqual(sorted(map(int, self.await_list("out", 5000, 20))), list(range(5000)))
        self.await_nothing_pending()

    def test_redis_comes_back(self):
        self.redis = self.server("--appendonly", "yes", "--appendfsync", "always")
        self.db = self.redis.client()
        self.worker(answer=lambda body: body)
        self.router(chain(concurrency=10, timeout=20_000))
        self.db.lpush("in", *range(10))
        self.await_list("reply", 10)
        self.redis.stop()
        time.sleep(0.2)
        self.redis.start()
        self.db.lpush("in", *range(10, 20))
        self.assertEqual(sorted(map(int, self.await_list("reply", 20, 20))), list(range(20)))
        self.await_nothing_pending()

    def test_lost_answers_of_redis(self):
        proxy = self.proxy(self.redis)
        self.worker(answer=lambda body: body)
        self.router(chain(concurrency=10, timeout=20_000), url=proxy.url)
        for n in range(4):
            self.db.lpush("in", *range(10 * n, 10 * n + 10))
            self.await_list("reply", 10 * n + 10, 20)
            proxy.drop_answer(b"in:pending" if n % 2 else b"answers")
        eventually(lambda: proxy.dropped == 4 or self.db.lpush("in", 99), 5)
        self.assertLessEqual(set(range(40)), set(map(int, self.list("reply"))))

    def test_a_stop_waits_for_replies(self):
        leat = self.router(chain(timeout=3000, concurrency=2))
        self.db.lpush("in", "1", "2", "3")
        request = json.loads(self.await_list("work", 2)[0])
        threading.Timer(0.3, lambda: self.db.lpush(request["meta"]["reply"], answer_to(request, "one"))).start()
        self.assertEqual(leat.stop(), 0)
        self.assertEqual(self.list("reply"), [b"one"])
        self.assertEqual(self.list("in"), [b"3"])
        self.assertEqual(self.await_failure("2")[0], "Timeout")
        self.assertEqual(sorted(self.db.keys("*")),
                         [b"answers:instances", b"in", b"in:error", b"in:error:story", b"in:pending:id", b"reply", b"work"])

    def test_queues_of_the_wrong_type(self):
        for key in ("reply", "in:error"):
            self.db.flushall()
            self.db.set(key, "a text")
            configs = rules({"regexp": "^x", "response": {"content": "X"}})
            leat = self.router(configs)
            self.db.lpush("in", "x" if key == "reply" else "y")
            leat.wait_for(f"key={key}")
            self.assertEqual(self.db.llen("in") + self.db.llen("in:pending:1"), 1)
            self.db.delete(key)
            self.await_list(key, 1)
            self.await_nothing_pending()
            self.assertEqual(leat.stop(), 0)

    def test_an_out_of_the_wrong_type(self):
        self.db.set("out", "a text")
        leat = self.router(chain(out="out"))
        self.db.lpush("in", "1")
        leat.wait_for("key=out")
        self.db.delete("out")
        self.await_list("out", 1)

    def test_an_in_of_the_wrong_type(self):
        self.db.set("in", "a text")
        leat = self.router(chain(out="out"))
        leat.wait_for("key=in")
        self.db.delete("in")
        self.db.lpush("in", "1")
        self.await_list("out", 1)


if __name__ == "__main__":
    unittest.main()
