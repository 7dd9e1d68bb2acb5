# SPDX-License-Identifier: GPL-2.0-or-later
BY, COUNTS, MEASURE, LIMIT, LOG = "Rashti and Afsahi, CAC 2007 (abstract)", False, "relative", 0.05, ""
X, Y = "connections", "share of 10 Gb/s"


def ours(run):
    for row in run():
        yield "NE010", float(row["workload.connections"]), float(row["steady_gbps"]) / 10
