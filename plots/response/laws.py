#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows of scenarios/response.yaml beside what the literature says of them.

  laws.py DIR            a line for each point: measured, said, their ratio, the bounds, ok or OUTSIDE; exit 1 when one is outside
  laws.py --tsv DIR      the same as the figure's data

newreno    window = 1.31 sqrt(SMSS s / p) octets, s the mean segment (Mathis 1997), in a round trip without load: within 10 %
discard    1 / (1 + p (RTT / ser + 3)) of the line, ser of the mean segment: within 2 %
others     1 - p of the line: within 1 %

p is what the channel took of all data segments."""

import csv
import math
import sys
from pathlib import Path

HEAD, FRAME, TAGGED, FPDU = 40, 38, 14, 6  # octets: IP and TCP, Ethernet, DDP, MPA's length and CRC
COLUMNS = "law rate_gbps rtt_us mtu message p_nominal p segment_octets measured_gbps said_gbps ratio low high cost of_line verdict".split()
UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "us": 1, "ns": 1e-3, "ms": 1e3, "Gbps": 1, "Mbps": 1e-3}


def number(text):
    unit = text.lstrip("0123456789.e-")
    return float(text[: len(text) - len(unit)]) * UNITS.get(unit, 1)


class Point:
    def __init__(self, row):
        self.rate, self.mtu, self.message = (number(row[k]) for k in ("topology.rate", "topology.mtu", "workload.size"))
        self.receive, self.congestion, self.nominal = row["rnic.receive"], row["llp.congestion"], float(row["channel.loss"])
        payload = self.mtu - HEAD - FPDU - (self.mtu - HEAD) % 4 - TAGGED
        whole, rest = divmod(self.message, payload)
        octets = [payload] * int(whole) + ([rest] if rest else [])
        fpdus = [math.ceil((TAGGED + FPDU + n) / 4) * 4 for n in octets]
        self.segment = sum(fpdus) / len(fpdus)
        self.share = self.message / sum(fpdus)
        sent = len(fpdus) * float(row["messages"]) + float(row["retransmits"])
        self.p = float(row["drops_channel"]) / sent
        self.rtt = 2 * number(row["topology.delay"]) + self.on_line(self.segment) + self.on_line(0)
        follows = self.congestion == "newreno"
        self.measured = float(row["goodput_gbps" if follows else "steady_gbps"])

    def on_line(self, octets):
        return (octets + HEAD + FRAME) * 8e-3 / self.rate

    def line(self):
        """What the line carries of payload."""
        return self.rate * self.share * self.segment / (self.segment + HEAD + FRAME)

    def cost(self):
        """What going back costs, in segments for each that is sent."""
        return self.p * (self.rtt / self.on_line(self.segment) + 3)

    def law(self):
        """(name, Gb/s of payload, least and greatest ratio)"""
        if self.congestion == "newreno":
            window = 1.31 * math.sqrt((self.mtu - HEAD) * self.segment / self.p)
            return "mathis", window * 8e-3 / self.rtt * self.share, 0.9, 1.1
        if self.receive == "discard":
            return "go-back-N", self.line() / (1 + self.cost()), 0.98, 1.02
        return "1-p " + self.receive, self.line() * (1 - self.p), 0.99, 1.01


def judged(row):
    p = Point(row)
    name, said, low, high = p.law()
    ratio = p.measured / said
    verdict = "ok" if low <= ratio <= high else "OUTSIDE"
    return [name, f"{p.rate:g}", f"{2 * number(row['topology.delay']):g}", f"{p.mtu:g}", f"{p.message:g}", f"{p.nominal:g}", f"{p.p:.3e}",
            f"{p.segment:.0f}", f"{p.measured:.4f}", f"{said:.4f}", f"{ratio:.3f}", f"{low:g}", f"{high:g}", f"{p.cost():.4f}", f"{p.measured / p.line():.4f}", verdict]


def main():
    tsv = sys.argv[1] == "--tsv"
    with open(Path(sys.argv[-1]) / "results.csv", newline="") as file:
        lines = [judged(row) for row in csv.DictReader(file) if row["status"] == "ok"]
    if tsv:
        print("\n".join("\t".join(line) for line in [COLUMNS, *lines]))
        return 0
    for line in [COLUMNS, *lines]:
        print(" ".join(word.rjust(max(len(name), 9)) for word, name in zip(line, COLUMNS)))
    outside = sum(line[-1] != "ok" for line in lines)
    print(f"{len(lines)} points, {outside} outside their bounds")
    return 1 if outside else 0


if __name__ == "__main__":
    sys.exit(main())
