#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What `ok` means, in every world: everything asked for was done, and no law of physics was broken on the way."""

import unittest
from pathlib import Path

from run_test import IWARPSIM, Command, iwarpsim

WORLDS = ["fabric"] + [w for w in ("ns3", "simgrid") if (Path(IWARPSIM).parent / f"iwarpsim-{w}").exists()]
READS = "world: {world}\nworkload: {{op: read, size: 1KiB, count: 100}}\n"
DAMAGE = "world: {world}\nllp: {{crc: false}}\nchannel: {{corrupt: 0.01}}\nworkload: {{op: write, size: 3000B, count: 1000}}\nlimit: {{idle: 50ms}}\n"
TREE = "world: {world}\ntopology: {{kind: fat_tree, k: 4}}\nworkload: {{kind: {kind}, op: write, size: 1KiB, count: 50, depth: 1}}\n"


class Referee(Command):
    def row(self, text, name="o"):
        done = iwarpsim("run", self.file(text), "--jobs", 1, "--out", self.folder / name)
        return done, self.rows(self.folder / name)[0]

    def test_reads_run_with_any_ird(self):
        for world in WORLDS:
            for ird in (1, 4, 15):
                done, row = self.row(READS.format(world=world) + f"llp: {{ird: {ird}}}\n", f"{world}{ird}")
                self.assertEqual((done.returncode, row["status"], row["messages"], row["terminates"]), (0, "ok", "100", "0"), (world, ird, done.stderr))

    def test_a_stream_that_ended_is_counted_and_stays_out_of_the_summary(self):
        text = READS.format(world="fabric").replace("read", "send") + "channel: {corrupt: 0.2}\nrepeat: 2\nsweep: {channel.corrupt: [0, 0.2]}\n"
        done = iwarpsim("run", self.file(text), "--jobs", 2, "--out", self.folder / "o")
        self.assertEqual(done.returncode, 3)
        self.assertIn("4 runs, 2 ok, 2 ended: ", done.stdout)
        self.assertRegex(done.stderr, r"point 0.2 repeat 0: ended: \d+ of 100 messages were done: streams ended early, with \d Terminates")
        self.assertEqual([r["status"] for r in self.rows(self.folder / "o")], ["ok", "ok", "ended", "ended"])
        self.assertEqual({r["point"] for r in self.rows(self.folder / "o", "summary.csv")}, {"0"})

    def test_errors_and_scripts_may_end(self):
        for text in ("{world: fabric, workload: {kind: errors}}", "{world: fabric, workload: {kind: script, script: write 900 to nothing}}"):
            done, row = self.row(text, text[30:40].strip())
            self.assertEqual((done.returncode, row["status"]), (0, "ok"), done.stderr)

    def test_a_slowdown_is_one_where_nothing_disturbs(self):
        for world in WORLDS:
            for kind in ("stream", "permutation"):
                done, row = self.row(TREE.format(world=world, kind=kind), world + kind)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertGreaterEqual(float(row["fct_slowdown_p50"]), 1, world)
                if world != "simgrid" and kind == "stream":
                    self.assertEqual(float(row["fct_slowdown_p50"]), 1, world)

    def test_a_channel_that_loses_all_ends_at_the_idle_limit_in_every_world(self):
        for world in WORLDS:
            done, row = self.row(f"world: {world}\nchannel: {{loss: 1}}\nworkload: {{op: write, size: 64KiB, count: 10}}\n", world)
            self.assertEqual((done.returncode, row["status"], row["messages"]), (3, "limit_idle", "0"), world)

    def test_holding_costs_nothing_where_nothing_is_out_of_order(self):
        for world in WORLDS:
            text = f"world: {world}\ntopology: {{mtu: 9000}}\nworkload: {{op: write, size: 1MiB, count: 100, depth: 16}}\npayload: none\n"
            rows = [self.row(text + f"rnic: {{receive: {path}}}\n", world + path)[1] for path in ("place", "hold")]
            self.assertEqual(rows[0]["completion_us"], rows[1]["completion_us"], world)

    def test_damage_that_nothing_sees_is_a_result(self):
        for world in ("fabric",):
            done, row = self.row(DAMAGE.format(world=world), world)
            self.assertNotEqual(row["status"], "broken", done.stderr)
            self.assertGreater(int(row["messages_wrong"]), 0)
            self.assertGreaterEqual(int(row["octets_wrong"]), int(row["messages_wrong"]) // 2)
            done, row = self.row(DAMAGE.format(world=world).replace("corrupt: 0.01", "corrupt: 0"), world + "0")
            self.assertEqual((row["status"], row["messages_wrong"], row["octets_wrong"]), ("ok", "0", "0"))

    def test_what_bound_it_adds_up_to_one(self):
        text = """world: fabric
topology: {kind: star, hosts: 9, rate: 10Gbps, flow_control: FLOW, pfc: {xoff: 64KiB, xon: 32KiB}, buffer: 16MiB}
llp: {congestion: "fixed:1MiB"}
workload: {kind: incast, op: write, size: 64KiB, count: 40}
payload: none
"""
        _, paused = self.row(text.replace("FLOW", "pfc"), "pfc")
        _, free = self.row(text.replace("FLOW", "none").replace(", pfc: {xoff: 64KiB, xon: 32KiB}", ""), "none")
        for row in (paused, free):
            shares = [float(row[name]) for name in row if name.startswith("bound_")]
            self.assertEqual(len(shares), 11)
            self.assertAlmostEqual(sum(shares), 1, delta=1e-9)
            self.assertEqual((row["bound_flight"], row["bound_track"]), ("0.000000", "0.000000"))  # TCP has no such bound
        self.assertGreater(float(paused["bound_pause"]), 0.3)
        self.assertEqual(float(free["bound_pause"]), 0)
        if "simgrid" in WORLDS:
            _, row = self.row("{world: simgrid, workload: {count: 20}}", "grid")
            self.assertEqual({row[name] for name in row if name.startswith("bound_")}, {""})  # it cannot know


if __name__ == "__main__":
    unittest.main()
