#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""helpers/gdb prints a node, a connection, a packet and both kinds of queue in one line each, in build/debug/iwarpsim, and `print/r` the
members. Skipped with a sentence without gdb, or where no process may be traced."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from skippable import run_tests

TOP = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("IWARPSIM_BUILD", TOP / "build")) / "debug/iwarpsim"  # build/debug/iwarpsim
SCENARIO = """world: fabric
topology: {kind: star, hosts: 3, rate: 10Gbps, delay: 1us, buffer: 64KiB, buffer_sharing: shared}
workload: {kind: incast, op: write, size: 64KiB, count: 5}
"""
STOPS = """set pagination off
break fits_share if q->data.head
run
print *q
print *q->data.head
delete
break transmit_pump
continue
print *n
print n->at_port
print *n->connection[0]
print/r n->at_port
kill
"""
NUMBER = r"[\d.]+"
SAID = (
    rf"data: {NUMBER} octets in [1-9]\d*( or more)? packets; headers: 0 octets in 0 packets; {NUMBER} octets came by the reverse link",
    rf"packet {NUMBER} of connection {NUMBER}, direction [01], {NUMBER} octets, to {NUMBER}, start {NUMBER} us, (not-)?ECT",
    rf"node at {NUMBER} us, 1 connections, 1 streams, {NUMBER} packets staged, at the port ",
    r"nobody|connections \d+ to \d+",
    rf"connection 0 \({NUMBER} of the world\), {NUMBER} packets sent, .*, window {NUMBER}, timer ({NUMBER} us|never), initiator",
    r"\{first = 0x[0-9a-f]+, last = ",
)


def gdb():
    """What it prints of each value, and all that it prints."""
    with tempfile.TemporaryDirectory() as folder:
        scenario, stops = Path(folder, "incast.yaml"), Path(folder, "stops.gdb")
        scenario.write_text(SCENARIO)
        stops.write_text(STOPS)
        done = subprocess.run(["gdb", "-nx", "-batch", "-x", TOP / "helpers/gdb/iwarpsim_gdb.py", "-x", stops, "--args", PROGRAM, "run", scenario, "--point", "0", "--repeat", "1"],
                              cwd=TOP, capture_output=True, text=True, timeout=300)
    if re.search("Operation not permitted|Could not trace", done.stderr):
        raise unittest.SkipTest("no process may be traced here")
    return re.findall(r"^\$\d+ = (.*)", done.stdout, re.M), done.stdout + done.stderr


@unittest.skipUnless(shutil.which("gdb"), "gdb is missing (Debian: gdb)")
@unittest.skipUnless(PROGRAM.exists(), "build/debug/iwarpsim is missing: ./waf build --debug builds it")
class Printers(unittest.TestCase):
    def test_a_line_says_what_it_is(self):
        values, everything = gdb()
        self.assertEqual(len(values), len(SAID), everything)
        for value, said in zip(values, SAID):
            self.assertRegex(value, "^(" + said + ")")


if __name__ == "__main__":
    sys.exit(run_tests("gdb"))
