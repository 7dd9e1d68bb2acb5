#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The C and C++ sources as clang's tools see them: sources.py format [--check] | tidy

format formats them in place; --check changes nothing, and names those that would change. tidy reads those of the program with
clang-tidy, laws included (.clang-tidy says what is off and why). Exit 1 when something is found."""

import concurrent.futures
import os
import shutil
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
PROGRAM = ("model", "helpers", "scenarios")
ANOTHER_PCAP = TOP / "helpers/live/live_pcap.c"  # a page's own pcap.h
FLAGS = ["-std=c11", "-Imodel", "-I.", "-Ibuild", "-D_DEFAULT_SOURCE", "-DIW_LAWS"]


def sources(rooms, *kinds):
    return [path for room in rooms for kind in kinds for path in sorted((TOP / room).rglob("*." + kind))]


def tool(name):
    return name if shutil.which(name) else sys.exit(f"{name} is missing (Debian: {name})")


def format_sources(check):
    formatter, files = tool("clang-format"), sources((*PROGRAM, "validation"), "c", "h", "cc")
    if not check:
        return subprocess.call([formatter, "-i", *files])
    wrong = [f for f in files if f.read_bytes() != subprocess.check_output([formatter, f])]
    for file in wrong:
        print(file.relative_to(TOP))
    return 1 if wrong else 0


def tidy():
    def read(file):
        command = [tool("clang-tidy"), "--quiet", "--warnings-as-errors=*", file.relative_to(TOP), "--", *FLAGS]
        return subprocess.run(command, cwd=TOP, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    files = [f for f in sources(PROGRAM, "c") if f != ANOTHER_PCAP]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(read, files))
    print("".join(result.stdout for result in results), end="")
    wrong = sum(result.returncode != 0 for result in results)
    print(f"{len(files)} files read, {wrong} with findings")
    return 1 if wrong else 0


if __name__ == "__main__":
    tool("clang-" + sys.argv[1])
    sys.exit(tidy() if sys.argv[1] == "tidy" else format_sources("--check" in sys.argv))
