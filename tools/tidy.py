#!/usr/bin/env python3
"""clang-tidy over our sources, a file per core at a time; what was clean and has not changed since is not looked at again.

  tools/tidy.py [--changed [BASE]] [--minutes N] [FILE...]

A source is known by a stamp: the hash of the version of clang-tidy, of .clang-tidy, of the compiler's command and of everything
of ours that the source includes, generated headers too. Stamps of clean sources lie in $LEAT_CACHE/tidy; every clone shares them.

--changed   only sources that have changed since BASE, or whose headers have; without BASE: in the commits of the last day
--minutes   begin no more sources after that time, and name those that were not checked
build/tidy must be configured, as ./dev lint does it."""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "tidy"
CACHE = pathlib.Path(os.environ.get("LEAT_CACHE") or pathlib.Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "leat")
STAMPS = CACHE / "tidy"
KEPT = 60 * 86400  # seconds for which a stamp that nobody used is kept
TIDY = "clang-tidy-19"
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def git(*words):
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout


class Sources:
    """What CMake would compile, and what of ours each source includes."""

    def __init__(self):
        ours = set(git("ls-files", "--cached", "--others", "--exclude-standard", "--", "*.cpp").split())
        self.commands = {}
        for entry in json.loads((BUILD / "compile_commands.json").read_text()):
            file = pathlib.Path(entry["file"])
            if file.is_relative_to(ROOT) and str(file.relative_to(ROOT)) in ours:
                self.commands[file] = entry["command"]
        self.not_compiled = sorted(ours - {str(file.relative_to(ROOT)) for file in self.commands} - {
            each for each in ours if not (ROOT / each).exists()})
        self.texts = {}
        self.tools = subprocess.run([TIDY, "--version"], check=True, capture_output=True).stdout + (ROOT / ".clang-tidy").read_bytes()

    def text(self, file):
        if file not in self.texts:
            self.texts[file] = file.read_text() if file.is_file() else None
        return self.texts[file]

    def files(self, source):
        """The source, and everything under ROOT that it includes, whatever is on the way."""
        folders = [pathlib.Path(word[2:]) for word in shlex.split(self.commands[source]) if word.startswith("-I")]
        seen, left = {source}, [source]
        while left:
            file = left.pop()
            for name in INCLUDE.findall(self.text(file)):
                for folder in (file.parent, *folders):
                    found = pathlib.Path(os.path.normpath(folder / name))
                    if self.text(found) is not None:
                        if found not in seen:
                            seen.add(found)
                            left.append(found)
                        break
        return seen

    def stamp(self, source):
        command = re.sub(r" (-o|-c) \S+", "", self.commands[source]).replace(str(ROOT), ".").replace(str(CACHE), "~")
        digest = hashlib.sha256(self.tools + command.encode())
        for file in sorted(self.files(source)):
            digest.update(f"\0{file.relative_to(ROOT)}\0".encode() + self.text(file).encode())
        return STAMPS / digest.hexdigest()


def changed_since(base):
    """The files that differ from BASE, in commits or not yet."""
    if base is None:  # A shallow clone may have no commit so old; then from the oldest that it has.
        day = int(git("log", "-1", "--format=%ct")) - 86400
        older = git("rev-list", "-1", f"--before={day}", "HEAD").strip()
        base = older or git("hash-object", "-t", "tree", "/dev/null").strip()
    names = git("diff", "--name-only", base).split() + git("ls-files", "--others", "--exclude-standard").split()
    return {ROOT / name for name in names}


class Run:
    """Checks sources, newest change first, and shows how far it is."""

    def __init__(self, sources, minutes):
        self.sources = sources
        self.began = time.time()
        self.ends = time.monotonic() + minutes * 60 if minutes is not None else None
        self.lock = threading.Lock()
        self.found = []
        self.not_checked = []
        self.done = 0

    def check(self, source, stamp, of):
        name = source.relative_to(ROOT)
        if self.ends is not None and time.monotonic() >= self.ends:
            self.not_checked.append(str(name))
            return
        began = time.monotonic()
        ran = subprocess.run([TIDY, "-p", str(BUILD), "--quiet", str(source)], capture_output=True, text=True)
        with self.lock:
            self.done += 1
            print(f"[{self.done}/{of}] {name} {time.monotonic() - began:.0f} s", flush=True)
            if ran.returncode == 0 and not ran.stdout.strip():
                if all(file.stat().st_mtime < self.began for file in self.sources.files(source)):  # else the stamp is of what was
                    stamp.touch()
            else:
                self.found.append(str(name))
                noise = re.compile(r"^\d+ warnings?( and \d+ errors?)? (generated|treated as errors)\.?$")
                lines = (ran.stdout + ran.stderr).splitlines()
                print("\n".join(line for line in lines if not noise.match(line)), flush=True)

    def all(self, sources):
        todo = []
        for source in sources:
            stamp = self.sources.stamp(source)
            if stamp.exists():
                stamp.touch()
            else:
                todo.append((source, stamp))
        print(f"{len(sources)} sources, {len(sources) - len(todo)} of them known to be clean", flush=True)
        with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("LEAT_JOBS") or os.cpu_count())) as pool:
            for each in [pool.submit(self.check, *each, len(todo)) for each in todo]:
                each.result()


def forget_old_stamps():
    STAMPS.mkdir(parents=True, exist_ok=True)
    for each in STAMPS.iterdir():
        if time.time() - each.stat().st_mtime > KEPT:
            each.unlink(missing_ok=True)


def chosen_sources(sources, args):
    if args.files:
        return [file for file in (pathlib.Path(each).resolve() for each in args.files) if file in sources.commands]
    every = sorted(sources.commands)
    if args.changed is None:
        return every
    changed = changed_since(args.changed or None)
    if changed & {ROOT / ".clang-tidy"}:
        return every
    touched = [source for source in every if sources.files(source) & changed]
    return sorted(touched, key=lambda source: source not in changed)  # what was edited itself comes first


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--changed", nargs="?", const="", metavar="BASE")
    words.add_argument("--minutes", type=float, metavar="N")
    words.add_argument("files", nargs="*", metavar="FILE")
    args = words.parse_args()
    forget_old_stamps()
    sources = Sources()
    run = Run(sources, args.minutes)
    run.all(chosen_sources(sources, args))
    if run.not_checked:
        print(f"{args.minutes:g} minutes are over; {len(run.not_checked)} sources were not checked:", *sorted(run.not_checked), sep="\n  ")
    if run.found:
        print(f"clang-tidy found something in {len(run.found)} sources:", *sorted(run.found), sep="\n  ")
    if sources.not_compiled:
        print("no build compiles these, so that nothing checks them:", *sources.not_compiled, sep="\n  ")
    return 1 if run.found or sources.not_compiled else 0


if __name__ == "__main__":
    sys.exit(main())
