#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The data of a figure is the same where numbers have a decimal comma: awk, sort and printf of each data.sh run in locale C."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = os.environ.get("IWARPSIM", str(TOP / "build" / "iwarpsim"))
SCRIPTS = sorted((TOP / "plots").glob("*/data.sh"))


class Locale(unittest.TestCase):
    def test_each_script_sets_its_locale_first(self):
        self.assertGreater(len(SCRIPTS), 20)
        for script in SCRIPTS:
            first = next(line for line in script.read_text().splitlines() if not line.startswith("#"))
            self.assertEqual(first, "set -eu; export LC_ALL=C", script)

    @unittest.skipUnless(shutil.which("localedef"), "no localedef here: that a German reader gets the same data is not proved")
    def test_a_decimal_comma_changes_no_data(self):
        with tempfile.TemporaryDirectory(prefix="iwarpsim-") as folder:
            made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", Path(folder, "de_DE.UTF-8")], capture_output=True, text=True)
            if made.returncode:
                self.skipTest("no German locale here (Debian: locales): that its reader gets the same data is not proved")
            german = {**os.environ, "LOCPATH": folder, "LC_ALL": "de_DE.UTF-8"}
            subprocess.run(["sh", "plots/latency-stages/data.sh", IWARPSIM, folder], cwd=TOP, env=german, check=True)
            self.assertEqual(Path(folder, "latency-stages.tsv").read_text(), (TOP / "plots/latency-stages/latency-stages.tsv").read_text())


if __name__ == "__main__":
    unittest.main()
