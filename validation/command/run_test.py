#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""iwarpsim run, plot, check, keys as a user meets them: jobs, kills, crashes, folders, figures.

  run_test.py      needs IWARPSIM (or build/iwarpsim) and, for other machines, GNU parallel
"""

import csv
import hashlib
import html
import json
import os
import random
import re
import resource
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
NIGHTLY = bool(os.environ.get("IWARPSIM_NIGHTLY"))
IWARPSIM = os.environ.get("IWARPSIM", str(TOP / "build" / "iwarpsim"))

SMALL = """\
title: A small campaign
world: fabric
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
SLOW = SMALL.replace("count: 60", "count: 1500").replace("repeat: 3", "repeat: 6").replace("[send, write]", "[write]")


def iwarpsim(*args, timeout=300, **more):
    return subprocess.run([IWARPSIM, *map(str, args)], capture_output=True, text=True, timeout=timeout, **more)


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
            for name in ("results.csv", "messages.csv", "summary.csv", "paired.csv", "columns.tsv", "dist/latency.csv", "dist/early.csv", "dist/staging.csv", "dist/slowdown.csv"):
                self.assertEqual((one / name).read_bytes(), (many / name).read_bytes(), name)

    def test_a_folder_with_blanks_and_quotes_is_a_folder(self):
        plain = self.run_to("plain", SMALL, "--jobs", 1)
        odd = self.run_to("it's \"odd\" $HOME {1}", SMALL, "--jobs", 2)
        self.assertEqual((plain / "results.csv").read_bytes(), (odd / "results.csv").read_bytes())

    def test_two_jobs_need_no_other_program(self):
        words = [IWARPSIM, "run", self.file(SMALL), "--out", self.folder / "alone", "--jobs", "2"]
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=120, env={**os.environ, "PATH": str(self.folder)})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.run_to("one", SMALL, "--jobs", 1) / "results.csv").read_bytes(), (self.folder / "alone/results.csv").read_bytes())
        self.assertIn('"jobs_by": "iwarpsim"', (self.folder / "alone/manifest.json").read_text())

    @unittest.skipUnless((Path(IWARPSIM).parent / "iwarpsim-ns3").exists(), "iwarpsim-ns3 is not built")
    def test_ns3_gives_the_same_for_any_jobs_and_captures(self):
        text = SMALL.replace("world: fabric", "world: ns3").replace("payload: none", "payload: real").replace("repeat: 3", "repeat: 2")
        one = self.run_to("one", text, "--jobs", 1)
        two = self.run_to("two", text, "--jobs", 2, "--pcap", "--trace")
        self.assertEqual((one / "results.csv").read_bytes(), (two / "results.csv").read_bytes())
        self.assertEqual(len(list((two / "trace").iterdir())), 12)
        self.assertGreaterEqual(len(list((two / "pcap").iterdir())), 12)
        self.assertIn("ns3", json.loads((one / "manifest.json").read_text()))
        refused = iwarpsim("run", self.file(text), "--set", "payload=none", "--pcap", "--out", self.folder / "three")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("--pcap needs", refused.stderr)

    def without_other_rows(self, world):
        lossy = SMALL.replace("world: fabric", f"world: {world}").replace("repeat: 3", "repeat: 2")
        few = lossy.replace("[16KiB, 64KiB, 256KiB]", "[64KiB, 256KiB]")
        more = lossy.replace("[16KiB, 64KiB, 256KiB]", "[256KiB, 32KiB, 64KiB]").replace("[send, write]", "[read, send, write]")
        before, after = ({(r["point"], r["repeat"]): r for r in self.rows(self.run_to(name, text, "--jobs", 2))}
                         for name, text in ((f"few-{world}", few), (f"more-{world}", more)))
        self.assertEqual((len(before), len(after)), (8, 18))
        self.assertGreater(sum(int(r["drops_channel"]) for r in before.values()), 0)
        for key, row in before.items():
            self.assertEqual(row, after[key])

    def test_a_value_more_changes_no_other_row(self):
        self.without_other_rows("fabric")

    @unittest.skipUnless((Path(IWARPSIM).parent / "iwarpsim-ns3").exists(), "iwarpsim-ns3 is not built")
    def test_a_value_more_changes_no_other_row_on_ns3(self):
        self.without_other_rows("ns3")

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
        self.assertEqual(manifest["scenario"]["llp.min_rto"], "auto")
        for name, total in (("latency", "latency_n"), ("early", "segments"), ("staging", None)):
            counted = sum(int(b["count"]) for b in self.rows(folder / "dist", name + ".csv"))
            if total:
                self.assertEqual(counted, sum(int(r[total]) for r in rows), name)
            self.assertGreater(counted, 0, name)
        messages = self.rows(folder, "messages.csv")
        self.assertEqual(len(messages), 18 * 60)
        self.assertEqual({m["status"] for m in messages}, {"ok"})
        self.assertEqual(sorted(p.name for p in folder.iterdir()),
                         ["columns.tsv", "costs.csv", "dist", "manifest.json", "messages.csv", "paired.csv", "results.csv", "rows.tsv", "scenario.yaml", "summary.csv"])

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
            self.assertIn("holds the results of another scenario", other.stderr)
        self.assertEqual(before, {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()})

    def test_another_title_or_plot_is_the_same_campaign(self):
        folder = self.run_to("out")
        results = (folder / "results.csv").stat()
        again = iwarpsim("run", self.file(SMALL), "--out", folder, "--set", "plot.y=latency_p50_us", "--set", "title=Another")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("nothing to do", again.stdout)
        self.assertIn("Another", (folder / "scenario.yaml").read_text())
        self.assertEqual((folder / "results.csv").stat().st_mtime_ns, results.st_mtime_ns)
        self.assertEqual(iwarpsim("rerun", folder).returncode, 0)

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

    def kept(self):
        """The rows that are there, and which writing of them."""
        found = {}
        for path in (self.folder / "out").glob("points/*.row"):
            try:
                stat = path.stat()
            except FileNotFoundError: # the campaign ended just now
                continue
            found[path.name] = (stat.st_ino, stat.st_mtime_ns)
        return found

    def test_kill_minus_nine_at_any_moment(self):
        """Between two kills nothing that was done is done again; in the end the octets are those of a run in one piece."""
        moments, kills, campaigns = random.Random(1), 50 if NIGHTLY else 8, 0
        while kills:
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            jobs, rows, ended = moments.choice((1, 2)), {}, False
            while kills and not ended:
                process = self.start(jobs)
                time.sleep(moments.uniform(0.005, 0.4))
                self.kill(process)
                kills -= 1
                ended = (self.folder / "out" / "results.csv").exists()
                self.assertFalse(ended and process.returncode == -signal.SIGKILL and (self.folder / "out" / "manifest.json").stat().st_size == 0)
                now = self.kept()
                if not ended:
                    self.assertEqual({n: now.get(n) for n in rows}, rows)
                rows = now
            self.finish(jobs)
            campaigns += 1
        print(f"killed {50 if NIGHTLY else 8} times in {campaigns} campaigns", file=sys.stderr)

    def kill(self, process):
        """kill -9 of the runner alone. GNU parallel, which counts what the system allows with processes that sleep, may leave
        those behind, and they hold the pipes."""
        process.kill()
        process.wait()
        wait_until(self.free)
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.communicate()

    def free(self):
        """No process of the killed campaign is left."""
        mine = str(self.folder / "out").encode()
        for path in Path("/proc").glob("[0-9]*"):
            try:
                if b"iwarpsim" in (path / "cmdline").read_bytes() and os.readlink(path / "cwd").encode().startswith(mine):
                    return False
            except OSError:
                pass
        return True

    def test_what_is_done_is_not_done_again(self):
        process = self.start(1)
        wait_until(lambda: list((self.folder / "out").glob("points/*.row")))
        self.kill(process)
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

    def is_worker(self, pid):
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            return False
        return words[0].endswith(b"iwarpsim") and b"--worker" in words

    def crash(self, jobs, whole_worker):
        """Kill the process of a point, which its worker forked, or a worker."""
        process = self.start(jobs)
        def job():
            for pid in filter(self.is_worker, children(process.pid)):
                for point in [pid] if whole_worker else children(pid):
                    return point
            return None
        while process.poll() is None:
            pid = job()
            try:
                if pid and (whole_worker or self.is_worker(pid)):
                    os.kill(pid, signal.SIGSEGV)
                    break
            except ProcessLookupError:
                continue
        out, err = process.communicate(timeout=120)
        return process.returncode, out, err

    def test_a_worker_that_is_killed_is_replaced(self):
        for jobs in (1, 2):
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            code, out, err = self.crash(jobs, True)
            self.assertEqual(code, 0, err)
            self.assertEqual({r["status"] for r in self.rows(self.folder / "out")}, {"ok"})

    def test_a_crash_is_reported_with_its_command_and_the_others_finish(self):
        for jobs in (1, 2):
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            code, out, err = self.crash(jobs, False)
            self.assertEqual(code, 3, err)
            self.assertIn("crashed (signal 11", err)
            command = next(line for line in err.splitlines() if "; again: " in line).split("; again: ")[1]
            rows = self.rows(self.folder / "out")
            self.assertEqual(sorted(r["status"] for r in rows), ["crashed"] + ["ok"] * (len(rows) - 1))
            self.assertIn("1 crashed", out)
            alone = subprocess.run(command.replace("iwarpsim", shlex.quote(IWARPSIM), 1), shell=True, capture_output=True, text=True, timeout=120)
            self.assertEqual(alone.returncode, 0, alone.stderr)
            self.finish(jobs)


