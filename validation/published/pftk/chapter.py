# SPDX-License-Identifier: GPL-2.0-or-later
BY, COUNTS, MEASURE, LIMIT, LOG = "RFC 3448 (Padhye 1998)", True, "relative", 0.15, "xy"
X, Y = "loss event rate", "segments in a round trip"
PAYLOAD, RTT = 1440, 10e-3  # octets of a full segment; s


def ours(run):
    for row in run():
        yield "b = 1, t_RTO = 4 R", float(row["channel.loss"]), float(row["goodput_gbps"]) * 1e9 * RTT / (8 * PAYLOAD)
