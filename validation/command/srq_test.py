#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""rnic.srq: how many shared buffers messages have at a time, counted by hand; a host whose buffers are too few ends streams, one whose
buffers come back serves any number of messages; any number of threads gives the same rows.

  srq_test.py [TEST]     needs IWARPSIM (or build/iwarpsim)
"""

import csv
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = Path(os.environ.get("IWARPSIM", TOP / "build/iwarpsim")).absolute()
STAR = """\
topology: {kind: star, hosts: %d, rate: 100Gbps}
rnic: {srq: 64}
payload: none
workload: {kind: incast, op: send, size: 1MB, count: 3}
"""
TREE = """\
topology: {kind: fat_tree, k: 4, rate: 100Gbps, delay: 1us}
channel: {loss: 5e-3, duplicate: 1e-3}
rnic: {srq: 64}
payload: %s
workload: {kind: %s, op: send, size: 200kB, count: 6, depth: 4}
"""


def table(path):
    with open(path, newline="") as lines:
        return list(csv.DictReader(lines))


class SharedReceives(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="iwarpsim-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def run_of(self, text, out, *sets, more=(), code=0):
        (self.folder / "s.yaml").write_text(text)
        words = [w for s in sets for w in ("--set", s)]
        done = subprocess.run([IWARPSIM, "run", "s.yaml", "--out", out, "--jobs", "1", "--messages", *words, *more], cwd=self.folder, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertNotIn("run again", done.stderr)  # several threads: they told the trial what one would
        return self.folder / out

    def row(self, *of, **more):
        return table(self.run_of(*of, **more) / "results.csv")[0]

    def test_the_most_in_use_is_counted_by_hand(self):
        """Senders of large messages all begin before the first ends: one buffer of each. One sender's messages come one after the other."""
        for senders in (1, 4, 9):
            row = self.row(STAR % (senders + 1), f"of-{senders}", "workload.depth=1")
            self.assertEqual((row["status"], row["messages"], row["shared_peak_buffers"]), ("ok", str(3 * senders), str(senders)))
        self.assertEqual(self.row(STAR % 2, "deep", "workload.depth=3")["shared_peak_buffers"], "1")
        self.assertEqual(self.row(STAR % 2, "own", "rnic.srq=off")["shared_peak_buffers"], "")

    def test_what_comes_back_is_enough_for_any_number(self):
        """As many buffers as senders serve 40 messages of each, and one buffer less does not: somebody's stream ends."""
        text = (STAR % 5).replace("count: 3", "count: 40, depth: 1").replace("1MB", "100kB")
        row = self.row(text, "enough", "rnic.srq=4")
        self.assertEqual((row["status"], row["messages"], row["terminates"], row["shared_peak_buffers"]), ("ok", "160", "0", "4"))
        row = self.row(text, "few", "rnic.srq=3", code=3)
        self.assertEqual((row["status"], row["shared_peak_buffers"]), ("ended", "3"))
        self.assertGreater(int(row["terminates"]), 0)

    def test_a_late_start_and_a_choice_of_hosts_change_nothing(self):
        """Receivers have other numbers in the network than in the workload, and the same buffers."""
        rows = [self.row(STAR % 5, out, "workload.depth=1", *sets) for out, sets in (("all", ()), ("late", ("workload.start=1us",)), ("turned", ("workload.hosts=4 0-3",)))]
        for row in rows:
            self.assertEqual((row["status"], row["messages"], row["shared_peak_buffers"]), ("ok", "12", "4"))
        self.assertEqual(len({row["completion_us"] for row in rows}), 1)

    def test_threads_change_nothing(self):
        """Lost packets, so that messages take buffers out of their order; a message is found by its MSN, in whichever buffer it is."""
        for kind, payload in (("incast", "none"), ("shuffle", "none"), ("incast", "real")):
            folders = [self.run_of(TREE % (payload, kind), f"{kind}-{payload}-{n}", more=("--threads", str(n))) for n in (1, 2, 3, 4)]
            for name in ("results.csv", "messages.csv"):
                self.assertEqual(len({(folder / name).read_bytes() for folder in folders}), 1, (kind, payload, name))
            row = table(folders[0] / "results.csv")[0]
            self.assertEqual((row["status"], row["messages_wrong"], row["messages"]), ("ok", "0", row["messages_posted"]))
            self.assertGreater(int(row["segments_ooo"]), 50)
            first = [(float(m["t_post"]), float(m["t_first_placed"]), float(m["t_last_placed"]), float(m["t_completed"])) for m in table(folders[3] / "messages.csv")]
            self.assertTrue(all(list(times) == sorted(times) for times in first))


if __name__ == "__main__":
    unittest.main()
