"""The walk-through of the original's page on Redix routing: its YAML as it stands, and its snippets."""
import json
import time
import unittest

from routing_case import RoutingCase, chain

# Byte for byte.
IMPORTER = """description: Import a message from a Redis queue
queue:
  in: redix:test:dispatcher:in # the redis key for the incoming queue
  reply: redix:test:dispatcher:reply # the redis key for reply reque
  pending: redix:test:dispatcher:pending # the queue for pending requests

timeout: 8000 # ms
route:
- HttpRequestValidator.singleton
- RateLimitFilter.singleton
- RedisExporter.singleton
"""
IN, REPLY, PENDING = (f"redix:test:dispatcher:{each}" for each in ("in", "reply", "pending"))
ERROR = f"{IN}:error"
REQUEST = b'{"method": "GET", "url": "http://localhost/hn.json", "json": true}'


class Routing(RoutingCase):
    def start(self, importer=IMPORTER, *words, limit="limit: 100\nperiodMillis: 1000\n", others=None):
        folder = self.folder / "config"
        folder.mkdir()
        files = {"RedisImporter.singleton": importer, "HttpRequestValidator.singleton": "description: HTTP requests\n",
                 "RateLimitFilter.singleton": limit,
                 "RedisExporter.singleton": "queue: {out: 'redix:test:work', reply: 'redix:test:answers'}\n"}
        for name, text in {**files, **(others or {})}.items():
            (folder / f"{name}.yaml").write_text(text)
        return self.leat("router", folder, "--redis", self.redis.url, *words)

    def test_importers_await_a_reply(self):
        worker = self.worker("redix:test:work", answer=lambda body: {"body": {"statusCode": 200, "asked": json.loads(body)}})
        self.start()
        self.db.lpush(IN, REQUEST)
        (reply,) = self.await_list(REPLY, 1)
        self.assertEqual(json.loads(reply), {"statusCode": 200, "asked": json.loads(REQUEST)})
        self.await_nothing_pending(PENDING)
        self.assertEqual(len(worker.requests), 1)
        self.assertEqual(self.db.exists(IN, ERROR, "redix:test:work"), 0)

    def test_the_message_waits_in_pending_until_the_reply(self):
        self.start()
        self.db.lpush(IN, REQUEST)
        request = json.loads(self.await_list("redix:test:work", 1)[0])
        self.assertEqual(self.list(f"{PENDING}:1"), [REQUEST])
        self.assertEqual(self.db.exists(IN, REPLY, ERROR), 0)
        answer = json.dumps({"meta": {"id": request["meta"]["id"]}, "body": "done"})
        self.db.lpush(request["meta"]["reply"], answer, answer)  # the second is one too many
        self.assertEqual(self.await_list(REPLY, 1), [b"done"])
        self.await_nothing_pending(PENDING)

    def test_the_timeout_of_the_importer(self):
        """`{name: 'Timeout', message: util.format('%s timeout (%dms)', importer, options.timeout)}`"""
        self.start(IMPORTER.replace("8000", "300"), "--serviceNamespace", "ns")
        self.db.lpush(IN, REQUEST)
        self.assertEqual(self.await_failure(REQUEST, ERROR), ("Timeout", "RedisImporter.singleton timeout (300ms)"))
        request = json.loads(self.await_list("redix:test:work", 1)[0])
        self.db.lpush(request["meta"]["reply"], json.dumps({"meta": {"id": request["meta"]["id"]}, "body": "too late"}))
        self.await_count("answer:late", 1)
        self.assertEqual(self.db.exists(REPLY, IN, request["meta"]["reply"]), 0)
        self.await_nothing_pending(PENDING)

    def test_limit_exceeded(self):
        """`throw {message: 'Limit exceeded'}`, and what is beyond the limit is dropped as JSON."""
        self.worker("redix:test:work", answer=lambda body: "ok")
        self.start(limit="limit: 2\nperiodMillis: 0\nqueue: {drop: 'redix:test:drop'}\n")
        requests = [b'{"url": "/%d"}' % n for n in range(4)]
        self.db.lpush(IN, *requests)
        self.assertEqual(self.await_list(ERROR, 2), requests[2:])
        self.assertEqual(self.story(requests[2], ERROR)["reason"], "Limit exceeded")
        self.assertEqual([json.loads(each) for each in self.list("redix:test:drop")], [json.loads(each) for each in requests[2:]])
        self.assertEqual(self.list(REPLY), [b"ok"] * 2)
        self.await_nothing_pending(PENDING)

    def test_the_next_processor_must_be_there(self):
        """`assert(nextProcessor, 'nextProcessor: ' + nextProcessorName)`, but before anything starts."""
        leat = self.start(IMPORTER.replace("RateLimitFilter.singleton", "RateLimitFilter.single"))
        self.assertEqual(leat.exit_code(), 2)
        self.assertIn("RedisImporter.singleton.yaml:10:3", leat.output())
        self.assertIn("did you mean RateLimitFilter.singleton?", leat.output())

    def test_the_error_queue_gets_the_message_as_it_was(self):
        """`await this.redis.lpush(this.config.queue.error, message)`"""
        self.start(IMPORTER.replace("timeout:", "  error: redix:test:dispatcher:error\ntimeout:").replace("\n\n", "\n"))
        messages = [b"no request", b"", b"\x00\xff{\xfe", b' {"url" :  "/", "method":"PUT"}\n', b'{"url": "ftp://x"}']
        self.db.lpush(IN, *messages)
        self.assertEqual(self.await_list("redix:test:dispatcher:error", 5), messages)
        for each in messages:
            self.assertEqual(self.story(each, "redix:test:dispatcher:error")["name"], "InvalidRequest")
        self.assertIn("method", self.story(messages[3], "redix:test:dispatcher:error")["reason"])
        self.assertEqual(self.db.exists(REPLY, ERROR, IN), 0)
        self.await_nothing_pending(PENDING)

    def test_certain_errors_go_to_a_recovery_queue(self):
        """`we should move failed messages into a recovery queue ... to be reprocessed by other instances`"""
        importer = IMPORTER.replace("timeout:", "  recovery: redix:test:recovery\nrecover: [Timeout]\ntimeout:")
        self.start(importer.replace("\n\n", "\n").replace("8000", "200"))
        self.db.lpush(IN, b"no request", REQUEST)
        self.assertEqual(self.await_list("redix:test:recovery", 1), [REQUEST])
        self.assertEqual(self.await_list(ERROR, 1), [b"no request"])
        self.await_nothing_pending(PENDING)

    def test_a_reply_can_be_intercepted(self):
        self.worker("redix:test:work", answer=lambda body: time.sleep(0.05) or "ok")
        self.start(IMPORTER.replace("- RedisE", "- DurationMonitor.workers\n- RedisE"), "--serviceNamespace", "ns",
                   others={"DurationMonitor.workers": "description: How long they take\n"})
        self.db.lpush(IN, REQUEST)
        self.assertEqual(self.await_list(REPLY, 1), [b"ok"])
        self.await_count("duration:DurationMonitor.workers", 1)
        self.assertGreaterEqual(self.count("duration:DurationMonitor.workers", "sum"), 50)


