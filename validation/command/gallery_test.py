#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every key is used by a shipped scenario, and `iwarpsim keys NAME` says by which; each scenario of the gallery is short, has a title and runs."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = Path(os.environ.get("IWARPSIM", TOP / "build/iwarpsim")).absolute()
GALLERY = sorted((TOP / "scenarios/gallery").glob("*.yaml"))
LINES = 8  # at most, the licence's included


def iwarpsim(*words):
    return subprocess.run([IWARPSIM, *words], cwd=TOP, capture_output=True, text=True)


def names():
    return re.findall(r"^([a-z_.]+): ", iwarpsim("keys").stdout, re.M)


class Gallery(unittest.TestCase):
    def test_every_key_is_used(self):
        parts = re.split(r"^([a-z_.]+): ", iwarpsim("keys", *names()).stdout, flags=re.M)
        unused = set(names()) - {name for name, said in zip(parts[1::2], parts[2::2]) if "Used by: scenarios/" in said}
        self.assertEqual(sorted(unused), [], "a scenario of scenarios/gallery shows what a key is for")

    def test_who_uses_a_key_is_read_from_the_scenarios(self):
        self.assertIn("    Used by: scenarios/gallery/pfc.yaml.\n", iwarpsim("keys", "topology.pfc.xoff").stdout)
        self.assertNotIn("Used by", iwarpsim("keys", "topology.pfc").stdout)

    def test_each_is_short_and_runs(self):
        for file in GALLERY:
            with self.subTest(file=file.stem), tempfile.TemporaryDirectory() as folder:
                text = file.read_text().splitlines()
                self.assertLessEqual(len(text), LINES)
                self.assertTrue(text[1].startswith("title: "))
                done = iwarpsim("run", file.relative_to(TOP), "--out", f"{folder}/out", "--jobs", "1", "--set", "limit.sim=500us")
                if "is missing" in done.stderr and "the program of world" in done.stderr:
                    self.skipTest("a world that is not built")
                self.assertIn(done.returncode, (0, 3), done.stderr)


if __name__ == "__main__":
    sys.exit(unittest.main())
