"""The example workers: they find the id of a message by its xid, and report it. Node's with --all."""
import os
import subprocess
import unittest

from leat_testing import ROOT, Case, eventually

MESSAGES = ["12345", "text with spaces", '{"meta": {"id": "order-7"}, "n": 1}', '{"meta": {"id": 145916617312345}}',
            '{"meta": null}', "007"]


class Workers(Case):
    def setUp(self):
        super().setUp()
        self.redis = self.server()
        self.db = self.redis.client(decode_responses=True)
        self.leat("mpush", "--in", "in", "--out", "out0", "--redis", self.redis.url, "--serviceNamespace", "demo",
                  "--messageTimeout", 20, "--await", "all").wait_for("renew: started")

    def run_worker(self, *words, env=None):
        process = subprocess.Popen([*map(str, words)], stdout=subprocess.PIPE, cwd=self.folder,
                                   env={**os.environ, **(env or {})})
        self.stack.callback(process.wait)
        self.stack.callback(process.kill)
        self.stack.callback(process.stdout.close)
        return process

    def check(self, messages):
        for each in messages:
            self.db.lpush("in", each)
        eventually(lambda: self.db.hget("demo:metrics:done", "count") == str(len(messages)), 20, "all reported")
        self.assertEqual(self.db.exists("out0", "demo:message:ids"), 0)
        eventually(lambda: not self.db.keys("out0:worker*"))

    def test_shell(self):
        self.run_worker(ROOT / "examples/workers/worker.sh", "demo", "out0",
                        env={"REDIS_CLI": f"redis-cli -p {self.redis.port}"})
        self.check([each for each in MESSAGES if '"id"' not in each])

    def test_python(self):
        self.run_worker("/usr/bin/python3", ROOT / "examples/workers/worker.py", "demo", "out0", self.redis.url)
        self.check(MESSAGES)

    @unittest.skipUnless(os.environ.get("LEAT_TEST_ALL"), "needs Node and npm's redis: ./dev test --all")
    def test_node(self):
        self.run_worker("node", ROOT / "examples/workers/worker.js", "demo", "out0", self.redis.url)
        self.check(MESSAGES)


if __name__ == "__main__":
    unittest.main()
