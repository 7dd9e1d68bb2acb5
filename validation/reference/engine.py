# SPDX-License-Identifier: GPL-2.0-or-later
"""A reference for one end of a DDP/RDMAP stream (RFC 5041, RFC 5040, Immediate Data of RFC 7306), in order.

Written from the RFCs and the format of the vectors, without the model's code, to judge the model. Stream.arrive() takes the
ULPDUs in the order sent, Stream.pull() gives the next that leaves, or None; Stream.events is what the ULP is told.
"""

from collections import deque
from dataclasses import dataclass

import atomics
from wire import (ATOMIC_REQUEST, ATOMIC_RESPONSE, IMMEDIATE, IMMEDIATE_SE, OPCODE, QUEUE, READ_HEADER, READ_REQUEST, READ_RESPONSE, SEND_INV,
                  SEND_SE, SEND_SE_INV, TERMINATE, WHOLE, WRITE, Fault, number, value)

ASKS = {READ_REQUEST, ATOMIC_REQUEST}  # what is answered


@dataclass
class Region:
    to: int
    data: bytearray
    rights: set = ()
    pd: int = 1
    streams: set = ()
    valid: bool = True

    def octets(self, to, length):
        return bytes(self.data[to - self.to:to - self.to + length])

    def write(self, to, octets):
        self.data[to - self.to:to - self.to + len(octets)] = octets


@dataclass
class Read:
    """A Read Request that was received and is being answered, or one of ours that is outstanding."""
    sink_stag: int
    sink_to: int
    size: int
    stag: int
    to: int
    done: int = 0
    header: bytes = b""  # DDP's, of the segment that asked

    def octets(self):
        """The RDMA header as it stands now (RFC 5040 4.8: what is left to transfer)."""
        sink = number(4, self.sink_stag) + number(8, (self.sink_to + self.done) % 2**64)
        return sink + number(4, self.size - self.done) + number(4, self.stag) + number(8, (self.to + self.done) % 2**64)


