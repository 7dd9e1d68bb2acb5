#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The world of SimGrid as its users meet it: every topology and workload runs and verifies its octets, the same seed
gives the same row in every context factory, and what SimGrid cannot carry is refused in words before it runs."""

import csv
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("IWARPSIM", TOP / "build/iwarpsim"))
BASE = """title: t
world: simgrid
payload: real
topology: {kind: cluster, hosts: 6, rate: 100Gbps, delay: 1us, mtu: 9000}
workload: {kind: shuffle, size: 100kB, count: 3, depth: 2}
"""
ROUGH = ["channel.loss=0.01", "channel.reorder.probability=0.05", "channel.reorder.displacement=5"]
TREE = ["topology.kind=fat_tree", "topology.k=4"]
DRAGONFLY = ["topology.kind=dragonfly", "topology.groups=2", "topology.routers=4", "topology.nodes=2"]


def run(folder, name, sets, base=BASE, flags=""):
    file = Path(folder) / f"{name}.yaml"
    file.write_text(base)
    command = [PROGRAM, "run", file, "--out", Path(folder) / name, "--messages"]
    for s in sets:
        command += ["--set", s]
    environment = {**os.environ, "IWARPSIM_SIMGRID_FLAGS": flags}
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)


def row(folder, name):
    with open(Path(folder) / name / "results.csv") as file:
        return next(csv.DictReader(file))


class Cluster(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def good(self, name, sets, base=BASE):
        done = run(self.folder.name, name, sets, base)
        self.assertEqual(done.returncode, 0, done.stdout)
        found = row(self.folder.name, name)
        self.assertEqual(found["status"], "ok")
        self.assertEqual(found["messages"], found["messages_posted"])
        return found

    def refused(self, sets, *words, base=BASE):
        done = run(self.folder.name, "refused", sets, base)
        self.assertEqual(done.returncode, 2, done.stdout)
        for word in words:
            self.assertIn(word, done.stdout)
        self.assertFalse((Path(self.folder.name) / "refused/results.csv").exists())

    def test_topologies(self):
        sparse = BASE.replace(" hosts: 6,", "")
        plain = {"cluster": [], "star": ["topology.kind=star"]}
        for name, sets in plain.items():
            self.assertEqual(self.good(name, sets)["messages"], "90")
        self.assertEqual(self.good("tree", TREE, sparse)["messages"], str(16 * 15 * 3))
        self.assertEqual(self.good("dragonfly", DRAGONFLY, sparse)["messages"], str(16 * 15 * 3))
        self.assertEqual(self.good("link", ["topology.kind=link", "workload.kind=stream"], sparse)["messages"], "3")

    def test_operations_and_paths_over_a_rough_channel(self):
        for name, sets in {
            "read": ["workload.op=read"],
            "send": ["workload.op=send"],
            "hold": ["rnic.receive=hold"],
            "discard": ["rnic.receive=discard"],
            "copy": ["rnic.receive=copy", "rnic.window.policy=buffer"],
            "drop": ["channel.corrupt=0.01", "llp.crc_error=drop"],
        }.items():
            found = self.good(name, ["rnic.preset=t6"] + ROUGH + sets)
            self.assertGreater(int(found["drops_channel"]), 0)
            self.assertGreater(int(found["retransmits"]), 0)

    def test_more_waits_behind_a_hole_than_the_engine_remembers(self):
        sets = ["topology.kind=link", "workload.kind=stream", "workload.size=9000B", "workload.count=4000", "workload.depth=200"]
        sets += ["channel.loss=0.02", "llp.congestion=fixed:4MiB", "rnic.window.bytes=128KiB", "llp.min_rto=1ms"]
        for path in ("place", "hold"):
            found = self.good(path, sets + [f"rnic.receive={path}"], BASE.replace(" hosts: 6,", ""))
            self.assertLess(int(found["held_peak_bytes"]), 128 * 1024 + 2 * 64 * 1024)  # the window, and what left before the hole showed

    def test_a_memory_bus_is_of_its_host_alone_on_every_topology(self):
        """Each host has half of it for what comes and half for what goes; switches have none."""
        sparse, sets = BASE.replace(" hosts: 6,", ""), ["payload=none", "workload.count=20", "workload.depth=8"]
        star = ["topology.kind=cluster", "topology.hosts=16"]
        for topology, rate, load in [(star, 120, 0), (TREE, 120, 0), (TREE, 120, 60), (DRAGONFLY, 20, 0)]:
            bus = [f"rnic.bus.rate={rate}Gbps", f"rnic.bus.background={load}Gbps"] if load else [f"rnic.bus.rate={rate}Gbps"]
            found = self.good(f"{topology[0]}-{rate}-{load}", sets + topology + bus, sparse)
            half = (rate - load) / 2
            self.assertAlmostEqual(float(found["steady_gbps"]) / 16, half, delta=0.05 * half, msg=f"{topology[0]} {bus}")

    def test_kinds(self):
        kinds = BASE.replace("size: 100kB, count: 3, depth: 2", "size: 100kB, count: 3")
        for kind in ("incast", "permutation", "pingpong", "ring"):
            sets = ["topology.kind=link"] if kind == "pingpong" else []
            base = kinds.replace(" hosts: 6,", "") if sets else kinds
            self.good(kind, [f"workload.kind={kind}"] + sets, base)
        self.good("storage", ["workload.kind=storage"], kinds)
        tour = BASE.replace(" hosts: 6,", "").replace("kind: shuffle, size: 100kB, count: 3, depth: 2", "kind: errors")
        done = run(self.folder.name, "tour", ["topology.kind=link"], tour)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(row(self.folder.name, "tour")["terminates"], "30")

    def test_the_same_seed_gives_the_same_row_in_every_context_factory(self):
        sets = ["rnic.preset=t6", "payload=none"] + ROUGH
        rows = {}
        for name, flags in {
            "once": "",
            "again": "",
            "ucontext": "--cfg=contexts/factory:ucontext",
            "thread": "--cfg=contexts/factory:thread",
            "stack": "--cfg=contexts/stack-size:512",
        }.items():
            done = run(self.folder.name, name, sets, flags=flags)
            self.assertEqual(done.returncode, 0, done.stdout)
            rows[name] = (Path(self.folder.name) / name / "results.csv").read_text().replace(f"\n{name},", "\n")
        self.assertEqual(len(set(rows.values())), 1, rows)
        done = run(self.folder.name, "other", sets + ["seed=2"])
        other = (Path(self.folder.name) / "other/results.csv").read_text().replace("\nother,", "\n")
        self.assertNotEqual(other, rows["once"])

    def test_a_flow_takes_the_links_of_its_packets_in_world_fabric(self):
        """Short queues (DCTCP) and one long message each: who meets nobody on the way is the same in both worlds, and only they are fast."""
        sets = ["workload.kind=permutation", "workload.size=4MB", "workload.count=1", "workload.depth=1", "payload=none", "llp.congestion=dctcp"]
        sparse = BASE.replace(" hosts: 6,", "").replace(", depth: 2", "")
        for number, topology in enumerate((TREE, TREE + ["seed=2"], TREE + ["topology.oversubscription=2"], DRAGONFLY + ["topology.groups=5"])):
            fast = []
            for world in ("fabric", "simgrid"):
                more = ["topology.buffer=64MiB", "topology.ecn_threshold=64KiB"] if world == "fabric" else []
                name = f"{world}-{number}"
                self.good(name, sets + topology + more + [f"world={world}"], sparse)
                with open(Path(self.folder.name) / name / "messages.csv") as file:
                    times = {int(r["conn"]): float(r["latency"]) for r in csv.DictReader(file)}
                fast.append([{conn for conn, t in times.items() if t < most * min(times.values())} for most in (1.12, 1.5)])
            (packets, nearly), (flows, about) = fast
            self.assertTrue(packets <= about and flows <= nearly, msg=f"{topology}: {fast}")
            self.assertLess(len(nearly), len(times), msg=f"{topology}: nobody meets anybody")

    def test_what_it_cannot_carry_is_refused(self):
        sparse = BASE.replace(" hosts: 6,", "")
        self.refused(TREE + ["topology.routing=spray"], "topology.routing", "flow_hash", base=sparse)

    def test_platform_files_of_simgrid(self):
        base = BASE.replace("kind: cluster, hosts: 6", "kind: platform").replace("kind: shuffle, size: 100kB, count: 3, depth: 2", "kind: permutation, size: 1MiB, count: 10")
        found = self.good("cabinets", ["topology.file=cabinets.xml", "payload=none"], base)
        hosts = [f"{cabinet}{i}" for cabinet in "abc" for i in range(8)]
        with open(Path(self.folder.name) / "cabinets/messages.csv") as file:
            self.assertEqual(len({r["conn"] for r in csv.DictReader(file)}), len(hosts))
        self.assertEqual(found["fct_slowdown_p50"], "")
        # what crosses the backbone shares its 20 Gb/s; the others have a port of 10 Gb/s each
        bits = 10 * 2**20 * 9038 / 8940 * 8  # of one host
        crossing = float(found["completion_us"]) * 20e3 / bits
        self.assertAlmostEqual(crossing, round(crossing), delta=0.05 * crossing)
        self.assertTrue(8 <= round(crossing) <= 24, crossing)
        far = self.good("far", ["topology.file=three-hosts.xml", "workload.kind=pingpong", "workload.size=64B", "workload.count=3"], base.replace("count: 10", "count: 3"))
        self.assertLess(float(far["latency_p50_us"]), 1.2)  # left to right: one wire of 1 us

    def test_what_is_wrong_with_a_platform_file_is_told_with_its_line(self):
        good = (TOP / "scenarios/topologies/three-hosts.xml").read_text()
        base = BASE.replace("kind: cluster, hosts: 6", "kind: platform, file: bad.xml")
        for old, new, line, words in (
            ('dst="far"><link_ctn id="road"', 'dst="fair"><link_ctn id="road"', 15, "not a host defined above"),
            ('<link_ctn id="road"/>', '<link_ctn id="rod"/>', 15, "'rod' is not a link defined above"),
            (' latency="50us"', "", 11, "needs latency"),
            ('<host id="far"', '<host id="left"', 9, "two hosts are named left"),
            ("</zone>", "", 18, "zone"),
            ('routing="Full"', 'routing="Fool"', 6, "Full, Floyd"),
            ('<host id="far" speed="1Gf"/>', '<hast id="far" speed="1Gf"/>', 9, "is not supported"),
            ('id="sky" bandwidth="1Gbps"', 'id="sky bandwidth="1Gbps"', 12, ""),
            ("</platform>", "", 19, "platform"),
            ('"10Gbps"', '"10Gups"', 10, "is not a rate"),
            ('"10Gbps"', '"nanGbps"', 10, "is not a rate"),
            ('"10Gbps"', '"infGbps"', 10, "is not a rate"),
            ('latency="1us"', 'latency="-1us"', 10, "is not a time"),
            ('latency="1us"', 'latency="1us" latency_file="/etc/passwd"', 10, "latency_file is not supported"),
            ('<zone id="site"', '<config id="General"><prop id="plugin" value="link_energy"/></config><zone id="site"', 6, "<config> is not supported"),
        ):
            self.assertIn(old, good)
            (Path(self.folder.name) / "bad.xml").write_text(good.replace(old, new, 1))
            self.refused([], f"bad.xml:{line}: ", words, base=base)
        (Path(self.folder.name) / "bad.xml").write_text(good)
        self.refused(["world=fabric"], "topology.kind", "simgrid", base=base)

    def test_a_route_of_centuries_is_refused(self):
        good = (TOP / "scenarios/topologies/three-hosts.xml").read_text()
        (Path(self.folder.name) / "slow.xml").write_text(good.replace('"10ms"', '"1000s"').replace('<link_ctn id="sky"/>', '<link_ctn id="sky"/>' * 1001))
        done = run(self.folder.name, "slow", [], BASE.replace("kind: cluster, hosts: 6", "kind: platform, file: slow.xml"))
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("SimGrid refuses slow.xml: a route takes more than 1000000 s", done.stdout)

    def test_what_simgrid_itself_refuses_keeps_its_line(self):
        good = (TOP / "scenarios/topologies/three-hosts.xml").read_text()
        (Path(self.folder.name) / "late.xml").write_text(good.replace("</zone>", '<host id="late" speed="1Gf"/></zone>'))
        done = run(self.folder.name, "late", [], BASE.replace("kind: cluster, hosts: 6", "kind: platform, file: late.xml"))
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertRegex(done.stdout, r"SimGrid refuses late\.xml: .*line 17: .*<host>")

    def test_every_routing_of_a_platform_finds_its_routes(self):
        """A path of three hosts: the outer ones have no route of their own but where routing is Full."""
        base = BASE.replace("kind: cluster, hosts: 6", "kind: platform, file: line.xml")
        hosts = "".join(f'<host id="{h}" speed="1Gf"/>' for h in "abc")
        links = '<link id="ab" bandwidth="10Gbps" latency="1us"/><link id="bc" bandwidth="10Gbps" latency="1us"/>'
        ways = "".join(f'<route src="{a}" dst="{b}"><link_ctn id="{a}{b}"/></route>' for a, b in ("ab", "bc"))
        full = ways + '<route src="a" dst="c"><link_ctn id="ab"/><link_ctn id="bc"/></route>'
        stars = "".join(f'<host_link id="{h}" up="{link}" down="{link}"/>' for h, link in (("a", "ab"), ("b", "ab"), ("c", "bc")))
        for routing, routes in {"Full": full, "Floyd": ways, "Dijkstra": ways, "DijkstraCache": ways, "Cluster": stars}.items():
            (Path(self.folder.name) / "line.xml").write_text(f'<platform version="4.1"><zone id="z" routing="{routing}">{hosts}{links}{routes}</zone></platform>')
            self.assertEqual(self.good(routing, [], base)["messages"], str(3 * 2 * 3), routing)

    def test_the_manifest_has_every_flag(self):
        self.good("flags", ["workload.kind=permutation"])
        text = (Path(self.folder.name) / "flags/manifest.json").read_text()
        self.assertRegex(text, r'"simgrid": "SimGrid [34]\.')
        for flag in ("network/model:CM02", "network/optim:Lazy", "contexts/stack-size", "network/weight-S"):
            self.assertIn(flag, text)


if __name__ == "__main__":
    if not Path(f"{PROGRAM}-simgrid").exists():
        print("skipped: needs SimGrid")
        sys.exit(77)
    unittest.main()
