# SPDX-License-Identifier: GPL-2.0-or-later
BY, COUNTS, MEASURE, LIMIT, LOG = "an abstract at scilit.com", True, "relative", 0.03, "x"
X, Y = "block loss rate", "efficiency"


def ours(run):
    rows, line = run(), {}
    for row in rows:
        if float(row["channel.loss"]) == 0:
            line[row["llp.recovery"]] = float(row["goodput_gbps"])
    for row in rows:
        if float(row["channel.loss"]) > 0:
            name = {"go_back_n": "go-back-N", "irn": "selective repeat (IRN)"}[row["llp.recovery"]]
            yield name, float(row["channel.loss"]), float(row["goodput_gbps"]) / line[row["llp.recovery"]]
