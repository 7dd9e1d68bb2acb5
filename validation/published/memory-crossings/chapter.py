# SPDX-License-Identifier: GPL-2.0-or-later
BY, COUNTS, MEASURE, LIMIT, LOG = "RFC 4297, 2005", True, "relative", 0.005, "xy"
X, Y = "memory bandwidth (GB/s)", "received (Gb/s)"


def ours(run):
    for row in run():
        yield "copied", float(row["rnic.bus.rate"]) / 8, float(row["steady_gbps"])
