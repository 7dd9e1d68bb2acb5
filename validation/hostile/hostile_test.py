#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a stranger's scenario, capture, results, file name or argument may hold: some 270 texts through every command. None of them
runs a command (the program `canary` on PATH leaves a mark), writes outside its folder, or reaches the terminal as a control character.

  hostile_test.py [TEST]     needs IWARPSIM (or build/iwarpsim), gnuplot and GNU parallel

Each text meets some of the commands, each command a part of every kind of text; at night (IWARPSIM_NIGHTLY) all meet all.
"""

import json
import os
import random
import re
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
from texts import TEXTS, is_name, is_plain

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = os.environ.get("IWARPSIM", str(TOP / "build" / "iwarpsim"))
CAPTURE = TOP / "validation" / "interop" / "d1-good.pcap"

NIGHTLY = bool(os.environ.get("IWARPSIM_NIGHTLY"))

SWEEP = """\
world: fabric
payload: none
workload: {count: 5}
sweep: {topology.delay: [1us, 2us]}
"""
SCRIPT = """\
world: fabric
workload: {kind: script, script: "write 9000"}
"""


def some(things, i, parts=4):
    """All at night; else the part of them that falls to the text of number i: neighbours are of one kind, and have different parts."""
    return things if NIGHTLY else things[i % parts::parts]


class Hostile(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="iwarpsim-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.bin, self.here, self.mark = self.folder / "bin", self.folder / "here", self.folder / "mark"
        self.bin.mkdir()
        self.here.mkdir()
        (self.bin / "canary").write_text(f"#!/bin/sh\necho \"$@\" >>'{self.mark}'\n")
        (self.bin / "canary").chmod(0o755)
        self.environment = {**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}"}

    def tearDown(self):
        self.assertFalse(self.mark.exists(), "a command was run")

    def file(self, name, text):
        path = self.here / name
        path.write_text(text)
        return path

    def run_it(self, *args, cwd=None, **environment):
        done = subprocess.run([IWARPSIM, *args], cwd=cwd or self.here, env={**self.environment, **environment}, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=60)
        said = done.stdout + done.stderr
        self.assertFalse(self.mark.exists(), ("a command was run", args))
        self.assertIn(done.returncode, (0, 2, 3), (args, said))
        text = said.decode()  # UTF-8, whatever it was given
        self.assertTrue(all(is_plain(line) for line in text.split("\n")), (args, said))
        return done.returncode, text

    def refused(self, *args, **more):
        status, said = self.run_it(*args, **more)
        self.assertEqual((status, said.count("\n")), (2, 1), (args, said))

    def result(self, name="good"):
        scenario = self.file("t.yaml", SWEEP)
        self.assertEqual(self.run_it("run", scenario, "--jobs", "1", "--out", name)[0], 0)
        return self.here / name


class Texts(Hostile):
    def test_in_a_scenario(self):
        """title, claim, plot.title: shown, drawn and played; what is not plain is refused with line and column."""
        for i, text in enumerate(TEXTS):
            short = text.encode()[:250].decode(errors="ignore")
            scenario = self.file("s.yaml", SCRIPT + f"title: {json.dumps(short, ensure_ascii=not is_plain(short))}\nclaim: {json.dumps(short, ensure_ascii=not is_plain(short))}\nplot: {{title: {json.dumps(short, ensure_ascii=not is_plain(short))}}}\n")
            if not is_plain(short):
                for words in some((["check", scenario], ["explain", scenario, "--pictures", "pictures"], ["play", scenario]), i, 3):
                    self.refused(*words)
                continue
            for words in some((["check", scenario], ["explain", scenario, "--only", "end"], ["play", scenario, "-o", "page.html"]), i, 3):
                self.assertEqual(self.run_it(*words)[0], 0, text)

    def test_in_the_title_of_pictures(self):
        for text in self.packed():
            scenario = self.file("s.yaml", SCRIPT + f"title: {json.dumps(text, ensure_ascii=False)}\n")
            self.assertEqual(self.run_it("explain", scenario, "--pictures", "pictures", "--only", "end")[0], 0)
            for picture in ("placement", "window", "memory"):
                self.assertTrue((self.here / "pictures" / f"{picture}.svg").read_text().rstrip().endswith("</svg>"), text)

    @staticmethod
    def packed():
        """All plain texts, as many in one as a title holds; each that is dangerous at the beginning stands there in other tests."""
        packs = [""]
        for text in TEXTS:
            if not is_plain(text) or len(text.encode()) > 250:
                continue
            if len((packs[-1] + text).encode()) > 250:
                packs.append("")
            packs[-1] += text
        return packs

    def test_in_every_text_key_and_as_a_key(self):
        for i, text in enumerate(TEXTS):
            value = json.dumps(text, ensure_ascii=False)
            for line in some((f"{value}: 1", f"workload: {{size: {{cdf: {value}}}}}", f"workload: {{kind: script, script: {value}}}", f"world: {value}", f"topology: {{rate: {value}}}",
                         f"plot: {{x: {value}}}", f"sweep: {{workload.size.cdf: [{value}]}}"), i):
                status, said = self.run_it("check", self.file("s.yaml", line + "\n"))
                self.assertIn(status, (2,) if text.strip("\\ '\"") else (0, 2), (line, said))

    def test_in_a_network_that_a_file_describes(self):
        """Names of hosts and switches, the file's own name, a platform of SimGrid: a file beside the scenario, or one sentence."""
        for i, text in enumerate(TEXTS):
            word = json.dumps(text, ensure_ascii=not is_plain(text))
            self.file("net.yaml", f"hosts: [{word}, b]\nswitches: [s]\nlinks:\n  - [{word}, s]\n  - [b, s]\n")
            self.file("net.xml", f'<?xml version="1.0"?>\n<platform version="4.1"><zone id={word} routing="Full"><host id={word} speed="1f"/></zone></platform>\n')
            for topology in some(("{kind: file, file: net.yaml}", "{kind: platform, file: net.xml}", f"{{kind: file, file: {word}}}", f"{{kind: platform, file: {word}}}"), i):
                status, said = self.run_it("check", self.file("s.yaml", f"world: {'simgrid' if 'platform' in topology else 'fabric'}\ntopology: {topology}\n"))
                if "net." not in topology:
                    self.assertEqual((status, said.count("\n")), (2, 1), (topology, said))

    def test_in_a_file_of_fates(self):
        """Its own name, and each text as a line: fates beside the scenario, or one sentence; so are 80 files, at night 300, with octets changed."""
        good = "# a path\n40 ok\nlost\n3 late 12 5us twice\n2 twice\nlost twice\n"
        scenario = self.file("s.yaml", "channel: {trace: {file: my.fates, by: time}}\n")
        for text in TEXTS:
            (self.here / "my.fates").write_bytes(good.encode() + text.encode() + b"\n")
            status, said = self.run_it("check", scenario)
            if status:
                self.assertEqual((status, said.count("\n")), (2, 1), (text, said))
            named = self.file("n.yaml", f"channel: {{trace: {{file: {json.dumps(text, ensure_ascii=not is_plain(text))}}}}}\n")
            status, said = self.run_it("check", named)
            self.assertTrue(status == 2 and said.count("\n") == 1 or not text, (text, said))
        draw = random.Random(20)
        for _ in range(300 if NIGHTLY else 80):
            octets = bytearray(good.encode())
            for _ in range(draw.randint(1, 4)):
                octets[draw.randrange(len(octets))] = draw.choice(b"0123456789 \n\r\t#-.latekosinuw\0\xff\x1b")
            (self.here / "my.fates").write_bytes(octets)
            status, said = self.run_it("check", scenario)
            self.assertTrue(status == 0 or said.count("\n") == 1, (octets, said))

    def test_in_a_schedule(self):
        """Its own name, each text as a label and as a line: a GOAL schedule, or one sentence; so are 80 files, at night 300, with octets changed."""
        good = "num_ranks 2\nrank 0 {\nl1: calc 5\nl2: send 9b to 1 tag 3\nl2 requires l1\n}\nrank 1 {\nl1: recv 9b from 0 tag 3\nl2: calc 7\nl2 irequires l1\n}\n"
        scenario = self.file("s.yaml", "workload: {kind: goal, file: my.goal}\n")
        for i, text in enumerate(TEXTS):
            for octets in some((good.encode().replace(b"calc 7", text.encode()), good.encode().replace(b"l2", text.encode())), i, 2):
                (self.here / "my.goal").write_bytes(octets)
                status, said = self.run_it("check", scenario)
                if status:
                    self.assertEqual((status, said.count("\n")), (2, 1), (text, said))
            named = self.file("n.yaml", f"workload: {{kind: goal, file: {json.dumps(text, ensure_ascii=not is_plain(text))}}}\n")
            status, said = self.run_it("check", named)
            self.assertEqual((status, said.count("\n")), (2, 1), (text, said))
        draw = random.Random(21)
        for _ in range(300 if NIGHTLY else 80):
            octets = bytearray(good.encode())
            for _ in range(draw.randint(1, 4)):
                octets[draw.randrange(len(octets))] = draw.choice(b"0123456789 \n\r\t/*-:{}lsrcbt\0\xff\x1b")
            (self.here / "my.goal").write_bytes(octets)
            status, said = self.run_it("check", scenario)
            self.assertTrue(status == 0 or said.count("\n") == 1, (octets, said))

    def test_as_options(self):
        scenario = self.file("s.yaml", SCRIPT)
        good = self.result()
        plot = ("--x", "--y", "--by", "--panels", "--table", "--size")
        for i, text in enumerate(TEXTS):
            for words in some((["check", scenario, "--set", f"title={text}"], ["check", scenario, "--set", text], ["check", scenario, text], ["keys", text], ["list", text], ["demo", text],
                          ["explain", scenario, "--point", text], ["explain", scenario, "--only", text], ["play", scenario, "--beside", text], ["stages", text],
                          ["size", scenario, "--find", text, "--until", text], ["run", scenario, ("--point", "--shard", "--jobs", "--repeat")[i % 4], text],
                          ["merge", text], ["rerun", text], ["verify", text], ["compare", text, good], ["manual", text], ["decode", text], ["fates", text], ["fates", text, good], ["exercise", text], [text],
                          ["judge", text], ["judge", "--self", "--case", text], ["serve", text], ["serve", "0", "--memory", text], ["connect", text], ["connect", "127.0.0.1:1", text],
                          ["connect", "127.0.0.1:1", "send 1", "--timeout", text], ["exercise", "--verify", text], ["exercise", scenario, "--student", "7", "--course", text],
                          ["plot", good, plot[i % 6], text]), i, 8):
                status, said = self.run_it(*words)
                if not is_plain(text):
                    self.assertEqual((status, said.count("\n")), (2, 1), (words, said))


