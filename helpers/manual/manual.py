#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The manual as static pages, with search: manual.py PROGRAM OUT

Sphinx makes a page of every Markdown file of the project, at the same place below OUT; a link that leads nowhere stops it. Pages are also made
from what the program says of itself: the keys of a scenario, each with the scenarios that use it, the columns of results.csv, the command, the
adapters; and of the scenarios: the gallery, each figure with its claim and data. The lessons are pages of their own (helpers/live/pages.py).
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "helpers/live"))
import pages as lessons

ROOMS = ("model", "scenarios", "helpers", "validation", "plots")
NO_PAGES = ("ISSUE_TEMPLATE.md", "PULL_REQUEST_TEMPLATE.md")

# ---- what Sphinx reads ----


def stage(source):
    """The project's texts, and links to what they show or lead to."""
    for room in ROOMS:
        shutil.copytree(TOP / room, source / room, copy_function=place, ignore=shutil.ignore_patterns("__pycache__"))
    (source / "debian").mkdir()
    for path in [TOP / "debian/control", *(p for p in TOP.iterdir() if p.is_file() and p.name not in NO_PAGES)]:
        place(path, source / path.relative_to(TOP))


def place(path, there):
    if Path(path).suffix == ".md":
        Path(there).write_text(re.sub(r"(\]\([\w./-]+/)\)", r"\1README.md)", Path(path).read_text()))
    else:
        os.symlink(path, there)


# ---- pages made of what the program says ----


def said(*command):
    return subprocess.run(command, cwd=TOP, stdout=subprocess.PIPE, text=True, check=True).stdout


def plain(text):
    """As Markdown; what stands in `backquotes` is code."""
    return "".join(part if i % 2 else re.sub(r"([\\*_{}\[\]<>#|~^$])", r"\\\1", part) for i, part in enumerate(re.split(r"(`[^`]+`)", text)))


def block(text):
    return f"\n```text\n{text.rstrip()}\n```\n\n"


def table(rows):
    head, *rest = [[plain(cell) for cell in row] for row in rows]
    return "\n" + "".join("| " + " | ".join(row) + " |\n" for row in [head, ["---"] * len(head), *rest]) + "\n"


def blocks(text):
    """(name, its lines) of each key that `iwarpsim keys` prints: a line for it, lines that begin with blanks say what it is."""
    for block in re.split(r"\n(?=\S)", text.strip()):
        name, _, rest = block.partition(": ")
        yield name, [line.strip() for line in rest.splitlines()]


def users(program, names):
    """{name: the shipped scenarios that use it, as links}"""
    asked = blocks(said(program, "keys", *names))
    return {name: re.sub(r"scenarios/(?:\S*/)?([\w-]+?)(?:/lesson)?\.yaml", r"[\1](\g<0>)", lines[-1]) for name, lines in asked if lines[-1].startswith("Used by: ")}


def keys_page(program):
    parts = ["# Keys of a scenario\n\nWhat each is, its unit, range and default, and shipped scenarios that use it. `iwarpsim keys PREFIX` prints them; "
             "`iwarpsim keys --schema` is a JSON schema for editors.\n"]
    keys, group = list(blocks(said(program, "keys"))), None
    used = users(program, [name for name, _ in keys if not name.endswith(".KEY")])
    for name, lines in keys:
        if name.split(".")[0] != group and "." in name:
            group = name.split(".")[0]
            parts.append(f"\n## {group}\n")
        parts.append(f"\n````{{key}} {name}\n" + "\n\n".join([*map(plain, lines), used.get(name, "")]) + "\n````\n")
    return "".join(parts)


SECTIONS = {"": "Without a unit", "1": "Numbers and shares", "packets": "Packets", "octets": "Octets", "us": "Times in us", "Gbps": "Rates in Gbps", "messages": "Messages"}


def by_unit(rows):
    """A section for each unit that many have, so that the page has contents of its own."""
    head, *rest = rows
    parts = {}
    for row in rest:
        parts.setdefault(SECTIONS.get(row[1], "Other units"), []).append(row)
    return "".join(f"\n## {title}\n" + table([head, *parts[title]]) for title in [*SECTIONS.values(), "Other units"] if title in parts)


def columns_page(program):
    """columns.tsv of a small run."""
    with tempfile.TemporaryDirectory(prefix="iwarpsim-") as folder:
        scenario = Path(folder) / "small.yaml"
        scenario.write_text("title: small\nworkload: {kind: stream, op: write, size: 1KiB, count: 1}\n")
        subprocess.run([program, "run", scenario, "--out", Path(folder) / "out"], check=True, capture_output=True)
        rows = [line.split("\t") for line in (Path(folder) / "out/columns.tsv").read_text().splitlines()]
    return "# Columns of the results\n\n`columns.tsv` beside every `results.csv`. An undefined value is an empty cell, never 0.\n" + by_unit(rows)


