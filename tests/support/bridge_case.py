"""A running bridge, whoever talks to its users, and the gateways that take its deliveries."""
import hashlib
import json

from leat_testing import Case, eventually

QUEUE = "bridge:queue:"
PENDING = QUEUE + "pendingMessages"


def min_info(request, response, conversation):
    """MinMessageInfo as JSON.stringify writes it."""
    return json.dumps({"rqId": request, "rsId": response, "cnId": conversation}, separators=(",", ":"), ensure_ascii=False)


class BridgeCase(Case):
    def setUp(self):
        super().setUp()
        self.redis = self.server(*self.server_words())
        self.db = self.client()

    def server_words(self):
        return ()

    def client(self):
        return self.redis.client(decode_responses=True, encoding_errors="surrogateescape")

    def bridge(self, *words, url=None, **options):
        made = self.leat("bridge", "--redis", url or self.redis.url, *words, **options)
        made.wait_for("taking")
        return made

    # ---- who talks to users

    def put(self, *messages):
        """In this order; text and bytes as they are, all else as JSON."""
        self.db.lpush("bridge:in", *(each if isinstance(each, (str, bytes)) else json.dumps(each) for each in messages))

    def request(self, conversation, request, origin="whatsapp", **more):
        self.put({"type": "request", "conversationId": conversation, "requestId": request, "origin": origin, **more})

    def response(self, conversation, request, response, origin="whatsapp", body=None, **more):
        self.put({"type": "response", "conversationId": conversation, "requestId": request, "responseId": response,
                  "origin": origin, "body": body if body is not None else {"text": response}, **more})

    def ack(self, name, **more):
        self.put({"type": "ack", "asyncResponseId": name, **more})

    def cancel(self, request, **more):
        self.put({"type": "cancel", "requestId": request, **more})

    # ---- gateways

    def take(self, response=None, origin="whatsapp", timeout=10):
        """The next delivery to this origin, which is to be this response."""
        taken = self.db.brpop(f"bridge:out:{origin}", timeout)
        self.assertIsNotNone(taken, lambda: f"{response}; all keys: {self.db.keys('*')}")
        delivery = json.loads(taken[1])
        if response is not None:
            self.assertEqual(delivery["responseId"], response)
        return delivery

    def answer(self, delivery, status="sent", **more):
        self.db.lpush("bridge:answers", json.dumps({**{key: delivery[key] for key in ("conversationId", "requestId", "responseId", "fence")},
                                                    "status": status, **more}))

    def deliver(self, *responses, origin="whatsapp"):
        """Takes these, in this order, and answers that they were sent."""
        for each in responses:
            self.answer(self.take(each, origin))

    def waiting(self, origin="whatsapp"):
        """Deliveries that nobody has taken yet, oldest first."""
        return [json.loads(each)["responseId"] for each in reversed(self.db.lrange(f"bridge:out:{origin}", 0, -1))]

    # ---- what Redis knows

    def count(self, name):
        return int(self.db.hget(QUEUE + "counts", name) or 0)

    def await_counts(self, **wanted):
        """Each is counted in the same step as it is done, and so is the delivery of what can go then."""
        def seen():
            return {name: self.count(name) for name in wanted}
        eventually(lambda: all(seen()[name] >= number for name, number in wanted.items()), 10,
                   lambda: f"{wanted}; counted: {self.db.hgetall(QUEUE + 'counts')}, keys: {self.db.keys('*')}")
        self.assertEqual(seen(), wanted)

    def events(self):
        """(event, responseId) of each, oldest first."""
        return [(each["event"], json.loads(each["message"])["rsId"]) for _, each in self.db.xrange(QUEUE + "events")]

    def messages(self):
        """The keys of the bridge, but for what is counted and told, and what it knows of itself."""
        own = {QUEUE + "counts", QUEUE + "events", QUEUE + "state"}
        return sorted(key for key in self.db.keys(QUEUE + "*") if key not in own)

    def fields(self, kind, name):
        return self.db.hgetall(f"{QUEUE}{kind}:{name}")

    def status(self, response):
        return self.db.hget(f"{QUEUE}res:{response}", "status")

    def await_status(self, response, wanted, timeout=10.0):
        eventually(lambda: self.status(response) == wanted, timeout, lambda: f"{response} {wanted}; it is {self.status(response)}")

    def await_gone(self, *keys, timeout=10.0):
        eventually(lambda: not self.db.exists(*keys), timeout, lambda: f"{keys} gone; there is {self.db.keys('*')}")

    def await_settled(self):
        """Nothing is in hand any more."""
        def left():
            return [key for queue in ("in", "answers") for key in self.db.keys(f"bridge:{queue}:pending*")
                    if not key.endswith((":id", ":owners", ":lease"))] + self.db.keys("bridge:in") + self.db.keys("bridge:answers")
        eventually(lambda: not left(), 10, lambda: f"nothing in hand; there is {left()}")

    # ---- what was given up

    def story(self, message):
        message = message if isinstance(message, bytes) else message.encode("utf-8", "surrogateescape")
        return json.loads(self.db.hget("bridge:in:dead:story", hashlib.sha1(message).hexdigest()))

    def await_dead(self, message):
        """Its story."""
        text = message if isinstance(message, str) else message.decode("utf-8", "surrogateescape")
        eventually(lambda: text in self.db.lrange("bridge:in:dead", 0, -1), 10,
                   lambda: f"{message[:99]!r} in bridge:in:dead; there is {[each[:99] for each in self.db.lrange('bridge:in:dead', 0, -1)]}")
        return self.story(message)
