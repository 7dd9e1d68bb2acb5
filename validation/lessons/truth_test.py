#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Stories say of memory and acknowledgements only what the trace of the same run shows at that time.

  truth_test.py     120 scenarios drawn by seed: receive paths, TCP and SCTP, losses, slow copies, Writes that are refused
  IWARPSIM_DRAWS=N truth_test.py     N of them
"""

import csv
import os
import random
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import lessons

DRAWS = int(os.environ.get("IWARPSIM_DRAWS", "120"))
SCENARIO = """\
world: fabric
topology: {kind: link, rate: 10Gbps, delay: 5us, mtu: 1500}
rnic: {preset: t6, window: {bytes: 64KiB}}
workload: {kind: script, script: "write 9"}
"""
WRITE, SENDS, RESPONSE = 0, (3, 4, 5, 6), 2
COMPLETE = re.compile(r"tells the ULP that its (?:Write|Send.*) is complete: \d+ octets?(?P<claims>.*)")
SILENT = "; it may reuse its buffer; nothing is said of the peer's"  # RFC 5040 5.5, rule 9


def draw(number):
    """Settings of a run."""
    r = random.Random(number)
    sctp = r.random() < 0.3
    receive = r.choice(("place", "hold", "copy") if sctp else ("place", "hold", "discard", "copy"))
    steps = [f"{r.choice(('write', 'send', 'send_se', 'read'))} {r.randint(1, 9000)}" for _ in range(r.randint(1, 5))]
    wrong = ["write 100 to foreign"] * 2 + ["send 100 unexpected"] * 2 + ["wait"]
    sets = [f"seed={number}", f"rnic.receive={receive}", f"llp.kind={'sctp' if sctp else 'mpa'}", f"channel.loss={r.choice((0, .05, .1, .2))}",
            f"workload.script={'; '.join(steps + r.sample(wrong, r.choice((0, 0, 1))))}"]
    return sets + ([f"rnic.cpu.copy_rate={r.choice(('300Mbps', '1Gbps', '10Gbps'))}"] if receive == "copy" else [])


class Segment:
    def __init__(self, row):
        head = bytes.fromhex(row["head"])
        self.key, self.end = int(row["key"]), int(row["end"])
        self.opcode, self.last = head[1] & 15, bool(head[0] & 64)
        self.in_memory = self.opcode in (WRITE, RESPONSE, *SENDS)
        self.placed = self.landed = None  # when, in ps


class Trace:
    """Of one connection: what each side sent, and when each of it was where."""

    def __init__(self, rows):
        self.rows, self.sent = rows, ({}, {})
        for row in rows:
            side, what = int(row["side"]), row["event"]
            if what == "sent":
                self.sent[side][int(row["key"])] = Segment(row)
            segment = self.sent[1 - side].get(int(row["key"])) if row["key"] and what in ("landed", "refused", "dropped", "placed") else None
            if segment and what == "placed":
                segment.placed = segment.placed or int(row["t_ps"])
            elif segment:
                segment.landed = (segment.landed or int(row["t_ps"])) if what == "landed" else None

    def of(self, side):
        return [self.sent[side][key] for key in sorted(self.sent[side])]

    def octets(self, side, t):
        """Of packets that had come to a side."""
        return sum(int(r["length"]) for r in self.rows if r["event"] == "landed" and int(r["side"]) == side and before(int(r["t_ps"]), t))

    def requests(self, side):
        """The segments of each Write and Send of a side, in the order posted."""
        out, own = [], []
        for segment in self.of(side):
            if segment.opcode == WRITE or segment.opcode in SENDS:
                own.append(segment)
                if segment.last:
                    out.append(own)
                    own = []
        return out


def before(time, t):
    return time is not None and time / 1000 <= t + .5  # stories round to nanoseconds


def untrue(told, trace, sctp):
    """What a story says that its trace does not show. told: [(nanoseconds, side, text)]."""
    wrong, done = [], [0, 0]
    deliveries = [r for r in trace.rows if r["event"] == "delivered"]
    for t, side, text in told:
        complete, below = COMPLETE.fullmatch(text), re.match(r"acknowledges everything below (\d+)", text)
        octets = re.match(r"has acknowledged (\d+) octets, in order or not", text)
        good, peers = True, trace.of(0 if side else 1)
        if "LOSES" in text:
            good = side is None and text.startswith("the network LOSES")
        elif complete:
            own = trace.requests(side)[done[side]]
            done[side] += 1
            good = complete["claims"] == SILENT or all(before(s.placed, t) for s in own)
        elif below and sctp:
            there = [before(s.landed, t) for s in peers]
            good = there == sorted(there, reverse=True)
        elif below:
            good = all(before(s.landed, t) for s in peers if s.key < int(below[1]))
        elif octets:
            good = int(octets[1]) <= trace.octets(side, t)
        elif text.startswith(("DELIVERS", "has the Write")):
            key = int(deliveries.pop(0)["key"])
            good = all(before(s.placed, t) for s in peers if s.key <= key and s.in_memory)
        if not good:
            wrong.append((t / 1000, "AB"[side] if side is not None else "-", text))
    return wrong


class Truth(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="iwarpsim-")
        folder = Path(cls.temporary.name)
        (folder / "s.yaml").write_text(SCENARIO)
        cls.runs = [cls.run_of(folder, number) for number in range(DRAWS)]

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def run_of(cls, folder, number):
        """(settings, what is told, trace)"""
        sets, out = draw(number), folder / str(number)
        words = [w for s in sets for w in ("--set", s)]
        done = subprocess.run([lessons.IWARPSIM, "run", folder / "s.yaml", *words, "--trace", "--out", out], capture_output=True, text=True, timeout=60)
        assert done.returncode in (0, 1), (sets, done.stderr)  # 1: the stream ended early
        with open(next((out / "trace").glob("*.csv"))) as f:
            trace = Trace([row for row in csv.DictReader(f) if row["conn"]])
        return sets, cls.told(folder / "s.yaml", *words), trace

    @staticmethod
    def told(*what):
        """[(nanoseconds, side or None, text)]"""
        done = subprocess.run([lessons.IWARPSIM, "explain", *what, "--markdown"], capture_output=True, text=True, timeout=60, check=True)
        rows = re.findall(r"^\| ([\d.]+) \| ([AB-]) \| (.*?)(?: `.*`)? \| [^|]*\|$", done.stdout, re.M)
        return [(float(t) * 1000, "AB".index(who) if who != "-" else None, text) for t, who, text in rows]

    def test_a_trace_file_tells_the_same(self):
        """It does not say which lower layer it is of."""
        for number, (sets, told, _) in enumerate(self.runs[:20]):
            path = next((Path(self.temporary.name) / str(number) / "trace").glob("*.csv"))
            again = self.told(path)
            words = re.compile("acknowledge|LOSES|retransmits|times out")
            self.assertEqual([x for x in again if words.search(x[2])], [x for x in told if words.search(x[2])], sets)

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is missing")
    def test_octets_in_flight_are_drawn_where_they_are_known(self):
        scenario = Path(self.temporary.name) / "s.yaml"
        for llp in ("mpa", "sctp"):
            out = Path(self.temporary.name) / llp
            self.told(scenario, "--set", f"llp.kind={llp}", "--pictures", out)
            self.assertEqual("sent, not acknowledged" in (out / "window.gp").read_text(), llp == "mpa")

    def untrue(self, change=lambda text: text):
        return {" ".join(sets): wrong for sets, told, trace in self.runs
                if (wrong := untrue([(t, side, change(text)) for t, side, text in told], trace, "llp.kind=sctp" in sets))}

    def test_what_is_told_is_in_the_trace(self):
        self.assertEqual(self.untrue(), {})

    def test_each_kind_was_told_and_some_of_it_late_or_lost(self):
        told = "\n".join(text for _, lines, _ in self.runs for _, _, text in lines)
        for words in ("is complete", "acknowledges everything below", "in order or not", "DELIVERS", "has the Write", "LOSES", "TERMINATES", "kernel's buffer", "discards"):
            self.assertIn(words, told)

    def test_old_falsehoods_are_noticed(self):
        """What stories said once: of the peer's memory, of SCTP, and of who loses."""
        for words, instead in ((SILENT, "; the peer has them"), ("in order or not", None), ("the network LOSES", "LOSES")):
            def change(text):
                if instead is None:
                    return re.sub(r"^has acknowledged (\d+) octets, in order or not", r"acknowledges everything below \1", text)
                return text.replace(words, instead)
            with self.subTest(words):
                self.assertGreater(len(self.untrue(change)), DRAWS // 40)


if __name__ == "__main__":
    unittest.main()
