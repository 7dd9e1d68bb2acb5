# SPDX-License-Identifier: GPL-2.0-or-later
BY, COUNTS, MEASURE, LIMIT, LOG = "RFC 5681, 2009", True, "absolute", 0, ""
X, Y = "packets that overtake a late one", "it is retransmitted (1: yes)"
PACKET = 1.2304  # us


def ours(run):
    for row in run():
        late = float(row["channel.reorder.delay"])  # us
        yield "duplicate ACKs", int(late / PACKET), 1.0 if float(row["retransmits_spurious"]) else 0.0
