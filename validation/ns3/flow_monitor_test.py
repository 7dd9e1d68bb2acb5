#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""ns-3's own FlowMonitor, listening to a run of world ns3, counts what flows.csv and links.csv say: packets, octets, losses.

It compiles watch/flow_monitor.cc and links world ns3 again, with that around Simulator::Run(): 3 s of CPU.
"""

import ast
import csv
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("IWARPSIM", TOP / "build/iwarpsim")).absolute()
BUILD = PROGRAM.parent
HOSTS, COUNT, SIZE = 4, 40, 65536
SCENARIO = f"""world: %s
topology: {{kind: star, hosts: {HOSTS}, rate: 10Gbps, delay: 1us, mtu: 1500, buffer: 64KiB}}
channel: {{loss: 0.01}}
workload: {{kind: incast, op: write, size: {SIZE}B, count: {COUNT}}}
"""
# By hand: an IP and a TCP header without options in each packet; MPA's length and CRC, and DDP's tagged header, around each segment, which
# fills a packet and is a multiple of four octets (RFC 5044 4.1, RFC 5041 4.1); MPA's request (RFC 6581: its IRD/ORD word).
HEADERS, FPDU, REQUEST = 20 + 20, 2 + 14 + 4, 20 + 4
SEGMENTS = COUNT * -(-SIZE // (1500 - HEADERS - FPDU))


def rows(path):
    with path.open() as file:
        return list(csv.DictReader(file))


class FlowMonitor(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        lines = (BUILD / "c4che/_cache.py").read_text().splitlines()
        conf = {name: ast.literal_eval(value) for name, value in (line.split(" = ", 1) for line in lines if " = " in line)}
        places = conf.get("INCLUDES_NS3", ["/usr/include"])
        if not conf.get("HAVE_NS3") or not any(Path(place, "ns3/flow-monitor-module.h").exists() for place in places):
            raise unittest.SkipTest("no ns-3 here, or one without its module flow-monitor")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        shutil.copy(PROGRAM, cls.folder)
        (cls.folder / "include").mkdir()
        (cls.folder / "include/ns3").symlink_to(TOP / "model/ns3")
        paths = [word for where in conf.get("LIBPATH_NS3", []) for word in (f"-L{where}", f"-Wl,-rpath,{where}")]
        names = [name for use in ("NS3", "ISAL", "YAML", "PCAP", "EXPAT", "NETTLE", "ZSTD", "MATH", "THREADS") for name in conf.get(f"LIB_{use}", [])]
        includes = [f"-I{cls.folder}/include", f"-I{TOP}/model", *(f"-I{place}" for place in places if place != "/usr/include")]
        subprocess.run(
            ["c++", *conf["CXXFLAGS_NS3"], "-O1", *includes, f'-DFLOWS_SEEN="{cls.folder}/seen"', TOP / "validation/ns3/watch/flow_monitor.cc",
             *(BUILD / "helpers/world/ns3").glob("*.o"), "-Wl,--wrap=_ZN3ns39Simulator3RunEv",
             *(BUILD / f"lib{name}.a" for name in ("iwarp-ns3", "helpers", "support", "iwarp")), *paths, "-lns3-flow-monitor",
             *(f"-l{name}" for name in names), "-ldl", "-o", cls.folder / "iwarpsim-ns3"], check=True)  # fmt: skip
        for world in ("ns3", "fabric"):
            (cls.folder / f"{world}.yaml").write_text(SCENARIO % world)
            more = ["--links"] if world == "fabric" else []
            subprocess.run([cls.folder / "iwarpsim", "run", cls.folder / f"{world}.yaml", "--out", cls.folder / world, "--flows", *more],
                           check=True, stdout=subprocess.DEVNULL)  # fmt: skip
        cls.flows = rows(cls.folder / "ns3/flows.csv")
        seen = [line.split() for line in (cls.folder / "seen").read_text().splitlines()]
        cls.seen = {(s[0], s[1]): dict(zip(("tx", "tx_bytes", "rx", "rx_bytes"), map(int, s[4:]))) for s in seen}

    def data(self, flow):
        """What FlowMonitor saw of the direction that carries data: host i is 10.0.0.1 + i."""
        return self.seen[tuple(f"10.0.0.{1 + int(flow[end])}" for end in ("from", "to"))]

    def test_losses(self):
        self.assertEqual([self.data(f)["tx"] - self.data(f)["rx"] for f in self.flows], [int(f["lost"]) for f in self.flows])
        self.assertGreater(min(int(f["lost"]) for f in self.flows), 0)

    def test_octets(self):
        """All that came: the ULP's octets, and headers around each packet; the SYN is not among them (below)."""
        for flow in self.flows:
            around = HEADERS * self.data(flow)["rx"] + FPDU * SEGMENTS + REQUEST
            self.assertEqual(self.data(flow)["rx_bytes"], int(flow["bytes"]) + around)
            self.assertEqual(int(flow["bytes"]), COUNT * SIZE)

    def test_links(self):
        """What each host put on its link, in the packet world, whose rows are the same: but for a SYN of 52 octets, which leaves at time 0, as
        FlowMonitor starts to listen."""
        self.assertEqual([(f["bytes"], f["end_us"]) for f in self.flows], [(f["bytes"], f["end_us"]) for f in rows(self.folder / "fabric/flows.csv")])
        for link in rows(self.folder / "fabric/links.csv")[:HOSTS]:
            host = int(link["from"].removeprefix("host"))
            sent = [seen for (source, _), seen in self.seen.items() if source == f"10.0.0.{1 + host}"]
            syn = host > 0
            self.assertEqual(sum(s["tx"] for s in sent), int(link["packets"]) - syn)
            self.assertEqual(sum(s["tx_bytes"] for s in sent), int(link["bytes"]) - 52 * syn)


if __name__ == "__main__":
    unittest.main()
