#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""topology.ports: which ports of a host connections use, and what they carry together."""

import csv
import os
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = Path(os.environ.get("IWARPSIM", TOP / "build/iwarpsim")).absolute()
SCENARIO = """\
title: Ports
topology: {{kind: star, hosts: 4, mtu: 4150, ports: {ports}, routing: {routing}}}
llp: {{{llp}}}
rnic: {{preset: ideal}}
payload: none
workload: {{kind: permutation, op: write, size: 1MiB, count: {count}, depth: 2}}
"""


def times_of(capture):
    """In nanoseconds, of each record."""
    at, times = 24, []
    while at < len(capture):
        seconds, ns, kept, _ = struct.unpack_from("<4I", capture, at)
        times.append(seconds * 10**9 + ns)
        at += 16 + kept
    return times


class Ports(unittest.TestCase):
    def run_of(self, llp, ports, routing="adaptive", count=4, *more):
        with tempfile.TemporaryDirectory() as folder:
            file, out = Path(folder) / "ports.yaml", Path(folder) / "out"
            file.write_text(SCENARIO.format(llp=llp, ports=ports, routing=routing, count=count))
            done = subprocess.run([IWARPSIM, "run", file, "--out", out, "--links", *more], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(out / "results.csv", newline="") as rows, open(out / "links.csv", newline="") as links:
                return next(csv.DictReader(rows)), list(csv.DictReader(links))

    def out_of(self, links, host):
        """Octets by port."""
        return [int(link["bytes"]) for link in links if link["from"] == host]

    def test_a_connection_in_order_keeps_its_port(self):
        """A host has data of one connection and answers of another: at most two of its four ports are used, and all data leaves by one."""
        for llp in "kind: mpa", "kind: sctp", "kind: packet, recovery: go_back_n":
            with self.subTest(llp):
                _, links = self.run_of(llp, 4, "flow_hash")
                for host in {link["from"] for link in links if link["from"].startswith("host")}:
                    octets = self.out_of(links, host)
                    self.assertEqual(len(octets), 4)
                    self.assertLessEqual(sum(map(bool, octets)), 2)
                    self.assertGreater(max(octets), 0.9 * sum(octets))

    def test_packets_placed_as_they_come_are_dealt(self):
        """Ports that are asked in turn while data waits carry alike, and four carry four times as much as one."""
        for recovery in "irn", "rud":
            with self.subTest(recovery):
                llp = f"kind: packet, recovery: {recovery}"
                one, _ = self.run_of(llp, 1, count=20)
                four, links = self.run_of(llp, 4, count=20)
                octets = self.out_of(links, "host0")
                self.assertLess(max(octets), 1.05 * min(octets))
                self.assertGreater(float(four["steady_gbps"] or four["goodput_gbps"]), 3.8 * float(one["steady_gbps"] or one["goodput_gbps"]))

    def test_captures_have_all_ports(self):
        """A file for each host, in which the packets of its ports stand by time: the same in both worlds."""
        fabric = self.captures("fabric")
        self.assertEqual(len(fabric), 4)
        self.assertGreater(min(map(len, fabric)), 2 * 2 * (1 << 20) / 4150)
        if IWARPSIM.with_name("iwarpsim-ns3").exists():
            self.assertEqual(self.captures("ns3"), fabric)

    def captures(self, world):
        """Of each host the times at which packets left or came."""
        with tempfile.TemporaryDirectory() as folder:
            file, out = Path(folder) / "ports.yaml", Path(folder) / "out"
            file.write_text(SCENARIO.format(llp="kind: packet, recovery: rud", ports=3, routing="adaptive", count=2))
            done = subprocess.run([IWARPSIM, "run", file, "--out", out, "--pcap", "--set", f"world={world}", "--set", "payload=real"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            return [times_of(path.read_bytes()) for path in sorted(out.rglob("*.pcap"))]


if __name__ == "__main__":
    sys.exit(unittest.main())
