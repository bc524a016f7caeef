"""The private server: nobody else can read its files or reach its socket, whatever the umask."""
import os
import pathlib
import re
import stat
import unittest

from leat_testing import LEAT, Case, eventually

OPEN = ("-c", 'umask 0; exec "$0" "$@"', LEAT)


def open_to_others(folder):
    """What lies in a folder and is not for its owner alone."""
    found = []
    for root, folders, files in os.walk(folder):
        for each in (*folders, *files):
            mode = (pathlib.Path(root) / each).lstat().st_mode
            if mode & 0o077:
                found.append((each, oct(mode)))
    return found


class Embedded(Case):
    def start(self, *words, **more):
        return self.leat(*OPEN, *words, program="/bin/sh", **more)

    def write_all_that_it_can(self, folder):
        client = self.connect(folder)
        client.delete("out")
        client.lpush("in", "secret")
        eventually(lambda: client.lrange("out", 0, -1) == [b"secret"])
        client.bgrewriteaof()
        eventually(lambda: client.info("persistence")["aof_rewrite_in_progress"] == 0)
        client.save()

    def connect(self, folder):
        import redis
        return redis.Redis(unix_socket_path=str(folder / "redis.sock"))

    def mode(self, path):
        return stat.S_IMODE(path.stat().st_mode)

    def serve(self, folder):
        leat = self.start("mpush", "--in", "in", "--out", "out", "--embedded", folder)
        leat.wait_for("embedded server started")
        self.write_all_that_it_can(self.folder / folder)
        names = {each.name for each in (self.folder / folder).iterdir()}
        self.assertTrue({"redis.sock", "redis.log", "lock", "appendonlydir", "dump.rdb"} <= names, names)
        self.assertEqual(open_to_others(self.folder / folder), [])
        return leat

    def test_a_folder_that_it_makes_is_private_and_all_in_it(self):
        leat = self.serve("some/where/data")
        for each in ("some", "some/where", "some/where/data"):
            self.assertEqual(self.mode(self.folder / each), 0o700, each)
        self.assertEqual(leat.stop(), 0)
        self.serve("some/where/data/")  # once more, over what is there

    def test_a_folder_that_is_there_keeps_its_mode(self):
        (self.folder / "data").mkdir()
        (self.folder / "data").chmod(0o755)
        self.serve("data")
        self.assertEqual(self.mode(self.folder / "data"), 0o755)

    def test_other_files_keep_the_umask_of_whoever_started_it(self):
        leat = self.start("exec", "--in", "in", "--command", "touch", "--command", "made", "--embedded", "data")
        leat.wait_for("embedded server started")
        self.connect(self.folder / "data").lpush("in", "x")
        eventually(lambda: (self.folder / "made").exists())
        self.assertEqual(self.mode(self.folder / "made"), 0o666)

    def test_a_demo_is_private(self):
        for name, rest in (("mpush", ("--seconds", 2)), ("bridge", ("--fast",))):
            with self.subTest(name):
                demo = self.start("demo", name, *rest, "--keep", env={"TMPDIR": str(self.folder)})
                demo.wait_for("Ctrl-C ends the demo", 60)
                folder = pathlib.Path(re.search(r"(/\S*/leat-demo-\w+)/", demo.output()).group(1))
                self.assertEqual(self.mode(folder), 0o700)
                self.assertEqual(open_to_others(folder), [])
                self.assertGreater(len(list(folder.iterdir())), 4)
                self.assertEqual(demo.stop(), 0)


if __name__ == "__main__":
    unittest.main()
