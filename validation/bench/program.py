# SPDX-License-Identifier: GPL-2.0-or-later
"""The command that the scripts here measure: IWARPSIM, or build/whole/iwarpsim, the one that is installed and that `./waf bench` builds."""

import os
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]


def program():
    asked = os.environ.get("IWARPSIM")
    return Path(asked).absolute() if asked else with_worlds(TOP / "build/whole/iwarpsim")


def with_worlds(whole):
    """The programs of the other worlds belong beside it."""
    if not whole.exists():
        sys.exit(f"{whole.relative_to(TOP)} is missing: ./waf bench --target whole/iwarpsim builds it")
    for world in ("ns3", "simgrid"):
        other, link = TOP / f"build/iwarpsim-{world}", whole.with_name(f"iwarpsim-{world}")
        if other.exists() and not link.exists():
            link.symlink_to(os.path.relpath(other, whole.parent))
    return whole
