#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a simulation in the packet world costs: fabric_scale.py [--full] [--write]

CPU seconds, peak memory and cost of a packet on a link (the command whole: start, hosts with adapters and TCP, measuring,
results) for a permutation on fat trees of 128 to 8,192 hosts, and for 1,024 hosts that each send 100 Writes of 16 KiB; beside
them, in turn, a prototype of 200 lines with the same engine and no adapter, whose source PWORLD names, and at 128 hosts world
ns3. --full: 8,192 hosts with 1 MB each, and 65,536 hosts with 64 KiB each. --write: keeps the numbers in fabric-cost/cost.tsv,
from which `gnuplot cost.gp` draws the figure there.
"""

import csv
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from program import program

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
PROGRAM = program()
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
HEAD = "hosts octets count mtu cpu_s peak_MB packet_hops ns_per_packet_hop prototype_cpu_s ratio ns3_cpu_s".split()


def main():
    with tempfile.TemporaryDirectory() as folder:
        other = prototype(Path(folder))
        print("\t".join(HEAD))
        rows = []
        for job in JOBS + (LARGE if "--full" in sys.argv else []):
            rows.append(measure(job, other, Path(folder)))
            print("\t".join(rows[-1]), flush=True)
    if "--write" in sys.argv:
        (HERE / "fabric-cost/cost.tsv").write_text("\n".join("\t".join(row) for row in [HEAD] + rows) + "\n")


def prototype(folder):
    """The program of the prototype, built now; None without it."""
    source = os.environ.get("PWORLD")
    if not source or not Path(source).is_file():
        print("PWORLD names no source of the prototype: it is left out")
        return None
    program = folder / "pworld"
    names = ["-Dmpa_next=mpa_take", "-Diw_acked=iw_note_acked"]  # that it knows under older ones
    subprocess.run(["gcc", "-O2", *names, f"-I{TOP}/model", f"-I{TOP}", source, TOP / "build/libiwarp.a", "-lisal", "-o", program], check=True)
    return program


def measure(job, other, folder):
    k, size, count, mtu = job
    ours, theirs = [], []
    scenario = folder / "cost.yaml"
    scenario.write_text(SCENARIO.format(k=k, size=size, count=count, mtu=mtu))
    while not ours or (len(ours) < ROUNDS and ours[0][0] < 10):
        ours.append(run(scenario, folder / f"{k}-{size}-{len(ours)}"))
        if other and k < 64:  # it has room for 32,768 hosts
            theirs.append(cpu([other, str(k), str(size), str(count), str(mtu)]))
    seconds, peak, hops = sorted(ours)[len(ours) // 2]
    row = [str(x) for x in (k**3 // 4, size, count, mtu, f"{seconds:.2f}", f"{peak / 1e6:.0f}", hops, f"{seconds / hops * 1e9:.0f}")]
    floor = sorted(theirs)[len(theirs) // 2] if theirs else None
    row += [f"{floor:.2f}", f"{seconds / floor:.2f}"] if floor else ["", ""]
    compared = k == 8 and Path(f"{PROGRAM}-ns3").exists()
    return row + [f"{run(scenario, folder / 'ns3', '--set', 'world=ns3')[0]:.2f}" if compared else ""]


def run(scenario, out, *more):
    """CPU seconds of the command, peak octets and packets on links of its point."""
    seconds = cpu([PROGRAM, "run", scenario, "--out", out, "--jobs", "1", *more])
    with open(out / "costs.csv", newline="") as lines:
        row, = csv.DictReader(lines)
    return seconds, int(row["peak_bytes"]), int(row["packet_hops"])


def cpu(command, out=subprocess.DEVNULL):
    child = subprocess.Popen([str(word) for word in command], stdout=out, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = status
    if status:
        sys.exit(f"{' '.join(map(str, command))}: failed")
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main()
