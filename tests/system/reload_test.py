"""`leat run`: services come, go and change while others run."""
import os
import signal
import time
import unittest

from leat_testing import Case, eventually
from routing_case import RoutingCase, chain


class RunFile(Case):
    def setUp(self):
        super().setUp()
        self.redis = self.server()
        self.db = self.redis.client()

    def write(self, services):
        lines = "".join(f"  {name}: {{kind: mpush, in: {queue}, out: [{out}], redis: '{self.redis.url}', serviceNamespace: ns}}\n"
                        for name, (queue, out) in services.items())
        return self.file("run.yaml", "services:\n" + lines)

    def change(self, leat, services):
        self.write(services)
        leat.process.send_signal(signal.SIGHUP)

    def registered(self):
        return sorted(self.db.hget(f"ns:service:{each.decode()}:info", "name").decode() for each in self.db.lrange("ns:service:ids", 0, -1))

    def push_and_await(self, queue, out):
        before = self.db.llen(out)
        self.db.lpush(queue, "m")
        eventually(lambda: self.db.llen(out) == before + 1, 10, lambda: f"a message in {out}")

    def test_services_come_and_go(self):
        leat = self.leat("run", self.write({"a": ("a", "a1"), "b": ("b", "b1")}))
        self.push_and_await("a", "a1")
        self.push_and_await("b", "b1")
        self.assertEqual(self.registered(), ["a", "b"])

        self.change(leat, {"a": ("a", "a1"), "c": ("c", "c1")})
        self.push_and_await("c", "c1")
        eventually(lambda: self.registered() == ["a", "c"], 10, self.registered)
        self.push_and_await("a", "a1")
        self.db.lpush("b", "stays")
        time.sleep(0.3)
        self.assertEqual(self.db.lrange("b", 0, -1), [b"stays"])
        leat.wait_for("a service is not declared any more, it is ended name=b")

        self.change(leat, {"a": ("a", "a1"), "b": ("b", "b1"), "c": ("c", "c1")})
        eventually(lambda: self.db.llen("b1") == 2, 10, "b is back, and moves what has waited")
        self.assertEqual(self.registered(), ["a", "b", "c"])
        self.assertEqual(leat.stop(), 0)
        self.assertEqual(self.db.keys("ns:service:[0-9]*"), [])

    def test_other_settings_end_a_service_and_begin_it_again(self):
        leat = self.leat("run", self.write({"a": ("a", "a1"), "b": ("b", "b1")}))
        self.push_and_await("a", "a1")
        self.push_and_await("b", "b1")
        self.change(leat, {"a": ("a", "a2"), "b": ("b", "b1")})
        eventually(lambda: "starting a service again name=a" in leat.output(), 10, leat.output)
        self.push_and_await("a", "a2")
        self.push_and_await("b", "b1")
        self.assertEqual(self.registered(), ["a", "b"])
        self.assertEqual(leat.output().count("starting a service again"), 1)
        self.assertEqual(leat.stop(), 0)

    def test_many_changes_at_once_end_with_the_last(self):
        leat = self.leat("run", self.write({"a": ("a", "a0")}))
        self.push_and_await("a", "a0")
        for n in range(1, 20):
            self.change(leat, {"a": ("a", f"a{n}")} if n % 3 else {"b": ("b", "b1")})
            time.sleep(0.02)
        self.push_and_await("a", "a19")
        eventually(lambda: self.registered() == ["a"], 10, self.registered)
        self.assertEqual(leat.stop(), 0)

    def test_a_bad_file_changes_nothing(self):
        leat = self.leat("run", self.write({"a": ("a", "a1")}))
        self.push_and_await("a", "a1")
        self.file("run.yaml", "services: {a: {kind: mpush}}\n")
        leat.process.send_signal(signal.SIGHUP)
        leat.wait_for("the new configuration is refused, the old one goes on")
        self.push_and_await("a", "a1")

    def test_a_service_that_cannot_end_does_not_keep_the_others(self):
        """Its server answers nothing any more."""
        other = self.server()
        file = self.write({"a": ("a", "a1")})
        with open(file, "a") as more:
            more.write(f"  b: {{kind: mpush, in: b, out: [b1], redis: '{other.url}'}}\n")
        leat = self.leat("run", file)
        self.push_and_await("a", "a1")
        other.cli("lpush", "b", "1")
        eventually(lambda: other.cli("llen", "b1") == "1")
        os.kill(other.process.pid, signal.SIGSTOP)
        try:
            self.change(leat, {"a": ("a", "a1")})
            leat.wait_for("it is ended name=b")
            self.push_and_await("a", "a1")
            self.assertEqual(leat.stop(), 0)
        finally:
            os.kill(other.process.pid, signal.SIGCONT)


class Stops(RoutingCase):
    def test_a_stop_while_another_server_is_away(self):
        """Messages that waited for it have failed, and nothing keeps the router."""
        other = self.server()
        configs = chain(timeout=700, concurrency=50)
        configs["RedisExporter.singleton"] = {"redis": other.url, "queue": {"out": "work"}}
        leat = self.router(configs, "--serviceNamespace", "ns")
        self.db.lpush("in", "first")
        eventually(lambda: other.cli("llen", "work") == "1")
        other.stop()
        self.db.lpush("in", *range(30))
        eventually(lambda: self.db.llen("in:error") == 30, 10, lambda: self.db.llen("in:error"))
        began = time.monotonic()
        self.assertEqual(leat.stop(), 0)
        self.assertLess(time.monotonic() - began, 2)
        self.assertNotIn("cannot end cleanly", leat.output())


if __name__ == "__main__":
    unittest.main()
