#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The model's engine and the reference play the same random and hostile scripts; whatever differs is a finding (disagreements.md).

usage: compare_test.py [FIRST [COUNT]]     the seeds [0, 10000; 100000 nightly]; the program is build/reference/drive or $DRIVE
"""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import judge
import scripts

TOP = Path(__file__).resolve().parent.parent.parent
DRIVE = os.environ.get("DRIVE", str(Path(os.environ.get("IWARPSIM_BUILD", TOP / "build")) / "reference" / "drive"))
SEEDS = 4000
BATCH = 200  # scripts that one process plays
# Errors of the engine that are in disagreements.md: what the reference prints, what the engine begins with instead, and the
# seeds of a normal run that show it.
KNOWN = {}


def main():
    first = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100000 if os.environ.get("IWARPSIM_NIGHTLY") else SEEDS
    failed, known = 0, Counter()
    for start in range(first, first + count, BATCH):
        for seed, name in compare(range(start, min(start + BATCH, first + count))):
            known[name] += 1
            failed += name is None
            if failed > 20:
                sys.exit("more than 20 seeds failed")
    for name in filter(None, known):
        print(f"{known[name]} seeds show what is known: {name}")
    print(f"{count - failed} passed, {failed} failed")
    sys.exit(1 if failed or count <= 0 else 0)


def compare(seeds):
    """Plays the scripts of these seeds on both. Yields (seed, None) for those that fail, (seed, name) for what is known."""
    made = {seed: scripts.script(seed) for seed in seeds}
    text = "".join(json.dumps(o, separators=(",", ":")) + "\n" for operations, _ in made.values() for o in operations)
    done = subprocess.run([DRIVE], input=text, capture_output=True, text=True, timeout=600)
    engine = operations_of([o for operations, _ in made.values() for o in operations], done.stdout.splitlines())
    for seed, (operations, ahead) in made.items():
        want, got, engine = operations_of(operations, judge.play(operations)), engine[:len(operations)], engine[len(operations):]
        ended = any(line.startswith(("fatal", "terminated")) for lines in want for line in lines)
        memory = not ahead or (ahead == "right" and not ended)  # what arrived before its turn may be in place after an error
        wrong = next((n for n, o in enumerate(operations) if n >= len(got) or visible(o, want[n], memory) != visible(o, got[n], memory)), None)
        name = None if wrong is None or wrong >= len(got) else known_as(seed, want[wrong], got[wrong])
        if wrong is not None and not name:
            tell(seed, wrong, operations, want, got, done)
        if wrong is not None:
            yield seed, name
        elif any(seed in shown for _, _, shown in KNOWN.values()):
            print(f"seed {seed} agrees now: take it out of KNOWN")
            yield seed, None
        if len(got) < len(operations):
            sys.exit("the engine's program ended early")


def known_as(seed, want, got):
    """What the difference is known as. Of the seeds of a normal run exactly those that are listed may differ."""
    for name, (reference, instead, shown) in KNOWN.items():
        seen = reference in want and any(re.match(instead, line) for line in got or [""])
        if seen and (seed >= SEEDS or seed in shown):
            return name
    return None


def operations_of(script, lines):
    """The lines of each operation. Kinds of lines (the first word) are told apart; their order among each other is free, and so is
    that of what failed. What an arrival prints counts to the delivery behind it: the engine may find an error at either."""
    operations = []
    for line in lines:
        operations += [[]] if line.startswith("# ") else []
        operations[-1] += [] if line.startswith("# ") else [line]
    for n, operation in enumerate(operations[:-1]):
        if script[n]["op"] == "arrive":
            operations[n + 1][:0] = operation
            operation.clear()
    return [sorted(operation, key=lambda line: line if line.startswith("failed") else line.split()[0]) for operation in operations]


def visible(operation, lines, memory):
    """What must agree. Where an answer to a Read fails, how many requests left before it is free: only the Terminate counts."""
    if operation["op"] == "memory" and not memory:
        return []
    if operation["op"] == "pull" and any(line.startswith("fatal") for line in lines):
        return [line for line in lines if line.startswith("fatal")] + [line for line in lines if line.startswith("request")][-1:]
    return lines


def tell(seed, n, operations, want, got, done):
    print(f"seed {seed}: operation {n}: {json.dumps(operations[n])}")
    theirs = got[n] if n < len(got) else [f"ended with {done.returncode}: {done.stderr[-500:]}"]
    for name, lines, others in (("reference", want[n], theirs), ("engine", theirs, want[n])):
        print(f"  {name}:", *([line for line in lines if line not in others] or ["nothing else"]), sep="\n    ")
    print(f"  again: {sys.argv[0]} {seed} 1; the script: {Path(__file__).with_name('scripts.py')} {seed}")


if __name__ == "__main__":
    main()
