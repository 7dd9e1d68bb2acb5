# SPDX-License-Identifier: GPL-2.0-or-later
BY, COUNTS, MEASURE, LIMIT, LOG = "torchcomms PR 3881, 2026; DeepEP PR 437, 2025", True, "relative", 0.01, "x"
X, Y = "round trip (us)", "price of the wait (round trips)"


def ours(run):
    """What the signal that waits costs more than the one right behind the data."""
    told = {}
    for row in run():
        told[row["topology.delay"], row["workload.notify"]] = float(row["notify_p50_us"])
    for delay in dict.fromkeys(delay for delay, _ in told):
        trip = 2 * float(delay)  # microseconds
        yield "wait, then signal", trip, (told[delay, "send_waits"] - told[delay, "send"]) / trip
