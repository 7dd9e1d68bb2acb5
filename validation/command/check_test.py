#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What `check` foretells: the least bound by name, against closed forms by hand and against what runs measure."""

import csv
import re
import shutil
import unittest
from pathlib import Path

from run_test import IWARPSIM, Command, iwarpsim

SIMGRID = Path(IWARPSIM).absolute().parent / "iwarpsim-simgrid"
FOREIGN = Path(__file__).resolve().parents[1] / "simgrid/foreign"

LASTING = """\
world: simgrid
payload: none
topology: {kind: platform, file: %s, mtu: 9000}
workload: {kind: permutation, size: 1MiB, count: unlimited, depth: 4}
rnic: {window.bytes: 1GB}
llp: {congestion: "fixed:64MiB"}
measure: {from: 150ms, for: 250ms}
"""

LONG_PLATFORM = """\
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Floyd">
<host id="a" speed="1Gf"/><host id="b" speed="1Gf"/><router id="r"/>
<link id="la" bandwidth="1.25GBps" latency="2.5ms"/><link id="lb" bandwidth="1.25GBps" latency="2.5ms"/>
<route src="a" dst="r"><link_ctn id="la"/></route><route src="b" dst="r"><link_ctn id="lb"/></route>
</zone></platform>
"""

LONG = """\
world: fabric
topology: {{rate: 100Gbps, delay: 400us, mtu: 9000}}
llp: {{congestion: "fixed:64MiB", delayed_ack: 1, send_buffer: {buffer}}}
rnic: {{window: {{bytes: {window}}}}}
workload: {{op: {op}, size: 1MiB, count: {count}, depth: {depth}}}
payload: none
"""
# whole FPDUs of 8960 octets with 8940 of payload in a round trip of 800.73 us
CASES = [  # buffer, window, op, depth, what binds, Gb/s by hand
    ("4MiB", "5000KiB", "write", 64, "send_buffer", 468 * 8940 * 8 / 800730),
    ("16MiB", "5000KiB", "write", 64, "window", 571 * 8940 * 8 / 800730),
    ("64MiB", "64MiB", "write", 4, "depth", 4 * 1048576 * 8 / (800730 + 117 * 723.04)),
]


# What no network can be: keys, the one that is named, and what is said of it. Each was found by a world as it ran.
IMPOSSIBLE = [
    ("flow_control: pfc, pfc: {xon: 200KiB, xoff: 100KiB}", "topology.pfc.xon", "must be below topology.pfc.xoff"),
    ("flow_control: pfc, pfc: {xon: 100KiB, xoff: 100KiB}", "topology.pfc.xon", "must be below topology.pfc.xoff"),
    ("flow_control: pfc, pfc: {headroom: 1KiB}", "topology.pfc.headroom", "does not hold the octets in flight when a pause takes effect"),
    ("flow_control: pfc, pfc: {xoff: 2MiB}", "topology.pfc.xoff", "is more than topology.buffer"),
    ("flow_control: pfc, pfc: {headroom: 900KiB}", "topology.pfc.xoff", "is more than topology.buffer"),
    ("flow_control: pfc, buffer_sharing: shared", "topology.buffer_sharing", "reserves memory per input port"),
    ("ecn: {kmin: 200KiB, kmax: 100KiB}", "topology.ecn.kmin", "is above topology.ecn.kmax"),
    ("ecn: {kmin: 200KiB}", "topology.ecn.kmin", "marks nothing without topology.ecn.kmax"),
    ("ecn: {kmax: 100KiB}, ecn_threshold: 30KiB", "topology.ecn_threshold", "two ways to mark"),
    ("mtu: 65535B, buffer: 16KiB", "topology.buffer", "cannot hold a packet of topology.mtu"),
]