class Shards(Command):
    """Parts that ran anywhere, in any order, become the run in one piece, octet for octet."""

    def shard(self, out, part, parts, *args, text=SMALL):
        done = iwarpsim("run", self.file(text), "--out", self.folder / out, "--shard", f"{part}/{parts}", "--messages", *args)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.folder / out / f"shard-{part}-of-{parts}"

    def files(self, folder):
        return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*")
                if p.is_file() and not any(q.name.startswith("shard-") for q in p.parents) and p.name not in ("manifest.json", "costs.csv")}

    def whole(self, text=SMALL):
        return self.files(self.run_to("whole", text, "--jobs", 1, "--messages"))

    def test_any_split_in_any_order_is_the_whole(self):
        wanted, draws = self.whole(), random.Random(2)
        for _ in range(100 if NIGHTLY else 4):
            parts = draws.randint(1, 20)
            order = draws.sample(range(1, parts + 1), parts)
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            folders = [self.shard("out", part, parts, "--jobs", draws.choice((1, 1, 2))) for part in order]
            draws.shuffle(folders)
            merged = iwarpsim("merge", *draws.choice((folders, [self.folder / "out"])))
            self.assertEqual(merged.returncode, 0, merged.stderr)
            self.assertEqual(self.files(self.folder / "out"), wanted, (parts, order))
            again = iwarpsim("merge", self.folder / "out")
            self.assertIn("nothing to do", again.stdout)

    def test_a_shard_is_no_result(self):
        part = self.shard("out", 2, 3)
        self.assertFalse((part / "results.csv").exists())
        self.assertEqual(len(self.rows(part, "results.partial.csv")), 6)
        self.assertEqual(iwarpsim("merge", part).returncode, 3)

    def test_one_node_dead_the_rest_is_kept_and_goes_on(self):
        wanted = self.whole()
        for part in (1, 3):
            self.shard("out", part, 3)
        merged = iwarpsim("merge", self.folder / "out")
        self.assertEqual(merged.returncode, 3)
        self.assertIn("6 of 18 runs are missing, first point 16KiB/send repeat 1", merged.stderr)
        self.assertFalse((self.folder / "out" / "results.csv").exists())
        kept = {p.name: p.stat().st_ino for p in (self.folder / "out" / "points").glob("*.row")}
        self.assertEqual(len(kept), 12)
        going = iwarpsim("run", self.file(SMALL), "--out", self.folder / "out", "--messages")
        self.assertEqual(going.returncode, 0, going.stderr)
        self.assertIn("12 of 18 runs are already done", going.stderr)
        self.assertEqual(self.files(self.folder / "out"), wanted)

    def test_parts_may_overlap(self):
        wanted = self.whole()
        folders = [self.shard("a", part, 2) for part in (1, 2)] + [self.shard("b", part, 3) for part in (2, 3)]
        merged = iwarpsim("merge", *folders, "--out", self.folder / "both")
        self.assertEqual(merged.returncode, 0, merged.stderr)
        self.assertEqual(self.files(self.folder / "both"), wanted)

    def test_parts_of_different_runs_are_refused(self):
        a, b = self.shard("a", 1, 2), self.shard("b", 2, 2, "--set", "seed=4")
        merged = iwarpsim("merge", a, b, "--out", self.folder / "both")
        self.assertEqual(merged.returncode, 2)
        self.assertIn("holds the results of another scenario: it has 'seed: 4' where this one has 'seed: 3'", merged.stderr)
        b = self.shard("c", 1, 2)
        row = sorted((b / "points").glob("*.row"))[0]
        text = row.read_text().replace(",ok,", ",ok,1", 1)
        size = re.search(r"^line (\d+)$", text, re.M)[1]
        body = text.replace(f"line {size}", f"line {int(size) + 1}").rsplit("sha256 ", 1)[0]
        row.write_text(body + f"sha256 {hashlib.sha256(body.encode()).hexdigest()}\n")
        merged = iwarpsim("merge", a, b, "--out", self.folder / "both")
        self.assertEqual(merged.returncode, 3)
        self.assertIn("differs between", merged.stderr)

    def test_wrong_wishes_are_refused(self):
        for args in (["run", "x.yaml", "--shard", "0/3"], ["run", "x.yaml", "--shard", "4/3"], ["run", "x.yaml", "--shard", "1"],
                     ["run", "x.yaml", "--shard", "1/2", "--point", "0"], ["merge"], ["merge", "nothing"], ["merge", "--frobnicate"]):
            self.assertEqual(iwarpsim(*args, cwd=self.folder).returncode, 2, args)

    def test_the_batch_script_of_slurm(self):
        wanted = self.whole()
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "iwarpsim").symlink_to(IWARPSIM)
        self.file(SMALL)
        for task in (2, 1):
            slurm = {**os.environ, "PATH": f"{self.folder}/bin:{os.environ['PATH']}", "SLURM_ARRAY_TASK_ID": str(task),
                     "SLURM_ARRAY_TASK_COUNT": "2", "SLURM_CPUS_PER_TASK": "2"}
            subprocess.run(["sh", str(TOP / "helpers/campaign/campaign.sbatch"), "small.yaml", "out", "--messages"], cwd=self.folder, env=slurm,
                           check=True, capture_output=True, timeout=120)
        self.assertEqual(iwarpsim("merge", "out", cwd=self.folder).returncode, 0)
        self.assertEqual(self.files(self.folder / "out"), wanted)


