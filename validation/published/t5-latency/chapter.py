# SPDX-License-Identifier: GPL-2.0-or-later
BY, COUNTS, MEASURE, LIMIT, LOG = "Chelsio", False, "relative", 0.1, "x"
X, Y = "octets", "half a round trip (us)"


def ours(run):
    for row in run():
        yield "T5", float(row["workload.size"]), float(row["latency_p50_us"])
