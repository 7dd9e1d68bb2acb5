#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Columns of results as a table for gnuplot: plots/columns.py DIR COLUMN... > NAME.tsv

One line per point, in the order of results.csv. Where points are repeated a number becomes three columns, its median,
NAME_low and NAME_high: the 95 % interval of the median by order statistics (fewer than six repeats: smallest and largest).
Rows whose status is not ok are left out, and said so; so are empty cells, NaN where nothing is left. NAME=TEXT instead of a column is a column with that text.
"""

import csv
import math
import statistics
import sys
from pathlib import Path


def rank(n):
    """The rank from 1 of the interval's lower end: the largest k with P(Binomial(n, 1/2) < k) <= 0.025."""
    below, k = 0.0, 0
    while below + math.comb(n, k) / 2**n <= 0.025:
        below += math.comb(n, k) / 2**n
        k += 1
    return max(k, 1)


def cells(values, repeated):
    known = [value for value in values if value]
    if not known:
        return ["NaN"] * (3 if repeated else 1)
    try:
        numbers = sorted(map(float, known))
    except ValueError:
        return known[:1]
    k = rank(len(numbers)) if len(numbers) > 5 else 1
    three = [statistics.median(numbers), numbers[k - 1], numbers[-k]]
    return [f"{x:.10g}" for x in (three if repeated else three[:1])]


def main():
    folder, columns = Path(sys.argv[1]), sys.argv[2:]
    with open(folder / "results.csv", newline="") as lines:
        rows = list(csv.DictReader(lines))
    points = {}
    for row in rows:
        points.setdefault(row["point"], []).append(row)
    swept = list(rows[0])[5:list(rows[0]).index("goodput_gbps")]
    repeated = max(map(len, points.values())) > 1
    head = []
    for name in columns:
        fixed = name.split("=")[0]
        head += [fixed] if "=" in name or name in swept or not repeated else [name, name + "_low", name + "_high"]
    print("\t".join(head))
    for name, all_rows in points.items():
        good = [row for row in all_rows if row["status"] == "ok"]
        if len(good) < len(all_rows):
            print(f"{folder}: {name}: {len(all_rows) - len(good)} not ok, left out", file=sys.stderr)
        if not good:
            continue
        line = []
        for column in columns:
            if "=" in column:
                line.append(column.split("=")[1])
            else:
                line += cells([row[column] for row in good], repeated and column not in swept)
        print("\t".join(line))


if __name__ == "__main__":
    main()