@unittest.skipUnless(shutil.which("parallel"), "GNU parallel is missing (Debian: parallel)")
class OtherMachines(Command):
    """GNU parallel over ssh; what stands for ssh runs the command here, as sshd does in a home folder of that machine
    and with a login shell, and notes the host, or fails for one that is dead."""

    SSH = """#!/bin/sh
    while [ "${1#-}" != "$1" ]; do shift; done
    host=$1; shift; [ "$1" = -- ] && shift
    echo "$host" >> HOSTS
    [ "$host" = dead ] && exit 255
    cd / && HOME=/ SHELL=/bin/sh exec sh -c "$*"
    """

    def test_points_run_where_the_login_file_says_and_a_dead_machine_costs_nothing(self):
        wanted = (self.run_to("whole", SMALL, "--jobs", 1) / "results.csv").read_bytes()
        hosts = self.file("", "hosts")
        ssh = self.file(textwrap.dedent(self.SSH).replace("HOSTS", str(hosts)), "ssh.sh")
        ssh.chmod(0o755)
        for name, machines in (("two", "ab"), ("one dead", ("dead", "b"))):
            hosts.write_text("")
            logins = self.file("".join(f"1/{ssh} {machine}\n" for machine in machines), "logins")
            done = iwarpsim("run", self.file(SMALL), "--out", self.folder / name, "--sshloginfile", logins)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual((self.folder / name / "results.csv").read_bytes(), wanted)
            self.assertEqual(set(hosts.read_text().split()), {"a", "b"} if name == "two" else {"dead", "b"})
        self.assertEqual(iwarpsim("run", self.file(SMALL), "--sshloginfile", "nothing", "--out", self.folder / "x").returncode, 2)


class DiskFull(Command):
    """Files that cannot grow stand for a disk that is full: the same words of the C library, another number."""

    def run_with(self, octets, *args):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (octets, octets))
        return subprocess.run([IWARPSIM, "run", str(self.file(SMALL)), "--out", str(self.folder / "out"), *map(str, args or ("--jobs", "1"))],
                              preexec_fn=limit, capture_output=True, text=True, timeout=120)

    def test_nothing_that_is_not_whole_has_a_final_name_and_the_rest_goes_on(self):
        wanted = (self.run_to("whole", SMALL, "--jobs", 1) / "results.csv").read_bytes()
        for octets in (0, 100, 420, 450, 600, 3000, 20000):
            done = self.run_with(octets)
            self.assertIn(done.returncode, (2, 3), octets)
            self.assertIn("cannot be written", done.stderr, octets)
            self.assertFalse((self.folder / "out" / "results.csv").exists(), octets)
            for row in (self.folder / "out").glob("points/*.row"):
                self.assertTrue(row.read_text().endswith("\n"), octets)
        going = iwarpsim("run", self.file(SMALL), "--out", self.folder / "out")
        self.assertEqual(going.returncode, 0, going.stderr)
        self.assertEqual((self.folder / "out" / "results.csv").read_bytes(), wanted)

    def test_the_first_point_that_cannot_write_is_the_last(self):
        for jobs in (1, 2):
            done = self.run_with(20000, "--jobs", jobs, "--trace") # GNU parallel itself wants more than a row
            self.assertEqual(done.returncode, 3)
            self.assertIn("can no longer be written", done.stderr)
            self.assertIn("0 of 18 runs are done and kept; the same command resumes", done.stderr)
            self.assertLessEqual(done.stderr.count(".csv cannot be written"), jobs)


class Rerun(Command):
    def manifest(self, folder, **change):
        facts = json.loads((folder / "manifest.json").read_text())
        facts.update(change)
        (folder / "manifest.json").write_text(json.dumps(facts, indent=2))

    def test_identical(self):
        folder = self.run_to("out", SMALL, "--messages")
        before = {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}
        again = iwarpsim("rerun", folder)
        self.assertEqual((again.returncode, again.stdout), (0, f"identical: {folder}/results.csv\n"), again.stderr)
        self.assertEqual(before, {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()})
        kept = iwarpsim("rerun", folder, "--out", self.folder / "kept", "--jobs", 2)
        self.assertEqual(kept.returncode, 0)
        self.assertEqual((self.folder / "kept" / "messages.csv").read_bytes(), (folder / "messages.csv").read_bytes())

    def test_the_first_cell_that_differs_and_the_version_that_does(self):
        folder = self.run_to("out", SMALL)
        rows = (folder / "results.csv").read_text().splitlines()
        cells = rows[5].split(",")
        was = cells[rows[0].split(",").index("segments")]
        cells[rows[0].split(",").index("segments")] = "12345"
        rows[5] = ",".join(cells)
        (folder / "results.csv").write_text("\n".join(rows) + "\n")
        self.assertEqual(iwarpsim("rerun", folder).returncode, 2) # not what the manifest says
        altered = hashlib.sha256((folder / "results.csv").read_bytes()).hexdigest()
        files = {**json.loads((folder / "manifest.json").read_text())["files"], "results.csv": altered}
        self.manifest(folder, results_sha256=altered, files=files, iwarpsim="0.0.1", cpu="an abacus")
        again = iwarpsim("rerun", folder)
        self.assertEqual(again.returncode, 3)
        self.assertIn(f"row 5, point {cells[1]} repeat {cells[2]}: segments was 12345, now {was}", again.stderr)
        self.assertIn("iwarpsim was '0.0.1'", again.stderr)
        self.assertIn("identical results need the same", again.stderr)
        self.assertIn("cpu was 'an abacus'", again.stderr)
        self.assertTrue((folder / "rerun" / "results.csv").exists())

    def test_a_result_with_limits_comes_out_again(self):
        iwarpsim("run", self.file(SMALL + "limit: {sim: 20us}\n"), "--out", self.folder / "out", "--jobs", 1)
        self.assertEqual(iwarpsim("rerun", self.folder / "out").returncode, 0)

    def test_wrong_wishes_are_refused(self):
        folder = self.run_to("out", SMALL)
        (folder / "scenario.yaml").write_text((folder / "scenario.yaml").read_text().replace("seed: 3", "seed: 4"))
        self.assertIn("is not the file that manifest.json describes", iwarpsim("rerun", folder).stderr)
        (folder / "manifest.json").write_text("{")
        self.assertIn("not a manifest", iwarpsim("rerun", folder).stderr)
        for args in ([folder], [], [folder, folder], [folder, "--jobs", "0"], [self.folder / "nothing"]):
            self.assertEqual(iwarpsim("rerun", *args).returncode, 2, args)


