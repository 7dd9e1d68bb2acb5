#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""iwarpsim run, plot, check, keys as a user meets them: jobs, kills, crashes, folders, figures.

  run_test.py      needs IWARPSIM (or build/iwarpsim) and, for more than one job, GNU parallel
"""

import csv
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = os.environ.get("IWARPSIM", str(TOP / "build" / "iwarpsim"))

SMALL = """\
title: A small campaign
world: pair
seed: 3
repeat: 3
topology: {mtu: 1500}
channel: {loss: 0.01, reorder: {probability: 0.05, delay: 5us}}
workload: {kind: stream, op: write, size: 16KiB, count: 60}
payload: none
sweep:
  rnic.window.bytes: [16KiB, 64KiB, 256KiB]
  workload.op: [send, write]
plot: {x: rnic.window.bytes, y: goodput_gbps, logx: true}
"""

# Points that take long enough to be killed in the middle.
SLOW = SMALL.replace("count: 60", "count: 6000").replace("repeat: 3", "repeat: 1").replace("[send, write]", "[write]")


def iwarpsim(*args, **more):
    return subprocess.run([IWARPSIM, *map(str, args)], capture_output=True, text=True, timeout=300, **more)


class Command(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="iwarpsim-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def file(self, text, name="small.yaml"):
        path = self.folder / name
        path.write_text(text)
        return path

    def run_to(self, out, text=SMALL, *args):
        done = iwarpsim("run", self.file(text), "--out", self.folder / out, *args)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.folder / out

    def rows(self, folder, name="results.csv"):
        with open(folder / name, newline="") as lines:
            return list(csv.DictReader(lines))


class Campaign(Command):
    def test_results_are_the_same_for_any_jobs(self):
        one = self.run_to("one", SMALL, "--jobs", 1, "--messages")
        for jobs in (2, 5):
            many = self.run_to(f"many{jobs}", SMALL, "--jobs", jobs, "--messages")
            for name in ("results.csv", "messages.csv", "columns.tsv", "dist/latency.csv", "dist/early.csv", "dist/staging.csv"):
                self.assertEqual((one / name).read_bytes(), (many / name).read_bytes(), name)

    def test_a_folder_with_blanks_and_quotes_is_a_folder(self):
        plain = self.run_to("plain", SMALL, "--jobs", 1)
        odd = self.run_to("it's \"odd\" $HOME {1}", SMALL, "--jobs", 2)
        self.assertEqual((plain / "results.csv").read_bytes(), (odd / "results.csv").read_bytes())

    @unittest.skipUnless((Path(IWARPSIM).parent / "iwarpsim-ns3").exists(), "iwarpsim-ns3 is not built")
    def test_ns3_gives_the_same_for_any_jobs_and_captures(self):
        text = SMALL.replace("world: pair", "world: ns3").replace("payload: none", "payload: real").replace("repeat: 3", "repeat: 2")
        one = self.run_to("one", text, "--jobs", 1)
        two = self.run_to("two", text, "--jobs", 2, "--pcap", "--trace")
        self.assertEqual((one / "results.csv").read_bytes(), (two / "results.csv").read_bytes())
        self.assertEqual(len(list((two / "trace").iterdir())), 12)
        self.assertGreaterEqual(len(list((two / "pcap").iterdir())), 12)
        self.assertIn("ns3", json.loads((one / "manifest.json").read_text()))
        refused = iwarpsim("run", self.file(text), "--set", "payload=none", "--pcap", "--out", self.folder / "three")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("--pcap needs", refused.stderr)

    def test_files_are_what_they_say(self):
        folder = self.run_to("out", SMALL, "--jobs", 1, "--messages")
        rows = self.rows(folder)
        self.assertEqual(len(rows), 18)
        self.assertEqual(list(rows[0])[:7], ["scenario", "point", "repeat", "seed", "status", "rnic.window.bytes", "workload.op"])
        self.assertEqual(rows[0]["point"], "16KiB/send")
        self.assertEqual(rows[0]["rnic.window.bytes"], "16384")
        self.assertEqual({r["status"] for r in rows}, {"ok"})
        self.assertTrue(all(float(r["goodput_gbps"]) > 0 for r in rows))
        with open(folder / "columns.tsv") as lines:
            defined = {line.split("\t")[0] for line in lines}
        self.assertLessEqual(set(rows[0]), defined)
        manifest = json.loads((folder / "manifest.json").read_text())
        self.assertEqual(manifest["results_sha256"], hashlib.sha256((folder / "results.csv").read_bytes()).hexdigest())
        self.assertEqual(manifest["scenario"]["rnic.window.bytes"], ["16KiB", "64KiB", "256KiB"])
        self.assertEqual(manifest["scenario"]["llp.min_rto"], "1ms")
        for name, total in (("latency", "latency_n"), ("early", "segments"), ("staging", None)):
            counted = sum(int(b["count"]) for b in self.rows(folder / "dist", name + ".csv"))
            if total:
                self.assertEqual(counted, sum(int(r[total]) for r in rows), name)
            self.assertGreater(counted, 0, name)
        messages = self.rows(folder, "messages.csv")
        self.assertEqual(len(messages), 18 * 60)
        self.assertEqual({m["status"] for m in messages}, {"ok"})
        self.assertEqual(sorted(p.name for p in folder.iterdir()),
                         ["columns.tsv", "dist", "manifest.json", "messages.csv", "results.csv", "scenario.yaml"])

    def test_latencies_in_the_row_are_those_of_the_messages(self):
        folder = self.run_to("out", SMALL, "--jobs", 1, "--messages")
        for row in self.rows(folder):
            mine = sorted(float(m["latency"]) for m in self.rows(folder, "messages.csv")
                          if (m["point"], m["repeat"]) == (row["point"], row["repeat"]))
            self.assertEqual(len(mine), int(row["latency_n"]))
            self.assertAlmostEqual(mine[(len(mine) + 1) // 2 - 1], float(row["latency_p50_us"]), places=9)
            self.assertAlmostEqual(mine[-1], float(row["latency_max_us"]), places=9)
            self.assertAlmostEqual(sum(mine) / len(mine), float(row["latency_mean_us"]), places=5)

    def test_a_point_alone_is_its_row(self):
        folder = self.run_to("out", SMALL, "--jobs", 1)
        row = next(r for r in self.rows(folder) if (r["point"], r["repeat"]) == ("64KiB/write", "2"))
        alone = iwarpsim("run", self.file(SMALL), "--point", "64KiB/write", "--repeat", 2)
        self.assertEqual(alone.returncode, 0)
        told = {line.split()[0]: line.split()[1] for line in alone.stdout.splitlines() if len(line.split()) > 1}
        self.assertEqual(told, {name: value for name, value in row.items() if value})
        by_number = iwarpsim("run", self.file(SMALL), "--point", 3, "--repeat", 2)
        self.assertEqual(by_number.stdout, alone.stdout)

    def test_the_same_scenario_is_done_and_another_is_refused(self):
        folder = self.run_to("out")
        before = {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}
        again = iwarpsim("run", self.file(SMALL), "--out", folder)
        self.assertEqual(again.returncode, 0)
        self.assertIn("nothing to do", again.stdout)
        for change in (["--set", "seed=4"], ["--messages"], ["--set", "workload.op=send"]):
            other = iwarpsim("run", self.file(SMALL), "--out", folder, *change)
            self.assertEqual(other.returncode, 2, change)
            self.assertIn("holds another scenario", other.stderr)
        self.assertEqual(before, {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()})

    def test_a_foreign_results_file_is_not_touched(self):
        folder = self.folder / "out"
        folder.mkdir()
        (folder / "results.csv").write_text("mine\n")
        refused = iwarpsim("run", self.file(SMALL), "--out", folder)
        self.assertEqual(refused.returncode, 2)
        self.assertEqual((folder / "results.csv").read_text(), "mine\n")

    def test_two_at_once_in_one_folder_do_not_mix(self):
        first = subprocess.Popen([IWARPSIM, "run", str(self.file(SLOW)), "--out", str(self.folder / "out"), "--jobs", "1"],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        wait_until((self.folder / "out" / "points").exists)
        second = iwarpsim("run", self.file(SLOW), "--out", self.folder / "out", "--jobs", 1)
        self.assertEqual(second.returncode, 3)
        self.assertIn("another iwarpsim is running", second.stderr)
        self.assertEqual(first.wait(timeout=120), 0)
        first.communicate()


def wait_until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("waited in vain")
        time.sleep(0.002)


def children(pid):
    try:
        direct = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    found = [int(c) for c in direct]
    return found + [g for c in found for g in children(c)]


class Killed(Command):
    """Whatever is killed, the same command goes on, loses nothing and ends with the same octets."""

    def start(self, jobs):
        return subprocess.Popen([IWARPSIM, "run", str(self.file(SLOW)), "--out", str(self.folder / "out"), "--jobs", str(jobs)],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)

    def setUp(self):
        super().setUp()
        self.wanted = (self.run_to("whole", SLOW, "--jobs", 1) / "results.csv").read_bytes()

    def finish(self, jobs):
        done = self.start(jobs)
        out, err = done.communicate(timeout=300)
        self.assertEqual(done.returncode, 0, err)
        self.assertEqual((self.folder / "out" / "results.csv").read_bytes(), self.wanted)

    def test_kill_minus_nine_at_any_moment(self):
        moments = random.Random(1)
        for jobs in (1, 2):
            for _ in range(4):
                shutil.rmtree(self.folder / "out", ignore_errors=True)
                process = self.start(jobs)
                time.sleep(moments.uniform(0.01, 1.5))
                process.kill()
                process.communicate()
                self.assertFalse((self.folder / "out" / "results.csv").exists() and (self.folder / "out" / "points").exists())
                rows = {p.name: p.stat().st_mtime_ns for p in (self.folder / "out").glob("points/*.row")}
                wait_until(lambda: self.free())
                self.finish(jobs)
                self.assertTrue(all(len(name) for name in rows))

    def free(self):
        """No process of the killed campaign is left."""
        mine = str(self.folder / "out").encode()
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                if mine in path.read_bytes() and b"--job" in path.read_bytes():
                    return False
            except OSError:
                pass
        return True

    def test_what_is_done_is_not_done_again(self):
        process = self.start(1)
        wait_until(lambda: list((self.folder / "out").glob("points/*.row")))
        process.kill()
        process.communicate()
        wait_until(self.free)
        rows = {p: p.stat().st_mtime_ns for p in (self.folder / "out").glob("points/*.row")}
        self.assertTrue(rows)
        again = self.start(1)
        wait_until(lambda: len(list((self.folder / "out").glob("points/*.row"))) > len(rows) or again.poll() is not None)
        same = {p: p.stat().st_mtime_ns for p in rows if p.exists()}
        self.assertTrue(all(rows[p] == t for p, t in same.items()))
        again.communicate(timeout=120)
        self.assertEqual((self.folder / "out" / "results.csv").read_bytes(), self.wanted)

    def test_interrupted_says_so_and_goes_on(self):
        process = self.start(1)
        wait_until(lambda: list((self.folder / "out").glob("points/*.row")))
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertIn("interrupted", err)
        self.assertFalse((self.folder / "out" / "results.csv").exists())
        self.assertTrue((self.folder / "out" / "results.partial.csv").exists())
        self.finish(1)
        self.assertFalse((self.folder / "out" / "results.partial.csv").exists())

    def crash(self, jobs):
        process = self.start(jobs)
        def job():
            for pid in children(process.pid):
                try:
                    words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
                except OSError:
                    continue
                if words[0].endswith(b"iwarpsim") and b"--job" in words:
                    return pid
            return None
        wait_until(job)
        os.kill(job(), signal.SIGSEGV)
        out, err = process.communicate(timeout=120)
        return process.returncode, out, err

    def test_a_crash_is_reported_with_its_command_and_the_others_finish(self):
        for jobs in (1, 2):
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            code, out, err = self.crash(jobs)
            self.assertEqual(code, 3, err)
            self.assertIn("crashed (signal 11", err)
            command = next(line for line in err.splitlines() if "; again: " in line).split("; again: ")[1]
            rows = self.rows(self.folder / "out")
            self.assertEqual(sorted(r["status"] for r in rows), ["crashed"] + ["ok"] * (len(rows) - 1))
            self.assertIn("1 crashed", out)
            alone = subprocess.run(command.replace("iwarpsim", IWARPSIM, 1), shell=True, capture_output=True, text=True, timeout=120)
            self.assertEqual(alone.returncode, 0, alone.stderr)
            self.finish(jobs)


class Limits(Command):
    def test_a_limit_ends_a_run_with_its_row_and_exit_3(self):
        text = SMALL + "limit: {sim: 20us}\n"
        done = iwarpsim("run", self.file(text), "--out", self.folder / "out", "--jobs", 1)
        self.assertEqual(done.returncode, 3)
        self.assertIn("waits for", done.stderr)
        self.assertIn("18 limit_sim", done.stdout)
        self.assertEqual({r["status"] for r in self.rows(self.folder / "out")}, {"limit_sim"})

    def test_bad_input_runs_nothing(self):
        done = iwarpsim("run", self.file("wrold: pair\n"), "--out", self.folder / "out")
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean world?", done.stderr)
        self.assertFalse((self.folder / "out").exists())
        for args in (["run"], ["run", "a", "b"], ["run", "x.yaml", "--jobs", "0"], ["run", "x.yaml", "--repeat", "1"], ["run", "x.yaml", "--frobnicate"]):
            self.assertEqual(iwarpsim(*args, cwd=self.folder).returncode, 2, args)

    def test_a_folder_that_cannot_be_written_is_an_error(self):
        (self.folder / "file").write_text("")
        done = iwarpsim("run", self.file(SMALL), "--out", self.folder / "file" / "out")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("cannot be written", done.stderr)

    def test_a_world_that_is_not_built_is_named(self):
        done = iwarpsim("run", self.file("world: simgrid\n"), "--out", self.folder / "out")
        if not (Path(IWARPSIM).parent / "iwarpsim-simgrid").exists():
            self.assertEqual(done.returncode, 3)
            self.assertIn("the program of world simgrid is missing", done.stderr)


@unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is missing (Debian: gnuplot-nox)")
class Plot(Command):
    def files(self, folder):
        return sorted(p.name for p in folder.glob("small*"))

    def test_a_figure_and_what_makes_it_again(self):
        folder = self.run_to("out", SMALL)
        drawn = iwarpsim("plot", folder)
        self.assertEqual(drawn.returncode, 0, drawn.stderr)
        self.assertEqual(self.files(folder), ["small.gp", "small.pdf", "small.png", "small.svg", "small.tsv"])
        svg = (folder / "small.svg").read_text()
        for text in ("Receive window", "Goodput (Gbps)", "A small campaign", "smallest to largest", "256KiB"):
            self.assertIn(text, svg)
        alone = self.folder / "alone"
        alone.mkdir()
        for name in ("small.gp", "small.tsv"):
            shutil.copy(folder / name, alone)
        subprocess.run(["gnuplot", "small.gp"], cwd=alone, check=True, timeout=60)
        self.assertEqual(self.files(alone), self.files(folder))
        self.assertEqual((alone / "small.svg").read_text(), svg)

    def test_medians_and_ranges_are_those_of_the_rows(self):
        folder = self.run_to("out", SMALL)
        self.assertEqual(iwarpsim("plot", folder).returncode, 0)
        rows = self.rows(folder)
        with open(folder / "small.tsv", newline="") as lines:
            points = list(csv.DictReader(lines, delimiter="\t"))
        self.assertEqual(len(points), 6)
        for p in points:
            mine = sorted(float(r["goodput_gbps"]) for r in rows
                          if r["workload.op"] == p["name"] and r["rnic.window.bytes"] == p["x"])
            self.assertEqual(len(mine), int(p["n"]))
            self.assertEqual([float(p["low"]), float(p["median"]), float(p["high"])], [mine[0], mine[1], mine[2]])

    def test_runs_overlay_and_sizes_differ(self):
        a = self.run_to("a", SMALL)
        b = self.run_to("b", SMALL, "--set", "seed=9")
        drawn = iwarpsim("plot", a, b, "--size", "column", "--y", "latency_p99_us", "--out", self.folder / "both")
        self.assertEqual(drawn.returncode, 0, drawn.stderr)
        with open(self.folder / "both" / "small-latency_p99_us.tsv", newline="") as lines:
            names = {p["name"] for p in csv.DictReader(lines, delimiter="\t")}
        self.assertEqual(len(names), 4)
        self.assertIn("99th percentiles from fewer than 1,000 messages", drawn.stderr)

    def test_wrong_wishes_are_refused(self):
        folder = self.run_to("out", SMALL)
        for args in (["--y", "nonsense"], ["--size", "poster"], ["--x", "seed", "--y", "status"]):
            self.assertEqual(iwarpsim("plot", folder, *args).returncode, 2, args)
        self.assertEqual(iwarpsim("plot", self.folder / "nothing").returncode, 2)
        self.assertEqual(iwarpsim("plot").returncode, 2)


class Told(Command):
    def test_check_says_what_follows(self):
        told = iwarpsim("check", self.file(SMALL)).stdout
        for text in ("A small campaign", "6 points, 3 repeats each", "MULPDU 1454", "RTT", "BDP", "min_rto 1ms", "scale 3", "point 256KiB/write"):
            self.assertIn(text, told)

    def test_keys_man_page_and_completion_know_every_key(self):
        text = iwarpsim("keys").stdout
        names = [line.split(":")[0] for line in text.splitlines() if line and not line.startswith(" ")]
        self.assertGreater(len(names), 80)
        self.assertEqual(len(names), len(set(names)))
        man, completion = iwarpsim("keys", "--man").stdout, iwarpsim("keys", "--completion", "bash").stdout
        for name in names:
            self.assertIn("\n.B " + name.replace("-", "\\-") + "\n", man)
            self.assertIn(name, completion)
        self.assertEqual(subprocess.run(["bash", "-n"], input=completion, text=True).returncode, 0)
        self.assertEqual(iwarpsim("keys", "rnic.windw").returncode, 2)
        if shutil.which("man"):
            page = subprocess.run(["man", "--warnings", "-l", "-"], input=man, text=True, capture_output=True, env={**os.environ, "MANWIDTH": "120"})
            self.assertEqual(page.stderr, "")

    def test_list_names_workloads_and_shipped_scenarios(self):
        told = iwarpsim("list", cwd=TOP).stdout
        for word in ("pingpong", "storage", "pair", "ns3", "t6"):
            self.assertIn(word, told)

    def test_every_shipped_scenario_passes_its_check_and_has_a_claim(self):
        shipped = sorted((TOP / "scenarios").glob("*.yaml"))
        readme = (TOP / "scenarios" / "README.md").read_text() if shipped else ""
        for path in shipped:
            told = iwarpsim("check", path)
            self.assertEqual(told.returncode, 0, told.stderr)
            self.assertNotIn("(no title)", told.stdout, path)
            self.assertIn("\nclaim: ", told.stdout, path)
            self.assertIn(path.name, readme)


if __name__ == "__main__":
    unittest.main(verbosity=2 if "-v" in sys.argv else 1)
