#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Connection matrices as users meet them: when each flow begins, to the picosecond; the file belongs to the results; rows are the same in
both worlds of packets and for any number of threads; what is wrong is one sentence with its line; a long text is not kept.

  matrix_test.py [TEST]     needs IWARPSIM (or build/iwarpsim), and iwarpsim-ns3 and iwarpsim-simgrid beside it
"""

import csv
import os
import subprocess
import unittest
from decimal import Decimal

from in_folder import IWARPSIM, InFolder

NIGHTLY = bool(os.environ.get("IWARPSIM_NIGHTLY"))

STAR = "topology: {kind: star, hosts: 8}\nworkload: {kind: matrix, matrix: %s}\n"
# Flows 1 and 2 end at different times; 3 and 4 wait for both, 5 for the first to end, 6 for the second, 7 for the end of 1 at its receiver.
CHAINED = """\
Nodes 8
Connections 7
Triggers 3
0->1 id 1 start 0 size 9000 send_done_trigger 7 recv_done_trigger 9
2->3 id 2 start 4.25 size 30000 send_done_trigger 7

4->5 id 3 trigger 7 size 1
6->7 id 4 trigger 7 size 2 send_done_trigger 8
5->4 id 5 trigger 8 size 3 send_done_trigger 8
7->6 id 6 trigger 8 size 4
3->0 id 7 trigger 9 size 5
trigger id 7 barrier count 2
# the first is given by flow 4, the second by flow 5
trigger id 8 multishot
trigger id 9 oneshot
"""
HEAD = "Nodes 4\nConnections 1\n"
REFUSED = [
    ("", 1, "no flow is there"),
    ("Nodes 4\nConnections 2\n0->1 start 0 size 9\n", 4, "Connections says 2, and 1 flows are there"),
    ("0->1 start 0 size 9\n", 1, "`Nodes` must come before"),
    ("Nodes 1\n", 1, "Nodes needs a number of 2 to 131072, not '1'"),
    (HEAD + "0->4 start 0 size 9\n", 3, "host 4 is not there: Nodes 4 has 0 to 3"),
    (HEAD + "0->-1 start 0 size 9\n", 3, "a flow begins with two hosts"),
    (HEAD + "2->2 start 0 size 9\n", 3, "host 2 sends to itself"),
    (HEAD + "0->1 start 0 size 9 prio 3\n", 3, "'prio' is not a word of a flow"),
    (HEAD + "0->1 start 0 size 9 size 9\n", 3, "size is there twice"),
    (HEAD + "0->1 start 0 size 0\n", 3, "size needs a number of 1 to 1073741824, not '0'"),
    (HEAD + "0->1 start 0 size\n", 3, "size needs a number of 1 to 1073741824, not ''"),
    (HEAD + "0->1 start 0 size 1073741825\n", 3, "size needs a number"),
    (HEAD + "0->1 start 1e3 size 9\n", 3, "start needs a number of 0 to 1000000000, not '1e3'"),
    (HEAD + "0->1 start 1.0000001 size 9\n", 3, "start needs a number"),
    (HEAD + "0->1 start 0\n", 3, "a flow needs `size`"),
    (HEAD + "0->1 size 9\n", 3, "a flow needs `start` or `trigger`, and not both"),
    (HEAD + "0->1 msg start 0 size 9\n", 3, "`msg` needs `id`"),
    ("Nodes 4\nConnections 2\n0->1 id 1 start 0 size 9\n0->1 id 1 start 0 size 9\n", 4, "id 1 is that of 0->1 in line 3"),
    ("Nodes 4\nConnections 2\n0->1 id 1 msg start 0 size 9\n0->2 id 1 msg start 0 size 9\n", 4, "id 1 is that of 0->1 in line 3"),
    (HEAD + "0->1 id 1 trigger 5 size 9\n", 3, "trigger 5 has no line `trigger id 5 oneshot`"),
    ("Triggers 1\n" + HEAD + "0->1 id 1 trigger 5 size 9\ntrigger id 5 oneshot\n", 4, "nothing gives trigger 5"),
    ("Triggers 1\n" + HEAD + "0->1 id 1 trigger 5 size 9 recv_done_trigger 5\ntrigger id 5 oneshot\n", 4, "never begins: trigger 5 is given 0 times by what does"),
    ("Triggers 1\nNodes 4\nConnections 2\n0->1 start 0 size 9 send_done_trigger 5\n1->0 trigger 5 size 9\ntrigger id 5 barrier count 2\n", 5, "never begins: trigger 5 is given 1 times"),
    ("Triggers 1\nNodes 4\nConnections 2\n0->1 start 0 size 9 send_done_trigger 5\n1->0 start 0 size 9 send_done_trigger 5\ntrigger id 5 oneshot\n", 6, "trigger 5 is given 2 times"),
    (HEAD + "0->1 start 0 size 9\ntrigger id 5 twoshot\n", 4, "a trigger is oneshot, multishot or barrier"),
    (HEAD + "0->1 start 0 size 9\ntrigger id 5 barrier\n", 4, "a barrier needs `count`"),
    (HEAD + "0->1 start 0 size 9\ntrigger id 5 oneshot x\n", 4, "'x' is not a word of a trigger"),
    (HEAD + "0->1 start 0 size 9\ntrigger id 5 oneshot\ntrigger id 5 oneshot\n", 5, "trigger 5 is there already, in line 4"),
    (HEAD + "0->1 start 0 size 9\ntrigger id 5 oneshot\n", 5, "Triggers says 0, and 1 are there"),
    (HEAD + "Failures 1\n", 3, "links that fail are no part of a workload"),
    (HEAD + "failure switch_type TOR\n", 3, "'failure' begins no line"),
    (HEAD + "Nodes 4 5\n", 3, "'5' is one word too many"),
    (HEAD + "# " + "x" * 600 + "\n", 3, "a line is longer than 511 octets"),
    (HEAD + "0->1 start 0 size 9\0\n", 3, "an octet 0 is no text"),
    ("Nodes 9\nConnections 1\n0->8 start 0 size 9\n", 1, "Nodes 9 is more than the 8 hosts that there are"),
]


class Matrix(InFolder):
    def file(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def messages(self, scenario, out, *more):
        self.command("run", self.file("s.yaml", scenario), "--out", out, "--jobs", "1", "--messages", *more)
        with open(self.folder / out / "messages.csv", newline="") as lines:
            return sorted(csv.DictReader(lines), key=lambda m: (int(m["conn"]), int(m["index"])))

    def octets(self, *names, file="messages.csv"):
        first, *others = ((self.folder / name / file).read_bytes() for name in names)
        for other in others:
            self.assertEqual(first, other)

    def test_each_flow_begins_when_it_is_told(self):
        self.file("my.cm", CHAINED)
        for payload in ("none", "real"):
            m = self.messages(STAR % "my.cm", payload, "--set", f"payload={payload}")
            post, done, placed = ([Decimal(x[c]) for x in m] for c in ("t_post", "t_completed", "t_last_placed"))
            self.assertEqual([int(x["length"]) for x in m], [9000, 30000, 1, 2, 3, 4, 5])
            self.assertEqual(post[1] - post[0], Decimal("4.25"))
            self.assertEqual(post[2:4], [max(done[:2])] * 2)
            self.assertEqual(post[4:], [done[3], done[4], placed[0]])
            self.assertNotEqual(done[0], placed[0])

    def test_messages_share_their_connection(self):
        text = "Nodes 2\nConnections 12\n" + "".join(f"0->1 id 4 msg {i} start {11 - i} size {1000 + i}\n" for i in range(1, 11)) + "0->1 id 9 start 0 size 5\n1->0 start 0 size 6\n"
        self.file("my.cm", text)
        m = self.messages("workload: {kind: matrix, matrix: my.cm, depth: 3}\n", "out")
        self.assertEqual([(x["conn"], int(x["length"])) for x in m], [("0", 1010 - i) for i in range(10)] + [("1", 5), ("2", 6)])
        under_way = [sum(Decimal(y["t_post"]) <= Decimal(x["t_first_placed"]) < Decimal(y["t_completed"]) for y in m[:10]) for x in m[:10]]
        self.assertLessEqual(max(under_way), 3 + 7)
        waits = [x for x, y in zip(m[3:10], m[:7]) if Decimal(x["t_first_placed"]) < Decimal(y["t_completed"])]
        self.assertEqual(waits, [])  # the fourth leaves when the first has completed

    def test_worlds_and_threads_agree(self):
        self.file("my.cm", CHAINED)
        self.file("plain.cm", "Nodes 16\nConnections 48\n" + "".join(f"{i % 16}->{(i * 5 + 1 + i // 16) % 16} start {i % 7} size {3000 * (1 + i % 9)}\n" for i in range(48)))
        for name, network in (("my.cm", "{kind: star, hosts: 8}"), ("plain.cm", "{kind: fat_tree, k: 4}")):
            text = f"topology: {network}\nworkload: {{kind: matrix, matrix: {name}}}\n"
            self.messages(text, name + "one")
            self.messages(text, name + "ns3", "--set", "world=ns3")
            self.messages(text, name + "three", "--threads", "3")
            self.octets(name + "one", name + "ns3", name + "three")
        self.assertEqual(len(self.messages(STAR % "my.cm", "flows", "--set", "world=simgrid")), 7)

    def test_its_content_belongs_to_the_results(self):
        self.file("my.cm", CHAINED)
        self.messages(STAR % "my.cm", "out")
        self.assertEqual((self.folder / "out/my.cm").read_text(), CHAINED)
        self.file("my.cm", CHAINED.replace("9000", "9001"))
        self.assertIn("my.cm", self.command("run", "s.yaml", "--out", "out", "--messages", code=2))

    def test_several_at_once_on_hosts_of_their_own(self):
        self.file("my.cm", CHAINED)
        m = self.messages("topology: {kind: star, hosts: 16}\nworkloads: {a: {kind: matrix, matrix: my.cm, hosts: 8-15}, b: {kind: stream, count: 3, hosts: 0 1}}\n", "out")
        self.assertEqual([int(x["length"]) for x in m], [9000, 30000, 1, 2, 3, 4, 5] + [65536] * 3)

    def test_refused_with_its_line(self):
        self.file("s.yaml", STAR % "my.cm")
        for text, line, what in REFUSED:
            with self.subTest(what=what):
                self.file("my.cm", text)
                said = self.command("check", "s.yaml", code=2)
                self.assertEqual(said.count("\n"), 1, said)
                self.assertIn(f"workload.matrix: my.cm:{line}: {what}", said)

    def test_a_long_text_is_not_kept(self):
        """10^5 flows, at night 10^6, with comments: memory grows with flows alone."""
        flows = 10**6 if NIGHTLY else 10**5
        with open(self.folder / "long.cm", "w") as out:
            out.write(f"Nodes 2\nConnections {flows}\n")
            for i in range(flows):
                out.write(f"# {'x' * 300}\n0->1 id 1 msg start {i} size 8\n")
        self.file("s.yaml", "workload: {kind: matrix, matrix: long.cm, depth: 1}\n")
        limit = 65536 + flows * 110 // 1024
        done = subprocess.run(["sh", "-c", f'ulimit -v {limit} && exec "$0" "$@"', IWARPSIM, "check", "s.yaml"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"2 hosts, 1 connection, at most {flows} messages", done.stdout)


if __name__ == "__main__":
    unittest.main()
