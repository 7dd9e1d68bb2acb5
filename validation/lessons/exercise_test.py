#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A class's exercises: no two students have the same in any lesson; what is handed in is marked by a run, and is a stranger's text;
pages and Moodle's questions hold what the sheets hold."""

import csv
import html
import io
import os
import re
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

import lessons

NIGHTLY = bool(os.environ.get("IWARPSIM_NIGHTLY"))
CLASS = 200 if NIGHTLY else 60
EVIL = "'</pre><script>alert(1)</script>=cmd{}~\\\"'"


def students(most):
    """Whose tasks are solved: two of them by day, at night so many."""
    return range(1, most + 1 if NIGHTLY else 3)


def exercise(*words):
    return subprocess.run([lessons.IWARPSIM, "exercise", *map(str, words)], capture_output=True, text=True, timeout=300, cwd=lessons.TOP)


CAPTURE = "scenarios/lessons/14-a-real-capture/capture.yaml"


def packets(path):
    """Of a capture of our own, in this computer's byte order."""
    data, at = path.read_bytes(), 24
    while at < len(data):
        have = struct.unpack_from("=I", data, at + 8)[0]
        yield data[at + 16:at + 16 + have]
        at += 16 + have


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
            if lessons.missing(file.parent):
                continue
            with self.subTest(file.parent.name):
                keys = [re.sub(r"student \d+", "", part) for part in self.pages(file, f"1-{CLASS}")[1].split("<section>")[1:]]
                self.assertEqual(len(keys), CLASS)
                self.assertEqual(len(set(keys)), CLASS)

    def test_in_no_capture(self):
        """Lesson 14 has captures in place of sheets: neither two keys nor two files are alike."""
        out = self.folder / "captures"
        self.assertEqual(exercise(CAPTURE, "--class", f"1-{CLASS}", "--captures", out).returncode, 0)
        keys = [line.split(",", 2)[2] for line in (out / "keys.csv").read_text().splitlines()[1:]]
        self.assertEqual((len(keys), len(set(keys))), (CLASS, CLASS))
        self.assertEqual(len({p.read_bytes() for p in out.glob("*.pcap")}), CLASS)

    def test_each_lesson_has_one_or_the_other(self):
        for folder in lessons.folders():
            self.assertTrue((folder / "lesson.yaml").exists() or (folder / "capture.yaml").exists(), folder.name)

    def test_a_class_has_the_sheets_of_its_students(self):
        sheets, keys = self.pages(lesson(3), "6-8", "--course", "rain")
        key = exercise(lesson(3), "--student", 7, "--course", "rain", "--answers").stdout
        for answer in re.findall(r"^   (.*)$", key, re.M)[:-1]:
            self.assertIn(html.escape(answer, quote=False), keys)
            self.assertNotIn(html.escape(answer), sheets)
        self.assertEqual(re.findall(r"student (\d+)</h1>", sheets), ["6", "7", "8"])
        self.assertEqual(re.findall(r"student (\d+)</h1>", keys), ["6", "7", "8"])
        self.assertEqual(re.findall(r'href="([^"]*)"', sheets + keys), [f"lesson-03.html#sheet={n}" for n in (6, 7, 8)])

    def test_only_what_a_course_has_is_linked(self):
        """Neither a scenario of one's own, nor other settings, nor a world that pages have not."""
        own = self.folder / "03-own.yaml"
        own.write_text((lessons.TOP / lesson(3)).read_text())
        for file, more in ((own, ()), (lesson(3), ("--set", "topology.delay=7us")), (lesson(13), ())):
            if pages := self.pages(file, "1-1", *more):
                self.assertNotIn("href=", pages[0], file)

    SUBJECTS = {1: "cut into exactly", 2: "cut into exactly", 3: "first segment to be lost", 4: "placed early", 5: "first segment to be lost", 6: "Terminate",
                7: "complete at B, and then the stream ends with the Terminate", 8: "first Send leaves only", 9: "Terminate", 10: "before it can have heard",
                11: "first segment to be lost", 12: "on whichever connection", 13: "complete at its receiver between", 15: "the last Atomic brings back",
                16: "crosses memory three times", 17: "what it knows of the STag", 18: "the last Atomic brings back", 19: "learns of all its receives",
                20: "first segment to be lost", 21: "on whichever connection", 22: "incast", 23: "Terminate", 24: "first segment to be lost",
                25: "TLS protects the packets", 26: "by a way that is never early", 27: "though the links stay down",
                28: "(before it can have heard|placed early)"}

    def test_each_lesson_asks_about_its_subject(self):
        """A prediction first, and a task about what the lesson is about."""
        self.assertEqual({int(f.name[:2]) for f in lessons.folders()} - set(self.SUBJECTS), {14})
        for number, words in self.SUBJECTS.items():
            if lessons.missing(lessons.TOP / lesson(number).parent):
                continue
            sheet = exercise(lesson(number), "--student", 2).stdout
            self.assertRegex(sheet, rf"# Task: Change .* alone, so that .*{words}", number)
            self.assertIn("\n# 1. Predict before you run it: ", sheet, number)


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
            self.assertRegex(answer, r"\A(#\d+\.\d{3}:\d+\.\d{3}|=[^~=#{}*]+(=[^~=#{}*]+)+)\Z")  # no wildcard, which would take A12 for A1
        at = float(re.search(r"^   at ([\d.]+) us; ", key, re.M)[1])
        self.assertTrue(any(abs(float(re.search(r"\{#([\d.]+):", q)[1]) - at) < .002 for q in first if "{#" in q))

    CLOZE = re.compile(r"\{1:(NUMERICAL|SHORTANSWER):((?:[^{}\\]|\\.)*)\}")

    def test_moodle_xml(self):
        """Fields of cloze, one for each part of an answer, that hold the key's and have no wildcard; a stranger's title stays text."""
        for file in (lesson(3), lesson(7)):
            out = self.folder / "questions.xml"
            self.assertEqual(exercise(file, "--class", "1-2", "--moodle", out).returncode, 0)
            questions = [q for q in ElementTree.parse(out).getroot() if q.get("type") == "cloze" and ", student 1, " in q.find("name/text").text]
            keys = re.findall(r"^\d+\. .*\n   (.*)$", exercise(file, "--student", 1, "--answers").stdout, re.M)
            self.assertEqual(len(questions), len(keys))
            for question, key in zip(questions, keys):
                fields = self.CLOZE.findall(question.find("questiontext/text").text)
                self.assertTrue(fields)
                for kind, text in fields:
                    self.assertNotIn("*", text)
                    value = re.match(r"=((?:[^~:\\]|\\.)*)", text)[1].replace("\\", "")
                    self.assertTrue(value in key or kind == "NUMERICAL" and any(abs(float(n) - float(value)) < .002 for n in re.findall(r"[\d.]*\d", key)), (value, key))
        evil = self.folder / "evil.yaml"
        evil.write_text(f"title: {EVIL[:-1]}{{1:SHORTANSWER:=x}}'\nworld: fabric\nworkload: {{kind: script, script: \"write 3000; send 500\"}}\n")
        self.assertEqual(exercise(evil, "--class", "1-1", "--moodle", out).returncode, 0)
        for question in ElementTree.parse(out).iter("questiontext"):
            outside = self.CLOZE.sub("", question.find("text").text)
            self.assertEqual([c for c in "{}" if c in outside] + re.findall("<script", outside), [])

    def test_what_goes_with_what(self):
        for words, says in ((("--class", "1-40"), "--html FILE or --gift"), (("--html", "x"), "--class FIRST-LAST"), (("--class", "9-1", "--html", "x"), "FIRST-LAST"),
                            (("--class", "1-4000", "--html", "x"), "at most 1000"), (("--student", "1", "--csv", "."), "--student is for one"), (("--csv", "nowhere"), "cannot be read")):
            done = exercise(lesson(3), *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(says, done.stderr)
        done = exercise(lesson(3), "--class", "1-2", "--html", "/nowhere/sheets.html")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (3, 1))


