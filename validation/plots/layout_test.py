#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""No text of a figure touches another or is cut off: the shipped pictures, hand-written scripts and figures of `plot` at three sizes, the
questions' at night. Texts are found and measured by plots/boxes.py, whose faults are planted here."""

import html
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "plots"))
import boxes  # noqa: E402

IWARPSIM = Path(os.environ.get("IWARPSIM", TOP / "build/iwarpsim")).absolute()
NIGHTLY = os.environ.get("IWARPSIM_NIGHTLY")
SIZES = "column", "page", "slide"
QUICK = ["crc", "memory-bus", "transport-classes"]  # scripts written by hand; the others at night
FONT = boxes.found_font() and boxes.Font(boxes.found_font())

LONG = "A title of many words, as people write them who say all of it in a title, the numbers, the unit and what follows from them"
PATHS, SIZES_SWEPT = ["place", "hold", "discard", "copy"], ["1KiB", "9000B", "64KiB", "4MB", "2MiB"]
HEAD = "point,index,remark,rnic.receive,latency_p50_us,steady_gbps,status"


def text_at(x, y, words, turn=0, size=10, anchor="start"):
    return f'<g transform="translate({x},{y}) rotate({turn})" font-size="{size}" text-anchor="{anchor}">\n<text>{words}</text>\n</g>'


def picture(*texts):
    return '<svg viewBox="0 0 200 100">' + "".join(texts) + "</svg>"


@unittest.skipUnless(FONT, "needs the font DejaVu Sans (Debian: fonts-dejavu-core)")
class Boxes(unittest.TestCase):
    def test_a_text_is_as_wide_as_its_letters(self):
        self.assertAlmostEqual(FONT.width("MiB", 2048), 1767 + 569 + 1405, 0)  # of the font's table of widths
        self.assertAlmostEqual(FONT.width("\N{MICRO SIGN}", 2048), 1303, 0)

    def test_faults_are_found(self):
        for fault, *texts in (("touch", text_at(10, 50, "one"), text_at(28, 50, "two")),
                              ("touch", text_at(50, 50, "one"), text_at(50, 58, "two")),
                              ("touch", text_at(50, 50, "across"), text_at(60, 90, "upright and long", -90)),
                              ("leaves", text_at(190, 50, "edge")),
                              ("leaves", text_at(20, 50, "edge", anchor="end")),
                              ("leaves", text_at(20, 20, "upright and long", -90)),
                              ("no text",)):
            self.assertIn(fault, " ".join(boxes.faults_of(picture(*texts), FONT)), texts)

    def test_what_stands_apart_is_none(self):
        apart = picture(text_at(10, 50, "one"), text_at(40, 50, "two"), text_at(10, 65, "below"), text_at(150, 90, "upright", -90),
                        text_at(60, 90, "turned", -30), text_at(85, 90, "turned", -30))
        self.assertEqual(list(boxes.faults_of(apart, FONT)), [])


class Marks(unittest.TestCase):
    def test_no_shipped_picture_says_too_short(self):
        pictures = [path for folder in ("plots", "scenarios") for path in (TOP / folder).rglob("*.svg")]
        self.assertGreater(len(pictures), 40)
        self.assertEqual([path for path in pictures if "too short" in " ".join(re.sub("<[^>]*>", " ", path.read_text()).split())], [])


