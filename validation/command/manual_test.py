#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The manual: every page is there, every link in it leads somewhere, and nothing is fetched from elsewhere.

  manual_test.py     needs IWARPSIM (or build/iwarpsim) and python3-markdown; exit 77 without it
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "validation/player"))
import browser
import links

IWARPSIM = os.environ.get("IWARPSIM", str(TOP / "build" / "iwarpsim"))


class Manual(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="iwarpsim-")
        cls.out = Path(cls.folder.name)
        done = subprocess.run([python(), TOP / "helpers/manual/manual.py", IWARPSIM, cls.out], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_there_is_a_page_for_every_text_and_reference(self):
        for name in ("index", "keys", "columns", "command", "adapters", "gallery", "model/MODEL", "scenarios/tutorial/README", "plots/window/README"):
            self.assertTrue((self.out / f"{name}.html").exists(), name)

    def test_every_link_leads_somewhere_and_nothing_comes_from_elsewhere(self):
        self.assertGreater(len(list(self.out.rglob("*.html"))), 70)
        self.assertEqual((links.broken(self.out), links.fetched(self.out)), ([], []))

    def test_the_reference_says_what_the_program_says(self):
        keys = subprocess.run([IWARPSIM, "keys"], capture_output=True, text=True, check=True).stdout
        names = re.findall(r"^(\S+): ", keys, re.M)
        self.assertLessEqual(set(names), links.Page(self.out / "keys.html").anchors)
        self.assertIn("steady_gbps", (self.out / "columns.html").read_text())

    @unittest.skipUnless(browser.find(), "chromium is missing")
    def test_a_page_begins_with_its_title_on_every_screen(self):
        """In a real browser: on a phone the contents come behind the text, with a link to them; nothing is wider than the screen."""
        b = browser.Browser(browser.find())
        self.addCleanup(b.close)
        for width, height in ((390, 844), (1024, 768), (1400, 900)):
            b.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
            for name in ("index", "keys", "columns", "command", "adapters", "gallery", "model/MODEL", "validation/README"):
                b.open(self.out / f"{name}.html")
                self.assertLess(b.value("document.querySelector('h1').getBoundingClientRect().top"), 120, (name, width))
                self.assertFalse(b.value("document.documentElement.scrollWidth > innerWidth"), (name, width))
                self.assertEqual(b.value("document.querySelector('.contents').offsetHeight > 0"), width < 800)
        self.assertEqual(b.errors, [])

    def test_every_figure_is_in_the_gallery(self):
        text = (self.out / "gallery.html").read_text()
        for folder in (p.parent for p in (TOP / "plots").glob("*/README.md")):
            if (TOP / "scenarios" / f"{folder.name}.yaml").exists():
                self.assertIn(f'id="{folder.name}"', text)


def python():
    """The first Python that has markdown; None."""
    for candidate in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([candidate, "-c", "import markdown"], capture_output=True).returncode == 0:
            return candidate
    return None


if __name__ == "__main__":
    if not python():
        print("python3-markdown is missing (Debian: python3-markdown)")
        sys.exit(77)
    unittest.main(verbosity=2 if "-v" in sys.argv else 1)
