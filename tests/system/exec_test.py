"""exec: any program as a worker."""
import collections
import hashlib
import json
import os
import pathlib
import re
import signal
import time
import unittest

from leat_testing import Case, eventually, is_running


class ExecCase(Case):
    def setUp(self):
        super().setUp()
        self.redis = self.server()
        self.db = self.redis.client()

    def program(self, text, name="program"):
        path = self.file(name, "#!/bin/sh\n" + text)
        path.chmod(0o755)
        return path

    def exec(self, command, *words, **options):
        return self.leat("exec", "--redis", self.redis.url, "--in", "in", "--command", command, *words, **options)

    def list(self, key):
        return [each for each in reversed(self.db.lrange(key, 0, -1))]

    def story(self, message, dead="in:dead"):
        return json.loads(self.db.hget(f"{dead}:story", hashlib.sha1(message).hexdigest()))

    def await_dead(self, count=1):
        eventually(lambda: self.db.llen("in:dead") == count, 20, f"{count} in dead")

    def await_nothing_left(self):
        def left():
            return [key for key in self.db.keys("in*") if key not in (b"in:pending:id", b"in:pending:owners", b"in:dead",
                                                                      b"in:dead:story") and not key.endswith(b":lease")]
        eventually(lambda: not left(), 20, lambda: f"nothing left; there is {left()}")


