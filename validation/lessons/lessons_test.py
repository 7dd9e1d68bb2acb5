#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""No lesson is stale: blocks and picture scripts are octet for octet what the command gives now; links lead
somewhere; each lesson has what a lesson has; explain answers quickly and refuses in words."""

import os
import re
import resource
import subprocess
import tempfile
import unittest
from pathlib import Path

import lessons

SMALL = "world: fabric\nworkload: {kind: script, script: \"write 100\"}\n"


def iwarpsim(*args):
    return subprocess.run([lessons.IWARPSIM, *map(str, args)], capture_output=True, text=True, timeout=120, cwd=lessons.TOP)


class Lessons(unittest.TestCase):
    maxDiff = None

    def test_every_block_is_made_by_its_command(self):
        self.assertGreaterEqual(len(lessons.folders()), 12)
        for folder in lessons.folders():
            with self.subTest(folder.name):
                self.assertEqual(lessons.lesson(folder), "", "the model has changed? python3 validation/lessons/lessons.py --write, and read what differs")

    def test_a_stale_block_is_noticed(self):
        folder = lessons.folders()[0]
        block = lessons.BLOCK.search((folder / "README.md").read_text())[1]
        self.assertEqual(lessons.made(block), block)
        self.assertNotEqual(lessons.made(block.replace("0.000", "0.001", 1)), block.replace("0.000", "0.001", 1))

    def test_every_exhibit_shows_what_its_pattern_asks_for(self):
        """In every text, not in lessons alone: a command behind which grep finds nothing, or never one of its words, proves nothing."""
        seen = 0
        for path in [p for p in lessons.TOP.rglob("*.md") if "build" not in p.relative_to(lessons.TOP).parts]:
            exhibits = lessons.exhibits(path.read_text())
            seen += len(exhibits)
            with self.subTest(path.relative_to(lessons.TOP)):
                self.assertEqual(lessons.dead(exhibits), [])
        self.assertGreaterEqual(seen, 30)

    def test_a_dead_exhibit_is_noticed(self):
        def dead(*shown):
            return lessons.dead(lessons.exhibits("```console\n" + "".join(shown) + "```\n"))
        good = "$ build/iwarpsim explain x | grep -E -A1 'LOSES|sends'\n 1.0  A sends A1\n 2.0  - the network LOSES A1\n"
        self.assertEqual(dead(good), [])
        self.assertEqual(len(dead(good, "$ build/iwarpsim explain x | grep -E 'B the ULP'\n[exit 1]\n")), 2)
        self.assertEqual(len(dead("$ build/iwarpsim explain x | grep -E 'LOST'\n")), 2)
        self.assertEqual(len(dead(good.replace("LOSES|", "LOSES|LOST|"))), 1)
        self.assertEqual(dead(good.replace("LOSES|sends", "sends"), good), [])

    def test_what_each_says_that_one_sees_is_so(self):
        """Every point of `What to see` has an assertion, and a run proves it."""
        for folder in lessons.folders():
            if not lessons.missing(folder):
                with self.subTest(folder.name):
                    self.assertEqual(lessons.unproved(folder), [])

    def test_what_is_not_so_is_noticed(self):
        lines = lessons.unwrapped(" 1.0  A sends A1 of the            RFC 5041 5.2\n                Write\n 2.0  B places A1\nmean 4 us\nmean 2 us\n")
        self.assertEqual(lines[0], " 1.0  A sends A1 of the Write")
        for term in ("sends A1 of the Write >> places A1", "! A2", "2 x A1", "mean[2] < 0.6 mean[1]", "mean[1] > 3", "mean[1] = 2 mean[2]"):
            self.assertTrue(lessons.holds(term, lines), term)
        for term in ("places A1 >> sends A1", "! A1", "1 x A1", "mean[2] < 0.5 mean[1]", "mean[1] > 4", "A2"):
            self.assertFalse(lessons.holds(term, lines), term)
        self.assertRaises(IndexError, lessons.holds, "mean[3] > 1", lines)
        self.assertEqual(lessons.points("## What to see\n\n- one\n- two\n  <!-- proof: run :: a && b -->\n## Questions"), [("one\n", []), ("two\n  <!-- proof: run :: a && b -->\n", [("run", "a && b")])])

    def test_each_has_its_parts(self):
        for folder in lessons.folders():
            text = (folder / "README.md").read_text()
            with self.subTest(folder.name):
                self.assertRegex(text, r"\A<!-- SPDX-License-Identifier: CC-BY-4.0 -->\n(<!-- (player|tour): .* -->\n)*# \d+\. ")
                for part in ("## What to expect", "## Run it", "## What to see", "## Questions"):
                    self.assertEqual(text.count(part), 1, part)
                questions = re.findall(r"^\d\. ", text[text.index("## Questions"):], re.M)
                self.assertEqual(len(questions), 3)
                for link in re.findall(r"\]\(([^)#]+)\)", text):
                    if "://" not in link:
                        self.assertTrue((folder / link).exists(), link)
                self.assertLessEqual(self.widest(text), 80)

    def widest(self, text):
        """Of what explain says; commands may be longer."""
        told = [line for block in lessons.BLOCK.findall(text) if "iwarpsim check" not in block for line in block.splitlines()]
        return max(len(line) for line in told if not line.startswith(("$ ", "iwarpsim explain: ")))

    def test_it_fits_its_width_in_every_form(self):
        for folder in lessons.folders():
            scenario = folder / "lesson.yaml"
            if not scenario.exists() or lessons.missing(folder):
                continue
            with self.subTest(folder.name):
                plain = iwarpsim("explain", scenario).stdout
                self.assertLessEqual(max(map(len, plain.splitlines())), 80)
                self.assertLessEqual(max(map(len, iwarpsim("explain", scenario, "--wide").stdout.splitlines())), 110)
                colored = iwarpsim("explain", scenario, "--color", "always").stdout
                self.assertNotEqual(colored, plain)
                self.assertEqual(re.sub(r"\033\[[\d;]*m", "", colored), plain)
                rows = [x for x in iwarpsim("explain", scenario, "--markdown").stdout.splitlines() if x.startswith("| ")]
                self.assertEqual(len(rows) - 1, len(re.findall(r"^ *\d+\.\d{3}  [AB-] ", plain, re.M)))
                for row in rows:
                    self.assertEqual(row.count("|"), 5, row)

    def test_parts_make_the_whole(self):
        """--only and --from ... --to take events away and change none."""
        scenario = lessons.LESSONS / "03-placement-is-not-delivery/lesson.yaml"
        def events(*more):
            return re.findall(r"^ *\d+\.\d{3}  [AB-] .*$", iwarpsim("explain", scenario, *more).stdout, re.M)
        whole = events()
        parts = [e for about in ("post", "send", "place", "deliver", "window", "error") for e in events("--only", about)]
        self.assertEqual(sorted(parts), sorted(whole))
        self.assertEqual(events("--to", "15.000us") + events("--from", "15.000001us"), whole)
        self.assertEqual(events("--only", "place,deliver"), [e for e in whole if e in events("--only", "place") or e in events("--only", "deliver")])

    def test_the_tour_of_errors_meets_each_code(self):
        """The workload itself compares each Terminate with the one that the RFC has for the fault."""
        with tempfile.TemporaryDirectory(prefix="iwarpsim-") as out:
            done = iwarpsim("run", lessons.LESSONS / "07-every-way-to-be-terminated/lesson.yaml", "--point", "all", "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        values = dict(line.split()[:2] for line in done.stdout.splitlines() if " " in line.strip())
        self.assertEqual((values["status"], values["terminates"], values["crc_errors"]), ("ok", "31", "1"))

    def test_what_the_list_suggests_to_change_can_be_changed(self):
        line = next(x for x in (lessons.LESSONS / "README.md").read_text().splitlines() if x.startswith("- Change it"))
        sets = re.findall(r"`--set '?([^'`]+)'?`", line)
        self.assertEqual(len(sets), 3)
        for folder in lessons.folders():
            if folder.name[:2] in ("03", "06", "09"):
                for one in sets:
                    done = iwarpsim("explain", folder / "lesson.yaml", "--set", one)
                    self.assertEqual((done.returncode, done.stderr), (0, ""), (folder.name, one))
                    self.assertEqual("receive copy, window 64KiB (buffer)" in done.stdout, "copy" in one)

    def test_the_list_names_each(self):
        text = (lessons.LESSONS / "README.md").read_text()
        for folder in lessons.folders():
            self.assertIn(f"({folder.name}/README.md)", text)

    def test_answers_quickly(self):
        slowest = 0
        for scenario in lessons.LESSONS.glob("*/lesson.yaml"):
            if "world: fabric" not in scenario.read_text():
                continue
            best = min(self.seconds(scenario) for _ in range(3))
            slowest = max(slowest, best)
        print(f"slowest lesson: explain takes {slowest * 1000:.0f} ms of the processor")
        self.assertLess(slowest, 0.3)

    def seconds(self, scenario):
        """Of the processor, not of the clock: others may be at work here."""
        def used():
            usage = resource.getrusage(resource.RUSAGE_CHILDREN)
            return usage.ru_utime + usage.ru_stime
        start = used()
        self.assertEqual(iwarpsim("explain", scenario).returncode, 0)
        return used() - start


class Refusals(unittest.TestCase):
    """Exit 2 and one sentence: what, why, what to do instead."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="iwarpsim-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def refused(self, *args, says):
        done = iwarpsim(*args)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for words in says:
            self.assertIn(words, done.stderr)

    def write(self, name, text):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def test_a_million_messages(self):
        big = self.write("big.yaml", "world: fabric\nworkload: {kind: stream, op: write, size: 64KiB, count: 1000000}\n")
        self.refused("play", big, says=["big.yaml has 1000000 messages", "2000 segments", "workload.count", "explain"])
        self.refused("explain", big, says=["1000000 messages", "20000 segments", "workload.count"])

    def test_several_points(self):
        swept = self.write("swept.yaml", SMALL + "sweep: {topology.delay: [1us, 2us]}\n")
        self.refused("explain", swept, says=["2 points", "--point", "iwarpsim check"])
        self.refused("explain", swept, "--point", "9us", says=["no point '9us'"])
        self.assertEqual(iwarpsim("explain", swept, "--point", "2us").returncode, 0)

    def test_a_script_that_makes_no_sense(self):
        for script, words in (("writ 100", "must begin with send"), ("write", "followed by its octets"), ("", "needs at least one step"),
                              ("write 10 to mars", "`to` must be followed by"), ("write 10 into 5", "receive buffer of a Send"),
                              ("wait 5", "must stand alone"), ("send 10 into", "octets of the receive buffer"),
                              (";".join(["wait"] * 33), "32 steps"), ("write 99999999999", "0 to 16777216")):
            bad = self.write("bad.yaml", f'world: fabric\nworkload: {{kind: script, script: "{script}"}}\n')
            self.refused("explain", bad, says=["bad.yaml:2:", "workload.script", words])

    def test_captures_without_iwarp(self):
        head = b"\xd4\xc3\xb2\xa1\x02\x00\x04\x00" + bytes(8) + b"\x00\x00\x04\x00\x01\x00\x00\x00"
        self.refused("explain", self.write("empty.pcap", head), says=["no TCP connection with data"])
        self.refused("explain", self.write("cut.pcap", head[:10]), says=["cut.pcap"])

    def test_files_of_the_wrong_kind(self):
        self.refused("explain", self.folder / "none.yaml", says=["none.yaml cannot be opened"])
        self.refused("play", self.folder, says=["is a folder", "scenario"])
        self.refused("explain", self.write("old.csv", "t_ps,node\n0,1\n"), says=["not a trace of this version"])

    def test_wrong_options(self):
        small = self.write("small.yaml", SMALL)
        self.refused("explain", small, "--only", "everything", says=["--only takes"])
        self.refused("explain", small, "--from", "soon", says=["--from takes a time"])
        self.refused("explain", small, "--color", "red", says=["--color takes"])
        self.refused("explain", says=["is required"])
        self.refused("play", small, "--beside", "cache", says=["--beside takes"])

    def test_a_trace_is_told_like_its_run(self):
        small = self.write("small.yaml", SMALL)
        iwarpsim("run", small, "--trace", "--out", self.folder / "out")
        told = iwarpsim("explain", small).stdout.splitlines()[3:]
        again = iwarpsim("explain", self.folder / "out" / "trace" / "all-r0.csv").stdout.splitlines()
        self.assertEqual(told, again[len(again) - len(told):])


if __name__ == "__main__":
    unittest.main()
