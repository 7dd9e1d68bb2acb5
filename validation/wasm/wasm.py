#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compiles the model's plain C for wasm32, where there is no libc, and links it into one module.

The link fails when anything is undefined but memcpy, memmove, memset and memcmp. Proven to fail: a source that
calls another function must not link. Exit 77 without clang and lld.
"""

import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shutil import which

TOP = Path(__file__).resolve().parents[2]
ROOMS = [".", "engine", "llp", "rnic", "channel", "node", "fabric"]
LIBC = ["memcpy", "memmove", "memset", "memcmp"]
CLANG = ["clang", "--target=wasm32", "-std=c11", "-O2", "-ffreestanding", "-nostdlibinc", "-Wall", "-Wextra", "-Werror"]
INCLUDES = ["-I", str(TOP / "validation/wasm"), "-I", str(TOP / "model"), "-I", str(TOP)]


def main():
    if not which("clang") or not which("wasm-ld"):
        print("skipped: clang or wasm-ld is missing (Debian: clang lld)")
        sys.exit(77)
    sources = [s for room in ROOMS for s in sorted((TOP / "model" / room).glob("*.c"))]
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        stranger = folder / "stranger.c"
        stranger.write_text("int puts(const char *);\nint stranger(void);\nint stranger(void) { return puts(\"\"); }\n")
        if link(folder, [stranger])[0]:
            sys.exit("a source that needs puts was linked: this check finds nothing")
        done, said = link(folder, sources)
        if not done:
            sys.exit(said)
        size = (folder / "model.wasm").stat().st_size
        print(f"{len(sources)} files compile for wasm32 and need only {', '.join(LIBC)}: {size} octets")


def link(folder, sources):
    """(linked, what clang and the linker said)"""
    objects = [folder / f"{number}.o" for number, _ in enumerate(sources)]
    with ThreadPoolExecutor(2) as pool:
        compiled = list(pool.map(lambda pair: call(CLANG + INCLUDES + ["-c", str(pair[0]), "-o", str(pair[1])]), zip(sources, objects)))
    failed = [said for ok, said in compiled if not ok]
    if failed:
        return False, "".join(failed)
    allowed = folder / "allowed"
    allowed.write_text("\n".join(LIBC) + "\n")
    options = ["--no-entry", "--export-all", f"--allow-undefined-file={allowed}", "-o", str(folder / "model.wasm")]
    return call(["wasm-ld"] + options + [str(o) for o in objects])


def call(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    return done.returncode == 0, done.stdout


if __name__ == "__main__":
    main()
