#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The cluster page shows what the command computes: queues, holes, windows and placed octets, read out of the page at random
instants, are those of `iwarpsim run --at T --state` of the scenario that the page hands out as YAML, and its results.csv is the
command's. 16 hosts, at night 128 and 1,024.

  cluster_test.py [PICTURES]     needs chromium, and Debian's clang, lld and wasi-libc (helpers/packages/wasm.txt)
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import browser

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = os.environ.get("IWARPSIM", str(TOP / "build" / "iwarpsim"))
NIGHTLY = "IWARPSIM_NIGHTLY" in os.environ
INSTANTS = 20 if NIGHTLY else 4
PICTURES = None

sys.path.insert(0, str(TOP / "helpers/live"))
import build as engine
import pages

# What the address says, beside the scenario of the page.
SETTINGS = ["", "workload.kind=incast&topology.buffer=64KiB&rnic.receive=hold", "llp.kind=packet&llp.recovery=irn&topology.buffer=16KiB",
            "workload.kind=ring&channel.loss=0.01&topology.routing=flow_hash&hosts.3.rnic.stall.every=20us&hosts.3.rnic.stall.for=14us"]
AT_NIGHT = ["topology.k=8", "topology.k=8&workload.kind=incast&topology.routing=adaptive&topology.flow_control=pfc&topology.buffer=1MiB",
            "topology.k=16&workload.size=16KiB",
            "topology.kind=dragonfly&topology.k=", "topology.kind=star&topology.k=&topology.hosts=16&workload.kind=shuffle&llp.kind=sctp&topology.routing=flow_hash",
            "llp.kind=packet&llp.congestion=nscc&llp.recovery=rud&topology.trim=true&topology.buffer=64KiB&workload.kind=incast",
            "topology.events=60us%20edge0-aggregation0%20down%3B%2090us%20edge0-aggregation0%20up", "workload.op=read&workload.notify=none"]
# Read out of the page as a reader would.
SHOWN = """(() => { const v = views[0], rows = [];
  for (v.firstRow = 0; v.firstRow < v.record.shape.flows.length; v.firstRow += ROWS_SHOWN) {
    tellView(v);
    for (const tr of v.rows.querySelectorAll('tbody tr:not([hidden])')) rows.push([...tr.querySelectorAll('[data-cell]')].reduce((row, td) => Object.assign(row, {[td.dataset.cell]: td.textContent}), {who: tr.querySelector('th').textContent}));
  }
  v.firstRow = 0; tellView(v);
  return {rows, queues: v.queues.textContent.split('\\n').filter(Boolean), words: v.canvas.getAttribute('aria-label')}; })()"""
EXACT = "views[0].record.frames.length > 0 && isExact(views[0])"
OVER = "views[0].record.end !== null || views[0].wrong.textContent"


def text_of(number):
    return "-" if number is None else str(number)


def row_of(state, flow):
    """The row that the page has of a flow."""
    side = max(flow["sides"], key=lambda s: (s["bytes_taken"], s["side"]))["side"]
    carrier = next(c for c in state["connections"] if flow["flow"] in c["flows"])
    end = next(s for s in carrier["sides"] if s["side"] == side)
    ends = (flow["from"], flow["to"]) if side else (flow["to"], flow["from"])
    return {"who": f"host{ends[1]} from host{ends[0]}", "placed": str(flow["bytes_placed"]), "staging": str(end["staging_bytes"]), "held": str(end["held_bytes"]),
            "beyond": str(end["beyond"]), "holes": " ".join(f"{a}-{b}" for a, b in end["holes"]) or "-", "delivered": str(end["delivered"]),
            "window": text_of(end["window_bytes"]), "edge": text_of(end["window_edge"])}


def queue_of(link):
    packets = link["queue_packets"]
    return f"{link['from']} to {link['to']}: {link['queue_bytes']} octets in {packets} packet{'' if packets == 1 else 's'}"


class Cluster(unittest.TestCase):
    maxDiff = 3000

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="iwarpsim-")
        cls.folder = Path(cls.temporary.name)
        cls.browser = browser.Browser(browser.find())
        if not pages.write_cluster(IWARPSIM, cls.folder):
            raise RuntimeError("no page")
        cls.page = cls.folder / "network.html"

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.temporary.cleanup()

    def tearDown(self):
        self.assertEqual(self.browser.errors, [])

    def until(self, condition, seconds=300):
        deadline = time.monotonic() + seconds
        while not self.browser.value(condition):
            if time.monotonic() > deadline:
                raise TimeoutError(f"{condition}: {self.browser.errors}")
            time.sleep(0.03)

    def open(self, words="", page=None):
        self.browser.errors.clear()
        self.browser.open(f"{page or self.page}{'#' + words if words else ''}")
        self.until(OVER)

    def scenario(self):
        """That of the page, as it hands it out."""
        path = self.folder / "cluster.yaml"
        path.write_text(self.browser.value("document.getElementById('cluster-yaml').value"))
        return path

    def command(self, *args):
        done = subprocess.run([IWARPSIM, "run", str(self.scenario()), *map(str, args)], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def same(self, t):
        self.browser.value(f"setClock({t})")
        self.until(EXACT)
        shown, state = self.browser.value(SHOWN), json.loads(self.command("--point", 0, "--at", f"{t}ps", "--state"))
        self.assertEqual(shown["rows"], [row_of(state, flow) for flow in state["flows"]], t)
        self.assertEqual(sorted(shown["queues"]), sorted(queue_of(l) for l in state["links"] if l["queue_bytes"]), t)
        return sum(row["holes"] != "-" for row in shown["rows"]), len(shown["queues"])

    def check(self, words, draw):
        self.open(words)
        self.assertEqual(self.browser.value("views[0].wrong.textContent"), "")
        end = self.browser.value("views[0].record.end")
        seen = [self.same(draw.randrange(1, int(end) // 1000) * 1000) for _ in range(INSTANTS)]
        out = self.folder / f"out{len(list(self.folder.iterdir()))}"
        self.command("--out", out)
        self.assertEqual(self.browser.value("views[0].record.results"), (out / "results.csv").read_text())
        return sum(holes for holes, _ in seen), sum(queues for _, queues in seen)

    def test_the_page_has_the_numbers_of_the_command(self):
        draw, sums = random.Random(36), [0, 0]
        for words in SETTINGS + (AT_NIGHT if NIGHTLY else []):
            with self.subTest(words):
                sums = [a + b for a, b in zip(sums, self.check(words, draw))]
        print(f"{sums[0]} rows with holes and {sums[1]} queues, all as `run --at --state` has them")
        self.assertGreater(min(sums), 0)


if __name__ == "__main__":
    why = engine.missing() if browser.find() else "a live page is tested in a browser (Debian: chromium)"
    if why:
        print(f"skipped: {why}")
        sys.exit(1 if os.environ.get("CI") else 77)
    wrong = engine.build(Path(IWARPSIM).parent)
    if wrong:
        sys.exit(wrong)
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        PICTURES = sys.argv.pop(1)
    unittest.main()
