"""`leat test`, `leat create`: files of routes that test themselves, and a file to start from."""
import json
import unittest

from leat_testing import ROOT, Case

ROUTER = """kind: router
configs:
  RedisImporter.one:
    queue: {in: in, reply: reply}
    timeout: 200
    route: [RateLimitFilter.one, RedisExporter.one]
  RateLimitFilter.one: {limit: 5}
  RedisExporter.one: {queue: {out: out}}
"""


class Tests(Case):
    def play(self, text, *words):
        return self.run_leat("test", self.file("r.yaml", ROUTER + "tests:\n" + text), *words)

    def test_the_example(self):
        run = self.run_leat("test", ROOT / "examples" / "prices.yaml")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn("4 passed, 0 failed", run.stdout)

    def test_what_is_different_is_shown_with_its_place(self):
        run = self.play("- name: wrong\n  given: {a: 1}\n  expect: {outs: {out: [{a: 2}], other: []}, reply: x}\n"
                             "- given: b\n  expect: {outs: {out: [b]}}\n")
        self.assertEqual(run.returncode, 1)
        self.assertIn("FAILED wrong\n", run.stdout)
        self.assertIn('r.yaml:10:3: outs: out\n    expected: [{"a":2}]\n    found:    [{"a":1}]\n', run.stdout)
        self.assertIn("reply\n    expected: x\n    found:    no reply\n", run.stdout)
        self.assertIn("ok    test 2\n1 passed, 1 failed\n", run.stdout)

    def test_an_error_that_nobody_expects_is_a_failure(self):
        run = self.play("- given: b\n  before: [a]\n  overrides: {RateLimitFilter.one: {limit: 1}}\n"
                             "  expect: {outs: {out: [a]}}\n")
        self.assertEqual(run.returncode, 1)
        self.assertIn('expected: no error\n    found:    {"name":"LimitExceeded","message":"Limit exceeded"}', run.stdout)

    def test_json_and_only(self):
        run = self.play("- {name: one, given: a, expect: {outs: {out: [a]}}}\n"
                             "- {name: two, given: a, expect: {outs: {out: []}}}\n", "--json", "--only", "two")
        self.assertEqual(run.returncode, 1)
        rows = json.loads(run.stdout)
        self.assertEqual([(each["name"], each["passed"], each["line"]) for each in rows], [("two", False, 11)])

    def test_redis_where_it_is_needed(self):
        run = self.play("- name: shared\n  before: [a]\n  given: b\n"
                             "  overrides: {RateLimitFilter.one: {limit: 1, shared: limit}}\n"
                             "  expect: {error: {name: LimitExceeded}, outs: {out: [a]}}\n"
                             "- name: anew\n  given: b\n  overrides: {RateLimitFilter.one: {limit: 1, shared: limit}}\n"
                             "  expect: {outs: {out: [b]}}\n")
        self.assertEqual((run.returncode, run.stderr), (0, ""), run.stdout)

    def test_bad_tests_are_refused_with_the_place(self):
        for text, told in (
                ("- {given: a}\n", "r.yaml:10:3: error: test \"test 1\": expected `expect`"),
                ("- {expect: {reply: x}}\n", "expected `given`, the message"),
                ("- {given: a, expct: {reply: x}}\n", "unknown key expct of a test; did you mean expect?"),
                ("- {given: a, expect: {repl: x}}\n", "unknown key repl of expect; did you mean reply?"),
                ("- {given: a, expect: {reply: x}, answers: {RedisExporter.on: {reply: x}}}\n", "did you mean RedisExporter.one?"),
                ("- {given: a, expect: {reply: x}, answers: {RedisExporter.one: {replay: x}}}\n", "unknown key replay"),
                ("- {given: a, expect: {reply: x}, overrides: {RateLimitFilter.one: {limit: 0}}}\n", "limit: expected"),
                ("- {given: a, expect: {reply: x}, importer: RedisImporter.two}\n", "unknown importer RedisImporter.two"),
                ("- {given: a, expect: {outs: [x]}}\n", "outs: expected a map of queues"),
                ("5\n", "tests: expected a list")):
            with self.subTest(text):
                run = self.play(text)
                self.assertEqual(run.returncode, 2, run.stdout)
                self.assertIn(told, run.stderr)

    def test_files_without_tests(self):
        run = self.run_leat("test", self.file("r.yaml", ROUTER))
        self.assertEqual(run.returncode, 2)
        self.assertIn("the file has no `tests`", run.stderr)
        run = self.run_leat("test", self.file("m.yaml", "kind: mpush\nin: a\nout: [b]\n"))
        self.assertEqual(run.returncode, 2)
        self.assertIn("files of one router", run.stderr)

    def test_a_folder(self):
        folder = self.folder / "config"
        folder.mkdir()
        (folder / "RedisImporter.a.yaml").write_text("queue: {in: in}\ntimeout: 100\nroute: [RedisExporter.b]\n")
        (folder / "RedisExporter.b.yaml").write_text("queue: {out: out}\n")
        (folder / "tests.yaml").write_text("- {given: x, expect: {outs: {out: [x]}}}\n")
        run = self.run_leat("test", folder)
        self.assertEqual((run.returncode, run.stderr), (0, ""), run.stdout)
        self.assertEqual(self.run_leat("lint", "--strict", folder).returncode, 0)


class Create(Case):
    def test_what_is_created_is_right(self):
        types = [line.split()[0] for line in self.run_leat("kinds", "--processors").stdout.splitlines()]
        filters = [each for each in types if each.endswith(("Filter", "Validator", "Monitor"))]
        for chain in (["RateLimitFilter"], filters, [], ["ExpiredFilter", "TimeoutFilter"]):
            with self.subTest(chain):
                run = self.run_leat("create", ",".join(["RedisImporter", *chain, "RedisExporter"]))
                self.assertEqual(run.returncode, 0, run.stderr)
                lint = self.run_leat("lint", "--strict", self.file("created.yaml", run.stdout))
                self.assertEqual((lint.returncode, lint.stderr), (0, ""), run.stdout)
                # what is commented out is right, too, once it is let in
                whole = "\n".join(line.replace("# ", "", 1) if line.strip().startswith("# ") else line
                                  for line in run.stdout.splitlines()[1:])
                lint = self.run_leat("lint", self.file("whole.yaml", whole))
                self.assertNotIn("unknown setting", lint.stderr, whole)
                self.assertNotIn("expected", lint.stderr, whole)

    def test_an_unknown_type(self):
        run = self.run_leat("create", "RedisImporter,RateLimit")
        self.assertEqual(run.returncode, 2)
        self.assertIn("there is no processor RateLimit", run.stderr)


if __name__ == "__main__":
    unittest.main()
