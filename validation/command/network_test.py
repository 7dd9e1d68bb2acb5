#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Networks from files, links.csv and deadlocks: what the command makes of them."""

import csv
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = Path(os.environ.get("IWARPSIM", TOP / "build/iwarpsim")).absolute()
FILES = TOP / "scenarios/topologies"
SCENARIO = """\
world: fabric
topology: {{kind: file, file: {file}, rate: 100Gbps, delay: 500ns, mtu: 1500{more}}}
llp: {{kind: mpa, congestion: "fixed:1MiB"}}
rnic: {{preset: t6, window: {{bytes: 1MiB}}}}
workload: {{kind: {kind}, op: write, size: 1MiB, count: 2, depth: 4}}
payload: none
{sweep}"""
PFC = ", flow_control: pfc, pfc: {xoff: 32KiB, xon: 16KiB}"
CIRCLE = "s1 -> s2 -> s3 -> s4 -> s5 -> s1"


def table(path):
    with open(path, newline="") as lines:
        return list(csv.DictReader(lines))


class Network(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def scenario(self, file, kind="permutation", more="", sweep=""):
        path = self.folder / "net.yaml"
        path.write_text(SCENARIO.format(file=file, kind=kind, more=more, sweep=sweep))
        return path

    def run_of(self, scenario, out, *more, code=0):
        done = subprocess.run([IWARPSIM, "run", scenario, "--out", self.folder / out, *more], capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def test_its_content_belongs_to_the_results(self):
        shutil.copy(FILES / "leaf-spine.yaml", self.folder / "mine.yaml")
        scenario = self.scenario("mine.yaml")
        self.run_of(scenario, "out")
        (self.folder / "mine.yaml").write_text((FILES / "leaf-spine.yaml").read_text().replace("40Gbps", "50Gbps"))
        self.assertIn("mine.yaml", self.run_of(scenario, "out", code=2).stderr)  # another network, another folder
        (self.folder / "mine.yaml").unlink()
        again = subprocess.run([IWARPSIM, "rerun", self.folder / "out"], capture_output=True, text=True)
        self.assertEqual((again.returncode, "identical" in again.stdout), (0, True), again.stderr)
        (self.folder / "out/mine.yaml").write_text("hosts: []\n")
        self.assertNotEqual(subprocess.run([IWARPSIM, "verify", self.folder / "out"], capture_output=True).returncode, 0)

    def test_a_wrong_file_is_refused_where_it_is_wrong(self):
        (self.folder / "mine.yaml").write_text("hosts: [a, b]\nswitches: [s]\nlinks:\n  - {between: [a, x]}\n")
        error = self.run_of(self.scenario("mine.yaml"), "out", code=2).stderr
        self.assertIn("net.yaml:2:30: topology.file: mine.yaml:4:19: between: 'x' is neither", error)
        self.assertIn("nor a shipped one", self.run_of(self.scenario("no.yaml"), "out", code=2).stderr)

    @unittest.skipUnless(Path(f"{IWARPSIM}-simgrid").exists(), "world simgrid is not built")
    def test_flows_take_a_described_network_too(self):
        self.run_of(self.scenario("ring.yaml"), "out", "--set", "world=simgrid")
        row = table(self.folder / "out/results.csv")[0]
        self.assertEqual(row["status"], "ok")
        self.assertGreater(float(row["goodput_gbps"]), 0)

    def test_links(self):
        sweep = "repeat: 2\nsweep: {topology.file: [ring.yaml, leaf-spine.yaml], topology.buffer: [64KiB, 1MiB]}\n"
        scenario = self.scenario("ring.yaml", "shuffle", sweep=sweep)
        self.run_of(scenario, "one", "--links", "--jobs", "1")
        self.run_of(scenario, "two", "--links", "--jobs", "2")
        self.assertEqual((self.folder / "one/links.csv").read_bytes(), (self.folder / "two/links.csv").read_bytes())
        self.assertIn("links.csv", (self.folder / "one/manifest.json").read_text())
        rows, links = table(self.folder / "one/results.csv"), table(self.folder / "one/links.csv")
        for row in rows:
            mine = [x for x in links if (x["point"], x["repeat"]) == (row["point"], row["repeat"])]
            self.assertEqual(len(mine), 30 if row["point"].startswith("ring") else 28)
            self.assertEqual(sum(int(x["drops"]) for x in mine), int(row["drops_switch"]))
            self.assertGreater(sum(int(x["bytes"]) for x in mine if len(x["from"]) > 2 or x["from"][0] == "s"), int(row["bytes"]))
            for x in mine:
                self.assertLessEqual(float(x["queue_mean_bytes"]), int(x["queue_peak_bytes"]))
                self.assertLessEqual(int(x["queue_peak_bytes"]), 65536 if "64KiB" in x["point"] else 1 << 20)
        self.assertTrue(any(int(r["drops_switch"]) for r in rows))
        slow = {x["rate_gbps"] for x in links if x["point"].startswith("leaf") and "old" in (x["from"], x["to"])}
        self.assertEqual(slow, {"40"})

    def test_parallel_links_have_numbers(self):
        events = "topology.events=1us l1-s1#2 down; 1us l1->h6#1 down; 1us h1-l* down"
        self.run_of(self.scenario("two-ports.yaml"), "out", "--links", "--set", events, "--set", "limit.idle=1ms", code=3)  # h1 is cut off
        links = table(self.folder / "out/links.csv")
        numbers = {(x["from"], x["to"]): int(x["parallel"]) for x in links}  # the last of each
        self.assertEqual({pair for pair, number in numbers.items() if number == 2},
                         {("h6", "l1"), ("l1", "h6")} | {(a + x, b + y) for a, b in ("ls", "sl") for x in "123" for y in "123" if (a + x, b + y) in numbers})
        self.assertEqual(max(numbers.values()), 2)
        still = {(x["from"], x["to"], x["parallel"]) for x in links if x["packets"] == "0"}
        self.assertTrue({("l1", "s1", "2"), ("s1", "l1", "2"), ("l1", "h6", "1")} <= still, still)
        error = self.run_of(self.scenario("two-ports.yaml"), "wrong", "--set", "topology.events=1us l1-s1#3 down", code=2).stderr
        self.assertIn("no link is 'l1-s1#3': of those between two nodes the last is #2", error)

    def test_hosts_may_have_unlike_numbers_of_ports(self):
        """Each has as many links as its ports, which carry alike what is dealt to them; TCP keeps to one for each direction."""
        for congestion, used in ("none", 4), ("cubic", 2):
            scenario = self.scenario("mixed-ports.yaml", more=", routing: adaptive")
            text = scenario.read_text().replace('"fixed:1MiB"', congestion).replace(", window: {bytes: 1MiB}", "")
            scenario.write_text(text.replace("kind: mpa", "kind: packet, recovery: rud") if used == 4 else text)
            self.run_of(scenario, "out", "--links")
            out = {}
            for x in table(self.folder / "out/links.csv"):
                out.setdefault(x["from"], []).append(int(x["bytes"]))
            self.assertEqual({host: len(out[host]) for host in ("store", "n1", "n2", "n3", "c1", "c4")}, {"store": 4, "n1": 2, "n2": 2, "n3": 2, "c1": 1, "c4": 1})
            self.assertLessEqual(sum(map(bool, out["store"])), used)
            shutil.rmtree(self.folder / "out")
            if used == 4:
                self.assertLess(max(out["store"]), 1.1 * min(out["store"]))

    def test_links_are_those_of_the_packet_world(self):
        error = self.run_of(self.scenario("ring.yaml"), "out", "--links", "--set", "world=ns3", code=2).stderr
        self.assertIn("--links needs world: fabric", error)

    def test_a_circle_of_pauses_is_a_deadlock(self):
        scenario = self.scenario("ring.yaml", "shuffle", PFC)
        checked = subprocess.run([IWARPSIM, "check", scenario], capture_output=True, text=True)
        self.assertIn(f"pause each other in a circle, a deadlock: {CIRCLE}", checked.stdout)
        done = self.run_of(scenario, "out", "--set", "workload.count=20", "--set", "topology.pfc.xoff=4KiB", "--set", "topology.pfc.xon=2KiB", code=3)
        row, = table(self.folder / "out/results.csv")
        self.assertEqual((row["status"], row["drops_switch"]), ("deadlock", "0"))
        self.assertRegex(done.stderr, r"deadlock: links pause each other in a circle: s\d -> s\d -> s\d -> s\d -> s\d -> s\d")

    def test_a_tree_has_no_circle(self):
        scenario = self.scenario("leaf-spine.yaml", "shuffle", PFC)
        checked = subprocess.run([IWARPSIM, "check", scenario], capture_output=True, text=True)
        self.assertNotIn("circle", checked.stdout)
        self.run_of(scenario, "out")
        self.assertEqual(table(self.folder / "out/results.csv")[0]["drops_switch"], "0")


if __name__ == "__main__":
    unittest.main()
