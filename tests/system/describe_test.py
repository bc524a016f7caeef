"""lint, echo, kinds, docs, schema: all from the specs, all fresh, and what the README shows of them."""
import json
import pathlib
import re
import unittest

import jsonschema  # Debian's python3-jsonschema: a validator that is not ours
import yaml

from leat_testing import ROOT, Case

KINDS = ["mpush", "exec", "mdispatch", "router", "rquery", "bridge"]


class Describe(Case):
    def test_kinds(self):
        self.assertEqual([line.split()[0] for line in self.run_leat("kinds").stdout.splitlines()], KINDS)
        listed = json.loads(self.run_leat("kinds", "--json").stdout)
        self.assertEqual([each["kind"] for each in listed], KINDS)
        self.assertIn("popTimeout", listed[0]["settings"])

    def test_the_reference_is_fresh(self):
        processors = [line.split()[0] for line in self.run_leat("kinds", "--processors").stdout.splitlines()]
        self.assertIn("RateLimitFilter", processors)
        self.assertEqual({each.stem for each in (ROOT / "docs" / "reference").glob("*.md")}, {*KINDS, *processors})
        for kind in [*KINDS, *processors]:
            page = self.run_leat("docs", kind).stdout
            kept = (ROOT / "docs" / "reference" / f"{kind}.md").read_text()
            self.assertEqual(page, kept, f"run: build/leat docs {kind} > docs/reference/{kind}.md")

    def test_the_schema_is_one(self):
        jsonschema.Draft202012Validator.check_schema(json.loads(self.run_leat("schema").stdout))
        for kind in KINDS:
            jsonschema.Draft202012Validator.check_schema(json.loads(self.run_leat("schema", kind).stdout))

    def validator(self, *kind):
        return jsonschema.Draft202012Validator(json.loads(self.run_leat("schema", *kind).stdout))

    def test_the_schema_accepts_every_example(self):
        whole = self.validator()
        examples = [file for file in sorted((ROOT / "examples").rglob("*.yaml")) if file.stem != "broken"]
        self.assertTrue(examples)
        for file in examples:
            content = yaml.safe_load(file.read_text())
            errors = list(whole.iter_errors(content))
            self.assertEqual(errors, [], file)
        fences = re.findall(r"^```yaml\n(.*?)^```$", (ROOT / "docs" / "reference" / "mpush.md").read_text(), re.M | re.S)
        self.assertTrue(fences)
        for fence in fences:
            content = yaml.safe_load(fence)
            self.assertEqual(list((whole if "kind" in content else self.validator("mpush")).iter_errors(content)), [], fence)

    def test_the_schema_refuses_what_lint_refuses(self):
        whole = self.validator()
        good = {"kind": "mpush", "in": "a", "out": ["b"]}
        self.assertTrue(whole.is_valid(good))
        self.assertTrue(whole.is_valid({"redis": "redis://h", "services": {"one": good}}))
        for bad in ({"kind": "mpsh", "in": "a", "out": ["b"]}, {**good, "popTimeout": 0}, {**good, "popTimout": 3},
                    {**good, "out": []}, {**good, "out": ["b", "b"]}, {**good, "out": "b"}, {"kind": "mpush", "in": "a"},
                    {"services": {}}, {"services": {"one": {**good, "kind": "x"}}}, {**good, "popTimeout": "soon"}, []):
            self.assertFalse(whole.is_valid(bad), bad)

    def test_lint_accepts_every_example(self):
        for file in sorted((ROOT / "examples").glob("*.*")):
            if file.suffix in (".yaml", ".json", ".js") and file.stem != "broken":
                words = () if file.suffix == ".yaml" else ("--kind", "mpush")
                run = self.run_leat("lint", "--strict", file, *words)
                self.assertEqual((run.returncode, run.stderr), (0, ""), file)

    def test_lint_tells_all_with_places_and_a_hint(self):
        bad = self.file("bad.yaml", "services:\n  one:\n    kind: mpush\n    in: a\n    out: [a]\n    popTimout: 3\n"
                        "  two:\n    kind: mpsh\n")
        run = self.run_leat("lint", "bad.yaml")
        self.assertEqual(run.returncode, 2)
        self.assertIn("bad.yaml:6:5: error: unknown setting popTimout; did you mean popTimeout?", run.stderr)
        self.assertIn("did you mean mpush?", run.stderr)
        listed = json.loads(self.run_leat("lint", "--json", bad).stdout)
        self.assertTrue(all(each["line"] > 0 for each in listed), listed)

    def test_lint_tells_settings_without_effect(self):
        self.file("m.yaml", "kind: mpush\nin: a\nout: [b]\npending: p\nmessageTimeout: 5\n")
        run = self.run_leat("lint", "m.yaml")
        self.assertEqual(run.returncode, 0)
        self.assertRegex(run.stderr, r"^m.yaml:5:\d+: warning: .*messageTimeout.*serviceNamespace")
        self.assertNotIn("pending", run.stderr)
        self.assertEqual(self.run_leat("lint", "--strict", "m.yaml").returncode, 2)

    def test_echo_fills_in_defaults_and_masks_secrets(self):
        self.file("m.yaml", "kind: mpush\nredis: redis://u:hunter2@h/0\nin: ${QUEUE:orders}\nout: [b]\n")
        run = self.run_leat("echo", "m.yaml", env={"QUEUE": "sales"})
        self.assertNotIn("hunter2", run.stdout + run.stderr)
        service = yaml.safe_load(run.stdout)["services"]["m"]
        self.assertEqual(service["redis"], "redis://u:***@h/0")
        self.assertEqual((service["in"], service["popTimeout"], service["out"]), ("sales", 5, ["b"]))
        self.assertEqual(json.loads(self.run_leat("echo", "--json", "m.yaml").stdout)["services"]["m"]["in"], "orders")

    def test_an_echoed_file_says_the_same(self):
        text = self.run_leat("echo", ROOT / "examples" / "fan-out.yaml").stdout
        again = self.run_leat("echo", self.file("again.yaml", text)).stdout
        self.assertEqual(text, again)


class WhichKind(Case):
    def test_every_kind_has_its_picture_and_the_example_is_right(self):
        page = (ROOT / "docs" / "which-kind.md").read_text()
        for kind in re.findall(r"^([a-z]+) ", self.run_leat("kinds").stdout, re.M):
            self.assertRegex(page, rf"(?ms)^## {kind}\n.*?^```text\n", kind)
        (example,) = re.findall(r"^```yaml\n(.*?)^```$", page, re.M | re.S)
        self.assertEqual(self.run_leat("lint", "-", "--strict", given=example).stdout, "ok: 2 services\n")


class Readme(Case):
    """The README shows commands with what they print; each `$ leat ...` in a `console` fence is run in examples/."""

    def test_what_it_shows_is_what_is_printed(self):
        import os
        import subprocess
        from leat_testing import LEAT
        text = (ROOT / "README.md").read_text()
        shown = re.findall(r"^\$ (leat [^\n]*)\n(.*?)(?=^\$ |\Z)", "".join(re.findall(r"^```console\n(.*?)^```$", text, re.M | re.S)), re.M | re.S)
        self.assertGreater(len(shown), 4)
        tools = self.folder / "tools"
        tools.mkdir()
        (tools / "leat").symlink_to(LEAT)
        env = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
        env.pop("REDIS_URL", None)
        for command, expected in shown:
            run = subprocess.run(["bash", "-c", command], cwd=ROOT / "examples", env=env, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, timeout=60)
            self.assertEqual(run.stdout.rstrip(), expected.rstrip(), command)


if __name__ == "__main__":
    unittest.main()
