#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""breaks.tsv holds what sees the breaks that the rule draws; at night a hundred are drawn and planted again."""

import collections
import os
import subprocess
import sys
import unittest
from pathlib import Path

import breaks
from build import TOP

HERE = Path(__file__).resolve().parent
LEAST = 100  # rows of the table


class Table(unittest.TestCase):
    def test_it_holds_what_the_rule_drew(self):
        self.assertIn(len(breaks.rows()), range(LEAST, breaks.COUNT + 1))

    def test_each_row_stands_in_its_file(self):
        for name, statement, nth, how, seen in breaks.rows():
            with self.subTest(statement, file=name):
                self.assertGreater((TOP / name).read_text().count(statement), int(nth))
                self.assertIn(how, ("drop", "twice", "one"))
                self.assertTrue(seen)

    def test_laws_stop_half_of_them(self):
        seen = collections.Counter(row[-1] for row in breaks.rows())
        self.assertGreaterEqual(100 * seen["law"], breaks.PER_CENT * len(breaks.rows()), seen)


class Draw(unittest.TestCase):
    def test_every_room_has_some(self):
        self.assertEqual({room for room, *_ in breaks.draw(TOP)}, set(breaks.FILES))

    def test_a_break_changes_one_statement(self):
        for room, name, statement, _, how, text in breaks.draw(TOP):
            was = (TOP / name).read_text()
            self.assertNotEqual(was, text, (room, statement, how))
            self.assertEqual(was.count("\n"), text.count("\n"))


@unittest.skipUnless(os.environ.get("IWARPSIM_NIGHTLY"), "at night")
class All(unittest.TestCase):
    def test_laws_stop_half_of_what_is_drawn_today(self):
        self.assertEqual(subprocess.call([sys.executable, HERE / "breaks.py"]), 0)


if __name__ == "__main__":
    unittest.main()
