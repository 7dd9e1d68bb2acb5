# SPDX-License-Identifier: GPL-2.0-or-later
BY, COUNTS, MEASURE, LIMIT, LOG = "RFC 9438, 2023, with RFC 3649", True, "relative", 0.12, "xy"
X, Y = "loss rate", "mean window (segments)"
PAYLOAD = 1440  # octets of a full segment


def ours(run):
    for row in run():
        delay = float(row["topology.delay"])  # us
        window = float(row["goodput_gbps"]) * 1e3 * 2 * delay / (8 * PAYLOAD)
        yield f"RTT {2 * delay / 1e6:g} s", float(row["channel.loss"]), window
