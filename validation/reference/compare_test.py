#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The model's engine and the reference play the same random and hostile scripts; whatever differs is a finding (disagreements.md).

usage: compare_test.py [FIRST [COUNT]]     the seeds [0, 4000; 100000 nightly]; the program is build/reference/drive or $DRIVE
"""

import itertools
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
BATCH = 200  # scripts that one process plays
KNOWN = {  # errors of the engine, by their entry in disagreements.md: what the reference prints where, and the engine instead
    "an empty last segment with MO above the buffer": ("fatal 1/2/04", r"receive |fatal 0/[12]/09"),
    "a Read completes though octets are missing": ("fatal 1/1/01", "complete read "),
    "a Terminate whose MO is not 0": ("fatal 1/2/04", "terminated "),
}


def main():
    first = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100000 if os.environ.get("IWARPSIM_NIGHTLY") else 4000
    agreed, differ, known = 0, 0, Counter()
    for start in range(first, first + count, BATCH):
        seeds = range(start, min(start + BATCH, first + count))
        for seed in compare(seeds, known):
            differ += 1
            if differ > 20:
                sys.exit("more than 20 seeds differ")
        agreed += len(seeds)
    for name, n in known.items():
        print(f"{n} seeds show what is known: {name}")
    gone = [name for name in KNOWN if name not in known] if len(sys.argv) < 2 else []
    for name in gone:
        print(f"no seed shows it any more, so take it out of KNOWN: {name}")
    print(f"{agreed - differ} passed, {differ} failed")
    sys.exit(1 if differ or gone or not agreed else 0)


def compare(seeds, known):
    """Plays the scripts of these seeds on both; prints and yields the seeds that differ, counts those that differ in what is known."""
    made = {seed: scripts.script(seed) for seed in seeds}
    text = "".join(json.dumps(o, separators=(",", ":")) + "\n" for operations, _ in made.values() for o in operations)
    done = subprocess.run([DRIVE], input=text, capture_output=True, text=True, timeout=600)
    engine = operations_of([o for operations, _ in made.values() for o in operations], done.stdout.splitlines())
    for seed, (operations, ahead) in made.items():
        want, got, engine = operations_of(operations, judge.play(operations)), engine[:len(operations)], engine[len(operations):]
        ended = any(line.startswith(("fatal", "terminated")) for lines in want for line in lines)
        memory = not ahead or (ahead == "right" and not ended)  # what arrived before its turn may be in place after an error
        wrong = next((n for n, (a, b) in enumerate(itertools.zip_longest(want, got)) if b is None or visible(a, memory) != visible(b, memory)), None)
        names = [name for name, signs in KNOWN.items() if wrong is not None and shows(want[wrong], got[wrong:wrong + 1], signs)]
        known.update(names[:1])
        if wrong is not None and not names:
            tell(seed, wrong, operations, want, got, done)
            yield seed
        if len(got) < len(operations):
            sys.exit("the engine's program ended early")


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


def shows(want, got, signs):
    return all(any(re.match(sign, line) for line in lines) for lines, sign in zip((want, sum(got, [])), signs))


def visible(lines, memory):
    return lines if memory else [line for line in lines if not line.startswith("memory")]


def tell(seed, n, operations, want, got, done):
    print(f"seed {seed}: operation {n}: {json.dumps(operations[n])}")
    theirs = got[n] if n < len(got) else [f"ended with {done.returncode}: {done.stderr[-500:]}"]
    for name, lines, others in (("reference", want[n], theirs), ("engine", theirs, want[n])):
        print(f"  {name}:", *([line for line in lines if line not in others] or ["nothing else"]), sep="\n    ")
    print(f"  again: {sys.argv[0]} {seed} 1; the script: {Path(__file__).with_name('scripts.py')} {seed}")


if __name__ == "__main__":
    main()
