#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Linux siw as a live peer, in both directions: a guest of its own (build.sh) on a TAP device in a network namespace of its own.

    siw_test.py FOLDER 6.1|6.12 [--report FOLDER]      a table of what passed; exit 1 when something did not

FOLDER is build.sh's; what is not in it is built. KVM where a guest comes up with it, else TCG (a boot of 20 s, five times as long on a
busy machine). At night `./waf check --nightly` runs it with both kernels in build/siw; else, and where qemu-system-x86_64, unshare or
ip are missing, it is skipped and says so. Nothing outside the namespace is reached."""

import atexit
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import folders

TOP = HERE.parents[2]
IWARPSIM = os.environ.get("IWARPSIM", str(TOP / "build" / "iwarpsim"))
INSIDE = "IWARPSIM_SIW_INSIDE"
OURS, GUEST, OURS6, GUEST6 = "10.77.0.1", "10.77.0.2", "fd77::1", "fd77::2"
SHELL, SERVED, ASKED, PING = 99, 7174, 7180, 7175
AGAIN = 3 # times that a case is played again
PATIENCE = 300  # seconds for a boot: TCG on a busy machine
SKIPPED = 77


def skip(why):
    print(f"siw_test: skipped: {why}")
    sys.exit(SKIPPED)


# ---- the guest ----

class Guest:
    """A kernel with siw on a TAP device; a shell for each connection to port 99."""

    def __init__(self, folder, series, log):
        self.folder, self.log = folder / series, log
        for word in ("kvm", "tcg"):
            if word == "kvm" and not os.access("/dev/kvm", os.R_OK | os.W_OK):
                continue
            self.accelerator = word
            self.start(word)
            if self.comes_up(30 if word == "kvm" else PATIENCE):
                return
            self.stop()
        sys.exit(f"siw_test: the guest does not come up; {self.log} has its words")

    def start(self, word):
        cpu = "max" if word == "tcg" else "host,-arch-capabilities"
        command = ["qemu-system-x86_64", "-machine", "q35", "-accel", word, "-cpu", cpu, "-smp", "1", "-m", "1024", "-no-reboot", "-nographic",
                   "-kernel", self.folder / "vmlinuz", "-initrd", self.folder / "first.gz", "-append", "console=ttyS0 panic=1 loglevel=4",
                   "-nic", "none", "-netdev", "tap,id=n0,ifname=tap0,script=no,downscript=no", "-device", "virtio-net-pci,netdev=n0"]
        with open(self.log, "w") as out:
            self.qemu = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)
        atexit.register(self.qemu.kill)

    def comes_up(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.qemu.poll() is None:
            try:
                self.release = self.run("uname -r", 10).strip()
                # siw reads no FPDU that comes within a millisecond of its Reply until more comes: so its Reply takes 5 ms.
                refused = self.run("/usr/sbin/tc qdisc add dev eth0 root netem delay 5ms")
                if refused:
                    sys.exit(f"siw_test: no delay in the guest: {refused}")
                return True
            except OSError: # not yet
                time.sleep(0.5)
        return False

    def stop(self):
        self.qemu.kill()
        self.qemu.wait()

    def run(self, command, seconds=120):
        """What a command of the guest's shell prints."""
        said = b""
        with socket.create_connection((GUEST, SHELL), min(seconds, 30)) as shell:
            shell.settimeout(seconds)
            shell.sendall((command + "\nexit\n").encode())
            while octets := shell.recv(65536):
                said += octets
        return said.decode(errors="replace")

    def start_server(self, command, port, log="/tmp/server.log", address=GUEST):
        """A server in the guest, listening when this returns."""
        self.run(f"{command} >{log} 2>&1 &")
        for _ in range(100):
            listening = self.run("cat /proc/net/tcp /proc/net/tcp6")
            if re.search(rf":{port:04X} 0+:0000 0A", listening):
                return
            time.sleep(0.1)

    def read(self, log="/tmp/server.log"):
        return self.run(f"sleep 1; cat {log}")