class Exec(ExecCase):
    def test_the_output_is_the_answer_whatever_the_bytes(self):
        messages = [b"", b"\x00\xff\xfe", "grüße".encode(), b"x" * 1_000_000, b"two\nlines\n"]
        for each in messages:
            self.db.lpush("in", each)
        self.exec("cat", "--reply", "out")
        eventually(lambda: self.db.llen("out") == len(messages))
        self.assertEqual(self.list("out"), messages)
        self.await_nothing_left()

    def test_a_huge_message(self):
        self.db.lpush("in", b"y" * (64 << 20))
        self.exec("wc,-c", "--reply", "out")
        eventually(lambda: self.db.llen("out") == 1, 30)
        self.assertEqual(self.list("out")[0].strip(), str(64 << 20).encode())

    def test_as_an_argument_nothing_is_taken_for_a_shell(self):
        nasty = b"$(touch /tmp/owned); `id` 'quoted' \"too\" * \\ -n"
        self.db.lpush("in", nasty)
        self.exec("printf,%s", "--input", "argument", "--reply", "out")
        eventually(lambda: self.db.llen("out") == 1)
        self.assertEqual(self.list("out"), [nasty])

    def test_as_arguments(self):
        self.db.lpush("in", b'["a b", "c", "\\u00fc"]', b'["a", 1]', b'{"no": "list"}', b"[", b'["nul\\u0000"]')
        self.exec("printf,[%s]", "--input", "arguments", "--reply", "out")
        self.await_dead(4)
        self.assertEqual(self.list("out"), ["[a b][c][ü]".encode()])
        self.assertIn("not a text", self.story(b'["a", 1]')["reason"])
        self.assertIn("JSON list", self.story(b"[")["reason"])
        self.assertIn("NUL", self.story(b'["nul\\u0000"]')["reason"])
        self.assertEqual(self.story(b"[")["attempts"], 1)

    def test_what_no_argument_can_hold_goes_to_dead(self):
        self.db.lpush("in", b"nul\x00", b"x" * (1 << 20))
        self.exec("true", "--input", "argument")
        self.await_dead(2)
        self.assertIn("too long", self.story(b"x" * (1 << 20))["reason"])

    def test_the_environment_is_clean(self):
        self.db.lpush("in", b"x")
        self.exec("env", "--reply", "out", "--environment", "PASSED,SET=to this", "--name", "cleaner",
                  env={"SECRET": "s", "PASSED": "p", "LANG": "C"})
        eventually(lambda: self.db.llen("out") == 1)
        seen = dict(line.split("=", 1) for line in self.list("out")[0].decode().splitlines())
        self.assertNotIn("SECRET", seen)
        self.assertEqual((seen["PASSED"], seen["SET"], seen["LANG"]), ("p", "to this", "C"))
        self.assertEqual((seen["LEAT_QUEUE"], seen["LEAT_DELIVERY"], seen["LEAT_SERVICE"]), ("in", "1", "cleaner"))
        self.assertLessEqual(set(seen), {"PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR", "PASSED", "SET",
                                         "LEAT_QUEUE", "LEAT_DELIVERY", "LEAT_SERVICE"})

    def test_commands_inherit_no_connection_of_ours(self):
        self.db.lpush("in", b"x")
        self.exec("ls,/proc/self/fd", "--reply", "out")
        eventually(lambda: self.db.llen("out") == 1)
        self.assertEqual(self.list("out")[0].split(), [b"0", b"1", b"2", b"3"])  # the last is the folder that ls reads

    def test_exit_codes_that_look_like_signals(self):
        self.db.lpush("in", b"x")
        self.exec(self.program("exit 200\n"), "--deadCodes", "200")
        self.await_dead()
        self.assertEqual((self.story(b"x")["attempts"], self.story(b"x")["reason"]), (1, "exit code 200"))

    def test_in_a_folder(self):
        (self.folder / "elsewhere").mkdir()
        self.db.lpush("in", b"x")
        self.exec("pwd", "--reply", "out", "--folder", self.folder / "elsewhere")
        eventually(lambda: self.db.llen("out") == 1)
        self.assertEqual(self.list("out")[0].decode().strip(), str((self.folder / "elsewhere").resolve()))

    def test_the_exit_code_decides(self):
        command = self.program("read code; echo some trouble >&2; echo last words >&2; exit $code\n")
        self.db.lpush("in", b"0\n", b"3\n", b"65\n", b"7\n")
        leat = self.exec(command, "--maxDeliveries", 3, "--retry.first", 0.05, "--deadCodes", "65,7",
                         "--serviceNamespace", "ns")
        self.await_dead(3)
        self.await_nothing_left()
        self.assertEqual(self.story(b"65\n")["attempts"], 1)
        self.assertEqual(self.story(b"7\n")["attempts"], 1)
        story = self.story(b"3\n")
        self.assertEqual((story["attempts"], len(story["times"].split())), (3, 3))
        self.assertEqual(story["reason"], "exit code 3: last words")
        self.assertEqual((story["origin"], story["service"]), ("in", "ns:1"))
        self.assertIn("last words", leat.output())
        counted = {name: int(self.db.hget(f"ns:metrics:{name}", "count")) for name in ("settled", "retry", "dead")}
        self.assertEqual(counted, {"settled": 1, "retry": 2, "dead": 3})

    def test_a_failure_waits_and_is_told_which_try_it_is(self):
        command = self.program('[ "$LEAT_DELIVERY" -ge 3 ] && echo $LEAT_DELIVERY || exit 1\n')
        self.db.lpush("in", b"x")
        self.exec(command, "--reply", "out", "--retry.first", 0.3, "--retry.factor", 1, "--retry.jitter", 0)
        began = time.monotonic()
        eventually(lambda: self.db.zcard("in:pending:delayed") == 1)
        eventually(lambda: self.db.llen("out") == 1)
        self.assertGreater(time.monotonic() - began, 0.55)
        self.assertEqual(self.list("out"), [b"3\n"])
        self.await_nothing_left()

    def test_without_a_pause_none_overtakes_it(self):
        command = self.program('read m; [ $m = 3 ] && [ "$LEAT_DELIVERY" -lt 4 ] && exit 1; echo $m\n')
        self.db.lpush("in", *(b"%d\n" % n for n in range(6)))
        self.exec(command, "--reply", "out", "--retry.first", 0)
        eventually(lambda: self.db.llen("out") == 6)
        self.assertEqual(self.list("out"), [b"%d\n" % n for n in range(6)])

    def test_too_long_a_run_is_ended_with_all_that_it_started(self):
        command = self.program('sleep 600 & echo $! > child; wait\n')
        self.db.lpush("in", b"x")
        self.exec(command, "--timeout", 1, "--maxDeliveries", 1)
        self.await_dead()
        self.assertEqual(self.story(b"x")["reason"], "did not end within 1 s")
        eventually(lambda: not is_running(int((self.folder / "child").read_text())))

    def test_who_ignores_sigterm_is_killed(self):
        command = self.program("trap '' TERM; while :; do sleep 1; done\n")
        self.db.lpush("in", b"x")
        self.exec(command, "--timeout", 1, "--maxDeliveries", 1)
        self.await_dead()

    def test_too_much_output_ends_a_run(self):
        self.db.lpush("in", b"x")
        self.exec("yes", "--maxOutput", 10_000, "--reply", "out")
        self.await_dead()
        self.assertIn("larger than maxOutput, 10000 bytes", self.story(b"x")["reason"])
        self.assertEqual(self.db.llen("out"), 0)

    def test_without_a_reply_the_output_is_leats_own(self):
        self.db.lpush("in", b"x" * 3_000_000, b"said it")
        leat = self.exec("cat", "--maxOutput", 10)
        leat.wait_for("said it")
        self.await_nothing_left()
        self.assertEqual(self.db.llen("in:dead"), 0)

    def test_a_stop_without_redis(self):
        command = self.program("sleep 60\n")
        self.db.lpush("in", b"x")
        leat = self.exec(command, "--stopTimeout", 1)
        eventually(lambda: self.db.llen("in:pending:1") == 1)
        self.redis.stop()
        began, used = time.monotonic(), leat.cpu_seconds()
        leat.stop(timeout=20)
        self.assertLess(time.monotonic() - began, 8)
        self.assertLess(leat.cpu_seconds() - used, 1)

    def test_who_does_not_read_its_input_or_leaves_its_output_to_others(self):
        command = self.program("sleep 3 & echo done\n")
        self.db.lpush("in", b"z" * 1_000_000)
        self.exec(command, "--reply", "out")
        eventually(lambda: self.db.llen("out") == 1, 2.5)
        self.assertEqual(self.list("out"), [b"done\n"])

    def test_a_command_that_is_not_there_costs_no_message(self):
        self.db.lpush("in", b"1", b"2")
        missing = self.folder / "later"
        leat = self.exec(missing, "--reply", "out", "--maxDeliveries", 1)
        leat.wait_for("cannot be started")
        time.sleep(1.5)
        self.assertEqual(self.db.llen("in:dead"), 0)
        self.program("cat\n", "later")
        eventually(lambda: self.db.llen("out") == 2)
        self.assertEqual(self.list("out"), [b"1", b"2"])
        leat.wait_for("going on")

    def test_runs_are_parallel_up_to_the_concurrency(self):
        command = self.program("sleep 0.5; echo ok\n")
        self.db.lpush("in", *range(8))
        self.exec(command, "--reply", "out", "--concurrency", 4)
        eventually(lambda: self.db.llen("in") == 4)
        eventually(lambda: self.db.llen("in:pending:1") == 4)
        self.assertEqual(self.db.llen("in"), 4)  # no more is taken than is in work
        began = time.monotonic()
        eventually(lambda: self.db.llen("out") == 8)
        self.assertLess(time.monotonic() - began, 2.5)

    def test_a_stop_waits_for_runs_and_gives_back_what_takes_too_long(self):
        command = self.program("read s; sleep $s; echo $s\n")
        self.db.lpush("in", b"0.7\n", b"60\n")
        leat = self.exec(command, "--reply", "out", "--concurrency", 2, "--stopTimeout", 2)
        eventually(lambda: self.db.llen("in:pending:1") == 2)
        time.sleep(0.2)
        began = time.monotonic()
        self.assertEqual(leat.stop(), 0)
        self.assertTrue(1.5 < time.monotonic() - began < 6)
        self.assertEqual(self.list("out"), [b"0.7\n"])
        self.assertEqual(self.list("in"), [b"60\n"])
        self.assertEqual(self.db.exists("in:pending:1", "in:pending:owners", "in:pending:deliveries"), 0)

    def test_what_a_command_says_has_its_service_and_its_message_before_it(self):
        command = self.program("echo first >&2; printf second >&2; exit 65\n")
        self.db.lpush("in", b"x", b"y")
        leat = self.exec(command, "--name", "mail", "--concurrency", 2)
        self.await_dead(2)
        for message in (b"x", b"y"):
            digest = hashlib.sha1(message).hexdigest()
            for line in ("first", "second"):
                leat.wait_for(f"mail {digest[:12]}: {line}\n")
            leat.wait_for(f'ERROR exec/mail: a message was given up in=in dead=in:dead digest={digest} attempt=1 reason="')
        self.assertEqual(leat.stop(), 0)

    def test_each_failed_try_is_a_line_of_the_log_and_many_are_a_count(self):
        self.db.lpush("in", *[str(i) for i in range(200)])
        leat = self.exec("false", "--concurrency", 50, "--maxDeliveries", 2, "--retry.first", 0)
        self.await_dead(200)
        leat.wait_for("a message failed and will be retried in=in digest=")
        leat.wait_for("more messages failed that are not logged one by one in=in")
        self.assertEqual(leat.stop(), 0)
        self.assertIn("ended done=0 failed=200 dead=200 ", leat.output())

    def test_it_is_registered_as_long_as_its_last_run_goes_on(self):
        command = self.program("sleep 8\n")
        self.db.lpush("in", b"x")
        leat = self.exec(command, "--stopTimeout", 20, "--serviceNamespace", "ns", "--serviceExpire", 3, "--serviceRenew", 1)
        eventually(lambda: self.db.llen("in:pending:1") == 1)
        os.kill(leat.pid, signal.SIGTERM)
        last = time.time() + 4
        while time.time() < last:
            self.assertEqual(self.db.exists("ns:service:1"), 1)
            time.sleep(0.1)
        self.assertEqual(leat.exit_code(), 0)
        self.assertEqual(self.db.exists("ns:service:1", "ns:service:ids"), 0)
        self.await_nothing_left()

    def test_commands_die_with_a_killed_leat(self):
        command = self.program("echo $$ > pid; exec sleep 600\n")
        self.db.lpush("in", b"x")
        leat = self.exec(command)
        eventually(lambda: (self.folder / "pid").exists() and (self.folder / "pid").read_text())
        leat.process.kill()
        eventually(lambda: not is_running(int((self.folder / "pid").read_text())))

    def test_metrics_on_another_server(self):
        other = self.server()
        self.db.lpush("in", b"1", b"2")
        self.exec("true", "--serviceNamespace", "ns", "--serviceRedis", other.url)
        eventually(lambda: other.client().hget("ns:metrics:settled", "count") == b"2")
        self.assertEqual(self.db.keys("ns:*"), [])

    def test_a_remote_shutdown(self):
        leat = self.exec("cat", "--serviceNamespace", "ns")
        eventually(lambda: self.db.exists("ns:service:1"))
        self.db.delete("ns:service:1")
        self.assertEqual(leat.exit_code(), 0)


