# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures taken apart and put together: pcap files, link headers, IP, TCP, and MPA written from RFC 5044 alone."""

import socket
import struct
from dataclasses import dataclass, replace

FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16


@dataclass
class Segment:
    """One TCP segment; time in nanoseconds."""

    time: int
    source: tuple  # (address, port)
    target: tuple
    seq: int
    ack: int
    flags: int
    payload: bytes = b""
    window: int = 65535

    def but(self, **changes):
        return replace(self, **changes)


# ---- files ----


def read_pcap(path):
    """(time in ns, octets) of each frame of a microsecond, little-endian pcap file."""
    with open(path, "rb") as f:
        data = f.read()
    assert data[:4] == b"\xd4\xc3\xb2\xa1"
    at, frames = 24, []
    while at < len(data):
        s, us, length = struct.unpack_from("<III", data, at)
        frames.append((s * 10**9 + us * 1000, data[at + 16 : at + 16 + length]))
        at += 16 + length
    return frames


def pcap(frames, link=1, nano=False, snap=262144, big=False):
    """The octets of a pcap file."""
    end = ">" if big else "<"
    out = [struct.pack(end + "IHHiIII", 0xA1B23C4D if nano else 0xA1B2C3D4, 2, 4, 0, 0, snap, link)]
    for time, octets in frames:
        fraction = time % 10**9 if nano else time % 10**9 // 1000
        kept = octets[:snap]
        out.append(struct.pack(end + "IIII", time // 10**9, fraction, len(kept), len(octets)) + kept)
    return b"".join(out)


def pcapng(frames, link=1):
    """The octets of a pcapng file: one section, one interface, nanoseconds."""

    def block(kind, body):
        body += bytes(-len(body) % 4)
        return struct.pack("<II", kind, len(body) + 12) + body + struct.pack("<I", len(body) + 12)

    out = [block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))]
    out.append(block(1, struct.pack("<HHI", link, 0, 0) + struct.pack("<HHB3xHH", 9, 1, 9, 0, 0)))
    for time, octets in frames:
        head = struct.pack("<IIIII", 0, time >> 32, time & 0xFFFFFFFF, len(octets), len(octets))
        out.append(block(6, head + octets))
    return b"".join(out)


# ---- TCP over IP over Ethernet, in and out ----


def parse(frames):
    """The segments of Ethernet frames without tags, IPv4 options or IPv6 extension headers."""
    segments = []
    for time, frame in frames:
        kind, ip = struct.unpack_from(">H", frame, 12)[0], frame[14:]
        if kind == 0x0800 and ip[9] == 6:
            size, total = (ip[0] & 15) * 4, struct.unpack_from(">H", ip, 2)[0]
            source, target = socket.inet_ntop(socket.AF_INET, ip[12:16]), socket.inet_ntop(socket.AF_INET, ip[16:20])
            tcp = ip[size:total]
        elif kind == 0x86DD and ip[6] == 6:
            source, target = socket.inet_ntop(socket.AF_INET6, ip[8:24]), socket.inet_ntop(socket.AF_INET6, ip[24:40])
            tcp = ip[40 : 40 + struct.unpack_from(">H", ip, 4)[0]]
        else:
            continue
        sport, dport, seq, ack, offset, flags, window = struct.unpack_from(">HHIIBBH", tcp)
        payload = tcp[(offset >> 4) * 4 :]
        segments.append(Segment(time, (source, sport), (target, dport), seq, ack, flags, payload, window))
    return segments


