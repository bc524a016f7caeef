"""docs/guarantees.md is what the table says, and the table is whole."""
import unittest

from faults import FAULTS
from guarantees import page
from leat_testing import ROOT
from promises import KINDS


class Guarantees(unittest.TestCase):
    def test_the_page_is_fresh(self):
        self.assertEqual((ROOT / "docs" / "guarantees.md").read_text(), page(),
                         "run: PYTHONPATH=tests/support python3 tests/conformance/guarantees.py > docs/guarantees.md")

    def test_every_kind_says_something_about_every_fault(self):
        for kind in KINDS:
            concerned = {name for name, fault in FAULTS.items()
                         if (kind.takes or not fault.of_takers) and fault.of_kind in ("", kind.name)}
            self.assertEqual(set(kind.promises) | set(kind.elsewhere), concerned)


if __name__ == "__main__":
    unittest.main()
