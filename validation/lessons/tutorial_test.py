#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The tutorial shows what its commands print.

  tutorial_test.py     runs every block of scenarios/tutorial/README.md, in order, in a folder of its own

A block is what a terminal shows; a line `...` in it stands for any number of lines. The scenario that the page quotes is the file
beside it. Pictures are made again and compared by what they draw (NAME.tsv), for gnuplot draws a little differently from version to version.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
TUTORIAL = TOP / "scenarios" / "tutorial"
IWARPSIM = os.environ.get("IWARPSIM", str(TOP / "build" / "iwarpsim"))
TEXT = (TUTORIAL / "README.md").read_text()
STEP = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.M)


def steps(text=TEXT):
    """(command, what it should print) of all blocks, in order."""
    blocks = re.findall(r"^```console\n(.*?)^```$", text, re.M | re.S)
    return [step for block in blocks for step in STEP.findall(block)]


def shows(expected, printed):
    """Does the output have the lines expected, where `...` stands for any number of lines?"""
    pattern = "".join("(?:.*\n)*" if line == "..." else re.escape(line) + "\n" for line in expected.splitlines())
    return re.fullmatch(pattern, printed) is not None


class Tutorial(unittest.TestCase):
    maxDiff = None

    def test_every_block_is_what_its_command_prints(self):
        with tempfile.TemporaryDirectory(prefix="iwarpsim-") as folder:
            (Path(folder) / "scenarios").symlink_to(TOP / "scenarios")
            for command, expected in steps():
                words = shlex.split(command)
                self.assertEqual(words[0], "build/iwarpsim", command)
                done = subprocess.run([IWARPSIM, *words[1:]], cwd=folder, stdin=subprocess.DEVNULL, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
                with self.subTest(command):
                    self.assertEqual(done.returncode, 0, done.stdout)
                    self.assertTrue(shows(expected, done.stdout), f"$ {command}\n{done.stdout}\nis not what the page shows:\n{expected}")
            self.assertEqual((Path(folder) / "results/tutorial/p99.tsv").read_text(), (TUTORIAL / "p99.tsv").read_text())

    def test_the_scenario_is_the_file(self):
        quoted = re.search(r"```yaml\n(.*?)```", TEXT, re.S)[1]
        lines = [line for line in (TUTORIAL / "incast.yaml").read_text().splitlines(True) if not line.startswith("#")]
        self.assertEqual(quoted, "".join(lines))

    def test_a_stale_line_is_noticed(self):
        self.assertTrue(shows("a\n...\nd\n", "a\nb\nc\nd\n"))
        self.assertFalse(shows("a\n...\nd\n", "a\nb\nc\n"))
        self.assertFalse(shows("a\n", "a\nb\n"))

    def test_links_lead_somewhere(self):
        for link in re.findall(r"\]\(([^)#]+)\)", TEXT):
            self.assertTrue("://" in link or (TUTORIAL / link).exists(), link)


if __name__ == "__main__":
    unittest.main(verbosity=2 if "-v" in sys.argv else 1)
