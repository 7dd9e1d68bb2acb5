#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a user does wrong with run, plot, merge, rerun and size, and what may happen to them: one clear sentence, exit 2, and no file
that looks finished and is not."""

import os
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
from run_test import IWARPSIM, SMALL, Command, iwarpsim, wait_until

TINY = """\
world: fabric
payload: none
workload: {count: 5}
sweep: {topology.delay: [1us, 2us]}
"""

SCENARIOS = {  # a text: what is said of it
    "topology: {mtu: 9000}\n\tseed: 1\n": "x.yaml:2:1: not YAML: found character that cannot start any token, as a tab",
    "": "x.yaml:1:1: the file is empty",
    "[1, 2]\n": "a scenario is a list of `key: value`",
    "world: fabric\nworld: ns3\n": "x.yaml:2:1: world: is given twice; the first is in line 1",
    "world: fabric\n  x: y\n": "x.yaml:2:4: not YAML",
    "world: fabric\n---\nworld: ns3\n": "a second document",
    "title: a\0b\n": "control characters are not allowed",
    "wrold: fabric\n": "did you mean world?",
    "topology: 5\n": "topology: is a group of keys",
    "topology: {delay: 5}\n": "'5' has no unit; allowed: a time from 0ps to 1s",
    "topology: {delay: -5us}\n": "must not be negative",
    "topology: {rate: 0bps}\n": "is too small; allowed: a rate from 1Mbps",
    "repeat: 1.5\n": "is not a whole number",
    "channel: {loss: nan}\n": "is not a number; allowed: a number from 0 to 1",
    "workload: {op: sendd}\n": "did you mean send?",
    "workload: {size: {cdf: nothing.cdf}}\n": "neither a file beside the scenario nor a shipped one",
    "sweep: [1]\n": "sweep: needs keys with lists",
    "sweep: {topology.delay: []}\n": "its list is empty",
    "sweep: {topology.delay: [1us, 1us]}\n": "is listed twice",
    "sweep: {repeat: [1, 2]}\n": "cannot be swept",
    "llp: {ecn: true}\n": "did you mean on?",
    "plot: {y: goodput}\n": "did you mean goodput_gbps?",
}

# `good` is a result, `part` holds one shard of two; $ stands for nothing.
COMMANDS = {
    "run": "no scenario is named",
    "run nothing.yaml": "nothing.yaml: cannot be opened: No such file",
    "run .": "Is a directory",
    "run a.yaml b.yaml": "one scenario at a time",
    "run a.yaml --ouput x": "unknown option, or its value is missing: --ouput",
    "run -x.yaml": "unknown option, or its value is missing: -x.yaml",
    "plot good -q": "unknown option, or its value is missing: -q",
    "run a.yaml --set x": "'x' is not KEY=VALUE",
    "run a.yaml --set topology.delay=[1us": "--set: not YAML",
    "run a.yaml --out $": "--out needs a folder",
    "run a.yaml --out good/results.csv": "good/results.csv cannot be written: Not a directory",
    "run a.yaml --out /proc/x": "/proc/x cannot be written",
    "run a.yaml --out good --set seed=2": "good holds the results of another scenario: it has 'payload: none' where this one has 'seed: 2'",
    "run a.yaml --jobs 0": "--jobs needs a number from 1 to 4096",
    "run a.yaml --point 9": "has no point '9'; `iwarpsim check` lists its points",
    "run a.yaml --shard 3/2": "--shard needs I/N with I from 1 to N",
    "run a.yaml --plot a4": "--plot takes column, page or slide",
    "run a.yaml --pcap": "--pcap needs world: fabric or ns3",
    "run a.yaml --sshloginfile none": "none cannot be read",
    "plot": "which folder of results?",
    "plot nothing": "nothing holds no scenario.yaml",
    "plot part": "part holds no scenario.yaml",
    "plot good good": "this folder is listed twice",
    "plot good --x nothing": "good/results.csv has no column 'nothing' for --x; columns.tsv lists them",
    "plot good --y point": "'1us' in column point is not a number",
    "plot good --size a4": "--size takes column, page or slide",
    "plot good --label a --label b": "more labels than folders, from this one on: b",
    "plot good --table nothing.csv": "cannot be read: No such file",
    "plot good --table dist": "cannot be read: Is a directory",
    "plot good --name ../x": "a name is at most 200 octets of text without",
    "plot good --out /proc/x": "/proc/x cannot be written",
    "merge": "which folders?",
    "merge nothing": "neither a shard nor a folder of shards: nothing",
    "merge good": "neither a shard nor a folder of shards: good",
    "merge part --out /proc/x": "/proc/x cannot be written",
    "rerun": "one folder of results at a time",
    "rerun nothing": "nothing/manifest.json cannot be read",
    "rerun part": "part/manifest.json cannot be read",
    "rerun good --out good": "good holds a result already; choose another --out",
    "rerun good --out a.yaml": "a.yaml cannot be written: Not a directory",
    "size a.yaml": "--find KEY and --until 'CONDITION' are required",
    "size a.yaml --find x --until 'goodput_gbps > 1'": "x is not a key",
    "size a.yaml --find workload.op --until 'goodput_gbps > 1'": "is not a numeric key to search",
    "size a.yaml --find rnic.window.bytes --until 'goodput > 1'": "no column 'goodput'",
    "size a.yaml --find rnic.window.bytes --until 'goodput_gbps >> 1'": "a number or FACTOR*line must follow the comparison",
    "frob": 'there is no command "frob"',
    "rn": "did you mean run?",
    "a.yaml": "a.yaml is no command; `iwarpsim run a.yaml` runs it",
    "run a.yaml --job 0": "--jobs needs a number from 1 to 4096",
    "run a.yaml --repeat 3": "--set repeat=N runs each point N times",
    "run a.yaml --set topology.speed=1Gbps": "did you mean topology.rate?",
    "help plto": "did you mean plot?",
}

DAMAGE = {  # what happened to the folder, a command, what is said
    ": > g/results.csv; plot g": "g/results.csv: is empty",
    "printf 'a,b\\n1\\n' > g/results.csv; plot g": "line 2 is not a row of its table",
    "printf 'a,b\\n' > g/results.csv; plot g": "lacks the column point",
    "rm g/scenario.yaml; plot g": "g holds no scenario.yaml",
    "echo 'wrold: x' > g/scenario.yaml; plot g": "g/scenario.yaml:1:1: wrold: unknown key",
    ": > g/manifest.json; rerun g": "is not a manifest of iwarpsim",
    "echo '[]' > g/manifest.json; rerun g": "is not a manifest of iwarpsim",
    "rm g/results.csv; rerun g": "g/results.csv is not the file that manifest.json describes",
    "sed -i s/1us/3us/ g/scenario.yaml; rerun g": "g/scenario.yaml is not the file that manifest.json describes",
    "sed -i 's/# iwarpsim .*/# iwarpsim 9.9.9/' g/scenario.yaml; run a.yaml --out g": "it has '# iwarpsim 9.9.9' where this one has '# iwarpsim ",
}


class Mistakes(Command):
    def setUp(self):
        super().setUp()
        self.file(TINY, "a.yaml")
        for args in (["--out", "good"], ["--out", "part", "--shard", "1/2"]):
            done = iwarpsim("run", "a.yaml", "--jobs", 1, *args, cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)

    def is_refused(self, words, said):
        before = sorted(p.name for p in self.folder.iterdir())
        done = subprocess.run([IWARPSIM, *words], cwd=self.folder, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
        self.assertEqual((done.returncode, len(done.stderr.splitlines()), done.stdout), (2, 1, ""), (words, done.stderr))
        self.assertIn(said, done.stderr, words)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), before, words)

    @unittest.skipUnless(Path("/dev/full").exists(), "no /dev/full")
    def test_output_that_cannot_be_written(self):
        for words in (["keys"], ["list"], ["--help"], ["check", "a.yaml"]):
            with open("/dev/full", "w") as full:
                done = subprocess.run([IWARPSIM, *words], cwd=self.folder, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (3, "iwarpsim: the output cannot be written (is the disk full?)\n"), words)

    def test_scenarios(self):
        for text, said in SCENARIOS.items():
            self.file(text, "x.yaml")
            self.is_refused(["run", "x.yaml", "--out", "o"], said)

    def test_commands(self):
        for line, said in COMMANDS.items():
            self.is_refused(["" if word == "$" else word for word in shlex.split(line)], said)

    def test_a_column_without_values_leads_to_another(self):
        done = iwarpsim("plot", "good", "--y", "fence_us", cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("no finished row has a value of fence_us; --y draws another column, such as goodput_gbps", done.stderr)

    def test_folders_that_were_changed(self):
        for line, said in DAMAGE.items():
            damage, command = line.rsplit("; ", 1)
            shutil.rmtree(self.folder / "g", ignore_errors=True)
            shutil.copytree(self.folder / "good", self.folder / "g")
            subprocess.run(["sh", "-c", damage], cwd=self.folder, check=True)
            self.is_refused(shlex.split(command), said)

    def test_a_limit_on_the_size_of_files_is_said(self):
        """ulimit -f: a signal that would end the program without a word."""
        done = subprocess.run([IWARPSIM, "run", self.file(TINY), "--jobs", "1", "--out", self.folder / "limited"], capture_output=True, text=True, timeout=60,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)))
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("cannot be written: File too large", done.stderr)
        done = iwarpsim("run", self.folder / "small.yaml", "--jobs", 1, "--out", self.folder / "limited")
        self.assertEqual(done.returncode, 0, done.stderr)

    @unittest.skipIf(os.getuid() == 0, "root may write everywhere")
    def test_a_folder_that_may_only_be_read(self):
        try:
            for path in (self.folder / "good", self.folder):
                path.chmod(0o555)
            self.is_refused(["run", "a.yaml", "--out", "new"], "new cannot be written: Permission denied")
            self.is_refused(["plot", "good"], "good cannot be written: Permission denied; choose another --out")
            self.is_refused(["rerun", "good"], "good/rerun cannot be written: Permission denied")
            done = iwarpsim("run", "a.yaml", "--out", "good", cwd=self.folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        finally:
            for path in (self.folder, self.folder / "good"):
                path.chmod(0o755)


class Again(Command):
    """The same command once more."""

    def test_a_merge_that_lacked_a_part_stays_in_its_folder_and_keeps_its_traces(self):
        self.file(TINY, "a.yaml")
        iwarpsim("run", "a.yaml", "--out", "out", "--shard", "1/2", "--trace", cwd=self.folder)
        for name in ("out", "out/", "./out"):
            merged = iwarpsim("merge", name, cwd=self.folder)
            self.assertEqual(merged.returncode, 3)
            self.assertIn("1 of 2 runs are missing, first point 2us repeat 0", merged.stderr)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["a.yaml", "out"])
        iwarpsim("run", "a.yaml", "--out", "out", "--shard", "2/2", "--trace", cwd=self.folder)
        self.assertEqual(iwarpsim("merge", "out/", cwd=self.folder).returncode, 0)
        self.assertEqual(sorted(p.name for p in (self.folder / "out" / "trace").iterdir()), ["1us-r0.csv", "2us-r0.csv"])
        self.assertEqual(len(self.rows(self.folder / "out")), 2)

    def test_rerun_runs_even_where_it_ran_before(self):
        folder = self.run_to("out", TINY)
        old = self.run_to("out/rerun", TINY)
        (old / "results.csv").write_text("of another day\n")
        self.assertEqual(iwarpsim("rerun", folder).returncode, 0)
        self.assertFalse(old.exists())
        kept = self.folder / "kept"
        self.assertEqual([iwarpsim("rerun", folder, "--out", kept).returncode for _ in range(2)], [0, 2])


@unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is missing (Debian: gnuplot-nox)")
class Pictures(Command):
    """A picture that is there is whole."""

    def pictures(self):
        return sorted(p.name for p in (self.folder / "out").iterdir() if p.suffix in (".svg", ".png", ".pdf") or "part" in p.name)

    def test_a_full_disk_leaves_none(self):
        folder = self.run_to("out", SMALL)
        for octets in (100, 2000, 9000, 20000):
            def limit():
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (octets, octets))
            done = subprocess.run([IWARPSIM, "plot", folder], preexec_fn=limit, capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stdout, self.pictures()), (3, "", []), octets)
            self.assertIn("iwarpsim plot: ", done.stderr)
        self.assertEqual(iwarpsim("plot", folder).returncode, 0)
        self.assertEqual(self.pictures(), ["small.pdf", "small.png", "small.svg"])

    def test_kill_minus_nine_leaves_those_that_were_there(self):
        folder = self.run_to("out", SMALL)
        self.assertEqual(iwarpsim("plot", folder).returncode, 0)
        before = {name: (folder / name).read_bytes() for name in self.pictures()}
        fake = self.file("#!/bin/sh\necho half > figure.svg; echo $$ > pid; mv pid ../pid; exec sleep 600\n", "gnuplot")
        fake.chmod(0o755)
        drawing = subprocess.Popen([IWARPSIM, "plot", folder], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"})
        wait_until((folder / "pid").exists)
        gnuplot = int((folder / "pid").read_text())
        drawing.kill()
        drawing.wait()
        wait_until(lambda: not alive(gnuplot))
        for name, octets in before.items():
            self.assertEqual((folder / name).read_bytes(), octets, name)
        self.assertEqual(iwarpsim("plot", folder).returncode, 0)

    def test_an_interrupt_leaves_nothing_behind(self):
        folder = self.run_to("out", SMALL)
        self.file("#!/bin/sh\necho half > figure.svg; echo > pid; mv pid ../pid; exec sleep 600\n", "gnuplot").chmod(0o755)
        drawing = subprocess.Popen([IWARPSIM, "plot", folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a background job ignores it
                                   env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"})
        wait_until((folder / "pid").exists)
        os.killpg(drawing.pid, signal.SIGINT) # as Ctrl-C does
        self.assertEqual(drawing.communicate(timeout=60), ("", ""))
        self.assertEqual((drawing.returncode, self.pictures()), (130, []))


class Leftovers(Command):
    def test_what_a_killed_run_had_begun_goes_when_another_ends(self):
        folder = self.run_to("out", TINY)
        names = sorted(str(p.relative_to(folder)) for p in folder.rglob("*"))
        (folder / "results.csv").unlink()
        for begun in ("results.csv.1.part", "summary.csv.1.part", "dist/early.csv.1.part"):
            (folder / begun).write_text("half")
        self.run_to("out", TINY)
        self.assertEqual(sorted(str(p.relative_to(folder)) for p in folder.rglob("*")), names)


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


if __name__ == "__main__":
    unittest.main(verbosity=2 if "-v" in sys.argv else 1)
