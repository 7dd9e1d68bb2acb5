#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Fails on an #include or a linker symbol that the design does not draw, and on libc where the model has none.

  arrows.py [TOP [BUILD]]      TOP holds model/, helpers/ and scenarios/, BUILD the objects; exit 1 when something is wrong

Six laws. The includes between files and rooms are those of ARROWS. An object uses symbols only of its own room and
of rooms its row points to. A symbol is defined once, in whatever room. Files do not
call each other in a circle, but those of one of MACHINES. Worlds take segments through node/ and call none of STEPS. The rooms in PURE take nothing from libc but memcpy, memmove, memset and memcmp, and nothing from libm.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

# Who may include what, in files (without .c/.h) and rooms. Rooms of model/ are named from there, others from TOP.
# A file's own header is free.
ENDPOINT = ["engine/endpoint.h", "engine/iw.h", "engine/rdmap.h", "engine/srq.h", "engine/ddp.h", "engine/wire.h", "engine/stag.h", "engine/term.h", "engine/carve.h"]
LAWS = ["engine/ask.h", "engine/law.h", "engine/least.h", "engine/queue.h", "parameter.h", "parameter_rows.h"]  # memory that is asked for, the word LAW, the smaller and the larger, queues, and what a row of a table is, for every room of model/
ENGINE = ["engine/iw.h", "engine/least.h", "engine/queue.h", "engine/wire.h", "engine/term.h"]
WORLD = ENGINE + ["engine/carve.h", "engine/stag.h", "engine/ddp.h", "engine/rdmap.h", "engine/ddpp.h", "engine/prm.h", "llp/", "rnic/", "channel/", "node/"]
WIRE = ENGINE + ["engine/ddp.h", "engine/rdmap.h"]
FACTS = ["scenarios/workloads/", "helpers/base/", "helpers/scenario/"]  # what is to be run; each room below adds to the one before it
RUN = FACTS + ["helpers/trial/"]
KEPT = RUN + ["helpers/campaign/"]
HOSTS = ["helpers/world/hosts.h", "helpers/world/hosts_conf.h", "helpers/world/network_conf.h", "helpers/world/message_memory.h"]  # what worlds share
TOLD = KEPT + ["helpers/world/fabric/", "helpers/capture/", "helpers/story/"]
LIVE_COMMAND = ["scenarios/workloads/request.h", "helpers/base/", "helpers/scenario/", "helpers/world/socket/", "helpers/capture/", "helpers/command/", "helpers/command.h", "socket/", "llp/", "engine/iw.h"]
ARROWS = {
    "parameter": [],
    "parameter_rows": ["parameter.h"],
    "engine/term": [],
    "engine/ask": [],
    "engine/law": [],
    "engine/carve": [],
    "engine/least": [],
    "engine/queue": [],
    "engine/wire": ["engine/term.h"],
    "engine/stag": ["engine/term.h"],
    "engine/ddp": ["engine/iw.h", "engine/wire.h", "engine/stag.h", "engine/term.h"],
    "engine/srq": ["engine/iw.h", "engine/ddp.h", "engine/stag.h"],
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
    "node/ddpp_host": ["engine/ddpp.h", "engine/carve.h", "llp/sctp.h", "llp/ip_packet.h"],
    "node/factory": ENGINE + ["llp/", "rnic/", "channel/", "node/"],  # configurations of all rooms that a host has
    "node/": ENGINE + ["engine/carve.h", "engine/stag.h", "engine/prm.h", "llp/llp.h", "llp/ip_packet.h", "llp/security.h", "rnic/", "node/"],
    "fabric/": ["engine/iw.h", "engine/carve.h", "llp/ip_packet.h", "channel/", "fabric/"],
    "ns3/": WORLD + ["fabric/fabric.h", "ns3/"],  # the packet world's laws, routes and draws: so that rows are the same
    "simgrid/": WORLD + ["simgrid/"],
    "socket/": WORLD + ["socket/"],
    "examples/": [],  # programs on an installed library
    "scenarios/workloads/": WIRE + ["engine/law.h", "parameter.h", "parameter_rows.h", "channel/", "scenarios/workloads/"],
    "helpers/base/": ["helpers/base/"],
    "helpers/base/built": ["engine/iw.h"],  # its version
    "helpers/scenario/": FACTS + ["engine/prm.h", "parameter.h", "parameter_rows.h", "rnic/", "channel/", "fabric/conf.h", "llp/keys.h", "llp/security.h", "llp/sizes.h"],  # sizes of packets, no state
    "helpers/scenario/scenario_check": FACTS + ["engine/least.h", "engine/prm.h", "rnic/", "channel/", "fabric/conf.h", "llp/keys.h", "llp/security.h", "llp/sizes.h"],
    "helpers/scenario/scenario": FACTS + ["engine/ddpp.h", "engine/least.h", "engine/wire.h", "rnic/", "channel/", "fabric/conf.h", "llp/keys.h", "llp/security.h", "llp/sizes.h"],
    "helpers/scenario/network_name": FACTS + ["fabric/fabric.h"],  # the network itself, by name
    "helpers/scenario/link_events": FACTS + ["channel/", "fabric/fabric.h"],
    "helpers/trial/": RUN + WIRE + ["llp/", "rnic/", "channel/", "fabric/conf.h", "node/event.h"],
    "helpers/campaign/": KEPT + ["rnic/"],
    "helpers/world/": RUN + ENGINE + ["llp/", "rnic/", "channel/", "node/", "fabric/fabric.h", "helpers/world/event_log.h", "helpers/world/placed_list.h", "helpers/world/hosts_inner.h"] + HOSTS,
    "helpers/world/fabric/": RUN + WORLD + HOSTS + ["fabric/", "helpers/world/fabric/"],
    "helpers/world/ns3/": RUN + WORLD + HOSTS + ["ns3/", "helpers/world/ns3/"],
    "helpers/world/ns3/world_ns3_main": KEPT + ["ns3/", "helpers/world/ns3/", "helpers/story/notes.h"],
    "helpers/world/simgrid/": RUN + WORLD + HOSTS + ["fabric/fabric.h", "simgrid/", "helpers/world/simgrid/"],
    "helpers/world/simgrid/world_simgrid_main": KEPT + ["simgrid/", "helpers/world/simgrid/"],
    "helpers/world/socket/": RUN + WORLD + HOSTS + ["socket/", "helpers/world/socket/"],  # ends of live connections, no world of `run`
    "helpers/capture/": WIRE + ["llp/", "helpers/base/", "helpers/capture/"],
    "helpers/judge/": WIRE + ["llp/", "socket/", "helpers/base/", "helpers/scenario/yaml_text.h", "helpers/world/socket/memory.h", "helpers/world/socket/record.h", "helpers/capture/", "helpers/judge/"],
    "helpers/story/": TOLD + WIRE + ["llp/", "channel/"],
    "helpers/live/": RUN + HOSTS + ["engine/iw.h", "helpers/world/fabric/", "helpers/capture/", "helpers/story/", "helpers/live/"],
    "helpers/live/stand_in/pcap/": [],
    "helpers/figure/": KEPT + ["helpers/figure/"],
    "helpers/command/serve": LIVE_COMMAND,
    "helpers/command/connect": LIVE_COMMAND + TOLD,
    "helpers/command/live_options": LIVE_COMMAND,
    "helpers/command/list": FACTS + ["helpers/campaign/program.h", "helpers/command.h", "rnic/", "llp/packet.h"],
    "helpers/command/": TOLD + WIRE + ["helpers/judge/", "rnic/", "channel/", "fabric/", "helpers/figure/", "helpers/command/", "helpers/command.h"],
    "helpers/command": [],
    "helpers/main": ["helpers/base/", "helpers/command/", "helpers/command.h"],
}

