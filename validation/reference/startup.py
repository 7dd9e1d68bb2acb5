# SPDX-License-Identifier: GPL-2.0-or-later
"""A reference for the start of MPA: frames and both roles (RFC 5044 7.1 and appendix C, RFC 6581 sections 6 to 10)."""

REQUEST, REPLY = b"MPA ID Req Frame", b"MPA ID Rep Frame"
M, C, R, S = 0x80, 0x40, 0x20, 0x10
ULP = 0x3FFF  # a depth that is left to the ULP
RTR = {"send": 0x40000000, "write": 0x8000, "read": 0x4000}
A = 0x80000000


def frame(octets):
    """What octets are, read as a start-up frame: `is` whole, more (to come), no key, too long, no depth; the rest where it is known."""
    key = octets[:16]
    good = REQUEST.startswith(key) or REPLY.startswith(key)
    if len(octets) < 20:
        return {"is": "more" if good else "no key", "size": 0}
    flags, rev, length = octets[16], octets[17], int.from_bytes(octets[18:20], "big")
    f = {"is": "whole", "size": 20 + length, "reply": key == REPLY, "rev": rev, "pd_length": length,
         "markers": bool(flags & M), "crc": bool(flags & C), "rejected": bool(flags & R), "enhanced": bool(flags & S and rev >= 2)}
    f["reserved"] = flags & (15 if f["enhanced"] or rev >= 2 else 31)
    data = octets[20:20 + length]
    if not good or length > 512 or len(data) < length:
        return f | {"is": "no key" if not good else "too long" if length > 512 else "more"}
    if f["enhanced"] and length < 4:
        return f | {"is": "no depth"}
    if f["enhanced"]:
        word, data = int.from_bytes(data[:4], "big"), data[4:]
        f |= {"peer_to_peer": bool(word & A), "rtr": {name for name, bit in RTR.items() if word & bit}, "ird": word >> 16 & ULP, "ord": word & ULP}
    return f | {"private_data": data}


def written(key, flags, rev, data, depths=None):
    """depths: (peer to peer, RTRs, IRD, ORD) makes an enhanced frame."""
    if depths:
        p2p, rtr, ird, ord_ = depths
        word = (A | sum(RTR[name] for name in rtr) if p2p else 0) | ird << 16 | ord_
        flags, data = flags | S, word.to_bytes(4, "big") + data
    return key + bytes([flags, rev]) + len(data).to_bytes(2, "big") + data


class Failed(Exception):
    """why, the error, what becomes of TCP, and what else is to be told."""