class Check(Command):
    def test_what_no_network_can_be_is_refused_before_it_runs(self):
        for keys, name, what in IMPOSSIBLE:
            path = self.file("world: fabric\ntopology: {kind: star, %s}\n" % keys)
            done = iwarpsim("check", path)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), (keys, done.stderr))
            self.assertRegex(done.stderr, rf"^\S+:2:\d+: {re.escape(name)}: .*{re.escape(what)}", keys)
            self.assertEqual(iwarpsim("run", path, "--point", "all").stderr.splitlines()[0], done.stderr.strip())
        for keys in ("flow_control: pfc", "flow_control: pfc, pfc: {headroom: 300KiB}", "ecn: {kmin: 10KiB, kmax: 100KiB}"):
            self.assertEqual(iwarpsim("check", self.file("world: fabric\ntopology: {kind: star, %s}\n" % keys)).returncode, 0, keys)
        self.assertEqual(iwarpsim("check", self.file("world: fabric\ntopology: {kind: link, ecn: {kmax: 1KiB}, ecn_threshold: 1KiB}\n")).returncode, 0)

    def test_a_packet_transport_has_a_flight_and_no_window(self):
        said = iwarpsim("check", self.file("topology: {delay: 5us}\nllp: {kind: packet, recovery: irn, flight: 20}\nworkload: {size: 1MiB}\npayload: none\n")).stdout
        self.assertRegex(said, r"\n  flight    20 packets per connection, 40 tracked: at most [\d.]+ Gbps")
        self.assertNotIn("\n  window    ", said)

    def test_a_timeout_below_the_round_trip_is_named_with_one_that_would_do(self):
        text = "world: fabric\ntopology: {kind: star, hosts: 4, delay: %s}\nllp: {%s}\nworkload: {kind: permutation, size: 64KiB, count: 4}\npayload: none\n"
        for recovery in "go_back_n", "irn", "rud":
            scenario = self.file(text % ("600us", f"kind: packet, recovery: {recovery}"))
            done = iwarpsim("check", scenario)
            self.assertEqual(done.returncode, 2)
            would_do = re.search(r"llp.min_rto: auto is below the round trip without load, 240\d[.\d]*us: every segment would be retransmitted; (\d+ms) would do\n", done.stderr)
            self.assertEqual(would_do and would_do[1], "5ms", done.stderr)
            out = self.folder / recovery
            more = "10ms" if recovery == "irn" else would_do[1]
            self.assertEqual(iwarpsim("run", scenario, "--set", f"llp.min_rto={more}", "--out", out).returncode, 0)
            with open(out / "results.csv", newline="") as rows:
                self.assertEqual(next(csv.DictReader(rows))["retransmits"], "0")
        few = iwarpsim("check", self.file(text % ("40us", "kind: packet, recovery: irn"))).stdout
        self.assertRegex(few, r"irn waits for 100 us, 5/16 of min_rto, which is below .*; 1ms would do")
        self.assertIn("initial_rto is below the round trip without load: the SYN is sent again although nothing is lost; 50ms would do",
                      iwarpsim("check", self.file(text % ("4ms", "kind: mpa"))).stdout)
        self.assertNotIn("initial_rto is below", iwarpsim("check", self.file(text % ("1ms", "kind: mpa"))).stdout)

    def test_marks_that_dcqcn_was_not_published_with_are_named(self):
        text = "topology: {kind: star, rate: 25Gbps, ecn: {kmin: 100kB, kmax: %s, pmax: 0.2}}\nllp: {kind: packet, congestion: dcqcn}\n"
        said = [iwarpsim("check", self.file(text % kmax)).stdout for kmax in ("400kB", "500kB")]
        self.assertNotIn("HPCC's script", said[0])
        self.assertRegex(said[1], r"\n  note      marks are not those .*: topology.ecn.kmin 100000B, kmax 400000B, pmax 0.2\n")

    def test_flows_that_cost_what_packets_do_are_named(self):
        text = "world: %s\ntopology: {kind: fat_tree, k: %d}\nworkload: {kind: permutation, op: write, size: 1MB, count: 1}\npayload: none\n"
        for world, k, said in (("simgrid", 16, True), ("simgrid", 8, False), ("fabric", 16, False)):
            out = iwarpsim("check", self.file(text % (world, k)))
            self.assertEqual((out.returncode, "cost about as much CPU as packets" in out.stdout), (0, said), out.stderr)

    def test_what_could_never_begin_is_refused(self):
        for text, name, what in (
            ("llp: {max_rto: 20ms}\nrnic: {preset: t6, rx: {latency: 1s}}", "llp.initial_rto", "gives up a connection before the answer has passed the adapters"),
            ("workload: {kind: errors}\nllp: {ird: 0}", "llp.ord", "must not be 0"),
            ("llp: {initial_window: 20000}", "llp.initial_window", "16384"),
        ):
            done = iwarpsim("check", self.file(f"world: fabric\n{text}\n"))
            self.assertEqual(done.returncode, 2, text)
            self.assertIn(name, done.stderr)
            self.assertIn(what, done.stderr)
        self.assertEqual(iwarpsim("check", self.file("{world: fabric, rnic: {preset: t6, rx: {latency: 1s}}, llp: {initial_rto: 1s}}")).returncode, 0)

    def bound(self, text, *sets):
        done = iwarpsim("check", self.file(text), *sets)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = re.search(r"^  bound     (\w+): at most ([\d.]+) Gbps", done.stdout, re.M)
        return found[1], float(found[2]), done.stdout

    def test_a_platform_has_rates_of_its_own(self):
        done = iwarpsim("check", self.file("{world: simgrid, topology: {kind: platform, file: cabinets.xml}, workload: {kind: permutation}, payload: none}"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("  path      ", done.stdout)
        if SIMGRID.exists():  # of two clusters, each link 1 us, and the backbone 5 us
            self.assertIn("  path      3 links on the longest route, 14 us there and back", done.stdout)
        for invented in ("RTT 4.2", "line rate is 93.63", "bound     line"):
            self.assertNotIn(invented, done.stdout)

    def test_shares_of_a_platform_are_what_a_run_gets(self):
        """Who gets the least is the last to be done, and all have the same to send."""
        if not SIMGRID.exists():
            self.skipTest("iwarpsim-simgrid is not built")
        for i, load in enumerate(("kind: permutation, count: 20", "kind: stream, count: 20", "kind: incast, count: 4", 'kind: permutation, hosts: "0-7", count: 20')):
            path = self.file("{world: simgrid, topology: {kind: platform, file: cabinets.xml}, workload: {size: 1MiB, %s}, payload: none}" % load)
            said = iwarpsim("check", path).stdout
            least, connections = float(re.search(r"the least of one is ([\d.]+) Gbps", said)[1]), int(re.search(r" (\d+) connections?,", said)[1])
            done = iwarpsim("run", path, "--out", self.folder / f"out{i}")
            with open(self.folder / f"out{i}" / "results.csv", newline="", encoding="utf-8") as lines:
                (row,) = csv.DictReader(lines)
            self.assertAlmostEqual(connections * least / float(row["goodput_gbps"]), 1, delta=0.05, msg=(load, done.stderr))

    def test_shares_of_simgrids_own_examples_are_what_a_run_gets(self):
        """Connections on one link get less than others, which take what is left. The files are SimGrid's."""
        if not SIMGRID.exists():
            self.skipTest("iwarpsim-simgrid is not built")
        for path in sorted(FOREIGN.glob("*.xml")):
            shutil.copy(path, self.folder)
            scenario = self.file(LASTING % path.name)
            share = float(re.search(r"  share     ([\d.]+) Gbps of payload", iwarpsim("check", scenario).stdout)[1])
            done = iwarpsim("run", scenario, "--out", self.folder / path.stem)
            with open(self.folder / path.stem / "results.csv", newline="", encoding="utf-8") as lines:
                (row,) = csv.DictReader(lines)
            self.assertAlmostEqual(share / float(row["goodput_gbps"]), 1, delta=0.05, msg=(path.name, done.stderr))

    def test_what_holds_senders_of_a_long_platform_is_in_its_share(self):
        """10 ms there and back, as in SimGrid's ns3-big-cluster: 10 Gb/s need more than a window, a send buffer or four messages."""
        if not SIMGRID.exists():
            self.skipTest("iwarpsim-simgrid is not built")
        (self.folder / "long.xml").write_text(LONG_PLATFORM)
        for sets, most in ((["rnic.window.bytes=1MiB", "workload.depth=64"], 1.02), (["workload.depth=64"], 1.02), ([], 1.2)):
            out = self.folder / f"long{len(sets)}"
            more = [word for one in sets for word in ("--set", one)]
            said = iwarpsim("check", self.file(LASTING % "long.xml"), *more).stdout
            share = float(re.search(r"  share     ([\d.]+) Gbps of payload", said)[1])
            self.assertIn("  held      2 connections by the sender, not by a link: ", said)
            self.assertEqual(iwarpsim("run", self.file(LASTING % "long.xml"), *more, "--out", out).returncode, 0)
            with open(out / "results.csv", newline="", encoding="utf-8") as lines:
                (row,) = csv.DictReader(lines)
            self.assertTrue(0.999 <= share / float(row["goodput_gbps"]) <= most, (sets, share, row["goodput_gbps"]))

    def test_the_least_bound_is_named(self):
        for buffer, window, op, depth, name, gbps in CASES:
            found = self.bound(LONG.format(buffer=buffer, window=window, op=op, depth=depth, count=200))
            self.assertEqual(found[0], name)
            self.assertAlmostEqual(found[1] / gbps, 1, delta=2e-3, msg=name)
        name, gbps, _ = self.bound("{world: fabric}")
        planes = self.bound("{world: fabric, llp.kind: packet, topology: {kind: planes, hosts: 8, planes: 8, radix: 4}, workload: {depth: 64}}")
        self.assertEqual((name, planes[0], round(planes[1] / gbps, 1)), ("line", "line", 8.0))
        reads = self.bound(LONG.format(buffer="64MiB", window="64MiB", op="read", depth=64, count=200), "--set", "workload.size=64KiB")
        self.assertEqual(reads[0], "ord")
        self.assertAlmostEqual(reads[1] / (16 * 65536 * 8 / (800730 + 7 * 723.04)), 1, delta=2e-3)
        self.assertEqual(self.bound("{world: fabric, topology: {delay: 1ms}, llp: {congestion: 'fixed:64KiB'}}")[0], "congestion")

    def test_what_is_measured_comes_near_and_never_above(self):
        for buffer, window, op, depth, name, gbps in CASES:
            text = LONG.format(buffer=buffer, window=window, op=op, depth=depth, count=2000)
            self.assertEqual(iwarpsim("run", self.file(text), "--out", self.folder / name).returncode, 0)
            steady = float(self.rows(self.folder / name)[0]["steady_gbps"])
            self.assertGreater(steady, 0.93 * gbps, name)
            self.assertLess(steady, 1.03 * gbps, name)

    def test_an_incast_is_told_of_its_queue_and_few_repeats_of_their_interval(self):
        text = "{world: fabric, repeat: 5, topology: {kind: star, hosts: 17}, workload: {kind: incast}}"
        said = self.bound(text)[2]
        self.assertIn("the windows of 16 connections into one port are 16777216 octets, its queue holds 1048576", said)
        self.assertIn("fewer than 6 repeats: a median has no 95 % interval", said)
        trimmed = self.bound("{topology: {kind: star, hosts: 9, trim: true, buffer: 64KiB}, llp: {kind: packet, recovery: rud, flight: 32}, workload: {kind: incast}}")[2]
        self.assertIn("the packets in flight of 8 connections into one port are 384000 octets, its queue holds 65536; the excess is trimmed", trimmed)
        quiet = self.bound(text, "--set", "topology.buffer=16MiB", "--set", "repeat=6")[2]
        self.assertNotIn("its queue holds", quiet)
        self.assertNotIn("95 %", quiet)

    def test_what_staging_cannot_hold_and_a_tour_leaves_out_is_said(self):
        stall = "world: %s\npayload: none\nrnic: {staging_bytes: %s, stall: {every: 100us, for: 20us}}\n"
        for world, size, said in (("fabric", "240KiB", "a stall lets 250000 octets come, staging holds 245760; the rest is dropped\n"), ("fabric", "245KiB", None),
                                  ("simgrid", "64KiB", "the rest is dropped, and world simgrid repeats it without TCP's timeouts\n")):
            told = iwarpsim("check", self.file(stall % (world, size))).stdout
            self.assertEqual("a stall lets" in told, said is not None, (world, size))
            self.assertIn(said or "", told)
        tour = "world: fabric\nworkload: {kind: errors}\npayload: %s\nllp: {markers: %s}\n"
        for payload, markers, left_out in (("none", "true", True), ("real", "true", False), ("none", "false", False)):
            self.assertEqual("no marker to be wrong: the tour leaves this error out" in iwarpsim("check", self.file(tour % (payload, markers))).stdout, left_out)

    def test_a_pool_that_holds_nothing_asks_again_each_round_trip(self):
        text = "topology: {delay: 5us}\nllp: {kind: packet, recovery: rud, tracking: %s}\nrnic: {track: {pool: %s, full: %s}}\n"
        for layout, pool, full, least in (("ranges", 127, "nak", 128), ("ranges", 128, "nak", None), ("ranges", 127, "drop", None), ("counter", 95, "nak", 96),
                                          ("counter", 96, "nak", None), ("bitmap", 1, "nak", 2), ("bitmap", 2, "nak", None)):
            said = iwarpsim("check", self.file(text % (layout, pool, full))).stdout
            self.assertEqual(f"rnic.track.pool has {pool} bits, and llp.tracking needs {least} to remember one packet" in said, least is not None, (layout, pool, full))
            self.assertEqual("rnic.track.pool has" in said, least is not None, said)

    def test_what_tcp_makes_of_its_keys_is_said(self):
        star = "{world: fabric, topology: {kind: star, hosts: 33, buffer: 16MiB}, llp: {min_rto: %s}, workload: {kind: incast}}"
        self.assertIn("min_rto is below a round trip through a full queue, 1346 us: timeouts may occur although nothing is lost; 2ms would do", self.bound(star % "1ms")[2])
        self.assertNotIn("full queue", self.bound(star % "2ms")[2])
        self.assertIn("adaptive selects loss_detection: rack", self.bound("llp: {dupack_threshold: adaptive}")[2])
        counted = self.bound("llp: {dupack_threshold: 3}")[2]
        self.assertNotIn("adaptive selects", counted)
        self.assertIn("loss_detection dupack", counted)

    def test_windows_of_many_connections_bound_their_sum(self):
        text = "{world: fabric, topology: {kind: star, hosts: 5, delay: 100us}, rnic: {window: {bytes: 64KiB}}, workload: {kind: incast, depth: 256}}"
        one = self.bound(text, "--set", "workload.kind=stream", "--set", "topology.kind=star")
        four = self.bound(text)
        self.assertEqual((one[0], four[0]), ("window", "window"))
        self.assertAlmostEqual(four[1] / one[1], 4, delta=0.02)

    def test_zero_switches_an_impairment_off_wherever_it_stands(self):
        for channel in ("reorder: {probability: 0, delay: 10us}", "reorder: {probability: 0, displacement: 3}"):
            self.assertEqual(iwarpsim("check", self.file("{world: fabric, channel: {%s}}" % channel)).returncode, 0)
        self.assertEqual(iwarpsim("check", self.file("{world: fabric, rnic: {stall: {every: 0us, for: 5us}}}")).returncode, 0)
        refused = iwarpsim("check", self.file("{world: fabric, channel: {reorder: {delay: 10us}}}"))
        self.assertIn("needs a channel.reorder.probability above 0", refused.stderr)

    def test_a_hundred_thousand_points_are_checked_and_not_all_printed(self):
        text = "world: fabric\nsweep: {seed: 1..1000, topology.delay: [%s]}\n" % ", ".join(f"{d}us" for d in range(1, 101))
        done = iwarpsim("check", self.file(text))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("100000 points", done.stdout)
        self.assertIn("and 99800 more points", done.stdout)


if __name__ == "__main__":
    unittest.main()
