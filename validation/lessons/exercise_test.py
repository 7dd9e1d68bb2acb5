#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A class's exercises: no two students have the same in any lesson; what is handed in is marked by a run, and is a stranger's text;
pages and Moodle's questions hold what the sheets hold."""

import csv
import html
import io
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import lessons

CLASS = 200
EVIL = "'</pre><script>alert(1)</script>=cmd{}~\\\"'"


def exercise(*words):
    return subprocess.run([lessons.IWARPSIM, "exercise", *map(str, words)], capture_output=True, text=True, timeout=300, cwd=lessons.TOP)


def lesson(number):
    return next(lessons.LESSONS.glob(f"{number:02}-*/lesson.yaml")).relative_to(lessons.TOP)


class Exercises(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="iwarpsim-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def pages(self, file, students, *more):
        sheets = self.folder / "sheets.html"
        done = exercise(file, "--class", students, "--html", sheets, *more)
        if done.returncode == 3:
            return None
        self.assertEqual(done.returncode, 0, done.stderr)
        return sheets.read_text(), (self.folder / "sheets-keys.html").read_text()


class NoTwoAlike(Exercises):
    def test_in_no_lesson(self):
        """By what is asked and answered, without the seed and the student's number."""
        for file in sorted(lessons.LESSONS.glob("*/lesson.yaml")):
            if "world: simgrid" in file.read_text():
                continue  # a process for each run: three students in notes_test.py
            with self.subTest(file.parent.name):
                keys = [re.sub(r"student \d+", "", part) for part in self.pages(file, f"1-{CLASS}")[1].split("<section>")[1:]]
                self.assertEqual(len(keys), CLASS)
                self.assertEqual(len(set(keys)), CLASS)

    def test_a_class_has_the_sheets_of_its_students(self):
        sheets, keys = self.pages(lesson(3), "6-8", "--course", "rain")
        key = exercise(lesson(3), "--student", 7, "--course", "rain", "--answers").stdout
        for answer in re.findall(r"^   (.*)$", key, re.M)[:-1]:
            self.assertIn(html.escape(answer, quote=False), keys)
            self.assertNotIn(html.escape(answer), sheets)
        self.assertEqual(re.findall(r"student (\d+)</h1>", sheets), ["6", "7", "8"])
        self.assertEqual(re.findall(r"student (\d+)</h1>", keys), ["6", "7", "8"])

    def test_each_lesson_asks_about_its_subject(self):
        wanted = {1: "cut into exactly", 3: "first segment to be lost", 4: "placed early", 6: "Terminate", 8: "first Send leaves only", 9: "Terminate",
                  10: "before it can have heard", 15: "the last Atomic brings back", 19: "learns of all its receives", 20: "first segment to be lost", 23: "Terminate"}
        for number, words in wanted.items():
            task = exercise(lesson(number), "--student", 2).stdout
            self.assertRegex(task, rf"# Task: Change .* alone, so that .*{words}", number)


class Pages(Exercises):
    def test_a_page_each_and_only_text(self):
        evil = self.folder / "evil.yaml"
        evil.write_text(f"title: {EVIL.replace(chr(92), chr(92) * 2) if EVIL[0] == chr(34) else EVIL}\nworld: fabric\nworkload: {{kind: script, script: \"write 3000; send 500\"}}\n")
        for text in self.pages(evil, "1-3"):
            self.assertNotIn("<script", text)
            self.assertEqual(text.count("<section>"), 3)
            self.assertIn("break-after: page", text)
            self.assertIn("default-src 'none'", text)
            self.assertIn("&lt;script&gt;", text)

    def test_moodle(self):
        out = self.folder / "questions.gift"
        self.assertEqual(exercise(lesson(3), "--class", "1-2", "--gift", out).returncode, 0)
        text = out.read_text()
        self.assertEqual(re.findall(r"^\$CATEGORY: (.*)$", text, re.M), ["iwarpsim/student 1", "iwarpsim/student 2"])
        questions = re.sub(r"(?m)^\$CATEGORY: .*$", "", text).split("\n::")[1:]
        key = exercise(lesson(3), "--student", 1, "--answers").stdout
        first = [q for q in questions if ", student 1, " in q]
        self.assertEqual(len(first), len(re.findall(r"^\d\. ", key, re.M)))
        for question in questions:
            # outside of its answer nothing is left that GIFT takes for its own
            body, answer = re.match(r"(.*?)(?<!\\)\{([=#].*)\}$", question.strip(), re.S).groups()
            name, body = body.split(":: ", 1)
            self.assertEqual(re.findall(r"(?<!\\)[~=#{}]", body.removeprefix("[html]")), [])
            self.assertNotIn("\n", body)
            self.assertRegex(answer, r"\A(#\d+\.\d{3}:\d+\.\d{3}|=\*([\w./]+\*)+)\Z")
        at = float(re.search(r"^   at ([\d.]+) us; ", key, re.M)[1])
        self.assertTrue(any(abs(float(re.search(r"\{#([\d.]+):", q)[1]) - at) < .002 for q in first if "{#" in q))

    def test_what_goes_with_what(self):
        for words, says in ((("--class", "1-40"), "--html FILE or --gift"), (("--html", "x"), "--class FIRST-LAST"), (("--class", "9-1", "--html", "x"), "FIRST-LAST"),
                            (("--class", "1-4000", "--html", "x"), "at most 1000"), (("--student", "1", "--csv", "."), "--student is one"), (("--csv", "nowhere"), "cannot be read")):
            done = exercise(lesson(3), *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(says, done.stderr)
        done = exercise(lesson(3), "--class", "1-2", "--html", "/nowhere/sheets.html")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (3, 1))


class Captures(Exercises):
    """Find the fault: what the key says is what the run did, and the capture does not say it."""

    def test_a_fault_each(self):
        out = self.folder / "captures"
        done = exercise(lesson(6), "--class", "1-24", "--captures", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        keys = list(csv.DictReader((out / "keys.csv").open()))
        self.assertEqual(len(keys), 24)
        self.assertEqual(sorted(p.name for p in out.iterdir()), sorted(["keys.csv", *(k["file"] for k in keys)]))
        self.assertEqual({k["terminate"] for k in keys}, {"1/1/00", "1/1/01", "1/1/02", "1/2/02", "1/2/05", "0/1/02"})
        self.assertEqual(len({(out / k["file"]).read_bytes() for k in keys}), 24)
        for key in keys:
            with self.subTest(key["file"]):
                told = subprocess.run([lessons.IWARPSIM, "explain", out / key["file"], "--wide"], capture_output=True, text=True)
                self.assertEqual(told.returncode, 0, told.stderr)
                self.assertNotIn("(Terminate)", told.stdout)
                self.assertNotIn(key["terminate"], told.stdout)
                frame = [line for line in told.stdout.splitlines() if f"[frame {key['frame']}] sends A" in line]
                self.assertEqual(len(frame), 1, told.stdout)

    def test_what_has_no_fault(self):
        for number in (3, 10):
            done = exercise(lesson(number), "--class", "1-2", "--captures", self.folder / "c")
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))


