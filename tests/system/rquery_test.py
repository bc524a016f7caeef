"""rquery: queries of allowed commands, with parameters, on allowed keys."""
import base64
import hashlib
import json
import re
import time
import unittest

from leat_testing import Case, eventually

SEED = {"paramaters": {"articleId": 12345},
        "commands": [{"command": "hget article:$articleId section", "save": "section"},
                     {"command": "hget section:$section label", "save": "label"}]}


class QueryCase(Case):
    server_words = ()

    def setUp(self):
        super().setUp()
        self.redis = self.server(*self.server_words)
        self.db = self.redis.client()
        self.db.hset("article:12345", mapping={"section": "news", "title": "It's \"new\""})
        self.db.hset("section:news", "label", "News")
        self.asked = 0

    def rquery(self, *words, url=None):
        return self.leat("rquery", "--redis", url or self.redis.url, "--in", "in", "--reply", "out", "--prefixes",
                         "article:,section:", *words)

    def answer(self, query, timeout=10):
        """Of one query; it comes to a list of its own."""
        self.asked += 1
        reply = f"in:reply:{self.asked}"
        meta = {"reply": reply}
        self.db.lpush("in", json.dumps({"meta": meta, **query}))
        eventually(lambda: self.db.llen(reply) == 1, timeout, f"an answer to {query}")
        return json.loads(self.db.rpop(reply))

    def ask(self, *commands, **parameters):
        """Commands are texts, lists, or pairs of one of them and the name of the value."""
        listed = [{"command": each[0], "save": each[1]} if isinstance(each, tuple) else {"command": each, "save": f"v{n}"}
                  for n, each in enumerate(commands)]
        return self.answer({"parameters": parameters, "commands": listed})

    def story(self, message):
        return json.loads(self.db.hget("in:dead:story", hashlib.sha1(message).hexdigest()))

    def data(self):
        return {key: self.db.dump(key) for key in sorted(self.db.keys("*")) if not key.startswith((b"in", b"out"))}

    def calls(self, command):
        """Of a command that leat itself has no use for."""
        return self.db.info("commandstats").get(f"cmdstat_{command}", {"calls": 0})["calls"]


