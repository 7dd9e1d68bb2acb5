#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""helpers/campaign/campaign.sbatch under a real Slurm: a controller and two nodes of this test's own, on ports of the loopback,
with state, logs and configuration in a folder that lives as long as the test.

  slurm_test.py      needs slurmctld, slurmd and sbatch (Debian: slurmctld slurmd slurm-client); no slurm.conf of the system is read

The nodes differ, `large` takes two tasks at a time and `small` one. They claim more processors and memory than this machine need have.
"""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from skippable import SKIPPED, run_tests

TOP = Path(__file__).resolve().parents[2]
NIGHTLY = bool(os.environ.get("IWARPSIM_NIGHTLY"))
IWARPSIM = os.environ.get("IWARPSIM", str(TOP / "build" / "iwarpsim"))
BATCH = TOP / "helpers/campaign/campaign.sbatch"
TOOLS = {"slurmctld": "slurmctld", "slurmd": "slurmd", "sbatch": "slurm-client"}
PATIENCE = 300  # seconds for what takes a few

SCENARIO = """\
world: fabric
seed: 3
repeat: 4
topology: {mtu: 1500}
channel: {loss: 0.01}
workload: {kind: stream, op: write, size: 16KiB, count: COUNT}
payload: none
sweep: {rnic.window.bytes: [16KiB, 64KiB, 256KiB]}
"""
FAST, SLOW = SCENARIO.replace("COUNT", "60"), SCENARIO.replace("COUNT", "3000")
PARTS = 6

# Any user's: the controller and the nodes trust whoever reaches them, and run jobs as themselves.
CONFIG = """\
ClusterName=iwarpsim
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
MailProg=/bin/true
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerParameters=batch_sched_delay=0,sched_interval=1
SlurmdParameters=config_overrides
SlurmctldTimeout=5
SlurmdTimeout=5
MinJobAge=2
JobRequeue=0
ReturnToService=2
JobCompType=jobcomp/filetxt
JobCompLoc="{folder}/ended"
StateSaveLocation="{folder}/state"
SlurmdSpoolDir="{folder}/spool-%n"
SlurmctldPidFile="{folder}/controller.pid"
SlurmdPidFile="{folder}/%n.pid"
SlurmctldLogFile="{folder}/controller.log"
SlurmdLogFile="{folder}/%n.log"
PartitionName=all Nodes=ALL Default=YES State=UP
"""
NODE = "NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={cpus} RealMemory={memory}\n"
NODES = {"large": (8, 8192), "small": (4, 4096)}  # processors, MiB


def find(tool):
    return shutil.which(tool, path=os.environ.get("PATH", os.defpath) + ":/usr/sbin:/usr/local/sbin")


def free_ports(count):
    held = [socket.socket() for _ in range(count)]
    for one in held:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


def processes_with(words):
    """Ids of the processes whose environment holds one of `words`."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if set(words) & set((folder / "environ").read_bytes().split(b"\0")):
                found.append(int(folder.name))
        except OSError:
            pass
    return [pid for pid in found if pid != os.getpid()]