class Recovery(ExecCase):
    def poison(self, concurrency):
        """The message `poison` kills leat, as a program would that uses up all memory."""
        effects = self.folder / "effects"
        command = self.program('read m\n[ "$m" = poison ] && kill -9 $PPID && sleep 60\necho $m >> effects\n')
        messages = [b"m%d\n" % n for n in range(100)]
        messages[40] = b"poison\n"
        self.db.lpush("in", *messages)
        lives = 0
        while self.db.llen("in:dead") == 0 or not self.is_drained():
            leat = self.exec(command, "--concurrency", concurrency, "--maxDeliveries", 3)
            lives += 1
            eventually(lambda: leat.process.poll() is not None or self.is_drained(), 30)
        self.assertEqual(self.list("in:dead"), [b"poison\n"])
        self.assertEqual(self.story(b"poison\n")["attempts"], 3)
        self.assertEqual(self.story(b"poison\n")["reason"], "its taker died")
        self.assertEqual(lives, 4)
        done = collections.Counter(effects.read_text().split())
        self.assertEqual(set(done), {f"m{n}" for n in range(100) if n != 40})
        self.await_nothing_left()
        return sum(done.values()) - 99

    def is_drained(self):
        owners = self.db.zrange("in:pending:owners", 0, -1)
        return not self.db.exists("in", "in:pending:delayed", *(f"in:pending:{each.decode()}" for each in owners))

    def test_a_poison_message_dies_alone(self):
        self.assertEqual(self.poison(1), 0)

    def test_a_poison_message_among_many_at_work(self):
        self.assertLessEqual(self.poison(100), 3 * 100)

    def test_two_recover_the_same_dead(self):
        command = self.program("cat\nexec sleep 60\n")
        self.db.lpush("in", *range(50))
        dead = self.exec(command, "--concurrency", 50)
        eventually(lambda: self.db.llen("in:pending:1") == 50)
        dead.process.kill()
        dead.process.wait()
        replicas = [self.exec("cat", "--reply", "out", name=f"r{n}") for n in range(2)]
        eventually(lambda: self.db.llen("out") == 50, 20)
        self.assertEqual(sorted(map(int, self.list("out"))), list(range(50)))
        taken = sum(int(n) for each in replicas for n in re.findall(r"recovered what .* messages=(\d+)", each.output()))
        self.assertEqual(taken, 50)

    def leave_dead(self, count, in_hand=lambda owner: (), process="elsewhere/1/2", ends=-60_000):
        """So many dead takers, whose leases end so many milliseconds from now; `in_hand` says what each had, newest first."""
        at = int(time.time() * 1000) + ends
        for start in range(1, count + 1, 1000):
            pipe = self.db.pipeline(transaction=False)
            for owner in range(start, start + 1000):
                pipe.zadd("in:pending:owners", {owner: at})
                pipe.hset(f"in:pending:{owner}:lease", mapping={"token": "t", "call": 7, "process": process})
                for each in in_hand(owner):
                    pipe.rpush(f"in:pending:{owner}", each)
            pipe.execute()
        self.db.set("in:pending:id", count)
        self.redis.go_first()
        self.db.config_set("slowlog-log-slower-than", 10_000)
        self.db.config_set("slowlog-max-len", 1000)
        self.db.slowlog_reset()
        self.db.config_resetstat()

    def await_all_forgotten(self, count):
        eventually(lambda: self.db.zcard("in:pending:owners") == 1, 60, lambda: self.db.zcard("in:pending:owners"))
        self.assert_redis_was_not_held()
        self.assertEqual(self.db.keys("in:pending:*:lease"), [f"in:pending:{count + 1}:lease".encode()])

    def assert_redis_was_not_held(self):
        """But for some calls during which the machine was busy with others."""
        slow = self.db.slowlog_get()
        self.assertLess(len(slow), max(3, self.calls_of_scripts() / 10), [(each["duration"], each["command"][:60]) for each in slow])

    def test_ten_thousand_dead(self):
        """Redis is never held for more than ten milliseconds."""
        count = 10_000
        self.leave_dead(count, lambda owner: (f"b{owner}", f"a{owner}"))
        self.exec("true", "--lease", 2)
        self.await_all_forgotten(count)
        self.assertGreater(self.db.llen("in"), 2 * count - 2000)

    def test_work_goes_on_while_twenty_thousand_dead_are_forgotten(self):
        count = 20_000
        left = [f"left{owner}" for owner in range(100, count, 1000)]
        self.leave_dead(count, lambda owner: (f"left{owner}",) if owner % 1000 == 100 else ())
        self.db.lpush("in", *range(50))
        eventually(lambda: self.db.info("server")["uptime_in_seconds"] > 5, 10, "a server old enough to call anybody dead")
        self.db.config_resetstat()
        self.exec("cat", "--reply", "out", "--concurrency", 10)
        eventually(lambda: self.db.exists(f"in:pending:{count + 1}:lease"), 10, "its lease")
        began = time.monotonic()
        eventually(lambda: self.db.llen("out") > 0, 30, "the first message")
        self.assertLess(time.monotonic() - began, 1.5)
        self.await_all_forgotten(count)
        self.assertLess(self.calls_of_scripts(), 300)
        eventually(lambda: self.db.llen("out") == 50 + len(left), 30, lambda: self.db.llen("out"))
        self.assertEqual(sorted(self.list("out")), sorted(str(each).encode() for each in (*range(50), *left)))

    def test_thousands_whose_process_is_gone_are_forgotten_before_their_leases_end(self):
        """They are looked for once, and nobody who lives is meant."""
        count = 3000
        here = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        here += f"/{os.stat('/proc/self/ns/pid').st_ino}"
        self.leave_dead(count, lambda owner: (f"left{owner}",) if owner % 1000 == 100 else (), f"{here}/4194304/1", 600_000)
        self.db.zadd("in:pending:owners", {"living": int(time.time() * 1000) + 600_000})
        self.db.hset("in:pending:living:lease", mapping={"token": "t", "call": 7, "process": "elsewhere/1/2"})
        self.db.config_resetstat()
        self.exec("cat", "--reply", "out")
        eventually(lambda: self.db.zcard("in:pending:owners") == 2, 20, lambda: self.db.zcard("in:pending:owners"))
        self.assert_redis_was_not_held()
        self.assertLess(self.calls_of_scripts(), 300)
        self.assertEqual(self.db.exists("in:pending:living:lease"), 1)
        eventually(lambda: self.db.llen("out") == 3, 10, lambda: self.db.llen("out"))

    def calls_of_scripts(self):
        stats = self.db.info("commandstats")
        return sum(stats.get(f"cmdstat_{each}", {"calls": 0})["calls"] for each in ("eval", "evalsha", "eval_ro", "evalsha_ro"))


