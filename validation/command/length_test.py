#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How long a run is and how often a point is run: what is too short says so, in its row and in the figure."""

import csv
import os
import signal
import subprocess
import time
import unittest

from run_test import IWARPSIM, Command, iwarpsim

UNTIL = """\
world: fabric
topology: {rate: 10Gbps, delay: 5us, mtu: 1500}
workload: {kind: stream, op: write, size: 64KiB, count: 60}
payload: none
repeat: {until: 0.4%, of: goodput_gbps, most: 24}
sweep:
  rnic.receive: [place, discard]
  channel.loss: [0, 1e-3, 3e-3]
"""
T_975 = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093,
         2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042, 2.040, 2.037, 2.035, 2.032, 2.030, 2.028, 2.026, 2.024, 2.023]
LOSSY = "{world: fabric, topology: {rate: 10Gbps, delay: 20us}, channel: {loss: %s}, payload: none, workload: {op: write, size: 64KiB, count: %d}}"
SLOW = """\
world: fabric
topology: {rate: 100Gbps, delay: 150us, mtu: 9000}
rnic: {window: {bytes: 768KiB}}
workload: {op: write, size: 1MiB, count: %d, depth: 32}
payload: none
"""


def share(values):
    """Half of Student's 95 % interval of the mean, as a share of it."""
    n, mean = len(values), sum(values) / len(values)
    return T_975[n - 2] * (sum((v - mean) ** 2 for v in values) / (n - 1) / n) ** 0.5 / mean


