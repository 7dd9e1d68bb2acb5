#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What ranks take in world ns3, and when they pay: ranks_bench.py [K [RANKS]...]      (needs an ns-3 with MPI)

A permutation of 200 kB each on a fat tree (K = 8: 128 hosts), by one process and by 2, 4 and 8 ranks, with links of 0.5, 1, 5 and 20 us.
All seconds are of CPU, so that ranks may share processors with each other and with other work:

    work       of events, in the rank that has most
    path       of events, of the busiest rank of each round, all rounds: no number of processors is faster
    hearing    what each rank hears and does again, whatever their number
    round      exchanges, and rounds of ns-3's own, at `each` per collective operation: the shortest of 100 runs of 50 (on the clock)
    predicted  path + hearing + rounds: on the clock, with a processor for each rank

It pays where `predicted` is less than the seconds of one process. `breaks even`: a collective operation may take so long."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from program import program

PROGRAM = program()
SCENARIO = """world: ns3
topology: {{kind: fat_tree, k: {k}, rate: 100Gbps, delay: {delay}, mtu: 1500, buffer: 1MiB}}
workload: {{kind: permutation, op: write, size: 200kB, count: 1, depth: 2}}
payload: none
limit: {{wall: 10000s}}
"""
PER_RUN, PER_EXCHANGE = 3, 1.5  # collective operations: of ns-3 in each round; headers, and in some the tells behind them


def run(scenario, ranks, folder):
    cost = folder / "cost"
    done = subprocess.run([PROGRAM, "run", scenario, "--point", "0", "--ranks", str(ranks), "--out", folder / f"out-{ranks}"], check=True, capture_output=True, text=True,
                          env={**os.environ, "IWARPSIM_RANKS_COST": str(cost)})
    if "one process runs it again" in done.stderr:
        sys.exit(done.stderr)
    costs = [dict((name, float(value)) for name, value in (line.split() for line in Path(f"{cost}-{rank}").read_text().splitlines())) for rank in range(ranks)] if ranks > 1 else []
    return done.stdout, costs


def one_process(scenario, folder):
    rows, _ = run(scenario, 1, folder)
    text = next((folder / "out-1/points").glob("*.row")).read_text()
    fields = next(line for line in text.splitlines() if line.count(",") == 8 and line.startswith("all,")).split(",")
    return rows, float(fields[2]), float(fields[4]) / 1e6


def main():
    k, *counts = [int(word) for word in sys.argv[1:]] or [8]
    print("delay   ranks    work    path  hearing  exchanges   runs  crossed   told/MB  each/us  predicted  breaks even/us  MB a rank")
    for delay in ("500ns", "1us", "5us", "20us"):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            scenario = folder / "s.yaml"
            scenario.write_text(SCENARIO.format(k=k, delay=delay))
            rows, alone, memory = one_process(scenario, folder)
            print(f"{delay:>6} {1:6}  {alone:6.2f}{'':79}{memory:7.0f}")
            for ranks in counts or (2, 4, 8):
                same, costs = run(scenario, ranks, folder)
                if same != rows:
                    sys.exit("the rows are NOT THE SAME")
                c = costs[0]
                hearing, most = max(x["hearing"] for x in costs), max(x["work"] for x in costs)
                operations = PER_RUN * c["runs"] + PER_EXCHANGE * c["exchanges"]
                predicted = c["longest"] + hearing + operations * c["together"]
                even = (alone - c["longest"] - hearing) / operations * 1e6
                print(f"{delay:>6} {ranks:6}  {most:6.2f}  {c['longest']:6.2f}  {hearing:7.3f}  {c['exchanges']:9.0f} {c['runs']:6.0f}  {sum(x['crossed'] for x in costs):7.0f}  {sum(x['told'] for x in costs) / 1e6:8.1f}  "
                      f"{c['together'] * 1e6:7.1f}  {predicted:9.2f}  {even:14.0f}  {max(x['rss'] for x in costs) / 1e3:9.0f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
