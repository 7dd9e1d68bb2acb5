#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Breaks the model one small change at a time and asks whether a test notices.

usage: mutants.py [--room ROOM] [--by TEST] [--jobs N] [--draw COUNT [--seed S]] [--folder DIR] [ID ...]

The mutants are the rows of mutants.tsv, or with --draw that many changes drawn from the room's sources. Prints every mutant that no
test sees, then a table; exit 1 when a room is below its floor: 95 of 100 of those not accepted.
"""

import argparse
import concurrent.futures
import csv
import os
import queue
import resource
import subprocess
import sys
import time
from pathlib import Path

from build import TOP, Base, DoesNotCompile, Workshop
from draw import draw
from rooms import TESTS

HERE = Path(__file__).resolve().parent
FLOOR = 95  # per cent of a room's mutants that are not accepted
ACCEPTED_AT_MOST = 5  # per cent of a room
MEMORY = 3 << 30
SCRIPTS, SCRIPTS_ALONE = 2000, 10000  # that the reference plays: beside other tests, and as in its normal run
SLOWER = 20  # a test that takes this many times its CPU time, and 10 s, runs in a circle


def read_rows(path=HERE / "mutants.tsv"):
    with open(path, newline="") as f:
        rows = [r for r in csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE)]
    for row in rows:
        row["old"], row["new"] = (row[k].replace("\\n", "\n") for k in ("old", "new"))
    return rows


def changed(row, source):
    """The text of the row's file with its change. ValueError says what is wrong with the row."""
    text = (source / row["file"]).read_text()
    if "at" in row:
        return text[: row["at"]] + row["new"] + text[row["at"] + len(row["old"]):]
    if text.count(row["old"]) != 1:
        raise ValueError(f"{row['id']}: its old text stands {text.count(row['old'])} times in {row['file']}")
    return text.replace(row["old"], row["new"])


class Tests:
    """Runs a test of a room in a workshop, knows how long it takes when nothing is changed."""

    def __init__(self, base, scripts):
        self.base, self.scripts, self.seconds = base, scripts, {}

    def argv(self, name, folder):
        if name.startswith("ns3 "):
            return [str(self.base.folder / "ns3/iwarp_ns3_test"), "--suite=" + name.split()[1]]
        if name == "reference/compare":
            return [sys.executable, "validation/reference/compare_test.py", "0", str(self.scripts)]
        if name.endswith(".py"):
            return [sys.executable, "validation/" + name]
        return [str(self.base.folder / name)]

    def exists(self, name):
        return name.endswith(".py") or Path(self.argv(name, None)[0]).exists()

    def run(self, name, shop):
        """None when it passes, else why not."""
        limit = 10 + SLOWER * self.seconds[name] if name in self.seconds else 3600

        def bounds():
            resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit) + 5))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        try:
            done = subprocess.run(["nice", *self.argv(name, shop.folder)], cwd=shop.source, env=shop.environment(), stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=3600, preexec_fn=bounds)
        except subprocess.TimeoutExpired:
            return "hangs"
        self.output = done.stdout
        return None if done.returncode in (0, 77) else "ends with %d" % done.returncode

    def measure(self, names, shop):
        """Every test passes while nothing is changed."""
        for name in names:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            why = self.run(name, shop)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.seconds[name] = after.ru_utime - before.ru_utime
            if why:
                sys.exit(f"{name} {why} although nothing is changed:\n{self.output.decode(errors='replace')[-3000:]}")


