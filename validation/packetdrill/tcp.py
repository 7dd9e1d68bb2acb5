# SPDX-License-Identifier: GPL-2.0-or-later
"""Our TCP behind drive.c: a command, its answer."""

import os
import subprocess
from pathlib import Path

import wire

TOP = Path(__file__).resolve().parent.parent.parent
DRIVE = os.environ.get("DRIVE", str(Path(os.environ.get("IWARPSIM_BUILD", TOP / "build")) / "packetdrill" / "drive"))
STATES = ("CLOSED LISTEN SYN_SENT SYN_RECEIVED ESTABLISHED FIN_WAIT_1 FIN_WAIT_2 CLOSE_WAIT CLOSING LAST_ACK TIME_WAIT").split()
CLOSED, LISTEN, SYN_SENT, SYN_RECEIVED, ESTABLISHED = range(5)
NEVER = (1 << 64) - 1
ECN = {"noecn": 0, "ect1": 1, "ect0": 2, "ce": 3}


class Tcp:
    """One process of drive.c; one connection at a time."""

    def __init__(self):
        self.process = subprocess.Popen([DRIVE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()

    def ask(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        answer = []
        for line in self.process.stdout:
            if line == ".\n":
                return answer
            answer.append(line.rstrip("\n"))
        raise RuntimeError(f"{DRIVE} ended at '{' '.join(map(str, words))}'")

    def open(self, conf):
        addresses = {"local_address": wire.LOCAL[0], "local_port": wire.LOCAL[1],
                     "remote_address": wire.REMOTE[0], "remote_port": wire.REMOTE[1]}
        self.ask("open", *(f"{k}={v}" for k, v in {**conf, **addresses}.items()))

    def call(self, name, now, *more):
        """0, or what is wrong."""
        return int(self.ask(name, now, *more)[0])

    def state(self):
        return {k: int(v) for k, v in (word.split("=") for word in self.ask("state", 0)[0].split())}

    def arrive(self, now, ecn, octets, length):
        """Verdict, offset, octets, in order."""
        verdict, offset, taken, in_order = self.ask("in", now, ECN[ecn], octets.hex(), length)[0].split()
        return verdict, int(offset), int(taken), in_order == "1"

    def stray(self, ecn, octets, length):
        return packets(self.ask("stray", ECN[ecn], octets.hex(), length))

    def out(self, now):
        return packets(self.ask("out", now))


def packets(lines):
    """(ecn, header, octets of payload) of each."""
    for line in lines:
        _, ecn, header, length = line.split()
        yield int(ecn), bytes.fromhex(header), int(length)
