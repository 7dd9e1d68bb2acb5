#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a campaign costs beside its simulations: time per point, and memory of the runner against the number of points.

  campaign_bench.py [POINTS]     10,000; points that simulate one message in almost no time, so that what is left is overhead
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from program import program

IWARPSIM = str(program())

SCENARIO = """\
world: {world}
payload: none
repeat: {repeat}
workload: {{kind: pingpong, op: send, size: 64B, count: 1}}
sweep:
  topology.delay: [{delays}]
  topology.mtu: [{mtus}]
"""


def peak_kib(pid):
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


def measure(folder, world, points, jobs, repeat=1):
    a = max(1, int(points ** 0.5))
    b = points // a
    runs = a * b * repeat
    file = folder / f"{world}-{points}-{jobs}-{repeat}.yaml"
    file.write_text(SCENARIO.format(world=world, repeat=repeat, delays=", ".join(f"{n}ns" for n in range(1000, 1000 + a)),
                                    mtus=", ".join(str(1500 + 4 * n) for n in range(b))))
    before, start, peak = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic(), 0
    process = subprocess.Popen([IWARPSIM, "run", str(file), "--out", str(file.with_suffix("")), "--jobs", str(jobs)],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None:
        peak = max(peak, peak_kib(process.pid))
        time.sleep(0.05)
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert process.returncode == 0 and sum(1 for _ in open(file.with_suffix("") / "results.csv")) == runs + 1
    print(f"{world:5} {a * b:6} points, {repeat:2} repeat{'s' if repeat > 1 else ' '}, {jobs} job{'s' if jobs > 1 else ' '}: "
          f"{1e3 * wall / runs:6.1f} ms wall, {1e3 * cpu / runs:5.1f} ms CPU a run; runner's peak {peak / 1024:6.1f} MiB", flush=True)


def main():
    points = int(sys.argv[1]) if len(sys.argv) > 1 else 10000
    with tempfile.TemporaryDirectory() as folder:
        for n in (100, points // 10, points):
            measure(Path(folder), "fabric", n, 1)
        measure(Path(folder), "fabric", points // 10, 1, 10)
        for n in (points // 100, points // 10):
            measure(Path(folder), "fabric", n, 2)
        if Path(IWARPSIM + "-ns3").exists():
            measure(Path(folder), "ns3", 100, 1)


if __name__ == "__main__":
    main()
