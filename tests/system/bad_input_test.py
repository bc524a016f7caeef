"""Every way to give leat something wrong: what it says and how it exits."""
import json
import os
import resource
import subprocess
import unittest

from leat_testing import LEAT, Case, free_port

GOOD = "in: a\nout: [b, c]\n"


class BadConfiguration(Case):
    def expect(self, text, *told, name="m.yaml", words=(), env=None):
        path = self.file(name, text) if text is not None else self.folder / name
        run = self.run_leat("mpush", path, *words, env=env)
        for part in told:
            self.assertIn(part, run.stderr)
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertNotIn("App: config", run.stderr)

    def test_unknown_setting_with_a_hint(self):
        self.expect(GOOD + "popTimout: 3\n", "m.yaml:3:1: error: ", "popTimout", "did you mean popTimeout?")

    def test_several_problems_at_once(self):
        self.expect("out: [b, b]\npopTimeout: 0\nfoo: 1\n", "m.yaml:1:", "m.yaml:2:", "m.yaml:3:", "missing setting in")

    def test_missing_in(self):
        self.expect("out: [b]\n", "m.yaml:1:1: error: missing setting in")

    def test_out_empty_or_twice(self):
        self.expect("in: a\nout: []\n", "m.yaml:2:6: error: ")
        self.expect("in: a\nout: [b, b]\n", "m.yaml:2:10: error: ")

    def test_loops(self):
        self.expect("in: a\nout: [b, a]\n", "m.yaml:2:10: error: ", "is also `in`")
        self.expect(GOOD + "pending: a\n", "m.yaml:3:10: error: ", "is also `in`")
        self.expect(GOOD + "pending: c\n", "m.yaml:3:10: error: ", "is also one of `out`")

    def test_pop_timeout_out_of_bounds(self):
        self.expect(GOOD + "popTimeout: 0\n", "m.yaml:3:13: error: ", "1", "30")
        self.expect(GOOD + "popTimeout: soon\n", "m.yaml:3:13: error: ", "whole number")

    def test_flags_are_checked_too(self):
        self.expect(GOOD, "--popTimeout: error: ", words=("--popTimeout", "0"))
        self.expect(GOOD, "--redis: error: ", "another scheme", words=("--redis", "http://x"))
        self.expect(GOOD, "REDIS_URL: error: ", env={"REDIS_URL": "nonsense"})

    def test_secrets_are_not_repeated(self):
        self.expect(GOOD + "redis: redis://u:hunter2@h:port/0\n", "m.yaml:3:8: error: ")
        run = self.run_leat("mpush", self.file("m.yaml", GOOD + "redis: redis://u:hunter2@h:port/0\n"))
        self.assertNotIn("hunter2", run.stderr + run.stdout)

    def test_secrets_are_not_repeated_whatever_the_slip(self):
        for url in ("redis://u:hunter2@h/x", "redis://:hunter2?x@h/0", "redis://:1?hunter2@h", "redis://:hunter2",
                    "redis://h?password=a@hunter2&x=1", "http://u:hunter2@h"):
            for words in (("--redis", url), (url,)):
                run = self.run_leat("mpush", "--in", "a", "--out", "b", *words)
                self.assertEqual(run.returncode, 2, words)
                self.assertNotIn("hunter2", run.stderr + run.stdout)
        good = self.leat("mpush", "--in", "a", "--out", "b", "--redis", "redis://127.0.0.1:1?password=a@hunter2")
        good.wait_for("App: config")
        self.assertNotIn("hunter2", good.output())

    def test_undefined_variable(self):
        self.expect("in: ${NOWHERE}\nout: [b]\n", "m.yaml:1:5: error: ", "NOWHERE")

    def test_file_that_does_not_exist(self):
        self.expect(None, "nowhere.yaml: error: does not exist", name="nowhere.yaml")

    def test_file_that_is_a_folder(self):
        (self.folder / "folder.yaml").mkdir()
        self.expect(None, "folder.yaml: error: is a folder", name="folder.yaml")

    def test_file_of_1_gigabyte(self):
        with open(self.folder / "huge.yaml", "wb") as huge:
            huge.truncate(1 << 30)
        self.expect(None, "huge.yaml: error: is larger than 1024 KiB", name="huge.yaml")

    def test_file_that_is_not_utf8(self):
        self.expect(b"in: a\nout: [\xff\xfe]\n", "m.yaml:2:7: error: ", "UTF-8")

    def test_file_that_is_binary(self):
        self.expect(os.urandom(4096) + b"\0", "error: ")

    def test_unknown_ending(self):
        self.expect(GOOD, "error: ", ".yaml", name="m.toml")

    def test_yaml_that_is_none(self):
        self.expect("in: [a\n", "m.yaml:", "error: ")

    def test_js_that_is_no_literal(self):
        self.expect("module.exports = {in: require('x')};\n", "m.js:1:23: error: ", "require", name="m.js")

    def test_no_file_and_no_flags(self):
        run = self.run_leat("mpush")
        self.assertEqual(run.returncode, 2)
        self.assertIn("missing setting in", run.stderr)
        self.assertIn("missing setting out", run.stderr)

    def test_nested_variables(self):
        self.expect("in: ${A:${B:x}}\nout: [b]\n", "m.yaml:1:5: error: ", "inside another")


