#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows that oblige nobody (what has no order, what a program may not rely on, what is only recommended), seen in runs.

Needs IWARPSIM (or build/iwarpsim)."""

import csv
import itertools
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = Path(os.environ.get("IWARPSIM", TOP / "build/iwarpsim")).absolute()
WORLDS = ("fabric", "ns3") if (TOP / "build/iwarpsim-ns3").exists() else ("fabric",)
LOSSY = ("payload=real", "channel.loss=0.05", "seed=3")


def run_text(text, *settings):
    """(the row, the lines of the trace) of a scenario's only run."""
    with tempfile.TemporaryDirectory(prefix="iwarpsim-") as folder:
        scenario = Path(folder) / "s.yaml"
        scenario.write_text(text)
        words = [word for setting in settings for word in ("--set", setting)]
        done = subprocess.run([IWARPSIM, "run", scenario, "--out", f"{folder}/out", "--jobs", "1", "--trace", *words], capture_output=True, text=True)
        assert done.returncode in (0, 3), done.stderr
        with open(f"{folder}/out/results.csv", newline="") as rows, open(next(Path(folder).glob("out/trace/*.csv")), newline="") as trace:
            return next(csv.DictReader(rows)), list(csv.DictReader(trace))


def run(script, *settings):
    """The same of a script over one link."""
    return run_text(f'topology: {{kind: link}}\nworkload: {{kind: script, script: "{script}"}}\n', *settings)


def of(trace, event, **cells):
    return [line for line in trace if line["event"] == event and all(line[k] == str(v) for k, v in cells.items())]


def delivered(trace, side, text, conn=0):
    return next(int(line["t_ps"]) for line in of(trace, "delivered", side=side, text=text, conn=conn))


class Rows(unittest.TestCase):
    # checks: RDMAP-5.5-1
    def test_streams_have_no_order_between_them(self):
        _, lines = run_text("topology: {kind: link}\nchannel: {loss: 0.05}\npayload: none\nworkload: {kind: stream, op: send, size: 4KiB, count: 20, depth: 2, connections: 2}\n")
        posted = [[int(line["t_ps"]) for line in of(lines, "post", conn=conn, side=0)] for conn in (0, 1)]
        came = [[int(line["t_ps"]) for line in of(lines, "delivered", conn=conn, side=1)] for conn in (0, 1)]
        pairs = [(a, b) for a in range(20) for b in range(20) if posted[0][a] < posted[1][b] and came[0][a] > came[1][b]]
        others = [(a, b) for a in range(20) for b in range(20) if posted[0][a] > posted[1][b] and came[0][a] < came[1][b]]
        self.assertTrue(pairs or others, "a message that was posted later on another stream comes first")
        self.assertTrue(all(times == sorted(times) for times in came), "on a stream they keep their order")

    # checks: RDMAP-5.5-2
    def test_directions_have_no_order_between_them(self):
        _, trace = run("write 60000; send 10; peer send 10")
        there, back = (of(trace, "post", side=side)[-1] for side in (0, 1))
        self.assertLessEqual(int(there["t_ps"]), int(back["t_ps"]))
        self.assertGreater(delivered(trace, 1, "Send"), delivered(trace, 0, "Send"), "what was posted last comes first")

    def assert_indeterminate(self, script, sink, text):
        """Octets behind a hole are in memory while those in the hole are not, and neither is delivered."""
        _, trace = run(script, *LOSSY)
        end = delivered(trace, sink, text)
        placed = [line for line in of(trace, "placed", side=sink) if int(line["t_ps"]) <= end and int(line["length"])]
        offsets = [int(line["to"]) for line in placed]
        self.assertNotEqual(offsets, sorted(offsets), "a loss makes a hole")

    # checks: RDMAP-5.5-4
    def test_a_receive_buffer_has_holes_until_delivery(self):
        self.assert_indeterminate("send 60000", 1, "Send")

    # checks: RDMAP-5.5-5
    def test_the_memory_of_a_write_has_holes_until_a_send_behind_it_is_delivered(self):
        self.assert_indeterminate("write 60000; send 0", 1, "Send")

    # checks: RDMAP-5.5-6
    def test_the_sink_of_a_read_has_holes_until_its_response_is_delivered(self):
        self.assert_indeterminate("read 60000", 0, "Read Response")

    # checks: RDMAP-5.5-20a RDMAP-5.5-20b RDMAP-5.5-15
    def test_memory_of_outstanding_reads_is_read_in_any_order(self):
        text = (TOP / "scenarios/gallery/read-order.yaml").read_text().partition("sweep:")[0]
        runs = [run_text(text, "rnic.read_order=any", f"world={world}") for world in WORLDS]
        for (row, lines), (other, others) in zip(runs, runs[1:]):
            self.assertEqual((row["goodput_gbps"], lines), (other["goodput_gbps"], others), "worlds of packets say the same")
        row, lines = runs[0]
        read, left = ([int(line["key"]) for line in of(lines, event, side=1)] for event in ("read", "left"))
        self.assertNotEqual(read, sorted(read))
        self.assertEqual((left, sorted(read)), (sorted(left), left), "Responses leave in the order of the Requests")
        self.assertEqual([int(line["key"]) for line in of(lines, "done", side=0)], list(range(200)), "Reads complete as posted")
        self.assertGreater(float(row["goodput_gbps"]), float(run_text(text)[0]["goodput_gbps"]))

    # checks: RDMAP-6.1-4
    def test_as_many_reads_are_accepted_as_are_asked_for(self):
        _, lines = run_text("topology: {kind: link}\npayload: none\nworkload: {kind: stream, op: read, size: 64B, count: 40, depth: 40}\n")
        steps = sorted([(int(line["t_ps"]), 1) for line in of(lines, "sent", side=0, qn=1)] + [(int(line["t_ps"]), -1) for line in of(lines, "delivered", side=0, text="Read Response")])
        self.assertEqual(max(itertools.accumulate(step for _, step in steps)), 16, "so many are outstanding: the default of llp.ord and of llp.ird")

    # checks: DDP-8.4-1 DDP-8.4-2
    def test_packets_may_be_protected(self):
        took = {word: float(run("write 60000", f"llp.security={word}", "rnic.receive=hold")[0]["latency_p50_us"]) for word in ("none", "esp", "tls")}
        self.assertLess(took["none"], min(took["esp"], took["tls"]), "authentication and secrecy cost octets")


if __name__ == "__main__":
    sys.exit(unittest.main())