class Queries(QueryCase):
    def test_the_first_description_of_queries(self):
        self.rquery()
        self.db.lpush("in", json.dumps(SEED))
        eventually(lambda: self.db.llen("out") == 1)
        self.assertEqual(self.db.rpop("out"), b'{"values":{"section":"news","label":"News"}}')

    def test_answers_go_where_the_query_says(self):
        self.rquery()
        self.db.lpush("in", json.dumps({"meta": {"id": "q1", "reply": "in:reply:me"}, **SEED}))
        self.db.lpush("in", json.dumps({"meta": {"id": 2}, **SEED}))
        eventually(lambda: self.db.llen("in:reply:me") == 1 and self.db.llen("out") == 1)
        self.assertEqual(self.db.rpop("in:reply:me"), b'{"meta":{"id":"q1"},"values":{"section":"news","label":"News"}}')
        self.assertEqual(self.db.rpop("out"), b'{"meta":{"id":"2"},"values":{"section":"news","label":"News"}}')
        eventually(lambda: not self.db.exists("in:pending:1"))

    def test_a_request_is_answered_as_a_request(self):
        self.rquery()
        self.db.lpush("in", json.dumps({"meta": {"id": "r", "reply": "in:reply:me", "deadline": 1}, "body": json.dumps(SEED)}))
        eventually(lambda: self.db.llen("in:reply:me") == 1)
        self.assertEqual(self.db.rpop("in:reply:me"),
                         b'{"meta":{"id":"r"},"body":{"values":{"section":"news","label":"News"}}}')

    def test_values_of_every_type(self):
        self.db.set("article:text", "grüße\n\x00")
        self.db.rpush("article:list", "a", "b")
        self.db.zadd("article:scores", {"x": 1.5, "y": float("inf")})
        self.db.xadd("article:stream", {"f": "v"}, id="1-0")
        self.db.sadd("article:set", "only")
        self.rquery()
        values = self.ask("get article:text", "get article:none", "llen article:list", "lrange article:list 0 -1",
                          "hgetall article:12345", "zrange article:scores 0 -1 withscores", "xrange article:stream - +",
                          "SMEMBERS article:set", "mget article:text article:none", "hgetall article:none",
                          "zscore article:scores x", "type article:set", ["exists", "article:set", "article:none"])["values"]
        self.assertEqual(list(values.values()), [
            "grüße\n\x00", None, 2, ["a", "b"], {"section": "news", "title": "It's \"new\""}, [["x", "1.5"], ["y", "inf"]],
            [["1-0", ["f", "v"]]], ["only"], ["grüße\n\x00", None], {}, "1.5", "set", 1])

    def test_what_is_not_utf_8_is_base64(self):
        raw = bytes(range(256))
        self.db.set("article:raw", raw)
        self.db.hset("article:map", mapping={b"\xff": b"1", b"f": b"g"})
        self.db.set("article:key", b"\xfe")
        self.db.set(b"article:\xfe", "found")
        self.rquery()
        answer = self.ask("get article:raw", "hgetall article:map", ("get article:key", "key"), "get article:$key")
        self.assertEqual(answer["encoding"], {"v0": "base64", "v1": "base64", "key": "base64"})
        self.assertEqual(base64.b64decode(answer["values"]["v0"]), raw)
        self.assertEqual(answer["values"]["v1"], {"/w==": "MQ==", "Zg==": "Zw=="})
        self.assertEqual(answer["values"]["v3"], "found")

    def test_a_value_stays_in_its_argument(self):
        nasty = "1 section'\" $x ${y} $$ \r\n*1\r\n$8\r\nFLUSHALL\r\n"
        self.db.hset("article:" + nasty, "f " + nasty, "first")
        self.db.set("article:first", nasty)
        self.rquery()
        before = self.data()
        answer = self.ask(("hget article:$p 'f '$p", "a"), ("get article:$a", "b"), ("hget article:$b \"f $b\"", "c"),
                          ("get article:$$", "d"), p=nasty)
        self.assertEqual(answer, {"values": {"a": "first", "b": nasty, "c": "first", "d": None}})
        self.assertEqual(self.data(), before)

    def test_commands_are_sent_together(self):
        """Each way through the proxy takes a tenth of a second; one after the other the commands would need ten."""
        between = self.proxy(self.redis)
        leat = self.rquery("--timeout", 20_000, url=between.url)
        leat.wait_for("taking")
        between.delay = 0.1
        began = time.monotonic()
        commands = [f"hstrlen article:{n} x" for n in range(48)]
        answer = self.ask(("hget article:12345 section", "s"), *commands, ("hget section:$s label", "label"))
        self.assertLess(time.monotonic() - began, 4)
        self.assertEqual((answer["values"]["label"], len(answer["values"])), ("News", 50))
        self.assertEqual(self.calls("hstrlen"), 48)

    def test_many_at_a_time(self):
        self.rquery()
        count = 2000
        self.db.lpush("in", *(json.dumps({"meta": {"id": n}, **SEED}) for n in range(count)))
        eventually(lambda: self.db.llen("out") == count, 20)
        answers = [json.loads(each) for each in self.db.lrange("out", 0, -1)]
        self.assertEqual({int(each["meta"]["id"]) for each in answers}, set(range(count)))
        self.assertTrue(all(each["values"] == {"section": "news", "label": "News"} for each in answers))


