#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""No room has more lines than its budget; one line more, a new room and a room that is gone are noticed."""

import subprocess
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
import rooms


class Rooms(unittest.TestCase):
    def setUp(self):
        self.counted, self.budget = rooms.lines_of_rooms(), rooms.budgets(rooms.BUDGET.read_text())

    def test_every_room_keeps_its_budget(self):
        said, wrong = rooms.judge(self.counted, self.budget)
        self.assertEqual(wrong, 0, "\n".join(said))

    def test_a_line_too_many_is_noticed_in_every_room(self):
        for room, (most, reason) in self.budget.items():
            said, wrong = rooms.judge({**self.counted, room: most + 1}, self.budget)
            self.assertEqual(wrong, int(reason != "goal"), room)
            self.assertIn("  1 to go" if reason == "goal" else "  OVER by 1", next(line for line in said if line.startswith(f"{room} ")))

    def test_a_room_without_a_budget_and_a_budget_without_a_room(self):
        self.assertEqual(rooms.judge({**self.counted, "model/attic": 1}, self.budget)[1], 1)
        self.assertEqual(rooms.judge(self.counted, {**self.budget, "model/attic": (1, "")})[1], 1)

    def test_files_of_a_room(self):
        for name, room in {"model/llp/tcp.c": "model/llp", "helpers/main.c": "helpers", "plots/a/b.py": "plots", "scenarios/workloads/ring.c": "scenarios", "wscript": "wscript"}.items():
            self.assertEqual(rooms.room_of(name), room)


if __name__ == "__main__":
    if subprocess.run(["git", "-C", rooms.TOP, "rev-parse"], capture_output=True).returncode:
        print("skipped: no git repository, which says what files there are")
        sys.exit(77)
    unittest.main()
