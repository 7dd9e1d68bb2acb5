#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Scenarios that nobody wrote: drawn ones keep every law, and each that once broke one says today what it should.

  random_test.py             seeds 0 .. 39 and the corpus; with IWARPSIM_NIGHTLY 0 .. 59, and 200 fresh seeds
  random_test.py SEED        that one
"""

import os
import random
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from draw import draw, yaml
from judge import IWARPSIM, Run, alone, between
from minimize import read, whole

OPEN = sorted((HERE / "open").glob("*.yaml"))
FIXED = 60 if os.environ.get("IWARPSIM_NIGHTLY") else 40
FRESH = 200 if os.environ.get("IWARPSIM_NIGHTLY") else 0


def is_built(world):
    return world == "fabric" or (Path(IWARPSIM).parent / f"iwarpsim-{world}").exists()


def oddities(seed):
    scenario = draw(seed)
    if not is_built(scenario["world"]):
        return None, []
    run = Run(scenario)
    return run, alone(scenario, run) + (between(scenario, run) if run.ok() else [])


class Random(unittest.TestCase):
    def judge(self, seeds):
        runs = {}
        for seed in seeds:
            run, odd = oddities(seed)
            if run:
                runs[seed] = run
            self.assertEqual(odd, [], f"\n{yaml(draw(seed))}again: validation/random/random_test.py {seed}; smaller: validation/random/minimize.py {seed}")
        return runs

    def test_fixed_seeds_keep_the_laws(self):
        runs = self.judge(range(FIXED))
        refused = [seed for seed, run in runs.items() if run.code == 2]
        self.assertLess(len(refused), len(runs) / 10, refused)

    @unittest.skipUnless(FRESH, "at night")
    def test_fresh_seeds_keep_the_laws(self):
        first = random.SystemRandom().randrange(10**3, 10**9)
        print(f"seeds {first} .. {first + FRESH - 1}", flush=True)
        self.judge(range(first, first + FRESH))

    def test_what_was_odd_once_is_not_any_more(self):
        files = sorted((HERE / "corpus").glob("*.yaml"))
        self.assertGreater(len(files), 40)
        self.follow(files)

    @unittest.skipUnless(OPEN, "nothing is open")
    @unittest.expectedFailure
    def test_what_is_odd_still(self):
        """When this succeeds, the files of open/ belong into corpus/."""
        self.follow(OPEN)

    def follow(self, files):
        for path in files:
            text = path.read_text()
            wanted = next(line[7:] for line in text.splitlines() if line.startswith("# now: "))
            if not is_built(next(line[7:] for line in text.splitlines() if line.startswith("world: "))):
                continue
            run = Run(text)
            found = f"refused, {wanted[9:]}" if run.code == 2 and wanted[9:] in run.said and wanted.startswith("refused, ") else run.row.get("status", run.said)
            self.assertEqual(found, wanted, f"{path.name}: {run.said}")
            if wanted in ("ok", "ended"):
                self.assertEqual(alone(whole(read(path)), run), [], path.name)
            if wanted == "ok" and path.name.startswith("meta-"):
                self.assertEqual(between(whole(read(path)), run), [], path.name)


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1].isdigit():
        sys.exit("\n".join(oddities(int(sys.argv[1]))[1]) or 0)
    unittest.main()
