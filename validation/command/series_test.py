#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""run --series and run --at T --state: the tables say what the trace says, both packet worlds say the same, and nothing else of a run
changes. Queues, holes and counters are derived here from the trace alone."""

import csv
import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = Path(os.environ.get("IWARPSIM", TOP / "build/iwarpsim")).absolute()
MTU, FRAMING = 1500, 38
INCAST = """\
seed: 3
topology: {kind: star, hosts: 3, rate: 10Gbps, delay: 2us, mtu: 1500, buffer: 150kB}
llp: {kind: mpa, congestion: newreno, initial_window: 4}
rnic: {preset: ideal}
channel: {loss: 0.002, reorder: {probability: 0.01, delay: 20us}}
workload: {kind: incast, op: write, size: 64KiB, count: 20}
"""
STEADY = """\
topology: {kind: link, rate: 10Gbps, delay: 2us, mtu: 1500}
llp: {kind: mpa, congestion: 'fixed:256KiB'}
rnic: {preset: ideal, window: {bytes: 1MiB}}
workload: {kind: stream, op: write, size: 1MiB, count: 8}
payload: none
"""
# 64 packets of each connection fly in a round trip of 100 us. One has them, another begins at 1 ms with one and doubles them each round trip.
GROWS = """\
topology: {kind: star, hosts: 4, rate: 100Gbps, delay: 25us, mtu: 1500}
rnic: {preset: ideal, window: {policy: constant, bytes: 93440B}}
llp: {congestion: newreno, initial_window: 1, delayed_ack: 1}
payload: none
measure: {for: 3ms}
workloads:
  old: {kind: stream, hosts: "0-1", op: write, size: 64KiB, count: unlimited, depth: 4}
  new: {kind: stream, hosts: "2-3", op: write, size: 64KiB, count: unlimited, depth: 4, start: 1ms}
"""
CREDIT = """\
topology: {kind: fat_tree, k: 4, routing: entropy}
llp: {kind: packet, recovery: rud, congestion: rccc}
payload: none
workload: {kind: incast, op: write, size: 64KiB, count: 4}
"""
FIELDS = {
    "links": {"link", "from", "to", "queue_bytes", "queue_packets", "bytes", "drops", "pauses", "paused"},
    "connections": {"connection", "flows", "sides"},
    "flows": {"flow", "from", "to", "bytes_placed", "sides"},
    "hosts": {"host", "staging_bytes", "held_bytes", "placed_bytes", "shared_receives", "regions"},
}
END = {"side", "host", "cwnd_bytes", "ssthresh_bytes", "srtt_us", "flight_bytes", "acknowledged", "received", "window_edge", "window_bytes",
       "staging_bytes", "held_bytes", "retransmits", "holes", "delivered", "beyond"}
FLOW_END = {"side", "bytes_sent", "bytes_taken", "segments_placed_early", "messages_delivered", "receives"}
REGION = {"stag", "valid", "to", "length", "rights", "domain"}


def table(path):
    with open(path, newline="") as lines:
        return list(csv.DictReader(lines))


class Here(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="iwarpsim-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def said(self, *words, text=INCAST, code=0):
        (self.folder / "series.yaml").write_text(text)
        done = subprocess.run([IWARPSIM, "run", "series.yaml", *map(str, words)], capture_output=True, text=True, timeout=300, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def run_of(self, out, *words, text=INCAST):
        self.said("--out", out, "--jobs", 1, *words, text=text)
        return self.folder / out

    def state(self, at, *words, text=INCAST):
        return json.loads(self.said("--point", 0, "--at", at, "--state", *words, text=text).stdout)

    def series(self, out, of):
        return table(next((self.folder / out / "series").glob(f"*.{of}.csv")))


def ranges_until(trace, now, conn):
    """Octets that the receiver of a connection has taken by then, as ranges in order."""
    taken = []
    for line in trace:
        if int(line["t_ps"]) <= now and line["conn"] == conn and line["side"] == "1" and line["event"] == "landed" and line["end"]:
            taken.append((int(line["key"]), int(line["end"])))
    merged = []
    for first, last in sorted(taken):
        if merged and first <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], last)
        else:
            merged.append([first, last])
    return merged


def queue_at(trace, now):
    """Octets that wait at the switch's port towards host 0: what left both senders, less what the switch dropped, one after the other."""
    wire, port, drops, free, waiting = 8 * 100, [], set(), 0, 0  # ps for an octet at 10 Gb/s
    for line in trace:
        if line["side"] != "0" or not line["end"]:
            continue
        size = int(line["end"]) - int(line["key"]) + 40
        if line["event"] in ("left", "resent"):
            port.append((int(line["t_ps"]) + wire * (size + FRAMING) + 2_000_000, int(line["node"]), line["key"], size))
        elif line["event"] == "lost" and "queue" in line["text"]:
            drops.add((int(line["t_ps"]), int(line["node"]), line["key"], size))
    for packet in sorted(port):
        if packet in drops or packet[0] > now:
            continue
        start = max(packet[0], free)
        free = start + wire * (packet[3] + FRAMING)
        waiting += packet[3] if start > now else 0
    return waiting


