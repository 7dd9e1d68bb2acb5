#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The manual as static pages: manual.py PROGRAM OUT

Every Markdown file of the project becomes a page at the same place below OUT; what it links to is copied beside it, so that all
links hold without a network. Three pages are made from what the program says of itself: the keys of a scenario, the columns of
results.csv, the command. The gallery is made from the scenarios: each figure with its claim, scenario and data. The lessons are pages of their own (helpers/live/pages.py).
"""

import html
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import markdown
except ImportError:
    sys.exit("manual.py: python3-markdown is missing (Debian: python3-markdown)")

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "helpers/live"))
import pages as lessons

STYLE = Path(__file__).with_name("manual.css").read_text()
ROOMS = ("model", "scenarios", "helpers", "validation", "plots")
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src 'self' data: file:; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<nav aria-label="Manual" id="contents">
{nav}</nav>
<main>
<p class="contents"><a href="#contents">Contents</a></p>
{body}
</main>
</body>
</html>
"""
NAV = (
    ("iwarpsim", (("Overview", "README.md"), ("Tutorial", "scenarios/tutorial/README.md"), ("Gallery", "gallery.html"))),
    ("Reference", (("Scenario keys", "keys.html"), ("Result columns", "columns.html"), ("Command", "command.html"), ("Adapters", "adapters.html"))),
    ("Use", (("Scenarios", "scenarios/README.md"), ("Campaigns", "scenarios/CAMPAIGNS.md"), ("Figures", "plots/README.md"), ("Security", "SECURITY.md"))),
    ("Learn", (("Lessons", "lessons/index.html"), ("For a class", "scenarios/lessons/README.md"), ("Course", "scenarios/lessons/COURSE.md"), ("Answers", "scenarios/lessons/ANSWERS.md"))),
    ("The model", (("Rooms", "model/README.md"), ("Assumptions", "model/MODEL.md"), ("Validation", "validation/README.md"),
                   ("Conformance", "validation/conformance/conformance.md"))),
    ("Develop", (("Contributing", "CONTRIBUTING.md"), ("Changes", "CHANGELOG.md"))),
)


def texts():
    """Every Markdown file of the project, by its path."""
    found = list(TOP.glob("*.md")) + [p for room in ROOMS for p in (TOP / room).rglob("*.md")]
    return sorted(p.relative_to(TOP) for p in found)


def page_of(path):
    return path.with_suffix(".html") if path.suffix == ".md" else path


def write(out, where, title, body):
    """One page at `where` below out."""
    def link(target):
        return html.escape(os.path.relpath(page_of(Path(target)), where.parent))

    nav = "".join(f"<strong>{group}</strong>\n" + "".join(f'<a href="{link(target)}">{name}</a>\n' for name, target in links) for group, links in NAV)
    path = out / where
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(PAGE.format(title=html.escape(title), style=STYLE, nav=nav, body=body))


def rendered(text):
    """Markdown as HTML; headings have anchors as on the usual hosts."""
    made = markdown.markdown(text, extensions=["tables", "fenced_code", "sane_lists", "toc"])
    return made.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")


def title_of(text, path):
    found = re.search(r"^# (.*)$", text, re.M)
    return re.sub(r"[*`]", "", found[1]) if found else str(path)


class Copies:
    """Files that pages link to, copied once each."""

    def __init__(self, out):
        self.out = out
        self.missing = []

    def link(self, where, target):
        """The link of a page to a file of the project, as it must be in the manual."""
        name, _, anchor = target.partition("#")
        anchor = "#" + anchor if anchor else ""
        if not name or re.match(r"[a-z]+:", target):
            return target
        path = Path(os.path.normpath(where.parent / name))
        source = TOP / path
        if source.is_dir():
            source, path, name = source / "README.md", path / "README.md", name.rstrip("/") + "/README.md"
        if not source.is_file() or not source.resolve().is_relative_to(TOP):
            self.missing.append(f"{where}: {target}")
            return target
        if path.suffix == ".md":
            return os.path.relpath(page_of(path), where.parent) + anchor
        copy = self.out / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not copy.exists():
            shutil.copyfile(source, copy)
        return name + anchor


def convert(out, copies, path):
    text = (TOP / path).read_text()
    body = re.sub(r'\b(href|src)="([^"]*)"', lambda m: f'{m[1]}="{html.escape(copies.link(path, html.unescape(m[2])))}"', rendered(text))
    write(out, page_of(path), title_of(text, path), body)