class Stream:
    def __init__(self, profile=(), pd=1, ident=1, mulpdu=1500, ord_=4, ird=4, first_msn=1, queues=(0, 5), silent=False, on_ack=False):
        self.profile, self.pd, self.ident, self.mulpdu, self.ord, self.ird = set(profile), pd, ident, mulpdu, ord_, ird
        self.version = int("rdmac" not in self.profile)
        self.rdmap = "ddp_only" not in self.profile
        self.first_msn, self.queues = first_msn, ((0, 1, 2, 3) if "rfc7306" in self.profile else (0, 1, 2)) if self.rdmap else queues
        self.regions, self.receives, self.expected, self.next_msn = {}, {}, {}, {}
        own = ((1, 52), (2, 2**16), (3, 12), (IMMEDIATE, 8)) if self.rdmap else ()
        self.own = {qn: Region(0, bytearray(octets)) for qn, octets in own}  # the buffers that are RDMAP's
        self.requests, self.outstanding, self.answers = deque(), deque(), deque()
        self.submitted = deque()  # requests not complete yet, in the order posted
        self.sending = None  # what is left of the message that is being cut into segments
        self.terminate = None  # octets to send
        self.silent, self.on_ack, self.pulled, self.posted = silent, on_ack, 0, 0
        self.live, self.more, self.events = True, 1, []  # more: messages that a ULP without RDMAP may send after an error

    def register(self, stag, to, length, rights, pd=1, streams=(), content=None, valid=True):
        data = bytearray(i % 256 for i in range(length)) if content == "count" else bytearray(length)
        self.regions[stag] = Region(to, data, set(rights), pd, set(streams), valid)

    def post_receive(self, qn, buffer):
        self.receives.setdefault(qn, deque()).append(list(buffer))

    def post(self, op, local=(), stag=0, to=0, rsvdulp=0, qn=0, fence=False, **more):
        """False: not taken, for the stream has ended. A ULP without RDMAP may send one more message then (RFC 5041 7.1)."""
        self.more -= not self.live
        if not self.live and (self.rdmap or self.more < 0):
            return False
        length = sum(piece[2] for piece in local) + 8 * op.startswith(("immediate", "fetch", "cmp"))
        self.requests.append({"op": op, "local": list(local), "stag": stag, "to": to, "rsvdulp": rsvdulp, "qn": qn, "length": length,
                              "fence": fence, "done": False, "left": None, "found": {}, "number": self.posted, **more})
        self.posted += 1
        self.submitted.append(self.requests[-1])
        return True

    def acked(self, count):
        """The peer has the first so many ULPDUs. With on_ack, Sends and Writes are complete only then (RFC 5041 5.4)."""
        for request in self.submitted:
            request["done"] |= request["left"] is not None and request["left"] <= count
        while self.submitted and self.submitted[0]["done"]:  # in the order posted (RFC 5040 5.5): a Send behind a Read waits for it
            request = self.submitted.popleft()
            self.events.append({"event": "complete", "op": request["op"], "length": request["length"], **request["found"]})

    def arrive(self, ulpdu):
        """One DDP segment, at its turn. After an error, or a Terminate, what comes is dropped (RFC 5041 7.1)."""
        if not self.live:
            return
        self.silent = False
        try:
            self.check_version(ulpdu)
            (self.tagged if ulpdu[0] & 0x80 else self.untagged)(ulpdu)
        except Fault as fault:
            self.fail(fault, ulpdu, answered=not self.is_terminate(ulpdu))

    def check_version(self, ulpdu):
        tagged = ulpdu[:1] >= b"\x80"
        if len(ulpdu) < (14 if tagged else 18):
            raise Fault(1, 0, 0)
        if ulpdu[0] & 3 != self.version:
            raise Fault(1, 1, 4) if tagged else Fault(1, 2, 6)
        if not self.rdmap:
            return
        if ulpdu[1] >> 6 != self.version:
            raise Fault(0, 2, 5)
        opcode = ulpdu[1] & 15
        known = opcode <= (ATOMIC_RESPONSE if "rfc7306" in self.profile else TERMINATE)
        if not known or tagged != (opcode in (WRITE, READ_RESPONSE)) or (opcode == READ_RESPONSE and not self.awaits(Read)):
            raise Fault(0, 2, 6)

    def awaits(self, kind):
        return bool(self.outstanding) and isinstance(self.outstanding[0], kind)

    def is_terminate(self, ulpdu):
        return self.rdmap and len(ulpdu) >= 18 and ulpdu[0] & 0x83 == self.version and ulpdu[1] & 15 == TERMINATE

    def tagged(self, ulpdu):
        stag, to, payload, last = value(ulpdu[2:6]), value(ulpdu[6:14]), ulpdu[14:], ulpdu[0] & 0x40
        response = self.rdmap and ulpdu[1] & 15 == READ_RESPONSE
        if payload:
            if response:
                self.check_response(self.outstanding[0], stag, to, len(payload))
            region = self.access(stag, to, len(payload), {"remote_write"}, (1, 1), (0, 2, 0, 3, 1))
            region.write(to, payload)
        if last and response:
            self.read_complete(to + len(payload) if payload else None)
        elif last and not self.rdmap:
            self.events.append({"event": "deliver", "tagged": True, "rsvdulp": ulpdu[1], "stag": stag})

    def access(self, stag, to, length, right, kind, codes):
        """The region, or the first thing wrong: STag, association, right, wrap, bounds."""
        region = self.regions.get(stag)
        wrong = [region is None or not region.valid, region and not self.associated(region),
                 region and not right <= set(region.rights), to + length > 2**64,
                 region and not (region.to <= to and to + length <= region.to + len(region.data))]
        if any(wrong):
            raise Fault(*kind, codes[wrong.index(True)])
        return region

    def associated(self, region):
        return bool(region.pd and region.pd == self.pd) or self.ident in region.streams

    def check_response(self, read, stag, to, length):
        inside = read.sink_to <= to and to + length <= read.sink_to + read.size
        if stag != read.sink_stag or not inside:
            raise Fault(1, 1, int(stag == read.sink_stag))
        read.done += length

    def read_complete(self, end):
        read = self.outstanding[0]
        if read.done < read.size or end not in (None, read.sink_to + read.size):
            raise Fault(1, 1, 1)
        self.answered()

    def answered(self, **found):
        self.outstanding.popleft()
        request = next(r for r in self.submitted if r["op"] in ("read", "fetch_add", "cmp_swap") and not r["done"])
        request |= {"done": True, "found": found}
        self.acked(0)

    def untagged(self, ulpdu):
        qn, msn, mo, payload, last = value(ulpdu[6:10]), value(ulpdu[10:14]), value(ulpdu[14:18]), ulpdu[18:], ulpdu[0] & 0x40
        self.check_queue(ulpdu, qn)
        self.check_msn(qn, msn)
        whole = WHOLE.get(ulpdu[1] & 15) if self.rdmap else None
        if mo and (whole or (self.rdmap and qn == 2)):
            raise Fault(1, 2, 4)
        if whole and (not last or len(payload) != whole):
            raise Fault(0, 2, 0xFF)
        buffer = self.buffer(IMMEDIATE if whole == 8 else qn)
        room = sum(length for _, _, length in buffer)
        if (payload and mo >= room) or (last and mo > room):
            raise Fault(1, 2, 4)
        if mo + len(payload) > room and payload:
            raise Fault(1, 2, 5)
        if payload and not all(region.valid for region, _, _ in buffer):
            raise Fault(1, 0, 0)
        self.place(buffer, mo, payload)
        if last:
            self.deliver(ulpdu, qn, msn, mo + len(payload))
            self.expected[qn] = (msn + 1) % 2**32

    def check_queue(self, ulpdu, qn):
        if qn not in self.queues:
            raise Fault(1, 2, 1)
        if self.rdmap and QUEUE[ulpdu[1] & 15] != qn:
            raise Fault(0, 2, 6)

    def check_msn(self, qn, msn):
        """The MSN names a buffer (RFC 5041 7.1), and in order it is the next one's."""
        ahead = (msn - self.expected.setdefault(qn, self.first_msn)) % 2**32
        if ahead < 2**31 and ahead >= self.buffers(qn):
            raise Fault(1, 2, 2)
        if ahead:
            raise Fault(1, 2, 3)

    def buffers(self, qn):
        if qn in self.own:
            atomics_out = sum(isinstance(o, atomics.Atomic) for o in self.outstanding)
            return {1: self.ird - len(self.answers), 3: atomics_out}.get(qn, 1)
        return len(self.receives.get(qn, ()))

    def buffer(self, qn):
        """The buffer of the next message on a queue: (region, TO, length)s. RDMAP has its own for QN 1 and 2."""
        if qn in self.own:
            return [(self.own[qn], 0, len(self.own[qn].data))]
        return [(self.regions[stag], to, length) for stag, to, length in self.receives[qn][0]]

    @staticmethod
    def place(buffer, mo, payload):
        for region, to, length in buffer:
            region.write(to + max(0, mo), payload[max(0, -mo):max(0, length - mo)])
            mo -= length

    def deliver(self, ulpdu, qn, msn, length):
        if not self.rdmap:
            self.receives[qn].popleft()
            self.events.append({"event": "deliver", "tagged": False, "rsvdulp": value(ulpdu[1:6]), "qn": qn, "msn": msn, "length": length})
        elif qn == 0:
            self.deliver_send(ulpdu, msn, length)
        elif qn == 1:
            self.deliver_request(ulpdu)
        elif qn == 3:
            self.deliver_atomic(ulpdu[18:])
        else:
            self.deliver_terminate(bytes(self.own[2].data[:length]))

    def deliver_send(self, ulpdu, msn, length):
        opcode, immediate = ulpdu[1] & 15, ulpdu[1] & 15 in (IMMEDIATE, IMMEDIATE_SE)
        event = {"event": "deliver", "op": "send", "msn": msn, "length": length, "solicited": opcode in (SEND_SE, SEND_SE_INV, IMMEDIATE_SE)}
        if opcode in (SEND_INV, SEND_SE_INV):
            event["invalidated"] = self.remote_invalidate(value(ulpdu[2:6]))
        event |= {"immediate": value(ulpdu[18:26])} if immediate else {}
        self.receives[0].popleft()
        self.events.append(event)

    def remote_invalidate(self, stag):
        region = self.regions.get(stag)
        if region and region.valid and not self.associated(region):
            raise Fault(0, 1, 9)
        if not region or not region.valid or len(region.streams | {self.ident}) > 1:
            raise Fault(0, 2, 9)
        region.valid = False
        return stag

    def deliver_atomic(self, octets):
        if not self.awaits(atomics.Atomic):
            raise Fault(0, 2, 6)
        if value(octets[:4]) != self.outstanding[0].ident:
            raise Fault(0, 2, 0xFF)
        self.answered(original=value(octets[4:]))

    def deliver_request(self, ulpdu):
        octets = ulpdu[18:]
        if ulpdu[1] & 15 == ATOMIC_REQUEST:
            self.answers.append(atomics.read(octets, ulpdu[:18]))
            return atomics.check(self, self.answers[-1])
        read = Read(*(value(octets[at:end]) for at, end in ((0, 4), (4, 12), (12, 16), (16, 20), (20, 28))), header=ulpdu[:18])
        self.check_source(read)
        self.answers.append(read)

    def check_source(self, read):
        return self.access(read.stag, read.to, read.size, {"remote_read"}, (0, 1), (0, 3, 2, 4, 1)) if read.size else None

    def deliver_terminate(self, octets):
        m, d, r = (len(octets) > 2 and bool(octets[2] & bit) for bit in (0x80, 0x40, 0x20))
        header = (14 if octets[6:7] >= b"\x80" else 18) if d else 0
        end = 4 + 2 * (m or d) + header + READ_HEADER * r
        said = {"event": "terminated", "valid": len(octets) >= end}
        if said["valid"]:
            said |= {"layer": octets[0] >> 4, "etype": octets[0] & 15, "code": octets[1], "m": m, "d": d, "r": r}
            said |= {"segment_length": value(octets[4:6])} if m else {}
            said |= {"header": octets[6:6 + header]} if d else {}
            said |= {"read_request": octets[end - READ_HEADER:end]} if r else {}
        self.stop(said)

    def fail(self, fault, ulpdu, request=None, answered=True):
        """The first error makes the one Terminate (RFC 5040 7.1): its headers by figure 10 and rules 1 to 3 of 7.1.
        A Terminate is never answered with another."""
        if not self.live:
            return
        layer, etype, code = fault.args
        size = 14 if ulpdu[:1] >= b"\x80" else 18
        headers = len(ulpdu) >= size and layer < 2 and etype != 0
        length, header, rdma = len(ulpdu), ulpdu[:size], ulpdu[18:18 + READ_HEADER]
        length, rdma = (18 + len(request.octets()), request.octets()) if request else (length, rdma)
        asked = layer == 0 and size == 18 and headers and header[1] & 15 == READ_REQUEST and len(rdma) == READ_HEADER
        octets = bytes([layer << 4 | etype, code, (0xC0 if headers else 0) | (0x20 if asked else 0), 0])
        if headers:
            octets += number(2, length) + header + (rdma if asked else b"")
        self.stop({"event": "error", "layer": layer, "etype": etype, "code": code})
        if self.rdmap and answered and not (self.silent and layer == 2):
            self.terminate = self.untagged_header(TERMINATE, 0, 2, True, 0, self.first_msn) + octets

    def stop(self, event):
        self.live, self.sending = False, None
        self.events.append(event)
        for queue in (self.receives, self.requests, self.outstanding, self.answers, self.submitted):
            queue.clear()

    def pull(self):
        """The next ULPDU that leaves, or None. Nothing leaves an MPA responder before something came."""
        ulpdu = None if self.silent else self.segment()
        self.pulled += ulpdu is not None
        self.acked(0 if self.on_ack else self.pulled)
        return ulpdu

    def segment(self):
        """Answers to Reads go before the ULP's own requests; no message interrupts another."""
        if self.terminate:
            self.terminate, ulpdu = None, self.terminate
            return ulpdu
        if not self.sending and not self.begin_message():
            return None
        return self.answer_segment(*self.sending) if len(self.sending) == 1 else self.request_segment(*self.sending)

    def begin_message(self):
        if self.answers:
            self.sending = (self.answers[0],)
        elif self.requests:
            first, reads = self.requests[0], len(self.outstanding)
            if reads < self.ord if OPCODE.get(first["op"]) in ASKS and not first["fence"] else not (reads and first["fence"]):
                self.sending = (self.requests.popleft(), self.payload(first), 0)
        return bool(self.sending)

    def answer_segment(self, read):
        try:
            if isinstance(read, atomics.Atomic):
                return self.answer_sent(atomics.answer(self, read))
            region = self.check_source(read)
        except Fault as fault:
            self.fail(fault, read.header, read)
            return self.segment()
        count = min(self.mulpdu - 14, read.size - read.done)
        header = self.tagged_header(READ_RESPONSE, read.done + count == read.size, read.sink_stag, read.sink_to + read.done)
        octets = region.octets(read.to + read.done, count) if region else b""
        read.done += count
        return self.answer_sent(header + octets) if read.done == read.size else header + octets

    def answer_sent(self, ulpdu):
        self.answers.popleft()
        self.sending = None
        return ulpdu

    def payload(self, request):
        """The octets of a request's message, as they are when its first segment is made."""
        if OPCODE.get(request["op"]) in ASKS:
            self.outstanding.append(self.question(request))
            return self.outstanding[-1].octets()
        if request["op"].startswith("immediate"):
            return number(8, request["rsvdulp"])
        return b"".join(self.regions[stag].octets(to, length) for stag, to, length in request["local"])

    def question(self, request):
        if request["op"] == "read":
            return Read(*(request["local"] or [(0, 0, 0)])[0], request["stag"], request["to"])
        code = atomics.CMP_SWAP if request["op"] == "cmp_swap" else atomics.FETCH_ADD
        return atomics.Atomic(code, request["number"], request["stag"], request["to"], **request["atomic"])

    def request_segment(self, request, octets, sent):
        if request["op"] != "read" and not all(self.regions[stag].valid for stag, _, length in request["local"] if length):  # RFC 5040 7.1 rule 1
            self.fail(Fault(0, 0, 0), b"")
            return self.segment()
        opcode = OPCODE.get(request["op"], request["rsvdulp"])
        tagged = request["op"] in ("write", "ddp_tagged")
        count = min(self.mulpdu - (14 if tagged else 18), len(octets) - sent)
        last = sent + count == len(octets)
        if tagged:
            header = self.tagged_header(opcode, last, request["stag"], request["to"] + sent)
        else:
            qn = request["qn"] if request["op"] == "ddp_untagged" else QUEUE[opcode]
            msn = self.next_msn.setdefault(qn, self.first_msn)
            header = self.untagged_header(opcode, request["stag"] if opcode in (SEND_INV, SEND_SE_INV) else 0, qn, last, sent, msn)
            self.next_msn[qn] = (msn + last) % 2**32
        self.sending = None if last else (request, octets, sent + count)
        if last and OPCODE.get(request["op"]) not in ASKS:
            request["left"] = self.pulled + 1
        return header + octets[sent:sent + count]

    def tagged_header(self, opcode, last, stag, to):
        return self.control(True, last, opcode) + number(4, stag) + number(8, to % 2**64)

    def untagged_header(self, opcode, stag, qn, last, mo, msn):
        rest = number(4, qn) + number(4, msn) + number(4, mo)
        if not self.rdmap:
            return self.control(False, last, opcode >> 32) + number(4, opcode % 2**32) + rest
        return self.control(False, last, opcode) + number(4, stag) + rest

    def control(self, tagged, last, opcode):
        return bytes([0x80 * tagged | 0x40 * last | self.version, (self.version << 6 if self.rdmap else 0) | opcode])
