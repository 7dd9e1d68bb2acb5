# SPDX-License-Identifier: GPL-2.0-or-later
"""For tests that run the command in a folder of their own."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = Path(os.environ.get("IWARPSIM", TOP / "build/iwarpsim")).absolute()


class InFolder(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="iwarpsim-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def command(self, *words, code=0):
        """What it says."""
        done = subprocess.run([IWARPSIM, *words], capture_output=True, text=True, timeout=300, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stdout[-500:] + done.stderr[-500:])
        return done.stdout + done.stderr
