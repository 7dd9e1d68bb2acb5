#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tshark's expert judges our TCP: runs with --pcap and --trace in which packets are lost, overtaken, sent twice, marked, or a window
closes. What tshark, which nobody here wrote, reads in the frames is what the trace and results.csv tell:

  repetitions           frames that tshark calls retransmission (fast, spurious, or out of order where they leave), by sequence number
  holes                 segments beyond what came so far, and segments below it, where they arrive
  duplicates            acknowledgements that say the same number again: never more than segments that bring nothing in order
  windows               closed, full, probed (tshark: keep-alive); none moves left
  marks                 CE, ECE and CWR

Each checksum is good, nothing is malformed, nothing is acknowledged that did not come. Exit 77 without tshark."""

import csv
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = os.environ.get("IWARPSIM", str(TOP / "build" / "iwarpsim"))
SCENARIO = """title: expert
claim: tshark's expert says what we say.
world: fabric
payload: real
topology: {rate: 10Gbps, delay: 5us, mtu: 1500}
llp: {delayed_ack: 1}
workload: {size: 20000B, count: 20}
"""
INCAST = "workload.kind=incast topology.kind=star topology.hosts=3 topology.buffer="
LATE = " channel.reorder.probability=0.05 channel.reorder.delay=30us"
# name: what differs, and what must happen in it, or the run proves nothing
RUNS = {
    "clean": ("", ""),
    "loss": ("channel.loss=0.02", "repeated holes duplicates"),
    "loss both ways": ("channel.loss=0.05 channel.direction=both", "repeated holes duplicates"),
    "counted": ("channel.loss=0.02 llp.loss_detection=dupack", "repeated holes duplicates"),
    "going back": ("channel.loss=0.01 rnic.receive=discard", "repeated holes duplicates"),
    "bursts": ("workload.count=60 channel.burst.p=0.002 channel.burst.r=0.1 channel.burst.loss_bad=1", "repeated holes timeouts"),
    "reordering": ("channel.duplicate=0.02" + LATE, "repeated holes duplicates spurious"),
    "timestamps": ("channel.loss=0.02 llp.timestamps=true" + LATE, "repeated holes duplicates"),
    "ECN": (INCAST + "1MiB topology.ecn_threshold=15000B llp.ecn=on", "marks"),
    "DCTCP": (INCAST + "1MiB topology.ecn_threshold=15000B llp.congestion=dctcp", "marks"),
    "full buffer": (INCAST + "30000B", "repeated holes duplicates"),
    "zero window": ("rnic.receive=copy rnic.window.policy=buffer rnic.window.bytes=8760B workload.op=send "
                    "workload.size=11488B workload.count=8 workload.consume_rate=5Mbps", "closed full probed"),
}  # fmt: skip

SYN, ECE, CWR = 0x02, 0x40, 0x80
ANALYSIS = "retransmission fast_retransmission spurious_retransmission out_of_order lost_segment ack_lost_segment duplicate_ack window_full zero_window keep_alive".split()
FIELDS = ["ip.src", "ip.dst", "ip.checksum.status", "tcp.checksum.status", "tcp.srcport", "tcp.dstport", "tcp.flags", "tcp.seq", "tcp.ack", "tcp.len", "tcp.window_size",
          "ip.dsfield.ecn", "_ws.malformed", *("tcp.analysis." + word for word in ANALYSIS)]  # fmt: skip
GOOD = "1"
READ = ["tshark", "-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE", "-o", "tcp.relative_sequence_numbers:TRUE"]


class Frame:
    def __init__(self, cells):
        of = dict(zip(FIELDS, cells))
        self.flags, self.seq, self.ack, self.len, self.window, self.ecn = (
            int(of[name] or "0", 0) for name in ("tcp.flags", "tcp.seq", "tcp.ack", "tcp.len", "tcp.window_size", "ip.dsfield.ecn")
        )
        self.way = of["ip.src"], of["tcp.srcport"], of["ip.dst"], of["tcp.dstport"]
        self.sound = of["ip.checksum.status"] == of["tcp.checksum.status"] == GOOD and not of["_ws.malformed"]
        self.says = {word for word in ANALYSIS if of["tcp.analysis." + word]}

    def repeats(self):
        return bool(self.len and self.says & {"retransmission", "fast_retransmission", "spurious_retransmission", "out_of_order"})

    def back(self):
        return self.way[2:] + self.way[:2]


def frames(capture):
    words = [word for field in FIELDS for word in ("-e", field)]
    said = subprocess.run([*READ, "-r", capture, "-Y", "tcp", "-T", "fields", *words], capture_output=True, text=True, check=True).stdout
    return [Frame(line.split("\t")) for line in said.splitlines()]


class Run:
    """One run: its row, the trace by side of its connections, and what each host's capture says."""

    def __init__(self, folder, differs):
        scenario, out = folder / "expert.yaml", folder / "out"
        scenario.write_text(SCENARIO)
        sets = [word for pair in differs.split() for word in ("--set", pair)]
        done = subprocess.run([IWARPSIM, "run", scenario, "--out", out, "--pcap", "--trace", *sets], capture_output=True, text=True)
        if done.returncode:
            raise AssertionError(done.stderr)
        with open(out / "results.csv", newline="") as file:
            self.row = next(csv.DictReader(file))
        with open(next((out / "trace").iterdir()), newline="") as file:
            self.trace = [line for line in csv.DictReader(file) if line["conn"]]
        self.captures = sorted((out / "pcap").iterdir(), key=lambda p: int(p.stem.rpartition("-h")[2]))
        self.frames = [frames(p) for p in self.captures]

    def events(self, kind):
        return [line for line in self.trace if line["event"] == kind]

    def receiver(self):
        return int(self.events("arrived")[0]["node"])

    def senders(self):
        return sorted({int(line["node"]) for line in self.events("sent")})


