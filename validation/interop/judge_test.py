#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""iwarpsim judge: real captures are judged as a table written beforehand says; made-up faults are found, one by one; and
our own engine passes."""

import collections
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
sys.path.insert(0, str(HERE))
import octets as o

ALL = Path(os.environ.get("IWARPSIM_CAPTURES", TOP.parent / "shared" / "captures"))
IWARPSIM = os.environ.get("IWARPSIM", str(TOP / "build" / "iwarpsim"))
TABLE = json.loads((HERE / "accusations.json").read_text())
# What the README of the captures says of siw, as far as groups a, b and n can show it.
SIW_LISTED = {"MPA-4.1-1", "MPA-7.1.2-4"}
SIW_LISTED_IN = {
    "a43-priv-252": {"MPA-7.1-*", "DDP-4.4-1"},  # the length of the private data wraps at 252
    "n14-terminate-under-loss": {"RDMAP-4.8-2", "RDMAP-4.8-8"},  # the order of the bits, the length
}


def run(*arguments, stdin=None):
    return subprocess.run([IWARPSIM, "judge", *map(str, arguments)], input=stdin, capture_output=True)


def judge(path, *arguments, stdin=None):
    """The violations and the requirements that `judge --json` tells."""
    done = run("--json", *arguments, path, stdin=stdin)
    said = [json.loads(line) for line in done.stdout.splitlines()]
    violations = [v for v in said if "violation" in v]
    assert done.returncode == (1 if violations else 0), (path, done.returncode, done.stderr)
    return violations, {r["requirement"]: r for r in said if "outcome" in r}, said[-1]["summary"]


def names(violations):
    return sorted("%s %s" % (v["dir"], v["requirement"]) for v in violations)


class Captures(unittest.TestCase):
    def group(self, letters):
        if not ALL.is_dir():
            self.skipTest("the folder of more captures is not here: only the shipped captures were judged")
        return sorted(p for p in ALL.glob("*.pcap") if p.name[0] in letters and not p.name.startswith(("moon", "siw")))

    def test_shipped(self):
        for path in sorted(HERE.glob("*.pcap")):
            with self.subTest(path.name):
                violations = judge(path)[0]
                if path.stem in TABLE:
                    self.assertEqual(names(violations), sorted(TABLE[path.stem]))
                else:
                    self.assertLessEqual({v["requirement"] for v in violations}, SIW_LISTED)

    def test_errors(self):
        """Groups c, d, e: exactly the table, which is older than the judge."""
        paths = self.group("cde")
        self.assertEqual(len(paths), 123)
        for path in paths:
            with self.subTest(path.name):
                self.assertEqual(names(judge(path)[0]), sorted(TABLE[path.stem]))

    def test_traffic(self):
        """Groups a, b, n: nothing but what siw is known for."""
        for path in self.group("abn"):
            with self.subTest(path.name):
                listed = SIW_LISTED | SIW_LISTED_IN.get(path.stem, set())
                self.assertLessEqual({v["requirement"] for v in judge(path)[0]}, listed)


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    print("[  PASSED  ] %d test(s)." % (result.testsRun - len(result.failures) - len(result.errors) - len(result.skipped)))
    for _, why in result.skipped:
        print("[  SKIPPED ] 1 test(s).", why, sep="\n")
    sys.exit(not result.wasSuccessful())
