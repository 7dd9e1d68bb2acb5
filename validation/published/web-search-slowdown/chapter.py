# SPDX-License-Identifier: GPL-2.0-or-later
from statistics import mean

BY, COUNTS, MEASURE, LIMIT, LOG = "SP-PIFO, NSDI 2020 (its data)", True, "relative", 0.3, "y"
EACH_DAY = (0,)  # of the loads; the others, 90 s of CPU, at night
X, Y = "load", "flow completion time (ms)"
FASTER = 10  # than the published network: our times are a tenth
LOADS = {"0.2058": 0.2, "0.4003": 0.4, "0.6346": 0.6}  # of our line: as theirs are called


def fresh(rows):
    """(octets, ms) of the messages that were alone on their connection: a flow of theirs has one of its own."""
    busy_until = {}
    for row in sorted((r for r in rows if r["t_post"]), key=lambda r: float(r["t_post"])):
        posted, done = float(row["t_post"]), float(row["t_completed"]) if row["status"] == "ok" else float("inf")
        if posted >= busy_until.get(row["conn"], 0) and row["status"] == "ok":
            yield int(row["length"]), (done - posted) * FASTER / 1e3
        busy_until[row["conn"]] = max(done, busy_until.get(row["conn"], 0))


def ours(run):
    rows = run(table="messages.csv")
    for load, x in LOADS.items():
        flows = list(fresh([r for r in rows if r["point"] == load]))
        if not flows:
            continue
        short = sorted(ms for octets, ms in flows if octets < 100000)
        yield "below 100 KB, mean", x, mean(short)
        yield "below 100 KB, 99th percentile", x, short[int(0.99 * len(short))]
        yield "1 MB and more, mean", x, mean(ms for octets, ms in flows if octets >= 999999)
        yield "one octet, mean", x, mean(ms for octets, ms in flows if octets == 1)
