#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every shipped scenario and every lesson's gives the rows that it gave: SHA-256 of results.csv, in rows.tsv, without the columns that are newer.

    rows_test.py [PART]...            in `check`: lessons and the gallery whole, of campaigns each point once, the first 500 us of simulated time
    rows_test.py --whole [PART]...    campaigns as they ship, as at night (a quarter of an hour); PART: only scenarios whose path contains it
    rows_test.py --write [--whole]    writes what differs into rows.tsv, for a change that is meant; a campaign whose cut differs has no row of the whole then,
                                      and every run says so until --whole writes it

A row of world simgrid holds for the SimGrid that it names. Needs IWARPSIM (or build/iwarpsim).
"""

import csv
import hashlib
import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = Path(os.environ.get("IWARPSIM", TOP / "build/iwarpsim")).absolute()
ROWS = Path(__file__).with_name("rows.tsv")
HEAD = "scenario\tpart\tsimulator\tsha256"
PATIENT = ["--set", "limit.wall=1000000s"]  # no run ends because the machine is busy
CUT = ["--set", "repeat=1", "--set", "limit.sim=500us"]
CUT_WINDOW = ["--set", "measure.from=100us", "--set", "measure.for=400us"]  # of a scenario that measures in one
CUT_MORE = ["--set", "measure.from=20us", "--set", "measure.for=30us"]
CUT_LARGE = {"scenarios/cluster-spray.yaml": CUT_MORE, "scenarios/tracking.yaml": CUT_MORE}  # 1,024 hosts, 10,000 connections
SHORT = "scenarios/lessons/", "scenarios/gallery/"  # whole in every run
# Newer than the rows of rows.tsv: left out, and those of a key where it is not used.
NEWER = {"flow_mean_gbps", "flow_p1_gbps", "flow_jain", "host_mean_gbps", "link_share", "sender_completion_us", "drops_track", "retransmits_needless", "fair_us",
         "path_values_used", "paths_retired", "probes", "credits", "track_pool_peak_bits"}
NEWER_IF_ASKED = {"reads_early", "octets_stale", "early_hole_p50_us", "early_hole_p99_us", "notify_p50_us", "notify_p99_us", "fence_us"}
NEWER_IF_SOME = {"lost_on_failed_links", "reroutes"}  # and those that count nothing
FINISHED = 0, 3  # 3: a point hit a limit, or its streams ended early


def scenarios():
    found = (path.relative_to(TOP).as_posix() for path in (TOP / "scenarios").rglob("*.yaml") if path.parent.name != "topologies")
    return sorted(found)


def known():
    lines = [line.split("\t") for line in ROWS.read_text().splitlines()[1:]] if ROWS.exists() else []
    return {(scenario, part): (simulator, digest) for scenario, part, simulator, digest in lines}


def write(rows):
    lines = ["\t".join((*key, *value)) for key, value in sorted(rows.items())]
    ROWS.write_text("".join(line + "\n" for line in [HEAD, *lines]))


def digest(results):
    """Of the columns that were there when rows.tsv was written, whatever stands beside them now."""
    head, *rows = csv.reader(io.StringIO(results))
    kept = [i for i, name in enumerate(head)
            if name not in NEWER and (name not in NEWER_IF_ASKED or any(row[i] for row in rows)) and (name not in NEWER_IF_SOME or any(row[i] != "0" for row in rows))]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([row[i] for i in kept] for row in [head, *rows])
    return hashlib.sha256(text.getvalue().encode()).hexdigest()


def outcome(scenario, part):
    """(simulator, SHA-256), or what is said."""
    with tempfile.TemporaryDirectory(prefix="iwarpsim-") as folder:
        out = Path(folder) / "out"
        window = CUT_WINDOW if re.search(r"^measure:", (TOP / scenario).read_text(), re.MULTILINE) else []
        cut = CUT + CUT_LARGE.get(scenario, window) if part == "cut" else []
        done = subprocess.run([IWARPSIM, "run", scenario, "--out", out, "--jobs", "1", *PATIENT, *cut], cwd=TOP, capture_output=True, text=True)
        if done.returncode not in FINISHED or not (out / "results.csv").exists():
            return None, f"exit {done.returncode}: {done.stderr.strip()}"
        by = (out / "rows.tsv").read_text().splitlines()[1].split("\t")[-1].partition(",")[0]
        return by if by.startswith("SimGrid") else "-", digest((out / "results.csv").read_text())


def missing_world(said):
    return "the program of world" in said and "is missing" in said


def main(arguments):
    options, parts = {a for a in arguments if a.startswith("--")}, [a for a in arguments if not a.startswith("--")]
    night = "--whole" in options or "IWARPSIM_NIGHTLY" in os.environ
    rows, wrong, same, left_out = known(), 0, 0, 0
    chosen = [scenario for scenario in scenarios() if any(p in scenario for p in parts or [""])]
    for scenario in chosen:
        part = "whole" if night or scenario.startswith(SHORT) else "cut"
        was = rows.get((scenario, part))
        now = outcome(scenario, part)
        if was and now[0] and was[0] != now[0] or now[0] is None and missing_world(now[1]):
            left_out += 1
        elif now == was:
            same += 1
            if night:
                print(f"{scenario}: as before", flush=True)
        elif now[0] and "--write" in options:
            rows[scenario, part] = now
            if part == "cut":
                rows.pop((scenario, "whole"), None)  # what changed its cut changed it whole
            write(rows)
        else:
            wrong += 1
            print(f"{scenario}, {part}: {'other rows than in rows.tsv' if was and now[0] else now[1] if was else 'has no row in rows.tsv'}", flush=True)
    for scenario in chosen:
        if (scenario, "whole") not in rows:
            wrong += 1
            print(f"{scenario}, whole: has no row in rows.tsv: rows_test.py --whole --write {scenario}")
    for scenario in sorted({scenario for scenario, _ in rows} - set(scenarios())):
        wrong += 1
        print(f"{scenario}: stands in rows.tsv, and is no scenario")
    print(f"{same} as before, {wrong} not, {left_out} left out (another simulator, or none)")
    return 1 if wrong or not same and "--write" not in options else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