def said(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def marked(text):
    """Words of the program as HTML; what stands in `backquotes` is code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text))


def keys_page(program):
    """`iwarpsim keys`: a line for the key, lines that begin with blanks say what it is."""
    parts = ["<h1>Keys of a scenario</h1>\n<p>What each is, its unit, range and default. <code>iwarpsim keys PREFIX</code> prints them; "
             "<code>iwarpsim keys --schema</code> is a JSON schema for editors.</p>"]
    group = None
    for block in re.split(r"\n(?=\S)", said(program, "keys").strip()):
        head, *rest = block.splitlines()
        name, allowed = head.split(": ", 1)
        if name.split(".")[0] != group and "." in name:
            group = name.split(".")[0]
            parts.append(f"<h2>{group}</h2>")
        parts.append(f'<dl><dt id="{name}">{name}</dt><dd>{marked(allowed)}</dd>' + "".join(f"<dd>{marked(r.strip())}</dd>" for r in rest) + "</dl>")
    return "\n".join(parts)


def columns_page(program):
    """columns.tsv of a small run."""
    with tempfile.TemporaryDirectory(prefix="iwarpsim-") as folder:
        scenario = Path(folder) / "small.yaml"
        scenario.write_text("title: small\nworkload: {kind: stream, op: write, size: 1KiB, count: 1}\n")
        subprocess.run([program, "run", scenario, "--out", Path(folder) / "out"], check=True, capture_output=True)
        rows = [line.split("\t") for line in (Path(folder) / "out/columns.tsv").read_text().splitlines()]
    head, *rest = rows
    cells = "".join("<tr>" + "".join(f"<td>{marked(c)}</td>" for c in row) + "</tr>\n" for row in rest)
    return ("<h1>Columns of the results</h1>\n<p><code>columns.tsv</code> beside every <code>results.csv</code>. An undefined value is an empty cell, never 0.</p>"
            f'<div class="wide"><table><tr>{"".join(f"<th>{html.escape(h)}</th>" for h in head)}</tr>\n{cells}</table></div>')


def command_page(program):
    overview = said(program, "--help")
    parts = [f"<h1>The command</h1><pre>{html.escape(overview)}</pre>"]
    for name in re.findall(r"^  ([a-z]+) +", overview, re.M):
        parts.append(f'<h2 id="{name}">iwarpsim {name}</h2><pre>{html.escape(said(program, name, "--help"))}</pre>')
    return "\n".join(parts)


def adapters_page(program):
    names = re.findall(r"^  (\S+) ", said(program, "list").partition("adapters (rnic.preset)\n")[2].partition("\n\n")[0], re.M)
    parts = ["<h1>Adapters</h1><p>The numbers that differ from <code>ideal</code>, in which nothing costs time and nothing fills. Each has a range, and a grade: <em>maker</em>: stated, published or "
             "programmed by its maker, <em>others</em>: published by somebody who measured it and does not sell it, <em>derived</em> from such a number or a standard, <em>fitted</em> so "
             "that a published whole comes out, <em>guess</em>: plausible, no more. <code>iwarpsim run FILE --uncertain</code> draws what the ranges leave open.</p>"]
    for name in names:
        table, _, rate = said(program, "list", name).partition("\n\n")
        head, *facts = table.splitlines()
        parts.append(f'<h2 id="{name}">{name}</h2><p>{html.escape(head.split(": ", 1)[1])}</p>')
        cells = [fact.split(None, 5) for fact in facts]
        if cells:
            rows = "".join("<tr>" + "".join(f"<td>{marked(c)}</td>" for c in row) + "</tr>\n" for row in cells[1:])
            parts.append(f'<div class="wide"><table><tr>{"".join(f"<th>{c}</th>" for c in cells[0])}</tr>\n{rows}</table></div><p>{html.escape(rate)}</p>')
    return "\n".join(parts)


def gallery_page(out):
    """Every figure: its picture, its claim, links to scenario, data and page."""
    parts = ["<h1>Gallery</h1>\n<p>Every figure is made by a scenario that ships; its claim is what its results should bear out, and a test compares the data.</p>"]
    for folder in sorted({p.parent for p in (TOP / "plots").glob("*/*.gp")}):
        name = folder.name
        scenario = TOP / "scenarios" / f"{name}.yaml"
        pictures = sorted(folder.glob("*.svg"))
        if not scenario.exists() or not pictures:
            continue
        title, claim = (re.search(rf"^{key}: *(.*)$", scenario.read_text(), re.M)[1].strip("'\"") for key in ("title", "claim"))
        shown = []
        for picture in pictures:
            copy = out / "plots" / name / picture.name
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(picture, copy)
            shown.append(f'<img src="plots/{name}/{picture.name}" alt="{html.escape(title)}">')
        data = "".join(f', <a href="plots/{name}/{d.name}">{d.name}</a>' for d in sorted(folder.glob("*.tsv")))
        for file in [scenario, *folder.glob("*.tsv")]:
            copy = out / file.relative_to(TOP)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)
        parts.append(f'<h2 id="{name}">{html.escape(title)}</h2>\n<figure>{"".join(shown)}<figcaption>{html.escape(claim)}<br>'
                     f'<a href="plots/{name}/README.html">what was seen</a>, <a href="scenarios/{name}.yaml">{name}.yaml</a>{data}</figcaption></figure>')
    return "\n".join(parts)


def main(program, out):
    out = Path(out)
    copies = Copies(out)
    for path in texts():
        convert(out, copies, path)
    for name, title, body in (
        ("keys.html", "Keys of a scenario", keys_page(program)),
        ("columns.html", "Columns of the results", columns_page(program)),
        ("command.html", "The command", command_page(program)),
        ("adapters.html", "Adapters", adapters_page(program)),
        ("gallery.html", "Gallery", gallery_page(out)),
    ):
        write(out, Path(name), title, body)
    lessons.write(program, out / "lessons")
    shutil.copyfile(out / "README.html", out / "index.html")
    for missing in copies.missing:
        print(f"manual.py: a link leads nowhere: {missing}", file=sys.stderr)
    print(f"{out / 'index.html'}: {len(texts()) + 6} pages")
    return 1 if copies.missing else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: manual.py PROGRAM OUT")
    sys.exit(main(os.path.abspath(sys.argv[1]), sys.argv[2]))
