# SPDX-License-Identifier: GPL-2.0-or-later
from window import windows

BY, COUNTS, MEASURE, LIMIT, LOG = "RFC 3448 (Padhye 1998)", True, "relative", 0.15, "xy"
X, Y = "loss event rate", "segments in a round trip"


def ours(run):
    for row, window in windows(run, "goodput_gbps"):
        yield "b = 1, t_RTO = 4 R", float(row["channel.loss"]), window
        yield "its first term alone (no timeout)", float(row["channel.loss"]), window
