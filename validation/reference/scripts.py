#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Random scripts for judge.py and drive: what an honest peer sends, and the same with something wrong in it.

usage: scripts.py SEED     prints the script of that seed
"""

import json
import random
import sys

DDP_ONLY, RDMAC, RFC7306 = 1, 2, 8
RECEIVE, TARGET = 0x100, 0x200
INTERESTING = [0, 1, 2, 3, 4, 5, 14, 18, 28, 31, 32, 127, 128, 255, 2**15, 2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1, 2**63, 2**64 - 2, 2**64 - 1]
OPCODES = {"write": 0, "read": 1, "response": 2, "send": 3, "send_inv": 4, "send_se": 5, "send_se_inv": 6, "terminate": 7, "immediate": 8, "immediate_se": 9,
           "atomic": 10, "atomic_response": 11}
ALL = 63
LONG = 101000


def number(octets, value):
    return (value % 256**octets).to_bytes(octets, "big")


class Peer:
    """One script: the operations of the side under test, and what its peer sends. `ahead`: segments are presented out of order."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.profile = self.r.choices([0, RFC7306, RDMAC, DDP_ONLY], [6, 2, 1, 2])[0]
        self.ahead = self.r.random() < 0.3
        self.answers_only = self.r.random() < 0.3  # no requests of our own: the answers may be pulled one by one
        self.hostile = self.r.random() < 0.7
        self.wrong = False  # something wrong was sent
        self.mulpdu = self.r.choice([128, 129, 200, 1500])
        self.first_msn = self.r.choice([1, 1, 1, 2**32 - 2, 2**31 - 1])
        self.version = 0 if self.profile == RDMAC else 1
        self.msn, self.cursor, self.write_at, self.script, self.regions, self.reads, self.rooms = {}, 0, 0, [], {}, [], {}
        self.asked = 0  # requests that we posted
        self.only = None  # the one kind of message of a round
        self.silent = int(self.r.random() < 0.1)
        self.long = not self.ahead and self.r.random() < 0.003  # a message of more than 65,535 octets, each way
        self.pd, self.on_ack = self.r.choice([1, 1, 1, 1, 0]), int(self.r.random() < 0.3)
        self.ord, self.ird = (self.r.randint(1, 4) for _ in range(2))

    def op(self, op, **members):
        self.script.append({"op": op, **members})

    def make(self):
        self.op("open", profile=self.profile, pd=self.pd, mulpdu=self.mulpdu, ord=self.ord, ird=self.ird, first_msn=self.first_msn,
                sq=self.r.choice([32, 32, 3]), reorder=self.r.choice([64, 64, 1, 3]), silent=self.silent, on_ack=self.on_ack)
        for region in self.memory():
            self.register(*region)
        self.op("invalidate", stag=0x900)
        if self.r.random() < 0.2:
            self.op("revoke", stag=self.r.choice([0x400, 0x800]))
            self.register(0, 64, 7, 1, 1, 0)
        if self.r.random() < 0.1:
            self.register(2**64 - 63, 64, 7, 1, 0, 0)
        if self.r.random() < 0.2:
            self.ord, self.ird = self.r.randint(1, self.ord), self.r.randint(1, self.ird)
            self.op("depth", ord=self.ord, ird=self.ird)
        if self.long:
            self.long_messages()
        for _ in range(self.r.randint(1, 6)):
            self.round()
        self.op("pull", max=ALL)
        self.op("ack", but=0)
        self.op("memory")
        return self.script

    def register(self, to, length, rights, pd, stream, stream2):
        stag = 0x100 * (len(self.regions) + 1)
        self.op("register", stag=stag, to=to, len=length, rights=rights, pd=pd, stream=stream, stream2=stream2)
        if to + length <= 2**64:
            self.regions[stag] = (to, length)

    def memory(self):
        own = (self.pd, int(not self.pd), 0)  # a stream of no protection domain uses what is its alone
        return [(0, 2 * LONG if self.long else 1024, 7, *own), (self.r.choice([0, 4096, 2**32 - 100, 2**64 - 512]), 512, 7, *own), (64, 128, 2, 1, 0, 0),
                (0, 64, 7, 2, 0, 0), (0, 64, 7, 0, 1, 0), (0, 64, 7, 0, 2, 0), (0, 64, 7, 0, 1, 2), (0, 64, 5, 1, 0, 0), (0, 64, 7, 1, 0, 0),
                (2**64 - 1, 1, 7, 1, 0, 0)]

    def long_messages(self):
        self.op("receive", qn=0, local=[[RECEIVE, LONG, LONG]])
        self.arrive(self.untagged("send", 0, self.r.randbytes(LONG)))
        kind = "ddp_untagged" if self.profile == DDP_ONLY else self.r.choice(["send", "send_se_inv", "write"])
        self.op("post", kind=kind, fence=0, local=[[RECEIVE, 0, LONG]], stag=0x100 if kind == "write" else 0, to=0, qn=0, rsvdulp=0)
        self.asked += 1
        for _ in range(LONG // (self.mulpdu - 18) // ALL + 1):
            self.op("pull", max=ALL)

    # ---- one round: we post, the peer's messages arrive, we answer ----

    def round(self):
        for _ in range(self.r.choice([0, 1, 2, 4])):
            self.receive()
        if self.profile != DDP_ONLY and self.r.random() < 0.2:
            self.op("arm", how=self.r.choice([1, 2]))
        uncertain = self.ahead and (self.wrong or self.profile == DDP_ONLY)  # what memory holds after an error
        quiet = self.answers_only or uncertain
        for _ in range(0 if quiet else self.r.choice([0, 0, 1, 2, 5])):
            self.post()
        if self.profile != DDP_ONLY and self.r.random() < 0.04:
            self.op("invalidate", stag=self.r.choice([0x100, 0x200, 0x300, 0x500]))
            self.wrong = True
        self.op("pull", max=ALL)
        if self.hostile and self.r.random() < 0.01:
            self.op("error", term=0x2002)
        if self.on_ack and self.r.random() < 0.7:
            self.op("ack", but=0 if self.silent else self.r.randrange(3))
        self.only = "read" if self.r.random() < 0.1 and not self.on_ack and self.profile != DDP_ONLY else None
        segments = [s for _ in range(self.r.choice([1, 2, 3, 5])) for s in self.message()][:40]
        if self.hostile and self.r.random() < 0.5 and segments:
            self.spoil(segments)
        self.arrive(segments)
        if self.hostile and self.r.random() < 0.02:
            for _ in range(self.r.choice([1, 2])):
                self.op("error", term=self.r.choice([0x0000, 0x0207, 0x1205, 0x2002, 0x2003]))
        for _ in range(self.r.randint(0, 3) if self.answers_only else 0):
            self.op("pull", max=self.r.choice([1, 1, 2]))
            if self.r.random() < 0.15:
                self.op("invalidate", stag=self.r.choice([0x200, 0x300]))
        if not self.answers_only:
            self.op("pull", max=ALL)

    def receive(self):
        length = self.r.choice([0, 1, 8, 30, 32, 100, 200])
        if self.cursor + length > 512 or sum(map(len, self.rooms.values())) > 20:
            return
        qn = self.r.choice([0, 5]) if self.profile == DDP_ONLY else 0
        self.rooms.setdefault(qn, []).append(length)
        self.op("receive", qn=qn, local=[[RECEIVE, self.cursor, length]])
        self.cursor += length

    def post(self):
        kinds = ["ddp_tagged", "ddp_untagged"] if self.profile == DDP_ONLY else ["send", "send_inv", "send_se", "send_se_inv", "write", "read", "read", "read"]
        kind = self.r.choice(kinds + (["immediate", "immediate_se", "fetch_add", "cmp_swap"] if self.profile == RFC7306 else []))
        if kind in ("fetch_add", "cmp_swap"):
            return self.post_atomic(kind)
        length = 0 if kind.startswith("immediate") else self.r.choice([0, 1, 7, 110, 111, 114, 115, 128, 200])
        stag, to = (TARGET, self.regions[TARGET][0]) if kind == "read" else (RECEIVE, 512)
        at = to + self.r.randrange(512 - length)
        if kind == "read" and self.ahead:
            at, length = self.fresh(length)
        local = [[stag, at, length]] if length else []
        if kind == "read":
            self.reads.append((TARGET if length else 0, at if length else 0, length))
        elif length > 1 and self.r.random() < 0.3:
            cut = self.r.randrange(1, length)
            local = [[stag, at, cut], [stag, at + cut, length - cut]]
        self.asked += 1
        self.op("post", kind=kind, fence=int(self.profile != DDP_ONLY and self.r.random() < 0.15), local=local, stag=self.r.getrandbits(32) if kind != "ddp_untagged" else 0,
                to=self.r.choice(INTERESTING) if kind in ("write", "read", "ddp_tagged") else 0,
                qn=self.r.choice([0, 5]) if kind == "ddp_untagged" else 0,
                rsvdulp=self.r.getrandbits(64 if kind.startswith("imm") else 8 if kind == "ddp_tagged" else 40 if kind == "ddp_untagged" else 1))

    def post_atomic(self, kind):
        words = {name: self.r.choice([0, 2**64 - 1, self.r.getrandbits(64)]) for name in ("data", "mask", "compare", "compare_mask")[:4 if kind == "cmp_swap" else 2]}
        self.op("post", kind=kind, fence=int(self.r.random() < 0.15), local=[], stag=self.r.getrandbits(32), to=self.r.choice(INTERESTING), qn=0, rsvdulp=0, **words)
        self.reads.append(self.asked)
        self.asked += 1

    # ---- what the peer sends ----

    def message(self):
        if self.profile == DDP_ONLY:
            return self.write("write", self.r.randrange(256)) if self.r.random() < 0.5 else self.untagged("send", self.r.choice([0, 5]))
        reads = [] if self.on_ack else ["read", "read"]  # else it is not certain what was acknowledged, the answers or our requests
        kinds = ["send", "send", "send_inv", "send_se", "send_se_inv", "write", "write"] + reads
        kind = self.r.choice(kinds + ["response"] * 3 * len(self.reads[:2]) + (["terminate"] * 2 if self.r.random() < 0.1 else [])
                             + (["immediate", "immediate_se"] + ["atomic"] * len(reads) if self.profile == RFC7306 else []))
        kind = self.only or kind
        if kind == "write":
            return self.write(kind, 0)
        if kind == "response":
            asked = self.reads.pop(0)
            if isinstance(asked, int):
                return self.untagged("atomic_response", 3, number(4, asked) + self.r.randbytes(8))
            stag, to, length = asked
            if self.hostile and length > 1 and self.r.random() < 0.1:
                return self.backwards(stag, to, self.r.randbytes(length))
            return self.tagged("response", stag, to, self.r.randbytes(length), 0)
        return self.untagged(kind, {"read": 1, "atomic": 1, "terminate": 2}.get(kind, 0))

    def write(self, kind, octet):
        """Ahead of its turn nothing is written twice: what stands there then would depend on the order."""
        length = self.r.choice([0, 1, 2, 20, 60, 150])
        if self.ahead:
            at, length = self.fresh(length)
            return self.tagged(kind, TARGET, at, self.r.randbytes(length), octet)
        stag = self.r.choice([TARGET] * 5 + [0x500, 0x700, 0x800, 0xa00] + ([0x300, 0x400, 0x600, 0x900, 0xb00] if self.hostile else []))
        to, size = self.regions.get(stag, (0, 64))
        length = min(length, size)
        return self.tagged(kind, stag, to + self.r.randint(0, size - length), self.r.randbytes(length), octet)

    def fresh(self, length):
        """(TO, length) of octets of the target that nothing was written to."""
        to, size = self.regions[TARGET]
        length = min(length, size - self.write_at)
        self.write_at += length
        return to + self.write_at - length, length

    def backwards(self, stag, to, payload):
        """All octets of a Response, each once; but its last segment brings the first of them."""
        self.wrong = True
        cut = self.r.randint(max(1, len(payload) - (self.mulpdu - 14)), min(len(payload) - 1, self.mulpdu - 14)) if len(payload) <= 2 * (self.mulpdu - 14) else 0
        if not cut:
            return self.tagged("response", stag, to, payload, 0)
        head = self.control("response") + number(4, stag)
        return [number(1, 0x80 | self.version) + head + number(8, to + cut) + payload[cut:], number(1, 0xC0 | self.version) + head + number(8, to) + payload[:cut]]

    def control(self, kind, octet=0):
        return number(1, octet if self.profile == DDP_ONLY else self.version << 6 | OPCODES[kind])

    def tagged(self, kind, stag, to, payload, octet):
        room, out = self.mulpdu - 14, []
        for at in range(0, max(len(payload), 1), room):
            last = 0x40 if at + room >= len(payload) else 0
            out.append(number(1, 0x80 | last | self.version) + self.control(kind, octet) + number(4, stag) + number(8, to + at) + payload[at:at + room])
        return out

    def untagged(self, kind, qn, payload=None):
        msn = self.msn.setdefault(qn, self.first_msn)
        self.msn[qn] = msn + 1
        payload, room, out = self.body(kind, qn) if payload is None else payload, self.mulpdu - 18, []
        word = self.r.choice([0x500, 0x800, 0x200, 0x900, 0x300] + ([0x600, 0x700, 0x400, 0xdead] if self.hostile else [])) if kind.endswith("_inv") else 0
        if word and self.ahead:
            word = 0x800
        for at in range(0, max(len(payload), 1), room):
            last = 0x40 if at + room >= len(payload) else 0
            out.append(number(1, last | self.version) + self.control(kind) + number(4, word) + number(4, qn) + number(4, msn) + number(4, at) + payload[at:at + room])
        return out

    def body(self, kind, qn):
        if kind == "read":
            return self.read_request()
        if kind == "terminate":
            return self.terminate()
        if kind.startswith("immediate"):
            return self.r.randbytes(8)
        if kind == "atomic":
            return self.atomic_request()
        rooms = self.rooms.get(qn) or [0]
        room = rooms.pop(0)
        return self.r.randbytes(self.r.choice([room, room, max(room - 1, 0), room // 2, 0] + ([room + 1] if self.hostile else [])))

    def terminate(self):
        """With the headers that its flags tell of, cut short, or with others."""
        flags = self.r.choice([0, 0xC0, 0xE0, 0x80, 0x40, 0x20, 0x60])
        head = self.r.choice([b"\x41\x41" + self.r.randbytes(16), b"\xc1\x40" + self.r.randbytes(12)])
        said = (number(2, 20) if flags & 0xC0 else b"") + (head if flags & 0x40 else b"") + (self.r.randbytes(28) if flags & 0x20 else b"")
        said = self.r.choice([said, said, said[:max(len(said) - self.r.randint(1, 6), 0)], self.r.randbytes(self.r.randrange(52))])
        return bytes([self.r.choice([0x01, 0x12, 0x20]), self.r.randrange(7), flags | self.r.randrange(32), 0]) + said

    def read_request(self):
        stag = self.r.choice([TARGET, TARGET, 0x300, 0x500] + ([0x400, 0x600, 0x700, 0x800, 0x900, 0xb00] if self.hostile else []))
        to, size = self.regions.get(stag, (0, 64))
        length = self.r.choice([0, 1, 5, min(size, 120), size])
        at = to + self.r.randint(0, size - min(length, size))
        if self.hostile and self.r.random() < 0.1:
            at, length = self.r.choice([(at, size + 1), (to - 1, 1), (to + size, 1), (2**64 - 1, 2), (at, 2**32 - 1), (2**64 - 2, 2)])
        return number(4, self.r.getrandbits(32)) + number(8, self.r.choice(INTERESTING)) + number(4, length) + number(4, stag) + number(8, at)

    def atomic_request(self):
        stag = self.r.choice([TARGET] * 4 + [0x500] + ([0x300, 0x400, 0x800, 0x900, 0xa00] if self.hostile else []))
        to = self.regions.get(stag, (0, 64))[0] + 8 * self.r.randrange(8) + (self.r.randrange(8) if self.hostile and self.r.random() < 0.1 else 0)
        words = [self.r.choice([0, 2**64 - 1, self.r.getrandbits(64), 0x0706050403020100]) for _ in range(4)]
        code = self.r.choice([0, 2] * 9 + ([1, 3] if self.hostile else []))
        return number(4, code) + number(4, self.r.getrandbits(32)) + number(4, stag) + number(8, to) + b"".join(number(8, w) for w in words)

    # ---- something wrong ----

    def spoil(self, segments):
        self.wrong = True
        answers = [i for i, s in enumerate(segments) if s[0] & 0x80 and s[1] & 15 == OPCODES["response"]]
        i = self.r.choice(answers) if answers and self.r.random() < 0.5 else self.r.randrange(len(segments))
        how = self.r.choice([self.flip, self.field, self.field, self.field, self.cut, self.grow, self.last, self.control_octet, self.noise])
        move = self.r.random()
        if move < 0.5 and (self.only == "read" or segments[i][1] & 15 == OPCODES["terminate"]):
            segments.insert(i + 1, self.otherwise(segments[i]))
        elif move < 0.08:
            segments.insert(i, segments[i])
        elif move < 0.14:
            del segments[i]
        elif move < 0.2:
            j = self.r.randrange(len(segments))
            segments[i], segments[j] = segments[j], segments[i]
        else:
            segments[i] = how(segments[i])

    def otherwise(self, s):
        """The same header once more, with other octets behind it."""
        body = self.r.choice([s[18:][::-1], self.r.randbytes(len(s[18:])), s[18:34] + number(4, 0x300) + number(8, 0)])
        return s[:18] + body[:len(s) - 18]

    def flip(self, s):
        bit = self.r.randrange(8 * min(len(s), 46))
        return s[:bit // 8] + bytes([s[bit // 8] ^ 1 << bit % 8]) + s[bit // 8 + 1:]

    def field(self, s):
        """One field of the headers becomes another value: an interesting one, or one near what it was."""
        fields = [(2, 4), (6, 8)] if s[0] & 0x80 else [(2, 4), (6, 4), (10, 4), (14, 4), (18, 4), (22, 8), (30, 4), (34, 4), (38, 8)]
        at, size = self.r.choice([f for f in fields if sum(f) <= len(s)] or [(0, 1)])
        was = int.from_bytes(s[at:at + size], "big")
        value = self.r.choice([self.r.choice(INTERESTING), was + self.r.choice([-2, -1, 1, 2, self.r.randint(-128, 128)]), 0x100 * self.r.randrange(1, 12), was ^ 1 << self.r.randrange(8 * size)])
        return s[:at] + number(size, value) + s[at + size:]

    def cut(self, s):
        return s[:self.r.choice([self.r.randrange(len(s) + 1), 13, 14, 17, 18, 45, max(len(s) - 1, 0)])]

    def grow(self, s):
        return s + self.r.randbytes(self.r.choice([1, 1, 2, 30, 100]))

    def last(self, s):
        return bytes([s[0] ^ 0x40]) + s[1:]

    def control_octet(self, s):
        at = self.r.choice([0, 1, 1])
        return s[:at] + self.r.randbytes(1) + s[at + 1:]

    def noise(self, s):
        return s[:self.r.choice([0, 1, 2, 6, 14])] + self.r.randbytes(self.r.randrange(60))

    def arrive(self, segments):
        keys = [sum(len(s) + 8 for s in segments[:i]) for i in range(len(segments) + 1)]
        if not self.ahead:
            for s in segments:
                self.op("arrive", key=0, ulpdu=s.hex())
                self.op("deliver", key=len(s) + 8)
                if self.r.random() < 0.03:
                    self.op("again", ulpdu=(s[:18] + self.r.randbytes(len(s[18:]))).hex(), back=len(s) + 8)
            return
        order = list(range(len(segments)))
        self.r.shuffle(order)
        order += order[:self.r.choice([0, 0, 0, 2])]
        for i in order:
            self.op("arrive", key=keys[i], ulpdu=segments[i].hex())
        part = self.r.randrange(1, len(segments)) if self.only == "read" and len(segments) > 1 else 0
        if part:  # their turn comes one after the other: answers leave in between
            self.op("deliver", key=keys[part])
            self.op("pull", max=ALL)
        self.op("deliver", key=keys[-1] - keys[part])


def script(seed):
    """(operations, what presents segments before their turn)."""
    peer = Peer(seed)
    return peer.make(), peer.ahead and ("wrong" if peer.wrong else "right")


if __name__ == "__main__":
    for operation in script(int(sys.argv[1]))[0]:
        print(json.dumps(operation, separators=(",", ":")))