def command_page(program):
    overview = said(program, "--help")
    names = re.findall(r"^  ([a-z]+) +", overview, re.M)
    return "# The command\n" + block(overview) + "".join(f"## iwarpsim {name}\n" + block(said(program, name, "--help")) for name in names)


def adapters_page(program):
    names = re.findall(r"^  (\S+) ", said(program, "list").partition("adapters (rnic.preset)\n")[2].partition("\n\n")[0], re.M)
    parts = ["# Adapters\n\nThe numbers that differ from `ideal`, in which nothing costs time and nothing fills. Each has a range, and a grade: *maker*: stated, published or "
             "programmed by its maker, *others*: published by somebody who measured it and does not sell it, *derived* from such a number or a standard, *fitted* so "
             "that a published whole comes out, *guess*: plausible, no more. `iwarpsim run FILE --uncertain` draws what the ranges leave open.\n"]
    for name in names:
        facts, _, rate = said(program, "list", name).partition("\n\n")
        head, *rows = facts.splitlines()
        cells = [row.split(None, 5) for row in rows]
        parts.append(f"\n## {name}\n\n{plain(head.split(': ', 1)[1])}\n" + (table(cells) + plain(rate) + "\n" if cells else ""))
    return "".join(parts)


def gallery_page(_):
    """Every figure: its picture, its claim, links to scenario, data and page."""
    parts = ["# Gallery\n\nEvery figure is made by a scenario that ships; its claim is what its results should bear out, and a test compares the data.\n"]
    for folder in sorted({p.parent for p in (TOP / "plots").glob("*/*.gp")}):
        name, scenario, pictures = folder.name, TOP / f"scenarios/{folder.name}.yaml", sorted(folder.glob("*.svg"))
        if not scenario.exists() or not pictures:
            continue
        title, claim = (re.search(rf"^{key}: *(.*)$", scenario.read_text(), re.M)[1].strip("'\"") for key in ("title", "claim"))
        shown = "".join(f"![{plain(title)}](plots/{name}/{p.name})\n" for p in pictures)
        data = "".join(f", [{d.name}](plots/{name}/{d.name})" for d in sorted(folder.glob("*.tsv")))
        parts.append(f"\n## {plain(title)}\n\n{shown}\n{plain(claim)}\n\n[what was seen](plots/{name}/README.md), [{name}.yaml](scenarios/{name}.yaml){data}\n")
    return "".join(parts)


MADE = {"keys": keys_page, "columns": columns_page, "command": command_page, "adapters": adapters_page, "gallery": gallery_page}


def version():
    return re.search(r'IW_VERSION "(.*)"', (TOP / "model/engine/iw.h").read_text())[1]


def lead_to_pages(out, written):
    """From the text of each lesson, and from the course, to the page in which the engine runs."""
    texts = out / "scenarios/lessons"
    course = (texts / "COURSE.html").read_text()
    for folder in written:
        text, page = texts / folder.name / "README.html", f"../../lessons/{lessons.page_of(folder)}"
        text.write_text(text.read_text().replace("</h1>", f'</h1>\n<p><a href="../{page}">The lesson as a page, in which the engine runs</a></p>', 1))
        course = re.sub(rf'(href="{folder.name}/README.html">.*?</a>)', rf'\1 (<a href="{page}">page</a>)', course)
    (texts / "COURSE.html").write_text(re.sub(r'(<code[^>]*>(?:<[^>]*>)?(challenges|network)\.html.*?</code>)', r'<a href="../../lessons/\2.html">\1</a>', course))


def main(program, out):
    out = Path(out)
    with tempfile.TemporaryDirectory(prefix="iwarpsim-") as folder:
        source = Path(folder) / "source"
        source.mkdir()
        stage(source)
        for name, page in MADE.items():
            (source / f"{name}.md").write_text(page(program))
        told = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-c", Path(__file__).parent, "-d", Path(folder) / "read",
                f"-Drelease={version()}", f"-Dhtml_title=iwarpsim {version()}"]
        if subprocess.call([*told, source, out]):
            sys.exit("manual.py: Sphinx finds something wrong")
    lead_to_pages(out, lessons.write(program, out / "lessons"))
    shutil.copyfile(out / "README.html", out / "index.html")
    print(f"{out / 'index.html'}: {len(list(out.rglob('*.html')))} pages")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: manual.py PROGRAM OUT")
    main(os.path.abspath(sys.argv[1]), sys.argv[2])
