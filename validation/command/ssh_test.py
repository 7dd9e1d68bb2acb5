#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""iwarpsim run --sshloginfile through OpenSSH: two servers of this test's own, on ports of the loopback, with keys that live as
long as the test, stand for two machines that share a folder.

  ssh_test.py      needs GNU parallel, ssh, ssh-keygen and sshd (Debian: openssh-server); nobody's ~/.ssh is read or written
"""

import csv
import os
import pwd
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from skippable import run_tests

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = os.environ.get("IWARPSIM", str(TOP / "build" / "iwarpsim"))
TOOLS = {"parallel": "parallel", "ssh": "openssh-client", "ssh-keygen": "openssh-client", "sshd": "openssh-server"}
PRIVILEGE_SEPARATION = Path("/run/sshd") # sshd of root asks for it; its service makes it

SCENARIO = """\
world: fabric
seed: 3
repeat: 2
topology: {mtu: 1500}
channel: {loss: 0.01}
workload: {kind: stream, op: write, size: 16KiB, count: COUNT}
payload: none
sweep: {rnic.window.bytes: [16KiB, 64KiB, 256KiB]}
"""
FAST, SLOW = SCENARIO.replace("COUNT", "60"), SCENARIO.replace("COUNT", "2000")

# SHLVL: bash, which takes a first shell below sshd for a user's, reads no ~/.bashrc.
SERVER = """\
ListenAddress 127.0.0.1:{port}
HostKey "{folder}/host"
AuthorizedKeysFile "{folder}/user.pub"
AuthenticationMethods publickey
PermitRootLogin prohibit-password
StrictModes no
UsePAM no
PidFile none
PrintMotd no
SetEnv SHLVL=2
"""

CLIENT = """\
Host {name}
    HostName 127.0.0.1
    Port {port}
    User {user}
"""

ANY_HOST = """\
Host *
    IdentityFile "{folder}/user"
    IdentitiesOnly yes
    IdentityAgent none
    UserKnownHostsFile "{folder}/known"
    GlobalKnownHostsFile none
    StrictHostKeyChecking accept-new
    BatchMode yes
    ConnectTimeout 20
    LogLevel ERROR
"""


def find(tool):
    return shutil.which(tool, path=os.environ.get("PATH", os.defpath) + ":/usr/sbin:/usr/local/sbin")


class Machine:
    """An sshd. Dead: none, on a port that is held so that nobody else listens there."""

    def __init__(self, name, folder):
        self.name, self.folder, self.process = name, folder, None
        self.held = socket.socket()
        self.held.bind(("127.0.0.1", 0))
        self.port = self.held.getsockname()[1]

    def start(self):
        config = self.folder / f"{self.name}.conf"
        config.write_text(SERVER.format(port=self.port, folder=self.folder))
        self.log = self.folder / f"{self.name}.log"
        self.held.close()
        with open(self.log, "w") as log:
            self.process = subprocess.Popen([find("sshd"), "-D", "-e", "-f", str(config)], stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=log, start_new_session=True)
        for _ in range(2000):
            if self.process.poll() is not None:
                return False
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return True
            time.sleep(0.01)
        return False

    def logins(self):
        """How many times somebody was let in."""
        return self.log.read_text().count("Accepted publickey")

    def said(self):
        return "; ".join(self.log.read_text().split("\n")).strip("; ")

    def stop(self):
        """As when its power fails: the server, and each session's process, which has a group of its own."""
        self.held.close()
        if not self.process:
            return
        self.process.send_signal(signal.SIGSTOP) # no new sessions meanwhile
        for pid in descendants(self.process.pid):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.kill()
        self.process.wait()
        self.process = None


