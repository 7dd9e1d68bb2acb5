#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Lessons whose every quoted output is made by the command above it.

  lessons.py            compares each block and picture script of scenarios/lessons with what is made now
  lessons.py --write    writes them anew: read the difference before you commit it

A block of a README is what a terminal shows: lines that begin with `$ ` are run, in the top folder, with the command
`build/iwarpsim`; what follows is what they print. `2>/dev/null` and `| grep -E [-A N] PATTERN` may follow and do what they do
in a terminal. A line `[exit N]` at its end says that the last one fails.
"""

import difflib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
LESSONS = TOP / "scenarios" / "lessons"
IWARPSIM = os.environ.get("IWARPSIM", str(TOP / "build" / "iwarpsim"))
COMMAND = "build/iwarpsim"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)


PIPE = re.compile(r"(?P<ours>.*?)(?P<quiet> 2>/dev/null)?(?: \| (?P<grep>grep -E .*))?$")


def run(line):
    """What a terminal would show for one command line of ours."""
    parts = PIPE.match(line)
    words = shlex.split(parts["ours"])
    if words[0] != COMMAND:
        return f"a lesson runs {COMMAND} only\n"
    done = subprocess.run([IWARPSIM, *words[1:]], cwd=TOP, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL if parts["quiet"] else subprocess.STDOUT, timeout=60)
    if parts["grep"]:
        done = subprocess.run(shlex.split(parts["grep"]), input=done.stdout, stdout=subprocess.PIPE, timeout=60)
    return done.stdout.decode() + (f"[exit {done.returncode}]\n" if done.returncode else "")


def made(block):
    commands = [line[2:] for line in block.splitlines() if line.startswith("$ ")]
    return "".join(f"$ {command}\n{run(command)}" for command in commands)


EXHIBIT = re.compile(r"^\$ (.*\| grep .*)\n((?:(?!\$ ).*\n)*)", re.M)


def exhibits(text):
    """(command, what it shows) of those behind which grep picks lines."""
    return [exhibit for block in BLOCK.findall(text) for exhibit in EXHIBIT.findall(block)]


def dead(those):
    """Of a text's exhibits: those that show nothing, and each word of a pattern that is in none of them."""
    shown = "".join(output for _, output in those)
    empty = [command for command, output in those if not output or "[exit 1]" in output]
    words = {word for command, _ in those for word in shlex.split(PIPE.match(command)["grep"])[-1].split("|")}
    return empty + sorted(word for word in words if not re.search(word, shown, re.M))


# ---- what a lesson says that one sees, and what proves it ----

# <!-- proof: TERM && TERM -->             of what the lesson's own commands show above
# <!-- proof: COMMAND :: TERM && TERM -->  of what this one shows: explain, run, ... of the lesson's file, or of one that it names
#
# TERM: PATTERN        a line that it matches           A >> B   and behind that line one that matches B
#       ! PATTERN      no line does                     3 x PATTERN   three lines do
#       NAME[2] < 0.5 NAME[1]   NAME[1] > 7             the second number behind NAME at a line's start is less than half the first
PROOF = re.compile(r"<!-- proof: (?:(?P<command>\w+(?: .*?)?) :: )?(?P<terms>.*?) -->")
POINT = re.compile(r"^- (.*?)(?=^- |^[^ ]|\Z)", re.M | re.S)
NUMBERS = re.compile(r"(\w+)\[(\d+)\] ([<>=]) (?:([\d.]+) )?(?:(\w+)\[(\d+)\]|([\d.]+))")


def points(text):
    """Of `What to see`: (what is said, [(command or None, terms)])."""
    see = re.search(r"^## What to see\n(.*?)^## ", text, re.M | re.S)[1]
    return [(point, [(p["command"], p["terms"]) for p in PROOF.finditer(point)]) for point in POINT.findall(see)]


def unwrapped(shown):
    """Each event of a story in one line, without its section."""
    out = []
    for line in re.sub(r" {2,}RFC [\d A-Za-z.]+$", "", shown, flags=re.M).splitlines():
        if out and re.match(" {12,}\\S", line):
            out[-1] += " " + line.strip()
        else:
            out.append(line)
    return out


def number(lines, name, which):
    found = [float(m[1]) for line in lines if (m := re.match(rf"{name} +([\d.]+)", line))]
    return found[int(which) - 1]


