#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""`run --columns`: what is read back from its files is the CSV that the same run writes, by each reader; what is cut or damaged is refused."""

import shutil
import subprocess
import sys
import unittest

from run_test import IWARPSIM, TOP, Command

sys.dont_write_bytecode = True
sys.path.insert(0, str(TOP / "helpers/python"))
import iwarpsim

TEXT = """\
title: For readers of columns
workload: {op: send, size: 3KiB, count: 12}
channel: {loss: 0.02}
sweep:
  topology.delay: [500ns, 10us]
"""


@unittest.skipUnless(shutil.which("zstd"), "zstd is missing")
class Columns(Command):
    def both(self, text, *options):
        return self.run_to("csv", text, *options), self.run_to("cols", text, *options, "--columns")

    def test_python_makes_the_csv_of_the_run(self):
        csv, cols = self.both(TEXT, "--trace", "--messages", "--jobs", 2)
        self.assertEqual(iwarpsim.columns(cols / "messages.cols"), (csv / "messages.csv").read_text())
        self.assertEqual(iwarpsim.messages(cols), iwarpsim.messages(csv))
        self.assertEqual(iwarpsim.trace(cols, "10us-r0"), iwarpsim.trace(csv, "10us-r0"))
        self.assertEqual(iwarpsim.trace(cols, "10us-r0").units["cwnd"], "octets")
        for name in ("500ns-r0", "10us-r0"):
            self.assertEqual(iwarpsim.columns(cols / f"trace/{name}.cols"), (csv / f"trace/{name}.csv").read_text())
        self.assertEqual((csv / "results.csv").read_bytes(), (cols / "results.csv").read_bytes())
        self.assertFalse((cols / "messages.csv").exists())

    def test_it_is_told_and_drawn_alike(self):
        csv, cols = self.both(TEXT, "--trace", "--messages", "--jobs", 2)
        told = [self.says("explain", folder / f"trace/10us-r0.{kind}") for folder, kind in ((csv, "csv"), (cols, "cols"))]
        self.assertGreater(len(told[0].splitlines()), 100)
        self.assertEqual(told[0].splitlines()[1:], told[1].splitlines()[1:])
        for folder, table in ((csv, "messages.csv"), (cols, "messages.cols")):
            self.says("plot", folder, "--table", table, "--x", "index", "--y", "latency", "--name", "drawn")
        self.assertEqual((csv / "drawn.tsv").read_text(), (cols / "drawn.tsv").read_text())
        refused = self.command("plot", cols, "--table", "messages.csv")
        self.assertEqual((refused.returncode, refused.stderr), (2, f"iwarpsim plot: {cols}/messages.csv is not there; the run wrote this table as columns: --table messages.cols\n"))
        self.assertNotIn("did you mean", self.command("plot", cols, "--table", "messages.cols", "--y", "steady_gbps").stderr)

    def test_a_folder_with_columns_is_as_good_as_another(self):
        whole = self.run_to("whole", TEXT, "--trace", "--messages", "--columns")
        for part in (1, 2):
            self.run_to("parts", TEXT, "--trace", "--messages", "--columns", "--shard", f"{part}/2")
        self.says("merge", self.folder / "parts")
        for name in ("messages.cols", "trace/10us-r0.cols"):
            self.assertEqual((whole / name).read_bytes(), (self.folder / "parts" / name).read_bytes(), name)
        self.says("verify", whole)
        self.says("rerun", whole)

    def test_what_is_cut_or_damaged_is_refused_in_a_sentence(self):
        cols = self.run_to("cols", TEXT, "--trace", "--messages", "--columns")
        path = cols / "trace/10us-r0.cols"
        octets = path.read_bytes()
        for damaged in (octets[:-1], octets[:-12], octets[:300], octets[:600] + bytes([octets[600] ^ 1]) + octets[601:], octets + b"x"):
            path.write_bytes(damaged)
            done = self.command("explain", path)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
            self.assertIn("is damaged or cut", done.stderr)
            with self.assertRaises(ValueError):
                iwarpsim.columns(path)

    def test_columns_are_of_a_trace_or_messages(self):
        done = self.command("run", "x.yaml", "--columns")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--columns needs --trace or --messages", done.stderr)

    def says(self, *words):
        done = self.command(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def command(self, *words):
        return subprocess.run([IWARPSIM, *map(str, words)], capture_output=True, text=True, cwd=self.folder)


if __name__ == "__main__":
    unittest.main()
