#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Two results, point by point: what matches, what is paired, and whether the intervals are right."""

import math
import shutil
import statistics
import unittest

from run_test import Command, iwarpsim

LOSSY = """\
world: fabric
payload: none
repeat: 6
topology: {mtu: 1500}
channel: {loss: 0.01}
workload: {kind: stream, op: write, size: 16KiB, count: 60}
sweep: {rnic.window.bytes: [16KiB, 64KiB, 256KiB]}
"""
STUDENT_5 = 2.5705818366147395  # of 5 degrees of freedom, 97.5 %


@unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is missing (Debian: gnuplot-nox)")
class Compare(Command):
    def compare(self, a, b, *args):
        done = iwarpsim("compare", a, b, "--out", self.folder / "c", *args)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = {(r["rnic.window.bytes"], r["column"]): r for r in self.rows(self.folder / "c", "compare.csv")}
        return rows, done.stdout

    def values(self, folder, window, column="goodput_gbps"):
        return [float(r[column]) for r in self.rows(folder) if r["rnic.window.bytes"] == window]

    def test_repeats_of_one_seed_are_paired(self):
        a = self.run_to("a", LOSSY)
        b = self.run_to("b", LOSSY.replace("[16KiB, 64KiB, 256KiB]", "[1MiB, 256KiB, 64KiB]").replace("payload: none", "payload: none\nllp: {markers: true}"))
        rows, said = self.compare(a, b, "--y", "goodput_gbps")
        self.assertIn("2 of 3 and 3 points match", said)
        self.assertEqual({w for w, _ in rows}, {"65536", "262144"})
        row = rows["65536", "goodput_gbps"]
        differences = [y - x for x, y in zip(self.values(a, "65536"), self.values(b, "65536"))]
        mean, half = statistics.mean(differences), STUDENT_5 * statistics.stdev(differences) / math.sqrt(6)
        self.assertEqual((row["method"], row["n_first"], row["n_second"]), ("paired by seed", "6", "6"))
        for cell, want in (("difference", mean), ("low", mean - half), ("high", mean + half)):
            self.assertAlmostEqual(float(row[cell]), want, places=6, msg=cell)
        for ending in ("svg", "png", "pdf", "gp", "tsv"):
            self.assertGreater((self.folder / "c" / f"compare.{ending}").stat().st_size, 100)

    def test_other_seeds_are_not_paired(self):
        a, b = self.run_to("a", LOSSY), self.run_to("b", LOSSY + "seed: 7\n")
        row = self.compare(a, b)[0]["65536", "goodput_gbps"]
        x, y = self.values(a, "65536"), self.values(b, "65536")
        self.assertEqual(row["method"], "unpaired")
        self.assertAlmostEqual(float(row["difference"]), statistics.mean(y) - statistics.mean(x), places=6)
        self.assertLess(float(row["low"]), float(row["difference"]))

    def test_a_result_differs_from_itself_by_nothing(self):
        a = self.run_to("a", LOSSY)
        rows, said = self.compare(a, a)
        self.assertEqual({r["difference"] for r in rows.values()}, {"0"})
        self.assertNotIn("differs", said)

    def test_a_key_that_one_sweeps_matches_where_the_other_has_it(self):
        a = self.run_to("a", LOSSY)
        b = self.run_to("b", LOSSY.replace("sweep: {rnic.window.bytes: [16KiB, 64KiB, 256KiB]}", "rnic: {window: {bytes: 64KiB}}"))
        rows, said = self.compare(a, b)
        self.assertIn("1 of 3 and 1 points match", said)
        self.assertEqual({r["difference"] for r in rows.values()}, {"0"})

    def test_wrong_wishes_are_refused(self):
        a = self.run_to("a", LOSSY)
        b = self.run_to("b", LOSSY.replace("[16KiB, 64KiB, 256KiB]", "[1MiB]"))
        for args in ([a], [a, a, a], [a, self.folder], [a, b], [a, a, "--y", "speed"]):
            done = iwarpsim("compare", *args, "--out", self.folder / "c")
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), (args, done.stderr))
            self.assertFalse((self.folder / "c" / "compare.csv").exists())


if __name__ == "__main__":
    unittest.main()
