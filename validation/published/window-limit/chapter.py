# SPDX-License-Identifier: GPL-2.0-or-later
BY, COUNTS, MEASURE, LIMIT, LOG = "RFC 7323, 2014", True, "relative", 0.05, "xy"
X, Y = "round trip (ms)", "goodput (Mb/s)"


def ours(run):
    for row in run():
        yield "64 KiB", 2 * float(row["topology.delay"]) / 1e3, float(row["goodput_gbps"]) * 1e3
