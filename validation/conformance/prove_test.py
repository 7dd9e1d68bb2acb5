#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The changes of wrong.tsv fit the sources, and as large a share of the requirements as ever has one; some of them, drawn by the name of the
commit, are broken, and a test that each names notices; at night all of them."""

import os
import random
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import prove
import report

FLOORS = {"MUST and MUST NOT of DDP and RDMAP": 295, "all that are checked": 651}  # rows that have a change
DRAWN = 20  # requirements in a check: 12 seconds of CPU break them
NIGHTLY = bool(os.environ.get("IWARPSIM_NIGHTLY"))


def requirements():
    found = report.catalogue()
    report.gather(found)
    report.excuse(found, report.table("reasons.tsv"))
    return found


def commit():
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=prove.TOP, capture_output=True, text=True)
    return done.stdout.strip() or "no commit"


class Rows(unittest.TestCase):
    requirements = requirements()
    changes = list(prove.changes())

    def test_each_change_fits_one_place_of_a_source_in_c(self):
        for change in self.changes:
            with self.subTest(f"wrong.tsv:{change.line}"):
                self.assertTrue(change.file.startswith("model/") and change.file.endswith(".c"))
                self.assertTrue(change.text())

    def test_each_names_requirements_that_a_test_in_c_checks(self):
        readers = prove.readers_of_vectors()
        for change in self.changes:
            for name in change.requirements:
                with self.subTest(f"wrong.tsv:{change.line}: {name}"):
                    self.assertTrue(prove.tests_of(self.requirements[name], readers))

    def test_no_share_falls(self):
        names = {name for change in self.changes for name in change.requirements}
        for what, rows, count in prove.shares(self.requirements, names):
            print(f"{what}: {count} of {rows} have a change that breaks them, {100 * count / rows:.1f} %")
            self.assertGreaterEqual(count, FLOORS[what], what)

    def test_a_sum_is_proved_with_its_parts(self):
        parts = {r.id for r in self.requirements.values() if r.id.startswith("DDP-8.3.1-") and r.checked_by}
        self.assertIn("DDP-8.3.1-0", prove.with_sums(self.requirements, parts))
        self.assertNotIn("DDP-8.3.1-0", prove.with_sums(self.requirements, parts - {"DDP-8.3.1-4"}))


@unittest.skipUnless((prove.BUILD / "libsupport.a").exists(), "nothing is built")
class Broken(unittest.TestCase):
    def test_their_tests_notice(self):
        names = sorted({name for change in Rows.changes for name in change.requirements})
        wanted = names if NIGHTLY else random.Random(commit()).sample(names, min(DRAWN, len(names)))
        some = [prove.Change(c.line, [n for n in c.requirements if n in wanted], c.file, c.old, c.new) for c in Rows.changes if set(c.requirements) & set(wanted)]
        proved, problems = prove.prove(Rows.requirements, some)
        self.assertEqual(problems, [])
        self.assertEqual(sorted(proved), sorted(wanted))

    def test_what_breaks_nothing_is_told(self):
        change = prove.Change(1, ["DDP-4.1-3"], "model/engine/transmit.c", "#include <string.h>", "#include <string.h>\n")
        proved, problems = prove.prove(Rows.requirements, [change])
        self.assertEqual((proved, len(problems)), ({}, 1))
        self.assertIn("no test that it names fails", problems[0])

    def test_what_does_not_compile_is_told(self):
        change = prove.Change(1, ["DDP-4.1-3"], "model/engine/transmit.c", "#include <string.h>", "#error")
        self.assertIn("does not compile", prove.prove(Rows.requirements, [change])[1][0])


if __name__ == "__main__":
    unittest.main()
