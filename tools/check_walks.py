#!/usr/bin/env python3
"""Fails when a hop of the six walks in ARCHITECTURE.md names a file that is not there, or a function that is not in it.

A hop is a line `1. `src/FILE: FUNCTION`: what happens`. Run from anywhere; prints file:line: problem, and where the function
is now, or which names are near."""
import difflib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "ARCHITECTURE.md"
MOST_LINES = 120
HOP = re.compile(r"(\d+)\. `(src/[\w./]+): ([\w.]+)`: \S")
LUA = re.compile(r"^\s*(?:local )?function ([\w.]+)\(", re.MULTILINE)
CPP = re.compile(
    r"^[ \t]*(?!return |co_return |co_await |if |else |for |while |switch )[\w:<>,&* ]*[ &*:](\w+)\((?!.*;$)", re.MULTILINE
)


def walks():
    """(number of the line, line) of the section."""
    lines = list(enumerate(PAGE.read_text().splitlines(), 1))
    begin = next((at for at, (_, line) in enumerate(lines) if line == "## Six walks"), None)
    if begin is None:
        return []
    end = next((at for at in range(begin + 1, len(lines)) if lines[at][1].startswith("## ")), len(lines))
    return lines[begin:end]


def defined(file):
    """The functions of a file, also those that it only declares over several lines."""
    return set((LUA if file.suffix == ".lua" else CPP).findall(file.read_text()))


def hint(file, function):
    """What to write instead, as far as that can be known."""
    elsewhere = [
        str(each.relative_to(ROOT))
        for each in sorted((ROOT / "src").rglob("*"), key=lambda one: (one.parent != file.parent, one))
        if each.suffix in (".cpp", ".hpp", ".lua") and function in defined(each)
    ]
    if elsewhere:
        return f"; it is in {', '.join(elsewhere[:3])}"
    near = difflib.get_close_matches(function, sorted(defined(file)), 3, 0.4) if file.is_file() else []
    return f"; near: {', '.join(near)}" if near else ""


def check(line, expected):
    match = HOP.match(line)
    if not match:
        return "a hop is `NUMBER. `src/FILE: FUNCTION`: what happens`"
    number, path, function = match.groups()
    file = ROOT / path
    if int(number) != expected:
        return f"this is hop {expected}, not {number}"
    if not file.is_file():
        return f"there is no {path}{hint(file, function)}"
    if function not in defined(file):
        return f"{path} has no function {function}{hint(file, function)}"
    return None


def main():
    lines, problems, hops, walk, expected = walks(), [], 0, 0, 1
    for number, line in lines:
        if line.startswith("### "):
            walk, expected = walk + 1, 1
        elif walk and line:
            if problem := check(line, expected):
                problems.append(f"{PAGE.name}:{number}: {problem}")
            hops, expected = hops + 1, expected + 1
    if walk != 6:
        problems.append(f"{PAGE.name}: there are six walks, not {walk}")
    if len(lines) > MOST_LINES:
        problems.append(f"{PAGE.name}: the walks have {len(lines)} lines, more than {MOST_LINES}")
    print("\n".join(problems) if problems else f"6 walks, {hops} hops, no problem")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