class Runner:
    def __init__(self, options):
        self.options = options
        self.folder = options.folder
        self.rows = list(self.wanted())
        self.base = Base(self.folder / "base", options.jobs, any(row["room"] == "ns3" for row in self.rows))
        self.shops = queue.Queue()
        for n in range(options.jobs):
            self.shops.put(Workshop(self.base, self.folder / f"job{n}"))
        self.tests = Tests(self.base, SCRIPTS_ALONE if options.by in ("reference", "reference/compare") else SCRIPTS)
        self.killers = {}  # file -> tests that killed, most successful first

    def wanted(self):
        o = self.options
        if o.draw:
            yield from draw(TOP, o.room, o.draw, o.seed)
            return
        for row in read_rows():
            if (not o.room or row["room"] == o.room) and (not o.ids or row["id"] in o.ids):
                yield row

    def names(self, room):
        return [n for n in TESTS[room] if self.options.by in n and self.tests.exists(n)]

    # Tests that killed others of this file come first, then short ones.
    def order(self, row):
        kills = self.killers.setdefault(row["file"], {})
        names = self.names(row["room"])
        return sorted(names, key=lambda n: (-kills.get(n, 0), names.index(n)))

    def try_one(self, row):
        shop = self.shops.get()
        try:
            return self.verdict(row, shop)
        finally:
            self.shops.put(shop)

    def verdict(self, row, shop):
        start = time.monotonic()
        try:
            if not shop.change(row["file"], changed(row, self.base.source)):
                return row, "?", "nothing is made of its file", 0
        except DoesNotCompile:
            return row, "?", "does not compile", time.monotonic() - start
        except ValueError as wrong:
            return row, "?", str(wrong), 0
        for name in self.order(row):
            why = self.tests.run(name, shop)
            if why:
                kills = self.killers[row["file"]]
                kills[name] = kills.get(name, 0) + 1
                return row, "killed", f"{name} {why}", time.monotonic() - start
        return row, "alive", "", time.monotonic() - start

    def run(self):
        start = time.monotonic()
        names = dict.fromkeys(n for row in self.rows for n in self.names(row["room"]))
        shop = self.shops.get()
        self.tests.measure(names, shop)
        self.shops.put(shop)
        print(f"{len(self.rows)} mutants, {len(names)} tests of {sum(self.tests.seconds.values()):.0f} s", flush=True)
        results = []
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            for done in concurrent.futures.as_completed([pool.submit(self.try_one, row) for row in self.rows]):
                results.append(done.result())
                tell(*results[-1], self.options.verbose)
        return table(results, time.monotonic() - start, bool(self.options.draw or self.options.ids or self.options.by))


def tell(row, verdict, why, seconds, verbose):
    if verdict == "killed" and not verbose:
        return
    if verdict == "alive" and row["accepted"]:
        return
    line = line_of(row)
    print(f"{verdict:6} {row['id']:14} {row['file']}:{line}  {why}  ({seconds:.1f} s)", flush=True)
    if verdict != "killed":
        print(f"         - {row['old'].strip()}\n         + {row['new'].strip()}".replace("\n        ", "\n        "), flush=True)


def line_of(row):
    text = (TOP / row["file"]).read_text() if (TOP / row["file"]).exists() else ""
    at = row.get("at", text.find(row["old"]))
    return text[:at].count("\n") + 1


def table(results, seconds, only_look):
    """Prints a line for each room; the exit code."""
    failed = False
    print("\n| room | mutants | accepted | killed | alive | of those not accepted |\n|---|---|---|---|---|---|")
    for room in dict.fromkeys(row["room"] for row, *_ in sorted(results, key=lambda r: list(TESTS).index(r[0]["room"]))):
        here = [(row, verdict) for row, verdict, *_ in results if row["room"] == room]
        accepted = sum(bool(row["accepted"]) for row, _ in here)
        killed = sum(verdict == "killed" for row, verdict in here if not row["accepted"])
        wrong = sum(verdict == "?" for _, verdict in here)
        counted = len(here) - accepted - wrong if only_look else len(here) - accepted
        share = 100 * killed / counted if counted else 100
        print(f"| {room} | {len(here)} | {accepted} | {killed} | {counted - killed} | {share:.1f} % |")
        failed |= share < FLOOR or 100 * accepted > max(ACCEPTED_AT_MOST * len(here), 100)
    print(f"\n{seconds / 60:.1f} minutes")
    return 1 if failed and not only_look else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--room", choices=sorted(TESTS), help="only mutants of this room")
    parser.add_argument("--by", default="", metavar="TEST", help="only tests whose name contains this: reference, laws, unit")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="so many mutants at once")
    parser.add_argument("--draw", type=int, metavar="COUNT", help="mutants drawn from the room's sources instead")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of the draw")
    parser.add_argument("--folder", type=lambda p: Path(p).resolve(), default=TOP / "build/mutants", metavar="DIR", help="where it builds: two runs at once need two")
    parser.add_argument("--verbose", action="store_true", help="name the test that killed")
    parser.add_argument("ids", nargs="*", metavar="ID", help="only these rows")
    options = parser.parse_args()
    if options.draw and not options.room:
        parser.error("--draw needs --room")
    sys.exit(Runner(options).run())


if __name__ == "__main__":
    main()
