"""The demo: what it prints, and that nothing of it stays."""
import glob
import os
import re
import signal
import subprocess
import unittest

from leat_testing import LEAT, Case, eventually, is_running
from terminal import Terminal


class Demo(Case):
    def demo_folders(self):
        return set(glob.glob(str(self.folder / "leat-demo-*")))

    def start(self, *words):
        return self.leat("demo", *words, env={"TMPDIR": str(self.folder)}, name="demo")

    def test_it_survives_and_counts(self):
        demo = self.start("--seconds", 4, "--rate", 2000)
        self.assertEqual(demo.exit_code(60), 0, demo.output())
        shown = demo.output()
        for line in ("replica 2 started", "kill -9", "Redis stops", "Redis is back"):
            self.assertIn(line, shown)
        counts = re.search(r"^sent ([\d,]+) / out0 ([\d,]+) / out1 ([\d,]+) / lost 0 / duplicated 0 / reordered 0$", shown, re.M)
        self.assertIsNotNone(counts, shown)
        sent, out0, out1 = (int(each.replace(",", "")) for each in counts.groups())
        self.assertGreater(sent, 4000)
        self.assertEqual((out0, out1), (sent, sent))
        self.assertEqual(self.demo_folders(), set())

    def test_keep_stays_and_its_commands_work(self):
        demo = self.start("--seconds", 2, "--rate", 1000, "--keep")
        demo.wait_for("Ctrl-C ends the demo", 60)
        commands = re.findall(r"^  (redis-cli .*)$", demo.output(), re.M)
        push, out0, out1, _ = commands
        self.assertEqual(self.shell(push), "1")
        eventually(lambda: self.shell(out0) == "one")
        self.assertEqual(self.shell(out1), "one")
        self.assertEqual(demo.stop(signal.SIGINT), 0)
        self.assertEqual(self.demo_folders(), set())

    def shell(self, command):
        return subprocess.run(command, shell=True, capture_output=True, text=True, check=True).stdout.strip()

    def test_a_killed_demo_takes_all_of_it_along(self):
        demo = self.start("--seconds", 30)
        demo.wait_for("replica 2 started")
        pids = [int(each) for each in re.findall(r"replica \d started: pid (\d+)", demo.output())]
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(demo.pid)], capture_output=True, text=True).stdout.split()
        pids += [int(each) for each in children]
        self.assertGreaterEqual(len(set(pids)), 3)  # two replicas and the server
        demo.stop(signal.SIGKILL)
        eventually(lambda: not any(is_running(pid) for pid in pids), what="the end of all children")

    def test_ctrl_c_ends_it_at_once(self):
        demo = self.start("--seconds", 30)
        demo.wait_for("published")
        self.assertEqual(demo.stop(signal.SIGINT), 0)
        self.assertEqual(self.demo_folders(), set())

    def test_a_terminal_gets_a_picture(self):
        import pty
        try:
            parent, child = pty.openpty()
        except OSError as reason:
            self.skipTest(f"no pseudo-terminal here: {reason}")
        process = subprocess.Popen([LEAT, "demo", "--seconds", "2"], stdout=child, stderr=child,
                                   env={**os.environ, "TMPDIR": str(self.folder)})
        os.close(child)
        shown = b""
        while True:
            try:
                piece = os.read(parent, 65536)
            except OSError:
                break
            if not piece:
                break
            shown += piece
        os.close(parent)
        self.assertEqual(process.wait(30), 0)
        self.assertIn(b"\x1b[", shown)
        self.assertIn(b"lost 0 / duplicated 0", shown)


class BridgeDemo(Case):
    """Two conversations, each in order whatever happens."""

    def start(self, *words):
        return self.leat("demo", "bridge", *words, env={"TMPDIR": str(self.folder)}, name="demo")

    def demo_folders(self):
        return glob.glob(str(self.folder / "leat-demo-*"))

    def test_all_stays_in_order(self):
        demo = self.start("--fast")
        self.assertEqual(demo.exit_code(60), 0, demo.output())
        shown = demo.output()
        for line in ("a2 waits: request r1 has no reply yet; it gives way in", "b4 failed (503), next try in",
                     "a4 was sent and waits for its acknowledgement", "a5 was never acknowledged",
                     "q6 never got a reply, and gives way"):
            self.assertIn(line, shown)
        self.assertLess(shown.index("anna gets a3"), shown.index("ben gets b4"))  # who does not wait for ben
        self.assertTrue(shown.endswith("anna received a1 a2 a3 a4 a5 a6\nben received b1 b2 b3 b4 b5 b7\n"
                                       "in order: yes, lost 0, duplicated 0\n"), shown)
        self.assertNotIn("\x1b", shown)
        self.assertEqual(self.demo_folders(), [])

    def test_keep_stays_and_its_commands_work(self):
        demo = self.start("--fast", "--keep")
        demo.wait_for("Ctrl-C ends the demo", 60)
        socket = re.search(r"^  redis-cli -s '([^']+)' rpop bridge:out:web$", demo.output(), re.M).group(1)
        url = re.search(r"^  leat inspect bridge cleo --redis '(.*)'$", demo.output(), re.M).group(1)
        eventually(lambda: "c1 is being sent by instance" in self.run_leat("inspect", "bridge", "cleo", "--redis", url).stdout)
        subprocess.run(["redis-cli", "-s", socket, "lpush", "bridge:out:teams", "no delivery"], check=True, capture_output=True)
        self.assertEqual(demo.stop(signal.SIGINT), 0)
        self.assertEqual(self.demo_folders(), [])

    def test_a_terminal_gets_lanes_and_ctrl_c_leaves_it_as_it_was(self):
        screen = Terminal([LEAT, "demo", "bridge"], columns=80, lines=24, env={**os.environ, "TMPDIR": str(self.folder)})
        eventually(lambda: screen.shows("> a2 waits: request r1 has no reply yet"), what=lambda: screen.cells)
        self.assertTrue(screen.shows("anna asks r1"))
        screen.press(b"\x03")
        self.assertEqual(screen.close(), 0)
        self.assertIn(b"\x1b[?25h\x1b[?1049l", screen.received)
        self.assertEqual(self.demo_folders(), [])

    def test_bad_input(self):
        self.assertIn("--rate", self.run_leat("demo", "bridge", "--rate", 5).stderr)
        run = self.run_leat("demo", "bridge", "--seconds", 3)
        self.assertEqual(run.returncode, 2)
        self.assertIn("6 at least", run.stderr)
        self.assertEqual(self.run_leat("demo", "brigde").returncode, 2)


if __name__ == "__main__":
    unittest.main()
