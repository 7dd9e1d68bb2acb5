#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The last line of a check says how many tests passed, failed and were skipped, which, and why."""

import contextlib
import io
import os
import sys
import unittest
import unittest.mock
from pathlib import Path

import runner

SOUND = "print('fine')"
WRONG = "import sys; sys.exit('no')"
WITHOUT = "import sys; print('siw_test: skipped: qemu is missing'); sys.exit(77)"
SILENT = "import sys; print('no ssh here'); sys.exit(77)"
OWN = "print('OK (skipped=2)')"
CASES = "print('[  PASSED  ] 3 test(s).\\n[  SKIPPED ] 1 test(s)\\nnot proved: that it rains (no sky)')"


def last_line(night, **programs):
    jobs, said = [runner.Job(name, [sys.executable, "-c", code]) for name, code in programs.items()], io.StringIO()
    environment = {"IWARPSIM_NIGHTLY": "1"} if night else {}
    with contextlib.redirect_stdout(said):
        code = runner.run(jobs, Path(__file__).parent, environment, 2)
    return code, said.getvalue().splitlines()[-1]


@unittest.mock.patch.dict(os.environ)
class LastLine(unittest.TestCase):
    def setUp(self):
        os.environ.pop("IWARPSIM_NIGHTLY", None)

    def test_names_what_failed_and_why_the_rest_was_skipped(self):
        self.assertEqual(last_line(False, a=SOUND, b=WRONG, c=WITHOUT, d=SILENT),
                         (1, "1 passed, 1 failed, 2 skipped; failed: b; skipped: c (qemu is missing), d (no ssh here)"))

    def test_says_no_more_when_all_passed(self):
        self.assertEqual(last_line(False, a=SOUND), (0, "1 passed, 0 failed"))

    def test_counts_cases(self):
        self.assertEqual(last_line(False, a=CASES), (0, "3 passed, 0 failed, 1 skipped; skipped: a (that it rains (no sky))"))

    def test_counts_at_night_what_a_script_skips_itself(self):
        self.assertEqual(last_line(False, a=OWN), (0, "1 passed, 0 failed"))
        self.assertEqual(last_line(True, a=OWN), (0, "1 passed, 0 failed, 2 skipped; skipped: a (2 of its tests)"))


if __name__ == "__main__":
    unittest.main()
