"""leat queue: list, read, fill, move, empty, bring back."""
import base64
import hashlib
import json
import time
import unittest

from leat_testing import Case, eventually

# Fills a list of the dead with numbered messages and their stories.
BURY = """for i = ARGV[1], ARGV[1] + ARGV[2] - 1 do
    local message = 'm' .. string.format('%d', i)
    redis.call('LPUSH', KEYS[1], message)
    redis.call('HSET', KEYS[1] .. ':story', redis.sha1hex(message),
        cjson.encode({reason = i % 10 == 0 and 'exit code 7' or 'exit code 75', attempts = 3, died = ARGV[3] - 100 * i, origin = 'in'}))
end"""


class QueueCase(Case):
    def setUp(self):
        super().setUp()
        self.redis = self.server()
        self.db = self.redis.client()

    def queue(self, *words, code=0, **options):
        run = self.run_leat("queue", *words, "--redis", self.redis.url, **options)
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        return run

    def json(self, *words, **options):
        return json.loads(self.queue(*words, "--json", **options).stdout)

    def list(self, key):
        return list(reversed(self.db.lrange(key, 0, -1)))

    def bury(self, count, start=0):
        script = self.db.register_script(BURY)
        for at in range(start, start + count, 1000):
            script(keys=["dead"], args=[at, min(1000, start + count - at), int(time.time())])


class Ls(QueueCase):
    def test_named_queues(self):
        self.db.lpush("a", 1, 2, 3)
        self.db.set("text", "x")
        seen = self.json("ls", "a", "none", "--interval", 0)
        self.assertEqual([(each["queue"], each["depth"], each["rate"]) for each in seen], [("a", 3, None), ("none", 0, None)])
        wrong = self.queue("ls", "text", "--interval", 0, code=1)
        self.assertIn("a string, not a list", wrong.stdout)
        self.assertEqual(self.db.get("text"), b"x")

    def test_queues_of_registered_services_with_what_is_in_flight(self):
        self.db.lpush("in", *range(5))
        leat = self.leat("exec", "--redis", self.redis.url, "--in", "in", "--command", "sleep,60", "--concurrency", 2,
                         "--reply", "out", "--serviceNamespace", "ns", "--stopTimeout", 0)
        eventually(lambda: self.db.llen("in:pending:1") == 2)
        seen = {each["queue"]: each for each in self.json("ls", "--interval", 0.2)}
        self.assertEqual(set(seen), {"in", "out", "in:dead"})
        self.assertEqual((seen["in"]["depth"], seen["in"]["inFlight"], seen["in"]["takers"]), (3, 2, 1))
        self.assertEqual(seen["in"]["services"], ["ns:1"])
        self.assertIn("ns:1", self.queue("ls", "--interval", 0).stdout)
        self.assertEqual(self.json("ls", "--namespace", "other", "--interval", 0), [])
        leat.stop()

    def test_the_oldest_is_known_of_tracked_and_dead_messages_and_rates_are_between_two_looks(self):
        self.leat("mpush", "--redis", self.redis.url, "--in", "in", "--out", "out", "--serviceNamespace", "ns")
        self.db.lpush("in", "a")
        self.bury(1, start=50)
        eventually(lambda: self.db.exists("ns:message:1"))
        time.sleep(1.1)
        seen = {each["queue"]: each for each in self.json("ls", "--interval", 0)}
        self.assertIn(seen["out"]["oldest"], (1, 2, 3))
        self.assertIsNone(seen["in"]["oldest"])
        self.assertGreaterEqual(self.json("ls", "dead", "--interval", 0)[0]["oldest"], 5000)
        self.assertEqual(seen["out"]["rate"], None)
        self.assertEqual(self.json("ls", "out", "--interval", 0.1)[0]["rate"], 0)

    def test_a_named_queue_with_pending_elsewhere(self):
        self.db.lpush("in", 1)
        self.leat("exec", "--redis", self.redis.url, "--in", "in", "--pending", "held", "--command", "sleep,60",
                  "--serviceNamespace", "ns", "--stopTimeout", 0)
        eventually(lambda: self.db.llen("held:1") == 1)
        seen = self.json("ls", "in", "--interval", 0)[0]
        self.assertEqual((seen["inFlight"], seen["takers"], seen["services"]), (1, 1, ["ns:1"]))

    def test_a_queue_that_may_not_be_read_is_told_alone(self):
        self.db.lpush("a", 1)
        self.db.lpush("b", 1)
        self.db.acl_setuser("some", enabled=True, nopass=True, commands=["+@all"], keys=["a*", "leat:*"])
        url = self.redis.url.replace("redis://", "redis://some:x@")
        run = self.run_leat("queue", "ls", "a", "b", "--interval", 0, "--json", "--redis", url)
        seen = json.loads(run.stdout)
        self.assertEqual(seen[0]["depth"], 1)
        self.assertIn("NOPERM", seen[1]["trouble"])

    def test_nothing_is_registered(self):
        self.assertIn("name the queues", self.queue("ls").stdout)