class HugeConfiguration(Case):
    """What a small file can grow to: an error within seconds, in little memory."""

    def lint(self, name, text, *told, env=None):
        def limit():
            resource.setrlimit(resource.RLIMIT_DATA, (400 << 20, 400 << 20))
        run = subprocess.run([LEAT, "lint", self.file(name, text)], capture_output=True, text=True, timeout=20,
                             preexec_fn=limit, env={**os.environ, **(env or {})})
        self.assertEqual(run.returncode, 2, run.stderr[:1000])
        for part in told:
            self.assertIn(part, run.stderr[:3000])

    def test_many_aliases_of_a_long_text(self):
        text = "kind: mpush\nin: &a " + "x" * 1_000_000 + "\nout:\n"
        self.lint("m.yaml", text + "- *a\n" * 9000, "m.yaml:18:3: error: the file holds more than 16 MiB of text")
        self.lint("m.yaml", text + "- *a\n" * 12, "m.yaml:2:5: error: ", "is in the list twice")

    def test_many_aliases_of_a_short_text(self):
        self.lint("m.yaml", "kind: mpush\nin: &a " + "x" * 1500 + "\nout:\n" + "- *a\n" * 9900, "m.yaml:2:5: error: ", "is in the list twice")
        self.lint("m.yaml", "kind: mpush\nin: a\nout: &a [" + ", ".join("x" * 90 for _ in range(9000)) + "]\n", "error: ")

    def test_aliases_of_keys_and_of_lists(self):
        self.lint("m.yaml", "a: &a " + "x" * 1_000_000 + "\nb:\n" + "- {*a : 1}\n" * 4000, "m.yaml:17:4: error: the file")
        self.lint("m.yaml", "a: &a " + "[" * 60 + "x" * 900_000 + "]" * 60 + "\nb:\n" + "- *a\n" * 9000, "16 MiB")

    def test_aliases_that_nest(self):
        text = "".join(f"a{i}: &a{i} {'[' * 60}{'x' if i == 0 else f'*a{i - 1}'}{']' * 60}\n" for i in range(150))
        self.lint("m.yaml", text, "m.yaml:2:69: error: is nested more than 64 levels deep")

    def test_variables_that_are_long(self):
        env = {"V": "x" * 100_000}
        self.lint("m.yaml", "kind: mpush\nin: a\nout:\n" + "- ${V}\n" * 9000, "error: the file holds more than 16 MiB", env=env)
        self.lint("m.json", json.dumps({"kind": "mpush", "in": "${V}" * 200_000}), "m.json:1:25: error: ", env=env)
        self.lint("m.js", "module.exports = {in: '" + "${V}" * 200_000 + "'}", "m.js:1:23: error: ", env=env)

    def test_everything_that_a_file_may_hold(self):
        for name, text in (("m.json", "[" * 500_000), ("m.js", "module.exports = " + "{a:" * 300_000), ("m.yaml", "- " * 500_000),
                           ("m.yaml", "{a: " * 200_000), ("m.json", json.dumps(["x"] * 200_000)),
                           ("m.json", json.dumps({"kind": "mpush", "x" * 1_000_000: 1})),
                           ("m.json", json.dumps({"kind": "mpush", "in": 1, **{"x" * 100 + str(i): 1 for i in range(8000)}})),
                           ("m.js", "module.exports = {in: " + "9" * 1_000_000 + "}"), ("m.yaml", "in: " + "9" * 1_000_000),
                           ("m.js", "module.exports = {/*" + "/*" * 500_000), ("m.yaml", "#" * 1_000_000 + "\n!")):
            with self.subTest(name + ": " + text[:30]):
                self.lint(name, text, f"{name}:")


