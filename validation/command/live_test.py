#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""iwarpsim serve and iwarpsim connect: what they say, what they exit with, and what tshark makes of their captures."""

import re
import shutil
import socket
import struct
import subprocess
import sys
import threading
import unittest

from run_test import IWARPSIM, TOP, Command

sys.path.insert(0, str(TOP / "validation" / "interop"))
import octets

TELLS = "write 100kB; read 70KiB; send 100; peer send 50; wait; fetch_add 7"


class Live(Command):
    def serve(self, *more):
        """A server on a port of the kernel's choice, and its address."""
        server = subprocess.Popen([IWARPSIM, "serve", "0", *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder)
        self.addCleanup(self.end, server)
        first = server.stdout.readline()
        return server, re.match(r"listening on (\S+); ", first)[1]

    def end(self, server):
        server.terminate()
        said = server.communicate(timeout=60)
        return server.returncode, said

    def connect(self, *arguments):
        done = subprocess.run([IWARPSIM, "connect", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder, timeout=120)
        return done.returncode, done.stdout, done.stderr

    def test_a_script_is_played_and_told(self):
        server, address = self.serve("--pcap", "s.pcap")
        status, said, error = self.connect(address, TELLS, "--pcap", "c.pcap", "--wide")
        self.assertEqual((status, error), (0, ""), said)
        for sentence in ("A posts a Write of 100000 octets", "places A1: ", "DELIVERS the Read Request", "tells the ULP that its Read is complete: 71680",
                         "the Send, MSN 1, 50", "FetchAdd is complete", "all 6 steps are done"):
            self.assertIn(sentence, " ".join(said.split()))
        status, (out, warning) = self.end(server)
        self.assertEqual(status, 0)
        self.assertIn("anyone who reaches", warning)
        self.assertIn("connected: MPA revision 2, CRC on, markers off", out)
        self.assertIn("disconnected: closed; ", out)
        for name in ("c.pcap", "s.pcap"):
            self.assertIn("places", subprocess.run([IWARPSIM, "explain", name], stdout=subprocess.PIPE, text=True, cwd=self.folder, check=True).stdout)

    @unittest.skipUnless(shutil.which("tshark"), "tshark is not installed")
    def test_tshark_reads_the_captures(self):
        for more in ((), ("--markers",), ("--no-crc", "--rev1")):
            server, address = self.serve("--pcap", "s.pcap", "--once", *more)
            self.assertEqual(self.connect(address, "write 200kB; send 3000; read 9", "--pcap", "c.pcap", "--quiet", *more)[0], 0)
            server.wait(60)
            for name in ("c.pcap", "s.pcap"):
                said = subprocess.run(["tshark", "-r", name], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=self.folder, check=True).stdout
                self.assertIn("MPA Request Frame", said)
                if "--markers" not in more:
                    self.assertIn("Read Request [last DDP segment]", said)

    def test_ends(self):
        _, address = self.serve()
        status, said, _ = self.connect(address, "write 16 to nothing", "--quiet")
        self.assertEqual((status, said), (0, "the peer ended the stream with Terminate 1/1/00, tagged buffer: invalid STag\n"))
        self.assertEqual(self.connect(address, "write 16", "--stag", "5", "--to", "0", "--quiet")[:2],
                         (0, "the peer ended the stream with Terminate 1/1/00, tagged buffer: invalid STag\n"))
        _, bare = self.serve("--bare")
        status, _, error = self.connect(bare, "write 1", "--quiet")
        self.assertEqual((status, error), (2, "iwarpsim connect: step 1 names memory of the peer, which advertised none: give --stag and --to\n"))

    def answering(self, *ulpdus, gone=False):
        """A peer written from the RFCs: a Reply, then these ULPDUs once we have spoken; `gone`: it closes behind the Reply."""
        def serve(listening):
            with listening, listening.accept()[0] as peer:
                head = peer.recv(20, socket.MSG_WAITALL)
                peer.recv(struct.unpack(">H", head[18:])[0], socket.MSG_WAITALL)
                peer.sendall(octets.frame(b"Rep", rev=2, enhanced=(4, 4)))
                mpa = octets.Mpa()
                if not gone and peer.recv(1):
                    peer.sendall(b"".join(mpa.fpdu(u) for u in ulpdus))
                while not gone and peer.recv(65536):
                    pass

        listening = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=serve, args=(listening,), daemon=True).start()
        return "127.0.0.1:%d" % listening.getsockname()[1]

    def test_a_peer_that_errs(self):
        """It has no script, so what this end ends the stream for is its fault alone."""
        for ulpdu, term in ((octets.tagged(0, 0x77000000, 0, b"x"), "1/1/00, tagged buffer: invalid STag"),
                            (octets.untagged(3, 5, 1, payload=b"x"), "1/2/01, untagged buffer: invalid QN"),
                            (octets.tagged(2, 0x77000000, 0, b"x"), "1/1/00, tagged buffer: invalid STag")):
            status, said, error = self.connect(self.answering(ulpdu), "send 5; read 9", "--stag", "1", "--to", "0", "--len", "9", "--quiet")
            self.assertEqual((status, said), (1, ""), error)
            self.assertIn("this end ended the stream with Terminate " + term, error)

    def test_a_peer_that_is_gone(self):
        status, said, error = self.connect(self.answering(gone=True), "send 5; read 9", "--stag", "1", "--to", "0", "--len", "9", "--quiet")
        self.assertEqual((status, said, error.count("\n")), (3, "", 1))
        self.assertRegex(error, "the peer was gone before step [12] was over")

    def test_nobody_and_others(self):
        with socket.create_server(("127.0.0.1", 0)) as listening:
            port = listening.getsockname()[1]
            status, _, error = self.connect(f"127.0.0.1:{port}", "send 1", "--timeout", "200ms")
            self.assertEqual((status, error), (3, f"iwarpsim connect: MPA's start-up with 127.0.0.1:{port} failed: no answer\n"))
        status, _, error = self.connect(f"127.0.0.1:{port}", "send 1")
        self.assertEqual((status, error), (3, f"iwarpsim connect: no connection with 127.0.0.1:{port}: Connection refused\n"))

    def test_wrong_input(self):
        for arguments, words in {("serve",): "a port is required", ("serve", "70000"): "0 to 65535", ("serve", "1", "--memory", "x"): "--memory takes",
                                 ("connect",): "an address and a script are required", ("connect", "a", "send 1"): "HOST:PORT",
                                 ("connect", "127.0.0.1:1", "sent 1"): "a step must begin with", ("connect", "127.0.0.1:1", "send 1QB"): "followed by its octets",
                                 ("connect", "127.0.0.1:1", "send 1", "--emss", "1"): "536 to 65535"}.items():
            done = subprocess.run([IWARPSIM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertIn(words, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)
        (self.folder / "x.yaml").write_text("world: socket\n")
        done = subprocess.run([IWARPSIM, "run", "x.yaml"], stderr=subprocess.PIPE, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("a live world: use `iwarpsim serve` and `iwarpsim connect`", done.stderr)


if __name__ == "__main__":
    unittest.main()
