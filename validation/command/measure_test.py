#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""measure.from and measure.for: what counts is what happens in the window, to the packet, and the run ends with it."""

import csv
import math
import unittest

from run_test import NIGHTLY, Command, iwarpsim

SECOND = 10**12  # picoseconds
EVERY = """\
topology: {kind: link, rate: 10Gbps, delay: 5us, mtu: 9000}
workload: {kind: stream, op: write, size: 8KiB, count: unlimited, arrival: every, load: 0.5}
payload: none
measure: {from: 1ms, for: 3ms}
"""
TREE = """\
topology: {kind: fat_tree, k: 4, rate: 100Gbps, delay: 1us, mtu: 4200, buffer: 256KiB}
workload: {kind: permutation, size: 64KiB, count: unlimited, depth: 4}
llp: {congestion: cubic}
channel: {loss: 1e-3}
payload: none
measure: {from: 200us, for: 300us}
"""
ENDS = EVERY.replace("count: unlimited", "count: 400").replace("{from: 1ms, for: 3ms}", "{from_share: 0.25, for_share: 0.5}")
LOADS = """\
topology: {kind: star, hosts: 4}
payload: none
workloads:
  long: {kind: stream, count: unlimited, size: 64KiB}
  short: {kind: shuffle, count: 10, size: 16KiB}
measure: {from: 10us, for: 1ms}
"""


