#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The figures in plots/ are drawn from data that the scenarios still give, octet for octet; the pages say what the scenarios claim."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
QUICK = ["transport-classes", "greedy-tenant", "mtu-markers", "message-size-latency", "latency-stages", "memory-bus", "incast", "crc"]  # the others take longer: ./waf check --nightly


def world_of(name):
    text = (TOP / "scenarios" / f"{name}.yaml").read_text()
    return re.search(r"^world: (\w+)$", text, re.MULTILINE)[1]


def main():
    program = Path(os.environ.get("IWARPSIM", TOP / "build/iwarpsim"))
    if not shutil.which("gnuplot"):
        print("skipped: the figures need gnuplot")
        return 77
    names = sorted(p.parent.name for p in (TOP / "plots").glob("*/*.gp"))
    missing = [name for name in names if not (TOP / "scenarios" / f"{name}.yaml").exists()]
    if missing or not names:
        print(f"figures without a scenario: {missing}")
        return 1
    if subprocess.call([sys.executable, TOP / "plots/tables.py", "--check"]):
        return 1
    others = [world for world in ("ns3", "simgrid") if not Path(f"{program}-{world}").exists()]
    wanted = [name for name in (names if os.environ.get("IWARPSIM_NIGHTLY") else QUICK) if world_of(name) not in others]
    return subprocess.call([TOP / "plots/make.sh", "--check", *wanted], env={**os.environ, "IWARPSIM": str(program)})


if __name__ == "__main__":
    sys.exit(main())
