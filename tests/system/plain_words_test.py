"""Text that people read has ordinary words: docs, help, logs and errors."""
import re
import unittest

from leat_testing import ROOT, Case

# What we do not say -> what we say.
WORDS = {
    r"anew": "again",
    r"(is|are) told": "is reported, is logged",
    r"in vain": "failed",
    r"takers?": "consumer",
    r"in hand": "in flight",
    r"(his|its|the|a|dying) hands?": "in flight",
    r"taken for dead": "its lease has ended",
    r"manieth": "1 for the first delivery",
    r"small company": "in small batches",
    r"whose list is none": "a reply list that is not a list",
}
PATTERN = re.compile(r"\b(" + "|".join(WORDS) + r")\b", re.I)
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
KEPT = {("src/inspect/messages.cpp", "in hand"), ("src/inspect/queues.cpp", "takers")}  # values and names of --json, which programs know


class PlainWords(Case):
    def assert_plain(self, where, text):
        for number, line in enumerate(text.splitlines(), 1):
            for found in PATTERN.finditer(line):
                say = next(better for word, better in WORDS.items() if re.fullmatch(word, found[0], re.I))
                self.fail(f"{where}:{number}: `{found[0]}`; say: {say}\n{line}")

    def test_docs(self):
        for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs/guides").glob("*.md")),
                     *sorted((ROOT / "docs/reference").glob("*.md"))]:
            self.assert_plain(path.relative_to(ROOT), path.read_text())

    def test_help(self):
        commands = re.findall(r"^  ([a-z]+) ", self.run_leat("--help").stdout, re.M)
        self.assertGreater(len(commands), 20)
        for command in commands:
            self.assert_plain(f"leat {command} --help", self.run_leat(command, "--help").stdout)
        for words in (["queue", "redrive"], ["queue", "ls"], ["queue", "peek"], ["message", "show"], ["man"]):
            self.assert_plain("leat " + " ".join(words), self.run_leat(*words, *(["--help"] if words != ["man"] else [])).stdout)

    def test_what_the_program_prints(self):
        """Logs and errors: the texts in the sources."""
        for path in sorted((ROOT / "src").rglob("*.[ch]pp")):
            where = str(path.relative_to(ROOT))
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if line.startswith("#include"):
                    continue
                for text in LITERAL.findall(line):
                    if (where, text) not in KEPT and " " in text:
                        self.assert_plain(f"{where}:{number}", text)


if __name__ == "__main__":
    unittest.main()