class Captures(Exercises):
    """Read a capture and find the fault: what the key says is what the run did, and the capture does not say it."""

    def make(self, students):
        out = self.folder / "captures"
        done = exercise(CAPTURE, "--class", students, "--captures", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        return out, list(csv.DictReader(io.StringIO((out / "keys.csv").read_text())))

    def test_a_fault_each(self):
        out, keys = self.make("1-24")
        self.assertEqual(len(keys), 24)
        names = [k["file"] for k in keys]
        self.assertEqual(sorted(p.name for p in out.iterdir()), sorted(["keys.csv", *names, *(n.replace(".pcap", ".txt") for n in names)]))
        self.assertEqual({k["answer_6"] for k in keys}, {"1/1/00", "1/1/01", "1/1/02", "1/2/02", "1/2/05", "0/1/02"})
        for key in keys:
            with self.subTest(key["file"]):
                told = subprocess.run([lessons.IWARPSIM, "explain", out / key["file"], "--wide"], capture_output=True, text=True)
                self.assertEqual(told.returncode, 0, told.stderr)
                self.assertNotIn("(Terminate)", told.stdout)
                self.assertNotIn(key["answer_6"], told.stdout)
                frame = [line for line in told.stdout.splitlines() if f"[{key['answer_4']}] sends A" in line]
                self.assertEqual(len(frame), 1, told.stdout)
                lines = re.sub(r"\n {16}", " ", told.stdout)
                stag, to = re.match(r"STag (\w+), TO (\d+)", key["answer_1"]).groups()
                self.assertRegex(lines, rf"Write, \d+ octets for TO {to} .*STag={stag} TO={to}")
                last, octets = re.match(r"frame (\d+), (\d+) octets", key["answer_2"]).groups()
                self.assertIn(f"[frame {last}] DELIVERS the Send, MSN 1", lines)
                self.assertRegex(lines, rf"\[frame {last}\] sends A\d: Send, {octets} octets")
                request, answer = re.findall(r"frame (\d+)", key["answer_3"])
                self.assertRegex(lines, rf"\[frame {request}\] sends A\d: Read Request")
                self.assertRegex(lines, rf"\[frame {answer}\] sends B1: Read Response")

    def test_where_the_field_is(self):
        """The octet that the key names is in the frame that it names: by TCP's sequence numbers, without our decoder."""
        out, keys = self.make("1-12")
        for key in keys:
            at, field = re.match(r"octet (\d+) \((\w+)\)", key["answer_5"]).groups()
            frames, isn = [], None
            for packet in packets(out / key["file"]):
                tcp = packet[4 * (packet[0] & 15):]
                from_a = struct.unpack_from(">H", tcp, 2)[0] == 4791
                sequence, payload = struct.unpack_from(">I", tcp, 4)[0], tcp[4 * (tcp[12] >> 4):]
                isn = sequence + 1 if from_a and isn is None else isn
                frames.append((sequence - isn if from_a else None, payload))
            start, payload = frames[int(key["answer_4"].split()[1]) - 1]
            self.assertLessEqual(start, int(at))
            octets = payload[int(at) - start:]
            self.assertGreaterEqual(len(octets), 4, key)
            sheet = (out / key["file"].replace(".pcap", ".txt")).read_text()
            value = struct.unpack_from(">I", octets)[0]
            if field == "MSN":
                self.assertEqual(value, 2)
            elif "STag" in field and key["answer_6"] != "1/1/00":
                self.assertIn(f"STag 0x{value:08x}", sheet)  # of another domain, or without that right: B has it
            elif field == "STag":
                self.assertNotIn(f"0x{value:08x}", sheet)

    def test_a_folder_is_marked(self):
        out, keys = self.make("1-8")
        for key in keys:
            sheet = out / key["file"].replace(".pcap", ".txt")
            text = sheet.read_text()
            self.assertRegex(text, r"#   B registers \d+ octets, TO .* as STag 0x")
            for n in range(1, 7):
                self.assertNotIn(key[f"answer_{n}"], text)
                answer = key[f"answer_{n}"] if n != 4 or key["student"] != "3" else "frame 1"
                text = text.replace(f"# Answer {n}:\n", f"# Answer {n}: {answer}\n")
            sheet.write_text(text if key["student"] != "4" else text.replace("# Student: 4", "# Student: 5"))
        done = exercise(CAPTURE, "--csv", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = {row["file"]: row for row in csv.DictReader(io.StringIO(done.stdout))}
        self.assertEqual({(row["points"], row["of"], row["task"]) for name, row in rows.items() if name[8] not in "34"}, {("6", "6", "")})
        self.assertEqual((rows["student-3.txt"]["points"], rows["student-3.txt"]["answer_4"]), ("5", "0"))
        self.assertLess(int(rows["student-4.txt"]["points"]), 4)  # another's answers
        self.assertEqual(list(Path(tempfile.gettempdir()).glob("iwarpsim-*/student-*.pcap")), [])
        other = exercise(CAPTURE, "--csv", out, "--course", "rain")
        self.assertLess(max(int(row["points"]) for row in csv.DictReader(io.StringIO(other.stdout))), 6)
        none = list(csv.DictReader(io.StringIO(exercise(lesson(3), "--csv", out).stdout)))
        self.assertEqual({(row["points"], row["remark"].split(" from ")[0]) for row in none}, {("0", "no captures are made")})

    def test_what_has_no_fault(self):
        for number in (3, 10):
            done = exercise(lesson(number), "--class", "1-2", "--captures", self.folder / "c")
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))