class Refusals(QueryCase):
    def error(self, *commands, **parameters):
        answer = self.ask(*commands, **parameters)
        self.assertEqual(list(answer), ["error"], answer)
        return answer["error"]["name"], answer["error"]["message"]

    def test_what_is_refused_changes_nothing(self):
        self.db.set("secret", "s")
        self.rquery("--allow", "set")
        before = self.data()
        for name, *commands in [
                ("NotAllowed", "set article:1 x", "FLUSHALL"),
                ("NotAllowed", "set article:1 x", "eval \"redis.call('flushall')\" 1 article:1"),
                ("NotAllowed", "set article:1 x", "del article:12345"),
                ("NotAllowed", "set article:1 x", "config set dir /tmp"),
                ("NotAllowed", "set article:1 x", "sort article:12345 store article:2"),
                ("KeyNotAllowed", "set article:1 x", "get secret"),
                ("KeyNotAllowed", "set article:1 x", "set secret x"),
                ("KeyNotAllowed", "set article:1 x", "mget article:1 secret"),
                ("MissingParameter", "set article:1 x", "get article:$missing"),
                ("BadQuery", "set article:1 x", "get 'article:1"),
                ("BadQuery", "set article:1 x", "srandmember article:1 -999999999999")]:
            self.assertEqual(self.error(*commands)[0], name, commands)
        self.assertEqual(self.data(), before)
        self.assertEqual(self.db.llen("in:dead"), 0)

    def test_a_saved_value_leads_nowhere_else(self):
        self.db.set("article:to", "secret")
        self.db.set("secret", "s")
        self.rquery()
        name, message = self.error(("get article:to", "to"), ("get $to", "got"))
        self.assertEqual((name, message), ("KeyNotAllowed", "commands[1] (save `got`): the key `secret` is outside the prefixes"))

    def test_errors_say_which_command_it_is(self):
        self.rquery()
        self.assertEqual(self.error(("hget article:12345 none", "s"), ("hget section:$s label", "label")),
                         ("MissingValue", "commands[1] (save `label`): `$s` is null, so there is no `section:$s` to ask for"))
        name, message = self.error("hget article:12345 section", ("get article:12345", "x"))
        self.assertEqual(name, "RedisError")
        self.assertRegex(message, r"^commands\[1\] \(save `x`\): WRONGTYPE ")
        self.assertEqual(self.error("hget article:12345")[0], "RedisError")
        self.assertIn("did you mean articleId?", self.error("get article:$articelId", articleId=1)[1])

    def test_limits(self):
        self.db.set("article:large", "x" * 2000)
        self.rquery("--maxCommands", 3, "--maxBytes", 1000, "--maxAnswer", 2010)
        self.assertEqual(self.error(*["get article:1"] * 4)[0], "TooLarge")
        self.assertEqual(self.error("get article:" + "x" * 1000)[0], "TooLarge")
        self.assertEqual(self.error("get article:$p$p$p", p="x" * 400)[0], "TooLarge")
        self.assertEqual(self.error("get article:large", "get article:large")[0], "TooLarge")
        name, message = self.error("get article:large")
        self.assertEqual(name, "TooLarge")
        self.assertIn("maxAnswer, 2010", message)
        self.assertIn("values", self.ask("strlen article:large"))

    def test_a_slow_server(self):
        between = self.proxy(self.redis)
        leat = self.rquery("--timeout", 100, url=between.url)
        leat.wait_for("taking")
        between.delay = 0.2
        self.assertEqual(self.error("get article:1"), ("Timeout", "Redis did not answer within 100 ms"))
        between.delay = 0
        eventually(lambda: "values" in self.ask("get article:1"))
        self.assertEqual(leat.stop(), 0)

    def test_what_the_server_forbids(self):
        self.db.execute_command("ACL", "SETUSER", "q", "on", ">p", "~*", "&*", "+@all", "-hget")
        self.rquery(url=self.redis.url.replace("//", "//q:p@"))
        name, message = self.error("hget article:12345 section")
        self.assertEqual(name, "NotAllowed")
        self.assertIn("NOPERM", message)
        self.assertIn("values", self.ask("get article:1"))

    def test_whatever_the_bytes(self):
        nasty = [b"", b"\x00", b"\xff\xfe", b"{", b"null", b"[]", b'"text"', b"1e999", b"[" * 100_000, b"x" * 300_000,
                 b'{"commands":[[]]}', b'{"commands":[{"command":"get \\u0000"}]}', b'{"meta":[],"commands":null}',
                 b'{"parameters":{"p":1e999},"commands":[{"command":"get article:$p"}]}',
                 b'{"commands":' + b'[' * 31 + b']' * 31 + b"}", b'{"body":{"body":{"body":1}}}', b"x" * (5 << 20)]
        self.rquery()
        for each in nasty:
            self.db.lpush("in", each)
        eventually(lambda: self.db.llen("out") == len(nasty), 20)
        names = {json.loads(each)["error"]["name"] for each in self.db.lrange("out", 0, -1)}
        self.assertEqual(names, {"BadQuery", "TooLarge", "KeyNotAllowed"})
        self.assertIn("values", self.ask("get article:1"))

    def test_without_a_list_for_the_answer(self):
        query = {"commands": [{"command": "strlen article:1", "save": "x"}]}
        lost, own = json.dumps(query).encode(), json.dumps({"meta": {"reply": "in:pending:1"}, **query}).encode()
        self.db.lpush("in", lost, own, b"{")
        self.leat("rquery", "--redis", self.redis.url, "--in", "in", "--prefixes", "article:")
        eventually(lambda: self.db.llen("in:dead") == 3)
        self.assertIn("no list for the answer", self.story(lost)["reason"])
        self.assertIn("lives on", self.story(own)["reason"])
        self.assertIn("not JSON", self.story(b"{")["reason"])
        self.assertEqual(self.story(b"{")["name"], "BadQuery")
        self.assertEqual(self.calls("strlen"), 0)

    def test_a_list_for_the_answer_that_is_none(self):
        """Costs this query and no other."""
        self.db.set("in:reply:wrong", "text")
        wrong = json.dumps({"meta": {"reply": "in:reply:wrong"}, **SEED}).encode()
        good = [json.dumps({"meta": {"reply": f"in:reply:{n}"}, **SEED}).encode() for n in range(5)]
        self.db.lpush("in", *good[:2], wrong, *good[2:])
        self.rquery()
        eventually(lambda: self.db.llen("in:dead") == 1)
        eventually(lambda: all(self.db.llen(f"in:reply:{n}") == 1 for n in range(5)))
        self.assertIn("WRONGTYPE", self.story(wrong)["reason"])
        self.assertEqual(self.db.get("in:reply:wrong"), b"text")

    def test_a_query_cannot_push_to_what_is_not_made_for_answers(self):
        """Whoever may push to `in` does not get this service's rights to other lists."""
        self.rquery()
        secret = ["session:alice", "exec:in", "in:reply:", "in:reply", "in:replying:1", "outside"]
        queries = [json.dumps({"meta": {"reply": each}, **SEED}).encode() for each in secret]
        self.db.lpush("in", *queries)
        eventually(lambda: self.db.llen("in:dead") == len(queries))
        for name, query in zip(secret, queries):
            self.assertIn(f"meta.reply names `{name}`, which is neither `reply` nor below `in:reply:`; the setting replyPrefixes "
                          "allows other lists", self.story(query)["reason"])
        self.assertEqual(self.db.exists(*secret), 0)
        self.db.lpush("in", json.dumps({"meta": {"reply": "out"}, **SEED}))  # the configured list is for everybody
        eventually(lambda: self.db.llen("out") == 1)

    def test_reply_prefixes_say_which_lists_may_be_named(self):
        self.rquery("--replyPrefixes", "to:a,to:b")
        for name in ("to:a", "to:bee", "to:c", "in:reply:1", "in"):
            self.db.lpush("in", json.dumps({"meta": {"reply": name}, **SEED}))
        eventually(lambda: self.db.llen("in:dead") == 3 and self.db.llen("to:a") == self.db.llen("to:bee") == 1)
        self.assertEqual(self.db.exists("to:c", "in:reply:1"), 0)
        reasons = sorted(self.story(each)["reason"] for each in self.db.lrange("in:dead", 0, -1))
        self.assertEqual(["replyPrefixes" in each or "lives on" in each for each in reasons], [True] * 3, reasons)

    def test_settings_are_checked(self):
        run = self.run_leat("rquery", "--redis", self.redis.url, "--in", "in", "--prefixes", "article:", "--allow", "eval")
        self.assertEqual(run.returncode, 2)
        self.assertIn("`eval` can never be allowed", run.stdout + run.stderr)


