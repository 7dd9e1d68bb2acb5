#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""iwarpsim decode on captures that were changed or made up: the same messages must come out, or the right error."""

import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import octets as o

IWARPSIM = os.environ.get("IWARPSIM", str(HERE.parent.parent / "build" / "iwarpsim"))
MOVES = ("frame_first", "frame_last", "t_first", "t_last", "ooo_fpdus")  # what a change of the capture may change


def run(*arguments, stdin=None):
    return subprocess.run([IWARPSIM, "decode", *arguments], input=stdin, capture_output=True)


def decode(data, *arguments):
    """The objects that `decode --json` says about a capture given as octets."""
    done = run("--json", *arguments, "-", stdin=data)
    assert done.returncode == 0, (done.returncode, done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def messages(said):
    return [{k: v for k, v in m.items() if k not in MOVES} for m in said if "op" in m]


def violations(said):
    return [(v["dir"], v["requirement"]) for v in said if "violation" in v]


def summary(said):
    return said[-1]["summary"]


def shipped(name):
    return o.parse(o.read_pcap(HERE / (name + ".pcap")))


def by_side(said, direction):
    return [m for m in said if m.get("dir") == direction and "op" in m]


class SameMessages(unittest.TestCase):
    """However the octets travelled, they are the same messages."""

    def setUp(self):
        self.segments = shipped("d1-good")
        self.want = messages(decode(o.capture(self.segments)))
        self.assertEqual(len(self.want), 11)

    def same(self, data, *arguments):
        said = decode(data, *arguments)
        self.assertEqual(messages(said), self.want)
        self.assertEqual(violations(said), [])
        self.assertEqual(summary(said)["unparsed_octets"], 0)
        return said

    def test_links(self):
        for link in o.LINKS:
            with self.subTest(link):
                self.same(o.capture(self.segments, link))

    def test_ipv6(self):
        six = {"10.7.0.1": "fd00::1", "10.7.0.2": "fd00::2"}
        segments = [
            s.but(source=(six[s.source[0]], s.source[1]), target=(six[s.target[0]], s.target[1])) for s in self.segments
        ]
        said = self.same(o.capture(segments))
        self.assertEqual(said[0]["initiator"], "[fd00::1]:43230")
        for link in ("raw", "null", "ppp", "cooked v2"):
            self.same(o.capture(segments, link))
        hop, routing = bytes([60, 0]) + bytes(6), bytes([44, 0]) + bytes(6)
        whole = bytes([6, 0]) + bytes(6)  # a fragment header of a packet that is not cut
        self.same(o.capture(segments, extensions=hop + routing + whole, first_next=0))
        self.same(o.capture(segments, no_total=True))

    def test_ipv4(self):
        self.same(o.capture(self.segments, options=b"\x94\x04\0\0" * 3))
        self.same(o.capture(self.segments, no_total=True))

    def test_files(self):
        frames = o.frames_of(self.segments)
        self.same(o.pcap(frames, nano=True))
        self.same(o.pcap(frames, big=True))
        self.same(o.pcapng(frames))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "x.pcap"
            path.write_bytes(o.pcap(frames))
            done = run("--json", str(path))
            self.assertEqual(messages([json.loads(x) for x in done.stdout.splitlines()]), self.want)

    def test_times(self):
        segments = [s.but(time=10**18 + 1234567891 * i) for i, s in enumerate(self.segments)]
        said = decode(o.capture(segments, nano=True))
        self.assertEqual([m["t_last"] for m in said if "op" in m][0], json.loads("%.9f" % (7 * 1.234567891)))

    def test_padding(self):
        frames = [(t, f + b"\xee" * 9) for t, f in o.frames_of(self.segments)]
        self.same(o.pcap(frames))

    def test_sequence_wrap(self):
        isn = {s.source: s.seq for s in self.segments if s.flags & o.SYN}
        for ahead in (1, 2, 25, 90, 110, 300):
            move = {end: (2**32 - ahead - seq) % 2**32 for end, seq in isn.items()}
            self.same(o.capture([s.but(seq=s.seq + move[s.source], ack=s.ack + move[s.target]) for s in self.segments]))

    def test_recut(self):
        """Segments of 1, 2, 3, 7 octets; all of a direction's run in one."""
        for size in (1, 2, 3, 7, 100):
            cut = []
            for s in self.segments:
                pieces = [s.payload[i : i + size] for i in range(0, len(s.payload), size)] or [b""]
                cut += [s.but(seq=s.seq + i * size, payload=p) for i, p in enumerate(pieces)]
            self.same(o.capture(cut))

    def test_merged(self):
        """Offload: neighbours of one direction arrive as one large segment."""
        merged = []
        for s in self.segments:
            last = merged[-1] if merged else None
            if last and s.payload and last.payload and last.source == s.source and len(merged) > 8:
                merged[-1] = last.but(payload=last.payload + s.payload)
            elif s.payload or s.flags & (o.SYN | o.FIN):
                merged.append(s)
        self.assertLess(len(merged), len(self.segments))
        self.same(o.capture(merged))

    def test_repeated(self):
        self.same(o.capture([s for s in self.segments for _ in range(3)]))
        overlapping = []
        for before, s in zip([None] + self.segments, self.segments):
            overlapping.append(s)
            if before and before.source == s.source and before.payload and s.payload:
                overlapping.append(s.but(seq=before.seq, payload=before.payload + s.payload))
        self.same(o.capture(overlapping))

    def test_keep_alive(self):
        probes = []
        for s in self.segments:
            probes.append(s)
            if s.payload:
                probes.append(s.but(seq=s.seq + len(s.payload) - 1, payload=b""))
                probes.append(s.but(seq=s.seq + len(s.payload) - 1, payload=b"\xaa"))
        self.same(o.capture(probes))

    def test_syn_again(self):
        syn = [s for s in self.segments if s.flags & o.SYN]
        self.same(o.capture(syn[:1] * 3 + syn[1:] * 2 + self.segments[2:]))

    def test_without_syn(self):
        """The start-up frames alone tell that it is MPA, and where its streams begin."""
        said = self.same(o.capture(self.segments[3:]))
        self.assertEqual(said[0]["initiator"], "10.7.0.1:43230")

    def test_checksums(self):
        self.same(o.capture(self.segments, checksum="zero"))
        self.same(o.capture(self.segments, checksum="pseudo"))
        self.same(o.capture(self.segments, checksum="wrong"))  # all of them: the sender's adapter does it otherwise
        damaged = []
        for s in self.segments:
            if s.payload and len(damaged) > 5:
                damaged.append(o.frames_of([s.but(payload=b"\xff" * len(s.payload))], checksum="wrong")[0])
            damaged.append(o.frames_of([s])[0])
        self.same(o.pcap(damaged))

    def test_ports_again(self):
        """The same four numbers, another connection."""
        later = [s.but(time=s.time + 10**10, seq=s.seq + 77777, ack=s.ack + 99999) for s in self.segments]
        moved = {later[0].source: 77777, later[0].target: 99999}
        later = [
            s.but(time=s.time + 10**10, seq=s.seq + moved[s.source], ack=s.ack + moved[s.target]) for s in self.segments
        ]
        said = decode(o.capture(self.segments + later))
        self.assertEqual([c["conn"] for c in said if "initiator" in c], [1, 2])
        for conn in (1, 2):
            self.assertEqual(
                [{**m, "conn": 1} for m in messages(said) if m["conn"] == conn], self.want
            )

    def test_many_connections(self):
        many = []
        for i in range(300):
            port = {"10.7.0.1": 10000 + i, "10.7.0.2": 7174}
            many += [
                s.but(source=(s.source[0], port[s.source[0]]), target=(s.target[0], port[s.target[0]]), time=s.time + i)
                for s in self.segments
            ]
        many.sort(key=lambda s: s.time)
        said = decode(o.capture(many))
        self.assertEqual(summary(said)["messages"], 300 * len(self.want))
        self.assertEqual(violations(said), [])

    def test_beside_other_traffic(self):
        other = o.Connection(("10.0.0.9", 999), ("10.0.0.8", 22)).start()
        for i in range(20):
            other.send(i % 2, b"SSH-2.0-x%d\r\n" % i)
        noise = o.frames_of(other.segments) + [(10**18, b"\xff" * 12 + b"\x08\x06" + bytes(28)), (10**18, b""), (10**18, b"x" * 13)]
        said = self.same(o.pcap(noise + o.frames_of(self.segments)))
        self.assertEqual(len([c for c in said if "initiator" in c]), 1)

    def test_streaming_data_first(self):
        """The ULP may talk before it starts MPA."""
        first = o.Connection(self.segments[0].source, self.segments[0].target, (5000, 6000)).start()
        first.send(0, b"HELLO\r\n").send(1, b"WELCOME\r\n")
        isn = {s.source: s.seq for s in self.segments if s.flags & o.SYN}
        move = dict(zip(first.ends, (first.next[i] - isn[first.ends[i]] - 1 for i in range(2))))
        rest = [s.but(seq=s.seq + move[s.source], ack=s.ack + move[s.target]) for s in self.segments[3:]]
        self.same(o.capture(first.segments + rest))


class Made(unittest.TestCase):
    """Connections written here, from the RFC alone."""

    def start(self, **frames):
        c = o.Connection().start()
        c.send(0, o.frame(b"Req", **frames)).send(1, o.frame(b"Rep", **frames))
        return c

    def writes(self, mpa, count, size=1000, stag=0x1000):
        return [mpa.fpdu(o.tagged(0, stag, i * size, bytes([i % 256]) * size, last=i == count - 1)) for i in range(count)]

    def test_out_of_order(self):
        """With a CRC an FPDU is proven where it stands: read ahead of its turn, told in its turn."""
        for crc in (True, False):
            c, mpa = self.start(crc=crc), o.Mpa(crc)
            for f in self.writes(mpa, 10) + [mpa.fpdu(o.untagged(3, 0, 1, 0, b"done"))]:
                c.send(0, f)
            data = c.segments[5:]
            said = decode(o.capture(c.segments[:5] + [data[0]] + data[2:] + [data[1]]))
            self.assertEqual([(m["op"], m["length"], m["fpdus"], m["ooo_fpdus"]) for m in said if "op" in m],
                             [("write", 10000, 10, 8), ("send", 4, 1, 1)])
            self.assertEqual(said[1]["frame_first"], 6)
            self.assertEqual(said[1]["frame_last"], 16)
            self.assertEqual(violations(said), [])
            self.assertEqual(summary(said)["resyncs"], 0)

    def test_reversed(self):
        c, mpa = self.start(), o.Mpa()
        for f in self.writes(mpa, 400, 100):
            c.send(0, f)
        said = decode(o.capture(c.segments[:5] + c.segments[:4:-1]))
        self.assertEqual([(m["fpdus"], m["ooo_fpdus"]) for m in said if "op" in m], [(400, 399)])

    def test_far_ahead(self):
        """More out of order than MPA's first store and the engine's memory take."""
        c, mpa = self.start(), o.Mpa()
        for f in self.writes(mpa, 600, 1400):
            c.send(0, f)
        data = c.segments[5:]
        said = decode(o.capture(c.segments[:5] + data[1:] + data[:1]))
        self.assertEqual([(m["length"], m["fpdus"], m["ooo_fpdus"]) for m in said if "op" in m], [(840000, 600, 599)])
        self.assertEqual(violations(said), [])
        self.assertEqual(summary(said)["resyncs"], 0)

    def test_markers(self):
        for initiator, responder in ((True, True), (True, False), (False, True)):
            for cut in (None, 1, 333, 512):
                c = o.Connection().start()
                c.send(0, o.frame(b"Req", markers=initiator)).send(1, o.frame(b"Rep", markers=responder))
                there, back = o.Mpa(markers=responder), o.Mpa(markers=initiator)
                stream = b"".join(self.writes(there, 5, 700)) + there.fpdu(o.untagged(3, 0, 1, 0, b"x" * 501))
                for i in range(0, len(stream), cut or len(stream)):
                    c.send(0, stream[i : i + (cut or len(stream))])
                for f in self.writes(back, 4, 450):
                    c.send(1, f)
                said = decode(o.capture(c.segments))
                self.assertEqual((said[0]["markers_i2r"], said[0]["markers_r2i"]), (responder, initiator))
                self.assertEqual([(m["dir"], m["op"], m["length"], m["crc"]) for m in said if "op" in m],
                                 [("i2r", "write", 3500, "good"), ("i2r", "send", 501, "good"), ("r2i", "write", 1800, "good")])
                self.assertEqual(violations(said), [])

    def test_markers_out_of_order(self):
        c, mpa = self.start(markers=True), o.Mpa(markers=True)
        stream = b"".join(self.writes(mpa, 30, 700))
        for i in range(0, len(stream), 1000):
            c.send(0, stream[i : i + 1000])
        data = c.segments[5:]
        said = decode(o.capture(c.segments[:5] + [data[0]] + data[2:] + [data[1]]))
        self.assertEqual([(m["length"], m["fpdus"]) for m in said if "op" in m], [(21000, 30)])
        self.assertGreater(by_side(said, "i2r")[0]["ooo_fpdus"], 20)

    def test_bad_crc(self):
        """The FPDU is told and not judged; its length leads to the next."""
        c, mpa = self.start(), o.Mpa()
        c.send(0, mpa.fpdu(o.untagged(3, 0, 1, 0, b"one")))
        c.send(0, mpa.fpdu(o.untagged(3, 0, 2, 0, b"two"), bad_crc=True))
        c.send(0, mpa.fpdu(o.untagged(3, 0, 3, 0, b"three")) + mpa.fpdu(o.untagged(3, 0, 4, 0, b"four")))
        c.send(0, mpa.fpdu(o.untagged(3, 0, 9, 0, b"gap")))
        said = decode(o.capture(c.segments))
        self.assertEqual([(m["msn"], m["crc"]) for m in said if "op" in m],
                         [(1, "good"), (2, "bad"), (3, "good"), (4, "good"), (9, "good")])
        self.assertEqual(violations(said), [("i2r", "MPA-4.4-3"), ("i2r", "DDP-7.1-U5")])
        self.assertEqual(summary(said), {"messages": 5, "fpdus": 5, "crc_bad": 1, "terminates": 0, "violations": 2,
                                         "resyncs": 0, "unparsed_octets": 0})

    def test_bad_crc_between_markers(self):
        """The next place to begin is an FPDU that starts with a marker."""
        c, mpa = self.start(markers=True), o.Mpa(markers=True)
        for i in range(1, 400):
            c.send(0, mpa.fpdu(o.untagged(3, 0, i, 0, b"x" * 800), bad_crc=i == 100))
        said = decode(o.capture(c.segments))
        heard = [m["msn"] for m in said if "op" in m]
        self.assertEqual(heard[:100], [*range(1, 101)])
        self.assertEqual(heard[100:], [*range(heard[100], 400)])
        self.assertEqual(violations(said), [("i2r", "MPA-4.4-3")])
        self.assertEqual((summary(said)["crc_bad"], summary(said)["resyncs"]), (1, 1))

    def test_bad_length(self):
        """A damaged length field leads nowhere: the next segment that starts like an FPDU is taken."""
        c, mpa = self.start(), o.Mpa()
        first = mpa.fpdu(o.untagged(3, 0, 1, 0, b"x" * 100))
        c.send(0, struct.pack(">H", 60) + first[2:])
        c.send(0, mpa.fpdu(o.untagged(3, 0, 2, 0, b"two")))
        said = decode(o.capture(c.segments))
        self.assertEqual([(m["msn"], m["crc"]) for m in said if "op" in m], [(1, "bad"), (2, "good")])
        self.assertEqual(summary(said)["resyncs"], 1)
        self.assertEqual(violations(said), [("i2r", "MPA-4.4-3")])

    def test_hole(self):
        """The capture lost a segment that the receiver acknowledged."""
        for crc in (True, False):
            c, mpa = self.start(crc=crc), o.Mpa(crc)
            for i in range(1, 101):
                c.send(0, mpa.fpdu(o.untagged(3, 0, i, 0, b"x" * 50))).send(1, flags=o.ACK)
            lost = c.segments[5 + 2 * 20]
            said = decode(o.capture([s for s in c.segments if s is not lost]))
            self.assertEqual([m["msn"] for m in said if "op" in m], [*range(1, 21), *range(22, 101)])
            self.assertEqual(violations(said), [])
            self.assertEqual(summary(said)["resyncs"], 1)
            text = run("-", stdin=o.capture([s for s in c.segments if s is not lost])).stdout.decode()
            self.assertIn("76 octets of the streams are missing from the file", text)

    def test_hole_inside_a_message(self):
        c, mpa = self.start(crc=False), o.Mpa(False)
        for f in self.writes(mpa, 20):
            c.send(0, f)
        c.send(0, mpa.fpdu(o.untagged(3, 0, 1, 0, b"done"))).finish()
        said = decode(o.capture(c.segments[:8] + c.segments[9:]))
        self.assertEqual([(m["op"], m["length"]) for m in said if "op" in m], [("write", 19000), ("send", 4)])
        self.assertEqual(violations(said), [])

    def test_snap_length(self):
        """Only the headers were captured."""
        c = self.start()
        mpa, back = o.Mpa(), o.Mpa()
        for f in self.writes(mpa, 20):
            c.send(0, f)
        c.send(0, mpa.fpdu(o.untagged(3, 0, 1, 0, b"s" * 500)))
        c.send(0, mpa.fpdu(o.read_request(1, (7, 0), 600, (9, 0))))
        c.send(1, back.fpdu(o.tagged(2, 7, 0, b"r" * 600)))
        said = decode(o.pcap(o.frames_of(c.segments), snap=128))
        self.assertEqual([(m["op"], m["length"], m["crc"]) for m in said if "op" in m],
                         [("write", 20000, "off"), ("send", 500, "off"), ("read_req", 28, "good"), ("read_resp", 600, "off")])
        self.assertEqual(violations(said), [])
        self.assertEqual(summary(said)["fpdus"], 23)
        said = decode(o.pcap(o.frames_of(c.segments), snap=80))  # not even a whole Read Request
        self.assertEqual([m["op"] for m in said if "op" in m], ["write", "send", "read_req", "read_resp"])
        self.assertEqual(violations(said), [])

    def test_assume(self):
        c, mpa, back = self.start(), o.Mpa(), o.Mpa()
        for i in range(1, 6):
            c.send(0, mpa.fpdu(o.untagged(3, 0, i, 0, b"x" * i))).send(1, back.fpdu(o.untagged(3, 0, i, 0, b"y" * i)))
        joined = o.capture(c.segments[7:])
        self.assertEqual([x for x in decode(joined) if "op" in x], [])
        text = run("-", stdin=joined).stdout.decode()
        self.assertIn("--assume", text)
        self.assertIn(b"--assume", run("--json", "-", stdin=joined).stderr)
        said = decode(joined, "--assume", "markers=off,crc=on")
        self.assertEqual([(m["dir"], m["msn"], m["crc"]) for m in said if "op" in m],
                         [(d, i, "good") for i in range(2, 6) for d in ("i2r", "r2i")])
        self.assertEqual(violations(said), [])
        self.assertTrue(said[0]["assumed"])
        middle = [c.segments[7].but(seq=c.segments[7].seq + 5, payload=c.segments[7].payload[5:])] + c.segments[8:]
        said = decode(o.capture(middle), "--assume", "crc=on,markers=off")
        self.assertEqual([(m["dir"], m["msn"]) for m in said if "op" in m][:2], [("r2i", 2), ("i2r", 3)])

    def test_assume_markers(self):
        """The pointer of a marker tells where they all stand; an FPDU that starts with one is the place to begin."""
        c, mpa = self.start(markers=True), o.Mpa(markers=True)
        for i in range(1, 400):
            c.send(0, mpa.fpdu(o.untagged(3, 0, i, 0, b"x" * 800)))
        said = decode(o.capture(c.segments[20:]), "--assume", "markers=on,crc=on")
        heard = [m["msn"] for m in said if "op" in m]
        self.assertGreater(len(heard), 200)
        self.assertEqual(heard, [*range(heard[0], 400)])
        self.assertEqual(violations(said), [])

    def test_request_not_captured(self):
        c, mpa = self.start(crc=True), o.Mpa()
        c.send(0, mpa.fpdu(o.untagged(3, 0, 1, 0, b"x")))
        said = decode(o.capture(c.segments[4:]))
        self.assertEqual((said[0]["initiator"], said[0]["crc"]), ("10.0.0.1:40000", True))
        self.assertEqual([(m["dir"], m["op"], m["crc"]) for m in said if "op" in m], [("i2r", "send", "good")])

    def test_tcp_server_is_initiator(self):
        c, mpa = o.Connection().start(), o.Mpa()
        c.send(1, o.frame(b"Req")).send(0, o.frame(b"Rep")).send(1, mpa.fpdu(o.untagged(3, 0, 1, 0, b"x")))
        said = decode(o.capture(c.segments))
        self.assertEqual(said[0]["initiator"], "10.0.0.2:7174")
        self.assertEqual([(m["dir"], m["op"]) for m in said if "op" in m], [("i2r", "send")])

    def test_settings(self):
        c = o.Connection().start()
        c.send(0, o.frame(b"Req", crc=False, rev=2, enhanced=(3, 9), private=b"hello"))
        c.send(1, o.frame(b"Rep", crc=False, rev=2, enhanced=(8, 2)))
        said = decode(o.capture(c.segments))
        self.assertEqual(said[0], {
            "conn": 1, "initiator": "10.0.0.1:40000", "responder": "10.0.0.2:7174", "mpa_rev": 2, "markers_i2r": False,
            "markers_r2i": False, "crc": False, "enhanced": True, "ird": 8, "ord": 2, "private_data": b"hello".hex(),
            "rejected": False, "assumed": False})

    def test_rdmac(self):
        c, mpa = self.start(rev=0, markers=True), o.Mpa(markers=True)
        c.send(0, mpa.fpdu(o.untagged(3, 0, 1, 0, b"x", version=0)))
        said = decode(o.capture(c.segments))
        self.assertEqual([m["op"] for m in said if "op" in m], ["send"])
        self.assertEqual(violations(said), [])

    def test_message_fields(self):
        c, mpa, back = self.start(), o.Mpa(), o.Mpa()
        sent = [o.untagged(4, 0, 1, 0, b"abc", inval=0xABCDEF01), o.tagged(0, 0xFFFFFFFF, 2**64 - 8, b"12345678"),
                o.read_request(1, (5, 2**63), 4, (6, 77))]
        for ulpdu in sent:
            c.send(0, mpa.fpdu(ulpdu))
        c.send(1, back.fpdu(o.tagged(2, 5, 2**63, b"data")))
        c.send(1, back.fpdu(o.untagged(7, 2, 1, 0, struct.pack(">HBBH", 0x1205, 0xC0, 0, 22) + sent[0])))
        said = [m for m in decode(o.capture(c.segments)) if "op" in m]
        common = {"conn": 1, "crc": "good", "fpdus": 1, "ooo_fpdus": 0}
        times = [(6, 0.005), (7, 0.006), (8, 0.007), (9, 0.008), (10, 0.009)]
        fields = [
            {"dir": "i2r", "op": "send_inv", "qn": 0, "msn": 1, "mo": 0, "inval_stag": 0xABCDEF01, "length": 3},
            {"dir": "i2r", "op": "write", "stag": 0xFFFFFFFF, "to": 2**64 - 8, "length": 8},
            {"dir": "i2r", "op": "read_req", "qn": 1, "msn": 1, "mo": 0, "length": 28, "sink_stag": 5, "sink_to": 2**63,
             "size": 4, "src_stag": 6, "src_to": 77},
            {"dir": "r2i", "op": "read_resp", "stag": 5, "to": 2**63, "length": 4},
            {"dir": "r2i", "op": "terminate", "qn": 2, "msn": 1, "mo": 0, "length": 27, "layer": 1, "etype": 2, "code": 5, "m": 1,
             "d": 1, "r": 0, "segment_length": 22, "header": sent[0][:18].hex()},
        ]
        for m, want, (frame, time) in zip(said, fields, times):
            self.assertEqual(m, {**common, **want, "frame_first": frame, "frame_last": frame, "t_first": time, "t_last": time})
        self.assertEqual(len(said), 5)

    def violation_of(self, *ulpdus, **frames):
        c, mpa = self.start(**frames), o.Mpa()
        for ulpdu in ulpdus:
            c.send(0, mpa.fpdu(ulpdu))
        said = decode(o.capture(c.segments))
        return [(v["requirement"], v["violation"].split("(")[-1][:6]) for v in said if "violation" in v]

    # checks: DDP-4.4-1 DDP-4.1-12 DDP-7.1-U1 DDP-7.1-U5 RDMAP-7.2-2 RDMAP-7.2-3 RDMAP-4.1-5 RDMAP-4.2-1 RDMAP-5.2.2-5
    def test_violations(self):
        for want, ulpdus in [
            (("DDP-4.4-1", "1/0/00"), [b"\xc1\x40\0"]),
            (("DDP-4.1-12", "1/2/06"), [o.untagged(3, 0, 1, version=2)]),
            (("DDP-4.1-12", "1/1/04"), [o.tagged(0, 1, 0, version=3)]),
            (("RDMAP-7.2-3", "0/2/05"), [b"\x41\x83" + o.untagged(3, 0, 1)[2:]]),
            (("RDMAP-7.2-2", "0/2/06"), [o.untagged(12, 0, 1)]),
            (("RDMAP-7.2-2", "0/2/06"), [o.untagged(15, 0, 1)]),
            (("RDMAP-4.1-5", "0/2/06"), [o.tagged(3, 1, 0)]),
            (("RDMAP-4.1-5", "0/2/06"), [o.untagged(2, 0, 1)]),
            (("DDP-7.1-U1", "1/2/01"), [o.untagged(3, 4, 1)]),
            (("RDMAP-5.3-9", "0/2/06"), [o.untagged(3, 3, 1)]),  # of Atomic Responses
            (("RDMAP-7.2-2", "0/2/06"), [o.untagged(12, 0, 1)]),
            (("DDP-7.1-U1", "1/2/01"), [o.untagged(3, 2**32 - 1, 1)]),
            (("RDMAP-5.3-9", "0/2/06"), [o.untagged(3, 1, 1)]),
            (("RDMAP-5.4-2", "0/2/06"), [o.untagged(7, 0, 1, 0, b"\0\0\0\0")]),
            (("RDMAP-5.2.1-6a", "0/2/06"), [o.untagged(1, 0, 1, 0, bytes(28))]),
            (("DDP-7.1-U5", "1/2/03"), [o.untagged(3, 0, 2)]),
            (("DDP-7.1-U5", "1/2/03"), [o.untagged(3, 0, 1), o.untagged(3, 0, 1)]),
            (("DDP-5.2-6", "1/2/04"), [o.untagged(3, 0, 1, 4, b"x")]),
            (("DDP-5.2-6", "1/2/04"), [o.untagged(3, 0, 1, 0, b"x", last=False), o.untagged(3, 0, 1, 2, b"x")]),
            (("DDP-5.2-8", "1/1/01"), [o.tagged(0, 1, 0, b"x", last=False), o.tagged(0, 1, 2, b"x")]),
            (("DDP-4.2-10", "1/1/00"), [o.tagged(0, 1, 0, b"x", last=False), o.tagged(0, 2, 1, b"x")]),
            (("RDMAP-4.2-1", "0/2/ff"), [o.untagged(1, 1, 1, 0, bytes(27))]),
            (("RDMAP-4.2-1", "0/2/ff"), [o.untagged(1, 1, 1, 0, bytes(29))]),
            (("RDMAP-5.2.2-5", "0/2/06"), [o.tagged(2, 1, 0, b"x")]),
        ]:
            with self.subTest(want=want):
                self.assertEqual(self.violation_of(*ulpdus), [want])
        requests = [o.read_request(i, (1, 0), 1, (2, 0)) for i in range(1, 5)]
        self.assertEqual(self.violation_of(*requests, rev=2, enhanced=(4, 4)), [])
        self.assertEqual(self.violation_of(*requests, rev=2, enhanced=(4, 3)), [])
        self.assertEqual(self.violation_of(*requests, rev=2, enhanced=(3, 4)), [("RDMAP-6.1-6", "1/2/02")])

    # checks: MPA-7.1.2-4
    def test_start_violations(self):
        mpa = o.Mpa()
        fpdu = mpa.fpdu(o.untagged(3, 0, 1))
        good, reply = o.frame(b"Req"), o.frame(b"Rep")
        for want, sent in [
            ([], [(0, good), (1, reply), (0, fpdu)]),
            (["MPA-7.1-*"], [(0, good + fpdu), (1, reply)]),
            (["MPA-7.1.2-4"], [(0, good), (1, reply), (1, fpdu)]),
            (["MPA-7.1-*"], [(0, good.replace(b"Req", b"Rxq")), (1, b"")]),
            (["MPA-7.1-*"], [(0, good), (1, reply.replace(b"Rep", b"Req"))]),
            (["MPA-7.1-*"], [(0, o.frame(b"Req", rev=7)), (1, b"")]),
            (["MPA-7.1-*"], [(0, good), (1, o.frame(b"Rep", rev=2))]),
            (["MPA-7.1-*"], [(0, o.frame(b"Req", private=bytes(513))), (1, b"")]),
            ([], [(0, o.frame(b"Req", private=bytes(512))), (1, reply)]),
        ]:
            with self.subTest(want=want):
                c = o.Connection().start()
                for side, payload in sent:
                    c.send(side, payload)
                said = decode(o.capture(c.finish().segments))
                self.assertEqual([r for _, r in violations(said)], want)

    def test_terminates(self):
        """RFC 5040's reading; Linux siw's beside it where that is possible and says something else, and instead of it where
        RFC 5040's is not."""
        head = o.tagged(0, 1, 0)
        for body, rfc, siw, believed in [
            (b"\x12\x05\xc0\0" + b"\0\x0e" + head, (1, 2, 5, 1, 1, 0), None, None),
            (b"\x02\x06\0\0", (0, 2, 6, 0, 0, 0), (2, 0, 6, 0, 0, 0), "rfc"),
            (b"\x20\x07\0\0", (2, 0, 7, 0, 0, 0), (0, 2, 7, 0, 0, 0), "rfc"),
            (b"\x20\x01\0\0", (2, 0, 1, 0, 0, 0), None, None),
            (b"\x11\0\0\0", (1, 1, 0, 0, 0, 0), None, None),  # the same in both
            (b"\x21\x06\0\0", (2, 1, 6, 0, 0, 0), (1, 2, 6, 0, 0, 0), "siw"),
            (b"\x11\0\3\0" + b"\0\x64" + head, (1, 1, 0, 0, 0, 0), (1, 1, 0, 1, 1, 0), "siw"),
            (b"\x10\0\7\0" + bytes(2) + o.untagged(1, 1, 1) + bytes(28), (1, 0, 0, 0, 0, 0), (0, 1, 0, 1, 1, 1), "siw"),
            (b"\x12\x05\xc0\0", (1, 2, 5, 1, 1, 0), None, None),  # cut short: neither
            (b"\0\xff\0\0", (0, 0, 255, 0, 0, 0), None, None),
        ]:
            c, mpa = self.start(), o.Mpa()
            c.send(0, mpa.fpdu(o.untagged(7, 2, 1, 0, body)))
            (m,) = [m for m in decode(o.capture(c.segments)) if "op" in m]
            names = ("layer", "etype", "code", "m", "d", "r")
            with self.subTest(body=body.hex()):
                self.assertEqual(tuple(m[n] for n in names), rfc)
                self.assertEqual(tuple(m["as_siw"][n] for n in names) if "as_siw" in m else None, siw)
                self.assertEqual(m.get("believed"), believed)

    def test_a_terminate_means_what_was_done_wrong_before(self):
        """Both readings are possible: the one that names a violation of the other direction is believed."""
        wrong = {
            "0/2/06": o.untagged(8, 0, 1, 0, b"x" * 8),
            "0/2/05": o.untagged(3, 0, 1, 0, b"x", version=1)[:1] + b"\x83" + o.untagged(3, 0, 1, 0, b"x")[2:],
            "nothing": o.untagged(3, 0, 1, 0, b"x"),
        }
        for body, meant, believed in [
            (b"\x20\x06\0\0", "0/2/06", "siw"),
            (b"\x20\x06\0\0", "nothing", "rfc"),
            (b"\x20\x05\0\0", "0/2/05", "siw"),
            (b"\x20\x05\0\0", "0/2/06", "rfc"),
            (b"\x02\x06\0\0", "0/2/06", "rfc"),
            (b"\x02\x05\0\0", "0/2/05", "rfc"),
        ]:
            c, there, back = self.start(), o.Mpa(), o.Mpa()
            c.send(0, there.fpdu(wrong[meant])).send(1, back.fpdu(o.untagged(7, 2, 1, 0, body)))
            said = decode(o.capture(c.segments))
            (m,) = [m for m in said if m.get("op") == "terminate"]
            with self.subTest(body=body.hex(), before=meant):
                self.assertEqual(m["believed"], believed)
                text = run("-", stdin=o.capture(c.segments)).stdout.decode()
                first, second = text.index("in the bit order of Linux siw"), text.index("in RFC 5040's order:")
                self.assertEqual(first < second, believed == "siw")

    def test_the_headers_a_terminate_carries(self):
        bad, request = o.tagged(0, 0x99, 0x1234), o.read_request(7, (1, 2), 3, (4, 5))
        for body, header, read in [
            (b"\x11\0\xc0\0\0\x20" + bad, bad, None),
            (b"\x01\0\xe0\0\0\x2e" + request, request[:18], request[18:]),
        ]:
            c = self.start()
            c.send(0, o.Mpa().fpdu(o.untagged(7, 2, 1, 0, body)))
            (m,) = [m for m in decode(o.capture(c.segments)) if "op" in m]
            with self.subTest(body=body.hex()):
                self.assertEqual(m["segment_length"], int.from_bytes(body[4:6], "big"))
                self.assertEqual(m["header"], header.hex())
                self.assertEqual(m.get("read_request"), read and read.hex())

    def test_segments(self):
        """--segments: every FPDU once, with its place in its message; nothing else changes."""
        data = (HERE / "e0-r-rresp-2segs.pcap").read_bytes()
        with_segments, without = decode(data, "--segments"), decode(data)
        self.assertEqual([s for s in with_segments if "segment" not in s], without)
        segments = [s["segment"] for s in with_segments if "segment" in s]
        self.assertEqual(len(segments), summary(without)["fpdus"])
        for direction in ("i2r", "r2i"):
            mine = [s for s in segments if s["dir"] == direction]
            self.assertEqual([s["key"] for s in mine[1:]], [s["end"] for s in mine[:-1]])
            ends = [(s["op"], s.get("msn"), s.get("mo")) for s in mine if s["last"]]
            self.assertEqual(ends, [(m["op"], m.get("msn"), m.get("mo")) for m in by_side(without, direction)])
        self.assertEqual(run("--segments", "-", stdin=data).returncode, 2)

    def test_end_inside_an_fpdu(self):
        c, mpa = self.start(), o.Mpa()
        c.send(0, mpa.fpdu(o.untagged(3, 0, 1, 0, b"x" * 100))[:50]).finish()
        said = decode(o.capture(c.segments))
        self.assertEqual(summary(said)["unparsed_octets"], 50)
        self.assertEqual(summary(said)["fpdus"], 0)

    def test_rejected(self):
        c = o.Connection().start()
        c.send(0, o.frame(b"Req")).send(1, o.frame(b"Rep", reject=True)).finish()
        said = decode(o.capture(c.segments))
        self.assertTrue(said[0]["rejected"])
        self.assertIn(b"rejected by the responder", run("-", stdin=o.capture(c.segments)).stdout)


class Command(unittest.TestCase):
    def fails(self, done, *words):
        self.assertEqual(done.returncode, 2)
        lines = done.stderr.decode().splitlines()
        self.assertEqual(len(lines), 1, lines)
        for word in words:
            self.assertIn(word, lines[0])

    def test_exit(self):
        good, bad = str(HERE / "d1-good.pcap"), str(HERE / "d1-err-send-qn5.pcap")
        self.assertEqual(run(good, "--fail-on", "error").returncode, 0)
        self.assertEqual(run(bad).returncode, 0)
        self.assertEqual(run("--fail-on", "error", bad).returncode, 1)
        self.assertEqual(run("--help").returncode, 0)

    def test_wrong_arguments(self):
        good = str(HERE / "d1-good.pcap")
        self.fails(run())
        self.fails(run(good, good))
        self.fails(run("--nonsense", good))
        self.fails(run("--fail-on", "lunch", good), "lunch")
        for wrong in ("", "crc=on", "markers=maybe,crc=on", "markers=on,crc=on,", "markers=on;crc=on", "markers=onn,crc=on"):
            with self.subTest(wrong):
                self.fails(run("--assume", wrong, good), "--assume")

    def test_unreadable(self):
        self.fails(run("/nonexistent/file.pcap"), "/nonexistent/file.pcap", "No such file")
        self.fails(run("/"), "/")
        data = (HERE / "d1-good.pcap").read_bytes()
        for wrong in (b"", b"\0", b"not a capture at all", data[:10], data[:24 + 8], data[:-3]):
            with self.subTest(len(wrong)):
                self.fails(run("-", stdin=wrong) if wrong else run("-", stdin=b""), "standard input")
        self.fails(run("-", stdin=o.pcap([], link=147)), "link layer")

    def test_cut_file(self):
        """What stands before the cut is told."""
        data = (HERE / "d1-good.pcap").read_bytes()
        done = run("--json", "-", stdin=data[:-400])
        self.assertEqual(done.returncode, 2)
        said = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertGreater(summary(said)["messages"], 5)

    def test_empty(self):
        said = decode(o.pcap([]))
        self.assertEqual(summary(said)["messages"], 0)
        self.assertIn(b"The file holds no TCP", run("-", stdin=o.pcap([])).stdout)

    def test_width(self):
        for path in HERE.glob("*.pcap"):
            for line in run(str(path)).stdout.decode().splitlines():
                self.assertLessEqual(len(line), 100, line)

    def test_fragments(self):
        segments = shipped("d1-good")
        frames = o.frames_of(segments[:8]) + o.frames_of(segments[8:9], fragment=0x2000) + o.frames_of(segments[9:])
        text = run("-", stdin=o.pcap(frames)).stdout.decode()
        self.assertIn("1 IP fragment was not reassembled.", text)


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    print("[  PASSED  ] %d test(s)." % (result.testsRun - len(result.failures) - len(result.errors)))
    sys.exit(not result.wasSuccessful())
