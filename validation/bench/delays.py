#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What messages wait for: delays.py DIR, where `iwarpsim run ... --messages --out DIR` was.

For each point the mean, 90th and 99th percentile (nearest rank), in microseconds, of placement (post to last octet in
memory) and of what delivery takes beyond it."""
import csv
import math
import sys
from collections import defaultdict


def rank(values, share):
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def shown(values):
    return f"mean {sum(values) / len(values):9.3f}  p90 {rank(values, 0.9):9.3f}  p99 {rank(values, 0.99):9.3f}"


def main():
    placement, beyond = defaultdict(list), defaultdict(list)
    with open(f"{sys.argv[1]}/messages.csv", newline="") as file:
        for row in csv.DictReader(file):
            if row["t_delivered"] and row["t_last_placed"]:
                placement[row["point"]].append(float(row["t_last_placed"]) - float(row["t_post"]))
                beyond[row["point"]].append(float(row["t_delivered"]) - float(row["t_last_placed"]))
    for point, values in placement.items():
        print(f"{point:12} {len(values):7} messages  placement {shown(values)}  delivery beyond it {shown(beyond[point])}")


if __name__ == "__main__":
    main()
