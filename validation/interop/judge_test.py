#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""iwarpsim judge: real captures are judged as a table written beforehand says; made-up faults are found, one by one; and
our own engine passes."""

import contextlib
import json
import os
import re
import select
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import xml.etree.ElementTree
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
sys.path.insert(0, str(HERE))
import folders
import octets as o

IWARPSIM = os.environ.get("IWARPSIM", str(TOP / "build" / "iwarpsim"))
TABLE = json.loads((HERE / "accusations.json").read_text())
# What the README of the captures says of siw, as far as groups a, b and n can show it.
SIW_LISTED = {"MPA-4.1-1", "MPA-7.1.2-4"}
SIW_LISTED_IN = {
    "a43-priv-252": {"MPA-7.1-*", "DDP-4.4-1"},  # the length of the private data wraps at 252
    "n14-terminate-under-loss": {"RDMAP-4.8-2", "RDMAP-4.8-8"},  # the order of the bits, the length
}


def run(*arguments, stdin=None):
    return subprocess.run([IWARPSIM, "judge", *map(str, arguments)], input=stdin, capture_output=True)


def judge(path, *arguments, stdin=None):
    """The violations and the requirements that `judge --json` tells."""
    done = run("--json", *arguments, path, stdin=stdin)
    said = [json.loads(line) for line in done.stdout.splitlines()]
    violations = [v for v in said if "violation" in v]
    assert done.returncode == (1 if violations else 0), (path, done.returncode, done.stderr)
    return violations, {r["requirement"]: r for r in said if "outcome" in r}, said[-1]["summary"]


def names(violations):
    return sorted("%s %s" % (v["dir"], v["requirement"]) for v in violations)


class Captures(unittest.TestCase):
    def test_errors(self):
        """Groups c, d, e: exactly the table, which is older than the judge."""
        paths = [p for p in folders.shipped() if p.name[0] in "cde"]
        self.assertEqual(len(paths), 123)
        for path in paths:
            with self.subTest(path.name):
                self.assertEqual(names(judge(path)[0]), sorted(TABLE[path.stem]))

    def check_traffic(self, paths):
        for path in paths:
            with self.subTest(path.name):
                listed = SIW_LISTED | SIW_LISTED_IN.get(path.stem, set())
                self.assertLessEqual({v["requirement"] for v in judge(path)[0]}, listed)

    def test_traffic(self):
        """Groups a, b, n: nothing but what siw is known for."""
        self.check_traffic([p for p in folders.shipped() if p.name[0] in "abn"])

    def test_larger(self):
        paths = folders.larger()
        if not paths:
            folders.not_proved("nothing but siw's known faults is found in its 26 captures above 32 kB")
        self.check_traffic(paths)


class Own(unittest.TestCase):
    """Our engine passes its own judge; where a lesson provokes errors only who provokes them is accused."""

    LESSONS = sorted(p for p in (TOP / "scenarios" / "lessons").glob("*/lesson.yaml")
                     if p.parent.name[:2] not in ("13", "25"))  # world simgrid; what is encrypted has no capture

    def captures(self, folder, lesson):
        done = subprocess.run([IWARPSIM, "run", str(lesson), "--pcap", "--out", folder], capture_output=True, text=True)
        self.assertIn(done.returncode, (0, 3), done.stderr)
        found = sorted(Path(folder).glob("pcap/*.pcap"))
        self.assertGreaterEqual(len(found), 2, lesson)
        return found

    def test_lessons(self):
        self.assertGreater(len(self.LESSONS), 12)
        for lesson in self.LESSONS:
            with self.subTest(lesson.parent.name), tempfile.TemporaryDirectory() as folder:
                provoked = lesson.parent.name.startswith("07")
                for path in self.captures(folder + "/x", lesson):
                    violations = judge(path)[0]
                    self.assertEqual([v for v in violations if v["dir"] == "r2i"], [])
                    self.assertEqual(len({v["requirement"] for v in violations}) > 8, provoked)
                    if not provoked:
                        self.assertEqual(violations, [])


class Command(unittest.TestCase):
    GOOD, BAD = HERE / "d1-good.pcap", HERE / "c1-read-badkey.pcap"

    def test_exit(self):
        self.assertEqual(run(self.GOOD).returncode, 0)
        self.assertEqual(run(self.BAD).returncode, 1)
        for wrong in ((), ("/nowhere",), (self.GOOD, self.BAD), ("--junit",), ("--wrong", self.GOOD), ("--assume", "x", self.GOOD),
                      ("--notes", "x.pcapng", "-"), (HERE / "README.md",)):
            done = run(*wrong, stdin=b"")
            self.assertEqual(done.returncode, 2, wrong)
            self.assertEqual(done.stderr.count(b"\n"), 1, (wrong, done.stderr))
        self.assertEqual(run("--junit", "/nowhere/x.xml", self.GOOD).returncode, 3)
        self.assertEqual(run("--notes", "/nowhere/x.pcapng", self.GOOD).returncode, 3)

    def test_text(self):
        done = run(self.BAD).stdout.decode()
        self.assertIn("RDMAP-4.8-2, MUST, RFC 5040 4.8", done)
        self.assertIn("461 requirements: 3 violated", done)
        self.assertLessEqual(max(map(len, done.splitlines())), 100)
        self.assertEqual(run("--all", self.BAD).stdout.count(b"not decidable "), judge(self.BAD)[2]["not_decidable"])

    def test_requirements(self):
        """Each requirement of the four catalogues, once; what a rule of the program names is decidable."""
        rows = {}
        for name in ("conformance", "mpa", "rfc7306"):
            for line in (TOP / "validation" / "conformance" / (name + ".tsv")).read_text().splitlines():
                cells = line.split("\t")
                if cells[0].split("-")[0] in ("DDP", "RDMAP", "MPA", "EXT"):
                    rows[cells[0]] = cells[1]
        said = judge(self.GOOD)[1]
        self.assertEqual({k: v["level"] for k, v in said.items() if k != "RFC 6581 section 9"}, rows)
        text = "".join(p.read_text() for p in (TOP / "helpers").glob("capture/decode*.c"))
        text += "".join((TOP / "helpers" / "judge" / n).read_text() for n in ("judge.c", "terminate.c", "answer.c"))
        for name in set(re.findall(r'"((?:DDP|RDMAP|MPA|EXT)-[^" ]+)"', text)):
            self.assertIn(name, said)
            if said[name]["outcome"] == "not decidable":
                self.assertIn(name, ("DDP-7.1-U2", "DDP-7.1-U4", "RDMAP-7.2-R4a", "RDMAP-7.2-R4b", "RDMAP-7.2-R4c", "RDMAP-7.2-4", "RDMAP-7.2-5"))
        self.assertEqual(said["RDMAP-5.4-8"]["outcome"], "not exercised")
        self.assertEqual(said["DDP-4.3-9"]["outcome"], "kept")
        self.assertEqual(said["DDP-8.3.2-2"]["outcome"], "not decidable")

    def test_junit(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "x.xml"
            run("--junit", path, self.BAD)
            suite = xml.etree.ElementTree.parse(path).getroot()
            cases = suite.findall("testcase")
            self.assertEqual((len(cases), suite.get("tests"), suite.get("failures")), (461, "461", "3"))
            failed = [c.get("name").split(" ")[0] for c in cases if c.find("failure") is not None]
            self.assertEqual(failed, ["RDMAP-4.8-2", "RDMAP-4.8-8", "RDMAP-4.8-11"])
            self.assertEqual(len([c for c in cases if c.find("skipped") is not None]), int(suite.get("skipped")))

    def test_notes(self):
        if not shutil.which("tshark"):
            self.skipTest("tshark is not installed: comments in captures were not read")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "x.pcapng"
            violations = judge(self.BAD, "--notes", path)[0]
            shown = subprocess.run(["tshark", "-r", path, "-T", "fields", "-e", "frame.number", "-e", "frame.comment"],
                                   capture_output=True, text=True).stdout.splitlines()
            noted = {int(n): text for n, text in (line.split("\t", 1) for line in shown) if text}
            self.assertEqual(set(noted), {v["frame"] for v in violations})
            for v in violations:
                self.assertIn(v["requirement"], noted[v["frame"]])
            self.assertEqual(len(shown), len(o.read_pcap(self.BAD)))

    def live(self, command, path, frame, wanted):
        """Feed a capture in pieces up to a frame, wait for what that frame brings while the pipe stays open, feed the rest."""
        data, at, number = path.read_bytes(), 24, 0
        with subprocess.Popen([IWARPSIM, command, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as pipe:
            pipe.stdin.write(data[:24])
            said = b""
            while at < len(data):
                size = 16 + struct.unpack_from("<I", data, at + 8)[0]
                for part in (data[at : at + 9], data[at + 9 : at + size]):
                    pipe.stdin.write(part)
                at, number = at + size, number + 1
                while number == frame and wanted not in said:
                    ready = select.select([pipe.stdout], [], [], 120)[0]  # far more than anybody needs
                    self.assertTrue(ready, "%s says nothing of frame %d before the next one" % (command, frame))
                    said += pipe.stdout.read(65536)
            pipe.stdin.close()
            return said + pipe.stdout.read()

    def test_live(self):
        """A line is there before the next frame comes: who reads it need not wait for the end."""
        for command, path, frame, wanted in (("decode", self.GOOD, 14, b"Read Response"), ("judge", self.BAD, 12, b"RDMAP-4.8-8")):
            whole = subprocess.run([IWARPSIM, command, str(path)], capture_output=True).stdout
            self.assertEqual(self.live(command, path, frame, wanted), whole)


def carry(a, b, late):
    """Octets from one socket to another; `late`: all of a tenth of a second at once."""
    with contextlib.suppress(OSError):
        while octets := a.recv(65536):
            if late:
                time.sleep(0.1)
                if select.select([a], [], [], 0)[0]:
                    octets += a.recv(65536)
            b.sendall(octets)
        b.shutdown(socket.SHUT_WR)


class Active(unittest.TestCase):
    """The judge as an initiator: at our own engine in process, and at `iwarpsim serve` over the loopback device."""

    def cases(self, *arguments):
        done = run("--json", *arguments)
        said = [json.loads(line) for line in done.stdout.splitlines()]
        return done.returncode, said[:-1], said[-1]["summary"]

    def test_self(self):
        status, cases, summary = self.cases("--self")
        self.assertEqual((status, summary["right"]), (0, len(cases)))
        self.assertGreaterEqual(len(cases), 120)
        named = {r for c in cases for r in c["requirements"]}
        self.assertGreater(len(named), 70)

    def test_reports(self):
        with tempfile.TemporaryDirectory() as folder:
            wrong = Path(folder) / "cases.json"
            wrong.write_text('{"cases": [{"id": "a<b", "requirements": ["DDP-7.1-T1"], "steps": ["ulpdu c140 $none $addr 78"], "accept": ["open"]},'
                             '{"id": "b", "requirements": ["DDP-7.1-T1"], "steps": ["ulpdu c140 $rw $addr 78"], "accept": ["open"]}]}')
            junit, page = Path(folder) / "x.xml", Path(folder) / "x.html"
            status, cases, summary = self.cases("--self", "--cases", wrong, "--junit", junit, "--page", page)
            self.assertEqual((status, summary["wrong"], summary["right"]), (1, 1, 1))
            self.assertEqual([(c["case"], c["reading"]) for c in cases], [("a<b", "1/1/00 MD"), ("b", "open")])
            suite = xml.etree.ElementTree.parse(junit).getroot()
            self.assertEqual((suite.get("tests"), suite.get("failures")), ("2", "1"))
            self.assertIn("1/1/00 MD where the case accepts open", suite.find("testcase").find("failure").get("message"))
            self.assertIn("a&lt;b", page.read_text())
            self.assertEqual(run("--self", "--cases", wrong, "--case", "b").returncode, 0)
            self.assertEqual(run("--self", "--cases", wrong, "--case", "c").returncode, 2)

    def test_wrong_use(self):
        for arguments in (("--self", "--connect", "x:1"), ("--self", HERE / "d1-good.pcap"), ("--cases", "x", HERE / "d1-good.pcap"),
                          ("--self", "--gap", "x"), ("--self", "--memory", "1:2"), ("--self", "--cases", "/nowhere"),
                          ("--connect", "127.0.0.1"), ("--self", "--all"), ("--serve", "65536"), ("--serve", "0", "--self"),
                          ("--self", "--listen", "::1"), ("--serve", "0", "--wait", "0"), ("--serve", "0", "--case", "write"), ("--self", "--jobs", "2"), ("--self", "--restart", "x"),
                          ("--connect", "127.0.0.1:1", "--jobs", "33"), ("--captures", "x", HERE / "d1-good.pcap")):
            done = run(*arguments)
            self.assertEqual((done.returncode, done.stderr.count(b"\n")), (2, 1), (arguments, done.stderr))
        with socket.create_server(("127.0.0.1", 0)) as nobody:
            port = nobody.getsockname()[1]
        self.assertEqual(run("--connect", "127.0.0.1:%d" % port).returncode, 3)

    def test_live(self):
        with subprocess.Popen([IWARPSIM, "serve", "0", "--markers"], stdout=subprocess.PIPE, text=True) as serve:
            try:
                address = re.search(r"127\.0\.0\.1:\d+", serve.stdout.readline())[0]
                with tempfile.TemporaryDirectory() as folder:
                    few = Path(folder) / "few.json"
                    all_of_them = json.loads((TOP / "validation" / "vectors" / "judge.json").read_text())["cases"]
                    cases = [c for c in all_of_them if "reply" not in c]
                    few.write_text(json.dumps({"cases": cases[::6]}))
                    status, said, summary = self.cases("--connect", address, "--cases", few)
            finally:
                serve.terminate()
        self.assertEqual([c for c in said if c["result"] != "right"], [])
        self.assertEqual((status, summary["right"]), (0, len(cases[::6])))

    # A door before our own serve, at a port of its own: who says 0xdeadbeef kills it, connections first, the port last, as a kernel may.
    DOOR = """
