#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The lists from which debian/rules compiles, because Debian 12 has no package of waf: debian/sources.mk, made from the lists of
the wscript by `./waf configure`. debian_sources.py prints it."""

import contextlib
import sys
import types
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
HEAD = "# SPDX-License-Identifier: GPL-2.0-or-later\n# Written by ./waf configure from the lists of the wscript.\n"


def text(lists):
    """debian/sources.mk, from the wscript's names."""
    def find(name, *but):
        left_out = {p for other in but for pattern in lists[other] for p in TOP.glob(pattern)}
        found = {p for pattern in lists[name] for p in TOP.glob(pattern) if p.is_file()} - left_out
        return sorted(p.relative_to(TOP).as_posix() for p in found)

    variables = {
        "VERSION": [lists["VERSION"]],
        "CFLAGS_OURS": lists["CFLAGS"] + ["-D" + d for d in lists["HOSTED"]] + ["-I" + folder for folder in lists["INCLUDES"]],
        "CXXFLAGS_OURS": [f for f in lists["CXXFLAGS"] if not f.startswith("-std")] + ["-I" + folder for folder in lists["INCLUDES"]],
        "NS3_MODULES": lists["NS3_MODULES"],
        "LIBRARY": find("LIBRARY", "SIMGRID_MODEL"),
        "HEADERS": find("HEADERS", "INTERNAL"),
        "SOCKET_MODEL": find("SOCKET_MODEL"),
        "COMMAND": find("COMMAND", "SIMGRID_COMMAND", "PAGE_ENGINE"),
        "BUILT": [lists["BUILT"]],
        "PAGE": [lists["PAGE"], *find("PAGE_SCRIPTS")],
        "CATALOGUE": lists["CATALOGUE"],
        "NS3_MODEL": find("NS3_MODEL"),
        "NS3_COMMAND": find("NS3_COMMAND"),
        "SIMGRID_MODEL": find("SIMGRID_MODEL"),
        "SIMGRID_COMMAND": find("SIMGRID_COMMAND"),
        "SCENARIOS": find("SCENARIOS"),
        "EXAMPLES": find("EXAMPLES"),
        "SHARED": find("SHARED") + [lists["CAPTURE"]],
    }
    return HEAD + "".join(f"{name} = \\\n" + " \\\n".join("    " + word for word in words) + "\n" for name, words in variables.items())


def write(lists):
    """Writes debian/sources.mk where it would change; there may be no debian/."""
    path = TOP / "debian/sources.mk"
    made = text(lists)
    if path.parent.is_dir() and (not path.exists() or path.read_text() != made):
        path.write_text(made)


def wscript():
    """The names of the wscript, read without waf."""
    waflib = types.ModuleType("waflib")
    for name in ("Build", "Configure", "Options", "Utils"):
        setattr(waflib, name, types.SimpleNamespace(BuildContext=object))
    sys.modules.setdefault("waflib", waflib)
    names = {}
    with contextlib.chdir(TOP):
        exec(compile(Path("wscript").read_text(), "wscript", "exec"), names)
    return names


if __name__ == "__main__":
    sys.stdout.write(text(wscript()))
