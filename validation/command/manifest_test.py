#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""manifest.json says what made the results: nothing is missing, and the scenario in it gives them again."""

import hashlib
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = Path(os.environ.get("IWARPSIM", TOP / "build/iwarpsim")).absolute()
MEMBERS = """iwarpsim commit compiler libc cpu system jobs_by name command must_match scenario sweep runs wall_seconds finished
results_sha256""".split()
SCENARIO = """title: manifest
claim: a word, "quoted"
world: {world}
seed: 7
topology: {{rate: 25Gbps, mtu: 4096}}
{more}
workload: {{kind: stream, op: write, size: 20kB, count: 30}}
sweep:
  rnic.preset: [t5, t6]
  llp.markers: [true, false]
"""
MORE = {"fabric": "channel: {loss: 0.01}", "ns3": "channel: {loss: 0.01}", "simgrid": "payload: none"}


class Manifest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_of(self, text, out):
        file = self.folder / "s.yaml"
        file.write_text(text)
        done = subprocess.run([IWARPSIM, "run", file, "--out", self.folder / out, "--jobs", "1", "--set", "repeat=2"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        results = (self.folder / out / "results.csv").read_bytes()
        return json.loads((self.folder / out / "manifest.json").read_text()), results

    def both(self, world):
        """A run, and one of the scenario that its manifest holds."""
        manifest, results = self.run_of(SCENARIO.format(world=world, more=MORE[world]), "first")
        # of what the preset gives, the preset alone is written again
        resolved = {k: v for k, v in manifest["scenario"].items() if not isinstance(v, dict)}
        lines = [f"{k}: {json.dumps(v)}" for k, v in resolved.items() if v and not isinstance(v, list)]
        lines += ["sweep:"] + [f"  {k}: [{', '.join(v)}]" for k, v in ((k, resolved[k]) for k in manifest["sweep"])]
        return manifest, results, self.run_of("\n".join(lines) + "\n", "again")

    def test_nothing_is_missing(self):
        manifest, results, (again, results_again) = self.both("fabric")
        self.assertEqual([m for m in MEMBERS if m not in manifest], [])
        self.assertEqual(manifest["results_sha256"], hashlib.sha256(results).hexdigest())
        self.assertEqual((manifest["runs"], manifest["scenario"]["repeat"], manifest["scenario"]["seed"]), (8, "2", "7"))
        self.assertRegex(manifest["commit"], r"^([0-9a-f]{40}(-dirty)?|unknown)$")
        self.assertRegex(manifest["compiler"], r"^(gcc|Clang) \d")
        self.assertRegex(manifest["libc"], r"^\d+\.\d+$")
        models = [line.partition(": ")[2] for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
        self.assertEqual(manifest["cpu"], models[0] if models else "unknown")
        self.assertRegex(manifest["finished"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertEqual(manifest["command"], f"iwarpsim run {self.folder}/s.yaml --set repeat=2")
        # the packet world stands on no simulator
        self.assertEqual(manifest["must_match"], ["commit", "scenario"])
        self.assertFalse({"ns3", "simgrid"} & set(manifest))

    def test_the_scenario_gives_the_results_again(self):
        manifest, results, (again, results_again) = self.both("fabric")
        self.assertEqual(results_again, results)
        self.assertEqual(again["scenario"], manifest["scenario"])

    def test_what_follows_a_swept_preset(self):
        manifest, _ = self.run_of(SCENARIO.format(world="fabric", more=MORE["fabric"]), "first")
        scenario = manifest["scenario"]
        self.assertEqual(set(scenario["rnic.tx.rate"]), {"t5", "t6"})
        self.assertNotEqual(*scenario["rnic.tx.rate"].values())
        self.assertEqual((scenario["rnic.preset"], scenario["llp.markers"]), (["t5", "t6"], ["true", "false"]))
        self.assertEqual((scenario["topology.rate"], scenario["rnic.receive"]), ("25Gbps", "place"))
        self.assertNotIn("topology.hosts", scenario)  # a link has no such choice

    def names(self, world):
        """The simulator is named in full, as its program says; results and manifest are the same again."""
        manifest, results, (again, results_again) = self.both(world)
        self.assertEqual(results_again, results)
        said = subprocess.run([f"{IWARPSIM}-{world}", "--version"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(manifest[world], said.strip())
        self.assertEqual(manifest["must_match"], ["commit", "scenario", world])
        return manifest[world]

    @unittest.skipUnless(Path(f"{IWARPSIM}-ns3").exists(), "ns-3 is not built")
    def test_ns3_is_named(self):
        self.assertRegex(self.names("ns3"), r"^ns-3 (3\.\d+|of unknown version)")

    @unittest.skipUnless(Path(f"{IWARPSIM}-simgrid").exists(), "SimGrid is not built")
    def test_simgrid_is_named(self):
        self.assertRegex(self.names("simgrid"), r"^SimGrid \d+\.\d+")


if __name__ == "__main__":
    unittest.main()
