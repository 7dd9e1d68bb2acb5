#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The lessons' pages in a real browser: each opens by itself, with its text, a tour whose every stop happens, three
questions with folded answers and ways to the others; it fits a phone, a slide's frame, a projector and a desk, by day and
by night; axe-core finds nothing serious.

  pages_test.py [PICTURES]     needs chromium; axe-core is the file that IWARPSIM_AXE names, or comes by npm (axe.py)
"""

import base64
import html
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from xml.etree import ElementTree

import axe
import browser
import player_test

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = os.environ.get("IWARPSIM", str(TOP / "build" / "iwarpsim"))
PICTURES = None
NIGHTLY = bool(os.environ.get("IWARPSIM_NIGHTLY"))
SIZES = ((390, 844, ""), (960, 540, "?embed"), (1024, 768, ""), (1400, 900, ""))

sys.path.insert(0, str(TOP / "helpers/live"))
import build as engine
import pages as lessons

sys.path.insert(0, str(TOP / "validation/lessons"))
import challenge_test


# What the right choice of a question has in common with the question, and no wrong choice has: the choice is named there.
NAMED = """[...(questionBefore(0), questions)].map(([k, q]) => {
  const words = text => (text.toLowerCase().match(/[a-z]{4,}|[a-z]*\\d[\\w/]*/g) || []).filter(w => !/^(with|nothing|stream|does|cannot)$/.test(w));
  const [right, ...wrong] = q.choices.map(c => words(c.text));
  const named = right.filter(w => words(q.text).includes(w) && !wrong.some(c => c.includes(w)));
  return [q.text, named.join(' '), q.choices.length, new Set(q.choices.map(c => c.text)).size];
})"""


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if PICTURES:
            Path(PICTURES).mkdir(parents=True, exist_ok=True)
        cls.temporary = tempfile.TemporaryDirectory(prefix="iwarpsim-")
        cls.folder = Path(cls.temporary.name)
        cls.out = cls.folder / "lessons"
        cls.written = lessons.write(IWARPSIM, cls.out)
        cls.browser = browser.Browser(browser.find())

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.temporary.cleanup()

    def tearDown(self):
        self.browser.call("Emulation.clearDeviceMetricsOverride")
        self.browser.call("Emulation.setEmulatedMedia", features=[])
        self.assertEqual(self.browser.errors, [])

    def page(self, folder):
        return self.out / lessons.page_of(folder)

    def test_each_has_its_parts_and_every_stop_of_its_tour_happens(self):
        self.assertGreaterEqual(len(self.written), 22)
        for folder in self.written:
            with self.subTest(folder.name):
                self.browser.open(self.page(folder))
                about = self.browser.value("ABOUT")
                self.assertEqual(about["title"], self.browser.value("document.getElementById('title').textContent"))
                self.assertEqual([len(q) for q in about["questions"]], [2, 2, 2])
                self.assertEqual(self.browser.value("document.querySelectorAll('#lesson details details').length"), 3)
                self.assertEqual(self.browser.value("document.querySelectorAll('#lesson details[open]').length"), 0)
                self.assertTrue(about["aim"] and about["see"] and about["tour"])
                self.assertEqual(len(about["tables"]), {"18": 1, "24": 1}.get(folder.name[:2], 0))
                self.assertEqual(self.browser.value("[...document.querySelectorAll('#lesson tr')].map(r => r.cells.length)"),
                                 [len(row) for _, head, rows in about["tables"] for row in [head, *rows]])
                for name in ("*", "`", "]("):
                    self.assertNotIn(name, self.browser.value("document.getElementById('lesson').textContent"))
                for link in self.browser.value("[...document.querySelectorAll('a')].map(a => a.getAttribute('href'))"):
                    self.assertTrue((self.out / link.split("#")[0]).exists() or link.startswith("https://"), link)
                self.assertEqual(self.browser.value("LIVE !== null"), engine.missing() == "" and folder.name[:2] not in ("13", "14"))
                self.predicts(folder)
                self.assertEqual(self.browser.value("stops.filter(s => !stepOf(s)).map(s => s.at)"), [])
                for number in range(1, self.browser.value("stops.length") + 1):  # it opens at the first
                    self.browser.value(f"{number} > 1 && document.getElementById('stop-next').click()")
                    self.assertTrue(self.browser.value("document.getElementById('stop').textContent").startswith(f"{number} of"))
                    self.assertEqual(self.browser.value("stepOf(stops[stopAt]) - at"), 0)

    NOUNS = {"20": ("line.ack.behind", 8), "12": ("line.ack.behind", 3), "10": ("polyline.edge", 1), "06": ("tr.region", 3), "17": ("tr.region", 4), "23": ("tr.region", 2), "04": ("rect.waits", 1)}

    def test_what_a_lesson_is_about_is_in_its_picture(self):
        """Acknowledgements that report a hole, the right edge, regions, what waits: as many as the story has at that moment."""
        player_test.Player.size(self, 1440, 900, False)
        for number, (what, least) in self.NOUNS.items():
            with self.subTest(number):
                self.browser.open(f"{self.page(next(f for f in self.written if f.name.startswith(number)))}#step=1")
                self.browser.value("go(steps.findIndex(s => s.e.kind === 'resent') + 1 || steps.length); document.getElementById('regions').open = true; drawRegions()")
                self.assertGreaterEqual(self.browser.value(f"document.querySelectorAll('#stage {what}, #regions {what}').length"), least)
                self.assertEqual(self.browser.value("takes[0].acks.filter(a => a.to <= a.from).length"), 0)
        regions = "[...document.querySelectorAll('tr.region')].map(r => [...r.cells].map(c => c.textContent).join(' '))"
        self.browser.open(f"{self.page(self.written[5])}#step=1")
        self.browser.value("document.getElementById('regions').open = true; go(steps.findIndex(s => s.e.kind === 'left' && s.e.say.includes('A3')) + 1)")
        self.assertRegex("\n".join(self.browser.value(regions)), "0x4db7bc6b B 2 remote read, remote write 50000 .. 54095 this segment names it")

    @unittest.skipIf(engine.missing(), "without the engine there is no page of many hosts")
    def test_queues_are_in_the_picture_that_lesson_22_leads_to(self):
        self.browser.open(self.page(next(f for f in self.written if f.name.startswith("22"))))
        incast = next(a for a in self.browser.value("[...document.querySelectorAll('#lesson a')].map(a => a.getAttribute('href'))") if "incast" in a)
        self.browser.open(self.out / incast)
        for condition in ("views[0].record.end !== null", "setClock(100e6), views[0].record.frames.length > 0 && isExact(views[0])"):
            for _ in range(600):
                if self.browser.value(condition):
                    break
                time.sleep(0.05)
        self.assertRegex(self.browser.value("views[0].queues.textContent"), r"edge\d+ to host\d+: \d+ octets in \d+ packets")

    def test_the_moment_moves(self):
        self.browser.open(f"{self.page(self.written[2])}#step=1")
        where = "drawScene(takes[0], {}), [...takes[0].scene.querySelectorAll('rect.packet')].map(r => Number(r.getAttribute('x')))"
        first, second = (self.browser.value(where.format(t)) for t in (27_000_000, 27_500_000))
        self.assertGreater(len(first), 2)
        self.assertTrue(all(b > a for a, b in zip(first, second)), (first, second))
        self.browser.value("go(steps.findIndex(s => s.e.kind === 'resent') + 1)")
        self.assertEqual(self.browser.value("document.querySelector('.strip svg').getAttribute('aria-label')"), "B's buffers: delivered: nothing; placed, not delivered: 0-2879, 4320-11999")

    def test_a_moment_is_saved_as_svg_and_png(self):
        """It needs nothing beside it, and has the packets, the parts of buffers and the words of the page."""
        self.browser.open(f"{self.page(self.written[2])}#step=40")
        text = self.browser.value("pictureOfNow()")
        tree = ElementTree.fromstring(text)
        self.assertEqual(re.findall(r"(?:href|src)=|url\((?!#)|@import", text), [])
        kinds = [e.get("class") for e in tree.iter()]
        for kind in ("packet", "in-place", "ack behind"):
            self.assertGreater(kinds.count(kind), 0, kind)
        self.assertEqual(kinds.count("packet"), self.browser.value("document.querySelectorAll('#stage rect.packet').length"))
        said = re.sub(r"\s+", " ", " ".join(e.text or "" for e in tree.iter() if e.tag.endswith("}text")))
        self.assertIn(re.sub(r"\s+", " ", self.browser.value("document.getElementById('said').textContent")), said)
        png = base64.b64decode(self.browser.value("paintedOf(pictureOfNow()).then(b => new Promise(done => { const r = new FileReader(); r.onload = () => done(r.result); r.readAsDataURL(b); }))").split(",")[1])
        self.assertEqual((png[:8], int.from_bytes(png[16:20], "big")), (b"\x89PNG\r\n\x1a\n", 1320))
        if PICTURES:
            (Path(PICTURES) / "saved.png").write_bytes(png)

    def test_saved_steps_move_as_the_page_does(self):
        """At each of its steps the packets are where the page draws them, and the parts of the buffer what they are there."""
        self.browser.open(f"{self.page(self.written[2])}#step=20")
        first, steps = 20, (20, 27, 33, 40)
        self.browser.value("document.getElementById('speed').value = '1'")
        film = self.browser.value(f"filmFrom({first}, 25)")
        at = "go({0}), drawScene(takes[0], steps[{0} - 1].t), [[...takes[0].scene.querySelectorAll('rect.packet')].map(r => Number(r.getAttribute('x'))).sort((a, b) => a - b), takes[0].buffers.find(b => b.drawn).strip.querySelectorAll('.in-place, .usable').length]"
        page = [self.browser.value(at.format(step)) for step in steps]
        (self.folder / "film.svg").write_text(film)
        self.browser.call("Page.navigate", url=f"file://{self.folder}/film.svg")
        for _ in range(200):
            if self.browser.value("document.documentElement.tagName === 'svg' && document.readyState === 'complete'"):
                break
            time.sleep(0.05)
        seen = "(async root => { root.pauseAnimations(); root.setCurrentTime(%s); for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame); const there = e => Number(getComputedStyle(e).opacity) === 1; return [[...root.querySelector('.scene').querySelectorAll('rect.packet')].filter(there).map(r => r.x.animVal.value).sort((a, b) => a - b), [...root.querySelector('g.strip').querySelectorAll('.in-place, .usable')].filter(there).length]; })(document.documentElement)"
        for step, (packets, parts) in zip(steps, page):
            moved, there = self.browser.value(seen % (step - first + 0.002))
            self.assertGreater(len(packets), 2)
            self.assertEqual(len(moved), len(packets), step)
            for a, b in zip(moved, packets):
                self.assertAlmostEqual(a, b, delta=1)
            self.assertEqual(there, parts, step)

    def test_the_address_of_a_moment_opens_it_in_a_frame(self):
        self.browser.open(f"{self.page(self.written[2])}#step=40&seg=A4")
        frame = html.unescape(self.browser.value("document.getElementById('save').open = true, frameOf()"))
        self.assertRegex(frame, r'\A<iframe src="file://\S+lesson-03\.html\?embed#[^"<>]*step=40&seg=A4[^"<>]*" width="960" height="540"></iframe>\Z')
        player_test.Player.size(self, 960, 540, False)
        self.browser.open(re.search(r'src="file://([^"]*)', frame)[1])
        self.assertEqual(self.browser.value("[at, getComputedStyle(document.getElementById('save')).display]"), [40, "none"])
        self.assertLessEqual(self.browser.value("document.querySelector('.chart').getBoundingClientRect().bottom"), 540)

    def test_a_phone_opens_at_the_first_stop_with_large_targets(self):
        player_test.Player.size(self, 390, 844, False)
        self.browser.open(self.page(self.written[2]))
        self.assertTrue(self.browser.value("document.getElementById('stop').textContent").startswith("1 of"))
        top, bottom = self.browser.value("(r => [r.top, r.bottom])(document.querySelector('.chart').getBoundingClientRect())")
        self.assertGreater(min(bottom, 844) - max(top, 0), 300)
        small = "[...document.querySelectorAll('button, select, summary, input:not([type=checkbox]), label.soft, nav a')].filter(e => e.offsetHeight && e.getBoundingClientRect().height < 44).map(e => e.outerHTML.slice(0, 90))"
        self.assertEqual(self.browser.value(small), [])

    def test_what_is_printed_is_short_and_unfolded(self):
        for folder in self.written if NIGHTLY else [self.written[21]]:
            self.browser.open(f"{self.page(folder)}#step=99999")
            paper = base64.b64decode(self.browser.call("Page.printToPDF", paperWidth=8.27, paperHeight=11.69)["data"])
            self.assertLessEqual(len(re.findall(rb"/Type\s*/Page\b", paper)), 4, folder.name)
        self.browser.value("window.dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(self.browser.value("document.querySelectorAll('#lesson details:not([open])').length"), 0)
        self.browser.value("window.dispatchEvent(new Event('afterprint'))")
        self.assertEqual(self.browser.value("document.querySelectorAll('#lesson details[open]').length"), 0)

    def predicts(self, folder):
        asked = self.browser.value(NAMED)
        self.assertGreaterEqual(len(asked), 4, folder.name)
        self.assertEqual([(text, named) for text, named, *_ in asked if named or "receive " in text], [])
        self.assertEqual([text for text, _, choices, different in asked if choices < 3 or different < choices], [])

    def sized(self, number, dark):
        """The lessons on a screen of SIZES: at night all by day, and one by night; else on a phone all, on each other screen a third."""
        return self.written[2:3] if dark else self.written if NIGHTLY or number == 0 else self.written[number - 1::len(SIZES) - 1]

    def test_the_address_leads_from_the_index_to_the_lesson(self):
        self.browser.call("Page.navigate", url=f"file://{self.out}/index.html#lesson=3&loss=0.2&step=7")
        for _ in range(200):
            time.sleep(0.05)
            if self.browser.value("location.pathname.endsWith('lesson-03.html') && document.getElementById('where')?.textContent.startsWith('7 of')"):
                break
        self.assertIn("lesson-03.html", self.browser.value("location.href"))
        if not engine.missing():
            self.assertEqual(self.browser.value("settings()"), ["channel.loss=0.2"])

    @unittest.skipIf(engine.missing(), "without the engine there are no challenges")
    def test_challenges_are_judged_in_the_page_as_by_the_command(self):
        page = self.out / "challenges.html"
        self.browser.open(page)
        self.assertEqual(self.browser.value("challenges.length"), len(challenge_test.OF_PAIR))
        begin = {k: v for k, _, _, v in self.browser.value("LIVE.given")}
        self.assertEqual({s.split("=", 1)[0]: s.split("=", 1)[1] for s in self.browser.value("challenges[1].base")}, {k: v for k, v in begin.items() if k != "title"} | {"workload.kind": "script"})
        for number, settings in challenge_test.OF_PAIR.items():
            with self.subTest(number):
                code = challenge_test.code(number, settings)
                self.browser.value(f"location.hash = '#{code}'; new Promise(done => addEventListener('hashchange', () => done(), {{once: true}}))")
                self.assertEqual(self.browser.value("document.getElementById('wrong').textContent"), "")
                self.browser.value("document.getElementById('judge').click()")
                said = self.browser.value("document.getElementById('verdict').textContent")
                self.assertTrue(said.startswith("\u2713 solved: "), said)
                handed_in = self.browser.value("document.getElementById('code').value")
                self.assertEqual(challenge_test.verify(handed_in).stdout.splitlines()[-1], said[2:])
                free = self.browser.value("knobs.filter(k => !k.input.disabled).map(k => k.key)")
                self.assertEqual(sorted(free), sorted(self.browser.value("challenge.keys").split()))
        self.assertEqual(self.browser.value("judgeCode('challenge=2&topology.delay=1us').verdict"), -1)
        if PICTURES:
            self.browser.picture(Path(PICTURES) / "challenge.png")

    def tasks(self):
        """Pages that are no lesson: the challenges, the cluster."""
        return [] if engine.missing() else [self.out / "challenges.html", self.out / "network.html"]

    def test_they_fit_every_screen(self):
        for number, (width, height, words) in enumerate(SIZES):
            for dark in (False, True):
                player_test.Player.size(self, width, height, dark)
                for page in map(self.page, self.sized(number, dark)):
                    with self.subTest(f"{page.name} {width} {dark}"):
                        self.browser.open(f"{page}{words}#step=20")
                        self.fits(page, width, dark)
                        if words:
                            self.assertLessEqual(self.browser.value("document.querySelector('.chart').getBoundingClientRect().bottom"), height)

    def test_tasks_fit_every_screen(self):
        self.assertTrue(self.tasks() or engine.missing())
        for width, height, words in SIZES:
            for dark in (False, True):
                player_test.Player.size(self, width, height, dark)
                for page in self.tasks():
                    with self.subTest(f"{page.name} {width} {dark}"):
                        self.browser.open(f"{page}{words}")
                        self.fits(page, width, dark)
                        ground = self.browser.value("getComputedStyle(document.body).backgroundColor")
                        self.assertEqual(ground == "rgb(255, 255, 255)", not dark)
                        if page.stem == "challenges":
                            self.assertTrue(self.browser.value("(r => r.width > 0 && r.top >= 0 && r.left < innerWidth)(document.getElementById('task').getBoundingClientRect())"))
                        if page.stem == "network":
                            self.assertEqual(self.browser.value("document.getElementById('player').offsetHeight"), 0)
                            self.assertGreater(self.browser.value("document.querySelector('canvas.cluster').clientHeight"), 200)

    def fits(self, page, width, dark):
        self.assertFalse(self.browser.value("document.documentElement.scrollWidth > innerWidth"))
        self.assertEqual(self.browser.value(player_test.Player.OVERLAPS), [])
        if PICTURES:
            self.browser.picture(Path(PICTURES) / f"{page.stem}-{width}-{'dark' if dark else 'light'}.png")

    def asked(self):
        """What axe reads: three lessons and the tasks, at night all that has a page."""
        some = [(self.page(self.written[2]), "#step=40"), (self.page(self.written[6]), "#step=40&predict=1"), (self.page(self.written[-1]), "#step=9&seg=A2")]
        rest = [(self.page(folder), "#step=9") for folder in self.written] + [(self.page(self.written[2]), "?embed#step=40")]
        return some + [(page, "") for page in self.tasks()] + (rest + [(page, "") for page in self.others()] if NIGHTLY else [])

    def others(self):
        """The index; a story alone; sheets of a class, and their keys."""
        lesson, story, sheets = self.written[4] / "lesson.yaml", self.folder / "story.html", self.folder / "sheets.html"
        subprocess.run([IWARPSIM, "play", lesson, "-o", story], check=True, capture_output=True)
        subprocess.run([IWARPSIM, "exercise", lesson, "--class", "1-3", "--html", sheets], check=True, capture_output=True)
        return [self.out / "index.html", story, sheets, self.folder / "sheets-keys.html"]

    def test_axe_finds_nothing_serious(self):
        with axe.Axe(self.browser, self.folder) as asked:
            for width, dark in ((1400, True), (390, False), *([(1400, False), (390, True)] if NIGHTLY else [])):
                player_test.Player.size(self, width, 900, dark)
                for page, words in self.asked():
                    self.browser.open(f"{page}{words}")
                    self.assertEqual(asked.serious(), [], (page.name, width, dark))
            self.assertEqual(asked.finds(), ["image-alt"])


if __name__ == "__main__":
    if not browser.find():
        print("skipped: the pages are tested in a browser (Debian: chromium)")
        sys.exit(1 if os.environ.get("CI") else 77)
    wrong = "" if engine.missing() else engine.build(Path(IWARPSIM).parent)
    if wrong:
        sys.exit(wrong)
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        PICTURES = sys.argv.pop(1)
    unittest.main()
