#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tenants share an adapter, and one of them does wrong (RFC 5042, RFC 5041 8.3.2, RFC 5040 8.1.2).

Law, over drawn scenarios in both worlds of packets: with trust: none and limits that fit, the messages, errors and Terminates of b are
the same with and without each fault of a. With limits off, and trust where the harm needs it, the harm that RFC 5042 names appears."""

import csv
import os
import random
import subprocess
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = Path(os.environ.get("IWARPSIM", TOP / "build/iwarpsim")).absolute()
FAULTS = ("none", "flood_cq", "register_without_end", "guess_stags", "terminate", "never_post")
DRAWS = 40 if os.environ.get("IWARPSIM_NIGHTLY") else 3
SCENARIO = """\
topology: {{kind: link, rate: 10Gbps, delay: {delay}us}}
channel: {{loss: {loss}}}
llp: {{kind: {llp}}}
rnic: {{preset: {preset}{srq}}}
seed: {seed}
workloads:
  x: {{op: {op}, size: {size}B, count: 400, depth: {depth}, connections: {connections}, tenant: a}}
  y: {{op: {op}, size: {size}B, count: 100, depth: {depth}, tenant: b}}
tenants: {{a: {{trust: none}}, b: {{trust: none}}}}
sweep: {{tenants.a.wrong: [{faults}]}}
"""
TRUSTING = {"tenants.a.trust": "all", "tenants.b.trust": "all"}


def draw(seed, **fixed):
    r = random.Random(seed)
    op = fixed.get("op", r.choice(("send", "write")))
    srq = fixed.get("srq", r.choice((True, False))) and op == "send"
    drawn = dict(delay=r.choice((1, 3)), loss=r.choice((0, 1e-3)), llp=r.choice(("mpa", "mpa", "sctp", "ideal")), preset=r.choice(("ideal", "t6")),
                 srq=", srq: 16" if srq else "", seed=seed, op=op, size=r.choice((64, 3000, 9000)), depth=r.choice((1, 4)), connections=r.choice((1, 2)))
    return SCENARIO.format(**{**drawn, **{k: v for k, v in fixed.items() if k in drawn and k != "srq"}}, faults=", ".join(FAULTS))


def rows(path):
    with open(path, newline="") as lines:
        return list(csv.DictReader(lines))


def run(text, world="fabric", **sets):
    """By fault: the rows of workloads.csv by workload, and what became of the messages of each."""
    with tempfile.TemporaryDirectory() as folder:
        scenario = Path(folder, "tenants.yaml")
        scenario.write_text(text)
        command = [IWARPSIM, "run", scenario, "--out", Path(folder, "o"), "--messages", "--set", f"world={world}"]
        done = subprocess.run(command + [x for k, v in sets.items() for x in ("--set", f"{k}={v}")], capture_output=True, text=True)
        if "broken" in done.stderr or not Path(folder, "o/workloads.csv").exists():
            raise AssertionError(done.stderr)
        loads = rows(Path(folder, "o/workloads.csv"))
        messages = rows(Path(folder, "o/messages.csv"))
    at = {}
    for row in loads:
        at.setdefault(row["point"], {})[row["workload"]] = row
    for point, of in at.items():
        first = int(of["x"]["connections"])
        for name in "xy":
            of[name]["became"] = sorted((int(m["conn"]), m["side"], int(m["index"]), m["op"], m["length"], m["status"]) for m in messages
                                        if m["point"] == point and (int(m["conn"]) < first) == (name == "x"))
    return at


def alone(text, **sets):
    """Without a fault."""
    return run(text, **{"tenants.a.wrong": "none"}, **sets)["all"]


def limits_of(row):
    """As much as it needs when it does right."""
    keys = {"connections": "connections", "cq_entries": "cq_entries", "stags": "stags", "read_entries": "read_entries", "recv_buffers": "recv_buffers"}
    return {f"tenants.a.{key}": row[f"{column}_peak"] for key, column in keys.items() if row[f"{column}_peak"] != "0"}


class Law(unittest.TestCase):
    # checks: DDP-8.3.2-1 DDP-8.3.2-2 DDP-8.3.2-3 DDP-8.3.2-5a RDMAP-8.1.2-1 RDMAP-8.1.2-2 RDMAP-8.1.2-3 RDMAP-8.1.2-5 RDMAP-8.1.2-6
    def test_without_trust_and_with_limits_that_fit_nobody_notices(self):
        for seed in range(1, DRAWS + 1):
            text = draw(seed)
            limits = limits_of(alone(text)["x"])
            for world in ("fabric", "ns3") if (TOP / "build/iwarpsim-ns3").exists() else ("fabric",):
                at = run(text, world, **limits)
                for fault in FAULTS:
                    with self.subTest(seed=seed, world=world, fault=fault, limits=limits):
                        self.same(at["none"]["y"], at[fault]["y"])

    def same(self, without, with_fault):
        for column in ("messages", "failed", "terminates", "foreign_bytes", "became", "stags_peak", "refused"):
            self.assertEqual(without[column], with_fault[column], column)
        self.assertEqual(without["failed"], "0")

    def test_a_limit_that_fits_changes_nothing(self):
        text = draw(1)
        free = alone(text)
        self.assertEqual(free, alone(text, **limits_of(free["x"])))

    def test_both_worlds_of_packets_say_the_same(self):
        if not (TOP / "build/iwarpsim-ns3").exists():
            self.skipTest("ns-3 is not built")
        text = draw(2)
        self.assertEqual(run(text), run(text, "ns3"))


class Harm(unittest.TestCase):
    def harm(self, fault, world="fabric", trust=True, sets=(), **fixed):
        fixed = {"loss": 0, "llp": "mpa", "preset": "ideal", "size": 3000, "depth": 4, "connections": 1, **fixed}
        return run(draw(7, **fixed), world, **(TRUSTING if trust else {}), **dict(sets), **{"tenants.a.wrong": fault})["all"]

    # checks: RDMAP-8.1.2-5 DDP-8.3.2-3
    def test_a_shared_queue_overflows_and_ends_the_streams_of_both(self):
        y = self.harm("flood_cq", op="write")["y"]
        self.assertEqual((y["terminates"], y["messages"] == "100"), ("1", False))
        x = self.harm("flood_cq", op="write", sets={"tenants.a.cq_entries": 8})
        self.assertEqual((x["x"]["cq_entries_peak"], x["x"]["refused"] != "0", x["y"]["failed"]), ("8", True, "0"))

    # checks: DDP-8.3.2-2 DDP-8.3.2-5a
    def test_who_registers_without_end_leaves_nothing(self):
        at = self.harm("register_without_end", trust=False)
        self.assertEqual((at["y"]["messages"], at["y"]["became"][0][5], at["x"]["messages"]), ("0", "refused", "400"))

    # checks: DDP-8.3.2-4 RDMAP-8.1.2-4 DDP-8.3-4
    def test_a_good_guess_writes_where_domains_are_shared_and_only_there(self):
        for world in ("fabric", "ns3") if (TOP / "build/iwarpsim-ns3").exists() else ("fabric",):
            shared, own = (self.harm("guess_stags", world, trust, op="write") for trust in (True, False))
            self.assertEqual((shared["y"]["foreign_bytes"], shared["x"]["terminates"]), ("16", "0"))
            self.assertEqual((own["y"]["foreign_bytes"], own["x"]["terminates"]), ("0", "1"))

    # checks: DDP-8.3.2-5b RDMAP-8.1.2-8
    def test_shared_receives_run_dry_unless_the_greedy_stream_is_ended(self):
        dry = self.harm("never_post", op="send", srq=True)["y"]
        self.assertEqual((dry["terminates"], dry["messages"] == "100"), ("1", False))
        at = self.harm("never_post", op="send", srq=True, sets={"tenants.a.recv_buffers": 12})
        self.assertEqual((at["x"]["recv_buffers_peak"], at["x"]["refused"], at["x"]["terminates"]), ("12", "1", "1"))
        self.assertEqual((at["y"]["messages"], at["y"]["terminates"]), ("100", "0"))

    def test_a_terminate_harms_nobody_else(self):
        at = self.harm("terminate")
        self.assertEqual((at["x"]["terminates"], at["y"]["messages"], at["y"]["terminates"]), ("1", "100", "0"))


class Refusals(unittest.TestCase):
    def refused(self, *sets):
        with tempfile.TemporaryDirectory() as folder:
            scenario = Path(folder, "tenants.yaml")
            scenario.write_text(draw(7, connections=2, loss=0, llp="mpa", preset="ideal", op="write"))
            command = [IWARPSIM, "check", scenario] + [x for s in sets for x in ("--set", s)]
            done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        return done.stderr

    # checks: RDMAP-8.1.2-7
    def test_each_says_key_and_reason(self):
        for said, *sets in (
            ("tenants.a.connections: its workloads have 2 on a host", "tenants.a.connections=1"),
            ("tenants.a.read_entries: its workloads have 2 streams on a host, each with llp.ird 16", "tenants.a.read_entries=31"),
            ("workloads.x.tenant: no tenant has this name", "workloads.x.tenant=c"),
            ("tenants.c.domain: no workload is of this tenant", "tenants.c.domain=7"),
            ("tenants.a.trust: tenants have queues of their own, which are polled", "rnic.completion.mode=interrupt"),
            ("workloads.x.tenant: its tenant does wrong: flood_cq", "workloads.x.op=read"),
            ("tenant.stags: tenants have names: write tenants.NAME.stags", "tenant.stags=4"),
            ("tenants.1: the name of a tenant is a letter", "tenants.1=4"),
            ("only in world fabric, ns3", "world=simgrid"),
            ("tenants.a: is a group of keys", "tenants.a=4"),
        ):
            with self.subTest(said=said):
                self.assertIn(said, self.refused(*sets))


if __name__ == "__main__":
    unittest.main()
