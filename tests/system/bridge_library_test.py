"""The library of the bridge, by the program that shows how it is used."""
import os
import subprocess
import unittest

from leat_testing import Case

EXPECTED = """a2: WAIT_REQUEST
a1: CLAIMED
the client is busy: a1
sent a1 first answer (attempt 2)
sent a2 second answer (attempt 1)
"""


class BridgeLibrary(Case):
    def test_the_example_says_what_its_comments_say(self):
        server = self.server()
        run = subprocess.run([os.environ["LEAT_EXAMPLE_BRIDGE"], server.url], capture_output=True, text=True, timeout=30, check=True)
        self.assertEqual(run.stdout, EXPECTED)
        self.assertEqual(server.cli("hget", "example:bridge:counts", "delivered"), "2")


if __name__ == "__main__":
    unittest.main()
