#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The same scenario in the packet world and on ns-3: latencies are the same, to the last digit.

  cross_test.py                       each case as a table: both latencies, their ratio, the bound
  IWARPSIM_NIGHTLY=1 cross_test.py    more sizes, links and workloads

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
BOUND = 0
SKIPPED = 77

PRESETS = ("ideal", "t5", "t6", "e810", "ne010", "siw")
OPS = ("send", "write", "read")
COLUMNS = ("latency_mean_us", "latency_p50_us", "latency_max_us")
SCENARIO = """\
title: One scenario, two worlds
world: fabric
topology: {{kind: link, rate: 100Gbps, delay: 1us, mtu: 9000}}
rnic: {{preset: t6}}
workload: {{op: write, size: 64B, count: 20, {workload}}}
payload: {payload}
sweep:
  world: [fabric, ns3]
{sweep}"""


def case(name, workload, payload="none", **sweep):
    lines = "".join(f"  {key.replace('__', '.')}: [{', '.join(map(str, values))}]\n" for key, values in sweep.items())
    return name, SCENARIO.format(workload=workload, payload=payload, sweep=lines)


QUICK = (
    case("pingpong", "kind: pingpong", rnic__preset=PRESETS, workload__op=OPS, workload__size=("1B", "64B", "1KiB", "4KiB")),
    case("pingpong, Atomics", "kind: pingpong", rnic__preset=PRESETS, workload__op=("fetch_add", "cmp_swap"), workload__size=("8B",)),
    case("one at a time, three segments", "kind: stream, depth: 1", rnic__preset=PRESETS, workload__op=OPS, workload__size=("20000B",)),
    case("four at a time, by path", "kind: stream, depth: 4", payload="real", rnic__receive=("place", "hold", "discard"), workload__op=OPS,
         workload__size=("512B", "5000B")),
)
LARGE = (
    case("pingpong, MTU 1500, links", "kind: pingpong", topology__mtu=(1500,), topology__rate=("10Gbps", "100Gbps"),
         topology__delay=("500ns", "7us"), rnic__preset=PRESETS, workload__op=OPS, workload__size=("25B", "512B", "1400B", "12000B")),
    case("pingpong, every segment acknowledged", "kind: pingpong", llp__delayed_ack=(1,), rnic__preset=PRESETS, workload__op=OPS,
         workload__size=("1B", "512B", "20000B")),
    case("one at a time, markers", "kind: stream, depth: 1", llp__markers=("true",), topology__mtu=(1500, 9000),
         rnic__preset=PRESETS, workload__op=OPS, workload__size=("1B", "512B", "8KiB")),
    case("four at a time", "kind: stream, depth: 4", rnic__preset=PRESETS, workload__op=OPS, workload__size=("1B", "64B", "4KiB", "20000B")),
    case("interrupts, by path", "kind: stream, depth: 4", payload="real", rnic__completion__mode=("poll", "interrupt"),
         rnic__receive=("place", "hold", "discard"), workload__op=OPS, workload__size=("1B", "512B", "5000B", "20000B")),
)


def rows_of(text):
    """{(swept values but the world): {world: row}}"""
    with tempfile.TemporaryDirectory(prefix="iwarpsim-") as folder:
        scenario = Path(folder) / "cross.yaml"
        scenario.write_text(text)
        out = Path(folder) / "out"
        done = subprocess.run([IWARPSIM, "run", scenario, "--out", out, "--jobs", "2"], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"iwarpsim run: {done.returncode}\n{done.stdout}{done.stderr}")
        found = {}
        with open(out / "results.csv", newline="") as lines:
            for row in csv.DictReader(lines):
                point = row["point"].split("/")
                found.setdefault("/".join(point[1:]), {})[point[0]] = row
        return found