class PeekAndPush(QueueCase):
    def test_push_and_peek(self):
        self.queue("push", "q", "one", "two words", "")
        self.assertEqual(self.list("q"), [b"one", b"two words", b""])
        seen = self.json("peek", "q")
        self.assertEqual([each["message"] for each in seen], ["one", "two words", ""])
        self.assertEqual(self.queue("peek", "q", "--raw", "-n", 2).stdout, "one\ntwo words\n")
        self.assertEqual([each["message"] for each in self.json("peek", "q", "--newest", "-n", 2)], ["", "two words"])
        self.assertEqual([each["place"] for each in self.json("peek", "q", "--skip", 2)], [2])
        self.assertEqual(self.db.llen("q"), 3)
        self.assertIn("empty", self.queue("peek", "none").stdout)

    def test_lines_are_pushed_as_they_come(self):
        """And a pause does not cost the connection."""
        import subprocess
        from leat_testing import LEAT
        feed = subprocess.Popen([LEAT, "queue", "push", "q", "--redis", self.redis.url], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        feed.stdin.write(b"a\nb\nc")
        feed.stdin.flush()
        eventually(lambda: self.db.llen("q") == 2)
        time.sleep(7)  # longer than a silent server is waited for
        feed.stdin.write(b"c\n")
        feed.stdin.close()
        self.assertEqual(feed.wait(10), 0)
        self.assertEqual(feed.stdout.read(), b"3 messages pushed to q\n")
        feed.stdout.close()
        self.assertEqual(self.list("q"), [b"a", b"b", b"cc"])

    def test_the_newest(self):
        self.db.lpush("q", *range(300))
        def newest(*words):
            return [int(each["message"]) for each in self.json("peek", "q", "--newest", *words)]
        self.assertEqual(newest("-n", 3), [299, 298, 297])
        self.assertEqual(newest("-n", 3, "--skip", 5), [294, 293, 292])
        self.assertEqual(newest("-n", 250), list(range(299, 49, -1)))
        self.assertEqual(newest("--skip", 1000), [])
        self.assertEqual(newest("--text", "7", "-n", 2), [297, 287])

    def test_push_from_a_file_and_as_a_whole(self):
        lines = self.file("lines", "".join(f"{n}\n" for n in range(2500)))
        self.assertEqual(self.json("push", "q", "--file", lines)["pushed"], 2500)
        self.assertEqual(self.list("q"), [b"%d" % n for n in range(2500)])
        whole = self.file("whole", b"a\nb\x00\xff\n")
        self.queue("push", "w", "--whole", "--file", whole)
        self.assertEqual(self.list("w"), [b"a\nb\x00\xff\n"])
        seen = self.json("peek", "w")[0]
        self.assertEqual((seen["encoding"], base64.b64decode(seen["message"])), ("base64", b"a\nb\x00\xff\n"))
        for unreadable in ("nowhere", self.folder):
            self.assertIn("cannot be read", self.queue("push", "q", "--file", unreadable, code=1).stderr)

    def test_a_terminal_is_not_harmed(self):
        self.db.lpush("q", b"\x1b[2Jred\x07", "\u009b31m\u202e".encode())
        shown = self.queue("peek", "q").stdout
        for each in ("\x1b", "\u009b", "\u202e"):
            self.assertNotIn(each, shown)
        self.assertNotIn("\x1b", self.queue("push", "a\x1b[31m", "x").stdout)

    def test_filters_and_stories(self):
        self.bury(100)
        seen = self.json("peek", "dead", "--reason", "code 7", "--text", "m1", "-n", 100)
        self.assertEqual([each["message"] for each in seen], [f"m{n}" for n in range(100) if str(n)[0] == "1"])
        self.assertEqual(seen[0]["story"]["attempts"], 3)
        self.assertEqual(len(self.json("peek", "dead", "--regex", "^m[0-4]$", "-n", 100)), 5)
        self.assertEqual(len(self.json("peek", "dead", "--older", "4950s", "-n", 100)), 50)
        self.assertEqual(len(self.json("peek", "dead", "--newer", "4950s", "-n", 100)), 50)
        self.assertIn("no message matches", self.queue("peek", "dead", "--text", "nothing").stdout)
        self.assertIn("exit code 75", self.queue("peek", "dead", "-n", 5).stdout)

    def test_huge_messages_are_shown_in_part(self):
        self.db.lpush("q", b"x" * (20 << 20), b"y" * (20 << 20), b"z")
        self.assertEqual(len(self.queue("peek", "q").stdout.splitlines()), 5)

    def test_bad_input(self):
        self.db.set("text", "x")
        self.assertIn("WRONGTYPE", self.queue("peek", "text", code=1).stderr)
        self.assertIn("WRONGTYPE", self.queue("push", "text", "m", code=1).stderr)
        self.assertIn("--regex", self.queue("peek", "q", "--regex", "(", code=2).stderr)
        self.assertIn("30s", self.queue("peek", "q", "--older", "soon", code=2).stderr)
        self.assertIn("either", self.queue("push", "q", "m", "--whole", code=2).stderr)
        self.assertEqual(self.db.get("text"), b"x")

    def test_an_expression_that_others_would_never_end_with(self):
        self.db.lpush("q", b"a" * 30_000 + b"!")
        began = time.monotonic()
        self.queue("peek", "q", "--regex", "^(a+)+$")
        self.assertLess(time.monotonic() - began, 5)


class MovePurgeRedrive(QueueCase):
    def test_move(self):
        self.db.lpush("a", *range(2500))
        self.assertEqual(self.json("move", "a", "b", "--dry-run")["matched"], 2500)
        self.assertEqual(self.db.llen("a"), 2500)
        self.assertIn("10 of 2,500 messages of a were moved", self.queue("move", "a", "b", "-n", 10).stdout)
        self.assertEqual(self.list("b"), [b"%d" % n for n in range(10)])
        self.queue("move", "a", "b")
        self.assertEqual(self.list("b"), [b"%d" % n for n in range(2500)])
        self.assertEqual(self.db.exists("a"), 0)

    def test_move_what_matches_and_keep_the_order_of_the_rest(self):
        self.db.lpush("a", *range(2500))
        seen = self.json("move", "a", "b", "--regex", "7$")
        self.assertEqual((seen["matched"], seen["moved"]), (250, 250))
        self.assertEqual(self.list("b"), [b"%d" % n for n in range(2500) if n % 10 == 7])
        self.assertEqual(self.list("a"), [b"%d" % n for n in range(2500) if n % 10 != 7])

    def test_filters_leave_the_order_of_what_is_kept(self):
        self.db.lpush("a", *range(700))
        self.queue("purge", "a", "--regex", "^650$", "--yes")
        self.assertEqual(self.list("a"), [b"%d" % n for n in range(700) if n != 650])
        self.queue("move", "a", "b", "--text", "7", "-n", 1)
        self.assertEqual(self.list("b"), [b"7"])
        self.assertEqual(self.list("a"), [b"%d" % n for n in range(700) if n not in (7, 650)])

    def test_an_empty_filter_or_name_is_refused(self):
        self.db.lpush("a", 1, 2)
        for words in (("purge", "a", "--text", "", "--yes"), ("purge", "a", "--older", "", "--yes"), ("move", "a", ""),
                      ("redrive", "a", "--to", ""), ("push", "", "x")):
            self.assertIn("empty", self.queue(*words, code=2).stderr)
        self.assertEqual(self.db.llen("a"), 2)

    def test_moved_dead_keep_their_stories(self):
        self.bury(3)
        self.queue("move", "dead", "other")
        self.assertEqual(self.db.exists("dead", "dead:story"), 0)
        self.queue("redrive", "other")
        self.assertEqual(self.list("in"), [b"m0", b"m1", b"m2"])
        self.assertEqual(self.db.exists("other", "other:story"), 0)

    def test_purge_makes_room_in_a_full_redis(self):
        self.db.lpush("a", *range(10))
        self.db.config_set("maxmemory", 1)
        self.queue("purge", "a", "--yes")
        self.db.config_set("maxmemory", 0)
        self.assertEqual(self.db.llen("a"), 0)

    def test_a_list_that_goes_away_ends_it(self):
        self.db.lpush("a", *range(200_000))
        mover = self.leat("queue", "move", "a", "b", "--redis", self.redis.url)
        eventually(lambda: self.db.llen("b") > 0)
        self.db.rename("a", "gone")
        self.assertEqual(mover.exit_code(5), 0)
        self.assertIn("somebody else took", mover.output())
        self.assertEqual(self.db.llen("b") + self.db.llen("gone"), 200_000)

    def test_purge_asks(self):
        self.db.lpush("a", *range(10))
        self.assertIn("--yes", self.queue("purge", "a", code=2).stderr)
        self.assertEqual(self.db.llen("a"), 10)
        self.assertIn("3 of 10", self.queue("purge", "a", "-n", 3, "--dry-run").stdout)
        self.assertEqual(self.json("purge", "a", "--text", "3", "--yes")["deleted"], 1)
        self.assertEqual(self.json("purge", "a", "--yes")["deleted"], 9)
        self.assertEqual(self.db.dbsize(), 0)

    def test_purge_of_the_dead_forgets_their_stories(self):
        self.bury(30)
        self.db.lpush("dead", "m5")  # an equal one, whose story is the same
        self.queue("purge", "dead", "--yes")
        self.assertEqual(self.db.dbsize(), 0)

    def test_redrive(self):
        self.bury(100)
        self.db.lpush("in", "before")
        self.assertEqual(self.json("redrive", "dead", "--reason", "exit code 75")["redriven"], 90)
        self.assertEqual(self.list("in"), [b"before", *(b"m%d" % n for n in range(100) if n % 10)])
        self.assertEqual(self.list("dead"), [b"m%d" % n for n in range(0, 100, 10)])
        self.assertEqual(self.db.hlen("dead:story"), 10)
        self.queue("redrive", "dead", "--to", "elsewhere")
        self.assertEqual(self.db.llen("elsewhere"), 10)
        self.assertEqual(self.db.exists("dead", "dead:story"), 0)

    def test_what_has_no_home_is_kept(self):
        self.bury(3)
        self.db.lpush("dead", "no story")
        self.db.hset("dead:story", hashlib.sha1(b"m1").hexdigest(), json.dumps({"origin": "in", "server": "redis://other"}))
        run = self.queue("redrive", "dead", code=1)
        self.assertIn("2 of 4", run.stdout)
        self.assertIn("2 were kept: its queue is on another server", run.stderr)
        self.assertEqual(self.list("dead"), [b"m1", b"no story"])

    def test_exec_and_back(self):
        """A message that exec gave up comes back and begins anew."""
        failing = self.file("work", "#!/bin/sh\n[ -e ready ] || exit 65\ncat\n")
        failing.chmod(0o755)
        self.leat("exec", "--redis", self.redis.url, "--in", "in", "--reply", "out", "--command", failing)
        self.db.lpush("in", "x", "y")
        eventually(lambda: self.db.llen("in:dead") == 2)
        self.file("ready", "")
        self.queue("redrive", "in:dead")
        eventually(lambda: self.db.llen("out") == 2)
        self.assertEqual(self.list("out"), [b"x", b"y"])
        self.assertEqual(self.db.exists("in:dead", "in:dead:story"), 0)

    def test_wrong_types_change_nothing(self):
        self.db.lpush("a", 1)
        self.db.set("text", "x")
        for words in (("move", "a", "text"), ("move", "text", "a"), ("purge", "text", "--yes"), ("redrive", "text"),
                      ("redrive", "a", "--to", "text")):
            self.assertIn("WRONGTYPE", self.queue(*words, code=1).stderr)
        self.assertEqual((self.db.get("text"), self.list("a")), (b"x", [b"1"]))
        self.assertIn("two different", self.queue("move", "a", "a", code=2).stderr)

    def test_a_consumer_at_the_same_time(self):
        """What somebody takes meanwhile is not moved, and nothing else is lost or twice."""
        self.db.lpush("a", *range(20_000))
        mover = self.leat("queue", "move", "a", "b", "--regex", "[02468]$", "--redis", self.redis.url)
        taken = []
        while mover.process.poll() is None:
            taken += [int(each) for each in self.db.rpop("a", 7) or []]
        self.assertEqual(mover.exit_code(), 0)
        moved, left = [int(each) for each in self.list("b")], [int(each) for each in self.list("a")]
        self.assertEqual(sorted(moved + left + taken), list(range(20_000)))
        self.assertTrue(all(each % 2 == 0 for each in moved))

    def test_a_million_redriven_through_a_kill(self):
        count = 1_000_000
        self.bury(count)
        first = self.leat("queue", "redrive", "dead", "--redis", self.redis.url)
        eventually(lambda: self.db.llen("in") > count // 3, 30)
        first.process.kill()
        first.process.wait()
        between = self.db.llen("in")
        self.assertTrue(0 < between < count, between)
        self.assertEqual(between + self.db.llen("dead"), count)
        second = self.leat("queue", "redrive", "dead", "--redis", self.redis.url)
        self.assertEqual(second.exit_code(60), 0)
        self.assertRegex(second.output(), r"redriven [\d,]+ of [\d,]+ \(\d+ %\), [\d,]+/s")
        self.assertIn(f"{count - between:,} of {count - between:,} messages of dead were redriven", second.output())
        numbers = []
        for at in range(0, count, 50_000):
            numbers += [int(each[1:]) for each in reversed(self.db.lrange("in", -(at + 50_000), -(at + 1)))]
        self.assertEqual(numbers, list(range(count)))  # none lost, none twice, in their order
        self.assertEqual(self.db.exists("dead", "dead:story"), 0)


if __name__ == "__main__":
    unittest.main()
