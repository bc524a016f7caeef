"""Names and texts that come from Redis, or from a file, give no orders to the terminal that shows them."""
import json
import re
import unittest

from leat_testing import LEAT, Case, eventually
from terminal import Terminal

# A title, a cleared screen, a C1 control, and what turns the direction of writing.
EVIL = "e\x1b]0;x\x07\x7f\u009b2J\u202e\u200f\u061c\u2066l"
ORDERS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class TerminalOrders(Case):
    def setUp(self):
        super().setUp()
        self.redis = self.server()
        self.db = self.redis.client(decode_responses=True)
        self.where = ("--redis", self.redis.url)

    def harmless(self, text):
        self.assertIsNone(ORDERS.search(text), repr(text))

    def show(self, *words, code=0):
        run = self.run_leat(*words, *self.where)
        self.assertEqual(run.returncode, code, run.stderr)
        self.harmless(run.stdout + run.stderr)
        self.assertNotEqual(run.stdout + run.stderr, "")
        return run.stdout

    def data(self, *words):
        return json.loads(self.show(*words, "--json"))

    def test_every_command_that_looks_at_services_queues_and_messages(self):
        names = {each: each + EVIL for each in ("in", "out", "ns", "gone")}
        leat = self.leat("mpush", "--in", names["in"], "--out", names["out"], "--serviceNamespace", names["ns"],
                         *self.where)
        leat.wait_for("renew: started")
        message = json.dumps({"meta": {"id": "x"}, "text": EVIL}, ensure_ascii=False)
        self.db.lpush(names["in"], message)
        eventually(lambda: self.db.llen(names["out"]) == 1)
        self.db.sadd("leat:namespaces", names["gone"])
        self.db.lpush(names["gone"] + ":service:ids", "7")
        self.db.hset(names["gone"] + ":service:7", mapping={
            "host": EVIL, "pid": EVIL, "kind": EVIL, "name": EVIL, "version": EVIL, "started": 1, "renewed": 1,
            "queues": json.dumps({EVIL: [EVIL, names["out"]], "in": [names["in"]]})})
        self.assertIn(names["ns"], [each["namespace"] for each in self.data("ps")])
        self.show("ps")
        self.assertIn(names["ns"], [each["namespace"] for each in self.data("metrics")])
        self.show("metrics")
        self.assertIn(names["in"], [each["queue"] for each in self.data("queue", "ls")])
        self.show("queue", "ls")
        self.assertIn(names["ns"], self.data("top", "-n", 1)["namespaces"])
        self.show("top", "--plain", "-n", 1)
        self.assertEqual(self.data("queue", "peek", names["out"])[0]["message"], message)
        self.show("queue", "peek", names["out"])
        self.assertEqual(self.data("message", "show", 1, "--namespace", names["ns"])[0]["namespace"], names["ns"])
        self.show("message", "show", 1, "--namespace", names["ns"])
        self.show("message", "show", 1, code=1)  # which namespace? these
        self.show("queue", "move", names["out"], names["gone"])
        self.show("queue", "return", "--dry-run", names["gone"], names["out"])
        self.show("message", "done", 1, "--namespace", names["ns"])
        self.db.set(names["gone"], "no list")
        self.show("queue", "purge", names["gone"], "--yes", code=1)
        self.show("queue", "ls", names["gone"], code=1)
        self.show("stop", "--all")
        self.harmless(leat.output())

    def test_messages_that_were_given_up(self):
        leat = self.leat("exec", "--in", "in", "--command", "sh", "--command", "-c", "--command",
                         f"printf '%s' '{EVIL}' >&2; exit 3", "--deadCodes", 3, *self.where)
        self.db.lpush("in", EVIL)
        eventually(lambda: self.db.llen("in:dead") == 1)
        seen = self.data("queue", "peek", "in:dead")[0]
        self.assertEqual((seen["message"], seen["story"]["reason"] != ""), (EVIL, True))
        self.show("queue", "peek", "in:dead")
        self.harmless("\n".join(line for line in leat.output().splitlines() if " exec: " in line))

    def test_what_a_server_says(self):
        self.db.config_set("requirepass", "pw")
        self.db.execute_command("ACL", "SETUSER", EVIL.replace("\x1b", "E"), "on", ">pw", "~*", "+@all", "-llen", "-lpush")
        from urllib.parse import quote
        self.where = ("--redis", f"redis://{quote(EVIL.replace(chr(27), 'E'))}:pw@127.0.0.1:{self.redis.port}")
        self.show("queue", "push", EVIL, "x", code=1)
        leat = self.leat("mpush", "--in", EVIL, "--out", "out", *self.where)
        self.assertEqual(leat.exit_code(), 1)
        self.harmless(leat.output())

    def test_what_a_script_of_the_server_says(self):
        self.db.set(EVIL, "no list")
        leat = self.leat("mpush", "--in", EVIL, "--out", "out", *self.where)
        leat.wait_for("waiting for repair")
        self.harmless(leat.output())
        screen = Terminal([LEAT, "inspect", "bridge", EVIL, "--watch", *self.where])
        eventually(lambda: screen.shows("nothing is known"))
        self.assertNotIn(EVIL.encode(), screen.received)
        screen.press(b"q")
        screen.close()

    def test_what_a_file_holds(self):
        path = self.file("m.yaml", f'kind: mpush\nin: {json.dumps(EVIL)}\nout: [b]\n{json.dumps(EVIL)}: 1\n')
        for words in (("lint", path), ("lint", "--json", path), ("run", path), ("mpush", path)):
            run = self.run_leat(*words)
            self.assertEqual(run.returncode, 2)
            self.harmless(run.stdout + run.stderr)
            self.assertIn("unknown setting", run.stdout + run.stderr)
        path = self.file("m.yaml", f'kind: mpush\nin: {json.dumps(EVIL)}\nout: [b]\n')
        for words in (("echo", path), ("echo", "--json", path)):
            run = self.run_leat(*words)
            self.harmless(run.stdout)
            again = self.file("again.yaml", run.stdout)
            self.assertEqual(json.loads(self.run_leat("echo", "--json", again).stdout), json.loads(
                self.run_leat("echo", "--json", path).stdout))
            self.assertIn(EVIL, self.strings(json.loads(self.run_leat("echo", "--json", again).stdout)))

    def strings(self, tree):
        for each in tree.values() if isinstance(tree, dict) else tree:
            if isinstance(each, (dict, list)):
                yield from self.strings(each)
            elif isinstance(each, str):
                yield each


if __name__ == "__main__":
    unittest.main()
