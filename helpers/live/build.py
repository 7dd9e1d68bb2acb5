#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds the engine for pages: the model, the packet world, the stories and helpers/live, unchanged, for wasm32.

  build.py [BUILD]      writes BUILD/live.wasm, and BUILD/live.wasm.z, the same deflated (zlib); exit 77 without the tools

Debian's clang, lld, wasi-libc and the compiler's runtime for wasm32 (helpers/packages/wasm.txt). An object is compiled
again when its source or any header is newer.
"""

import subprocess
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shutil import which

TOP = Path(__file__).resolve().parents[2]
SYSROOT = Path("/usr/lib/wasm32-wasi")
MODEL = [".", "engine", "llp", "rnic", "channel", "node", "fabric"]
ROOMS = ["scenario", "trial", "capture", "story", "live", "world", "world/fabric"]
BASE = ["arena", "cells", "columns", "complaint", "csv", "exit", "quote", "samples", "stats", "tree", "word"]
# What reads files, starts programs or writes what no page shows.
LEFT_OUT = {"scenario_load", "yaml_text", "named_file", "topology_file", "platform_file", "platform_value", "size_mix", "fates_file", "delay_file", "goal_file", "goal_read", "matrix_file", "matrix_read", "story_load", "story_there", "notes", "picture", "play_page",
            "decode_text", "decode_json", "fabric_pcap", "team"}
FLAGS = ["--target=wasm32-wasi", "--sysroot=/usr", "-std=c11", "-Oz", "-ffp-contract=off", "-D_DEFAULT_SOURCE", "-DIWARPSIM_DATADIR=\"\"",
         "-ffunction-sections", "-fdata-sections", "-Wall", "-Wextra", "-Werror", "-Wno-sign-compare"]
STACK = 1 << 20


def runtime():
    """The compiler's own functions for wasm32; None: they are not there."""
    asked = subprocess.run(["clang", "-print-resource-dir"], stdout=subprocess.PIPE, text=True).stdout.strip()
    found = Path(asked) / "lib/wasi/libclang_rt.builtins-wasm32.a"
    return found if found.exists() else None


def missing():
    if not which("clang") or not which("wasm-ld"):
        return "clang or wasm-ld is missing (Debian: clang lld)"
    if not (SYSROOT / "libc.a").exists():
        return "wasi-libc is missing (Debian: wasi-libc)"
    return "" if runtime() else "the compiler's runtime for wasm32 is missing (Debian: libclang-rt-dev-wasm32)"


def sources():
    found = [p for room in MODEL for p in (TOP / "model" / room).glob("*.c")]
    found += [p for room in ROOMS for p in (TOP / "helpers" / room).glob("*.c") if p.stem not in LEFT_OUT]
    found += [TOP / "helpers/base" / f"{name}.c" for name in BASE]
    return sorted(found + list((TOP / "scenarios/workloads").glob("*.c")))


def newest_header():
    rooms = ("model", "helpers", "scenarios")
    return max(p.stat().st_mtime for room in rooms for p in (TOP / room).rglob("*.h"))


def compile_one(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    includes = ["-I", str(TOP / "helpers/live/stand_in"), "-I", str(TOP / "model"), "-I", str(TOP)]
    done = subprocess.run(["clang", *FLAGS, *includes, "-c", str(source), "-o", str(target)], stderr=subprocess.PIPE, text=True)
    return done.stderr if done.returncode else ""


def build(out):
    """'' when BUILD/live.wasm.z is there and new; else what went wrong."""
    out = Path(out)
    headers = max(newest_header(), Path(__file__).stat().st_mtime)
    pairs = [(s, out / "live" / s.relative_to(TOP).with_suffix(".o")) for s in sources()]
    stale = [(s, o) for s, o in pairs if not o.exists() or o.stat().st_mtime < max(headers, s.stat().st_mtime)]
    with ThreadPoolExecutor(2) as pool:
        wrong = "".join(pool.map(lambda pair: compile_one(*pair), stale))
    module = out / "live.wasm"
    if wrong:
        return wrong
    if not stale and (out / "live.wasm.z").exists():
        return ""
    link = ["wasm-ld", "--no-entry", "--gc-sections", "--strip-all", "-z", f"stack-size={STACK}", "-L", str(SYSROOT),
            str(SYSROOT / "crt1-reactor.o"), *(str(o) for _, o in pairs), "-lc", str(runtime()), "--export=_initialize", "-o", str(module)]
    done = subprocess.run(link, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        return done.stderr
    whole = out / "live.wasm.z.new"
    whole.write_bytes(zlib.compress(module.read_bytes(), 9))
    whole.rename(out / "live.wasm.z")
    return ""


def main():
    out = Path(sys.argv[1] if len(sys.argv) > 1 else TOP / "build")
    if missing():
        print(f"skipped: {missing()}")
        sys.exit(77)
    wrong = build(out)
    if wrong:
        sys.exit(wrong)
    print(f"{out / 'live.wasm'}: {(out / 'live.wasm').stat().st_size} octets, {(out / 'live.wasm.z').stat().st_size} deflated")


if __name__ == "__main__":
    main()
