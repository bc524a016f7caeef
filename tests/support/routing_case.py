"""Routers and their workers."""
import base64
import hashlib
import json
import threading

import redis
from leat_testing import Case, eventually


class Worker(threading.Thread):
    """Takes requests from a list and answers them as `answer` says: it gets the body, text or bytes, and returns the answer's
    body; or a dict, which is the whole answer but for its id; a list of things to push as they are; or None, and stays
    silent. With `whole` it gets the whole request."""

    def __init__(self, server, queue="work", answer=lambda body: body.upper(), whole=False):
        super().__init__(daemon=True)
        self.server = server
        self.queue = queue
        self.answer = answer
        self.whole = whole
        self.requests = []
        self._ended = threading.Event()
        self.start()

    def run(self):
        client = self.server.client()
        while not self._ended.is_set():
            try:
                taken = client.brpop(self.queue, 0.2)
                if taken is not None:
                    request = json.loads(taken[1])
                    self.requests.append(request)
                    self.give(client, request)
            except (redis.RedisError, OSError):
                self._ended.wait(0.05)

    def give(self, client, request):
        said = self.answer(request if self.whole else body_of(request))
        for each in said if isinstance(said, list) else [] if said is None else [answer_to(request, said)]:
            client.lpush(request["meta"]["reply"], each)

    def close(self):
        self._ended.set()
        self.join(10)


def body_of(request):
    """Text; bytes when it is none."""
    return base64.b64decode(request["body"]) if request.get("encoding") == "base64" else request["body"]


def answer_to(request, said):
    if isinstance(said, bytes):
        said = {"body": base64.b64encode(said).decode(), "encoding": "base64"}
    return json.dumps({"meta": {"id": request["meta"]["id"]}, **(said if isinstance(said, dict) else {"body": said})})


class RoutingCase(Case):
    def setUp(self):
        super().setUp()
        self.redis = self.server()
        self.db = self.redis.client()

    def router(self, configs, *words, url=None, **options):
        """`configs` as one file: JSON is YAML."""
        return self.leat("router", self.config(configs), "--redis", url or self.redis.url, *words, **options)

    def config(self, configs, name="routes.yaml"):
        return self.file(name, configs if isinstance(configs, str) else json.dumps(configs))

    def worker(self, *words, server=None, **options):
        return self.owned(Worker(server or self.redis, *words, **options))

    def list(self, key, db=None):
        """Oldest first."""
        return [each for each in reversed((db or self.db).lrange(key, 0, -1))]

    def await_list(self, key, count, timeout=10.0, db=None):
        eventually(lambda: (db or self.db).llen(key) >= count, timeout,
                   lambda: f"{count} in {key}; all keys: {(db or self.db).keys('*')}")
        self.assertEqual((db or self.db).llen(key), count, key)
        return self.list(key, db)

    def story(self, message, error="in:error", db=None):
        message = message if isinstance(message, bytes) else message.encode()
        return json.loads((db or self.db).hget(f"{error}:story", hashlib.sha1(message).hexdigest()))

    def await_failure(self, message, error="in:error"):
        """Name and reason."""
        message = message if isinstance(message, bytes) else message.encode()
        eventually(lambda: message in self.db.lrange(error, 0, -1), 10, lambda: f"{message[:99]} in {error}")
        story = self.story(message, error)
        return story.get("name"), story["reason"]

    def await_nothing_pending(self, pending="in:pending", timeout=10.0):
        """But for the counter of hands, and the leases of those who live."""
        def left():
            return [key for key in self.db.keys(f"{pending}*") if key not in (f"{pending}:id".encode(),
                                                                             f"{pending}:owners".encode())
                    and not key.endswith(b":lease")]
        eventually(lambda: not left(), timeout, lambda: f"nothing pending; there is {left()}")

    def count(self, metric, field="count", namespace="ns"):
        return int(self.db.hget(f"{namespace}:metrics:{metric}", field) or 0)

    def await_count(self, metric, number, namespace="ns"):
        eventually(lambda: self.count(metric, namespace=namespace) >= number, 10,
                   lambda: f"{metric} {number}; there is {self.db.keys(namespace + ':metrics:*')}")
        self.assertEqual(self.count(metric, namespace=namespace), number, metric)


def importer(*route, timeout=5000, queue=None, **more):
    return {"queue": {"in": "in", "reply": "reply", **(queue or {})}, "timeout": timeout, "route": list(route), **more}


def chain(*processors, timeout=5000, queue=None, out=None, **more):
    """An importer, the processors {name: settings} of its route in order, and the exporter behind them: by default one that
    asks the workers of the list `work`."""
    exporter = {"queue": {"out": out} if out else {"out": "work", "reply": "answers"}}
    between = {name: settings for each in processors for name, settings in each.items()}
    return {"RedisImporter.singleton": importer(*between, "RedisExporter.singleton", timeout=timeout, queue=queue, **more),
            **between, "RedisExporter.singleton": exporter}
