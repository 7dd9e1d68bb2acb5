#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A row proves which run it is of and who made it; a folder proves that it is as it was left."""

import csv
import hashlib
import json
import re
import shutil
import subprocess
import unittest
from pathlib import Path

from run_test import IWARPSIM, SMALL, Command, iwarpsim

VERSION = iwarpsim("--version").stdout.strip()

TINY = "world: fabric\npayload: none\nworkload: {count: 5}\nsweep: {topology.delay: [1us, 2us, 3us, 4us]}\n"
MANY_AXES = ["topology.mtu: [1500]", "topology.rate: [100Gbps]", "topology.delay: [1us]", "llp.crc: [true]", "llp.markers: [false]", "llp.delayed_ack: [2]",
             "llp.delayed_ack_timeout: [50us]", "llp.ord: [16]", "llp.ird: [16]", "rnic.preset: [ideal]", "rnic.receive: [place]",
             "rnic.window.policy: [placed]", "rnic.window.bytes: [1MiB]", "channel.loss: [0.000123456789]", "channel.corrupt: [0.000000123456]",
             "channel.reorder.probability: [0.0123456789]", "channel.reorder.delay: [1.23456us]", "workload.kind: [stream]", "workload.op: [write]",
             "limit.idle: [5s]", "limit.sim: [60s]", "limit.wall: [600s]", "workload.depth: [16]", "workload.count: [50]"]


def reseal(path, edit):
    """An altered row whose sum is right again."""
    body = edit(path.read_text()).rsplit("sha256 ", 1)[0]
    path.write_text(body + f"sha256 {hashlib.sha256(body.encode()).hexdigest()}\n")


