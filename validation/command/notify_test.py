#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""workload.notify: the ways that RFC 5040 5.5 and RFC 7306 call safe are never early, whatever is drawn; what the others read early is counted
from the trace by a second reading, and meets closed forms; both worlds of packets, and any number of threads, give the same rows.

  notify_test.py [TEST]     needs IWARPSIM (or build/iwarpsim); IWARPSIM_NIGHTLY=1: 100,000 random runs instead of 2,000
"""

import csv
import math
import os
import random
import re
import shutil
import subprocess
import tempfile
import unittest
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = Path(os.environ.get("IWARPSIM", TOP / "build/iwarpsim")).absolute()
NIGHT = os.environ.get("IWARPSIM_NIGHTLY")
SAFE = "send", "send_waits", "immediate", "immediate_count", "atomic", "read_back"
SEEDS = 10
RISKY = "last_octet", "flag", "flag_other", "flag_other_waits", "atomic_other"
LINK = """\
topology: {kind: link, rate: 400Gbps, delay: 3us, mtu: 4150}
llp: {delayed_ack: 1}
workload: {kind: stream, op: write, size: 64KiB, count: 1, depth: 1}
"""
TREE = """\
topology: {kind: fat_tree, k: %d, rate: 100Gbps, delay: 500ns, mtu: 4150, routing: %s}
llp: {kind: packet, recovery: rud}
payload: none
workload: {kind: %s, op: write, size: %dB, count: 20, depth: 2}
"""
PAYLOAD = 4086  # octets of a full segment of a packet transport at an MTU of 4150
PATHS = """\
hosts: [a, b]
switches: [left, right, fast, slow]
links:
  - {between: [a, left], rate: 100Gbps, delay: 500ns}
  - {between: [b, right], rate: 100Gbps, delay: 500ns}
  - {between: [left, fast], rate: 400Gbps, delay: 500ns}
  - {between: [fast, right], rate: 400Gbps, delay: 500ns}
  - {between: [left, slow], rate: 400Gbps, delay: 500ns}
  - {between: [slow, right], rate: 400Gbps, delay: %dps}
