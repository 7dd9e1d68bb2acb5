# SPDX-License-Identifier: GPL-2.0-or-later
"""For tests of what not every machine has: run_tests() is their main(). A program whose tests were all skipped is skipped, with the reason."""

import sys
import unittest

SKIPPED = 77  # validation/runner.py


def run_tests(subject):
    result = unittest.main(verbosity=2 if "-v" in sys.argv else 1, exit=False).result
    if result.wasSuccessful() and result.skipped and result.testsRun in (0, len(result.skipped)):
        print(f"{subject} was not tried: {result.skipped[0][1]}", file=sys.stderr)
        return SKIPPED
    return 0 if result.wasSuccessful() else 1
