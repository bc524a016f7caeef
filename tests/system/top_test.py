"""leat top, on a terminal, in a pipe, and while Redis is away; completion and the manual page."""
import json
import os
import re
import subprocess
import sys
import time
import unittest

from leat_testing import Case, LEAT, ROOT, eventually
from terminal import Terminal


class Top(Case):
    def setUp(self):
        super().setUp()
        self.redis = self.server()
        self.db = self.redis.client()

    def serve(self):
        self.leat("mpush", "--redis", self.redis.url, "--in", "in", "--out", "a,b", "--serviceNamespace", "shop")
        eventually(lambda: self.db.exists("shop:service:1"))

    def test_on_a_terminal_only_changes_are_sent(self):
        self.serve()
        screen = Terminal([LEAT, "top", "--redis", self.redis.url, "-i", "0.2"])
        eventually(lambda: screen.shows("shop:1"), what=lambda: screen.cells)
        self.assertTrue(screen.shows("in -> a, b"))
        time.sleep(0.5)
        screen.read()
        before = len(screen.received)
        time.sleep(1)
        screen.read()
        self.assertLess(len(screen.received) - before, 1500)  # five pictures, of which little changes
        self.db.lpush("in", *range(7))
        eventually(lambda: any(re.match(r"a +out +7 ", each) for each in screen.cells) or screen.read())
        screen.press(b"q")
        self.assertEqual(screen.close(), 0)
        self.assertTrue(screen.received.endswith(b"\x1b[?25h\x1b[?1049l"))  # the terminal is as it was

    def test_ctrl_c_leaves_the_terminal_as_it_was(self):
        screen = Terminal([LEAT, "top", "--redis", self.redis.url, "-i", "60"])
        eventually(lambda: screen.shows("no service was ever registered"))
        screen.press(b"\x03")
        self.assertEqual(screen.close(), 0)
        self.assertTrue(screen.received.endswith(b"\x1b[?25h\x1b[?1049l"))

    def test_it_ends_while_redis_hangs(self):
        between = self.proxy(self.redis)
        screen = Terminal([LEAT, "top", "--redis", between.url, "-i", "0.2"])
        eventually(lambda: screen.shows("no service was ever registered"))
        between.black_hole()
        time.sleep(0.5)
        began = time.monotonic()
        screen.press(b"q")
        self.assertEqual(screen.close(), 0)
        self.assertLess(time.monotonic() - began, 2)

    def test_redis_goes_and_comes_back(self):
        self.serve()
        screen = Terminal([LEAT, "top", "--redis", self.redis.url, "-i", "0.2"])
        eventually(lambda: screen.shows("shop:1"))
        self.redis.stop()
        eventually(lambda: screen.shows("no answer, trying again"))
        self.redis.start()
        eventually(lambda: screen.shows("shop:1"), 15)
        screen.press(b"q")
        self.assertEqual(screen.close(), 0)

    def test_plain_and_json(self):
        self.serve()
        plain = self.run_leat("top", "--redis", self.redis.url, "-n", 2, "-i", 0.1)
        self.assertEqual(plain.returncode, 0)
        self.assertEqual(plain.stdout.count("leat top"), 2)
        self.assertNotIn("\x1b", plain.stdout)
        self.db.lpush("in", *range(100))
        lines = self.run_leat("top", "--redis", self.redis.url, "-n", 2, "-i", 0.1, "--json").stdout.splitlines()
        seen = [json.loads(each) for each in lines]
        self.assertEqual(len(seen), 2)
        self.assertEqual([each["queue"] for each in seen[1]["queues"]][:3], ["in", "a", "b"])
        self.assertEqual(seen[1]["services"][0]["service"], "shop:1")
        self.assertEqual(seen[1]["namespaces"]["shop"]["tracked"], 100)

    def test_metrics_are_those_of_leat_metrics(self):
        self.serve()
        self.db.lpush("in", "m")
        eventually(lambda: self.db.llen("a") == 1)
        self.db.lpush("shop:message:done", 1)
        eventually(lambda: self.db.hget("shop:metrics:done", "count"))
        seen = json.loads(self.run_leat("top", "--redis", self.redis.url, "-n", 1, "--json").stdout)["namespaces"]["shop"]["done"]
        counted = json.loads(self.run_leat("metrics", "--redis", self.redis.url, "--json").stdout)[0]["metrics"]["done"]
        self.assertEqual(seen, {**counted, "rate": None})
        self.assertEqual((seen["unit"], type(seen["sum"])), ("s", int))

    def test_a_slow_link_is_enough(self):
        """All queues are asked at once: a picture takes some ways there and back, not one for each queue."""
        queues = ",".join(f"out{n}" for n in range(30))
        self.leat("mpush", "--redis", self.redis.url, "--in", "in", "--out", queues, "--serviceNamespace", "shop")
        eventually(lambda: self.db.exists("shop:service:1"))
        slow = self.proxy(self.redis)
        slow.delay = 0.1
        began = time.monotonic()
        seen = self.run_leat("top", "--redis", slow.url, "-n", 1, "--json")
        self.assertEqual(len(json.loads(seen.stdout)["queues"]), 32)
        self.assertLess(time.monotonic() - began, 3.5)  # 32 queues one after the other would take over 6

    def test_bad_input(self):
        self.assertEqual(self.run_leat("top", "-i", "0").returncode, 2)
        gone = self.run_leat("top", "--redis", "redis://127.0.0.1:1", "-n", 1)
        self.assertEqual(gone.returncode, 1)
        self.assertIn("cannot reach redis://127.0.0.1:1: Connection refused", gone.stderr)
        bad = self.run_leat("top", "--redis", "http://x", "-n", 1)
        self.assertEqual(bad.returncode, 2)
        self.assertIn("--redis", bad.stderr)


