#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The same points in the packet world and on SimGrid: simgrid_cross_test.py [--all] [--only WORD] [--write]

Runs the points of simgrid/points.tsv (the quick ones; --all: every one; --only: those with WORD in their names) in both worlds, prints a table with both
values, their ratio and the band, and fails when a ratio lies outside its band or the receive paths rank
differently. --write keeps the table in simgrid/README.md.
"""

import csv
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
SCENARIO = HERE / "simgrid/cross.yaml"
WORLDS = ("fabric", "simgrid")
QUICK_SEEDS = 5
RANKED = [[f"path {path}, loss {loss}" for path in paths] for loss, paths in (("1e-3", ("place", "hold", "discard")), ("1e-2", ("place", "discard")))]
SAME = 0.01  # paths closer than this share a rank


def main():
    program = Path(os.environ.get("IWARPSIM", TOP / "build/iwarpsim"))
    if not Path(f"{program}-simgrid").exists():
        print("skipped: needs SimGrid")
        return 77
    every = "--all" in sys.argv or bool(os.environ.get("IWARPSIM_NIGHTLY"))
    only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else ""
    rows = [p for p in points() if (every or p["quick"]) and only in p["point"]]
    compared = [(p, compare(program, p, every)) for p in rows]
    lines, wrong = table(compared)
    print("\n".join(lines))
    for paths in RANKED if every and not only else []:
        wrong += ranks(paths, dict((p["point"], c) for p, c in compared))
    if "--write" in sys.argv and not only:
        write(lines)
    print("\n".join(wrong) or f"{len(rows)} points: all within their bands")
    return 1 if wrong else 0


def points():
    text = [line for line in (HERE / "simgrid/points.tsv").read_text().splitlines() if not line.startswith("#")]
    return list(csv.DictReader(text, delimiter="\t"))


def compare(program, point, every):
    """{column: (the packet world's median, SimGrid's)}"""
    columns = point["columns"].split()
    seeds = int(point["seeds"]) if every else min(QUICK_SEEDS, int(point["seeds"]))
    sets = point["set"].split()
    packets = ["topology.buffer=4MiB"] + sets + point["packets"].split()
    flows = [s for s in sets if not s.startswith("topology.buffer=")]
    found = [run(program, world, packets if world == "fabric" else flows, seeds, columns) for world in WORLDS]
    clear = "channel." not in point["set"] and point["band"] != "-"
    if clear and found[0]["drops_switch"]:
        sys.exit(f"{point['point']}: a queue of the packet world overflows: no band is promised there")
    return {c: (found[0][c], found[1][c]) for c in columns}


def run(program, world, sets, seeds, columns):
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "run", SCENARIO, "--out", f"{folder}/out"]
        for s in [f"world={world}", f"repeat={seeds}"] + sets:
            command += ["--set", s]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            sys.exit(f"{world}, {' '.join(sets)}: {done.stdout}")
        with open(f"{folder}/out/results.csv") as file:
            rows = list(csv.DictReader(file))
    return {c: statistics.median(float(r[c] or "nan") for r in rows) for c in columns + ["drops_switch"]}


def table(compared):
    lines = ["| point | column | fabric | SimGrid | ratio | band | |", "|---|---|---:|---:|---:|---|---|"]
    wrong = []
    for point, columns in compared:
        for column, (packet, flow) in columns.items():
            ratio = flow / packet
            judged = point["band"] != "-"
            outside = judged and abs(ratio - 1) > float(point["band"])
            band = f"{100 * float(point['band']):g} %" if judged else "none"
            note = ("**outside**; " if outside else "") + point["note"]
            lines.append(f"| {point['point']} | `{column}` | {packet:.6g} | {flow:.6g} | {ratio:.4f} | {band} | {note} |")
            if outside:
                wrong.append(f"{point['point']}: {column} is {ratio:.4f} of fabric's, allowed is {band}")
    return lines, wrong


def ranks(paths, compared):
    """The receive paths in the order of their goodput, the same in both worlds; near ties may go either way."""
    wrong = []
    for i, a in enumerate(paths):
        for b in paths[i + 1 :]:
            packet, flow = (compared[a]["goodput_gbps"][w] - compared[b]["goodput_gbps"][w] for w in (0, 1))
            scale = compared[a]["goodput_gbps"][0]
            if packet * flow < 0 and min(abs(packet), abs(flow)) > SAME * scale:
                wrong.append(f"{a} against {b}: the worlds rank them differently")
    return wrong


def write(lines):
    path = HERE / "simgrid/README.md"
    text = path.read_text()
    path.write_text(re.sub(r"(<!-- table -->\n).*(<!-- end -->)", lambda m: m[1] + "\n".join(lines) + "\n" + m[2], text, flags=re.S))


if __name__ == "__main__":
    sys.exit(main())
