# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads what ns-3 put on the wire: packets of a capture, and MPA's FPDUs in them, markers and CRC included.

A second reader beside the model's, written after RFC 5044 alone: packets() for times, Capture for FPDUs.
"""

import struct
from typing import NamedTuple

KEYS = {b"MPA ID Req Frame", b"MPA ID Rep Frame"}
STARTUP = 20  # octets of a start-up frame before its private data: RFC 5044 section 7.1
M, C = 0x80, 0x40
INTERVAL, MARKER, LENGTH, CRC = 512, 4, 2, 4
SYN, NANOSECONDS, PPP, IPV4 = 0x02, 0xA1B23C4D, 9, 0x0021


class Packet(NamedTuple):
    number: int  # in the capture, from 1
    ns: int
    source: tuple  # address, port
    destination: tuple
    seq: int
    syn: bool
    payload: bytes


class Fpdu(NamedTuple):
    at: int  # octets of the stream before it, from the first of full operation; its leading marker counts
    end: int
    ulpdu: bytes
    markers: int
    wrong: list  # what is against RFC 5044

    @property
    def meets_marker(self):
        """Its last octet is the last before a marker, which belongs to the next FPDU: section 4.3."""
        return self.end % INTERVAL == 0

    @property
    def tagged(self):
        return bool(self.ulpdu[0] & 0x80)

    @property
    def last(self):
        return bool(self.ulpdu[0] & 0x40)

    @property
    def opcode(self):
        return self.ulpdu[1] & 0x0F

    @property
    def payload(self):
        return len(self.ulpdu) - (14 if self.tagged else 18)


def packets(path):
    """The TCP packets of a capture as ns-3's point-to-point devices write it: nanoseconds, PPP."""
    octets = path.read_bytes()
    magic, link = struct.unpack_from("<I16xI", octets)
    if (magic, link) != (NANOSECONDS, PPP):
        raise ValueError(f"{path}: not a capture of PPP with nanoseconds")
    at, number = 24, 0
    while at < len(octets):
        s, ns, kept, full = struct.unpack_from("<IIII", octets, at)
        frame = octets[at + 16 : at + 16 + kept]
        at, number = at + 16 + kept, number + 1
        if kept != full or struct.unpack_from(">H", frame)[0] != IPV4:
            raise ValueError(f"{path}: frame {number} is cut, or no IPv4")
        yield tcp(number, s * 10**9 + ns, frame[2:])


def tcp(number, ns, ip):
    head, total = (ip[0] & 15) * 4, struct.unpack_from(">H", ip, 2)[0]
    source, destination, seq, _, offset, flags = struct.unpack_from(">HHIIBB", ip, head)
    address = [".".join(map(str, ip[i : i + 4])) for i in (12, 16)]
    payload = ip[head + (offset >> 4) * 4 : total]
    return Packet(number, ns, (address[0], source), (address[1], destination), seq, bool(flags & SYN), payload)


class Stream:
    """One direction of a TCP connection: the octets as first seen, and which packets carried what."""

    def __init__(self):
        self.first = None  # sequence number of the first octet
        self.pieces = {}  # position: octets
        self.sent = []  # position, length, nanoseconds of each packet with payload, in order of time
        self.differ = []  # positions sent again with other octets

    def add(self, packet):
        if packet.syn:
            self.first = (packet.seq + 1) % 2**32
        if not packet.payload:
            return
        at = (packet.seq - self.first) % 2**32
        self.sent.append((at, len(packet.payload), packet.ns))
        if self.pieces.setdefault(at, packet.payload) != packet.payload:
            self.differ.append(at)

    def octets(self):
        """Without gaps, or up to the first."""
        whole = bytearray()
        for at in sorted(self.pieces):
            if at > len(whole):
                break
            whole += self.pieces[at][len(whole) - at :]
        return bytes(whole)

    def startup(self):
        """The length of the start-up frame and its flags."""
        whole = self.octets()
        if whole[:16] not in KEYS:
            raise ValueError("no MPA start-up")
        return STARTUP + struct.unpack_from(">H", whole, 18)[0], whole[16]

    def repeats(self):
        """Packets of full operation whose octets had been sent before."""
        start = self.startup()[0]
        full = [(at, length) for at, length, _ in self.sent if at >= start]
        return len(full) - len(set(full))


class Capture:
    """streams: by (source, destination)."""

    def __init__(self, path):
        self.streams = {}
        for packet in packets(path):
            self.streams.setdefault((packet.source, packet.destination), Stream()).add(packet)

    def fpdus(self, way, crc=True):
        """The FPDUs of one direction. Its receiver's M says whether they have markers, either side's C whether the CRC counts."""
        stream = self.streams[way]
        start, flags = stream.startup()
        _, answer = self.streams[(way[1], way[0])].startup()
        return list(fpdus(stream.octets()[start:], bool(answer & M), crc and bool((answer | flags) & C)))


def fpdus(octets, with_markers, with_crc):
    at = 0
    while at < len(octets):
        one = fpdu(octets, at, with_markers, with_crc)
        if one.end > len(octets):
            raise ValueError(f"the FPDU at {at} is not whole")
        yield one
        at = one.end


def fpdu(octets, at, with_markers, with_crc):
    walk = Walk(octets, at, with_markers)
    length = struct.unpack(">H", walk.take(LENGTH))[0]
    ulpdu = walk.take(length)
    pad = walk.take(-(LENGTH + length) % 4)
    covered = walk.now + (MARKER if walk.at_marker() else 0)  # a marker before the CRC is covered by it
    crc = walk.take(CRC)
    wrong = walk.wrong
    if any(pad):
        wrong.append(f"the pad of the FPDU at {at} is not zero")
    if with_crc and crc32c(octets[at:covered]) != struct.unpack("<I", crc)[0]:
        wrong.append(f"the CRC of the FPDU at {at} does not match")
    return Fpdu(at, walk.now, ulpdu, walk.markers, wrong)


class Walk:
    """Goes through an FPDU from its first octet or leading marker, and judges the markers on the way."""

    def __init__(self, octets, at, with_markers):
        self.octets, self.now, self.with_markers = octets, at, with_markers
        self.start = at + (MARKER if self.at_marker() else 0)  # of ULPDU_Length
        self.markers, self.wrong = 0, []

    def at_marker(self):
        return self.with_markers and self.now % INTERVAL == 0

    def take(self, count):
        """The next `count` octets that are no marker's."""
        taken = bytearray()
        while len(taken) < count:
            if self.at_marker():
                self.pass_marker()
            step = count - len(taken)
            if self.with_markers:
                step = min(step, INTERVAL - self.now % INTERVAL)
            taken += self.step(step)
        return bytes(taken)

    def step(self, count):
        piece = self.octets[self.now : self.now + count]
        if len(piece) < count:
            raise ValueError(f"the octets end at {len(self.octets)}, inside an FPDU")
        self.now += count
        return piece

    def pass_marker(self):
        at, right = self.now, max(0, self.now - self.start)
        reserved, pointer = struct.unpack(">HH", self.step(MARKER))
        if reserved or pointer != right:
            self.wrong.append(f"the marker at {at} holds {reserved:#x} and points {pointer} back, 0 and {right} are right")
        self.markers += 1


def table():
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        yield value


TABLE = list(table())


def crc32c(octets):
    crc = 0xFFFFFFFF
    for octet in octets:
        crc = crc >> 8 ^ TABLE[(crc ^ octet) & 0xFF]
    return crc ^ 0xFFFFFFFF
