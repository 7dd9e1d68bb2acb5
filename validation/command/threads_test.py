#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Several threads change nothing: rows, messages, links, distributions and captures are the same, octet for octet; and
ThreadSanitizer finds no race (build/tsan/iwarpsim, where the compiler has it). At night: more networks and seeds."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = Path(os.environ.get("IWARPSIM", TOP / "build/iwarpsim")).absolute()
TSAN = Path(os.environ.get("IWARPSIM_TSAN", TOP / "build/tsan/iwarpsim")).absolute()
NIGHTLY = bool(os.environ.get("IWARPSIM_NIGHTLY"))
TREE = "kind: fat_tree, k: 4, rate: 100Gbps, delay: 1us, mtu: 1500, buffer: 64KiB"
MOVES = "kind: permutation, op: write, size: 300kB, count: 3, depth: 2"
NOW = {"topology": TREE, "llp": "congestion: cubic", "workload": MOVES}
# What differs from NOW; a key with dots is set in its block.
SCENARIOS = {
    "clean": {},
    "marks": {"topology": TREE + ", ecn_threshold: 30KiB", "llp": "congestion: dctcp"},
    "red": {"topology": TREE + ", ecn: {kmin: 15KiB, kmax: 60KiB, pmax: 0.2}", "llp": "ecn: on"},
    "loss": {"channel": "loss: 1e-3", "workload": MOVES.replace("write", "send")},
    "everything wrong": {"channel": "loss: 1e-3, duplicate: 1e-3, corrupt: 1e-3, reorder: {probability: 0.02, delay: 9us}",
                         "llp": "crc_error: drop"},
    "bursts": {"channel": "burst: {p: 1e-4, r: 0.3, loss_good: 0, loss_bad: 0.5}", "llp": "loss_detection: dupack"},
    "pauses": {"topology": TREE.replace("64KiB", "1MiB") + ", flow_control: pfc, pfc: {xoff: 30KiB, xon: 15KiB}",
               "workload": "kind: incast, op: write, size: 200kB, count: 3, depth: 2"},
    "shared": {"topology": TREE + ", buffer_sharing: shared, buffer_alpha: 1"},
    "trimmed": {"topology": TREE.replace("64KiB", "24KiB") + ", trim: true, routing: spray", "llp": "kind: packet, recovery: rud",
                "workload": "kind: incast, op: write, size: 100kB, count: 3, depth: 2"},
    "as others mark": {"topology": TREE + ", framing: none, ecn: {kmin: 15KiB, kmax: 60KiB, pmax: 0.2, at: dequeue, last_hop: spare}", "llp": "ecn: on"},
    "as others trim": {"topology": TREE.replace("64KiB", "24KiB") + ", trim: true, trim.from: coin, trim.headers: 4KiB, trim.share: strict, routing: spray", "llp": "kind: packet, recovery: rud",
                       "workload": "kind: incast, op: write, size: 100kB, count: 3, depth: 2"},
    "spray": {"topology": TREE + ", routing: spray"},
    "adaptive": {"topology": TREE + ", routing: adaptive, oversubscription: 2, adaptive: {quantum: 1KiB, sticky: 6KiB}"},
    "adaptive and trimmed": {"topology": TREE.replace("64KiB", "24KiB") + ", trim: true, routing: adaptive", "llp": "kind: packet, recovery: rud"},
    "sctp": {"llp": "kind: sctp"},
    "ideal": {"llp": "kind: ideal"},
    "incast": {"workload": "kind: incast, op: send, size: 20kB, count: 12, depth: 4"},
    "shuffle": {"workload": "kind: shuffle, op: write, size: 20kB, count: 3, depth: 2"},
    "ring": {"workload": "kind: ring, size: 800kB, count: 2"},
    "reads": {"workload": "kind: permutation, op: read, size: 100kB, count: 4, depth: 4"},
    "short messages": {"workload": "kind: permutation, op: send, size: 700B, count: 300, depth: 8"},
    "by the clock": {"workload": "kind: permutation, op: write, size: 40kB, count: 12, depth: 4, arrival: poisson, load: 0.5"},
    "two workloads": {"workload": None, "workloads": "a: {kind: permutation, op: write, size: 100kB, count: 3, depth: 2, hosts: 0-7}, "
                                                     "b: {kind: incast, op: send, size: 30kB, count: 4, depth: 2, hosts: 8-15}"},
    "ports": {"topology": TREE + ", ports: 2, routing: adaptive", "llp": "kind: packet, recovery: irn", "channel": "loss: 1e-3"},
    "ports of a file": {"topology": "kind: file, file: two-ports.yaml, rate: 100Gbps, delay: 1us, buffer: 64KiB, routing: entropy, reroute_after: 5us, events: \"20us l1-s1#2 down; 30us h6-l1#2 down\"",
                        "llp": "kind: packet, recovery: rud, paths: 8"},
    "ports of each host": {"topology": "kind: file, file: mixed-ports.yaml, rate: 100Gbps, delay: 1us, buffer: 64KiB, routing: entropy, reroute_after: 5us, events: \"20us left-s1 down; 30us left->store#2 down\"",
                           "llp": "kind: packet, recovery: rud, paths: 8", "channel": "loss: 1e-3"},
    "start jitter": {"workload": MOVES + ", start_jitter: 30us"},
    "slow adapters": {"rnic": "stall: {every: 20us, for: 9us}, staging_bytes: 64KiB"},
    "holds": {"rnic": "receive: hold, hold_bytes: 64KiB", "topology": TREE + ", routing: spray"},
    "discards": {"rnic": "receive: discard", "channel": "loss: 1e-3"},
    "oversubscribed": {"topology": TREE + ", oversubscription: 3"},
    "dragonfly": {"topology": "kind: dragonfly, groups: 5, routers: 2, nodes: 2, globals: 2, rate: 100Gbps, delay: 500ns, mtu: 1500"},
    "leaves and spines": {"topology": "kind: file, file: leaf-spine.yaml, rate: 100Gbps, delay: 500ns, mtu: 1500"},
    "links that fail": {"topology": TREE + ', events: "20us edge*-aggregation1 down; 50us edge1-aggregation1 10Gbps; 90us edge*-aggregation1 up; 95us switch core0 down", reroute_after: 10us'},
    "lines that fail": {"topology": TREE + ", failures: {mtbf: 200us, mttr: 20us}, reroute_after: 5us, routing: spray"},
    "link": {"topology": "kind: link, rate: 100Gbps, delay: 5us, mtu: 1500", "channel": "loss: 1e-3",
             "workload": "kind: stream, op: write, size: 100kB, count: 40, depth: 4"},
    "real octets": {"payload": "real", "channel": "loss: 1e-3"},
    "an end by Terminate": {"payload": "real", "channel": "corrupt: 1e-3", "llp": "crc_error: terminate"},
}
CAPTURED = {"real octets", "link"}