class Writes(QueryCase):
    def test_writes_keep_their_order(self):
        self.rquery("--allow", "INCR,set,getdel")
        self.assertEqual(
            self.ask("incr article:n", "get article:n", ("set article:n 7", "set"), ("incr article:n", "n"),
                     "set article:copy $n", "get article:copy", "getdel article:n", "exists article:n")["values"],
            {"v0": 1, "v1": "1", "set": "OK", "n": 8, "v4": "OK", "v5": "8", "v6": "8", "v7": 0})

    def test_after_an_error_nothing_more_is_written(self):
        self.rquery("--allow", "incr")
        answer = self.ask("incr article:a", "get article:12345", "incr article:b")
        self.assertEqual(answer["error"]["name"], "RedisError")
        self.assertEqual((self.db.get("article:a"), self.db.get("article:b")), (b"1", None))

    def test_the_table_of_commands_agrees_with_the_server(self):
        """Which of them write, and where their keys are: a foreign key is refused wherever the server sees one."""
        page = self.run_leat("docs", "rquery").stdout
        reads, writes = (re.findall("`(\\w+)`", re.search(f"^Commands that {kind}.*: (.*)\\.$", page, re.M).group(1))
                         for kind in ("read", "write"))
        self.assertGreater(min(len(reads), len(writes)), 40)
        self.rquery("--allow", ",".join(writes), "--maxCommands", 1)
        known = self.db.execute_command("COMMAND", "INFO", *reads, *writes)
        known = known if isinstance(known, dict) else {each[0].decode(): each for each in known}
        expected, queries = {}, []
        for name in reads + writes:
            told = known[name]
            flags = {each.decode() if isinstance(each, bytes) else each for each in told["flags"]}
            self.assertIn("write" if name in writes else "readonly", flags, name)
            self.assertFalse(flags & {"movablekeys", "blocking", "admin", "dangerous", "noscript"}, name)
            first, last, step = told["first_key_pos"], told["last_key_pos"], told["step_count"]
            keys = range(first, (last if last > 0 else 4) + 1, step)
            for place in range(1, 5):
                words = [name] + ["outside:" if n == place else "article:list" for n in range(1, 5)]
                query = f"{name} {place}"
                expected[query] = place in keys
                queries.append(json.dumps({"meta": {"id": query}, "commands": [{"command": words}]}))
        self.db.lpush("in", *queries)
        eventually(lambda: self.db.llen("out") == len(expected))
        for text in self.db.lrange("out", 0, -1):
            answer = json.loads(text)
            refused = answer.get("error", {}).get("name") == "KeyNotAllowed"
            self.assertEqual(refused, expected[answer["meta"]["id"]], answer)
        self.assertEqual(self.db.keys("outside:*"), [])


