"""What a dead mpush-redis left in `pending`: returned when nobody else can own it, else only by command."""
import json
import unittest

from leat_testing import Case, eventually


class Leftovers(Case):
    def setUp(self):
        super().setUp()
        self.redis = self.server()
        self.db = self.redis.client()
        self.db.lpush("in", "3", "4")
        self.db.lpush("pending", "1", "2")

    def start(self, *words, **more):
        return self.leat("mpush", "--in", "in", "--pending", "pending", "--out", "out", "--redis", self.redis.url, *words,
                         **more)

    def delivered(self):
        return [int(each) for each in reversed(self.db.lrange("out", 0, -1))]

    def test_alone_in_the_namespace_they_go_first(self):
        leat = self.start("--serviceNamespace", "ns")
        eventually(lambda: self.delivered() == [1, 2, 3, 4])
        self.assertFalse(self.db.exists("pending"))
        leat.wait_for("returned what a dead program had in flight messages=2 pending=pending in=in")
        eventually(lambda: self.db.hget("ns:metrics:recovered", "count") == b"2")
        self.assertEqual(leat.stop(), 0)

    def test_the_namespace_may_be_on_another_server(self):
        self.start("--serviceNamespace", "ns", "--serviceRedis", self.server().url)
        eventually(lambda: sorted(self.delivered()) == [1, 2, 3, 4])

    def test_many_of_them_keep_their_order(self):
        self.db.delete("pending", "in")
        for at in range(0, 5000, 100):
            self.db.lpush("pending", *range(at, at + 100))
        self.start("--serviceNamespace", "ns")
        eventually(lambda: self.delivered() == list(range(5000)))

    def test_a_lost_answer_does_not_change_their_order(self):
        self.db.delete("pending", "in")
        for at in range(0, 5000, 100):
            self.db.lpush("pending", *range(at, at + 100))
        door = self.proxy(self.redis)
        door.drop_answer(b"pending")
        self.leat("mpush", "--in", "in", "--pending", "pending", "--out", "out", "--redis", door.url, "--serviceNamespace",
                  "ns")
        eventually(lambda: self.db.llen("out") == 5000)
        self.assertEqual(door.dropped, 1)
        self.assertEqual(self.delivered(), list(range(5000)))

    def test_under_load_they_keep_their_order_too(self):
        self.db.delete("pending", "in")
        self.db.set("ns:service:id", 7)
        self.db.hset("ns:service:7", mapping={"host": "other", "pid": 1, "started": 1})
        outs = [word for i in range(8) for word in ("--out", f"out{i}")]
        self.leat("mpush", "--in", "in", "--pending", "pending", "--redis", self.redis.url, "--serviceNamespace", "ns",
                  "--serviceExpire", 3, "--serviceRenew", 1, *outs)
        eventually(lambda: self.db.hget("ns:service:8", "renewed"))
        for at in range(0, 5000, 100):
            self.db.lpush("pending", *(f"p{n:06}" for n in range(at, at + 100)))
        load = self.db.register_script("local t = {} for i = 1, 5000 do t[i] = 'load' end "
                                       "for i = 1, 160 do redis.call('LPUSH', KEYS[1], unpack(t)) end")
        load(keys=["in"])
        self.db.delete("ns:service:7")
        eventually(lambda: not self.db.exists("pending", "in"), 30)
        returned = [each for each in reversed(self.db.lrange("out7", 0, -1)) if each.startswith(b"p")]
        self.assertEqual(returned, [b"p%06d" % n for n in range(5000)])

    def test_without_a_namespace_they_stay(self):
        leat = self.start()
        leat.wait_for("leat queue return pending in messages=2")
        eventually(lambda: self.delivered() == [3, 4])
        self.assertEqual(self.db.llen("pending"), 2)

    def test_while_another_lives_they_stay_until_it_is_dead(self):
        self.db.lpush("ns:service:ids", 7)
        self.db.set("ns:service:id", 7)
        self.db.hset("ns:service:7", mapping={"host": "other", "pid": 1, "started": 1})
        leat = self.start("--serviceNamespace", "ns", "--serviceExpire", 3, "--serviceRenew", 1, "--popTimeout", 30)
        leat.wait_for("leat queue return pending in messages=2")
        eventually(lambda: self.delivered() == [3, 4])
        eventually(lambda: self.db.hget("ns:service:8", "renewed"))
        self.assertEqual(self.db.llen("pending"), 2)
        self.db.delete("ns:service:7")  # it expires
        eventually(lambda: self.delivered() == [3, 4, 1, 2])

    def test_a_pending_of_a_wrong_type_is_told_and_holds_nothing_up(self):
        self.db.delete("pending")
        self.db.set("pending", "text")
        leat = self.start("--serviceNamespace", "ns")
        leat.wait_for("waiting for repair")
        self.assertIn("key=pending", leat.output())
        eventually(lambda: self.delivered() == [3, 4])

    def test_by_command(self):
        def command(*words):
            done = self.run_leat("queue", "return", *words, "--redis", self.redis.url)
            return done.returncode, done.stdout + done.stderr

        self.assertEqual(command("pending", "in", "--dry-run"), (0, "2 messages would go from pending back to in\n"))
        self.assertEqual(self.db.llen("pending"), 2)
        self.assertEqual(command("pending", "in"), (0, "2 messages went from pending back to in\n"))
        self.assertEqual(self.db.lrange("in", 0, -1), [b"4", b"3", b"2", b"1"])
        code, shown = command("pending", "in", "--json")
        self.assertEqual((code, json.loads(shown)), (0, {"pending": "pending", "in": "in", "returned": 0, "left": 0}))
        self.db.set("pending", "text")
        code, shown = command("pending", "in")
        self.assertEqual(code, 1)
        self.assertIn("key=pending", shown)
        code, shown = command("in", "in")
        self.assertEqual(code, 2)
        self.assertIn("two different lists", shown)
        self.assertEqual(self.run_leat("queue").returncode, 2)


if __name__ == "__main__":
    unittest.main()
