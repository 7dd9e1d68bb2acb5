#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The cluster page shows what the command computes: queues, holes, windows and placed octets, read out of the page at random
instants, are those of `iwarpsim run --at T --state` of the scenario that the page hands out as YAML, and its results.csv is the
command's. 16 hosts, at night 128 and 1,024.

  cluster_test.py [PICTURES]     needs chromium, and Debian's clang, lld and wasi-libc (helpers/packages/wasm.txt)
"""

import base64
import collections
import csv
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse
from pathlib import Path

import axe
import browser
import with_engine

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = os.environ.get("IWARPSIM", str(TOP / "build" / "iwarpsim"))
NIGHTLY = "IWARPSIM_NIGHTLY" in os.environ
INSTANTS = 20 if NIGHTLY else 2
at_night = unittest.skipUnless(NIGHTLY, "at night: each page costs a second of the processor")
PICTURES = None

sys.path.insert(0, str(TOP / "helpers/live"))
import pages

# What the address says, beside the scenario of the page.
SETTINGS = ["workload.kind=incast&topology.buffer=64KiB&rnic.receive=hold", "llp.kind=packet&llp.recovery=irn&topology.buffer=16KiB"]
AT_NIGHT = ["", "workload.kind=ring&channel.loss=0.01&topology.routing=flow_hash&hosts.3.rnic.stall.every=20us&hosts.3.rnic.stall.for=14us", "topology.k=8", "topology.k=8&workload.kind=incast&topology.routing=adaptive&topology.flow_control=pfc&topology.buffer=1MiB",
            "topology.k=16&workload.size=16KiB",
            "topology.kind=dragonfly&topology.k=", "topology.kind=planes&topology.k=&topology.hosts=8&workload.kind=incast", "topology.kind=star&topology.k=&topology.hosts=16&workload.kind=shuffle&llp.kind=sctp&topology.routing=flow_hash",
            "llp.kind=packet&llp.congestion=nscc&llp.recovery=rud&topology.ecn_threshold=32KiB&topology.trim=true&topology.buffer=64KiB&workload.kind=incast",
            "topology.events=60us%20edge0-aggregation0%20down%3B%2090us%20edge0-aggregation0%20up", "workload.op=read&workload.notify=none"]
# What can be done to the page, and what is there then: nothing more than it opens with; what is chosen; two runs; a refusal; what is left out; many rows.
STATES = {
    "opened": ("t=60", "1", "views[0].queues.textContent"),
    "a packet": ("t=60", "chooseIn(views[0], {packet: 40})", "views[0].picked.textContent.startsWith('Packet')"),
    "a line": ("t=60", "chooseByName(views[0], 'edge0-host1')", "views[0].picked.querySelectorAll('button').length === 4"),
    "a host": ("t=60", "chooseByName(views[0], 'host3')", "views[0].picked.querySelectorAll('button').length === 1"),
    "a challenge": ("challenge=14&student=1", "document.querySelector('#tasks button').click()", "/solved: /.test(document.getElementById('verdict').textContent)"),
    "two": ("workload.kind=incast&beside=1&right.topology.buffer=16KiB&t=80", "1", "views.length === 2 && views[1].record.end !== null"),
    "playing": ("", "playOn(true)", "clock.t > 1e6"),
    "refused": ("world=simgrid", "1", "views[0].wrong.textContent"),
    "left out": ("llp.kind=packet", "1", "views[0].left.textContent"),
    "many rows": ("topology.kind=star&topology.k=&topology.hosts=8&workload.kind=shuffle&workload.size=4KiB", "pageRows(views[0], 32)", "/flows 32 to 47 of 56/.test(views[0].pagesSaid.textContent)"),
}
RESULTS = ["rnic.receive=copy&rnic.window.policy=buffer&workload.kind=shuffle&workload.size=16KiB", "llp.congestion=dctcp&topology.ecn_threshold=16KiB&workload.kind=incast",
           "topology.kind=planes&topology.k=&topology.hosts=16&topology.planes=4&topology.radix=8&llp.kind=packet&llp.recovery=irn", "topology.kind=dragonfly&topology.k=&workload.kind=ring&channel.loss=0.01",
           "rnic.receive=discard&topology.routing=adaptive", "workload.op=send&workload.count=4&topology.mtu=9000", "topology.k=6&workload.start_jitter=10us"]
WRITTEN = """\
# As a person writes it.
title: "A line: fails, is repaired"
topology:
  {kind: fat_tree, k: 4, rate: 10Gbps, # braces
   events: [{at: 50us, link: edge0-aggregation0, state: down}, {at: 90us, link: edge0-aggregation0, state: up},
            {at: 60us, link: core0->aggregation2, rate: 1Gbps}, {at: 70us, switch: core1, state: down}]}
