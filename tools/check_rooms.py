#!/usr/bin/env python3
"""Fails when what a room includes and what it links differ, or a library stands outside the only room that may have it.

The rooms are the folders of src/, their links the USES of leat_room() in CMakeLists.txt, told again for readers in the
table of ARCHITECTURE.md; the three must agree. Run from anywhere; prints file:line: problem."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SRC = ROOT / "src"
# Library header -> the rooms that may include it. third_party/ compiles them and is no room.
ONLY = {
    r"boost/redis": {"redis"},
    r"boost/beast": {"http"},
    r"yaml-cpp": {"config"},
    r"CLI/": {"cli"},
    r"JavaScriptCore": {"script"},
    r"openssl/": {"redis"},
}


def links():
    """room -> rooms it may use, from CMake."""
    found = {}
    for file in SRC.glob("*/CMakeLists.txt"):
        text = file.read_text()
        match = re.search(r"leat_room\((\w+)(?:\s+USES\s+([\w\s]*?))?(?:\s+LIBRARIES[^)]*)?\)", text)
        if match:
            found[match.group(1)] = set((match.group(2) or "").split())
        else:  # a program
            found[file.parent.name] = set(re.findall(r"\bleat_(\w+)", text)) & {each.name for each in SRC.iterdir()}
    return found


def table():
    """room -> rooms it may use, from the table of ARCHITECTURE.md."""
    found = {}
    for line in (ROOT / "ARCHITECTURE.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 3 and re.fullmatch(r"`src/(\w+)`", cells[0]):
            found[cells[0][5:-1]] = set(re.findall(r"\w+", cells[2]))
    return found


def main():
    problems = []
    allowed = links()
    included = {room: set() for room in allowed}
    for file in sorted(SRC.rglob("*.[hc]pp")):
        room = file.relative_to(SRC).parts[0]
        for number, line in enumerate(file.read_text().splitlines(), 1):
            match = re.match(r'\s*#include\s+(["<])([^">]+)[">]', line)
            if not match:
                continue
            where, header = f"{file.relative_to(ROOT)}:{number}", match.group(2)
            if match.group(1) == '"':
                used = header.split("/")[0]
                included[room].add(used)
                if used != room and used not in allowed[room]:
                    problems.append(f"{where}: room {room} includes {header} but does not link {used}")
            for library, rooms in ONLY.items():
                if match.group(1) == "<" and header.startswith(library) and room not in rooms:
                    problems.append(f"{where}: {header} belongs in {', '.join(sorted(rooms))} only, not in {room}")
    for room, rooms in allowed.items():
        for each in sorted(rooms - included[room]):
            problems.append(f"src/{room}/CMakeLists.txt: room {room} links {each} and includes nothing of it")
    told = table()
    for room in sorted(set(allowed) | set(told)):
        if room not in told:
            problems.append(f"ARCHITECTURE.md: the table of rooms lacks {room}")
        elif room not in allowed:
            problems.append(f"ARCHITECTURE.md: there is no room {room}")
        elif room != "cli" and told[room] != allowed[room]:
            problems.append(
                f"ARCHITECTURE.md: room {room} links {sorted(allowed[room])}, the table says {sorted(told[room])}"
            )
    for room in allowed:
        readme = SRC / room / "README.md"
        if not readme.exists() or len(readme.read_text().splitlines()) > 15:
            problems.append(f"src/{room}/README.md: must be there and have at most 15 lines")
    print("\n".join(problems) if problems else f"{len(allowed)} rooms, no problem")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
