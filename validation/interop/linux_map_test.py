#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Goodput of Linux's TCP under reordering, on the path of cross/reordering_map_test.py: two sockets of this kernel, each in a network
namespace of its own, and between their TUN devices a path in user space, which delays.

    linux_map_test.py            at night: a path where nothing is late, and one where much is
    linux_map_test.py --write    all of it, into cross/reordering-linux.tsv

BDP of 80 packets as there, but RTT 98 ms at 10 Mb/s: what a busy machine is late by is little of that. Clocks are real: shares are
of one run, and differ by some hundredths from run to run. A machine on which not even a path without lateness is full cannot be judged.
"""

import ctypes
import fcntl
import heapq
import multiprocessing
import os
import random
import select
import socket
import struct
import subprocess
import sys
import time
import unittest
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

MAP = Path(__file__).resolve().parents[1] / "cross" / "reordering-linux.tsv"
NIGHT = "IWARPSIM_NIGHTLY" in os.environ
BDP, RATE, MTU, WIRE = 80, 10e6, 1500, 38  # packets; bits/s; octets, and what Ethernet adds
RTT = BDP * (MTU + WIRE) * 8 / RATE
WARM, FOR, PORT = 50 * RTT, 200 * RTT, 7000
LATE, LATENESS = (0.03, 0.3, 3, 30), (0.3, 1, 3)
CONTROLS, STAMPS = ("reno", "cubic"), (False, True)
AT_ONCE = 8
HEAD = ("bdp_packets", "late_per_rtt", "lateness_by_rtt", "congestion", "timestamps", "share")
NEWUSER_NEWNET = 0x10000000 | 0x40000000
TUNSETIFF, TUN_NO_PI = 0x400454CA, 0x1001


def enter(me, stamps):
    """A namespace of our own with one TUN device, 10.78.0.`me`; its descriptor."""
    uid, gid = os.geteuid(), os.getegid()
    if ctypes.CDLL(None, use_errno=True).unshare(NEWUSER_NEWNET):
        raise OSError(ctypes.get_errno(), "no network namespace")
    for file, text in ("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {gid} 1"):
        Path("/proc/self", file).write_text(text)
    tun = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH", b"t0", TUN_NO_PI))
    for command in f"addr add 10.78.0.{me}/24 dev t0", f"link set t0 mtu {MTU} up":
        subprocess.run(["ip", *command.split()], check=True)
    Path("/proc/sys/net/ipv4/tcp_timestamps").write_text(str(int(stamps)))
    return tun


def send_fd(pipe, me, stamps):
    try:
        tun = enter(me, stamps)
    except OSError as error:
        pipe.sendall(str(error).encode())
        sys.exit(0)
    socket.send_fds(pipe, [b"tun"], [tun])


def sender(pipe, control, stamps):
    send_fd(pipe, 1, stamps)
    pipe.recv(1)  # the other is there
    s = socket.socket()
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, control.encode())
    s.connect(("10.78.0.2", PORT))
    while True:
        s.sendall(bytes(65536))


def receiver(pipe, stamps):
    send_fd(pipe, 2, stamps)
    s = socket.create_server(("10.78.0.2", PORT))
    pipe.sendall(b"up")
    taken, _ = s.accept()
    begin, octets = time.monotonic() + WARM, 0
    while time.monotonic() < begin:
        taken.recv(1 << 20)
    while time.monotonic() < begin + FOR:
        octets += len(taken.recv(1 << 20))
    pipe.sendall(struct.pack("d", octets * 8 / (time.monotonic() - begin)))


def path(data, acks, p, late, done):
    """What comes from `data` takes its turn at RATE, then half a round trip, and `late` more with probability p; until `done` may be read."""
    draw, due, free, number = random.Random(1), [], 0.0, 0
    while True:
        now = time.monotonic()
        ready = [done, acks] + [data] * (now >= free)
        wake = min(due[0][0] if due else now + 1, free if now < free else now + 1)
        ready, _, _ = select.select(ready, [], [], max(0, wake - now))
        now = time.monotonic()
        while due and due[0][0] <= now:
            _, _, to, packet = heapq.heappop(due)
            os.write(to, packet)
        if done in ready:
            return
        if acks in ready:
            number += 1
            heapq.heappush(due, (now + RTT / 2, number, data, os.read(acks, 65536)))
        if data in ready:
            packet = os.read(data, 65536)
            free = max(free, now - RTT / 20) + (len(packet) + WIRE) * 8 / RATE
            number += 1
            heapq.heappush(due, (free + RTT / 2 + (late if draw.random() < p else 0), number, acks, packet))


def share(late_per_rtt, lateness, control, stamps):
    """Of what the line carries; or, where there are no namespaces or devices, the reason."""
    ours, theirs = zip(socket.socketpair(), socket.socketpair())
    fork = multiprocessing.get_context("fork")
    children = [fork.Process(target=sender, args=(theirs[0], control, stamps), daemon=True),
                fork.Process(target=receiver, args=(theirs[1], stamps), daemon=True)]
    for child in children:
        child.start()
    try:
        said, tuns, _, _ = zip(*(socket.recv_fds(pipe, 256, 1) for pipe in ours))
        if not all(tuns):
            return next(text.decode() for text, tun in zip(said, tuns) if not tun)
        ours[1].recv(2)
        ours[0].sendall(b"!")
        path(tuns[0][0], tuns[1][0], late_per_rtt / BDP, lateness * RTT, ours[1])
        rate = struct.unpack("d", ours[1].recv(8))[0]
        for tun, in tuns:
            os.close(tun)
        return rate / (RATE * (MTU - 40 - 12 * stamps) / (MTU + WIRE))
    finally:
        for child in children:
            child.kill()
            child.join()


def whole():
    cells = [(late, lateness, control, stamps) for late in LATE for lateness in LATENESS for control in CONTROLS for stamps in STAMPS]
    with ProcessPoolExecutor(AT_ONCE) as pool:
        return dict(zip(cells, pool.map(share, *zip(*cells))))


@unittest.skipUnless(NIGHT, "at night: a minute of real time")
class Linux(unittest.TestCase):
    def test_late_packets_cost_goodput(self):
        clean = share(0, 0, "cubic", True)
        if isinstance(clean, str):
            self.skipTest(clean)
        if clean < 0.9:
            self.skipTest(f"this machine is too busy to play the path: {clean:.0%} of the line where nothing is late")
        self.assertLess(share(3, 3, "cubic", True), clean - 0.02)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        lines = [(BDP, *at[:3], str(at[3]).lower(), f"{found:.3f}") for at, found in whole().items()]
        MAP.write_text("".join("\t".join(map(str, line)) + "\n" for line in [HEAD, *lines]))
    else:
        unittest.main()
