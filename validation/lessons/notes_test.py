#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures with notes: the same packets, octet for octet and at the same times, with comments that are true of them; and
exercises: the same for the same student, with answers that the run has."""

import os
import re
import shutil
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

import lessons

GOOD = lessons.TOP / "validation/interop/d1-good.pcap"
PROFILE = lessons.TOP / "helpers/wireshark/iwarp"
LOSSY = """\
world: ns3
seed: 4
topology: {rate: 10Gbps, delay: 5us, mtu: 1500}
channel: {loss: 0.05, reorder: {probability: 0.2, delay: 4us}}
workload: {kind: script, script: "write 20000; send 2000; send 1000"}
"""


def iwarpsim(*args):
    return subprocess.run([lessons.IWARPSIM, *map(str, args)], capture_output=True, text=True, timeout=120, cwd=lessons.TOP)


def read_pcap(path):
    """[(nanoseconds, octets)] of a classic capture of either byte order and resolution."""
    data = path.read_bytes()
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    unit = 1 if data[:4] in (b"\x4d\x3c\xb2\xa1", b"\xa1\xb2\x3c\x4d") else 1000
    packets, at = [], 24
    while at < len(data):
        seconds, part, have, _ = struct.unpack_from(order + "IIII", data, at)
        packets.append((seconds * 10**9 + part * unit, data[at + 16:at + 16 + have]))
        at += 16 + have
    return packets


def read_pcapng(path):
    """[(nanoseconds, octets, comment)]; every block's two lengths must agree."""
    data, at, packets = path.read_bytes(), 0, []
    while at < len(data):
        kind, size = struct.unpack_from("<II", data, at)
        assert size % 4 == 0 and struct.unpack_from("<I", data, at + size - 4)[0] == size, "block lengths"
        if kind == 6:
            _, high, low, have, _ = struct.unpack_from("<IIIII", data, at + 8)
            options, comment = at + 28 + (have + 3) // 4 * 4, ""
            while options < at + size - 4:
                code, length = struct.unpack_from("<HH", data, options)
                if code == 1:
                    comment = data[options + 4:options + 4 + length].decode()
                options += 4 + (length + 3) // 4 * 4
            packets.append((high << 32 | low, data[at + 28:at + 28 + have], comment))
        at += size
    return packets