MIXED = SMALL.replace("size: 16KiB, count: 60", "size: {cdf: own.cdf}, count: 60, arrival: poisson, load: 0.5").replace(
    "workload.op: [send, write]", "workload.load: [0.3, 0.6]")
OWN = "# octets share\n100 0.3\n4000 0.8\n40000 1\n"


class Mixes(Command):
    """Message sizes from a file: the campaign keeps a copy of its own."""

    def test_a_campaign_its_shards_and_its_repetition_draw_the_same(self):
        self.file(OWN, "own.cdf")
        folder = self.run_to("whole", MIXED, "--jobs", 2, "--messages")
        self.assertEqual((folder / "own.cdf").read_text(), OWN)
        lengths = [int(m["length"]) for m in self.rows(folder, "messages.csv")]
        self.assertEqual((min(lengths), max(lengths) <= 40000), (100, True))
        self.assertAlmostEqual(lengths.count(100) / len(lengths), 0.3, delta=0.1)
        for part in (2, 1):
            done = iwarpsim("run", self.folder / "small.yaml", "--out", self.folder / "out", "--shard", f"{part}/2", "--messages")
            self.assertEqual(done.returncode, 0, done.stderr)
        (self.folder / "own.cdf").unlink() # neither needs it any more
        self.assertEqual(iwarpsim("merge", self.folder / "out").returncode, 0)
        for name in ("results.csv", "dist/slowdown.csv", "messages.csv"):
            self.assertEqual((self.folder / "out" / name).read_bytes(), (folder / name).read_bytes(), name)
        self.assertIn("identical", iwarpsim("rerun", folder).stdout)

    def test_another_mix_is_another_scenario(self):
        self.file(OWN, "own.cdf")
        folder = self.run_to("out", MIXED)
        self.file(OWN.replace("0.8", "0.9"), "own.cdf")
        other = iwarpsim("run", self.folder / "small.yaml", "--out", folder)
        self.assertEqual(other.returncode, 2)
        self.assertIn("holds the results of another scenario: it has '# own.cdf", other.stderr)

    def test_slowdowns_by_size_are_those_of_the_messages(self):
        self.file(OWN, "own.cdf")
        folder = self.run_to("out", MIXED, "--messages")
        bins = self.rows(folder / "dist", "slowdown.csv")
        messages = self.rows(folder, "messages.csv")
        for row in self.rows(folder):
            mine = [b for b in bins if (b["point"], b["repeat"]) == (row["point"], row["repeat"])]
            self.assertEqual(sum(int(b["n"]) for b in mine), int(row["latency_n"]))
            for b in mine:
                lengths = [m for m in messages if (m["point"], m["repeat"]) == (row["point"], row["repeat"])
                           and int(b["from_octets"]) <= int(m["length"]) < int(b["to_octets"])]
                self.assertEqual(len(lengths), int(b["n"]))
                self.assertEqual((b["p50"] == "", b["p99"] == ""), (int(b["n"]) < 10, int(b["n"]) < 100))
                if b["p50"]:
                    self.assertGreaterEqual(float(b["p50"]), 0.99)

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is missing (Debian: gnuplot-nox)")
    def test_a_figure_of_slowdowns_with_a_panel_for_each_load(self):
        self.file(OWN, "own.cdf")
        folder = self.run_to("out", MIXED)
        drawn = iwarpsim("plot", folder, "--table", "dist/slowdown.csv", "--x", "from_octets", "--y", "p50", "--panels", "workload.load", "--name", "slow")
        self.assertEqual(drawn.returncode, 0, drawn.stderr)
        script = (folder / "slow.gp").read_text()
        self.assertEqual(script.count("    plot "), 2)
        with open(folder / "slow.tsv", newline="") as lines:
            points = list(csv.DictReader(lines, delimiter="\t"))
        bins = self.rows(folder / "dist", "slowdown.csv")
        self.assertEqual(sum(int(p["n"]) for p in points), sum(b["p50"] != "" for b in bins))
        one = [float(b["p50"]) for b in bins if b["point"] == "64KiB/0.6" and b["from_octets"] == "2048"]
        self.assertIn(f"{statistics.median(one):.6g}", [f"{float(p['median']):.6g}" for p in points if p["x"] == "2048" and p["name"] == "64KiB"])
        self.assertEqual(iwarpsim("plot", folder, "--table", "nothing.csv").returncode, 2)
        self.assertEqual(iwarpsim("plot", folder, "--panels", "nothing").returncode, 2)


    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is missing (Debian: gnuplot-nox)")
    def test_panels_of_the_first_number_leave_the_next_one_to_x(self):
        folder = self.run_to("out", "world: fabric\npayload: none\nworkload: {count: 5}\nsweep: {rnic.receive: [place, discard], topology.delay: [1us, 10us], rnic.window.bytes: [64KiB, 1MiB]}\n")
        self.assertEqual(iwarpsim("plot", folder, "--panels", "topology.delay", "--name", "p").returncode, 0)
        script = (folder / "p.gp").read_text()
        self.assertEqual(re.findall('set label "(Receive window|Link delay: .*?|Receive path)"', script), ["Receive path", "Link delay: 1us", "Link delay: 10us", "Receive window"])
        self.assertEqual(iwarpsim("plot", folder, "--by", "topology.delay", "--name", "q").returncode, 0)
        self.assertIn('set label "Receive window"', (folder / "q.gp").read_text())


T_95 = {2: 4.302653, 6: 2.446912}  # Student, degrees of freedom


