"""One delivery suite over every kind: load with numbered messages, a fault, then the count, against promises.py.

  conformance_test.py --list             the names of all cases, KIND.FAULT
  conformance_test.py mpush.leat_is_killed
"""
import os
import random
import sys
import time
import unittest

from faults import FAULTS
from leat_testing import Case, eventually
from load import Producer, count
from promises import KINDS
from servers import redis_program, valkey_program


class Mpush:
    """How the suite lives with mpush."""
    outs = ("out0", "out1", "out2")

    def words(self, scene):
        return ("mpush", "--in", scene.source, *(w for out in self.outs for w in ("--out", out)))


SUBJECTS = {"mpush": Mpush()}


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
        self.producer = Producer(self.client, self.source, rate=fault.rate)

    def use(self, server, through=None, group=None):
        self.server = server
        self.proxy = through
        self.group = group
        self.url = (through or group or server).url

    def start(self, index):
        self.services[index] = self.case.leat(*self.subject.words(self), "--redis", self.url, "--name", f"r{index}",
                                              *self.fault.settings, name=f"r{index}")

    def client(self):
        server = self.group.current() if self.group else self.server
        return server.client(socket_timeout=30, socket_connect_timeout=5)

    def forgets_here(self):
        """What the server had confirmed just before now it may have forgotten, if the promise says so."""
        self.producer.rest()
        self.gaps.append(self.producer.sent)
        self.producer.go_on()

    def check(self):
        """Counts, and holds it against the promise."""
        gaps = {self.producer.name: self.gaps} if self.promise.forgets else None
        seen = count(self.client(), [self.producer], self.outs, self.source, gaps)
        self.equal((seen.lost, seen.duplicated, seen.reordered, seen.stuck), (0, 0, 0, 0), str(seen))
        return seen

    def equal(self, seen, expected, note=None):
        self.case.assertEqual(seen, expected, note)

    def await_drained(self):
        def drained():
            return not self.client().exists(self.source)
        eventually(drained, 30, "an empty queue; the service has not gone on:\n" + self.services[0].output()[-2000:])


class Conformance(Case):
    kind = fault = None

    def runTest(self):
        programs = [redis_program()]
        if os.environ.get("LEAT_TEST_ALL") and valkey_program():
            programs.append(valkey_program())
        for program in programs:
            with self.subTest(program=os.path.basename(program)):
                self.play(program)

    def play(self, program):
        promise = self.kind.promises[self.fault]
        scene = Scene(self, SUBJECTS[self.kind.name], FAULTS[self.fault](), promise, program)
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
        for each in scene.services:
            self.assertEqual(each.stop(), 0)
        print(f"{self.kind.name} {self.fault} on {os.path.basename(program)}: {seen}", flush=True)
        self.assertGreater(seen.sent, 100)

    def __str__(self):
        return f"{self.kind.name}.{self.fault}"


def cases():
    for kind in KINDS:
        for fault in kind.promises:
            made = Conformance()
            made.kind, made.fault = kind, fault
            yield made


if __name__ == "__main__":
    if sys.argv[1:] == ["--list"]:
        print(";".join(map(str, cases())), end="")
        sys.exit()
    seed = int(os.environ.get("LEAT_SEED") or time.time_ns() % 1_000_000)
    random.seed(seed)
    print(f"LEAT_SEED={seed}", flush=True)
    chosen = [each for each in cases() if not sys.argv[1:] or str(each) in sys.argv[1:]]
    assert chosen, "no such case"
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(unittest.TestSuite(chosen)).wasSuccessful())