def holds(term, lines):
    """Is one term of a proof true of these lines?"""
    compared = NUMBERS.fullmatch(term)
    if compared:
        name, which, sign, factor, other, other_which, plain = compared.groups()
        right = (float(factor or 1)) * (number(lines, other, other_which) if other else float(plain))
        left = number(lines, name, which)
        return {"<": left < right, ">": left > right, "=": abs(left - right) < 1e-9}[sign]
    if term.startswith("! "):
        return not any(re.search(term[2:], line) for line in lines)
    counted = re.fullmatch(r"(\d+) x (.*)", term)
    if counted:
        return sum(bool(re.search(counted[2], line)) for line in lines) == int(counted[1])
    rest = iter(lines)
    return all(any(re.search(pattern, line) for line in rest) for pattern in term.split(" >> "))


def shown_by(folder, command, seen):
    """Lines of a proof's command, or of the lesson's own blocks; `seen`: those that ran before."""
    text = (folder / "README.md").read_text()
    if command is None:
        return unwrapped("".join(BLOCK.findall(text)))
    if command not in seen:
        name, *rest = shlex.split(command)
        source = [folder / "lesson.yaml"] if name in ("explain", "run", "check") and not (rest and rest[0].endswith((".yaml", ".pcap"))) else []
        seen[command] = unwrapped(run(shlex.join([COMMAND, name, *map(str, source), *rest])))
    return seen[command]


def unproved(folder):
    """What the lesson says that one sees, and nothing proves; each term that is not true."""
    wrong, seen = [], {}
    for said, proofs in points((folder / "README.md").read_text()):
        wrong += [] if proofs else [f"nothing proves: {said}"]
        for command, terms in proofs:
            lines = shown_by(folder, command, seen)
            wrong += [f"not so: {term} ({command or 'as shown'})" for term in terms.split(" && ") if not holds(term, lines)]
    return wrong


def options(folder, what):
    """`# pictures: placement` in a lesson's scenario, or a comment of its README; None: it has no such thing."""
    texts = [(folder / name).read_text() for name in ("lesson.yaml", "README.md") if (folder / name).exists()]
    found = re.search(rf"^(?:#|<!--) {what}: *(.*?)(?: -->)?$", "\n".join(texts), re.M)
    return shlex.split(found[1]) if found else None


def make_pictures(folder, out):
    words = options(folder, "pictures")
    if words is None or not shutil.which("gnuplot"):
        return {}
    wanted = [w for w in words if w in ("placement", "window", "memory")]
    rest = [w for w in words if w not in wanted]
    subprocess.run([IWARPSIM, "explain", folder / "lesson.yaml", *rest, "--pictures", out], cwd=TOP, check=True, stdout=subprocess.DEVNULL)
    return {name + ending: (out / (name + ending)).read_text() for name in wanted for ending in (".gp", ".svg")}


def difference(name, old, new):
    return "".join(difflib.unified_diff(old.splitlines(True), new.splitlines(True), f"{name} (as it stands)", f"{name} (as it is made)"))


def settle(path, new, write):
    """'' when the file has it already, or now; else the difference."""
    old = path.read_text() if path.exists() else ""
    if old == new:
        return ""
    if write:
        path.write_text(new)
        print(f"wrote {path.relative_to(TOP)}")
        return ""
    return difference(path.relative_to(TOP), old, new)[:4000]


def missing(folder):
    """The program of a world that a lesson needs and that is not here; ''."""
    return "".join(world for world in options(folder, "needs") or [] if not Path(f"{IWARPSIM}-{world}").exists())


def lesson(folder, write=False):
    if missing(folder):
        print(f"{folder.name} is left out: the world {missing(folder)} is missing")
        return ""
    readme = folder / "README.md"
    wrong = settle(readme, BLOCK.sub(lambda m: f"```console\n{made(m[1])}```", readme.read_text()), write)
    with tempfile.TemporaryDirectory(prefix="iwarpsim-") as out:
        for name, text in make_pictures(folder, Path(out)).items():
            if not name.endswith(".svg"):
                wrong += settle(folder / name, text, write)
            elif write or not (folder / name).exists():  # gnuplot draws a little differently from version to version
                wrong += settle(folder / name, text, write)
    return wrong


def folders():
    return sorted(p.parent for p in LESSONS.glob("*/README.md"))


if __name__ == "__main__":
    problems = "".join(lesson(folder, "--write" in sys.argv) for folder in folders())
    print(problems, end="")
    sys.exit(1 if problems else 0)
