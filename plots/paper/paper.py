#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds the paper: plots/paper/paper.py [DIR]                 (DIR: build/paper)
   plots/paper/paper.py --check     says which number of the text is neither in numbers.tsv nor \\given by the scenarios

numbers.tsv says where each number of the text stands in the tables that the figures are drawn from; `plots/make.sh --check NAME` runs a
figure's scenarios again and compares its table. What is a parameter, a section or a unit is marked \\given{...} in the text."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
TAKE = {"first": lambda values: values[0], "min": min, "max": max, "count": len}


def table(path):
    lines = [line.rstrip("\n").split("\t") for line in path.open() if not line.startswith("#")]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def rows_of(number):
    path = TOP / number["table"] if "/" in number["table"] else TOP / "plots" / number["table"] / (number["table"] + ".tsv")
    wanted = dict(pair.split("=") for pair in number["rows"].split(",") if "=" in pair)
    rows = [row for row in table(path) if all(row[column] == value for column, value in wanted.items())]
    if not rows:
        raise SystemExit(f"numbers.tsv: {number['macro']}: {path.relative_to(TOP)} has no row with {number['rows']}")
    return rows


def value_of(number):
    cells = [row[number["column"]] for row in rows_of(number)]
    values = cells if number["take"] == "count" else [float(cell) for cell in cells]
    return format(TAKE[number["take"]](values) * float(number["times"]), number["format"])


def numbers():
    return {number["macro"]: value_of(number).replace(",", "\\,") for number in table(HERE / "numbers.tsv")}


def prose(tex):
    """The text between \\begin{document} and the bibliography, without comments and what is marked as given."""
    text = tex.split("\\begin{document}")[1].split("\\begin{thebibliography}")[0]
    text = re.sub(r"(?<!\\)%.*", "", text)
    return re.sub(r"\\(given|ref|label|cite|input|texttt|rfc|includegraphics(\[[^]]*\])?|begin|end)\{[^{}]*\}(\[[^]]*\])?", "", text)


def faults(tex, known):
    text = prose(tex)
    used = set(re.findall(r"\\n\{(\w+)\}", text))
    yield from (f"\\n{{{name}}} is not in numbers.tsv" for name in sorted(used - known.keys()))
    yield from (f"numbers.tsv: {name} is not in the text" for name in sorted(known.keys() - used))
    for line in re.sub(r"\\n\{\w+\}", "", text).split("\n"):
        yield from (f"a number of no source: {found} in: {line.strip()}" for found in re.findall(r"(?<![\w.-])\d[\d.,]*", line))


def draw(name, folder):
    """The figure as PDF, by the script and the table beside it."""
    place = folder / name
    shutil.copytree(TOP / "plots" / name, place, dirs_exist_ok=True)
    shutil.copy(TOP / "plots/style.gp", folder)
    subprocess.run(["gnuplot", f"{name}.gp"], cwd=place, check=True)


def build(folder):
    missing = [tool for tool in ("pdflatex", "gnuplot") if not shutil.which(tool)]
    if missing:
        print(f"the paper needs {' and '.join(missing)} (helpers/packages/paper.txt)")
        return 77
    folder.mkdir(parents=True, exist_ok=True)
    tex = (HERE / "paper.tex").read_text()
    (folder / "paper.tex").write_text(tex)
    macros = "".join(f"\\expandafter\\def\\csname n:{name}\\endcsname{{{value}}}\n" for name, value in numbers().items())
    (folder / "numbers.tex").write_text(macros)
    for name in re.findall(r"\\includegraphics\[[^]]*\]\{([^/}]+)/", tex):
        draw(name, folder)
    for _ in range(2):  # the second time with the references of the first
        run = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"], cwd=folder, capture_output=True, text=True)
        if run.returncode:
            print(run.stdout[-2000:])
            return 1
    lost = re.findall(r"LaTeX Warning: (?:Reference|Citation).*|Overfull \\hbox \((?:\d{2,})\..*", run.stdout)
    print("\n".join(lost + [f"{folder / 'paper.pdf'}"]))
    return 1 if lost else 0


def main():
    wrong = list(faults((HERE / "paper.tex").read_text(), numbers()))
    for fault in wrong:
        print(f"paper.tex: {fault}")
    if wrong or sys.argv[1:] == ["--check"]:
        return 1 if wrong else 0
    return build(Path(sys.argv[1]) if len(sys.argv) > 1 else TOP / "build/paper")


if __name__ == "__main__":
    sys.exit(main())
