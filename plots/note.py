#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""note.py FOLDER: a line of gnuplot that sets `note`, which style.gp writes above a figure: at how many points of the campaigns in
FOLDER the number that binds is a guess, as their manifests have it. Empty where it is none."""

import csv
import json
import sys
from pathlib import Path


def points(campaign):
    with open(campaign / "results.csv", newline="") as file:
        return len({row["point"] for row in csv.DictReader(file)})


def note_of(folder):
    campaigns = sorted(p.parent for p in Path(folder).glob("*/manifest.json"))
    guesses = [g for g in (json.loads((c / "manifest.json").read_text()).get("guesses") for c in campaigns) if g]
    if not guesses:
        return ""
    names = dict.fromkeys(name for g in guesses for name in g["numbers"].split(", "))
    return f"at {sum(g['points'] for g in guesses)} of {sum(map(points, campaigns))} points what binds is a guess ({', '.join(names)})"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print("# SPDX-License-Identifier: GPL-2.0-or-later\nnote = '" + note_of(sys.argv[1]) + "'")
