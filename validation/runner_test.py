#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The last line of a check says how many tests passed, failed and were skipped, which, and why."""

import contextlib
import io
import os
import sys
import time
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


class Limit(unittest.TestCase):
    def test_ends_what_the_program_began(self):
        for limit in (1, 8, 64):  # on a busy machine a shell takes seconds to say anything
            status, output, _ = runner.run_for(limit, ["sh", "-c", "sleep 100000 & echo $!; wait"])
            self.assertEqual((status, output.splitlines()[-1]), (124, f"stopped after {limit} s"))
            if output.split()[0].isdigit():
                break
        while is_there(int(output.split()[0])):
            time.sleep(0.1)  # a child that stays is a test that hangs


def is_there(child):
    """Not when nobody waited for it yet, which is state Z."""
    try:
        return Path(f"/proc/{child}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


if __name__ == "__main__":
    unittest.main()
