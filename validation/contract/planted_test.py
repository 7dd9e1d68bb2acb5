#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A value more in an enum of choices does not compile until each table over it has its row.

    planted_test.py [-v] [ENUM]...     -v: the compiler's first sentence, and seconds

For each row of enums.tsv a value is planted behind the last one, in a copy of the header, and the C files that name a value of the enum are
compiled (-fsyntax-only) with the project's warnings as errors. An enum in capitals is a table X(...) from which one is made: there a row
is planted, and it counts as refused, too, when the linker is asked for something of it that nobody has. A row says `refused`, or `open` where the compiler notices nothing: then a
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
    return [*lists[0], *lists[1], "-Werror", "-D_DEFAULT_SOURCE", "-fsyntax-only"]


def sources():
    return {path: path.read_text() for room in ROOMS for path in sorted((TOP / room).rglob("*.c")) if not path.relative_to(TOP).as_posix().startswith(PAGES)}


def body_of(header, enum):
    found = re.search(rf"\benum {enum} \{{(.*?)\}}", header, re.S)
    return found and found[1]


def values_of(body):
    body = re.sub(r"/\*.*?\*/|\w+\(\w+\)", "", body, flags=re.S)
    return re.findall(r"^\s*(\w+)", body.replace(",", "\n"), re.M)


def planted_row(header, table, last):
    """The same of a table `X(NAME, ...)` from which an enum is made: the last row again, under another name."""
    found = re.search(rf"#define {table}\(X\)((?:.*\\\n)*.*)\n", header)
    rows = re.findall(r"X\((\w+)(.*?)\)[ \\]*(?:\n|\Z)", found[1], re.S) if found else []
    if not rows or rows[-1][0] != last:
        return None
    rest = rows[-1][1].replace(last.lower(), PLANTED).replace(last, PLANTED)
    return header.replace(found[1], f"{found[1]} \\\n    X({PLANTED}{rest})", 1)


def planted(header, enum, last):
    """The header with the value, or None: the enum or its last value is another. A count may stand behind the last value."""
    if enum.isupper():
        return planted_row(header, enum, last)
    body = body_of(header, enum)
    values = values_of(body or "")
    if last not in values[-2:]:
        return None
    return header.replace(body, re.sub(rf"\b{last}\b(\s*=[^,}}]+)?", rf"\g<0>, {PLANTED}", body, count=1), 1)


def compiled(files, *before):
    places = [f"-I{place}" for top in (*before, TOP) for place in (Path(top) / "model", top)]
    return subprocess.run([os.environ.get("CC", "gcc"), *flags(), *places, *files], cwd=TOP, capture_output=True, text=True)


def without_home(files, folder):
    """A symbol of the planted row that these files ask the linker for, and no file has."""
    for number, file in enumerate(files):
        thing = Path(folder) / f"{number}.o"
        done = subprocess.run([os.environ.get("CC", "gcc"), *flags()[:-1], f"-I{folder}/model", f"-I{folder}", "-Imodel", "-I.", "-c", file, "-o", thing], cwd=TOP)
        asked = subprocess.run(["nm", "-u", thing], capture_output=True, text=True, cwd=TOP).stdout if done.returncode == 0 else ""
        if PLANTED in asked:
            return f"{file}: the linker is asked for {asked[asked.rindex(' ', 0, asked.index(PLANTED)) + 1 :].split()[0]}, which nobody has"
    return None


def outcome(name, enum, last, texts):
    """refused or open, and the compiler's first sentence; or None and what is wrong with the row."""
    header = (TOP / name).read_text() if (TOP / name).exists() else ""
    changed = planted(header, enum, last)
    if changed is None:
        return None, f"{name} has no enum {enum} whose last value is {last}"
    names = re.compile(rf"\b({enum if enum.isupper() else '|'.join(values_of(body_of(header, enum)))})\b")
    files = [path for path, text in texts.items() if names.search(text)]
    with tempfile.TemporaryDirectory(prefix="iwarpsim-") as folder:
        copy = Path(folder) / name
        copy.parent.mkdir(parents=True)
        copy.write_text(changed)
        done = compiled(files, folder)
        missing = done.returncode == 0 and enum.isupper() and without_home(files, folder)
    if missing:
        return "refused", missing
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