def ones_sum(octets):
    octets += b"\0" * (len(octets) % 2)
    total = sum(struct.unpack(">%dH" % (len(octets) // 2), octets))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def address(text):
    return socket.inet_pton(socket.AF_INET6 if ":" in text else socket.AF_INET, text)


def tcp_octets(s, checksum="good"):
    """The TCP segment with its checksum: good, zero, pseudo (as an unfilled one), or wrong."""
    head = struct.pack(">HHIIBBHHH", s.source[1], s.target[1], s.seq % 2**32, s.ack % 2**32, 5 << 4, s.flags, s.window, 0, 0)
    octets = head + s.payload
    pseudo = address(s.source[0]) + address(s.target[0]) + struct.pack(">II", len(octets), 6)
    value = {
        "good": lambda: 0xFFFF ^ ones_sum(pseudo + octets) or 0xFFFF,
        "zero": lambda: 0,
        "pseudo": lambda: ones_sum(pseudo),
        "wrong": lambda: (0xFFFF ^ ones_sum(pseudo + octets)) ^ 0x1111 or 1,
    }[checksum]()
    return octets[:16] + struct.pack(">H", value) + octets[18:]


def ip_packet(s, tcp=None, options=b"", extensions=b"", first_next=6, fragment=0, no_total=False):
    """(ethertype, octets); tcp: already made octets."""
    tcp = tcp if tcp is not None else tcp_octets(s)
    if ":" in s.source[0]:
        body = extensions + tcp
        head = struct.pack(">IHBB", 6 << 28, 0 if no_total else len(body), first_next, 64)
        return 0x86DD, head + address(s.source[0]) + address(s.target[0]) + body
    size = 20 + len(options)
    head = struct.pack(">BBHHHBBH", 0x40 | size // 4, 0, 0 if no_total else size + len(tcp), 1, fragment, 64, 6, 0)
    head += address(s.source[0]) + address(s.target[0]) + options
    check = 0xFFFF ^ ones_sum(head)
    return 0x0800, head[:10] + struct.pack(">H", check) + head[12:] + tcp


LINKS = {  # name: (link type, header for an ethertype)
    "ethernet": (1, lambda t: bytes(12) + struct.pack(">H", t)),
    "802.1Q": (1, lambda t: bytes(12) + struct.pack(">HHH", 0x8100, 5, t)),
    "802.1ad": (1, lambda t: bytes(12) + struct.pack(">HHHHH", 0x88A8, 7, 0x8100, 5, t)),
    "raw": (101, lambda t: b""),
    "null": (0, lambda t: struct.pack("<I", 2 if t == 0x0800 else 30)),
    "loop": (108, lambda t: struct.pack(">I", 2 if t == 0x0800 else 24)),
    "ppp": (9, lambda t: struct.pack(">H", 0x21 if t == 0x0800 else 0x57)),
    "ppp framed": (50, lambda t: b"\xff\x03" + struct.pack(">H", 0x21 if t == 0x0800 else 0x57)),
    "cooked": (113, lambda t: struct.pack(">HHH8sH", 0, 1, 6, bytes(8), t)),
    "cooked v2": (276, lambda t: struct.pack(">HHIHBB8s", t, 0, 1, 1, 0, 6, bytes(8))),
}


def frames_of(segments, link="ethernet", checksum="good", **ip):
    header = LINKS[link][1]
    frames = []
    for s in segments:
        kind, packet = ip_packet(s, tcp_octets(s, checksum), **ip)
        frames.append((s.time, header(kind) + packet))
    return frames


def capture(segments, link="ethernet", checksum="good", nano=False, **ip):
    return pcap(frames_of(segments, link, checksum, **ip), LINKS[link][0], nano)


# ---- MPA (RFC 5044) and RDMAP headers, written from the documents ----

CRC_TABLE = []
for _i in range(256):
    _c = _i
    for _ in range(8):
        _c = _c >> 1 ^ (0x82F63B78 if _c & 1 else 0)
    CRC_TABLE.append(_c)


def crc32c(octets):
    c = 0xFFFFFFFF
    for o in octets:
        c = c >> 8 ^ CRC_TABLE[(c ^ o) & 255]
    return c ^ 0xFFFFFFFF


class Mpa:
    """One direction's stream of FPDUs."""

    def __init__(self, crc=True, markers=False):
        self.crc, self.markers, self.offset = crc, markers, 0

    def fpdu(self, ulpdu, bad_crc=False):
        """The octets of the next FPDU, markers included."""
        body = struct.pack(">H", len(ulpdu)) + ulpdu
        body += bytes(-len(body) % 4)
        out, start = b"", None
        for word in range(0, len(body) + 4, 4):
            if self.markers and (self.offset + len(out)) % 512 == 0:
                at = self.offset + len(out)
                out += struct.pack(">HH", 0, 0 if start is None else at - start)
            if start is None:
                start = self.offset + len(out)
            if word < len(body):
                out += body[word : word + 4]
        crc = crc32c(out) if self.crc else 0
        out += struct.pack("<I", crc ^ 1 if bad_crc else crc)
        self.offset += len(out)
        return out


def frame(kind, crc=True, markers=False, private=b"", rev=1, enhanced=None, reject=False):
    """A start-up frame; enhanced: (IRD, ORD)."""
    flags = (0x80 if markers else 0) | (0x40 if crc else 0) | (0x20 if reject else 0) | (0x10 if enhanced else 0)
    data = (struct.pack(">HH", *enhanced) if enhanced else b"") + private
    return b"MPA ID " + kind + b" Frame" + struct.pack(">BBH", flags, rev, len(data)) + data


def tagged(op, stag, to, payload=b"", last=True, version=1):
    return struct.pack(">BBIQ", 0x80 | (0x40 if last else 0) | version, version << 6 | op, stag, to) + payload


def untagged(op, qn, msn, mo=0, payload=b"", last=True, inval=0, version=1):
    return struct.pack(">BBIIII", (0x40 if last else 0) | version, version << 6 | op, inval, qn, msn, mo) + payload


def read_request(msn, sink, size, source):
    return untagged(1, 1, msn, 0, struct.pack(">IQIIQ", *sink, size, *source))


class Connection:
    """A TCP connection made up for a capture: both ends' sequence numbers, time passing by a millisecond."""

    def __init__(self, initiator=("10.0.0.1", 40000), responder=("10.0.0.2", 7174), isn=(1000, 2000)):
        self.ends, self.next, self.time, self.segments = (initiator, responder), list(isn), 10**18, []

    def send(self, side, payload=b"", flags=ACK | PSH):
        self.time += 10**6
        self.segments.append(
            Segment(self.time, self.ends[side], self.ends[1 - side], self.next[side] % 2**32, self.next[1 - side] % 2**32, flags, payload)
        )
        self.next[side] += len(payload) + (1 if flags & (SYN | FIN) else 0)
        return self

    def start(self):
        return self.send(0, flags=SYN).send(1, flags=SYN | ACK).send(0, flags=ACK)

    def finish(self):
        return self.send(0, flags=FIN | ACK).send(1, flags=FIN | ACK).send(0, flags=ACK)
