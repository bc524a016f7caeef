"""A server becomes a replica, and another one takes over behind the same name: whoever talks to it looks the name up again."""
import json
import unittest

from leat_testing import eventually
from routing_case import RoutingCase, Worker


class Demotion(RoutingCase):
    def setUp(self):
        super().setUp()
        at_once = ("--repl-diskless-sync-delay", "0")
        self.old, self.new = self.server(*at_once), self.server(*at_once)
        self.name = self.proxy(self.old)
        follower = self.new.client()
        follower.replicaof("127.0.0.1", self.old.port)
        eventually(lambda: follower.info("replication")["master_link_status"] == "up", 20, "a replica in step")

    def take_over(self):
        """What is connected stays connected, to what is a read-only replica now."""
        with self.old.client().client() as one:  # WAIT counts the writes of its own connection, and what came before them
            one.set("last", "1")
            self.assertEqual(one.wait(1, 5000), 1)
        self.new.client().replicaof("no", "one")
        self.name.target = self.new
        self.old.client().replicaof("127.0.0.1", self.new.port)

    def router(self, exporter):
        file = self.file("router.yaml", f"""
configs:
  RedisImporter.one:
    queue: {{in: in, reply: reply, error: in:dead}}
    timeout: 5000
    concurrency: 10
    errorReply: true
    route: [RedisExporter.there]
  RedisExporter.there: {exporter}
""")
        self.leat("router", file, "--redis", self.redis.url)

    def test_messages_for_another_server_arrive_at_the_one_that_took_over(self):
        self.router(f"{{redis: '{self.name.url}', queue: {{out: out}}}}")
        self.db.lpush("in", "before")
        eventually(lambda: self.new.client().lrange("out", 0, -1) == [b"before"], 10, "the first message")
        self.take_over()
        self.db.lpush("in", *(f"m{i}" for i in range(20)))
        eventually(lambda: self.new.client().llen("out") == 21, 4, lambda: f"there is {self.new.client().lrange('out', 0, -1)}")
        self.assertFalse(self.db.exists("in:dead"))

    def test_requests_to_workers_of_another_server_are_answered_by_the_one_that_took_over(self):
        self.router(f"{{redis: '{self.name.url}', queue: {{out: work, reply: answers}}}}")
        self.worker_at(self.old)
        self.db.lpush("in", "a")
        eventually(lambda: self.db.lrange("reply", 0, -1) == [b"A"], 10, lambda: self.db.keys("*"))
        self.take_over()
        self.worker_at(self.new)
        self.db.lpush("in", "b")
        eventually(lambda: self.db.lrange("reply", 0, -1) == [b"B", b"A"], 4, lambda: self.db.lrange("reply", 0, -1))

    def test_an_answer_that_a_worker_pushes_after_the_change_reaches_whoever_asked(self):
        leat = self.leat("mdispatch", "--redis", self.name.url, "--in", "in", "--workers", "work", "--timeout", 8000, "--popTimeout", 1)
        self.old.client().lpush("in", json.dumps({"meta": {"id": "a", "reply": "in:reply:a"}}))
        eventually(lambda: self.old.client().llen("work") == 1, 10, "the request")
        self.take_over()
        self.worker_at(self.new)
        answered = self.new.client().brpop("in:reply:a", 8)
        self.assertIsNotNone(answered, f"there is {self.new.client().keys('*')}\n{leat.output()}")
        self.assertIn("META", json.loads(answered[1])["body"])

    def worker_at(self, server):
        made = Worker(server)
        self.addCleanup(made.close)


if __name__ == "__main__":
    unittest.main()