# ---- what is tried ----

rows = []


def row(what, good, note=""):
    rows.append((what, good, note))
    print(f"{'passed' if good else 'FAILED':<8}{what}{': ' + note if note else ''}", flush=True)


def ours(*arguments, seconds=120):
    return subprocess.run([IWARPSIM, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=seconds)


def last_line(text):
    return (text.strip().splitlines() or [""])[-1]


SCRIPT = "send 10; send 0; write 1000000; read 1000000; write 0; wait; read 0; send 30000"
# A Read of no octets waits: behind another Read siw answers it with that one's octets.
SIWTEST = "send:10 send:0 write:100000:0:rw read:100000:0:rw write:7:100:wo read:0:0:rw send:30000"


def to_siwtest(guest, what, address, *options, setting="", script=SCRIPT):
    """We initiate; siwtest answers."""
    guest.start_server(f"{setting}siwtest -s -a {address} -p {SERVED}", SERVED)
    done = ours("connect", f"[{address}]:{SERVED}" if ":" in address else f"{address}:{SERVED}", script, "--quiet", *options)
    said = guest.read()
    received = len(re.findall(r"RECV slot=\d+ status=0", said))
    sends = len(re.findall(r"\bsend\b", script))
    row(what, done.returncode == 0 and received == sends and "fails=0" in said, last_line(done.stdout + done.stderr))


def from_siwtest(guest, what, address, *options, listen=OURS):
    """siwtest initiates; we answer."""
    with subprocess.Popen([IWARPSIM, "serve", str(ASKED), "--listen", listen, "--once", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as serve:
        serve.stdout.readline()
        said = guest.run(f"siwtest -c -a {address} -p {ASKED} -x '{SIWTEST}'")
        try:
            told = serve.communicate(timeout=30)[0]
        except subprocess.TimeoutExpired:
            serve.kill()
            told = serve.communicate()[0]
    wrote = re.search(r"POST write:100000.* crc32=(\w+)", said)
    read = re.search(r"DONE read:100000.* data crc32=(\w+)", said)
    good = said.count("DONE") == len(SIWTEST.split()) and "fails=0" in said and wrote and read and wrote[1] == read[1]
    row(what, bool(good), last_line(told))


def rping(guest):
    """rping serves; its client is that of a capture of siw, replayed."""
    capture = folders.named("b01-crc-rping-100")
    guest.start_server(f"rping -s -a {GUEST} -p {PING} -C 4 -S 100 -v -V", PING)
    done = ours("replay", capture, f"{GUEST}:{PING}")
    row("rping -s, its client replayed from a capture", done.returncode == 0, "; ".join((done.stdout + done.stderr).split("\n")[:3]))


def judged(guest, *arguments):
    done = ours("judge", "--connect", f"{GUEST}:{SERVED}", "--gap", "300", "--json", *arguments, seconds=3600)
    cases = [json.loads(line) for line in done.stdout.splitlines()]
    return done, {c["case"]: c for c in cases[:-1]}, cases[-1].get("summary", {}) if cases else {}


def judge(guest, report):
    """All cases, a siwtest for each. What siw answers otherwise than the RFCs allow is known, and must be this and nothing else; a case that
    changes is played again: siwtest may not have been there yet, or have been too slow."""
    guest.run(f"(while :; do siwtest -s -a {GUEST} -p {SERVED} >/tmp/judged.log 2>&1; done) </dev/null >/dev/null 2>&1 &")
    time.sleep(2)
    wanted = json.loads((HERE / "answers.json").read_text())["wrong"]
    done, cases, summary = judged(guest, "--page", report / f"siw-{guest.release}.html")
    (report / f"siw-{guest.release}.json").write_text(done.stdout)

    def wrong():
        return {name: c["reading"] for name, c in cases.items() if c["result"] == "wrong"}

    def is_other(name):
        return wrong().get(name) != wanted.get(name) or "the peer cannot be reached" in cases[name]["faults"]

    for name in sorted(filter(is_other, cases)) * AGAIN:
        if not is_other(name):
            continue
        time.sleep(2)
        again = judged(guest, "--case", name)[1]
        cases.update({n: c for n, c in again.items() if c["result"] != "skipped"})
    other = {n: (wrong().get(n), wanted.get(n)) for n in cases if is_other(n)}
    count = {k: sum(c["result"] == k for c in cases.values()) for k in ("right", "wrong", "faulty", "skipped")}
    row(f"judge --connect -> siwtest: {len(cases)} cases", done.returncode == 1 and summary.get("cases") == len(cases) > 200 and not other,
        ", ".join(f"{n} {k}" for k, n in count.items()) + (f"; otherwise than before: {other}" if other else "") + last_line(done.stderr))


def check(guest, report):
    to_siwtest(guest, "connect -> siwtest", GUEST)
    to_siwtest(guest, "connect -> siwtest, IPv6", GUEST6)
    to_siwtest(guest, "connect -> siwtest, revision 1", GUEST, "--rev1")
    to_siwtest(guest, "connect -> siwtest, IRD 1, ORD 1", GUEST, "--ird", "1", "--ord", "1", script="read 1000; read 1000; read 1000; send 10")
    to_siwtest(guest, "connect -> siwtest, EMSS 536", GUEST, "--emss", "536")
    to_siwtest(guest, "connect -> siwtest, no CRC", GUEST, "--no-crc")
    from_siwtest(guest, "siwtest -> serve", OURS)
    from_siwtest(guest, "siwtest -> serve, IPv6", OURS6, listen=OURS6)
    from_siwtest(guest, "siwtest -> serve, no CRC", OURS, "--no-crc")
    rping(guest)
    judge(guest, report)


# ---- the namespace ----

def inside(folder, series, report):
    for command in ("tuntap add tap0 mode tap", f"addr add {OURS}/24 dev tap0", f"-6 addr add {OURS6}/64 dev tap0 nodad", "link set tap0 up", "link set lo up"):
        done = subprocess.run(["ip", *command.split()], stderr=subprocess.PIPE, text=True)
        if done.returncode:
            skip(f"ip {command}: {done.stderr.strip()}")
    with tempfile.TemporaryDirectory() as scratch:
        guest = Guest(folder, series, Path(scratch) / "console.log" if not report else report / f"console-{series}.log")
        print(f"siw of Linux {guest.release}, {guest.accelerator}", flush=True)
        try:
            check(guest, report or Path(scratch))
        finally:
            guest.stop()
    failed = [r for r in rows if not r[1]]
    print(f"{len(rows) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


def main():
    arguments = sys.argv[1:]
    report = None
    if "--report" in arguments:
        at = arguments.index("--report")
        report = Path(arguments[at + 1]).resolve()
        report.mkdir(parents=True, exist_ok=True)
        del arguments[at:at + 2]
    if os.environ.get(INSIDE):
        sys.exit(inside(Path(arguments[0]), arguments[1], report))
    if not arguments and not os.environ.get("IWARPSIM_NIGHTLY"):
        skip("at night only: `validation/interop/siw/siw_test.py FOLDER 6.1`")
    for tool in ("qemu-system-x86_64", "unshare", "ip"):
        if not shutil.which(tool):
            skip(f"{tool} is not installed")
    folder = Path(arguments[0] if arguments else TOP / "build" / "siw").resolve()
    worst = 0
    for series in arguments[1:] or ["6.1", "6.12"]:
        if not (folder / series / "first.gz").exists():
            built = subprocess.run([HERE / "build.sh", folder, series], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if built.returncode:
                skip(f"build.sh {series}: {last_line(built.stdout)}")
        command = ["unshare", "-Urn", sys.executable, __file__, folder, series, *(["--report", report] if report else [])]
        worst = max(worst, subprocess.run(command, env={**os.environ, INSIDE: "1"}).returncode)
    sys.exit(worst)


if __name__ == "__main__":
    main()