def text_of(changes):
    parts = {**NOW, **changes}
    payload = parts.pop("payload", "none")
    return "world: fabric\n" + "".join(f"{key}: {{{value}}}\n" for key, value in parts.items() if value) + f"payload: {payload}\n"


def files_of(folder):
    """What may not differ: all but the machine's own facts."""
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*"))
            if p.is_file() and p.name not in ("manifest.json", "costs.tsv", "cost.csv", "costs.csv")}


class Threads(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_of(self, name, threads, *more, program=IWARPSIM):
        scenario = self.folder / "s.yaml"
        changes = SCENARIOS[name]
        text = text_of(changes)
        if name in CAPTURED:
            text = text.replace("payload: none", "payload: real")
            more += ("--pcap",)
        scenario.write_text(text)
        out = self.folder / f"{len(list(self.folder.iterdir()))}"
        done = subprocess.run([program, "run", scenario, "--out", out, "--jobs", "1", "--threads", str(threads), "--messages", "--flows", "--links", *more],
                              capture_output=True, text=True)
        race = re.search(r"WARNING: ThreadSanitizer.*?\n\n", done.stderr, re.S)
        self.assertIsNone(race, f"{name}: {race and race[0]}")
        self.assertIn(done.returncode, (0, 3), f"{name}: {done.stderr}")
        self.assertNotIn("one thread runs it", done.stderr)
        self.assertNotIn("run again", done.stderr, name)
        return files_of(out)

    def same(self, name, counts, *more):
        one = self.run_of(name, 1, *more)
        self.assertIn("results.csv", one)
        for threads in counts:
            other = self.run_of(name, threads, *more)
            self.assertEqual(sorted(one), sorted(other), name)
            differ = [file for file in one if one[file] != other[file]]
            self.assertEqual(differ, [], f"{name}: {threads} threads give other {', '.join(differ)}")

    def test_results_are_those_of_one_thread(self):
        """At night each scenario with 2, 3 and 4 threads; else with one of them, by turns."""
        for i, name in enumerate(SCENARIOS):
            with self.subTest(name):
                self.same(name, (2, 3, 4) if NIGHTLY else (2 + i % 3,))

    @unittest.skipUnless(NIGHTLY, "larger networks and more seeds: ./waf check --nightly")
    def test_larger_networks_and_more_seeds(self):
        for name in SCENARIOS:
            for seed in range(2, 8):
                with self.subTest(name, seed=seed):
                    text = text_of(SCENARIOS[name])
                    larger = ["--set", "topology.k=8"] if "fat_tree" in text else []
                    if "trim.share: strict" in text:  # headers of 127 senders that resend at once starve all data: it has no end
                        larger += ["--set", "limit.sim=1ms"]
                    self.same(name, (2, 4), "--set", f"seed={seed}", *larger)

    def large(self, out, *more):
        """Of a network of some thousand hosts."""
        scenario = self.folder / "s.yaml"
        scenario.write_text(text_of({"topology": TREE.replace("k: 4", "k: 22"), "workload": "kind: permutation, op: write, size: 40kB, count: 1"}))
        done = subprocess.run([IWARPSIM, "run", scenario, "--out", self.folder / out, "--jobs", "1", "--messages", *more], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("run again", done.stderr)
        return self.folder / out

    def same_files(self, a, b, *names):
        for name in names:
            self.assertTrue((a / name).read_bytes() == (b / name).read_bytes(), f"{name} differs")

    def test_windows_give_the_rows_of_events_one_by_one_and_the_messages_of_ns3(self):
        """With a trace it runs event by event."""
        windows = self.large("windows", "--links")
        self.same_files(windows, self.large("events", "--links", "--trace"), "results.csv", "messages.csv", "links.csv")
        if Path(f"{IWARPSIM}-ns3").exists():
            self.same_files(windows, self.large("ns3", "--set", "world=ns3"), "messages.csv")

    def test_a_trace_is_the_same(self):
        self.same("loss", (3,), "--trace")

    def test_what_is_not_cut_says_so_and_runs(self):
        scenario = self.folder / "s.yaml"
        star = {"topology": "kind: star, hosts: 4, rate: 100Gbps, delay: 1us, mtu: 1500"}
        storage = {"workload": "kind: storage, size: 100kB, count: 3"}
        still = {"topology": TREE.replace("1us", "0ns")}
        for changes, why in ((star, "share one switch"), (still, "has no delay"), (storage, "makes another act at once")):
            scenario.write_text(text_of(changes))
            sets = []
            done = subprocess.run([IWARPSIM, "run", scenario, "--point", "0", "--threads", "2", *sets], capture_output=True, text=True)
            one = subprocess.run([IWARPSIM, "run", scenario, "--point", "0", *sets], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (0, one.stdout), done.stderr)
            self.assertRegex(done.stderr, f"one thread runs it: .*{why}")

    def test_what_is_wrong_is_said(self):
        (self.folder / "s.yaml").write_text(text_of({}))
        for more, why in ((["--threads", "0"], "--threads needs a number from 1 to 64"),
                          (["--threads", "2", "--set", "world=ns3", "--point", "0"], "--threads needs world: fabric")):
            done = subprocess.run([IWARPSIM, "run", self.folder / "s.yaml", *more], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn(why, done.stderr)

    @unittest.skipUnless(TSAN.exists(), "no ThreadSanitizer here")
    def test_no_race(self):
        names = SCENARIOS if NIGHTLY else ("loss", "pauses", "link", "ring", "short messages")
        for name in names:
            with self.subTest(name):
                self.run_of(name, 4, program=TSAN)


if __name__ == "__main__":
    unittest.main()