import contextlib, os, socket, sys, threading, time
door = socket.create_server(("127.0.0.1", int(sys.argv[1])), backlog=64)
dying, ends = threading.Event(), []
print("open", flush=True)
def die():
    dying.set()
    for end in ends:
        with contextlib.suppress(OSError): end.shutdown(socket.SHUT_RDWR)
    time.sleep(0.05)
    os._exit(1)
def carry(a, b, watch):
    while octets := a.recv(65536):
        if watch and bytes.fromhex("deadbeef") in octets: die()
        b.sendall(octets)
    b.shutdown(socket.SHUT_WR)
while True:
    a = door.accept()[0]
    if dying.is_set(): time.sleep(9)
    ends.append(a)
    b = socket.create_connection(("127.0.0.1", int(sys.argv[2])))
    for way in ((a, b, True), (b, a, False)): threading.Thread(target=carry, args=way, daemon=True).start()
"""

    def mortal(self, *arguments, restart=False, until=None):
        """A tenth of the cases, or as many of them, at a peer that dies of one of them: what judge says."""
        with tempfile.TemporaryDirectory() as folder, subprocess.Popen([IWARPSIM, "serve", "0", "--markers"], stdout=subprocess.PIPE, text=True) as serve:
            few, program = Path(folder) / "few.json", Path(folder) / "door.py"
            cases = [c for c in json.loads((TOP / "validation" / "vectors" / "judge.json").read_text())["cases"] if "reply" not in c]
            some = [c for i, c in enumerate(cases) if i % 10 == 0 or c["id"] == self.DEADLY]
            few.write_text(json.dumps({"cases": some[:until]}))
            program.write_text(self.DOOR)
            with socket.create_server(("127.0.0.1", 0)) as free:
                port = free.getsockname()[1]
            there = re.search(r"127\.0\.0\.1:(\d+)", serve.stdout.readline())[1]
            door = [sys.executable, str(program), str(port), there]
            with subprocess.Popen(door, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as first:
                try:
                    first.stdout.readline()
                    done = run("--connect", "127.0.0.1:%d" % port, "--cases", few, "--gap", "100", "--json", *arguments, *(("--restart", "exec " + " ".join(door)) if restart else ()))
                finally:
                    first.kill()
                    serve.terminate()
            said = [json.loads(line) for line in done.stdout.splitlines()]
            return done.returncode, {c["case"]: c for c in said[:-1]}, said[-1]["summary"], done.stderr.decode()

    DEADLY = "send_invalidate_field_used"

    def test_a_peer_that_dies_ends_it_and_the_case_is_named(self):
        status, cases, summary, said = self.mortal("--jobs", "1")
        self.assertEqual((status, cases[self.DEADLY]["result"], said.count("\n")), (1, "wrong", 1), said)  # the case accepts "open"
        self.assertIn("gone since case " + self.DEADLY, said)
        after = list(cases)[list(cases).index(self.DEADLY) + 1:]
        self.assertEqual({cases[name]["result"] for name in after}, {"skipped"})
        self.assertIn("since case " + self.DEADLY, cases[after[0]]["faults"][0])
        self.assertEqual(summary["skipped"], len(after))

    def test_several_at_once_name_those_of_that_moment(self):
        status, cases, summary, said = self.mortal("--jobs", "4")
        self.assertIn(self.DEADLY, said)
        if "gone since case " + self.DEADLY not in said:  # on a busy machine it may have been alone
            self.assertIn("--jobs 1 tells which", said)

    def test_a_peer_that_is_started_again_gets_all_cases(self):
        for jobs in ("1", "4"):
            status, cases, summary, said = self.mortal("--jobs", jobs, restart=True)
            self.assertEqual((status, {c["case"] for c in cases.values() if c["result"] != "right"}, summary["skipped"]), (1, {self.DEADLY}, 0), said)
            self.assertIn("afterwards nobody answers", cases[self.DEADLY]["faults"][-1])

    def test_a_peer_that_dies_of_the_last_case_is_noticed(self):
        """Side by side the deadly case may come last, for it waits until it has the memory alone."""
        for restart in (False, True):
            status, cases, summary, said = self.mortal("--jobs", "1", restart=restart, until=8)
            self.assertEqual((status, list(cases)[-1], summary["skipped"]), (1, self.DEADLY, 0), said)
            self.assertIn("afterwards nobody answers", cases[self.DEADLY]["faults"][-1])
            self.assertEqual("gone since case " + self.DEADLY in said, not restart)

    def test_captures_of_what_is_not_right(self):
        with tempfile.TemporaryDirectory() as folder:
            wrong, junit = Path(folder) / "cases.json", Path(folder) / "x.xml"
            wrong.write_text('{"cases": [{"id": "a/../b", "requirements": ["DDP-7.1-T1"], "steps": ["ulpdu c140 $none $addr 78"], "accept": ["open"]},'
                             '{"id": "b", "requirements": ["DDP-7.1-T1"], "steps": ["ulpdu c140 $rw $addr 78"], "accept": ["open"]}]}')
            self.assertEqual(run("--self", "--cases", wrong, "--captures", folder, "--junit", junit).returncode, 1)
            capture = Path(folder) / "a____b.pcap"
            self.assertEqual(sorted(Path(folder).glob("*.pcap")), [capture])
            self.assertIn("[[ATTACHMENT|%s]]" % capture, xml.etree.ElementTree.parse(junit).getroot().find("testcase").find("system-out").text)
            self.assertIn(b"Terminate", subprocess.run([IWARPSIM, "decode", capture], capture_output=True).stdout)
            self.assertEqual(run("--self", "--cases", wrong, "--captures", "/nowhere").returncode, 3)

    def path(self, to):
        """A port whose connections lead there, and whose answers are late."""
        door = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(door.close)

        def serve():
            with contextlib.suppress(OSError):
                while True:
                    a, b = door.accept()[0], socket.create_connection(to)
                    for way in ((a, b, False), (b, a, True)):
                        threading.Thread(target=carry, args=way, daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        return "127.0.0.1:%d" % door.getsockname()[1]

    def serve(self, few, *arguments, script="read 16", options=(), late=False):
        """Cases for initiators, played at our own connect: status, cases, summary."""
        asked = [IWARPSIM, "judge", "--serve", "0", "--gap", "40", "--cases", few, "--json", *arguments]
        with subprocess.Popen(asked, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as judging:
            address = re.search(r"127\.0\.0\.1:\d+", judging.stderr.readline())[0]
            if late:
                address = self.path(("127.0.0.1", int(address.split(":")[1])))
            peer = [IWARPSIM, "connect", address, script, "--stag", "16", "--to", "65536", "--len", "4096", "--quiet", *options]
            while judging.poll() is None:
                subprocess.run(peer, capture_output=True)
            said = [json.loads(line) for line in judging.stdout]
        return judging.returncode, said[:-1], said[-1]["summary"]

    def test_serve(self):
        cases = [c for c in json.loads((TOP / "validation" / "vectors" / "judge.json").read_text())["cases"] if "reply" in c]
        self.assertGreaterEqual(len(cases), 100)
        with tempfile.TemporaryDirectory() as folder:
            few, page, junit = (Path(folder) / n for n in ("few.json", "page.html", "junit.xml"))
            few.write_text(json.dumps({"cases": cases}))
            status, said, summary = self.serve(few, "--page", page, "--junit", junit)
            self.assertEqual([c for c in said if c["result"] != "right"], [])
            self.assertEqual((status, summary["right"]), (0, len(cases)))
            self.assertIn("Content-Security-Policy", page.read_text())
            self.assertEqual(xml.etree.ElementTree.parse(junit).getroot().get("tests"), str(len(cases)))

    def test_serve_other_initiators(self):
        """Those that ask for revision 1, for markers, for one Read at a time: nothing that is right is called wrong."""
        cases = [c for c in json.loads((TOP / "validation" / "vectors" / "judge.json").read_text())["cases"] if "reply" in c]
        every = 1 if os.environ.get("IWARPSIM_NIGHTLY") else 4
        chosen = [c for i, c in enumerate(cases) if i % every == 0 or c["id"] in ("initiator_ulpdu_empty", "reply_reserved_bits", "initiator_read_two_at_once")]
        with tempfile.TemporaryDirectory() as folder:
            few = Path(folder) / "few.json"
            few.write_text(json.dumps({"cases": chosen}))
            for options, skipped in ((("--rev1",), 0), (("--markers",), 0), (("--ird", "1"), 1), (("--no-crc", "--rev1"), 0)):
                with self.subTest(options=options):
                    status, said, summary = self.serve(few, options=options)
                    self.assertEqual([c for c in said if c["result"] not in ("right", "skipped")], [])
                    self.assertEqual((status, summary["skipped"]), (0, skipped))

    def test_serve_a_peer_that_hears_late(self):
        """A Read and the judge's own probe that arrive together are two; who closes later than a gap was not silent."""
        cases = [c for c in json.loads((TOP / "validation" / "vectors" / "judge.json").read_text())["cases"] if c["id"] in ("initiator_write", "reply_other_protocol")]
        with tempfile.TemporaryDirectory() as folder:
            few = Path(folder) / "few.json"
            few.write_text(json.dumps({"cases": cases}))
            status, said, summary = self.serve(few, options=("--ird", "1"), late=True)
            self.assertEqual([c for c in said if c["result"] != "right"], [])
            self.assertEqual((status, summary["right"]), (0, 2))

    def test_serve_a_peer_that_errs(self):
        """A peer that is no iWARP, one that reads nothing, and one that does not come again."""
        with tempfile.TemporaryDirectory() as folder:
            few = Path(folder) / "few.json"
            few.write_text(json.dumps({"cases": [{"id": n, "requirements": ["RDMAP-5.2.2-8"], "reply": "rev 2 enhanced ird 4 ord 4 crc",
                                                  "steps": ["ulpdu c142 $sink $to 61*16"], "accept": ["open", "closed"]} for n in "abc"]}))
            asked = [IWARPSIM, "judge", "--serve", "0", "--gap", "20", "--wait", "1", "--cases", few, "--json"]
            with subprocess.Popen(asked, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as judging:
                address = re.search(r"127\.0\.0\.1:(\d+)", judging.stderr.readline())
                with socket.create_connection(("127.0.0.1", int(address[1]))) as other:
                    other.sendall(b"GET / HTTP/1.1\r\n\r\n")
                    said = [json.loads(judging.stdout.readline())]
                subprocess.run([IWARPSIM, "connect", address[0], "write 8", "--stag", "1", "--to", "0", "--len", "9"], capture_output=True)
                said += [json.loads(line) for line in judging.stdout]
            self.assertEqual([c.get("result") for c in said[:-1]], ["wrong", "skipped", "skipped"])
            self.assertIn("no MPA Request", said[0]["faults"][0])
            self.assertIn("reads nothing", said[1]["faults"][0])
            self.assertIn("cannot be reached", said[2]["faults"][0])

    def test_serve_nobody(self):
        done = run("--serve", "0", "--listen", "::1", "--wait", "1", "--case", "reply")
        self.assertEqual(done.returncode, 3)
        self.assertTrue(done.stderr.endswith(b"iwarpsim judge: nobody connected, so nothing was judged\n"), done.stderr)

    # checks: DRAFT00-D2 DDP-7.1-U2b
    def test_who_waits_for_a_buffer_is_right_by_the_rfc_and_wrong_by_the_draft(self):
        """A peer that replies, and is silent: Reply of revision 2 with CRC, IRD 4 and ORD 4."""
        def peer(listening):
            while True:
                try:
                    with listening.accept()[0] as end:
                        if end.recv(4096):
                            end.sendall(b"MPA ID Rep Frame" + bytes.fromhex("5002 0004 0004 0004"))
                        while end.recv(65536):
                            pass
                except OSError:
                    return
        with socket.create_server(("127.0.0.1", 0)) as listening:
            threading.Thread(target=peer, args=(listening,), daemon=True).start()
            asked = ("--connect", "127.0.0.1:%d" % listening.getsockname()[1], "--gap", "5", "--case", "send_without_receive_buffers")
            said = {profile: self.cases(*asked, "--profile", profile)[:2] for profile in ("rfc", "draft00")}
        self.assertEqual({p: (status, cases[0]["result"], cases[0]["reading"]) for p, (status, cases) in said.items()},
                         {"rfc": (0, "right", "silent"), "draft00": (1, "wrong", "silent")})
        self.assertEqual(self.cases("--self", "--profile", "draft00")[0], 0)

    def test_where_memory_is_not_told(self):
        with subprocess.Popen([IWARPSIM, "serve", "0", "--bare"], stdout=subprocess.PIPE, text=True) as serve:
            try:
                address = re.search(r"127\.0\.0\.1:\d+", serve.stdout.readline())[0]
                home = re.search(r"0x\w+", serve.stdout.readline())[0]
                skipped = run("--connect", address, "--case", "write")
                told = run("--connect", address, "--case", "write", "--memory", home + ":65536:1024")
            finally:
                serve.terminate()
        self.assertEqual((skipped.returncode, told.returncode), (0, 0))
        self.assertIn(b"1 skipped", skipped.stdout)
        self.assertIn(b"1 right", told.stdout)


class Talk:
    """A connection written from the RFCs: i() and r() send an FPDU each, close() ends one side."""

    def __init__(self, request=None, reply=None, crc=True):
        self.c, self.mpa = o.Connection().start(), [o.Mpa(crc), o.Mpa(crc)]
        self.c.send(0, request or o.frame(b"Req", crc, rev=2, enhanced=(4, 4)))
        if reply != b"":
            self.c.send(1, reply or o.frame(b"Rep", crc, rev=2, enhanced=(4, 4)))

    def say(self, side, ulpdu, cut=None, **how):
        fpdu = self.mpa[side].fpdu(ulpdu, **how)
        for part in [fpdu] if cut is None else [fpdu[:cut], fpdu[cut:]]:
            self.c.send(side, part)
        self.c.send(1 - side, flags=o.ACK)
        return self

    def i(self, ulpdu, **how):
        return self.say(0, ulpdu, **how)

    def r(self, ulpdu, **how):
        return self.say(1, ulpdu, **how)

    def wait(self, ms):
        self.c.time += ms * 10**6
        return self

    def close(self, side, flags=o.FIN | o.ACK):
        self.c.send(side, flags=flags)
        self.c.send(1 - side, flags=o.FIN | o.ACK)
        return self

    def said(self):
        return names(judge("-", stdin=o.capture(self.c.segments))[0])


def terminate(layer, kind, code, m=0, d=0, r=0, length=None, head=b"", rest=b"", reserved=0, msn=1):
    control = bytes([layer << 4 | kind, code, m << 7 | d << 6 | r << 5 | reserved, 0])
    return o.untagged(7, 2, msn, 0, control + (struct.pack(">H", length) if length is not None else b"") + head + rest)


def as_siw(layer, kind, code, flags=0, length=None, head=b"", rest=b""):
    control = bytes([kind << 4 | layer, code, flags, 0])
    return o.untagged(7, 2, 1, 0, control + (struct.pack(">H", length) if length is not None else b"") + head + rest)


def send(msn=1, mo=0, payload=b"hello", last=True, **more):
    return o.untagged(3, 0, msn, mo, payload, last, **more)


WRITE = o.tagged(0, 7, 100, b"x" * 8)
WRAP = o.tagged(0, 7, 2**64 - 4, b"x" * 8)
READ = o.read_request(1, (9, 0), 8, (7, 0))
READ_WRAP = o.read_request(1, (9, 0), 8, (7, 2**64 - 4))
RESPONSE = o.tagged(2, 9, 0, b"y" * 8)


class Made(unittest.TestCase):
    """What no capture at hand has: faults that siw is known for, and each kind of answer, right and wrong."""

    def check(self, talk, *wanted):
        self.assertEqual(talk.said(), sorted(wanted))

    def test_right_answers(self):
        """What our engine would say, and each other reading, is nobody's fault."""
        head = lambda ulpdu: ulpdu[:14] if ulpdu[0] & 0x80 else ulpdu[:18]
        full = lambda ulpdu: {"m": 1, "d": 1, "length": len(ulpdu), "head": head(ulpdu)}
        cases = [
            (WRITE, (1, 1, 0x00)), (WRITE, (1, 1, 0x01)), (WRITE, (1, 1, 0x02)), (WRITE, (0, 1, 0x02)),
            (send(), (1, 2, 0x02)), (send(), (1, 2, 0x05)), (send(msn=3), (1, 2, 0x02)), (send(msn=3), (1, 2, 0x03)),
            (send(mo=4), (1, 2, 0x04)), (send(mo=4), (1, 2, 0x05)), (WRAP, (1, 1, 0x03)), (WRAP, (1, 1, 0x00)),
            (o.untagged(3, 5, 1, 0, b"x"), (1, 2, 0x01)), (o.untagged(3, 5, 1, 0, b"x"), (0, 2, 0x06)),
            (o.untagged(4, 0, 1, 0, b"x", inval=3), (0, 2, 0x09)), (o.untagged(4, 0, 1, 0, b"x", inval=3), (0, 1, 0x09)),
            (RESPONSE, (0, 2, 0x06)), (RESPONSE, (1, 1, 0x00)), (WRITE, (0, 2, 0x07)),
            (o.untagged(12, 0, 1, 0, b"x"), (0, 2, 0x06)), (o.tagged(0, 7, 0, b"x", version=0), (1, 1, 0x04)),
        ]
        for ulpdu, value in cases:
            with self.subTest(value=value, ulpdu=ulpdu.hex()):
                said = Talk().i(ulpdu).r(terminate(*value, **full(ulpdu))).close(1).said()
                self.assertEqual([v for v in said if v.startswith("r2i")], [])
        for value in ((0, 1, 0x00), (0, 1, 0x01), (0, 1, 0x02), (0, 1, 0x03)):
            self.check(Talk().i(READ).r(terminate(*value, r=1, rest=READ[18:], **full(READ))).close(1))
        part = READ[:30] + struct.pack(">IIQ", 5, 7, 3)  # three octets were answered before the error (RDMAP-4.8-15)
        part = part[:22] + struct.pack(">Q", 3) + part[30:]
        self.check(Talk().i(READ).r(terminate(0, 1, 0, r=1, rest=part[18:], **full(READ))).close(1))
        self.check(Talk().i(READ_WRAP).r(terminate(0, 1, 4, r=1, rest=READ_WRAP[18:], **full(READ_WRAP))).close(1),
                   "i2r RDMAP-7.2-R4e")
        self.check(Talk().i(send(), bad_crc=True).r(terminate(2, 0, 2)).close(1), "i2r MPA-4.4-3")
        self.check(Talk().i(send()).i(terminate(0, 0, 0x42)).close(0))
        self.check(Talk().i(b"\x41\x43" + bytes(5)).r(terminate(1, 0, 0)).close(1), "i2r DDP-4.4-1")
        self.check(Talk().i(b"\x41\x43" + bytes(5)).r(terminate(2, 0, 3)).close(1), "i2r DDP-4.4-1")

    def test_octets_of_a_terminate(self):
        t = lambda **more: terminate(1, 1, 0, m=1, d=1, **{"length": 22, "head": WRITE[:14], **more})
        write = lambda answer: Talk().i(WRITE).r(answer).close(1)
        self.check(write(t()))
        self.check(write(t(length=8)), "r2i RDMAP-4.8-8")
        self.check(write(t(length=0)), "r2i RDMAP-4.8-8")
        self.check(write(t(reserved=4)), "r2i RDMAP-4.8-7")
        self.check(write(t(head=o.tagged(0, 8, 100))), "r2i RDMAP-4.8-11")
        self.check(write(t(head=o.tagged(2, 8, 200))), "r2i RDMAP-4.8-11")
        self.check(write(terminate(1, 1, 0, d=1, length=22, head=WRITE[:14])), "r2i RDMAP-4.8-9")
        self.check(write(terminate(1, 1, 0)), "r2i RDMAP-7.1-2")
        self.check(write(terminate(1, 1, 0x77, m=1, d=1, length=22, head=WRITE[:14])), "r2i RDMAP-4.8-3")
        self.check(write(terminate(1, 1, 0, m=1, d=1, length=22, head=WRITE[:9])), "r2i RDMAP-4.8-1")
        self.check(write(terminate(0, 0, 0, m=1, d=1, length=22, head=WRITE[:14])), "r2i RDMAP-4.8-10")
        self.check(write(terminate(1, 1, 0, m=1, d=1, r=1, length=22, head=WRITE[:14], rest=bytes(28))), "r2i RDMAP-4.8-6")
        self.check(write(as_siw(1, 1, 0, 3, 22, WRITE[:14])), "r2i RDMAP-4.8-2")
        self.check(write(t(msn=2)), "r2i DDP-4.3-10")
        read = lambda **more: Talk().i(READ).r(terminate(0, 1, 0, m=1, d=1, length=46, head=READ[:18], **more)).close(1)
        self.check(read(), "r2i RDMAP-7.1-3")
        self.check(read(r=1, rest=READ[18:-1] + b"!"), "r2i RDMAP-4.8-13")

    def test_wrong_answers(self):
        full = lambda ulpdu, head: {"m": 1, "d": 1, "length": len(ulpdu), "head": ulpdu[:head]}
        self.check(Talk().i(WRAP).r(terminate(1, 0, 0, **full(WRAP, 14))).close(1), "i2r DDP-7.1-T5", "r2i DDP-7.2-1")
        self.check(Talk().i(WRITE).r(terminate(1, 2, 2, **full(WRITE, 14))).close(1), "r2i DDP-7.2-1")
        self.check(Talk().i(send()).r(terminate(1, 1, 0, **full(send(), 18))).close(1), "r2i DDP-7.2-1")
        self.check(Talk().i(READ).r(terminate(1, 1, 0, **full(READ, 18))).close(1), "r2i DDP-7.2-1")
        second = send(mo=5, payload=b"there")
        self.check(Talk().i(send(last=False)).i(second).r(terminate(1, 2, 2, **full(second, 18))).close(1), "r2i DDP-7.2-1")
        self.check(Talk().i(send(last=False)).i(second).r(terminate(1, 2, 5, **full(second, 18))).close(1))
        self.check(Talk().i(send(), bad_crc=True).r(terminate(2, 0, 4)).close(1), "i2r MPA-4.4-3", "r2i MPA-4.4-3")
        self.check(Talk().i(send()).r(terminate(2, 0, 2)).close(1), "r2i MPA-4.4-2")
        self.check(Talk().i(send(), cut=24).r(terminate(2, 0, 2)).close(1), "r2i MPA-A-1")
        self.check(Talk().i(send()).r(terminate(0, 2, 6)).close(1), "r2i RDMAP-4.8-5", "r2i RDMAP-7.2-2")

    def test_no_answer(self):
        self.check(Talk().i(READ_WRAP).close(1), "i2r RDMAP-7.2-R4e", "r2i RDMAP-7.1-3")
        self.check(Talk().i(send(msn=3)).close(1), "i2r DDP-7.1-U5", "r2i RDMAP-7.1-2")
        self.check(Talk().i(send(msn=3)).wait(200).close(0), "i2r DDP-7.1-U5", "r2i RDMAP-7.1-2")
        self.check(Talk().i(send(msn=3)).close(0), "i2r DDP-7.1-U5")  # it had no time
        self.check(Talk().i(send(msn=3)), "i2r DDP-7.1-U5")  # nobody knows how it went on
        self.check(Talk().i(send()).i(send(msn=2), bad_crc=True).close(1), "i2r MPA-4.4-3", "r2i RDMAP-6.2.1-1")
        self.check(Talk().i(send(), bad_crc=True).close(1), "i2r MPA-4.4-3")  # the responder may not speak yet
        self.check(Talk().i(READ_WRAP).r(RESPONSE).close(1), "i2r RDMAP-7.2-R4e", "r2i RDMAP-7.2-R4e")
        change = o.tagged(2, 7, 108, b"x" * 8)  # the opcode changes inside a tagged message
        self.check(Talk().i(o.tagged(0, 7, 100, b"x" * 8, last=False)).i(change).close(1), "i2r RDMAP-5.2.2-5", "r2i RDMAP-7.1-2")
        self.check(Talk().r(RESPONSE).i(send()).wait(200).close(0), "r2i MPA-7.1.2-4", "r2i RDMAP-5.2.2-5")
        self.check(Talk().i(READ).r(o.tagged(2, 8, 0, b"y" * 8)).wait(200).close(1), "r2i RDMAP-5.2.2-8")

    def test_start_up(self):
        enhanced = {"rev": 2, "enhanced": (4, 4)}
        request, reply = o.frame(b"Req", True, **enhanced), o.frame(b"Rep", True, **enhanced)
        bits = lambda frame, more: frame[:16] + bytes([frame[16] | more]) + frame[17:]
        self.check(Talk(bits(request, 7), bits(reply, 7)).i(send()), "i2r MPA-7.1-*", "r2i MPA-7.1-*")
        self.check(Talk(bits(request, 0x20)).i(send()), "i2r MPA-7.1-*")
        self.check(Talk(request, bits(reply, 0x20)).close(0))
        self.check(Talk(request, bits(reply, 0x20)).i(send()), "i2r MPA-7.1-*")
        self.check(Talk(request, b"").close(1), "r2i MPA-7.1-*")
        self.check(Talk(request, b"").close(0))
        self.check(Talk(request[:17] + b"\x03" + request[18:], b"").close(1), "i2r MPA-7.1-*")
        # the responder alone wants CRCs; the initiator leaves them out
        t = Talk(o.frame(b"Req", False, **enhanced), reply)
        t.mpa[0].crc = False
        self.check(t.i(send()).close(0), "i2r MPA-4.4-3")

    def test_order(self):
        self.check(Talk().i(send()).i(terminate(0, 0, 0)).i(send(msn=2)), "i2r RDMAP-5.4-8")
        read0 = o.read_request(2, (9, 64), 0, (7, 0))
        coalesced = Talk().i(READ).i(read0).r(RESPONSE)  # a Read of no octets is answered as the one before it was
        self.check(coalesced.r(o.tagged(2, 9, 64, b"y" * 8)), "r2i RDMAP-5.2.2-8")
        self.check(Talk().i(send()).r(send(inval=5)), "r2i RDMAP-4.1-10")
        octets = send()
        self.check(Talk().i(bytes([octets[0] | 4]) + octets[1:]), "i2r DDP-4.1-9")
        self.check(Talk().i(octets[:1] + bytes([octets[1] | 0x10]) + octets[2:]), "i2r RDMAP-4.1-9")

    def test_holes(self):
        """What the capture lacks is nobody's fault."""
        t = Talk().i(send()).i(WRITE).i(send(msn=2)).r(terminate(1, 1, 0, m=1, d=1, length=22, head=WRITE[:14])).close(1)
        lacks = [s for s in t.c.segments if WRITE not in s.payload]
        self.assertEqual(judge("-", stdin=o.capture(lacks))[0], [])
        t = Talk().i(send()).i(send(msn=5)).i(send(msn=6)).r(terminate(2, 0, 2)).close(1)
        lacks = [s for s in t.c.segments if send(msn=5) not in s.payload]
        self.assertEqual([v for v in names(judge("-", stdin=o.capture(lacks))[0]) if v.startswith("r2i")], [])


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    print("[  PASSED  ] %d test(s)." % (result.testsRun - len(result.failures) - len(result.errors) - len(result.skipped)))
    for _, why in result.skipped:
        print("[  SKIPPED ] 1 test(s).", why, sep="\n")
    sys.exit(not result.wasSuccessful())