class Pictures(Case):
    def test_the_pictures_of_the_docs_can_be_made(self):
        subprocess.run([sys.executable, "-B", ROOT / "tools" / "terminal_pictures.py", self.folder], check=True, timeout=120,
                       capture_output=True)
        for name, text in (("top", "shop:3"), ("queue-ls", "billing:dead"), ("message-show", "xid")):
            self.assertIn(text, (self.folder / f"{name}.svg").read_text())
            self.assertTrue((ROOT / "docs" / "pictures" / f"{name}.svg").exists())


class Completion(Case):
    def words(self, shell):
        run = self.run_leat("completion", shell)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return run.stdout

    def bash(self, *words):
        """What bash would offer for the last of these."""
        script = self.file("leat.bash", self.words("bash"))
        quoted = " ".join(f"'{each}'" for each in words)
        run = subprocess.run(["bash", "--norc", "-c", f"source {script}; COMP_WORDS=({quoted}); "
                              f"COMP_CWORD={len(words) - 1}; _leat; printf '%s\\n' \"${{COMPREPLY[@]}}\""],
                             capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(run.stderr, "")
        return run.stdout.split()

    def test_bash(self):
        self.assertIn("queue", self.bash("leat", ""))
        self.assertEqual(self.bash("leat", "que"), ["queue"])
        self.assertEqual(sorted(self.bash("leat", "queue", "")),
                         ["ls", "move", "peek", "purge", "push", "redrive", "return"])
        self.assertEqual(self.bash("leat", "queue", "redrive", "--rea"), ["--reason"])
        self.assertEqual(self.bash("leat", "--log-level", "debug", "queue", "l"), ["ls"])
        self.assertEqual(sorted(self.bash("leat", "exec", "--input", "arg")), ["argument", "arguments"])
        self.assertEqual(self.bash("leat", "exec", "--retry.f"), ["--retry.first", "--retry.factor"])
        self.file("orders.yaml", "")
        self.assertEqual(self.bash("leat", "run", "ord"), ["orders.yaml"])
        self.assertEqual(self.bash("leat", "queue", "ls", "--redis", ""), [])
        self.assertEqual(self.bash("leat", "completion", ""), ["bash", "zsh", "fish"])

    def test_zsh(self):
        script = self.file("_leat", self.words("zsh"))
        subprocess.run(["zsh", "-n", script], check=True)
        # What _describe is given for the words before the cursor.
        probe = f"""_describe() {{ print -l -- ${{(P)2}} }}; compadd() {{ print -l -- "$@" }}; compdef() {{ }}
_message() {{ }}; _files() {{ }}
source {script}; words=(leat queue ''); CURRENT=3; PREFIX=''; _leat"""
        run = subprocess.run(["zsh", "-f", "-c", probe], capture_output=True, text=True)
        self.assertEqual(run.stderr, "")
        self.assertIn("redrive:Send dead messages back to the queues that they came from", run.stdout.splitlines())

    def test_fish(self):
        script = self.file("leat.fish", self.words("fish"))
        def offered(line):
            run = subprocess.run(["fish", "--no-config", "-c", f"source {script}; complete -C '{line}'"],
                                 capture_output=True, text=True, env={**os.environ, "HOME": str(self.folder)})
            self.assertEqual(run.stderr, "")
            return [each.split("\t")[0] for each in run.stdout.splitlines()]
        self.assertIn("queue", offered("leat "))
        self.assertEqual(offered("leat queue re"), ["redrive", "return"])
        self.assertEqual(offered("leat --log-level info queue red"), ["redrive"])
        self.assertIn("--reason", offered("leat queue redrive --re"))
        self.assertEqual(sorted(offered("leat exec --input arg")), ["argument", "arguments"])

    def test_another_shell(self):
        run = self.run_leat("completion", "csh")
        self.assertEqual(run.returncode, 2)
        self.assertIn("bash", run.stderr)


class Manual(Case):
    def test_the_page_is_whole_and_right(self):
        page = self.run_leat("man").stdout
        shown = subprocess.run(["groff", "-man", "-Tutf8", "-ww"], input=page, capture_output=True, text=True)
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        text = re.sub(r".\x08|\x1b\[[0-9;]*m", "", shown.stdout).replace("\u2010", "-").replace("\u2212", "-")
        for each in ("leat queue redrive", "leat exec", "--maxDeliveries", "EXIT STATUS", "REDIS_URL", "leat message show"):
            self.assertIn(each, text)


if __name__ == "__main__":
    unittest.main()
