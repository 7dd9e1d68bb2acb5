#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""`iwarpsim course`: a folder of pages that need a browser and nothing else. On a phone, without a network, a student does a sheet and a
lab; what is handed in is judged again by `exercise --verify`: full marks.

  course_test.py [PICTURES]     needs chromium and the engine for pages
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import axe
import browser
import links
import with_engine

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = os.environ.get("IWARPSIM", str(TOP / "build" / "iwarpsim"))
NIGHTLY = bool(os.environ.get("IWARPSIM_NIGHTLY"))
PICTURES = None

sys.path.insert(0, str(TOP / "helpers/live"))
import course
import npm

sys.path.insert(0, str(TOP / "validation/lessons"))
import exercise_test


def iwarpsim(*words, **more):
    return subprocess.run([IWARPSIM, *map(str, words)], capture_output=True, text=True, timeout=300, **more)


class Course(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="iwarpsim-")
        cls.folder = Path(cls.temporary.name)
        cls.out = cls.folder / "site"
        done = iwarpsim("course", "--out", cls.out, "--zip", "--class", "1-3", "--course", "rain", cwd=cls.folder)
        if done.returncode:
            raise RuntimeError(done.stderr)
        cls.said = done.stdout
        cls.browser = browser.Browser(browser.find())
        cls.browser.call("Network.enable")
        cls.browser.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)
        cls.browser.call("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.temporary.cleanup()

    def tearDown(self):
        self.assertEqual(self.browser.errors, [])

    def put(self, selector, value, event="input"):
        self.browser.value(f"(() => {{ const at = document.querySelector({selector!r}); at.value = {value!r}; at.dispatchEvent(new Event({event!r})); }})()")

    def looked_at(self, name):
        """As it is now: a picture where one is asked for; at night axe-core finds nothing serious."""
        if PICTURES:
            Path(PICTURES).mkdir(parents=True, exist_ok=True)
            self.browser.picture(f"{PICTURES}/{name}.png")
        if NIGHTLY:
            with axe.Axe(self.browser, self.folder) as asked:
                self.assertEqual(asked.serious(), [], name)

    # ---- the folder ----

    def test_pages_link_to_each_other_alone_and_the_zip_holds_them(self):
        names = sorted(p.name for p in self.out.iterdir())
        self.assertIn("index.html", names)
        for page in self.out.glob("*.html"):
            self.assertLess(page.stat().st_size, 600_000, page.name)
        self.assertEqual((links.broken(self.out), links.fetched(self.out)), ([], []))
        with zipfile.ZipFile(self.out.with_suffix(".zip")) as z:
            self.assertIsNone(z.testzip())
            self.assertEqual(sorted(z.namelist()), names)
        tree = ElementTree.parse(self.out / "imsmanifest.xml")
        self.assertEqual({e.get("href") for e in tree.iter() if e.tag.endswith("}resource")}, set(names) - {"imsmanifest.xml", "index.html"})

    def test_nothing_looks_finished_where_it_is_not(self):
        """A folder that is there is refused and unchanged; one that was killed has another name and no index."""
        done = iwarpsim("course", "--out", self.out)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("is there already", done.stderr)
        for words in ((), ("--out", ""), ("--out", "x", "--class", "9-1"), ("--out", "x", "--course", "w"), ("--out", "x", "y")):
            self.assertEqual(iwarpsim("course", *words, cwd=self.folder).returncode, 2, words)
        self.assertEqual(iwarpsim("course", "--out", "/nowhere/at/all").returncode, 3)
        process = subprocess.Popen([IWARPSIM, "course", "--out", "killed"], cwd=self.folder, stdout=subprocess.DEVNULL)
        while not list(self.folder.glob("killed.*/lesson-01.html")):
            self.assertIsNone(process.poll())
            time.sleep(0.001)
        process.kill()
        process.wait()
        self.assertFalse((self.folder / "killed").exists() and not (self.folder / "killed/index.html").exists())
        for left in self.folder.glob("killed.*"):
            self.assertFalse((left / "index.html").exists())

    # ---- the test before and after ----

    def test_all_right_answers_are_ten_points(self):
        for form, (name, _) in course.TESTS.items():
            self.browser.call("Page.navigate", url=f"file://{self.out}/{name}.html")
            for _ in range(200):
                if self.browser.value(f"location.pathname.endsWith('{name}.html') && document.readyState === 'complete' && document.querySelectorAll('fieldset').length === 10"):
                    break
                time.sleep(0.05)
            self.assertEqual(len({row["topic"] for row in course.questions(form)}), 10)
            self.browser.value("document.getElementById('mark').click()")
            self.assertIn("no answer yet", self.browser.value("document.getElementById('score').textContent"))
            right = [row["right"] for row in course.questions(form)]
            for points, pick in ((10, right), (0, [row["wrong"] for row in course.questions(form)])):
                self.browser.value(f"(() => {{ const pick = {json.dumps(pick)}; document.querySelectorAll('fieldset').forEach((s, i) => [...s.querySelectorAll('label')].find(l => l.textContent.trim() === pick[i]).click()); document.getElementById('mark').click(); }})()")
                self.assertEqual(self.browser.value("document.getElementById('score').textContent"), f"{points} of 10 are right.")
            self.assertLessEqual(self.browser.value("document.documentElement.scrollWidth"), 390)
            self.looked_at(name)

    def test_where_a_run_can_decide_it_does(self):
        rows = [row for form in course.TESTS for row in course.questions(form) if row["says"] != "-"]
        self.assertGreaterEqual(len(rows), 14)
        for row in rows:
            done = iwarpsim("explain", exercise_test.lesson(int(row["lesson"])), *shlex.split(row["asked"]), cwd=TOP)
            self.assertRegex(re.sub(r"\s+", " ", done.stdout), row["says"], row["question"])

    def test_the_package_of_the_engine(self):
        out = self.folder / "npm"
        npm.write(out, Path(IWARPSIM).with_name("live.wasm"))
        self.assertLessEqual(len((out / "example.mjs").read_text().splitlines()), 20)
        if not shutil.which("node"):
            self.skipTest("node is missing")
        done = subprocess.run(["node", out / "example.mjs"], capture_output=True, text=True)
        self.assertRegex(done.stdout, r"\A\d+ segments are placed early: A\d+", done.stderr)
        if shutil.which("npm"):
            packed = subprocess.run(["npm", "pack", "--offline", "--loglevel=error", f"--cache={self.folder / 'cache'}"], cwd=out, capture_output=True, text=True)
            self.assertRegex(packed.stdout, r"\Aiwarpsim-engine-[1-9][\d.]*\.tgz\n\Z", packed.stderr)
            with tarfile.open(out / packed.stdout.strip()) as tar:
                self.assertEqual({Path(n).name for n in tar.getnames()}, {"package.json", "README.md", "index.js", "index.d.ts", "example.mjs", "live.wasm"})

    # ---- labs ----

    def test_labs_run_in_a_worker_and_draw_what_the_command_gives(self):
        """All at night; by day two. A number of the table is that of `explain`."""
        self.browser.call("Page.navigate", url=f"file://{self.out}/labs.html")
        for _ in range(200):
            if self.browser.value("location.pathname.endsWith('labs.html') && document.readyState === 'complete' && document.querySelectorAll('section').length === 8"):
                break
            time.sleep(0.05)
        for n in range(1, 9) if NIGHTLY else (1, 3):
            box = f"document.getElementById('lab-{n}')"
            self.browser.value(f"{box}.querySelector('button').click()")
            self.assertIn("First your prediction", self.browser.value(f"{box}.querySelector('[role=status]').textContent"))
            self.browser.value(f"{box}.querySelector('input').value = '5', {box}.querySelector('button').click()")
            for _ in range(1200):
                if "the run gives" in (said := self.browser.value(f"{box}.querySelector('[role=status]').textContent")):
                    break
                time.sleep(0.05)
            self.assertIn("the run gives", said)
            self.assertEqual(self.browser.value(f"[...{box}.querySelectorAll('td[title]')].map(c => c.title)"), [], n)
            cells = self.browser.value(f"[...{box}.querySelectorAll('td')].map(c => c.textContent)")
            self.assertTrue(all(re.fullmatch(r"[\d.]+", c) for c in cells), cells)
            self.assertEqual(self.browser.value(f"{box}.querySelectorAll('circle').length"), len(cells))
            if n == 1:  # 1500 less 40 of IP and TCP, 6 of MPA, 14 of DDP and RDMAP: 1440 octets of a Write in a segment
                self.assertEqual(cells[::2], [str(-(-octets // 1440)) for octets in range(1000, 9001, 1000)])
                self.assertTrue(said.startswith("\u2713 Right: the run gives 5"), said)
            if n == 3:
                told = iwarpsim("explain", *self.scenario({"workload.script": "write 100000", "rnic.window.bytes": "8KiB", "topology.delay": "10us"}), cwd=self.folder).stdout
                self.assertIn(cells[3], [t.rstrip("0").rstrip(".") for t in re.findall(r"^ +([\d.]+)  B ", told, re.M)])
        self.assertLessEqual(self.browser.value("document.documentElement.scrollWidth"), 390)
        self.looked_at("labs")

    def scenario(self, settings):
        base = {"world": "fabric", "topology.rate": "10Gbps", "topology.mtu": 1500, "llp.delayed_ack": 1, "rnic.preset": "t6", "workload.kind": "script"}
        (self.folder / "lab.yaml").write_text("".join(f"{key}: {value}\n" for key, value in {**base, **settings}.items()))
        return ["lab.yaml"]

    # ---- a sheet ----

    def key(self, number, student):
        """The answers that a teacher's key has, and the task."""
        text = iwarpsim("exercise", exercise_test.lesson(number), "--student", student, "--course", "rain", "--answers", cwd=TOP).stdout
        return re.findall(r"^\d+\. .*\n   (.*)$", text, re.M), re.search(r"^Task: (.*)$", text, re.M)[1]

    def sheet(self, number, student):
        self.browser.open(f"{self.out}/lesson-{number:02}.html")
        self.put("#sheet-student", str(student), "change")
        answers, task = self.key(number, student)
        self.assertEqual(self.browser.value("document.querySelectorAll('#sheet-body li').length"), len(answers))
        self.assertTrue(self.browser.value("$('player').hidden"), "the run is shown before the prediction")
        return answers, task

    def fill(self, answers):
        """Into the fields, the words of the key: each field takes its own from them."""
        for i, answer in enumerate(answers):
            values = re.findall(r"\d+/\d+/\w+|\w+ \.\. \w+|\b(?:c\d+\.)?[AB]\d+\b|\b0x\w+|\d+(?:\.\d+)?", re.sub(r"the last one, \S+", "", answer))
            for k in range(self.browser.value(f"sheet.fields[{i}].length")):
                self.put(f"#a{i + 1}-{k + 1}", values[k])
        self.browser.value("$('sheet-predict').click()")
        self.assertFalse(self.browser.value("$('player').hidden"))

    def hand_in(self):
        self.browser.value("$('sheet-judge').click()")
        return self.browser.value("$('sheet-code').value"), self.browser.value("$('sheet-verdict').textContent")

    def test_a_sheet_is_done_and_handed_in(self):
        answers, task = self.sheet(10, 2)
        code, verdict = self.hand_in()
        self.assertTrue(verdict.startswith("0 of"), verdict)
        self.fill(answers)
        self.looked_at("sheet")
        change = exercise_test.solution("# Task: " + task, "")
        for key, value in (change if isinstance(change, dict) else dict([change])).items():
            self.browser.value(f"(set({key!r}, {value!r}), rerun())")
        code, verdict = self.hand_in()
        most = len(answers) + 2
        self.assertTrue(verdict.startswith(f"{most} of {most} points"), (verdict, code))
        done = iwarpsim("exercise", "--verify", code, "--course", "rain", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(f"Lesson 10, student 2: {most} of {most} points", done.stdout)
        for wrong in (code.replace("student=2", "student=3"), re.sub(r"a2=[^&]*", "a2=1", code), code + "&seed=9"):
            self.assertEqual(iwarpsim("exercise", "--verify", wrong, "--course", "rain", cwd=self.folder).returncode, 1, wrong)
        self.assertEqual(iwarpsim("exercise", "--verify", code, cwd=self.folder).returncode, 1)

    def test_codes_that_are_none(self):
        for code, words in (("sheet=1000", "1 to 99"), ("sheet=0", "1 to 99"), ("sheet=x", "1 to 99"), ("sheet=98", "no lesson 98"), ("lab=1", "must begin with"), ("student=3", "must begin with"),
                            ("sheet=3&student=-1", "whole number"), ("sheet=3&" + "x=1&" * 17, "more than 16"), ("sheet=3&a1=" + "9" * 3000, "at most 2047")):
            done = iwarpsim("exercise", "--verify", code)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), (code, done.stderr))
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    PICTURES = with_engine.ready(IWARPSIM)
    course.write(Path(IWARPSIM).with_name("course"))
    unittest.main()
