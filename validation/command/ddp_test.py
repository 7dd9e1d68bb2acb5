#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""workload.kind: ddp, a ULP directly on DDP (RFC 5041 figure 1): its messages go as Writes and Sends of the same size do, its own field
comes as it was sent, both worlds of packets say the same, and nothing of RDMAP is there.

Needs IWARPSIM (or build/iwarpsim)."""

import csv
import itertools
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = Path(os.environ.get("IWARPSIM", TOP / "build/iwarpsim")).absolute()
WORLDS = ("fabric", "ns3") if (TOP / "build/iwarpsim-ns3").exists() else ("fabric",)
SCENARIO = """\
topology: {kind: link, rate: 100Gbps}
channel: {loss: 0.01}
payload: real
workload: {kind: ddp, size: 5000B, count: 300, depth: 4, notify: send}
"""
TIMES = ("status", "goodput_gbps", "latency_p50_us", "latency_max_us", "messages", "bytes", "segments", "segments_ooo", "placed_ooo_bytes", "retransmits", "reads_early", "notify_p99_us")


def run(*sets):
    """The row, and the lines of the trace."""
    with tempfile.TemporaryDirectory(prefix="iwarpsim-") as folder:
        scenario = Path(folder, "ddp.yaml")
        scenario.write_text(SCENARIO)
        done = subprocess.run([IWARPSIM, "run", scenario, "--out", f"{folder}/o", "--jobs", "1", "--trace", *itertools.chain(*(("--set", s) for s in sets))], capture_output=True, text=True)
        assert done.returncode in (0, 3), done.stderr
        with open(f"{folder}/o/results.csv", newline="") as rows, open(next(Path(folder).glob("o/trace/*.csv")), newline="") as trace:
            return next(csv.DictReader(rows)), list(csv.DictReader(trace))


def heads(trace):
    return [bytes.fromhex(line["head"]) for line in trace if line["event"] == "sent"]


class Alone(unittest.TestCase):
    def test_it_takes_the_time_of_writes_and_sends(self):
        for sets in (), ("workload.op=send", "workload.notify=none"), ("llp.kind=sctp", "workload.notify=flag"):
            rows = [run(*sets, f"workload.kind={kind}")[0] for kind in ("ddp", "stream")]
            self.assertEqual(*({k: row[k] for k in TIMES} for row in rows), sets)

    def test_worlds_of_packets_say_the_same(self):
        runs = [run(f"world={world}") for world in WORLDS]
        self.assertTrue(all(r[1] == runs[0][1] for r in runs))

    # checks: DDP-4.2-2 DDP-4.2-5 DDP-4.3-2 DDP-4.3-5
    def test_the_field_of_the_ulp_is_its_own(self):
        """A tagged header has one octet of it, an untagged one five: the number of the message, though RDMAP would read them as opcodes."""
        sent = heads(run()[1])
        tagged, untagged = [h for h in sent if h[0] & 0x80], [h for h in sent if not h[0] & 0x80]
        self.assertEqual([h[1:6] for h in untagged], [i.to_bytes(5, "big") for i in range(300)])
        self.assertEqual([h[1] for h in tagged], [i % 256 for i in range(300) for _ in range(4)])

    # checks: DDP-7.1-U2b
    def test_without_a_buffer_the_stream_ends_and_the_peer_hears_nothing(self):
        row, lines = run("workload.op=send", "workload.notify=none", "workload.recv_depth=1")
        self.assertEqual((row["status"], row["terminates"]), ("ended", "0"))
        self.assertEqual([line for line in lines if line["event"] == "terminate_sent"], [])
        self.assertEqual(run("workload.op=send", "workload.notify=none", "workload.recv_depth=1", "llp.missing_buffer=wait")[0]["status"], "ok")


if __name__ == "__main__":
    unittest.main()
