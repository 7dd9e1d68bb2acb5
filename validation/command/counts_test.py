#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Numbers in texts that a change elsewhere makes untrue: each stands in a table with what counts it now."""

import json
import re
import sys
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "validation" / room) for room in ("hostile", "command", "lessons")]
import challenge_test
import texts
import threads_test

CASES = json.loads((TOP / "validation/vectors/judge.json").read_text())["cases"]
LESSONS = len(list((TOP / "scenarios/lessons").glob("[0-9]*/README.md")))

# The file, the words around the number, and what it must be.
COUNTS = (
    ("README.md", r"\*\*Lessons\*\*: \[(\w+) of them\]", LESSONS),
    ("helpers/live/pages.py", r"(\w+) tasks that the engine in the page judges", len(challenge_test.SOLUTIONS)),
    ("README.md", r"tests a live responder with (\d+) cases", sum("reply" not in c for c in CASES)),
    ("README.md", r"an initiator, which connects, with (\d+)", sum("reply" in c for c in CASES)),
    ("validation/README.md", r"passes all (\d+) cases of the active judge", len(CASES)),
    ("validation/vectors/README.md", r"`judge.json` \| (\d+) cases", len(CASES)),
    ("validation/README.md", r"captures of (\d+) scenarios \(links that fail, loss", len(threads_test.SCENARIOS)),
    ("validation/README.md", r"(\d+) texts through every command", len(texts.TEXTS)),
    ("validation/interop/README.md", r"`truth.json` \| (\w+) and \d+ of 170 captures", len(list((TOP / "validation/interop").glob("*.pcap")))),
    ("validation/interop/README.md", r"`truth.json` \| \w+ and (\d+) of 170 captures", len(list((TOP / "validation/interop/captures").glob("*.pcap")))),
    ("scenarios/lessons/COURSE.md", r"# A course of (\w+) units", len(re.findall(r"^\| \d\. ", (TOP / "scenarios/lessons/COURSE.md").read_text(), re.M))),
    ("scenarios/lessons/README.md", r": (\w+) units of 90 minutes", len(re.findall(r"^\| \d\. ", (TOP / "scenarios/lessons/COURSE.md").read_text(), re.M))),
)
WORDS = ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty").split()


def number(text):
    return int(text) if text.isdigit() else WORDS.index(text.lower()) if text.lower() in WORDS else None


class Counts(unittest.TestCase):
    def test_each_is_what_is_counted(self):
        for file, words, counted in COUNTS:
            with self.subTest(words):
                found = re.findall(words, (TOP / file).read_text())
                self.assertEqual([number(f) for f in found], [counted], f"{file}: {found}")

    def test_no_text_counts_lessons_otherwise(self):
        for file in [*TOP.glob("*.md"), *(TOP / "scenarios").rglob("*.md"), *(TOP / "helpers").glob("*.md"), *(TOP / "validation").glob("*.md")]:
            for found in re.findall(r"\b([\w-]+) lessons\b", file.read_text()):
                if number(found) is not None:
                    self.assertEqual(number(found), LESSONS, f"{file.relative_to(TOP)}: {found} lessons")


if __name__ == "__main__":
    unittest.main()
