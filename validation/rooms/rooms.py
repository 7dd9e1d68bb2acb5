#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Lines of program text of each room against its budget, and its laws, `./waf lines --rooms`: exit 1 when a room has more, or fewer laws.

Counted are the lines of .c .h .cc .py .js files and of wscript that are in git; what a build writes is not. Budgets stand in budget.tsv; a room that
needs more has its number raised there, with the reason, in the commit that needs it. A reason `goal` marks what is aimed at and not yet demanded."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
import laws

TOP = Path(__file__).resolve().parents[2]
BUDGET = Path(__file__).with_name("budget.tsv")
KINDS = (".c", ".h", ".cc", ".py", ".js")
ONE_ROOM = "scenarios", "plots"


def room_of(name):
    top, *below = name.split("/")
    return f"{top}/{below[0]}" if len(below) > 1 and top not in ONE_ROOM else top


def lines_of_rooms():
    """Also of each top folder in all, as `model/*`."""
    names = subprocess.run(["git", "-C", TOP, "ls-files"], capture_output=True, text=True, check=True).stdout.splitlines()
    counted = Counter()
    for name in names:
        if (name == "wscript" or name.endswith(KINDS)) and (TOP / name).exists():
            lines = (TOP / name).read_bytes().count(b"\n")
            counted[room_of(name)] += lines
            counted[name.split("/")[0] + "/*"] += lines * (name.count("/") > 0)
    return +counted


def budgets(text):
    rows = [line.split("\t") for line in text.splitlines()[1:]]
    return {room: (int(budget), reason) for room, budget, reason in rows}


def judge(counted, budget):
    """(lines to print, how many are wrong)"""
    said, wrong = [], 0
    for room in sorted(set(budget) | {room for room in counted if not room.endswith("/*")}):
        most, reason = budget.get(room, (None, ""))
        lines = counted.get(room, 0)
        over = most is not None and lines > most
        note = "has no budget" if most is None else "is no room" if not lines else ""
        if over:
            note = f"{lines - most} to go" if reason == "goal" else f"OVER by {lines - most}"
        wrong += most is None or not lines or (over and reason != "goal")
        said.append(f"{room:26}{lines:8,}{most or 0:8,}  {note}".rstrip())
    return said, wrong


def main():
    said, wrong = judge(lines_of_rooms(), budgets(BUDGET.read_text()))
    print(f"{'room':26}{'lines':>8}{'budget':>8}", *said, f"{wrong} wrong" + "; raise a budget in validation/rooms/budget.tsv only with its reason" * bool(wrong), sep="\n")
    said, missing = laws.judge(laws.rooms(), laws.later(laws.LATER.read_text()))
    print(f"\n{'room':26}{'LAW':>8}{'/ 1,000':>8}", *said, f"{len(missing)} wrong", sep="\n")
    return 1 if wrong or missing else 0


if __name__ == "__main__":
    sys.exit(main())