class LargeReplies(QueryCase):
    """What is not read yet is kept by Redis: however much is asked for, that stays bounded."""
    large, bound = 1 << 20, 150 << 20

    def setUp(self):
        super().setUp()
        self.db.set("article:large", "x" * self.large)

    def flood(self, queries, commands, **more):
        query = {"commands": [{"command": "get article:large", **more}] * commands}
        self.db.lpush("in", *(json.dumps({"meta": {"id": n}, **query}) for n in range(queries)))

    def check(self, answers, within=60):
        """All are there; returns what they are."""
        eventually(lambda: self.db.llen("out") == answers, within, lambda: f"{answers} answers; {self.db.llen('out')}")
        self.assertLess(self.db.info("memory")["used_memory_peak"] - self.before, self.bound)
        return [json.loads(each) for each in self.db.lrange("out", 0, -1)]

    def begin(self, *words):
        leat = self.rquery("--timeout", 60_000, *words)
        leat.wait_for("taking")
        self.before = self.db.info("memory")["used_memory"]
        return leat

    def test_a_flood_of_them_takes_little_memory(self):
        self.begin()
        self.flood(50, 100)
        answers = self.check(50)
        self.assertEqual({each["error"]["name"] for each in answers}, {"TooLarge"})

    def test_so_it_does_when_all_may_be_large(self):
        self.begin("--maxAnswer", 20 << 20)
        self.flood(50, 10)
        self.assertEqual([each["values"] for each in self.check(50)], [{}] * 50)

    def test_after_many_small_ones_it_does_too(self):
        self.begin("--maxAnswer", 20 << 20)
        self.db.lpush("in", *(json.dumps({"meta": {"id": n}, **SEED}) for n in range(500)))
        self.check(500)
        self.flood(100, 16)
        self.check(600)

    def test_a_query_ends_with_the_reply_that_is_too_large(self):
        """Of what is behind it only what was on its way is asked."""
        self.begin()
        answer = self.answer({"commands": [{"command": "get article:large"}] * 2 + [{"command": "hstrlen article:12345 x"}] * 98})
        self.assertEqual(answer["error"]["name"], "TooLarge")
        self.assertIn("commands[0]: up to here the replies are larger than maxAnswer", answer["error"]["message"])
        self.assertLessEqual(self.calls("hstrlen"), 14)

    def test_what_has_timed_out_still_counts(self):
        """Nobody waits for these replies any more, but Redis may still have them: nothing more is asked before they are there."""
        between = self.proxy(self.redis)
        self.rquery("--timeout", 200, url=between.url)
        self.answer(SEED)  # all connections are there
        between.delay = 0.7
        query = {"commands": [{"command": "getrange article:large 0 -1"}] * 100}
        self.db.lpush("in", *(json.dumps({"meta": {"id": n}, **query}) for n in range(50)))
        eventually(lambda: self.db.llen("out") == 50, 30)
        self.assertEqual({json.loads(each)["error"]["name"] for each in self.db.lrange("out", 0, -1)}, {"Timeout"})
        self.assertLessEqual(self.calls("getrange"), 20)


