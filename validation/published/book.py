#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The validation book: what others published, beside what iwarpsim gives for the same parameters.

  book.py [NAME...]            runs the chapters (all without a NAME) and prints each point: published, ours, error; exit 1 when an error
                               is above what the chapter agrees to, or a point is not that of ours.tsv
  book.py --record [NAME...]   writes ours.tsv, the figure NAME.svg and the table of README.md

A chapter is a folder: README.md (citation, how the points were read, a reason for each residual, what the limit derives from), scenario.yaml (their parameters),
published.tsv (curve, x, y, and how y was read), chapter.py (what of our rows is on the same axes), ours.tsv and NAME.svg. A chapter.py may say which error
a curve may have (LIMITS), which points are counts to be judged by holds() and not drawn (APART), which points do not hold, each with its reason (MISSES), and what
files its scenario names (files()); one that runs few points in a check takes that as an argument (ours(run, short), SHORT).
Needs IWARPSIM (or build/iwarpsim), gnuplot for --record."""

import csv
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
IWARPSIM = os.environ.get("IWARPSIM", str(HERE.parents[1] / "build" / "iwarpsim"))
HEAD = ["curve", "x", "published", "ours", "error"]
NIGHTLY = bool(os.environ.get("IWARPSIM_NIGHTLY"))
COLOURS = ["#000000", "#D55E00", "#0072B2", "#E69F00", "#009E73"]


def chapters():
    return sorted(p.parent.name for p in HERE.glob("*/README.md"))


def is_compared(name):
    return (HERE / name / "chapter.py").exists()


def is_run(name):
    """By day, too? A chapter that takes minutes is AT_NIGHT."""
    return is_compared(name) and (NIGHTLY or not hasattr(module(name), "AT_NIGHT"))


def module(name):
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), HERE / name / "chapter.py")
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def run(folder, *sets, table="results.csv"):
    """Rows of the folder's scenario; of messages.csv, also where limit.sim ends the runs, which is exit 3."""
    more = {"results.csv": [], "messages.csv": ["--messages"], "flows.csv": ["--flows"]}[table]
    with tempfile.TemporaryDirectory(prefix="iwarpsim-") as out:
        arguments = [a for s in ("limit.wall=1000000s", *sets) for a in ("--set", s)]  # no run ends because the machine is busy
        done = subprocess.run([IWARPSIM, "run", folder / "scenario.yaml", *arguments, "--out", Path(out) / "out", "--jobs", "2", *more], capture_output=True, text=True)
        if done.returncode and not (more and only_at_limit(Path(out) / "out" / "results.csv")):
            sys.exit(f"{folder.name}: iwarpsim run: {done.returncode}\n{done.stdout}{done.stderr}")
        return rows_of(Path(out) / "out" / table)


def shortened(text, kept):
    """A scenario with those places alone of the lists of its sweep."""
    return re.sub(r"^( {4,}(?:- )?[\w.]+: )\[(.*)\]$", lambda m: f"{m[1]}[{', '.join(m[2].split(', ')[i] for i in kept)}]", text, flags=re.M)


def runs_of(chapter, folder, short):
    """The chapter's points; with `short` those alone that every check runs (EACH_DAY or SHORT, where a chapter has long ones)."""
    if hasattr(chapter, "SHORT"):
        return runs_with_files(chapter, folder, short)
    if not (short and hasattr(chapter, "EACH_DAY")):
        return told(folder, chapter.ours(lambda *sets, **named: run(folder, *sets, **named)))
    with tempfile.TemporaryDirectory(prefix="iwarpsim-") as out:
        copy = Path(shutil.copytree(folder, Path(out) / folder.name))
        text = (folder / "scenario.yaml").read_text()
        (copy / "scenario.yaml").write_text(shortened(text, chapter.EACH_DAY))
        return told(folder, chapter.ours(lambda *sets, **named: run(copy, *sets, **named)))


def told(folder, points):
    """A list of them, each told when it is known: a night that is ended says how far it came."""
    found = []
    for curve, x, y in points:
        print(f"{folder.name}: {curve}, {x:g}: {y:.5g}", file=sys.stderr)
        found.append((curve, x, y))
    return found


