#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A value more in an enum of choices does not compile until each table over it has its row.

    planted_test.py [-v] [ENUM]...     -v: the compiler's first sentence, and seconds

For each row of enums.tsv a value is planted behind the last one, in a copy of the header, and the C files that name a value of the enum are
compiled (-fsyntax-only) with the project's warnings as errors. A row says `refused`, or `open` where the compiler notices nothing: then a
forgotten row of a table is silent. A row that does not say what happens fails, and so does one whose enum or last value is another.
"""

import ast
import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
ROWS = Path(__file__).with_name("enums.tsv")
ROOMS = "model", "helpers", "scenarios"
PAGES = "helpers/live/"  # for wasm32
PLANTED = "PLANTED_VALUE"


def flags():
    """As the wscript has them."""
    text = (TOP / "wscript").read_text()
    lists = [ast.literal_eval(re.search(rf"^{name} = (\[.*?\])", text, re.M)[1]) for name in ("CFLAGS", "WARNINGS")]
    return [*lists[0], *lists[1], "-Werror", "-D_DEFAULT_SOURCE", '-DIWARPSIM_VERSION=""', "-fsyntax-only"]


def sources():
    return {path: path.read_text() for room in ROOMS for path in sorted((TOP / room).rglob("*.c")) if not path.relative_to(TOP).as_posix().startswith(PAGES)}


def body_of(header, enum):
    found = re.search(rf"\benum {enum} \{{(.*?)\}}", header, re.S)
    return found and found[1]


def values_of(body):
    return re.findall(r"^\s*(\w+)", re.sub(r"/\*.*?\*/", "", body, flags=re.S).replace(",", "\n"), re.M)


def planted(header, enum, last):
    """The header with the value, or None: the enum or its last value is another. A count may stand behind the last value."""
    body = body_of(header, enum)
    values = values_of(body or "")
    if last not in values[-2:]:
        return None
    return header.replace(body, re.sub(rf"\b{last}\b(\s*=[^,}}]+)?", rf"\g<0>, {PLANTED}", body, count=1), 1)


def compiled(files, *before):
    places = [f"-I{place}" for top in (*before, TOP) for place in (Path(top) / "model", top)]
    return subprocess.run([os.environ.get("CC", "gcc"), *flags(), *places, *files], cwd=TOP, capture_output=True, text=True)


def outcome(name, enum, last, texts):
    """refused or open, and the compiler's first sentence; or None and what is wrong with the row."""
    header = (TOP / name).read_text() if (TOP / name).exists() else ""
    changed = planted(header, enum, last)
    if changed is None:
        return None, f"{name} has no enum {enum} whose last value is {last}"
    names = re.compile(rf"\b({'|'.join(values_of(body_of(header, enum)))})\b")
    files = [path for path, text in texts.items() if names.search(text)]
    with tempfile.TemporaryDirectory(prefix="iwarpsim-") as folder:
        copy = Path(folder) / name
        copy.parent.mkdir(parents=True)
        copy.write_text(changed)
        done = compiled(files, folder)
    if done.returncode == 0:
        return "open", f"{len(files)} files compile"
    if compiled(files).returncode:
        return None, f"without the value they do not compile either: {done.stderr[:400]}"
    return "refused", re.search(r"(?:model|helpers|scenarios)/\S+ error: .*", done.stderr)[0]


def main(arguments):
    watch, chosen = "-v" in arguments, [a for a in arguments if a != "-v"]
    rows = [line.split("\t") for line in ROWS.read_text().splitlines()[1:]]
    texts, counts, wrong = sources(), {"refused": 0, "open": 0}, 0
    for name, enum, last, says in (row for row in rows if not chosen or row[1] in chosen):
        found, why = outcome(name, enum, last, texts)
        counts[found] = counts.get(found, 0) + 1
        wrong += found != says
        if found != says or watch:
            print(f"enum {enum}: {found or 'fails'}, enums.tsv says {says}: {why}", flush=True)
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{counts['refused']} refused, {counts['open']} open, {wrong} not as the list says; {spent.ru_utime + spent.ru_stime:.0f} s of CPU")
    return 1 if wrong or not rows else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
