"""One delivery suite over every kind: load with numbered messages, a fault, then the count, against promises.py.

  conformance_test.py --list             the names of the usual cases, KIND.FAULT; --list-all: of all
  conformance_test.py mpush.leat_is_killed [--on redis|valkey]
"""
import collections
import json
import os
import random
import re
import sys
import time
import unittest

from faults import FAULTS
from leat_testing import Case, eventually
from load import Answerer, Gateway, Producer, Worker, count, numbers_of, read_list
from promises import KINDS
from servers import redis_program, valkey_program


class Mpush:
    """How the suite lives with mpush."""
    outs = ("out0", "out1", "out2")
    attempts = 1
    rate = 10_000  # messages per second that it is given, at most
    keeps_order = True
    keeps_order_across_replicas = True

    def words(self, scene):
        return ("mpush", "--in", scene.source, *(w for out in self.outs for w in ("--out", out)), *self.settings(scene))

    def settings(self, scene):
        return ()

    def flags(self, settings):
        """Those of a fault, as this kind has them."""
        return settings

    def message(self, text):
        """What is pushed for a numbered text."""
        return text

    def service_client(self, scene):
        """Of the server that has the service keys."""
        return scene.client()

    def is_drained(self, scene):
        return not scene.client().exists(scene.source)

    def begin(self, scene):
        """Before the load comes."""

    def end(self, scene):
        """After the count, while the services run."""


class Tracked(Mpush):
    """Most messages are reported; the rest times out."""
    tracking = ()
    named = False
    expire = 3

    def settings(self, scene):
        namespace = () if "--serviceNamespace" in scene.fault.settings else ("--serviceNamespace", "ns")
        return (*namespace, "--messageTimeout", 1, "--messageExpire", self.expire, "--messageCapacity", 1_000_000, *self.tracking)

    def begin(self, scene):
        self.workers = [Worker(scene.client, out, named=self.named) for out in (self.outs if self.named else self.outs[:1])]
        for each in self.workers:
            each.start()

    def end(self, scene):
        client = self.service_client(scene)

        def left():
            return [key for key in client.scan_iter("ns:message:*", count=1000)
                    if key not in (b"ns:message:id", b"ns:message:dead", b"ns:message:dead:story")]
        eventually(lambda: not left(), 40, lambda: "nothing left of any message; there is " + str(
            [(key, client.type(key), client.ttl(key)) for key in left()[:10]]))
        for each in self.workers:
            each.stop()
        if not scene.promise.forgets:
            self.account(scene, client)

    @staticmethod
    def counted(client, name):
        return int(client.hget(f"ns:metrics:{name}", "count") or 0)

    def account(self, scene, client):
        tracked = int(client.get("ns:message:id") or 0)
        scene.equal(tracked, sum(self.counted(client, name) for name in ("done", "timeout", "message:expired")))
        scene.equal(self.counted(client, "messageCapacity"), 0)
        scene.case.assertGreater(self.counted(client, "done"), 100)
        scene.case.assertGreaterEqual(tracked, client.llen(self.outs[0]))


class AwaitAll(Tracked):
    tracking = ("--await", "all")
    named = True


class Retry(Tracked):
    tracking = ("--retry.attempts", 2, "--retry.first", 0.2)
    attempts = 2
    expire = 8  # a machine that is busy, and connections that are cut, leave little time between the timeout and the end of a life

    def account(self, scene, client):
        tracked = int(client.get("ns:message:id") or 0)
        dead = self.counted(client, "dead")
        scene.equal(tracked, self.counted(client, "done") + dead + self.counted(client, "message:expired"))
        scene.equal(dead, client.llen("ns:message:dead"))
        scene.case.assertGreater(self.counted(client, "retry"), 10)


class Elsewhere(Retry):
    """The keys of services and messages are on a server of their own."""

    def settings(self, scene):
        if not hasattr(scene, "service_server"):
            scene.service_server = scene.case.server(program=scene.program)
        return (*super().settings(scene), "--serviceRedis", scene.service_server.url)

    def service_client(self, scene):
        return scene.service_server.client(socket_timeout=30)

    def begin(self, scene):
        self.workers = []  # who reports from another server is tested elsewhere; here all is tried twice and dies

    def account(self, scene, client):
        tracked = int(client.get("ns:message:id") or 0)
        scene.equal(tracked, self.counted(client, "dead") + self.counted(client, "message:expired"))
        scene.case.assertGreater(self.counted(client, "retry"), 100)


