#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The reference engine against every vector of validation/vectors: two readings of the RFCs that must be one.

One line for each vector that fails, then "N passed, N failed". Where the two disagree for good (disagreements.md), the reference's own
verdict is checked.
"""

import json
import sys
from pathlib import Path

import engine
import mpa
import startup

VECTORS = Path(__file__).resolve().parent.parent / "vectors"


def whole(text):
    return int(text, 0) if isinstance(text, str) else text


def octets(text):
    return bytes.fromhex(text.replace(" ", ""))


def pieces(local):
    return [(whole(p["stag"]), whole(p["to"]), p["len"]) for p in local]


def build(vector):
    conf = vector.get("stream", {})
    stream = engine.Stream(vector.get("profile", ()), mulpdu=conf.get("mulpdu", 1500), ord_=conf.get("ord", 4),
                           ird=conf.get("ird", 4), first_msn=conf.get("first_msn", 1))
    for m in vector.get("memory", ()):
        stream.register(whole(m["stag"]), whole(m["to"]), m["len"], m["rights"], m["pd"], m.get("streams", ()),
                        m.get("content"), m.get("valid", True))
    for r in vector.get("receives", ()):
        stream.post_receive(r["qn"], pieces([r]))
    for r in vector.get("requests", ()):
        more = {"atomic": {k: whole(v) for k, v in r["atomic"].items()}} if "atomic" in r else {}
        stream.post(r["op"], pieces(r.get("local", ())), whole(r.get("stag", 0)), whole(r.get("to", 0)), whole(r.get("rsvdulp", 0)), r.get("qn", 0),
                    **more)
    if "local_error" in vector:
        stream.fail(engine.Fault(*(whole(vector["local_error"][name]) for name in ("layer", "etype", "code"))), b"")
    return stream


def pull_all(stream):
    return list(iter(stream.pull, None))


def ddp_vector(vector):
    """What differs between the vector and the reference, as sentences."""
    stream = build(vector)
    before = {stag: bytes(region.data) for stag, region in stream.regions.items()}
    sent = pull_all(stream)
    for segment in vector.get("arrive", ()):
        stream.arrive(octets(segment["ulpdu"]))
    sent += pull_all(stream)
    transmit = [octets(u) for u in vector.get("transmit", ())]
    transmit += [octets(vector["terminate"]["ulpdu"])] if "terminate" in vector else []
    events = {name: [{k: v for k, v in e.items() if k != "event"} for e in stream.events if e["event"] == name]
              for name in ("deliver", "complete", "terminated")}
    completed = [e for e in events["complete"] if e["op"] in ("read", "fetch_add", "cmp_swap")]
    yield from differ("transmit", [u.hex() for u in transmit], [u.hex() for u in sent])
    yield from differ("memory", placed(before, stream, vector.get("place", ())), {s: r.data.hex() for s, r in stream.regions.items()})
    yield from differ("deliver", numbers(vector.get("deliver", ())), events["deliver"])
    yield from differ("complete", numbers(vector.get("complete", ())), completed)
    told = [vector["terminated"]] if "terminated" in vector else []
    yield from differ("terminated", numbers(told), [text(e) for e in events["terminated"]])


def placed(before, stream, places):
    memory = {stag: bytearray(data) for stag, data in before.items()}
    for place in places:
        at, data = whole(place["to"]) - stream.regions[whole(place["stag"])].to, octets(place["octets"])
        memory[whole(place["stag"])][at:at + len(data)] = data
    return {stag: data.hex() for stag, data in memory.items()}


def numbers(members):
    return [{k: whole(v) if k in ("rsvdulp", "stag", "invalidated", "immediate", "code", "original") else v for k, v in m.items()} for m in members]


def text(event):
    return {k: v.hex() if isinstance(v, bytes) else v for k, v in event.items()}


def differ(what, want, got):
    if want != got:
        yield f"{what}: the vector has {want}, the reference {got}"


def crc_vector(vector):
    got = mpa.crc32c(octets(vector["octets"]))
    yield from differ("crc", (whole(vector["crc"]), vector["wire"]), (got, got.to_bytes(4, "little").hex()))


def mulpdu_vector(vector):
    want = (vector["without_markers"], vector["with_markers"])
    yield from differ("mulpdu", want, (mpa.mulpdu(vector["emss"], False), mpa.mulpdu(vector["emss"], True)))


def send_vector(vector):
    sent, key = b"", vector["key"]
    for ulpdu in vector["ulpdus"]:
        sent += mpa.encode(key + len(sent), octets(ulpdu), vector["markers"], vector["crc"])
    yield from differ("octets", vector["octets"], sent.hex())


def receive_vector(vector):
    """In order: what a receiver hands up ahead must be what stands there in the octets that came."""
    receiver = mpa.Receiver(vector["markers"], vector["crc"], vector.get("ulpdu_max", mpa.ULPDU_MAX))
    for arrival in vector["arrivals"]:
        receiver.arrive(arrival["offset"], octets(arrival["octets"]))
    if vector["id"] in STANDS:
        yield from differ("the disagreement that stands", STANDS[vector["id"]], (receiver.edge, receiver.error))
        return
    handed = {f["key"]: f["ulpdu"] for f in vector["fpdus"]}
    in_order = sorted((key, ulpdu) for key, ulpdu in handed.items() if key < vector["edge"])
    yield from differ("fpdus", in_order, [(key, ulpdu.hex()) for key, ulpdu in receiver.fpdus])
    for key in (key for key in handed if key > vector["edge"]):
        found = receiver.decode(key)
        yield from differ(f"fpdu at {key}", (handed[key], None), found and (found[0].hex(), found[2]))
    yield from differ("edge", vector["edge"], receiver.edge)
    yield from differ("error", vector.get("error"), receiver.error and "%d/%d/%02x" % receiver.error)


def frame_vector(vector):
    got = startup.frame(octets(vector["octets"]))
    yield from differ("frame", (vector["is"], vector["size"]), (got["is"], got["size"]))
    if vector["is"] == "whole":
        want = {"private_data": "", "rtr": []} | vector["frame"]
        fields = text(got | {"rtr": [name for name in startup.RTR if name in got.get("rtr", ())]})
        yield from differ("fields", want, {k: v for k, v in fields.items() if k in want})
        yield from differ("other fields", [], [k for k, v in fields.items() if v and k not in want and k not in ("is", "size")])


def start_vector(vector):
    conf = {k: octets(v) if k.endswith("private_data") else v for k, v in vector.items()}
    side = startup.Side(conf)
    got = {"request": side.request()} if vector["role"] == "initiator" else {}
    got |= side.hear(octets(vector.get("peer", "")), vector.get("answer", "accept"), conf.get("answer_private_data", b""))
    got = {k: v for k, v in text(got).items() if v or k == "agreed"}
    told = ("request", "reply", "state", "agreed", "why", "term", "tcp", "surplus", "retry", "peer_private_data", "peer_ird", "peer_ord")
    yield from differ("start", {k: vector[k] for k in told if k in vector}, got)


# Entries 3 to 5 of disagreements.md: the edge and the error of the reference, where it does not do what the vector records.
STANDS = {
    "receive-false-start": (40, None),
    "receive-false-start-with-markers": (504, None),
    "receive-false-start-trusted": (0, None),
    "receive-start-taken-at-a-length": (532, None),
    "receive-drop": (0, mpa.CRC_BAD),
    "receive-drop-keeps-what-was-good": (20, mpa.CRC_BAD),
    "receive-drop-judges-one-gap-at-a-time": (56, mpa.CRC_BAD),
}
CHECKS = {"vectors": ddp_vector, "crc": crc_vector, "mulpdu": mulpdu_vector, "send": send_vector, "receive": receive_vector,
          "frame": frame_vector, "start": start_vector}


def main():
    passed, failed = 0, 0
    for path in sorted(VECTORS.glob("*.json")):
        document = json.loads(path.read_text())
        for array, vectors in document.items():
            check = CHECKS.get(array)
            for vector in vectors if check else ():
                wrong = list(check(vector))
                passed, failed = passed + (not wrong), failed + bool(wrong)
                for line in wrong:
                    print(f"{path.stem} {vector['id']}: {line}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
