#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The fates of 300 packets for every setting of the channel, worked out from channel.h and the papers it cites, not from the
model's code: channel_fates.tsv, which channel_test.c compares with what the model does.

    python3 validation/unit/channel_fates_test.py            is the table what this says?
    python3 validation/unit/channel_fates_test.py --write    make it anew
"""

import difflib
import sys
from fractions import Fraction
from pathlib import Path

TABLE = Path(__file__).with_name("channel_fates.tsv")
PACKETS = 300
MASK = 2**64 - 1
# One number for each draw that a packet can need.
LOSS, STATE, BURST_LOSS, CORRUPT, DUPLICATE, REORDER, JITTER, ENTROPY = range(8)
COLUMNS = "setting seed repeat link direction loss p r loss_good loss_bad corrupt duplicate reorder delay displacement jitter".split()
HEAD = """# SPDX-License-Identifier: GPL-2.0-or-later
# Made by channel_fates_test.py. Fates of packets 0, 1, 2 ..., packet n taking (n % 7 + 1) * 120000 ps on the link:
# L lost, C corrupted, D duplicated, R reordered, - none; +extra delay in ps; #entropy of a corrupted one, in hex.
"""


def mixed(z):
    """The output function of splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014)."""
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


def draw(key, counter):
    """The counter stands where splitmix64 has its state; mixed once, it meets the key and is mixed again."""
    return mixed(key ^ mixed((counter * 0x9E3779B97F4A7C15 + 0x632BE59BD9B4E019) & MASK))


class Channel:
    def __init__(self, **setting):
        self.set = dict.fromkeys(COLUMNS[1:], 0) | setting
        s = self.set
        self.key = draw(draw(s["seed"], s["repeat"]), s["link"] * 2**32 + s["direction"])
        self.bad = False

    def hits(self, n, which, probability):
        """Exact: the draw is a fraction of 2^64."""
        p = Fraction(self.set[probability])
        return p > 0 and draw(self.key, 8 * n + which) < min(int(p * 2**64), MASK)

    def burst(self, n):
        """Gilbert and Elliott: the chain moves, then the packet meets the state it finds."""
        if self.set["p"] or self.set["r"] or self.set["loss_good"]:
            if self.hits(n, STATE, "r" if self.bad else "p"):
                self.bad = not self.bad
            return self.hits(n, BURST_LOSS, "loss_bad" if self.bad else "loss_good")
        return False

    def fate(self, n, serialization):
        s, burst = self.set, self.burst(n)
        letters = "L" if self.hits(n, LOSS, "loss") or burst else ""
        letters += "C" if self.hits(n, CORRUPT, "corrupt") else ""
        letters += "D" if self.hits(n, DUPLICATE, "duplicate") else ""
        letters += "R" if self.hits(n, REORDER, "reorder") else ""
        delay = s["delay"] + s["displacement"] * serialization if "R" in letters else 0
        if s["jitter"]:
            delay += draw(self.key, 8 * n + JITTER) * (s["jitter"] + 1) >> 64
        token = letters or "-"
        token += f"+{delay}" if delay else ""
        return token + (f"#{draw(self.key, 8 * n + ENTROPY):x}" if "C" in letters else "")


SETTINGS = {
    "perfect": {},
    "loss": {"loss": 0.1},
    "loss of all": {"loss": 1.0},
    "burst": {"p": 0.05, "r": 0.3, "loss_good": 0.02, "loss_bad": 0.8},
    "burst that loses all": {"p": 0.05, "r": 0.3, "loss_bad": 1.0},
    "burst, good state alone": {"loss_good": 0.1},
    "burst of one packet": {"p": 0.2, "r": 1.0, "loss_bad": 1.0},
    "loss and burst": {"loss": 0.1, "p": 0.1, "r": 0.3, "loss_bad": 0.5},
    "corrupt": {"corrupt": 0.1},
    "duplicate": {"duplicate": 0.2},
    "reorder by delay": {"reorder": 0.2, "delay": 20_000_000},
    "reorder by displacement": {"reorder": 0.2, "displacement": 3},
    "reorder by both": {"reorder": 0.2, "delay": 1_000_001, "displacement": 2},
    "reorder all": {"reorder": 1.0, "delay": 1, "displacement": 100000},
    "jitter of four values": {"jitter": 3},
    "jitter": {"jitter": 5_000_000_000},
    "jitter on top of reordering": {"reorder": 0.5, "delay": 1000, "jitter": 9},
    "all": {"loss": 0.05, "p": 0.05, "r": 0.3, "loss_good": 0.01, "loss_bad": 0.5, "corrupt": 0.1, "duplicate": 0.1, "reorder": 0.2, "delay": 7_000_000, "displacement": 4, "jitter": 1_000_000},
}
# Everything is told apart by each of these alone.
PLACES = [(1, 0, 0, 0), (2, 0, 0, 0), (1, 1, 0, 0), (1, 0, 1, 0), (1, 0, 0, 1), (1, 0, 0, 2), (2**64 - 1, 2**32 - 1, 2**32 - 1, 2**32 - 1)]


def rows():
    for name, setting in SETTINGS.items():
        for place in PLACES if name == "all" else PLACES[:1]:
            yield {"setting": name, **dict(zip(("seed", "repeat", "link", "direction"), place)), **setting}


def table():
    lines = [HEAD + "\t".join([*COLUMNS, "fates"])]
    for row in rows():
        channel = Channel(**{k: v for k, v in row.items() if k != "setting"})
        fates = " ".join(channel.fate(n, (n % 7 + 1) * 120000) for n in range(PACKETS))
        lines.append("\t".join([*(str(row.get(c, 0)) for c in COLUMNS), fates]))
    return "\n".join(lines) + "\n"


def main():
    if sys.argv[1:] == ["--write"]:
        TABLE.write_text(table())
        return 0
    different = list(difflib.unified_diff(TABLE.read_text().splitlines(), table().splitlines(), "channel_fates.tsv", "as worked out", n=0))
    print("\n".join(line[:200] for line in different) or "channel_fates.tsv is as worked out")
    return bool(different)


if __name__ == "__main__":
    sys.exit(main())
