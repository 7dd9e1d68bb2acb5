#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Cases: each gives the row of the scenario that states its keys alone, whatever the other cases state, and its name goes where a swept value goes.

The scenarios are drawn (validation/random/draw.py), some of their keys stated for all cases. With IWARPSIM_NIGHTLY many are. All cases have
the same workloads, so those of several are left out; and a run that the clock on the wall ends says how busy the machine is."""

import os
import random
import shutil
import sys
import unittest
from pathlib import Path

from run_test import Command, iwarpsim

sys.path.append(str(Path(__file__).resolve().parents[1] / "random"))
from draw import draw, yaml

DRAWS = 200 if "IWARPSIM_NIGHTLY" in os.environ else 8
NAMES = "iWARP", 'RoCE + "PFC", lossless'
APART = "scenario", "case", "point"  # what a row has of its scenario

SMALL = """\
payload: none
repeat: 6
workload: {op: write, size: 16KiB, count: 40}
channel.loss: 0.01
cases:
  iWARP:
  RoCE: {llp.kind: packet, llp.recovery: go_back_n}
  IRN: {llp: {kind: packet}, workload.depth: 4}
sweep: {workload.size: [4KiB, 16KiB]}
plot: {y: goodput_gbps}
"""


def indented(settings):
    return "".join("    " + line + "\n" for line in yaml(settings).splitlines())


class Cases(Command):
    def result(self, text, *args):
        out = self.folder / f"out{len(list(self.folder.iterdir()))}"
        done = iwarpsim("run", self.file(text, "drawn.yaml"), "--out", out, "--jobs", 1, *args)
        self.assertIn(done.returncode, (0, 2, 3), done.stderr + text)  # 3: a limit, or streams that end
        if done.returncode == 2:
            return ["refused"]
        return [{k: v for k, v in row.items() if k not in APART} for row in self.rows(out)]

    def test_a_case_is_what_its_keys_are_alone(self):
        for seed in range(DRAWS):
            one, two = draw(2 * seed, "fabric"), draw(2 * seed + 1, "fabric")
            if any(k.startswith("workloads.") for k in one | two):
                continue
            shared = {k: one[k] for k in one if one[k] == two.get(k) and random.Random(seed).random() < 0.5}
            cases = [{k: v for k, v in scenario.items() if k not in shared} for scenario in (one, two)]
            text = yaml(shared) + "cases:\n" + "".join(f"  '{name}':\n{indented(case)}" for name, case in zip(NAMES, cases))
            with self.subTest(seed=seed):
                both, alone = self.result(text), [self.result(yaml(scenario)) for scenario in (one, two)]
                if any(row != "refused" and row["status"] == "limit_wall" for row in sum(alone, both)):
                    continue
                self.assertEqual(both, ["refused"] if ["refused"] in alone else alone[0] + alone[1], text)
                if ["refused"] not in alone:
                    self.assertEqual(alone[1], self.result(text, "--set", f"case={NAMES[1]}"))

    def test_names_go_where_values_go(self):
        out = self.run_to("out", SMALL)
        rows = self.rows(out)
        self.assertEqual([(r["point"], r["case"]) for r in rows[::12]], [("iWARP/4KiB", "iWARP"), ("RoCE/4KiB", "RoCE"), ("IRN/4KiB", "IRN")])
        paired = {(r["key"], r["point"], r["against"]) for r in self.rows(out, "paired.csv")}
        self.assertIn(("case", "IRN/16KiB", "iWARP/16KiB"), paired)
        again = self.run_to("again", (out / "scenario.yaml").read_text())
        self.assertEqual([list(r.values())[1:] for r in rows], [list(r.values())[1:] for r in self.rows(again)])
        said = iwarpsim("check", self.folder / "small.yaml").stdout
        self.assertIn("  case IRN: llp.kind packet, workload.depth 4\n", said)

    def test_what_the_cases_draw_otherwise_is_not_paired(self):
        out = self.run_to("out", SMALL.replace("workload.depth: 4}", "channel.duplicate: 0.01}"))
        self.assertEqual({r["key"] for r in self.rows(out, "paired.csv")}, {"workload.size"})

    def test_shards_make_the_same(self):
        whole = self.run_to("whole", SMALL)
        for part in (2, 1):
            self.run_to("parts", SMALL, "--shard", f"{part}/2")
        done = iwarpsim("merge", self.folder / "parts")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((whole / "results.csv").read_bytes(), (self.folder / "parts/results.csv").read_bytes())

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is missing (Debian: gnuplot-nox)")
    def test_a_legend_has_the_names(self):
        out = self.run_to("out", SMALL)
        for options in ((), ("--by", "case"), ("--x", "case", "--by", "workload.size")):
            done = iwarpsim("plot", out, "--out", self.folder / "figure", *options)
            self.assertEqual(done.returncode, 0, done.stderr)
            figure = next((self.folder / "figure").glob("*.svg")).read_text()
            for name in ("iWARP", "RoCE", "IRN"):
                self.assertIn(f">{name}<", figure.replace("</tspan>", "<").replace(">\n", ">"), options)

    def test_results_with_and_without_cases_meet(self):
        one = self.run_to("one", SMALL)
        two = self.run_to("two", SMALL, "--set", "case=[IRN, iWARP]", "--set", "workload.count=30")
        done = iwarpsim("compare", one, two, "--out", self.folder / "c", "--y", "goodput_gbps")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("4 of 6 and 4 points match", done.stdout)


if __name__ == "__main__":
    unittest.main()
