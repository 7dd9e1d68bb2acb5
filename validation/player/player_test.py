#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The page of `iwarpsim play` in a real browser: it loads without an error, steps both ways, shows the numbers of the
trace, asks, is worked from the keyboard, fits every screen, needs nothing from outside, and draws only what is in view.

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
llp: {kind: ideal}
seed: 3
topology: {rate: 10Gbps, delay: 5us, mtu: 1500}
rnic: {preset: t6, window: {bytes: 64KiB}}
channel: {loss: 0.1, reorder: {probability: 0.3, displacement: 3}}
workload: {kind: script, script: "write 9000; send 2000; send_se 100; wait; read 3000; peer send 50"}
"""
ENDS = LOSSY.replace("write 9000; send 2000; send_se 100; wait; read 3000; peer send 50", "write 3000; write 16 beyond")
LONG = """\
title: Many events
world: fabric
llp: {kind: ideal}
topology: {rate: 10Gbps, delay: 5us, mtu: 1500}
rnic: {preset: t6, window: {bytes: 64KiB}}
channel: {loss: 0.02, reorder: {probability: 0.2, displacement: 3}}
workload: {kind: stream, op: write, size: 14400B, count: 95, depth: 8}
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
        return self.browser.value(
            "[...document.querySelectorAll('.take')].map(t => Object.fromEntries("
            "[...t.querySelectorAll('dl.now dd')].map(d => [d.dataset.number + d.dataset.side, d.textContent])))")

    def test_needs_nothing_else(self):
        page = self.page("alone", LOSSY)
        text = page.read_text()
        self.assertLess(len(text), 1_000_000)
        self.assertNotRegex(text, r'(src|href)="|url\((?!#)|@import|fetch\(|XMLHttp')

    def test_steps_forward_and_back(self):
        self.page("steps", LOSSY)
        total = int(self.where().split()[-1])
        self.assertGreater(total, 60)
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
        self.browser.value("go(50)")
        self.picture("middle")

    def test_numbers_are_those_of_the_trace(self):
        """Every step's numbers, of both sides, made again from the trace alone."""
        self.page("numbers", LOSSY, "--beside", "none")
        out = self.folder / "out"
        iwarpsim("run", self.folder / "numbers.yaml", "--trace", "--out", out)
        with open(out / "trace" / "all-r0.csv") as f:
            trace = [r for r in csv.DictReader(f) if r["conn"]]
        times = self.browser.value("steps.map(s => s.t)")
        shown = self.browser.value("takes[0].state.map(s => s.sides)")
        self.assertEqual(self.browser.value("takes[0].sides"), [1, 0])  # the Read Response lands at A
        self.assertEqual(len(shown), len(times) + 1)
        for side, place in ((1, 0), (0, 1)):
            mine = [r for r in trace if int(r["side"]) == side]
            for t, state in zip(times, shown[1:]):
                before = [r for r in mine if int(r["t_ps"]) < t]
                upto = [r for r in mine if int(r["t_ps"]) <= t]
                self.check_numbers(state[place], before, upto)
            final = shown[-1][place]
            self.assertEqual(final["delivered"], sum(r["event"] == "delivered" for r in mine))
            self.assertEqual(final["acknowledged"], int([r["key"] for r in mine if r["event"] == "window"][-1]))
            self.assertEqual(final["crossings"], int([r["crossings"] for r in mine if r["crossings"]][-1]))
        self.browser.value("go(steps.length)")
        self.assertEqual(self.numbers()[0]["placed1"], str(shown[-1][0]["placed"]))
        self.assertEqual(self.numbers()[0]["placed0"], "3050")  # the Read's 3000 and the Send of 50

    def check_numbers(self, state, before, upto):
        def placed(rows):
            return sum(int(r["length"]) for r in rows if r["event"] == "placed" and r["msn"] == "")  # those into buffers, and at most all
        delivered = [sum(r["event"] == "delivered" for r in rows) for rows in (before, upto)]
        self.assertTrue(delivered[0] <= state["delivered"] <= delivered[1])
        self.assertLessEqual(state["placed"], placed(upto))
        for name, column in (("acknowledged", "key"), ("staging", "staging"), ("held", "held"), ("crossings", "crossings")):
            known = [int(r[column]) for r in upto if r[column] != "" and (name != "acknowledged" or r["event"] == "window")]
            self.assertIn(state[name], known + ([None] if name == "acknowledged" else [0]), name)

    def test_unknown_is_not_shown_as_nothing(self):
        """A capture has no staging and no memory bus; what it has, acknowledgement and window, is that of its frames."""
        page = self.folder / "capture.html"
        iwarpsim("play", TOP / "validation/interop/d1-good.pcap", "-o", page)
        self.browser.open(page)
        self.browser.value("go(steps.length)")
        numbers = self.numbers()[0]
        self.assertEqual({name[:-1] for name in numbers}, {"placed", "delivered", "flight", "acknowledged", "window"})
        self.assertEqual(numbers["flight1"], "0")
        self.assertNotIn("0", [numbers["acknowledged1"], numbers["window1"]])

    def test_what_sctp_acknowledges_is_not_all_below_a_number(self):
        self.page("sctp", LOSSY.replace("kind: ideal", "kind: sctp"), "--beside", "none")
        self.browser.value("go(steps.length)")
        shown = {name[:-1] for name in self.numbers()[0]}
        self.assertIn("window", shown)
        self.assertEqual(shown & {"acknowledged", "flight"}, set())
        self.assertEqual(self.browser.value("steps.filter(s => s.e.kind === 'lost').map(s => who(s.e) + s.e.say.slice(0, 17)).find(s => s !== 'the network LOSES') || ''"), "")

    def test_the_lessons_open(self):
        scenarios = sorted((TOP / "scenarios/lessons").glob("*/lesson.yaml"))
        self.assertGreaterEqual(len(scenarios), 12)
        for scenario in scenarios:
            with self.subTest(scenario.parent.name):
                page = self.folder / "lesson.html"
                if subprocess.run([IWARPSIM, "play", scenario, "-o", page], capture_output=True).returncode == 3:
                    continue  # its world is not built
                self.browser.open(page)
                self.browser.value("go(steps.length); go(0); go(steps.length >> 1); nextSegment(1); nextField(1)")
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

    def test_keys_of_other_keyboards(self):
        """[ and ] need AltGr on German, French and Spanish keyboards: N does it, and AltGr is no hindrance."""
        self.page("keyboards", LOSSY)
        self.browser.key("n")
        self.assertIn("A1", self.browser.value("document.getElementById('detail').textContent"))
        self.browser.value("document.dispatchEvent(new KeyboardEvent('keydown', {key: ']', ctrlKey: true, altKey: true, modifierAltGraph: true}))")
        self.assertIn("A2", self.browser.value("document.getElementById('detail').textContent"))
        self.browser.value("document.dispatchEvent(new KeyboardEvent('keydown', {key: ']', ctrlKey: true}))")
        self.assertIn("A2", self.browser.value("document.getElementById('detail').textContent"))

    # What the keys that the page knows are on four keyboards: (key, its place on an American one, with Shift).
    KEYBOARDS = {
        "American": {"answers": [(str(n), f"Digit{n}", False) for n in (1, 2, 3, 4)], ",": (",", "Comma", False), ".": (".", "Period", False)},
        "German": {"answers": [(str(n), f"Digit{n}", False) for n in (1, 2, 3, 4)], ",": (",", "Comma", False), ".": (".", "Period", False)},
        "Spanish": {"answers": [(str(n), f"Digit{n}", False) for n in (1, 2, 3, 4)], ",": (",", "Comma", False), ".": (".", "Period", False)},
        "French": {"answers": [(symbol, f"Digit{n}", False) for n, symbol in enumerate("&é\"'", 1)], ",": (",", "KeyM", False), ".": (".", "Comma", True)},
        "French, digits with Shift": {"answers": [(str(n), f"Digit{n}", True) for n in (1, 2, 3, 4)], ",": (",", "KeyM", False), ".": (".", "Comma", True)},
    }

    def test_each_keyboard_does_everything(self):
        for name, keys in self.KEYBOARDS.items():
            with self.subTest(name):
                self.page("layout", ENDS, "--beside", "none")
                self.browser.press("n", "KeyN")
                self.browser.press("n", "KeyN")
                self.assertIn("A2", self.browser.value("document.getElementById('detail').textContent"))
                self.browser.press("N", "KeyN", True)
                self.assertIn("A1", self.browser.value("document.getElementById('detail').textContent"))
                fields = []
                for key in (".", ".", ","):
                    self.browser.press(*keys[key])
                    fields.append(self.browser.value("document.getElementById('meaning').textContent"))
                self.assertNotEqual(fields[0], fields[1])
                self.assertEqual(fields[0], fields[2])
                before = self.where()
                self.browser.press("s", "KeyS")
                self.assertNotEqual(self.where(), before)
                self.browser.press("Home", "Home")
                self.browser.press("p", "KeyP")
                for answer in range(4):
                    for _ in range(400):
                        if not self.browser.value("document.getElementById('question').hidden || answered"):
                            break
                        self.browser.press("ArrowRight", "ArrowRight")
                    choices = self.browser.value("question.choices.length")
                    self.browser.press(*keys["answers"][answer])
                    self.assertEqual(self.browser.value("answered"), answer < choices)
                    if answer < choices:
                        self.assertEqual(self.browser.value("[...document.querySelectorAll('#question button')].findIndex(b => b.className === 'wrong')"),
                                         -1 if answer == self.browser.value("question.correct") else answer)

    def test_a_symbol_answers_no_question_by_itself(self):
        """Shift and a digit of an American keyboard is a symbol, and AltGr and a digit of a French one is a bracket."""
        self.page("symbols", ENDS, "--beside", "none")
        self.browser.press("p", "KeyP")
        for _ in range(400):
            if not self.browser.value("document.getElementById('question').hidden || answered"):
                break
            self.browser.press("ArrowRight", "ArrowRight")
        self.browser.press("!", "Digit1", True)
        self.browser.value("document.dispatchEvent(new KeyboardEvent('keydown', {key: '{', code: 'Digit4', modifierAltGraph: true}))")
        self.assertFalse(self.browser.value("answered"))

    def test_the_address_is_the_state(self):
        self.page("state", LOSSY)
        self.browser.value("location.hash = '#step=12&seg=A2&field=TO'; new Promise(done => addEventListener('hashchange', () => done(), {once: true}))")
        self.assertTrue(self.where().startswith("12 of"))
        self.assertIn("TO = ", self.browser.value("document.getElementById('meaning').textContent"))
        self.browser.value("go(20); new Promise(done => { const look = () => location.hash.includes('step=20') ? done() : setTimeout(look, 20); look(); })")
        self.assertIn("step=20&seg=A2&field=TO", self.browser.value("location.hash"))

    def test_setup_is_one_step_and_what_paths_share_is_told_once(self):
        self.page("shared", LOSSY)
        steps = self.browser.value("steps.map(s => [s.setup === true, s.parts.map(p => p.take), s.parts.map(p => p.e.say)])")
        self.assertTrue(steps[0][0])
        self.assertGreater(len(steps[0][2]), 4)
        self.assertFalse(any(setup for setup, _, _ in steps[1:]))
        both = [say for _, parts, say in steps[1:] if parts == [0, 1]]
        self.assertGreater(len(both), 8)
        self.assertTrue(all(a == b for a, b in both))

    def questions(self):
        return self.browser.value("[...(questionBefore(0), questions)].map(([k, q]) => ({at: k, text: q.text, nothing: q.nothing === true,"
                                  " choices: q.choices.map(c => c.text), why: q.choices.slice(1).every(c => c.why), rule: q.rule}))")

    def test_predict_asks_what_the_lessons_teach(self):
        """Where a message is complete and has to wait, "nothing" is the answer; where a segment goes; what had to come first."""
        self.page("teach", LOSSY)
        asked = self.questions()
        self.assertGreaterEqual(len(asked), 6)
        waiting = self.browser.value("takes.flatMap(x => x.story.messages.filter(m => m.delivered !== undefined && m.brought !== undefined"
                                     " && m.brought !== m.last && x.story.segments[m.brought].message !== x.story.messages.indexOf(m))).length")
        self.assertGreater(waiting, 0)
        self.assertTrue(any(q["nothing"] and q["choices"][0].startswith("nothing yet: ") for q in asked))
        self.assertTrue(any("Where does it go?" in q["text"] for q in asked))
        self.assertTrue(any("had to wait for" in q["text"] for q in asked))
        self.assertTrue(any("How many" in q["text"] or "Into how many" in q["text"] for q in asked))
        for q in asked:
            self.assertEqual(len(set(q["choices"])), len(q["choices"]), q)
            self.assertRegex(q["rule"], r"RFC \d+|: ")
            self.assertTrue(q["why"], q["text"])

    def test_predict_hides_what_is_to_come(self):
        self.page("predict", ENDS, "--beside", "none")
        self.browser.key("p")
        for _ in range(400):
            at, total = map(int, re.match(r"(\d+) of (\d+)", self.where()).groups())
            if at == total:
                break
            self.browser.key("ArrowRight")
            later = self.browser.value("[...document.querySelectorAll('#log tr')].filter((r, i) => i >= at && r.offsetHeight > 0).length")
            self.assertEqual(later, 0)
            self.assertEqual(self.browser.value("document.querySelectorAll('.future').length"), 0)
            if self.browser.value("document.getElementById('question').hidden || answered"):
                continue
            self.assertEqual(int(self.where().split()[0]), at)  # it waits for the answer
            wrong = self.browser.value("count") == 0
            self.browser.key(str(self.browser.value("(question.correct + %d) %% question.choices.length + 1" % wrong)))
            self.assertEqual(int(self.where().split()[0]), at + 1)
            said = self.browser.value("document.getElementById('question').textContent")
            self.assertIn("RFC", said)
            if wrong:
                self.picture("predict")
        count = self.browser.value("count")
        self.assertGreaterEqual(count, 4)
        self.assertIn("With which layer, type and code", self.browser.value("[...questions.values()].map(q => q.text).join()"))
        self.assertEqual(self.browser.value("document.getElementById('score').textContent"), f"{count - 1} of {count} right")

    def size(self, width, height, dark):
        self.browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
        self.browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    OVERLAPS = """(() => { const wrong = [];
      for (const box of document.querySelectorAll('#controls, dl.now, .knobs')) {
        const parts = [...box.children].filter(c => c.offsetWidth).map(c => [c.getBoundingClientRect(), c.textContent]);
        parts.forEach(([a, x], i) => parts.slice(i + 1).forEach(([b, y]) => {
          if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1) wrong.push(x + ' over ' + y); })); }
      for (const e of document.querySelectorAll('main *')) {
        const r = e.getBoundingClientRect();
        if (r.width && r.right > innerWidth + 1 && !e.closest('pre') && !e.closest('svg')) wrong.push(e.tagName + '.' + e.className + ' ends at ' + r.right); }
      for (const t of document.querySelectorAll('svg text')) if (parseFloat(getComputedStyle(t).fontSize) < 10) wrong.push('small letters: ' + t.textContent);
      return wrong; })()"""

    def test_it_fits_every_screen(self):
        """A phone, an iframe on a slide, a projector, a desk; by day and by night."""
        pages = {"two": self.page("two", LOSSY), "capture": self.folder / "capture.html"}
        iwarpsim("play", TOP / "validation/interop/d1-good.pcap", "-o", pages["capture"])
        try:
            for width, height, words in ((390, 844, ""), (960, 540, "?embed"), (1024, 768, ""), (1400, 900, "")):
                for dark in (False, True):
                    self.size(width, height, dark)
                    for name, page in pages.items():
                        with self.subTest(f"{name} {width} {dark}"):
                            self.browser.open(f"{page}{words}#step=30")
                            self.assertEqual(self.browser.value("document.documentElement.scrollWidth - innerWidth > 0"), False)
                            self.assertEqual(self.browser.value(self.OVERLAPS), [])
                            ground = self.browser.value("getComputedStyle(document.body).backgroundColor")
                            self.assertEqual(ground == "rgb(255, 255, 255)", not dark)
                            chart = self.browser.value("(r => [r.top, r.bottom, r.height])(document.querySelector('.chart').getBoundingClientRect())")
                            self.assertGreater(chart[2], 140)
                            if words:
                                self.assertLessEqual(chart[1], height)
                            self.picture(f"{name}-{width}-{'dark' if dark else 'light'}")
        finally:
            self.browser.call("Emulation.clearDeviceMetricsOverride")
            self.browser.call("Emulation.setEmulatedMedia", features=[])

    def test_prints_the_chart_up_to_the_cursor(self):
        self.page("print", LOSSY, "--beside", "none")
        self.browser.value("go(30); window.dispatchEvent(new Event('beforeprint'))")
        begun, drawn = self.browser.value("[takes[0].flights.filter(f => f.at <= 30).length, document.querySelectorAll('.segment').length]")
        self.assertGreaterEqual(drawn, begun)
        self.assertEqual(self.browser.value("Number(takes[0].root.getAttribute('height')) === printedOf()[1] && printedOf()[1] <= SHEET"), True)
        self.browser.value("window.dispatchEvent(new Event('afterprint'))")

    def test_many_events(self):
        """What is not in view is not drawn: a step costs the same in a long run."""
        self.page("long", LONG)
        events = self.browser.value("STORIES.reduce((n, s) => n + s.events.length, 0)")
        self.assertGreater(events, 15000)
        self.browser.value("go(steps.length >> 1)")
        self.assertLess(self.browser.value("document.querySelectorAll('*').length"), 6000)
        # a step with its layout: reading a length after it makes the browser lay the page out
        took = self.browser.value(
            "(() => { const all = []; for (let i = 0; i < 200; i++) { const t = performance.now();"
            " go(at + 17); document.body.offsetHeight; all.push(performance.now() - t); }"
            " all.sort((a, b) => a - b); return [all[100], all[198]]; })()")
        print(f"{events} events: a step takes {took[0]:.1f} ms, 99 of 100 at most {took[1]:.1f} ms")


if __name__ == "__main__":
    if not browser.find():
        print("skipped: the player is tested in a browser (Debian: chromium)")
        sys.exit(1 if os.environ.get("CI") else 77)
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        PICTURES = sys.argv.pop(1)
    unittest.main()
