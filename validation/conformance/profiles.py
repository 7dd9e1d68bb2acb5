#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What each profile (llp.profile) changes, and where draft-ietf-rddp-ddp-00 differs from RFC 5041: a table made by runs of one script.

    python3 validation/conformance/profiles.py

Each profile runs SCRIPT, whose last message finds no receive buffer, with llp.missing_buffer: end and wait, octets captured.
Needs IWARPSIM (or build/iwarpsim)."""

import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
IWARPSIM = Path(os.environ.get("IWARPSIM", TOP / "build/iwarpsim")).absolute()
SCRIPT = "write 3000; write 0; send 0; send 2000; read 500; send_se 10; wait; send 200 unexpected"
MARKED = ("llp.markers=true",)  # rdmac has them always
UNCHANGED = ("D1", "D3", "D8", "D9", "D10", "D11")  # of the draft: no octet may differ


class Run:
    """One run: the octets of its frames, by sender, and how its streams ended."""

    def __init__(self, profile, missing, *settings):
        with tempfile.TemporaryDirectory(prefix="iwarpsim-") as folder:
            scenario = Path(folder) / "s.yaml"
            scenario.write_text(f'topology: {{kind: link}}\npayload: real\nlimit: {{idle: 10ms}}\nworkload: {{kind: script, script: "{SCRIPT}"}}\n')
            words = [w for s in (f"llp.profile={profile}", f"llp.missing_buffer={missing}", *settings) for w in ("--set", s)]
            subprocess.run([IWARPSIM, "run", scenario, "--out", f"{folder}/out", "--jobs", "1", "--trace", "--pcap", *words], capture_output=True, check=False)
            self.captures = [p.read_bytes() for p in sorted(Path(folder).glob("out/pcap/*.pcap"))]
            with open(next(Path(folder).glob("out/trace/*.csv")), newline="") as trace:
                self.trace = list(csv.DictReader(trace))

    def count(self, event):
        return sum(line["event"] == event for line in self.trace)

    def frames(self):
        return sum(len(list(frames(capture))) for capture in self.captures)

    def end(self):
        errors = [line["text"] for line in self.trace if line["event"] == "terminate_sent"]
        return f"Terminate {errors[0]}" if errors else "the message waits" if self.count("no_buffer") else "no error"


def frames(capture):
    """The packets of a pcap file in the byte order that its first number tells."""
    order, at = "little" if capture[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else "big", 24
    while at < len(capture):
        size = int.from_bytes(capture[at + 8 : at + 12], order)
        yield capture[at + 16 : at + 16 + size]
        at += 16 + size


def difference(a, b):
    """Where two runs' octets part; None: nowhere."""
    for one, other in zip(a.captures, b.captures):
        for number, pair in enumerate(zip(frames(one), frames(other)), 1):
            if pair[0] != pair[1]:
                return f"packet {number} of {a.frames()} differs"
    return None if a.frames() == b.frames() else f"{a.frames()} packets against {b.frames()}"


def profiles():
    """(profile, llp.missing_buffer, octets against rfc, end) of each run."""
    rfc = {missing: Run("rfc", missing, *MARKED) for missing in ("end", "wait")}
    for profile in ("rfc", "draft00", "rdmac", "strict"):
        for missing, base in rfc.items():
            run = base if profile == "rfc" else Run(profile, missing, *MARKED)
            yield profile, missing, difference(base, run) or "no difference in octets", run.end()


def draft():
    """(ID, text, what the runs show) of each row of the draft."""
    same = difference(Run("rfc", "end"), Run("draft00", "end"))
    waits = Run("rfc", "wait").end(), Run("draft00", "wait").end()
    with open(HERE / "draft00.tsv", encoding="utf-8") as rows:
        for row in (line.rstrip("\n").split("\t") for line in rows if line.startswith("DRAFT00")):
            name = row[0].partition("-")[2]
            shown = f"rfc may recover: {waits[0]}; draft00: {waits[1]}" if name == "D2" else same or "no difference in octets" if name in UNCHANGED else f"by calls: {row[5]}"
            yield row[0], row[2], shown


def main():
    print(f"script: {SCRIPT}\n")
    for row in profiles():
        print("{:8} missing_buffer {:5} {:32} {}".format(*row))
    print()
    for row in draft():
        print("{:12} {:115} {}".format(*row))
    return 0


if __name__ == "__main__":
    sys.exit(main())