# What solves a task; {n} is the number that it asks for.
def solution(task, key):
    number = re.findall(r"\d+", task)
    if "Terminate" in task:
        return "workload.script", {"1/1/00": "write 100 to nothing", "1/1/01": "write 5000 beyond", "1/1/02": "write 100 to foreign", "1/2/02": "send 100 unexpected",
                                   "1/2/05": "send 1000 into 500", "0/1/02": "read 100 to writable"}[re.search(r"\d/\d/\d\d", task)[0]]
    if "Atomic" in task:
        return "workload.script", f"fetch_add {number[-1]}; fetch_add 1"
    if "first reads" in task:
        return "workload.script", f"read {(int(number[-1]) - 1) * 1440 + 9}; wait; send 100"
    if "is cut into" in task:
        return "workload.script", f"write {int(number[0]) * 1440}"
    if "before it can have heard" in task:
        return "rnic.window.bytes", f"{int(number[0]) * 1460 + 200}B"
    return None


class Marks(Exercises):
    def hand_in(self, name, text):
        (self.folder / name).write_text(text)

    def marks(self, file, *more):
        done = exercise(file, "--csv", self.folder, *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {row["file"]: row for row in csv.DictReader(io.StringIO(done.stdout))}

    def sheet(self, file, student, right=True):
        """Filled in from the key."""
        text = exercise(file, "--student", student).stdout
        key = re.findall(r"^   (.*)$", exercise(file, "--student", student, "--answers").stdout, re.M)[:-1]
        for n, answer in enumerate(key, 1):
            text = text.replace(f"# Answer {n}:\n", f"# Answer {n}: {answer if right else '12345'}\n")
        return text, len(key)

    def solved(self, text):
        key, value = solution(re.search(r"# Task: (.*)", text)[1], text)
        section, name = key.split(".", 1)
        if key == "rnic.window.bytes":
            return re.sub(r"(?m)^rnic\.window\.bytes: .*$", f"rnic.window.bytes: {value}", text)
        return re.sub(r'(?m)^workload\.script: .*$', f'workload.script: "{value}"', text)

    def test_right_wrong_and_empty(self):
        file = lesson(3)
        right, questions = self.sheet(file, 7)
        self.hand_in("right.yaml", right)
        self.hand_in("wrong.yaml", self.sheet(file, 7, right=False)[0])
        self.hand_in("empty.yaml", exercise(file, "--student", 7).stdout)
        self.hand_in("other.yaml", right.replace("# Student: 7", "# Student: 8"))
        marks = self.marks(file)
        self.assertEqual([marks["right.yaml"][f"answer_{n}"] for n in range(1, questions + 1)], ["1"] * questions)
        self.assertEqual((marks["right.yaml"]["student"], marks["right.yaml"]["points"], marks["right.yaml"]["of"]), ("7", str(questions), str(questions + 2)))
        self.assertEqual([marks[f"{name}.yaml"]["points"] for name in ("wrong", "empty")], ["0", "0"])
        self.assertIn("on the sheet and not", marks["other.yaml"]["remark"])
        self.assertLess(int(marks["other.yaml"]["points"]), questions)

    def test_a_prediction_has_a_tolerance(self):
        file, text = lesson(16), exercise(lesson(16), "--student", 4).stdout
        first, last = map(float, re.search(r"us; ([\d.]+) to ([\d.]+) us counts", exercise(file, "--student", 4, "--answers").stdout).groups())
        for name, at in (("a", first + .01), ("b", last - .01), ("c", first - .01), ("d", last + .01)):
            self.hand_in(f"{name}.yaml", text.replace("# Answer 1:\n", f"# Answer 1: about {at:.3f} us\n"))
        marks = self.marks(file)
        self.assertEqual([marks[f"{n}.yaml"]["answer_1"] for n in "abcd"], ["1", "1", "0", "0"])

    def test_not_all_numbers_at_once(self):
        file = lesson(3)
        text, _ = self.sheet(file, 7)
        every = " ".join(re.findall(r"\w+", text)) + " " + " ".join(f"A{n} {n}" for n in range(1, 4000))
        self.hand_in("all.yaml", re.sub(r"(?m)^(# Answer [2-9]:).*$", lambda m: f"{m[1]} {every}"[:4000], text))
        self.assertLessEqual(int(self.marks(file)["all.yaml"]["points"]), 1)

    def test_tasks_are_judged_by_a_run(self):
        for number in (1, 6, 8, 9, 10, 15, 23):
            for student in range(1, 7):
                with self.subTest(f"{number}, student {student}"):
                    text = exercise(lesson(number), "--student", student).stdout
                    self.hand_in("hand.yaml", text)
                    self.assertEqual(self.marks(lesson(number))["hand.yaml"]["task"], "0")
                    self.hand_in("hand.yaml", self.solved(text))
                    row = self.marks(lesson(number))["hand.yaml"]
                    self.assertEqual(row["task"], "2", (re.search(r"# Task: (.*)", text)[1], row["remark"]))

    def test_tasks_by_trying(self):
        """A seed, a delay: found as a student would find them."""
        for number, key, values in ((3, "seed", range(1, 400)), (4, "seed", range(1, 400))):
            text = exercise(lesson(number), "--student", 1).stdout
            for value in values:
                self.hand_in(f"{value}.yaml", re.sub(rf"(?m)^{key}: .*$", f"{key}: {value}", text))
            self.assertIn("2", {row["task"] for row in self.marks(lesson(number)).values()}, number)
            for value in values:
                (self.folder / f"{value}.yaml").unlink()

    def test_no_other_key_may_change(self):
        text = self.solved(exercise(lesson(1), "--student", 1).stdout)
        self.hand_in("hand.yaml", re.sub(r"(?m)^topology\.mtu: .*$", "topology.mtu: 9000", text))
        row = self.marks(lesson(1))["hand.yaml"]
        self.assertEqual(row["task"], "0")
        self.assertIn("topology.mtu is", row["remark"])

    def test_strangers_files(self):
        """None is run, followed or waited for, and none reaches the table as more than a text."""
        text = exercise(lesson(3), "--student", 7).stdout
        secret = self.folder / "secret.txt"
        secret.write_text(text + "\n# a secret\n")
        (self.folder / "link.yaml").symlink_to(secret)
        os.mkfifo(self.folder / "pipe.yaml")
        (self.folder / "folder.yaml").mkdir()
        self.hand_in("large.yaml", text + "#" * 70000)
        (self.folder / "zero.yaml").write_bytes(text.encode() + b"\0")
        (self.folder / "binary.yaml").write_bytes(bytes(range(1, 256)) * 9)
        self.hand_in("nobody.yaml", text.replace("# Student: 7\n", ""))
        self.hand_in("big.yaml", text.replace("# Student: 7\n", "# Student: 99999999999999999999999\n"))
        self.hand_in("=cmd|' \"x\"!A1.yaml", text)
        self.hand_in("esc\x1b[31m\n.yaml", text)
        self.hand_in("world.yaml", re.sub(r"(?m)^world: .*$", "world: ns3", text))
        self.hand_in("many.yaml", re.sub(r"(?m)^seed: .*$", "seed: 1\nrepeat: 1000000", text))
        self.hand_in("sweep.yaml", text + "sweep: {seed: [1, 2, 3]}\n")
        self.hand_in("file.yaml", text + "workload.size.cdf: /etc/passwd\n")
        self.hand_in("alias.yaml", "# Student: 7\na: &a [x,x,x,x]\nb: &b [*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b]\n")
        done = exercise(lesson(3), "--csv", self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("\x1b", done.stdout)
        self.assertNotIn("root:", done.stdout)
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        self.assertEqual(len(rows), 15)
        self.assertEqual({(row["task"], row["points"]) for row in rows}, {("0", "0")})
        for row in rows:
            self.assertNotIn(row["file"][:1], "=+-@", row)
            self.assertNotIn(row["remark"][:1] or "x", "=+-@", row)
        remarks = {row["file"]: row["remark"] for row in rows}
        for name in ("link.yaml", "pipe.yaml", "folder.yaml", "large.yaml", "zero.yaml"):
            self.assertIn("no text file", remarks[name])
        for name in ("nobody.yaml", "big.yaml", "binary.yaml"):
            self.assertIn("# Student: N", remarks[name])
        self.assertIn("world is", remarks["world.yaml"])
        self.assertIn("several", remarks["many.yaml"] + remarks["sweep.yaml"])


if __name__ == "__main__":
    unittest.main()