"""
TWO_PATHS = """\
topology: {kind: file, file: paths.yaml, mtu: 4150, routing: spray}
llp: {kind: packet, recovery: rud, flight: 64}
payload: none
workload: {kind: stream, op: write, size: %dB, count: 1000, depth: 1, notify: last_octet}
"""


def table(path):
    with open(path, newline="") as lines:
        return list(csv.DictReader(lines))


def picoseconds(cell):
    return round(float(cell) * 1e6)


class Notify(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="iwarpsim-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def run_of(self, text, out, *sets, more=(), code=0):
        (self.folder / f"{out}.yaml").write_text(text)
        words = [w for s in sets for w in ("--set", s)]
        done = subprocess.run([IWARPSIM, "run", f"{out}.yaml", "--out", out, "--jobs", "1", *words, *more], cwd=self.folder, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, code, done.stderr)
        return self.folder / out

    def rows(self, *of, **more):
        return table(self.run_of(*of, **more) / "results.csv")

    def row(self, *of, **more):
        return self.rows(*of, **more)[0]

    def swept(self, ways):
        return f"sweep:\n  workload.notify: [{', '.join(ways)}]\n"


class NeverEarly(Notify):
    """A law: drawn kinds, networks, lower layers, receive paths, losses, adapters, polls, seeds."""

    def drawn(self, draw):
        kind = draw.choice(["stream", "incast", "permutation", "shuffle", "ring"])
        llp = draw.choice(["mpa", "sctp", "ideal", "packet"])
        tree = kind != "stream" and draw.random() < 0.1
        keys = {"topology.kind": "fat_tree" if tree else "star", "topology.rate": "100Gbps", "topology.delay": draw.choice(["500ns", "5us"]),
                "topology.mtu": draw.choice([1500, 4150, 9000]), "workload.kind": kind, "workload.count": draw.choice([1, 2, 4]),
                "workload.size": draw.choice(["1B", "8B", "1000B", "9000B", "20001B", "20001B"]), "llp.kind": llp,
                "payload": draw.choice(["real", "none"]), "workload.notify_poll": draw.choice(["0ns", "0ns", "700ns", "30us"]),
                "rnic.cpu.poll": draw.choice(["0ns", "200ns"])}
        keys |= {"topology.k": 4, "topology.routing": draw.choice(["spray", "flow_hash"])} if tree else {"topology.hosts": 3}
        if kind != "ring":
            keys |= {"workload.op": "write", "workload.depth": draw.choice([1, 2, 5])}
        if llp != "packet":
            keys["rnic.receive"] = draw.choice({"mpa": ["place", "hold", "discard", "copy"], "sctp": ["place", "hold", "copy"], "ideal": ["place", "copy"]}[llp])
        if keys.get("rnic.receive") == "copy":
            keys["rnic.window.policy"] = "buffer"
        if llp != "ideal":
            keys["channel.loss"] = draw.choice([0, 0.01, 0.03])
        if draw.random() < 0.3:
            keys["channel.jitter"] = "3us"
        if draw.random() < 0.3:
            keys |= {"rnic.iommu.miss": 0.2, "rnic.iommu.walk": "1us", "rnic.pcie.ordering": draw.choice(["strict", "relaxed"]), "rnic.pcie.generation": 4}
        if keys.get("rnic.receive", "place") == "place" and draw.random() < 0.5:
            keys["rnic.order"] = "any" if keys.get("rnic.pcie.ordering") == "relaxed" else "stream"
        return keys

    def wrong(self, number):
        """What is wrong with the rows of one draw, and whether a way that may be early was."""
        draw = random.Random(number)
        keys = self.drawn(draw)
        ways = [*draw.sample(SAFE, 2), draw.choice(RISKY)]
        seeds = ", ".join(str(draw.randrange(1 << 30)) for _ in range(SEEDS))
        text = "".join(f"{k}: {v}\n" for k, v in keys.items()) + self.swept(ways) + f"  seed: [{seeds}]\n"
        said = []
        rows = self.rows(text, f"run-{number}")
        for row in rows:
            safe = row["workload.notify"] in SAFE
            if row["status"] != "ok" or not row["reads_early"] or (safe and (float(row["reads_early"]), row["octets_stale"], row["early_hole_p50_us"]) != (0, "0", "")):
                said.append(f"draw {number}: {row['workload.notify']}, {row['status']}, {row['reads_early']}\n{text}")
        return said, any(float(row["reads_early"] or 0) > 0 for row in rows)

    def test_ways_that_are_safe_read_nothing_early(self):
        runs = 3334 if NIGHT else 67  # of three ways and ten seeds each: 100,000 and 2,000 points
        first = random.randrange(1 << 30) if NIGHT else 1
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            found = list(pool.map(self.wrong, range(first, first + runs)))
        self.assertEqual([line for said, _ in found for line in said], [])
        self.assertGreater(sum(early for _, early in found), runs // 10)  # the draws are such that something can be early


class FromTheTrace(Notify):
    """Early reads once more, from lines `placed` alone: a packet transport numbers segments, a message is so many of them."""

    @staticmethod
    def early(folder, segments, marks):
        """{(connection, message): octets missing at the read}; the mark is the last segment of each message, or one more behind it."""
        placed = defaultdict(dict)
        for path in (folder / "trace").iterdir():
            for line in table(path):
                if line["event"] == "placed" and line["side"] == "1":
                    placed[int(line["conn"])][int(line["key"])] = int(line["t_ps"]), int(line["length"])
        found = {}
        for conn, of in placed.items():
            each = segments + marks
            for message in range(len(of) // each):
                seen = of[message * each + each - 1][0]
                found[conn, message] = sum(octets for at, octets in (of[message * each + i] for i in range(segments)) if at > seen)
        return found

    def test_last_octet_and_flag_are_what_the_trace_says(self):
        for routing, kind in ("spray", "permutation"), ("spray", "incast"), ("flow_hash", "permutation"):
            for way, marks in ("last_octet", 0), ("flag", 1):
                text = TREE % (4, routing, kind, 65536)
                out = self.run_of(text, f"{way}-{routing}-{kind}", f"workload.notify={way}", more=["--trace", "--messages"])
                row, found = table(out / "results.csv")[0], self.early(out, 17, marks)
                self.assertEqual((len(found), sum(found.values())), (int(row["messages"]), int(row["octets_stale"])))
                self.assertEqual(row["reads_early"], f"{sum(n > 0 for n in found.values()) / len(found):.6f}")
                self.assertEqual({(int(m["conn"]), int(m["index"])): int(m["stale"]) for m in table(out / "messages.csv")}, found)
                self.assertEqual(routing == "spray", float(row["reads_early"]) > 0.1, row["reads_early"])

    def test_a_sprayed_fat_tree_of_128_hosts(self):
        """81.1 % of 64 KiB, 45 % of 16 full segments: counted from a trace before there was a column."""
        for size, share, within in (65536, 0.811, 0.01), (16 * PAYLOAD, 0.45, 0.02):
            row = self.row(TREE % (8, "spray", "permutation", size), f"of-{size}", "workload.notify=last_octet")
            self.assertAlmostEqual(float(row["reads_early"]), share, delta=within)
            self.assertEqual(row["messages"], "2560")


class InStories(Notify):
    """`explain` says of each read what the columns count."""

    def test_each_read_is_told_with_its_hole(self):
        text = LINK.replace("400Gbps", "10Gbps").replace("delayed_ack", "min_rto: 1ms, delayed_ack").replace("count: 1", "count: 8")
        for way in *SAFE, *RISKY:
            sets = "channel.loss=0.05", "topology.mtu=1500", "workload.size=6000B", f"workload.notify={way}", "seed=5", "rnic.pcie.generation=4", "rnic.pcie.write=200ns"
            row = self.row(text, way, *sets)
            words = [w for s in sets for w in ("--set", s)]
            told = subprocess.run([IWARPSIM, "explain", f"{way}.yaml", "--markdown", *words], cwd=self.folder, capture_output=True, text=True, check=True).stdout
            reads = re.findall(rf"\| B \|[^|]*its program \({way}\) reads the Write of 6000 octets(?:: (\d+) octets had not come|; all had come(.*?)) \|", told)
            self.assertEqual(len(reads), 8, told)
            self.assertEqual(sum(int(n or 0) for n, _ in reads), int(row["octets_stale"]))
            self.assertEqual(f"{sum(bool(n) for n, _ in reads) / 8:.6f}", row["reads_early"])
            self.assertEqual({luck for n, luck in reads if not n} - {""}, {", though nothing had said so"} if way in RISKY and float(row["reads_early"]) < 1 else set())
            self.assertIn("that nobody can see yet", told)


class ClosedForms(Notify):
    def notified(self, out, *sets):
        rows = self.rows(LINK + self.swept(["send", "send_waits"]), out, *sets)
        return [picoseconds(row["notify_p50_us"]) for row in rows]

    def test_waiting_costs_a_round_trip_and_the_stages(self):
        """An ACK of 78 octets on the wire at 400 Gb/s; a completion is taken and a Send posted."""
        for sets, stages in ((), 0), (("rnic.cpu.post=200ns", "rnic.cpu.poll=100ns", "rnic.tx.doorbell=50ns"), 350_000), (("rnic.rx.latency=300ns",), 600_000):
            at_once, waits = self.notified(f"stages-{stages}", *sets)
            self.assertEqual(waits - at_once, 2 * 3_000_000 + 78 * 20 + stages)

    def test_one_path_without_loss_is_in_order(self):
        for llp in "mpa", "sctp", "packet":
            for row in self.rows(LINK.replace("{delayed_ack: 1}", f"{{kind: {llp}}}").replace("count: 1", "count: 100") + self.swept(["last_octet", "flag"]), llp):
                self.assertEqual((row["reads_early"], row["octets_stale"], float(row["fence_us"]) >= 0), ("0.000000", "0", True))

    def test_two_paths_whose_delays_differ(self):
        """The last of n segments goes by the fast path, one of the m before it by the slow one: (1 - 2^-m) / 2."""
        s = (PAYLOAD + 64 + 38) * 80  # picoseconds of a full packet at 100 Gb/s
        for n, late in (16, 0.5), (16, 1.5), (16, 3.5), (4, 5.5), (2, 2.5):
            (self.folder / "paths.yaml").write_text(PATHS % (500_000 + round(late * s)))
            row = self.row(TWO_PATHS % (n * PAYLOAD), f"paths-{n}-{late}")
            m = min(n - 1, math.ceil(late) - 1)
            share = (1 - 2**-m) / 2
            self.assertLess(int(row["retransmits"]), 20)  # spurious: before the lateness of the slow path is known
            self.assertAlmostEqual(float(row["reads_early"]), share, delta=3 * math.sqrt(share * (1 - share) / 1000) + 1e-9)

    def test_the_program_looks_at_multiples(self):
        for way in "last_octet", "flag", "send":
            out = self.run_of(LINK.replace("count: 1", "count: 30"), way, f"workload.notify={way}", "workload.notify_poll=7us", "rnic.cpu.poll=100ns", more=["--messages"])
            for message in table(out / "messages.csv"):
                looked = picoseconds(message["t_taken"]) - (0 if way == "send" else 100_000)
                self.assertEqual(looked % 7_000_000, 0)
                self.assertLess(looked - picoseconds(message["t_last_placed"]), 2 * 7_000_000)


class Order(Notify):
    """rnic.order: what the adapter promises decides what a program may rely on."""

    WALKS = "rnic.iommu.miss=0.2", "rnic.iommu.walk=2us", "rnic.pcie.ordering=relaxed", "rnic.pcie.generation=4"

    def test_stream_is_the_path_hold_and_makes_flags_safe(self):
        text = TREE % (4, "spray", "permutation", 65536) + self.swept(["last_octet", "flag", "flag_other"])
        for llp in "packet", "mpa":
            sets = f"llp.kind={llp}", *(["llp.recovery=irn"] if llp == "packet" else []), "channel.loss=0.01"
            text_of = text if llp == "packet" else text.replace(", recovery: rud", "")
            one = self.run_of(text_of, "s", *sets, "rnic.order=stream")
            rows = (one / "results.csv").read_text()
            shutil.rmtree(one)
            self.assertEqual(rows, (self.run_of(text_of, "s", *sets, "rnic.receive=hold") / "results.csv").read_text())
            shutil.rmtree(one)
            self.assertEqual([row["reads_early"] for row in csv.DictReader(rows.splitlines())][:2], ["0.000000", "0.000000"])

    def test_any_overtakes_on_one_path(self):
        """No loss and one path: only a write that waits for its look-up can come late."""
        for llp in "mpa", "sctp", "ideal", "packet":
            text = LINK.replace("{delayed_ack: 1}", f"{{kind: {llp}}}").replace("count: 1", "count: 200").replace("400G", "100G") + self.swept(["last_octet", *SAFE])
            for order in "arrival", "any":
                rows = self.rows(text, f"{llp}-{order}", f"rnic.order={order}", "payload=real", *self.WALKS)
                early = {row["workload.notify"]: float(row["reads_early"]) for row in rows}
                self.assertEqual({early[way] for way in SAFE}, {0.0})
                self.assertEqual(early["last_octet"] > 0.1, order == "any", early)

    def test_refused(self):
        for sets, said in (("rnic.order=any",), "needs|none does"), (("rnic.order=stream", "rnic.receive=hold"), "has no effect unless rnic.receive is place"):
            (self.folder / "s.yaml").write_text(LINK)
            done = subprocess.run([IWARPSIM, "check", "s.yaml", *(w for s in sets for w in ("--set", s))], cwd=self.folder, capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, said)


class Same(Notify):
    def on_threads(self, text, name, threads):
        out = self.run_of(text, name, more=["--threads", threads])
        rows = (out / "results.csv").read_text()
        shutil.rmtree(out)
        return rows

    def test_worlds_and_threads(self):
        for kind in "permutation", "ring":
            text = (TREE % (4, "spray", kind, 65536)).replace("count: 20", "count: 3") + self.swept(["none", *SAFE, *RISKY])
            text = text.replace("op: write, ", "").replace(", depth: 2", "") if kind == "ring" else text
            one, other = (self.on_threads(text, kind, threads) for threads in ("1", "2"))
            self.assertEqual(one, other)

    def test_fabric_and_ns3(self):
        text = LINK.replace("kind: link", "kind: star, hosts: 3").replace("stream", "incast").replace("count: 1", "count: 10") + self.swept([*SAFE, *RISKY])
        columns = "reads_early", "octets_stale", "early_hole_p50_us", "early_hole_p99_us", "notify_p50_us", "notify_p99_us", "fence_us", "bytes", "messages"
        one, other = (self.rows(text, world, f"world={world}") for world in ("fabric", "ns3"))
        self.assertEqual([[row[c] for c in columns] for row in one], [[row[c] for c in columns] for row in other])
        self.assertTrue(all(row["notify_p50_us"] for row in one))

    def test_without_it_the_columns_are_empty(self):
        row = self.row(LINK, "none")
        self.assertEqual({row[c] for c in ("reads_early", "octets_stale", "early_hole_p50_us", "notify_p50_us", "fence_us")}, {""})


class Refused(Notify):
    def test_what_cannot_be(self):
        for sets, said in ((["workload.op=send", "workload.notify=flag"], "workload.notify tells of Writes: workload.op must be write"),
                           (["workload.size=0B", "workload.notify=last_octet"], "a Write without octets has no last octet"),
                           (["workload.kind=pingpong", "workload.depth=1", "workload.notify=flag"], "has no effect unless workload.kind is stream, incast, permutation, shuffle, ring or ddp"),
                           (["world=simgrid", "workload.notify=flag"], "has no effect in this world, only in world fabric, ns3")):
            (self.folder / "s.yaml").write_text(LINK.replace(", depth: 1", "") if "workload.kind=pingpong" in sets else LINK)
            words = [w for s in sets if s != "workload.depth=1" for w in ("--set", s)]
            done = subprocess.run([IWARPSIM, "check", "s.yaml", *words], cwd=self.folder, capture_output=True, text=True)
            self.assertEqual((done.returncode, said in done.stderr), (2, True), done.stderr)


if __name__ == "__main__":
    unittest.main()
