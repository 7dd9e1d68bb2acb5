#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the number that binds is a guess, a figure says so: also one whose script was written by hand (plots/note.py, NAME.note)."""

import html
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = os.environ.get("IWARPSIM", str(TOP / "build" / "iwarpsim"))
BY_HAND = sorted(p.parent for p in (TOP / "plots").glob("*/data.sh"))
sys.path.insert(0, str(TOP / "plots"))
import note  # noqa: E402

PINGPONG = """\
topology: {kind: link}
workload: {kind: pingpong, op: send, size: 1B, count: 10}
sweep: {workload.size: [1B, 8B]}
"""


def kept(folder):
    return re.fullmatch(r"# SPDX-License-Identifier: GPL-2.0-or-later\nnote = '(.*)'\n", (folder / f"{folder.name}.note").read_text())[1]


class Guess(unittest.TestCase):
    def campaign(self, folder, name, *sets):
        path = Path(folder) / "pingpong.yaml"
        path.write_text(PINGPONG)
        subprocess.run([IWARPSIM, "run", path, "--out", Path(folder) / name, *(a for s in sets for a in ("--set", s))], capture_output=True, check=True)

    def test_the_note_adds_up_campaigns_and_is_empty_without_a_guess(self):
        with tempfile.TemporaryDirectory(prefix="iwarpsim-") as folder:
            self.campaign(folder, "ideal")
            self.assertEqual(note.note_of(folder), "")
            self.campaign(folder, "t6", "rnic.preset=t6")
            self.campaign(folder, "one", "rnic.preset=t6", "workload.size=4B")
            self.assertEqual(note.note_of(folder), "at 3 of 5 points what binds is a guess (rnic.tx.latency)")

    def test_a_script_written_by_hand_draws_its_note(self):
        noted = 0
        for folder in BY_HAND:
            with self.subTest(figure=folder.name):
                text = kept(folder)
                drawn = html.unescape((folder / f"{folder.name}.svg").read_text()).count("what binds is a guess")
                self.assertEqual(drawn, 1 if text else 0)
                if text:
                    self.assertIn(text, html.unescape((folder / f"{folder.name}.svg").read_text()))
                    noted += 1
        self.assertGreaterEqual(noted, 6)

    def test_make_says_when_the_note_is_another(self):
        with tempfile.TemporaryDirectory(prefix="iwarpsim-") as place:
            top = Path(place)
            (top / "scenarios").symlink_to(TOP / "scenarios")
            shutil.copytree(TOP / "plots" / "latency-stages", top / "plots" / "latency-stages")
            for name in ("make.sh", "style.gp", "note.py", "columns.py"):
                shutil.copy(TOP / "plots" / name, top / "plots")
            path = top / "plots" / "latency-stages" / "latency-stages.note"
            path.write_text(path.read_text().replace("at 6 of", "at 5 of"))
            done = subprocess.run(["sh", top / "plots/make.sh", "--check", "latency-stages"], capture_output=True, text=True, env={**os.environ, "IWARPSIM": IWARPSIM})
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, "the same\n.*another note than .* 'at 6 of 18 points")


if __name__ == "__main__":
    unittest.main()
