#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The same texts in the page of `iwarpsim play`, in Chromium: the canary is a variable and any request. What the page shows is the
text, letter by letter; and if markup should get into it all the same, its Content-Security-Policy lets none of it run.

  page_test.py     needs IWARPSIM (or build/iwarpsim) and chromium
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "player"))
import browser
from texts import TEXTS, is_plain

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = os.environ.get("IWARPSIM", str(TOP / "build" / "iwarpsim"))
SCRIPT = 'world: fabric\nworkload: {kind: script, script: "write 9000; send 100"}\n'
STORIES = re.compile(r'(<script type="application/json" id="stories">)(.*?)(</script>)', re.S)


class Watched(browser.Browser):
    """Notes every request beside that of the page itself."""

    def __init__(self, program):
        self.requests = []
        super().__init__(program)
        self.call("Network.enable")

    def note(self, message):
        super().note(message)
        if message.get("method") == "Network.requestWillBeSent":
            self.requests.append(message["params"]["request"]["url"])

    def show(self, path, fragment=""):
        self.errors.clear()
        self.requests.clear()
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=f"file://{path}" + ("#" + urllib.parse.quote(fragment) if fragment else ""))
        deadline = time.monotonic() + 60
        while not self.value("document.readyState === 'complete' && document.getElementById('where')?.textContent !== ''"):
            if time.monotonic() > deadline:
                raise TimeoutError(f"the page does not get ready: {self.errors}")
            time.sleep(0.02)


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="iwarpsim-")
        cls.folder = Path(cls.temporary.name)
        cls.browser = Watched(browser.find())

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.temporary.cleanup()

    def page(self, title, *more):
        scenario, page = self.folder / "s.yaml", self.folder / "page.html"
        scenario.write_text(SCRIPT + f"title: {json.dumps(title, ensure_ascii=False)}\nclaim: {json.dumps(title, ensure_ascii=False)}\n")
        subprocess.run([IWARPSIM, "play", scenario, "-o", page, *more], check=True, capture_output=True, timeout=60)
        return page

    @staticmethod
    def packed():
        """Plain texts, as many in one as a title holds."""
        titles = [""]
        for text in TEXTS:
            if is_plain(text) and len((titles[-1] + text).encode()) <= 250:
                titles[-1] += text
            elif is_plain(text) and len(text.encode()) <= 250:
                titles.append(text)
        return list(filter(None, titles))

    def is_quiet(self, page, what, live=False):
        """Nothing ran and nothing was asked for."""
        self.assertIsNone(self.browser.value("globalThis.canary ?? null"), what)
        self.assertEqual([url for url in self.browser.requests if not url.startswith((f"file://{page}", "about:"))], [], what)
        self.assertEqual(self.browser.value("document.querySelectorAll('script').length"), 5, what)
        self.assertEqual(self.browser.value("document.querySelectorAll('img, iframe, link, base, object, embed, form" + ("" if live else ", a") + "').length"), 0, what)

    def work(self):
        """Every step, segment and field is shown, and a question is asked."""
        self.browser.value("for (let i = 0; i <= steps.length; i++) go(i); for (let i = 0; i < 20; i++) { nextSegment(1); nextField(1); nextField(1); }"
                           " go(0); $('predict').click(); for (let i = 0; i < steps.length && $('question').hidden; i++) forth();")

    def test_titles_as_the_command_writes_them(self):
        for title in self.packed():
            page = self.page(title)
            self.browser.show(page, title)
            self.assertEqual(self.browser.value("$('title').textContent"), title)
            self.assertEqual(self.browser.value("document.title"), re.sub("[ \\t\\n\\f\\r]+", " ", f"{title} - iwarpsim").strip(" "))
            self.is_quiet(page, title)
            self.assertEqual(self.browser.errors, [], title)

    @unittest.skipUnless(Path(IWARPSIM).with_name("live.wasm.z").exists(), "the engine for pages is not built: ./waf wasm")
    def test_a_live_page(self):
        """Titles as the command writes them, and every text as a script, a title and a key of its own: run, or refused in a
        plain sentence, and the engine goes on."""
        for i, title in enumerate(self.packed()):
            page = self.page(title, "--live")
            if i % 8 == 0:
                policy = re.search('http-equiv="Content-Security-Policy" content="([^"]*)"', page.read_text())[1]
                self.assertTrue(policy.startswith("default-src 'none'; script-src 'sha256-"), policy)
                self.assertNotIn("unsafe-inline", policy)
            self.browser.show(page, title)
            self.assertEqual(self.browser.value("$('title').textContent"), title)
            self.assertEqual(self.browser.errors, [], title)
            self.is_quiet(page, title, live=True)
        for text in TEXTS:
            for key in ("workload.script", "title", text):
                told = self.browser.value(f"(set({json.dumps(key)}, {json.dumps(text)}), rerun(), $('wrong').textContent)")
                self.assertTrue(all(is_plain(line) for line in told.split("\n")), (key, text, told))
                self.browser.value("(moved = new Map(), 0)")
        self.assertTrue(self.browser.value("(set('workload.script', 'write 9000'), rerun())"))
        self.is_quiet(page, "the script", live=True)

    def test_every_text_in_every_place(self):
        """Whatever a story says, by words of a capture or of a peer: all strings of the page's stories are hostile ones."""
        page = self.page("x")
        text = page.read_text()
        turn = iter(TEXTS * 1000)

        def strange(value, name=""):
            if isinstance(value, dict):
                return {k: strange(v, k) for k, v in value.items()}
            if isinstance(value, list):
                return [strange(v, name) for v in value]
            return next(turn) if isinstance(value, str) and name not in ("kind", "hex") else value

        stories = strange(json.loads(STORIES.search(text)[2]))
        written = json.dumps(stories).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
        page.write_text(STORIES.sub(lambda found: found[1] + written + found[3], text))
        self.browser.show(page)
        self.work()
        self.is_quiet(page, "all")
        self.assertEqual(self.browser.value("$('title').textContent"), stories[0]["title"])
        self.assertEqual(self.browser.errors, [])

    def test_markup_that_gets_in_does_not_run(self):
        """The second wall alone: a page into which somebody wrote elements."""
        text = self.page("x").read_text()
        page = self.folder / "broken.html"
        for markup in ("<script>globalThis.canary=1</script>", "<img src=x onerror='globalThis.canary=1'>", "<img src='http://canary.invalid/x'>", "<svg onload='globalThis.canary=1'></svg>",
                       "<link rel=stylesheet href='http://canary.invalid/x'>", "<iframe src='http://canary.invalid/x'></iframe>", "<body onload='globalThis.canary=1'>",
                       "<base href='http://canary.invalid/'><script src=x></script>", "<style>body { background: url(http://canary.invalid/x) }</style>",
                       "<a id=a href='javascript:globalThis.canary=1'>x</a>"):
            page.write_text(text.replace("<h2>All that happens</h2>", markup))
            self.browser.show(page)
            self.browser.value("document.getElementById('a')?.click()")
            time.sleep(0.1)
            self.assertIsNone(self.browser.value("globalThis.canary ?? null"), markup)
            self.assertFalse([e for e in self.browser.errors if "canary.invalid" in e and "ERR_NAME" in e], markup)
            self.assertTrue(self.browser.errors, markup)  # what was refused was said
        for code in ("document.body.innerHTML = '<b>x</b>'", "eval('1')", "new Function('1')()", "document.write('x')"):
            self.browser.show(page)
            got = self.browser.call("Runtime.evaluate", expression=f"(() => {{ {code} }})()", allowUnsafeEvalBlockedByCSP=False)
            self.assertIn("exceptionDetails", got, code)


if __name__ == "__main__":
    if not browser.find():
        print("skipped: pages are tested in a browser (Debian: chromium)")
        sys.exit(77)
    unittest.main()
