#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The figures in plots/ are drawn from data that the scenarios still give, octet for octet."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
QUICK = ["transport-classes", "mtu-markers", "message-size-latency", "latency-stages", "memory-bus"]  # the others take longer: ./waf check --nightly


def main():
    program = Path(os.environ.get("IWARPSIM", TOP / "build/iwarpsim"))
    if not Path(f"{program}-ns3").exists() or not shutil.which("gnuplot"):
        print("skipped: the figures need ns-3 and gnuplot")
        return 77
    names = sorted(p.name for p in (TOP / "plots").iterdir() if p.is_dir())
    missing = [name for name in names if not (TOP / "scenarios" / f"{name}.yaml").exists()]
    if missing or not names:
        print(f"figures without a scenario: {missing}")
        return 1
    if not Path(f"{program}-simgrid").exists():
        names = [name for name in names if not name.startswith("cluster-")]  # they are SimGrid's
    wanted = names if os.environ.get("IWARPSIM_NIGHTLY") else QUICK
    return subprocess.call([TOP / "plots/make.sh", "--check", *wanted], env={**os.environ, "IWARPSIM": str(program)})


if __name__ == "__main__":
    sys.exit(main())
