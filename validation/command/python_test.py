#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The Python reader (helpers/python): cells are of the types and values that the files have, units those of columns.tsv."""

import csv
import importlib.util
import subprocess
import sys
import unittest
from pathlib import Path

from run_test import TOP, Command

sys.dont_write_bytecode = True
sys.path.insert(0, str(TOP / "helpers/python"))
import iwarpsim

TEXT = """\
title: For the reader
payload: none
repeat: 2
workload: {kind: stream, op: write, size: 16KiB, count: 20}
sweep:
  topology.delay: [500ns, 10us]
  rnic.receive: [place, hold]
"""
COLUMNS = "name\tunit\tdefinition\nscenario\t\tits name\na.key\toctets\tswept\nrate\tGbps\ta rate\nlinks.csv link\t\tits number\nlinks.csv queue\toctets\twaiting\n"


class Reader(Command):
    def made(self, **files):
        for name, text in files.items():
            (self.folder / (name + (".tsv" if name == "columns" else ".csv"))).write_text(text)
        return self.folder

    def test_rows_are_those_of_the_file(self):
        out = self.run_to("out", TEXT, "--messages", "--links", "--jobs", 1)
        for name, read in (("results", iwarpsim.results), ("summary", iwarpsim.summary), ("messages", iwarpsim.messages), ("links", iwarpsim.links), ("costs", iwarpsim.costs)):
            table = read(out)
            with open(out / f"{name}.csv", newline="") as lines:
                raw = list(csv.DictReader(lines))
            self.assertEqual(len(table), len(raw), name)
            self.assertGreater(len(table), 0, name)
            for typed, cells in zip(table, raw):
                self.assertEqual(list(typed), list(cells))
                for column, cell in cells.items():
                    given = typed[column]
                    self.assertTrue(given is None if cell == "" else given == cell or float(cell) == given, (name, column, cell, given))

    def test_a_run_is_typed_and_has_its_units(self):
        runs = iwarpsim.results(self.run_to("out", TEXT, "--jobs", 1))
        self.assertEqual(sorted(set(runs.column("topology.delay"))), [0.5, 10.0])
        self.assertEqual(runs.units["topology.delay"], "us")
        self.assertEqual((runs.units["goodput_gbps"], runs.units["retransmits"], runs.units["rnic.receive"]), ("Gbps", "packets", ""))
        self.assertIn("payload octets placed", runs.definitions["goodput_gbps"])
        held = runs.where(rnic__receive="hold")
        self.assertEqual([run["rnic.receive"] for run in held], ["hold"] * 4)
        self.assertIs(type(held[0]["bytes"]), int)
        self.assertEqual(held[0]["bytes"], 20 * 16384)
        self.assertEqual(iwarpsim.manifest(self.folder / "out")["scenario"]["workload.size"], "16KiB")
        with self.assertRaisesRegex(KeyError, "goodput is not a column; there are scenario, "):
            runs.column("goodput")

    def test_types(self):
        rows = "scenario,point,a.key,rate,crc,empty\nx,4,1,1,true,\nx,4,-2,,false,\nx,4,,2.5,true,\n"
        table = iwarpsim.results(self.made(results=rows, columns=COLUMNS))
        self.assertEqual(list(table[0].values()), ["x", "4", 1, 1.0, True, None])
        self.assertEqual(list(table[1].values()), ["x", "4", -2, None, False, None])
        self.assertEqual([type(v) for v in table.column("rate")], [float, type(None), float])
        self.assertEqual(table.units, {"scenario": "", "point": "", "a.key": "octets", "rate": "Gbps", "crc": "", "empty": ""})

    def test_columns_of_another_file(self):
        table = iwarpsim.links(self.made(links="point,link,queue\nall,0,7\n", columns=COLUMNS))
        self.assertEqual((table.units["queue"], table.definitions["link"], table[0]), ("octets", "its number", {"point": "all", "link": 0, "queue": 7}))

    def test_only_ok(self):
        folder = self.made(results="status,rate\nok,1\nbroken,2\n", columns=COLUMNS)
        self.assertEqual(iwarpsim.results(folder, only_ok=True).column("rate"), [1])
        self.assertEqual(iwarpsim.results(folder).column("rate"), [1, 2])

    def test_a_file_of_no_rows(self):
        self.assertEqual(iwarpsim.results(self.made(results="scenario,rate\n", columns=COLUMNS)), [])

    def test_what_is_not_there_is_one_sentence(self):
        with self.assertRaisesRegex(FileNotFoundError, r"messages.csv is missing: `iwarpsim run --messages` writes it$"):
            iwarpsim.messages(self.folder)
        with self.assertRaisesRegex(FileNotFoundError, r"results.csv is missing: is this a folder of results\?$"):
            iwarpsim.results(self.folder)
        (self.folder / "results.partial.csv").touch()
        with self.assertRaisesRegex(FileNotFoundError, "the run has not ended"):
            iwarpsim.results(self.folder)
        with self.assertRaisesRegex(ValueError, "results.csv:3: 1 cells where the first line names 2 columns"):
            iwarpsim.results(self.made(results="a,b\n1,2\n3\n"))

    def test_a_frame_or_a_sentence(self):
        table = iwarpsim.results(self.made(results="scenario,rate\nx,1\nx,\n", columns=COLUMNS))
        if importlib.util.find_spec("pandas") is None:
            with self.assertRaisesRegex(ImportError, "Debian: python3-pandas"):
                table.frame()
            return
        frame = table.frame()
        self.assertEqual((frame.shape, frame.attrs["units"]["rate"]), ((2, 2), "Gbps"))
        self.assertTrue(frame["rate"].isna()[1])

    def test_the_readme_s_lines_run(self):
        self.run_to("results/window", TEXT, "--jobs", 1)
        text = (TOP / "helpers/python/README.md").read_text().split("```python\n")[1].split("```")[0]
        done = subprocess.run([sys.executable, "-c", text], cwd=self.folder, env={"PYTHONPATH": str(TOP / "helpers/python"), "PYTHONDONTWRITEBYTECODE": "1"},
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(len(done.stdout.splitlines()), 8 + 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + (sys.argv[1:] or ["Reader"]))
