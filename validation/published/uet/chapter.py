# SPDX-License-Identifier: GPL-2.0-or-later
from collections import Counter

BY, COUNTS, MEASURE, LIMIT, LOG = "uet-htsim (ultraethernet), its own validation runs, at 40ccb05", True, "relative", 0.1, "y"
X, Y = "number of the run in their table", "the last sender is done (us)"
LIMITS = {"one flow": 0.005, "slow links": 0.1}  # arithmetic; queues of another size than theirs
APART = ("sent again", "one path")  # packets, and a share: no microseconds
JOINED = False  # runs are no curve
SHORT = {1, 2, 5, 6, 7, 13, 14, 16, 17, 23, 24, 32, 36, 37, 38}  # in every check
PACKET = 4086  # octets of payload
OF_2MB = 2031360 * 8 / 100e3  # us that the octets of 490 packets take
ALONE = 176.2 - OF_2MB  # us that one flow of 2 MB takes beyond them: their run 1

MESSAGE = "workload.op=write workload.count=1 workload.size={size}B "
OF_2M = MESSAGE.format(size=2000000)
MIXED = "topology.routing=entropy llp.paths=64 llp.path_choice=mixed "  # their defaults
PERMUTATION = OF_2M + "workload.kind=permutation "
LARGE = PERMUTATION + "topology.k=16 topology.routing=entropy llp.paths=128 llp.path_choice={} "
LEAVES = PERMUTATION + "topology.kind=file topology.file=leaves-{}.yaml topology.routing=entropy llp.paths=128 llp.path_choice=mixed "
TWO_TIERS = "topology.buffer=116200B topology.trim.headers=240700B topology.ecn.kmin=24900B topology.ecn.kmax=99600B llp.min_rto=72768ns"
EACH_ACKED = "llp.answer_octets=auto "
DEEP = "topology.buffer=2070850B llp.min_rto=1011us "  # 499 behind the one on the wire; 15 us and six times what they take
MATRIX = "workload.kind=matrix workload.matrix={}.cm "
INCAST = "workload.kind=incast "
CREDIT = "llp.congestion=rccc topology.ecn.last_hop=spare "
BOTH = "llp.congestion=nscc+rccc topology.ecn.last_hop=spare "
SMALL, MIDDLE, LARGEST = "topology.k=4 ", "topology.k=8 ", "topology.k=16 "
OF_10, OF_100 = (MESSAGE.format(size=n * PACKET) + MIXED + "topology.k=2 " for n in (10, 100))
OF_100K = MESSAGE.format(size=100000) + MIXED + LARGEST + INCAST
PAIRS = MIXED.replace("64", "128") + SMALL + MATRIX.format("pairs")
# Links from cores into the first aggregation switch at a quarter: one, and all eight. There the queue and its marks shrink, too.
SLOW_1 = "topology.events=0us,core0->aggregation0,25Gbps "
SLOW_8 = "topology.events=0us,core*->aggregation0,25Gbps "
# Their number: curve, keys, packets sent for the first time.
RUNS = {
    1: ("one flow", OF_2M + MIXED + SMALL + "workload.hosts=0,13", 490),
    2: ("incast", OF_2M + MIXED + SMALL + INCAST, 7350),
    3: ("incast", OF_2M + MIXED + MIDDLE + INCAST, 62230),
    4: ("incast", OF_100K, 25575),
    5: ("incast", MIXED + MIDDLE + MATRIX.format("outcast"), 10290),
    6: ("permutation", PAIRS, 7840),
    7: ("slow links", PAIRS + SLOW_1, 7840),
    8: ("permutation", LARGE.format("mixed"), 501760),
    9: ("slow links", LARGE.format("mixed") + SLOW_1, 501760),
    10: ("one path", PERMUTATION + LARGEST, 501760),
    11: ("permutation", LEAVES.format(8) + TWO_TIERS, 501760),
    12: ("permutation", LEAVES.format(4) + TWO_TIERS, 501760),
    13: ("one flow", CREDIT + OF_2M + MIXED + SMALL + "workload.hosts=0,13", 490),
    14: ("incast", CREDIT + MIXED + SMALL + MATRIX.format("bidir"), 980),
    15: ("incast", CREDIT + OF_100K, 25575),
    16: ("incast", CREDIT + MIXED + MIDDLE + MATRIX.format("overlap"), 614),
    17: ("permutation", CREDIT + PAIRS, 7840),
    18: ("slow links", CREDIT + PAIRS + SLOW_1, 7840),
    19: ("one path", CREDIT + PERMUTATION + SMALL, 7840),
    20: ("slow links", CREDIT + LARGE.format("mixed") + SLOW_1, 501760),
    21: ("one path", CREDIT + PERMUTATION + LARGEST, 501760),
    22: ("permutation", CREDIT + LEAVES.format(8) + TWO_TIERS, 501760),
    23: ("incast", BOTH + MIXED + SMALL + MATRIX.format("bidir"), 980),
    24: ("incast", BOTH + OF_2M + MIXED + SMALL + INCAST, 7350),
    25: ("incast", BOTH + OF_2M + MIXED + MIDDLE + INCAST, 62230),
    26: ("incast", BOTH + OF_100K, 25575),
    27: ("slow links", BOTH + PAIRS + SLOW_1, 7840),
    28: ("one path", BOTH + PERMUTATION + SMALL, 7840),
    29: ("one path", BOTH + PERMUTATION + LARGEST, 501760),
    30: ("permutation", BOTH + LEAVES.format(8) + TWO_TIERS, 501760),
    31: ("permutation", BOTH + LEAVES.format(4) + TWO_TIERS, 501760),
    32: ("one flow", OF_10, 10),
    33: ("one flow", OF_10, 10),
    34: ("one flow", CREDIT + OF_10, 10),
    35: ("one flow", CREDIT + OF_10, 10),
    36: ("one flow", CREDIT + OF_10.replace("=40860B", "=4086B").replace("count=1 ", "count=10 "), 10),
    37: ("one flow", OF_100, 100),
    38: ("one flow", CREDIT + OF_100, 100),
    39: ("one flow", CREDIT + OF_100, 100),
    40: ("permutation", LARGE.format("oblivious"), 501760),
    41: ("permutation", LARGE.format("oblivious") + DEEP, 501760),
    42: ("permutation", LARGE.format("bitmap"), 501760),
    43: ("permutation", LARGE.format("bitmap") + DEEP, 501760),
    44: ("permutation", LARGE.format("reps"), 501760),
    45: ("permutation", LARGE.format("mixed") + EACH_ACKED, 501760),
    46: ("permutation", LARGE.format("mixed") + EACH_ACKED + DEEP, 501760),
    47: ("permutation", CREDIT + LARGE.format("reps") + EACH_ACKED, 501760),
    48: ("permutation", CREDIT + LARGE.format("reps"), 501760),
    49: ("permutation", CREDIT + LARGE.format("oblivious") + DEEP, 501760),
    50: ("permutation", CREDIT + LARGE.format("bitmap") + DEEP, 501760),
    51: ("permutation", CREDIT + LARGE.format("reps") + EACH_ACKED + DEEP, 501760),
    52: ("permutation", CREDIT + LARGE.format("mixed") + EACH_ACKED + DEEP, 501760),
    53: ("slow links", LARGE.format("oblivious") + SLOW_8, 501760),
    54: ("slow links", LARGE.format("bitmap") + SLOW_8, 501760),
    55: ("slow links", LARGE.format("bitmap") + DEEP + SLOW_8, 501760),
    56: ("slow links", LARGE.format("reps") + EACH_ACKED + SLOW_8, 501760),
    57: ("slow links", LARGE.format("mixed") + EACH_ACKED + SLOW_8, 501760),
    58: ("slow links", LARGE.format("mixed") + SLOW_8, 501760),
    59: ("slow links", CREDIT + LARGE.format("oblivious") + SLOW_8, 501760),
    60: ("slow links", CREDIT + LARGE.format("oblivious") + DEEP + SLOW_8, 501760),
    61: ("slow links", CREDIT + LARGE.format("bitmap") + SLOW_8, 501760),
    62: ("slow links", CREDIT + LARGE.format("bitmap") + DEEP + SLOW_8, 501760),
    63: ("slow links", CREDIT + LARGE.format("reps") + EACH_ACKED + DEEP + SLOW_8, 501760),
    64: ("slow links", CREDIT + LARGE.format("mixed") + SLOW_8, 501760),
}
# Points that do not hold, and why.
TWO_FULL = "a flow that meets others on two full links or more has less than its max-min share of the fullest: 6 to 19 % here, 8 to 21 % theirs (README.md)"
SHRINKS = "theirs shrink the queue of a slow link to a quarter: 43 packets hold 57 us here, 10 hold 14 us there"
SHRINKS_DEEP = "theirs shrink the queue of a slow link to a quarter: 500 packets hold 664 us here, 125 hold 166 us there"
MISSES = {
    **{("one path", float(n)): TWO_FULL for n in (10, 19, 21, 28, 29)},
    **{("slow links", float(n)): SHRINKS for n in (9, 18, 20, 53, 54, 56, 58, 59, 61, 64)},
    **{("slow links", float(n)): SHRINKS_DEEP for n in (55, 60, 62, 63)},
    **{("sent again", float(n)): SHRINKS for n in (18, 20, 61, 64)},
    **{("sent again", float(n)): SHRINKS_DEEP for n in (60, 62)},
    ("permutation", 50.0): "packets under credit alone cannot be marked here: 0 marks, so bitmap is oblivious, which takes 229.3 us (49)",
    ("sent again", 17.0): "17 of 7,840 packets for 3: another permutation of 16 hosts; limits are 1.5 to 10.8",
    ("sent again", 22.0): "receivers that see an oversubscribed network grant less there: 47,945 packets, of which ours trim 1.28 million",
}


