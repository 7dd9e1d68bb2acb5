#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints the manual page iwarpsim(1), made from what the program says of itself: man_page.py PROGRAM"""

import re
import subprocess
import sys

ABOUT = """runs a DDP/RDMAP engine in which placing octets and delivering messages are separate steps: parameterized scenarios
in memory, on ns-3 and on SimGrid, their results and figures, and real traffic from captures. Scenario files and the columns of
results.csv are described in"""
RFCS = "RFC 5040 (RDMAP), RFC 5041 (DDP), RFC 5044 and RFC 6581 (MPA), RFC 5043 (SCTP), RFC 7306"


def main(program):
    said = output(program, "--help")
    commands = re.findall(r"^  ([a-z]+) +(.*)$", said, re.M)
    if not commands:
        sys.exit(f"man_page.py: {program} --help names no commands")
    version = output(program, "--version").split()[-1]
    print(f'.\\" Made by helpers/packages/man_page.py\n.TH IWARPSIM 1 "" "iwarpsim {roff(version)}" "User Commands"')
    print(".SH NAME\niwarpsim \\- a network simulator model of iWARP (RDMA over TCP/IP)\n.SH SYNOPSIS")
    print("\n.br\n".join(f".B iwarpsim {name}\n.RI [ argument ]..." for name, _ in commands))
    print(".br\n.BR \"iwarpsim \\-\\-help\" | \\-\\-version")
    print(f".SH DESCRIPTION\n.B iwarpsim\n{roff(ABOUT)}\n.BR iwarpsim\\-scenario (5).\n.SH COMMANDS")
    for name, what in commands:
        print(f'.SS "{name}: {roff(what)}"')
        print("\n".join(filled(output(program, name, "--help").strip())))
    exits = re.search(r"^Exit: (.*?)\.?\s*\Z", said, re.S | re.M)
    print(f".SH EXIT STATUS\n{roff(' '.join(exits[1].split()))}.\n.SH STANDARDS\n{RFCS}.")
    print(".SH SEE ALSO\n.BR iwarpsim\\-scenario (5),\n.BR tshark (1),\n.BR gnuplot (1),\n.BR parallel (1)")


def filled(said):
    """What --help says, block by block: usages, paragraphs and entries of lists to be filled, command lines as they are."""
    for block in said.split("\n\n"):
        if block.startswith("usage: "):
            yield ".PP\n" + "\n.br\n".join(map(usage, re.split(r"\n {7}(?=iwarpsim )", block)))
        elif block.startswith("    "):
            yield f".PP\n.nf\n{roff(block)}\n.fi"
        else:
            yield from map(entry, re.split(r"\n(?=  \S)", block))


def usage(text):
    """On one line, with its remark in parentheses; what is in brackets stays together."""
    line = " ".join(re.sub(r" {4,}(?=[a-z])(.*)$", r" (\1)", text).split())
    return re.sub(r"\[[^][]*(?:\[[^][]*\][^][]*)*\]", lambda part: part[0].replace(" ", "\\ "), roff(line))


def entry(text):
    term, _, what = text[2:].partition("  ") if text.startswith("  ") else ("", "", text)
    return (f".TP\n.B {roff(term)}\n" if term else ".PP\n") + roff(" ".join(what.split()))


def roff(text):
    """Text in which nothing is troff's."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.splitlines())


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    main(sys.argv[1])