def descendants(pid):
    try:
        direct = [int(c) for c in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []
    return direct + [g for c in direct for g in descendants(c)]


def snapshot(folder):
    """All names below a folder and when each was changed."""
    return {str(p): p.lstat().st_mtime_ns for p in [folder, *folder.rglob("*")]} if folder.exists() else None


class Ssh(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        missing = sorted({package for tool, package in TOOLS.items() if not find(tool)})
        if missing:
            raise unittest.SkipTest(f"missing: {', '.join(missing)}")
        try:
            cls.user = pwd.getpwuid(os.getuid())
        except KeyError:
            raise unittest.SkipTest(f"user {os.getuid()} has no name to log in with")

    def setUp(self):
        self.ssh_of_user = snapshot(Path(self.user.pw_dir) / ".ssh")
        self.folder = Path(tempfile.mkdtemp(prefix="iwarpsim ssh "))
        self.addCleanup(self.leave)
        self.made = os.getuid() == 0 and not PRIVILEGE_SEPARATION.exists()
        if self.made:
            PRIVILEGE_SEPARATION.mkdir(mode=0o755)
        self.machines = {}
        for key in ("host", "user"):
            subprocess.run([find("ssh-keygen"), "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(self.folder / key)], check=True,
                           stdin=subprocess.DEVNULL)
        self.file("small.yaml", FAST)
        self.file("slow.yaml", SLOW)

    def leave(self):
        for machine in self.machines.values():
            machine.stop()
        if self.made:
            PRIVILEGE_SEPARATION.rmdir()
        shutil.rmtree(self.folder)
        self.assertEqual(snapshot(Path(self.user.pw_dir) / ".ssh"), self.ssh_of_user)

    def file(self, name, text, mode=0o644):
        path = self.folder / name
        path.write_text(text)
        path.chmod(mode)
        return path

    def network(self, alive, dead=()):
        """Servers, and an ssh that knows them and nothing else of this user; skipped where a server does not let its user in."""
        for name in (*alive, *dead):
            self.machines[name] = Machine(name, self.folder)
        self.file("config", "".join(CLIENT.format(name=m.name, port=m.port, user=self.user.pw_name) for m in self.machines.values())
                  + ANY_HOST.format(folder=self.folder))
        asked, ssh, config = (shlex.quote(str(p)) for p in (self.folder / "asked", find("ssh"), self.folder / "config"))
        self.ssh = self.file("ssh", f'#!/bin/sh\necho "$1" >>{asked}\nexec {ssh} -F {config} "$@"\n', 0o755)
        for name in alive:
            machine = self.machines[name]
            if not machine.start():
                self.skipTest(f"sshd does not start: {machine.said()}")
            told = subprocess.run([self.ssh, name, "echo in"], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
            if told.stdout != "in\n":
                self.skipTest(f"sshd does not let {self.user.pw_name} in: {machine.said()}")

    def command(self, scenario, out, *args):
        """Without $HOME and $SHELL: ssh and sshd know their user from the system."""
        environment = {k: v for k, v in os.environ.items() if k not in ("HOME", "SHELL", "USER", "LOGNAME", "SSH_AUTH_SOCK")}
        return subprocess.Popen([IWARPSIM, "run", str(self.folder / scenario), "--out", str(self.folder / out), *map(str, args)],
                                env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run_to(self, scenario, out, *args):
        process = self.command(scenario, out, *args)
        _, err = process.communicate(timeout=300)
        return process.returncode, err

    def here(self, scenario):
        self.assertEqual(self.run_to(scenario, "here", "--jobs", 1)[0], 0)
        return (self.folder / "here" / "results.csv").read_bytes()

    def logins(self, *names):
        return self.file("logins", "".join(f"1/{self.ssh} {name}\n" for name in names))

    def test_two_machines_give_the_octets_of_one(self):
        self.network(["alpha", "beta"])
        code, err = self.run_to("small.yaml", "it's there", "--sshloginfile", self.logins("alpha", "beta"))
        self.assertEqual(code, 0, err)
        self.assertEqual((self.folder / "it's there" / "results.csv").read_bytes(), self.here("small.yaml"))
        for machine in self.machines.values():
            self.assertGreater(machine.logins(), 1, machine.name) # 1: this test's own

    def test_a_machine_that_is_dead_costs_nothing(self):
        self.network(["alpha"], ["dead"])
        code, err = self.run_to("small.yaml", "there", "--sshloginfile", self.logins("dead", "alpha"))
        self.assertEqual(code, 0, err)
        self.assertIn("dead", (self.folder / "asked").read_text().split())
        self.assertEqual((self.folder / "there" / "results.csv").read_bytes(), self.here("small.yaml"))

    def test_a_machine_that_dies_meanwhile_costs_nothing(self):
        self.network(["alpha", "beta"])
        process = self.command("slow.yaml", "there", "--sshloginfile", self.logins("alpha", "beta"))
        rows = self.folder / "there" / "points"
        while process.poll() is None and not list(rows.glob("*.row")):
            time.sleep(0.01)
        self.machines["beta"].stop()
        _, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 0, err)
        self.assertEqual((self.folder / "there" / "results.csv").read_bytes(), self.here("slow.yaml"))

    def test_when_all_are_dead_the_campaign_says_so_and_goes_on_elsewhere(self):
        self.network(["alpha"], ["dead"])
        code, err = self.run_to("small.yaml", "there", "--sshloginfile", self.logins("dead"))
        self.assertEqual(code, 3, err)
        self.assertIn("Connection refused", err)
        self.assertIn("point 16KiB repeat 0 ran on no machine: ssh failed (exit code 255)", err)
        with open(self.folder / "there" / "results.csv", newline="") as lines:
            self.assertEqual({row["status"] for row in csv.DictReader(lines)}, {"crashed"})
        code, err = self.run_to("small.yaml", "there", "--sshloginfile", self.logins("alpha"))
        self.assertEqual(code, 0, err)
        self.assertEqual((self.folder / "there" / "results.csv").read_bytes(), self.here("small.yaml"))


if __name__ == "__main__":
    sys.exit(run_tests("ssh"))