# What solves a task; {n} is the number that it asks for.
def solution(task, key):
    number = re.findall(r"\d+", task)
    if "incast" in task:
        return {"workload.kind": "incast", "rnic.window.bytes": "3KiB", "topology.buffer": f"{number[-1]}KiB"}
    if "knows of the STag" in task:
        return {"workload.stags": number[0], "rnic.cache.stags": number[0]}
    if "is a script" in task:
        good = "".join(f"{op} 200; " for op in ("write", "send", "write", "send")[:int(number[0])])
        return {"workload.kind": "script", "workload.script": f'"{good}{solution("Terminate " + "/".join(number[-3:]), key)[1]}"'}
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
        change = solution(re.search(r"# Task: (.*)", text)[1], text)
        if isinstance(change, dict):
            return self.changed(text, change)
        key, value = change
        if key == "rnic.window.bytes":
            return re.sub(r"(?m)^rnic\.window\.bytes: .*$", f"rnic.window.bytes: {value}", text)
        return re.sub(r'(?m)^workload\.script: .*$', f'workload.script: "{value}"', text)

    def changed(self, text, keys):
        for key, value in keys.items():
            text = re.sub(rf"(?m)^{re.escape(key)}: .*\n", "", text) + f"{key}: {value}\n"
        return text

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
        for number in (1, 6, 7, 8, 9, 10, 15, 17, 22, 23):
            for student in students(6):
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

    def one_of(self, number, student, changes):
        """How many of the changes solve the task."""
        text = exercise(lesson(number), "--student", student).stdout
        for n, change in enumerate(changes):
            self.hand_in(f"{n}.yaml", self.changed(text, change))
        return [row["task"] for row in self.marks(lesson(number)).values()].count("2")

    @unittest.skipIf(lessons.missing(lessons.TOP / lesson(13).parent), "the SimGrid world is missing")
    def test_one_number_of_hosts_is_right(self):
        for student in students(8):
            with self.subTest(student):
                self.assertEqual(self.one_of(13, student, [{"topology.hosts": hosts} for hosts in range(3, 15)]), 1)

    def test_a_copy_of_the_right_speed(self):
        """The time is reached by some rate at which the CPU copies, and by no placement."""
        copied = {"rnic.receive": "copy", "rnic.window.policy": "buffer"}
        for student in students(4):
            with self.subTest(student):
                rates = [int(10000 * 1.03**-n) for n in range(150)]
                self.assertIn(self.one_of(16, student, [{**copied, "rnic.cpu.copy_rate": f"{rate}0Mbps"} for rate in rates]), range(1, 8))
                self.assertEqual(self.one_of(16, student, [{"rnic.cpu.copy_rate": f"{rate}0Mbps"} for rate in rates]), 0)

    def test_tls_lets_nothing_be_placed_early(self):
        """Some seed of a hundred does it under TLS for each student, and none under ESP, where what waits is placed."""
        for student in students(6):
            with self.subTest(student):
                tls = {"llp.security": "tls", "rnic.receive": "hold"}
                self.assertGreater(self.one_of(25, student, [{**tls, "seed": seed} for seed in range(1, 101)]), 0)
                self.assertEqual(self.one_of(25, student, [{"rnic.receive": "hold", "seed": seed} for seed in range(1, 101)]), 0)

    def test_never_early_and_placed_early(self):
        """Some seed of forty with a Send behind the Write, and none with a flag."""
        for student in range(1, 4):
            with self.subTest(student):
                self.assertGreater(self.one_of(26, student, [{"workload.notify": "send", "seed": seed} for seed in range(1, 41)]), 0)
                self.assertEqual(self.one_of(26, student, [{"workload.notify": "flag", "seed": seed} for seed in range(1, 41)]), 0)

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
        self.assertEqual(len(rows), 16)
        self.assertEqual({(row["task"], row["points"]) for row in rows}, {("0", "0")})
        for row in rows:
            self.assertNotIn(row["file"][:1], "=+-@", row)
            self.assertNotIn(row["remark"][:1] or "x", "=+-@", row)
        remarks = {row["file"]: row["remark"] for row in rows}
        for name in ("link.yaml", "pipe.yaml", "folder.yaml", "large.yaml", "zero.yaml"):
            self.assertIn("not a text file", remarks[name])
        self.assertIn("no captures", remarks["secret.txt"])
        for name in ("nobody.yaml", "big.yaml", "binary.yaml"):
            self.assertIn("# Student: N", remarks[name])
        self.assertIn("world is", remarks["world.yaml"])
        self.assertIn("several", remarks["many.yaml"] + remarks["sweep.yaml"])


if __name__ == "__main__":
    unittest.main()