class Until(Command):
    def results(self, name, *arguments):
        done = iwarpsim("run", self.file(UNTIL), "--out", self.folder / name, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_repeats_are_added_until_the_interval_is_narrow(self):
        self.results("o", "--jobs", 1)
        points = {}
        for row in self.rows(self.folder / "o"):
            points.setdefault(row["point"], []).append(float(row["goodput_gbps"]))
        self.assertEqual(len(points), 6)
        self.assertEqual(len(points["place/0"]), 6)
        self.assertTrue(any(6 < len(v) < 24 for v in points.values()), {p: len(v) for p, v in points.items()})
        for point, values in points.items():
            if len(values) < 24:
                self.assertLessEqual(share(values), 0.004, point)
            for n in range(6, len(values)):
                self.assertGreater(share(values[:n]), 0.00399, (point, n))
        self.assertEqual(iwarpsim("verify", self.folder / "o").returncode, 0)
        self.assertIn("identical", iwarpsim("rerun", self.folder / "o", "--jobs", 2).stdout)
        again = iwarpsim("compare", self.folder / "o", self.folder / "o", "--out", self.folder / "c")
        self.assertEqual(again.returncode, 0, again.stderr)

    def test_the_same_octets_however_it_is_run(self):
        self.results("one", "--jobs", 1)
        self.results("three", "--jobs", 3)
        killed = subprocess.Popen([IWARPSIM, "run", self.file(UNTIL), "--jobs", "2", "--out", self.folder / "killed"], stderr=subprocess.DEVNULL, start_new_session=True)
        for _ in range(500):
            if len(list((self.folder / "killed").glob("points/*.row"))) > 8 or killed.poll() is not None:
                break
            time.sleep(0.01)
        if killed.poll() is None:
            os.killpg(killed.pid, signal.SIGKILL)
        killed.wait()
        self.results("killed", "--jobs", 1)
        for name in ("results.csv", "summary.csv", "paired.csv", "dist/latency.csv"):
            octets = (self.folder / "one" / name).read_bytes()
            self.assertEqual(octets, (self.folder / "three" / name).read_bytes(), name)
            self.assertEqual(octets, (self.folder / "killed" / name).read_bytes(), name)

    def test_a_wide_interval_is_said_and_so_is_the_plan(self):
        done = iwarpsim("run", self.file(UNTIL), "--set", "repeat.until=0.0001%", "--set", "repeat.most=7", "--out", self.folder / "o")
        self.assertIn("4 points took repeat.most repeats, and the interval of goodput_gbps is wider still", done.stderr)
        plan = iwarpsim("check", self.file(UNTIL)).stdout
        self.assertIn("6 points, at most 24 repeats each", plan)
        self.assertIn("from 6 on until the 95 % interval of the mean of goodput_gbps is within 0.4 %", plan)
        self.assertEqual(len(self.rows(self.folder / "o")), 4 * 7 + 2 * 6)

    def test_what_makes_no_sense_is_refused(self):
        for change, words in ((("--set", "repeat.of=speed"), "repeat.of: 'speed' is no column of results.csv"),
                              (("--set", "repeat.until=-1%"), "repeat.until: '-1%' is too small"),
                              (("--shard", "1/2"), "--shard needs a fixed number of repeats")):
            done = iwarpsim("run", self.file(UNTIL), *change, "--out", self.folder / "o")
            self.assertEqual((done.returncode, words in done.stderr), (2, True), done.stderr)
        done = iwarpsim("check", self.file("{world: fabric, repeat: {most: 7}}"))
        self.assertIn("repeat.most: needs repeat.until", done.stderr)
        done = iwarpsim("run", self.file(UNTIL), "--set", "repeat=2", "--out", self.folder / "two")
        self.assertEqual((done.returncode, len(self.rows(self.folder / "two"))), (0, 12))


class Length(Command):
    def row(self, text, name, *arguments):
        done = iwarpsim("run", self.file(text), "--jobs", 1, "--out", self.folder / name, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.rows(self.folder / name)[0], done.stderr

    def test_what_chance_decides_is_marked_while_it_is_short(self):
        short, _ = self.row(LOSSY % ("1e-3", 200), "short")
        self.assertEqual(short["marked"], "1")
        self.assertGreater(float(short["steady_within"]), 0.02)
        many, _ = self.row(LOSSY % ("0.02", 4000), "many")
        self.assertGreater(int(many["drops_channel"]), 1000)
        self.assertEqual(many["marked"], "0")
        well, _ = self.row(LOSSY % ("1e-4", 4000), "well", "--set", "llp.congestion=fixed:1MiB")
        self.assertLess(int(well["drops_channel"]), 1000)
        self.assertGreater(int(well["drops_channel"]), 0)
        self.assertEqual((well["marked"], float(well["steady_within"]) < 0.02), ("0", True))
        clean, _ = self.row(LOSSY % ("0", 20), "clean")
        self.assertEqual((clean["marked"], clean["drops_channel"]), ("0", "0"))

    def test_a_rate_that_is_not_steady_is_left_out(self):
        for count, steady in ((10, False), (1000, True)):
            row, said = self.row(SLOW % count, f"slow{count}")
            self.assertEqual((bool(row["steady_gbps"]), row["retransmits"], row["status"]), (steady, "0", "ok"), row)
            self.assertEqual("steady_gbps is left out: of the last two eighths of the octets one came at " in said, not steady)
            self.assertTrue(row["goodput_gbps"])

    def test_the_figure_says_how_many(self):
        text = LOSSY.replace("channel: {loss: %s}, ", "") % 150 + "\nsweep: {channel.loss: [0, 1e-3, 3e-3]}\n"
        text = text.replace("{world", "world", 1).replace("count: 150}}", "count: 150}").replace(", topology", "\ntopology").replace(", payload", "\npayload").replace(", workload", "\nworkload")
        self.row(text, "o")
        marked = sum(row["marked"] == "1" for row in self.rows(self.folder / "o"))
        self.assertGreater(marked, 0)
        self.assertEqual(iwarpsim("plot", self.folder / "o", "--name", "f").returncode, 0)
        script = (self.folder / "o" / "f.gp").read_text()
        self.assertIn(f"{marked} of 3 runs are marked: too short for what chance decides", " ".join(script.split()))


if __name__ == "__main__":
    unittest.main()
