#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Plays a script on the reference engine and prints what came of it; build/reference/drive does the same with the model's engine.

usage: judge.py < script

A script is operations, one JSON object a line; values are decimal numbers, octets hex:
  open      profile (1 ddp_only, 2 rdmac, 8 rfc7306), pd, mulpdu, ord, ird, sq (requests at a time), reorder (segments remembered out of
            order), first_msn, silent (until something came), on_ack (when Sends and Writes complete): stream 1, no memory yet
  register  stag, to, len, rights (1 local write, 2 remote read, 4 remote write), pd, stream, stream2: the STag is 256 for the first,
            512 for the second; octet n is n modulo 256
  invalidate stag     revoke  stag     receive  qn, local [[stag, to, len]]     error  term (layer << 12 | type << 8 | code)
  depth     ord, ird: at most those of "open"
  post      kind, local, stag, to, qn, rsvdulp, fence; of an Atomic data and mask, for a CmpSwap compare and compare_mask
  arrive    ulpdu, key: a segment, presented now; its place in the order sent, from the last "deliver" on
  again     ulpdu, back: a segment is presented again that was delivered, so many octets behind
  deliver   key: everything below that has arrived; the next keys count from there
  pull      max: so many ULPDUs may leave
  ack       but: the peer has all ULPDUs but the last so many
  arm       how (1 solicited, 2 any): one event, please, when a receive completes
  memory    print it
"""

import json
import sys
from collections import Counter

import engine

PROFILES = {1: "ddp_only", 2: "rdmac", 8: "rfc7306"}
ATOMIC = ("data", "mask", "compare", "compare_mask")
RIGHTS = {1: "local_write", 2: "remote_read", 4: "remote_write"}


def named(bits, names):
    return {name for bit, name in names.items() if bits & bit}


class Judge:
    def __init__(self):
        self.stream, self.held, self.waiting = None, {}, Counter()
        self.armed = 0  # an event is wanted

    def play(self, o):
        """The lines that one operation prints."""
        lines = list(getattr(self, "op_" + o["op"])(o) or ())
        for event in self.stream.events:
            lines += self.tell(event)
        self.stream.events.clear()
        if not self.stream.live:
            lines += [f"failed {op}" for op in self.waiting.elements()]
            self.waiting.clear()
        return lines + self.event(lines)

    def event(self, lines):
        """What was armed comes once: 1 at a receive that is solicited or failed, 2 at any (RFC 5040 5.3)."""
        ended = [line.split() for line in lines if line.startswith("receive ") or line == "failed receive"]
        if not any(line[0] == "failed" or line[4] == "1" or self.armed == 2 for line in ended if self.armed):
            return []
        self.armed = 0
        return ["event"]

    def tell(self, e):
        if e["event"] == "error":
            return [f"fatal {e['layer']}/{e['etype']}/{e['code']:02x}"]
        if e["event"] == "terminated":
            return ["terminated " + (terminate_text(e) if e["valid"] else "invalid")]
        if e.get("tagged"):
            return [f"tagged {e['rsvdulp']:x} {e['stag']:x}"]
        self.waiting[e["op"] if e["event"] == "complete" else "receive"] -= 1
        if e["event"] == "complete":
            return [f"complete {e['op']} {e['length']} {e.get('original', 0):x}"]
        if "qn" in e:
            return [f"receive {e['qn']} {e['msn']} {e['length']} {e['rsvdulp']:x}"]
        return [f"receive {e['msn']} {e['length']} {e.get('invalidated', 0):x} {e['solicited']:d} {e.get('immediate', 0):x}"]

    def op_open(self, o):
        self.__init__()
        self.room = o["sq"]
        self.stream = engine.Stream(named(o["profile"], PROFILES), o["pd"], 1, o["mulpdu"], o["ord"], o["ird"], o["first_msn"],
                                    silent=bool(o["silent"]), on_ack=bool(o["on_ack"]))

    def op_register(self, o):
        if o["to"] + o["len"] > 2**64:
            return ["refused"]
        return self.stream.register(o["stag"], o["to"], o["len"], named(o["rights"], RIGHTS), o["pd"], {o["stream"], o["stream2"]} - {0}, "count")

    def op_invalidate(self, o):
        self.stream.regions[o["stag"]].valid = False

    def op_revoke(self, o):
        del self.stream.regions[o["stag"]]

    def op_depth(self, o):
        self.stream.ord, self.stream.ird = o["ord"], o["ird"]

    def op_receive(self, o):
        if self.stream.live and self.valid(o):
            self.stream.post_receive(o["qn"], o["local"])
            self.waiting["receive"] += 1

    def op_post(self, o):
        if self.valid(o) and len(self.stream.submitted) < self.room:
            posted = self.stream.post(o["kind"], o["local"], o["stag"], o["to"], o["rsvdulp"], o["qn"], bool(o["fence"]),
                                      **({"atomic": {k: o[k] for k in ATOMIC if k in o}} if "data" in o else {}))
            self.waiting[o["kind"]] += posted and self.stream.live

    def valid(self, o):
        """Memory that was invalidated is refused when it is posted, unless no octet is meant."""
        return all(not length or (stag in self.stream.regions and self.stream.regions[stag].valid) for stag, _, length in o["local"])

    def op_error(self, o):
        self.stream.fail(engine.Fault(o["term"] >> 12, o["term"] >> 8 & 15, o["term"] & 255), b"")

    def op_arrive(self, o):
        self.held[o["key"]] = bytes.fromhex(o["ulpdu"])

    def op_again(self, o):
        """Nothing comes of it (RFC 5041 section 3 item 11)."""

    def op_deliver(self, o):
        for key in sorted(key for key in self.held if key < o["key"]):
            self.stream.arrive(self.held.pop(key))
        self.held = {key - o["key"]: ulpdu for key, ulpdu in self.held.items()}

    def op_pull(self, o):
        for _ in range(o["max"]):
            ulpdu = self.stream.pull()
            if ulpdu is None:
                return
            answer = self.stream.rdmap and ulpdu[1] & 15 in (engine.READ_RESPONSE, engine.ATOMIC_RESPONSE)
            yield f"{'answer' if answer else 'request'} {ulpdu.hex()}"

    def op_arm(self, o):
        self.armed = o["how"]

    def op_ack(self, o):
        self.stream.acked(self.stream.pulled - o["but"])

    def op_memory(self, _):
        for stag, region in self.stream.regions.items():
            yield f"memory {stag:x} {region.valid:d} {region.data.hex()}"


def terminate_text(e):
    headers = e.get("header", b"").hex() + " " + e.get("read_request", b"").hex()
    return f"{e['layer']}/{e['etype']}/{e['code']:02x} {e['m']:d}{e['d']:d}{e['r']:d} {e.get('segment_length', 0)} {headers}"


def play(script):
    """The lines of a whole script (a list of operations): for each operation its number, then what came of it."""
    judge = Judge()
    for n, operation in enumerate(script):
        yield f"# {n}"
        yield from judge.play(operation)


if __name__ == "__main__":
    for line in play(map(json.loads, sys.stdin)):
        print(line)
