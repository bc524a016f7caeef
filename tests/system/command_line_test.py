"""What the command line understands, and what it says of what it does not."""
import unittest

from leat_testing import Case, eventually

KINDS = ["mpush", "exec", "mdispatch", "router", "rquery", "bridge"]


class CommandLine(Case):
    def told(self, *words, given=None):
        run = self.run_leat(*words, given=given)
        self.assertEqual(run.returncode, 2, run.stdout + run.stderr)
        return run.stderr

    def lint(self, text, *words):
        return self.run_leat("lint", "-", *words, given=text)

    def test_alone_it_prints_its_help(self):
        run = self.run_leat()
        self.assertEqual(run.returncode, 2)
        self.assertIn("Usage: leat", run.stdout)
        self.assertIn("mpush", run.stdout)

    def test_a_hint_looks_at_the_level_where_the_word_stands(self):
        self.assertIn("did you mean queue?", self.told("que", "ls"))
        self.assertIn("did you mean ls?", self.told("queue", "lss"))
        self.assertIn("Did you mean --concurrency?", self.told("exec", "--in", "in", "--concurency", "2"))
        self.assertIn("Did you mean --log-level?", self.told("--log-leve", "info", "ps"))
        self.assertNotIn("mean", self.told("exec", "--popTimeout", "que", "--nothing-like-it"))

    def test_what_is_unknown_lists_what_there_is(self):
        self.assertIn("; there are mpush, exec, ", self.told("banana"))
        self.assertIn("; there are ls, peek, push, ", self.told("queue", "banana"))
        self.assertIn("There are ls, peek, push, ", self.told("queue"))
        self.assertIn("; there are mpush, exec, ", self.lint("in: a\n", "--kind", "banana").stderr)
        self.assertIn("there are RedisImporter", self.told("create", "banana"))

    def test_help_shows_type_unit_default_and_bounds(self):
        shown = self.run_leat("exec", "--help").stdout
        for words in ("--lease DURATION", "[default 30 s; 2 to 3600 s]", "--concurrency NUMBER", "[default 1; 1 to 10000]",
                      "--in TEXT ", "[required]", "--input stdin|argument|arguments|none"):
            self.assertIn(words, shown)

    def test_lint_reads_standard_input(self):
        run = self.lint("kind: exec\nin: orders\ncommand: [true]\nlease: 2x\n")
        self.assertEqual(run.returncode, 2)
        self.assertIn("stdin:4:8: error: lease: ", run.stderr)
        self.assertEqual(self.lint("kind: exec\nin: orders\ncommand: [cat]\n").stdout, "ok: 1 service\n")
        self.assertEqual(self.lint('{"in": "orders", "out": ["a"]}', "--kind", "mpush").stdout, "ok: 1 service\n")
        self.assertEqual(self.lint("module.exports = {in: 'orders', out: ['a']};", "--kind", "mpush").stdout, "ok: 1 service\n")
        self.assertIn("missing setting out", self.lint("in: orders\n", "--kind", "mpush").stderr)

    def test_a_setting_of_others_leads_to_ours(self):
        self.assertIn("unknown setting maxRetries; did you mean maxDeliveries?",
                      self.lint("in: orders\ncommand: [cat]\nmaxRetries: 3\n", "--kind", "exec").stderr)

    def test_every_kind_has_a_configuration_to_start_from(self):
        for kind in KINDS:
            with self.subTest(kind):
                made = self.run_leat("create", kind)
                self.assertEqual(made.returncode, 0, made.stderr)
                linted = self.lint(made.stdout, "--strict")
                self.assertEqual((linted.returncode, linted.stdout), (0, "ok: 1 service\n"), linted.stderr + made.stdout)
                plain = [line[2:] if line.startswith("# ") and ": " in line else line for line in made.stdout.splitlines()
                         if not line.startswith("# Check") and " " in line]
                self.assertGreater(len(plain), 3)

    def test_echo_shows_the_server_that_would_be_used(self):
        echoed = self.run_leat("echo", "-", "--kind", "mpush", given="in: a\nout: [b]\n", env={"REDIS_URL": "redis://there:7/2"})
        self.assertIn("redis: redis://there:7/2\n", echoed.stdout)

    def test_durations_have_units(self):
        echoed = self.run_leat("echo", "-", "--kind", "exec",
                               given="in: orders\ncommand: [cat]\nlease: 2m\nretry: {first: 250ms, max: 1h}\n").stdout
        for line in ("lease: 120\n", "first: 0.25\n", "max: 3600.0\n"):
            self.assertIn(line, echoed)

    def test_the_words_of_a_command_stay_as_they_are(self):
        """Commas are no separators, however the command is given."""
        redis = self.server()
        db = redis.client()
        for name, words in {"flags": ("--command", "sh", "--command", "-c", "--command", "echo one, two; cat"),
                            "dashes": ("--", "sh", "-c", "echo one, two; cat")}.items():
            with self.subTest(name):
                leat = self.leat("exec", "--redis", redis.url, "--in", name, "--reply", name + ":out", *words)
                db.lpush(name, "x")
                eventually(lambda: db.lrange(name + ":out", 0, -1) == [b"one, two\nx"], 10, leat.output)
                self.assertNotIn("split", leat.output())
                self.assertEqual(leat.stop(), 0)

    def test_names_with_commas_between_are_split_with_a_hint(self):
        redis = self.server()
        leat = self.leat("mpush", "--redis", redis.url, "--in", "in", "--out", "a,b")
        db = redis.client()
        db.lpush("in", "x")
        eventually(lambda: db.llen("a") + db.llen("b") == 2, 10, leat.output)
        self.assertIn("warning: `a,b` is split at its commas; give --out several times instead", leat.output())


if __name__ == "__main__":
    unittest.main()
