#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a sweep of many short points costs, the campaign whole: sweep_bench.py [--whole] [--jobs N]

A tenth of 100,000 points, `--whole`: all of them. A point is 8 Writes of 64 KiB in the packet world; the sweep goes over delays
and MTUs, so that no two are the same. Prints points, CPU seconds of all processes, seconds on the clock, and what that is for
100,000 points; by default on two jobs. Exit code 1: a point has no row.
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from program import program

PROGRAM = program()
SCENARIO = """title: many points
world: fabric
topology: {{rate: 100Gbps}}
workload: {{op: write, size: 64KiB, count: 8}}
payload: none
sweep:
  topology.delay: [{delays}]
  topology.mtu: [1500 .. 2499 by 1]
"""
ALL = 100000


def main(arguments):
    delays = 100 if "--whole" in arguments else 10
    jobs = arguments[arguments.index("--jobs") + 1] if "--jobs" in arguments else "2"
    with tempfile.TemporaryDirectory() as folder:
        scenario, out = Path(folder) / "many.yaml", Path(folder) / "out"
        scenario.write_text(SCENARIO.format(delays=f"1000ns .. {990 + 10 * delays}ns by 10ns"))
        began = time.monotonic()
        subprocess.run([PROGRAM, "run", scenario, "--out", out, "--jobs", jobs], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        took = time.monotonic() - began
        rows = sum(1 for _ in open(out / "results.csv")) - 1
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = used.ru_utime + used.ru_stime
    print("points\tjobs\tcpu_s\tclock_s\tfor_100000_cpu_s\tfor_100000_clock_s")
    print(f"{rows}\t{jobs}\t{cpu:.1f}\t{took:.1f}\t{cpu * ALL / rows:.0f}\t{took * ALL / rows:.0f}")
    return rows != 1000 * delays


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
