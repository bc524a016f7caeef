"""mdispatch: requests to workers, and one answer for each back to whoever asked."""
import json
import os
import random
import re
import subprocess
import threading
import time
import unittest

from leat_testing import ROOT, eventually
from routing_case import RoutingCase, answer_to, body_of


class DispatchCase(RoutingCase):
    def dispatch(self, *words, url=None, **options):
        return self.leat("mdispatch", "--redis", url or self.redis.url, "--in", "in", "--workers", "work", *words, **options)

    def ask(self, *names, **more):
        """Each at a list of its own, `in:reply:<name>`."""
        self.db.lpush("in", *(json.dumps({"meta": {"id": name, "reply": f"in:reply:{name}"}, **more}) for name in names))

    def answer_of(self, name):
        (answer,) = self.await_list(f"in:reply:{name}", 1)
        answer = json.loads(answer)
        self.assertEqual(answer["meta"], {"id": name})
        return answer

    def give(self, text, said):
        request = json.loads(text)
        self.db.lpush(request["meta"]["reply"], answer_to(request, said))
        return request


class Answers(DispatchCase):
    def test_a_request_and_its_answer(self):
        worker = self.worker()
        leat = self.dispatch("--reply", "answers")
        self.ask("a", what="\u00fc")
        self.assertEqual(json.loads(self.answer_of("a")["body"].lower()), {"meta": {"id": "a", "reply": "in:reply:a"}, "what": "\u00fc"})
        self.assertEqual(sorted(worker.requests[0]["meta"]), ["deadline", "id", "reply"])
        self.db.lpush("in", "plain text")
        answer = json.loads(self.await_list("answers", 1)[0])
        self.assertEqual(answer["body"], "PLAIN TEXT")
        self.assertTrue(answer["meta"]["id"])
        self.assertEqual(leat.stop(), 0)
        self.assertEqual(sorted(self.db.keys("*")), [b"answers", b"in:pending:id", b"in:reply:a", b"work:answers:instances"])

    def test_answers_in_any_order(self):
        self.dispatch("--concurrency", 200)
        names = [f"n{n}" for n in range(200)]
        self.ask(*names)
        requests = self.await_list("work", 200)
        self.assertEqual([json.loads(json.loads(each)["body"])["meta"]["id"] for each in requests], names)
        random.Random(7).shuffle(requests)
        for each in requests:
            self.give(each, json.loads(json.loads(each)["body"])["meta"]["id"])
        for each in names:
            self.assertEqual(self.answer_of(each)["body"], each)
        self.await_nothing_pending()

    def test_a_second_answer_is_late_and_others_are_unknown(self):
        self.dispatch("--serviceNamespace", "ns")
        self.ask("a")
        request = self.give(self.await_list("work", 1)[0], "first")
        answers = request["meta"]["reply"]
        instance = request["meta"]["id"].rsplit("-", 1)[0]
        self.db.lpush(answers, answer_to(request, "second"), answer_to(request, {"error": "third"}))
        for each in ("nobody", f"{instance}-99", f"{instance}-0", f"{instance}-x", f"{instance}-", "0"):
            self.db.lpush(answers, json.dumps({"meta": {"id": each}, "body": ""}))
        self.await_count("answer:late", 2)
        self.await_count("answer:unknown", 6)
        self.assertEqual(self.answer_of("a")["body"], "first")
        eventually(lambda: not self.db.exists(answers, f"{answers}:given"))

    def test_answers_that_cannot_be_read(self):
        leat = self.dispatch("--serviceNamespace", "ns")
        self.ask("a")
        text = self.await_list("work", 1)[0]
        request = json.loads(text)
        own = {"meta": {"id": request["meta"]["id"]}}
        wrong = [b"", b"null", b"[]", b"{}", b"\xff", b"x" * 1_000_000, b'{"meta": 5}', b'{"meta": {"id": []}}',
                 json.dumps(own).encode(), json.dumps({**own, "body": "%", "encoding": "base64"}).encode(),
                 b'{"meta":{"id":"' + request["meta"]["id"].encode() + b'"},"body":"\xff"}']
        self.db.lpush(request["meta"]["reply"], *wrong)
        self.await_count("answer:invalid", len(wrong))
        self.give(text, "at last")
        self.assertEqual(self.answer_of("a")["body"], "at last")
        self.assertEqual(leat.output().count("cannot be read"), len(wrong))

    def test_late_answers_to_others_that_cannot_be_removed_are_reported_once(self):
        self.db.zadd("work:answers:instances", {"gone": 1})
        self.db.lpush("work:answers:gone", "late")
        self.db.execute_command("ACL", "SETUSER", "some", "on", ">pw", "~*", "&*", "+@all", "-zrangebyscore")
        self.worker()
        leat = self.dispatch(url=self.redis.url.replace("//", "//some:pw@"))
        self.ask("a")
        self.answer_of("a")
        leat.wait_for("ZRANGEBYSCORE")
        time.sleep(0.5)  # some tries
        self.assertEqual(leat.output().count("ZRANGEBYSCORE"), 1)
        self.db.execute_command("ACL", "SETUSER", "some", "+@all")
        eventually(lambda: not self.db.exists("work:answers:gone"))
        leat.wait_for("going on")
        self.assertEqual(leat.output().count("late answers to others cannot be removed"), 2)

    def test_a_timeout_and_the_answer_behind_it(self):
        self.dispatch("--timeout", 300, "--serviceNamespace", "ns")
        self.ask("a")
        text = self.await_list("work", 1)[0]
        self.assertAlmostEqual(json.loads(text)["meta"]["deadline"] / 1000, time.time(), delta=1)
        self.assertEqual(self.answer_of("a")["error"], {"name": "Timeout", "message": "mdispatch timeout (300ms)"})
        self.give(text, "too late")
        self.await_count("answer:late", 1)
        self.assertEqual(self.db.llen("in:reply:a"), 1)
        self.await_nothing_pending()

    def test_errors_arrive_as_they_were_given(self):
        errors = {"a": {"name": "Sad", "message": "so it is", "code": 5}, "b": {"name": "Only"}, "c": "a text", "d": 7, "e": {}}
        self.worker(answer=lambda body: {"error": errors[json.loads(body)["meta"]["id"]]})
        self.dispatch()
        self.ask(*errors)
        for name, error in errors.items():
            self.assertEqual(self.answer_of(name)["error"], error)

    def test_bodies_arrive_as_they_were_given(self):
        bodies = {"a": "text", "b": "", "c": {"n": [1, None, "ü"]}, "d": 7, "e": None, "f": False}
        self.worker(answer=lambda body: {"body": bodies[json.loads(body)["meta"]["id"]]})
        self.dispatch()
        self.ask(*bodies)
        for name, body in bodies.items():
            self.assertEqual(self.answer_of(name)["body"], body)

    def test_bytes_both_ways(self):
        messages = [b"\x00\xff\xfe", b"", os.urandom(100_000), b"\xed\xa0\x80"]
        worker = self.worker(answer=lambda body: body)
        self.dispatch("--reply", "answers", "--concurrency", 1)
        self.db.lpush("in", *messages)
        answers = [json.loads(each) for each in self.await_list("answers", len(messages))]
        self.assertEqual([body_of(each) or b"" for each in answers], messages)
        self.assertEqual([each.get("encoding") for each in worker.requests], ["base64", None, "base64", "base64"])

    def test_huge_requests(self):
        self.worker(answer=lambda body: body)
        self.dispatch("--reply", "answers", "--timeout", 20_000)
        self.db.lpush("in", b"x" * (30 << 20))
        self.assertEqual(len(json.loads(self.await_list("answers", 1, 20)[0])["body"]), 30 << 20)

    def test_an_answer_nested_deeply(self):
        deep = "[" * 100 + "]" * 100
        self.worker(whole=True, answer=lambda asked: [f'{{"meta":{{"id":"{asked["meta"]["id"]}"}},"body":{deep}}}'])
        self.dispatch("--timeout", 500)
        self.ask("a")
        self.assertIn("body", self.answer_of("a"))

    def test_ids_that_are_numbers(self):
        self.worker()
        self.dispatch("--reply", "answers", "--concurrency", 1)
        self.db.lpush("in", *('{"meta": {"id": %s}}' % each for each in ("7", "12345678901234567890123")))
        self.assertEqual([json.loads(each)["meta"]["id"] for each in self.await_list("answers", 2)], [7, 12345678901234567890123])

    def test_the_trace_goes_along(self):
        self.dispatch()
        self.db.lpush("in", json.dumps({"meta": {"id": "a", "reply": "in:reply:a", "traceparent": "00-ab-cd-01"}}))
        self.assertEqual(json.loads(self.await_list("work", 1)[0])["meta"]["traceparent"], "00-ab-cd-01")


