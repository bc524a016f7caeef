"""tools/tidy.py: what it looks at again, and what not. In a small repository, with a stand-in for clang-tidy."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from leat_testing import Case

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "tidy.py"
STAND_IN = """#!/bin/sh
if [ "$1" = --version ]; then cat "$VERSION"; exit; fi
for last; do :; done
echo "${last##*/}" >> "$SEEN"
! grep -H bad "$last"
"""


@unittest.skipUnless(shutil.which("git"), "needs git")
class Tidy(Case):
    def setUp(self):
        super().setUp()
        self.seen, self.version = self.file("seen", ""), self.file("version", "19")
        self.root = self.folder / "repository"
        stand_in = self.file("clang-tidy-19", STAND_IN)
        stand_in.chmod(0o755)
        for path, text in (("src/a.cpp", '#include "b.hpp"\n'), ("src/b.hpp", '#include "deep/c.hpp"\n'), ("src/deep/c.hpp", "\n"),
                           ("src/alone.cpp", "#include <vector>\n"), (".clang-tidy", "Checks: all\n"), (".gitignore", "build\n")):
            self.write(path, text)
        self.write("tools/tidy.py", TOOL.read_text())
        commands = [{"directory": str(self.root), "file": str(self.root / each), "command": f"c++ -I{self.root}/src -o {each}.o -c {self.root / each}"}
                    for each in ("src/a.cpp", "src/alone.cpp")]
        self.write("build/tidy/compile_commands.json", json.dumps(commands))
        self.git("init", "-q")
        self.commit()

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        os.utime(file, (1, 1))  # long before the tool looks

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@localhost", *words], cwd=self.root, check=True, capture_output=True)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "test: go on")

    def tidy(self, *words, code=0):
        """Which sources were looked at; what was said is in `said`."""
        self.seen.write_text("")
        env = {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}", "SEEN": str(self.seen), "VERSION": str(self.version),
               "LEAT_CACHE": str(self.folder / "cache"), "LEAT_JOBS": "1"}
        ran = subprocess.run([sys.executable, "-B", "tools/tidy.py", *map(str, words)], cwd=self.root, env=env, capture_output=True, text=True)
        self.said = ran.stdout + ran.stderr
        self.assertEqual(ran.returncode, code, self.said)
        return self.seen.read_text().split()

    def test_what_was_clean_is_not_looked_at_again(self):
        self.assertEqual(self.tidy(), ["a.cpp", "alone.cpp"])
        self.assertEqual(self.tidy(), [])

    def test_a_header_behind_a_header_counts(self):
        self.tidy()
        self.write("src/deep/c.hpp", "int changed;\n")
        self.assertEqual(self.tidy(), ["a.cpp"])
        self.write("src/deep/c.hpp", "\n")
        self.assertEqual(self.tidy(), [], "it is what it was")

    def test_so_do_the_settings_and_the_version(self):
        self.tidy()
        self.write(".clang-tidy", "Checks: more\n")
        self.assertEqual(self.tidy(), ["a.cpp", "alone.cpp"])
        self.version.write_text("20")
        self.assertEqual(self.tidy(), ["a.cpp", "alone.cpp"])

    def test_what_is_not_clean_is_looked_at_every_time(self):
        self.write("src/a.cpp", "bad\n")
        for _ in range(2):
            self.assertIn("a.cpp", self.tidy(code=1))
            self.assertIn("found something in 1 sources:\n  src/a.cpp", self.said)

    def test_only_what_changed_since_a_commit(self):
        self.write("src/deep/c.hpp", "int changed;\n")
        self.assertEqual(self.tidy("--changed", "HEAD"), ["a.cpp"])
        self.commit()
        self.assertEqual(self.tidy("--changed", "HEAD"), [])
        self.write("src/alone.cpp", "int changed;\n")
        self.assertEqual(self.tidy("--changed", "HEAD~1"), ["alone.cpp"], "a.cpp was clean")

    def test_what_changed_in_a_day_is_everything_in_a_repository_that_is_younger(self):
        self.assertEqual(self.tidy("--changed"), ["a.cpp", "alone.cpp"])

    def test_time_that_is_over_is_told_with_the_names_of_what_was_left(self):
        self.assertEqual(self.tidy("--minutes", 0), [])
        self.assertIn("2 sources were not checked:\n  src/a.cpp\n  src/alone.cpp", self.said)
        self.assertEqual(self.tidy(), ["a.cpp", "alone.cpp"], "they are not known to be clean")

    def test_a_source_that_no_build_compiles_is_told(self):
        self.write("src/forgotten.cpp", "\n")
        self.tidy(code=1)
        self.assertIn("src/forgotten.cpp", self.said)


if __name__ == "__main__":
    unittest.main()
