#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The schedules of this folder: make.py allreduce | stencil

Their times and sizes are guesses that show what a schedule is; replace them with those of a trace.
"""
import sys

RANKS, SIDE = 16, 4


class Rank:
    def __init__(self):
        self.lines, self.count = [], 0

    def op(self, text, *needs, word="requires"):
        self.count += 1
        name = f"l{self.count}"
        self.lines.append(f"{name}: {text}")
        self.lines += [f"{name} {word} {other}" for other in needs if other]
        return name


def allreduce(octets=1 << 20, octets_per_ns=10):
    """Halving and doubling: in step k a rank exchanges half of what is left with the one whose number differs in bit k, and
    adds what it gets; then the sums come back the same way."""
    for me in range(RANKS):
        rank, ready, part, steps = Rank(), None, octets, RANKS.bit_length() - 1
        for step in range(2 * steps):
            halving = step < steps
            bit = step if halving else 2 * steps - 1 - step
            part = part // 2 if halving else part
            other = me ^ 1 << bit
            rank.op(f"send {part}b to {other} tag {step}", ready)
            got = rank.op(f"recv {part}b from {other} tag {step}")
            ready = rank.op(f"calc {part // octets_per_ns}", got, ready) if halving else rank.op("calc 0", got, ready)
            part = part if halving else 2 * part
        yield rank


def stencil(rounds=4, halo=16384, inner=20000, edge=4000):
    """A square of ranks, joined at its edges: each sends its borders to four others, calculates what needs none of theirs, and
    when theirs are there the rest."""
    for me in range(RANKS):
        x, y = me % SIDE, me // SIDE
        around = [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
        others = [a % SIDE + b % SIDE * SIDE for a, b in around]
        rank, ready = Rank(), None
        for k in range(rounds):
            for way, other in enumerate(others):
                rank.op(f"send {halo}b to {other} tag {4 * k + way}", ready)
            got = [rank.op(f"recv {halo}b from {other} tag {4 * k + (way ^ 1)}") for way, other in enumerate(others)]
            inside = rank.op(f"calc {inner}", ready)
            ready = rank.op(f"calc {edge}", inside, *got)
        yield rank


def main(what):
    print(f"// make.py {what}: {' '.join(globals()[what].__doc__.split())}")
    print(f"num_ranks {RANKS}")
    for number, rank in enumerate(globals()[what]()):
        print(f"rank {number} {{", *rank.lines, "}", sep="\n")


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in ("allreduce", "stencil"):
        sys.exit(__doc__)
    main(sys.argv[1])
