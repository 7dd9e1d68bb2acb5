# SPDX-License-Identifier: GPL-2.0-or-later
"""A reference for MPA framing (RFC 5044), in order: CRC32c bit by bit, markers word by word.

Offsets count octets from the first of full operation. A receiver hands up ULPDUs in order, only.
"""

ULPDU_MAX = 64768
CRC_BAD, MARKER_WRONG = (2, 0, 2), (2, 0, 3)


def crc32c(octets):
    """RFC 5044 4.4: as iSCSI's; on the wire least significant octet first."""
    crc = 0xFFFFFFFF
    for octet in octets:
        crc ^= octet
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def mulpdu(emss, markers):
    """RFC 5044 4.5, within 128 and 64768."""
    room = emss - (6 + (4 * -(-emss // 512) if markers else 0) + emss % 4)
    return min(max(room, 128), ULPDU_MAX)


def encode(key, ulpdu, markers, crc):
    """The FPDU whose first octet (a marker, if one is due) stands at offset key."""
    body = len(ulpdu).to_bytes(2, "big") + ulpdu
    body += bytes(-len(body) % 4)
    octets, start = b"", None
    for at in range(0, len(body) + 4, 4):
        here = key + len(octets)
        if markers and here % 512 == 0:
            octets += (0 if start is None else here - start).to_bytes(4, "big")
        start = key + len(octets) if start is None else start
        if at < len(body):
            octets += body[at:at + 4]
    return octets + (crc32c(octets) if crc else 0).to_bytes(4, "little")


class Receiver:
    """One direction. deliver(offset, octets) for what TCP has, in any order; of octets that come twice the first are kept."""

    def __init__(self, markers, crc, ulpdu_max=ULPDU_MAX):
        self.markers, self.crc, self.ulpdu_max = markers, crc, ulpdu_max
        self.known = {}  # octets by offset
        self.edge, self.fpdus, self.error = 0, [], None

    def arrive(self, offset, octets):
        for i, octet in enumerate(octets):
            if offset + i >= self.edge:
                self.known.setdefault(offset + i, octet)
        while self.error is None and (found := self.decode(self.edge)):
            ulpdu, end, self.error = found
            if self.error is None:
                self.fpdus.append((self.edge, ulpdu))
                for at in range(self.edge, end):
                    del self.known[at]
                self.edge = end

    def decode(self, key):
        """(ULPDU, offset behind the FPDU, error) of the FPDU at key, or None while octets are missing."""
        body, covered, start, wrong, at, size = b"", b"", None, None, key, 4
        while len(body) < size:
            if any(at + i not in self.known for i in range(4)):
                return None
            word = bytes(self.known[at + i] for i in range(4))
            at += 4
            if self.markers and (at - 4) % 512 == 0:
                covered += word
                pointer = int.from_bytes(word[2:], "big") & ~3
                wrong = wrong or pointer != (0 if start is None else at - 4 - start)
                continue
            start = at - 4 if start is None else start
            if len(body) == 0:
                length = int.from_bytes(word[:2], "big")
                if length > self.ulpdu_max:
                    return b"", at, MARKER_WRONG
                size = (2 + length + 3) // 4 * 4 + 4
            body += word
            if len(body) < size:
                covered += word
        if self.crc and body[-4:] != crc32c(covered).to_bytes(4, "little"):
            return b"", at, CRC_BAD
        return body[2:2 + length], at, MARKER_WRONG if wrong else None
