#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the trace says of TCP: cwnd, ssthresh, srtt_ps, why a segment left again, what was undone; against numbers made by hand.

One connection, 10 Gb/s, 50 us each way, records of 8,960 octets, an acknowledgement for each, ten records at first.
"""

import csv
import unittest
from pathlib import Path

from run_test import IWARPSIM, Command, iwarpsim

WORLDS = ["fabric"] + ["ns3"] * (Path(IWARPSIM).parent / "iwarpsim-ns3").exists()

NS = 1000
MSS = 8960  # octets: 9000 without two headers
OCTET = 800  # picoseconds at 10 Gb/s
WAY = 50_000 * NS
FRAME = 38 + 40  # Ethernet, IP and TCP
SEGMENT, ACK = (FRAME + MSS) * OCTET, FRAME * OCTET
SYN = (FRAME + 12) * OCTET  # MSS, window scale, SACK permitted
REQUEST = (FRAME + 48) * OCTET  # MPA's start-up frame with the private data of RFC 6581
SAMPLE = SEGMENT + ACK + 2 * WAY  # what each segment of data takes that does not wait

TEXT = """world: {world}
topology: {{rate: 10Gbps, delay: 50us, mtu: 9000}}
llp: {{congestion: {congestion}, delayed_ack: 1, loss_detection: {detection}}}
channel: {{{channel}}}
rnic: {{receive: {receive}}}
workload: {{op: write, size: {size}B, count: 1, depth: 1}}
payload: none
seed: {seed}
"""
LOSS = "loss: 0.04"
LATE = "reorder: {probability: 0.03, delay: 45us}"


def smoothed(srtt, sample=SAMPLE):
    """RFC 6298 2.3, in whole picoseconds."""
    return srtt - srtt // 8 + sample // 8


START = smoothed(2 * (SYN + WAY), REQUEST + ACK + 2 * WAY)  # SYN and SYN+ACK, then the Request


class Trace(Command):
    def run_in(self, world, seed, channel=LOSS, size=30 * 8940, congestion="newreno", detection="rack", receive="place"):
        out = self.folder / f"{world}{seed}{congestion}{detection}{receive}{size}".replace(":", "")
        text = TEXT.format(world=world, seed=seed, channel=channel, size=size, congestion=congestion, detection=detection, receive=receive)
        iwarpsim("run", self.file(text), "--jobs", 1, "--trace", "--out", out)
        with open(next((out / "trace").iterdir()), newline="") as lines:
            self.events = [r for r in csv.DictReader(lines) if r["node"] == "0" and r["conn"] == "0"]
        self.first = int(self.of("left")[0]["t_ps"])

    def of(self, event):
        return [r for r in self.events if r["event"] == event]

    def at(self, event, index=0):
        """(time since the first segment left, record, cwnd, ssthresh, srtt, why)"""
        r = self.of(event)[index]
        numbers = (int(r["t_ps"]) - self.first, int(r["key"]) // MSS, int(r["cwnd"]), int(r["ssthresh"] or 0), int(r["srtt_ps"]))
        return *numbers, r["text"]

    def lost(self, *records):
        """The channel of this seed takes these records: the numbers below are for them."""
        self.assertEqual([int(r["key"]) // MSS for r in self.of("lost")], list(records))

    def test_slow_start_and_round_trips(self):
        for world in WORLDS:
            self.run_in(world, 8)
            self.lost()
            self.assertEqual(self.at("left", 0), (0, 0, 10 * MSS, 0, START, ""))
            self.assertEqual(self.at("left", 9), (9 * SEGMENT, 9, 10 * MSS, 0, START, ""))
            # Each acknowledgement lets two leave, and the line takes one in the time between two: 11 begins as the second one comes, and is not
            # its doing. One sample for each round trip (RFC 6298 3).
            for record, cwnd in ((10, 11), (11, 11), (12, 12), (13, 13)):
                self.assertEqual(self.at("left", record), (SAMPLE + (record - 10) * SEGMENT, record, cwnd * MSS, 0, smoothed(START), ""))

    def test_three_sacks_are_a_loss_and_halve(self):
        for world in WORLDS:
            for detection, why in (("rack", "RACK"), ("dupack", "dupack")):
                self.run_in(world, 13, detection=detection)
                self.lost(2)
                # The third SACK, of record 5, comes as record 15 begins to leave: 2 .. 15 are out, 12 of them by cwnd. PRR (RFC 6937):
                # of 14 - 3 - 1 in flight and one delivered, 6 of 14 records may leave.
                flight, half = 14 * MSS, 12 * MSS // 2
                self.assertEqual(self.at("resent"), (5 * SEGMENT + SAMPLE + SEGMENT, 2, 10 * MSS + -(-MSS * half // flight), half, smoothed(START), why))
                self.assertEqual(len(self.of("resent")), 1)
                # recovered when record 15 is acknowledged: from ssthresh on a record for each window
                after = [r for r in self.of("left") if int(r["t_ps"]) - self.first > 5 * SEGMENT + 2 * SAMPLE + 2 * SEGMENT]
                self.assertEqual({int(r["ssthresh"]) for r in after}, {half})
                self.assertEqual(sorted({int(r["cwnd"]) for r in after}), [6 * MSS, 7 * MSS])

    def test_what_a_loss_leaves(self):
        for world in WORLDS:
            for congestion, left in (("cubic", 12 * MSS * 7 // 10), ("newreno", 12 * MSS // 2), (f"'fixed:{12 * MSS}B'", 12 * MSS)):
                self.run_in(world, 13, congestion=congestion)
                self.lost(2)
                self.assertEqual(self.at("resent")[3], left)

    def test_a_tail_is_probed(self):
        for world in WORLDS:
            self.run_in(world, 29, size=5 * 8940)
            self.lost(4)
            srtt = smoothed(START)
            # from the acknowledgement of record 3 on: 2 SRTT, and for one segment alone the delayed ACK (RFC 8985 7.2)
            self.assertEqual(self.at("resent"), (3 * SEGMENT + SAMPLE + 2 * srtt + 50_000 * NS, 4, 10 * MSS, 0, srtt, "TLP"))
            self.assertEqual(self.of("timeout"), [])

    def test_a_timeout(self):
        for world in WORLDS:
            self.run_in(world, 29, size=5 * 8940, detection="dupack")
            self.lost(4)
            # min_rto after that; one segment, and half of the five that the last round trip had in flight (RFC 5681 (4))
            for event, why in (("timeout", ""), ("resent", "RTO")):
                self.assertEqual(self.at(event), (3 * SEGMENT + SAMPLE + 1_000_000 * NS, 4, MSS, 5 * MSS // 2, smoothed(START), why))

    def test_going_back(self):
        for world in WORLDS:
            self.run_in(world, 13, receive="discard")
            self.lost(2)
            syn = SYN - 4 * OCTET  # without SACK permitted
            srtt = smoothed(smoothed(2 * (syn + WAY), REQUEST + ACK + 2 * WAY))
            # duplicates let nothing leave: the third finds the line idle; 2 .. 13 leave again
            again = self.of("resent")
            self.assertEqual({r["text"] for r in again}, {"go-back-N"})
            self.assertEqual([int(r["key"]) // MSS for r in again], list(range(2, 14)))
            self.assertEqual(self.at("resent")[1:5], (2, 12 * MSS // 2, 12 * MSS // 2, srtt))

    def test_a_reduction_for_nothing_is_undone(self):
        for world in WORLDS:
            self.run_in(world, 23, channel=LATE, detection="dupack")
            self.lost()
            self.assertEqual(self.at("resent")[1:4], (2, 10 * MSS + -(-MSS * 6 // 14), 6 * MSS))
            again = self.at("resent")[0]
            # It was late. The repetition lands, and the D-SACK is back a round trip after it left, or behind the segment that leaves just
            # then: all is as it was, cwnd 12 records and no threshold.
            for event in ("spurious", "undone"):
                time, _, cwnd, ssthresh, _, _ = self.at(event)
                self.assertEqual((cwnd, ssthresh), (12 * MSS, 0))
                self.assertIn(time - again - SAMPLE, range(SEGMENT))
            self.assertEqual(len(self.of("undone")), 1)
            after = [int(r["cwnd"]) for r in self.of("left") if int(r["t_ps"]) - self.first > again + SAMPLE + SEGMENT]
            self.assertGreaterEqual(min(after), 12 * MSS)


if __name__ == "__main__":
    unittest.main()
