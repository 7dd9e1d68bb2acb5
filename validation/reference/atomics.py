# SPDX-License-Identifier: GPL-2.0-or-later
"""The Atomics of RFC 7306 section 5: what they do, their headers, and what a stream checks of them."""

import sys
from dataclasses import dataclass

from wire import ATOMIC_RESPONSE, Fault, number, value

FETCH_ADD, CMP_SWAP, ALL = 0, 2, 2**64 - 1


@dataclass
class Atomic:
    code: int
    ident: int
    stag: int
    to: int
    data: int
    mask: int
    compare: int = 0
    compare_mask: int = ALL
    header: bytes = b""  # DDP's, of the segment that asked

    def octets(self):
        words = (self.to, self.data, self.mask, self.compare, self.compare_mask)
        return number(4, self.code) + number(4, self.ident) + number(4, self.stag) + b"".join(number(8, w) for w in words)

    def result(self, old):
        if self.code == CMP_SWAP:
            return old if (self.compare ^ old) & self.compare_mask else (old & ~self.mask) | (self.data & self.mask)
        new, carry = 0, 0
        for bit in range(64):  # the pseudocode of 5.1.1
            total = carry + (old >> bit & 1) + (self.data >> bit & 1)
            new |= (total & 1) << bit
            carry = total >> 1 & ~(self.mask >> bit) & 1
        return new


def read(octets, header):
    at = (0, 4, 8, 12, 20, 28, 36, 44, 52)
    words = [value(octets[a:b]) for a, b in zip(at, at[1:])]
    return Atomic(words[0] & 15, *words[1:], header=header)


def check(stream, atomic):
    """The region an Atomic may work on: both rights, and aligned (RFC 7306 8.2)."""
    if atomic.code not in (FETCH_ADD, CMP_SWAP):
        raise Fault(0, 2, 6)
    region = stream.access(atomic.stag, atomic.to, 8, {"remote_read", "remote_write"}, (0, 1), (0, 3, 2, 4, 1))
    if (atomic.to - region.to) % 8:
        raise Fault(0, 2, 7)
    return region


def answer(stream, atomic):
    """Does it, and makes the Response."""
    region = check(stream, atomic)
    old = int.from_bytes(region.octets(atomic.to, 8), sys.byteorder)
    region.write(atomic.to, atomic.result(old).to_bytes(8, sys.byteorder))
    msn = stream.next_msn.setdefault(3, stream.first_msn)
    stream.next_msn[3] = (msn + 1) % 2**32
    return stream.untagged_header(ATOMIC_RESPONSE, 0, 3, True, 0, msn) + number(4, atomic.ident) + number(8, old)
