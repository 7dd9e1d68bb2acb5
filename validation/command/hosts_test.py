#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Adapters of some hosts: all of them together are the key without hosts, one that takes no part changes nothing, and a latency is
added where it was given and nowhere else; in both worlds of packets."""

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
topology: {kind: star, hosts: 6, rate: 100Gbps}
rnic: {preset: t6}
payload: none
%s
"""
SHUFFLE = STAR % "workload: {kind: shuffle, size: 20kB, count: 4, start_jitter: 3us}"
KEYS = {"stall": "rnic.stall.every: 20us, rnic.stall.for: 6us, rnic.stall.jitter: 2us", "latency": "rnic.rx.latency: 3us", "memory": "rnic.staging_bytes: 20KiB, rnic.pcie.credits: 4",
        "rate": "rnic.tx.rate: 20Gbps", "interrupts": "rnic.completion.mode: interrupt"}


def table(path):
    with open(path, newline="") as lines:
        return list(csv.DictReader(lines))


class Hosts(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="iwarpsim-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def run_of(self, text, out, *more):
        (self.folder / "hosts.yaml").write_text(text)
        done = subprocess.run([IWARPSIM, "run", "hosts.yaml", "--out", out, "--jobs", "1", *more], capture_output=True, text=True, timeout=300, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.folder / out

    def row(self, text, out, *more):
        return table(self.run_of(text, out, *more) / "results.csv")[0]

    def test_all_hosts_are_the_key_itself(self):
        for name, keys in KEYS.items():
            for world in ("fabric", "ns3"):
                of_all = self.row(SHUFFLE + f"{{{keys}}}\n"[1:-2].replace(", ", "\n") + "\n", f"{name}-all-{world}", "--set", f"world={world}")
                for lists in (("0-5",), ("0-2", "3", "4-5")):
                    hosts = "hosts: {%s}\n" % ", ".join(f"{one}: {{{keys}}}" for one in lists)
                    self.assertEqual(self.row(SHUFFLE + hosts, f"{name}-{len(lists)}-{world}", "--set", f"world={world}"), of_all, (name, lists))
            plain = self.row(SHUFFLE, f"{name}-plain")
            some = self.row(SHUFFLE + f"hosts: {{2: {{{keys}}}}}\n", f"{name}-some")
            self.assertNotEqual((plain["latency_mean_us"], plain["completion_us"]), (some["latency_mean_us"], some["completion_us"]), name)

    def test_who_takes_no_part_changes_nothing(self):
        two = STAR % "workload: {op: send, size: 20kB, count: 20}"
        plain = self.row(two, "plain")
        for name, keys in KEYS.items():
            self.assertEqual(self.row(two + f"hosts: {{2-5: {{{keys}}}}}\n", name), plain)

    def test_a_latency_is_added_where_it_is_given(self):
        """One Send, one packet: what its receiver's adapter takes longer is all that changes, and its sender's is another matter."""
        one = STAR % "workload: {kind: pingpong, op: send, size: 1KiB, count: 5}"
        latency = lambda out, more="": float(self.row(one + more, out)["latency_mean_us"])
        plain = latency("plain")
        self.assertAlmostEqual(latency("rx", "hosts: {0: {rnic.rx.latency: 2310ns}}\n") - plain, 1, places=6)  # half of two round trips' ends
        self.assertAlmostEqual(latency("tx", "hosts: {1: {rnic.tx.latency: 2310ns}}\n") - plain, 1, places=6)
        self.assertAlmostEqual(latency("both", "hosts: {0-1: {rnic.rx.latency: 2310ns}}\n") - plain, 2, places=6)
        self.assertAlmostEqual(latency("swept", "hosts: {0: {rnic.rx.latency: 310ns}}\n"), plain, places=6)

    def test_a_slow_host_is_waited_for(self):
        """An ideal stream's timeout, and its patience with a late packet, are of the slowest adapter: nothing is sent again for nothing."""
        ideal = STAR % "llp: {kind: ideal}\nworkload: {op: write, size: 20kB, count: 20}"
        for host in (0, 1):
            for key in ("rx.latency", "tx.latency"):
                row = self.row(ideal + f"hosts: {{{host}: {{rnic.{key}: 300us}}}}\n", f"slow-{host}-{key}")
                self.assertEqual((row["status"], row["retransmits"], row["timeouts"]), ("ok", "0", "0"), (host, key))

    def test_a_sweep_and_set(self):
        text = SHUFFLE + "hosts: {1: {rnic.stall.every: 20us}}\nsweep: {hosts.1.rnic.stall.for: [0ps, 5us, 15us]}\n"
        folder = self.run_of(text, "out")
        rows = table(folder / "results.csv")
        self.assertEqual([r["hosts.1.rnic.stall.for"] for r in rows], ["0", "5", "15"])
        times = [float(r["completion_us"]) for r in rows]
        self.assertEqual(times[2], max(times))
        self.assertGreater(times[2], 1.1 * times[0])
        alone = self.row(text, "alone", "--set", "hosts.1.rnic.stall.for=15us")
        self.assertEqual(alone["completion_us"], rows[2]["completion_us"])
        again = subprocess.run([IWARPSIM, "rerun", "out"], capture_output=True, text=True, cwd=self.folder)
        self.assertIn("identical", again.stdout)

    def test_threads_change_nothing(self):
        tree = SHUFFLE.replace("kind: star, hosts: 6", "kind: fat_tree, k: 4") + "hosts: {3: {%s}, 7-9: {%s}}\n" % (KEYS["stall"], KEYS["latency"])
        self.assertEqual(*((self.run_of(tree, f"t{n}", "--threads", n) / "results.csv").read_bytes() for n in ("1", "3")))


if __name__ == "__main__":
    unittest.main()
