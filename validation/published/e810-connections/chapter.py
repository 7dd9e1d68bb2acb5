# SPDX-License-Identifier: GPL-2.0-or-later
BY, COUNTS, MEASURE, LIMIT, LOG = "Intel 000059783, 2023", True, "relative", 0.04, ""
X, Y = "queue pairs", "throughput (Gb/s)"


def ours(run):
    for row in run():
        yield "ib_send_bw", float(row["workload.connections"]), float(row["steady_gbps"])
