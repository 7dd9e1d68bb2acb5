#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What flows that share links get, against a sum on paper that reads their paths: fixed windows over first-come queues.

    shares_test.py [-v]    four permutations of a fat tree of 16 hosts; at night 20, five of 128 hosts and one of 1,024

A window W is W = x (RTT + what its octets wait in queues, and what its acknowledgements wait on their way back), and a link has a queue only when
it is full: these equations have one solution. It is not max-min: a flow that crosses two full links waits in two queues. No line of iwarpsim is used.
"""

import csv
import os
import tempfile
import unittest
from pathlib import Path

from run_test import iwarpsim

NIGHTLY = "IWARPSIM_NIGHTLY" in os.environ
WINDOW, PAYLOAD, WIRE, ACK = 1 << 20, 4140, 4238, 78 / 2  # octets; of an acknowledgement for every other packet
RTT = 14.07  # us without load: six links of 1 us and their packets, there and back
SCENARIO = """\
topology: {kind: fat_tree, k: %d, rate: 100Gbps, delay: 1us, mtu: 4200, buffer: 256MiB}
llp: {congestion: 'fixed:1MiB'}
rnic: {window: {policy: constant, bytes: 64MiB}}
workload: {kind: permutation, size: 1MiB, count: unlimited, depth: 4}
payload: none
measure: {from: 2ms, for: 5ms}
limit: {wall: 3600s}
repeat: %d
"""


def table(path):
    with open(path, newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def shares(there, back, rate):
    """Gbps of each flow: the queues of links, in us, grow and shrink until none is over its rate."""
    queue = dict.fromkeys((link for path in there.values() for link in path), 0.0)
    for turn in range(3000):
        x = {f: WINDOW * 8e-3 / (RTT + sum(queue[link] for link in there[f]) + sum(queue.get(link, 0) for link in back[f])) for f in there}
        load = dict.fromkeys(queue, 0.0)
        for f, gbps in x.items():
            for link in there[f]:
                load[link] += gbps * WIRE / PAYLOAD
            for link in back[f]:
                load[link] = load.get(link, 0) + gbps * ACK / PAYLOAD
        for link in queue:
            queue[link] = max(0.0, queue[link] + 6 / (1 + turn / 500) * (load[link] / rate[link] - 1))
    return x


class Shares(unittest.TestCase):
    def judge(self, k, repeats, slowest):
        with tempfile.TemporaryDirectory(prefix="iwarpsim-") as folder:
            out, scenario = Path(folder) / "out", Path(folder) / "shares.yaml"
            scenario.write_text(SCENARIO % (k, repeats))
            done = iwarpsim("run", scenario, "--flows", "--links", "--out", out, timeout=3600)
            self.assertEqual(done.returncode, 0, done.stderr)
            links, rows, flows = table(out / "links.csv"), table(out / "results.csv"), table(out / "flows.csv")
        rate = {link["link"]: float(link["rate_gbps"]) for link in links if link["repeat"] == "0"}
        for row in rows:
            own = [f for f in flows if f["repeat"] == row["repeat"]]
            paper = shares({f["flow"]: f["links"].split() for f in own}, {f["flow"]: f["links_back"].split() for f in own}, rate).values()
            got = sorted(float(f["goodput_gbps"]) for f in own)
            with self.subTest(k=k, repeat=row["repeat"], mean=(sum(got) / sum(paper), "of paper"), slowest=got[0] / min(paper)):
                self.assertEqual((row["status"], row["drops_switch"]), ("ok", "0"))
                self.assertAlmostEqual(sum(got) / sum(paper), 1, delta=0.05)
                self.assertAlmostEqual(got[0] / min(paper), 1, delta=slowest)
                self.assertAlmostEqual(float(row["flow_mean_gbps"]), sum(got) / len(got), places=4)
                self.assertEqual(float(row["flow_p1_gbps"]), got[(len(got) - 1) // 100])
                self.assertAlmostEqual(float(row["flow_jain"]), sum(got) ** 2 / len(got) / sum(g * g for g in got), places=5)

    def test_a_fat_tree_of_16_hosts(self):
        self.judge(4, 20 if NIGHTLY else 4, 0.15)

    @unittest.skipUnless(NIGHTLY, "at night")
    def test_larger_fat_trees(self):
        self.judge(8, 5, 0.10)
        self.judge(16, 1, 0.10)


if __name__ == "__main__":
    unittest.main()
