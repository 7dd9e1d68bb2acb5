#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""iwarpsim size as a user meets it: what it finds, beside sums made by hand, and what it refuses."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = os.environ.get("IWARPSIM", str(TOP / "build" / "iwarpsim"))

LINK = """\
title: A stream
world: fabric
topology: {rate: 100Gbps, delay: 5us, mtu: 9000}
llp: {kind: ideal, send_buffer: 64MiB, delayed_ack: 1}
rnic: {window: {policy: constant, bytes: 64KiB}}
workload: {kind: stream, op: write, size: 1144320B, count: 20, depth: 64}
payload: none
"""
STALL = LINK.replace("64KiB}", "4MiB}, stall: {every: 1ms, for: 20us}")
FPDU = 8960


class Size(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="iwarpsim-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def size(self, text, find, until, *more, program=IWARPSIM):
        path = self.folder / "stream.yaml"
        path.write_text(text)
        return subprocess.run([program, "size", path, "--find", find, "--until", until, *more],
                              capture_output=True, text=True, timeout=300)

    def table(self, *args):
        out = self.folder / "out.tsv"
        done = self.size(*args, "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [line.split("\t") for line in out.read_text().splitlines()]
        return done.stdout, [dict(zip(rows[0], row)) for row in rows[1:]]

    def test_the_window_is_whole_fpdus_per_round_trip(self):
        # RTT 2 x delay + 0.72304 us (a packet) + 0.00624 us (an ACK); 71520 bits of payload in a packet
        text, rows = self.table(LINK, "rnic.window.bytes", "steady_gbps >= 0.95*line", "--within", "0",
                                "--set", "topology.delay=[500ns, 5us, 50us]")
        for row, fpdus in zip(rows, (3, 15, 133)):
            self.assertEqual(int(row["closed_form"]), fpdus * FPDU)
            self.assertLessEqual(abs(int(row["rnic.window.bytes"]) - fpdus * FPDU), FPDU)
        for row, fpdus in zip(rows[:2], (3, 15)):  # the unit of a scaled window is 1 .. 4 octets here
            self.assertIn(fpdus * FPDU - int(row["rnic.window.bytes"]), range(4))
        for value in (3 * FPDU, 3 * FPDU - 1):  # both sides of the result were tried
            self.assertRegex(text, rf"{value}B|{value / 1024:g}KiB")

    def test_the_window_is_the_same_for_each_policy_that_an_ideal_adapter_can_have(self):
        """Its receive side takes no time, so nothing is ever accepted and not placed: 15 FPDUs, as for `constant` above."""
        for policy in ("constant", "placed", "held", "buffer", "bdp", "retire"):
            text, rows = self.table(LINK.replace("policy: constant", f"policy: {policy}"), "rnic.window.bytes", "steady_gbps >= 0.95*line", "--within", "1")
            self.assertEqual(int(rows[0]["closed_form"]), 15 * FPDU, policy)
            self.assertLessEqual(abs(int(rows[0]["rnic.window.bytes"]) - 15 * FPDU), 2 * FPDU, policy)

    def test_it_says_when_what_was_found_is_not_the_closed_form(self):
        """A congestion window that is fixed below what the line needs is in no closed form."""
        text, rows = self.table(LINK.replace("world: fabric", "world: ns3").replace("kind: ideal", 'congestion: "fixed:60KiB"'),
                                "rnic.window.bytes", "steady_gbps >= 0.25*line and messages == 20", "--within", "1")
        self.assertNotIn("differ by", text)
        lossy = LINK + "channel: {loss: 0.02}\n"
        text, rows = self.table(lossy, "rnic.window.bytes", "steady_gbps >= 0.9*line", "--within", "1")
        self.assertGreater(int(rows[0]["rnic.window.bytes"]), int(rows[0]["closed_form"]) + 2 * FPDU)
        self.assertRegex(text, r"note: found and closed form differ by [\d.]+ packets")

    def test_staging_is_arrival_times_stall(self):
        _, rows = self.table(STALL, "rnic.staging_bytes", "drops_staging == 0")
        self.assertEqual(int(rows[0]["closed_form"]), 28 * FPDU)  # 20 us / 0.72304 us
        self.assertLess(abs(int(rows[0]["rnic.staging_bytes"]) - 28 * FPDU), FPDU)  # 27.66 packets: it begins somewhere in one

    def test_all_repeats_must_meet_it(self):
        lossy = LINK + "channel: {loss: 0.001}\nrepeat: 6\n"
        done = self.size(lossy, "rnic.window.bytes", "steady_gbps >= 0.5*line", "--within", "5")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"\n  \S+ +[0-6] of 6 +steady_gbps [\d.]+ \.\. [\d.]+\n")
        self.assertIn("by all of 6 repeats: with 95 % confidence, at least 60 % of all runs", done.stdout)
        alike = self.size(LINK + "repeat: 2\n", "rnic.window.bytes", "steady_gbps >= 0.5*line", "--within", "5")
        self.assertIn("by 2 repeats, all equal", alike.stdout)

    def test_it_says_when_more_is_not_better(self):
        done = self.size(LINK, "rnic.window.bytes", "steady_gbps >= 40 and steady_gbps <= 60")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("note: not every larger value meets it", done.stdout)

    def test_the_smallest_that_is_allowed_may_do(self):
        done = self.size(LINK, "rnic.window.bytes", "messages == 20")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, rf"smallest: rnic.window.bytes ({2 * FPDU}B|17.5KiB), .*nothing smaller is allowed")

    def test_a_number_that_is_not_whole(self):
        done = self.size(LINK + "channel: {loss: 0.5}\n", "channel.loss", "drops_channel >= 20", "--to", "0.5",
                         "--within", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"smallest: channel.loss 0\.0\d+")

    @unittest.skipUnless((Path(IWARPSIM).parent / "iwarpsim-ns3").exists(), "iwarpsim-ns3 is not built")
    def test_it_works_on_ns3(self):
        text = LINK.replace("world: fabric", "world: ns3").replace("kind: ideal, send_buffer: 64MiB", 'send_buffer: 8MiB, congestion: "fixed:4MiB"')
        _, rows = self.table(text, "rnic.window.bytes", "steady_gbps >= 0.9*line", "--within", "2")
        self.assertLess(abs(int(rows[0]["rnic.window.bytes"]) / int(rows[0]["closed_form"]) - 1), 0.08)

    def test_the_command_works_under_another_name_and_elsewhere(self):
        renamed = self.folder / "iw2"
        shutil.copy(IWARPSIM, renamed)
        here, there = (self.size(STALL, "rnic.staging_bytes", "drops_staging == 0", program=p) for p in (IWARPSIM, renamed))
        self.assertEqual((there.returncode, there.stderr), (0, ""))
        self.assertEqual(there.stdout, here.stdout)
        campaign = subprocess.run([renamed, "run", self.folder / "stream.yaml", "--set", "repeat=2", "--out", self.folder / "out"], capture_output=True, text=True, timeout=300)
        self.assertEqual((campaign.returncode, (self.folder / "out" / "results.csv").read_text().count(",ok,")), (0, 2), campaign.stderr)

    def test_what_is_wrong_is_said_in_a_sentence(self):
        for find, until, more, words in [
            ("rnic.window.byte", "steady_gbps >= 1", (), "did you mean rnic.window.bytes"),
            ("rnic.receive", "steady_gbps >= 1", (), "not a numeric key"),
            ("repeat", "steady_gbps >= 1", (), "not a numeric key"),
            ("rnic.window.bytes", "speed >= 1", (), "no column 'speed'"),
            ("rnic.window.bytes", "steady_gbps => 1", (), "a comparison must follow"),
            ("rnic.window.bytes", "steady_gbps >= 2*line", ("--to", "1MiB"), "no value tried of rnic.window.bytes from 17920B to 1MiB meets"),
            ("rnic.window.bytes", "steady_gbps >= 1", ("--from", "3"), "has no unit"),
            ("rnic.window.bytes", "steady_gbps >= 1", ("--from", "2MiB", "--to", "1MiB"), "--from is larger"),
            ("rnic.window.bytes", "steady_gbps >= 1", ("--to", "4KiB"), "is not valid"),
            ("rnic.window.bytes", "steady_gbps >= 1", ("--atlas",), "--atlas finds what it finds"),
            ("rnic.window.bytes", "steady_gbps >= 1", ("--within", "x"), "--within needs a percentage"),
            ("rnic.window.bytes", "steady_gbps >= 1", ("--jobs", "0"), "--jobs needs"),
            ("rnic.window.bytes", "steady_gbps >= 1", ("--set", "rnic.window.policy=none"), "rnic.window.policy"),
        ]:
            done = self.size(LINK, find, until, *more)
            self.assertEqual(done.returncode, 2, (find, until, more, done.stdout, done.stderr))
            self.assertIn(words, done.stderr)
            self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)

    def test_an_atlas_has_window_tracking_and_memory_beside_their_closed_forms(self):
        # 4134 octets on the wire, 0.331 us, in each 0.95 / 0.9811 of it a packet: 13 of (4.37 us), 27 of (9.34 us); 15 come in 5 us
        out = self.folder / "atlas.tsv"
        ours, terminal = os.openpty()
        self.addCleanup(os.close, ours)
        self.addCleanup(os.close, terminal)
        done = subprocess.run([IWARPSIM, "size", "scenarios/gallery/atlas.yaml", "--atlas", "--out", out, "--set", "topology.delay=2us", "--set", "workload.count=150",
                               "--set", "channel.reorder.delay=[0us, 5us]"], cwd=TOP, stdout=subprocess.PIPE, stderr=terminal, text=True, timeout=300)
        said = os.read(ours, 65536).decode()
        self.assertEqual((done.returncode, done.stdout), (0, ""), said)
        told = re.findall(r"^size: (\w+) at (\S+): \d+ \w+ \((\d) of 6\)\r$", said, re.M)
        self.assertEqual(told, [(head, point, str(i + 1)) for i, (head, point) in enumerate((h, p) for h in ("window", "tracking", "hold") for p in ("0ps", "5us"))])
        head, *rows = [line.split("\t") for line in out.read_text().splitlines()]
        self.assertEqual(head[2:], ["window_octets", "window_form", "tracking_bits", "tracking_form", "hold_octets", "hold_form"])
        fpdu = 4056
        for row, forms in zip([list(map(int, row[2:])) for row in rows], ((14 * fpdu, 13, fpdu), (28 * fpdu, 27, 15 * fpdu))):
            self.assertEqual(tuple(row[1::2]), forms)
            for found, form, packet in zip(row[::2], forms, (fpdu, 1, fpdu)):
                self.assertLessEqual(abs(found - form), max(packet, 0.03 * form), row)

    def test_a_closed_form_is_of_one_connection(self):
        """Two hosts of a network's four are one; all four, and two connections of two, are several."""
        star = LINK.replace("{rate", "{kind: star, hosts: 4, rate").replace("count: 20", "count: 8")
        for more, there in ((["--set", "workload.hosts=spread 2"], True), (["--set", "workload.kind=permutation"], False), (["--set", "workload.connections=2"], False)):
            text, _ = self.table(star, "rnic.window.bytes", "steady_gbps >= 0.5*line", "--within", "20", *more)
            self.assertEqual("closed form" in text, there, more)

    def test_arguments_that_are_missing(self):
        for args, words in [((), "no scenario"), (("a.yaml",), "--find KEY and --until"), (("a.yaml", "b.yaml"), "one scenario"),
                            (("--nonsense",), "unknown option")]:
            done = subprocess.run([IWARPSIM, "size", *args], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 2)
            self.assertIn(words, done.stderr)
        done = subprocess.run([IWARPSIM, "size", "--help"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0)
        self.assertIn("--until", done.stdout)


if __name__ == "__main__":
    if not Path(IWARPSIM).exists():
        sys.exit(77)
    unittest.main()
