"""Every Lua script asks for the rights that it uses before it writes: read from the scripts themselves."""
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import check_script_rights as check


class ScriptRights(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="leat-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "include").mkdir()
        (self.folder / "include" / "may.lua").write_text((check.FOLDER / "include" / "may.lua").read_text())

    def missing(self, body, **includes):
        for name, text in includes.items():
            (self.folder / "include" / f"{name}.lua").write_text(text)
        (self.folder / "made_up.lua").write_text("#!lua\n" + body)
        return {command for _, command in check.problems_of(self.folder / "made_up.lua", self.folder)}

    def test_all_scripts(self):
        self.assertEqual(check.main(check.FOLDER), 0)

    def test_what_is_written_and_not_asked_for_is_found(self):
        ask = "--- @include may\nlocal wrong = may({{'LPUSH', a, ''}, {'DEL', b}})\nif wrong then return wrong end\n"
        both = "redis.call('LPUSH', a, 1)\nredis.pcall('DEL', b)\n"
        self.assertEqual(self.missing(both), {"LPUSH", "DEL"})
        self.assertEqual(self.missing(ask + both), set())
        self.assertEqual(self.missing(ask + both + "redis.pcall('SET', c, 1)"), {"SET"})
        self.assertEqual(self.missing("redis.call('LPUSH', a, 1)"), set(), "one write is all or nothing")
        self.assertEqual(self.missing("for i = 1, 2 do redis.call('LPUSH', KEYS[i], 1) end"), {"LPUSH"})
        self.assertEqual(self.missing("if not redis.acl_check_cmd('LPUSH', a, '') then return end\n" + both), {"DEL"})
        self.assertEqual(self.missing("-- may({{'LPUSH'}, {'DEL'}})\n" + both), {"LPUSH", "DEL"})

    def test_what_is_read_by_a_script_that_writes_is_asked_for_too(self):
        reads = "local b = redis.pcall('GET', a)\nlocal time = redis.call('TIME')\n"
        self.assertEqual(self.missing(reads + "redis.call('LPUSH', c, b)"), {"GET"})
        self.assertEqual(self.missing("if wrong_size('LLEN', a) or may('GET', a) then return end\n" + reads + "redis.call('LPUSH', a, b)"), set())
        self.assertEqual(self.missing(reads), set(), "it writes nothing")

    def test_only_functions_that_are_reached_count(self):
        include = ("local function used() redis.pcall('HSET', a, 'b', 1) end\n"
                   "local function unused() if x then redis.pcall('ZADD', a, 1, 1) end end\n"
                   "local o = {}\nfunction o.method() redis.call('SADD', a, 1) end\n")
        body = "--- @include some\nredis.call('DEL', a)\nused()\n"
        self.assertEqual(self.missing(body, some=include), {"DEL", "HSET"})
        self.assertEqual(self.missing(body + "o.method()", some=include), {"DEL", "HSET", "SADD"})


if __name__ == "__main__":
    unittest.main()
