#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What pages cost a browser: first paint, a jump among 20,000 events, frames a second of 16 and of 1,024 hosts, the longest task of the main thread.

  page_bench.py [NAME...]     NAME: paint, jump, 16 or 1024; all without. Needs chromium, and the engine for pages

Milliseconds of the clock, and of the processor (in brackets), by Chromium's own trace: on a busy machine the second ones count."""

import os
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "validation/player"), str(TOP / "helpers/live")]
import browser
import build as engine
import pages

IWARPSIM = os.environ.get("IWARPSIM", str(TOP / "build" / "iwarpsim"))
PLAYED = 4  # seconds
TRACED = {"includedCategories": ["toplevel"], "excludedCategories": ["*"]}


def until(b, condition):
    deadline = time.monotonic() + 120
    while not b.value(condition):
        if time.monotonic() > deadline:
            raise TimeoutError(condition)
        time.sleep(0.05)


class Tasks:
    """Of the main thread of the page, each (ms of the clock, ms of the processor), while it is open."""

    def __init__(self, b):
        self.b, self.done, self.told = b, [], []

    def __enter__(self):
        self.b.call("Tracing.start", transferMode="ReportEvents", traceConfig=TRACED)
        return self

    def __exit__(self, *_):
        heard = {"Tracing.dataCollected": [], "Tracing.tracingComplete": []}
        note, self.b.note = self.b.note, lambda message: heard.get(message.get("method"), []).append(message.get("params"))
        self.b.call("Tracing.end")
        while not heard["Tracing.tracingComplete"]:
            self.b.note(self.b.receive(time.monotonic() + 60))
        self.b.note = note
        events = [event for part in heard["Tracing.dataCollected"] for event in part["value"]]
        main = {(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name" and e["args"]["name"] == "CrRendererMain"}
        self.done = [(e["dur"] / 1000, e["tdur"] / 1000) for e in events if e["name"].endswith("RunTask") and "tdur" in e and (e["pid"], e["tid"]) in main]

    def longest(self):
        return "longest task %.0f ms (%.0f ms)" % tuple(max(values) for values in zip(*self.done))


def paint(b, folder):
    for page, is_there in ((folder / "network.html", "views.length && views[0].record.end !== null"), (folder / "lesson-03.html", "steps.length")):
        first = []
        for _ in range(5):
            with Tasks(b) as tasks:
                b.open(page)
                until(b, f"performance.getEntriesByName('first-contentful-paint').length && {is_there}")
            first.append(b.value("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
        print(f"first paint of {page.name}: {statistics.median(first):.0f} ms, median of 5 ({min(first):.0f} to {max(first):.0f}); {tasks.longest()}")


def jumps(b, act, most):
    """Each to a place of its own: what is done at once, and the frame behind it."""
    draw, took = random.Random(1), []
    with Tasks(b) as tasks:
        for _ in range(20):
            took.append(b.value(f"(at => {{ const began = performance.now(); {act}; document.body.offsetHeight; return performance.now() - began; }})({draw.randrange(1, most)})"))
            time.sleep(0.2)
    return f"{statistics.median(took):.0f} ms, median of 20 ({sum(cpu for _, cpu in tasks.done) / 20:.0f} ms with its frame); {tasks.longest()}"


def jump(b, folder):
    b.open(folder / "lesson-03.html")
    b.value("set('workload.script', 'write 2870000'), set('channel.loss', '0.25'), rerun()")
    steps = b.value("steps.length")
    print(f"a jump among {steps} steps of lesson 3: {jumps(b, 'go(at)', steps)}")


def cluster(b, folder, hosts, words):
    with Tasks(b) as tasks:
        b.open(f"{folder / 'network.html'}#{words}")
        until(b, "views.length && views[0].record.end !== null")
    packets, end = b.value("[views[0].record.columns.start.count, views[0].record.end]")
    print(f"{hosts} hosts, {packets} packets on links, run and drawn: {tasks.longest()}")
    b.value("window.frames_seen = 0, setClock(0), (function count() { frames_seen++; requestAnimationFrame(count); })()")
    with Tasks(b) as tasks:
        before = b.value("document.getElementById('cluster-pace').value = '', playOn(true), [frames_seen, performance.now()]")
        time.sleep(PLAYED)
        after = b.value("[frames_seen, performance.now()]")
    frames = after[0] - before[0]
    print(f"{hosts} hosts, playing: {frames * 1000 / (after[1] - before[1]):.0f} frames a second, ({sum(cpu for _, cpu in tasks.done) / frames:.1f} ms) a frame; {tasks.longest()}")
    b.value("playOn(false)")
    print(f"{hosts} hosts, a jump: {jumps(b, 'setClock(at * 1000)', int(end) // 1000)}")


BENCHES = {"paint": paint, "jump": jump, "16": lambda b, folder: cluster(b, folder, 16, ""), "1024": lambda b, folder: cluster(b, folder, 1024, "topology.k=16&workload.size=16KiB")}


def main():
    if not browser.find() or engine.missing():
        sys.exit(f"page_bench.py: {engine.missing() or 'chromium is missing'}")
    if wrong := engine.build(Path(IWARPSIM).parent):
        sys.exit(wrong)
    with tempfile.TemporaryDirectory(prefix="iwarpsim-") as name:
        folder, lesson = Path(name), next(f for f in pages.folders() if pages.number_of(f) == 3)
        pages.write_task(IWARPSIM, folder, "network")
        pages.write_lesson(IWARPSIM, lesson, None, None, folder)
        b = browser.Browser(browser.find(), 1440, 900)
        for bench in sys.argv[1:] or BENCHES:
            BENCHES[bench](b, folder)
        b.close()


if __name__ == "__main__":
    main()
