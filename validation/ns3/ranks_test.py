#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Several ranks change nothing: rows, messages and distributions of world ns3 in 2, 3 and 4 processes are those of one, octet for
octet, and no run was left to one process.

    ranks_test.py                 with this build, where it has an ns3 with MPI (./waf configure --ns3=PREFIX)
    ranks_test.py Ranks.test_...
Where it has none, it is tested that this is one sentence; at night ns-3 is built with MPI (validation/packages/ns3_mpi.py), and a
copy of the project with it, in folders of their own.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "validation/command"), str(TOP / "validation/packages")]
sys.dont_write_bytecode = True
import ns3_mpi
import threads_test

IWARPSIM = Path(os.environ.get("IWARPSIM", TOP / "build/iwarpsim")).absolute()
NIGHTLY = bool(os.environ.get("IWARPSIM_NIGHTLY"))
PATIENCE = 600
REFUSED = {"pauses", "links that fail", "lines that fail", "ports of a file", "ports of each host", "real octets", "an end by Terminate"}  # for pauses, links that change, or payload: real
SCENARIOS = {name: changes for name, changes in threads_test.SCENARIOS.items() if name not in REFUSED}
SCENARIOS["far apart"] = {"topology": threads_test.TREE.replace("1us", "20us")}
FEW = ("clean", "loss", "short messages", "link", "far apart")


def text_of(changes):
    return threads_test.text_of(changes).replace("world: fabric", "world: ns3")


def iwarpsim(*words, **more):
    return subprocess.run([IWARPSIM, *map(str, words)], capture_output=True, text=True, timeout=PATIENCE, **more)


class Scenario(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, changes):
        path = self.folder / "s.yaml"
        path.write_text(text_of(changes))
        return path


def has_ranks():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.yaml"
        path.write_text(text_of({}))
        done = iwarpsim("run", path, "--point", "all", "--ranks", "5")  # more than the tree has pods
        return "needs an ns-3 with MPI" not in done.stderr and "is missing" not in done.stderr


class Said(Scenario):
    """What is typed wrong, or cannot be run so, is one sentence and exit 2; nothing runs."""

    def refused(self, why, changes, *more):
        for form in (("--point", "0"), ("--out", self.folder / "out")):
            if "--point" not in form and ("--trace" in more or "--ranks:" in why):
                continue
            done = iwarpsim("run", self.file(changes), *form, *more, cwd=self.folder)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(why, done.stderr)
            self.assertLess(len(done.stderr.strip().splitlines()), 3, done.stderr)
            self.assertFalse((self.folder / "out").exists())

    def test_the_wrong_number(self):
        self.refused("--ranks needs a number from 1 to 1024, not: 0", {}, "--ranks", "0")

    def test_another_world(self):
        self.refused("--ranks needs world: ns3", {}, "--ranks", "2", "--set", "world=fabric")

    def test_without_mpi(self):
        if not has_ranks():
            self.refused("--ranks needs an ns-3 with MPI", {}, "--ranks", "2")


