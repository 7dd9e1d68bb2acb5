# SPDX-License-Identifier: GPL-2.0-or-later
from math import ceil

BY, COUNTS, MEASURE, LIMIT, LOG = "hpcc-group.github.io (HPCC, SIGCOMM 2019)", True, "relative", 0.1, "x"
AT_NIGHT = True  # 40 s of CPU
X, Y = "largest flow (kB)", "slowdown"
CLASSES = ((0, 30), (30, 73), (200, 1000), (1000, 30000))  # kB: tenths 0 to 2, 3 and 4, 6, 7 to 9 of the flows
HOSTS, RACK, PACKET, HEADERS, ACK = 64, 16, 1002, 60, 50  # octets
OCTET, FASTER, HOPS = 8e-5, 4, 6  # us on a host's link; the links between switches; between racks


def alone(octets):
    """us from the post to the last acknowledgement on an empty path between racks."""
    packets = max(1, ceil(octets / PACKET))
    line, last = octets + packets * HEADERS, min(octets + HEADERS, PACKET + HEADERS)
    return 2 * HOPS + OCTET * (line + (last + ACK) * (1 + (HOPS - 2) / FASTER) + ACK)


def between_racks(conn):
    source, to = divmod(conn, HOSTS - 1)
    return source // RACK != (to + (to >= source)) // RACK


def fresh(rows):
    """(octets, slowdown) of the messages between racks that were alone on their connection: a flow of theirs has one of its own."""
    busy_until = {}
    for row in sorted((r for r in rows if r["t_post"]), key=lambda r: float(r["t_post"])):
        posted, done = float(row["t_post"]), float(row["t_completed"]) if row["status"] == "ok" else float("inf")
        if posted >= busy_until.get(row["conn"], 0) and row["status"] == "ok" and between_racks(int(row["conn"])):
            yield int(row["length"]), (done - posted) / alone(int(row["length"]))
        busy_until[row["conn"]] = max(done, busy_until.get(row["conn"], 0))


def ours(run):
    rows = run(table="messages.csv")
    flows = [f for repeat in sorted({r["repeat"] for r in rows}) for f in fresh(r for r in rows if r["repeat"] == repeat)]
    for low, high in CLASSES:
        slow = sorted(slowdown for octets, slowdown in flows if low * 1000 < octets <= high * 1000)
        yield "median", high, slow[len(slow) // 2]
        yield "95th percentile", high, slow[int(0.95 * len(slow))]
