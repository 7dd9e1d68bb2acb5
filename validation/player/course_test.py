#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""`iwarpsim course`: a folder of pages that need a browser and nothing else. On a phone, without a network, a student does a sheet and all labs; what is handed in is judged again by `exercise --verify`: full marks.

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
PICTURES = None
NIGHTLY = "IWARPSIM_NIGHTLY" in os.environ


def named(table, text):
    """The row that a question names."""
    return table[next(x for x in sorted(table, key=len, reverse=True) if re.search(rf"\b{re.escape(x)}\b", text))]


def value(column):
    return lambda table, text: named(table, text)[column]


def difference(*columns):
    return lambda table, text: round(abs(named(table, text)[columns[0]] - named(table, text)[columns[1]]), 3)


# How a student reads the answers off each lab's table.
READ = {
    1: (value("write"), lambda t, _: next(x for x, row in t.items() if row["send"] > row["write"]), value("send")),
    2: (value("place"), difference("discard", "place"), difference("hold", "place")),
    3: (value("10us"), lambda t, _: next(x for x, row in t.items() if row["5us"] <= 1.01 * min(r["5us"] for r in t.values())), difference("10us", "5us")),
    4: (value("write 100 to nothing"), lambda t, _: t["9000"]["send 5000 into 4000"] - t["9000"]["write 100 to nothing"], value("send 5000 into 4000")),
    5: (value("10Gbps"), value("40Gbps"), difference("10Gbps", "40Gbps")),
    6: (value("false"), difference("true", "false"), value("true")),
    7: (lambda t, _: t["0"]["mpa"], value("sctp"), difference("mpa", "sctp")),
    8: (value("256KiB"), lambda t, _: next(x for x, row in t.items() if row["16KiB"] > row["256KiB"]), difference("16KiB", "256KiB"))}

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
            self.assertNotIn(str(TOP), page.read_text(), page.name)
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

    def test_labs_are_done_and_handed_in(self):
        """Student 7 runs each lab to read its table, begins again, predicts and answers: full marks in the page and by the command."""
        self.labs(7)
        tables = [self.table(n) for n in range(1, 9)]
        self.assertEqual([row["write"] for row in tables[0].values()], [-(-int(x) // 1440) for x in tables[0]])
        told = iwarpsim("explain", *self.scenario({"workload.script": "write 100000", "rnic.window.bytes": "8KiB", "topology.delay": "10us"}), cwd=self.folder).stdout
        self.assertIn(tables[2]["8KiB"]["10us"], [float(t) for t in re.findall(r"^ +([\d.]+)  B ", told, re.M)])
        self.labs(7)
        for n, table in enumerate(tables, 1):
            answers = [read(table, self.text(n, k)) for k, read in enumerate(READ[n], 1)]
            self.answer(n, 1, answers[0])
            self.run_lab(n)
            for k in (2, 3):
                self.answer(n, k, answers[k - 1])
            code, said = self.mark(n)
            self.assertTrue(said.startswith("3 of 3 points"), (said, code))
            done = iwarpsim("exercise", "--verify", code)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            self.assertIn(f"Lab {n}, student 7: 3 of 3 points", done.stdout)
            wrong = iwarpsim("exercise", "--verify", re.sub(r"a2=[^&]*", "a2=777", code))
            self.assertEqual((wrong.returncode, wrong.stdout.count(". wrong:")), (1, 1), wrong.stdout)
        self.assertLessEqual(self.browser.value("document.documentElement.scrollWidth"), 390)
        self.looked_at("labs")

    def labs(self, student):
        self.browser.call("Page.navigate", url="about:blank")
        self.browser.call("Page.navigate", url=f"file://{self.out}/labs.html")
        self.wait("location.pathname.endsWith('labs.html') && document.readyState === 'complete'")
        self.put("#student", str(student), "change")
        self.wait("document.querySelectorAll('section').length === 8")

    def wait(self, what):
        for _ in range(1200):
            if self.browser.value(what):
                return
            time.sleep(0.05)
        self.fail(what)

    def text(self, lab, number):
        return self.browser.value(f"document.querySelector('#lab-{lab} [data-answer=\"{number}\"]').closest('label').firstChild.textContent")

    def answer(self, lab, number, value):
        self.put(f"#lab-{lab} [data-answer='{number}']", str(value))

    def run_lab(self, n):
        """To its end: a table of numbers, each drawn."""
        box = f"document.getElementById('lab-{n}')"
        self.browser.value(f"{box}.querySelector('button').click()")
        self.wait(f"!{box}.querySelector('.code').closest('div').hidden")
        self.assertEqual(self.browser.value(f"[...{box}.querySelectorAll('td[title]')].map(c => c.title)"), [], n)
        self.assertEqual(self.browser.value(f"{box}.querySelectorAll('circle').length"), self.browser.value(f"{box}.querySelectorAll('td').length"))

    def table(self, n):
        self.browser.value(f"document.querySelector('#lab-{n} button').click()")
        self.assertEqual(self.browser.value(f"document.querySelector('#lab-{n} [role=status]').textContent"), "First your prediction.")
        self.answer(n, 1, 1)
        self.run_lab(n)
        head, *rows = self.browser.value(f"[...document.querySelectorAll('#lab-{n} tr')].map(r => [...r.children].map(c => c.textContent))")
        return {row[0]: dict(zip(head[1:], map(float, row[1:]))) for row in rows}

    def mark(self, n):
        box = f"document.getElementById('lab-{n}')"
        self.browser.value(f"{box}.querySelector(':scope div button').click()")
        self.wait(f"/points/.test({box}.querySelector('[role=status]').textContent)")
        return self.browser.value(f"{box}.querySelector('.code').value"), self.browser.value(f"{box}.querySelector('[role=status]').textContent")

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
        for code, words in (("sheet=1000", "1 to 99"), ("sheet=0", "1 to 99"), ("sheet=x", "1 to 99"), ("sheet=98", "no lesson 98"), ("lab=9", "labs 1 to 8"), ("lab=0", "1 to 99"), ("lab=1&sheet=2", "must begin with"), ("lab=1&seed=2", "no settings"), ("student=3", "must begin with"),
                            ("sheet=3&student=-1", "whole number"), ("sheet=3&" + "x=1&" * 17, "more than 16"), ("sheet=3&a1=" + "9" * 3000, "at most 2047")):
            done = iwarpsim("exercise", "--verify", code)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), (code, done.stderr))
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    PICTURES = with_engine.ready(IWARPSIM)
    course.write(Path(IWARPSIM).with_name("course"))
    unittest.main()