class Cases(RoutingCase):
    """Those of the original's own test folder that need nothing but Redis."""

    def test_redis_dispatcher(self):
        self.router(chain({"RateLimitFilter.singleton": {"limit": 1, "periodMillis": 1000}}, out="dispatcher:out",
                          queue={"in": "dispatcher:in", "pending": "dispatcher:pending", "reply": "dispatcher:reply"}))
        self.db.lpush("dispatcher:in", "a test message")
        self.assertEqual(self.await_list("dispatcher:out", 1), [b"a test message"])
        self.db.lpush("dispatcher:in", "another")
        self.assertEqual(self.await_failure("another", "dispatcher:in:error"), ("LimitExceeded", "Limit exceeded"))
        self.assertEqual(self.db.llen("dispatcher:out"), 1)
        self.assertEqual(self.db.llen("dispatcher:reply"), 0)
        self.await_nothing_pending("dispatcher:pending")

    def test_redis_importer(self):
        self.worker("redishttp:work", answer=lambda body: {"body": {"statusCode": 200, "content": "text of " + body}})
        configs = chain({"filter.ExpiredFilter.singleton": {}},
                        {"filter.RateLimitFilter.singleton": {"limit": 1, "periodMillis": 500}},
                        {"filter.DurationMonitor.singleton": {}}, {"filter.TimeoutFilter.singleton": {"timeout": 8000}},
                        timeout=9000, queue={"in": "redishttp:in", "reply": "redishttp:reply"})
        configs["RedisExporter.singleton"]["queue"] = {"out": "redishttp:work", "reply": "redishttp:answers"}
        self.router(configs)
        self.db.lpush("redishttp:in", REQUEST)
        (reply,) = self.await_list("redishttp:reply", 1)
        self.assertEqual(json.loads(reply), {"statusCode": 200, "content": "text of " + REQUEST.decode()})
        self.await_nothing_pending("redishttp:in:pending")

    def test_redis_exporter_with_a_queue_and_a_route_of_its_own_is_refused(self):
        configs = chain(out="out")
        configs["RedisExporter.singleton"].update(queue={"in": "x", "out": "out"}, route=["RedisExporter.singleton"])
        run = self.run_leat("router", self.config(configs), "--redis", self.redis.url)
        self.assertEqual(run.returncode, 2)
        for each in ("queue.in", "route"):
            self.assertIn(each, run.stderr)


if __name__ == "__main__":
    unittest.main()
