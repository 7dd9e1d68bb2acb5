#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What threads bring in the packet world: threads_bench.py [THREADS [K]]

Seconds on the clock and of CPU for a permutation of 1 MB each on a fat tree (K = 16: 1,024 hosts), by one thread and by THREADS (2),
in turn, the median of three; whether the rows are the same; and the share of the work that one thread must do alone if all else
gains what threads are (Amdahl's law). The machine should have nothing else to do."""

import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from program import program

PROGRAM = program()
SCENARIO = """world: fabric
topology: {{kind: fat_tree, k: {k}, rate: 100Gbps, delay: 1us, mtu: 1500, buffer: 1MiB, ecn_threshold: 64KiB}}
llp: {{congestion: dctcp}}
workload: {{kind: permutation, op: write, size: 1MB, count: 1, depth: 2}}
payload: none
limit: {{wall: 10000s}}
"""
ROUNDS = 3


def run(scenario, threads):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    out = subprocess.run([PROGRAM, "run", scenario, "--point", "0", "--threads", str(threads)], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.monotonic() - start, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, out


def main():
    threads, k = (int(word) for word in (sys.argv[1:] + ["2", "16"][len(sys.argv) - 1:]))
    with tempfile.TemporaryDirectory() as folder:
        scenario = Path(folder) / "s.yaml"
        scenario.write_text(SCENARIO.format(k=k))
        runs = {n: [] for n in (1, threads)}
        for _ in range(ROUNDS):
            for n in runs:
                runs[n].append(run(scenario, n))
        clock = {n: statistics.median(r[0] for r in runs[n]) for n in runs}
        for n in runs:
            print(f"{k ** 3 // 4} hosts, {n} threads: {clock[n]:.2f} s on the clock, {statistics.median(r[1] for r in runs[n]):.2f} CPU s")
        same = len({r[2] for n in runs for r in runs[n]}) == 1
        gain = clock[1] / clock[threads]
        alone = (threads / gain - 1) / (threads - 1)
        print(f"{gain:.2f} times as fast: {100 * max(alone, 0):.1f} % of the work is one thread's; rows are {'the same' if same else 'NOT THE SAME'}")
        return not same


if __name__ == "__main__":
    sys.exit(main())
