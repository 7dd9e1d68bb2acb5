#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every key below llp., channel. and topology. changes what happens, in both worlds of packets; and a key below llp. over each lower layer.

Each key of the table of `iwarpsim keys` is set to two values in a scenario in which it matters; in world fabric and in world ns3 a cell of
the row, or else a line of the trace, must differ. A key that a world or a lower layer ignores must be refused there. A key without a
row here fails. And of each key of words, in whatever group, any two of its words differ in a cell or the trace: one that is taken and
does what another does fails.

usage: keys_act_test.py [-v] [KEY...]     -v: what differs
Needs IWARPSIM (or build/iwarpsim) and iwarpsim-ns3 beside it. Exit 77: it is not built.
"""

import csv
import itertools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = os.environ.get("IWARPSIM", str(TOP / "build" / "iwarpsim"))
SKIPPED = 77
FIXED = "fixed:64KiB"
GROUPS = ("llp.", "channel.", "topology.")

LINK = "topology.kind=link workload.size=64KiB workload.count=40 workload.op=write"
PACKET = LINK + " llp.kind=packet channel.loss=0.02"
BAD = LINK + " channel.loss=0.02"
LATE = LINK + " channel.reorder.probability=0.05 channel.reorder.delay=5us"
LOST = LINK + " workload.size=4KiB channel.loss=0.6 workload.depth=1 workload.count=30"
TRACE = LINK + " channel.trace.file=sprayed.fates workload.count=100"
READS = LINK + " workload.op=read workload.size=1KiB"
FEW = LINK + " workload.op=send workload.size=1KiB workload.depth=16 workload.recv_depth=2 rnic.cpu.poll=2us"
ALONE = LINK + " workload.depth=1 workload.size=4KiB"
STAR = "topology.kind=star topology.hosts=6 workload.kind=incast workload.size=64KiB workload.count=4 topology.buffer=64KiB"
PLANES = "topology.kind=planes topology.hosts=8 workload.kind=permutation workload.size=64KiB workload.count=4 llp.kind=packet llp.recovery=rud"
ROOMY = STAR + " topology.buffer=1MiB"
MARKS = STAR + " llp.ecn=on topology.ecn_threshold=20KiB"
TRIMS = STAR + " llp.kind=packet llp.recovery=irn topology.hosts=9 topology.trim=true"
PFC = ROOMY + " topology.flow_control=pfc topology.pfc.xoff=20KiB topology.pfc.xon=10KiB"
DCQCN = ROOMY + " llp.kind=packet llp.congestion=dcqcn topology.ecn_threshold=20KiB workload.count=10 llp.dcqcn.timer=10us"
RUD = ROOMY + " llp.kind=packet llp.recovery=rud workload.count=10"
NSCC = RUD + " llp.congestion=nscc topology.ecn_threshold=20KiB"
PATHS = "topology.kind=fat_tree topology.k=4 topology.routing=entropy topology.buffer=20KiB workload.kind=permutation workload.size=64KiB workload.count=4 llp.kind=packet llp.recovery=rud llp.min_rto=100us"
JOINT = "workload.kind=collective topology.kind=star topology.hosts=8 workload.size=64KiB workload.count=2"
TREE = "topology.kind=fat_tree topology.k=4 workload.kind=permutation workload.size=64KiB workload.count=4"
DRAGONFLY = "topology.kind=dragonfly topology.groups=4 topology.routers=2 topology.nodes=2 workload.kind=permutation workload.size=64KiB workload.count=4 topology.globals=3"
SLOWED = TREE + " topology.degrade.share=0.5 topology.degrade.rate=10Gbps topology.buffer=64KiB topology.degrade.tier=core"
FILE = "topology.kind=file topology.file=ring.yaml workload.kind=permutation workload.size=64KiB workload.count=4"

ACTS = {  # key: the scenario, two values
    "llp.kind": (LINK, "mpa", "sctp"),
    "llp.markers": (LINK, "false", "true"),
    "llp.crc": (LINK + " channel.corrupt=0.01 payload=real", "true", "false"),
    "llp.crc_error": (LINK + " channel.corrupt=0.01", "terminate", "drop"),
    "llp.trust_alignment": (LATE + " llp.crc=false", "false", "true"),
    "llp.congestion": (BAD, "cubic", "newreno"),
    "llp.rtt": (NSCC, "auto", "100us"),
    "llp.target_delay": (NSCC, "auto", "2us"),
    "llp.answer_octets": (RUD, "auto", "16KiB"),
    "llp.paths": (PATHS, "1", "8"),
    "llp.path_choice": (PATHS + " llp.paths=8", "round", "bitmap"),
    "llp.path_revive": (PATHS + " llp.paths=8 llp.path_choice=retire channel.loss=0.02", "1ms", "10us"),
    "llp.probe": (PATHS + " llp.paths=8 channel.loss=0.1", "never", "20us"),
    "llp.dcqcn.set": (DCQCN.replace(" llp.dcqcn.timer=10us", ""), "hpcc", "paper"),
    "llp.dcqcn.additive": (DCQCN, "auto", "10Gbps"),
    "llp.dcqcn.hyper": (DCQCN, "auto", "10Gbps"),
    "llp.dcqcn.least": (DCQCN, "1Gbps", "10Gbps"),
    "llp.dcqcn.timer": (DCQCN, "10us", "20us"),
    "llp.dcqcn.alpha_timer": (DCQCN, "auto", "100ns"),
    "llp.dcqcn.cut_interval": (DCQCN, "auto", "8us"),
    "llp.dcqcn.fast_steps": (DCQCN, "1", "0"),
    "llp.dcqcn.gain": (DCQCN, "256", "16"),
    "llp.dcqcn.clamp": (DCQCN, "false", "true"),
    "llp.initial_window": (LINK, "10", "2"),
    "llp.min_rto": (LOST, "1ms", "3ms"),
    "llp.max_rto": (LOST, "auto", "10ms"),
    "llp.delayed_ack": (LINK, "2", "4"),
    "llp.delayed_ack_timeout": (ALONE, "50us", "20us"),
    "llp.dupack_threshold": (LATE + " llp.loss_detection=dupack", "3", "30"),
    "llp.loss_detection": (LATE, "rack", "dupack"),
    "llp.ecn": (STAR + " topology.ecn_threshold=20KiB", "auto", "on"),
    "llp.initial_rto": (LINK + " topology.delay=6ms workload.count=4 channel.loss=0.3", "10ms", "40ms"),
    "llp.timestamps": (LINK, "false", "true"),
    "llp.pacing": (LINK + " topology.delay=50us", "false", "true"),
    "llp.idle_restart": (LINK + " workload.arrival=every workload.load=0.05 llp.min_rto=20us llp.delayed_ack=1", "false", "true"),
    "llp.msl": (LINK, "1ms", "2ms"),
    "llp.send_buffer": (LINK + " topology.delay=20us", "auto", "64KiB"),
    "llp.ord": (READS, "16", "2"),
    "llp.ird": (READS, "16", "2"),
    "llp.security": (LINK, "none", "esp"),
    "llp.profile": (FEW + " llp.missing_buffer=wait", "rfc", "draft00"),
    "llp.missing_buffer": (FEW, "end", "wait"),
    "llp.recovery": (PACKET, "go_back_n", "irn"),
    "llp.flight": (PACKET + " topology.delay=20us", "64", "8"),
    "llp.track": (PACKET + " llp.recovery=irn channel.reorder.probability=0.1 channel.reorder.delay=20us", "64", "2"),
    "llp.tracking": (LATE, "list", "counter"),
    "llp.track_ranges": (LATE + " llp.tracking=ranges", "auto", "1"),
    "llp.streams": (LINK + " llp.kind=sctp workload.op=send workload.connections=4 channel.loss=0.02", "1", "4"),
    "channel.loss": (LINK, "0", "0.02"),
    "channel.burst.p": (LINK + " channel.burst.r=0.3 channel.burst.loss_bad=1", "0", "0.01"),
    "channel.burst.r": (LINK + " channel.burst.p=0.01 channel.burst.loss_bad=0.5", "0.2", "0.6"),
    "channel.burst.loss_good": (LINK + " channel.burst.p=0.01 channel.burst.r=0.3", "0", "0.02"),
    "channel.burst.loss_bad": (LINK + " channel.burst.p=0.01 channel.burst.r=0.3", "0", "0.5"),
    "channel.corrupt": (LINK, "0", "0.01"),
    "channel.duplicate": (LINK, "0", "0.05"),
    "channel.reorder.probability": (LINK + " channel.reorder.delay=5us", "0", "0.05"),
    "channel.reorder.delay": (LINK + " channel.reorder.probability=0.05", "1us", "5us"),
    "channel.reorder.displacement": (LINK + " channel.reorder.probability=0.05", "2", "20"),
    "channel.jitter": (LINK, "0ps", "1us"),
    "channel.delay.cdf": (LINK, "rack.delays", "long-tail.delays"),
    "channel.delay.order": (LINK + " channel.delay.cdf=rack.delays", "kept", "drawn"),
    "channel.delay.hold": (LINK + " channel.delay.cdf=rack.delays", "0ps", "10us"),
    "channel.trace.file": (TRACE, "sprayed.fates", "bursts.fates"),
    "channel.trace.by": (TRACE + " channel.trace.start=1", "order", "time"),
    "channel.trace.start": (TRACE, "1", "200"),
    "channel.direction": (BAD, "data", "both"),
    "topology.kind": (LINK, "link", "star"),
    "topology.file": (FILE, "ring.yaml", "leaf-spine.yaml"),
    "topology.hosts": (STAR, "6", "8"),
    "topology.ports": (STAR, "1", "3"),
    "topology.planes": (PLANES, "2", "4"),
    "topology.radix": (PLANES, "4", "8"),
    "topology.groups": (DRAGONFLY, "4", "3"),
    "topology.routers": (DRAGONFLY, "2", "3"),
    "topology.nodes": (DRAGONFLY, "2", "3"),
    "topology.k": (TREE, "4", "6"),
    "topology.routing": (TREE, "flow_hash", "spray"),
    "topology.adaptive.quantum": (TREE + " topology.routing=adaptive topology.oversubscription=4", "1B", "1MiB"),
    "topology.adaptive.sticky": (TREE + " topology.routing=adaptive topology.oversubscription=4", "off", "8KiB"),
    "topology.oversubscription": (TREE, "1", "4"),
    "topology.slow_queues": (SLOWED, "whole", "scaled"),
    "topology.events": (TREE, "1us edge0-aggregation0 10Gbps", "1us edge0-aggregation0 20Gbps"),
    "topology.reroute_after": (TREE + " topology.events=1us%20edge0-aggregation0%20down", "1us", "50us"),
    "topology.failures.mtbf": (TREE + " topology.failures.mttr=20us", "never", "100us"),
    "topology.failures.mttr": (TREE + " topology.failures.mtbf=100us", "5us", "20us"),
    "topology.degrade.share": (TREE, "0", "0.5"),
    "topology.degrade.rate": (TREE + " topology.degrade.share=0.5", "10Gbps", "40Gbps"),
    "topology.degrade.tier": (TREE + " topology.degrade.share=0.5", "core", "host"),
    "topology.degrade.seed": (TREE + " topology.degrade.share=0.3", "1", "2"),
    "topology.rate": (LINK, "100Gbps", "25Gbps"),
    "topology.delay": (LINK, "1us", "5us"),
    "topology.rates.leaf": (TREE, "auto", "40Gbps"),
    "topology.rates.core": (TREE, "auto", "40Gbps"),
    "topology.delays.leaf": (TREE, "auto", "3us"),
    "topology.delays.core": (DRAGONFLY, "auto", "3us"),
    "topology.mtu": (LINK, "1500", "9000"),
    "topology.buffer": (STAR, "64KiB", "1MiB"),
    "topology.ecn_threshold": (STAR + " llp.ecn=on", "never", "20KiB"),
    "topology.ecn.kmin": (STAR + " llp.ecn=on topology.ecn.kmax=40KiB topology.ecn.pmax=0.2", "10KiB", "30KiB"),
    "topology.ecn.kmax": (STAR + " llp.ecn=on topology.ecn.kmin=10KiB", "20KiB", "40KiB"),
    "topology.ecn.pmax": (STAR + " llp.ecn=on topology.ecn.kmin=10KiB topology.ecn.kmax=60KiB", "0.1", "0.9"),
    "topology.ecn.at": (MARKS, "enqueue", "dequeue"),
    "topology.ecn.last_hop": (MARKS, "mark", "spare"),
    "topology.buffer_sharing": (STAR, "port", "shared"),
    "topology.buffer_alpha": (STAR + " topology.buffer_sharing=shared", "1", "0.25"),
    "topology.flow_control": (PFC, "none", "pfc"),
    "topology.trim": (STAR + " llp.kind=packet llp.recovery=irn topology.hosts=9", "false", "true"),
    "topology.trim.from": (TRIMS, "arrival", "coin"),
    "topology.trim.headers": (TRIMS + " topology.trim.share=1", "auto", "1KiB"),
    "topology.trim.share": (TRIMS, "strict", "1"),
    "topology.pfc.xoff": (PFC, "20KiB", "40KiB"),
    "topology.pfc.xon": (PFC, "10KiB", "2KiB"),
    "topology.pfc.headroom": (PFC, "auto", "200KiB"),
    "topology.globals": (DRAGONFLY + " topology.routers=3", "1", "2"),
    "topology.framing": (LINK, "ethernet", "ppp"),
}
LAYERS = {name: f"llp.kind={name}" for name in ("mpa", "sctp", "ideal")} | {name: f"llp.kind=packet llp.recovery={name}" for name in ("go_back_n", "irn", "rud")}
ACTS_OVER = {  # (key, lower layer): where that of ACTS tells nothing
    ("llp.min_rto", "ideal"): ("topology.kind=link topology.rate=10Gbps topology.delay=20ms workload.kind=errors channel.loss=0.8 channel.direction=both payload=real", "41ms", "900ms"),  # how long a Terminate may take
    **{("llp.congestion", packets): (ROOMY + " topology.ecn_threshold=20KiB workload.count=10", "cubic", "dcqcn") for packets in ("go_back_n", "irn", "rud")},
    **{("llp.max_rto", packets): (LOST + " llp.min_rto=5ms", "auto", "10ms") for packets in ("go_back_n", "irn", "rud")},
}
ACTS_OVER |= {(key, layer): (LINK, *ACTS[key][1:]) for key in ACTS if key.startswith("llp.dcqcn.") for layer in ("mpa", "sctp", "ideal")}  # refused there
OF_RUD = ("llp.rtt", "llp.target_delay", "llp.answer_octets", "llp.paths", "llp.path_choice", "llp.path_revive", "llp.probe")
ACTS_OVER |= {(key, layer): (LINK, *ACTS[key][1:]) for key in OF_RUD for layer in ("mpa", "sctp", "ideal", "go_back_n", "irn")}  # refused there
QUIET = {  # keys that change nothing that a row or a trace shows, and why that is so
    "llp.msl": "TIME-WAIT holds no row open: it begins after the last message",
    "topology.pfc.headroom": "less than the link needs is refused, and more is never filled",
}


# Where the words of a key are told apart: a scenario, and what a word needs beside it. Without a row: the scenario of ACTS.
SHIFT = "workload.kind=permutation workload.size=64KiB workload.count=4"
SLOW = LINK + " rnic.preset=t6 rnic.window.bytes=64KiB topology.delay=20us"
JOINT_WAYS = {"allreduce": "ring", "all_gather": "halving", "reduce_scatter": "halving", "all_to_all": "direct", "broadcast": "tree"}
WORDS = {
    "payload": [(LINK, {})],
    "topology.kind": [(SHIFT, {"star": "topology.hosts=10", "cluster": "topology.hosts=10", "fat_tree": "topology.k=4", "dragonfly": "topology.groups=3 topology.routers=2",
                               "file": "topology.file=ring.yaml", "platform": "topology.file=cabinets.xml world=simgrid"})],
    "topology.flow_control": [(ROOMY, {"pfc": "topology.pfc.xoff=20KiB topology.pfc.xon=10KiB"})],
    "topology.ecn.at": [(MARKS, {})],
    "topology.ecn.last_hop": [(MARKS, {})],
    "topology.trim.from": [(TRIMS, {})],
    "topology.slow_queues": [(SLOWED, {})],
    "llp.congestion": [(STAR + " topology.ecn_threshold=20KiB", {"dcqcn": "llp.kind=packet", "none": "llp.kind=packet", **{word: "llp.kind=packet llp.recovery=rud" for word in ("nscc", "rccc", "nscc+rccc", "swift")}})],
    "llp.ecn": [(STAR + " topology.ecn_threshold=20KiB", {}), (STAR + " topology.ecn_threshold=20KiB llp.congestion=dctcp", {})],
    "llp.profile": [(FEW + " llp.missing_buffer=wait llp.markers=true", {}), ("topology.kind=link workload.kind=errors payload=real", {})],
    "llp.security": [(LINK, {"tls": "rnic.receive=hold"})],
    "rnic.preset": [(LINK, {"siw": "rnic.receive=copy rnic.window.policy=buffer"})],
    "rnic.receive": [(LATE + " channel.loss=0.02", {"copy": "rnic.window.policy=buffer"})],
    "rnic.order": [(SLOW + " channel.loss=0.02 rnic.iommu.miss=0.5 rnic.iommu.walk=2us rnic.pcie.ordering=relaxed", {})],
    "rnic.read_order": [(SLOW + " workload.op=read rnic.iommu.read_miss=0.5 rnic.iommu.walk=2us", {})],
    "rnic.retransmit": [(BAD + " rnic.preset=t6", {})],
    "rnic.window.policy": [(SLOW + " rnic.receive=hold workload.consume_rate=1Gbps rnic.stall.every=50us rnic.stall.for=40us channel.loss=0.02", {})],
    "rnic.track.full": [(PACKET + " llp.recovery=rud llp.tracking=bitmap rnic.track.pool=2", {})],
    "rnic.pcie.ordering": [(SLOW + " rnic.iommu.miss=0.5 rnic.iommu.walk=2us", {})],
    "rnic.completion.mode": [(SLOW, {})],
    "rnic.completion.arm": [(SLOW + " rnic.completion.mode=interrupt workload.op=send workload.solicited=4", {})],
    "workload.kind": [("payload=none", {
        **{word: "topology.kind=star topology.hosts=16 workload.size=4KiB workload.count=4" for word in "pingpong stream ddp incast permutation shuffle ring storage".split()},
        "goal": "topology.kind=star topology.hosts=16 workload.file=allreduce-16.goal", "collective": JOINT + " workload.op=allreduce", "matrix": "topology.kind=star topology.hosts=16 workload.matrix=two-phases.cm", "transport_classes": "topology.kind=link llp.kind=sctp workload.count=4",
        "script": "topology.kind=link workload.script=send%20100"})],
    "workload.op": [(LINK + " workload.size=8B", {word: JOINT + " workload.by=" + by for word, by in JOINT_WAYS.items()})],
    "workload.by": [(JOINT + " workload.op=allreduce", {})],
    "workload.class": [("topology.kind=link llp.kind=sctp workload.kind=transport_classes workload.size=1KiB channel.loss=0.05", {})],
    "workload.notify": [(SHIFT + " topology.kind=fat_tree topology.k=4 topology.routing=spray llp.kind=packet", {})],
    "workload.arrival": [(LINK, {word: "workload.load=0.1" for word in ("poisson", "every")})],
}
ELSEWHERE = {  # words that are told apart elsewhere, and where
    "world": "cross/worlds_test.py: fabric and ns3 give the same",
    "tenant.trust": "command/tenants_test.py: harm without limits, none with trust none",
    "tenant.wrong": "command/tenants_test.py: each fault",
}


def keys():
    done = subprocess.run([IWARPSIM, "keys"], capture_output=True, text=True, check=True)
    return [line.partition(":")[0] for line in done.stdout.splitlines() if line.startswith(GROUPS)]


def scenario_of(settings, world, key, values):
    pairs = dict(word.split("=", 1) for word in settings.split())
    pairs.pop(key, None)
    pairs.setdefault("payload", "none")
    pairs.setdefault("limit.sim", "30s")
    lines = "".join(f"{k}: {v.replace('%20', ' ')}\n" for k, v in pairs.items() if k != "world")
    return f"world: {pairs.get('world', world)}\n{lines}sweep: {{{key}: [{', '.join(values)}]}}\n"


def outcome(settings, world, key, values):
    """The rows of both values, and their traces; or what is said of the scenario."""
    with tempfile.TemporaryDirectory(prefix="iwarpsim-") as folder:
        scenario, out = Path(folder) / "key.yaml", Path(folder) / "out"
        scenario.write_text(scenario_of(settings, world, key, values))
        done = subprocess.run([IWARPSIM, "run", scenario, "--out", out, "--jobs", "1", "--trace"], capture_output=True, text=True)
        if not (out / "results.csv").exists():
            return None, None, done.stderr.strip()
        with open(out / "results.csv", newline="") as lines:
            rows = list(csv.DictReader(lines))
        return rows, [p.read_bytes() for p in sorted((out / "trace").rglob("*.*"))], done.stderr.strip()


def differs(key, rows, traces):
    """The cells that differ, or the first word for what does."""
    own = {key, "point", "events"}
    cells = [c for c in rows[0] if c not in own and rows[0][c] != rows[1][c]]
    if cells:
        return cells
    return ["trace"] if len(traces) == 2 and traces[0] != traces[1] else []


def judge(key, world, layer=None):
    """(what acts, what is wrong)"""
    settings, *values = ACTS_OVER.get((key, layer), ACTS[key])
    rows, traces, said = outcome(f"{settings} {LAYERS.get(layer, '')}", world, key, values)
    if rows is None:
        keys = key, *(pair.partition("=")[0] for pair in settings.split())
        ignored = any(f"{k}: has no effect unless" in said for k in keys) if layer else f"{key}: has no effect in this world, only in world fabric" in said and world == "ns3"
        return ("refused", None) if ignored else (None, f"does not run: {said}")
    bad = [row["status"] for row in rows if row["status"] not in ("ok", "ended")]
    if bad or len(rows) != 2:
        return None, f"{len(rows)} rows, {bad}: {said}"
    found = differs(key, rows, traces)
    if key in QUIET:
        return ("quiet", None) if not found else (None, f"changes {found}, and is said to be quiet")
    return (", ".join(found[:4]), None) if found else (None, "changes nothing")


ALIKE = {("topology.kind", "star and cluster"): "a cluster is a star of any size",
         ("topology.routing", "flow_hash and entropy"): "a sender without values has the path of its flow"}


def words():
    """The words of each key that takes words alone."""
    defs = json.loads(subprocess.run([IWARPSIM, "keys", "--schema"], capture_output=True, text=True, check=True).stdout)["$defs"]
    texts = {name.removeprefix("value:"): [one.get("const", FIXED) for one in of["anyOf"] if one.get("type") != "boolean"] for name, of in defs.items() if is_words(name, of)}
    return {key: [word for word in of if isinstance(word, str)] for key, of in texts.items() if not key.startswith("plot.")}


def is_words(name, of):
    return name.startswith("value:") and "group:" not in name and "anyOf" in of and all("const" in one or "fixed:" in one.get("pattern", "") for one in of["anyOf"])


def told_apart(key, of):
    """(pairs of words that a scene tells apart, what is wrong)"""
    apart, ran, said = set(), set(), {}
    scenes = WORDS.get(key) or [(ACTS[key][0], {})]
    if not (Path(IWARPSIM).parent / "iwarpsim-simgrid").exists():
        of = [word for word in of if "world=simgrid" not in scenes[0][1].get(word, "")]
    for scene, needs in scenes:
        results = {}
        for word in of:
            rows, traces, error = outcome(f"{scene} {needs.get(word, '')}", "fabric", key, [word])
            if rows and rows[0]["status"] in ("ok", "ended"):
                results[word] = {name: cell for name, cell in rows[0].items() if name not in (key, "point", "events", "scenario")}, traces
            else:
                said[word] = rows[0]["status"] if rows else error
        ran |= set(results)
        apart |= {frozenset(pair) for pair in itertools.combinations(results, 2) if results[pair[0]] != results[pair[1]]}
    alike = [" and ".join(pair) for pair in itertools.combinations(of, 2) if frozenset(pair) not in apart and set(pair) <= ran]
    alike = [pair for pair in alike if (key, pair) not in ALIKE]
    return len(apart), [f"{word} does not run: {said[word]}" for word in of if word not in ran] + [f"{pair} do the same" for pair in alike]


def main(arguments):
    if not (Path(IWARPSIM).parent / "iwarpsim-ns3").exists():
        print("skipped: iwarpsim-ns3 is not built")
        return SKIPPED
    watch, chosen = "-v" in arguments, [a for a in arguments if a != "-v"]
    known, wrong, acts = keys(), 0, 0
    for key in set(known) ^ set(ACTS):
        print(f"{key}: {'has no row in this test' if key in known else 'is no key'}")
        wrong += 1
    for key in sorted(set(known) & set(ACTS) & set(chosen or ACTS)):
        layers = LAYERS if key.startswith("llp.") and key not in ("llp.kind", "llp.recovery") else ()
        for world, layer in [("fabric", None), ("ns3", None), *(("fabric", layer) for layer in layers)]:
            found, why = judge(key, world, layer)
            wrong += why is not None
            acts += why is None
            if why or watch:
                print(f"{key} in {world}{layer and ', over ' + layer or ''}: {why or found}", flush=True)
    pairs = 0
    for key, of in words().items():
        if key in ELSEWHERE or chosen and key not in chosen:
            continue
        apart, why = told_apart(key, of) if key in WORDS or key in ACTS else (0, ["its words have no scenario in this test"])
        pairs += apart
        wrong += len(why)
        for text in why:
            print(f"{key}: {text}", flush=True)
    print(f"{len(known)} keys, {acts} times as the table says; {pairs} pairs of words told apart; {wrong} wrong")
    return 1 if wrong or not acts + pairs else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
