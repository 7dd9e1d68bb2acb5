#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What scenarios claim, in the tables and pages about them: plots/tables.py [--check]

The `claim:` of each scenarios/NAME.yaml is the truth. It stands in the row of NAME in scenarios/README.md and in plots/README.md,
and is the first paragraph of plots/NAME/README.md, below the scenario's title. --check changes nothing, names each page that says
something else, and exits 1 then."""

import re
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]


def said(scenario, key):
    return re.search(rf"^{key}: (.*)$", scenario.read_text(), re.MULTILINE)[1].strip('"')


def with_row(page, link, claim):
    """The page with the claim in the row of its tables that begins with the link."""
    row = rf"^\| {re.escape(link)} \|.*$"
    if not re.search(row, page, re.MULTILINE):
        raise SystemExit(f"no row {link}")
    return re.sub(row, lambda _: f"| {link} | {claim} |", page, count=1, flags=re.MULTILINE)


def with_head(page, title, claim):
    comment, _, _, _, rest = re.match(r"(<!--.*?-->\n)(# .*\n)(\n)((?:.+\n)+)(\n(?:.|\n)*)", page).groups()
    return f"{comment}# {title}\n\n{claim}\n{rest}"


def pages():
    scenarios, plots = TOP / "scenarios/README.md", TOP / "plots/README.md"
    wanted = {scenarios: scenarios.read_text(), plots: plots.read_text()}
    for scenario in sorted((TOP / "scenarios").glob("*.yaml")):
        name, title, claim = scenario.stem, said(scenario, "title"), said(scenario, "claim")
        wanted[scenarios] = with_row(wanted[scenarios], f"[{name}.yaml]({name}.yaml)", claim)
        page = TOP / "plots" / name / "README.md"
        if page.exists():
            wanted[plots] = with_row(wanted[plots], f"[{name}]({name}/)", claim)
            wanted[page] = with_head(page.read_text(), title, claim)
    return wanted


def main():
    other = {page: text for page, text in pages().items() if page.read_text() != text}
    for page, text in other.items():
        if "--check" in sys.argv:
            print(f"{page.relative_to(TOP)}: says something else than the scenarios; plots/tables.py writes it")
        else:
            page.write_text(text)
    return 1 if other and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