def only(path):
    with open(path, newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    return rows[0] if len(rows) == 1 else rows


def ps(us):
    whole, _, rest = us.partition(".")
    return int(whole) * 10**6 + int(rest.ljust(6, "0") or 0)


LOSSES = """\
topology: {kind: link, rate: 100Gbps, delay: 1us, mtu: 9000}
workload: {size: 64KiB, count: 100}
payload: none
sweep: {channel.loss: [0, 3e-3, 3e-2]}
"""


WINDOW = LOSSES.replace("100}", "unlimited}").replace("sweep", "measure: {from: 100us, for: 600us}\nsweep")


def enough(row):
    """Times as long: 1,000 losses, or the square root of length for the interval, whichever is less."""
    return max(2, math.ceil(min(1000 / max(int(row["drops_channel"]), 1), (float(row["steady_within"] or "inf") / 0.02) ** 2)))


class Short(Command):
    """What is too short is said when a campaign ends: as many points as results.csv marks, and how much longer."""

    def said(self, out, *more):
        done = iwarpsim("run", self.file(LOSSES), "--out", self.folder / out, "--jobs", 1, *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.folder / out / "results.csv", newline="", encoding="utf-8") as lines:
            marked = [row for row in csv.DictReader(lines) if row["marked"] == "1"]
        return marked, [line for line in done.stderr.splitlines() if "too short" in line]

    def test_points_that_are_marked(self):
        marked, said = self.said("out")
        longest = max(enough(row) for row in marked)
        self.assertTrue(0 < len(marked) < 3)
        self.assertEqual(said, [f"note: {len(marked)} of 3 points are marked, too short for what chance decides ({', '.join(row['point'] for row in marked)}): "
                                f"{longest} times as long should be enough for each (--until-enough), repeat: 6 would show how far they differ"])
        marked, said = self.said("many", "--set", "repeat=6")
        self.assertTrue(marked)
        self.assertEqual(said, [])

    def rows_of(self, out, text, *more):
        done = iwarpsim("run", self.file(text), "--out", self.folder / out, *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.rows(self.folder / out), done.stderr

    def test_until_enough(self):
        """The row of what is long enough is that of a scenario which says so; of what was so at once, as it was."""
        for text, key, unit, was in ((LOSSES, "workload.count", "", 100), (WINDOW, "measure.for", "us", 600)):
            short = self.rows_of(f"{key}-short", text)[0]
            rows, said = self.rows_of(f"{key}-o", text, "--until-enough", "--jobs", 1)
            self.assertNotIn("too short", said)
            self.assertTrue(any(row["marked"] == "1" for row in short), short)
            for before, row in zip(short, rows):
                times = float(row[key]) / was
                self.assertEqual(row["marked"], "0")
                self.assertEqual(times % enough(before) if before["marked"] == "1" else times - 1, 0, (key, times, enough(before)))
                plain = self.rows_of(f"{key}-{row['point']}", text, "--set", f"{key}={float(row[key]):.0f}{unit}", "--set", f"channel.loss={row['point']}")[0][0]
                self.assertEqual({**plain, "point": row["point"]}, {**plain, **{c: row[c] for c in plain}})
        self.assertEqual(self.rows_of("jobs", WINDOW, "--until-enough", "--jobs", 2)[0], rows)
        self.assertIn("identical", iwarpsim("rerun", self.folder / "jobs").stdout)

    def test_until_a_limit_forbids_it(self):
        rows, said = self.rows_of("o", LOSSES, "--until-enough", "--set", "limit.sim=3ms")
        self.assertEqual([(row["workload.count"], row["status"]) for row in rows], [("100", "ok")] * 3)
        self.assertIn("limit.sim or limit.wall forbids longer ones", said)

    def test_until_enough_of_what_has_no_length_is_refused(self):
        two = "workloads:\n  a: {count: 3}\n  b: {count: 3}\npayload: none\n"
        for text, more, said in (
            (LOSSES, ("--set", "repeat=2"), "is for one run of each point"),
            (LOSSES, ("--set", "workload.count=[1, 2]"), "decides on workload.count, so the sweep must not"),
            (WINDOW, ("--set", "measure.for=[1us, 2us]"), "decides on measure.for, so the sweep must not"),
            ("workload: {kind: errors}\n", (), "needs measure.for, or a workload.count of one workload"),
            (two, (), "needs measure.for, or a workload.count of one workload"),
        ):
            done = iwarpsim("run", self.file(text), "--until-enough", "--out", self.folder / "refused", *more)
            self.assertEqual((done.returncode, said in done.stderr), (2, True), done.stderr)
        self.assertEqual(iwarpsim("merge", self.folder, "--until-enough").returncode, 2)


class Measure(Command):
    def results(self, name, text, *more, code=0, files=("results", "flows")):
        done = iwarpsim("run", self.file(text), "--out", self.folder / name, "--jobs", 1, "--flows", *more)
        self.assertEqual(done.returncode, code, done.stderr)
        self.said = done.stderr
        return [only(self.folder / name / f"{file}.csv") for file in files]

    def test_a_fixed_rate_is_exact_to_the_message(self):
        interval = 8 * 8192 * SECOND // (5 * 10**9)
        for world in "fabric", "ns3", "simgrid":
            with self.subTest(world):
                row, flow = self.results(world, EVERY, "--set", f"world={world}")
                start, late = ps(flow["start_us"]) - interval, ps(row["latency_max_us"])
                came = [n for n in range(1, 400) if 10**9 <= n * interval + late < 4 * 10**9]
                self.assertEqual((row["status"], int(row["bytes"])), ("ok", 8192 * len(came)))
                self.assertIn(int(row["messages"]), (len(came) - 1, len(came)), "one is acknowledged a round trip after it is placed")
                self.assertEqual((flow["bytes"], flow["goodput_gbps"]), (row["bytes"], row["goodput_gbps"]))
                self.assertAlmostEqual(float(row["goodput_gbps"]), int(row["bytes"]) * 8e-9 / 3e-3, places=5)
                self.assertEqual(ps(row["completion_us"]), 4 * 10**9 - interval)
                self.assertGreaterEqual(start, 0)

    def test_a_share_of_the_octets_is_exact_to_the_message(self):
        interval = 8 * 8192 * SECOND // (5 * 10**9)
        rows = [self.results(world, ENDS, "--set", f"world={world}", "--messages", files=("results", "messages")) for world in ("fabric", "ns3")]
        (row, messages), (other, _) = rows
        self.assertEqual({c for c in row if row[c] != other[c]}, {"events"})
        placed = [ps(m["t_last_placed"]) for m in messages]
        self.assertEqual((row["status"], len(messages), int(row["bytes"])), ("ok", 400, 200 * 8192))
        self.assertEqual(placed[299] - placed[99], 200 * interval)
        self.assertAlmostEqual(float(row["goodput_gbps"]), 5, places=5)
        self.assertEqual((row["steady_gbps"], float(row["steady_within"])), (row["goodput_gbps"], 0))
        ended = [ps(m["t_completed"]) for m in messages]
        self.assertEqual(int(row["messages"]), sum(placed[99] <= t < placed[299] for t in ended))
        self.assertGreater(ps(row["completion_us"]), 399 * interval, "the run goes on to its end")

    def test_shares_of_many_flows_agree_in_packets_and_threads(self):
        text = TREE.replace("count: unlimited", "count: 40").replace("{from: 200us, for: 300us}", "{from_share: 0.2, for_share: 0.6}")
        row, flows = self.results("one", text)
        self.assertEqual(self.results("two", text, "--threads", 2), [row, flows])
        other, _ = self.results("ns3", text, "--set", "world=ns3")
        self.assertEqual({c for c in row if row[c] != other[c]}, {"events"})
        octets = 16 * 40 * 65536
        self.assertEqual(sum(int(f["bytes"]) for f in flows), int(row["bytes"]))
        self.assertLess(abs(int(row["bytes"]) - octets * 0.6), 2 * 4200, "to a packet at both ends")
        self.assertGreater(float(row["steady_within"]), 0)

    def test_shares_that_nobody_can_measure_are_refused(self):
        errors = "workload: {kind: errors}\nmeasure: {for_share: 0.5}\n"
        for text, more, said in (
            (errors, (), "is of octets that nobody knows before the run: use measure.for"),
            (ENDS, ("world=simgrid",), "measure.from_share: has no effect in this world, only in world fabric, ns3"),
            (ENDS, ("workload.count=unlimited",), "unlimited never ends"),
            (ENDS, ("measure.for=1ms",), "are two windows"),
            (ENDS, ("measure.for_share=0.76",), "are more than 1"),
        ):
            with self.subTest(said):
                sets = [word for one in more for word in ("--set", one)]
                done = iwarpsim("run", self.file(text), "--out", self.folder / "refused", *sets)
                self.assertEqual((done.returncode, said in done.stderr), (2, True), done.stderr)

    def test_a_window_holds_the_messages_that_ended_in_it(self):
        row, messages = self.results("o", EVERY, "--messages", files=("results", "messages"))
        start = ps(messages[0]["t_post"]) - 8 * 8192 * SECOND // (5 * 10**9)
        ended = [ps(m["t_completed"]) - start for m in messages]
        self.assertEqual({m["status"] for m in messages}, {"ok"}, "what is under way has not failed")
        self.assertEqual(int(row["messages"]), sum(10**9 <= t < 4 * 10**9 for t in ended))

    def test_worlds_of_packets_and_threads_agree(self):
        row, flows = self.results("one", TREE)
        self.assertEqual(self.results("two", TREE, "--threads", 2), [row, flows])
        other, away = self.results("ns3", TREE, "--set", "world=ns3")
        self.assertEqual({c for c in row if row[c] != other[c]}, {"events"})
        self.assertEqual([{**f, "links": "", "links_back": ""} for f in flows], away)
        self.assertGreater(int(row["drops_channel"]), 0)
        self.assertEqual(sum(int(f["lost"]) for f in flows), int(row["drops_channel"]) + int(row["drops_switch"]))
        self.assertEqual(sum(int(f["retransmits"]) for f in flows), int(row["retransmits"]))
        self.assertEqual(sum(int(f["bytes"]) for f in flows), int(row["bytes"]))
        self.assertLess(float(row["steady_within"]), 0.2)

    def test_paths_join_the_hosts(self):
        flows, links = self.results("o", TREE, "--links", files=("flows", "links"))
        ends = {link["link"]: (link["from"], link["to"]) for link in links}
        for flow in flows:
            for path, first, last in ((flow["links"], "from", "to"), (flow["links_back"], "to", "from")):
                way = [ends[link] for link in path.split()]
                self.assertEqual((way[0][0], way[-1][1]), (f"host{flow[first]}", f"host{flow[last]}"))
                self.assertTrue(all(a[1] == b[0] for a, b in zip(way, way[1:])))
        sprayed = self.results("s", TREE, "--set", "topology.routing=spray", files=("flows",))[0]
        self.assertEqual({(f["links"], f["links_back"]) for f in sprayed}, {("*", "*")})

    def test_several_workloads_are_measured_each(self):
        row, loads = self.results("o", LOADS, files=("results", "workloads"))
        self.assertEqual((row["status"], sum(int(r["bytes"]) for r in loads)), ("ok", int(row["bytes"])))
        self.assertEqual(sum(int(r["messages"]) for r in loads), int(row["messages"]))

    def test_what_ends_before_the_window_is_no_measurement(self):
        row = self.results("o", EVERY, "--set", "workload.count=20", code=3, files=("results",))[0]
        self.assertEqual(row["status"], "ended")
        self.assertIn("before the window of measure.for ended: use workload.count: unlimited, or more of them", self.said)

    def test_without_a_window_the_columns_are_those_of_the_whole_run(self):
        text = TREE.replace("count: unlimited", "count: 20").replace("measure:", "#")
        row, flows = self.results("o", text)
        rates = [float(f["goodput_gbps"]) for f in flows]
        self.assertAlmostEqual(float(row["flow_mean_gbps"]), sum(rates) / len(rates), places=5)
        self.assertEqual(min(rates), float(row["flow_min_gbps"]))
        self.assertAlmostEqual(float(row["host_mean_gbps"]), float(row["goodput_gbps"]) / 16, places=5)
        self.assertLessEqual(ps(row["sender_completion_us"]), ps(row["completion_us"]))

    @unittest.skipUnless(NIGHTLY, "at night")
    def test_a_longer_window_has_the_same_rate(self):
        row = self.results("o", EVERY, "--set", "measure.for=1s", files=("results",))[0]
        self.assertAlmostEqual(float(row["goodput_gbps"]), 5, delta=1e-3)


if __name__ == "__main__":
    unittest.main()
