#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a capture tells of TCP itself is what tshark, which nobody here wrote, reads in the same frames: acknowledgements,
windows, FIN, RST, and which frames bring nothing new. Exit 77 without tshark."""

import json
import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "validation/interop"))
import folders

IWARPSIM = os.environ.get("IWARPSIM", str(TOP / "build" / "iwarpsim"))
FIELDS = ["frame.number", "tcp.ack", "tcp.window_size", "tcp.flags.fin", "tcp.flags.reset", "tcp.flags.ack", "tcp.len", "tcp.analysis.retransmission",
          "tcp.analysis.fast_retransmission", "tcp.analysis.spurious_retransmission", "tcp.analysis.out_of_order", "tcp.stream"]


def captures():
    found = sorted((TOP / "validation/interop").glob("*.pcap"))
    return found + list(filter(None, map(folders.named, ("a40-priv-0", "a49-ird0", "n02-loss3-1500", "n08-loss5-9000"))))


def frames(capture):
    words = [word for field in FIELDS for word in ("-e", field)]
    said = subprocess.run(["tshark", "-r", capture, "-Y", "tcp", "-T", "fields", *words], capture_output=True, text=True, check=True).stdout
    rows = [dict(zip(FIELDS, line.split("\t"))) for line in said.splitlines()]
    return {int(row["frame.number"]): row for row in rows}


def is_set(text):
    return text in ("1", "True")


class Tcp(unittest.TestCase):
    def test_as_tshark_reads_it(self):
        windows = ends = again = 0
        for capture in captures():
            done = subprocess.run([IWARPSIM, "play", capture, "-o", "-"], capture_output=True, text=True)
            if done.returncode:
                continue
            story = json.loads(re.search(r'id="stories">(.*?)</script>', done.stdout, re.S)[1])[0]
            theirs = frames(capture)
            with self.subTest(capture.name):
                for e in story["events"]:
                    frame = theirs.get(e.get("frame"))
                    if e["kind"] == "window":
                        windows += 1
                        self.assertIn(int(frame["tcp.ack"]) - 1 - e["key"], (0, 1), e)  # a FIN takes a number and is no octet
                        if "edge" in e:
                            self.assertEqual(e["edge"] - e["key"], int(frame["tcp.window_size"]), e)
                    if e["kind"] == "closes":
                        ends += 1
                        self.assertTrue(is_set(frame["tcp.flags.fin"]) or is_set(frame["tcp.flags.reset"]), e)
                    if e["kind"] == "resent":
                        again += 1
                        self.assertTrue(any(frame[f"tcp.analysis.{word}"] for word in ("retransmission", "fast_retransmission", "spurious_retransmission", "out_of_order")), e)
                first = min(e["frame"] for e in story["events"] if e["kind"] == "startup")
                closed = {e["frame"] for e in story["events"] if e["kind"] == "closes"}
                streams = {row["tcp.stream"] for n, row in theirs.items() if n in closed}
                for number, row in theirs.items():
                    if number > first and row["tcp.stream"] in streams and (is_set(row["tcp.flags.fin"]) or is_set(row["tcp.flags.reset"])):
                        self.assertIn(number, closed)
        self.assertGreater(windows, 100)
        self.assertGreater(ends, 6)
        print(f"{windows} acknowledgements and windows, {ends} ends, {again} repetitions: as tshark has them")


if __name__ == "__main__":
    if not shutil.which("tshark"):
        print("skipped: tshark is missing (Debian: tshark)")
        sys.exit(77)
    unittest.main()
