# SPDX-License-Identifier: GPL-2.0-or-later
"""TCP headers as octets: written for the peer, read from ours. A second reading of RFC 9293 3.1, apart from the C."""

import struct
from dataclasses import dataclass, field

BITS = {"F": 1, "S": 2, "R": 4, "P": 8, ".": 16, "U": 32, "E": 64, "W": 128}
ECN = ("noecn", "ect1", "ect0", "ce")
LOCAL, REMOTE = (0xC0A80001, 8080), (0xC0000201, 40000)  # address, port
M32 = 0xFFFFFFFF


@dataclass
class Segment:
    """One of ours, in the script's numbers."""

    flags: str
    seq: int
    ack: int
    win: int
    len: int
    ecn: str
    options: list = field(default_factory=list)
    time: int = 0
    by_timer: bool = False
    new: bool = False  # octets that never left before
    ahead: bool = False  # earlier than Linux's, and may be

    @property
    def end(self):
        return self.seq + self.len

    def __str__(self):
        ack = f" ack {self.ack}" if "." in self.flags else ""
        ecn = f"[{self.ecn}] " if self.ecn != "noecn" else ""
        options = " <" + ",".join(shown(o) for o in self.options) + ">" if self.options else ""
        return f"{ecn}{self.flags} {self.seq}:{self.end}({self.len}){ack} win {self.win}{options}"


def shown(option):
    kind, value = option
    if kind == "sack":
        return "sack " + " ".join("%d:%d" % b for b in value)
    if kind == "TS":
        return "TS val %d ecr %d" % value
    return kind if value is None else f"{kind} {value}"


def checksum(octets, size, source, destination):
    """Of a header and zeros behind it."""
    pseudo = struct.pack("!IIBBH", source[0], destination[0], 0, 6, size)
    total = sum(struct.unpack("!%dH" % ((len(pseudo) + len(octets)) // 2), pseudo + octets))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def header(flags, seq, ack, win, urg, options, length):
    """Octets of a segment of the peer's; numbers as they are on the wire, options (kind, value)."""
    tail = b"".join(option_octets(o) for o in options)
    tail += b"\0" * (-len(tail) % 4)
    bits = sum(BITS[f] for f in flags)
    offset = (20 + len(tail)) // 4 << 12 | bits

    def made(check):
        return struct.pack("!HHIIHHHH", REMOTE[1], LOCAL[1], seq & M32, ack & M32, offset, win, check, urg) + tail

    return made(checksum(made(0), 20 + len(tail) + length, REMOTE, LOCAL))


def option_octets(option):
    kind, value = option
    if kind == "mss":
        return struct.pack("!BBH", 2, 4, value)
    if kind == "wscale":
        return struct.pack("!BBB", 3, 3, value)
    if kind == "sackOK":
        return b"\4\2"
    if kind == "TS":
        return struct.pack("!BBII", 8, 10, *(v & M32 for v in value))
    if kind == "sack":
        return struct.pack("!BB", 5, 2 + 8 * len(value)) + b"".join(struct.pack("!II", a & M32, b & M32) for a, b in value)
    return b"\1" if kind == "nop" else b"\0"


def read(octets, length, ecn, iss, irs):
    """A segment of ours. What its numbers are less than the first ones' are the script's numbers."""
    source, destination, seq, ack, offset, win, check, _ = struct.unpack("!HHIIHHHH", octets[:20])
    if checksum(octets, len(octets) + length, LOCAL, REMOTE):
        raise ValueError("a wrong checksum left")
    flags = "".join(f for f in "SFRPUEW." if offset & BITS[f])
    options = list(options_of(octets[20:], irs))
    return Segment(flags, signed(seq - iss), signed(ack - irs) if "." in flags else 0, win, length, ECN[ecn], options)


def signed(difference):
    difference &= M32
    return difference - (1 << 32) if difference >> 31 else difference


def options_of(octets, irs):
    while octets and octets[0]:
        if octets[0] == 1:
            octets = octets[1:]
            continue
        kind, body, octets = octets[0], octets[2:octets[1]], octets[octets[1]:]
        if kind == 2:
            yield "mss", struct.unpack("!H", body)[0]
        elif kind == 3:
            yield "wscale", body[0]
        elif kind == 4:
            yield "sackOK", None
        elif kind == 8:
            yield "TS", struct.unpack("!II", body)
        elif kind == 5:
            numbers = [signed(n - irs) for n in struct.unpack("!%dI" % (len(body) // 4), body)]
            yield "sack", list(zip(numbers[::2], numbers[1::2]))
        else:
            yield f"option {kind}", None
