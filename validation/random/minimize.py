#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Drops keys of a scenario, and makes its numbers smaller, as long as what is odd about it stays.

  minimize.py SEED | FILE.yaml [WORDS]      WORDS: a part of what is said of it; default: whatever is said first
"""

import re
import sys
from pathlib import Path

from draw import draw, yaml
from judge import Run, alone, between

NEEDED = {"topology.kind": "link", "topology.rate": "100000Mbps", "topology.delay": "1us", "llp.kind": "mpa", "rnic.receive": "place",
          "rnic.window.policy": "placed", "workload.kind": "stream"}


def whole(scenario):
    """With the keys that laws look at. Packets have no window, and of several workloads none is `workload`."""
    full = NEEDED | scenario
    unfit = ("rnic.window.",) * (full["llp.kind"] == "packet") + ("workload.kind",) * any(k.startswith("workloads.") for k in full)
    return {k: v for k, v in full.items() if not k.startswith(unfit)}


def odd(scenario):
    full = whole(scenario)
    run = Run(full)
    return alone(full, run) + (between(full, run) if run.ok() else [])


def read(name):
    if str(name).isdigit():
        return draw(int(name))
    lines = (re.match(r"([\w.]+): (.*)", line) for line in Path(name).read_text().splitlines())
    return {m[1]: m[2].strip('"') for m in lines if m}


def smaller(value):
    """Other values to try, simplest first."""
    found = re.fullmatch(r"(\d+)([a-zA-Z]*)", str(value))
    if not found or int(found[1]) < 2:
        return []
    return [f"{n}{found[2]}" for n in (1, int(found[1]) // 2) if n < int(found[1])]


def minimize(scenario, words):
    def stays(candidate):
        return any(words in said for said in odd(candidate))
    for key in list(scenario):
        without = {k: v for k, v in scenario.items() if k != key}
        if key != "world" and stays(without):
            scenario = without
    for key in list(scenario):
        while any(stays(less := scenario | {key: value}) for value in smaller(scenario[key])):
            scenario = less
    return scenario


def main():
    scenario = read(sys.argv[1])
    said = odd(scenario)
    words = sys.argv[2] if len(sys.argv) > 2 else said[0].split(":")[0] if said else ""
    if not any(words in text for text in said) or not words:
        sys.exit(f"nothing odd: {said}")
    least = minimize(scenario, words)
    print("".join(f"# {text}\n" for text in odd(least)) + yaml(whole(least)), end="")


if __name__ == "__main__":
    main()
