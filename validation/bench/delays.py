#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What messages wait for: delays.py [--tsv] DIR, where `iwarpsim run ... --messages --out DIR` was.

For each point the mean, 90th and 99th percentile (nearest rank), in microseconds, of placement (post to last octet in
memory) and of what delivery takes beyond it, and how many in a hundred wait for delivery at all. --tsv: as a table, with the 95 % interval of
the share, and of mean and 99th percentile of delivery, from ten batches by the time of the post."""
import csv
import math
import statistics
import sys
from collections import defaultdict

NAMES = ["mean", "p90", "p99"]


def rank(values, share):
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def figures(values):
    return [sum(values) / len(values), rank(values, 0.9), rank(values, 0.99)]


BATCHES, T = 10, 2.262  # Student's t, 9 degrees of freedom
OF_BATCH = {"waiting": lambda v: 100 * sum(x > 0 for x in v) / len(v), "beyond_mean": statistics.fmean, "beyond_p99": lambda v: rank(v, 0.99)}


def interval(values, figure):
    """Of values in the order of their posts."""
    size = len(values) // BATCHES
    found = [figure(values[i * size:(i + 1) * size]) for i in range(BATCHES)]
    half = T * statistics.stdev(found) / math.sqrt(BATCHES)
    return [statistics.fmean(found) - half, statistics.fmean(found) + half]


def shown(values):
    return "  ".join(f"{name} {value:9.3f}" for name, value in zip(NAMES, figures(values)))


def main():
    tsv, folder = "--tsv" in sys.argv, sys.argv[-1]
    placement, beyond, posted = defaultdict(list), defaultdict(list), defaultdict(list)
    with open(f"{folder}/messages.csv", newline="") as file:
        for row in csv.DictReader(file):
            if row["t_delivered"] and row["t_last_placed"]:
                placement[row["point"]].append(float(row["t_last_placed"]) - float(row["t_post"]))
                posted[row["point"]].append(float(row["t_post"]))
                beyond[row["point"]].append(float(row["t_delivered"]) - float(row["t_last_placed"]))
    if tsv:
        print("\t".join(["point", "messages", *(f"{what}_{name}" for what in ("placement", "beyond") for name in NAMES), "waiting",
                         *(f"{name}_{end}" for name in OF_BATCH for end in ("low", "high"))]))
    for point, values in placement.items():
        by_post = [value for _, value in sorted(zip(posted[point], beyond[point]))]
        waiting = 100 * sum(1 for value in beyond[point] if value > 0) / len(values)
        if tsv:
            print("\t".join([point, str(len(values)), *(f"{value:.6f}" for value in figures(values) + figures(beyond[point])), f"{waiting:.3f}",
                             *(f"{x:.6f}" for figure in OF_BATCH.values() for x in interval(by_post, figure))]))
            continue
        print(f"{point:12} {len(values):7} messages  placement {shown(values)}  delivery beyond it {shown(beyond[point])}"
              f"  {waiting:5.2f} % wait for it")


if __name__ == "__main__":
    main()
