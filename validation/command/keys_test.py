#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A key that is set and changes nothing is refused, with the worlds that act on it; so is what cannot be meant."""

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from run_test import IWARPSIM

SIMGRID = (Path(IWARPSIM).parent / "iwarpsim-simgrid").exists()
REFUSED = {  # what stands in the file: what is said of it
    "world: simgrid, topology: {kind: star, hosts: 4, buffer: 2MiB}": "topology.buffer: has no effect in this world, only in world fabric, ns3",
    "world: simgrid, llp: {msl: 2ms}": "llp.msl: has no effect in this world, only in world fabric, ns3",
    "world: simgrid, channel: {duplicate: 0.1}": "channel.duplicate: has no effect in this world, only in world fabric, ns3",
    "world: ns3, workload: {kind: incast}": "workload.kind: has one sender here; incast needs two",
    "world: ns3, topology: {delay: 3ms}, llp: {min_rto: 10us}": "llp.min_rto: is below the round trip without load, 6000.",
    "world: fabric, topology: {delay: 600us}, llp: {kind: packet}": "llp.min_rto: auto is below the round trip without load, 1200.",
    "world: ns3, payload: none, llp: {crc: false}, channel: {corrupt: 0.01}": "payload: none carries no octets that could be wrong",
    "world: fabric, workload: {kind: script, script: 'peer send 100'}": "workload.script: the initiator must send first",
    "world: fabric, workload: {kind: script, script: 'peer send 100; wait; send 5'}": "workload.script: the initiator must send first",
}
ACCEPTED = [  # defaults, what is off, and what one of several worlds acts on
    "world: simgrid, topology: {kind: star, hosts: 4, buffer: 1MiB, ecn_threshold: never}",
    "world: simgrid, channel: {duplicate: 0}",
    "world: simgrid, llp: {initial_window: 20}",
    "topology: {buffer: 2MiB}, sweep: {world: [simgrid, ns3]}",
    "world: simgrid, llp: {congestion: dctcp}",
    "world: simgrid, topology: {kind: star, hosts: 2}, workload: {kind: incast}",
    "world: ns3, topology: {delay: 3ms}",
    "world: fabric, workload: {kind: script, script: 'peer send 100; send 5'}",
    "llp: {congestion: newreno, delayed_ack: 4, recovery: rud}, sweep: {llp.kind: [mpa, packet]}",
    "llp: {kind: packet, delayed_ack: 4}, sweep: {llp.recovery: [irn, rud]}",
    "llp: {kind: packet}, topology: {kind: star, hosts: 4, ecn_threshold: 20KiB}, sweep: {llp.congestion: [cubic, dcqcn]}",
    "llp: {kind: packet, recovery: rud, min_rto: 60us}",
]


class Keys(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="iwarpsim-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def check(self, text, *sets):
        path = self.folder / "x.yaml"
        path.write_text("{%s}\n" % text)
        return subprocess.run([IWARPSIM, "check", path, *sets], capture_output=True, text=True, timeout=60)

    def test_what_changes_nothing_is_refused(self):
        for text, said in REFUSED.items():
            done = self.check(text)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), (text, done.stderr))
            self.assertIn(said, done.stderr)
            self.assertRegex(done.stderr, r"x\.yaml:1:\d+: ")

    def test_what_is_a_default_or_off_or_acts_in_one_world_is_not(self):
        for text in ACCEPTED:
            done = self.check(text)
            self.assertEqual((done.returncode, done.stderr), (0, ""), text)

    def test_it_is_refused_from_the_command_line_too(self):
        for value, code in (("1ms", 0), ("2ms", 2)):
            done = self.check("world: simgrid", "--set", f"llp.msl={value}")
            self.assertEqual(done.returncode, code)
        self.assertIn("--set: llp.msl: has no effect in this world", done.stderr)


if __name__ == "__main__":
    unittest.main()
