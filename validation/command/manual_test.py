#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The manual: every page is there with its version, every link in it leads somewhere, nothing is fetched from elsewhere, and its search works without a server.

  manual_test.py     needs IWARPSIM (or build/iwarpsim), python3-sphinx and python3-myst-parser; exit 77 without them
"""

import os
import re
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "validation/player"))
import axe
import browser
import links

IWARPSIM = os.environ.get("IWARPSIM", str(TOP / "build" / "iwarpsim"))
NIGHTLY = "IWARPSIM_NIGHTLY" in os.environ


class Manual(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="iwarpsim-")
        cls.out = Path(cls.folder.name)
        done = subprocess.run([python(), TOP / "helpers/manual/manual.py", IWARPSIM, cls.out], capture_output=True, text=True, timeout=600)
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
        self.assertLessEqual({f"key-{name.lower()}" for name in names}, {a.lower() for a in links.Page(self.out / "keys.html").anchors})
        columns = (self.out / "columns.html").read_text()
        self.assertIn("steady_gbps", columns)
        self.assertEqual(columns.count('href="#rates-in-gbps"'), 2)  # in the contents of the page, and at the heading

    def test_each_key_leads_to_scenarios_that_use_it(self):
        _, *keys = (self.out / "keys.html").read_text().split('<dl class="std key">')
        found = {re.search('id="key-([^"]*)"', key)[1]: re.findall(r'href="(_downloads/[^"]*)"', key.partition("</dl>")[0]) for key in keys}
        self.assertEqual([name for name, users in found.items() if not users and not name.endswith("KEY")], [])
        pfc = found["topology.pfc.xoff"]
        self.assertIn("xoff", (self.out / pfc[0]).read_text())

    def test_each_page_says_the_version(self):
        version = subprocess.run([IWARPSIM, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        self.assertEqual([p for p in self.out.rglob("*.html") if p.parent.name != "lessons" and f">{version}</a>" not in p.read_text()], [])

    def test_lessons_and_course_lead_to_the_pages(self):
        pages = sorted(p.name for p in (self.out / "lessons").glob("lesson-*.html"))
        texts = self.out / "scenarios/lessons"
        self.assertEqual(sorted(re.search(r'href="\.\./\.\./\.\./lessons/(lesson-\d\d\.html)"', p.read_text())[1] for p in texts.glob("*/README.html")), pages)
        linked = re.findall(r'href="\.\./\.\./lessons/([\w-]+\.html)"', (texts / "COURSE.html").read_text())
        self.assertEqual(set(linked) - {"index.html"}, {*pages, *(name for name in ("challenges.html", "network.html") if (self.out / "lessons" / name).exists())})

    @unittest.skipUnless(browser.find(), "chromium is missing")
    def test_pages_in_a_browser(self):
        b = browser.Browser(browser.find())
        self.addCleanup(b.close)
        b.call("Network.enable")
        b.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)
        for test in (self.begins_with_its_title_on_every_screen, self.finds_keys_and_words, self.is_dark_where_all_is):
            with self.subTest(test.__name__):
                test(b)
        self.assertEqual(b.errors, [])

    def begins_with_its_title_on_every_screen(self, b):
        """On a phone the contents come behind the text, with a link to them; nothing is wider than the screen."""
        for width, height in ((390, 844), (1024, 768), (1500, 900)):
            b.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
            for name in ("index", "keys", "columns", "command", "adapters", "gallery", "model/MODEL", "validation/README"):
                b.open(self.out / f"{name}.html")
                self.assertLess(b.value("document.querySelector('h1').getBoundingClientRect().top"), 120, (name, width))
                self.assertFalse(b.value("document.documentElement.scrollWidth > innerWidth"), (name, width))
                self.assertEqual(b.value("document.querySelector('.contents').offsetHeight > 0"), width < 800)
                self.assertTrue(name in ("columns", "validation/README") or b.value("document.querySelectorAll('#here a').length > 1"), name)

    def finds_keys_and_words(self, b):
        for words, page in (("rnic.window.bytes", "keys.html#key-rnic.window.bytes"), ("placement costs", "scenarios/lessons/")):
            b.open(self.out / "keys.html")
            b.value(f"document.querySelector('#contents input').value = '{words}'; document.querySelector('#contents form').submit()")
            found = self.results(b)
            self.assertTrue(any(href.endswith(page) or page in href for href in found[:8]), (words, found))

    def results(self, b):
        for _ in range(300):
            if b.value("/finished|did not match/.test(document.querySelector('#search-results')?.textContent)"):
                break
            time.sleep(0.1)
        return b.value("[...document.querySelectorAll('#search-results li a')].map(a => a.getAttribute('href'))")

    def is_dark_where_all_is(self, b):
        b.open(self.out / "keys.html")
        for mode, least, most in (("light", 600, 766), ("dark", 0, 200)):
            b.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": mode}])
            paper = b.value("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number).reduce((a, b) => a + b)")
            self.assertTrue(least <= paper < most, (mode, paper))

    @unittest.skipUnless(browser.find(), "chromium is missing")
    def test_axe_finds_nothing_serious(self):
        """On a phone and, in the dark, on a desk; at night in every page but the lessons', which are asked as pages_test.py makes them."""
        b = browser.Browser(browser.find())
        self.addCleanup(b.close)
        pages = sorted(p for p in self.out.rglob("*.html") if p.parent != self.out / "lessons") if NIGHTLY else [self.out / f"{name}.html" for name in ("index", "adapters", "search", "validation/packetdrill/README")]
        with tempfile.TemporaryDirectory(prefix="iwarpsim-") as folder, axe.Axe(b, Path(folder)) as asked:
            for width, mode in ((390, "light"), (1400, "dark")):
                b.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 500)
                b.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": mode}])
                for page in pages:
                    b.open(page)
                    self.assertEqual(asked.serious(), [], (page.name, width))

    def test_every_figure_is_in_the_gallery(self):
        shown = set(re.findall(r'href="plots/([^/"]*)/README.html"', (self.out / "gallery.html").read_text()))
        for folder in (p.parent for p in (TOP / "plots").glob("*/README.md")):
            if (TOP / "scenarios" / f"{folder.name}.yaml").exists():
                self.assertIn(folder.name, shown)


def python():
    """The first Python that has Sphinx; None."""
    for candidate in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([candidate, "-c", "import sphinx, myst_parser"], capture_output=True).returncode == 0:
            return candidate
    return None


if __name__ == "__main__":
    if not python():
        print("Sphinx or its reader of Markdown is missing (Debian: python3-sphinx python3-myst-parser)")
        sys.exit(77)
    unittest.main(verbosity=2 if "-v" in sys.argv else 1)