class Series(Here):
    def test_nothing_else_changes(self):
        plain, more = self.run_of("plain"), self.run_of("more", "--series", "10us")
        self.assertEqual([{**row, "fair_us": ""} for row in table(more / "results.csv")], table(plain / "results.csv"))
        self.assertFalse((plain / "series").exists())
        self.assertEqual(sorted(p.name for p in (more / "series").iterdir()), [f"all-r0.{of}.csv" for of in ("flow", "host", "link", "total")])

    def test_sums_are_those_of_the_trace(self):
        out = self.run_of("out", "--series", "20us", "--trace")
        trace = table(next((out / "trace").iterdir()))
        last = 20_000_000 * max(int(row["t_us"]) // 20 for row in self.series("out", "total"))
        for flow in ("0", "1"):
            placed = sum(int(line["length"]) for line in trace if line["event"] == "placed" and line["conn"] == flow and int(line["t_ps"]) <= last)
            told = sum(float(row["goodput_gbps"]) for row in self.series("out", "flow") if row["flow"] == flow) * 20_000 / 8
            self.assertAlmostEqual(told, placed, delta=1)
        total = sum(float(row["goodput_gbps"]) for row in self.series("out", "total"))
        for of in ("flow", "host"):
            self.assertAlmostEqual(sum(float(row["goodput_gbps"]) for row in self.series("out", of)), total, delta=1e-3)

    def test_time_to_fairness_is_that_of_slow_start(self):
        """1, 2, 4 ... 32 beside 64 are less than 0.95, 64 beside 64 are 1: six round trips after the post, whatever ends behind."""
        for name, words in (("one", ["100us"]), ("two", ["200us"]), ("ends", ["100us", "--set", "measure.for=none", "--set", "workloads.old.count=60", "--set", "workloads.new.count=90"])):
            row = table(self.run_of(name, "--series", *words, text=GROWS) / "results.csv")[0]
            self.assertEqual(row["status"], "ok", name)
            self.assertAlmostEqual(float(row["fair_us"]), 600, delta=0.1, msg=name)
        jain = [float(row["jain"] or 0) for row in self.series("one", "total")]
        jain = jain[next(i for i, of in enumerate(jain) if of > 0.505):]
        for n in range(8):
            now = min(64, 2**n) / 64
            self.assertAlmostEqual(jain[n], (1 + now) ** 2 / 2 / (1 + now * now), delta=0.02)
        for more in (["--set", "workloads.new.size=1KiB"], ["--set", "workloads.new.start=2.9ms"]):
            row = table(self.run_of("-".join(more), "--series", "100us", *more, text=GROWS) / "results.csv")[0]
            self.assertEqual((row["status"], row["fair_us"]), ("ok", ""))

    def test_links_are_those_of_links_csv(self):
        pfc = ["topology.flow_control=pfc", "topology.pfc.xoff=20kB", "topology.pfc.xon=10kB", "channel.loss=0"]
        for name, keys in (("plain", []), ("shared", ["topology.buffer_sharing=shared"]), ("pfc", pfc)):
            out = self.run_of(name, "--series", "10us", "--links", *(word for key in keys for word in ("--set", key)))
            paused, end = 0, float(table(out / "results.csv")[0]["completion_us"])
            for link in table(out / "links.csv"):
                rows = [row for row in self.series(name, "link") if row["link"] == link["link"]]
                octets = sum(float(row["rate_gbps"]) for row in rows) * 10_000 / 8
                self.assertEqual({row["name"] for row in rows}, {f"{link['from']}>{link['to']}"})
                self.assertLessEqual(max(int(row["queue_bytes"]) for row in rows), int(link["queue_peak_bytes"]))
                self.assertLessEqual(octets, int(link["bytes"]) + 1)
                self.assertGreaterEqual(octets, int(link["bytes"]) - 12_500 - MTU)  # what came after the last whole interval
                paused += int(link["pauses"])
            queue = [int(row["queue_bytes"]) for row in self.series(name, "link") if row["link"] == "3"]
            mean = next(float(link["queue_mean_bytes"]) for link in table(out / "links.csv") if link["link"] == "3")
            self.assertAlmostEqual(sum(queue) * 10 / end, mean, delta=0.05 * mean)
            self.assertEqual(paused > 0, name == "pfc")

    def test_a_fixed_rate_is_a_straight_line(self):
        self.run_of("out", "--series", "100us", text=STEADY)
        rates = [float(row["goodput_gbps"]) for row in self.series("out", "flow")][3:-1]
        packet = 1460 * 8 / 100_000  # Gbps, of one packet in an interval
        self.assertGreater(len(rates), 50)
        self.assertLessEqual(max(rates) - min(rates), 1.01 * packet)

    def test_worlds_agree(self):
        for name in ("fabric", "ns3"):
            if name == "ns3" and not (IWARPSIM.parent / "iwarpsim-ns3").exists():
                self.skipTest("no ns-3")
            self.run_of(name, "--series", "10us", "--set", f"world={name}")
        for of in ("flow", "host", "link", "total"):
            self.assertEqual(self.series("fabric", of), self.series("ns3", of))

    def test_every_transport_has_holes(self):
        for kind, more in (("sctp", []), ("packet", ["--set", "llp.recovery=irn"]), ("ideal", [])):
            (self.folder / "other.yaml").write_text(INCAST.replace("{kind: mpa, congestion: newreno, initial_window: 4}", f"{{kind: {kind}}}"))
            out = self.folder / kind
            done = subprocess.run([IWARPSIM, "run", "other.yaml", "--out", out, "--series", "10us", *more], capture_output=True, text=True, timeout=300, cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            rows = self.series(kind, "flow")
            self.assertGreater(max(int(row["holes"]) for row in rows), 0, kind)
            self.assertEqual({row["window_bytes"] == "" for row in rows}, {kind == "packet"})
            self.assertEqual({row["cwnd_bytes"] == "" for row in rows}, {kind != "sctp"})
            self.assertEqual({row["flight"] == "" for row in rows}, {kind == "ideal"})

    def test_of_one_kind(self):
        self.run_of("out", "--series", "10us", "--series-of", "link")
        self.assertEqual([p.name for p in (self.folder / "out" / "series").iterdir()], ["all-r0.link.csv"])
        again = self.said("--out", "out", "--series", "10us", "--series-of", "link")
        self.assertIn("nothing to do", again.stdout)
        self.said("--out", "out", "--series", "20us", code=2)

    def test_mistakes(self):
        for words, why in (
            (["--series", "0us"], "above 0 and up to 10s"),
            (["--series", "10"], "above 0 and up to 10s"),
            (["--series", "11s"], "above 0 and up to 10s"),
            (["--series", "10s", "--set", "limit.sim=1s"], "longer than limit.sim"),
            (["--series-of", "flow"], "--series-of needs --series"),
            (["--series", "10us", "--series-of", "queue"], "flow, link or host"),
            (["--point", "0", "--series", "10us"], "need --out DIR"),
            (["--state"], "need each other"),
            (["--at", "5us"], "need each other"),
            (["--at", "5us", "--state"], "--state needs --point"),
            (["--point", "0", "--at", "0us", "--state"], "a time above 0"),
            (["--point", "0", "--at", "5us", "--state", "--out", "x"], "writes nothing but JSON"),
            (["--point", "0", "--at", "300ms", "--state"], "after the end of the run"),
            (["--point", "0", "--at", "2s", "--state", "--set", "limit.sim=1s"], "beyond limit.sim"),
        ):
            done = self.said(*words, code=2)
            self.assertIn(why, done.stderr, words)
            self.assertEqual(done.stdout, "")
        flows = self.said("--series", "10us", "--set", "world=simgrid", text=STEADY, code=2)
        self.assertIn("--series needs world: fabric or ns3", flows.stderr)

    def test_packets_have_paths_credit_and_tracking(self):
        """Fifteen senders into one host: 64 values are in use after as many packets; credit is at most 1.5 times what the path holds."""
        out = self.run_of("out", "--series", "5us", "--set", "llp.paths=64", "--set", "llp.path_choice=bitmap", text=CREDIT)
        (row,), flows = table(out / "results.csv"), self.series("out", "flow")
        for flow in ("0", "1"):
            of = [r for r in flows if r["flow"] == flow]
            used = [int(r["paths_used"]) for r in of]
            self.assertEqual(used, sorted(used))
            self.assertEqual(used[-1], int(row["path_values_used"]))
            self.assertEqual({r["paths_retired"] for r in of}, {"0"})
            self.assertLess(max(int(r["credit_bytes"]) for r in of), 1.5 * 100e9 / 8 * 20e-6)
            self.assertGreater(len({r["credit_bytes"] for r in of}), 3)
            for r in of:
                self.assertGreaterEqual(int(r["tracked_packets"]), int(r["holes"]))
        self.assertGreater(max(int(r["tracked_packets"]) for r in flows), 0)
        self.run_of("tcp", "--series", "10us")
        for r in self.series("tcp", "flow"):
            self.assertEqual([r[c] for c in ("paths_used", "paths_retired", "credit_bytes", "tracked_packets")], [""] * 4)


class State(Here):
    def test_fields(self):
        state = self.state("300us")
        self.assertEqual(set(state), {"t_us", "world", *FIELDS})
        for name, fields in FIELDS.items():
            for member in state[name]:
                self.assertEqual(set(member), fields)
        for member, fields in (("connections", END), ("flows", FLOW_END)):
            for one in state[member]:
                self.assertEqual([set(side) for side in one["sides"]], [fields, fields])
        for host in state["hosts"]:
            self.assertTrue(host["regions"])
            self.assertEqual([set(region) for region in host["regions"]], [REGION] * len(host["regions"]))

    def test_the_page_tells_each_field_and_column(self):
        page = (TOP / "scenarios" / "CAMPAIGNS.md").read_text()
        for field in {*FIELDS}.union(*FIELDS.values(), END, FLOW_END, REGION):
            self.assertIn(f"`{field}`", page)
        self.run_of("out", "--series", "10us")
        for of in ("flow", "link", "host", "total"):
            for column in self.series("out", of)[0]:
                self.assertIn(f"`{column}`", page)

    def test_it_is_what_the_trace_says(self):
        """At five instants: holes and edges of both receivers, and the queue of the switch towards host 0."""
        out = self.run_of("out", "--trace")
        trace = table(next((out / "trace").iterdir()))
        with_holes = queued = 0
        for at in (100, 230, 410, 640, 900):
            state, now = self.state(f"{at}us"), at * 1_000_000
            self.assertEqual(state["links"][3]["queue_bytes"], queue_at(trace, now), at)
            queued += bool(state["links"][3]["queue_bytes"])
            for conn in ("0", "1"):
                here = ranges_until(trace, now, conn)
                side = state["connections"][int(conn)]["sides"][1]
                edge = here.pop(0)[1] if here and here[0][0] == 0 else 0
                self.assertEqual(side["received"], edge, (at, conn))
                holes = [[last, first] for (_, last), (first, _) in zip([(0, edge), *here], here)]
                self.assertEqual(side["holes"], holes, (at, conn))
                with_holes += bool(holes)
                told = [int(line["window_edge"]) for line in trace if line["window_edge"] and line["conn"] == conn and line["side"] == "1" and int(line["t_ps"]) <= now]
                self.assertEqual(side["window_edge"], max(told))
                placed = sum(int(line["length"]) for line in trace if line["event"] == "placed" and line["conn"] == conn and int(line["t_ps"]) <= now)
                self.assertEqual(state["flows"][int(conn)]["bytes_placed"], placed)
        self.assertGreater(with_holes, 0)
        self.assertGreater(queued, 2)

    def test_series_and_state_agree(self):
        self.run_of("out", "--series", "10us")
        for at in (110, 250, 500, 760, 990):
            state = self.state(f"{at}us")
            for row in self.series("out", "link"):
                if row["t_us"] == str(at):
                    self.assertEqual(int(row["queue_bytes"]), state["links"][int(row["link"])]["queue_bytes"])
            for row in self.series("out", "flow"):
                if row["t_us"] == str(at):
                    sender, receiver = state["connections"][int(row["flow"])]["sides"]
                    self.assertEqual([int(row[c]) for c in ("cwnd_bytes", "flight", "window_edge_bytes", "holes")],
                                     [sender["cwnd_bytes"], sender["flight_bytes"], receiver["window_edge"], sum(b - a for a, b in receiver["holes"])])


@unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot")
class Plot(Here):
    def plot(self, *words, code=0):
        done = subprocess.run([IWARPSIM, "plot", "out", "--series", *words], capture_output=True, text=True, timeout=120, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def test_each_quantity(self):
        self.run_of("out", "--series", "10us")
        for what in ("goodput", "rate", "cwnd", "flight", "window", "holes", "queue", "link", "staging", "jain"):
            self.plot("--what", what, "--name", what)
            self.assertTrue((self.folder / "out" / f"{what}.svg").stat().st_size)
        fair = [(float(row["t_us"]), float(row["jain"]) >= 0.95) for row in self.series("out", "total") if row["jain"]]
        self.assertFalse(fair[-1][1])
        self.assertIn(f"below 0.95 at the end, {fair[-1][0]:.6g} us", (self.folder / "out" / "jain.gp").read_text())
        drawn = [line.split("\t") for line in (self.folder / "out" / "goodput.tsv").read_text().splitlines()[1:]]
        rows = {(row["flow"], float(row["t_us"])): float(row["goodput_gbps"]) for row in self.series("out", "flow")}
        told = {(line[1].removeprefix("flow "), float(line[2])): float(line[3]) for line in drawn}
        self.assertLessEqual(rows.items(), told.items())
        self.assertEqual({told[place] for place in told.keys() - rows.keys()} - {0}, set())
        self.assertEqual({line.split("\t")[1] for line in (self.folder / "out" / "queue.tsv").read_text().splitlines()[1:]}, {"switch0>host0"})

    def test_mistakes(self):
        self.run_of("out", "--series", "10us", "--series-of", "link")
        for words, why in ((["--what", "cwnd"], "no series of flows"), (["--what", "queue", "--point", "x"], "no point x"),
                           (["--what", "loss"], "staging or jain"), (["--y", "goodput_gbps"], "without --x")):
            self.assertIn(why, self.plot(*words, code=2), words)


if __name__ == "__main__":
    unittest.main()