class Rows(Command):
    def part(self, name="part", text=TINY, *args):
        """A folder that keeps its points: that of a shard."""
        done = iwarpsim("run", self.file(text), "--out", self.folder / name, "--shard", "1/1", "--jobs", 1, *args)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.folder / name / "shard-1-of-1"

    def go_on(self, name="part", *args):
        return iwarpsim("run", self.file(TINY), "--out", self.folder / name, "--shard", "1/1", "--jobs", 1, *args)

    # ---- A5

    def test_points_with_long_names_have_rows_of_their_own(self):
        script = "; ".join(["write 1000"] * 18)
        scripts = f'sweep: {{workload.script: ["{script}; send 5", "{script}; send 9"], topology.delay: [10us, 1ms]}}\n'
        axes = "world: fabric\npayload: none\nsweep: {" + ", ".join(MANY_AXES) + ", workload.size: [1KiB, 64KiB, 1MiB]}\n"
        for text, key, values in (("world: fabric\nworkload: {kind: script}\n" + scripts, "bytes", ["18005", "18005", "18009", "18009"]),
                                  (axes, "workload.size", ["1024", "65536", "1048576"])):
            folder = self.run_to(f"out-{key}", text, "--jobs", 1)
            rows = self.rows(folder)
            self.assertEqual([r[key] for r in rows], values)
            self.assertEqual(len({r["point"] for r in rows}), len(rows))
            self.assertTrue(all(len(r["point"]) < 200 for r in rows))
            self.assertEqual(iwarpsim("rerun", folder).returncode, 0)
            point = rows[-1]["point"]
            alone = iwarpsim("run", self.folder / "small.yaml", "--point", point)
            self.assertEqual((alone.returncode, f"point                  {point}" in alone.stdout), (0, True), alone.stderr)

    def test_a_stated_default_is_another_row_and_an_unstated_one_is_none(self):
        def identity(text):
            folder = self.part(hashlib.md5(text.encode()).hexdigest(), text)
            return re.search(r"^identity (\w{64})$", (folder / "points" / "all-r0.row").read_text(), re.M)[1]
        plain = identity("{world: fabric, workload: {count: 5}}")
        self.assertEqual(plain, hashlib.sha256(b"repeat 0\nseed 1\nworkload.count 5\nworld fabric\n").hexdigest())
        self.assertNotEqual(plain, identity("{world: fabric, workload: {count: 5}, topology: {delay: 1us}}"))
        self.assertEqual(plain, identity("{title: Another, world: fabric, seed: 1, workload: {count: 5}}"))

    # ---- B3

    def test_a_row_that_is_not_whole_or_of_another_run_is_named_and_run_again(self):
        whole = (self.run_to("whole", TINY, "--jobs", 1) / "results.csv").read_bytes()
        points = self.part() / "points"
        row, other = points / "2us-r0.row", (points / "3us-r0.row").read_bytes()
        good = row.read_bytes()
        damages = {"empty": b"", "cut": good[:-1], "cut with a line feed": good[:200] + b"\n", "a NUL": good.replace(b",ok,", b",\0k,"),
                   "a digit": good.replace(b"2us,0,1,ok,2,", b"2us,0,1,ok,3,"), "a line more": good + b"x\n", "binary": bytes(range(256)) + b"\n",
                   "a size": good.replace(b"\nline ", b"\nline 1"), "another's": other}
        for name, octets in damages.items():
            row.write_bytes(octets)
            done = self.go_on()
            self.assertEqual(done.returncode, 0, (name, done.stderr))
            said = "is the row of another run" if name == "another's" else "is damaged"
            self.assertIn(f"points/2us-r0.row {said}: running it again\n", done.stderr, name)
            self.assertEqual(row.read_bytes().split(b"\ncost ")[0], good.split(b"\ncost ")[0], name)
        self.assertEqual(iwarpsim("merge", self.folder / "part").returncode, 0)
        self.assertEqual((self.folder / "part" / "results.csv").read_bytes(), whole)

    def test_merge_takes_no_damaged_row(self):
        points = self.part() / "points"
        (points / "2us-r0.row").write_bytes((points / "3us-r0.row").read_bytes())
        done = iwarpsim("merge", self.folder / "part")
        self.assertEqual(done.returncode, 3)
        self.assertIn("points/2us-r0.row is damaged, or belongs to another run; it is ignored\n", done.stderr)
        self.assertIn("1 of 4 runs are missing, first point 2us repeat 0", done.stderr)

    # ---- B1

    def test_versions_are_not_mixed_unless_that_is_asked_for(self):
        points = self.part() / "points"
        reseal(points / "2us-r0.row", lambda text: re.sub(r"^commit .*$", "commit 0123456789abcdef", text, count=1, flags=re.M))
        for done in (self.go_on(), iwarpsim("merge", self.folder / "part")):
            self.assertEqual(done.returncode, 2)
            self.assertIn("holds rows of other versions: ", done.stderr)
            self.assertIn(f"0123456789ab on {VERSION} (1)", done.stderr)
            self.assertIn("--mixed", done.stderr)
        self.assertEqual(self.go_on("part", "--mixed").returncode, 0)
        done = iwarpsim("merge", self.folder / "part", "--mixed")
        self.assertEqual(done.returncode, 0, done.stderr)
        manifest = json.loads((self.folder / "part" / "manifest.json").read_text())
        self.assertEqual(manifest["commit"], "mixed")
        self.assertEqual(sorted(v["rows"] for v in manifest["versions"]), [1, 3])
        done = iwarpsim("plot", self.folder / "part", "--name", "f")
        self.assertEqual((done.returncode, "holds rows of several versions (" in done.stderr), (2, True), done.stderr)
        done = iwarpsim("plot", self.folder / "part", "--name", "f", "--mixed")
        self.assertEqual(done.returncode, 0, done.stderr)
        script = " ".join((self.folder / "part" / "f.gp").read_text().split())
        for version in manifest["versions"]:
            self.assertIn(version["commit"][:12], script)
        self.assertRegex(script, "rows of versions [0-9a-z]+, [0-9a-z]+")

    def test_a_figure_is_drawn_only_from_what_the_manifest_describes(self):
        folder = self.run_to("out", SMALL, "--jobs", 2)
        for name, option in (("results.csv", ()), ("dist/slowdown.csv", ("--table", "dist/slowdown.csv", "--x", "from_octets", "--y", "p50")), ("scenario.yaml", ())):
            whole = (folder / name).read_text()
            (folder / name).write_text(whole + whole.splitlines()[-1].replace("1", "2") + "\n" if name != "scenario.yaml" else whole.replace("16KiB", "32KiB"))
            done = iwarpsim("plot", folder, *option)
            self.assertEqual((done.returncode, f"{name} is not the file that its manifest.json describes" in done.stderr), (2, True), (name, done.stderr))
            (folder / name).write_text(whole)
            self.assertEqual(iwarpsim("plot", folder, *option).returncode, 0, name)
        (folder / "scenario.yaml").write_text((folder / "scenario.yaml").read_text() + "plot.title: Another\n")
        self.assertEqual(iwarpsim("plot", folder).returncode, 0)

    def test_a_row_of_another_simulator_is_of_another_version(self):
        points = self.part() / "points"
        reseal(points / "2us-r0.row", lambda text: text.replace(f"simulator {VERSION}\n", "simulator iwarpsim 0.0.9\n"))
        self.assertEqual(self.go_on().returncode, 2)

    # ---- B2

    def test_a_finished_folder_is_looked_at_and_mended(self):
        folder = self.run_to("out", SMALL, "--jobs", 2, "--messages")
        manifest = json.loads((folder / "manifest.json").read_text())
        wanted = {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file() and p.name not in ("manifest.json", "costs.csv")}
        self.assertEqual(set(manifest["files"]), set(wanted))
        for name, octets in wanted.items():
            self.assertEqual(manifest["files"][name], hashlib.sha256(octets).hexdigest(), name)
        damages = {"results.csv": b"", "summary.csv": wanted["summary.csv"][:-9], "dist/latency.csv": None, "messages.csv": wanted["messages.csv"].replace(b"ok", b"OK", 1)}
        for name, octets in damages.items():
            (folder / name).unlink() if octets is None else (folder / name).write_bytes(octets)
            again = iwarpsim("rerun", folder)
            self.assertEqual(again.returncode, 2, name)
            self.assertIn(f"{name} is not the file that manifest.json describes", again.stderr)
            done = iwarpsim("run", self.file(SMALL), "--out", folder, "--jobs", 2, "--messages")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"{name} is {'gone' if octets is None else 'not the file that manifest.json describes'}: running its points again\n", done.stderr)
            self.assertEqual({n: (folder / n).read_bytes() for n in wanted}, wanted, name)
        self.assertIn("complete; nothing to do", iwarpsim("run", self.file(SMALL), "--out", folder, "--messages").stdout)

    def test_every_row_is_proved_beside_the_results(self):
        folder = self.run_to("out", TINY, "--jobs", 1)
        lines = (folder / "results.csv").read_bytes().splitlines(keepends=True)[1:]
        with open(folder / "rows.tsv", newline="") as text:
            proofs = list(csv.DictReader(text, delimiter="\t"))
        self.assertEqual([p["sha256"] for p in proofs], [hashlib.sha256(line).hexdigest() for line in lines])
        self.assertEqual({p["status"] for p in proofs}, {"ok"})
        self.assertEqual({p["commit"] for p in proofs}, {json.loads((folder / "manifest.json").read_text())["commit"]})

    # ---- verify

    def verify(self, folder):
        done = iwarpsim("verify", folder)
        return done.returncode, done.stdout.replace(str(folder), "DIR").splitlines()

    def test_verify_tells_changed_missing_and_unlisted_apart(self):
        folder = self.run_to("out", SMALL, "--jobs", 1, "--trace")
        self.assertEqual(self.verify(folder), (0, ["DIR: whole, 28 files"]))
        if shutil.which("gnuplot"):
            self.assertEqual(iwarpsim("plot", folder).returncode, 0)
            self.assertEqual(self.verify(folder), (0, ["DIR: whole, 33 files"]))
            (folder / "small.svg").write_text("<svg/>")
            self.assertEqual(self.verify(folder)[1][0], "changed   DIR/small.svg")
            self.assertEqual(iwarpsim("plot", folder).returncode, 0)
        (folder / "costs.csv").write_text("nobody's business\n")
        self.assertEqual(self.verify(folder)[0], 0)
        (folder / "summary.csv").write_text((folder / "summary.csv").read_text().replace("ok", "OK").replace("1", "2", 1))
        (folder / "dist" / "early.csv").unlink()
        (folder / "trace" / "notes.txt").write_text("x")
        code, said = self.verify(folder)
        self.assertEqual(code, 3)
        self.assertEqual(sorted(said)[1:], ["changed   DIR/summary.csv", "missing   DIR/dist/early.csv", "unlisted  DIR/trace/notes.txt"])
        self.assertRegex(sorted(said)[0], r"^DIR: 1 of \d+ files changed, 1 missing, 1 unlisted$")

    def test_verify_needs_a_manifest_that_stays_in_its_folder(self):
        folder = self.run_to("out", TINY)
        manifest = json.loads((folder / "manifest.json").read_text())
        for name in ("../../etc/passwd", "/etc/passwd", "dist/../../x"):
            (folder / "manifest.json").write_text(json.dumps({**manifest, "files": {name: "0" * 64}}))
            self.assertEqual(iwarpsim("verify", folder).returncode, 2, name)
        (folder / "manifest.json").unlink()
        self.assertEqual(iwarpsim("verify", folder).returncode, 2)
        self.assertEqual(iwarpsim("verify").returncode, 2)

    # ---- B4

    def test_names_with_commas_blanks_and_quotes_work(self):
        for name in ("a,b.yaml", "a b.yaml", "it's.yaml", 'a"b.yaml', "a;b$(x).yaml"):
            done = iwarpsim("run", self.file(TINY, name), "--jobs", 2, "--out", self.folder / "o")
            self.assertEqual((done.returncode, "4 runs: " in done.stdout), (0, True), (name, done.stderr))
            self.assertEqual({r["scenario"] for r in self.rows(self.folder / "o")}, {name[:-5]})
            self.assertEqual(iwarpsim("rerun", self.folder / "o").returncode, 0, name)
            shutil.rmtree(self.folder / "o")

    # ---- workers

    def test_more_jobs_than_points_start_no_more(self):
        self.assertEqual(iwarpsim("run", self.file(TINY), "--jobs", 4096, "--out", self.folder / "o").returncode, 0)
        done = subprocess.run(["strace", "-f", "-e", "trace=execve", IWARPSIM, "run", self.file(TINY), "--jobs", "4096", "--out", self.folder / "p"],
                              capture_output=True, text=True) if shutil.which("strace") else None
        if done:
            self.assertEqual(len(re.findall(r'"--batch", "fabric:\d+-\d+"', done.stderr)), 4)

    def test_batches_of_two_worlds_are_run_each_by_its_program(self):
        if not (Path(IWARPSIM).parent / "iwarpsim-simgrid").exists():
            self.skipTest("iwarpsim-simgrid is not built")
        text = TINY.replace("world: fabric\n", "").replace("sweep: {", "sweep: {world: [fabric, simgrid], ")
        one, two = (self.run_to(f"jobs{n}", text, "--jobs", n) for n in (1, 2))
        self.assertEqual((one / "results.csv").read_bytes(), (two / "results.csv").read_bytes())
        self.assertEqual(len(json.loads((one / "manifest.json").read_text())["versions"]), 2)

    def test_costs_are_told_and_compared_by_nobody(self):
        folder = self.run_to("out", TINY, "--jobs", 1)
        costs = self.rows(folder, "costs.csv")
        self.assertEqual([c["point"] for c in costs], ["1us", "2us", "3us", "4us"])
        self.assertTrue(all(float(c["cpu_s"]) < 10 and int(c["peak_bytes"]) > 1 << 20 for c in costs))
        self.assertEqual([c["events"] for c in costs], [r["events"] for r in self.rows(folder)])
        (folder / "costs.csv").write_text("")
        self.assertEqual(iwarpsim("rerun", folder).returncode, 0)


if __name__ == "__main__":
    unittest.main()
