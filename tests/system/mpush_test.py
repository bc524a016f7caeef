"""mpush as people run it."""
import os
import shutil
import signal
import subprocess
import time
import unittest

from leat_testing import LEAT, Case, eventually, is_running


class Mpush(Case):
    def setUp(self):
        super().setUp()
        self.redis = self.server()
        self.db = self.redis.client()

    def start(self, *words, **more):
        return self.leat("mpush", "--in", "in", "--out", "out0", "--out", "out1", "--redis", self.redis.url, *words, **more)

    def numbers(self, key):
        return [int(each) for each in reversed(self.db.lrange(key, 0, -1))]

    def push_numbers(self, start, stop):
        pipe = self.db.pipeline(transaction=False)
        for at in range(start, stop, 500):
            pipe.lpush("in", *range(at, min(stop, at + 500)))
        pipe.execute()

    def test_a_large_backlog_arrives_whole_and_in_order(self):
        self.push_numbers(0, 100_000)
        self.start()
        eventually(lambda: self.db.llen("out1") == 100_000, 30)
        self.assertEqual(self.numbers("out0"), list(range(100_000)))
        self.assertEqual(self.numbers("out1"), list(range(100_000)))
        self.assertEqual(self.db.dbsize(), 2)

    def test_four_replicas_move_each_message_once_and_in_order(self):
        replicas = [self.start("--name", f"r{i}") for i in range(4)]
        for at in range(0, 50_000, 1000):
            self.push_numbers(at, at + 1000)
        eventually(lambda: self.db.llen("out1") == 50_000 and not self.db.exists("in"), 30)
        self.assertEqual(self.numbers("out0"), list(range(50_000)))
        self.assertEqual(self.numbers("out1"), list(range(50_000)))
        for each in replicas:
            self.assertEqual(each.stop(), 0)

    def test_messages_of_every_form_pass_unchanged(self):
        messages = [b"", b"\0", b"\r\n", "grüße".encode(), os.urandom(100_000), b"x" * (5 << 20), b"-ERR no", b"12"]
        for each in messages:
            self.db.lpush("in", each)
        self.start()
        eventually(lambda: self.db.llen("out1") == len(messages))
        self.assertEqual(list(reversed(self.db.lrange("out0", 0, -1))), messages)

    def test_a_push_into_an_idle_queue_is_heard_at_once(self):
        self.start("--popTimeout", 30)
        eventually(lambda: "leat:listener:mpush" in self.redis.cli("client", "list"))
        time.sleep(0.5)  # now it sleeps, and the tick of 30 s is far
        began = time.monotonic()
        self.db.lpush("in", "x")
        eventually(lambda: self.db.llen("out1") == 1)
        self.assertLess(time.monotonic() - began, 2)

    def test_connections_carry_names(self):
        self.start("--name", "orders")
        eventually(lambda: {"leat:mpush:orders", "leat:listener:orders"} <=
                   {each["name"] for each in self.db.client_list()})

    def test_sigterm_and_sigint_end_it_with_0(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            leat = self.start()
            eventually(lambda: any(each["name"] == "leat:mpush:mpush" for each in self.db.client_list()))
            began = time.monotonic()
            self.assertEqual(leat.stop(number), 0)
            self.assertLess(time.monotonic() - began, 2)
            self.assertIn(f"entry: {signal.Signals(number).name}", leat.output())

    def test_it_stops_while_redis_is_away(self):
        leat = self.start()
        eventually(lambda: self.db.client_list())
        self.redis.stop()
        leat.wait_for("Redis does not answer")
        self.assertEqual(leat.stop(), 0)

    def test_a_full_out_stops_the_intake_until_there_is_room(self):
        self.push_numbers(0, 10)
        leat = self.start("--maxLength", 4)
        leat.wait_for("an out is full, intake waits")
        self.assertEqual(self.numbers("out1"), [0, 1, 2, 3])
        self.assertEqual(self.db.llen("in"), 6)
        self.db.delete("out0")
        time.sleep(0.3)
        self.assertEqual(self.numbers("out1"), [0, 1, 2, 3])  # out1 is full still
        self.db.delete("out1")
        eventually(lambda: self.numbers("out1") == [4, 5, 6, 7])
        self.db.delete("out0", "out1")
        eventually(lambda: self.numbers("out1") == [8, 9])
        self.assertEqual(leat.stop(), 0)
        self.assertRegex(leat.output(), r"ended moved=10 .*full_waits=[2-9]")

    def test_it_goes_on_after_redis_was_restarted(self):
        redis = self.server("--appendonly", "yes")
        db = redis.client()
        leat = self.leat("mpush", "--in", "in", "--out", "out", "--redis", redis.url)
        db.lpush("in", "one")
        eventually(lambda: db.llen("out") == 1)
        redis.stop()
        leat.wait_for("Redis does not answer")
        redis.start()
        leat.wait_for("Redis answers again")
        db.lpush("in", "two")
        eventually(lambda: db.lrange("out", 0, -1) == [b"two", b"one"])

    def test_scripts_are_loaded_again(self):
        self.start()
        self.db.lpush("in", 1)
        eventually(lambda: self.db.llen("out1") == 1)
        self.db.script_flush()
        self.db.lpush("in", 2)
        eventually(lambda: self.numbers("out1") == [1, 2])

    def test_everything_flushed_while_it_runs(self):
        self.start("--popTimeout", 30)
        self.db.lpush("in", 1)
        eventually(lambda: self.db.llen("out1") == 1)
        self.db.flushall()
        self.db.lpush("in", 2)
        eventually(lambda: self.numbers("out1") == [2])

    def test_out_of_memory_pauses_the_intake(self):
        leat = self.start()
        self.db.lpush("in", 1)
        eventually(lambda: self.db.llen("out1") == 1)
        leat.process.send_signal(signal.SIGSTOP)
        self.db.lpush("in", 2)
        self.db.config_set("maxmemory", 1)
        leat.process.send_signal(signal.SIGCONT)
        leat.wait_for("waiting class=pause_intake")
        self.assertEqual(self.numbers("in"), [2])
        self.db.config_set("maxmemory", 0)
        eventually(lambda: self.numbers("out1") == [1, 2])
        self.assertEqual(leat.stop(), 0)

    def test_another_database(self):
        self.leat("mpush", "--in", "in", "--out", "out", "--redis", self.redis.url + "/5")
        self.redis.client(db=5).lpush("in", "x")
        eventually(lambda: self.redis.client(db=5).llen("out") == 1)
        self.assertEqual(self.db.dbsize(), 0)

    def test_flag_over_environment_over_file_and_it_is_told(self):
        file = self.file("m.yaml", "redis: redis://127.0.0.1:1/0\nin: in\nout: [out]\n")
        leat = self.leat("mpush", file, "--out", "other,third", env={"REDIS_URL": self.redis.url})
        self.db.lpush("in", "x")
        eventually(lambda: self.db.llen("third") == 1)
        self.assertEqual(self.db.llen("other"), 1)
        self.assertFalse(self.db.exists("out"))
        self.assertIn("from REDIS_URL replaces redis://127.0.0.1:1/0 from", leat.output())
        self.assertIn("from --out replaces", leat.output())

    def test_eviction_is_warned_of(self):
        self.db.config_set("maxmemory", "100mb")
        self.db.config_set("maxmemory-policy", "allkeys-lru")
        self.start().wait_for("Redis may evict messages")

    def test_valkey(self):
        program = os.environ.get("LEAT_VALKEY")
        if not program:
            self.skipTest("LEAT_VALKEY names no valkey-server")
        valkey = self.server(program=program)
        self.leat("mpush", "--in", "in", "--out", "out", "--redis", valkey.url)
        valkey.client().lpush("in", "x")
        eventually(lambda: valkey.client().llen("out") == 1)


class MovedServer(Case):
    """The name of the server leads elsewhere while leat runs; both of its connections must follow."""

    def setUp(self):
        super().setUp()
        self.old, self.new = self.server(), self.server()
        self.door = self.proxy(self.old)
        self.service = self.leat("mpush", "--in", "in", "--out", "out", "--redis", self.door.url, "--popTimeout", 1)
        self.old.client().lpush("in", "one")
        eventually(lambda: self.old.client().llen("out") == 1)
        self.door.target = self.new

    def expect_moved(self):
        self.new.client().lpush("in", "two")
        eventually(lambda: self.new.client().llen("out") == 1, what="the message on the new server")
        began = time.monotonic()
        self.new.client().lpush("in", "three")
        eventually(lambda: self.new.client().llen("out") == 2)
        self.assertLess(time.monotonic() - began, 0.9)  # heard, not found by a tick
        self.assertEqual(self.service.stop(), 0)

    def test_the_old_one_became_a_replica(self):
        self.old.cli("replicaof", "127.0.0.1", 1)
        self.expect_moved()
        self.assertLess(len(self.service.output().splitlines()), 40)

    def test_only_the_moving_connection_was_cut(self):
        mover = next(each for each in self.old.client().client_list() if each["name"] == "leat:mpush:mpush")
        self.old.cli("client", "kill", "id", mover["id"])
        self.expect_moved()

    def test_only_the_listening_connection_was_cut(self):
        self.old.cli("replicaof", "127.0.0.1", 1)
        ears = next(each for each in self.old.client().client_list() if each["name"] == "leat:listener:mpush")
        self.old.cli("client", "kill", "id", ears["id"])
        self.expect_moved()


    def test_only_the_listening_connection_was_cut_and_the_old_one_still_takes_writes(self):
        ears = next(each for each in self.old.client().client_list() if each["name"] == "leat:listener:mpush")
        self.new.client().lpush("in", "zero")
        self.old.cli("client", "kill", "id", ears["id"])
        eventually(lambda: self.new.client().llen("out") == 1, what="the message on the new server")
        self.new.client().delete("out")
        self.expect_moved()

    def test_a_registered_service_finds_both_again(self):
        self.door.target = self.old
        registered = self.leat("mpush", "--in", "in2", "--out", "out2", "--redis", self.door.url, "--popTimeout", 1,
                               "--serviceNamespace", "ns", "--name", "second")
        registered.wait_for("renew: started")
        self.door.target = self.new
        ears = next(each for each in self.old.client().client_list() if each["name"] == "leat:listener:second")
        self.old.cli("client", "kill", "id", ears["id"])
        eventually(lambda: self.new.client().exists("ns:service:1"), what="the registration at the new server")
        self.new.client().lpush("in2", "x")
        eventually(lambda: self.new.client().llen("out2") == 1)
        time.sleep(0.5)
        before = [each.client().info("stats")["total_commands_processed"] for each in (self.old, self.new)]
        time.sleep(1)
        after = [each.client().info("stats")["total_commands_processed"] for each in (self.old, self.new)]
        self.assertLess(sum(after) - sum(before), 100)
        self.assertEqual(registered.stop(), 0)


class Stop(Case):
    def test_a_refusal_under_load_ends_it_at_once(self):
        redis = self.server()
        redis.cli("acl", "setuser", "bob", "on", ">pw", "~*", "+@all")
        outs = [word for i in range(8) for word in ("--out", f"out{i}")]
        leat = self.leat("mpush", "--in", "in", "--redis", f"redis://bob:pw@127.0.0.1:{redis.port}", *outs)
        fill = redis.client().register_script("local t = {} for i = 1, 5000 do t[i] = 'load' end "
                                              "for i = 1, 400 do redis.call('LPUSH', KEYS[1], unpack(t)) end")
        fill(keys=["in"])
        eventually(lambda: redis.client().llen("out7") > 10_000)
        redis.cli("acl", "setuser", "bob", "-client|tracking")
        ears = next(each for each in redis.client().client_list() if each["name"] == "leat:listener:mpush")
        redis.cli("client", "kill", "id", ears["id"])
        self.assertEqual(leat.exit_code(), 1)
        self.assertGreater(redis.client().llen("in"), 0)  # it did not go on to the end
        self.assertIn("Redis refuses, stopping", leat.output())

    def test_a_frozen_server_does_not_hold_it_up(self):
        redis = self.server()
        leat = self.leat("mpush", "--in", "in", "--out", "out", "--redis", redis.url)
        redis.client().lpush("in", "x")
        eventually(lambda: redis.client().llen("out") == 1)
        redis.process.send_signal(signal.SIGSTOP)
        time.sleep(3.5)  # by now a health check is under way
        began = time.monotonic()
        self.assertEqual(leat.stop(), 0)
        self.assertLess(time.monotonic() - began, 2.5)

    def test_a_log_reader_that_goes_away_does_not_end_it(self):
        redis = self.server()
        reader, writer = os.pipe()
        process = subprocess.Popen([LEAT, "mpush", "--in", "in", "--out", "out", "--redis", redis.url], stderr=writer)
        self.stack.callback(process.wait)
        self.stack.callback(process.kill)
        os.close(writer)
        os.read(reader, 1)
        os.close(reader)
        redis.client().client_kill_filter(_type="normal")  # something to tell
        redis.client().lpush("in", "x")
        eventually(lambda: redis.client().llen("out") == 1)
        process.terminate()
        self.assertEqual(process.wait(5), 0)

    def test_a_read_only_server_is_told_of_once(self):
        redis = self.server()
        redis.cli("lpush", "in", "x")
        redis.cli("replicaof", "127.0.0.1", 1)
        leat = self.leat("mpush", "--in", "in", "--out", "out", "--redis", redis.url)
        leat.wait_for("READONLY")
        time.sleep(2)
        self.assertLess(leat.output().count("WARN"), 4)
        redis.cli("replicaof", "no", "one")
        eventually(lambda: redis.client().llen("out") == 1)
        self.assertEqual(leat.stop(), 0)


class Run(Case):
    def test_several_services_in_one_process(self):
        redis = self.server()
        file = self.file("all.yaml", f"""redis: {redis.url}
services:
  first:
    kind: mpush
    in: a
    out: [b, c]
  second:
    kind: mpush
    in: c
    out: [d]
""")
        leat = self.leat("run", file)
        redis.client().lpush("a", "x")
        eventually(lambda: redis.client().llen("d") == 1)
        names = [each["name"] for each in redis.client().client_list()]
        self.assertEqual(sorted(name for name in names if name), ["leat:listener:all", "leat:mpush:first",
                                                                 "leat:mpush:second"])
        self.assertEqual(leat.stop(), 0)

    def test_a_file_with_a_kind_is_one_service_named_after_it(self):
        redis = self.server()
        leat = self.leat("run", self.file("orders.yaml", f"kind: mpush\nredis: {redis.url}\nin: a\nout: [b]\n"))
        redis.client().lpush("a", "x")
        eventually(lambda: redis.client().llen("b") == 1)
        self.assertIn("leat:mpush:orders", [each["name"] for each in redis.client().client_list()])
        self.assertEqual(leat.stop(), 0)

    def test_one_failed_service_gives_the_exit_code(self):
        redis = self.server()
        redis.cli("acl", "setuser", "bob", "on", ">pw", "~*", "+@all", "-lpush")
        file = self.file("all.yaml", f"""services:
  good: {{kind: mpush, redis: {redis.url}, in: a, out: [b]}}
  bad: {{kind: mpush, redis: "redis://bob:pw@127.0.0.1:{redis.port}", in: c, out: [d]}}
""")
        redis.cli("lpush", "c", "x")
        leat = self.leat("run", file)
        leat.wait_for("NOPERM")
        redis.client().lpush("a", "x")
        eventually(lambda: redis.client().llen("b") == 1)
        self.assertEqual(leat.stop(), 1)

    def test_names_must_differ_between_files(self):
        text = "services: {one: {kind: mpush, in: a, out: [b]}}\n"
        run = self.run_leat("run", self.file("x.yaml", text), self.file("y.yaml", text))
        self.assertEqual(run.returncode, 2)
        self.assertIn("also declared at", run.stderr)


    def test_a_file_with_any_name(self):
        redis = self.server()
        leat = self.leat("run", self.file("my örders 1.yaml", f"kind: mpush\nredis: {redis.url}\nin: a\nout: [b]\n"))
        redis.client().lpush("a", "x")
        eventually(lambda: redis.client().llen("b") == 1)
        names = {each["name"] for each in redis.client().client_list()}
        self.assertEqual(sum(name.startswith("leat:") for name in names), 2, names)
        self.assertEqual(leat.stop(), 0)

    def test_the_examples_of_the_reference_run(self):
        import re
        import yaml
        from leat_testing import ROOT
        page = (ROOT / "docs" / "reference" / "mpush.md").read_text()
        fences = re.findall(r"^```yaml\n(.*?)^```$", page, re.M | re.S)
        self.assertGreater(len(fences), 3)
        for at, text in enumerate(fences):
            redis = self.server()
            here = text.replace("redis://localhost:6379", redis.url)
            leat = self.leat("run", self.file(f"example{at}.yaml", here), env={"REDIS_URL": redis.url})
            content = yaml.safe_load(text)
            redis.client().lpush(content["in"], "x")
            for out in content["out"]:
                eventually(lambda: redis.client().llen(out) == 1, what=text)
            self.assertEqual(leat.stop(), 0)


class Embedded(Case):
    def test_any_folder_will_do(self):
        import redis
        for folder in ("me@corp", "per%41cent", "q?db=3", "a b #1"):
            leat = self.leat("mpush", "--in", "in", "--out", "out", "--embedded", folder)
            leat.wait_for("embedded server started")
            db = redis.Redis(unix_socket_path=str(self.folder / folder / "redis.sock"))
            db.lpush("in", "one")
            eventually(lambda: db.llen("out") == 1, what=folder)
            self.assertEqual(leat.stop(), 0)

    def test_the_tools_package_is_enough(self):
        tools = self.folder / "bin"
        tools.mkdir()
        (tools / "redis-check-rdb").symlink_to(shutil.which("redis-check-rdb"))
        leat = self.leat("mpush", "--in", "in", "--out", "out", "--embedded", "data", env={"PATH": str(tools)})
        leat.wait_for("embedded server started")
        self.assertEqual(leat.stop(), 0)

    def test_it_keeps_its_data_and_ends_with_its_parent(self):
        words = ("mpush", "--in", "in", "--out", "out", "--embedded", "data")
        leat = self.leat(*words)
        leat.wait_for("embedded server started")
        socket = str(self.folder / "data" / "redis.sock")
        import redis
        db = redis.Redis(unix_socket_path=socket)
        db.lpush("in", "one")
        eventually(lambda: db.llen("out") == 1)
        server = int(leat.output().split("embedded server started pid=")[1].split()[0])
        leat.stop(signal.SIGKILL)
        again = self.leat(*words)  # at once: it waits for the old one
        again.wait_for("embedded server started")
        self.assertFalse(is_running(server))
        self.assertEqual(redis.Redis(unix_socket_path=socket).lrange("out", 0, -1), [b"one"])
        self.assertEqual(again.stop(), 0)

    def test_a_server_that_dies_ends_the_service(self):
        leat = self.leat("mpush", "--in", "in", "--out", "out", "--embedded", "data")
        leat.wait_for("embedded server started")
        os.kill(int(leat.output().split("embedded server started pid=")[1].split()[0]), signal.SIGKILL)
        self.assertEqual(leat.exit_code(), 1)
        self.assertIn("the embedded server has ended", leat.output())

    def test_valkey_serves_where_there_is_no_redis(self):
        program = os.environ.get("LEAT_VALKEY")
        if not program:
            self.skipTest("LEAT_VALKEY names no valkey-server")
        leat = self.leat("mpush", "--in", "in", "--out", "out", "--embedded", "data",
                         env={"PATH": os.path.dirname(program)})
        leat.wait_for("embedded server started")
        import redis
        db = redis.Redis(unix_socket_path=str(self.folder / "data" / "redis.sock"))
        self.assertIn("valkey_version", db.info("server"))
        db.lpush("in", "one")
        eventually(lambda: db.llen("out") == 1)
        self.assertEqual(leat.stop(), 0)

    def test_without_a_server_program_it_says_so(self):
        run = self.run_leat("mpush", "--in", "in", "--out", "out", "--embedded", "data", env={"PATH": "/nowhere"})
        self.assertEqual(run.returncode, 1)
        self.assertIn("needs redis-server or valkey-server", run.stderr)


if __name__ == "__main__":
    assert LEAT
    unittest.main()