# Rooms that know no libc: these headers are all they may include of it, and these calls never appear.
PURE = ["parameter/", "engine/", "llp/", "rnic/", "channel/", "node/", "fabric/"]
PURE_FILES = ["simgrid/expand", "simgrid/links", "simgrid/merge", "simgrid/node", "simgrid/rates"]  # what knows no simulator in a room that does
HEADERS = {"stdint.h", "stddef.h", "stdbool.h", "limits.h", "string.h", "stdalign.h"}
OPTIONAL = {"llp/crc32c": {"nmmintrin.h"}}  # <isa-l/crc.h> declares a length of 32 bits: llp/crc32c.h
CALLS = (
    "malloc calloc realloc free aligned_alloc strdup alloca time clock clock_gettime gettimeofday rand srand random "
    "rand_r drand48 getrandom printf fprintf sprintf snprintf vprintf vsnprintf puts putchar fputs fopen fwrite assert "
    "abort exit abs qsort bsearch strlen strcpy strncpy strcmp strncmp strcat memchr sleep usleep getenv"
).split()
# What a segment goes through at a host is called in node/ alone (node/step.h), whichever world it is in.
WORLDS = ["fabric/", "ns3/", "simgrid/"]
STEPS = "iw_check iw_commit iw_deliver rnic_place rnic_read rnic_send".split()
# What the linker may ask of libc and libgcc for a pure object; the compiler itself writes calls of memmove.
SYMBOLS = re.compile(
    r"(mem(cpy|set|cmp|move)|_GLOBAL_OFFSET_TABLE_|__stack_chk_(fail|guard)|"
    r"__(u?div|u?mod|u?divmod|mul|ashl|ashr|lshr|clz|ctz|ffs|popcount|parity|bswap)[sdt]i[234]?)$"
)
OPTIONAL_SYMBOLS = {"crc32_iscsi", "__cpu_model"}  # of ISA-L and libgcc; llp/crc32c.h has them inline, so that worlds ask for them, too

