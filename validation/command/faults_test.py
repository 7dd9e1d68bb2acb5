#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A system call that fails costs no finished work: every call of the phase that joins results fails once, for each reason.

Either the folder is, octet for octet, what it is without the fault; or the command says in a sentence why not and exits with
another code than 0, the rows are kept, and the same command finishes the work. strace makes the calls fail."""

import errno
import json
import os
import re
import shutil
import subprocess
import unittest
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from run_test import IWARPSIM, Command, iwarpsim
from skippable import run_tests

TINY = ("world: fabric\npayload: none\nworkload: {op: write, size: 16KiB, count: 6}\nchannel: {loss: 0.01}\n"
        "sweep: {llp.congestion: [cubic, newreno]}\n")
OPTIONS = ("--jobs", "1", "--messages", "--trace", "--links")
FAULTS = {"openat": ("EMFILE", "EIO", "ENOSPC"), "read": ("EIO",), "write": ("ENOSPC",), "close": ("EIO",), "fsync": ("EIO",), "lseek": ("EIO",),
          "rename": ("EIO",), "unlink": ("EACCES",), "unlinkat": ("EACCES",), "newfstatat": ("EIO",), "getdents64": ("EIO",), "mkdir": ("ENOSPC",),
          "rmdir": ("EACCES",), "link": ("EMLINK",), "flock": ("EIO",)}
NOT_OURS = {"costs.csv"}
OUTPUT = "the output cannot be written (is the disk full?)"
TIMES = re.compile(rb'"(finished|wall_seconds|cpu|jobs_by)": [^\n]*')  # a processor whose name cannot be read is unknown


def why_not():
    """Why strace cannot be used here; None: it can."""
    if not shutil.which("strace"):
        return "no strace (Debian: strace)"
    tried = subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True, text=True)
    return None if tried.returncode == 0 else f"strace may not trace: {tried.stderr.strip()}"


def octets(folder):
    return {str(p.relative_to(folder)): TIMES.sub(b"", p.read_bytes()) for p in folder.rglob("*") if p.is_file() and p.name not in NOT_OURS}


@unittest.skipIf(why_not(), f"that no failing system call costs finished work: {why_not()}")
class Faults(Command):
    def setUp(self):
        super().setUp()
        self.file(TINY)
        self.env = {**os.environ, "LC_ALL": "C"}

    def strace(self, *options, command):
        return subprocess.run(["strace", "-o", "/dev/null", *options, IWARPSIM, *command], cwd=self.folder, env=self.env, capture_output=True, text=True, timeout=60)

    def plain(self, command):
        return subprocess.run([IWARPSIM, *command], cwd=self.folder, env=self.env, capture_output=True, text=True, timeout=60)

    def run_in(self, out):
        return ["run", "small.yaml", *OPTIONS, "--out", out]

    def whole(self, command, folder):
        done = self.plain(command)
        self.assertEqual(done.returncode, 0, done.stderr)
        return octets(self.folder / folder)

    def unjoined(self, out, command):
        """A folder in which every run is done, and nothing is joined: the first fsync() failed."""
        done = self.strace("-e", "trace=fsync", "-e", "inject=fsync:error=EIO:when=1", command=command)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertFalse((self.folder / out / "results.csv").exists())

    def calls(self, command, *options):
        """The numbers of each call that the command makes once its main() runs, {"read": range(5, 60)}; with -f of whatever process makes most."""
        log = self.folder / "calls"
        self.assertEqual(self.strace(*options, "-o", str(log), command=command).returncode, 0)
        before, made, begun = Counter(), Counter(), set()
        for line in log.read_text().splitlines():
            process, call = line.split(None, 1) if "-f" in options else ("", line)
            name = call.split("(")[0]
            if "openat(" in call and ("small.yaml" in call or "scenario.yaml" in call):
                begun.add(process)
            made[process, name] += 1
            before[process, name] += process not in begun
        return {name: range(min(before[p, n] for p, n in made if n == name) + 1, max(made[p, n] for p, n in made if n == name) + 1) for _, name in made}

    def judge(self, what, done, folder, whole, command, least, reason):
        """None, or what is wrong with a command that was disturbed."""
        found = octets(folder) if folder.exists() else {}
        if done.returncode == 0:
            return None if found == whole else f"{what}: exit 0, but not the same: {sorted(k for k in found.keys() | whole if found.get(k) != whole.get(k))}"
        if len(list((folder / "points").glob("*.row"))) < least and any(found.get(k) != whole[k] for k in whole):
            return f"{what}: exit {done.returncode}, and rows are gone: {done.stderr}"
        if reason not in done.stderr and OUTPUT not in done.stderr:
            return f"{what}: exit {done.returncode} without the reason: {done.stderr}"
        again = self.plain(command)
        return None if again.returncode == 0 and octets(folder) == whole else f"{what}: exit {done.returncode}; the same command gives {again.returncode} and another folder: {again.stderr}"

    def disturb(self, state, command_of, faults, whole, least=2, options=(), reason=os.strerror):
        """Each fault strikes the command in a copy of the folder `state`."""
        def strike(fault):
            name, error, when = fault
            out = f"{name}-{error}-{when}"
            if (self.folder / state).exists():
                shutil.copytree(self.folder / state, self.folder / out)
            done = self.strace(*options, "-e", f"trace={name}", "-e", f"inject={name}:error={error}:when={when}", command=command_of(out))
            wrong = self.judge(f"{name} {when} fails with {error}", done, self.folder / out, whole, command_of(out), least, reason(getattr(errno, error)))
            shutil.rmtree(self.folder / out, ignore_errors=True)
            return wrong

        with ThreadPoolExecutor(2) as pool:
            wrong = [w for w in pool.map(strike, faults) if w]
        self.assertEqual(len(wrong), 0, f"{len(wrong)} of {len(faults)} faults:\n" + "\n".join(wrong))

    def faults(self, state, command_of, names=tuple(FAULTS), errors=3):
        if (self.folder / state).exists():
            shutil.copytree(self.folder / state, self.folder / "dry")
        calls = self.calls(command_of("dry"))
        return [(name, error, when) for name in names for error in FAULTS[name][:errors] for when in calls.get(name, ())]

    def test_a_call_that_fails_while_results_are_joined(self):
        self.unjoined("state", self.run_in("state"))
        faults = self.faults("state", self.run_in)
        self.assertGreater(len(faults), 300)
        self.disturb("state", self.run_in, faults, self.whole(self.run_in("whole"), "whole"))

    def test_a_call_that_fails_while_shards_are_merged(self):
        for part in ("1/2", "2/2"):
            self.assertEqual(self.plain(["run", "small.yaml", *OPTIONS, "--out", "shards", "--shard", part]).returncode, 0)
        merge = lambda out: ["merge", "shards", "--out", out]
        faults = self.faults("none", merge, ("openat", "read", "getdents64"), 1)
        self.assertGreater(len(faults), 100)
        self.disturb("none", merge, faults, self.whole(merge("whole"), "whole"), least=0)

    def test_a_call_that_fails_where_nothing_is_left_to_do(self):
        whole = self.whole(self.run_in("whole"), "whole")
        faults = self.faults("whole", self.run_in, ("openat", "read", "newfstatat"), 1)
        self.assertGreater(len(faults), 50)
        self.disturb("whole", self.run_in, faults, whole)

    def test_a_call_that_fails_in_whatever_process(self):
        calls = self.calls(self.run_in("dry"), "-f")
        faults = [(name, error, when) for name, error in (("openat", "EMFILE"), ("write", "ENOSPC"), ("rename", "EIO")) for when in calls[name][::4]]
        self.assertGreater(len(faults), 15)
        self.disturb("none", self.run_in, faults, self.whole(self.run_in("whole"), "whole"), least=0, options=("-f",), reason=lambda _: "")

    def test_messages_csv_holds_the_messages_of_each_row(self):
        for text in (TINY, "world: fabric\nworkload: {kind: errors}\nsweep: {seed: [1, 2, 3]}\n"):
            folder = self.run_to("out", text, *OPTIONS)
            messages = Counter((m["point"], m["repeat"]) for m in self.rows(folder, "messages.csv"))
            good = Counter((m["point"], m["repeat"]) for m in self.rows(folder, "messages.csv") if m["status"] == "ok")
            for row in self.rows(folder):
                run = row["point"], row["repeat"]
                self.assertEqual((messages[run], good[run]), (int(row["messages_posted"]), int(row["messages"])))
            shutil.rmtree(folder)


if __name__ == "__main__":
    raise SystemExit(run_tests("a system call that fails"))