@unittest.skipUnless(has_ranks(), "this build's ns-3 has no MPI")
class Ranks(Scenario):
    def run_of(self, changes, ranks, *more):
        out = self.folder / f"{len(list(self.folder.iterdir()))}"
        done = iwarpsim("run", self.file(changes), "--out", out, "--jobs", "1", "--ranks", ranks, "--messages", *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("one process runs it again", done.stderr)
        return threads_test.files_of(out)

    def same(self, name, counts, *more):
        one = self.run_of(SCENARIOS[name], 1, *more)
        self.assertIn("results.csv", one)
        for ranks in counts:
            other = self.run_of(SCENARIOS[name], ranks, *more)
            self.assertEqual(sorted(one), sorted(other), name)
            differ = [file for file in one if one[file] != other[file]]
            self.assertEqual(differ, [], f"{name}: {ranks} ranks give other {', '.join(differ)}")

    def counts(self, name):
        return (2,) if name == "link" else (2, 3, 4)

    def test_results_are_those_of_one_process(self):
        for name in SCENARIOS if NIGHTLY else FEW:
            with self.subTest(name):
                self.same(name, self.counts(name))

    @unittest.skipUnless(NIGHTLY, "larger networks and more seeds: ./waf check --nightly")
    def test_larger_networks_and_more_seeds(self):
        for name in FEW:
            for seed in range(2, 5):
                with self.subTest(name, seed=seed):
                    larger = ["--set", "topology.k=8"] if "fat_tree" in text_of(SCENARIOS[name]) else []
                    self.same(name, (2,), "--set", f"seed={seed}", *larger)

    def test_a_campaign_is_the_same(self):
        more = ("--set", "topology.buffer=[30KiB, 60KiB]", "--set", "repeat=2")
        one, two = (self.run_of(SCENARIOS["loss"], ranks, *more) for ranks in (1, 2))
        self.assertEqual(one, two)

    def test_a_run_that_does_not_end_well_is_run_by_one_process(self):
        runs = []
        for ranks in (1, 2):
            done = iwarpsim("run", self.file({}), "--point", "0", "--ranks", ranks, "--set", "limit.sim=30us")
            self.assertEqual(done.returncode, 3, done.stderr)
            runs.append(done.stdout)
        self.assertEqual(*runs)
        self.assertIn("one process runs it again", done.stderr)

    def refused(self, why, changes, *more):
        done = iwarpsim("run", self.file(changes), "--point", "0", "--ranks", "2", *more)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(why, done.stderr)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)

    def test_what_cannot_be_cut_is_refused(self):
        star = {"topology": "kind: star, hosts: 4, rate: 100Gbps, delay: 1us, mtu: 1500"}
        still = {"topology": threads_test.TREE.replace("1us", "0ns")}
        storage = {"workload": "kind: storage, size: 100kB, count: 3"}
        self.refused("--ranks: the network has fewer pods, groups or switches", star)
        self.refused("--ranks: a link between two parts has no delay", still)
        self.refused("--ranks: in this workload, what arrives at one host makes another act at once", storage)
        self.refused("--ranks needs payload: none", {"payload": "real"})

    def test_each_rank_has_its_part_of_the_memory(self):
        tree = {"topology": threads_test.TREE.replace("k: 4", "k: 8"), "workload": "kind: permutation, op: write, size: 20kB, count: 1"}
        environment = {**os.environ, "IWARPSIM_RANKS_COST": str(self.folder / "cost")}
        peaks = {}
        for ranks in (2, 4):
            done = iwarpsim("run", self.file(tree), "--point", "0", "--ranks", ranks, env=environment)
            self.assertEqual(done.returncode, 0, done.stderr)
            costs = [(self.folder / f"cost-{rank}").read_text().split() for rank in range(ranks)]
            peaks[ranks] = max(int(words[words.index("rss") + 1]) for words in costs)
        self.assertLess(peaks[4], peaks[2])


def build_with_mpi():
    """A project of its own with an ns-3 of its own; the tests run with it. Ten minutes and more."""
    missing = ns3_mpi.missing()
    if missing:
        print(f"skipped: no ns-3 with MPI; missing packages: {' '.join(missing)}")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        prefix, copy = Path(folder) / "ns3", Path(folder) / "project"
        subprocess.run([sys.executable, TOP / "validation/packages/ns3_mpi.py", prefix], check=True, stdout=subprocess.DEVNULL)
        shutil.copytree(TOP, copy, ignore=shutil.ignore_patterns("build", ".git", "results"))
        (copy / "build").mkdir()
        if (TOP / "build/waf").exists():
            shutil.copytree(TOP / "build/waf", copy / "build/waf")
        environment = {**os.environ, "WAF_NO_INSTALL": "1"}
        subprocess.run(["./waf", "configure", f"--ns3={prefix}", "build"], cwd=copy, env=environment, check=True, stdout=subprocess.DEVNULL)
        environment["IWARPSIM"] = str(copy / "build/iwarpsim")
        return subprocess.run([sys.executable, copy / "validation/ns3/ranks_test.py", "Said", "Ranks"], env=environment).returncode


if __name__ == "__main__":
    if NIGHTLY and len(sys.argv) == 1 and not has_ranks():
        sys.exit(build_with_mpi())
    unittest.main()
