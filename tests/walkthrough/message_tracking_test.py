"""The redis-cli sessions of the original's pages on message tracking and metrics: message ids, hashes, xid, done, timeouts,
metrics. With the corrections that its own programs needed."""
import time
import unittest

from leat_testing import Case, eventually

NS = "demo:mpush"


class Tracking(Case):
    def setUp(self):
        super().setUp()
        self.redis = self.server()
        self.cli = self.redis.cli

    def start(self, *words, **more):
        leat = self.leat("mpush", "--in", "demo:mpush:in", "--out", "demo:mpush:out0", "--out", "demo:mpush:out1", "--redis",
                         self.redis.url, "--serviceNamespace", NS, *words, **more)
        leat.wait_for("renew: started")
        return leat

    def shown(self, *words):
        return self.cli(*words, raw=False)

    def await_message(self, number):
        eventually(lambda: self.cli("get", "demo:mpush:message:id") == str(number))

    def test_push_12345(self):
        self.start()
        self.cli("lpush", "demo:mpush:in", "a", "b")
        self.await_message(2)
        self.cli("lpush", "demo:mpush:message:done", 1, 2)
        eventually(lambda: self.cli("llen", "demo:mpush:message:ids") == "0")
        self.assertEqual(self.shown("get", "demo:mpush:message:id"), '"2"')

        before = int(time.time())
        self.cli("lpush", "demo:mpush:in", 12345)
        self.await_message(3)
        self.assertEqual(self.shown("lrange", "demo:mpush:message:ids", 0, -1), '1) "3"')
        fields = self.cli("hgetall", "demo:mpush:message:3").splitlines()
        timestamp = int(fields[1])
        self.assertTrue(before <= timestamp <= before + 5, fields)
        self.assertEqual(self.shown("hgetall", "demo:mpush:message:3").splitlines(), [
            '1) "timestamp"', f'2) "{timestamp}"', '3) "xid"', '4) "12345"', '5) "deadline"', f'6) "{timestamp + 10}"',
            '7) "service"', '8) "1"'])
        self.assertEqual(self.shown("hgetall", "demo:mpush:message:xid:12345").splitlines(),
                         ['1) "id"', '2) "3"', '3) "type"', '4) "number"'])
        for key in ("demo:mpush:message:3", "demo:mpush:message:xid:12345"):
            self.assertTrue(50 <= int(self.cli("ttl", key)) <= 60, key)

        # The worker looks the id up and reports it.
        self.assertEqual(self.cli("brpop", "demo:mpush:out0", 1).splitlines()[-1], "a")
        message_id = self.cli("hget", "demo:mpush:message:xid:12345", "id")
        self.cli("lpush", "demo:mpush:message:done", message_id)
        eventually(lambda: self.cli("hget", "demo:mpush:metrics:done", "count") == "3")
        self.assertEqual(self.cli("exists", "demo:mpush:message:3", "demo:mpush:message:xid:12345",
                                  "demo:mpush:message:ids", "demo:mpush:message:done"), "0")

    def test_xid_of_other_messages(self):
        self.start()
        self.cli("lpush", "demo:mpush:in", '{"meta": {"id": "order-7"}}', "text")
        self.await_message(2)
        self.assertEqual(self.cli("hget", "demo:mpush:message:xid:order-7", "type"), "meta")
        sha1 = "372ea08cab33e71c02c651dbc83a474d32c676ea"  # printf text | sha1sum
        self.assertEqual(self.cli("hgetall", f"demo:mpush:message:xid:{sha1}").split(), ["id", "2", "type", "sha1"])

    def test_timeouts_and_metrics(self):
        self.start("--messageTimeout", 1)
        eventually(lambda: 0.1 < time.time() % 1 < 0.5)  # so that whole seconds are what they look like
        for message in ("one", "two", "three"):
            self.cli("lpush", "demo:mpush:in", message)
        self.await_message(3)
        self.assertEqual(self.cli("hget", "demo:mpush:metrics:timeout", "count"), "")
        eventually(lambda: self.cli("hget", "demo:mpush:metrics:timeout", "count") == "3", 3)
        self.assertEqual(self.shown("hget", "demo:mpush:metrics:timeout", "count"), '"3"')
        fields = self.cli("hgetall", "demo:mpush:metrics:timeout").split()
        self.assertEqual(dict(zip(fields[::2], fields[1::2])), {"count": "3", "sum": "3", "max": "1", "histo100": "3"})
        self.assertEqual(self.cli("keys", "demo:mpush:message:[0-9]*"), "")
        self.assertEqual(self.cli("exists", "demo:mpush:message:ids", "demo:mpush:message:deadlines"), "0")

    def test_histogram_fields(self):
        self.start("--messageTimeout", 10)
        eventually(lambda: 0.1 < time.time() % 1 < 0.3)
        second = int(time.time())
        self.cli("lpush", "demo:mpush:in", 1, 2, 3)
        self.await_message(3)
        self.cli("lpush", "demo:mpush:message:done", 1)
        eventually(lambda: self.cli("hget", "demo:mpush:metrics:done", "histo0") == "1")
        eventually(lambda: time.time() > second + 1.2)
        self.cli("lpush", "demo:mpush:message:done", 2)
        eventually(lambda: self.cli("hget", "demo:mpush:metrics:done", "histo10") == "1")
        eventually(lambda: time.time() > second + 2.2)
        self.cli("lpush", "demo:mpush:message:done", 3)
        eventually(lambda: self.cli("hget", "demo:mpush:metrics:done", "histo20") == "1")
        self.assertEqual(self.cli("hmget", "demo:mpush:metrics:done", "count", "sum", "max").split(), ["3", "3", "2"])

    def test_expired_ids_are_delisted(self):
        leat = self.start("--messageTimeout", 1, "--messageExpire", 2)
        self.cli("lpush", "demo:mpush:in", 1, 2, 3)
        self.await_message(3)
        leat.process.kill()
        leat.process.wait()
        eventually(lambda: self.cli("exists", "demo:mpush:message:3") == "0", 5)  # nobody was there to see the timeout
        self.assertEqual(self.cli("lrange", "demo:mpush:message:ids", 0, -1).split(), ["3", "2", "1"])
        self.start()
        eventually(lambda: self.cli("exists", "demo:mpush:message:ids") == "0", 5)
        self.assertEqual(self.cli("hget", "demo:mpush:metrics:message:expired", "count"), "3")

    def test_service_redis_as_in_the_original_configuration(self):
        self.start("--serviceRedis", self.redis.url + "/1", "--done", "demo:mpush:done")
        self.cli("lpush", "demo:mpush:in", 12345)
        eventually(lambda: self.cli("-n", 1, "hget", "demo:mpush:message:xid:12345", "id") == "1")
        self.assertEqual(sorted(self.cli("keys", "*").split()), ["demo:mpush:out0", "demo:mpush:out1"])
        self.cli("-n", 1, "lpush", "demo:mpush:done", 1)
        eventually(lambda: self.cli("-n", 1, "hget", "demo:mpush:metrics:done", "count") == "1")


if __name__ == "__main__":
    unittest.main()
