#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Branches that the unit tests and laws took, by gcov: coverage.py BUILD      (`./waf coverage` builds, runs and calls it)

Counts branches as gcc -O0 makes them: both ways of each condition. Functions that only a LAW() calls are left out: their other way is a
broken law, and this flavour has no laws compiled in. Prints a line per room and file, and in BUILD/coverage.tsv every
line of which a branch was never taken. Exit 1 when a room is below its floor."""

import gzip
import json
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
ROOMS = {"engine": 90, "llp": 90, "node": 90, "fabric": 90}  # percent of branches


def branches(build):
    """{source: {(line, which): taken}} of all objects that ran."""
    found = defaultdict(lambda: defaultdict(int))
    notes = [str(p.resolve()) for room in ROOMS for p in sorted((build / "model" / room).glob("*.gcda"))]
    with tempfile.TemporaryDirectory() as folder:
        for note in notes:
            subprocess.run(["gcov", "--branch-probabilities", "--json-format", note], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for report in Path(folder).glob("*.gcov.json.gz"):
                with gzip.open(report) as text:
                    add(found, json.load(text))
                report.unlink()
    return found


def laws_words(source):
    """Functions of a file that are called in LAW() and nowhere else, but for where they are defined."""
    lines = source.read_text().splitlines()
    called = {name for line in lines if "LAW(" in line for name in re.findall(r"(\w+)\(", line)} - {"LAW"}
    return {name for name in called
            if all("LAW(" in line or re.match(r"static bool ", line) for line in lines if re.search(rf"\b{name}\(", line))}


def add(found, report):
    for file in report["files"]:
        name = Path(report["current_working_directory"], file["file"]).resolve()
        if not name.is_relative_to(TOP / "model") or name.suffix != ".c":
            continue
        laws = laws_words(name)
        for line in file["lines"]:
            if line.get("function_name") in laws:
                continue
            for which, branch in enumerate(line["branches"]):
                found[name.relative_to(TOP).as_posix()][line["line_number"], which] += branch["count"]


def share(taken):
    return 100 * sum(map(bool, taken)) / len(taken) if taken else 100.0


def main(build):
    found = branches(build)
    if not found:
        sys.exit("coverage.py: nothing ran: ./waf coverage")
    below = 0
    for room, floor in ROOMS.items():
        files = {name: list(counts.values()) for name, counts in found.items() if name.startswith(f"model/{room}/")}
        every = [taken for counts in files.values() for taken in counts]
        print(f"{room:10} {share(every):5.1f} % of {len(every)} branches{'' if share(every) >= floor else f', below {floor} %'}")
        for name, counts in sorted(files.items(), key=lambda item: share(item[1])):
            print(f"    {share(counts):5.1f} %  {len(counts) - sum(map(bool, counts)):4} not taken  {name}")
        below += share(every) < floor
    gaps = sorted((name, line) for name, counts in found.items() for (line, _), taken in counts.items() if not taken)
    (build / "coverage.tsv").write_text("file\tline\n" + "".join(f"{name}\t{line}\n" for name, line in gaps))
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else TOP / "build")))