class Summary(Command):
    """summary.csv and paired.csv against the same numbers computed here from results.csv."""

    def of(self, folder, name):
        return {(r["point"], r.get("against"), r["column"]): r for r in self.rows(folder, name)}

    def check(self, row, values):
        values = sorted(values)
        n, mean, median = len(values), statistics.mean(values), statistics.median(values)
        self.assertEqual(int(row["n"]), n)
        self.assertAlmostEqual(float(row["mean"]), mean, delta=1e-7 * abs(mean) + 1e-9)
        self.assertAlmostEqual(float(row["median"]), median, delta=1e-7 * abs(median) + 1e-9)
        ends = [row[c] for c in ("mean_low", "mean_high", "median_low", "median_high")]
        if values[0] == values[-1]:
            self.assertEqual((row["mean_method"], row["median_method"], ends), ("deterministic", "deterministic", [""] * 4))
            return
        half = T_95[n - 1] * statistics.stdev(values) / n ** 0.5
        self.assertEqual(row["mean_method"], "Student 95 %")
        self.assertAlmostEqual(float(ends[0]), mean - half, delta=1e-5 * half + 1e-7 * abs(mean))
        self.assertAlmostEqual(float(ends[1]), mean + half, delta=1e-5 * half + 1e-7 * abs(mean))
        if n < 6:
            self.assertEqual((row["median_method"], ends[2:]), ("n < 6: no 95 % interval", ["", ""]))
        else:
            self.assertEqual(row["median_method"], "order statistics 1 and 7 (98.4 %)")
            self.assertAlmostEqual(float(ends[2]), values[0], delta=1e-7 * abs(values[0]) + 1e-9)
            self.assertAlmostEqual(float(ends[3]), values[-1], delta=1e-7 * abs(values[-1]) + 1e-9)

    def test_means_medians_and_intervals(self):
        for repeats in (3, 7):
            folder = self.run_to(f"out{repeats}", SMALL.replace("repeat: 3", f"repeat: {repeats}"))
            rows, summary, paired = self.rows(folder), self.of(folder, "summary.csv"), self.of(folder, "paired.csv")
            columns = ("goodput_gbps", "latency_p99_us", "segments_ooo", "messages", "drops_channel")
            def values(point, column):
                return [float(r[column]) for r in rows if r["point"] == point]
            for point in {r["point"] for r in rows}:
                for column in columns:
                    self.check(summary[point, None, column], values(point, column))
                warning = summary[point, None, "latency_p99_us"]["warning"]
                self.assertEqual(warning, f"{repeats} runs have 99th percentiles from fewer than 1,000 messages")
                self.assertEqual(summary[point, None, "goodput_gbps"]["warning"], "")
            for point, against in (("64KiB/send", "16KiB/send"), ("256KiB/write", "256KiB/send")):
                for column in columns:
                    self.check(paired[point, against, column], [round(a - b, 9) for a, b in zip(values(point, column), values(against, column))])

    def test_points_of_other_channels_are_not_paired(self):
        text = SMALL.replace("  workload.op: [send, write]\n", "  channel.loss: [0.01, 0.02]\n")
        paired = self.rows(self.run_to("out", text), "paired.csv")
        self.assertEqual({r["key"] for r in paired}, {"rnic.window.bytes"})
        paired = self.rows(self.run_to("ops", SMALL.replace("[send, write]", "[write, send, read]")), "paired.csv")
        self.assertEqual({r["point"].split("/")[1] for r in paired if r["key"] == "workload.op"}, {"send"})

    def test_one_run_has_no_interval_and_no_pairs(self):
        folder = self.run_to("out", SMALL.replace("repeat: 3", "repeat: 1"))
        self.assertEqual({(r["mean_method"], r["median_method"], r["n"]) for r in self.rows(folder, "summary.csv")}, {("one run", "one run", "1")})
        self.assertFalse((folder / "paired.csv").exists())

    def test_runs_that_failed_do_not_count(self):
        done = iwarpsim("run", self.file(SMALL + "limit: {sim: 20us}\n"), "--out", self.folder / "out")
        self.assertEqual(done.returncode, 3)
        self.assertEqual(self.rows(self.folder / "out", "summary.csv"), [])

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is missing (Debian: gnuplot-nox)")
    def test_csv_and_gnuplot_read_every_file(self):
        folder = self.run_to("out", SMALL, "--messages")
        names = ["results.csv", "summary.csv", "paired.csv", "messages.csv", "dist/latency.csv", "dist/early.csv", "dist/staging.csv"]
        for name in names:
            with open(folder / name, newline="") as lines:
                rows = list(csv.reader(lines, strict=True))
            self.assertEqual({len(r) for r in rows}, {len(rows[0])}, name)
            self.assertEqual(len(set(rows[0])), len(rows[0]), name)
        for name, column in (("results.csv", "goodput_gbps"), ("messages.csv", "latency"), ("dist/latency.csv", "count")):
            script = f"set datafile separator comma; stats '{name}' using (column('{column}')) nooutput; print STATS_records, STATS_sum"
            told = subprocess.run(["gnuplot", "-e", script], cwd=folder, capture_output=True, text=True, timeout=60)
            records, total = told.stderr.split()[-2:]
            mine = [float(r[column]) for r in self.rows(folder, name)]
            self.assertEqual(int(float(records)), len(mine), told.stderr)
            self.assertAlmostEqual(float(total), sum(mine), delta=1e-4 * sum(mine))


