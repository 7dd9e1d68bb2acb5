#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Breaks the state of the central structures, one statement at a time, and asks whether a law (model/engine/law.h) stops the program.

    breaks.py [--jobs N] [--folder DIR] [--only N] [--by SEED]     prints each break and what sees it; --only: so many of them, by SEED
    breaks.py --write                                              writes breaks.tsv

The rule below says where: its text is the seed of the draw. A break is seen by a `law` when one traps in one of the room's programs, by the
name of the first program that fails otherwise, or it `lives`. Exit 1 when laws see less than half of them.
"""

import argparse
import concurrent.futures
import queue
import random
import re
import resource
import subprocess
import sys
from pathlib import Path

from build import TOP, Base, DoesNotCompile, Workshop
from draw import blanked

RULE = "every statement that counts, adds to or takes from a member of a central structure, statistics apart; it is dropped, done twice, or one more is added"
COUNT = 100
PER_CENT = 50  # of them at least are seen by a law
TABLE = Path(__file__).with_name("breaks.tsv")
HEAD = "file\tstatement\tnth\tbreak\tseen"
CPU = 60  # seconds of one program
FILES = {
    "tcp": "model/llp/tcp_tx.c model/llp/tcp_rx.c model/llp/tcp_ack.c model/llp/tcp_congestion.c",
    "mpa": "model/llp/mpa_rx.c model/llp/mpa_tx.c model/llp/mpa_runs.c",
    "node": "model/node/transmit.c model/node/receive.c model/node/path.c model/node/window.c model/node/done.c model/node/agenda.c model/node/step.h",
    "rnic": "model/rnic/rnic.c model/rnic/cache.c",
    "fabric": "model/fabric/queue.c model/fabric/pfc.c model/fabric/wire.c model/fabric/run.c model/fabric/events.c model/fabric/parts.c model/fabric/turns.c "
              "model/fabric/cells.c model/fabric/impair.c",
    "workload": "scenarios/workloads/lane.c scenarios/workloads/workload.c scenarios/workloads/storage.c",
}
PROGRAMS = {
    "tcp": "tcp_send tcp_receive tcp_recovery tcp_undo node_path",
    "mpa": "mpa_rx mpa_tx mpa_runs llp_ends",
    "node": "node node_path node_rate",
    "rnic": "rnic_staging rnic_cache rnic_window rnic_completion node_path",
    "fabric": "fabric_queue fabric_pfc fabric_parts fabric_channel fabric_events",
    "workload": "workload",
}
STATEMENT = re.compile(r"(?m)^ +((?:\+\+|--)?(\(?\*?[a-z_]\w*(?:(?:->|\.)\w+|\[[^\n;=]*?\])*(?:->|\.)\w+)(?:\+\+|--| [-+]= [^\n;]+));$")

STATISTICS = re.compile(r"\bstats\.(?!flight)|->counts\.(hops|events)|\btally\b|->hits|->misses|->m\.")  # told, and read by nobody else


def places(source):
    """(room, file, start, end, statement, what it is about) of each statement of the rule."""
    for room, files in FILES.items():
        for name in files.split():
            text = (source / name).read_text()
            for match in STATEMENT.finditer(blanked(text)):
                if re.match(r"\w+->", match[2]) and not STATISTICS.search(match[2]):
                    yield room, name, match.start(1), match.end(), text[match.start(1):match.end(1)], match[2]


def broken(statement, member, how):
    return {"drop": ";", "twice": f"{statement}, {statement};", "one": f"{statement}, {member}++;"}[how]


def draw(source, count=COUNT, seed=RULE):
    """`count` breaks: (room, file, statement, which of its like in the file, how, the file's text with it)."""
    lot = random.Random(seed)
    every = [(*place, how) for place in places(source) for how in ("drop", "twice", "one")]
    for room, name, start, end, statement, member, how in lot.sample(every, count):
        text = (source / name).read_text()
        nth = text[:start].count(statement)
        yield room, name, statement, nth, how, text[:start] + broken(statement, member, how) + text[end:]


def bounds():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU, CPU + 5))
    resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def seen_by(base, shop, room):
    seen = "lives"
    for name in PROGRAMS[room].split():
        done = subprocess.run(["nice", str(base.folder / f"unit/{name}_test")], cwd=shop.source, env=shop.environment(), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=bounds)
        if done.returncode == -4 or b"Illegal instruction" in done.stdout:
            return "law"
        if done.returncode and seen == "lives":
            seen = f"{name}_test"
    return seen


def outcomes(breaks, options):
    """Yields (file, statement, nth, how, seen) as they are known."""
    base = Base(options.folder / "base", options.jobs, False, ("-DIW_LAWS",), [f"unit/{n}_test" for n in sorted(set(" ".join(PROGRAMS.values()).split()))])
    shops = queue.Queue()
    for n in range(options.jobs):
        shops.put(Workshop(base, options.folder / f"job{n}"))

    def plant(one):
        room, name, statement, nth, how, text = one
        shop = shops.get()
        try:
            shop.change(name, text)
            return name, statement, nth, how, seen_by(base, shop, room)
        except DoesNotCompile:
            return name, statement, nth, how, "compiler"
        finally:
            shop.restore()
            shops.put(shop)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        yield from pool.map(plant, breaks)


def rows():
    return [tuple(line.split("\t")) for line in TABLE.read_text().splitlines()[1:]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--folder", type=lambda p: Path(p).resolve(), default=TOP / "build/breaks")
    parser.add_argument("--only", type=int, default=COUNT)
    parser.add_argument("--by", default="")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    breaks = list(draw(TOP))
    if options.only < COUNT:
        breaks = random.Random(options.by).sample(breaks, options.only)
    known = []
    for row in outcomes(breaks, options):
        known.append("\t".join(map(str, row)))
        print(known[-1], flush=True)
    if options.write:
        TABLE.write_text("".join(line + "\n" for line in [HEAD, *sorted(known)]))
    laws, alive = (sum(line.endswith(f"\t{seen}") for line in known) for seen in ("law", "lives"))
    print(f"{laws} of {len(known)} seen by a law, {alive} live")
    return 1 if 100 * laws < PER_CENT * len(known) else 0


if __name__ == "__main__":
    sys.exit(main())