def outcast():
    """Three hosts send 2 MB to one; the second and the third send it to nine and eight others, too."""
    pairs = [(1, 0)] + [(2, to) for to in (0, *range(4, 13))] + [(3, to) for to in (0, *range(13, 22))]
    return pairs


def matrix(hosts, flows):
    """From, to, and where they differ start (us) and octets."""
    full = [(*flow, 0, 2000000)[:4] if len(flow) == 2 else flow for flow in flows]
    return f"Nodes {hosts}\nConnections {len(full)}\n" + "".join("{}->{} start {} size {}\n".format(*flow) for flow in full)


def leaves(spines):
    """32 leaves of 32 hosts and so many spines, every link alike."""
    hosts, switches = [f"h{i}" for i in range(1024)], [f"leaf{i}" for i in range(32)] + [f"spine{i}" for i in range(spines)]
    links = [(h, f"leaf{i // 32}") for i, h in enumerate(hosts)] + [(f"leaf{i}", f"spine{j}") for i in range(32) for j in range(spines)]
    lines = "".join(f"  - {{between: [{a}, {b}]}}\n" for a, b in links)
    return f"hosts: [{', '.join(hosts)}]\nswitches: [{', '.join(switches)}]\nlinks:\n{lines}"


def files():
    crossing = [(i, (i + 5) % 16) for i in range(16)]  # every pair is in two pods
    late = [(127, 0), (95, 0, 40, 250000), (61, 0, 40, 250000)]
    return {"bidir.cm": matrix(16, [(0, 13), (13, 0)]), "overlap.cm": matrix(128, late), "outcast.cm": matrix(128, outcast()), "pairs.cm": matrix(16, crossing), "leaves-8.yaml": leaves(8), "leaves-4.yaml": leaves(4)}


def holds(curve, x, said, got):
    """Counts within a factor of 2, or 0.1 % of the packets; 5 % of the max-min share."""
    if curve == "one path":
        return abs(got / said - 1) <= 0.05
    return said / 2 <= got <= 2 * said or abs(got - said) <= 0.001 * RUNS[int(x)][2]


def fair(flows):
    """When the slowest flow is done with its max-min share of the links that its hash gave it: the link of most flows has the least."""
    most = max(Counter(link for flow in flows for link in flow["links"].split()).values())
    return most * OF_2MB + ALONE


def ours(run, short):
    for number, (curve, keys, _) in RUNS.items():
        if short and number not in SHORT:
            continue
        words = [k.replace(",", " ") for k in keys.split()]
        (row,) = run(*words)
        tail = float(row["sender_completion_us"])
        yield curve, number, tail if curve != "one path" else tail / fair(run(*words, table="flows.csv"))
        if curve in ("incast", "permutation", "slow links"):
            yield "sent again", number, float(row["retransmits"])