class Limits(Command):
    def test_a_limit_ends_a_run_with_its_row_and_exit_3(self):
        text = SMALL + "limit: {sim: 20us}\n"
        done = iwarpsim("run", self.file(text), "--out", self.folder / "out", "--jobs", 1)
        self.assertEqual(done.returncode, 3)
        self.assertIn("waits for", done.stderr)
        self.assertIn("18 limit_sim", done.stdout)
        self.assertEqual({r["status"] for r in self.rows(self.folder / "out")}, {"limit_sim"})

    def test_bad_input_runs_nothing(self):
        done = iwarpsim("run", self.file("wrold: fabric\n"), "--out", self.folder / "out")
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

    @unittest.skipUnless((Path(IWARPSIM).parent / "iwarpsim-ns3").exists(), "iwarpsim-ns3 is not built")
    def test_a_point_without_memory_says_so(self):
        text = "payload: none\nworkload: {connections: 40000, size: 1KiB, count: 1}\n"
        little = "import os, resource, sys; resource.setrlimit(resource.RLIMIT_AS, (400 << 20,) * 2); os.execv(sys.argv[1], sys.argv[1:])"
        done = subprocess.run([sys.executable, "-c", little, IWARPSIM, "run", self.file(text), "--out", self.folder / "out", "--jobs", "1"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 3)
        self.assertIn("not enough memory for", done.stderr.splitlines()[0])
        self.assertIn("again: iwarpsim run", done.stderr)

    def test_a_world_that_is_not_built_is_named(self):
        done = iwarpsim("run", self.file("world: simgrid\n"), "--out", self.folder / "out")
        if not (Path(IWARPSIM).parent / "iwarpsim-simgrid").exists():
            self.assertEqual(done.returncode, 3)
            self.assertIn("the program of world simgrid is missing: Debian's package iwarpsim-simgrid has it", done.stderr)


@unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is missing (Debian: gnuplot-nox)")
class Plot(Command):
    def files(self, folder):
        return sorted(p.name for p in folder.glob("small*"))

    def draw(self, folder, *args):
        drawn = iwarpsim("plot", folder, *args)
        self.assertEqual(drawn.returncode, 0, drawn.stderr)
        self.assertNotIn("warning", drawn.stderr)
        return drawn

    def test_operations_too_few_to_be_steady_are_drawn_by_their_goodput(self):
        text = "title: t\nworkload: {kind: collective, op: allreduce, by: ring, size: 64KiB, count: 2}\ntopology: {kind: star, hosts: 4}\nsweep: {topology.delay: [1us, 9us]}\n"
        folder = self.folder / "few"
        self.assertEqual(iwarpsim("run", self.file(text, "few.yaml"), "--out", folder, "--jobs", 1).returncode, 0)
        self.assertIn("no run was long enough to be steady: y is goodput_gbps", self.draw(folder).stderr)
        goodput = [float(row["goodput_gbps"]) for row in csv.DictReader((folder / "results.csv").read_text().splitlines())]
        drawn = [line.split("\t") for line in (folder / "few.tsv").read_text().splitlines() if line and not line.startswith("#")]
        for value in goodput:
            self.assertTrue(any(abs(float(cell) - value) < 1e-3 for line in drawn[1:] for cell in line if cell.replace(".", "", 1).isdigit()), (value, drawn))

    def points(self, folder, name="small"):
        with open(folder / f"{name}.tsv", newline="") as lines:
            return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))

    def texts(self, folder, name="small"):
        """What the picture says, each text once."""
        return {html.unescape(t) for t in re.findall(r"<text>(?:<tspan[^>]*>)?([^<]*)<", (folder / f"{name}.svg").read_text())}

    def table(self, head, rows, out="own", text=SMALL):
        """A folder with results.csv written by hand."""
        folder = self.folder / out
        folder.mkdir()
        shutil.copy(self.file(text), folder / "scenario.yaml")
        lines = [",".join(["scenario,point,repeat,seed,status", *head])]
        lines += [",".join(["small,p,0,1,ok", *map(str, row)]) for row in rows]
        (folder / "results.csv").write_text("\n".join(lines) + "\n")
        return folder

    def test_a_figure_and_what_makes_it_again(self):
        folder = self.run_to("out", SMALL)
        self.draw(folder)
        self.assertEqual(self.files(folder), ["small.gp", "small.pdf", "small.png", "small.svg", "small.tsv"])
        svg = (folder / "small.svg").read_text()
        for text in ("Receive window", "Goodput (Gbps)", "A small campaign", "256KiB", "median of 3 runs; bars: smallest to largest"):
            self.assertTrue(any(found.startswith(text) for found in self.texts(folder)), text)
        alone = self.folder / "alone"
        alone.mkdir()
        for name in ("small.gp", "small.tsv"):
            shutil.copy(folder / name, alone)
        subprocess.run(["gnuplot", "small.gp"], cwd=alone, check=True, timeout=60)
        self.assertEqual(self.files(alone), self.files(folder))
        self.assertEqual((alone / "small.svg").read_text(), svg)

    def test_medians_and_ranges_are_those_of_the_rows(self):
        folder = self.run_to("out", SMALL)
        self.draw(folder)
        rows, points = self.rows(folder), self.points(folder)
        self.assertEqual(len(points), 6)
        for p in points:
            mine = sorted(float(r["goodput_gbps"]) for r in rows
                          if r["workload.op"] == p["name"] and r["rnic.window.bytes"] == p["x"])
            self.assertEqual(len(mine), int(p["n"]))
            self.assertEqual([float(p["low"]), float(p["median"]), float(p["high"])], [mine[0], mine[1], mine[2]])
            self.assertEqual((p["method"], p["column"]), ("smallest to largest", "goodput_gbps"))

    def test_the_caption_is_true_of_every_point(self):
        head = ["rnic.window.bytes", "workload.op", "goodput_gbps"]
        spread = [[65536, "send", v] for v in (1, 2, 3, 4, 5, 6)]
        same = [[131072, "send", 4]] * 6
        few, one = [[262144, "send", v] for v in (2, 3)], [[524288, "send", 1]]
        for name, rows, caption, methods in (
                ("one", [[65536, "send", 4]], "one run a point", ["one run"]),
                ("same", same, "deterministic: all runs of a point gave the same", ["deterministic"]),
                ("six", spread, "median of 6 runs; bars: 95 % interval of the median (order statistics)", ["order statistics 1 and 6 (96.9 %)"]),
                ("mixed", spread + same + few, "median of 2 to 6 runs; bars: 95 % interval of the median (order statistics), below 6 runs smallest "
                 "to largest; without a bar: deterministic", ["order statistics 1 and 6 (96.9 %)", "deterministic", "smallest to largest"]),
                ("few and one", few + one, "median of 1 to 2 runs; bars: smallest to largest; without a bar: one run",
                 ["smallest to largest", "one run"])):
            folder = self.table(head, rows, name)
            self.draw(folder)
            script = (folder / "small.gp").read_text()
            self.assertIn(f"# points: {caption}\n", script, name)
            self.assertIn(caption.split(" (")[0][:40], " ".join(self.texts(folder)), name)
            points = self.points(folder)
            self.assertEqual([p["method"] for p in points], methods, name)
            for p in points: # no interval of width zero
                self.assertEqual((p["low"], p["high"]) == ("", ""), p["method"] in ("one run", "deterministic"), name)

    def test_sweeps_over_decades_get_a_logarithmic_axis_and_zero_a_place_on_it(self):
        head = ["channel.loss", "goodput_gbps"]
        text = SMALL.replace("plot: {x: rnic.window.bytes, y: goodput_gbps, logx: true}", "plot: {x: channel.loss, y: goodput_gbps}")
        for name, values, log, ticks in (
                ("decades", (0, "0.00001", 0.001, 0.01, 0.1), True, {"0", "//", "1e-5", "0.001", "0.01", "0.1"}),
                ("even", (0.1, 0.2, 0.3, 0.4, 0.5, 1), False, set()),
                ("evendecade", range(1, 21), False, set()),
                ("negative", (-1, 1, 10, 100), False, set())):
            folder = self.table(head, [[v, 5] for v in values], name, text)
            self.draw(folder)
            self.assertEqual("set logscale x" in (folder / "small.gp").read_text(), log, name)
            self.assertLessEqual(ticks, self.texts(folder), name)
            self.assertEqual(len(self.points(folder)), len(values), name)
        self.assertIn("below 0", iwarpsim("plot", self.folder / "negative", "--logx", "true").stderr)
        self.draw(self.folder / "decades", "--logx", "false", "--name", "plain")
        self.assertNotIn("set logscale x", (self.folder / "decades" / "plain.gp").read_text())

    def test_points_that_a_logarithmic_axis_lacks_are_counted(self):
        folder = self.table(["rnic.window.bytes", "drops_channel"], [[65536, 0], [131072, 10], [262144, 1000]])
        self.draw(folder, "--y", "drops_channel", "--logy", "true", "--name", "small")
        self.assertIn("one run a point; 1 point at 0 not shown", self.texts(folder))

    def test_columns_of_one_unit_share_a_panel_and_closed_forms_are_lines(self):
        folder = self.run_to("out", SMALL.replace("y: goodput_gbps", "y: goodput_gbps window_gbps latency_p50_us latency_max_us"))
        self.draw(folder)
        columns = [p["column"] for p in self.points(folder)]
        self.assertEqual({c: columns.count(c) for c in columns},
                         {"goodput_gbps": 6, "window_gbps": 6, "latency_p50_us": 6, "latency_max_us": 6})
        self.assertEqual({p["method"] for p in self.points(folder) if p["column"] == "window_gbps"}, {"closed form"})
        script = (folder / "small.gp").read_text()
        self.assertEqual(script.count("    plot "), 2)
        self.assertEqual(script.count("with lines "), 1)  # the same for send and write
        for text in ("Goodput (Gbps)", "Windows allow", "send", "Median latency, send", "Largest latency, write"):
            self.assertIn(text, self.texts(folder))
        told = iwarpsim("check", self.file(SMALL), "--point", "16KiB/send")
        window = next(float(p["median"]) for p in self.points(folder) if p["column"] == "window_gbps")
        self.assertGreater(window, 0, told.stdout)

    def test_bounds_are_over_all_connections_drawn_once_and_each_in_its_own_dash(self):
        """n windows per round trip of 43.2 us and more, at most the line: 16 connections into one host."""
        incast = SMALL.replace("world: fabric", "world: ns3").replace("mtu: 1500", "kind: star, hosts: 5, mtu: 1500, delay: 10us").replace("kind: stream", "kind: incast")
        folder = self.table(["rnic.window.bytes", "workload.op", "steady_gbps"], [(w, op, 5) for w in (16384, 65536, 262144) for op in ("send", "write")], text=incast)
        self.draw(folder, "--x", "rnic.window.bytes", "--y", "steady_gbps,line_gbps,window_gbps", "--name", "small")
        bound = {float(p["x"]): float(p["median"]) for p in self.points(folder) if p["column"] == "window_gbps"}
        line = {float(p["median"]) for p in self.points(folder) if p["column"] == "line_gbps"}
        told = iwarpsim("check", folder / "scenario.yaml").stdout
        each = float(re.search(r"16384 octets per connection, scale 0: at most ([\d.]+) Gbps", told)[1])
        self.assertAlmostEqual(bound[16384], 4 * each, delta=0.01)
        self.assertEqual({bound[262144]}, line)
        script = (folder / "small.gp").read_text()
        self.assertEqual(script.count("with lines "), 2)
        grey = re.findall(r"set style line \d+ lc rgb '#555555' dt (\d)", script)
        self.assertEqual(sorted(set(grey)), ["1", "2"])
        for text in "Line rate", "Windows allow":
            self.assertEqual((folder / "small.svg").read_text().count(f">{text}<"), 1, "once in the legend")

    def test_x_is_the_first_key_that_is_a_number_and_words_have_no_lines(self):
        text = SMALL.replace("  rnic.window.bytes: [16KiB, 64KiB, 256KiB]\n  workload.op: [send, write]\nplot: {x: rnic.window.bytes, y: goodput_gbps, logx: true}",
                             "  workload.op: [send, write]\n  rnic.window.bytes: [16KiB, 64KiB, 256KiB]")
        folder = self.run_to("out", text)
        self.draw(folder)
        self.assertEqual({p["x"] for p in self.points(folder)}, {"16384", "65536", "262144"})
        self.assertEqual({p["name"] for p in self.points(folder)}, {"send", "write"})
        self.draw(folder, "--x", "workload.op", "--y", "goodput_gbps,line_gbps", "--name", "words")
        script = (folder / "words.gp").read_text()
        self.assertNotRegex(script, "with lines |with linespoints")
        self.assertEqual(script.count("with points "), 3)

    def test_one_legend_for_all_panels_a_range_and_no_caption(self):
        folder = self.run_to("out", SMALL)
        self.draw(folder, "--y", "goodput_gbps,line_gbps,latency_p50_us,latency_max_us", "--yrange", "5:95", "--caption", "none")
        script = (folder / "small-goodput_gbps.gp").read_text()
        self.assertEqual(script.count("set yrange [5:95]"), 1)
        shown = self.texts(folder, "small-goodput_gbps")
        picture = (folder / "small-goodput_gbps.svg").read_text()
        for text in ("send", "write", "Line rate", "Median latency, send", "Largest latency, write"):
            self.assertEqual(picture.count(f">{text}<"), 1, text)
        self.assertFalse([t for t in shown if "median of" in t], shown)
        self.assertRegex(script, "# points: median of 3 runs")
        for wrong in ("5", "9:5", "a:b", ":"):
            self.assertEqual(iwarpsim("plot", folder, "--yrange", wrong).returncode, 2)
        self.assertIn("must start above 0", iwarpsim("plot", folder, "--yrange", "0:5", "--logy", "true").stderr)

    def test_titles_may_hold_what_gnuplot_takes_for_its_own(self):
        odd = """it's {/=20 big} a_b^c "quoted" 50% $1 @x ~y \\ `date` <&>"""
        folder = self.run_to("out", SMALL)
        self.draw(folder, "--title", odd)
        self.draw(folder, "--title", "'", "--name", "small2")
        self.draw(folder, "--title", odd, "--size", "column", "--name", "small3")
        self.assertIn(odd, self.texts(folder))
        self.assertEqual(" ".join(odd.split()), " ".join(" ".join(t for t in [odd]).split()))

    def test_a_cell_that_is_no_number_is_an_error_and_an_empty_one_is_told(self):
        head = ["rnic.window.bytes", "workload.op", "goodput_gbps"]
        folder = self.table(head, [[65536, "send", 4], [131072, "send", "4 Gbps"]], "wrong")
        drawn = iwarpsim("plot", folder)
        self.assertEqual(drawn.returncode, 2)
        self.assertIn("row 2: '4 Gbps' in column goodput_gbps is not a number", drawn.stderr)
        folder = self.table(head, [[65536, "send", 4], [131072, "send", ""], ["", "send", 4]], "empty")
        self.assertIn("2 rows have no value of goodput_gbps or of rnic.window.bytes", self.draw(folder).stderr)
        self.assertEqual(len(self.points(folder)), 1)

    def test_many_curves_are_all_different(self):
        head = ["rnic.window.bytes", "llp.dupack_threshold", "goodput_gbps"]
        text = SMALL.replace("  workload.op: [send, write]\n", "  llp.dupack_threshold: [" + ", ".join(map(str, range(1, 31))) + "]\n")
        folder = self.table(head, [[w, k, k] for k in range(1, 31) for w in (16384, 65536)], "many", text)
        self.assertIn("30 curves are hard to tell apart", self.draw(folder).stderr)
        styles = re.findall(r"set style line \d+ lc rgb '(.*)' dt \d pt (\d+) ", (folder / "small.gp").read_text())
        self.assertEqual(len(set(styles)), 30)

    def test_ticks_do_not_run_into_each_other(self):
        sizes = [1024 * k for k in range(8, 60)]
        text = SMALL.replace("[16KiB, 64KiB, 256KiB]", "[" + ", ".join(f"{s}B" for s in sizes) + "]")
        folder = self.table(["rnic.window.bytes", "workload.op", "goodput_gbps"], [[s, "send", 1] for s in sizes], "many", text)
        self.draw(folder, "--size", "column")
        ticks = re.search(r"set xtics \((.*)\)", (folder / "small.gp").read_text()).group(1).split(", ")
        self.assertLess(len(ticks), 12)
        self.assertGreater(len(ticks), 3)

    def test_a_column_figure_fits_a_column(self):
        folder = self.run_to("out", SMALL)
        self.draw(folder, "--size", "column")
        self.assertIn("size 3.35in,", (folder / "small.gp").read_text())

    def test_from_a_scenario_to_the_figure_of_a_column_in_one_command(self):
        done = iwarpsim("run", self.file(SMALL), "--out", self.folder / "out", "--plot", "column")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.files(self.folder / "out"), ["small.gp", "small.pdf", "small.png", "small.svg", "small.tsv"])
        box = re.search(rb"/MediaBox\s*\[\s*0 0 ([\d.]+) ", (self.folder / "out" / "small.pdf").read_bytes())
        if box: # the page may be compressed
            self.assertAlmostEqual(float(box.group(1)) / 72, 3.35, delta=0.01)
        self.draw(self.folder / "out", "--title", "", "--size", "column", "--name", "untitled")
        for args in (["--plot", "poster"], ["--plot", "page", "--point", "0"], ["--plot", "page", "--shard", "1/2"]):
            self.assertEqual(iwarpsim("run", self.file(SMALL), "--out", self.folder / "x", *args).returncode, 2, args)

    def test_runs_overlay_and_sizes_differ(self):
        a = self.run_to("a", SMALL)
        b = self.run_to("b", SMALL, "--set", "seed=9")
        drawn = iwarpsim("plot", a, b, "--size", "column", "--y", "latency_p99_us", "--out", self.folder / "both")
        self.assertEqual(drawn.returncode, 0, drawn.stderr)
        names = {p["name"] for p in self.points(self.folder / "both", "small-latency_p99_us")}
        self.assertEqual(names, {"a, send", "a, write", "b, send", "b, write"})
        self.assertIn("99th percentiles from fewer than 1,000 messages", drawn.stderr)
        self.draw(a, b, "--label", "first", "--label", "it's second", "--out", self.folder / "named")
        self.assertEqual({p["name"].split(",")[0] for p in self.points(self.folder / "named")}, {"first", "it's second"})

    def test_a_run_that_does_not_sweep_what_another_does_lies_over_it(self):
        a = self.run_to("a", SMALL)
        b = self.run_to("b", SMALL, "--set", "workload.op=read", "--set", "rnic.window.bytes=128KiB")
        self.draw(a, b, "--out", self.folder / "both")
        read = [p for p in self.points(self.folder / "both") if p["name"].startswith("b")]
        self.assertEqual([(p["x"], p["name"], p["n"]) for p in read], [("131072", "b, read", "3")])

    def test_wrong_wishes_are_refused(self):
        folder = self.run_to("out", SMALL)
        for args in (["--y", "nonsense"], ["--size", "poster"], ["--x", "seed", "--y", "status"], ["--y", ","], ["--logx", "maybe"],
                     ["--logy", "auto"], ["--name", "a/b"], ["--y", "goodput_gbps,nonsense"], [folder]):
            self.assertEqual(iwarpsim("plot", folder, *args).returncode, 2, args)
        self.assertEqual(iwarpsim("plot", self.folder / "nothing").returncode, 2)
        self.assertEqual(iwarpsim("plot").returncode, 2)


