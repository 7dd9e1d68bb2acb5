#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The manual with pages that run what they show: build.py PROGRAM OUT (`./waf manual`). manual.py makes it, with the first Python that
has Sphinx; without the engine for pages (helpers/live) the lessons' pages play, and run nothing."""

import subprocess
import sys
from pathlib import Path

HELPERS = Path(__file__).resolve().parents[1]


def has_sphinx(python):
    return subprocess.call([python, "-c", "import sphinx, myst_parser"], stderr=subprocess.DEVNULL) == 0


def main(program, out):
    python = next(filter(has_sphinx, (sys.executable, "/usr/bin/python3")), None)
    if not python:
        sys.exit("Sphinx or its reader of Markdown is missing (Debian: python3-sphinx python3-myst-parser)")
    subprocess.call([python, HELPERS / "live/build.py", Path(program).resolve().parent])
    return subprocess.call([python, HELPERS / "manual/manual.py", program, out])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