@unittest.skipUnless(FONT and shutil.which("gnuplot"), "needs gnuplot and the font DejaVu Sans")
class Figures(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="iwarpsim-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def assert_clear(self, path, name):
        self.assertEqual(list(boxes.faults_of(path.read_text(), FONT)), [], name)

    def run_quietly(self, *words, **more):
        done = subprocess.run(words, capture_output=True, text=True, timeout=600, **more)
        self.assertEqual(done.returncode, 0, done.stderr)

    def draw(self, script, size):
        """Only the picture that is judged."""
        self.run_quietly("gnuplot", "-d", "-e", f"kinds = 'svg'; size = '{size}'", script.name, cwd=script.parent)
        return script.with_suffix(".svg")

    def plot(self, folder, size, *words):
        """A figure of `plot`, whose gnuplot draws only the picture that is judged, and lets the others end as they must."""
        quick = self.folder / "bin" / "gnuplot"
        if not quick.exists():
            quick.parent.mkdir()
            quick.write_text(f"#!/bin/sh\nshift\n{shutil.which('gnuplot')} -d -e \"kinds = 'svg'\" \"$@\" && for kind in png pdf; do (cat figure.svg; echo 'IEND %%EOF') >figure.$kind; done\n")
            quick.chmod(0o755)
        self.run_quietly(IWARPSIM, "plot", folder, "--size", size, "--out", self.folder, "--name", "f", "--mixed", *words,
                         env={**os.environ, "PATH": f"{quick.parent}:{os.environ['PATH']}"})
        return self.folder / "f.svg"

    def test_shipped_pictures(self):
        for path in sorted((TOP / "plots").glob("*/*.svg")):
            self.assert_clear(path, path.name)

    def test_legends_are_whole(self):
        """gnuplot leaves out entries for which there is no room, and says nothing: those that a script takes from a list stand in its picture."""
        names = 0
        for path in sorted((TOP / "plots").glob("*/*.gp")):
            script, picture = path.read_text(), path.with_suffix(".svg")
            said = " ".join(html.unescape(re.sub("(?s)<title>.*?</title>|<[^>]*>", " ", picture.read_text())).split()) if picture.exists() else ""
            for name in set(re.findall(r"\btitle (\w+)\[", script)) & set(re.findall(r"(?m)^ *array (\w+)\[", script)):
                listed = re.search(rf"(?m)^ *array {name}\[\d+\] = \[(.*)\]$", script)
                for entry in re.findall(r"'([^']*)'", listed[1]):
                    self.assertIn(" ".join(entry.split()), said, path.name)
                    names += 1
        self.assertGreater(names, 50)

    def test_scripts_written_by_hand(self):
        shutil.copy(TOP / "plots/style.gp", self.folder)
        for path in sorted((TOP / "plots").glob("*/data.sh")):
            name = path.parent.name
            if not NIGHTLY and name not in QUICK:
                continue
            shutil.copytree(path.parent, self.folder / name)
            for size in SIZES:
                self.assert_clear(self.draw(self.folder / name / f"{name}.gp", size), f"{name} {size}")

    def given(self, title, swept, rows):
        """A folder whose rows were written by hand."""
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        (folder / "scenario.yaml").write_text(f"title: {title}\nworld: fabric\nworkload: {{kind: stream, op: write, size: 64B, count: 1}}\nsweep: {swept}\n")
        (folder / "m.csv").write_text("\n".join([HEAD, *(",".join(map(str, row)) for row in rows)]) + "\n")
        return folder

    def test_figures_of_plot(self):
        rows = [(f"{i}/{path}", i, f"remark number {i} of many", path, 40000 / (i + 1), 30000 * (i + 1), "ok") for i in range(12) for path in PATHS]
        folder = self.given(LONG, "{rnic.receive: [place, hold, discard, copy]}", rows)
        cases = [("--x", "index", "--y", "steady_gbps,latency_p50_us"), ("--x", "remark", "--y", "latency_p50_us"),
                 ("--x", "index", "--y", "latency_p50_us", "--logx", "true", "--logy", "true", "--by", "remark"),
                 ("--x", "rnic.receive", "--y", "steady_gbps,line_gbps", "--by", "remark"),
                 ("--x", "index", "--y", "latency_p50_us", "--panels", "rnic.receive", "--yrange", "10:39999", "--caption", "none")]
        for case in cases:
            for size in SIZES:
                self.assert_clear(self.plot(folder, size, "--table", "m.csv", *case), f"{size} {case}")

    def test_words_of_a_legend_stay_whole(self):
        """Whatever its widest entry is."""
        for widest in "0128", "1MiB", "WWWW", "three words here":
            by = ["1", "16", widest]
            rows = [(f"{i}/{b}", i, b, "place", 40 + i, 10 * i, "ok") for i in range(1, 4) for b in by]
            folder = self.given("Whole", "{rnic.receive: [place, hold]}", rows)
            texts = re.findall(r"<text>(.*?)</text>", self.plot(folder, "page", "--table", "m.csv", "--x", "index", "--y", "steady_gbps", "--by", "remark").read_text())
            self.assertLessEqual({f"place, {b}" for b in by}, set(texts))

    def test_units_of_axes(self):
        """Five digits have a larger unit, and the ticks of an axis of octets are read as they are written."""
        rows = [(f"{i}/place", 2 ** i, "x", "place", 40000, 24000, "ok") for i in range(4)]
        folder = self.given("Sums", "{rnic.receive: [place, hold]}", rows)
        texts = re.findall(r"<text>(.*?)</text>", self.plot(folder, "column", "--table", "m.csv", "--x", "index", "--y", "steady_gbps,latency_p50_us").read_text())
        for label in "Steady goodput (Tbps)", "Median latency (ms)", "20", "40":
            self.assertIn(label, texts)
        self.assertFalse([t for t in texts if re.fullmatch(r"\d{5,}", t)], texts)

    @unittest.skipUnless(NIGHTLY, "at night: all questions are run")
    def test_questions(self):
        for path in sorted((TOP / "scenarios/questions").glob("*.yaml")):
            self.run_quietly(IWARPSIM, "run", path, "--out", self.folder / path.stem)
            for size in SIZES:
                self.assert_clear(self.plot(self.folder / path.stem, size), f"{path.stem} {size}")


if __name__ == "__main__":
    unittest.main()
