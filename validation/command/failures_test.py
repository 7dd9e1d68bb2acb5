#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Links fail, and programs do not notice: under any schedule of failures each message comes once, whole and right, over every lower layer.
An SCTP association may end, but only as RFC 9260 8.1 says: when nothing was heard for more timeouts in a row than Association.Max.Retrans, 10.

    failures_test.py                       200 schedules, each drawn by its repeat
    IWARPSIM_NIGHTLY=1 failures_test.py    10,000

Needs IWARPSIM (or build/iwarpsim).
"""

import collections
import csv
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = os.environ.get("IWARPSIM", str(TOP / "build" / "iwarpsim"))
TIMES = 50 if os.environ.get("IWARPSIM_NIGHTLY") else 1
HOSTS, COUNT = 4, 6
MAX_RETRANS = 10
SCENARIO = """\
topology: {{kind: {kind}, rate: 40Gbps, failures: {{mtbf: 100us, mttr: 20us}}}}
llp: {{{llp}}}
workload: {{kind: permutation, op: {op}, size: 30000B, count: {count}}}
payload: real
limit: {{idle: 10000s, sim: 100000s}}
repeat: {repeat}
sweep:
  topology.reroute_after: [never, 10us]
"""
LAYERS = ("kind: mpa", "kind: sctp", "kind: ideal", *(f"kind: packet, recovery: {r}" for r in ("go_back_n", "irn", "rud")))
NETWORKS = ("star, hosts: 4", "dragonfly, groups: 2, routers: 2, nodes: 1, globals: 1")


def tables(folder, text, *options):
    """results.csv, and messages.csv, of a scenario; what was said."""
    path = Path(folder) / "s.yaml"
    path.write_text(text)
    out = Path(folder) / "out"
    done = subprocess.run([IWARPSIM, "run", path, "--out", out, "--messages", "--jobs", "2", *options], capture_output=True, text=True)
    read = [list(csv.DictReader(file.read_text().splitlines())) for file in (out / "results.csv", out / "messages.csv") if file.exists()]
    return *(read or ([], [])), done.stdout + done.stderr


class Failures(unittest.TestCase):
    def given_up(self, text, row):
        """Timeouts of an end that nothing was heard at since, when its association ends."""
        with tempfile.TemporaryDirectory(prefix="iwarpsim-") as folder:
            tables(folder, text, "--point", row["point"], "--repeat", row["repeat"], "--trace", "--set", "limit.sim=2s")
            missed = collections.Counter()
            for line in next(Path(folder).glob("out/trace/*.csv")).open():
                _, node, conn, event, _ = line.split(",", 4)
                if event == "fatal":
                    return missed[node, conn]
                missed[node, conn] = 0 if event == "heard" else missed[node, conn] + (event == "timeout")
        return 0

    def judge(self, layer, network, op, repeat):
        text = SCENARIO.format(kind=network, llp=layer, op=op, count=COUNT, repeat=repeat)
        with tempfile.TemporaryDirectory(prefix="iwarpsim-") as folder:
            rows, messages, said = tables(folder, text)
        self.assertEqual(len(rows), 2 * repeat, said)
        ended = [row for row in rows if row["status"] == "ended" and "sctp" in layer]
        self.assertLessEqual(len(ended), len(rows) / 100, said)
        for row in ended:
            self.assertEqual(self.given_up(text, row), MAX_RETRANS + 1, row)
            rows.remove(row)
            messages = [m for m in messages if (m["point"], m["repeat"]) != (row["point"], row["repeat"])]
        came = collections.Counter((m["point"], m["repeat"], m["conn"], m["index"]) for m in messages if m["status"] == "ok")
        self.assertEqual(len(messages), len(rows) * HOSTS * COUNT, said)
        self.assertEqual(set(came.values()), {1})
        self.assertEqual(len(came), len(messages), said)
        for row in rows:
            self.assertEqual((row["status"], row["messages"], row["bytes"], row["messages_wrong"]), ("ok", str(HOSTS * COUNT), str(HOSTS * COUNT * 30000), "0"), (text, row, said))
        return sum(int(row["lost_on_failed_links"]) for row in rows), len(rows)

    def test_each_message_comes_once(self):
        lost = schedules = 0
        for i, layer in enumerate(LAYERS):
            for k, network in enumerate(NETWORKS):
                with self.subTest(layer=layer, network=network):
                    more, rows = self.judge(layer, network, ("write", "send", "read")[(i + k) % 3], 9 * TIMES)
                    lost, schedules = lost + more, schedules + rows
        self.assertGreaterEqual(schedules, 200 * TIMES)
        self.assertGreater(lost, 10 * schedules)
        print(f"{schedules} schedules, {lost} packets lost on failed links")

    def test_what_is_wrong_has_the_line_of_its_event(self):
        text = "topology:\n  kind: star\n  hosts: 2\n  events:\n    - {at: 1us, link: host0-switch0, state: down}\n    - {at: 3us, link: host0-switch0, state: down}\n"
        with tempfile.TemporaryDirectory(prefix="iwarpsim-") as folder:
            path = Path(folder) / "s.yaml"
            path.write_text(text)
            said = subprocess.run([IWARPSIM, "check", path], capture_output=True, text=True)
        self.assertEqual((said.returncode, said.stderr), (2, f"{path}:6:7: topology.events: host0>switch0 is down already at 3 us\n"))


if __name__ == "__main__":
    unittest.main()