def start_of(way):
    """Octets of MPA's start-up: what each way carries before its first FPDU. Sequence numbers are relative, the SYN is 0."""
    return 1 + next(f.len for f in way if f.len)


class Expert(unittest.TestCase):
    def test_as_tshark_reads_it(self):
        for name, (differs, wanted) in RUNS.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                run = Run(Path(folder), differs)
                self.sound(run)
                found = {
                    **self.repetitions(run), **self.arrivals(run), **self.windows(run), **self.marks(run),
                    "timeouts": int(run.row["timeouts"]), "spurious": int(run.row["retransmits_spurious"]),
                }  # fmt: skip
                for word in wanted.split():
                    self.assertGreater(found[word], 0, word)
                print(f"{name}: " + ", ".join(f"{n} {word}" for word, n in found.items() if n))

    def sound(self, run):
        for at, capture in zip(run.frames, run.captures):
            self.assertTrue(at)
            self.assertTrue(all(f.sound for f in at), capture.name)
            self.assertFalse(any("ack_lost_segment" in f.says for f in at), f"{capture.name}: acknowledged, and never seen")

    def repetitions(self, run):
        """At the sender nothing is lost: whatever tshark finds sent before was sent again by us, and the other way round."""
        theirs, ours = Counter(), Counter()
        for host in run.senders():
            ways = {}
            for f in run.frames[host]:
                ways.setdefault(f.way, []).append(f)
            for way in (w for w in ways.values() if any(f.len for f in w)):
                first = start_of(way)
                theirs.update((host, f.seq - first) for f in way if f.repeats() and f.seq >= first)
        ours.update((int(e["node"]), int(e["key"])) for e in run.events("resent"))
        self.assertEqual(theirs, ours)
        self.assertEqual(sum(ours.values()), int(run.row["retransmits"]))
        return {"repeated": sum(ours.values())}

    def arrivals(self, run):
        """At the receiver: what comes beyond a hole, what comes behind its turn, what is said of it."""
        host = run.receiver()
        at = run.frames[host]
        beyond = behind = 0
        nxt = {}
        for e in (e for e in run.events("landed") if int(e["node"]) == host):
            key, end = int(e["key"]), int(e["end"])
            seen = nxt.get(e["conn"], 0)
            beyond += key > seen
            behind += key < seen
            nxt[e["conn"]] = max(seen, end)
        data = [f for f in at if f.len and int(f.way[3]) and f.way[2] == address(host) and f.seq > 0]
        starts = {f.way: f.seq + f.len for f in reversed(data)}
        data = [f for f in data if f.seq >= starts[f.way]]
        self.assertEqual(sum("lost_segment" in f.says for f in data), beyond)
        self.assertEqual(sum(f.repeats() for f in data), behind)
        duplicates = sum("duplicate_ack" in f.says for f in at if f.way[0] == address(host))
        bring_nothing = int(run.row["segments_ooo"]) + behind + len(run.events("refused"))
        self.assertLessEqual(duplicates, bring_nothing)
        return {"holes": beyond, "behind": behind, "duplicates": duplicates}

    def windows(self, run):
        """A probe is an empty segment before SND.UNA; a window that is closed or full is so for both."""
        edges, closed, full, probed = {}, set(), 0, 0
        for host, at in enumerate(run.frames):
            for f in (f for f in at if f.way[0] == address(host) and not f.flags & SYN):
                self.assertGreaterEqual(f.ack + f.window, edges.get(f.way, 0), "a window moves left")
                edges[f.way] = f.ack + f.window
                closed |= {(f.way, f.ack)} if "zero_window" in f.says else set()
                full += "window_full" in f.says
                probed += "keep_alive" in f.says
                self.assertFalse("zero_window" in f.says and f.window)
        shut = [e for e in run.events("window") if int(e["t_ps"]) and e["window_edge"] == e["key"]]
        self.assertEqual(len(closed), len(shut))
        self.assertEqual(probed, len(run.events("probed")))
        self.assertLessEqual(full, len(run.events("left")) + len(run.events("resent")))
        return {"closed": len(closed), "full": full, "probed": probed}

    def marks(self, run):
        """Marks that arrive; none without an echo, no echo and no CWR without a mark; nothing is marked that did not ask for it."""
        at = run.frames[run.receiver()]
        mine = [f for f in at if f.way[2] == address(run.receiver())]
        marked = sum(f.ecn == 3 for f in mine)
        echoes = sum(bool(f.flags & ECE) for f in at if f.way[0] == address(run.receiver()) and not f.flags & SYN)
        reduced = sum(bool(f.flags & CWR) for f in mine if not f.flags & SYN)
        self.assertEqual(marked, int(run.row["ecn_marks"]))
        self.assertEqual(bool(marked), bool(echoes))
        self.assertLessEqual(reduced, echoes)
        return {"marks": marked, "echoes": echoes, "reduced": reduced}


def address(host):
    return f"10.0.{(host + 1) >> 8}.{(host + 1) & 255}"


if __name__ == "__main__":
    if not shutil.which("tshark"):
        print("skipped: tshark is missing (Debian: tshark)")
        sys.exit(77)
    unittest.main()
