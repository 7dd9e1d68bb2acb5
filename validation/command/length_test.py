#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How long a run is and how often a point is run: what is too short says so, in its row and in the figure."""

import os
import re
import signal
import subprocess
import time
import unittest
from pathlib import Path

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
        self.assertIn("4 points reached repeat.most, and the interval of goodput_gbps is still too wide", done.stderr)
        plan = iwarpsim("check", self.file(UNTIL)).stdout
        self.assertIn("6 points, at most 24 repeats each", plan)
        self.assertIn("from 6 on until the 95 % interval of the mean of goodput_gbps is within 0.4 %", plan)
        self.assertEqual(len(self.rows(self.folder / "o")), 4 * 7 + 2 * 6)

    def test_what_makes_no_sense_is_refused(self):
        for change, words in ((("--set", "repeat.of=speed"), "repeat.of: 'speed' is not a column of results.csv"),
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
        for repeats, counted in (("5", True), ("6", False)):
            self.row(text, repeats, "--set", f"repeat={repeats}")
            self.assertEqual(iwarpsim("plot", self.folder / repeats, "--name", "f").returncode, 0)
            self.assertEqual("runs are marked" in (self.folder / repeats / "f.gp").read_text(), counted, "with 6 a point shows its interval")


UNITS = {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "s": 1, "min": 60, "h": 3600, "us": 1e-6, "ms": 1e-3}
COST = re.compile(r"^cost: about ([\d.]+) (\w+) of CPU time, all runs together; ([\d.]+) (\w+) of memory, the largest; ([\d.]+) (\w+) of simulated time or more", re.M)
SCENARIOS = Path(__file__).parents[2] / "scenarios"
QUICK = ["mtu-markers", "incast", "security", "cluster-incast", "message-size-throughput", "spray"]
NIGHT = bool(os.environ.get("IWARPSIM_NIGHTLY"))


class Cost(Command):
    def foretold(self, path, *sets):
        """CPU seconds, octets, simulated seconds; None: unknown."""
        said = iwarpsim("check", path, *sets).stdout
        found = COST.search(said)
        if not found:
            self.assertRegex(said, "cost: unknown (for this workload|where packets are sprayed)")
            return None
        return [float(found[i]) * UNITS[found[i + 1]] for i in (1, 3, 5)]

    def measured(self, path, *sets):
        out = self.folder / path.stem
        done = subprocess.run([IWARPSIM, "run", path, "--jobs", "1", "--out", out, *sets], capture_output=True, text=True)  # the largest takes long
        self.assertIn(done.returncode, (0, 3), done.stderr)  # 3: streams ended, which is what some scenarios show
        costs = self.rows(out, "costs.csv")
        times = [float(row["completion_us"] or 0) / 1e6 for row in self.rows(out)]
        return [sum(float(row["cpu_s"]) for row in costs), max(float(row["peak_bytes"]) for row in costs), max(times)]

    def compare(self, name):
        path = SCENARIOS / f"{name}.yaml"
        if not self.is_built(path):
            return None
        told = self.foretold(path, "--set", "repeat=1")
        return told and [a / b for a, b in zip(told, self.measured(path, "--set", "repeat=1"))]

    def is_built(self, path):
        world = re.search(r"^world: (\w+)", path.read_text(), re.M)[1]
        return world == "fabric" or (Path(IWARPSIM).parent / f"iwarpsim-{world}").exists()

    def test_memory_and_simulated_time_come_near(self):
        for name in QUICK:
            ratios = self.compare(name)
            if ratios:
                self.assertTrue(0.5 < ratios[1] < 2, (name, ratios))
                self.assertLess(ratios[2], 1.05, (name, ratios))

    def test_packets_of_a_window_are_foretold(self):
        """What check says would be lost of them, against the segments that a run without loss has."""
        for name, load, loss in (("latency-load", 0.5, 0.1), ("latency-load", 0.9, 0.1), ("spray", None, 0.01)):
            path, window = SCENARIOS / f"{name}.yaml", ("--set", "repeat=1", "--set", "measure.from=1us", "--set", "measure.for=2ms")
            point = ("--set", f"workload.load={load}") if load else ("--set", "topology.routing=spray", "--set", "rnic.receive=place")
            foretold = re.search(r"about (\d+) packets will be lost", iwarpsim("check", path, *window, *point, "--set", f"channel.loss={loss}").stdout)
            out = self.folder / f"{name}-{load}"
            self.assertEqual(iwarpsim("run", path, *window, *point, "--out", out).returncode, 0)
            ratio = int(foretold[1]) / loss / int(self.rows(out)[0]["segments"])
            self.assertTrue(0.5 < ratio < 2, (name, load, ratio))

    @unittest.skipUnless(NIGHT, "at night: it runs every scenario that ships")
    def test_cost_is_foretold_within_a_factor_of_two(self):
        found = {path.stem: self.compare(path.stem) for path in sorted(SCENARIOS.glob("*.yaml"))}
        known = {name: ratios for name, ratios in found.items() if ratios}
        far = {name: ratios for name, ratios in known.items() if not all(0.5 < r < 2 for r in ratios[:2])}
        self.assertLessEqual(len(far), len(known) / 10, far)

    def test_what_is_not_known_is_said(self):
        self.assertIsNone(self.foretold(SCENARIOS / "terminate-tour.yaml"))
        spray = SCENARIOS / "cluster-spray.yaml"  # repetitions are nine tenths of one of its points
        self.assertIsNone(self.foretold(spray))
        self.assertTrue(self.foretold(spray, "--set", "rnic.receive=[place, hold]"))

    def test_losses_are_foretold(self):
        said = iwarpsim("check", self.file(LOSSY % ("1e-3", 200))).stdout
        found = re.search(r"about (\d+) packets will be lost: fewer than 1,000, so a run is marked .* workload.count (\d+) meets 1,000", said)
        self.assertAlmostEqual(int(found[1]) / (200 * 46 * 1e-3), 1, delta=0.2)
        self.assertAlmostEqual(int(found[2]) / (1000 / (46 * 1e-3)), 1, delta=0.2)
        self.assertNotIn("will be lost", iwarpsim("check", self.file(LOSSY % ("0.02", 4000))).stdout)

    def test_memory_does_not_grow_with_messages(self):
        text = "{world: fabric, payload: none, workload: {op: write, size: 1B, count: %d, depth: 64}, limit: {wall: 3600s}}"
        peaks = []
        for count in (1200000, 10000000 if NIGHT else 1800000):
            peaks.append(self.measured(Path(self.file(text % count, f"m{count}.yaml")))[1])
        self.assertLess(peaks[1], peaks[0] * 1.02)
        row = self.rows(self.folder / f"m{count}")[0]
        self.assertEqual((row["latency_n"], row["messages"]), (str(count), str(count)))
        self.assertLessEqual(float(row["latency_p50_us"]), float(row["latency_p99_us"]))


if __name__ == "__main__":
    unittest.main()