class Circles(Case):
    """Movers that would give each other what they got, and more each time."""

    TWO = """redis: redis://localhost:6379
services:
  there: {kind: mpush, in: a, out: [b, c]}
  back: {kind: mpush, in: b, out: [a, d], redis: "redis://bob:pw@127.0.0.1:6379/0"}
"""
    TOLD = ("m.yaml:4:3: error: service back closes a cycle in which every message comes back for ever: "
            "`b` -> `a` (back), `a` -> `b` (there)")

    def run_words(self, *words, code=2, env=None):
        run = self.run_leat(*words, env=env)
        self.assertEqual(run.returncode, code, run.stderr)
        return run.stderr

    def test_a_cycle_within_a_file(self):
        path = self.file("m.yaml", self.TWO)
        for words in (("lint", path), ("run", path), ("echo", path), ("ps", path)):
            self.assertIn(self.TOLD, self.run_words(*words), words)

    def test_a_cycle_over_files(self):
        there = self.file("there.yaml", "kind: mpush\nin: a\nout: [b]\n")
        back = self.file("back.yaml", "kind: mpush\nin: b\nout: [a]\n")
        self.run_words("lint", there, code=0)
        self.assertIn("back.yaml:1:1: error: service back closes a cycle", self.run_words("lint", there, back))

    def test_a_cycle_only_once_they_are_on_one_server(self):
        path = self.file("m.yaml", self.TWO.replace("127.0.0.1:6379/0", "127.0.0.1:6379/1"))
        self.run_words("lint", path, code=0)
        self.assertIn(self.TOLD, self.run_words("run", path, "--redis", "redis://127.0.0.1:1"))
        self.assertIn(self.TOLD, self.run_words("run", path, "--embedded"))

    def test_whoever_decides_may_send_back(self):
        for service in ("{kind: exec, in: b, command: [cat], reply: a}", "{kind: mdispatch, in: b, workers: a}"):
            self.run_words("lint", self.file("m.yaml", "services:\n  there: {kind: mpush, in: a, out: [b]}\n"
                                             f"  back: {service}\n"), code=0)


