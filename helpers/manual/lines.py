#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every line that a user meets first, in one list for readers: lines.py PROGRAM [OUT]      (`./waf lines` writes build/lines.txt)

The first screens of the texts, `--help` of every command, and every sentence in the sources that the program can print (errors, notes,
keys, columns, stories), with its place. A reader marks what a native speaker would not say."""

import contextlib
import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
SCREEN = 40  # lines
TEXTS = ("README.md", "CONTRIBUTING.md", "SUPPORT.md", "ROADMAP.md", "SECURITY.md", "model/README.md", "model/MODEL.md", "model/examples/README.md", "helpers/python/README.md", "scenarios/README.md",
         "scenarios/CAMPAIGNS.md", "scenarios/tutorial/README.md", "scenarios/lessons/README.md", "plots/README.md", "validation/README.md")
SOURCES = ("helpers/**/*.c", "helpers/**/*.cc", "scenarios/workloads/*.c", "model/**/*.c", "model/ns3/*.cc")
COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|/\*.*?\*/|//[^\n]*', re.S)
LITERAL = re.compile(r'"(?:\\.|[^"\\\n])*"(?:\s*(?:PRI[a-zA-Z0-9]+\s*)?"(?:\\.|[^"\\\n])*")*')
WORD = re.compile(r"(?:^|[\s(`])[A-Za-z'-]{2,}(?=[\s.,:;)?!`]|$)")


def heading(text):
    print(f"\n## {text}\n")


def first_screens():
    for name in TEXTS:
        heading(f"{name}, the first {SCREEN} lines")
        print("\n".join((TOP / name).read_text().splitlines()[1:SCREEN + 1]))


def helps(program):
    said = help_of(program)
    heading("iwarpsim --help")
    print(said)
    for command in re.findall(r"^  ([a-z]+) +\S", said, re.M):
        heading(f"iwarpsim {command} --help")
        print(help_of(program, command))


def help_of(program, *command):
    return subprocess.run([program, *command, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout.rstrip()


def sentences():
    """(place, text) of every string of three words or more."""
    for path in sorted({p for pattern in SOURCES for p in TOP.glob(pattern)}):
        code = COMMENT.sub(lambda m: m[0] if m[0][0] in "\"'" else re.sub(r"[^\n]", " ", m[0]), path.read_text())
        for found in LITERAL.finditer(code):
            pieces = re.findall(r'"((?:\\.|[^"\\\n])*)"', found[0])
            text = "".join(pieces).replace("\\n", " ").replace('\\"', '"').strip()
            if len(WORD.findall(text)) >= 3:
                yield f"{path.relative_to(TOP).as_posix()}:{code.count(chr(10), 0, found.start()) + 1}", text


def main(program):
    first_screens()
    helps(program)
    heading("sentences in the sources; % stands for what is put in")
    for place, text in sentences():
        print(f"{place}: {text}")


def write(program, out):
    with open(out, "w", encoding="utf-8") as file, contextlib.redirect_stdout(file):
        main(program)
    print(f"{out}: {len(Path(out).read_text().splitlines())} lines")


if __name__ == "__main__":
    write(*sys.argv[1:3]) if len(sys.argv) > 2 else main(sys.argv[1] if len(sys.argv) > 1 else str(TOP / "build/iwarpsim"))