class Told(Command):
    def test_check_says_what_follows(self):
        told = iwarpsim("check", self.file(SMALL)).stdout
        for text in ("A small campaign", "6 points, 3 repeats each", "MULPDU 1454", "RTT", "BDP", "min_rto auto", "scale 3", "point 256KiB/write"):
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
        for word in ("pingpong", "storage", "fabric", "ns3", "t6"):
            self.assertIn(word, told)
        self.assertRegex(told, r"\n  go_back_n +24, 28 \(others: Linux, include/rdma/ib_pack\.h")
        self.assertRegex(told, r"web-search.cdf +mean 1711250 octets, largest 30000000\n")

    def test_list_grades_every_number_of_an_adapter(self):
        told = iwarpsim("list", "t6").stdout.splitlines()
        self.assertRegex(told[0], "^t6: ")
        self.assertGreater(len(told), 20)
        self.assertEqual(told[1].split(), ["key", "low", "likely", "high", "grade", "source"])
        self.assertEqual(told[-2:], ["", "64-octet Writes, one connection: 10 million messages a second, bounded by rnic.cpu.post (guess): "
                                     "that of the adapter is unknown; 5 to 20 within the ranges"])
        for line in told[2:-2]:
            self.assertRegex(line, r"^  rnic\.[a-z_.]+ +\S+ +\S+ +\S+ +(maker|others|derived|fitted|guess) +\S")
        wrong = iwarpsim("list", "t7")
        self.assertEqual((wrong.returncode, wrong.stdout), (2, ""))
        self.assertRegex(wrong.stderr, r"is not an adapter; the adapters are ideal, t5, t6, e810, ne010, siw\n$")

    def test_the_scenario_in_the_readme_is_one(self):
        text = re.search(r"```yaml\n(.*?)```", (TOP / "README.md").read_text(), re.S).group(1)
        told = iwarpsim("check", self.file(text))
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertIn("15 points, 1 repeat each", told.stdout)

    def test_the_citation_names_this_version(self):
        version = iwarpsim("--version").stdout.split()[-1]
        citation = (TOP / "CITATION.cff").read_text()
        self.assertIn(f"\nversion: {version}\n", citation)
        for member in ("cff-version", "message", "title", "authors", "license"):
            self.assertRegex(citation, rf"(?m)^{member}:")

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
