#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Instructions and cold cache lines per received segment, counted by valgrind: cold.py build/validation/bench/scale_bench

Two runs that differ only in the number of segments are subtracted, so that set-up drops out. A cold line is a miss of
a last-level cache of 1 MiB, which 10,000 endpoints in turn do not fit into. The few instructions with which the bench
makes each header are counted too."""
import subprocess
import sys
import tempfile

FEW, MANY = 20000, 60000
CACHES = ["--cache-sim=yes", "--D1=32768,8,64", "--LL=1048576,16,64"]


def totals(program, endpoints, segments):
    with tempfile.NamedTemporaryFile() as out:
        command = ["valgrind", "--tool=cachegrind", *CACHES, f"--cachegrind-out-file={out.name}", program, str(endpoints), str(segments)]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        with open(out.name) as f:
            lines = f.read().splitlines()
    names = next(line for line in lines if line.startswith("events:")).split()[1:]
    values = next(line for line in lines if line.startswith("summary:")).split()[1:]
    return dict(zip(names, map(int, values)))


def per_segment(program, endpoints):
    few, many = totals(program, endpoints, FEW), totals(program, endpoints, MANY)
    return {name: (many[name] - few[name]) / (MANY - FEW) for name in many}


def main():
    one, crowd = per_segment(sys.argv[1], 1), per_segment(sys.argv[1], 10000)
    print(f"instructions per segment: 1 endpoint {one['Ir']:.1f}, 10000 endpoints in turn {crowd['Ir']:.1f}, ratio {crowd['Ir'] / one['Ir']:.3f}")
    print(f"cold cache lines per segment: 1 endpoint {one['DLmr'] + one['DLmw']:.2f}, 10000 in turn {crowd['DLmr'] + crowd['DLmw']:.2f}")


if __name__ == "__main__":
    main()