class Exec(Mpush):
    """The command appends the message to a file, which is what it does in the world, and prints it, which is its answer."""
    outs = ("out",)
    rate = 250
    keeps_order_across_replicas = False
    concurrency = 1
    large = "x" * (3 << 20)

    def words(self, scene):
        return ("exec", "--in", scene.source, "--command", f"tee,-a,{self.effects(scene)}", "--reply", "out",
                "--concurrency", self.concurrency, "--maxDeliveries", scene.fault.max_deliveries, "--lease", scene.fault.lease)

    @staticmethod
    def effects(scene):
        return scene.case.folder / f"effects-{id(scene)}"

    def is_drained(self, scene):
        client = scene.client()
        pending = scene.source + ":pending"
        owners = [each.decode() for each in client.zrange(pending + ":owners", 0, -1)]
        hands = [f"{pending}:{each}" for each in owners]
        return not client.exists(scene.source, pending + ":delayed", *hands)

    def end(self, scene):
        """Counts what was done in the world: each message once, and once more for each death between doing and settling."""
        client = scene.client()
        pending = scene.source + ":pending"
        eventually(lambda: not client.exists(pending + ":suspects", pending + ":deliveries"), 20, "nobody suspected")
        scene.equal(client.exists("in:dead"), 0)
        done = collections.Counter(re.findall(rb"p:(\d+)", self.effects(scene).read_bytes()))
        answered = numbers_of(read_list(client, "out"), "p")
        repeated = sum(done.values()) - len(done)
        scene.repeated = repeated
        scene.case.assertGreaterEqual(done.keys(), {b"%d" % each for each in answered})
        if not scene.promise.forgets:
            scene.equal(len(done), len(answered), "what was done was answered")
            least, most = scene.fault.repeats(self.concurrency)
            scene.case.assertTrue(least <= repeated <= most, f"done again: {repeated}, expected {least} to {most}")


class ExecMany(Exec):
    concurrency = 8
    rate = 300
    keeps_order_across_replicas = keeps_order = False


class Router(Exec):
    """Three filters and an exporter, which pushes in the step that settles: nothing is ever done twice."""
    rate = 2_000
    first = ""

    def words(self, scene):
        pop_timeout = 1 if "--popTimeout" in scene.fault.settings else 5
        file = scene.case.file("router.yaml", f"""
configs:
  RedisImporter.one:
    queue: {{in: in, pending: 'in:pending', error: 'in:dead'}}
    timeout: 60000
    concurrency: {self.concurrency}
    popTimeout: {pop_timeout}
    lease: {scene.fault.lease}
    maxDeliveries: {scene.fault.max_deliveries}
    route: [{self.first}ExpiredFilter.one, RateLimitFilter.one, DurationMonitor.one, RedisExporter.one]
  ExpiredFilter.one: {{}}
  RateLimitFilter.one: {{limit: 1000000, periodMillis: 1}}
  DurationMonitor.one: {{}}
  RedisExporter.one: {{queue: {{out: out}}}}
  DedupeFilter.one: {{prefix: 'seen:', window: 600}}
""")
        return ("router", file)

    def flags(self, settings):
        settings = list(settings)
        while "--popTimeout" in settings:
            at = settings.index("--popTimeout")
            del settings[at:at + 2]
        return settings

    def end(self, scene):
        client = scene.client()
        pending = scene.source + ":pending"
        eventually(lambda: not client.exists(pending + ":suspects", pending + ":deliveries"), 20, "nobody suspected")
        scene.equal(client.exists("in:dead"), 0)


class RouterMany(Router):
    concurrency = 100
    keeps_order_across_replicas = keeps_order = False


class RouterDedupe(RouterMany):
    """Lets each message through once, and drops none that leat itself gave back."""
    first = "DedupeFilter.one, "