def compare(name, text):
    """Prints the table; how many points there are, and how many beyond the bound."""
    print(f"{name}: {', '.join(COLUMNS)}; ns3 over fabric, at most {BOUND:.1%} off")
    points = rows_of(text)
    beyond = 0
    for point, worlds in points.items():
        fabric, ns3 = (tuple(float(worlds[w][c] or "nan") for c in COLUMNS) for w in ("fabric", "ns3"))
        ratios = [n / p for p, n in zip(fabric, ns3)]
        good = all(w["status"] == "ok" for w in worlds.values()) and all(abs(r - 1) <= BOUND for r in ratios)
        beyond += not good
        print(f"  {point:32s}" + "".join(f" {p:10.4f} {n:10.4f} {r:8.5f}" for p, n, r in zip(fabric, ns3, ratios)) + ("" if good else "  BEYOND"))
    return len(points), beyond


LATE = """\
title: Who comes while something is missing
world: fabric
topology: {rate: 100Gbps, delay: 5us, mtu: 9000}
llp: {congestion: "fixed:4MiB", loss_detection: dupack, dupack_threshold: 1000, send_buffer: 4MiB}
rnic: {window: {bytes: 4MiB}}
channel: {reorder: {probability: 0.1, displacement: 10}}
workload: {kind: stream, op: write, size: 89400B, count: 30, depth: 4}
payload: none
sweep:
  world: [fabric, ns3]
"""
LATE_PATHS = (
    ("place, hold", "  rnic.receive: [place, hold]\n", ()),
    ("copy", "  rnic.receive: [copy]\n", ("rnic: {window: {policy: buffer, ", "rnic: {window: {")),
    ("place without CRC", "  llp.crc: [false]\n", ()),
)


def late():
    """segments_ooo counts arrivals, whatever the path does with them: the same number on each."""
    print("segments_ooo of each path")
    counts = {}
    for name, sweep, change in LATE_PATHS:
        for point, worlds in rows_of((LATE.replace(*reversed(change)) if change else LATE) + sweep).items():
            for world, row in worlds.items():
                counts.setdefault(world, []).append(int(row["segments_ooo"]))
                print(f"  {world:5s} {name}: {point:8s} {row['segments_ooo']} of {row['segments']}, {row['status']}")
    return 0 if all(min(c) > 30 and len(set(c)) == 1 for c in counts.values()) else 1


def told():
    """The trace on ns-3 tells what the channel lost and what was refused, as often as results.csv counts it."""
    text = LATE.replace("channel: {", "channel: {loss: 0.01, corrupt: 0.01, ").replace("[fabric, ns3]", "[ns3]")
    with tempfile.TemporaryDirectory(prefix="iwarpsim-") as folder:
        scenario, out = Path(folder) / "told.yaml", Path(folder) / "out"
        scenario.write_text(text.replace("llp: {", "llp: {crc_error: drop, "))
        subprocess.run([IWARPSIM, "run", scenario, "--out", out, "--trace"], check=True, capture_output=True)
        row = next(csv.DictReader(open(out / "results.csv", newline="")))
        events = [line["event"] for trace in (out / "trace").iterdir() for line in csv.DictReader(open(trace, newline=""))]
    counts = {event: events.count(event) for event in ("left", "resent", "lost", "refused", "landed")}
    print(f"trace on ns-3: {counts}; drops_channel {row['drops_channel']}, retransmits {row['retransmits']}, {row['status']}")
    good = counts["lost"] == int(row["drops_channel"]) > 0 and counts["resent"] == int(row["retransmits"]) and counts["refused"] > 0
    return 0 if good and counts["landed"] == counts["left"] + counts["resent"] - counts["lost"] else 1


def main():
    if not (Path(IWARPSIM).parent / "iwarpsim-ns3").exists():
        print("skipped: iwarpsim-ns3 is not built")
        return SKIPPED
    counts = [compare(*c) for c in QUICK + (LARGE if NIGHTLY else ())]
    points, beyond = map(sum, zip(*counts))
    print(f"{points} points, {beyond} beyond the bound")
    differ = late() + told()
    return 1 if beyond or differ or not points else 0


if __name__ == "__main__":
    sys.exit(main())
