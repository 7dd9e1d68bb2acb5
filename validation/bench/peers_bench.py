#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The same work in world fabric and in other packet simulators: HTSIM=FILE UEC=FILE peers_bench.py [ROUNDS]

HTSIM names csg-htsim's `htsim_roce` (one ECMP path, lossless), UEC uet-htsim's `htsim_uec` (NSCC, sprayed over 64 paths), each
built from its public source with -O3; ours is TCP with DCTCP on one ECMP path. One flow from each host of a fat tree of 100 Gb/s
with 1 us a hop, or an incast. All run in turn, in ROUNDS rounds (5): medians of CPU seconds, and of the ratios of each round.
A peer that leaves a flow unfinished ends the program. htsim acknowledges each packet and has counters for hosts; ours
acknowledges every second one, and has a protocol engine, MPA, TCP and an adapter.
"""

import os
import random
import resource
import statistics
import sys
import tempfile
from pathlib import Path

from fabric_scale import SCENARIO, cpu, run

JOBS = [  # hosts, k, octets, MTU, senders to one host or 0 for a permutation
    (128, 8, 1000000, 1500, 0),
    (128, 8, 1000000, 9000, 0),
    (1024, 16, 2000000, 4000, 0),
    (128, 8, 1000000, 1500, 32),
]
INCAST = ("workload: {{kind: permutation,", "workloads:\n  main: {{kind: incast, hosts: 0-{senders},")
PEERS = {"HTSIM": ["-strat", "ecmp_host", "-paths", "1"], "UEC": ["-sender_cc_algo", "nscc"]}


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    peers = {name: os.environ[name] for name in PEERS if Path(os.environ.get(name, "")).is_file()}
    if not peers:
        sys.exit("HTSIM and UEC name no program: nothing to compare with")
    print("\t".join(["hosts", "octets", "mtu", "flows", "iwarpsim_s"] + [x for name in peers for x in (f"{name}_s", "ratio")]))
    with tempfile.TemporaryDirectory() as folder:
        for job in JOBS:
            print("\t".join(measure(job, peers, rounds, Path(folder))), flush=True)


def measure(job, peers, rounds, folder):
    hosts, k, size, mtu, senders = job
    flows = [(host, 0) for host in range(1, senders + 1)] or permutation(hosts)
    scenario, matrix = folder / "ours.yaml", folder / "flows.cm"
    text = SCENARIO.replace(*INCAST) if senders else SCENARIO
    scenario.write_text(text.format(k=k, size=size, count=1, mtu=mtu, senders=senders))
    lines = [f"Nodes {hosts}", f"Connections {len(flows)}"] + [f"{a}->{b} start 0 size {size}" for a, b in flows]
    matrix.write_text("\n".join(lines) + "\n")
    times = []
    for turn in range(rounds):
        ours = run(scenario, folder / f"{hosts}-{mtu}-{senders}-{turn}")[0]
        times.append([ours] + [peer(name, peers[name], hosts, mtu, matrix, len(flows)) for name in peers])
    ours, *others = zip(*times)
    row = [str(hosts), str(size), str(mtu), str(len(flows)), f"{statistics.median(ours):.3f}"]
    for theirs in others:
        row += [f"{statistics.median(theirs):.3f}", f"{statistics.median(b / a for a, b in zip(ours, theirs)):.2f}"]
    return row


def permutation(hosts):
    """Whom each host sends to: nobody to itself."""
    drawn = random.Random(1)
    to = list(range(hosts))
    while any(a == b for a, b in enumerate(to)):
        drawn.shuffle(to)
    return list(enumerate(to))


def peer(name, program, hosts, mtu, matrix, flows):
    """CPU seconds of a peer, all of whose flows must finish."""
    log = matrix.with_suffix(".log")
    with open(log, "wb") as out:
        command = [program, "-nodes", hosts, "-tm", matrix, "-mtu", mtu, "-end", 100000, "-o", log.with_suffix(".out"), *PEERS[name]]
        seconds = cpu(command, out)
    if log.read_text(errors="replace").count(" finished at ") != flows:
        sys.exit(f"{name}: not all of {flows} flows finished")
    return seconds


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main()
