#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What ./waf check, test, coverage, fuzz and bench run when all is built: check.py [options] COMMAND FILE ...

FILE ... are the programs in build/ and the scripts of validation/; the name of its folder says what a program is.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

import runner

TOP = Path(__file__).resolve().parents[1]
LONG_RUNS = {"fuzz_tcp": 10**8}  # at night: inputs beside the corpus, in the flavour `swift`
# What takes longest begins first, so that none of them runs alone at the end; in the order of what the runner prints last.
DEAR = ["hostile_test", "published_test", "pages_test", "law_delivery", "live_test", "judge_test", "run_test", "keys_act_test", "threads_test", "length_test", "expert_test", "exercise_test",
        "player_test", "plots_test", "rows_test", "compare_test", "random_test"]
WAITS = 1  # more jobs than processors: many tests wait for a browser, a peer or a disk
FEW_SEEDS = "300"  # of laws, for the branches that they take: more take no other
# `runs` inputs beside the corpus; then those that were kept, and the corpus, under the sanitizers.
LONG_RUN = ("{swift} -error_exitcode=1 -runs={runs} -max_len=300 -entropic=0 -reduce_inputs=0 -verbosity=0 -print_final_stats=1 -artifact_prefix={found}.bad- {found} {corpus} && "
            "{judge} -runs=0 -error_exitcode=1 -verbosity=0 -print_final_stats=1 {found} {corpus}")


def options(argv):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--target", default="", help="only what has this in its name")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=int, default=60, help="fuzz: of each target")
    parser.add_argument("--runs", type=int, default=0, help="fuzz: so many inputs")
    parser.add_argument("--nightly", action="store_true")
    return parser.parse_args(argv)


def built(o, folder, name=""):
    """Programs of this build in build/FOLDER whose names contain `name`."""
    return [f for f in o.files if os.path.dirname(f) == f"build/{folder}" and name in os.path.basename(f)]


def environment(**more):
    return {"IWARPSIM_BUILD": str(TOP / "build"), "IWARPSIM": str(TOP / "build/iwarpsim"), **more}


def place(job):
    """Of a job among those that begin."""
    name = Path(job.name).stem
    return DEAR.index(name) if name in DEAR else len(DEAR)


def programs(o, *folders):
    return [runner.Job(p, [p]) for folder in folders for p in built(o, folder)]


def corpus(program):
    folder = "validation/fuzz/corpus/" + os.path.basename(program).replace("fuzz_", "", 1)
    return [folder] if (TOP / folder).is_dir() else []


def found(program, flavour):
    """The folder of inputs that a fuzz target keeps."""
    folder = f"build/{flavour}/found/{os.path.basename(program)}"
    (TOP / folder).mkdir(parents=True, exist_ok=True)
    return folder


def long_run(program, runs):
    """A command of the shell."""
    judge = "build/libfuzzer/fuzz/" + os.path.basename(program)
    return LONG_RUN.format(swift=program, judge=judge, runs=runs, found=found(program, "swift"), corpus=" ".join(corpus(program)))


# ---- the commands: each gives its exit code ----


def check(o):
    length = ["--fullness=TAKES_FOREVER"] if o.nightly else []
    jobs = programs(o, "laws", "interop", *(["san/laws", "san/interop"] if o.nightly else []), "san/unit", "unit")
    jobs += [runner.Job(f"{p} {suite}", [p, f"--suite={suite}", "--verbose", *length]) for suite in ("iwarp", "iwarp-applications", "iwarp-sctp") for p in built(o, "ns3")]
    jobs += [runner.Job(p, [p, *corpus(p)]) for p in built(o, "san/fuzz")]
    jobs += [runner.Job(p, ["sh", "-c", long_run(p, LONG_RUNS[os.path.basename(p)])]) for p in built(o, "swift/fuzz")]
    jobs += [runner.Job(f, [sys.executable, f]) for f in o.files if f.endswith(".py")]
    return runner.run(sorted((j for j in jobs if o.target in j.name), key=place), TOP, environment(**({"IWARPSIM_NIGHTLY": "1"} if o.nightly else {})), o.jobs + WAITS)


def coverage(o):
    for old in (TOP / "build").glob("**/*.gcda"):
        old.unlink()
    failed = runner.run(programs(o, "cov/laws", "cov/unit"), TOP, environment(IWARPSIM_LAW_SEEDS=FEW_SEEDS), o.jobs)
    return subprocess.call([sys.executable, "validation/coverage/coverage.py", TOP / "build"], cwd=TOP) or failed


def fuzz(o):
    targets = built(o, "libfuzzer/fuzz", o.target)
    if not targets:
        sys.exit("no such fuzz target, or no clang with its runtime (Debian: clang libclang-rt-dev)")
    if o.runs:
        return fuzz_long(built(o, "swift/fuzz", o.target), o.runs)
    for target in targets:
        folder = found(target, "libfuzzer")
        status = subprocess.call([target, f"-max_total_time={o.seconds}", "-print_final_stats=1", f"-artifact_prefix={os.path.dirname(folder)}/",
                                  folder, *corpus(target)], cwd=TOP)
        if status:
            return status
    return 0


def fuzz_long(targets, runs):
    if not targets:
        sys.exit("--runs is for " + ", ".join(sorted(LONG_RUNS)))
    return max(subprocess.call(["sh", "-c", long_run(t, runs)], cwd=TOP) for t in targets)


def bench(o):
    def run(program):
        print(program, flush=True)
        return subprocess.call([program], cwd=TOP)

    return max(map(run, built(o, "bench", o.target) + built(o, "whole/bench", o.target)), default=0)


COMMANDS = {"check": check, "test": check, "coverage": coverage, "fuzz": fuzz, "bench": bench}


if __name__ == "__main__":
    asked = options(sys.argv[1:])
    sys.exit(COMMANDS[asked.command](asked))