def runs_with_files(chapter, folder, short):
    with tempfile.TemporaryDirectory(prefix="iwarpsim-") as out:
        copy = Path(shutil.copytree(folder, Path(out) / folder.name))
        for name, text in chapter.files().items():
            (copy / name).write_text(text)
        return told(folder, chapter.ours(lambda *sets, **named: run(copy, *sets, **named), short))


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def only_at_limit(results):
    return results.exists() and {r["status"] for r in rows_of(results)} <= {"ok", "limit_sim"}


def compare(name, folder=None, short=False):
    """A row of HEAD for each point, and the chapter."""
    folder = folder or HERE / name
    chapter = module(name)
    ours = {(curve, f"{x:g}"): y for curve, x, y in runs_of(chapter, folder, short)}
    rows = []
    for p in table(folder / "published.tsv"):
        if short and (p["curve"], f"{float(p['x']):g}") not in ours:
            continue
        y, said = ours.pop((p["curve"], f"{float(p['x']):g}")), float(p["y"])
        error = y / said - 1 if chapter.MEASURE == "relative" and said else y - said
        rows.append([p["curve"], p["x"], p["y"], f"{y:.5g}", f"{error:.4f}"])
    rows += [[curve, x, "", f"{y:.5g}", ""] for (curve, x), y in ours.items()]  # ours alone, to see the rest of a curve
    return rows, chapter


def judged(rows, chapter):
    """Points with an error that is held against the chapter's own limit."""
    apart, misses = {*getattr(chapter, "APART", ()), *getattr(chapter, "LIMITS", ())}, getattr(chapter, "MISSES", {})
    return [r for r in rows if (r["error"] if isinstance(r, dict) else r[4]) and key_of(r)[0] not in apart and key_of(r) not in misses]


def key_of(row):
    curve, x = (row["curve"], row["x"]) if isinstance(row, dict) else row[:2]
    return curve, float(x)


def worst(rows, chapter):
    return max((abs(float(r[4])) for r in judged(rows, chapter)), default=0)


def holds(row, chapter):
    if row[0] in getattr(chapter, "APART", ()):
        return chapter.holds(*key_of(row), float(row[2]), float(row[3]))
    return abs(float(row[4])) <= getattr(chapter, "LIMITS", {}).get(row[0], chapter.LIMIT)


def not_as_said(name, rows, chapter):
    """Points that miss without a reason, and such that have one and hold; a sentence each."""
    for row in (r for r in rows if r[4]):
        excused = key_of(row) in getattr(chapter, "MISSES", {})
        if excused == holds(row, chapter):
            yield f"{name}: {row[0]} {row[1]}: {row[3]} for {row[2]} {'holds, and has a reason why it does not' if excused else 'does not hold'}"


def in_words(error, chapter):
    return f"{100 * error:.1f} %" if chapter.MEASURE == "relative" else f"{error:.3g}"


def judge(name, folder=None, short=False):
    """What is wrong with a chapter, a sentence each; its points are printed."""
    folder = folder or HERE / name
    rows, chapter = compare(name, folder, short)
    wrong = []
    for row in rows:
        print("\t".join([name, *row]))
    if worst(rows, chapter) > chapter.LIMIT:
        wrong.append(f"{name}: the largest error is {in_words(worst(rows, chapter), chapter)}, agreed are {in_words(chapter.LIMIT, chapter)}")
    elif hasattr(chapter, "SHORT"):
        wrong += not_as_said(name, rows, chapter)
    kept = [list(r.values()) for r in table(folder / "ours.tsv")]
    if short and (hasattr(chapter, "EACH_DAY") or hasattr(chapter, "SHORT")):
        kept = [old for old in kept if old[:2] in [new[:2] for new in rows]]
    for old, new in zip(kept, rows):
        if old != new:
            wrong.append(f"{name}: {' '.join(new)} was {' '.join(old)}")
    if len(kept) != len(rows):
        wrong.append(f"{name}: {len(rows)} points, {len(kept)} in ours.tsv")
    return wrong


# ---- what is written ----


