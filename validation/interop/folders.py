# SPDX-License-Identifier: GPL-2.0-or-later
"""The captures of Linux siw: those of at most 32 kB are shipped, here and in captures/; a folder that IWARPSIM_CAPTURES names has the larger ones, too."""

import os
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
SHIPPED = [HERE, HERE / "captures"]
MORE = Path(os.environ.get("IWARPSIM_CAPTURES", HERE.parents[2] / "shared" / "captures"))


def shipped():
    return sorted((p for folder in SHIPPED for p in folder.glob("*.pcap")), key=lambda p: p.name)


def larger():
    """Those of the folder that are not shipped; none where it is not there."""
    names = {p.name for p in shipped()}
    return sorted(p for p in MORE.glob("*.pcap") if p.name not in names and not p.name.startswith(("moon", "siw")))


def named(name):
    """The capture of that name, or None."""
    return next((p for p in (folder / f"{name}.pcap" for folder in (*SHIPPED, MORE)) if p.exists()), None)


def not_proved(claim, why="no folder of larger captures, IWARPSIM_CAPTURES"):
    """Skips the test that calls it; what it prints, validation/runner.py repeats at the end of a check."""
    said = f"not proved: {claim} ({why})"
    print(said, flush=True)
    raise unittest.SkipTest(said)
