# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs test programs side by side and counts: what `./waf check` does after the build.

A program passes with exit code 0 and is skipped with 77. Where its output has cmocka's summary, its test
cases are counted, else it counts as one; at night the tests that a script skips itself count, too. Programs begin in the order given.
The last line printed is `N passed, N failed[, N skipped]`, and behind it what a program said of a peer that not every machine
has: `; live kernel peer: tested`, or `not tested (why)`; which programs failed, and which were skipped (why). Before it stand the claims that were not proved for
want of something (a program prints `not proved: CLAIM`), and a line that says what all programs took of the CPU, and which most.
"""

import concurrent.futures
import contextlib
import os
import re
import shlex
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass

SKIPPED = 77
HANGS = 1200, 6 * 3600  # seconds after which a program is taken to hang; at night
SHOWN = 200  # last lines of a failed program's output
DEAREST = 10  # programs that are named with what they took
CLAIM = re.compile(r"^(?:\S+: )?not proved: (.*)", re.M)
SKIP = re.compile(r"^.*?(?:skipped|not tried|not proved): (.*)", re.M)
OWN_SKIPS = re.compile(r"^OK \(skipped=(\d+)\)", re.M)  # of unittest: by day most of them wait for the night
running = set()  # the groups of processes of programs that run now
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
    cpu: float
    passed: int
    failed: int
    skipped: int


def run(jobs, folder, environment, width):
    """Runs all jobs in folder, at most width at once; gives the exit code, 1 when something failed."""
    results = []
    with concurrent.futures.ThreadPoolExecutor(max_workers=max(1, width)) as pool:
        try:
            for done in concurrent.futures.as_completed([pool.submit(run_one, j, folder, environment) for j in jobs]):
                results.append(done.result())
                report(results[-1], environment)
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            for group in list(running):
                end(group)
            raise
    passed, failed, skipped = (sum(getattr(r, n) for r in results) for n in ("passed", "failed", "skipped"))
    print(dearest(results))
    for claim in sorted({claim for r in results for claim in CLAIM.findall(r.output)}):
        print(f"not proved: {claim}")
    peers = sorted({peer for r in results for peer in PEER.findall(r.output)})
    print("; ".join([f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""), *peers, *named(results)]), flush=True)
    return 1 if failed or not passed else 0


def named(results):
    """Who failed, and who skipped something and why."""
    failed, skipped = ", ".join(sorted(r.job.name for r in results if r.failed)), ", ".join(sorted(f"{r.job.name} ({why(r)})" for r in results if r.skipped))
    return [f"failed: {failed}"] * bool(failed) + [f"skipped: {skipped}"] * bool(skipped)


def why(result):
    """What a program says of what it skipped."""
    said, lines = SKIP.findall(result.output), result.output.strip().splitlines()
    return said[-1] if said else lines[-1] if lines and result.status == SKIPPED else f"{result.skipped} of its tests"


def dearest(results):
    """What all took of the CPU, and those that took most."""
    most = sorted(results, key=lambda r: -r.cpu)[:DEAREST]
    return f"{sum(r.cpu for r in results):.0f} s of CPU; " + ", ".join(f"{os.path.basename(r.job.name)} {r.cpu:.0f}" for r in most)


def run_one(job, folder, environment):
    everything = {**os.environ, "PYTHONUNBUFFERED": "1", "CMOCKA_MESSAGE_OUTPUT": "STDOUT", "UBSAN_OPTIONS": "print_stacktrace=1", **environment}
    start = time.monotonic()
    status, output, cpu = run_for(HANGS["IWARPSIM_NIGHTLY" in everything], job.argv, cwd=folder, env=everything)
    return Result(job, status, output, time.monotonic() - start, cpu, *count(status, output, "IWARPSIM_NIGHTLY" in everything))


def run_for(limit, argv, **more):
    """Exit code, output, and the CPU seconds of a program and of all that it waited for; 124 after `limit` seconds, when what it began ends with it."""
    with tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True, **more)
        except OSError as error:
            return 127, f"{error}\n", 0
        running.add(process.pid)
        late = threading.Timer(limit, end, [process.pid])
        late.start()
        _, status, used = os.wait4(process.pid, 0)
        running.discard(process.pid)
        process.returncode = os.waitstatus_to_exitcode(status)
        hung = late.finished.is_set()
        late.cancel()
        output.seek(0)
        said = output.read().decode(errors="replace") + (f"\nstopped after {limit} s\n" if hung else "")
        return 124 if hung else process.returncode, said, used.ru_utime + used.ru_stime


def end(group):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def count(status, output, night=False):
    """(passed, failed, skipped) test cases of a program that ended with status and printed output."""
    summary = r"^\[  %s\s*\] (?:.*: )?(\d+) test\(s\)"  # some versions name the group
    cases = {k: sum(map(int, re.findall(summary % k, output, re.M))) for k in ("PASSED", "FAILED", "SKIPPED")}
    passed, failed, skipped = cases["PASSED"], cases["FAILED"], cases["SKIPPED"]
    if passed + failed + skipped == 0:
        return (int(status == 0), int(status not in (0, SKIPPED)), int(status == SKIPPED) + night * sum(map(int, OWN_SKIPS.findall(output))))
    return (passed, max(failed, int(status != 0)), skipped)


def report(result, environment):
    words = f"{result.passed} passed" + (f", {result.failed} failed" if result.failed else "")
    words += f", {result.skipped} skipped" if result.skipped else ""
    verdict = "FAILED" if result.failed else "skip  " if not result.passed else "ok    "
    print(f"{verdict} {result.seconds:7.2f} s, CPU {result.cpu:6.2f} s  {result.job.name}  ({words})", flush=True)
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
