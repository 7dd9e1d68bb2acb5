# SPDX-License-Identifier: GPL-2.0-or-later
BY, COUNTS, MEASURE, LIMIT, LOG = "NDP, SIGCOMM 2017, figure 22, as csg-htsim at 841d9e7 repeats it", "misses", "relative", 0.05, ""
X, Y = "", "goodput of a host (Gb/s)"
NAMES = {1: "slowest host", 2: "10th percentile", 3: "mean"}
JOINED = False
SHORT = True  # oblivious alone
EVEN = "NDP goes through a shuffled list of all paths, so that each has the same share; our values meet paths by a hash, uneven for each connection: "
JUDGES = "NDP counts ACKs and NACKs of each path and leaves out the worst; a bitmap avoids a value for a while after each trim, and trims of full queues hide those of the slow link: "
MISSES = {
    ("oblivious", 1.0): EVEN + "15 hosts meet the slow link and have 5.6 to 8.2 Gb/s here, 4.1 to 4.9 there",
    ("oblivious", 2.0): EVEN + "the 13th of 15 such hosts has 7.6 Gb/s",
    ("bitmap", 1.0): JUDGES + "5.9 Gb/s; REPS 4.6",
    ("bitmap", 2.0): JUDGES + "8.6 Gb/s; hosts that do not meet the slow link have 8.6 and more, as values collide on others; REPS 9.1, 4 % short",
    ("bitmap", 3.0): JUDGES + "8.9 Gb/s, 8.2 % short; REPS 9.2, 4.1 % short",
}


def files():
    """Each host sends to the 37th after it, but for two, so that 15 send into the pod from elsewhere, as 15 hosts there have half the rate."""
    to = [(host + 37) % 128 for host in range(128)]
    to[to.index(1)], to[0] = to[0], 1
    return {"pairs.cm": "Nodes 128\nConnections 128\n" + "".join(f"{a}->{b} start 0 size 12000000\n" for a, b in enumerate(to))}


def ours(run, short):
    for choice in ("oblivious",) if short else ("oblivious", "bitmap"):
        rates = sorted(float(flow["goodput_gbps"]) for flow in run(f"llp.path_choice={choice}", table="flows.csv"))
        yield from ((choice, 1, rates[0]), (choice, 2, rates[12]), (choice, 3, sum(rates) / len(rates)))
