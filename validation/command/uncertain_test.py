#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Numbers of adapters that nobody published: what binds is named with its grade, and `run --uncertain` draws what ranges leave open."""

import csv
import json
import re
import unittest

from run_test import Command, iwarpsim

SMALL = """\
topology: {rate: 100Gbps, mtu: 9000}
llp: {congestion: "fixed:1MiB"}
rnic: {preset: t6}
workload: {op: write, size: 64B, count: 2000, depth: 128}
sweep: {workload.size: [64B, 512B]}
plot: {x: workload.size, y: goodput_gbps}
"""
# adapter, size -> what binds 4,000 Sends on one connection of 100 Gb/s, MTU 9000
BINDS = {("t5", "64B"): "cpu.post", ("t5", "512B"): "tx.rate", ("t5", "4KiB"): "tx.rate", ("t6", "64B"): "cpu.post", ("t6", "4KiB"): "tx.rate",
         ("e810", "512B"): "cpu.post", ("e810", "64KiB"): "tx.connection_rate", ("ne010", "64B"): "cpu.post", ("ne010", "64KiB"): "tx.rate",
         ("siw", "512B"): "cpu.wakeup", ("siw", "64KiB"): "cpu.segment"}


class Uncertain(Command):
    def table(self, *path):
        with open(self.folder.joinpath(*path), newline="") as file:
            return list(csv.DictReader(file))

    def number(self, scenario, draw, key):
        """What a draw gives a number, in ns."""
        told = iwarpsim("check", scenario, "--set", f"rnic.draw={draw}").stdout
        value, unit = re.search(rf"\b{re.escape(key)}=?[ :]*([0-9.]+)(ps|ns|us)\b", told).groups()
        return float(value) * {"ps": 1e-3, "ns": 1, "us": 1e3}[unit]

    def test_small_writes_go_at_the_rate_of_the_drawn_cpu(self):
        scenario = self.file(SMALL)
        done = iwarpsim("run", scenario, "--uncertain", "--out", self.folder / "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [r for r in self.table("out", "results.csv") if r["workload.size"] == "64"]
        self.assertEqual([r["rnic.draw"] for r in rows], [str(n) for n in range(21)])
        for row in rows:  # a draw with slow reads and few of them is bounded by PCIe, the others by the CPU
            told = iwarpsim("check", scenario, "--set", f"rnic.draw={row['rnic.draw']}").stdout
            name, gbps = re.search(r"adapter +rnic\.(\S+) binds: at most (\S+) Gbps", told).groups()
            self.assertAlmostEqual(float(row["goodput_gbps"]) / float(gbps), 1, delta=0.035, msg=row["rnic.draw"])
            if name.startswith("cpu."):
                each = self.number(scenario, row["rnic.draw"], "cpu.post") + self.number(scenario, row["rnic.draw"], "cpu.poll")
                self.assertAlmostEqual(float(gbps) * each / 512, 1, delta=0.001, msg=row["rnic.draw"])
        self.assertGreater(len({r["goodput_gbps"] for r in rows}), 5)
        manifest = json.loads((self.folder / "out" / "manifest.json").read_text())
        self.assertEqual(manifest["guesses"], {"points": 2, "of": 2, "numbers": "rnic.cpu.post"})
        self.assertIn("band.csv", [f["name"] for f in manifest["files"]] if isinstance(manifest["files"], list) else manifest["files"])
        self.assertEqual(iwarpsim("verify", self.folder / "out").returncode, 0)

    def test_the_band_is_the_least_and_greatest_of_the_draws(self):
        scenario = self.file(SMALL)
        iwarpsim("run", scenario, "--uncertain", "--set", "repeat=2", "--out", self.folder / "out")
        rows = self.table("out", "results.csv")
        band = {(b["workload.size"], b["column"]): b for b in self.table("out", "band.csv")}
        for size in ("64", "512"):
            for column in ("goodput_gbps", "latency_p50_us", "messages"):
                means = {}
                for r in rows:
                    if r["workload.size"] == size:
                        means.setdefault(r["rnic.draw"], []).append(float(r[column]))
                means = {draw: sum(v) / len(v) for draw, v in means.items()}
                b = band[size, column]
                self.assertEqual(b["draws"], "21")
                self.assertAlmostEqual(float(b["likely"]), means["0"], places=4)
                self.assertAlmostEqual(float(b["low"]), min(means.values()), places=4)
                self.assertAlmostEqual(float(b["high"]), max(means.values()), places=4)
                self.assertAlmostEqual(means[b["low_draw"]], min(means.values()), places=9)
                self.assertAlmostEqual(means[b["high_draw"]], max(means.values()), places=9)

    def test_the_figure_has_the_band_and_says_what_is_a_guess(self):
        iwarpsim("run", self.file(SMALL), "--uncertain", "--plot", "column", "--out", self.folder / "out")
        (figure,) = [p for p in (self.folder / "out").glob("*.tsv") if "band_low" in p.read_text()]
        lines = [line.split("\t") for line in figure.read_text().splitlines()]
        self.assertEqual(lines[0][-2:], ["band_low", "band_high"])
        band = {b["workload.size"]: b for b in self.table("out", "band.csv") if b["column"] == "goodput_gbps"}
        self.assertEqual([line[2] for line in lines[1:]], ["64", "512"])  # one curve
        for line in lines[1:]:
            self.assertAlmostEqual(float(line[-2]), float(band[line[2]]["low"]), places=4)
            self.assertAlmostEqual(float(line[-1]), float(band[line[2]]["high"]), places=4)
        script = " ".join(figure.with_suffix(".gp").read_text().split())
        self.assertIn("with filledcurves", script)
        self.assertIn("at 2 of 2 points what binds is a guess", re.sub(r'" \. "\\n" \. "', " ", script).replace("  ", " "))

    def test_the_same_seed_draws_the_same_and_another_seed_others(self):
        scenario = self.file(SMALL)
        texts = []
        for name, seed in (("a", 1), ("b", 1), ("c", 2)):
            iwarpsim("run", scenario, "--uncertain", "--set", f"seed={seed}", "--jobs", "1" if name == "a" else "2", "--out", self.folder / name)
            texts.append((self.folder / name / "band.csv").read_text())
        self.assertEqual(texts[0], texts[1])
        self.assertNotEqual(texts[0], texts[2])

    def test_without_it_there_is_no_band(self):
        iwarpsim("run", self.file(SMALL), "--out", self.folder / "out")
        self.assertFalse((self.folder / "out" / "band.csv").exists())

    def test_what_binds_is_named_and_is_what_a_run_measures(self):
        text = SMALL.replace("op: write", "op: send").replace("count: 2000", "count: 4000").replace("sweep: {workload.size: [64B, 512B]}\n", "")
        scenario = self.file(text)
        for (adapter, size), name in BINDS.items():
            sets = ["--set", f"rnic.preset={adapter}", "--set", f"workload.size={size}"]
            told = re.search(r"adapter +rnic\.(\S+) binds: at most (\S+) Gbps; (maker|others|derived|fitted|guess): \S", iwarpsim("check", scenario, *sets).stdout)
            self.assertEqual(told.group(1), name, (adapter, size))
            ran = re.search(r"steady_gbps +(\S+)", iwarpsim("run", scenario, *sets, "--point", "0").stdout)
            self.assertAlmostEqual(float(ran.group(1)) / float(told.group(2)), 1, delta=0.025, msg=(adapter, size))

    def test_what_several_segments_cores_or_walks_cost_is_what_a_run_measures(self):
        """Each key by its closed form: off it changes nothing, on it moves what binds. Gb/s by hand: 64 x 8 / 100 ns x cores."""
        text = SMALL.replace("sweep: {workload.size: [64B, 512B]}\n", "").replace("count: 2000", "count: 6000")
        scenario = self.file(text)
        slow = ["workload.size=8936B", "rnic.tx.segment=2us", "rnic.rx.segment=0ps", "workload.count=2000"]
        late = ["workload.size=8936B", "rnic.tx.segment=0ps", "rnic.rx.segment=2us", "workload.count=2000"]
        walk = ["workload.size=8936B", "rnic.iommu.walk=3us", "workload.count=8000", "workload.depth=1024"]
        octets, fpdu = 8936 * 8, (8936 + 14 + 6 + 3) // 4 * 4 * 0.08  # Gb of a message x ns; ns in a pipeline of 100 Gb/s
        cases = [(["rnic.cpu.cores=1"], 5.12), (["rnic.cpu.cores=2"], 10.24), (["rnic.cpu.cores=4", "rnic.pcie.reads=256", "workload.depth=1024"], 20.48),
                 (slow, octets / (2000 + fpdu)), (slow + ["rnic.tx.burst=4"], octets / (500 + fpdu)), (slow + ["rnic.tx.burst=16"], octets / (125 + fpdu)),
                 (late, octets / (2000 + fpdu)), (late + ["rnic.rx.coalesce=4"], octets / (500 + fpdu)),
                 (slow + ["rnic.tx.queues=4"], octets / (2000 + fpdu)), (slow + ["rnic.tx.queues=4", "workload.connections=3"], 3 * octets / (2000 + fpdu)),
                 (late + ["rnic.rx.queues=4", "workload.connections=2"], 2 * octets / (2000 + fpdu)),
                 (walk + ["rnic.iommu.miss=0.5"], octets / ((8936 + 35 * 24) * 130 / 128 / 16 + 3 * 0.5 * 3000)),
                 (walk + ["rnic.iommu.read_miss=0.5"], octets / ((8936 + 35 * 24) * 130 / 128 / 16 + 3 * 0.5 * 3000)),
                 (walk + ["rnic.iommu.miss=0.5", "rnic.pcie.ordering=relaxed", "rnic.window.bytes=8MiB", "rnic.staging_bytes=16MiB", "llp.congestion=fixed:8MiB"], octets / (15 + fpdu))]
        for sets, gbps in cases:
            arguments = [a for s in sets for a in ("--set", s)]
            told = re.search(r"adapter +rnic\.(\S+) binds: at most (\S+) Gbps", iwarpsim("check", scenario, *arguments).stdout)
            self.assertAlmostEqual(float(told.group(2)) / gbps, 1, delta=0.01, msg=sets)
            ran = re.search(r"goodput_gbps +(\S+)", iwarpsim("run", scenario, *arguments, "--point", "0").stdout)
            self.assertAlmostEqual(float(ran.group(1)) / gbps, 1, delta=0.04, msg=sets)

    def test_a_number_that_the_scenario_gives_is_no_guess(self):
        sets = ["--set", "rnic.cpu.post=70ns", "--set", "rnic.cpu.poll=10ns"]
        done = iwarpsim("run", self.file(SMALL), *sets, "--out", self.folder / "out")
        self.assertNotIn("guess", done.stderr)
        self.assertIn("rnic.cpu.post binds: at most 6.4 Gbps; the scenario gives it", iwarpsim("check", self.file(SMALL), *sets).stdout)
        self.assertRegex(iwarpsim("run", self.file(SMALL), "--out", self.folder / "guessed").stderr,
                         r"note: at 2 of 2 points what binds is a guess \(rnic\.cpu\.post\); `run --uncertain` draws")

    def test_what_cannot_be_drawn_is_refused(self):
        scenario = self.file(SMALL)
        ideal = iwarpsim("run", scenario, "--uncertain", "--set", "rnic.preset=ideal", "--out", self.folder / "out")
        self.assertEqual(ideal.returncode, 2)
        self.assertRegex(ideal.stderr, r"--uncertain needs an adapter with numbers to doubt: rnic\.preset is ideal\n$")
        point = iwarpsim("run", scenario, "--uncertain", "--point", "0")
        self.assertEqual(point.returncode, 2)
        self.assertIn("--uncertain do not go with --point", point.stderr)
        self.assertFalse((self.folder / "out").exists())


if __name__ == "__main__":
    unittest.main()
