"""Runs the commands of the guides, as a reader would paste them.

A fence `LANGUAGE FILE` is a file that the reader saves. A fence `sh` is run, in one folder for the whole guide; the fence
`text` right after it is what it prints. `sh node` needs Node and npm's redis, and runs with ./dev test --all only. `leat` and
`redis-cli` talk to a private server: the guides say localhost:6379, which is not ours to use."""
import os
import pathlib
import re
import shutil
import subprocess
import time
import unittest

from leat_testing import LEAT, ROOT, Case, eventually

ALL = bool(os.environ.get("LEAT_TEST_ALL"))
READS = re.compile(r"^\s*(redis-cli( --no-raw)? (lrange|llen|get|exists|hget|hgetall|smembers|ttl|xlen)|cat|leat metrics|leat queue peek) ")


def fences(text):
    return [(info.split(), body) for info, body in re.findall(r"^```(\S[^\n]*)\n(.*?)^```$", text, re.M | re.S)]


class Guides(Case):
    pause = 0  # seconds before each command

    def setUp(self):
        super().setUp()
        self.redis = self.server()
        self.home = self.folder / "home"
        tools = self.folder / "tools"
        self.home.mkdir()
        tools.mkdir()
        cli = shutil.which("redis-cli")
        (tools / "redis-cli").write_text(f'#!/bin/sh\nexec {cli} -p {self.redis.port} "$@"\n')
        (tools / "python3").write_text('#!/bin/sh\nexec /usr/bin/python3 "$@"\n')
        for tool in tools.iterdir():
            tool.chmod(0o755)
        (tools / "leat").symlink_to(LEAT)
        clean = {k: v for k, v in os.environ.items() if k not in ("propsFile", "loggerLevel")}
        self.env = {**clean, "PATH": f"{tools}:{os.environ['PATH']}", "REDIS_URL": self.redis.url}

    def play(self, guide):
        blocks = fences((ROOT / "docs" / "guides" / guide).read_text())
        ran = 0
        for (info, body), (next_info, expected) in zip(blocks, blocks[1:] + [([""], None)]):
            if len(info) == 2 and info[1] != "node":
                (self.home / info[1]).write_text(body)
            elif info[0] == "sh" and (len(info) == 1 or ALL):
                self.run_block(body, expected if next_info == ["text"] else None)
                ran += 1
        self.assertGreater(ran, 3)

    def run_block(self, commands, expected):
        time.sleep(self.pause)
        if commands.rstrip().endswith("&"):
            log = open(self.folder / "background.log", "ab")
            self.stack.callback(log.close)
            process = subprocess.Popen(["bash", "-c", "exec env " + commands.rstrip()[:-1]], cwd=self.home, env=self.env,
                                       stdout=log, stderr=log)
            self.stack.callback(process.wait)
            self.stack.callback(process.kill)
            return
        shown = self.output_of(commands)
        if expected is None:
            return
        if all(READS.match(line) for line in commands.splitlines()):  # what it shows may take a moment
            eventually(lambda: self.output_of(commands) == expected, what=f"{commands!r} printing {expected!r}")
        else:
            self.assertEqual(shown, expected, commands)

    def output_of(self, commands):
        run = subprocess.run(["bash", "-ec", commands], cwd=self.home, env=self.env, capture_output=True, text=True,
                             timeout=120)
        self.assertEqual(run.returncode, 0, f"{commands}\n{run.stdout}\n{run.stderr}")
        return run.stdout.rstrip("\n") + "\n"

    def test_from_mpush_redis(self):
        self.play("from-mpush-redis.md")

    def test_producers_and_consumers(self):
        if ALL:
            subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "redis@5"], cwd=self.home, check=True,
                           timeout=120)
        self.play("producers-and-consumers.md")

    def test_tracking(self):
        self.play("tracking.md")

    def test_workers(self):
        self.play("workers.md")

    def test_queries(self):
        self.play("queries.md")

    def test_operations(self):
        self.play("operations.md")

    def test_routes(self):
        self.play("routes.md")

    def test_requests(self):
        self.play("requests.md")

    def test_bridge(self):
        self.play("bridge.md")

    def test_the_reliable_recipes_begin_with_what_a_crash_left(self):
        blocks = {info[1]: body for info, body in fences((ROOT / "docs" / "guides" / "producers-and-consumers.md").read_text())
                  if len(info) == 2}
        for name in ("consume.sh", "consume.py"):
            (self.home / name).write_text(blocks[name])
        db = self.redis.client()
        for queue, command in (("orders:billing", "sh consume.sh orders:billing worker1 sed 's/$/;/'"),
                               ("orders:mail", "python3 consume.py")):
            db.lpush(queue, "second", "third")
            db.lpush(f"{queue}:worker1", "first")  # taken, then its worker died
            shown = self.output_of(command)
            self.assertLess(shown.index("first"), shown.index("second"))
            self.assertLess(shown.index("second"), shown.index("third"))
            self.assertEqual(db.exists(queue, f"{queue}:worker1"), 0)

    def test_the_shell_recipe_stops_at_an_error(self):
        blocks = {info[1]: body for info, body in fences((ROOT / "docs" / "guides" / "producers-and-consumers.md").read_text())
                  if len(info) == 2}
        (self.home / "consume.sh").write_text(blocks["consume.sh"])
        db = self.redis.client()
        db.lpush("orders:x", "line with a newline\n")
        self.assertEqual(self.output_of("sh consume.sh orders:x w1 cat"), "line with a newline\n")
        self.assertEqual(db.exists("orders:x", "orders:x:w1"), 0)
        db.set("orders:x", "no list")
        run = subprocess.run(["bash", "-ec", "sh consume.sh orders:x w1 cat"], cwd=self.home, env=self.env,
                             capture_output=True, text=True, timeout=20)
        self.assertNotEqual(run.returncode, 0)
        self.assertEqual(run.stdout, "")
        db.lpush("orders:y", "kept")
        run = subprocess.run(["bash", "-ec", "sh consume.sh orders:y w1 false"], cwd=self.home, env=self.env, timeout=20)
        self.assertNotEqual(run.returncode, 0)
        self.assertEqual(db.lrange("orders:y:w1", 0, -1), [b"kept"])

    def test_every_guide_is_played(self):
        played = {"from-mpush-redis.md", "producers-and-consumers.md", "tracking.md", "workers.md", "operations.md", "routes.md",
                  "requests.md", "queries.md", "bridge.md"}
        self.assertEqual({each.name for each in pathlib.Path(ROOT / "docs" / "guides").glob("*.md")}, played)


@unittest.skipUnless(ALL, "takes minutes: ./dev test --all")
class ByHand(Guides):
    """As somebody who types: what a page shows must not depend on haste."""
    pause = 2


if __name__ == "__main__":
    unittest.main()
