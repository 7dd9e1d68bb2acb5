#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Delays as they were measured (channel.delay.cdf): in order or not, the same rows in both worlds of packets; a file of one's own belongs
to the results; each wrong line is a sentence.

  delays_test.py [TEST]     needs IWARPSIM (or build/iwarpsim), and iwarpsim-ns3 beside it
"""

import csv
import unittest

from in_folder import IWARPSIM, InFolder

SCENARIO = """\
world: %s
topology: {kind: link, rate: 100Gbps, delay: 1us, mtu: 9000}
llp: {congestion: "fixed:1MiB", delayed_ack: 1}
channel: {delay: {cdf: my.delays}}
workload: {op: write, size: 64KiB, count: 60}
payload: none
sweep: {channel.delay.order: [kept, drawn], channel.delay.hold: [0ps, 20us]}
"""
MINE = "# mine\n0us 0.5\n\n  2us  0.9\n30us 1\n"


class Delays(InFolder):
    def write(self, world="fabric", delays=MINE):
        (self.folder / "my.delays").write_text(delays)
        (self.folder / "s.yaml").write_text(SCENARIO % world)

    def rows(self, world):
        self.write(world)
        self.command("run", "s.yaml", "--out", world, "--jobs", "1")
        with open(self.folder / world / "results.csv", newline="") as lines:
            return list(csv.DictReader(lines))

    def test_order_and_worlds(self):
        rows = self.rows("fabric")
        self.assertEqual({row["status"] for row in rows}, {"ok"})
        for row in rows:
            self.assertEqual(row["segments_ooo"] == "0", row["channel.delay.order"] == "kept", row)
            self.assertEqual(row["drops_channel"], "0")
        self.assertEqual((self.folder / "fabric/my.delays").read_text(), MINE)
        self.write(delays=MINE.replace("30us", "31us"))
        self.assertIn("my.delays", self.command("run", "s.yaml", "--out", "fabric", code=2))
        if (IWARPSIM.parent / "iwarpsim-ns3").exists():
            mine = [{k: v for k, v in row.items() if k != "events"} for row in rows]
            self.assertEqual(mine, [{k: v for k, v in row.items() if k != "events"} for row in self.rows("ns3")])

    def test_what_is_no_file_of_delays(self):
        for text, said in (("1us\n1us 1\n", ":1: a line needs a time and a share, 1.5us 0.9"), ("1us 0.5 2\n", ":1: a line needs"), ("1 0.5\n", ":1: the time needs its unit and is 0ps to 10s"),
                           ("11s 1\n", ":1: the time"), ("1us 1.5\n", ":1: the share is 0 to 1"), ("1us nan\n", ":1: the share"), ("2us 0.5\n1us 1\n", ":2: times and shares must ascend"),
                           ("1us 0.5\n2us 0.4\n", ":2: times and shares must ascend"), ("1us 0.5\n", "the last share must be 1"), ("", "the last share must be 1"), ("1us 1\0\n", "is not text")):
            self.write(delays=text)
            error = self.command("check", "s.yaml", code=2)
            self.assertIn("channel.delay.cdf", error)
            self.assertIn("my.delays" + said if said.startswith(":") else said, error)
            self.assertEqual(error.count("\n"), 1)

    def test_where_it_means_nothing(self):
        self.write("simgrid")
        self.assertIn("has no effect in this world, only in world fabric, ns3", self.command("check", "s.yaml", code=2))
        (self.folder / "s.yaml").write_text("channel: {delay: {hold: 1us}}\n")
        self.assertIn("has no effect without channel.delay.cdf", self.command("check", "s.yaml", code=2))
        self.write()
        self.assertIn("nothing can be drawn beside it", self.command("check", "s.yaml", "--set", "channel.trace.file=sprayed.fates", code=2))


if __name__ == "__main__":
    unittest.main()
