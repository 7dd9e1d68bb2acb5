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


class Core(unittest.TestCase):
    """DDPP core 3.4: an STag that is used again at once, and its quarantine, in the scenario of the gallery."""

    def run_core(self, quarantine):
        with tempfile.TemporaryDirectory(prefix="iwarpsim-") as folder:
            done = subprocess.run([IWARPSIM, "run", TOP / "scenarios/gallery/quarantine.yaml", "--set", f"workload.quarantine={quarantine}", "--out", f"{folder}/o", "--messages"], capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            with open(f"{folder}/o/results.csv", newline="") as rows, open(f"{folder}/o/messages.csv", newline="") as messages:
                return next(csv.DictReader(rows)), list(csv.DictReader(messages))

    # checks: CORE-3.4-3
    def test_what_is_under_way_at_a_reuse_lands_in_the_wrong_buffer(self):
        """The STag is used again each 130 us from the first post on: counted from the times of the messages."""
        row, messages = self.run_core("0us")
        picoseconds = [[round(float(m[k]) * 1e6) for k in ("t_post", "t_last_placed")] for m in messages]
        start = min(post for post, _ in picoseconds)
        wrong = sum((post - start) // 130_000_000 != (placed - start) // 130_000_000 for post, placed in picoseconds)
        self.assertEqual((row["messages"], row["messages_wrong"], row["octets_wrong"]), ("1000", str(wrong), str(1024 * wrong)))
        self.assertGreater(wrong, 20)

    # checks: CORE-3.4-2 CORE-3.4-3
    def test_a_quarantine_as_long_as_a_message_can_live_loses_it_instead(self):
        short, long = (self.run_core(q)[0] for q in ("10us", "70us"))
        self.assertGreater(70, float(long["latency_max_us"]))
        self.assertEqual(long["messages_wrong"], "0")
        self.assertLess(int(long["messages"]), 1000)
        self.assertGreater(int(short["messages_wrong"]), 0)


if __name__ == "__main__":
    unittest.main()