class BadInput(ExecCase):
    def test_only_the_listening_connection_hangs(self):
        """The lease is renewed all the same: the other replica does not get what is at work here."""
        between = self.proxy(self.redis)
        command = self.program("cat >> effects; sleep 7\n")
        words = "exec", "--in", "in", "--command", command, "--lease", 2, "--concurrency", 2
        self.leat(*words, "--redis", between.url)
        eventually(lambda: self.db.zcard("in:pending:owners") == 1)
        time.sleep(0.3)
        between.stall(b"TRACKING")
        self.db.lpush("in", b"a\n")
        eventually(lambda: self.db.llen("in:pending:1") == 1)
        self.leat(*words, "--redis", self.redis.url)
        self.await_nothing_left()
        self.assertEqual((self.folder / "effects").read_text(), "a\n")

    def refused(self, *words):
        run = self.run_leat("exec", "--redis", self.redis.url, *words)
        self.assertEqual(run.returncode, 2, run.stdout + run.stderr)
        self.assertEqual(self.db.dbsize(), 0)
        return run.stdout + run.stderr

    def test_settings_are_checked(self):
        self.assertIn("command", self.refused("--in", "in"))
        self.assertIn("also `in`", self.refused("--in", "in", "--command", "cat", "--reply", "in"))
        self.assertIn("also `dead`", self.refused("--in", "in", "--command", "cat", "--reply", "in:dead"))
        self.assertIn("below `pending`", self.refused("--in", "in", "--command", "cat", "--reply", "in:pending:1"))
        self.assertIn("exit code", self.refused("--in", "in", "--command", "cat", "--deadCodes", "0"))
        self.assertIn("NAME=value", self.refused("--in", "in", "--command", "cat", "--environment", "9x"))
        self.assertIn("stdin", self.refused("--in", "in", "--command", "cat", "--input", "sdtin"))
        self.assertIn("concurrency", self.refused("--in", "in", "--command", "cat", "--concurrency", "0"))
        self.assertIn("Did you mean", self.refused("--in", "in", "--command", "cat", "--concurency", "2"))

    def test_a_file_is_refused_with_the_place(self):
        path = self.file("w.yaml", "kind: exec\nin: a\ncommand: [cat]\nreply: a\nlease: 1\n")
        run = self.run_leat("lint", path)
        self.assertEqual(run.returncode, 2)
        self.assertIn("w.yaml:5:8", run.stdout + run.stderr)

    def test_wrong_types_wait_for_repair(self):
        self.db.set("in", "text")
        leat = self.exec("cat", "--reply", "out")
        leat.wait_for("key=in")
        self.db.delete("in")
        self.db.lpush("in", "1")
        eventually(lambda: self.db.llen("out") == 1)
        self.db.set("in:dead", "text")
        command = self.program("exit 65\n")
        other = self.leat("exec", "--redis", self.redis.url, "--in", "in2", "--dead", "in:dead", "--command", command,
                          name="other", env={})
        self.db.lpush("in2", "2")
        other.wait_for("key=in:dead")
        eventually(lambda: self.db.llen("in2:pending:1") == 1)
        self.db.delete("in:dead")
        eventually(lambda: self.db.llen("in:dead") == 1)


if __name__ == "__main__":
    unittest.main()
