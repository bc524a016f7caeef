"""Sentinel: found at the start, asked again after each loss. Three sentinels, a master and a replica, all real."""
import unittest

from leat_testing import Case, eventually, free_port


class Sentinel(Case):
    def setUp(self):
        super().setUp()
        self.group = self.sentinel_group()
        self.master, self.replica = self.group.master, self.group.replica

    def await_second_message(self):
        self.replica.client().lpush("in", "two")
        eventually(lambda: self.replica.client().lrange("out", 0, -1) == [b"two", b"one"], 30, "the message on the new master")

    def test_the_master_is_found_and_a_failover_followed(self):
        leat = self.leat("mpush", "--in", "in", "--out", "out", "--redis", self.group.url, "--popTimeout", 1,
                         "--serviceNamespace", "ns")
        leat.wait_for("renew: started")
        self.master.client().lpush("in", "one")
        eventually(lambda: self.master.client().llen("out") == 1)
        eventually(lambda: self.replica.client().llen("out") == 1)  # what is not replicated yet may be lost by Redis
        self.master.stop(9)
        eventually(lambda: self.replica.role() == "master", 30, "the failover")
        self.await_second_message()
        self.assertEqual(leat.stop(), 0)
        self.assertEqual(self.replica.cli("exists", "ns:service:1"), "0")

    def test_a_failover_that_leaves_the_old_master_running(self):
        leat = self.leat("mpush", "--in", "in", "--out", "out", "--redis", self.group.url, "--popTimeout", 1)
        self.master.client().lpush("in", "one")
        eventually(lambda: self.replica.client().llen("out") == 1)
        self.assertIn("OK", self.group.ask(self.group.ports[0], "failover", "mymaster"))
        eventually(lambda: self.replica.role() == "master", 30, "the failover")
        eventually(lambda: self.master.role() == "slave", 30, "the old master's new role")
        self.await_second_message()
        self.assertEqual(leat.stop(), 0)

    def test_one_sentinel_of_those_named_is_enough(self):
        url = f"redis+sentinel://127.0.0.1:{free_port()},127.0.0.1:{self.group.ports[1]}/mymaster/0"
        leat = self.leat("mpush", "--in", "in", "--out", "out", "--redis", url)
        self.master.client().lpush("in", "one")
        eventually(lambda: self.master.client().llen("out") == 1)
        self.assertEqual(leat.stop(), 0)

    def test_a_master_that_nobody_knows_is_waited_for(self):
        leat = self.leat("mpush", "--in", "in", "--out", "out", "--redis", self.group.url.replace("mymaster", "nobody"))
        leat.wait_for("Redis does not answer, trying again")
        self.assertEqual(leat.stop(), 0)


if __name__ == "__main__":
    unittest.main()
