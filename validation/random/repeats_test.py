#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows of drawn scenarios with loss, reordering and copies, in which TCP's own counters must not contradict each other.

  repeats_test.py             50 seeds; with IWARPSIM_NIGHTLY 1,000
  repeats_test.py SEED        that one

What left again is lost, refused, needless or under way: the referee's law, which makes a row `broken`. Acknowledgements are not
lost here: what the sender learned is what the receivers know, but for what is under way when the run ends. Each run moves at least
20 times as much as the path holds.
"""

import os
import random
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from draw import yaml
from judge import Run

SEEDS = 1000 if os.environ.get("IWARPSIM_NIGHTLY") else 50


def draw(seed):
    r = random.Random(f"repeats {seed}")
    gbps, delay = r.choice([(10, 1), (10, 20), (10, 250), (100, 1), (100, 5), (100, 20), (100, 100), (400, 1), (400, 10)])
    mtu, size, congestion = r.choice([1500, 4200, 9000]), r.choice([16, 64, 256]), r.choice(["newreno", "cubic", "fixed:4MiB", "dctcp"])
    lateness = delay * 2 * 10 ** r.uniform(-2, 0.7)
    held = gbps * 1000 / 8 * (2 * delay + lateness)  # octets
    s = {"world": "fabric", "payload": "none", "seed": seed, "topology.kind": "link", "topology.rate": f"{gbps}Gbps",
         "topology.delay": f"{delay}us", "topology.mtu": f"{mtu}B", "llp.kind": "mpa", "llp.congestion": congestion,
         "llp.timestamps": r.choice(["true", "false"]), "rnic.window.policy": "constant", "rnic.window.bytes": "16MiB",
         "workload.kind": "stream", "workload.op": r.choice(["write", "send"]), "workload.size": f"{size}KiB",
         "workload.count": max(32, round(20 * held / (size * 1024))), "workload.depth": r.choice([4, 16, 256])}
    if s["workload.op"] == "send":
        s["workload.recv_depth"] = 2048
    if congestion == "dctcp":
        s["topology.ecn_threshold"] = "256KiB"
    s["channel.reorder.probability"] = r.choice([0.001, 0.01, 0.1, 0.5])
    s["channel.reorder.delay"] = f"{max(1, round(1000 * lateness))}ns"
    if r.random() < 0.5:
        s["channel.loss"] = r.choice([1e-4, 1e-3, 1e-2])
    if r.random() < 0.2:
        s["channel.duplicate"] = r.choice([1e-3, 1e-2])
    if r.random() < 0.2:
        s["llp.loss_detection"] = "dupack"
    return s, held / mtu


def contradictions(s, held, run):
    if run.code or run.row.get("status") != "ok":
        return [f"exit {run.code}, {run.row.get('status')}: {run.said[:300]}"]
    repeated, learned, needless, lost = (int(run.number(c)) for c in ("retransmits", "retransmits_spurious", "retransmits_needless", "drops_channel"))
    odd = []
    if repeated > lost + needless + held:
        odd.append(f"{repeated} repeated, {lost} lost, {needless} needless, {held:.0f} on the path")
    if needless > repeated or learned > repeated:
        odd.append(f"{repeated} repeated, {needless} needless, {learned} known to be")
    if "channel.duplicate" not in s and abs(learned - needless) > max(2, needless / 100) + held:
        odd.append(f"{needless} needless, {learned} known to be, {held:.0f} on the path")
    return odd


class Repeats(unittest.TestCase):
    def test_no_row_contradicts_its_own_counters(self):
        for seed in range(SEEDS):
            s, held = draw(seed)
            with self.subTest(seed):
                self.assertEqual(contradictions(s, held, Run(s)), [], yaml(s))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        s, held = draw(int(sys.argv[1]))
        run = Run(s)
        print(yaml(s), run.row, run.said, contradictions(s, held, run))
    else:
        unittest.main()
