# SPDX-License-Identifier: GPL-2.0-or-later
BY, COUNTS, MEASURE, LIMIT, LOG = "textbook M/D/1", True, "relative", 0.03, ""
X, Y = "offered load (payload)", "mean wait / service time"
SERVICE, ALONE = 0.9912, 1.9912  # us: 12,390 octets at 100 Gb/s; and 1 us of light


def ours(run):
    for row in run():
        yield "M/D/1", float(row["workload.load"]), (float(row["latency_mean_us"]) - ALONE) / SERVICE