# One thing told in several files, which may call each other in circles; no other file is part of one.
MACHINES = [
    r"llp/tcp\w*",
    r"llp/sctp\w*",
    r"node/\w+",
    r"fabric/(cells|cut|fabric|failures|impair|parts|pfc|queue|run|turns|wire)",
    r"ns3/iwarp-(connection|rnic|rnic-type)",
    r"scenarios/workloads/\w+",
    r"helpers/scenario/(\w+_file|size_mix)",
    r"helpers/trial/\w+",
    r"helpers/campaign/(parallel|ranks|run_options)",
    r"helpers/world/hosts\w*",
    r"helpers/world/simgrid/\w+",
]

# What is built only where its simulator is installed, in its own tree, or as part of the whole command (main).
UNBUILT = ("ns3/", "examples/", "simgrid/ports", "simgrid/shim", "helpers/world/ns3/", "helpers/world/simgrid/", "helpers/live/", "helpers/main.c")
PLAIN = ".1.o"  # ends the names of objects of the plain flavour


def check(top, build=None):
    """The violations in TOP, one sentence each; those of symbols when the folder BUILD is given."""
    top = Path(top)
    found = []
    for name in sources(top):
        code = without_comments((top / path_of(name)).read_text(errors="replace"))
        found += wrong_includes(name, code)
        if is_pure(name):
            found += wrong_calls(name, code, CALLS)
        if room(name) in WORLDS:
            found += wrong_calls(name, code, STEPS)
    return found + (wrong_symbols(top, Path(build)) if build else [])


def sources(top):
    """Names of all files with code, those of model/ without that word."""
    folders = [top / "model", top / "helpers", top / "scenarios"]
    paths = sorted(p for folder in folders for p in folder.rglob("*") if p.suffix in (".c", ".h", ".cc"))
    return [re.sub("^model/", "", p.relative_to(top).as_posix()) for p in paths]


def path_of(name):
    return name if name.startswith(("helpers/", "scenarios/")) else "model/" + name


def row_of(name):
    """The arrows that are drawn for a file; None: it has none."""
    return ARROWS.get(stem(name), ARROWS.get(room(name)))


def wrong_includes(name, code):
    allowed = row_of(name)
    if allowed is None:
        return [f"{path_of(name)}: no arrows are drawn for it"]
    found = []
    for number, kind, header in includes(code):
        where = f"{path_of(name)}:{number}"
        if kind == '"':
            if room(name) == "ns3/" and "/" not in header:  # the file beside, as ns-3 writes it
                header = room(name) + header
            own = stem(header) == stem(name)
            everywhere = LAWS if path_of(name).startswith("model/") else []
            if not own and not any(header == a or (a.endswith("/") and header.startswith(a)) for a in allowed + everywhere):
                found.append(f'{where}: new arrow to "{header}"')
            elif header.endswith("_inner.h") and room(header) != room(name):
                found.append(f'{where}: "{header}" is the inside of {room(header)}')
        elif is_pure(name) and header not in HEADERS | OPTIONAL.get(stem(name), set()):
            found.append(f"{where}: <{header}> does not belong in {room(name)}")
    return found