class Cluster:
    """A controller and its nodes."""

    def __init__(self, folder):
        self.folder, self.processes = folder, {}
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM", "SBATCH"))}
        self.environment["SLURM_CONF"] = str(folder / "slurm.conf")
        controller, *ports = free_ports(1 + len(NODES))
        host, user = socket.gethostname().split(".")[0], pwd.getpwuid(os.getuid()).pw_name
        nodes = "".join(NODE.format(name=n, host=host, port=p, cpus=c, memory=m) for p, (n, (c, m)) in zip(ports, NODES.items()))
        config = CONFIG.format(host=host, port=controller, user=user, folder=folder).replace("PartitionName", nodes + "PartitionName")
        (folder / "slurm.conf").write_text(config)
        for name in ("state", *(f"spool-{node}" for node in NODES)):
            (folder / name).mkdir()

    def mark(self, node):
        return f"IWARPSIM_TEST_NODE={self.folder}/{node}"

    def start(self):
        self.launch("controller", find("slurmctld"), "-D")
        for node in NODES:
            self.start_node(node)

    def start_node(self, node):
        self.launch(node, find("slurmd"), "-D", "-N", node, IWARPSIM_TEST_NODE=f"{self.folder}/{node}")

    def launch(self, name, *command, **more):
        with open(self.folder / f"{name}.out", "w") as log:
            self.processes[name] = subprocess.Popen(command, cwd=self.folder, env={**self.environment, **more}, stdin=subprocess.DEVNULL,
                                                    stdout=log, stderr=log, start_new_session=True)

    def ask(self, *command, **more):
        done = subprocess.run(command, cwd=self.folder, env={**self.environment, **more}, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        return done.stdout if done.returncode == 0 else f"{command[0]}: {done.stderr}"

    def states(self):
        return dict(line.split() for line in self.ask("sinfo", "-h", "-N", "-o", "%N %T").splitlines() if len(line.split()) == 2)

    def wait(self, what, holds):
        """Until holds() does; what the daemons said when it does not."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if holds():
                return
            time.sleep(0.1)
        raise AssertionError(f"{what}: not in {PATIENCE} s\n{self.said()}")

    def said(self):
        return "".join(f"{log.name}: {log.read_text()[-3000:]}\n" for log in sorted(self.folder.glob("*.out")))

    def lose(self, node):
        """As when its power fails: slurmd, what it started and what that runs."""
        process = self.processes.pop(node)
        process.kill()
        process.wait()
        words = [f"IWARPSIM_TEST_NODE={self.folder}/{node}".encode()]
        while pids := processes_with(words) + self.jobs_of(node):
            for pid in pids:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            time.sleep(0.02)

    def jobs_of(self, node):
        ours = set(processes_with([f"SLURM_CONF={self.folder}/slurm.conf".encode()]))
        return [pid for pid in processes_with([f"SLURMD_NODENAME={node}".encode()]) if pid in ours and alive(pid)]

    def ended(self):
        """What Slurm noted of each job that ended: its fields by name."""
        lines = (self.folder / "ended").read_text().splitlines() if (self.folder / "ended").exists() else []
        return [dict(word.split("=", 1) for word in line.split() if "=" in word) for line in lines]

    def stop(self):
        for node in NODES:
            if node in self.processes:
                self.lose(node)
        for process in self.processes.values():
            process.terminate()
            process.wait(timeout=60)


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class Slurm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        missing = sorted({package for tool, package in TOOLS.items() if not find(tool)})
        if missing:
            raise unittest.SkipTest(f"missing: {', '.join(missing)}")

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="iwarpsim-slurm-"))
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "iwarpsim").symlink_to(IWARPSIM)
        for name, text in (("fast.yaml", FAST), ("slow.yaml", SLOW)):
            (self.folder / name).write_text(text)
        self.cluster = Cluster(self.folder)
        self.addCleanup(self.cluster.stop)
        self.cluster.start()
        self.cluster.wait("both nodes idle", lambda: self.cluster.states() == dict.fromkeys(NODES, "idle"))

    def submit(self, scenario, out, *options, **more):
        said = self.cluster.ask("sbatch", *options, str(BATCH), scenario, out, PATH=f"{self.folder}/bin:{os.environ['PATH']}", **more)
        self.assertIn("Submitted batch job", said, self.cluster.said())

    def wait_for_all(self):
        self.cluster.wait("an empty queue", lambda: self.cluster.ask("squeue", "-h") == "")

    def iwarpsim(self, *args):
        return subprocess.run([IWARPSIM, *args], cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE)

    def assert_as_here(self, scenario, out):
        """The merged parts are what one run without Slurm gives, each file octet for octet."""
        merged = self.iwarpsim("merge", out)
        logs = "".join(f"{log.name}: {log.read_text()}" for log in sorted(self.folder.glob("iwarpsim-*.log")))
        self.assertEqual(merged.returncode, 0, merged.stderr + logs + self.cluster.said())
        self.assertEqual(self.iwarpsim("run", scenario, "--out", "here", "--jobs", "1").returncode, 0)
        self.assertEqual(self.files(out), self.files("here"))

    def files(self, out):
        top = self.folder / out
        return {str(p.relative_to(top)): p.read_bytes() for p in top.rglob("*")
                if p.is_file() and not any(q.name.startswith("shard-") for q in p.parents) and p.name not in ("manifest.json", "costs.csv")}

    def test_an_array_on_nodes_that_differ_gives_the_octets_of_one_run(self):
        self.submit("fast.yaml", "there", f"--array=1-{PARTS}")
        self.wait_for_all()
        self.cluster.wait("a note of each part", lambda: len(self.cluster.ended()) == PARTS)
        self.assertEqual({job["JobState"] for job in self.cluster.ended()}, {"COMPLETED"})
        self.assertEqual({job["NodeList"] for job in self.cluster.ended()}, set(NODES))
        self.assert_as_here("fast.yaml", "there")

    def test_the_points_of_a_lost_node_run_elsewhere(self):
        self.submit("slow.yaml", "there", f"--array=1-{PARTS}")
        runs_here = lambda: self.cluster.ask("squeue", "-h", "-t", "running", "-w", "small", "-o", "%K").split()
        self.cluster.wait("a part under way on the node small", runs_here)
        part = runs_here()[0]
        self.cluster.wait("its folder", (self.folder / "there" / f"shard-{part}-of-{PARTS}").exists)
        self.cluster.lose("small")
        self.wait_for_all()
        self.assertIn(self.cluster.states()["small"].rstrip("*"), ("down", "idle"))
        last = {job["JobId"]: job for job in self.cluster.ended()}
        self.assertIn("small", {job["NodeList"] for job in self.cluster.ended() if job["JobState"] != "COMPLETED"}, self.cluster.ended())
        self.assertEqual({job["JobState"] for job in last.values()}, {"COMPLETED"}, self.cluster.said())
        self.assert_as_here("slow.yaml", "there")

    def test_a_part_that_was_cancelled_is_submitted_again(self):
        self.submit("fast.yaml", "there", "--array=1,3-6", PARTS=str(PARTS))
        self.wait_for_all()
        merged = self.iwarpsim("merge", "there")
        self.assertEqual(merged.returncode, 3)
        self.assertIn("2 of 12 runs are missing", merged.stderr)
        self.submit("fast.yaml", "there", "--array=2", f"--export=ALL,PARTS={PARTS}")
        self.wait_for_all()
        self.assert_as_here("fast.yaml", "there")


def main():
    if not NIGHTLY and len(sys.argv) == 1:
        print("skipped: starts a Slurm, for ./waf check --nightly (here: slurm_test.py Slurm)", file=sys.stderr)
        return SKIPPED
    return run_tests("Slurm")


if __name__ == "__main__":
    sys.exit(main())