class Names(Hostile):
    def test_of_scenarios(self):
        """A name works in every command, or each refuses it in one sentence. What gnuplot is given is drawn once a handful."""
        drawn = 0
        for i, text in enumerate(TEXTS):
            for name in (text, f"n{text}"):
                if "/" in name or len(name.encode()) > 250:
                    continue
                self.file(f"{name}.yaml", SWEEP)
                path, good = f"./{name}.yaml", is_name(name)
                drawn += good
                if good and drawn % (3 if NIGHTLY else 24) == 0:
                    plot = ["--plot", "column"] if drawn % (9 if NIGHTLY else 72) == 0 else []
                    self.assertEqual(self.run_it("run", path, "--jobs", "1", "--out", "out", *plot)[0], 0, name)
                    self.assertEqual((self.here / "out" / f"{name}.svg").is_file(), bool(plot), name)
                    shutil.rmtree(self.here / "out")
                commands = (["check", path], ["play", path, "--point", "1us", "-o", "page.html"], ["explain", path, "--point", "1us", "--only", "end"], ["run", path, "--point", "1us"])
                for words in some(commands[:2] if name == text else commands[2:], i, 2):
                    if good:
                        self.assertEqual(self.run_it(*words)[0], 0, words)
                    else:
                        self.refused(*words)
                (self.here / f"{name}.yaml").unlink()

    def test_of_captures_and_traces(self):
        for i, text in enumerate(TEXTS):
            if "/" in text or len(text.encode()) > 245 or text in (".", ".."):
                continue
            path = self.here / f"{text}.pcap"
            shutil.copy(CAPTURE, path)
            for words in some((["decode"], ["fates"], ["decode", "--json"], ["judge"], ["judge", "--json", "--junit", "j.xml"], ["explain", "--only", "end"], ["play", "-o", "page.html"]), i, 5):
                words = [words[0], f"./{text}.pcap", *words[1:]]
                if is_plain(text):
                    self.assertEqual(self.run_it(*words)[0], 0, words)
                else:
                    self.refused(*words)
            path.unlink()
        for text in ("it's `canary`", "x {= system('canary') =}", "|canary", "$(canary)"):
            shutil.copy(CAPTURE, self.here / f"{text}.pcap")
            self.assertEqual(self.run_it("explain", f"./{text}.pcap", "--only", "end", "--pictures", f"p {text}")[0], 0, text)

    def test_of_folders_and_figures(self):
        """A folder of results of any name is drawn, under any title and label; a figure's name is a safe one."""
        good = self.result()
        folders = [good, *(Path(shutil.copytree(good, self.here / f"other{i}")) for i in range(3))]
        texts = [t for t in TEXTS if "/" not in t and len(t.encode()) <= 255 and t not in (".", "..")]
        plain = [t for t in texts if is_plain(t)]
        for first in range(0, len(plain), len(folders)):
            names = plain[first:first + len(folders)]
            called = [folder.rename(self.here / name) for folder, name in zip(folders, names)]
            labels = [word for name in names for word in ("--label", name)]
            self.assertEqual(self.run_it("plot", *(f"./{name}" for name in names), "--title", "".join(names[::-1])[:100], *labels, "--size", "column", "--name", f"n{first}")[0], 0, names)
            self.assertTrue((called[0] / f"n{first}.svg").read_text().rstrip().endswith("</svg>"), names)
            self.again(called[0] / f"n{first}.gp")
            for folder, now in zip(folders, called):
                now.rename(folder)
        for text in texts:
            if not is_plain(text):
                good.rename(self.here / text)
                self.refused("plot", f"./{text}", "--name", "n")
                (self.here / text).rename(good)
                for option in ("--title", "--label"):
                    self.refused("plot", good, option, text)
            if not is_name(text):
                self.refused("plot", good, "--size", "column", "--name", text)
        self.assertEqual(sorted(p.name for p in self.here.iterdir()), ["good", "other0", "other1", "other2", "t.yaml"])

    def again(self, script):
        """The script that is left behind has words of input only in comments, without line breaks, and inside double quotes."""
        for line in script.read_text().split("\n"):
            self.assertTrue(is_plain(line), line)
            if not line.startswith("#"):
                self.assertNotIn("canary", "".join(line.split('"')[::2]), script)
                self.assertNotRegex(line, "`|@")

    def test_of_where_many_jobs_write(self):
        """Any name works on this machine; GNU parallel gets none with braces for others."""
        scenario, ssh = self.file("t.yaml", SWEEP), self.folder / "ssh"
        ssh.write_text('#!/bin/sh\nshift; exec sh -c "$*"\n')
        ssh.chmod(0o755)
        logins = self.folder / "logins"
        logins.write_text(f"1/{ssh} a\n")
        texts = [t for t in TEXTS if is_plain(t) and "/" not in t and len(t.encode()) < 200 and t not in (".", "..", "~")]
        for first in range(0, len(texts), 24):  # one in the other
            names = [*texts[first:first + 24], "x{= system('canary') =}y"]
            inner = self.here.joinpath(*names)
            inner.parent.mkdir(parents=True)
            self.assertEqual(self.run_it("run", scenario, "--jobs", "2", "--out", "./" + "/".join(names))[0], 0, names)
            self.assertTrue((inner / "results.csv").is_file(), names)
            shutil.rmtree(self.here / names[0])
        for text in ("x{= system('canary') =}y", "x{1}y", "x{= canary =}"):
            status, said = self.run_it("run", scenario, "--sshloginfile", logins, "--out", text)
            self.assertEqual(status, 3, said)
            self.assertIn("GNU parallel would expand the { }", said)
        self.assertEqual(sorted(p.name for p in self.here.iterdir() if not p.name.startswith("x{")), ["t.yaml"])

    def test_a_login_file_of_a_folder_of_results_is_refused(self):
        good = self.result()
        for path in (good / "logins", good / "dist" / "logins"):
            path.write_text("1/canary x\n")
            self.refused("run", self.here / "t.yaml", "--out", "other", "--sshloginfile", path)


