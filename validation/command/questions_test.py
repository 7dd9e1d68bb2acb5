#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each question of scenarios/questions is at most 15 lines, says what it claims, runs to its end and becomes a figure, at no point too short for
what chance decides; and its README asks them all. By day those with repeats run once."""

import json
import re
import shutil
import sys
import unittest
from pathlib import Path

from run_test import NIGHTLY, Command, iwarpsim

FOLDER = Path(__file__).resolve().parents[2] / "scenarios/questions"
QUESTIONS = sorted(FOLDER.glob("*.yaml"))
LINES = 15
FIELDS = r"title: (.*\?)\nclaim: (\".*\")\n"


class Questions(Command):
    def test_each_is_short_and_asks_and_answers(self):
        readme = (FOLDER / "README.md").read_text()
        for file in QUESTIONS:
            with self.subTest(file=file.stem):
                text = file.read_text()
                self.assertLessEqual(text.count("\n"), LINES)
                title, claim = re.search(FIELDS, text).groups()
                self.assertIn("\nplot: {", text)
                self.assertIn(f"| [{title}]({file.name}) | {json.loads(claim)} |\n", readme)

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is missing (Debian: gnuplot-nox)")
    def test_each_runs_and_is_drawn(self):
        for file in QUESTIONS:
            with self.subTest(file=file.stem):
                out = self.folder / file.stem
                once = ("--set", "repeat=1") if "\nrepeat: " in file.read_text() and not NIGHTLY else ()
                done = iwarpsim("run", file, "--out", out, "--jobs", 1, *once)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(once or "too short" not in done.stderr, done.stderr)
                done = iwarpsim("plot", out, "--out", self.folder / "figures")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertGreater((self.folder / f"figures/{file.stem}.svg").stat().st_size, 2000)


def print_table():
    rows = [re.search(FIELDS, file.read_text()).groups() + (file.name,) for file in QUESTIONS]
    print("".join(f"| [{title}]({name}) | {json.loads(claim)} |\n" for title, claim, name in rows), end="")


if __name__ == "__main__":
    print_table() if "--table" in sys.argv else unittest.main()
