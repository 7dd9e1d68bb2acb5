#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Goodput of TCP under reordering, as a map over two numbers without a unit: p x BDP (late packets in a round trip) and lateness by
round trip; and what may not be in it: a place where less reordering costs more.

    reordering_map_test.py            a cut: BDP of 80 packets, one seed; with IWARPSIM_NIGHTLY all of it
    reordering_map_test.py --write [BDP:SEEDS]...    all of it, or so much, into reordering-map.tsv

One connection of Writes, 1 s after 1 s, nothing lost; RTT 10 ms, packets of 1500 octets, the rate as BDP wants it. Goodput is a
share of what the line carries. A row with fewer late packets may have 5 % less than the row with ten times as many only where Linux's TCP has
less than 97 % itself (reordering-linux.tsv, by interop/linux_map_test.py).
"""

import csv
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = os.environ.get("IWARPSIM", str(TOP / "build" / "iwarpsim"))
MAP = Path(__file__).with_name("reordering-map.tsv")
LINUX = Path(__file__).with_name("reordering-linux.tsv")
NIGHT = "IWARPSIM_NIGHTLY" in os.environ
SEEDS = {80: 20, 800: 4, 4000: 1}  # of each BDP in packets: what a night has time for
LATE, LATENESS = (0.03, 0.3, 3, 30), (0.03, 0.1, 0.3, 1, 3)
CONTROLS, STAMPS = ("newreno", "cubic", "dctcp"), ("false", "true")
RTT, PACKET = 10e-3, 1538 * 8  # s; bits on the wire
AS_IN_LINUX = {"newreno": "reno", "cubic": "cubic", "dctcp": "reno"}  # nothing marks packets here
HEAD = ("bdp_packets", "late_per_rtt", "lateness_by_rtt", "congestion", "timestamps", "share", "seeds")

SCENARIO = """world: fabric
topology: {{kind: link, rate: {rate}bps, delay: 5ms, mtu: 1500, ecn_threshold: 64MiB}}
rnic: {{window: {{policy: constant, bytes: {window}B}}}}
channel: {{reorder: {{probability: {p}}}}}
workload: {{kind: stream, op: write, size: 64KiB, count: unlimited, depth: {depth}}}
measure: {{from: 1s, for: 1s}}
payload: none
repeat: {seeds}
sweep:
  channel.reorder.delay: {delays}
  llp.congestion: {controls}
  llp.timestamps: {stamps}
"""


def brackets(values):
    return f"[{', '.join(map(str, values))}]"


def cells(bdp, late, controls, stamps, seeds):
    """Rows of the map: all latenesses, controls and stamps at one number of late packets."""
    window = 16 * bdp * 1500
    text = SCENARIO.format(rate=round(bdp * PACKET / RTT), controls=brackets(controls), stamps=brackets(stamps), window=window, p=late / bdp,
                           delays=brackets(f"{round(1e6 * RTT * l)}us" for l in LATENESS), depth=max(16, window // 65536 + 1), seeds=seeds)
    with tempfile.TemporaryDirectory(prefix="iwarpsim-") as folder:
        path, out = Path(folder) / "map.yaml", Path(folder) / "out"
        path.write_text(text)
        subprocess.run([IWARPSIM, "run", path, "--out", out], check=True, capture_output=True, text=True)
        sums = {}
        for row in csv.DictReader((out / "results.csv").read_text().splitlines()):
            assert row["status"] == "ok", row
            at = (bdp, late, float(row["channel.reorder.delay"]) * 1e-6 / RTT, row["llp.congestion"], row["llp.timestamps"])
            sums.setdefault(at, []).append(float(row["link_share"]))
    return {at: sum(shares) / len(shares) for at, shares in sums.items()}


def read(table):
    """{(BDP, late, lateness, congestion, timestamps): share}"""
    rows = csv.DictReader(table.read_text().splitlines(), delimiter="\t")
    return {(int(r["bdp_packets"]), float(r["late_per_rtt"]), float(r["lateness_by_rtt"]), r["congestion"], r["timestamps"]): float(r["share"]) for r in rows}


def dents(shares):
    """Cells below 95 % of the one with ten times as many late packets, but for those where Linux's TCP is below 97 %."""
    found, linux = [], read(LINUX)
    for (bdp, late, *rest), share in shares.items():
        more = shares.get((bdp, LATE[LATE.index(late) + 1], *rest)) if late != LATE[-1] else None
        there = linux.get((bdp, late, round(rest[0], 3), AS_IN_LINUX[rest[1]], rest[2]), 1)
        if more and share < 0.95 * more and there >= 0.97:
            found.append(f"BDP {bdp}, {late} late in a round trip, lateness and TCP {rest}: {share:.3f}, at ten times as many {more:.3f}")
    return found


def whole(seeds):
    shares = {}
    for bdp, count in seeds.items():
        for late in LATE:
            shares |= cells(bdp, late, CONTROLS, STAMPS, count)
    return shares


class Map(unittest.TestCase):
    def test_what_is_written_has_no_dent(self):
        shares = read(MAP)
        self.assertGreaterEqual(len(shares), 240)
        self.assertEqual(dents(shares), [])
        held = [share for (_, _, lateness, *_), share in shares.items() if lateness <= 0.3]
        self.assertGreater(min(held), 0.97)

    def test_less_reordering_costs_no_more(self):
        shares = whole(SEEDS) if NIGHT else {at: share for late in LATE for at, share in cells(80, late, CONTROLS, STAMPS[:1], 1).items()}
        self.assertEqual(dents(shares), [])


if __name__ == "__main__":
    if sys.argv[1:2] == ["--write"]:
        seeds = {int(bdp): int(count) for bdp, count in (pair.split(":") for pair in sys.argv[2:])} or SEEDS
        lines = [(*at[:2], f"{at[2]:g}", *at[3:], f"{share:.4f}", seeds[at[0]]) for at, share in sorted(whole(seeds).items())]
        MAP.write_text("".join("\t".join(map(str, line)) + "\n" for line in [HEAD, *lines]))
    else:
        unittest.main()