workload:
  kind: permutation
  size: 64KiB   # and blocks
  count: 1
llp: {congestion: 'fixed:64KiB'}
hosts: {3: {rnic: {stall: {every: 20us, for: 5us}}}}
payload: none
"""
# Read out of the page as a reader would.
SHOWN = """(() => { const v = views[0], rows = [], said = [];
  for (v.firstRow = 0; v.firstRow < v.record.shape.flows.length; v.firstRow += ROWS_SHOWN) {
    tellView(v);
    for (const tr of v.rows.querySelectorAll('tbody tr:not([hidden])')) rows.push([...tr.querySelectorAll('[data-cell]')].reduce((row, td) => Object.assign(row, {[td.dataset.cell]: td.textContent}), {who: tr.querySelector('th').textContent}));
    for (const line of v.lines) if (!line.tr.hidden) said.push(line.strip.getAttribute('aria-label'));
  }
  v.firstRow = 0; tellView(v);
  return {rows, said, queues: v.queues.textContent.split('\\n').filter(Boolean), words: v.canvas.getAttribute('aria-label')}; })()"""
EXACT = "views[0].record.frames.length > 0 && isExact(views[0])"
MOVE = "{key} === 'shape' ? changeShape(views[0], {value}) : changeKnob(views[0], {key}, {value});"
OVER = "views[0].record.end !== null || views[0].wrong.textContent"


def text_of(number):
    return "-" if number is None else str(number)


def end_of(state, flow):
    """Where its octets go."""
    side = max(flow["sides"], key=lambda s: (s["bytes_taken"], s["side"]))["side"]
    carrier = next(c for c in state["connections"] if flow["flow"] in c["flows"])
    return side, next(s for s in carrier["sides"] if s["side"] == side)


def octets_in(words, what):
    """`what: 0-9, 20-29` of a stream in words, as a set."""
    ranges = re.search(rf"{what}: ([^;]*)", words)[1]
    return {octet for first, last in re.findall(r"(\d+)-(\d+)", ranges) for octet in range(int(first), int(last) + 1)}


def row_of(state, flow):
    """The row that the page has of a flow."""
    side, end = end_of(state, flow)
    ends = (flow["from"], flow["to"]) if side else (flow["to"], flow["from"])
    return {"who": f"host{ends[1]} from host{ends[0]}", "placed": str(flow["bytes_placed"]), "staging": str(end["staging_bytes"]), "held": str(end["held_bytes"]),
            "beyond": str(end["beyond"]), "holes": " ".join(f"{a}-{b - 1}" for a, b in end["holes"]) or "-", "delivered": str(end["delivered"]),
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
        if not pages.write_task(IWARPSIM, cls.folder, "network"):
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
        for said, flow in list(zip(shown["said"], state["flows"]))[:16]:
            self.says(said, end_of(state, flow)[1])
        return sum(row["holes"] != "-" for row in shown["rows"]), len(shown["queues"])

    def says(self, words, end):
        """To a reader of screens: each octet that came is told once, and each that is missing."""
        missing = {octet for first, behind in end["holes"] for octet in range(first, behind)}
        delivered, waits = octets_in(words, "delivered"), octets_in(words, "not delivered")
        self.assertEqual((delivered, octets_in(words, "missing")), (set(range(end["delivered"])), missing), words)
        self.assertEqual(waits, set(range(end["received"] + end["beyond"] + len(missing))) - missing - delivered, words)
        self.assertEqual(f"; the window reaches to {end['window_edge']}" in words, end["window_edge"] is not None, words)

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

    @at_night
    def test_results_are_the_commands(self):
        """With those above, twenty scenarios; the last one comes by its address."""
        for words in RESULTS + ["yaml=" + urllib.parse.quote(WRITTEN.replace(", {at: 70us, switch: core1, state: down}", ""))]:
            with self.subTest(words):
                self.open(words)
                self.assertEqual(self.browser.value("views[0].wrong.textContent"), "")
                out = self.folder / f"out{len(list(self.folder.iterdir()))}"
                self.command("--out", out)
                self.assertEqual(self.browser.value("views[0].record.results"), (out / "results.csv").read_text())

    @at_night
    def test_packets_are_those_of_trace_and_links(self):
        """Each packet with data has what the trace says left; links carry as many hops as links.csv counts packets."""
        self.open("workload.kind=incast&topology.buffer=64KiB")
        out = self.folder / "packets"
        self.command("--out", out, "--trace", "--links")
        with open(next((out / "trace").glob("*.csv"))) as f:
            left = sorted([2 * int(r["conn"]) + int(r["side"]), int(r["key"]), int(r["end"]) - int(r["key"])] for r in csv.DictReader(f) if r["event"] in ("left", "resent"))
        shown = self.browser.value("(c => [...Array(c.who.count).keys()].filter(i => c.length.list[i] > 0).map(i => [c.who.list[i], c.key.list[i], c.length.list[i]]))(views[0].record.columns)")
        self.assertEqual(sorted(shown), left)
        hops = collections.Counter(self.browser.value("(c => [...c.link.list.subarray(0, c.link.count)])(views[0].record.columns)"))
        with open(out / "links.csv") as f:
            self.assertTrue(all(0 <= int(r["packets"]) - hops[int(r["link"])] <= 1 for r in csv.DictReader(f)))  # 1: on the wire at the end

    @at_night
    def test_a_chosen_packet_has_its_way_and_a_link_is_cut(self):
        self.open()
        self.browser.value("setClock(60e6)")
        self.until(EXACT)
        self.browser.value("chooseIn(views[0], {packet: views[0].dots[views[0].dots.findIndex((x, i) => i % 3 === 2 && views[0].record.columns.length.list[x] > 0)]})")
        said = self.browser.value("views[0].picked.textContent")
        self.assertRegex(said, r"^Packet \d+ of host\d+ to host\d+ with \d+-\d+ of its stream(, sent again)?: left at [\d.]+ us, by edge\d+, .*at host\d+ at [\d.]+ us\.$")
        end = self.browser.value("views[0].record.end")
        self.browser.value("chooseByName(views[0], 'edge0-aggregation0'), views[0].picked.querySelector('button').click()")
        self.until(f"({OVER}) && views[0].record.end !== {end}")
        self.assertIn("topology.events: \"60.000us edge0-aggregation0 down\"", self.scenario().read_text().replace("events:", "topology.events:"))
        self.same(90_000_000)
        self.assertGreater(self.browser.value("nextStep(views[0].record, 60e6, DROPS)"), 60e6)

    def test_a_scenario_goes_out_and_comes_in(self):
        self.open()
        source = self.folder / "written.yaml"
        source.write_text(WRITTEN)
        text = source.read_text()
        told = self.browser.value(f"[...statedOf({json.dumps(text)})]")
        written = self.folder / "again.yaml"
        written.write_text(self.browser.value(f"yamlOf(statedOf({json.dumps(text)}))"))
        self.assertIn(["topology.k", "4"], told)
        sums = [subprocess.run([IWARPSIM, "run", str(path), "--point", "0", "--at", "70us", "--state"], capture_output=True, text=True).stdout for path in (source, written)]
        self.assertTrue(sums[0])
        self.assertEqual(*sums)
        for wrong, why in (("a: [1", "line 1: a bracket is not closed"), ("sweep: {seed: [1, 2]}", "sweep: a page shows one point"), ("a\nb: 1", "line 1: a colon is missing"), ("seed: [1, 2]", "seed: a page shows one point")):
            said = self.browser.value(f"(() => {{ try {{ statedOf({json.dumps(wrong)}); return ''; }} catch (error) {{ return error.message; }} }})()")
            self.assertTrue(said.startswith(why), said)

    def test_what_cannot_be_is_refused_in_words(self):
        self.open("world=simgrid")
        self.assertIn("world", self.browser.value("views[0].wrong.textContent"))
        self.open("llp.kind=packet")
        self.assertIn("rnic.window.bytes is left out: it has no effect unless", self.browser.value("views[0].left.textContent"))
        self.assertNotIn("window", self.scenario().read_text())
        draw, slowest = random.Random(4), (0, None)
        knobs = self.browser.value("[...knobInputs].map(([key, select]) => [key, [...select.options].map(o => o.value)])")
        for _ in range(200 if NIGHTLY else 2):
            moved = [(key, draw.choice(values)) for key, values in draw.sample(knobs, 5)]
            with self.subTest(moved):
                self.browser.value("views[0].stated = new Map(baseStated); views[0].answered = 0;" + "".join(MOVE.format(key=json.dumps(k), value=json.dumps(v)) for k, v in moved) + "changed(views[0])")
                self.until("views[0].answered > 0")
                slowest = max(slowest, (self.browser.value("views[0].answered"), moved), key=lambda s: s[0])
                why = self.browser.value("views[0].wrong.textContent")
                self.assertNotRegex(why, "call stack|undefined|gave up|memory")
                self.assertTrue(why or self.browser.value("views[0].record.shape.flows.length > 0"))
                self.assertEqual(self.browser.errors, [])
        print(f"the slowest answer came after {slowest[0]:.0f} ms: {slowest[1]}")

    def test_lessons_lead_to_what_they_say(self):
        """Each link opens a run that ends well, with no setting refused or left out. One of them in each check."""
        notes = [(folder.name, note) for folder in pages.folders() for note in pages.notes(folder, "cluster")]
        self.assertGreaterEqual({name[:2] for name, _ in notes}, {"13", "22", "26", "27", "28"})
        for name, note in notes if NIGHTLY else notes[:1]:
            with self.subTest(note):
                self.open(note.split(" | ")[1])
                self.until("views.every(v => v.record.end !== null || v.wrong.textContent)")
                self.assertEqual(self.browser.value("views.map(v => [v.wrong.textContent, v.left.textContent, v.record.status])"), [["", "", "ok"]] * self.browser.value("views.length"))
        for folder in pages.folders():
            said = "\n".join(pages.about(folder, None, None)["aim"])
            self.assertEqual(said.count("](network.html#"), sum(name == folder.name for name, _ in notes))

    def test_axe_finds_nothing_serious_in_any_state(self):
        """Each state in light on a phone or in the dark on a desk, by turns; at night both."""
        with axe.Axe(self.browser, self.folder) as asked:
            for number, (name, (words, act, is_there)) in enumerate(STATES.items()):
                for width, dark in ((390, False), (1400, True)) if NIGHTLY else (((390, False), (1400, True))[number % 2],):
                    with self.subTest(f"{name} {width}"):
                        self.sized(width, 900, dark)
                        self.open(words)
                        self.browser.value(act)
                        self.until(is_there)
                        self.assertEqual(asked.serious(), [])
        self.browser.call("Emulation.clearDeviceMetricsOverride")
        self.browser.call("Emulation.setEmulatedMedia", features=[])

    def sized(self, width, height, dark):
        self.browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
        self.browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def test_a_picture_and_a_span_are_saved(self):
        """A PNG of the size that is drawn, on paper and not on nothing; at night a film of the rest of the run, as WebM."""
        self.open("workload.size=16KiB&t=40")
        self.until(EXACT)
        octets = base64.b64decode(self.browser.value("pngOf(views[0])").removeprefix("data:image/png;base64,"))
        self.assertEqual(octets[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(list(struct.unpack(">II", octets[16:24])), self.browser.value("[views[0].canvas.width, views[0].canvas.height]"))
        self.assertEqual(self.browser.value("paintPicture(sheetOf(views[0]), views[0]).getContext('2d').getImageData(1, 1, 1, 1).data[3]"), 255)
        if NIGHTLY:
            self.browser.value("filmOf(views[0]).then(film => film.arrayBuffer()).then(octets => { window.film = [...new Uint8Array(octets).subarray(0, 4), octets.byteLength]; }), true")
            self.until("window.film")
            *head, size = self.browser.value("window.film")
            self.assertEqual(head, [0x1A, 0x45, 0xDF, 0xA3])  # EBML
            self.assertGreater(size, 1000)

    def judged(self):
        """What the page says of what it has now, and of its code the command."""
        self.browser.value("document.querySelector('#tasks button').click()")
        self.until("/solved: /.test(document.getElementById('verdict').textContent)")
        done = subprocess.run([IWARPSIM, "exercise", "--verify", self.browser.value("document.getElementById('code').value")], capture_output=True, text=True, timeout=60)
        said = self.browser.value("document.getElementById('verdict').textContent")
        self.assertEqual(said[2:], done.stdout.splitlines()[-1], done.stderr)
        return said[0] == "\u2713", done.returncode == 0

    def test_a_challenge_is_judged_as_the_command_does(self):
        self.open("challenge=14&student=1")
        self.assertEqual(self.browser.value("[...document.querySelectorAll('#which option')].map(o => o.value)"), ["", *map(str, range(13, 19))])
        self.assertEqual(self.judged(), (False, False))
        self.browser.value("chooseByName(views[0], 'core1-aggregation6'), [...views[0].picked.querySelectorAll('button')].find(b => b.textContent.includes('from 1 us on')).click()")
        self.until(OVER)
        self.assertEqual(self.judged(), (True, True))
        self.browser.value("document.querySelector('#may input').value = '1us aggregation6-core0 10Gbps'; document.querySelector('#may input').dispatchEvent(new Event('change'))")
        self.until(OVER)
        self.assertEqual(self.judged(), (False, False))
        self.open("challenge=15&student=0&workload.size=64800B")
        self.assertEqual(self.judged(), (True, True))

    @at_night
    def test_without_workers_it_runs_in_slices(self):
        self.open("t=60", page=f"{self.page}?sliced")
        self.assertTrue(self.browser.value("views[0].engine.sliced"))
        self.same(61_000_000)

    def test_it_works_in_a_frame_without_an_origin(self):
        """Browsers give such a frame a process of its own, and so a target."""
        outer = self.folder / "outer.html"
        outer.write_text('<!doctype html><meta charset="utf-8"><p id="where">.</p><iframe sandbox="allow-scripts" src="network.html" width="900" height="700"></iframe>')
        self.browser.errors.clear()
        self.browser.open(outer)
        page, self.browser.session = self.browser.session, None
        try:
            frames = [t for t in self.browser.call("Target.getTargets")["targetInfos"] if t["type"] == "iframe"]
            self.browser.session = self.browser.call("Target.attachToTarget", targetId=frames[0]["targetId"], flatten=True)["sessionId"]
            self.until(f"typeof views === 'object' && views.length && ({OVER})")
            self.assertEqual(self.browser.value("[origin, views[0].wrong.textContent, Boolean(views[0].engine.sliced), views[0].record.status]"), ["null", "", False, "ok"])
        finally:
            self.browser.session = page


if __name__ == "__main__":
    PICTURES = with_engine.ready(IWARPSIM)
    unittest.main()