class BadUsage(Case):
    def test_unknown_words(self):
        for words, hint in ((["mpsh"], "mpush"), (["mpush", "--popTimout", "3"], "--popTimeout"), (["lnt", "x"], "lint"),
                            (["docs", "mpus"], "mpush"), (["schema", "pmush"], "mpush")):
            run = self.run_leat(*words)
            self.assertEqual(run.returncode, 2, words)
            self.assertIn(hint, run.stderr, words)

    def test_no_words(self):
        run = self.run_leat()
        self.assertEqual(run.returncode, 2)

    def test_help_and_version_are_no_errors(self):
        self.assertEqual(self.run_leat("--help").returncode, 0)
        self.assertEqual(self.run_leat("mpush", "--help").returncode, 0)
        self.assertRegex(self.run_leat("--version").stdout, r"^leat \d+\.\d+\.\d+$")

    def test_bad_log_level(self):
        run = self.run_leat("--log-level", "loud", "kinds")
        self.assertEqual(run.returncode, 2)
        self.assertIn("loud", run.stderr)

    def test_a_list_flag_does_not_swallow_the_file(self):
        self.file("o.yaml", "in: a\nout: [b]\npopTimeout: 0\n")
        run = self.run_leat("mpush", "--out", "c", "o.yaml")
        self.assertEqual(run.returncode, 2)
        self.assertIn("o.yaml:3:13: error: ", run.stderr)

    def test_an_empty_url_is_none(self):
        run = self.run_leat("mpush", "--in", "a", "--out", "b", "--redis", "")
        self.assertEqual(run.returncode, 2)
        self.assertIn("--redis: error: ", run.stderr)

    def test_a_name_that_redis_would_refuse(self):
        run = self.run_leat("mpush", "--in", "a", "--out", "b", "--name", "my orders")
        self.assertEqual(run.returncode, 2)
        self.assertIn("--name: error: ", run.stderr)

    def test_output_that_cannot_be_written(self):
        with open("/dev/full", "w") as full:
            run = subprocess.run([LEAT, "docs", "mpush"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(run.returncode, 1)
        self.assertIn("cannot be written", run.stderr)

    def test_redis_and_embedded_exclude_each_other(self):
        run = self.run_leat("mpush", "--in", "a", "--out", "b", "--redis", "redis://x", "--embedded")
        self.assertEqual(run.returncode, 2)
        self.assertIn("--embedded", run.stderr)


class BadServer(Case):
    def words(self, url):
        return ("mpush", "--in", "a", "--out", "b", "--redis", url)

    def test_a_server_that_does_not_answer_is_waited_for(self):
        port = free_port()
        leat = self.leat(*self.words(f"redis://127.0.0.1:{port}"))
        leat.wait_for("Redis does not answer, trying again")
        self.assertIn("Connection refused", leat.output())
        self.assertEqual(leat.stop(), 0)

    def test_a_wrong_password_ends_it(self):
        redis = self.server("--requirepass", "right")
        for secret in (":hunter2@", ""):
            leat = self.leat(*self.words(f"redis://{secret}127.0.0.1:{redis.port}"))
            self.assertEqual(leat.exit_code(), 1)
            self.assertRegex(leat.output(), "Redis refuses, stopping .*(WRONGPASS|NOAUTH)")
            self.assertNotIn("hunter2", leat.output())

    def test_a_missing_right_ends_it_and_nothing_is_moved(self):
        redis = self.server()
        redis.cli("acl", "setuser", "bob", "on", ">pw", "~*", "+@all", "-lpush")
        redis.cli("lpush", "a", "x")
        leat = self.leat(*self.words(f"redis://bob:pw@127.0.0.1:{redis.port}"))
        self.assertEqual(leat.exit_code(), 1)
        self.assertIn("NOPERM", leat.output())
        self.assertEqual(redis.cli("llen", "a"), "1")

    def test_a_right_missing_only_to_listen_ends_it_too(self):
        redis = self.server()
        redis.cli("acl", "setuser", "bob", "on", ">pw", "~*", "+@all", "-client|tracking")
        leat = self.leat(*self.words(f"redis://bob:pw@127.0.0.1:{redis.port}"))
        self.assertEqual(leat.exit_code(), 1)
        self.assertIn("client|tracking", leat.output())

    def test_tls_with_a_wrong_authority_ends_it(self):
        def openssl(*words):
            subprocess.run(["openssl", *words], cwd=self.folder, check=True, capture_output=True)
        for name in ("good", "other"):
            openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", f"{name}.key",
                    "-out", f"{name}.crt")
        port = free_port()
        self.server("--tls-port", str(port), "--tls-cert-file", f"{self.folder}/good.crt", "--tls-key-file",
                    f"{self.folder}/good.key", "--tls-ca-cert-file", f"{self.folder}/good.crt", "--tls-auth-clients", "no")
        good = self.leat(*self.words(f"rediss://localhost:{port}?cacert={self.folder}/good.crt"))
        other = self.leat(*self.words(f"rediss://localhost:{port}?cacert={self.folder}/other.crt"))
        self.assertEqual(other.exit_code(), 1)
        self.assertIn("certificate verify failed", other.output())
        self.assertEqual(good.stop(), 0)

    def test_a_database_that_is_not_there(self):
        redis = self.server()
        leat = self.leat(*self.words(redis.url + "/99"))
        self.assertEqual(leat.exit_code(), 1)
        self.assertIn("DB index", leat.output())

    def test_a_wrong_type_is_told_and_waited_for(self):
        redis = self.server()
        redis.cli("set", "b", "no list")
        redis.cli("lpush", "a", "x")
        leat = self.leat(*self.words(redis.url))
        leat.wait_for("waiting for repair, nothing is lost")
        self.assertIn("key=b", leat.output())
        self.assertEqual(redis.cli("llen", "a"), "1")
        redis.cli("del", "b")
        leat.wait_for("going on")
        self.assertEqual(redis.cli("lrange", "b", 0, -1), "x")
        self.assertEqual(leat.stop(), 0)

    def test_a_source_of_the_wrong_type(self):
        redis = self.server()
        redis.cli("hset", "a", "f", "v")
        leat = self.leat(*self.words(redis.url))
        leat.wait_for("key=a")
        redis.cli("del", "a")
        redis.cli("lpush", "a", "x")
        leat.wait_for("going on")
        self.assertEqual(leat.stop(), 0)


if __name__ == "__main__":
    assert LEAT
    unittest.main()
