#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""plot of a table of many rows: few points that stand for all of them, only the columns that are drawn, and a wrong name refused before
the rows are read. Medians and bands are derived here from the rows alone."""

import csv
import os
import random
import resource
import shutil
import statistics
import subprocess
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = Path(os.environ.get("IWARPSIM", TOP / "build/iwarpsim")).absolute()
SCENARIO = "title: Many\nworld: fabric\nworkload: {kind: stream, op: write, size: 64B, count: 1}\n"
MANY, MOST = 2000, 500


class Many(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="iwarpsim-"))
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "scenario.yaml").write_text(SCENARIO)

    def rows(self, rows, tail=""):
        lines = ["point,index,remark,latency,status", *(f'all,{x},"a, b",{y},ok' for x, y in rows)]
        (self.folder / "m.csv").write_text("\n".join(lines) + "\n" + tail)

    def plot(self, *words, x="index"):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([IWARPSIM, "plot", self.folder, "--table", "m.csv", "--x", x, "--name", "m", *words],
                              capture_output=True, text=True, timeout=120)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def points(self):
        with open(self.folder / "m.tsv", newline="") as lines:
            return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))

    @unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot here: nothing is drawn")
    def test_points_stand_for_all_rows(self):
        draw = random.Random(5)
        rows = [(x, draw.choice((1, 2, 5)) + x / 1e5) for x in range(100_000)]
        given = sorted(rows)
        draw.shuffle(rows)
        self.rows(rows)
        done, cpu = self.plot("--y", "latency")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(cpu, 3)  # 0.5; a search among all points for each row: minutes
        points, at = self.points(), 0
        self.assertLessEqual(len(points), MOST)
        for p in points:
            mine = given[at:at + int(p["n"])]
            values = [y for _, y in mine]
            self.assertIn(float(p["x"]), [x for x, _ in mine])
            self.assertAlmostEqual(float(p["median"]), statistics.median(values), 9)
            self.assertAlmostEqual(float(p["band_low"]), min(values), 9)
            self.assertAlmostEqual(float(p["band_high"]), max(values), 9)
            self.assertEqual((p["low"], p["high"], p["method"]), ("", "", "median of neighbours"))
            at += int(p["n"])
        self.assertEqual(at, len(rows))
        self.assertIn("curves of over 2000 places: medians of neighbours; band: least to greatest", (self.folder / "m.gp").read_text().replace('" . "\\n" . "', " "))

    @unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot here: nothing is drawn")
    def test_a_logarithmic_axis_has_points_in_each_decade(self):
        self.rows([(x, 1) for x in range(20_000)])
        done, _ = self.plot("--y", "latency", "--logx", "true")
        self.assertEqual(done.returncode, 0, done.stderr)
        places = [float(p["x"]) for p in self.points()]
        self.assertEqual(places, sorted(places))
        self.assertEqual(sum(int(p["n"]) for p in self.points()), 20_000)
        for low in 1, 10, 100, 1000:
            self.assertGreaterEqual(sum(low <= x < 10 * low for x in places), 9)

    @unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot here: nothing is drawn")
    def test_as_many_as_a_page_shows_stay(self):
        self.rows([(x, x % 3) for x in range(MANY)])
        done, _ = self.plot("--y", "latency")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([(int(p["x"]), int(p["median"])) for p in self.points()], [(x, x % 3) for x in range(MANY)])
        self.assertNotIn("band_low", self.points()[0])

    def test_a_wrong_name_is_refused_before_the_rows_are_read(self):
        self.rows([(1, 1)], tail="only,two\n")
        done, _ = self.plot("--y", "latenc")
        self.assertEqual(done.returncode, 2)
        self.assertIn("m.csv has no column 'latenc' for --y", done.stderr)
        done, _ = self.plot("--y", "latency")
        self.assertEqual(done.returncode, 2)
        self.assertIn("line 3 is not a row of its table", done.stderr)


if __name__ == "__main__":
    unittest.main()
