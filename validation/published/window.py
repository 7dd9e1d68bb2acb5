# SPDX-License-Identifier: GPL-2.0-or-later
"""The mean window of a chapter's runs: what is placed in a round trip, in full segments. No queue grows in these runs, so that the round trip is twice the delay."""

PAYLOAD = 1440  # octets of a full segment


def windows(run, column):
    """(row, mean window) of each row; `column` says over which octets."""
    for row in run():
        rtt = 2 * float(row["topology.delay"])  # us
        yield row, float(row[column]) * 1e3 * rtt / (8 * PAYLOAD)


def by_distance(run):
    """Points of a table by loss rate and round trip: losses at equal distances (every-N.fates), and at random, which no table has. The second half of the octets, for the start would count."""
    for row, window in windows(run, "steady_gbps"):
        rtt, fates = 2 * float(row["topology.delay"]) / 1e6, row["channel.trace.file"]
        if fates:
            yield f"RTT {rtt:g} s", 1 / int(fates.removeprefix("every-").removesuffix(".fates")), window
        else:
            yield f"RTT {rtt:g} s, random losses", float(row["channel.loss"]), window
