#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""topology.trim: no packet vanishes at a full queue. Every one that is trimmed is counted once, told, and retransmitted once; what
arrives is delivered once; a capture says what a header without its payload is; no answer is lost behind data."""

import csv
import os
import re
import shutil
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = Path(os.environ.get("IWARPSIM", TOP / "build/iwarpsim")).absolute()
INCAST = """\
topology: {kind: star, hosts: 9, rate: 100Gbps, delay: 1us, mtu: 1500, buffer: 64KiB, trim: true}
llp: {kind: packet, recovery: irn}
workload: {kind: incast, op: send, size: 40kB, count: 12, depth: 4}
payload: none
"""
DSCP_TRIMMED = 43
LEFT = {"irn": 20 + 26 + 14, "rud": 64}  # IP, what the protocol is charged before a ULPDU, DDP's tagged header


def table(path):
    with open(path, newline="") as lines:
        return list(csv.DictReader(lines))


def packets(path):
    """Of a capture of raw IP: each packet's octets and its length on the wire."""
    octets = path.read_bytes()
    at = 24
    while at < len(octets):
        _, _, kept, length = struct.unpack_from("<IIII", octets, at)
        yield octets[at + 16:at + 16 + kept], length
        at += 16 + kept


class Trimming(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="iwarpsim-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def run_of(self, out, *more, text=INCAST):
        (self.folder / "trim.yaml").write_text(text)
        done = subprocess.run([IWARPSIM, "run", "trim.yaml", "--out", out, "--jobs", "1", *more], capture_output=True, text=True, timeout=300, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.folder / out

    def test_each_is_counted_and_repeated_once(self):
        for recovery in ("irn", "rud"):
            for hosts in (5, 9, 20):
                folder = self.run_of(f"{recovery}-{hosts}", "--links", "--set", f"llp.recovery={recovery}", "--set", f"topology.hosts={hosts}")
                row = table(folder / "results.csv")[0]
                trims = int(row["trims"])
                self.assertGreater(trims, 0)
                self.assertEqual(sum(int(link["trims"]) for link in table(folder / "links.csv")), trims)
                self.assertEqual([row[name] for name in ("drops_switch", "timeouts", "retransmits_spurious")], ["0"] * 3)
                self.assertEqual(int(row["retransmits"]), trims)
                self.assertGreaterEqual(int(row["naks"]), trims)
                self.assertEqual(int(row["messages"]), int(row["messages_posted"]))
                self.assertEqual(int(row["messages"]), 12 * (hosts - 1))
                self.assertEqual(int(row["bytes"]), 40000 * int(row["messages"]))

    def test_octets_of_the_full_link_add_up(self):
        """All data and the headers of what was trimmed cross the last link, the receiver's answers the other way."""
        for recovery in ("irn", "rud"):
            folder = self.run_of("links-" + recovery, "--links", "--set", f"llp.recovery={recovery}")
            row = table(folder / "results.csv")[0]
            to = [link for link in table(folder / "links.csv") if link["to"] == "host0"]
            self.assertEqual(len(to), 1)
            trims, segments = int(row["trims"]), int(row["segments"])
            heads = {"irn": 26, "rud": 30}[recovery]
            control = int(to[0]["packets"]) - trims - segments
            data = int(row["bytes"]) + segments * (20 + heads + 18)  # DDP's untagged header
            self.assertEqual(int(to[0]["trims"]), trims)
            self.assertLess(control, 20)  # FINs and their answers
            self.assertLessEqual(int(to[0]["bytes"]) - data - trims * LEFT[recovery], control * 64)
            self.assertGreaterEqual(int(to[0]["bytes"]) - data - trims * LEFT[recovery], 0)

    def test_without_it_packets_are_dropped(self):
        row = table(self.run_of("off", "--set", "topology.trim=false") / "results.csv")[0]
        self.assertEqual(row["trims"], "0")
        self.assertGreater(int(row["drops_switch"]), 0)
        self.assertGreater(int(row["timeouts"]), 0)

    def test_more_than_a_buffer_of_headers_is_dropped_and_repaired(self):
        """100 senders of 40 packets bring 240 kB of headers at once, of which 16 KiB wait."""
        text = INCAST.replace("hosts: 9", "hosts: 101").replace("64KiB, trim", "16KiB, trim").replace("count: 12", "count: 2")
        row = table(self.run_of("many", text=text) / "results.csv")[0]
        self.assertGreater(int(row["drops_switch"]), 0)
        self.assertGreater(int(row["timeouts"]), 0)
        self.assertEqual(int(row["messages"]), 2 * 100)
        self.assertEqual(row["status"], "ok")

    def test_a_channel_harms_headers_as_it_harms_answers(self):
        """A header is no data: a channel of data leaves it alone; one of acknowledgements may lose it, and a timeout repairs that."""
        for recovery in ("irn", "rud"):
            rows = {}
            for which in ("data", "both"):
                folder = self.run_of(f"{recovery}-{which}", "--set", f"llp.recovery={recovery}", "--set", "channel.loss=0.02", "--set", "channel.duplicate=0.02",
                                     "--set", "channel.reorder.probability=0.05", "--set", "channel.reorder.delay=5us", "--set", f"channel.direction={which}")
                rows[which] = table(folder / "results.csv")[0]
                self.assertEqual(int(rows[which]["messages"]), 12 * 8)
                self.assertEqual(rows[which]["status"], "ok")
            self.assertNotEqual(rows["data"], rows["both"])

    def test_real_octets_arrive_once_and_right(self):
        for recovery in ("irn", "rud"):
            rows = [table(self.run_of(f"{recovery}-{payload}", "--set", f"llp.recovery={recovery}", "--set", f"payload={payload}") / "results.csv")[0] for payload in ("none", "real")]
            self.assertEqual(rows[0], rows[1])
            self.assertEqual(rows[1]["messages_wrong"], "0")

    def test_the_capture_says_what_it_is(self):
        folder = self.run_of("pcap", "--pcap", "--set", "payload=real")
        row = table(folder / "results.csv")[0]
        captures = {int(re.search(r"-h(\d+)\.pcap", p.name).group(1)): list(packets(p)) for p in folder.rglob("*.pcap")}
        cut = [(octets, length) for octets, length in captures[0] if octets[1] >> 2 == DSCP_TRIMMED]
        self.assertEqual(len(cut), int(row["trims"]))
        sent = {octets[20:28] for host in range(1, 9) for octets, length in captures[host] if length > 100}
        for octets, length in cut:
            self.assertEqual((length, struct.unpack_from(">H", octets, 2)[0], octets[9]), (LEFT["irn"], LEFT["irn"], 253))
            self.assertEqual(len(octets), 20 + 24)
            self.assertIn(octets[20:28], sent)  # the PSN is that of a packet that was sent
            words = struct.unpack(">10H", octets[:20])
            total = sum(words)
            self.assertEqual((total & 0xffff) + (total >> 16) & 0xffff, 0xffff)
        for host in range(1, 9):
            self.assertFalse([octets for octets, _ in captures[host] if octets[1] >> 2])

    def test_the_trace_tells_each(self):
        folder = self.run_of("trace", "--trace", "--set", "workload.count=3")
        row = table(folder / "results.csv")[0]
        lines = [line for p in (folder / "trace").iterdir() for line in p.read_text().splitlines()]
        self.assertEqual(sum("its header goes on" in line for line in lines), int(row["trims"]))
        self.assertEqual(sum(",resent," in line and ",trimmed," in line for line in lines), int(row["trims"]))

    def test_threads(self):
        text = INCAST.replace("kind: star, hosts: 9", "kind: fat_tree, k: 4").replace("kind: incast", "kind: incast")
        rows = [(self.run_of(f"threads-{n}", "--threads", str(n), text=text) / "results.csv").read_bytes() for n in (1, 2, 3, 4)]
        self.assertEqual(len(set(rows)), 1)
        self.assertGreater(int(table(self.folder / "threads-1/results.csv")[0]["trims"]), 0)


if __name__ == "__main__":
    unittest.main(verbosity=1)
