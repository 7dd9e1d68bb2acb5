#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The engine in the page is the engine of the command: for all lessons, 50 random settings and all shipped captures the
text and the stories of a live page are, octet for octet, what `iwarpsim explain --set ...` and `play` give; errors are
the same sentences. A moved slider shows another run, the address is the whole state, a dropped capture is read.

  live_test.py [PICTURES]     needs chromium, and Debian's clang, lld and wasi-libc (helpers/packages/wasm.txt)
"""

import base64
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import browser
import with_engine

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = os.environ.get("IWARPSIM", str(TOP / "build" / "iwarpsim"))
LESSONS = sorted((TOP / "scenarios/lessons").glob("*/*.yaml"))
PICTURES = None
SETTINGS = 50

sys.path.insert(0, str(TOP / "helpers/live"))


def iwarpsim(*args, cwd=TOP):
    done = subprocess.run([IWARPSIM, *map(str, args)], capture_output=True, text=True, timeout=120, cwd=cwd)
    return done.returncode, done.stdout, re.sub(r"^iwarpsim \w+: ", "", done.stderr).rstrip("\n")


def stories_of(page):
    return re.search(r'<script type="application/json" id="stories">(.*?)</script>', page, re.S)[1]


class Live(unittest.TestCase):
    maxDiff = 2000

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="iwarpsim-")
        cls.folder = Path(cls.temporary.name)
        cls.browser = browser.Browser(browser.find())
        cls.pages = {}
        for scenario in LESSONS:
            page = cls.folder / f"{scenario.parent.name}-{scenario.stem}.html"
            status, _, why = iwarpsim("play", scenario.relative_to(TOP), "--live", "-o", page)
            if status == 0:
                cls.pages[scenario.relative_to(TOP)] = page
            elif status != 3 and not re.search("only world: fabric runs on a page|only one can be told", why):
                raise RuntimeError(why)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.temporary.cleanup()

    def tearDown(self):
        self.assertEqual(self.browser.errors, [])

    def open(self, scenario, words=""):
        self.browser.errors.clear()
        self.browser.open(f"{self.pages[scenario]}{words}")

    def run_in_page(self, sets=(), beside="none"):
        return self.browser.value(f"runScenario({json.dumps(list(sets))}, {json.dumps(beside)})")

    def same(self, scenario, sets, told):
        status, text, why = iwarpsim("explain", scenario, *[word for s in sets for word in ("--set", s)])
        self.assertEqual(told["good"], status == 0, (scenario, sets, told["text"][:300], why))
        self.assertEqual(told["text"], text if told["good"] else why, (scenario, sets))

    def test_lessons(self):
        self.assertGreaterEqual(len(self.pages), 12)
        for scenario, page in self.pages.items():
            with self.subTest(str(scenario)):
                self.assertLess(page.stat().st_size, 600_000)
                self.open(scenario)
                self.same(scenario, [], self.run_in_page())
                _, played, _ = iwarpsim("play", scenario, "-o", "-")
                self.assertEqual(self.browser.value("runScenario([]).stories"), stories_of(played))
                self.assertEqual(self.browser.value("document.getElementById('told').textContent"), iwarpsim("explain", scenario)[1])

    def test_random_settings(self):
        """Some cannot be: then both refuse in the same words."""
        draw, good, refused = random.Random(18), 0, 0
        scenarios = list(self.pages)
        for scenario in scenarios:
            self.open(scenario)
            controls = self.browser.value("LIVE.controls.map(c => [c.key, c.type, c.stops ? c.stops.split(' ') : c.type === 'switch' ? ['true', 'false'] : c.choices])")
            for _ in range(SETTINGS // len(scenarios) + 1):
                sets = [f"{key}={draw.choice(values)}" for key, kind, values in draw.sample(controls, draw.randint(1, 4)) if values]
                told = self.run_in_page(sets)
                self.same(scenario, sets, told)
                good, refused = good + told["good"], refused + (not told["good"])
        self.assertGreaterEqual(good + refused, SETTINGS)
        self.assertGreater(good, SETTINGS // 2)
        print(f"{good} settings told alike, {refused} refused alike")

    def test_captures(self):
        captures = sorted((TOP / "validation/interop").glob("*.pcap"))
        self.assertGreaterEqual(len(captures), 7)
        captures += sorted((TOP / "validation/interop/captures").glob("*.pcap"))[::4]
        self.open(next(iter(self.pages)))
        for capture in captures:
            with self.subTest(capture.name):
                octets = base64.b64encode(capture.read_bytes()).decode()
                told = self.browser.value(f"runCapture({json.dumps(capture.name)}, Uint8Array.from(atob('{octets}'), c => c.charCodeAt(0)))")
                status, text, why = iwarpsim("explain", capture.name, cwd=capture.parent)
                if told["good"] or "at most 2000 can be told" not in told["text"]:
                    self.assertEqual(told["good"], status == 0, told["text"])
                    self.assertEqual(told["text"], text if told["good"] else why)
        print(f"{len(captures)} captures told alike")

    def test_pcapng_too(self):
        capture = TOP / "validation/interop/d1-good.pcap"
        noted = self.folder / "noted.pcapng"
        self.assertEqual(iwarpsim("explain", capture, "--notes", noted)[0], 0)
        self.open(next(iter(self.pages)))
        octets = base64.b64encode(noted.read_bytes()).decode()
        told = self.browser.value(f"runCapture('noted.pcapng', Uint8Array.from(atob('{octets}'), c => c.charCodeAt(0)))")
        self.assertEqual(told["text"], iwarpsim("explain", "noted.pcapng", cwd=self.folder)[1])

    THIRD = Path("scenarios/lessons/03-placement-is-not-delivery/lesson.yaml")

    def test_a_moved_slider_shows_another_run(self):
        self.open(self.THIRD)
        before = self.browser.value("JSON.stringify(STORIES)")
        took = self.browser.value("""(async () => { const all = [], frame = () => new Promise(done => requestAnimationFrame(done));
          const knob = knobs.find(k => k.key === 'seed');
          set('workload.script', 'write 30000; send 9000; send 1000');
          for (let i = 0; i < 30; i++) { knob.input.value = i; const t = performance.now(); knob.input.dispatchEvent(new Event('input'));
            await frame(); document.body.offsetHeight; all.push(performance.now() - t); }
          all.sort((a, b) => a - b); return [all[15], all[29], STORIES.reduce((n, s) => n + s.events.length, 0)]; })()""")
        print(f"{took[2]} events: a moved slider is drawn in {took[0]:.0f} ms, at most {took[1]:.0f} ms")
        self.assertGreater(took[2], 400)
        self.assertNotEqual(self.browser.value("JSON.stringify(STORIES)"), before)
        sets = self.browser.value("settings()")
        self.assertEqual(self.browser.value("document.getElementById('told').textContent"),
                         iwarpsim("explain", self.THIRD, *[w for s in sets for w in ("--set", s)])[1])
        self.browser.value("document.getElementById('undo').click()")
        self.assertEqual(self.browser.value("JSON.stringify(STORIES)"), before)

    def test_a_wrong_script_is_refused_in_the_same_words(self):
        self.open(self.THIRD)
        for script in ("writ 100", "write", "write 10 to mars", "wait 5", "write 99999999999", "write 16000000"):
            with self.subTest(script):
                self.browser.value(f"(k => {{ k.input.value = {json.dumps(script)}; k.input.dispatchEvent(new Event('change')); }})(knobs.find(k => k.type === 'text')); new Promise(requestAnimationFrame)")
                said = self.browser.value("document.getElementById('wrong').textContent")
                status, _, why = iwarpsim("play", self.THIRD, "--set", "workload.script=" + script, "-o", "-")
                self.assertEqual((status, said), (2, self.browser.value(f"spoken({json.dumps(why)})")))
                self.assertNotRegex(said, r"--set|\.yaml:|workload\.script")
        self.assertGreater(self.browser.value("STORIES.length"), 0)  # what was shown stays

    def test_refusals_speak_of_controls(self):
        """Choices that go with no other setting of the lesson, and settings that contradict each other: a sentence without option, file and key."""
        self.open(self.THIRD)
        for key, value, says in (("rnic.stall.for", "5us", "\u201cStall every\u201d"), ("llp.kind", "packet", "\u201cReceive window\u201d: has no effect"), ("llp.security", "tls", "\u201cReceive path\u201d: place cannot work")):
            with self.subTest(key):
                said = self.browser.value(f"(set({key!r}, {value!r}), rerun(), document.getElementById('wrong').textContent)")
                self.assertIn(says, said)
                self.assertNotRegex(said, r"--set|\.yaml|/|\b(rnic|llp|topology|channel|workload)\.\w")
                self.browser.value("document.getElementById('undo').click()")

    def test_other_worlds_are_refused_in_words(self):
        self.open(self.THIRD)
        told = self.run_in_page(["world=simgrid", "topology.kind=cluster"])
        self.assertFalse(told["good"])
        self.assertIn("world", told["text"])
        status, _, why = iwarpsim("play", "scenarios/lessons/14-a-real-capture/../../../validation/interop/d1-good.pcap", "--live", "-o", self.folder / "x.html")
        self.assertEqual(status, 2)
        self.assertIn("--live needs a scenario", why)

    def test_the_address_is_the_whole_state(self):
        self.open(self.THIRD, "#loss=0.2&topology.delay=20us&step=9")
        self.assertEqual(self.browser.value("settings()"), ["channel.loss=0.2", "topology.delay=20us"])
        self.assertIn("loss 0.2", self.browser.value("document.getElementById('setting').textContent"))
        self.assertTrue(self.browser.value("document.getElementById('where').textContent").startswith("9 of"))
        self.browser.value("location.hash = '#seed=7&step=3'; new Promise(done => addEventListener('hashchange', () => done(), {once: true}))")
        self.assertEqual(self.browser.value("settings()"), ["seed=7"])
        self.assertTrue(self.browser.value("document.getElementById('where').textContent").startswith("3 of"))
        self.browser.value("go(5); new Promise(done => { const look = () => location.hash.includes('step=5') ? done() : setTimeout(look, 20); look(); })")
        self.assertEqual(self.browser.value("location.hash"), "#seed=7&step=5")

    def test_a_capture_is_dropped(self):
        self.open(self.THIRD)
        octets = base64.b64encode((TOP / "validation/interop/d1-good.pcap").read_bytes()).decode()
        self.browser.value(f"""(() => {{ const bag = new DataTransfer();
          bag.items.add(new File([Uint8Array.from(atob('{octets}'), c => c.charCodeAt(0))], 'd1-good.pcap'));
          document.dispatchEvent(new DragEvent('drop', {{dataTransfer: bag, bubbles: true, cancelable: true}}));
          return new Promise(done => {{ const look = () => $('title').textContent.startsWith('Capture') ? done() : setTimeout(look, 20); look(); }}); }})()""")
        self.assertEqual(self.browser.value("document.getElementById('title').textContent"), "Capture d1-good.pcap")
        self.assertEqual(self.browser.value("document.getElementById('told').textContent"), iwarpsim("explain", "d1-good.pcap", cwd=TOP / "validation/interop")[1])
        if PICTURES:
            self.browser.picture(Path(PICTURES) / "dropped.png")
        self.assertEqual(self.browser.value("readCapture(new File([], 'none.pcap')).then(() => $('wrong').textContent)"), "none.pcap is empty: a capture begins with a head of 24 octets (pcap) or more.")
        self.assertIn("Capture d1-good.pcap", self.browser.value("document.getElementById('title').textContent"))

    def test_needs_nothing_else(self):
        text = self.pages[self.THIRD].read_text()
        self.assertNotRegex(text, r'(src|href)="|url\((?!#)|@import|fetch\(|XMLHttp')
        self.assertRegex(text, r"default-src 'none'; script-src( 'sha256-[^']+'){3} 'wasm-unsafe-eval';")


if __name__ == "__main__":
    PICTURES = with_engine.ready(IWARPSIM)
    unittest.main()