class Mdispatch(Exec):
    """Requests and a worker that answers each: what was asked twice is answered once."""
    rate = 1_000
    concurrency = 100
    keeps_order_across_replicas = keeps_order = False

    def words(self, scene):
        return ("mdispatch", "--in", scene.source, "--workers", "work", "--reply", "out", "--timeout", 60_000, "--concurrency",
                self.concurrency, "--maxDeliveries", scene.fault.max_deliveries, "--lease", scene.fault.lease)

    def begin(self, scene):
        self.answerer = Answerer(scene.client, "work")
        self.answerer.start()

    def end(self, scene):
        client = scene.client()
        pending = scene.source + ":pending"
        eventually(lambda: not client.exists(pending + ":suspects", pending + ":deliveries"), 20, "nobody suspected")
        scene.equal(client.exists("in:dead"), 0)
        self.answerer.stop()
        seen = self.answerer.seen
        scene.repeated = sum(seen.values()) - len(seen)
        scene.equal([each for each in read_list(client, "out") if b'"error"' in each], [])


class Rquery(Exec):
    """Queries that read a hash; the answer has the query's id."""
    rate = 1_000
    concurrency = 100
    keeps_order_across_replicas = keeps_order = False

    def words(self, scene):
        return ("rquery", "--in", scene.source, "--reply", "out", "--prefixes", "data:", "--concurrency", self.concurrency,
                "--maxDeliveries", scene.fault.max_deliveries, "--retry.first", 0, "--lease", scene.fault.lease)

    large = json.dumps({"meta": {"id": "large"}, "commands": [{"command": "hget data:1 " + "x" * (3 << 20), "save": "name"}]})

    def message(self, text):
        return json.dumps({"meta": {"id": text}, "commands": [{"command": "hget data:1 name", "save": "name"}]})

    def begin(self, scene):
        scene.client().hset("data:1", "name", "value")

    def end(self, scene):
        client = scene.client()
        pending = scene.source + ":pending"
        eventually(lambda: not client.exists(pending + ":suspects", pending + ":deliveries"), 20, "nobody suspected")
        scene.equal(client.exists("in:dead"), 0)
        answers = collections.Counter(json.loads(each).get("values", {}).get("name") for each in read_list(client, "out"))
        if not scene.promise.forgets:  # the data, too
            scene.equal(set(answers), {"value"})


class Bridge(Exec):
    """Replies of one conversation, and a client that takes them: what it took lies in `out`."""
    rate = 300
    concurrency = 100

    def words(self, scene):
        return ("bridge", "--in", scene.source, "--out", "to", "--answers", "answers", "--concurrency", self.concurrency, "--maxDeliveries",
                scene.fault.max_deliveries, "--lease", scene.fault.lease, "--conversationCapacity", 0, "--maxPendingTtl", 120_000)

    large = json.dumps({"type": "response", "conversationId": "large", "requestId": "large", "responseId": "large", "origin": "large",
                        "body": "x" * (3 << 20)})

    def message(self, text):
        """Every 20th is large, so that it is not read again with the others after a lost answer."""
        body = text + (" " * 100_000 if int(text.rpartition(":")[2]) % 20 == 7 else "")
        return json.dumps({"type": "response", "conversationId": "c", "requestId": text, "responseId": text, "origin": "o", "body": body})

    def begin(self, scene):
        self.gateway = Gateway(scene.client, "to:o", "answers", "out")
        self.gateway.start()

    def is_drained(self, scene):
        client = scene.client()
        return super().is_drained(scene) and not client.exists("bridge:queue:pendingMessages", "to:o", "answers")

    def end(self, scene):
        client = scene.client()
        scene.equal(client.exists("in:dead"), 0)
        self.gateway.stop()
        counts = client.hgetall("bridge:queue:counts")
        scene.repeated = int(counts.get(b"retried", 0))


SUBJECTS = {"mpush": Mpush(), "mpush_tracked": Tracked(), "mpush_await_all": AwaitAll(), "mpush_retry": Retry(),
            "mpush_elsewhere": Elsewhere(), "exec": Exec(), "exec_many": ExecMany(), "router": Router(),
            "router_many": RouterMany(), "router_dedupe": RouterDedupe(), "mdispatch": Mdispatch(), "rquery": Rquery(), "bridge": Bridge()}