def wrong_calls(name, code, forbidden):
    quiet = re.sub(r'"(\\.|[^"\\\n])*"', '""', code)
    calls = re.compile(r"(?<![\w.>])(%s)\s*\(" % "|".join(forbidden))
    lines = enumerate(quiet.splitlines(), 1)
    return [f"{path_of(name)}:{n}: {m[1]} is not allowed in {room(name)}" for n, line in lines for m in calls.finditer(line)]


def wrong_symbols(top, build):
    objects = {name: build / (path_of(name) + PLAIN) for name in sources(top) if not name.endswith(".h")}
    missing = [n for n in objects if not objects[n].is_file()]
    built = {n: o for n, o in objects.items() if n not in missing}
    needs, home, twice = symbols(built)
    found = [f"{path_of(n)}: it has no object in {build}: build first" for n in missing if not n.startswith(UNBUILT)]
    found += [f"{path_of(n)}: {symbol} is defined in {path_of(home[symbol])}, too" for n, symbol in twice]
    clashing = {symbol for _, symbol in twice}
    for name, symbol in (need for need in needs if need[1] not in clashing):
        there = room(home[symbol]) if symbol in home else None
        if there and there not in rooms_in_reach(name):
            found.append(f"{path_of(name)}: new arrow to {there}: {symbol}")
        elif not there and is_pure(name) and not SYMBOLS.match(symbol) and symbol not in OPTIONAL_SYMBOLS:
            found.append(f"{path_of(name)}: {symbol} is not allowed in {room(name)}")
    for circle in circles(needs, home):
        if not any(all(re.fullmatch(machine, file) for file in circle) for machine in MACHINES):
            found.append(f"{path_of(circle[0])}: calls in a circle with {', '.join(circle[1:])}")
    return found


def circles(needs, home):
    """Files, without .c, each of which calls all others of its list, directly or not."""
    calls = {}
    for name, symbol in needs:
        if symbol in home and stem(home[symbol]) != stem(name):
            calls.setdefault(stem(name), set()).add(stem(home[symbol]))
    reach = {name: reached(calls, name) for name in calls}
    return sorted({tuple(sorted(other for other in reach[name] if name in reach.get(other, ()))) for name in reach if name in reach[name]})


def reached(calls, start):
    found, left = set(), [start]
    while left:
        new = calls.get(left.pop(), set()) - found
        found |= new
        left += new
    return found


def symbols(objects):
    """[(file, symbol it takes from elsewhere)], {symbol: file that defines it}, [(another file, symbol it defines again)].

    Weak symbols, those of C++ templates, belong to nobody; main belongs to each program.
    """
    needs, home, twice = [], {}, []
    files = {str(path): name for name, path in objects.items()}
    said = subprocess.run(["nm", "-A", "-P", *files], stdout=subprocess.PIPE, text=True, check=True).stdout if files else ""
    for line in said.splitlines():
        path, _, symbol = line.partition(": ")
        symbol, kind = symbol.split()[:2]
        if kind == "U":
            needs.append((files[path], symbol))
        elif kind in "TDBRSGC" and symbol != "main":
            if home.setdefault(symbol, files[path]) != files[path]:
                twice.append((files[path], symbol))
    return needs, home, twice


def rooms_in_reach(name):
    return {room(name), "parameter/"} | {room(arrow) for arrow in row_of(name) or []}


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
    """The room of a file, a header or an arrow: the first folder in model/, the last one elsewhere."""
    if stem(name) in ("parameter", "parameter_rows"):
        return "parameter/"
    if name.startswith(("helpers/", "scenarios/")):
        return name.rpartition("/")[0] + "/"
    return name.partition("/")[0] + "/"


def main():
    top = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    given = sys.argv[2] if len(sys.argv) > 2 else os.environ.get("IWARPSIM_BUILD")
    build = given or (top / "build" if any((top / "build").glob("model/*/*" + PLAIN)) else None)
    found = check(top, build)
    print("\n".join(found) or "every include" + (" and every symbol" if build else "") + " follows an arrow of the design")
    if not build:
        print("symbols were not looked at: nothing is built")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
