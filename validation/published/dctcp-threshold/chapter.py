# SPDX-License-Identifier: GPL-2.0-or-later
BY, COUNTS, MEASURE, LIMIT, LOG = "RFC 8257, 2017 (SIGCOMM 2010)", True, "relative", 0.01, "x"
X, Y = "K / (C x RTT)", "share of the line"
LINE, BDP = 9.3628, 128232  # Gb/s of payload; octets


def ours(run):
    for row in run():
        yield "two senders", round(float(row["topology.ecn_threshold"]) / BDP, 3), float(row["goodput_gbps"]) / LINE