class Faults(QueryCase):
    server_words = ("--appendonly", "yes", "--appendfsync", "always")

    def test_redis_restarts_while_queries_run(self):
        self.rquery().wait_for("taking")
        count, interrupted = 0, 0
        for _ in range(3):
            self.db.lpush("in", *(json.dumps({"meta": {"id": n}, **SEED}) for n in range(count, count + 5000)))
            count += 5000
            eventually(lambda: self.db.llen("out") > count - 5000)
            self.redis.stop()
            self.redis.start()
            self.db = self.redis.client()
            interrupted += self.db.llen("out") < count
        eventually(lambda: self.db.llen("out") == count, 20, lambda: f"{count} answers; there are {self.db.llen('out')}")
        answers = [json.loads(each) for each in self.db.lrange("out", 0, -1)]
        self.assertEqual({int(each["meta"]["id"]) for each in answers}, set(range(count)))
        self.assertTrue(all(each["values"] == {"section": "news", "label": "News"} for each in answers))
        self.assertEqual(self.db.llen("in:dead"), 0)
        self.assertGreater(interrupted, 0)

    def test_an_answer_of_redis_is_lost(self):
        between = self.proxy(self.redis)
        self.rquery(url=between.url).wait_for("taking")
        between.drop_answer(b"section:news")
        self.assertEqual(self.answer(SEED), {"values": {"section": "news", "label": "News"}})
        self.assertEqual(between.dropped, 1)

    def test_a_query_that_costs_the_connection_each_time(self):
        """It is found out, and those that were under way with it are answered."""
        self.db.set("article:large", "x" * 5_000_000)
        self.db.config_set("client-output-buffer-limit", "normal 1000000 0 0")
        poison = json.dumps({"commands": [{"command": "mget article:large article:large", "save": "x"}]}).encode()
        good = [json.dumps({"meta": {"id": n}, **SEED}) for n in range(60)]
        self.db.lpush("in", *good[:30], poison, *good[30:])
        self.rquery("--maxDeliveries", 2, "--retry.first", 0.1)
        eventually(lambda: self.db.llen("in:dead") == 1 and self.db.llen("out") == 61)
        self.assertEqual(self.db.lrange("in:dead", 0, -1), [poison])
        self.assertIn("connection lost", self.story(poison)["reason"])
        answers = [json.loads(each) for each in self.db.lrange("out", 0, -1)]
        self.assertEqual({int(each["meta"]["id"]) for each in answers if "values" in each}, set(range(60)))
        self.assertEqual([each["error"]["name"] for each in answers if "error" in each], ["TooLarge"])

    def test_a_stop_while_redis_is_silent(self):
        between = self.proxy(self.redis)
        leat = self.rquery("--timeout", 60_000, url=between.url)
        leat.wait_for("taking")
        between.delay = 0.3
        query = json.dumps(SEED).encode()
        self.db.lpush("in", query)
        eventually(lambda: self.db.llen("in:pending:1") == 1)
        time.sleep(0.15)
        between.black_hole()  # the query has arrived at leat, what leat asks does not arrive at Redis
        time.sleep(0.3)
        began = time.monotonic()
        leat.stop()
        self.assertLess(time.monotonic() - began, 5)
        self.assertEqual(self.db.lrange("in", 0, -1) + self.db.lrange("in:pending:1", 0, -1), [query])


if __name__ == "__main__":
    unittest.main()
