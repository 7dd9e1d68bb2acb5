# SPDX-License-Identifier: GPL-2.0-or-later
BY, COUNTS, MEASURE, LIMIT, LOG = "RFC 8985, 2021", True, "absolute", 0.0005, ""
X, Y = "jitter / round trip", "retransmitted without loss, of all packets"
RTT, PACKETS = 102.6, 20000  # us; of a run


def ours(run):
    for row in run():
        name = {"rack": "RACK", "dupack": "three duplicates"}[row["llp.loss_detection"]]
        yield name, round(float(row["channel.jitter"]) / RTT, 3), float(row["retransmits"]) / PACKETS
