#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a simulation in the packet world costs: fabric_scale.py [--full] [--against PROGRAM] [--write]

CPU seconds, peak memory and cost of a packet on a link (the command whole: start, hosts with adapters and TCP, measuring,
results) for a permutation on fat trees of 128 to 8,192 hosts, and for 1,024 hosts that each send 100 Writes of 16 KiB.
--full: 8,192 hosts with 1 MB each, and 65,536 hosts with 64 KiB each. --against: another packet simulator, called as
PROGRAM K OCTETS COUNT MTU in turn with ours; the ratio of CPU seconds is printed. --write: keeps the numbers in
fabric-cost/cost.tsv, from which `gnuplot cost.gp` draws the figure there.
"""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
PROGRAM = Path(os.environ.get("IWARPSIM", TOP / "build/iwarpsim"))
SCENARIO = """title: cost
world: fabric
topology: {{kind: fat_tree, k: {k}, rate: 100Gbps, delay: 1us, mtu: {mtu}, buffer: 1MiB, ecn_threshold: 64KiB}}
llp: {{congestion: dctcp}}
workload: {{kind: permutation, op: write, size: {size}B, count: {count}, depth: 2}}
payload: none
limit: {{wall: 100000s}}
"""
ROUNDS = 3  # of which the median counts, for runs below ten seconds
JOBS = [(8, 1000000, 1, 1500), (16, 1000000, 1, 1500), (16, 16384, 100, 9000), (32, 65536, 1, 1500)]
LARGE = [(32, 1000000, 1, 1500), (64, 65536, 1, 1500)]


def main():
    other = sys.argv[sys.argv.index("--against") + 1] if "--against" in sys.argv else None
    print("hosts\toctets\tcount\tmtu\tcpu_s\tpeak_MB\tns_per_packet_hop" + ("\tother_cpu_s\tratio" if other else ""))
    rows = []
    for job in JOBS + (LARGE if "--full" in sys.argv else []):
        row = measure(job, other)
        rows.append(row)
        print("\t".join(str(x) for x in row), flush=True)
    if "--write" in sys.argv:
        lines = ["hosts\toctets\tcount\tmtu\tcpu_s\tpeak_MB\tns_per_packet_hop"] + ["\t".join(str(x) for x in r[:7]) for r in rows]
        (HERE / "fabric-cost/cost.tsv").write_text("\n".join(lines) + "\n")


def measure(job, other):
    k, size, count, mtu = job
    ours, theirs = [], []
    with tempfile.TemporaryDirectory() as folder:
        scenario = Path(folder) / "cost.yaml"
        scenario.write_text(SCENARIO.format(k=k, size=size, count=count, mtu=mtu))
        command = [str(PROGRAM), "run", str(scenario), "--point", "all", "--repeat", "0"]
        while not ours or (len(ours) < ROUNDS and ours[0][0] < 10):
            ours.append(cost(command))
            if other:
                theirs.append(cost([other, str(k), str(size), str(count), str(mtu)])[0])
    seconds, peak, events = sorted(ours)[len(ours) // 2]
    row = [k**3 // 4, size, count, mtu, f"{seconds:.2f}", f"{peak / 1000:.0f}", f"{seconds / events * 1e9:.0f}"]
    if other:
        floor = sorted(theirs)[len(theirs) // 2]
        row += [f"{floor:.2f}", f"{seconds / floor:.2f}"]
    return row


def cost(command):
    """(CPU seconds, peak kB, events) of a command that says how many events it had."""
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    text = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"{' '.join(command)}: failed")
    events = [line.split()[1] for line in text.splitlines() if line.startswith("events ")]
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss, int(events[0]) if events else 0


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main()
