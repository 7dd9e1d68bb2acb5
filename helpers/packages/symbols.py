#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The symbols of the shared library, as a version script of the linker: symbols.py ARCHIVE HEADER...

What the archive defines and an installed header names is exported as of version LIBIWARP_N; all else is local. N is the first number
of the version, as in libiwarp.so.N."""

import re
import subprocess
import sys
from pathlib import Path


def defined(archive):
    said = subprocess.run(["nm", "--defined-only", "--extern-only", "--format=posix", archive], stdout=subprocess.PIPE, text=True, check=True).stdout
    return {line.split()[0] for line in said.splitlines() if len(line.split()) > 2}


def without_comments(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def named(headers):
    return {word for header in headers for word in re.findall(r"[A-Za-z_]\w*", without_comments(Path(header).read_text()))}


def version(headers):
    return next(m[1] for header in headers for m in re.finditer(r'IW_VERSION "(.*)"', Path(header).read_text()))


def script(archive, headers):
    exported = sorted(defined(archive) & named(headers))
    return "LIBIWARP_%s {\nglobal:\n%slocal:\n    *;\n};\n" % (version(headers).split(".")[0], "".join("    %s;\n" % name for name in exported))


if __name__ == "__main__":
    sys.stdout.write(script(sys.argv[1], sys.argv[2:]))
