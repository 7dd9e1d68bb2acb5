#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Instructions per segment of each room, counted by callgrind, against those recorded for the compiler's major version.

    instructions_test.py            judges: at most 5 % above instructions.tsv; a compiler that is not in it is printed, not judged
    instructions_test.py --record   writes the column of this compiler anew

Two runs that differ only in the number of segments are subtracted, so that set-up drops out. The CRC is the portable one and
glibc's memcpy that of plain x86-64, so that the processor does not matter. Without valgrind it is skipped (exit 77)."""

import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("IWARPSIM_BUILD", TOP / "build"))
TABLE = Path(__file__).with_name("instructions.tsv")
ALLOWED = 1.05
STEADY = "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX2,-ERMS,-FSRM"
ROWS = [  # what is counted, the program and its first argument, segments of the shorter run
    ("engine, receive", "scale_bench", "1", 4096),
    ("engine, transmit", "engine_bench", "transmit", 4096),
    ("MPA, framing", "mpa_bench", "framing", 256),
    ("MPA, CRC", "mpa_bench", "crc", 256),
    ("MPA, framing with markers", "mpa_bench", "markers", 256),
    ("TCP, both ends", "tcp_bench", "1", 2048),
    ("SCTP, both ends", "sctp_bench", "1", 2048),
    ("RNIC, receive", "rnic_bench", "receive", 4096),
    ("RNIC, transmit", "rnic_bench", "transmit", 4096),
    ("two nodes, MPA over TCP", "node_bench", "tcp", 1024),
    ("two nodes, SCTP", "node_bench", "sctp", 1024),
    ("two nodes, ideal stream", "node_bench", "ideal", 1024),
    ("two nodes, heard as by results", "node_bench", "heard", 1024),
]


def compiler():
    """The compiler that made the programs and its major version: `gcc 12`."""
    said = subprocess.run(["readelf", "-p", ".comment", BUILD / "portable/bench/tcp_bench"], stdout=subprocess.PIPE, text=True).stdout
    named = re.search(r"(clang) version (\d+)", said) or re.search(r"(GCC): \([^)]*\) (\d+)", said)
    return f"{named[1].lower()} {named[2]} {os.uname().machine}" if named else "unknown"


def instructions(command, folder=None):
    """How many a command takes, None: it was not counted; its exit code, and what it said."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *map(str, command)]
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, "GLIBC_TUNABLES": STEADY})
    found = re.search(r"Collected : (\d+)", done.stderr)
    return int(found[1]) if found else None, done.returncode, done.stdout, done.stderr


def counted(program, first, segments):
    """Instructions of one run, and the segments that it says it carried, or was asked for."""
    count, status, out, err = instructions([BUILD / f"portable/bench/{program}", first, segments])
    if status or not count:
        sys.exit(f"{program} {first} {segments}: {err[-2000:]}")
    return count, int(out or segments)


def per_segment(row):
    _, program, first, few = row
    (least, n), (most, m) = counted(program, first, few), counted(program, first, 3 * few)
    return (most - least) / (m - n)


def read():
    """{compiler: {row: instructions}}"""
    names, *lines = [line.split("\t") for line in TABLE.read_text().splitlines() if not line.startswith("#")] if TABLE.exists() else [["room"]]
    return {name: {line[0]: float(line[i]) for line in lines if line[i]} for i, name in enumerate(names) if i}


def record(table, name, found):
    table[name] = found
    lines = ["\t".join(["room", *table])]
    lines += ["\t".join([row, *(f"{table[c][row]:.1f}" if row in table[c] else "" for c in table)]) for row, *_ in ROWS]
    TABLE.write_text("# SPDX-License-Identifier: GPL-2.0-or-later\n" + "\n".join(lines) + "\n")


def main():
    if not shutil.which("valgrind"):
        print("skipped: no valgrind, which counts the instructions (Debian: valgrind)")
        return 77
    if not (BUILD / "portable/bench/tcp_bench").exists():
        print("skipped: the programs are not built: ./waf test instructions_test")
        return 77
    with ThreadPoolExecutor(2) as pool:
        found = dict(zip([row[0] for row in ROWS], pool.map(per_segment, ROWS)))
    name, table = compiler(), read()
    known = table.get(name, {})
    worse = [row for row, n in found.items() if row in known and n > ALLOWED * known[row]]
    for row, n in found.items():
        against = f"recorded {known[row]:.1f}, {100 * (n / known[row] - 1):+.1f} %" if row in known else "not recorded"
        print(f"{row:30} {n:9.1f} instructions per segment   {against}{'   TOO MANY' if row in worse else ''}")
    if sys.argv[1:] == ["--record"]:
        record(table, name, found)
        return 0
    print(f"{len(found) - len(worse)} passed, {len(worse)} failed" if known else f"skipped: nothing is recorded for {name}")
    return 1 if worse else 0 if known else 77


if __name__ == "__main__":
    sys.exit(main())
