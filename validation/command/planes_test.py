#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""topology.kind planes: what is left when one of eight dies, and when it is back, against the closed form."""

import csv
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = Path(os.environ.get("IWARPSIM", TOP / "build/iwarpsim")).absolute()
RATE = 100 if os.environ.get("IWARPSIM_NIGHTLY") else 25  # Gb/s of each port: as many more packets
PLANES = 8
REVIVE = 200
HEADS = 4188 + 64 + 38  # octets of a full packet on the wire, and of the acknowledgement that another one asks of the same port
LINE = PLANES * PLANES * RATE * 4086 / HEADS  # of eight hosts
SCENARIO = f"""\
title: Planes
topology: {{kind: planes, hosts: 8, planes: {PLANES}, radix: 4, rate: {RATE}Gbps, rates.leaf: {4 * RATE}Gbps, delay: 500ns, mtu: 4150, routing: entropy}}
llp: {{kind: packet, recovery: rud, paths: 64, path_choice: retire, path_revive: {REVIVE}us, flight: 400, track: 1024}}
rnic: {{preset: ideal}}
payload: none
workload: {{kind: permutation, op: write, size: 1MiB, count: unlimited, depth: 4}}
"""
DIES, BACK = 300, 900


class Planes(unittest.TestCase):
    def run_of(self, start, end, *sets):
        with tempfile.TemporaryDirectory() as folder:
            file, out = Path(folder) / "planes.yaml", Path(folder) / "out"
            file.write_text(SCENARIO)
            more = [x for s in (f"measure.from={start}us", f"measure.for={end - start}us", *sets) for x in ("--set", s)]
            done = subprocess.run([IWARPSIM, "run", file, "--out", out, "--jobs", "1", "--flows", "--links", *more], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(out / "results.csv", newline="") as rows:
                return list(csv.DictReader(rows))

    def goodput(self, *args):
        return float(self.run_of(*args)[0]["goodput_gbps"])

    def test_all_planes_carry_the_line(self):
        self.assertAlmostEqual(self.goodput(DIES, DIES + 300) / LINE, 1, delta=0.002)

    def test_a_plane_that_dies_costs_its_share(self):
        """From 100 us later on; hosts see it at their own ports."""
        events = f"topology.events={DIES}us switch plane3.* down; {BACK}us switch plane3.* up"
        left = self.goodput(DIES + 100, BACK, events) / LINE / (7 / 8)
        self.assertTrue(0.99 < left < 1.001, left)
        self.assertGreater(self.goodput(BACK + REVIVE + 100, BACK + REVIVE + 300, events), 0.99 * LINE)

    def test_a_plane_whose_spines_die_is_retired(self):
        """What hosts do not see they learn from what is lost: a host whose peer is behind the spines has seven planes, another one all."""
        events = f"topology.events={DIES}us switch plane3.spine* down; {BACK}us switch plane3.spine* up"
        row = self.run_of(DIES + 100, BACK, events)[0]
        self.assertTrue(0.99 * 7 / 8 < float(row["flow_min_gbps"]) / LINE * 8 < 1.001 * 7 / 8, row["flow_min_gbps"])
        self.assertGreater(int(row["paths_retired"]), 0)
        row = self.run_of(BACK + REVIVE + 100, BACK + REVIVE + 300, events)[0]
        self.assertGreater(float(row["flow_min_gbps"]), 0.99 * LINE / 8)

    def test_random_loss_does_not_cost_retire_its_paths(self):
        retire, oblivious = self.run_of(0, 600, "channel.loss=0.001", "llp.path_choice=[retire, oblivious]")
        self.assertGreater(int(retire["paths_retired"]), 0)
        self.assertGreater(float(retire["goodput_gbps"]), 0.95 * float(oblivious["goodput_gbps"]))


if __name__ == "__main__":
    sys.exit(unittest.main())
