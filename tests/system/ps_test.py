"""leat ps and leat stop: services that are registered, seen and ended from outside."""
import json
import signal
import socket
import unittest

from leat_testing import LEAT, Case, eventually, free_port
from terminal import Terminal


class Ps(Case):
    def setUp(self):
        super().setUp()
        self.redis = self.server()

    def start(self, namespace, *words):
        leat = self.leat("mpush", "--in", "in", "--out", "out", "--redis", self.redis.url, "--serviceNamespace", namespace,
                         *words)
        leat.wait_for("renew: started")
        return leat

    def ps(self, *words):
        run = self.run_leat("ps", "--redis", self.redis.url, "--json", *words)
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(run.stdout)

    def test_all_namespaces_are_found(self):
        first, second = self.start("shop:orders"), self.start("shop:mail", "--name", "mail")
        listed = self.ps()
        self.assertEqual([(each["namespace"], each["id"], each["pid"]) for each in listed],
                         [("shop:mail", "1", str(second.pid)), ("shop:orders", "1", str(first.pid))])
        self.assertEqual(listed[0]["name"], "mail")
        self.assertEqual(listed[0]["kind"], "mpush")
        self.assertEqual(listed[0]["host"], socket.gethostname())
        self.assertEqual(listed[0]["state"], "alive")
        self.assertEqual(listed[0]["queues"], "in -> out")
        self.assertLess(listed[0]["age"], 5)
        self.assertEqual(len(self.ps("--namespace", "shop:orders")), 1)
        self.assertEqual(self.ps("--namespace", "nowhere"), [])

    def test_a_killed_service_is_dead_once_its_key_is_gone(self):
        self.start("ns").stop(signal.SIGKILL)
        self.assertEqual(self.ps()[0]["state"], "alive")  # nobody can know better yet
        self.redis.cli("del", "ns:service:1")
        self.assertEqual(self.ps()[0]["state"], "dead")

    def test_a_service_beyond_service_capacity_runs_and_warns(self):
        warning = "more services are listed than serviceCapacity key=ns:service:ids listed=3 serviceCapacity=2"
        first, second, third = (self.start("ns", "--serviceCapacity", 2) for _ in range(3))
        self.assertEqual([warning in each.output() for each in (first, second, third)], [False, False, True])
        self.assertEqual([each["state"] for each in self.ps()], ["alive"] * 3)
        self.assertIn("listed=4 serviceCapacity=3", self.start("ns", "--serviceCapacity", 3).output())
        first.stop()  # leaves the list; so does the dead one, when the next registers
        second.stop(signal.SIGKILL)
        self.redis.cli("del", "ns:service:2")
        self.assertNotIn("more services are listed", self.start("ns", "--serviceCapacity", 3).output())
        self.assertEqual(sorted(each["id"] for each in self.ps()), ["3", "4", "5"])

    def test_an_end_whose_answer_is_lost_is_a_clean_end(self):
        between = self.proxy(self.redis)
        leat = self.leat("mpush", "--in", "in", "--out", "out", "--redis", between.url, "--serviceNamespace", "ns")
        leat.wait_for("renew: started")
        for count in range(1, 6):
            self.redis.client().lpush("in", count)
            eventually(lambda: self.redis.client().llen("out") == count)
        between.drop_answer(b"ns:service:1:info")
        self.assertEqual(leat.stop(), 0, leat.output())
        self.assertEqual(between.dropped, 1)
        self.assertNotIn("cannot end cleanly", leat.output())
        self.assertEqual(self.ps(), [])

    def test_the_table(self):
        self.start("ns")
        run = self.run_leat("ps", "--redis", self.redis.url)
        head, row = run.stdout.splitlines()
        self.assertEqual(head.split()[:4], ["SERVICE", "STATE", "KIND", "NAME"])
        self.assertEqual(row.split()[:4], ["ns:1", "alive", "mpush", "mpush"])
        other = self.server()
        self.assertEqual(self.run_leat("ps", "--redis", other.url).stdout, "no service is registered\n")
        self.assertEqual(other.client().dbsize(), 0)

    def test_the_services_of_a_file(self):
        file = self.file("orders.yaml", f"kind: mpush\nredis: {self.redis.url}\nserviceRedis: {self.redis.url}/2\n"
                         "serviceNamespace: a:b\nin: x\nout: [y]\n")
        leat = self.leat("run", file)
        leat.wait_for("renew: started")
        listed = json.loads(self.run_leat("ps", file, "--json").stdout)
        self.assertEqual([(each["namespace"], each["name"]) for each in listed], [("a:b", "orders")])

    def test_stop_one(self):
        stays, goes = self.start("a:b"), self.start("a:b")
        run = self.run_leat("stop", "a:b:2", "--redis", self.redis.url)
        self.assertEqual((run.returncode, run.stdout), (0, "a:b:2 has stopped\n"))
        self.assertEqual(goes.exit_code(), 0)
        self.assertIsNone(stays.process.poll())
        again = self.run_leat("stop", "a:b:2", "--redis", self.redis.url)
        self.assertEqual((again.returncode, again.stdout), (1, "a:b:2 is not registered\n"))

    def test_a_file_whose_server_is_named_beside_it(self):
        file = self.file("elsewhere.yaml", "kind: mpush\nredis: redis://127.0.0.1:1\nserviceNamespace: ns\nin: a\nout: [b]\n")
        leat = self.leat("run", file, "--redis", self.redis.url)
        leat.wait_for("renew: started")
        for words, env in (([file, "--redis", self.redis.url], {}), ([file], {"REDIS_URL": self.redis.url})):
            self.assertIn("ns:1", self.run_leat("ps", *words, env=env).stdout)
        shown = self.run_leat("ps", file, "--redis", self.redis.url, "--namespace", "other")
        self.assertIn("no service in it has the serviceNamespace other", shown.stderr)
        leat.process.send_signal(signal.SIGSTOP)
        stuck = self.run_leat("stop", "ns:1", "--redis", self.redis.url)
        self.assertEqual((stuck.returncode, stuck.stdout), (1, "ns:1 was asked to stop and is still busy, or dead\n"))
        leat.process.send_signal(signal.SIGCONT)
        self.assertEqual(leat.exit_code(), 0)

    def test_stop_all(self):
        services = [self.start("a"), self.start("b"), self.start("b")]
        self.assertEqual(self.run_leat("stop", "--all", "--namespace", "b", "--redis", self.redis.url).returncode, 0)
        self.assertEqual([each.exit_code() for each in services[1:]], [0, 0])
        self.assertIsNone(services[0].process.poll())
        self.assertEqual(self.run_leat("stop", "--all", "--redis", self.redis.url).stdout, "a:1 has stopped\n")
        eventually(lambda: self.ps() == [])

    def test_stop_says_it_as_json(self):
        self.start("ns")
        run = self.run_leat("stop", "ns:1", "ns:7", "--json", "--redis", self.redis.url)
        self.assertEqual(json.loads(run.stdout), [{"service": "ns:1", "state": "stopped"}, {"service": "ns:7", "state": "unknown"}])
        self.assertEqual(run.returncode, 1)

    def test_stop_all_asks_at_a_terminal(self):
        leat = self.start("ns")
        for answer, code, told in ((b"n\n", 1, b"nothing was stopped"), (b"y\n", 0, b"ns:1 has stopped")):
            self.assertIsNone(leat.process.poll())
            terminal = Terminal([LEAT, "stop", "--all", "--redis", self.redis.url])
            eventually(lambda: terminal.read() or b"Stop 1 service? [y/N]" in terminal.received, 10, lambda: terminal.received)
            terminal.press(answer)
            self.assertEqual(terminal.close(), code, terminal.received)
            self.assertIn(told, terminal.received)
        self.assertEqual(leat.exit_code(), 0)

    def test_bad_words(self):
        for words in (["stop"], ["stop", "nonsense"], ["stop", "a:b"], ["stop", "a:1", "--all"], ["ps", "nowhere.yaml"]):
            run = self.run_leat(*words)
            self.assertEqual(run.returncode, 2, (words, run.stderr))
            self.assertNotEqual(run.stderr, "")

    def test_a_server_that_is_not_there(self):
        run = self.run_leat("ps", "--redis", f"redis://:hunter2@127.0.0.1:{free_port()}")
        self.assertEqual(run.returncode, 1)
        self.assertIn("cannot reach redis://:***@127.0.0.1", run.stderr)

    def test_keys_of_a_wrong_type_are_told(self):
        self.redis.cli("sadd", "leat:namespaces", "ns")
        self.redis.cli("set", "ns:service:ids", "x")
        run = self.run_leat("ps", "--redis", self.redis.url)
        self.assertEqual(run.returncode, 1)
        self.assertIn("WRONGTYPE", run.stderr)


if __name__ == "__main__":
    unittest.main()
