#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What the vectors of RFC 7306 say of Atomics, tshark must say of the same octets. The engine sends just these octets and
takes them (validation/unit/vectors_test.c), so that its Atomics are judged by who did not write them."""

import json
import shutil
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

from octets import Connection, Mpa, capture, frame

VECTORS = Path(__file__).resolve().parents[1] / "vectors/atomic.json"
REQUEST, RESPONSE = 10, 11
FETCH_ADD, CMP_SWAP = 0, 2
SIZE = {REQUEST: 18 + 52, RESPONSE: 18 + 12}


def atomics():
    """Every whole Atomic that a vector sends or lets arrive, each once: (name of the vector, octets). Without those whose
    code nobody defines and those with reserved bits set, which tshark (4.0) takes for a part of the code."""
    seen = {}
    for vector in json.loads(VECTORS.read_text())["vectors"]:
        sent = vector.get("transmit", []) + [a["ulpdu"] for a in vector.get("arrive", [])]
        for octets in map(bytes.fromhex, sent):
            known = octets[1] & 15 == RESPONSE or octets[18:22] in (b"\0\0\0\0", b"\0\0\0\2")
            if len(octets) == SIZE.get(octets[1] & 15) and known:
                seen.setdefault(octets, vector["id"])
    return [(name, octets) for octets, name in seen.items()]


def by_the_figures(octets):
    """RFC 7306 figures A.1 and A.2, read by position: what tshark's fields should hold."""
    qn, msn, mo = struct.unpack_from(">III", octets, 6)
    said = {"iwarp_rdma.opcode": octets[1] & 15, "iwarp_ddp.qn": qn, "iwarp_ddp.msn": msn, "iwarp_ddp.mo": mo}
    if octets[1] & 15 == RESPONSE:
        names, values = ("original_request_identifier", "original_remote_data_value"), struct.unpack_from(">IQ", octets, 18)
    else:
        code, *values = struct.unpack_from(">IIIQQQQQ", octets, 18)
        said["iwarp_rdma.atomic.opcode"] = code & 15
        names = ["request_identifier", "remote_stag", "remote_tagged_offset"]
        names += {FETCH_ADD: ["add_data", "add_mask"], CMP_SWAP: ["swap_data", "swap_mask"]}[code & 15] + ["compare_data", "compare_mask"]
    return said | {"iwarp_rdma.atomic." + n: v for n, v in zip(names, values)}


def tshark(segments, fields):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "atomics.pcap"
        path.write_bytes(capture(segments))
        command = ["tshark", "-r", path, "-T", "fields"] + [x for f in fields for x in ("-e", f)]
        return [r.split("\t") for r in subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.splitlines()]


@unittest.skipUnless(shutil.which("tshark"), "tshark is missing")
class Atomics(unittest.TestCase):
    # checks: EXT-4.1-2 EXT-5-3 EXT-5.2-1 EXT-5.2.1-0c EXT-5.2.2-2
    def test_tshark_reads_what_the_figures_say(self):
        cases = atomics()
        self.assertGreaterEqual(len(cases), 20)
        line = Connection().start().send(0, frame(b"Req")).send(1, frame(b"Rep"))
        before, mpa = len(line.segments), (Mpa(), Mpa())
        for _, octets in cases:
            side = octets[1] & 15 == RESPONSE
            line.send(int(side), mpa[side].fpdu(octets))
        fields = sorted({f for _, octets in cases for f in by_the_figures(octets)}) + ["_ws.malformed", "iwarp_mpa.bad_length"]
        rows = tshark(line.finish().segments, fields)[before:]
        for (name, octets), row in zip(cases, rows):
            said = {f: int(v, 0) for f, v in zip(fields, row) if v}
            with self.subTest(vector=name, octets=octets.hex()):
                self.assertEqual(said, by_the_figures(octets))


if __name__ == "__main__":
    unittest.main()
