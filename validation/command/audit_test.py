#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every option of every command, as --help lists them: a wrong value, a missing one, the option a second time, a value where none
belongs, an option that is not there. One sentence each, exit 2, nothing on standard output and no file left."""

import re
import subprocess
import unittest
from pathlib import Path

from run_test import IWARPSIM, Command, iwarpsim

TINY = "world: fabric\npayload: none\nworkload: {count: 5}\nsweep: {topology.delay: [1us, 2us]}\n"
CAPTURE = Path(__file__).resolve().parents[1] / "interop" / "d1-good.pcap"
CALL = {  # what a command needs beside the option
    "run": ["a.yaml"], "merge": ["part"], "rerun": ["good"], "compare": ["good", "good"], "verify": ["good"], "plot": ["good"],
    "size": ["a.yaml", "--find", "rnic.window.bytes", "--until", "goodput_gbps > 1"], "explain": ["a.yaml"], "play": ["a.yaml"], "stages": ["a.yaml"],
    "exercise": ["lesson.yaml", "--student", "7"], "course": ["--out", "site"], "check": ["a.yaml"], "keys": [], "list": [], "decode": ["c.pcap"], "fates": ["c.pcap"], "judge": ["c.pcap"], "serve": ["0"],
    "connect": ["127.0.0.1:9", "send 1"], "replay": ["c.pcap", "127.0.0.1:9"], "demo": [],
}
ANY = ()  # any plain text will do: control characters are refused before, in main()
NUMBERS = ("", "0x", "-1", "1.5", "two", "99999999999999999999")
NO_FOLDER = ("/proc/x",)
BAD = {  # by option, or by command and option
    "--set": ("x", "=1", "wrold=1", "topology.delay=5", "seed=[1", ""), "--out": ("", *NO_FOLDER), "--jobs": (*NUMBERS, "0", "4097"), "--shard": ("", "3/2", "0/2", "1", "1/", "a/b", "1/2/3"),
    "--sshloginfile": ("", "none", "/"), "--plot": ("", "a4"), "--point": ("", "9", "#9", "x"), "--repeat": NUMBERS, "--y": ("", "nothing", ","), "--x": ("", "nothing"), "--by": ("nothing",),
    "--size": ("", "a4"), "plot --format": ("", "pdf"), "--logx": ("", "yes"), "--logy": ("", "auto"), "--panels": ("nothing",), "--table": ("", "nothing.csv", "../a.yaml", "/etc/passwd", "dist"), "--yrange": ("", "1", "2:1", "a:b", "1:1", ":"),
    "--caption": ("", "some"), "--title": ANY, "--label": ANY, "--name": ("", "../x", "/x", "-x", ".x"), "--find": ("", "x", "workload.op"), "--until": ("", "x", "x > 1", "goodput_gbps >> 1", "goodput_gbps > 1 and"),
    "--within": ("", "-1", "x", "101"), "size --from": ("", "x", "5", "-1B"), "size --to": ("", "x", "5", "-1B"), "size --out": ("/proc/x/y",), "explain --from": ("", "x", "-1us"), "explain --to": ("", "x", "-1us"),
    "--conn": NUMBERS, "--only": ("", "nothing", "send,"), "--color": ("", "sometimes"), "--notes": ("/proc/x",), "--pictures": ("", *NO_FOLDER), "-o": ("/proc/x",), "--beside": ("", "nothing"), "--student": NUMBERS, "--course": ANY,
    "--verify": ("", "x", "1-2"), "--fail-on": ("", "warning"), "--assume": ("", "x", "markers=maybe"), "--junit": ("", "/proc/x"), "--connect": ("", "x", "127.0.0.1", "127.0.0.1:0", ":1", "127.0.0.1:x"),
    "--cases": ("", "none"), "--case": ("", "nothing"), "--gap": (*NUMBERS, "0"), "judge --memory": ("", "1", "1:2", "x:y:z"), "--page": ("/proc/x",), "--listen": ("",), "serve --memory": ("", "x", "5", "-1B"),
    "--connections": (*NUMBERS, "0"), "connect --pcap": ANY, "--pcap": ("/proc/x",), "--ird": NUMBERS, "--ord": NUMBERS, "--emss": (*NUMBERS, "1"), "--timeout": ("", "5", "x", "0s"), "--stag": NUMBERS[1:], "connect --to": NUMBERS[1:], "--len": NUMBERS[1:],
    "--completion": ("", "csh"), "--profile": ("", "rfc5041"), "--restart": ANY, "--threads": (*NUMBERS, "0", "65"), "--ranks": (*NUMBERS, "0", "1025"), "fates --at": ("", "x", "Sender"), "fates --out": ("", "/proc/x"), "--at": ("", "x", "5", "-1us"), "--class": ("", "x", "7", "9-1", "0-x", "1-99999"), "--csv": ("", "none"), "--html": NO_FOLDER,
    "--gift": NO_FOLDER, "--moodle": NO_FOLDER, "--captures": NO_FOLDER, "judge --serve": ("", "x", "-1", "65536", "1.5"), "--wait": (*NUMBERS, "0"), "replay --memory": ("", "1", "1:2", "x:y:z"), "--series": ("", "0us", "11s", "x", "5", "-1us"), "--series-of": ("", "nothing"), "--what": ("", "nothing"), "run --at": ("", "0us", "x", "5", "-1us"),
}
FAILS_LATER = ("--notes", "-o", "--page", "--junit", "--pcap", "--pictures", "--out", "--cases")  # exit 3: the file system says so
AGAIN = ("--set", "--label")
NEED = {"--repeat": ["--point", "1us"], "--cases": ["--self"], "--case": ["--self"], "--gap": ["--self"], "judge --memory": ["--self"], "--page": ["--self"],
        "--wait": ["--serve", "0"], "judge --listen": ["--serve", "0"], "fates --at": [], "run --at": ["--point", "1us", "--state"], "--series-of": ["--series", "10us"], "--what": ["--series"], "--at": ["--svg"], "--html": ["--class", "1-2"], "--gift": ["--class", "1-2"], "--moodle": ["--class", "1-2"], "--captures": ["--class", "1-2"]}
GOOD = {"--jobs": "1", "--repeat": "0", "--point": "1us", "--from": "1us", "--to": "2us"}


def options():
    """(command, option, takes a value): of the commands and options that --help prints."""
    for name in re.findall(r"^  ([a-z]+) ", iwarpsim("--help").stdout, re.M):
        text = iwarpsim(name, "--help").stdout
        usage = text.split("\n\n")[0] + "\n" + "\n".join(line[:34] for line in text.splitlines() if re.match(r"^  (--|-o)", line))
        found = {}
        for option, value in re.findall(r"(?<![\w-])(--[a-z][a-z0-9-]*|-o\b)((?: ?\[?[A-Z'.a-z|]+)?)", usage):
            found[option] = found.get(option, False) or bool(re.match(r" [A-Z'a-z.]", value))
        yield from ((name, option, takes) for option, takes in sorted(found.items()))


class Audit(Command):
    def setUp(self):
        super().setUp()
        self.file(TINY, "a.yaml")
        self.file("world: fabric\nworkload: {kind: script, script: \"write 9000\"}\n", "lesson.yaml")
        (self.folder / "c.pcap").write_bytes(CAPTURE.read_bytes())
        for args in (["--out", "good"], ["--out", "part", "--shard", "1/2"]):
            done = iwarpsim("run", "a.yaml", "--jobs", 1, *args, cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)

    def said(self, *words, codes=(2,)):
        before = sorted(p.name for p in self.folder.rglob("*"))
        try:
            done = subprocess.run([IWARPSIM, *words], cwd=self.folder, capture_output=True, text=True, timeout=20, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return f"{words}: goes on"
        wrong = []
        if done.returncode not in codes or not done.stderr or len(done.stderr.splitlines()) != 1:
            wrong.append(f"exit {done.returncode}: {done.stderr.strip()[:300]!r} {done.stdout[:80]!r}")
        if done.returncode == 2 and done.stdout:
            wrong.append(f"prints {done.stdout[:80]!r}")
        if sorted(p.name for p in self.folder.rglob("*")) != before:
            wrong.append("leaves files")
        return f"{' '.join(map(repr, words))}: {'; '.join(wrong)}" if wrong else None

    def none_wrong(self, found):
        wrong = [line for line in found if line]
        self.assertEqual(wrong, [], "\n" + "\n".join(wrong))

    @staticmethod
    def row(table, command, option):
        return table.get(f"{command} {option}", table.get(option))

    def test_every_option_has_a_row(self):
        found = list(options())
        self.assertGreater(len(found), 110)
        self.none_wrong(f"{c} {o}: no bad values are known for it" for c, o, takes in found if takes and self.row(BAD, c, o) is None)

    def test_wrong_values(self):
        self.none_wrong(self.said(c, *CALL[c], *self.row(NEED, c, o) or [], o, value, codes=(2, 3) if o in FAILS_LATER else (2,))
                        for c, o, takes in options() if takes for value in self.row(BAD, c, o) or ())

    def test_missing_values(self):
        self.none_wrong(self.said(c, *CALL[c], o) for c, o, takes in options() if takes)

    def test_twice(self):
        self.none_wrong(self.said(c, *CALL[c], *[o, GOOD.get(o, "1")][:1 + takes] * 2) for c, o, takes in options() if o not in AGAIN and o != "--help")

    def test_a_value_where_none_belongs(self):
        self.none_wrong(self.said(c, *CALL[c], f"{o}=1") for c, o, takes in options() if not takes and o != "--help")

    def test_options_that_are_not_there(self):
        self.none_wrong(self.said(c, *CALL[c], o) for c in CALL for o in ("--nothing", "-z", "--nothing=1", "---"))

    def test_too_much_and_too_little(self):
        self.assertEqual(sorted(CALL), sorted({c for c in re.findall(r"^  ([a-z]+) ", iwarpsim("--help").stdout, re.M)}))
        self.none_wrong(self.said(c) for c in CALL if c not in ("keys", "list", "demo", "serve"))
        self.none_wrong(self.said(c, *CALL[c], "", "nothing", "there") for c in CALL)
        self.none_wrong(self.said(c, *CALL[c], "") for c in ("merge", "rerun", "compare", "verify", "plot"))


if __name__ == "__main__":
    unittest.main()