class Askers(DispatchCase):
    def test_who_names_no_list_and_none_is_set(self):
        worker = self.worker()
        self.dispatch()
        for each in (b"plain", b'{"meta": {"reply": ""}}', b'{"meta": {"reply": []}}', b'{"meta": 5}', b"\xff"):
            self.db.lpush("in", each)
            self.assertIn("there is no list for the answer", self.await_failure(each, "in:dead")[1])
        self.assertEqual(worker.requests, [])  # nobody would hear of the work

    def test_a_list_of_the_wrong_type_costs_only_its_message(self):
        self.db.set("in:reply:b", "a text")
        self.worker(answer=lambda body: "ok")
        self.dispatch()
        self.ask("a", "b", "c")
        self.assertEqual((self.answer_of("a")["body"], self.answer_of("c")["body"]), ("ok", "ok"))
        (dead,) = self.await_list("in:dead", 1)
        self.assertEqual(json.loads(dead)["meta"]["id"], "b")
        self.assertIn("WRONGTYPE", self.story(dead, "in:dead")["reason"])
        self.await_nothing_pending()

    def test_a_request_cannot_push_to_what_is_not_made_for_answers(self):
        """Whoever may push to `in` does not get this service's rights to other lists."""
        worker = self.worker(answer=lambda body: "ok")
        self.dispatch("--reply", "answers")
        for name in ("session:alice", "exec:in", "in:reply:", "in:replying:1", "answers:1"):
            message = json.dumps({"meta": {"id": name, "reply": name}})
            self.db.lpush("in", message)
            self.assertIn(f"meta.reply names `{name}`, which is neither `reply` nor below `in:reply:`; the setting replyPrefixes "
                          "allows other lists", self.await_failure(message, "in:dead")[1])
            self.assertEqual(self.db.exists(name), 0)
        self.assertEqual(worker.requests, [])
        self.db.lpush("in", json.dumps({"meta": {"reply": "answers"}}))
        self.await_list("answers", 1)  # the configured one is for everybody

    def test_prefixes(self):
        worker = self.worker(answer=lambda body: "ok")
        self.dispatch("--replyPrefixes", "to:a,to:b", "--reply", "answers")
        self.db.lpush("in", *(json.dumps({"meta": {"reply": f"to:{name}"}}) for name in ("a", "c", "bee")))
        self.db.lpush("in", "plain")
        self.await_list("to:a", 1)
        self.await_list("to:bee", 1)
        self.await_list("answers", 1)  # the configured one needs none
        (dead,) = self.await_list("in:dead", 1)
        self.assertIn("replyPrefixes", self.story(dead, "in:dead")["reason"])
        self.assertEqual(self.db.exists("to:c"), 0)
        self.assertEqual(len(worker.requests), 3)

    def test_nobody_can_have_an_answer_put_among_our_own_keys(self):
        self.worker(answer=lambda body: "ok")
        self.dispatch()
        for each in ("in:pending:1", "in:pending:delayed", "in:pending:deliveries", "in", "in:dead", "work"):
            message = json.dumps({"meta": {"id": each, "reply": each}})
            self.db.lpush("in", message)
            self.await_failure(message, "in:dead")
        self.await_nothing_pending()

    def test_a_reply_of_the_wrong_type_waits_for_repair(self):
        self.db.set("answers", "a text")
        self.worker(answer=lambda body: "ok")
        leat = self.dispatch("--reply", "answers")
        self.db.lpush("in", "1")
        leat.wait_for("key=answers")
        self.db.delete("answers")
        self.await_list("answers", 1)

    def test_workers_of_the_wrong_type(self):
        self.db.set("work", "a text")
        leat = self.dispatch("--timeout", 5000)
        self.ask("a")
        leat.wait_for("key=work", 3)
        self.db.delete("work")
        self.give(self.await_list("work", 1)[0], "ok")
        self.assertEqual(self.answer_of("a")["body"], "ok")

    def test_settings_that_cannot_be(self):
        for words, text in {("--reply", "work"): "workers", ("--reply", "in"): "in", ("--timeout", "0"): "timeout",
                            ("--reply", "in:pending:1"): "pending"}.items():
            run = self.run_leat("mdispatch", "--redis", self.redis.url, "--in", "in", "--workers", "work", *words, timeout=5)
            self.assertEqual(run.returncode, 2, words)
            self.assertIn(text, run.stderr)


