"""Messages with numbers, workers that report them, and the count of what became of them."""
import collections
import dataclasses
import hashlib
import json
import random
import re
import threading
import time

import redis


class Producer(threading.Thread):
    """Pushes `name:0`, `name:1` ... to a list, again and again, until it is stopped.

    A batch whose answer was lost may or may not have arrived: it is never sent again, so that what is seen twice was not
    seen twice because of us. `confirmed` holds what Redis has said yes to, `unsure` the rest."""

    def __init__(self, connect, queue, name="p", rate=10_000, batch=20, size=0, write=str):
        super().__init__(daemon=True)
        self.connect = connect  # makes a client; called again after each loss
        self.queue = queue
        self.name = name
        self.batch = batch
        self.pause = batch / rate
        self.filling = "." * size
        self.write = write  # makes a message of its text
        self.sent = 0
        self.confirmed = set()
        self.unsure = set()
        self.refusals = 0
        self._ended = threading.Event()
        self._resting = threading.Event()
        self._rested = threading.Event()

    def run(self):
        client = None
        due = time.monotonic()
        while not self._ended.is_set():
            if self._resting.is_set():
                self._rested.set()
                self._ended.wait(0.002)
                due = time.monotonic()
                continue
            numbers = range(self.sent, self.sent + self.batch)
            try:
                client = client or self.connect()
                client.lpush(self.queue, *(self.write(f"{self.name}:{n}{self.filling}") for n in numbers))
                self.confirmed.update(numbers)
                self.sent = numbers.stop
            except redis.ResponseError as refused:  # it said no, so nothing was pushed (READONLY, OOM, LOADING)
                self.refusals += 1
                if isinstance(refused, redis.ReadOnlyError):
                    client = None
                self._ended.wait(0.02)
            except (redis.RedisError, OSError):
                self.unsure.update(numbers)
                self.sent = numbers.stop
                client = None
                self._ended.wait(0.02)
            due = max(due + self.pause, time.monotonic() - 0.1)  # what was missed long ago is not made up for
            self._ended.wait(max(0.0, due - time.monotonic()))

    def rest(self):
        """Returns when no push is under way."""
        self._rested.clear()
        self._resting.set()
        assert self._rested.wait(30) or not self.is_alive(), "the producer hangs"

    def go_on(self):
        self._resting.clear()

    def stop(self):
        self._ended.set()
        self.join(30)
        assert not self.is_alive(), "the producer hangs"


class Answerer(threading.Thread):
    """A worker of mdispatch: answers each request with its own body. It loses none, whatever happens to its connection: what it
    has taken is in a list of its own until it is answered."""

    def __init__(self, connect, queue):
        super().__init__(daemon=True)
        self.connect = connect
        self.queue = queue
        self.busy = queue + ":busy"
        self.seen = collections.Counter()  # how often each body came
        self._ended = threading.Event()

    def run(self):
        client = None
        while not self._ended.is_set():
            try:
                if client is None:
                    client = self.connect()
                    for request in client.lrange(self.busy, 0, -1):
                        self.answer(client, request, again=True)
                request = client.lmove(self.queue, self.busy, "RIGHT", "LEFT")
                if request is None:
                    self._ended.wait(0.002)
                    continue
                self.answer(client, request)
            except (redis.RedisError, OSError):
                client = None
                self._ended.wait(0.02)

    def answer(self, client, request, again=False):
        asked = json.loads(request)
        if not again:
            self.seen[asked["body"]] += 1
        answer = json.dumps({"meta": {"id": asked["meta"]["id"]}, "body": asked["body"]})
        client.pipeline().lpush(asked["meta"]["reply"], answer).lrem(self.busy, 1, request).execute()

    def stop(self):
        self._ended.set()
        self.join(30)
        assert not self.is_alive(), "the answerer hangs"


