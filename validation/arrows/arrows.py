#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Fails on an #include that the design does not draw, and on a libc call where the model has none.

  arrows.py [TOP]      TOP is the folder that holds model/; exit 1 when something is wrong

Two laws: the arrows between the files and rooms of model/ are those of ARROWS, and the rooms in PURE take
nothing from libc but memcpy, memset and memcmp.
"""

import re
import sys
from pathlib import Path

# Who may include what, in files (without .c/.h) and rooms, written from model/. A file's own header is free.
ENDPOINT = ["engine/endpoint.h", "engine/iw.h", "engine/rdmap.h", "engine/ddp.h", "engine/wire.h", "engine/stag.h", "engine/term.h", "engine/carve.h"]
ENGINE = ["engine/iw.h", "engine/wire.h", "engine/term.h"]
WORLD = ENGINE + ["engine/carve.h", "engine/stag.h", "engine/ddp.h", "engine/rdmap.h", "engine/ddpp.h", "engine/prm.h", "llp/", "rnic/", "channel/"]
ARROWS = {
    "engine/term": [],
    "engine/carve": [],
    "engine/wire": ["engine/term.h"],
    "engine/stag": ["engine/term.h"],
    "engine/ddp": ["engine/wire.h", "engine/stag.h", "engine/term.h"],
    "engine/rdmap": ["engine/ddp.h", "engine/wire.h", "engine/stag.h", "engine/term.h"],
    "engine/iw": ["engine/wire.h", "engine/stag.h", "engine/term.h"],
    "engine/endpoint": ENDPOINT,  # and the files it is cut into
    "engine/receive": ENDPOINT,
    "engine/transmit": ENDPOINT,
    "engine/cq": ENDPOINT,
    "engine/ddpp": ["engine/wire.h", "engine/stag.h", "engine/term.h", "engine/carve.h"],
    "engine/prm": ["engine/stag.h", "engine/term.h"],
    "llp/": ["engine/iw.h", "engine/wire.h", "engine/carve.h", "llp/"],
    "rnic/": ["engine/iw.h", "engine/wire.h", "rnic/"],
    "channel/": ["channel/"],
    "fabric/": ["engine/iw.h", "engine/carve.h", "llp/ip_packet.h", "channel/", "fabric/"],
    "pair/": WORLD + ["pair/"],
    "ns3/": WORLD + ["ns3/"],
    "simgrid/": WORLD + ["simgrid/"],
    "socket/": WORLD + ["socket/"],
}

# Rooms that know no libc: these headers are all they may include of it, and these calls never appear.
PURE = ["engine/", "llp/", "rnic/", "channel/", "fabric/", "pair/"]
PURE_FILES = ["simgrid/expand", "simgrid/merge", "simgrid/node", "simgrid/rates"]  # what knows no simulator in a room that does
HEADERS = {"stdint.h", "stddef.h", "stdbool.h", "limits.h", "string.h", "stdalign.h"}
OPTIONAL = {"llp/crc32c": {"isa-l.h", "isa-l/crc.h"}}
CALLS = (
    "malloc calloc realloc free aligned_alloc strdup alloca time clock clock_gettime gettimeofday rand srand random "
    "rand_r drand48 getrandom printf fprintf sprintf snprintf vprintf vsnprintf puts putchar fputs fopen fwrite assert "
    "abort exit abs qsort bsearch memmove strlen strcpy strncpy strcmp strncmp strcat memchr sleep usleep getenv"
).split()


def check(top):
    """The violations in TOP/model, one sentence each."""
    model = Path(top) / "model"
    found = []
    for path in sorted(p for p in model.rglob("*") if p.suffix in (".c", ".h", ".cc")):
        name = path.relative_to(model).as_posix()
        code = without_comments(path.read_text(errors="replace"))
        found += wrong_includes(name, code)
        if is_pure(name):
            found += wrong_calls(name, code)
    return found


def wrong_includes(name, code):
    allowed = ARROWS.get(stem(name), ARROWS.get(room(name)))
    if allowed is None:
        return [f"model/{name}: no arrows are drawn for it"]
    found = []
    for number, kind, header in includes(code):
        where = f"model/{name}:{number}"
        if kind == '"':
            if room(name) == "ns3/" and "/" not in header:  # the file beside, as ns-3 writes it
                header = room(name) + header
            own = stem(header) == stem(name)
            if not own and not any(header == a or (a.endswith("/") and header.startswith(a)) for a in allowed):
                found.append(f'{where}: new arrow to "{header}"')
        elif is_pure(name) and header not in HEADERS | OPTIONAL.get(stem(name), set()):
            found.append(f"{where}: <{header}> does not belong in {room(name)}")
    return found


def wrong_calls(name, code):
    quiet = re.sub(r'"(\\.|[^"\\\n])*"', '""', code)
    calls = re.compile(r"(?<![\w.>])(%s)\s*\(" % "|".join(CALLS))
    lines = enumerate(quiet.splitlines(), 1)
    return [f"model/{name}:{n}: {m[1]} is not allowed in {room(name)}" for n, line in lines for m in calls.finditer(line)]


def includes(code):
    """(line number, '"' or '<', header) of each #include."""
    pattern = re.compile(r'\s*#\s*include\s*(["<])([^">]+)[">]')
    for number, line in enumerate(code.splitlines(), 1):
        match = pattern.match(line)
        if match:
            yield number, match[1], match[2]


def without_comments(code):
    """The code with comments blanked and lines kept."""
    blank = lambda m: m[0] if m[0][0] in "\"'" else re.sub(r"[^\n]", " ", m[0])
    return re.sub(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*', blank, code, flags=re.S)


def is_pure(name):
    return room(name) in PURE or stem(name) in PURE_FILES


def stem(name):
    return re.sub(r"\.\w+$", "", name)


def room(name):
    return name.partition("/")[0] + "/"


def main():
    top = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    found = check(top)
    print("\n".join(found) or "every include follows an arrow of the design")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