class Notes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="iwarpsim-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_the_same_packets(self):
        out = self.folder / "good.pcapng"
        self.assertEqual(iwarpsim("explain", GOOD, "--notes", out).returncode, 0)
        noted = read_pcapng(out)
        self.assertEqual([(t, octets) for t, octets, _ in noted], read_pcap(GOOD))
        comments = {i + 1: c for i, (_, _, c) in enumerate(noted) if c}
        self.assertIn("starts MPA", comments[6])
        self.assertIn("places A2: 50 octets at TO 140310287880200", comments[10])
        self.assertIn("DELIVERS the Read Response, 58 octets", comments[14])

    @unittest.skipUnless(shutil.which("tshark"), "tshark is missing")
    def test_wireshark_shows_them_in_the_profile(self):
        out, config = self.folder / "good.pcapng", self.folder / "config"
        iwarpsim("explain", GOOD, "--notes", out)
        shutil.copytree(PROFILE, config / "profiles/iwarp")
        shown = subprocess.run(["tshark", "-C", "iwarp", "-r", out], capture_output=True, text=True, timeout=60,
                               env={**os.environ, "WIRESHARK_CONFIG_DIR": str(config)})
        self.assertEqual(shown.returncode, 0, shown.stderr)
        line = next(x for x in shown.stdout.splitlines() if x.split()[:1] == ["10"])
        for words in ("Write", "0x3b4bfe00", "places A2: 50 octets"):
            self.assertIn(words, line)

    @unittest.skipUnless(Path(lessons.IWARPSIM + "-ns3").exists(), "the ns-3 world is missing")
    def test_a_run_with_notes(self):
        scenario, out = self.folder / "lossy.yaml", self.folder / "out"
        scenario.write_text(LOSSY)
        done = iwarpsim("run", scenario, "--pcap", "--notes", "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        for host in ("h0", "h1"):
            capture = out / "pcap" / f"all-r0-{host}.pcap"
            noted = read_pcapng(capture.with_suffix(".pcapng"))
            self.assertEqual([(t, octets) for t, octets, _ in noted], read_pcap(capture))
        waits = [re.search(r"places (\w+).*EARLY: (\w+) is missing, which arrives with frame (\d+); delivered with frame (\d+)", c)
                 for _, _, c in noted]
        waits = [w for w in waits if w]
        self.assertGreater(len(waits), 3)
        for wait in waits:
            self.assertIn(f"places {wait[2]}:", noted[int(wait[3]) - 1][2])
            self.assertIn("Only now" if wait[3] == wait[4] else ".", noted[int(wait[4]) - 1][2])

    def test_refusals(self):
        scenario = self.folder / "s.yaml"
        scenario.write_text("world: fabric\nworkload: {kind: script, script: \"write 9\"}\n")
        done = iwarpsim("explain", scenario, "--notes", self.folder / "x.pcapng")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--notes needs a capture", done.stderr)
        done = iwarpsim("run", scenario, "--set", "world=simgrid", "--notes", "--out", self.folder / "out")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--pcap needs world: fabric or ns3", done.stderr)


class Exercises(unittest.TestCase):
    LESSON = lessons.LESSONS / "03-placement-is-not-delivery/lesson.yaml"

    def exercise(self, *more):
        done = iwarpsim("exercise", self.LESSON, *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_each_student_has_one_of_their_own(self):
        seven = self.exercise("--student", 7)
        self.assertEqual(seven, self.exercise("--student", 7))
        others = {self.exercise("--student", n) for n in range(20)}
        self.assertEqual(len(others), 20)

    def test_it_can_be_made_from_another_scenario_than_the_file(self):
        held = self.exercise("--student", 7, "--set", "rnic.receive=hold")
        self.assertIn("rnic.receive: hold", held)
        self.assertNotIn("placed early", held)
        self.assertIn("placed early", self.exercise("--student", 7))

    def test_so_has_each_in_every_lesson(self):
        for lesson in sorted(lessons.LESSONS.glob("*/lesson.yaml")):
            keys = [iwarpsim("exercise", lesson, "--student", n, "--answers") for n in range(3)]
            if keys[0].returncode == 3:
                continue  # its world is not built
            self.assertEqual([k.returncode for k in keys], [0, 0, 0], lesson)
            self.assertEqual(len({k.stdout.split("\n", 1)[1] for k in keys}), 3, lesson)

    def test_a_course_has_variants_of_its_own(self):
        keys = [self.exercise("--student", 7, "--answers", *more) for more in ((), ("--course", "rain"), ("--course", "sun"))]
        self.assertEqual(len(set(keys)), 3)
        self.assertEqual(keys[1], self.exercise("--student", 7, "--answers", "--course", "rain"))

    def test_lessons_ask_about_their_own_subject(self):
        for lesson, words in (("10-receive-window", "advertises a window of 8192 octets"), ("11-markers", "does it contain markers"),
                              ("12-sctp-streams", "messages of other streams"), ("09-invalidate-and-solicited", "Which STag")):
            text = iwarpsim("exercise", lessons.LESSONS / lesson / "lesson.yaml", "--student", 3).stdout
            self.assertIn(words, text)
            self.assertIn(". Predict before", text)

    def test_the_window_that_is_asked_about(self):
        key = iwarpsim("exercise", lessons.LESSONS / "10-receive-window/lesson.yaml", "--student", 3, "--answers").stdout
        window, fpdu, count, rest = map(int, re.search(r"window of (\d+) octets, and a full FPDU takes (\d+)\..*\n +(\d+) FPDUs; (\d+) octets", key).groups())
        self.assertEqual((count, rest), divmod(window, fpdu))
        self.assertEqual(fpdu, 1460)  # an MTU of 1500 less IP and TCP

    def test_no_two_lessons_have_the_same_key(self):
        keys = {lesson: iwarpsim("exercise", lesson, "--student", 1, "--answers") for lesson in lessons.LESSONS.glob("*/lesson.yaml")}
        told = [k.stdout.split("\n", 1)[1] for k in keys.values() if k.returncode == 0]
        self.assertEqual(len(set(told)), len(told))

    def test_answers_stay_out_of_it_and_are_true(self):
        for student in range(12):
            text, key = self.exercise("--student", student), self.exercise("--student", student, "--answers")
            questions = re.findall(r"^# (\d\. .*)$", text, re.M)
            answers = dict(zip(questions, re.findall(r"^   (.*)$", key, re.M)))
            self.assertGreaterEqual(len(questions), 3)
            with tempfile.NamedTemporaryFile("w", suffix=".yaml") as f:
                f.write(text)
                f.flush()
                told = iwarpsim("explain", f.name, "--wide").stdout
            for question, answer in answers.items():
                self.assertNotIn(answer, text)
                self.check(question, answer, told)

    def check(self, question, answer, told):
        """Each answer is found again in what explain says of the variant."""
        if "first to be placed early" in question:
            early, hole = re.match(r"(\w+); (\w+) was missing", answer).groups()
            first = next(re.search(r"places (\w+):.*", x) for x in told.splitlines() if "EARLY" in x)
            self.assertEqual(first[1], early)
            self.assertIn(f"receives {early} early: {hole} is missing", told)
        elif "How many segments are placed while" in question:
            segments, octets = re.match(r"(\d+) segments?, (\d+) octets", answer).groups()
            self.assertRegex(told, rf"{segments} segments? \({octets} octets\) placed early")
        elif question.startswith("1. Predict"):
            at, first, last = map(float, re.match(r"at ([\d.]+) us; ([\d.]+) to ([\d.]+) us counts", answer).groups())
            ends = [float(x.split()[0]) for x in told.splitlines() if " DELIVERS " in x or "has the Write of" in x]
            posts = [float(x.split()[0]) for x in told.splitlines() if " posts a " in x]
            self.assertEqual(at, max(ends))
            self.assertAlmostEqual(last - at, (at - posts[0]) / 10, delta=.002)
            self.assertAlmostEqual(at - first, (at - posts[0]) / 10, delta=.002)
        elif "had to wait for" in question:
            time, segment = re.match(r"at ([\d.]+) us, when (\w+) had arrived", answer).groups()
            lines = told.splitlines()
            at = [i for i, x in enumerate(lines) if x.split()[:1] == [time] and ("DELIVERS" in x or "has the Write of" in x)]
            self.assertTrue(any(segment in " ".join(lines[i:i + 3]) for i in at), (question, answer))
        elif "lost first" in question:
            segment, first, last = re.match(r"(\w+), octets (\d+) .. (\d+)", answer).groups()
            lost = next(x for x in told.splitlines() if "LOSES" in x)
            self.assertIn(f"LOSES {segment}: octets {first} .. {last}", lost)
        elif "cut" in question:
            self.assertIn(f"the last of {answer.split()[0]}", told)

    def test_refusals(self):
        for arguments, words in (((self.LESSON,), "--student N"), ((self.LESSON, "--student", "me"), "whole number"),
                                 ((GOOD, "--student", "1"), "is a capture"), ((self.LESSON, "--student", "1", "--set", "nope=1"), "nope: unknown key"), (("--student", "1"), "a scenario is required")):
            done = iwarpsim("exercise", *arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main()