class Instances(DispatchCase):
    def test_two(self):
        self.worker(answer=lambda body: "ok")
        both = [self.dispatch("--concurrency", 3, name=f"d{n}") for n in range(2)]
        names = [f"n{n}" for n in range(300)]
        self.ask(*names)
        for each in names:
            self.assertEqual(self.answer_of(each)["body"], "ok")
        for each in both:
            self.assertEqual(each.stop(), 0)
        self.assertEqual(sorted(key for key in self.db.keys("*") if not key.startswith(b"in:reply:")),
                         [b"in:pending:id", b"work:answers:instances"])

    def test_a_killed_one_is_asked_for_by_the_next(self):
        words = ("--concurrency", 100, "--timeout", 20_000)
        killed = self.dispatch(*words)
        names = [f"n{n}" for n in range(30)]
        self.ask(*names)
        first = self.await_list("work", 30)
        killed.process.kill()
        killed.process.wait()
        self.db.delete("work")
        self.dispatch(*words)
        worker = self.worker(answer=lambda body: "second")
        for each in first:
            self.give(each, "first")  # to the dead
        for each in names:
            self.assertEqual(self.answer_of(each)["body"], "second")
        self.assertEqual(len(worker.requests), 30)
        self.await_nothing_pending()

    def test_after_a_death_slow_workers_still_work_side_by_side(self):
        words = ("--concurrency", 100, "--timeout", 20_000)
        killed = self.dispatch(*words)
        self.ask(*(f"n{n}" for n in range(20)))
        self.await_list("work", 20)
        killed.process.kill()
        killed.process.wait()
        self.db.delete("work")
        self.dispatch(*words)
        self.await_list("work", 20, 3)

    def test_redis_comes_back(self):
        self.redis = self.server("--appendonly", "yes", "--appendfsync", "always")
        self.db = self.redis.client()
        self.dispatch("--timeout", 20_000)
        self.ask("a", "b")
        requests = self.await_list("work", 2)
        self.give(requests[0], "before")
        self.answer_of("a")
        self.redis.stop()
        self.redis.start()
        self.give(requests[1], "after")
        self.assertEqual(self.answer_of("b")["body"], "after")
        self.ask("c")
        self.give(self.await_list("work", 3)[-1], "fresh")
        self.assertEqual(self.answer_of("c")["body"], "fresh")
        self.await_nothing_pending()

    def test_lost_answers_of_redis(self):
        proxy = self.proxy(self.redis)
        self.worker(answer=lambda body: "ok")
        self.dispatch("--timeout", 20_000, url=proxy.url)
        self.ask("warm")
        self.answer_of("warm")
        for n, needle in enumerate((b"work:answers", b"in:pending", b"LPUSH", b"in:reply:n3")):
            proxy.drop_answer(needle)
            self.ask(f"n{n}")
            self.answer_of(f"n{n}")
            eventually(lambda: proxy.dropped == n + 1, 8, needle)
        self.await_nothing_pending()

    def test_a_stop_waits_for_answers(self):
        leat = self.dispatch("--timeout", 3000)
        self.ask("a", "b")
        requests = self.await_list("work", 2)
        threading.Timer(0.3, lambda: [self.give(each, "ok") for each in requests]).start()
        began = time.monotonic()
        self.assertEqual(leat.stop(), 0)
        self.assertLess(time.monotonic() - began, 2)
        self.assertEqual((self.answer_of("a")["body"], self.answer_of("b")["body"]), ("ok", "ok"))
        self.assertEqual(sorted(self.db.keys("*")), [b"in:pending:id", b"in:reply:a", b"in:reply:b", b"work", b"work:answers:instances"])

    def test_what_workers_answer_after_a_stop_is_removed_by_the_next(self):
        leat = self.dispatch("--timeout", 200)
        self.ask("a")
        request = self.await_list("work", 1)[0]
        self.assertEqual(self.answer_of("a")["error"]["name"], "Timeout")
        self.assertEqual(leat.stop(), 0)
        answers = json.loads(request)["meta"]["reply"]
        self.assertEqual(self.db.exists(answers), 0)
        for _ in range(200):
            self.give(request, "late")
        self.assertEqual(self.db.llen(answers), 200)
        prefix, instance = answers.rsplit(":", 1)
        heard_of = self.db.zscore(f"{prefix}:instances", instance)
        self.assertAlmostEqual(heard_of / 1000, time.time(), delta=60)
        self.db.zadd(f"{prefix}:instances", {instance: heard_of - 11 * 60 * 1000})  # time goes by
        self.dispatch("--timeout", 200)
        self.ask("b")
        eventually(lambda: not self.db.exists(answers))

    def test_a_stop_at_once_when_there_is_nothing_to_do(self):
        leat = self.dispatch("--timeout", 60_000)
        leat.wait_for("taking")
        began = time.monotonic()
        self.assertEqual(leat.stop(), 0)
        self.assertLess(time.monotonic() - began, 1)


