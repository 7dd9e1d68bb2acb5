#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The course can be held: every command of COURSE.md runs, every lesson is in a unit, links lead somewhere; a moment is a picture
that says what the run does."""

import re
import shlex
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

import lessons

TEXT = (lessons.LESSONS / "COURSE.md").read_text()
SVG = "{http://www.w3.org/2000/svg}"
PLACEMENT = lessons.LESSONS / "03-placement-is-not-delivery/lesson.yaml"


def commands():
    return [line for block in re.findall(r"^```sh\n(.*?)^```$", TEXT, re.M | re.S) for line in block.splitlines()]


def iwarpsim(*args, **more):
    return subprocess.run([lessons.IWARPSIM, *map(str, args)], capture_output=True, text=True, timeout=300, **more)


class Course(unittest.TestCase):
    def test_every_command_runs(self):
        self.assertGreater(len(commands()), 25)
        with tempfile.TemporaryDirectory(prefix="iwarpsim-") as folder:
            for name in ("scenarios", "validation"):
                (Path(folder) / name).symlink_to(lessons.TOP / name)
            for command in commands():
                words = shlex.split(command)
                self.assertEqual(words[0], lessons.COMMAND, command)
                with self.subTest(command):
                    done = iwarpsim(*words[1:], cwd=folder)
                    if "course" in words and done.returncode == 3 and "live.wasm" in done.stderr:
                        continue  # without the engine for pages there is no course
                    self.assertEqual(done.returncode, 0, done.stderr)
                    if "--csv" in words:
                        self.assertTrue(done.stdout.startswith("file,student,"))
                    if "--svg" in words:
                        self.assertEqual(xml.fromstring(done.stdout).tag, SVG + "svg")
            slides = sorted(str(p.relative_to(folder)) for p in Path(folder).glob("results/slides-*/*.svg"))
            self.assertGreaterEqual(len(slides), 8, slides)

    def test_every_lesson_is_in_one_unit(self):
        table = TEXT[TEXT.index("| unit"):TEXT.index("## Lab sheets")]
        named = re.findall(r"\]\(([^)]+)/README.md\)", table)
        self.assertEqual(sorted(named), [f.name for f in lessons.folders()])
        self.assertEqual(len(re.findall(r"^\| \d\. ", table, re.M)), 8)
        self.assertEqual(len(re.findall(r"^\*\*\d\.\*\* ", TEXT, re.M)), 8)

    def test_links_lead_somewhere(self):
        for name in ("COURSE.md", "GLOSSARY.md", "ANSWERS.md"):
            for link in re.findall(r"\]\(([^)#]+)", (lessons.LESSONS / name).read_text()):
                self.assertTrue("://" in link or (lessons.LESSONS / link).exists(), link)

    def test_every_question_has_an_answer(self):
        answers = (lessons.LESSONS / "ANSWERS.md").read_text()
        for folder in lessons.folders():
            part = re.search(rf"^## {int(folder.name[:2])}\n(.*?)(?=^## |\Z)", answers, re.M | re.S)
            self.assertEqual(re.findall(r"^(\d)\. ", part[1], re.M), ["1", "2", "3"], folder.name)


class Moment(unittest.TestCase):
    def draw(self, at, *more):
        done = iwarpsim("explain", PLACEMENT, "--at", at, "--svg", *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        root = xml.fromstring(done.stdout)
        return root, [t.text for t in root.iter(SVG + "text")], [r.get("fill") for r in root.iter(SVG + "rect") if r.get("height") == "34"]

    def test_what_is_where(self):
        """Lesson 3 at 36.2 us: A1, A2, A4 are in place and none may be used, A3 is lost, A6 to A10 are on their way."""
        root, words, fills = self.draw("36.2us")
        self.assertEqual(root.get("viewBox"), "0 0 960 540")
        self.assertIn("at 36.200 us", words)
        self.assertEqual([w for w in words if w in ("A6", "A7", "A8", "A9", "A10")].count("A6"), 2)
        self.assertEqual(fills[:4], ["url(#waits)", "url(#waits)", "#f6d5c3", "url(#waits)"])
        self.assertNotIn("#009E73", fills)
        self.assertTrue(any("A5 early" in w for w in words))

    def test_time_changes_it(self):
        self.assertEqual(set(self.draw("0")[2]), {"#ffffff"})
        self.assertEqual(set(self.draw("1ms")[2]), {"#009E73"})

    def test_a_title_is_only_text(self):
        with tempfile.TemporaryDirectory(prefix="iwarpsim-") as folder:
            scenario = Path(folder) / "s.yaml"
            scenario.write_text("title: '</text><script>1</script>&\"'\nworld: fabric\nworkload: {kind: script, script: \"write 9000; read 200\"}\n")
            done = iwarpsim("explain", scenario, "--at", "1ms", "--svg")
            root = xml.fromstring(done.stdout)
            self.assertEqual(root.find(SVG + "title").text, '</text><script>1</script>&"')
            self.assertEqual(list(root.iter(SVG + "script")), [])
            self.assertEqual([t.text for t in root.iter(SVG + "text") if t.text.endswith("buffers")], ["B's buffers", "A's buffers"])

    def test_captures_and_refusals(self):
        done = iwarpsim("explain", lessons.TOP / "validation/interop/d1-good.pcap", "--at", "101ms", "--svg")
        self.assertEqual(xml.fromstring(done.stdout).tag, SVG + "svg")
        for words, says in ((("--at", "1us"), "need each other"), (("--svg",), "need each other"), (("--at", "x", "--svg"), "--at takes a time"),
                            (("--size", "slide"), "--pictures"), (("--size", "huge", "--pictures", "x"), "page or slide")):
            done = iwarpsim("explain", PLACEMENT, *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(says, done.stderr)


if __name__ == "__main__":
    unittest.main()
