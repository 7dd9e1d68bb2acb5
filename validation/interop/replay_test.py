#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""iwarpsim replay: captures of our own, made-up ones and those of another stack against `iwarpsim serve`; STags and addresses are
those of the peer; the first difference is told; broken captures say so in a sentence."""

import os
import random
import re
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
sys.path.insert(0, str(HERE))
import folders
import octets as o

IWARPSIM = os.environ.get("IWARPSIM", str(TOP / "build" / "iwarpsim"))
SAME = re.compile(r"connection \d+: \d+ FPDUs? sent, \d+ messages? came back\n  as the capture's responder did\n")
# A responder of another stack: its memory is elsewhere, and has other STags.
TO, HOME, READABLE, WRITABLE, FOREIGN = 0x7F0012345000, 0xA1B2C300, 0xA1B2C407, 0xA1B2C511, 0xA1B2C622
TOLD = b"SIWT" + struct.pack(">IQIIIIQ", 1 << 20, TO, HOME, READABLE, WRITABLE, FOREIGN, 0)
SINK = (0x11223344, 0x1000)
SCRIPTS = (
    "write 100000; read 100000; send 100",
    "send 1; peer send 300000; peer read 100000; peer fetch_add 3",
    "fetch_add 5; fetch_add 7; cmp_swap 12 99; send_inv 100 to writable",
    "peer send 5; read 70000; wait; write 5 to foreign",
    "write 9 to readable",
)


class Replay(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def serve(self, *more):
        server = subprocess.Popen([IWARPSIM, "serve", "0", *more], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(lambda: (server.terminate(), server.communicate()))
        first = server.stdout.readline()
        self.home = re.search(r"0x\w+", server.stdout.readline())[0]
        return re.match(r"listening on (\S+);", first)[1]

    def replay(self, path, address, *more):
        done = subprocess.run([IWARPSIM, "replay", str(path), address, *more], capture_output=True, text=True, timeout=300)
        return done.returncode, done.stdout, done.stderr

    def made(self, said, private=TOLD):
        """A capture: `said` is (side, ULPDU) in order."""
        c, mpa = o.Connection().start(), [o.Mpa(), o.Mpa()]
        c.send(0, o.frame(b"Req", rev=2, enhanced=(4, 4))).send(1, o.frame(b"Rep", rev=2, enhanced=(4, 4), private=private))
        for side, ulpdu in said:
            c.send(side, mpa[side].fpdu(ulpdu))
        path = self.folder / "made.pcap"
        path.write_bytes(o.capture(c.finish().segments))
        return path

    def test_our_own(self):
        address = self.serve("--memory", "1MiB")
        for script in SCRIPTS:
            path = self.folder / "own.pcap"
            subprocess.run([IWARPSIM, "connect", address, script, "--quiet", "--pcap", path], check=True, capture_output=True)
            status, said, error = self.replay(path, self.serve("--memory", "1MiB"))
            self.assertEqual((status, error), (0, ""), (script, said))
            self.assertRegex(said, SAME)
            self.assertNotIn(" 0 messages", said)

    def test_memory_is_the_peers(self):
        payload = bytes(range(100))
        path = self.made([
            (0, o.tagged(0, HOME, TO + 8, payload)),
            (0, o.read_request(1, SINK, 100, (READABLE, TO + 8))),
            (1, o.tagged(2, *SINK, payload)),
            (0, o.untagged(4, 0, 1, payload=b"x" * 9, inval=WRITABLE)),
            (0, o.tagged(0, FOREIGN, TO, b"y" * 4)),
            (1, o.untagged(7, 2, 1, payload=b"\x11\x02\xc0\x00\x00\x12" + o.tagged(0, FOREIGN, TO))),
        ])
        self.assertEqual(self.replay(path, self.serve())[:2], (0, "connection 1: 4 FPDUs sent, 2 messages came back\n  as the capture's responder did\n"))

    def test_another_key_stays_another_key(self):
        path = self.made([(0, o.tagged(0, HOME ^ 0x41, TO, b"zz")), (1, o.untagged(7, 2, 1, payload=b"\x11\x00\xc0\x00\x00\x10" + o.tagged(0, HOME ^ 0x41, TO)))])
        self.assertRegex(self.replay(path, self.serve())[1], SAME)

    def test_memory_that_is_not_told(self):
        said = [(0, o.tagged(0, 5, 1 << 40, b"a" * 64)), (0, o.read_request(1, SINK, 64, (5, 1 << 40))), (1, o.tagged(2, *SINK, b"a" * 64))]
        path = self.made(said, private=b"")
        bare = self.serve("--bare")
        status, said, error = self.replay(path, bare)
        self.assertEqual((status, said), (3, ""))
        self.assertIn("the peer does not advertise its memory; give --memory STAG:TO:LEN", error)
        self.assertRegex(self.replay(path, bare, "--memory", self.home + ":65536:1024")[1], SAME)
        self.assertIn("reaches 64 octets of memory, and the peer has 63", self.replay(path, bare, "--memory", self.home + ":65536:63")[2])

    def test_the_first_difference(self):
        said = [(0, o.untagged(3, 0, 1, payload=b"hello")), (0, o.read_request(1, SINK, 8, (HOME, TO))), (1, o.tagged(2, *SINK, bytes(9)))]
        status, said, error = self.replay(self.made(said), self.serve())
        self.assertEqual((status, error), (1, ""))
        self.assertIn("the first difference: frame 8: the capture's responder says Read Response, 9 octets to 11223344:1000; "
                      "this peer, Read Response, 8 octets to 11223344:1000", said)
        status, said, error = self.replay(self.made([(0, o.tagged(0, 0x77000000, TO, b"b"))]), self.serve())
        self.assertEqual(status, 1)
        self.assertIn("this peer says Terminate 1/1/00 MD, and the capture's responder nothing more of its kind", said)
        status, said, error = self.replay(self.made([(0, o.tagged(0, HOME, TO, b"b")), (1, o.untagged(3, 0, 1, payload=b"c"))]), self.serve(), "--gap", "20")
        self.assertEqual(status, 1)
        self.assertIn("frame 7: the capture's responder says Send, 1 octets, QN 0 MSN 1; this peer, nothing", said)

    def answering(self, *said, private=TOLD):
        """A peer that knows no iWARP: it takes a Request, and then says these ULPDUs, whatever it hears."""
        def serve(listening):
            with listening, listening.accept()[0] as peer:
                head = peer.recv(20, socket.MSG_WAITALL)
                peer.recv(struct.unpack(">H", head[18:])[0], socket.MSG_WAITALL)
                mpa = o.Mpa()
                peer.sendall(o.frame(b"Rep", rev=2, enhanced=(4, 4), private=private))
                peer.recv(1)
                peer.sendall(b"".join(mpa.fpdu(u) for u in said))
                while peer.recv(65536):
                    pass

        listening = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=serve, args=(listening,), daemon=True).start()
        return "127.0.0.1:%d" % listening.getsockname()[1]

    def test_octets_of_a_read_response(self):
        """What the initiator wrote must come back; what was in memory before is told and is no difference."""
        payload = bytes(range(1, 101))
        ask = [(0, o.tagged(0, WRITABLE, TO + 8, payload)), (0, o.read_request(1, SINK, 120, (HOME, TO)))]
        answer = bytes(8) + payload + bytes(12)
        path = self.made([*ask, (1, o.tagged(2, SINK[0], SINK[1], answer[:50], last=False)), (1, o.tagged(2, SINK[0], SINK[1] + 50, answer[50:]))])
        self.assertEqual(self.replay(path, self.answering(o.tagged(2, *SINK, answer)))[0], 0)
        for at in (8, 49, 50, 107):
            other = bytearray(answer)
            other[at] ^= 0x80
            status, said, error = self.replay(path, self.answering(o.tagged(2, *SINK, bytes(other))))
            self.assertEqual((status, error), (1, ""))
            self.assertIn(f"the first difference: frame 8: octet {at} of the capture's Read Response, 120 octets to 11223344:1000 is {answer[at]:02x}; "
                          f"of this peer's, {other[at]:02x}\n", said)
        for at in (0, 7, 108, 119):
            other = bytearray(answer)
            other[at] ^= 0x80
            status, said, error = self.replay(path, self.answering(o.tagged(2, *SINK, bytes(other))))
            self.assertEqual((status, error), (0, ""))
            self.assertIn(f"octets that memory held before differ in 1 answer; the first is octet {at} of frame 8's", said)
        before = bytearray(answer)
        before[0] = before[20] = 0xEE
        self.assertIn("octet 20 of", self.replay(path, self.answering(o.tagged(2, *SINK, bytes(before))))[1])

    def test_octets_that_a_later_write_may_have_changed(self):
        """The second Write overtakes the Read or does not; behind the answer it is too late."""
        read, write = o.read_request(1, SINK, 8, (HOME, TO)), o.tagged(0, HOME, TO + 2, b"zz")
        answer, other = o.tagged(2, *SINK, b"abcdefgh"), o.tagged(2, *SINK, b"abzzefgh")
        first = (0, o.tagged(0, HOME, TO, b"abcdefgh"))
        under_way = self.made([first, (0, read), (0, write), (1, answer)])
        self.assertEqual(self.replay(under_way, self.answering(other))[0], 0)
        self.assertIn("octet 4 of", self.replay(under_way, self.answering(o.tagged(2, *SINK, b"abzzEfgh")))[1])
        self.assertIn("octet 2 of", self.replay(self.made([first, (0, read), (1, answer), (0, write)]), self.answering(other))[1])
        self.assertIn("octet 2 of", self.replay(self.made([first, (0, write), (0, read), (1, other)]), self.answering(answer))[1])

    def test_octets_of_a_send(self):
        """All of them, but for STags and addresses of memory, which are each end's own."""
        elsewhere = TOLD[:8] + struct.pack(">QIIII", TO + 0x777000, HOME + 0x100, READABLE + 0x100, WRITABLE + 0x100, FOREIGN + 0x100) + TOLD[32:]
        text = b"at %s of %s; %s" % (struct.pack(">Q", TO + 17), struct.pack(">I", WRITABLE), struct.pack(">I", HOME))
        mine = b"at %s of %s; %s" % (struct.pack(">Q", TO + 0x777000 + 17), struct.pack(">I", WRITABLE + 0x100), struct.pack(">I", HOME + 0x100))
        path = self.made([(0, o.untagged(3, 0, 1, payload=b"?")), (1, o.untagged(3, 0, 1, payload=text))])
        self.assertEqual(self.replay(path, self.answering(o.untagged(3, 0, 1, payload=mine), private=elsewhere))[:2],
                         (0, "connection 1: 1 FPDU sent, 1 message came back\n  as the capture's responder did\n"))
        for at in (0, 10, 15, 16, 24, len(mine) - 1):
            other = bytearray(mine)
            other[at] ^= 1
            status, said, error = self.replay(path, self.answering(o.untagged(3, 0, 1, payload=bytes(other)), private=elsewhere))
            self.assertEqual((status, error), (1, ""), at)
            first = next(i for i in range(len(text)) if text[i] != other[i] and not (3 <= i < 11 and at != 10 or 15 <= i < 19 and at not in (15, 16)))
            self.assertIn(f"frame 7: octet {first} of the capture's Send, {len(text)} octets, QN 0 MSN 1 is {text[first]:02x}; of this peer's, {other[first]:02x}", said)

    def test_octets_of_a_read_request_and_of_an_atomic(self):
        """The sink of a Read is the peer's choice, its source is not; an Atomic finds what was written."""
        said = [(0, o.untagged(3, 0, 1, payload=b"?")), (1, o.read_request(1, (HOME, TO), 4, (7, 0x10)))]
        self.assertEqual(self.replay(self.made(said), self.answering(o.read_request(1, (READABLE, 5), 4, (7, 0x10))))[0], 0)
        self.assertIn("octet 27 of the capture's Read Request", self.replay(self.made(said), self.answering(o.read_request(1, (HOME, TO), 4, (7, 0x11))))[1])
        ask = struct.pack(">IIIQQQQQ", 0, 77, HOME, TO, 3, 0, 0, 0)
        found = lambda identifier, value: o.untagged(11, 3, 1, payload=struct.pack(">IQ", identifier, value))
        self.assertEqual(len(ask), 52)
        unknown = self.made([(0, o.untagged(10, 1, 1, payload=ask)), (1, found(77, 5))])
        self.assertEqual(self.replay(unknown, self.answering(found(77, 6)))[0], 0)
        self.assertIn("octet 3 of", self.replay(unknown, self.answering(found(78, 5)))[1])
        known = self.made([(0, o.tagged(0, HOME, TO, struct.pack(">Q", 5))), (0, o.untagged(10, 1, 1, payload=ask)), (1, found(77, 5))])
        self.assertIn("octet 11 of", self.replay(known, self.answering(found(77, 6)))[1])

    def test_broken_captures(self):
        good = [(0, o.tagged(0, HOME, TO + 4 * i, b"abcd")) for i in range(5)]
        path = self.made(good)
        segments = o.Connection().start()
        segments.send(0, o.frame(b"Req", rev=2, enhanced=(4, 4))).send(1, o.frame(b"Rep", rev=2, enhanced=(4, 4), private=TOLD))
        mpa = o.Mpa()
        for i, (_, ulpdu) in enumerate(good):
            segments.send(0, mpa.fpdu(ulpdu, bad_crc=i == 3))
        (self.folder / "crc.pcap").write_bytes(o.capture(segments.segments))
        status, said, error = self.replay(self.folder / "crc.pcap", self.serve())
        self.assertEqual((status, error), (0, ""))
        self.assertIn("3 FPDUs sent", said)
        self.assertIn("frame 9: the FPDU is broken, or not wholly in the capture: from here on nothing is sent", said)
        octets, draw = path.read_bytes(), random.Random(7)
        with socket.create_server(("127.0.0.1", 0)) as nobody:
            address = "127.0.0.1:%d" % nobody.getsockname()[1]
        for k in range(60):
            broken = bytearray(octets[: draw.randrange(len(octets))] if k % 2 else octets)
            for _ in range(draw.randrange(4)):
                if broken:
                    broken[draw.randrange(len(broken))] = draw.randrange(256)
            (self.folder / "broken.pcap").write_bytes(broken)
            status, said, error = self.replay(self.folder / "broken.pcap", address)
            self.assertIn((status, said, error.count("\n")), ((2, "", 1), (3, "", 1)), (k, error))

    def test_peers_that_are_none(self):
        path = self.made([(0, o.tagged(0, HOME, TO, b"b"))])
        with socket.create_server(("127.0.0.1", 0)) as mute:
            status, said, error = self.replay(path, "127.0.0.1:%d" % mute.getsockname()[1], "--gap", "5")
        self.assertEqual((status, error), (1, ""))
        self.assertIn("accepts the connection; this peer does not answer with an MPA Reply", said)

    def test_wrong_use(self):
        path = self.made([])
        for arguments in ((), (path,), (path, "x"), (path, "a:1", "b"), ("/nowhere", "127.0.0.1:9"), (path, "127.0.0.1:9", "--conn", "0"),
                          (path, "127.0.0.1:9", "--conn", "2"), (path, "127.0.0.1:9", "--gap", "0"), (path, "127.0.0.1:9", "--memory", "1"),
                          (path, "127.0.0.1:9", "--nonsense")):
            done = subprocess.run([IWARPSIM, "replay", *map(str, arguments)], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr.count("\n"), done.stdout), (2, 1, ""), (arguments, done.stderr))

    def test_another_stack(self):
        """Linux siw's captures: its good runs go as they went; where it answers otherwise than RFC 5040, that is told."""
        address = self.serve("--memory", "4MiB")
        self.go_as_they_went(address, "a21-send-sweep-0-40", "c0-write-badkey", "c0-read-badidx", "c1-write-ro", "d0-err-write-badkey", "d1-good", "d1-good-interleaved")
        for name, difference in (("d0-err-opcode10", "says Terminate 0/2/06; this peer, Terminate 0/2/06 MD"),
                                 ("d0-err-write-untagged", "says Terminate 1/1/00 MD; this peer, Terminate 0/2/06 MD"),
                                 ("e0-r-rresp-short", "Read Response, 56 octets to 3f798600:7f8915c08010; this peer, Read Response, 64 octets")):
            status, said, error = self.replay(folders.named(name), address)
            self.assertEqual((status, error), (1, ""), (name, said))
            self.assertIn(difference, said)

    def test_larger_ones(self):
        if not folders.larger():
            folders.not_proved("five captures of siw above 32 kB, with loss among them, replay as they went")
        self.go_as_they_went(self.serve("--memory", "4MiB"), "a60-mtu1280", "b08-crc-write-read-sweep", "b13-crc-notimestamps", "n02-loss3-1500", "n08-loss5-9000")

    def go_as_they_went(self, address, *captures):
        for name in captures:
            status, said, error = self.replay(folders.named(name), address)
            self.assertEqual((status, error), (0, ""), (name, said))
            self.assertRegex(said, SAME, name)


if __name__ == "__main__":
    unittest.main()