class Examples(DispatchCase):
    """Each answers in upper case, and loses nothing when it is killed."""
    def run_worker(self, *words, env=None):
        process = subprocess.Popen([*map(str, words)], stdout=subprocess.PIPE, cwd=self.folder, env={**os.environ, **(env or {})})
        self.stack.callback(process.stdout.close)
        self.stack.callback(process.wait)
        self.stack.callback(process.kill)
        return process

    def check(self, hand, *words, **options):
        self.dispatch("--reply", "answers", "--concurrency", 1, "--timeout", 20_000)
        self.db.lpush("in", "first")
        self.await_list("work", 1)
        self.db.lmove("work", hand, "RIGHT", "LEFT")  # as if it had been killed with it in hand
        self.run_worker(*words, **options)
        self.db.lpush("in", "two words", 'with "quotes" and \\ and $HOME', '{"meta": {"reply": "in:reply:me"}, "n": 1}')
        answers = [json.loads(each)["body"] for each in self.await_list("answers", 3, 15)]
        self.assertEqual(answers, ["FIRST", "TWO WORDS", 'WITH "QUOTES" AND \\ AND $HOME'])
        self.assertIn("META", json.loads(self.await_list("in:reply:me", 1)[0])["body"])
        eventually(lambda: not self.db.exists("work", hand))

    def test_python(self):
        self.check("work:answer.py", "/usr/bin/python3", ROOT / "examples/workers/answer.py", "work", self.redis.url)

    def test_shell(self):
        self.check("work:answer.sh", ROOT / "examples/workers/answer.sh", "work",
                   env={"REDIS_CLI": f"redis-cli -p {self.redis.port}"})

    @unittest.skipUnless(os.environ.get("LEAT_TEST_ALL"), "needs Node and npm's redis: ./dev test --all")
    def test_node(self):
        self.check("work:answer.js", "node", ROOT / "examples/workers/answer.js", "work", self.redis.url)

    def test_they_are_short(self):
        for each in ("answer.py", "answer.sh", "answer.js"):
            lines = [line for line in (ROOT / "examples/workers" / each).read_text().splitlines()
                     if line.strip() and not re.match(r"#|//|\"\"\"", line)]
            self.assertLessEqual(len(lines), 15, each)


if __name__ == "__main__":
    unittest.main()