class Results(Hostile):
    """A folder of results that came by mail."""

    def test_the_name_of_its_scenario(self):
        good, bare = self.result(), self.here / "bare"  # the second without a manifest, which would say that it was changed
        shutil.copytree(good, bare)
        (bare / "manifest.json").unlink()
        scenario, safe = good / "scenario.yaml", 0
        lines = scenario.read_text().split("\n", 1)
        for i, text in enumerate(TEXTS):
            scenario.write_text(f"# scenario {text}\n{lines[1]}")
            shutil.copy(scenario, bare)
            safe += is_name(text)
            if not is_name(text) or safe % (5 if NIGHTLY else 30) == 0:
                status, said = self.run_it("plot", bare, "--size", "column", "--name", "n")
                one = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x85", "\n").replace("\u2028", "\n").replace("\u2029", "\n")
                if "\n" not in one:
                    self.assertEqual(status, 0 if is_name(text) else 2, (text, said))
            for words in some((["rerun", good], ["merge", good, "--out", "merged"]), i, 2):
                self.run_it(*words)
            shutil.rmtree(self.here / "merged", ignore_errors=True)

    def test_its_cells_and_its_manifest(self):
        """Without a manifest nothing says what the cells should be: they are drawn, a dozen texts in one figure."""
        good = self.result()
        rows, manifest = (good / "results.csv").read_text(), (good / "manifest.json").read_text()
        head, row = rows.splitlines()[:2]
        cells = ['"' + text.replace('"', '""') + '"' for text in TEXTS]
        (good / "manifest.json").unlink()
        for first in range(0, len(TEXTS), 12):
            strange = [row.replace("t,1us", f"{cell},{cell}") for cell in cells[first:first + 12]]
            (good / "results.csv").write_text("\n".join([head, *strange]) + "\n")
            self.run_it("plot", good, "--size", "column", "--x", "point", "--by", "scenario", "--name", "n")
        for i, (text, cell) in enumerate(zip(TEXTS, cells)):
            renamed = rows.replace("t,1us", f"{cell},{cell}").replace("completion_us", cell).replace("goodput_gbps", cell)
            axes = ["--x", text if "\0" not in text else "x", "--y", "nothing"]
            for damaged, words in some(((renamed, axes), (re.sub("(,ok,1,[0-9.]*,)[0-9.]*", lambda found: found[1] + cell, rows), [])), i, 2):
                (good / "results.csv").write_text(damaged)
                self.run_it("plot", good, *words)
        (good / "results.csv").write_text(rows)
        for i, text in enumerate(TEXTS):
            told = json.loads(manifest)
            told["commit"] = told["compiler"] = told["results_sha256"] = told["versions"][0]["commit"] = text
            told["versions"].append({"commit": "x" + text, "simulator": text})
            (good / "manifest.json").write_text(json.dumps(told))
            for words in some((["rerun", good], ["plot", good, "--y", "nothing"]), i, 2):
                self.run_it(*words)
        told["versions"] = [{"commit": text, "simulator": text} for text in TEXTS if is_plain(text)]
        told["commit"] = told["compiler"] = told["results_sha256"] = "x"
        (good / "manifest.json").write_text(json.dumps(told, ensure_ascii=False))
        status, said = self.run_it("plot", good, "--mixed", "--name", "n")
        self.assertEqual(status, 0, said)
        self.assertEqual(sorted(p.name for p in self.here.iterdir()), ["good", "t.yaml"])

    def test_a_table_elsewhere_is_not_read(self):
        good = self.result()
        outside = self.file("outside.csv", "point,steady_gbps\n1us,5\n")
        (good / "dist" / "link.csv").symlink_to(outside)
        for table in ("../outside.csv", str(outside), "dist/../../outside.csv", "dist/link.csv", "/etc/passwd", "../../../../../../etc/passwd"):
            self.refused("plot", good, "--table", table)
            with open(good / "scenario.yaml", "a") as f:
                f.write(f"plot.table: {table}\n")
            self.refused("plot", good)
            scenario = (good / "scenario.yaml").read_text()
            (good / "scenario.yaml").write_text(scenario.rsplit("plot.table", 1)[0])

    def test_links_lead_nowhere(self):
        """What is written or removed in a folder of results is in it, whatever its entries point to."""
        victim, scenario = self.here / "victim", self.file("t.yaml", SWEEP)
        victim.mkdir()
        for name in ("file", "latency.csv", "results.csv", "1us-r0.row"):
            (victim / name).write_text("precious")
        before = {p.name: p.read_bytes() for p in victim.iterdir()}

        def run_with(link, to, *words):
            out = self.here / "out"
            (out / link).parent.mkdir(parents=True, exist_ok=True)
            (out / link).symlink_to(to)
            self.run_it(*words)
            self.assertEqual({p.name: p.read_bytes() for p in victim.iterdir()}, before, (link, words))
            shutil.rmtree(out)

        run = ("run", scenario, "--jobs", "1", "--out", "out", "--trace")
        for link in ("points", "dist", "trace"):
            run_with(link, victim, *run)
        for link in ("results.partial.csv", "results.csv", "manifest.json", "summary.csv", "columns.tsv", "scenario.yaml", "points/1us-r0.row", "trace/1us-r0.csv"):
            run_with(link, victim / "file", *run)
        shutil.copytree(self.result(), self.here / "out")
        (self.here / "out" / "rerun").symlink_to(victim)
        self.run_it("rerun", "out")
        for name in ("t.gp", "t.tsv", "t.svg", "t.png", "t.pdf"):
            (self.here / "out" / name).symlink_to(victim / "file")
        self.assertEqual(self.run_it("plot", "out")[0], 0)
        self.file("s.yaml", SCRIPT)
        for name in ("placement.gp", "placement.svg", "window.png"):
            (self.here / "out" / name).symlink_to(victim / "file")
        self.assertEqual(self.run_it("explain", "s.yaml", "--only", "end", "--pictures", "out")[0], 0)
        for name in ("compare.csv", "compare.gp", "compare.tsv", "compare.svg", "compare.png", "compare.pdf"):
            (self.here / "out" / name).symlink_to(victim / "file")
        self.assertEqual(self.run_it("compare", self.here / "good", self.here / "good", "--out", "out")[0], 0)
        for name in ("s.html", "live.html", "j.xml", "n.pcapng", "r.html"):
            (self.here / name).symlink_to(victim / "file")
        self.assertEqual(self.run_it("play", "s.yaml")[0], 0)
        self.run_it("play", "s.yaml", "--live", "-o", "live.html")
        self.run_it("judge", CAPTURE, "--junit", "j.xml", "--notes", "n.pcapng")
        self.run_it("judge", "--self", "--case", "read-1", "--page", "r.html")
        self.assertEqual(self.run_it("verify", self.here / "good")[0], 0)
        self.assertEqual({p.name: p.read_bytes() for p in victim.iterdir()}, before)

    def test_a_pipe_keeps_nobody_waiting(self):
        good = self.result()
        for name in ("results.csv", "manifest.json"):
            octets = (good / name).read_bytes()
            (good / name).unlink()
            os.mkfifo(good / name)
            words = ["plot", good] if name == "results.csv" else ["rerun", good]
            try:
                self.refused(*words)
            finally:
                (good / name).unlink()
                (good / name).write_bytes(octets)


