#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The mutants fit the sources as they are, what is accepted has its proof and stays the exception; at night each of them is tried
(mutants.py) and every room keeps its floor."""

import os
import subprocess
import sys
import unittest
from collections import Counter
from pathlib import Path

import build
import mutants
from build import TOP
from draw import candidates, draw
from rooms import FILES, TESTS

HERE = Path(__file__).resolve().parent


class Rows(unittest.TestCase):
    rows = mutants.read_rows()

    def test_each_changes_one_place_of_its_file(self):
        for row in self.rows:
            with self.subTest(row["id"]):
                self.assertNotEqual(mutants.changed(row, TOP), (TOP / row["file"]).read_text())

    def test_ids_and_rooms(self):
        self.assertEqual(max(Counter(row["id"] for row in self.rows).values()), 1)
        self.assertLessEqual({row["room"] for row in self.rows}, set(TESTS))
        self.assertEqual(set(TESTS), set(FILES))

    def test_accepted_ones_are_few_and_proven(self):
        for room in TESTS:
            rows = [row for row in self.rows if row["room"] == room]
            accepted = [row for row in rows if row["accepted"]]
            self.assertLessEqual(len(accepted), max(1, len(rows) * mutants.ACCEPTED_AT_MOST // 100), room)
            for row in accepted:
                self.assertGreater(len(row["accepted"].split()), 8, f"{row['id']}: no proof")

    def test_every_room_has_some(self):
        self.assertEqual({row["room"] for row in self.rows}, set(TESTS))


class Tools(unittest.TestCase):
    def test_what_a_room_meets_exists(self):
        for name in {name for names in TESTS.values() for name in names if not name.startswith(("ns3 ", "reference/"))}:
            with self.subTest(name):
                self.assertTrue((TOP / "validation" / name).with_suffix(".py" if name.endswith(".py") else ".c").exists())

    def test_the_page_is_where_the_build_puts_it(self):
        if not (TOP / "build/iwarpsim").exists():
            self.skipTest("nothing is built")
        self.assertTrue(all((build.TOP / made).exists() for made in build.MADE))


class Draws(unittest.TestCase):
    def test_comments_and_strings_are_left_alone(self):
        text = 'int f(int a)\n{\n    /* a < b */\n    puts("a < b");\n    return a < 3;\n}\n'
        places = {text[start:end] for start, end, _ in candidates(text)}
        self.assertIn(" < ", places)
        self.assertEqual(sum(end > start and text[start:end] == " < " for start, end, _ in candidates(text)), 2)  # <= and >

    def test_the_same_seed_draws_the_same(self):
        for room in FILES:
            once, again = (list(draw(TOP, room, 20, 3)) for _ in range(2))
            self.assertEqual(once, again)
            self.assertEqual(len(once), 20)
            for row in once:
                self.assertNotEqual(mutants.changed(row, TOP), (TOP / row["file"]).read_text())


@unittest.skipUnless(os.environ.get("IWARPSIM_NIGHTLY"), "at night")
class All(unittest.TestCase):
    def test_every_room_keeps_its_floor(self):
        self.assertEqual(subprocess.call([sys.executable, HERE / "mutants.py"]), 0)


if __name__ == "__main__":
    unittest.main()
