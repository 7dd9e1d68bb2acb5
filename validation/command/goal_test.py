#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""GOAL schedules as users meet them: those that ship are those of make.py and end; the file belongs to the results; rows are the same
in both worlds of packets and for any number of jobs, threads and shards; a stuck rank is named; a long text is not kept.

  goal_test.py [TEST]     needs IWARPSIM (or build/iwarpsim), and iwarpsim-ns3 and iwarpsim-simgrid beside it
"""

import csv
import subprocess
import sys
import unittest
from pathlib import Path

from in_folder import IWARPSIM, InFolder

TOP = Path(__file__).resolve().parents[2]
SCHEDULES = TOP / "scenarios/schedules"

TREE = """\
topology: {kind: fat_tree, k: 4, rate: 100Gbps}
channel: {loss: 1e-3}
workload: {kind: goal, file: %s}
repeat: 2
sweep: {rnic.receive: [place, discard]}
"""
STAR = """\
topology: {kind: star, hosts: 16, rate: 100Gbps, delay: 1us}
llp: {congestion: "fixed:2MiB", delayed_ack: 1}
workload: {kind: goal, file: %s}
"""
PAIR = """\
num_ranks 2
rank 0 {
a: calc 1000
b: send 5000b to 1 tag 7
b requires a
}
rank 1 {
a: recv 5000b from 0 tag 7
}
"""
# The first message goes to `a`, the second waits for what waits for `b`.
STUCK = """\
num_ranks 2
rank 0 {
a: recv 1b from 1 tag 3
b: recv 1b from 1 tag 3
c: send 1b to 1 tag 4
c requires a
d: send 1b to 1 tag 4
d requires b
}
rank 1 {
a: send 1b to 0 tag 3
b: recv 1b from 0 tag 4
c: recv 1b from 0 tag 4
d: send 1b to 0 tag 3
d requires b
d requires c
}
"""


class Goal(InFolder):
    def file(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def run_of(self, text, out, *more, code=0):
        self.command("run", self.file("s.yaml", text), "--out", out, "--jobs", "1", *more, code=code)
        return self.rows(out)

    def rows(self, out):
        with open(self.folder / out / "results.csv", newline="") as lines:
            return list(csv.DictReader(lines))

    def octets(self, *names, file="results.csv"):
        first, *others = ((self.folder / name / file).read_bytes() for name in names)
        for other in others:
            self.assertEqual(first, other)


class Shipped(Goal):
    def test_they_are_those_of_make_py(self):
        for what in ("allreduce", "stencil"):
            made = subprocess.run([sys.executable, SCHEDULES / "make.py", what], capture_output=True, check=True).stdout
            self.assertEqual(made, (SCHEDULES / f"{what}-16.goal").read_bytes())

    def test_list_names_them(self):
        said = subprocess.run([IWARPSIM, "list"], capture_output=True, text=True, cwd=TOP).stdout
        self.assertIn("allreduce-16.goal  16 ranks, 384 operations, 128 messages, 31457280 octets", said)
        self.assertIn("stencil-16.goal", said)

    def test_an_allreduce_moves_15_16ths_twice(self):
        rows = self.run_of(TREE % "allreduce-16.goal", "out", "--set", "channel.loss=0")
        self.assertEqual({(r["status"], r["messages"], r["bytes"]) for r in rows}, {("ok", "128", str(16 * 2 * 15 * 65536))})
        self.assertEqual({r["steady_gbps"] for r in rows}, {""})

    def test_a_stencil_takes_its_calculation(self):
        rows = self.run_of(STAR % "stencil-16.goal", "out")
        self.assertEqual({(r["status"], r["completion_us"], r["messages"]) for r in rows}, {("ok", "96", "256")})


class Same(Goal):
    def test_jobs_threads_and_shards_change_nothing(self):
        self.run_of(TREE % "stencil-16.goal", "one", "--messages")
        self.assertIn("makes another act at once", self.command("run", "s.yaml", "--out", "threads", "--jobs", "1", "--messages", "--threads", "2"))
        self.octets("one", "threads", file="messages.csv")
        self.command("run", "s.yaml", "--out", "jobs", "--jobs", "2")
        for part in (1, 2):
            self.command("run", "s.yaml", "--out", "parts", "--shard", f"{part}/2", "--jobs", "1")
        self.command("merge", "--out", "whole", "parts/shard-1-of-2", "parts/shard-2-of-2")
        self.octets("one", "threads", "jobs", "whole")
        self.assertIn("identical", self.command("rerun", "one"))
        self.command("verify", "one")

    def test_ns3_gives_the_same_rows(self):
        rows = [self.run_of(TREE % "allreduce-16.goal", world, "--set", f"world={world}", "--set", "repeat=1") for world in ("fabric", "ns3")]
        for row in rows[0] + rows[1]:
            del row["events"]
        self.assertEqual(*rows)

    def test_simgrid_comes_near(self):
        """Nothing is lost and every message is alone on its links: a flow takes what packets take."""
        rows = [self.run_of(STAR % "allreduce-16.goal", world, "--set", f"world={world}")[0] for world in ("fabric", "simgrid")]
        self.assertEqual([r["messages"] for r in rows], ["128", "128"])
        near = float(rows[1]["completion_us"]) / float(rows[0]["completion_us"])
        self.assertTrue(0.9 < near < 1.1, near)

    def test_ranks_are_refused_in_one_sentence(self):
        """By the workload; or before, where ns-3 has no MPI."""
        said = self.command("run", self.file("s.yaml", TREE % "stencil-16.goal"), "--point", "place", "--set", "world=ns3", "--ranks", "2", code=2)
        self.assertEqual(said.count("\n"), 1, said)
        self.assertIn("--ranks", said)


class File(Goal):
    def test_its_content_belongs_to_the_results(self):
        for name, more in (("alone", "workload: {kind: goal, file: my.goal}\n"), ("several", "workloads: {a: {kind: goal, file: my.goal}, b: {op: send, count: 5}}\n")):
            self.file("my.goal", PAIR)
            self.run_of(more, name)
            self.assertEqual((self.folder / name / "my.goal").read_text(), PAIR)
            self.command("run", "s.yaml", "--out", name)
            self.file("my.goal", PAIR.replace("calc 1000", "calc 2000"))
            self.assertIn("my.goal", self.command("run", "s.yaml", "--out", name, code=2))
            self.assertIn("identical", self.command("rerun", name))  # from the copy

    def test_it_is_found_beside_the_scenario_and_by_set(self):
        self.file("my.goal", PAIR)
        self.file("other.goal", PAIR.replace("calc 1000", "calc 9000"))
        one = self.run_of("llp: {kind: ideal, delayed_ack: 1}\nworkload: {kind: goal, file: my.goal}\n", "one")[0]
        two = self.run_of("llp: {kind: ideal, delayed_ack: 1}\nworkload: {kind: goal, file: my.goal}\n", "two", "--set", "workload.file=other.goal")[0]
        self.assertAlmostEqual(float(two["completion_us"]) - float(one["completion_us"]), 8, places=6)
        both = self.run_of("llp: {kind: ideal, delayed_ack: 1}\nworkload: {kind: goal, file: my.goal}\n", "both", "--set", "sweep.workload.file=[my.goal, other.goal]")
        self.assertEqual([r["completion_us"] for r in both], [one["completion_us"], two["completion_us"]])

    def test_refused_with_its_line(self):
        self.file("my.goal", PAIR.replace("tag 7\n}", "tag 8\n}"))
        said = self.command("check", self.file("s.yaml", "workload: {kind: goal, file: my.goal}\n"), code=2)
        self.assertEqual(said.count("\n"), 1)
        self.assertIn("s.yaml:1:", said)
        self.assertIn("workload.file: my.goal:4: rank 0, b (line 4): send to 1 tag 7 has no recv: 1 sends, 0 recvs of these ranks and this tag", said)

    def test_a_stuck_rank_is_named(self):
        self.file("my.goal", STUCK)
        for world in ("fabric", "ns3", "simgrid"):
            row = self.run_of("workload: {kind: goal, file: my.goal}\nlimit: {idle: 1ms}\n", world, "--set", f"world={world}", code=3)[0]
            self.assertIn(row["status"], ("stalled", "limit_idle"))
            said = self.command("run", "s.yaml", "--point", "all", "--set", f"world={world}", code=3)
            self.assertIn("the schedule is stuck in rank 0, b (line 4): recv from 1 tag 3", said)

    def test_a_long_text_is_not_kept(self):
        """Memory grows with operations, not with octets of text: 160 MB of it are read with 64 MB of addresses."""
        comment = "// " + "x" * 4000 + "\n"
        with open(self.folder / "long.goal", "w") as out:
            out.write("num_ranks 2\n")
            for rank, word in ((0, "send 8b to 1"), (1, "recv 8b from 0")):
                out.write(f"rank {rank} {{\n")
                out.writelines(f"{word} tag {i}\n{comment}" for i in range(20000))
                out.write("}\n")
        self.file("s.yaml", "workload: {kind: goal, file: long.goal}\n")
        limited = ["sh", "-c", 'ulimit -v 65536 && exec "$0" "$@"', IWARPSIM]
        done = subprocess.run([*limited, "check", "s.yaml"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 hosts, 1 connection, at most 20000 messages", done.stdout)
        done = subprocess.run([*limited, "run", "s.yaml", "--point", "all"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