class Peers(Hostile):
    """What comes over the network: a Request's script, a Reply's private data."""

    def test_a_request(self):
        with socket.create_server(("127.0.0.1", 0)) as here:
            asking = subprocess.Popen([IWARPSIM, "connect", f"127.0.0.1:{here.getsockname()[1]}", "send 1", "--timeout", "200ms"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            end, _ = here.accept()
            asked = end.recv(4096)
            asking.wait(60)
            end.close()
        self.assertTrue(asked.endswith(b"send 1"))
        server = subprocess.Popen([IWARPSIM, "serve", "0", "--pcap", "serve.pcap"], cwd=self.here, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        port = int(re.match(rb"listening on \S+:(\d+);", server.stdout.readline())[1])
        for text in (*TEXTS, *(f"send 1{t}" for t in TEXTS), "send 1\x1b[31m", "send 1;\nsend 2", "send 1 \u202e"):
            private = asked[20:-6] + text.encode()[:400]
            with socket.create_connection(("127.0.0.1", port)) as peer:
                peer.sendall(asked[:18] + len(private).to_bytes(2, "big") + private)
                peer.settimeout(30)
                peer.recv(1)
        server.terminate()
        said = b"".join(server.communicate(timeout=60)).decode()
        self.assertEqual(server.returncode, 0, said)
        self.assertGreater(said.count("\n"), len(TEXTS))
        self.assertEqual([line for line in said.split("\n") if not is_plain(line)], [])
        for words in (["explain", "serve.pcap"], ["decode", "serve.pcap"], ["judge", "serve.pcap"]):
            self.run_it(*words)

    def test_a_reply(self):
        with socket.create_server(("127.0.0.1", 0)) as here:
            address = f"127.0.0.1:{here.getsockname()[1]}"
            for i, text in enumerate(TEXTS if NIGHTLY else TEXTS[::3]):
                asking = subprocess.Popen([IWARPSIM, "connect", address, "send 1", "--timeout", "10s"], cwd=self.here, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                end, _ = here.accept()
                with end:
                    end.recv(4096)
                    private = bytes([0, 16, 0, 16]) + text.encode()[:500]
                    end.sendall(b"MPA ID Rep Frame" + bytes([0x60 if i % 2 else 0x50, 2]) + len(private).to_bytes(2, "big") + private)
                said = b"".join(asking.communicate(timeout=60)).decode()
                self.assertIn(asking.returncode, (0, 2, 3), said)
                self.assertTrue(all(is_plain(line) for line in said.split("\n")), (text, said))


class Environment(Hostile):
    def test_programs_that_are_started_hear_only_what_they_need(self):
        """Start-up files and variables of gnuplot, GNU parallel, Perl, the shell and ns-3 that would run `canary` or change a result."""
        home, scenario = self.folder / "home", self.file("t.yaml", SWEEP)
        (home / ".parallel").mkdir(parents=True)
        (home / ".gnuplot").write_text('system "canary gnuplot"\n')
        (home / ".parallel" / "config").write_text("--tmux\n--rpl '{1} system(\"canary config\")'\n")
        (home / "canary.pm").write_text('system("canary perl"); 1;\n')
        (home / "sh").write_text("canary sh\n")
        environment = {"HOME": str(home), "GNUPLOT_LIB": str(home), "GNUPLOT_DRIVER_DIR": str(self.bin), "GNUTERM": "|canary", "PARALLEL": "--rpl '{1} system(\"canary parallel\")'",
                       "PARALLEL_SHELL": str(self.bin / "canary"), "PERL5OPT": "-Mcanary", "PERL5LIB": str(home), "PYTHONPATH": str(home), "BASH_ENV": str(home / "sh"), "ENV": str(home / "sh"),
                       "SHELL": str(self.bin / "canary"), "PARALLEL_SSH": "canary", "NS_ATTRIBUTE_DEFAULT": "ns3::TcpSocket::SegmentSize=100", "NS_LOG": "*", "IFS": "a"}
        status, said = self.run_it("run", scenario, "--jobs", "2", "--out", "out", "--plot", "column", **environment)
        self.assertEqual(status, 0, said)
        removed = json.loads((self.here / "out" / "manifest.json").read_text())["environment_removed"].split()
        for name in ("GNUPLOT_LIB", "PARALLEL", "PERL5OPT", "PYTHONPATH", "BASH_ENV", "NS_ATTRIBUTE_DEFAULT", "NS_LOG"):
            self.assertIn(name, removed)
        plain = self.here / "plain"
        self.assertEqual(self.run_it("run", scenario, "--jobs", "1", "--out", plain)[0], 0)
        self.assertEqual((plain / "results.csv").read_bytes(), (self.here / "out" / "results.csv").read_bytes())

    @unittest.skipUnless(Path(f"{IWARPSIM}-ns3").exists(), "without ns-3")
    def test_ns3_gets_no_attributes_from_outside(self):
        scenario = self.file("n.yaml", "world: ns3\npayload: none\nworkload: {count: 5}\n")
        words = ("run", scenario, "--point", "all")
        plain = self.run_it(*words)
        self.assertEqual(plain[0], 0)
        strange = self.run_it(*words, NS_ATTRIBUTE_DEFAULT="ns3::DropTailQueue<Packet>::MaxSize=1p;ns3::PointToPointNetDevice::DataRate=1Mbps;ns3::TcpSocketBase::MinRto=9s", NS_LOG="*")
        self.assertEqual(self.without_clock(strange[1]), self.without_clock(plain[1]))

    @staticmethod
    def without_clock(said):
        return [line for line in said.split("\n") if "second" not in line and "wall" not in line]

    def test_programs_of_a_folder_of_results_are_not_started(self):
        """PATH that holds a relative folder, and programs with the names of ours where they would be found."""
        good, scenario = self.result(), self.here / "t.yaml"
        path = f".::here:{os.environ['PATH']}"
        for name in ("gnuplot", "parallel", "sh", "perl", "iwarpsim-ns3"):
            for folder in (good, self.here):
                shutil.copy(self.bin / "canary", folder / name)
        self.assertEqual(self.run_it("plot", good, PATH=path)[0], 0)
        self.assertEqual(self.run_it("plot", ".", cwd=good, PATH=path)[0], 0)
        shutil.rmtree(good / "points", ignore_errors=True)
        (good / "results.csv").unlink()
        self.assertEqual(self.run_it("run", scenario, "--jobs", "2", "--out", good, PATH=path)[0], 0)


def setUpModule():
    global before
    before = resource.getrusage(resource.RUSAGE_CHILDREN)


def tearDownModule():
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{len(TEXTS)} texts, {after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime:.0f} s of CPU", flush=True)


if __name__ == "__main__":
    if not shutil.which("gnuplot") or not shutil.which("parallel"):
        print("skipped: needs gnuplot and GNU parallel (Debian: gnuplot-nox, parallel)")
        sys.exit(77)
    unittest.main()
