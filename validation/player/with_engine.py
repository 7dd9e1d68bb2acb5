# SPDX-License-Identifier: GPL-2.0-or-later
"""What tests of pages in which the engine runs begin with: a browser, and the engine as it is now."""

import os
import sys
from pathlib import Path

import browser

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "helpers/live"))
import build as engine


def ready(program):
    """The folder for pictures that the command line names, or None. Without browser or compiler the test is skipped."""
    why = engine.missing() if browser.find() else "a live page is tested in a browser (Debian: chromium)"
    if why:
        print(f"skipped: {why}")
        sys.exit(1 if os.environ.get("CI") else 77)
    wrong = engine.build(Path(program).parent)
    if wrong:
        sys.exit(wrong)
    return sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else None
