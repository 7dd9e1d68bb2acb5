#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""rnic.tx.queues: each transmit pipeline has its own turns. Connections are dealt out in turn, those alone at a pipeline have all of its
rate, and those that share one have equal parts of it, in both worlds of packets.

  pipelines_test.py [TEST]     needs IWARPSIM (or build/iwarpsim) and iwarpsim-ns3 beside it
"""

import csv
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = Path(os.environ.get("IWARPSIM", TOP / "build/iwarpsim")).absolute()
COUNT = 400
SCENARIO = f"""\
topology: {{rate: 100Gbps, mtu: 9000}}
llp: {{congestion: "fixed:1MiB"}}
rnic: {{preset: t6, tx.segment: 4us, tx.rate: 100Gbps}}
payload: none
workload: {{op: write, size: 8936B, count: {COUNT}, depth: 64}}
"""
EACH = 4 + (8936 + 14 + 6) * 8e-5  # us in a pipeline: the segment, and its FPDU at 100 Gb/s


class Pipelines(unittest.TestCase):
    def times(self, world, queues, connections):
        """When the last message of each connection was completed, in times of one connection alone."""
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "s.yaml").write_text(SCENARIO)
            sets = [w for s in (f"world={world}", f"rnic.tx.queues={queues}", f"workload.connections={connections}") for w in ("--set", s)]
            done = subprocess.run([IWARPSIM, "run", "s.yaml", "--out", "out", "--jobs", "1", "--messages", *sets], cwd=folder, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            last = [0] * connections
            with open(Path(folder) / "out/messages.csv", newline="") as lines:
                for m in csv.DictReader(lines):
                    last[int(m["conn"])] = max(last[int(m["conn"])], float(m["t_completed"]))
        return [t / (COUNT * EACH) for t in last]

    def shares(self, world, queues, connections, want):
        for got, shared in zip(self.times(world, queues, connections), want, strict=True):
            self.assertAlmostEqual(got / shared, 1, delta=0.06, msg=(world, queues, connections))

    def test_three_of_five_have_a_pipeline_of_their_own(self):
        for world in ("fabric", "ns3"):
            self.shares(world, 4, 5, [2, 1, 1, 1, 2])

    def test_one_pipeline_is_shared_by_all(self):
        self.shares("fabric", 1, 5, [5] * 5)
        self.shares("fabric", 2, 5, [3, 2, 3, 2, 3])
        self.shares("fabric", 4, 1, [1])


if __name__ == "__main__":
    unittest.main()
