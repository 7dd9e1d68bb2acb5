#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Several workloads at once: workloads.csv adds up to results.csv, is the same in both worlds of packets and for any number of jobs,
threads and shards, outlives what kills a run, and one workload does not know of another that it never meets."""

import csv
import shutil
import sys
import unittest
from pathlib import Path

from in_folder import IWARPSIM, InFolder

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "helpers/python"))
import iwarpsim

TREE = """\
topology: {kind: fat_tree, k: 4, rate: 25Gbps}
channel: {loss: 1e-3}
workloads:
  background: {kind: permutation, arrival: poisson, load: 0.3, size: 16KiB, count: 40}
  incast: {kind: incast, hosts: 8 0-5 15, op: send, size: 8KiB, count: 20, depth: 2, start: 100us, start_jitter: 10us}
  reads: {op: read, hosts: 3 12, size: 100kB, count: 5}
"""
STAR = """\
topology: {kind: star, hosts: 8, rate: 25Gbps}
payload: none
workloads:
%s"""
SUMS = ("messages", "messages_posted", "bytes", "latency_n", "segments", "segments_ooo", "placed_ooo_bytes", "retransmits")


def table(path):
    with open(path, newline="") as lines:
        return list(csv.DictReader(lines))


class Workloads(InFolder):
    def run_of(self, text, out, *more):
        (self.folder / "mix.yaml").write_text(text)
        self.command("run", "mix.yaml", "--out", out, "--jobs", "1", *more)
        return self.folder / out

    def rows(self, text, out="out", *more):
        return {row["workload"]: row for row in table(self.run_of(text, out, *more) / "workloads.csv")}

    def octets(self, *names):
        """workloads.csv of folders, which are to be the same."""
        first, *others = ((self.folder / name / "workloads.csv").read_bytes() for name in names)
        for other in others:
            self.assertEqual(first, other)
        return first

    def test_each_workload_has_a_congestion_control_of_its_own(self):
        """DCTCP beside CUBIC over one queue: marks slow the one, and the other takes more; both worlds say the same to the octet."""
        text = STAR.replace("rate: 25Gbps", "rate: 25Gbps, delay: 5us, ecn_threshold: 64KiB") % "".join(
            f'  {name}: {{kind: incast, hosts: "{hosts}", op: write, size: 256KiB, count: 30, depth: 2{own}}}\n'
            for name, hosts, own in (("a", "0-2", ""), ("b", "0,3-4", ", llp: {congestion: dctcp}")))
        rows = self.rows(text)
        self.assertGreater(float(rows["a"]["goodput_gbps"]), 1.5 * float(rows["b"]["goodput_gbps"]))
        both = self.rows(text, "both", "--set", "workloads.a.llp.congestion=dctcp")
        self.assertLess(float(both["a"]["goodput_gbps"]), 1.1 * float(both["b"]["goodput_gbps"]))
        all_ = self.rows(text, "all", "--set", "llp.congestion=dctcp", "--set", "workloads.a.llp.congestion=dctcp")
        self.assertEqual(both, all_)
        if (IWARPSIM.parent / "iwarpsim-ns3").exists():
            self.assertEqual(self.rows(text, "ns3", "--set", "world=ns3"), rows)

    def test_what_packets_are_sized_by_is_the_same_for_all(self):
        text = STAR % "  a: {op: write, llp: {%s}}\n  b: {op: write}\n"
        for keys, said in (("markers: true", "workloads.a.llp.markers: is the same for all workloads"),
                           ("tracking: ranges", "workloads.a.llp.tracking: is the same for all workloads: packets are sized by it, or an adapter has it"), ("dcqcn: {gain: 16}", "unless workloads.a.llp.congestion is dcqcn"),
                           ("congestion: dcqcn", "workloads.a.llp.congestion: dcqcn needs llp.kind: packet"), ("min_rto: 60us", "workloads.a.llp.min_rto: is below twice")):
            (self.folder / "mix.yaml").write_text(text % keys)
            self.assertIn(said, self.command("check", "mix.yaml", code=2))

    def test_they_add_up_in_every_world(self):
        for world in ("fabric", "ns3", "simgrid"):
            out = self.run_of(TREE, world, "--set", f"world={world}", "--set", "sweep.workloads.background.load=[0.2, 0.4]", "--set", "repeat=2")
            results, rows = table(out / "results.csv"), table(out / "workloads.csv")
            self.assertEqual([(r["point"], r["repeat"]) for r in results], [("0.2", "0"), ("0.2", "1"), ("0.4", "0"), ("0.4", "1")])
            self.assertEqual([r["workloads.background.load"] for r in results], ["0.2", "0.2", "0.4", "0.4"])
            for result in results:
                self.assertEqual(result["status"], "ok")
                mine = [r for r in rows if (r["point"], r["repeat"]) == (result["point"], result["repeat"])]
                self.assertEqual([(r["workload"], r["kind"], r["connections"], r["start_us"]) for r in mine],
                                 [("background", "permutation", "16", "0"), ("incast", "incast", "7", "100"), ("reads", "stream", "1", "0")])
                for column in SUMS:
                    self.assertEqual(sum(int(r[column]) for r in mine), int(result[column]), (world, column))
                self.assertEqual(max(float(r["latency_max_us"]) for r in mine), float(result["latency_max_us"]))
                self.assertEqual(min(float(r["flow_min_gbps"]) for r in mine), float(result["flow_min_gbps"]))
        self.octets("fabric", "ns3")

    def test_each_is_what_its_messages_say(self):
        """Times, rates and latencies of each row from messages.csv: connections are numbered workload by workload."""
        out = self.run_of(TREE, "told", "--messages")
        messages, first = table(out / "messages.csv"), 0

        def rate(of):
            octets, began = sum(int(m["length"]) for m in of), min(float(m["t_post"]) for m in of)
            return octets * 8e-3 / (max(float(m["t_last_placed"]) for m in of) - began)

        for row in table(out / "workloads.csv"):
            conns = range(first, first := first + int(row["connections"]))
            mine = [m for m in messages if int(m["conn"]) in conns]
            latencies = [float(m["latency"]) for m in mine]
            want = {"messages": len(mine), "bytes": sum(int(m["length"]) for m in mine), "goodput_gbps": rate(mine),
                    "flow_min_gbps": min(rate([m for m in mine if int(m["conn"]) == c]) for c in conns),
                    "completion_us": max(float(m["t_completed"]) for m in mine) - min(float(m["t_post"]) for m in mine),
                    "latency_mean_us": sum(latencies) / len(mine), "latency_max_us": max(latencies),
                    "retransmits": sum(int(m["retransmitted"]) for m in mine)}
            for column, value in want.items():
                self.assertAlmostEqual(float(row[column]), value, delta=1e-5, msg=(row["workload"], column))
        self.assertEqual(first, 24)

    def test_slowdowns_by_size_are_those_of_each(self):
        """Each has messages of one size, so that its octave is all of it; alone, a workload's name is empty and its octaves are all."""
        out = self.run_of(TREE, "sizes")
        rows = {row["workload"]: row for row in table(out / "workloads.csv")}
        sizes = table(out / "dist/slowdown.csv")
        self.assertEqual([(r["workload"], r["from_octets"]) for r in sizes], [("background", "16384"), ("incast", "8192"), ("reads", "65536")])
        for r in sizes:
            self.assertEqual(r["n"], rows[r["workload"]]["latency_n"])
            self.assertIn(r["p50"], (rows[r["workload"]]["fct_slowdown_p50"], ""))
            self.assertIn(r["p99"], (rows[r["workload"]]["fct_slowdown_p99"], ""))
        self.assertTrue(sizes[0]["p99"] and sizes[1]["p99"] and sizes[0]["p50"] and sizes[1]["p50"])
        alone = self.run_of("workload: {size: 4KiB, count: 200}\n", "alone")
        only = table(alone / "dist/slowdown.csv")
        self.assertEqual([(r["workload"], r["n"], r["p50"]) for r in only], [("", "200", table(alone / "results.csv")[0]["fct_slowdown_p50"])])

    def test_jobs_threads_and_shards_change_nothing(self):
        more = ("--set", "sweep.workloads.incast.depth=[1, 2]", "--messages")
        self.run_of(TREE, "one", *more)
        for threads in ("2", "4"):
            self.run_of(TREE, f"threads{threads}", *more, "--threads", threads)
            self.assertEqual((self.folder / "one/messages.csv").read_bytes(), (self.folder / f"threads{threads}/messages.csv").read_bytes())
        self.command("run", "mix.yaml", "--out", "jobs", "--jobs", "2", *more)
        for part in (1, 2):
            self.command("run", "mix.yaml", "--out", "parts", "--shard", f"{part}/2", "--jobs", "1", *more)
        self.command("merge", "--out", "whole", "parts/shard-1-of-2", "parts/shard-2-of-2")
        self.octets("one", "threads2", "threads4", "jobs", "whole")
        self.assertIn("identical", self.command("rerun", "one"))
        self.command("verify", "one")
        self.command("compare", "one", "jobs")

    def test_what_was_lost_is_made_again(self):
        more = ("--jobs", "1", "--set", "sweep.workloads.incast.depth=[1, 2]")
        self.run_of(TREE, "one", *more[2:])
        for _ in range(2):
            for part in ("1/2", "2/2"):
                self.command("run", "mix.yaml", "--out", "parts", "--shard", part, *more)
            row = next((self.folder / "parts/shard-2-of-2/points").glob("*.row"))
            whole = row.read_bytes()
            self.assertIn(b"\nworkloads ", whole)
            row.write_bytes(whole.replace(b",incast,incast,", b",incast,incest,"))  # its sum no longer holds
        self.command("run", "mix.yaml", "--out", "parts", "--shard", "2/2", *more)
        self.command("merge", "--out", "whole", "parts/shard-1-of-2", "parts/shard-2-of-2")
        self.octets("one", "whole")
        path = self.folder / "whole/workloads.csv"
        path.write_text(path.read_text().replace(",incast,incast,", ",incast,incest,"))
        self.assertIn("workloads.csv", self.command("verify", "whole", code=3))

    def test_those_that_never_meet_do_not_know_of_each_other(self):
        a = "  a: {kind: permutation, hosts: 0-3, arrival: poisson, load: 0.5, size: 5kB, count: 200}\n"
        b = "  b: {kind: incast, hosts: 4-7, size: 9kB, count: 30}\n"
        other = "  Z: {op: send, hosts: 5 6, count: 30}\n"
        alone = self.rows(STAR % a, "alone")["a"]
        for text in (a + b, b + a, other + a):
            self.assertEqual(self.rows(STAR % text, "with" + text[2:10])["a"], alone)
        # another name draws other times
        named = self.rows(STAR % a.replace("a:", "d:"), "named")["d"]
        self.assertNotEqual(named["latency_mean_us"], alone["latency_mean_us"])
        twin = self.rows(STAR % (a + a.replace("a:", "b:").replace("0-3", "4-7")), "twins")
        self.assertNotEqual(twin["a"]["latency_mean_us"], twin["b"]["latency_mean_us"])

    def test_two_share_a_port_in_equal_parts(self):
        """Two streams into one host: each has half of the line, 23.41 Gbps at MTU 1500."""
        rows = self.rows(STAR % "".join(f"  {n}: {{hosts: {h} 0, size: 1MB, count: 40}}\n" for n, h in (("a", 1), ("b", 2))))
        for row in rows.values():
            self.assertAlmostEqual(float(row["goodput_gbps"]), 25 * 1440 / 1538 / 2, delta=0.5)

    def test_hosts_and_start_of_one_alone(self):
        """Hosts are called by their place in the list, and nothing else changes; a start is added to every time."""
        one = "topology: {kind: star, hosts: 4}\nworkload: {size: 10kB, count: 5%s}\n"
        there = table(self.run_of(one % "", "there", "--messages") / "messages.csv")
        for more, late in ((", hosts: 3 1", 0), (", start: 5us", 5), (", hosts: 2-3, start: 7us", 7)):
            out = self.run_of(one % more, "out", "--messages")
            self.assertFalse((out / "workloads.csv").exists())
            for before, now in zip(there, table(out / "messages.csv")):
                for column in ("t_post", "t_first_placed", "t_completed"):
                    self.assertAlmostEqual(float(now[column]), float(before[column]) + late, places=5)
            shutil.rmtree(out)

    def placed(self, *words):
        """The hosts of each workload, in their order: those that send round a ring."""
        names = "".join(f"  w{i}: {{kind: ring, size: 1KiB, count: 1, hosts: {word}}}\n" for i, word in enumerate(words))
        flows = table(self.run_of("topology: {kind: fat_tree, k: 4}\npayload: none\nworkloads:\n" + names, "-".join(words).replace(" ", ""), "--flows") / "flows.csv")
        return [" ".join(flow["from"] for flow in flows if flow["workload"] == f"w{i}") for i in range(len(words))]

    def test_hosts_are_packed_or_spread_over_what_nobody_has(self):
        self.assertEqual(self.placed("spread 4"), ["0 4 8 12"])
        self.assertEqual(self.placed("pack 4", "spread 8", "pack 3"), ["0 1 2 3", "4 5 7 8 10 11 13 14", "6 9 12"])
        self.assertEqual(self.placed("9 8", "spread 2", "spread 7"), ["9 8", "0 7", "1 2 4 6 10 12 14"])
        self.assertEqual(self.placed("all", "pack 2"), [" ".join(map(str, range(16))), "0 1"])

    def test_a_place_that_there_is_not(self):
        for hosts, said in (("pack 5", "'pack 5' is more than the 4 hosts that no workload above it names"), ("spread 0", "names no host"), ("pack", "is not a list of hosts"), ("spread -1", "is not a list")):
            (self.folder / "mix.yaml").write_text(STAR % f"  a: {{hosts: pack 4}}\n  b: {{hosts: {hosts}}}\n")
            error = self.command("check", "mix.yaml", code=2)
            self.assertIn("mix.yaml:5:14: workloads.b.hosts: ", error)
            self.assertIn(said, error)

    def test_a_run_that_ends_names_who_waits(self):
        text = STAR % "  a: {hosts: 0 1, count: 1}\n  b: {hosts: 5 6, count: 1000, start: 1ms}\n"
        (self.folder / "mix.yaml").write_text(text)
        said = self.command("run", "mix.yaml", "--point", "0", "--set", "limit.sim=500us", code=3)
        self.assertIn("connection 1 (host 5 to host 6) waits for its start", said)

    def test_the_reader_in_python(self):
        read = iwarpsim.workloads(self.run_of(TREE, "out"))
        self.assertEqual([(r["workload"], r["connections"]) for r in read], [("background", 16), ("incast", 7), ("reads", 1)])
        self.assertEqual((read.units["start_us"], read.units["goodput_gbps"]), ("us", "Gbps"))
        self.assertTrue(all(read.definitions[c] for c in read.columns))
        with self.assertRaisesRegex(FileNotFoundError, "has one workload"):
            iwarpsim.workloads(self.run_of("workload: {count: 1}", "one"))

    def test_the_manifest_has_the_keys_of_each(self):
        scenario = iwarpsim.manifest(self.run_of(TREE, "out"))["scenario"]
        self.assertEqual((scenario["workloads.incast.depth"], scenario["workloads.background.hosts"], scenario["workloads.reads.op"]), ("2", "all", "read"))
        self.assertNotIn("workloads.incast.load", scenario)  # of a closed loop
        self.assertEqual([k for k in scenario if k.startswith("workload.")], ["workload.consume_rate"])


if __name__ == "__main__":
    unittest.main()