class Side:
    """One end. conf: the members of a `start` vector that configure it (vectors/mpa.md)."""

    def __init__(self, conf):
        self.conf, self.kind, self.enhanced = conf, conf.get("kind"), conf.get("enhanced", False)
        self.ird, self.ord, self.rtr = conf.get("ird", 0), conf.get("ord", 0), set(conf.get("rtr", ()))
        self.flags = M | C if self.kind == "rdmac" else (M if conf.get("markers") else 0) | (0 if conf.get("no_crc") else C)
        self.rev = 0 if self.kind == "rdmac" else 2 if self.enhanced else 1

    def request(self):
        depths = (self.conf.get("peer_to_peer"), self.rtr, self.ird, self.ord) if self.enhanced else None
        return written(REQUEST, self.flags, self.rev, self.conf.get("private_data", b""), depths)

    def hear(self, octets, answer="accept", data=b""):
        """All that came of the peer: what is told, as the members of the vector."""
        initiator = self.conf["role"] == "initiator"
        f = frame(octets)
        if f["is"] == "more":
            return {"state": "wait reply" if initiator else "wait request"}
        try:
            told = self.check(f, octets, initiator) | {"surplus": len(octets) - f["size"], "peer_private_data": f["private_data"]}
            if initiator:
                return told | self.initiate(f)
            return told | self.respond(f, answer, data)
        except Failed as failed:
            why, term, tcp, more = failed.args
            return {"state": "failed", "why": why, "term": term, "tcp": tcp} | more

    def check(self, f, octets, initiator):
        def wrong(why, tcp="close", **more):
            return Failed(why, "2/0/04", tcp, more)

        if f["is"] == "no key" or f["reply"] != initiator:
            raise wrong("same role" if initiator and f["is"] != "no key" else "key")
        if f["is"] != "whole":
            raise wrong("private data")
        if initiator and self.enhanced and f["rev"] <= 2 and not f["enhanced"]:
            raise wrong("enhanced", retry=True)
        if not initiator and f["rev"] == 0 and not self.kind:
            raise wrong("rev", "close after", reply=written(REPLY, self.flags | R, 1, b""))
        if not (f["rev"] == self.rev or (f["rev"] == 0 and self.kind == "permissive") or (not initiator and f["rev"] == 1)):
            raise wrong("rev", **({"retry": True} if initiator and self.enhanced else {}))
        if len(octets) > f["size"] and not (initiator and f["rejected"]):
            raise wrong("surplus", surplus=len(octets) - f["size"])
        return {"state": "full"}

    def agreed(self, f, p2p=False, rtr=()):
        old = f["rev"] == 0 or self.kind == "rdmac"  # version 0: markers and CRC, always
        return {"agreed": {"rev": f["rev"], "version": int(not old), "markers_tx": f["markers"] or old, "markers_rx": bool(self.flags & M) or old,
                           "crc": bool(self.flags & C) or f["crc"] or old, "enhanced": f["enhanced"], "peer_to_peer": p2p,
                           "rtr": list(rtr), "ird": self.ird, "ord": self.ord}}

    def initiate(self, f):
        if f["rejected"]:
            depths = {"peer_ird": f["ird"], "peer_ord": f["ord"]} if f["enhanced"] else {}
            return {"state": "rejected", "tcp": "keep"} | depths
        if not f["enhanced"]:
            return self.agreed(f)
        p2p = self.conf.get("peer_to_peer", False)
        usable = {name for name in self.rtr & f["rtr"] if f["peer_to_peer"] and not (name == "read" and f["ird"] == 0)}
        chosen = next((name for name in ("write", "read", "send") if name in usable), None)  # any will do (RFC 6581 9.2)
        if ULP not in (f["ird"], self.ord):
            self.ord = min(max(self.ord, chosen == "read"), f["ird"])
        if ULP not in (f["ord"], self.ird):
            self.ird = max(self.ird, f["ord"])
        if self.ord < self.conf.get("ord_min", 0) or self.ird > self.conf.get("ird_max", ULP):
            raise Failed("ird", "2/0/06", "terminate", {})
        if p2p and not chosen:
            raise Failed("rtr", "2/0/07", "terminate", {})
        return self.agreed(f, p2p, [chosen] if p2p else [])

    def respond(self, f, answer, data):
        if answer == "reject":
            return {"state": "rejected", "tcp": "keep", "reply": written(REPLY, self.flags | R, f["rev"], data)}
        if not f["enhanced"]:
            flags, rev = (M | C, 0) if f["rev"] == 0 or self.kind == "rdmac" else (self.flags | (C if f["crc"] else 0), f["rev"])
            return self.agreed(f) | {"reply": written(REPLY, flags, rev, data)}
        p2p, flags = f["peer_to_peer"], self.flags | (C if f["crc"] else 0)
        rtr = (self.rtr & f["rtr"] or self.rtr) if p2p else set()
        if f["ord"] != ULP:
            self.ird = max(min(self.ird, f["ord"]), "read" in rtr)
        need = self.conf.get("ord_min", 0)
        short = f["ird"] != ULP and f["ird"] < need
        if f["ird"] != ULP:
            self.ord = need if short else min(self.ord, f["ird"])
        depths = (p2p, rtr, ULP if f["ord"] == ULP else self.ird, ULP if f["ird"] == ULP else self.ord)
        reply = written(REPLY, flags | (R if short else 0), f["rev"], data, depths)
        if short:
            return {"state": "rejected", "why": "ird", "term": "2/0/06", "tcp": "keep", "reply": reply}
        return self.agreed(f, p2p, sorted(rtr)) | {"reply": reply}
