#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints the catalogue of requirements, by which `iwarpsim judge` judges, as C: catalogue_table.py TABLE.tsv... DDPP core is no part of
what a wire shows; RFC 6581 has one row of its own."""

import re
import sys
from pathlib import Path

DOCUMENTS = {"DDP": "5041", "RDMAP": "5040", "MPA": "5044", "EXT": "7306"}
RFC6581 = ("RFC 6581 section 9", "RFC 6581 9", "MUST", "Enhanced start-up: IRD, ORD and RTR agree, or the connection is refused with its own error")
HEAD = '/* made by the build from validation/conformance */\n#include "helpers/judge/catalogue.h"\nconst struct judge_requirement catalogue[] = {\n'
END = "};\nconst size_t catalogue_size = sizeof catalogue / sizeof *catalogue;\n"


def row(name, section, level, requirement):
    quoted = requirement.replace("\\", "\\\\").replace('"', '\\"')
    return f'    {{"{name}", "{section}", "{level}", "{quoted}"}},\n'


def rows(path):
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        if not re.match(f"({'|'.join(DOCUMENTS)})-", line):
            continue
        name, level, requirement = line.split("\t")[:3]
        part, section = name.split("-")[:2]
        yield row(name, f"RFC {DOCUMENTS[part]} {'appendix ' if section.isalpha() else ''}{section}", level, requirement)


def main(tables):
    sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.write(HEAD + "".join(r for table in tables for r in rows(table)) + row(*RFC6581) + END)


if __name__ == "__main__":
    main(sys.argv[1:])
