#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Draws a scenario from a seed: keys of every group, in every world, in combinations that nobody would think of.

  draw.py SEED [WORLD]      prints it as YAML

What is drawn is small enough to run in a few seconds. Most draws pass `iwarpsim check`; one that does not must be refused in
one sentence.
"""

import math
import random
import sys

MOVERS = ("pingpong", "stream", "incast", "permutation", "shuffle")
WAYS = ("send", "send_waits", "immediate", "immediate_count", "atomic", "read_back", "last_octet", "flag", "flag_other", "flag_other_waits", "atomic_other")
KINDS = {
    "fabric": MOVERS + ("stream", "ring", "storage", "script", "errors", "transport_classes"),
    "ns3": MOVERS + ("stream", "ring", "storage", "script"),
    "simgrid": MOVERS + ("ring", "storage"),
}


class Draw:
    def __init__(self, seed, world=None):
        self.r = random.Random(seed)
        self.s = {"world": world or self.r.choice(["fabric", "fabric", "fabric", "ns3", "simgrid"])}
        self.world = self.s["world"]
        self.s["seed"] = self.r.choice([0, 1, 2, 2**64 - 1, self.r.randrange(2**32)])
        self.sometimes(0.3, "payload", ["none"])
        self.topology()
        self.llp()
        self.rnic()
        self.channel()
        self.workload()
        self.together()
        self.some_hosts()
        self.security()
        self.trim()
        self.readers()
        self.window_of_time()
        self.freedoms(random.Random(f"freedoms {seed}"))
        self.s |= {"limit.wall": "20s", "limit.sim": "20s", "limit.idle": "5s"}

    def maybe(self, chance):
        return self.r.random() < chance

    def sometimes(self, chance, key, values):
        if self.maybe(chance):
            self.s[key] = self.r.choice(values)

    def log(self, low, high):
        return int(round(math.exp(self.r.uniform(math.log(low), math.log(high)))))

    def topology(self):
        s, r, w = self.s, self.r, self.world
        kinds = ["link", "link", "star", "star", "fat_tree"] + (["cluster"] if w == "simgrid" else []) + ["dragonfly"]
        kind = s["topology.kind"] = r.choice(kinds)
        self.hosts = 2
        if kind in ("star", "cluster"):
            self.hosts = s["topology.hosts"] = r.choice([3, 4, 5, 8])
        elif kind == "fat_tree":
            s["topology.k"] = r.choice([2, 4])
            self.hosts = s["topology.k"] ** 3 // 4
            self.sometimes(0.3, "topology.oversubscription", [1, 1.5, 2, 4])
            if w != "simgrid":
                self.sometimes(0.3, "topology.routing", ["spray"])
        elif kind == "dragonfly":
            sizes = {k: r.choice([1, 2, 2, 3]) for k in ("groups", "routers", "nodes")}
            if math.prod(sizes.values()) < 3:
                sizes["nodes"] = 3
            s |= {f"topology.{k}": v for k, v in sizes.items()}
            self.hosts = math.prod(sizes.values())
        self.rate = r.choice([1e7, 1e8, 1e9, 1e10, 2.5e10, 1e11, 4e11, 1e12])
        s["topology.rate"] = f"{self.rate / 1e6:g}Mbps"
        s["topology.delay"] = r.choice(["0ps", "1ps", "1us", f"{self.log(1, 10**5)}ns", f"{self.log(1, 10**6)}ns"])
        self.sometimes(0.5, "topology.mtu", ["1500B", "9000B", "65535B", "596B", "1501B", f"{r.randrange(600, 9001)}B"])
        self.sometimes(0.2, "topology.framing", ["ppp"])
        if w == "simgrid":
            return
        self.sometimes(0.3, "topology.buffer", ["32KiB", "128KiB", "512KiB"] if kind != "link" else ["1MiB"])
        self.sometimes(0.2, "topology.ecn_threshold", ["1B", "30KiB", "100KiB"])

    def llp(self):
        s, r, w = self.s, self.r, self.world
        kinds = {"fabric": ["mpa", "mpa", "mpa", "sctp", "ideal", "packet"], "ns3": ["mpa", "mpa", "sctp", "packet"], "simgrid": ["mpa", "ideal"]}
        llp = s["llp.kind"] = r.choice(kinds[w])
        self.llp_kind = llp
        if llp == "sctp":
            self.sometimes(0.5, "llp.streams", [1, 2, 16])
        elif llp == "packet":
            s["llp.recovery"] = r.choice(["go_back_n", "irn", "rud"])
            self.sometimes(0.3, "llp.flight", [1, 2, 64, 4096])
            if s["llp.recovery"] != "go_back_n":
                self.sometimes(0.3, "llp.track", [1, 16, 64, 1000])
            if "topology.ecn_threshold" in s:
                self.sometimes(0.5, "llp.congestion", ["dcqcn"])
        else:
            self.sometimes(0.25, "llp.markers", ["true"])
            if self.maybe(0.2):
                s["llp.crc"] = "false"
                if w != "simgrid":
                    self.sometimes(0.5, "llp.trust_alignment", ["true"])
            else:
                self.sometimes(0.4, "llp.crc_error", ["drop"])
        if llp == "mpa":
            self.sometimes(0.6, "llp.congestion", ["cubic", "newreno", f"fixed:{self.log(140000, 4 << 20)}B"] + (["dctcp"] if "topology.ecn_threshold" in s else []))
            self.sometimes(0.3, "llp.dupack_threshold", [3, 10, 300])
            if w != "simgrid":
                self.sometimes(0.2, "llp.initial_window", [1, 2, 10, 100])
                self.sometimes(0.3, "llp.loss_detection", ["dupack"])
                self.sometimes(0.2, "llp.ecn", ["on", "off"] if s.get("llp.congestion") != "dctcp" else ["on"])
                self.sometimes(0.2, "llp.timestamps", ["true"])
                self.sometimes(0.2, "llp.pacing", ["true"])
                self.sometimes(0.2, "llp.idle_restart", ["true"])
        self.sometimes(0.2, "llp.min_rto", ["20ms", "200ms"] if llp != "packet" else ["20ms"])
        if llp != "ideal" and s.get("llp.recovery") != "rud":
            self.sometimes(0.3, "llp.delayed_ack", [1, 2, 4, 64])
        self.sometimes(0.2, "llp.send_buffer", ["256KiB", "1MiB", "64MiB"])
        self.sometimes(0.3, "llp.ord", [1, 2, 16, 128])
        self.sometimes(0.3, "llp.ird", [1, 2, 16, 128])

    def rnic(self):
        s, r = self.s, self.r
        self.sometimes(0.6, "rnic.preset", ["ideal", "t5", "t6", "e810", "ne010", "siw"])
        receive = s["rnic.receive"] = r.choice(["place", "place", "hold"] + ([] if self.llp_kind == "packet" else ["copy"]) + ([] if self.llp_kind == "sctp" or s.get("llp.recovery") in ("irn", "rud") else ["discard"]))
        copies = receive == "copy" or s.get("rnic.preset") == "siw"
        windows = self.llp_kind != "packet"
        if windows:
            s["rnic.window.policy"] = "buffer" if copies else r.choice(["placed", "placed", "constant", "held", "buffer", "bdp", "retire"])
        if windows:
            self.sometimes(0.5, "rnic.window.bytes", ["140000B", "256KiB", "1MiB", "16MiB", f"{self.log(140000, 1 << 22)}B"])
        if s["world"] != "simgrid" and receive in ("place", "hold") and not copies and s.get("llp.recovery") != "go_back_n" and self.maybe(0.2):
            s |= {"llp.tracking": r.choice(["ranges", "bitmap", "counter"]), "rnic.track.pool": r.choice([1, 64, 1000, 100000, "unlimited"])}
            if self.llp_kind == "packet":
                self.sometimes(0.5, "rnic.track.full", ["nak"])
        self.sometimes(0.2, "rnic.staging_bytes", ["140000B", "256KiB", "1MiB"])
        if receive == "hold":
            self.sometimes(0.4, "rnic.hold_bytes", ["140000B", "1MiB", "unlimited"])
        if self.maybe(0.15):
            s |= {"rnic.stall.every": "100us", "rnic.stall.for": r.choice(["1us", "20us", "90us"])}
        if self.maybe(0.15):
            s |= {"rnic.pcie.generation": r.randrange(1, 6), "rnic.pcie.lanes": r.choice([1, 4, 16])}
        self.sometimes(0.1, "rnic.cache.stags", [1, 8])
        self.sometimes(0.1, "rnic.cache.connections", [1, 8])
        if self.maybe(0.1):
            s |= {"rnic.completion.mode": "interrupt", "rnic.completion.count": r.choice([1, 8]), "rnic.completion.interval": r.choice(["0ps", "10us"])}
        self.sometimes(0.1, "rnic.inline_bytes", ["256B"])
        self.sometimes(0.2, "rnic.retransmit", ["host"])

    def channel(self):
        s, r = self.s, self.r
        if self.maybe(0.5):
            return
        kind = r.choice(["loss", "loss", "burst", "corrupt", "duplicate", "reorder", "reorder", "jitter", "mix"])
        if kind in ("loss", "mix"):
            s["channel.loss"] = r.choice([1e-4, 1e-3, 1e-2, 0.1])
        if kind == "burst":
            s |= {"channel.burst.p": 0.01, "channel.burst.r": r.choice([0.1, 0.5]), "channel.burst.loss_bad": r.choice([0.5, 1])}
        if kind in ("corrupt", "mix"):
            s["channel.corrupt"] = r.choice([1e-4, 1e-3, 0.01])
            if s.get("llp.crc") == "false":
                s["payload"] = "real"
        if kind in ("duplicate", "mix") and self.world != "simgrid":
            s["channel.duplicate"] = r.choice([1e-3, 0.1, 1])
        if kind in ("reorder", "mix"):
            s["channel.reorder.probability"] = r.choice([0.01, 0.1, 0.5, 1])
            if self.maybe(0.5):
                s["channel.reorder.delay"] = f"{self.log(100, 10**5)}ns"
            else:
                s["channel.reorder.displacement"] = r.choice([1, 3, 10, 100])
        if kind == "jitter":
            s["channel.jitter"] = f"{self.log(100, 10**5)}ns"
        self.sometimes(0.3, "channel.direction", ["both", "acks"])

    def workload(self):
        s, r, w = self.s, self.r, self.world
        fits = [k for k in KINDS[w] if not (k == "incast" and s["topology.kind"] == "link")
                and not (k == "errors" and self.llp_kind in ("sctp", "packet"))
                and not (k == "transport_classes" and (self.llp_kind != "sctp" or s["topology.kind"] != "link"))]
        kind = s["workload.kind"] = r.choice(fits)
        slow = self.rate < 1e9
        if kind in MOVERS:
            s["workload.op"] = r.choice(["send", "write", "read"])
            self.sometimes(0.2, "workload.stags", [2, 16])
        if kind == "script":
            s["workload.script"] = self.script(slow)
        elif kind != "errors":
            size = r.choice([0, 1, 8, 100, 512, 1440, 1441, 4096, 65536, 65537, self.log(1, 300000), 1 << 20])
            size = max(min(size, 4096) if slow else size, int(kind in ("pingpong", "storage", "ring", "transport_classes")))
            s["workload.size"] = f"{size}B"
            most = 1e5 if slow else 3e6
            s["workload.count"] = max(1, min(r.choice([1, 2, 17, 100, 400]), int(most / (size + 40) / self.hosts)))
        if kind in MOVERS + ("storage",):
            self.sometimes(0.3, "workload.connections", [2, 3, 8])
        if kind in ("stream", "incast", "permutation", "shuffle", "storage", "transport_classes"):
            self.sometimes(0.6, "workload.depth", [1, 2, 16, 128])
        if kind not in ("errors", "script", "transport_classes"):
            self.sometimes(0.2, "workload.start_jitter", [f"{self.log(100, 10**5)}ns"])
            if self.llp_kind != "packet":
                self.sometimes(0.2, "workload.consume_rate", ["10Gbps", "1Gbps"] if not slow else ["5Mbps"])
        if kind in ("stream", "incast", "permutation", "shuffle") and s["workload.size"] != "0B" and self.maybe(0.25):
            s |= {"workload.arrival": r.choice(["poisson", "every"]), "workload.load": r.choice([0.01, 0.3, 0.9, 1.5])}
        if w == "simgrid":
            self.sometimes(0.4, "simgrid.chunk", ["4KiB", "64KiB", "1MiB"])

    def together(self):
        """The workload becomes one of several, each with a name, hosts and a start of its own."""
        s, r = self.s, self.r
        if s["workload.kind"] not in MOVERS or s["workload.kind"] in ("pingpong",) or self.hosts < 3 or not self.maybe(0.2):
            return
        of = {key: s.pop(key) for key in [key for key in s if key.startswith("workload.") and key != "workload.consume_rate"]}
        for name in r.sample(["background", "incast", "victim"], r.choice([2, 2, 3])):
            mine = dict(of)
            if name != "background":
                mine |= {"workload.kind": "stream", "workload.size": f"{self.log(1, 20000)}B", "workload.count": r.choice([1, 9])}
                mine |= {"workload.hosts": " ".join(map(str, r.sample(range(self.hosts), 2)))}
            if self.maybe(0.5):
                mine["workload.start"] = f"{self.log(100, 10**5)}ns"
            s |= {f"workloads.{name}.{key.removeprefix('workload.')}": value for key, value in mine.items()}

    def some_hosts(self):
        """Adapters of some hosts differ."""
        s, r = self.s, self.r
        if self.world == "simgrid" or s.get("workload.kind") == "transport_classes" or not self.maybe(0.15):
            return
        keys = [("rnic.rx.latency", "2us"), ("rnic.tx.latency", "700ns"), ("rnic.tx.rate", "3Gbps"), ("rnic.completion.mode", "interrupt"), ("rnic.staging_bytes", "200000B")]
        for host in r.sample(range(self.hosts), r.choice([1, min(2, self.hosts)])):
            key, value = r.choice(keys)
            s[f"hosts.{host}.{key}"] = value

    def security(self):
        s, r = self.s, self.r
        if self.world == "simgrid" or s.get("workload.kind") == "transport_classes" or not self.maybe(0.15):
            return
        tls = self.llp_kind == "mpa" and s["rnic.receive"] != "place" and "channel.corrupt" not in s
        s["llp.security"] = r.choice(["none", "esp"] + ["tls"] * 2 * tls)
        if s["llp.security"] != "none":
            self.sometimes(0.3, "rnic.crypto.rate", ["1Gbps", "200Gbps"])
            self.sometimes(0.3, "rnic.crypto.latency", ["300ns"])

    def trim(self):
        s = self.s
        fits = self.world == "fabric" and s.get("llp.recovery") in ("irn", "rud") and s.get("llp.security", "none") == "none" and s["topology.kind"] != "link"
        if fits and self.maybe(0.5):
            s["topology.trim"] = "true"

    def readers(self):
        """Programs are told of the Writes of each workload; what arrives becomes visible in another order."""
        s, r = self.s, self.r
        if self.world == "simgrid":
            return
        for prefix in [key.removesuffix("kind") for key in s if key.startswith("workload") and key.endswith(".kind")]:
            writes = s.get(prefix + "op", "write") == "write" and s[prefix + "kind"] in ("stream", "incast", "permutation", "shuffle", "ring")
            if writes and self.maybe(0.7):
                s[prefix + "notify"] = r.choice(WAYS)
                self.sometimes(0.3, prefix + "notify_poll", ["700ns", "30us"])
        if s["rnic.receive"] == "place" and s.get("rnic.preset") != "siw" and self.maybe(0.3):
            s["rnic.order"] = r.choice(["stream", "any"])
            if s["rnic.order"] == "any":
                s |= {"rnic.iommu.miss": r.choice([0.05, 0.5]), "rnic.iommu.walk": "1us", "rnic.pcie.ordering": "relaxed"}

    def window_of_time(self):
        """Only a part of the run is measured, which may have no end otherwise."""
        s, r = self.s, self.r
        if self.world != "fabric" or s.get("workload.kind") not in ("stream", "incast", "permutation", "shuffle") or not self.maybe(0.15):
            return
        s |= {"measure.from": r.choice(["0ps", "1us", "100us"]), "measure.for": f"{self.log(100, 10**5)}ns"}
        self.sometimes(0.3, "workload.count", ["unlimited"])

    def freedoms(self, r):
        """Memory is read in any order, and streams are without RDMAP: drawn by themselves, so that all else of a seed stays as it was."""
        s = self.s
        if self.world == "simgrid" or s.get("workload.kind") in ("errors", "transport_classes"):
            return
        if r.random() < 0.2:
            s |= {"rnic.read_order": "any", "rnic.iommu.read_miss": r.choice([0.05, 0.5, 1]), "rnic.iommu.walk": "1us"}
        ours = s.get("workload.notify", "none") in ("none", "send", "send_waits", "last_octet", "flag", "flag_other", "flag_other_waits")
        if s.get("workload.kind") == "stream" and s["workload.op"] != "read" and ours and not {"rnic.srq", "workload.solicited"} & set(s) and r.random() < 0.3:
            s["workload.kind"] = "ddp"

    def script(self, slow):
        r, sizes = self.r, [0, 1, 100, 1441, 9000, 2000 if slow else 100000]
        ends = ["", "", " fence", "; wait", " to readable", " beyond", " to nothing"] if self.maybe(0.3) else [""]
        steps = [f"{r.choice(['', '', 'peer '])}{r.choice(['send', 'write', 'read', 'send_inv', 'send_se', 'send_se_inv'])} {r.choice(sizes)}{r.choice(ends)}"
                 for _ in range(r.randrange(1, 7))]
        return "; ".join([steps[0].removeprefix("peer ")] + steps[1:])


def draw(seed, world=None):
    return Draw(seed, world).s


def yaml(scenario):
    quoted = {k: f'"{v}"' if isinstance(v, str) and (" " in v or ";" in v) else v for k, v in scenario.items()}
    return "".join(f"{k}: {v}\n" for k, v in quoted.items())


if __name__ == "__main__":
    print(yaml(draw(int(sys.argv[1]), *sys.argv[2:3])), end="")