class Scene:
    """A fault's stage: server, proxy, services under load."""

    def __init__(self, case, subject, fault, promise, program):
        self.case = case
        self.subject = subject
        self.fault = fault
        self.promise = promise
        self.program = program
        self.source = "in"
        self.outs = subject.outs
        self.group = self.proxy = None
        self.gaps = []
        fault.arrange(self)
        self.services = [None] * fault.replicas
        for index in range(fault.replicas):
            self.start(index)
        self.producer = Producer(self.client, self.source, rate=min(fault.rate, subject.rate),
                                 batch=min(20, max(1, subject.rate // 50)), write=subject.message)
        subject.begin(self)

    def use(self, server, through=None, group=None):
        self.server = server
        self.proxy = through
        self.group = group
        self.url = (through or group or server).url

    def start(self, index, **options):
        self.services[index] = self.case.leat(*self.subject.words(self), "--redis", self.url, "--name", f"r{index}",
                                              *self.subject.flags(self.fault.settings), name=f"r{index}", **options)

    def client(self):
        server = self.group.current() if self.group else self.server
        return server.client(socket_timeout=30, socket_connect_timeout=5)

    def service_client(self):
        return self.subject.service_client(self)

    def forgets_here(self):
        """What the server had confirmed just before now it may have forgotten, if the promise says so."""
        self.producer.rest()
        self.gaps.append(self.producer.sent)
        self.producer.go_on()

    def check(self):
        """Counts, and holds it against the promise."""
        gaps = {self.producer.name: self.gaps} if self.promise.forgets else None
        seen = count(self.client(), [self.producer], self.outs, self.source, gaps, self.subject.attempts)
        if not (self.subject.keeps_order if self.fault.replicas == 1 else self.subject.keeps_order_across_replicas):
            seen.reordered = 0
        self.equal((seen.lost, seen.duplicated, seen.reordered, seen.stuck), (0, 0, 0, 0), str(seen))
        return seen

    def equal(self, seen, expected, note=None):
        self.case.assertEqual(seen, expected, note)

    def await_drained(self):
        def left():
            return f"an empty queue; there is {sorted(self.client().keys('*'))[:50]}; the service has not gone on:\n" + \
                self.services[0].output()[-2000:]
        eventually(lambda: self.subject.is_drained(self), 60, left)


class Conformance(Case):
    kind = fault = subject = None
    program = staticmethod(redis_program)

    def runTest(self):
        self.play(self.program())

    def play(self, program):
        promise = self.kind.promises[self.fault]
        scene = Scene(self, SUBJECTS[self.subject], FAULTS[self.fault](), promise, program)
        producer = scene.producer
        producer.start()
        try:
            eventually(lambda: scene.client().llen(scene.outs[0]) > 0, 20, "the first message")
            scene.fault.happen(scene)
            after = len(producer.confirmed)
            eventually(lambda: len(producer.confirmed) > after + 100, 30, "messages after the fault")
        finally:
            producer.stop()
        scene.await_drained()
        seen = scene.check()
        scene.subject.end(scene)
        scene.check()
        for each in scene.services:
            self.assertEqual(each.stop(), 0)
        again = f" / done again {scene.repeated}" if hasattr(scene, "repeated") else ""
        print(f"{self} on {os.path.basename(program)}: {seen}{again}", flush=True)
        self.assertGreater(seen.sent, 100)

    def __str__(self):
        return f"{self.subject}.{self.fault}"


def cases(all_of_them):
    for kind in KINDS:
        chosen = [(kind.name, fault) for fault in kind.promises if all_of_them or fault not in kind.rare]
        for variant in kind.variants:
            chosen += [(variant.name, fault) for fault, promise in kind.promises.items()
                       if (all_of_them or fault in variant.usual)
                       and (variant.counts_what_is_forgotten or not promise.forgets)]
        for subject, fault in chosen:
            made = Conformance()
            made.kind, made.subject, made.fault = kind, subject, fault
            yield made


if __name__ == "__main__":
    if sys.argv[1:2] in (["--list"], ["--list-all"]):
        print(";".join(map(str, cases(sys.argv[1] == "--list-all"))), end="")
        sys.exit()
    if "--on" in sys.argv:
        at = sys.argv.index("--on")
        Conformance.program = staticmethod({"redis": redis_program, "valkey": valkey_program}[sys.argv[at + 1]])
        del sys.argv[at:at + 2]
    seed = int(os.environ.get("LEAT_SEED") or time.time_ns() % 1_000_000)
    random.seed(seed)
    print(f"LEAT_SEED={seed}", flush=True)
    chosen = [each for each in cases(True) if not sys.argv[1:] or str(each) in sys.argv[1:]]
    assert chosen, "no such case"
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(unittest.TestSuite(chosen)).wasSuccessful())
