"""The checker itself: it sees what it is there to see."""
import unittest

from leat_testing import Case
from load import Producer, count


class CountTest(Case):
    def setUp(self):
        super().setUp()
        self.db = self.server().client()
        self.producer = Producer(lambda: self.db, "in")

    def sent(self, *confirmed, unsure=()):
        self.producer.confirmed = set(confirmed)
        self.producer.unsure = set(unsure)
        self.producer.sent = max([*confirmed, *unsure]) + 1

    def lies(self, key, *numbers):
        self.db.lpush(key, *(f"p:{n}" for n in numbers))

    def count(self, **more):
        seen = count(self.db, [self.producer], ["a", "b"], "in", **more)
        return seen.lost, seen.duplicated, seen.reordered, seen.stuck, seen.forgotten

    def test_all_is_well(self):
        self.sent(0, 1, 2)
        self.lies("a", 0, 1, 2)
        self.lies("b", 0, 1, 2)
        self.assertEqual(self.count(), (0, 0, 0, 0, 0))

    def test_lost_in_one_out(self):
        self.sent(0, 1, 2)
        self.lies("a", 0, 1, 2)
        self.lies("b", 0, 2)
        self.assertEqual(self.count(), (1, 0, 0, 0, 0))

    def test_duplicated_and_reordered(self):
        self.sent(0, 1, 2)
        self.lies("a", 0, 1, 1, 2)
        self.lies("b", 0, 2, 1)
        self.assertEqual(self.count(), (0, 1, 1, 0, 0))

    def test_a_message_that_was_never_confirmed_may_be_missing_but_not_in_one_out_only(self):
        self.sent(0, unsure=[1, 2])
        self.lies("a", 0, 2)
        self.lies("b", 0)
        self.assertEqual(self.count(), (1, 0, 0, 0, 0))

    def test_stuck(self):
        self.sent(0, 1)
        self.lies("a", 0)
        self.lies("b", 0)
        self.lies("in", 1)
        self.assertEqual(self.count(), (2, 0, 0, 1, 0))

    def test_forgotten_is_only_a_run_that_ends_at_the_gap(self):
        self.sent(*range(10))
        for out in ("a", "b"):
            self.lies(out, 0, 2, 3, 7, 8, 9)  # 1 is lost; 4, 5, 6 went with the server's memory
        self.assertEqual(self.count(gaps={"p": [7]}), (2, 0, 0, 0, 3))
        self.assertEqual(self.count(), (8, 0, 0, 0, 0))
        self.lies("a", 5)  # in one out: then it was not forgotten by the server
        self.assertEqual(self.count(gaps={"p": [7]})[4], 1)


if __name__ == "__main__":
    unittest.main()
