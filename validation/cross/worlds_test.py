#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""World fabric and world ns3 give the same rows: results.csv is compared cell by cell.

  worlds_test.py                       some 280 points
  IWARPSIM_NIGHTLY=1 worlds_test.py    and 1,000 seeds of the incast, 300 of a bad link

The hosts are the same C; the network is once model/fabric, once ns-3's devices, queues and IP. Draws are keyed by content, and
events of one instant are ordered by it in both (fabric.h, iwarp-scheduler.h). Only `events` differs: each simulator counts its own.
Needs IWARPSIM (or build/iwarpsim) and iwarpsim-ns3 beside it. Exit 77: it is not built.
"""

import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = os.environ.get("IWARPSIM", str(TOP / "build" / "iwarpsim"))
NIGHTLY = bool(os.environ.get("IWARPSIM_NIGHTLY"))
SKIPPED = 77
OWN = {"world", "point", "events"}  # what each world says of itself

SCENARIO = """\
title: One scenario, two networks
claim: The rows are the same.
world: fabric
repeat: {repeat}
topology: {{{topology}}}
llp: {{{llp}}}
rnic: {{preset: t6{window}}}
channel: {{{channel}}}
workload: {{op: write, {workload}}}
payload: none
sweep:
  world: [fabric, ns3]
{sweep}"""

LINK = "kind: link, rate: 100Gbps, delay: 1us, mtu: 1500"
STAR = "kind: star, hosts: 8, rate: 100Gbps, delay: 1us, mtu: 1500, buffer: 60000B"
TREE = "kind: fat_tree, k: 4, rate: 100Gbps, delay: 1us, mtu: 1500, buffer: 60000B"
DRAGONFLY = "kind: dragonfly, groups: 4, rate: 100Gbps, delay: 1us, mtu: 1500, buffer: 60000B"
FILE = "kind: file, file: ring.yaml, rate: 100Gbps, delay: 1us, mtu: 1500, buffer: 60000B"
NETWORKS = ("ring.yaml", "leaf-spine.yaml", "two-sites.yaml")
TWO_PORTS = FILE.replace("ring", "two-ports") + ', events: "20us l1-s1#2 down; 25us h6->l1#2 down; 30us h1-l2 down; 60us l1-s1#2 up; 70us h6->l1#2 up; 80us h1-l2 up; 90us switch s2 down; 120us switch s2 up"'
PFC = "flow_control: pfc, pfc: {xoff: 16KiB, xon: 8KiB}"
RED = "ecn: {kmin: 5KiB, kmax: 30KiB, pmax: 0.3}"
MIXED_PORTS = FILE.replace("ring", "mixed-ports") + ', reroute_after: 5us, events: "20us left-s1 down; 25us left->store#2 down; 60us left-s1 up; 80us left->store#2 up"'
CLUSTER = STAR.replace("star", "cluster")
EVENTS = '"20us edge0-* down; 60us edge0-* up; 65us switch core1 down; 70us aggregation1->core2 10Gbps; 120us switch core1 up; 130us host3->edge1 down; 200us host3->edge1 up"'
SLOW = ', events: "15us switch switch0 down; 30us switch switch0 up; 40us switch0->host0 25Gbps"'
PLANES = "kind: planes, hosts: 8, planes: 4, radix: 4, rate: 50Gbps, rates.leaf: 100Gbps, delay: 1us, mtu: 1500, buffer: 60000B"
DIES = ', events: "20us switch plane1.* down; 60us switch plane1.* up; 80us host0->plane2.leaf0 down; 150us host0->plane2.leaf0 up; 90us plane0.leaf*-plane0.spine0 10Gbps"'
BAD = "loss: 0.003, duplicate: 0.003, reorder: {probability: 0.02, delay: 5us}"
STREAM = "kind: stream, size: 100000B, count: 10"
INCAST = "kind: incast, size: 50000B, count: 2, start_jitter: 1us"
PERMUTATION = "kind: permutation, size: 50000B, count: 2"


def case(name, topology, workload, channel="loss: 0", llp="kind: mpa", repeat=1, **sweep):
    lines = "".join(f"  {key.replace('__', '.')}: [{', '.join(map(str, values))}]\n" for key, values in sweep.items())
    return name, SCENARIO.format(topology=topology, workload=workload, channel=channel, llp=llp, repeat=repeat, sweep=lines,
                                 window="" if "packet" in llp else ", window: {bytes: 256KiB}")


CASES = (
    case("incast, drop tail: 20 seeds", STAR, INCAST, repeat=20, llp__kind=("ideal",)),
    case("a bad link, by transport", LINK, STREAM, channel=BAD, llp__kind=("mpa", "ideal", "sctp")),
    case("packets on a bad link, by recovery", LINK, STREAM, channel=BAD, llp="kind: packet", llp__recovery=("go_back_n", "irn", "rud")),
    case("packets, incast and spraying", TREE, PERMUTATION, llp="kind: packet", topology__routing=("flow_hash", "spray"), llp__recovery=("go_back_n", "irn", "rud")),
    case("packets, marks", STAR, INCAST, llp="kind: packet, congestion: dcqcn", topology__ecn_threshold=("20000B",), llp__recovery=("go_back_n", "irn")),
    case("values and queues that choose a path", TREE + ", oversubscription: 2", PERMUTATION, llp="kind: packet, recovery: rud", topology__routing=("entropy", "adaptive")),
    case("windows and credits of packets", STAR, INCAST, llp="kind: packet, recovery: rud", topology__ecn_threshold=("20000B",),
         llp__congestion=("nscc", "rccc", "nscc+rccc", "swift"), llp__answer_octets=("auto", "6000B")),
    case("path values, losses, by choice", TREE + ", routing: entropy, ecn_threshold: 20000B", PERMUTATION, channel="loss: 0.003, duplicate: 0.003",
         llp="kind: packet, recovery: rud, congestion: nscc, paths: 16, path_revive: 20us", llp__path_choice=("oblivious", "round", "bitmap", "reps", "mixed", "retire")),
    case("adaptive, loss, by stickiness", TREE, PERMUTATION, channel=BAD, topology__routing=("adaptive",), topology__adaptive__sticky=("off", "0B", "9KiB"),
         topology__adaptive__quantum=("1B", "3KiB")),
    case("adaptive on networks from files", FILE, PERMUTATION, topology__file=NETWORKS, topology__routing=("adaptive",), llp__kind=("mpa", "sctp")),
    case("a rate and a delay for each level, to 3.2 Tb/s", TREE + ", rates: {leaf: 400Gbps, core: 3200Gbps}, delays: {core: 3us}", PERMUTATION, topology__rate=("100Gbps", "3200Gbps")),
    case("incast, by transport", STAR, INCAST, llp__kind=("mpa", "sctp")),
    case("ECN", STAR, INCAST, llp="kind: mpa, congestion: dctcp", topology__ecn_threshold=("20000B",)),
    case("ECN as others have it", TREE, INCAST, llp="kind: mpa, congestion: dctcp", topology__ecn_threshold=("20000B",), topology__ecn__at=("enqueue", "dequeue"),
         topology__ecn__last_hop=("mark", "spare"), topology__framing=("none", "ppp")),
    case("fat tree, loss, by routing", TREE, PERMUTATION, channel=BAD, topology__routing=("flow_hash", "spray"), llp__kind=("mpa", "ideal")),
    case("dragonfly, loss, by routing", DRAGONFLY, PERMUTATION, channel=BAD, topology__routing=("flow_hash", "spray")),
    case("a rate that no time fits", STAR, INCAST, topology__rate=("7Gbps",)),
    case("loss", LINK, STREAM, channel__loss=(0.0001, 0.001, 0.01), llp__kind=("mpa", "ideal", "sctp")),
    case("a copy comes a packet's time behind, where there is room for one", LINK, STREAM, channel="duplicate: 0.1", rnic__staging_bytes=("2000B", "4000B"),
         llp__kind=("mpa", "ideal")),
    case("reordering", LINK, STREAM, channel="reorder: {probability: 0.05, delay: 3us}", channel__reorder__displacement=(0, 10),
         llp__loss_detection=("rack", "dupack")),
    case("what is remembered out of order, by layout", LINK, STREAM, channel=BAD, llp__kind=("mpa", "sctp"), llp__tracking=("ranges", "bitmap", "counter")),
    case("the same of packets", LINK, STREAM, channel=BAD, llp="kind: packet", llp__recovery=("irn", "rud"), llp__tracking=("ranges", "bitmap", "counter")),
    case("bits that connections share", STAR, "kind: incast, size: 20000B, count: 2, connections: 2", channel=BAD, llp="kind: packet, recovery: rud", llp__tracking=("ranges", "bitmap"),
         rnic__track__pool=(8, 300), rnic__track__full=("drop", "nak")),
    case("the same of TCP and SCTP", LINK, STREAM, channel=BAD, llp__kind=("mpa", "sctp"), llp__tracking=("bitmap",), rnic__track__pool=(20, 2000)),
    case("bursts, and acknowledgements lost", LINK, STREAM, channel="burst: {p: 0.002, r: 0.3, loss_bad: 1}",
         channel__direction=("data", "acks", "both"), llp__kind=("mpa", "ideal")),
    case("corruption", LINK, STREAM, channel="corrupt: 0.003", llp="kind: mpa, crc_error: drop", llp__markers=("true", "false"),
         workload__op=("write", "send", "read"), payload=("real", "none")),
    case("receive buffers that are shared", STAR, "kind: incast, size: 5000B, count: 20, connections: 4", channel=BAD, rnic__srq=(512,),
         workload__op=("send",), llp__kind=("mpa", "sctp")),
    case("receive paths", LINK, STREAM, channel="loss: 0.003, duplicate: 0.003", rnic__receive=("place", "hold", "discard"), workload__op=("write", "send", "read")),
    case("Atomics", LINK, "kind: stream, size: 8B, count: 200", channel="loss: 0.01, duplicate: 0.01", workload__op=("fetch_add", "cmp_swap"),
         llp__kind=("mpa", "ideal", "sctp")),
    case("congestion control", STAR, INCAST, llp__congestion=("cubic", "newreno", '"fixed:64KiB"'), llp__ecn=("off", "on"),
         topology__ecn_threshold=("30000B",)),
    case("a deep transmit pipeline, with losses", LINK, "kind: stream, size: 100000B, count: 40", channel="loss: 0.001", rnic__window__bytes=("4MiB",),
         rnic__tx__latency=("1us", "100us"), llp__kind=("mpa", "sctp", "ideal")),
    case("the same of packets", LINK, "kind: stream, size: 100000B, count: 40", channel="loss: 0.001", llp="kind: packet", rnic__tx__latency=("1us", "100us"),
         llp__recovery=("go_back_n", "irn", "rud")),
    case("oversubscription, spraying", TREE, PERMUTATION, topology__routing=("flow_hash", "spray"), topology__oversubscription=(1, 3)),
    case("links that fail, by time until routes change", TREE + f", events: {EVENTS}", PERMUTATION, channel="loss: 0.001", topology__reroute_after=("never", "0us", "20us"),
         llp__kind=("mpa", "ideal", "sctp")),
    case("the same of packets, by routing", TREE + f", events: {EVENTS}", PERMUTATION, topology__reroute_after=("never", "20us"), topology__routing=("spray", "adaptive"), llp="kind: packet",
         llp__recovery=("go_back_n", "irn", "rud")),
    case("lines that fail by the draw", DRAGONFLY + ", failures: {mtbf: 100us, mttr: 20us}", PERMUTATION, topology__reroute_after=("never", "5us"), seed=(1, 2, 3)),
    case("a switch that fails, and a slow link", STAR + SLOW, INCAST, channel="duplicate: 0.01", llp__kind=("mpa", "ideal", "sctp")),
    case("networks from files, links that fail", FILE + ", failures: {mtbf: 200us, mttr: 30us}, reroute_after: 5us", PERMUTATION, topology__file=NETWORKS),
    case("ports of hosts, bad links, by transport", STAR + ", ports: 3", PERMUTATION, channel=BAD, llp__kind=("mpa", "ideal", "sctp")),
    case("the same of packets", STAR + ", routing: adaptive", PERMUTATION, channel=BAD, llp="kind: packet", topology__ports=(2, 5), llp__recovery=("go_back_n", "irn", "rud")),
    case("ports and links that fail, by routing", TREE + f", ports: 2, events: {EVENTS}", PERMUTATION, channel="loss: 0.001", topology__routing=("flow_hash", "spray", "entropy", "adaptive"),
         llp="kind: packet, recovery: rud", topology__reroute_after=("5us",)),
    case("planes, one of which dies, by choice", PLANES + DIES + ", routing: entropy, reroute_after: 5us", PERMUTATION, channel="loss: 0.003, duplicate: 0.003",
         llp="kind: packet, recovery: rud, paths: 16, path_revive: 20us", llp__path_choice=("oblivious", "reps", "retire")),
    case("the same, by congestion control", PLANES + DIES + ", routing: entropy, ecn_threshold: 20000B", PERMUTATION, llp="kind: packet, recovery: rud, paths: 8, path_choice: reps",
         llp__congestion=("nscc", "rccc", "nscc+rccc", "swift", "dcqcn")),
    case("the same, of transports in order", PLANES + DIES + ", routing: adaptive", PERMUTATION, llp__kind=("mpa", "ideal", "sctp")),
    case("hosts of a file with two ports, and parallel links that fail, by transport", TWO_PORTS + ", reroute_after: 5us", PERMUTATION, channel="loss: 0.001", llp__kind=("mpa", "ideal", "sctp")),
    case("the same of packets, by routing", TWO_PORTS, PERMUTATION, topology__reroute_after=("never", "5us"), topology__routing=("spray", "entropy", "adaptive"), llp="kind: packet, recovery: rud, paths: 8"),
    case("hosts of a file with one, two and four ports, by transport", MIXED_PORTS, PERMUTATION, channel="loss: 0.001", llp__kind=("mpa", "ideal", "sctp")),
    case("the same of packets", MIXED_PORTS + ", routing: adaptive", PERMUTATION, channel="loss: 0.001", llp="kind: packet", llp__recovery=("go_back_n", "irn", "rud")),
    case("the same by congestion control", MIXED_PORTS + ", routing: entropy, ecn_threshold: 20000B", PERMUTATION, llp="kind: packet, recovery: rud, paths: 8, path_choice: retire, path_revive: 20us",
         llp__congestion=("none", "nscc+rccc", "dcqcn")),
    case("trimming", STAR, INCAST, channel="loss: 0.003, duplicate: 0.003", llp="kind: packet, recovery: rud", topology__trim=("true",), topology__buffer=("16KiB",),
         topology__trim__from=("arrival", "coin"), topology__trim__share=(3, "strict")),
    case("the same on trees, with marks and links that fail", TREE + f", ports: 2, trim: true, trim.headers: 400B, events: {EVENTS}", PERMUTATION, llp="kind: packet, recovery: rud, congestion: nscc",
         topology__buffer=("16KiB",), topology__ecn_threshold=("4000B",), topology__ecn__at=("enqueue", "dequeue"), topology__reroute_after=("20us",),
         topology__routing=("spray", "adaptive")),
    case("queues of slow links", TREE + f", routing: spray, trim: true, trim.headers: 600B, ecn_threshold: 20000B, degrade: {{share: 0.5, rate: 20Gbps}}, events: {EVENTS}", PERMUTATION,
         llp="kind: packet, recovery: rud, congestion: nscc", topology__slow_queues=("whole", "scaled")),
    case("random early detection, by transport", TREE + ", " + RED, INCAST, llp="ecn: on", topology__ecn__at=("enqueue", "dequeue"), llp__congestion=("dctcp", "cubic")),
    case("the same of packets, sparing the last hop", TREE + f", trim: true, routing: spray, {RED}", INCAST, llp="kind: packet, recovery: rud", topology__ecn__last_hop=("mark", "spare"),
         llp__congestion=("nscc", "dcqcn", "swift")),
    case("shared buffers, by share", TREE + ", buffer_sharing: shared", INCAST, topology__buffer=("16KiB",), topology__buffer_alpha=(0.25, 1, 8), llp__kind=("mpa", "sctp")),
    case("the same with trimming", TREE + f", buffer_sharing: shared, trim: true, trim.from: coin, routing: adaptive, {RED}", INCAST, llp="kind: packet, recovery: rud, congestion: nscc",
         topology__buffer=("16KiB",), topology__buffer_alpha=(0.25, 1)),
    case("pauses, by transport", TREE + ", " + PFC, INCAST, channel="loss: 0.001, duplicate: 0.01", topology__routing=("flow_hash", "adaptive"), llp__kind=("mpa", "ideal", "sctp")),
    case("the same of packets, with ports and marks", TREE + f", ports: 2, ecn_threshold: 20000B, {PFC}", INCAST, topology__routing=("spray", "adaptive"), llp="kind: packet",
         llp__recovery=("go_back_n", "rud"), llp__congestion=("none", "dcqcn")),
    case("networks from files, loss, by routing", FILE, PERMUTATION, channel=BAD, topology__file=NETWORKS, topology__routing=("flow_hash", "spray")),
)
AT_NIGHT = (
    case("trimming, by recovery: 30 seeds", STAR + ", trim: true", INCAST, channel="loss: 0.003, duplicate: 0.003", llp="kind: packet", repeat=30, topology__buffer=("16KiB", "60000B"),
         llp__recovery=("irn", "rud"), topology__trim__from=("arrival", "coin"), topology__trim__share=(3, "strict"), topology__trim__headers=("auto", "400B")),
    case("ports of hosts, bad links, by recovery: 30 seeds", STAR + ", routing: adaptive", PERMUTATION, channel=BAD, llp="kind: packet", repeat=30, topology__ports=(3, 8),
         llp__recovery=("go_back_n", "irn", "rud")),
    case("planes, one of which dies, by choice and congestion", PLANES + DIES + ", routing: entropy, ecn_threshold: 20000B", PERMUTATION, channel="loss: 0.003, duplicate: 0.003",
         llp="kind: packet, recovery: rud, paths: 16, path_revive: 20us", llp__path_choice=("oblivious", "round", "bitmap", "reps", "mixed", "retire"),
         llp__congestion=("nscc", "rccc", "nscc+rccc", "swift", "dcqcn"), topology__reroute_after=("never", "5us")),
    case("planes, one of which dies, drawn failures, by transport", PLANES + ", failures: {mtbf: 200us, mttr: 30us}, reroute_after: 5us", PERMUTATION, seed=(1, 2, 3),
         llp__kind=("mpa", "ideal", "sctp")),
    case("networks from files, by transport", FILE, "kind: shuffle, size: 20000B, count: 2, start_jitter: 1us", topology__file=NETWORKS, llp__kind=("mpa", "ideal", "sctp"),
         topology__routing=("flow_hash", "spray")),
    case("networks from files, incast, ECN", FILE, INCAST, llp="kind: mpa, congestion: dctcp", topology__ecn_threshold=("20000B",), topology__file=NETWORKS),
    case("dragonfly, by transport", DRAGONFLY, PERMUTATION, channel=BAD, llp__kind=("mpa", "ideal", "sctp"), topology__routing=("flow_hash", "spray")),
    case("fat tree of 16 and of 54 hosts", TREE, "kind: shuffle, size: 20000B, count: 1", topology__k=(4, 6), topology__routing=("flow_hash", "spray")),
    case("cluster", CLUSTER, INCAST, llp__kind=("mpa", "ideal", "sctp")),
    case("incast, drop tail: 1,000 seeds", STAR, INCAST, repeat=1000, llp__kind=("ideal",)),
    case("a bad link, by transport: 300 seeds", LINK, STREAM, channel=BAD, repeat=300, llp__kind=("mpa", "ideal", "sctp")),
)


def rows_of(text):
    """{(swept values but the world, repeat): {world: row}}"""
    with tempfile.TemporaryDirectory(prefix="iwarpsim-") as folder:
        scenario = Path(folder) / "worlds.yaml"
        scenario.write_text(text)
        out = Path(folder) / "out"
        done = subprocess.run([IWARPSIM, "run", scenario, "--out", out, "--jobs", "2"], capture_output=True, text=True)
        if not (out / "results.csv").exists():
            sys.exit(f"iwarpsim run: {done.returncode}\n{done.stdout}{done.stderr}\n{text}")
        found = {}
        with open(out / "results.csv", newline="") as lines:
            for row in csv.DictReader(lines):
                world, _, point = row["point"].partition("/")
                found.setdefault((point, row["repeat"]), {})[world] = row
        return found


def compare(name, text):
    """Prints what differs; how many points there are, how many rows, and how many of them differ."""
    rows, differ = rows_of(text), 0
    for (point, repeat), worlds in rows.items():
        fabric, ns3 = worlds["fabric"], worlds["ns3"]
        cells = [f"{c} {fabric[c]} {ns3[c]}" for c in fabric if c not in OWN and fabric[c] != ns3[c]]
        cells += [] if fabric["status"] == "ok" else [f"status {fabric['status']}"]
        differ += bool(cells)
        if cells:
            print(f"  {point} repeat {repeat}: {'; '.join(cells[:8])}{' ...' if len(cells) > 8 else ''}")
    print(f"{name}: {len(rows)} rows, {differ} differ", flush=True)
    return len({point for point, _ in rows}), len(rows), differ


def main():
    if not (Path(IWARPSIM).parent / "iwarpsim-ns3").exists():
        print("skipped: iwarpsim-ns3 is not built")
        return SKIPPED
    points, rows, differ = map(sum, zip(*(compare(*c) for c in CASES + (AT_NIGHT if NIGHTLY else ()))))
    print(f"{points} points, {rows} rows of each world, {differ} differ")
    return 1 if differ or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
