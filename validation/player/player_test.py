#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The page of `iwarpsim play` in a real browser: it loads without an error, steps both ways, shows the numbers of the
trace, asks, is worked from the keyboard, needs nothing from outside, and is quick at 2,000 events.

  player_test.py [PICTURES]     needs chromium; PICTURES: a folder for pictures of it
"""

import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import browser

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = os.environ.get("IWARPSIM", str(TOP / "build" / "iwarpsim"))
PICTURES = None

LOSSY = """\
title: A lossy link
world: fabric
seed: 3
topology: {rate: 10Gbps, delay: 5us, mtu: 1500}
rnic: {preset: t6, window: {bytes: 64KiB}}
channel: {loss: 0.1, reorder: {probability: 0.3, displacement: 3}}
workload: {kind: script, script: "write 9000; send 2000; send_se 100; wait; read 3000; peer send 50"}
"""
ENDS = LOSSY.replace("write 9000; send 2000; send_se 100; wait; read 3000; peer send 50", "write 3000; write 16 beyond")
LONG = """\
title: Two thousand events
world: fabric
topology: {rate: 10Gbps, delay: 5us, mtu: 1500}
rnic: {preset: t6, window: {bytes: 64KiB}}
channel: {loss: 0.02, reorder: {probability: 0.2, displacement: 3}}
workload: {kind: stream, op: write, size: 14400B, count: 23, depth: 4}
"""


def iwarpsim(*args):
    return subprocess.run([IWARPSIM, *map(str, args)], capture_output=True, text=True, timeout=120, check=True)


class Player(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="iwarpsim-")
        cls.folder = Path(cls.temporary.name)
        cls.browser = browser.Browser(browser.find())

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.temporary.cleanup()

    def page(self, name, text, *options):
        scenario, page = self.folder / f"{name}.yaml", self.folder / f"{name}.html"
        scenario.write_text(text)
        iwarpsim("play", scenario, "-o", page, *options)
        self.browser.errors.clear()
        self.browser.open(page)
        return page

    def tearDown(self):
        self.assertEqual(self.browser.errors, [])

    def picture(self, name):
        if PICTURES:
            self.browser.picture(Path(PICTURES) / f"{name}.png")

    def where(self):
        return self.browser.value("document.getElementById('where').textContent")

    def numbers(self):
        rows = self.browser.value(
            "[...document.querySelectorAll('table.now')].map(t => Object.fromEntries("
            "[...t.querySelectorAll('td')].map(d => [d.dataset.number, d.textContent])))")
        return rows

    def test_needs_nothing_else(self):
        page = self.page("alone", LOSSY)
        text = page.read_text()
        self.assertLess(len(text), 1_000_000)
        self.assertNotRegex(text, r'(src|href)="|url\((?!#)|@import|fetch\(|XMLHttp')

    def test_steps_forward_and_back(self):
        self.page("steps", LOSSY)
        total = int(self.where().split()[-1])
        self.assertGreater(total, 100)
        seen = []
        for i in range(1, total + 1):
            self.browser.value("document.getElementById('forth').click()")
            seen.append((self.where(), self.browser.value("document.getElementById('caption').textContent"), self.numbers()))
            self.assertEqual(seen[-1][0], f"{i} of {total}")
        self.picture("end")
        for i in range(total - 1, 0, -1):
            self.browser.value("document.getElementById('back').click()")
            now = (self.where(), self.browser.value("document.getElementById('caption').textContent"), self.numbers())
            self.assertEqual(now, seen[i - 1])
        self.browser.value("go(70)")
        self.picture("middle")

    def test_numbers_are_those_of_the_trace(self):
        """Every step's numbers, made again from the trace alone."""
        self.page("numbers", LOSSY, "--beside", "none")
        out = self.folder / "out"
        iwarpsim("run", self.folder / "numbers.yaml", "--trace", "--out", out)
        with open(out / "trace" / "all-r0.csv") as f:
            trace = list(csv.DictReader(f))
        steps = self.browser.value("steps.map(s => [s.e.kind, s.e.t, s.e.conn, s.e.side, s.e.key ?? null])")
        shown = self.browser.value("takes[0].state")
        self.assertEqual(len(shown), len(steps) + 1)
        for i, (kind, t, conn, side, key) in enumerate(steps):
            # the events of the trace up to this one: all earlier, and of its moment those that the page has had too
            state = shown[i + 1]
            before = [r for r in trace if int(r["t_ps"]) < t and r["conn"] and r["side"] == "1"]
            upto = [r for r in trace if int(r["t_ps"]) <= t and r["conn"] and r["side"] == "1"]
            def placed(rows):
                return sum(int(r["length"]) for r in rows if r["event"] == "placed")
            self.assertTrue(placed(before) <= state["placed"] <= placed(upto), (i, state))
            delivered = [sum(r["event"] == "delivered" for r in rows) for rows in (before, upto)]
            self.assertTrue(delivered[0] <= state["delivered"] <= delivered[1])
            for name, column in (("acknowledged", "key"), ("staging", "staging"), ("held", "held"), ("crossings", "crossings")):
                rows = [r for r in upto if r[column] != "" and (name != "acknowledged" or r["event"] == "window")]
                known = [0] + [int(r[column]) for r in rows]
                self.assertIn(state[name], known, (i, name))
            self.assertTrue(any(int(r["t_ps"]) == t for r in trace))
        final = {name: str(shown[-1][name]) for name in ("placed", "delivered", "acknowledged", "crossings")}
        self.browser.value("go(steps.length)")
        self.assertEqual({k: self.numbers()[0][k] for k in final}, final)
        mine = [r for r in trace if r["conn"] and r["side"] == "1"]
        self.assertEqual(final["placed"], str(sum(int(r["length"]) for r in mine if r["event"] == "placed")))
        self.assertEqual(final["delivered"], str(sum(r["event"] == "delivered" for r in mine)))
        self.assertEqual(final["acknowledged"], [r["key"] for r in mine if r["event"] == "window"][-1])
        self.assertEqual(final["crossings"], [r["crossings"] for r in mine if r["crossings"]][-1])

    def test_the_lessons_open(self):
        pages = sorted((TOP / "scenarios/lessons").glob("*/player.html"))
        self.assertGreaterEqual(len(pages), 13)
        for page in pages:
            with self.subTest(page.parent.name):
                self.assertLess(page.stat().st_size, 1_000_000)
                self.browser.open(page)
                self.browser.value("go(steps.length); go(0); go(steps.length >> 1); nextSegment(1); nextField(1)")
                self.assertNotEqual(self.browser.value("document.getElementById('meaning').textContent"), "")
                self.assertEqual(self.browser.errors, [])

    def test_segments_have_octets_and_fields(self):
        self.page("segments", LOSSY)
        self.browser.key("]")
        text = self.browser.value("document.getElementById('detail').textContent")
        self.assertIn("A1: Write, 1440 octets", text)
        head = self.browser.value("document.getElementById('octets').textContent").replace(" ", "")
        self.assertTrue(head.startswith("8140"), head)
        self.browser.value("[...document.querySelectorAll('#fields button')].find(b => b.textContent.startsWith('TO=')).click()")
        meaning = self.browser.value("document.getElementById('meaning').textContent")
        self.assertIn("TO = 10000", meaning)
        self.assertIn("RFC 5041 4.2", meaning)
        self.assertIn("Octets 6 .. 13", meaning)
        marked = self.browser.value("[...document.querySelectorAll('#octets .chosen')].map(s => s.textContent).join('')")
        self.assertEqual(int(marked, 16), 10000)
        self.picture("fields")

    def test_keyboard(self):
        self.page("keys", LOSSY)
        for key, wanted in (("End", None), ("Home", "0"), ("ArrowRight", "1"), ("ArrowRight", "2"), ("ArrowLeft", "1")):
            self.browser.key(key)
            at, total = re.match(r"(\d+) of (\d+)", self.where()).groups()
            self.assertEqual(at, wanted or total)
        self.browser.key(" ")
        self.assertEqual(self.browser.value("document.getElementById('play').textContent"), "pause")
        self.browser.key(" ")

    def test_predict_asks_before_each_delivery(self):
        self.page("predict", ENDS, "--beside", "none")
        self.browser.key("p")
        asked = []
        for _ in range(400):
            at, total = map(int, re.match(r"(\d+) of (\d+)", self.where()).groups())
            if at == total:
                break
            self.browser.key("ArrowRight")
            if self.browser.value("document.getElementById('question').hidden"):
                continue
            asked.append(self.browser.value("steps[at].e.kind"))
            self.assertEqual(int(self.where().split()[0]), at)  # it waits for the answer
            if len(asked) == 2:
                self.picture("predict")
            self.browser.key(str(self.browser.value("correct + 1")))
            self.assertEqual(int(self.where().split()[0]), at + 1)
        kinds = self.browser.value("steps.map(s => s.e.kind)")
        self.assertEqual(asked, [k for k in kinds if k in ("delivered", "terminate_sent")])
        self.assertIn("terminate_sent", asked)
        self.assertEqual(self.browser.value("document.getElementById('score').textContent"), f"{len(asked)} of {len(asked)} right")

    def test_quick_with_two_thousand_events(self):
        page = self.page("long", LONG)
        self.assertLess(page.stat().st_size, 2_500_000)
        events = self.browser.value("STORIES.reduce((n, s) => n + s.events.length, 0)")
        self.assertGreater(events, 2000)
        # a step with its layout: reading a length after it makes the browser lay the page out
        slowest = self.browser.value(
            "(() => { let worst = []; go(0); for (let i = 0; i < steps.length; i++) { const t = performance.now();"
            " go(at + 1); document.getElementById('charts').scrollTop; document.body.offsetHeight; worst.push(performance.now() - t); }"
            " worst.sort((a, b) => a - b); return [worst[worst.length >> 1], worst[Math.floor(worst.length * .99)]]; })()")
        print(f"{events} events: a step takes {slowest[0]:.1f} ms, 99 of 100 at most {slowest[1]:.1f} ms")
        self.assertLess(slowest[0], 100)


if __name__ == "__main__":
    if not browser.find():
        print("skipped: the player is tested in a browser (Debian: chromium)")
        sys.exit(77)
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        PICTURES = sys.argv.pop(1)
    unittest.main()
