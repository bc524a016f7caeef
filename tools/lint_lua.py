#!/usr/bin/env python3
"""Runs luacheck over the scripts of src/store/lua: lint_lua.py SCRIPTS.cpp

The sources as they are written: an include offers what it declares, and what others declare is checked by embed_scripts when it builds.
And the texts that Redis gets, which stand in the generated SCRIPTS.cpp: whether they are Lua, and name only what Redis lends."""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
LUA = ROOT / "src" / "store" / "lua"
DECLARED = re.compile(r"^local (?:function )?(\w+)", re.M)
EMBEDDED = re.compile(r'_script\{"(\w+)",\s*"\w+",\s*R"lua\((.*?)\)lua"', re.S)


def luacheck(folder, *options):
    return subprocess.run(["luacheck", ".", "--quiet", "--config", str(ROOT / ".luacheckrc"), *options], cwd=folder).returncode


def main(generated):
    texts = EMBEDDED.findall(pathlib.Path(generated).read_text())
    if len(texts) != len(list(LUA.glob("*.lua"))):
        print(f"{generated}: {len(texts)} scripts, which are not those of {LUA}")
        return 1
    with tempfile.TemporaryDirectory() as sources, tempfile.TemporaryDirectory() as made:
        for file in LUA.rglob("*.lua"):
            text = file.read_text()
            offers = DECLARED.findall(text) if file.parent != LUA else []
            copy = pathlib.Path(sources) / file.relative_to(LUA)
            copy.parent.mkdir(exist_ok=True)
            copy.write_text(text + f"_ = {{{', '.join(offers)}}}\n" if offers else text)
        for name, text in texts:
            (pathlib.Path(made) / f"{name}.lua").write_text(text)
        return luacheck(sources, "--ignore", "1") | luacheck(made, "--only", "0", "1")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
