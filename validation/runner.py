# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs test programs side by side and counts: what `./waf check` does after the build.

A program passes with exit code 0 and is skipped with 77. Where its output has cmocka's summary, its test
cases are counted, else it counts as one. The last line printed is `N passed, N failed[, N skipped]`, and behind it what a
program said of a peer that not every machine has: `; live kernel peer: tested`, or `not tested (why)`.
"""

import concurrent.futures
import os
import re
import shlex
import subprocess
import time
from dataclasses import dataclass

SKIPPED = 77
HANGS = 1200, 6 * 3600  # seconds after which a program is taken to hang; at night
SHOWN = 200  # last lines of a failed program's output
PEER = re.compile(r"^live kernel peer: .*", re.M)


@dataclass
class Job:
    name: str
    argv: list


@dataclass
class Result:
    job: Job
    status: int
    output: str
    seconds: float
    passed: int
    failed: int
    skipped: int


def run(jobs, folder, environment, width):
    """Runs all jobs in folder, at most width at once; gives the exit code, 1 when something failed."""
    results = []
    with concurrent.futures.ThreadPoolExecutor(max_workers=max(1, width)) as pool:
        for done in concurrent.futures.as_completed([pool.submit(run_one, j, folder, environment) for j in jobs]):
            results.append(done.result())
            report(results[-1], environment)
    for result in (r for r in results if r.failed):
        print(f"FAILED {result.job.name}")
    passed, failed, skipped = (sum(getattr(r, n) for r in results) for n in ("passed", "failed", "skipped"))
    peers = sorted({peer for r in results for peer in PEER.findall(r.output)})
    print("; ".join([f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""), *peers]), flush=True)
    return 1 if failed or not passed else 0


def run_one(job, folder, environment):
    everything = {**os.environ, "CMOCKA_MESSAGE_OUTPUT": "STDOUT", "UBSAN_OPTIONS": "print_stacktrace=1", **environment}
    limit = HANGS["IWARPSIM_NIGHTLY" in everything]
    start = time.monotonic()
    try:
        done = subprocess.run(
            job.argv, cwd=folder, env=everything, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=limit,
        )
        status, output = done.returncode, done.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired as late:
        status, output = 124, (late.stdout or b"").decode(errors="replace") + f"\nstopped after {limit} s\n"
    except OSError as error:
        status, output = 127, f"{error}\n"
    return Result(job, status, output, time.monotonic() - start, *count(status, output))


def count(status, output):
    """(passed, failed, skipped) test cases of a program that ended with status and printed output."""
    summary = r"^\[  %s\s*\] (?:.*: )?(\d+) test\(s\)"  # some versions name the group
    cases = {k: sum(map(int, re.findall(summary % k, output, re.M))) for k in ("PASSED", "FAILED", "SKIPPED")}
    passed, failed, skipped = cases["PASSED"], cases["FAILED"], cases["SKIPPED"]
    if passed + failed + skipped == 0:
        return (int(status == 0), int(status not in (0, SKIPPED)), int(status == SKIPPED))
    return (passed, max(failed, int(status != 0)), skipped)


def report(result, environment):
    words = f"{result.passed} passed" + (f", {result.failed} failed" if result.failed else "")
    words += f", {result.skipped} skipped" if result.skipped else ""
    verdict = "FAILED" if result.failed else "skip  " if not result.passed else "ok    "
    print(f"{verdict} {result.seconds:7.2f} s  {result.job.name}  ({words})", flush=True)
    if result.failed:
        print(indented(result.output) + f"    again: {again(result.job, environment)}", flush=True)
    elif not result.passed and result.output.strip():
        print("    " + result.output.strip().splitlines()[-1], flush=True)


def indented(text):
    lines = text.splitlines()
    left_out = [f"... {len(lines) - SHOWN} lines"] if len(lines) > SHOWN else []
    return "".join(f"    {line}\n" for line in left_out + lines[-SHOWN:])


def again(job, environment):
    """The command that repeats a job from the project's folder."""
    shown = [f"{k}={shlex.quote(v)}" for k, v in environment.items() if k != "IWARPSIM_BUILD"]
    return " ".join(shown + [shlex.join(job.argv)])