def draw(name, rows, chapter):
    folder, curves = HERE / name, [c for c in dict.fromkeys(r[0] for r in rows) if c not in getattr(chapter, "APART", ())]
    blocks, plots, line = [], [], "linespoints" if getattr(chapter, "JOINED", True) else "points"
    for i, curve in enumerate(curves):
        points = sorted(((float(r[1]), r[3], r[2] or "NaN") for r in rows if r[0] == curve))
        blocks.append("\n".join(f"{x:g} {ours} {said}" for x, ours, said in points))
        colour = COLOURS[i % len(COLOURS)]
        if any(said != "NaN" for _, _, said in points):
            plots.append(f"$data index {i} using 1:3 with points pt 4 ps 1.6 lw 1.5 lc rgb '{colour}' title '{curve}, published'")
        plots.append(f"$data index {i} using 1:2 with {line} pt 7 ps 0.6 lw 1.5 lc rgb '{colour}' title '{curve}, ours'")
    log = "".join(f"set logscale {axis}\n" for axis in chapter.LOG)
    if "x" in chapter.LOG:
        log += 'set format x "%g"\n'
    if hasattr(chapter, "NAMES"):
        log += "set xtics (" + ", ".join(f"'{text}' {x}" for x, text in chapter.NAMES.items()) + ")\n"
    script = (f"set terminal svg noenhanced size 640,420 font 'sans,14' background rgb 'white'\nset output '{folder / name}.svg'\nset border 3\nset tics nomirror out\nset autoscale {'fix' if 'y' in chapter.LOG else 'xfix'}\n"
              f"set grid lc rgb '#dddddd'\nset key outside below center horizontal\n{log}set xlabel '{chapter.X}'\nset ylabel '{chapter.Y}'\nset offsets graph 0.05, graph 0.05, graph 0.08, graph 0.08\n"
              "$data << EOD\n" + "\n\n\n".join(blocks) + "\nEOD\nplot " + ", \\\n     ".join(plots) + "\n")
    subprocess.run(["gnuplot", "-"], input=script, text=True, check=True)


def record(name):
    rows, chapter = compare(name)
    with open(HERE / name / "ours.tsv", "w", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerows([HEAD, *rows])
    draw(name, rows, chapter)


def heading(name):
    for line in (HERE / name / "README.md").read_text().splitlines():
        if line.startswith("# "):
            return line[2:]
    return name


def counts(chapter):
    return "yes" if chapter.COUNTS is True else f"no: {chapter.COUNTS or 'fitted'}"


def overview():
    """The table of README.md, from what is recorded."""
    lines = ["| chapter | published by | points | largest error | agreed | counts |", "|---|---|---|---|---|---|"]
    for name in chapters():
        if not is_compared(name):
            lines.append(f"| [{name}]({name}/README.md): {heading(name)} | | 0 | | | no |")
            continue
        chapter, rows = module(name), [r for r in table(HERE / name / "ours.tsv") if r["error"]]
        error = max(abs(float(r["error"])) for r in judged(rows, chapter))
        lines.append(f"| [{name}]({name}/README.md): {heading(name)} | {chapter.BY} | {len(rows)} | {in_words(error, chapter)} | {in_words(chapter.LIMIT, chapter)} | {counts(chapter)} |")
    return "\n".join(lines) + "\n"


def readme_with(text, rows):
    head, _, rest = text.partition("<!-- table -->\n")
    _, _, tail = rest.partition("<!-- end -->\n")
    return f"{head}<!-- table -->\n{rows}<!-- end -->\n{tail}"


def main(arguments):
    recording = arguments[:1] == ["--record"]
    names = arguments[recording:] or [n for n in chapters() if is_compared(n)]
    unknown = [n for n in names if n not in chapters() or not is_compared(n)]
    if unknown:
        sys.exit(f"book.py: {', '.join(unknown)}: no such chapter with points; they are {', '.join(n for n in chapters() if is_compared(n))}")
    if recording:
        for name in names:
            record(name)
        readme = HERE / "README.md"
        readme.write_text(readme_with(readme.read_text(), overview()))
        return 0
    print("\t".join(["chapter", *HEAD]))
    wrong = [w for name in names for w in judge(name)]
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
