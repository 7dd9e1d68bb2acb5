#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What is shipped stays small and has its truth; what was not proved for want of a folder is named at the end of a check."""

import contextlib
import io
import json
import os
import sys
import unittest

import folders

sys.path.insert(0, str(folders.HERE.parent))
import runner

SAYS = "import folders; folders.not_proved('that it rains', 'no sky')"


class Folders(unittest.TestCase):
    def test_sizes(self):
        sizes = [p.stat().st_size for p in folders.shipped()]
        self.assertLessEqual(max(sizes), 32768)
        self.assertLessEqual(sum(sizes), 4 << 20)

    def test_each_has_its_truth(self):
        for folder in folders.SHIPPED:
            truth = [entry["file"] for entry in json.loads((folder / "truth.json").read_text())]
            self.assertEqual(sorted(truth), sorted(p.name for p in folder.glob("*.pcap")))

    def test_a_check_names_what_it_did_not_prove(self):
        jobs = [runner.Job(name, [sys.executable, "-c", code]) for name, code in (("a", SAYS), ("b", SAYS), ("c", "print('ok')"))]
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            runner.run(jobs, folders.HERE, dict(os.environ), 1)
        self.assertEqual(said.getvalue().splitlines()[-2], "not proved: that it rains (no sky)")


if __name__ == "__main__":
    unittest.main()
