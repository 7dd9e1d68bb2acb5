#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What clang compiles (build/clang/iwarpsim) gives the rows of build/iwarpsim, octet for octet: 60 drawn scenarios in the packet world.

  clang_test.py [SEED...]

Exit 77: build/clang/iwarpsim is not built, since clang is not installed.
"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "validation/random"), str(TOP / "validation/command")]

from draw import draw, yaml
from skippable import run_tests

IWARPSIM = Path(os.environ.get("IWARPSIM", TOP / "build/iwarpsim")).absolute()
CLANG = Path(os.environ.get("IWARPSIM_CLANG", TOP / "build/clang/iwarpsim")).absolute()
SEEDS = range(9960000, 9960060)
ASKED = [word for word in sys.argv[1:] if word.isdigit()]
KINDS = {"mpa", "sctp", "ideal", "packet"}
CONGESTIONS = {"cubic", "newreno", "dctcp", "fixed", "dcqcn"}
RECOVERIES = {"go_back_n", "irn", "rud"}


def scenario(seed):
    return draw(seed, "fabric") | {"limit.wall": "600s"}  # no run ends because the machine is busy


def said(program, text):
    """Exit code and all that a run says; a negative one is the signal that ended it."""
    with tempfile.TemporaryDirectory(prefix="iwarpsim-") as folder:
        (Path(folder) / "s.yaml").write_text(text)
        done = subprocess.run([program, "run", "s.yaml", "--point", "#0"], cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


@unittest.skipUnless(CLANG.exists(), "no clang here: that another compiler gives the same rows is not proved")
class Clang(unittest.TestCase):
    def test_rows_are_those_of_gcc(self):
        for seed in map(int, ASKED or SEEDS):
            text = yaml(scenario(seed))
            self.assertEqual(said(CLANG, text), said(IWARPSIM, text), f"\n{text}again: validation/random/clang_test.py {seed}")

    def test_much_is_among_them(self):
        drawn = [scenario(seed) for seed in SEEDS]
        self.assertEqual({s["llp.kind"] for s in drawn}, KINDS)
        self.assertEqual({s["llp.congestion"].partition(":")[0] for s in drawn if "llp.congestion" in s}, CONGESTIONS)
        self.assertEqual({s["llp.recovery"] for s in drawn if "llp.recovery" in s}, RECOVERIES)
        shaken = [s for s in drawn if s.get("llp.markers") == "true" and {"channel.jitter", "channel.reorder.probability"} & set(s)]
        self.assertGreater(len(shaken), 3)  # octets found by markers: where ISA-L met a length with a dirty upper half
        self.assertTrue(any("channel.corrupt" in s and "llp.markers" in s for s in drawn))


if __name__ == "__main__":
    sys.argv = [word for word in sys.argv if word not in ASKED]
    sys.exit(run_tests("what clang compiles"))
