#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Collective operations: each goes as the GOAL schedule that is written here by hand-made rules, row for row, in each world; none is
faster than its closed form, and in an empty network hardly one is slower; what does not go together is a sentence.

  collective_test.py [TEST]     needs IWARPSIM (or build/iwarpsim), and iwarpsim-ns3 and iwarpsim-simgrid beside it
"""

import csv
import unittest

from in_folder import IWARPSIM, InFolder


NETWORK = """\
world: %s
topology: {kind: star, hosts: %d, rate: 100Gbps, delay: 1us}
llp: {congestion: "fixed:2MiB", delayed_ack: 1}
payload: none
"""
WAYS = {"allreduce": "ring tree halving direct", "all_gather": "ring halving direct", "reduce_scatter": "ring halving direct",
        "all_to_all": "direct", "broadcast": "ring tree direct"}
ALL = [(op, by) for op, ways in WAYS.items() for by in ways.split()]


class Rank:
    """What one rank does, as lines: each operation behind those that it waits for."""

    def __init__(self, number, ranks):
        self.number, self.ranks, self.lines, self.labels, self.begin, self.former = number, ranks, [], 0, [], []

    def add(self, what, after):
        self.labels += 1
        label = f"o{self.labels}"
        self.lines.append(f"{label}: {what}")
        self.lines += [f"{label} requires {other}" for other in (self.begin if after is None else after)]
        self.former.append(label)
        return label

    def send(self, to, octets, after=None):
        return self.add(f"send {octets}b to {to % self.ranks}", after)

    def recv(self, by, octets):
        return self.add(f"recv {octets}b from {by % self.ranks}", None)

    def meet(self, labels):
        """All that follows by itself follows these."""
        self.begin = [self.add("calc 0", labels)]

    def again(self):
        """The operation is over here; what follows is the next."""
        self.meet(self.former)
        self.former = []


def part(size, ranks):
    return -(-size // ranks)


def ring(rank, size, rounds):
    came = None
    for _ in range(rounds):
        rank.send(rank.number + 1, part(size, rank.ranks), came)
        came = [rank.recv(rank.number - 1, part(size, rank.ranks))]


def exchanges(rank, size, distances, came=None):
    """With the rank so far away, up or down, whose half it is: as many parts as it is away."""
    for distance in distances:
        peer = rank.number + (distance if rank.number // distance % 2 == 0 else -distance)
        rank.send(peer, distance * part(size, rank.ranks), came)
        came = [rank.recv(peer, distance * part(size, rank.ranks))]
    return came


def distances(ranks):
    return [1 << i for i in range(ranks.bit_length() - 1)]


def children(rank):
    """Of a binomial tree: 0 has 1, 2, 4 ...; 4 has 5 and 6."""
    low = rank.number & -rank.number or 1 << 30
    return [rank.number + (1 << i) for i in range(20) if 1 << i < low and rank.number + (1 << i) < rank.ranks]


def up(rank, size):
    came = [rank.recv(child, size) for child in children(rank)]
    if came:
        rank.meet(came)
    if rank.number:
        rank.send(rank.number - (rank.number & -rank.number), size)


def down(rank, size):
    before = [rank.recv(rank.number - (rank.number & -rank.number), size)] if rank.number else None
    for child in reversed(children(rank)):
        before = [rank.send(child, size, before)]


def everybody(rank, size):
    for far in range(1, rank.ranks):
        rank.send(rank.number + far, part(size, rank.ranks))
    return [rank.recv(rank.number - far, part(size, rank.ranks)) for far in range(1, rank.ranks)]


def twice_everybody(rank, size):
    rank.meet(everybody(rank, size))
    everybody(rank, size)


def chain(rank, size):
    for _ in range(rank.ranks):
        came = [rank.recv(rank.number - 1, part(size, rank.ranks))] if rank.number else None
        if rank.number < rank.ranks - 1:
            rank.send(rank.number + 1, part(size, rank.ranks), came)


def fan(rank, size):
    if rank.number:
        rank.recv(0, size)
    else:
        for to in range(1, rank.ranks):
            rank.send(to, size)


RULES = {
    ("allreduce", "ring"): lambda r, s: ring(r, s, 2 * (r.ranks - 1)),
    ("allreduce", "tree"): lambda r, s: (up(r, s), down(r, s)),
    ("allreduce", "halving"): lambda r, s: exchanges(r, s, distances(r.ranks), exchanges(r, s, distances(r.ranks)[::-1])),
    ("allreduce", "direct"): twice_everybody,
    ("all_gather", "ring"): lambda r, s: ring(r, s, r.ranks - 1),
    ("all_gather", "halving"): lambda r, s: exchanges(r, s, distances(r.ranks)),
    ("all_gather", "direct"): everybody,
    ("reduce_scatter", "ring"): lambda r, s: ring(r, s, r.ranks - 1),
    ("reduce_scatter", "halving"): lambda r, s: exchanges(r, s, distances(r.ranks)[::-1]),
    ("reduce_scatter", "direct"): everybody,
    ("all_to_all", "direct"): everybody,
    ("broadcast", "ring"): chain,
    ("broadcast", "tree"): down,
    ("broadcast", "direct"): fan,
}


def schedule(op, by, ranks, size, count):
    text = [f"num_ranks {ranks}"]
    for number in range(ranks):
        rank = Rank(number, ranks)
        for turn in range(count):
            if turn:
                rank.again()
            RULES[op, by](rank, size)
        text += [f"rank {number} {{", *rank.lines, "}"]
    return "\n".join(text) + "\n"


# Parts on the longest chain of messages and how often one is waited for: of N ranks that are a power of two; `whole`: no parts.
FORMS = {
    ("allreduce", "ring"): lambda n, log: (2 * (n - 1), 2 * (n - 1)),
    ("allreduce", "tree"): lambda n, log: (2 * log * n, 2 * log),
    ("allreduce", "halving"): lambda n, log: (2 * (n - 1), 2 * log),
    ("allreduce", "direct"): lambda n, log: (2 * (n - 1), 2),
    ("all_gather", "ring"): lambda n, log: (n - 1, n - 1),
    ("all_gather", "halving"): lambda n, log: (n - 1, log),
    ("all_gather", "direct"): lambda n, log: (n - 1, 1),
    ("reduce_scatter", "ring"): lambda n, log: (n - 1, n - 1),
    ("reduce_scatter", "halving"): lambda n, log: (n - 1, log),
    ("reduce_scatter", "direct"): lambda n, log: (n - 1, 1),
    ("all_to_all", "direct"): lambda n, log: (n - 1, 1),
    ("broadcast", "ring"): lambda n, log: (2 * n - 2, n - 1),
    ("broadcast", "tree"): lambda n, log: (log * n, log),
    ("broadcast", "direct"): lambda n, log: ((n - 1) * n, 1),
}


class Collective(InFolder):
    def scenario(self, text, name="s.yaml"):
        (self.folder / name).write_text(text)
        return name

    def rows(self, text, out):
        self.command("run", self.scenario(text), "--out", out, "--jobs", "1")
        with open(self.folder / out / "results.csv", newline="") as lines:
            rows = list(csv.DictReader(lines))
        self.assertEqual({row["status"] for row in rows}, {"ok"})
        return rows

    def same(self, ways, world, ranks, size, count):
        """The cells behind the swept keys are those of the schedules."""
        for op, by in ways:
            (self.folder / f"{op}-{by}.goal").write_text(schedule(op, by, ranks, size, count))
        network = NETWORK % (world, ranks)
        cases = ", ".join(f"{op}-{by}: {{workload.op: {op}, workload.by: {by}}}" for op, by in ways)
        mine = self.rows(network + f"workload: {{kind: collective, size: {size}B, count: {count}}}\ncases: {{{cases}}}\n", f"mine-{world}-{ranks}")
        files = ", ".join(f"{op}-{by}.goal" for op, by in ways)
        hand = self.rows(network + f"workload: {{kind: goal}}\nsweep: {{workload.file: [{files}]}}\n", f"hand-{world}-{ranks}")
        for way, a, b in zip(ways, mine, hand, strict=True):
            keys = [key for key in a if key in b and key != "point"]
            self.assertGreater(len(keys), 60)
            self.assertEqual([a[key] for key in keys], [b[key] for key in keys], (way, world))


class AsWritten(Collective):
    def test_each_is_its_schedule_in_world_fabric(self):
        self.assertEqual(sorted(RULES), sorted(ALL))
        self.same(ALL, "fabric", 8, 100000, 2)

    def test_of_any_number_of_hosts(self):
        self.same([(op, by) for op, by in ALL if by != "halving"], "fabric", 5, 70001, 3)

    def test_in_the_other_worlds(self):
        for world in "ns3", "simgrid":
            if (IWARPSIM.parent / f"iwarpsim-{world}").exists():
                self.same([("allreduce", "halving"), ("broadcast", "tree")], world, 4, 100000, 2)

    def test_some_of_the_hosts(self):
        network = NETWORK % ("fabric", 9)
        kind = "kind: collective, op: all_gather, size: 64KiB, count: 2"
        (row,) = self.rows(network + f"workloads:\n  a: {{{kind}, hosts: 8 1 3}}\n  b: {{{kind}, hosts: 0 2 4-7}}\n", "out")
        self.assertEqual(row["messages"], str(2 * (3 * 2 + 6 * 5)))


class Forms(Collective):
    def test_none_is_faster_and_hardly_one_slower(self):
        """Of 9,038 octets on the wire 8,940 are payload; adapters and acknowledgements take some microseconds a message."""
        size, n, log = 8 << 20, 8, 3
        cases = ", ".join(f"{op}-{by}: {{workload.op: {op}, workload.by: {by}}}" for op, by in ALL)
        network = (NETWORK % ("fabric", n)).replace("}", ", mtu: 9000}", 1)
        rows = self.rows(network + f"workload: {{kind: collective, size: {size}B, count: 1}}\ncases: {{{cases}}}\n", "out")
        for (op, by), row in zip(ALL, rows, strict=True):
            parts, rounds = FORMS[op, by](n, log)
            least = parts * (size / n) * 8 / 100e3 + rounds * 2  # microseconds
            took = float(row["completion_us"])
            self.assertGreater(took, least, (op, by))
            self.assertLess(took, 1.05 * least + rounds * 12, (op, by))

    def test_check_names_the_bound(self):
        text = NETWORK % ("fabric", 8) + "workload: {kind: collective, op: allreduce, size: 8MiB, count: 1}\n"
        said = self.command("check", self.scenario(text))
        self.assertIn("bound     operation: at most", said)
        self.assertIn("112 messages, 117440512 ULP octets", said)


class Refused(Collective):
    def refuse(self, workload, *words, hosts=6):
        said = self.command("check", self.scenario(NETWORK % ("fabric", hosts) + f"workload: {{kind: {workload}}}\n"), code=2)
        self.assertEqual(said.count("\n"), 1, said)
        for word in ("s.yaml:5", *words):
            self.assertIn(word, said)

    def test_what_does_not_go_together(self):
        for op in WAYS:
            for by in "ring", "tree", "halving", "direct":
                if by not in WAYS[op].split():
                    self.refuse(f"collective, op: {op}, by: {by}, count: 1", WAYS[op].replace("ring ", "ring, ").split()[-1])
        self.refuse("collective", "collective needs workload.op: allreduce, all_gather, reduce_scatter, all_to_all or broadcast")
        self.refuse("collective, op: write", "collective needs workload.op")
        self.refuse("stream, op: allreduce", "needs workload.kind: collective")
        self.refuse("stream, by: tree", "has no effect unless workload.kind is collective")
        self.refuse("collective, op: allreduce, by: halving, count: 1", "2, 4, 8 ... hosts", "ring or direct")
        self.refuse("collective, op: allreduce, count: unlimited}\nmeasure: {for: 1ms", "needs a number")
        self.refuse("nccl", "collective, with workload.op: allreduce")

    def test_too_many_messages(self):
        self.refuse("collective, op: allreduce, count: 100000", "60 messages each time, and 2097152 are the most; 34952 would do")
        self.refuse("collective, op: all_to_all, by: direct, count: 1", "2098152", "2097152 are the most", hosts=1449)


if __name__ == "__main__":
    unittest.main()