class Gateway(Answerer):
    """A client of a bridge: takes each delivery, notes its body in a list, and says that it was sent; both are one step."""

    def __init__(self, connect, queue, answers, taken):
        super().__init__(connect, queue)
        self.answers = answers
        self.taken = taken

    def answer(self, client, request, again=False):
        delivery = json.loads(request)
        answer = {each: delivery[each] for each in ("conversationId", "requestId", "responseId", "fence")}
        (client.pipeline().lpush(self.taken, json.dumps(delivery["body"])).lpush(self.answers, json.dumps({**answer, "status": "sent"}))
         .lrem(self.busy, 1, request).execute())


class Worker(threading.Thread):
    """Looks at the messages of an out as they come, without taking them, and reports most of them as done."""

    def __init__(self, connect, out, namespace="ns", named=False, share=0.9):
        super().__init__(daemon=True)
        self.connect = connect
        self.out = out
        self.namespace = namespace
        self.named = named  # the reports name the out
        self.share = share
        self.reported = 0
        self._ended = threading.Event()

    def run(self):
        client, seen = None, 0
        while not self._ended.is_set():
            try:
                client = client or self.connect()
                seen = min(seen, client.llen(self.out))  # a server may forget
                messages = client.lrange(self.out, -(seen + 500), -(seen + 1)) if seen else client.lrange(self.out, -500, -1)
                self.report(client, messages)
                seen += len(messages)
            except (redis.RedisError, OSError):
                messages, client = [], None
            if not messages:
                self._ended.wait(0.01)

    def report(self, client, messages):
        lookup = client.pipeline(transaction=False)
        for message in messages:
            lookup.hget(f"{self.namespace}:message:xid:{hashlib.sha1(message).hexdigest()}", "id")
        ids = [found.decode() for found in lookup.execute() if found and random.random() < self.share]
        if ids:
            client.lpush(f"{self.namespace}:message:done", *(f"{each}:{self.out}" if self.named else each for each in ids))
        self.reported += len(ids)

    def stop(self):
        self._ended.set()
        self.join(30)
        assert not self.is_alive(), "the worker hangs"


@dataclasses.dataclass
class Count:
    """What became of the messages of a run. `forgotten` is what the server itself lost; the rest is on us."""
    sent: int = 0
    lost: int = 0
    duplicated: int = 0
    reordered: int = 0
    stuck: int = 0
    forgotten: int = 0

    def __str__(self):
        return " / ".join(f"{name} {value:,}" for name, value in dataclasses.asdict(self).items())


def read_list(client, key, page=20_000):
    """The messages of a list, oldest first. Counted from the right, where pushes do not shift them."""
    found = []
    for at in range(0, client.llen(key), page):
        found += reversed(client.lrange(key, -(at + page), -(at + 1)))
    return found


def numbers_of(messages, name):
    """Also of answers, which hold the message's text somewhere."""
    own = re.compile(rb"(?:^|\")" + re.escape(name.encode()) + rb":(\d+)")
    return [int(found.group(1)) for each in messages if (found := own.search(each))]


def count(client, producers, outs, source, gaps=None, attempts=1):
    """Compares what was sent with what lies in every out. `gaps` gives, per producer's name, the numbers before which the
    server may have forgotten its last writes: a run that is missing everywhere and ends at one of them is `forgotten`. `attempts`: so often a message may be there."""
    total = Count()
    total.stuck = client.llen(source)
    delivered = [read_list(client, out) for out in outs]
    waiting = read_list(client, source)
    for producer in producers:
        seen = [numbers_of(each, producer.name) for each in delivered]
        expected = producer.confirmed.union(*seen, numbers_of(waiting, producer.name))
        total.sent += producer.sent
        forgotten = set()
        everywhere = set().union(*seen, numbers_of(waiting, producer.name))
        for edge in (gaps or {}).get(producer.name, ()):
            at = edge - 1
            while at >= 0 and at not in everywhere:
                forgotten.add(at)
                at -= 1
        total.forgotten += len(forgotten & producer.confirmed)
        for numbers in seen:
            times = collections.Counter(numbers)
            total.lost += len(expected - forgotten - times.keys())
            total.duplicated += sum(max(0, n - attempts) for n in times.values())
            highest = -1
            for number in dict.fromkeys(numbers):
                total.reordered += number < highest
                highest = max(highest, number)
    return total
