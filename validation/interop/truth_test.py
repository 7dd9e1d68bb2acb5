#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Real captures decode to their truth: the 144 shipped here and, where the folder is there, the larger ones."""

import collections
import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import folders

TOP = HERE.parent.parent
IWARPSIM = os.environ.get("IWARPSIM", str(TOP / "build" / "iwarpsim"))

OPS = {  # truth.json's names
    "Send": "send", "SendInv": "send_inv", "SendSE": "send_se", "SendSEInv": "send_se_inv", "Write": "write",
    "ReadReq": "read_req", "ReadResp": "read_resp", "Terminate": "terminate", "ImmData": "immediate",
    "AtomicReq": "atomic_req",
}
VIOLATIONS = json.loads((HERE / "violations.json").read_text())


def decode(path):
    done = subprocess.run([IWARPSIM, "decode", "--json", str(path)], capture_output=True, text=True)
    assert done.returncode == 0, f"{path}: exit {done.returncode}: {done.stderr}"
    return [json.loads(line) for line in done.stdout.splitlines()]


def terminate_text(t):
    return "layer %d etype %d code 0x%02x" % (t["layer"], t["etype"], t["code"])


class Truth(unittest.TestCase):
    def check_folder(self, folder, names):
        truth = [file for file in json.loads((folder / "truth.json").read_text()) if file["file"] in names]
        for file in truth:
            with self.subTest(file["file"]):
                self.check_file(file, decode(folder / file["file"]))
        return len(truth)

    def check_file(self, truth, said):
        connections = [o for o in said if "initiator" in o]
        summary = said[-1]["summary"]
        self.assertEqual(len(connections), len(truth["conns"]))
        directions = [d for c in truth["conns"] for d in c["dirs"].values()]
        self.assertEqual(summary["fpdus"], sum(d.get("fpdus", 0) for d in directions))
        self.assertEqual(summary["crc_bad"], sum(d.get("crcbad", 0) for d in directions))
        self.assertEqual(summary["resyncs"], 0)
        self.assertEqual(summary["messages"], sum("op" in o for o in said))
        for connection, true in zip(connections, truth["conns"]):
            self.check_connection(connection, true, [o for o in said if o.get("conn") == connection["conn"]])
        self.check_violations(truth["file"], [o for o in said if "violation" in o])

    def check_connection(self, connection, true, said):
        self.assertEqual(connection["crc"], true["crc"])
        self.assertEqual(connection["rejected"], true["rejected"])
        i2r, r2i = (true["dirs"][d].get("mpa") for d in ("i2r", "r2i"))
        last = r2i or i2r
        self.assertEqual(connection["mpa_rev"], last["rev"])
        if last["kind"] != "?":  # a wrong key: nothing behind it is believed
            self.assertEqual((connection["ird"], connection["ord"]), (last["ird"], last["ord"]))
        self.assertEqual(connection["markers_r2i"], bool(i2r["M"]))
        self.assertEqual(connection["markers_i2r"], bool(r2i and r2i["M"]))
        for name, direction in true["dirs"].items():
            self.check_direction(direction, [o for o in said if "op" in o and o["dir"] == name])

    def check_direction(self, true, messages):
        counted = collections.Counter(m["op"] for m in messages)
        self.assertEqual(dict(counted), {OPS[k]: n for k, n in true.get("messages", {}).items()})
        fpdus = collections.Counter()
        for m in messages:
            fpdus[m["op"]] += m["fpdus"]
        for k, n in true.get("segments", {}).items():  # those of messages without an end have no message to be in
            self.assertLessEqual(fpdus[OPS[k]], n)
        if sum(fpdus.values()) == true.get("fpdus", 0):
            self.assertEqual(dict(fpdus), {OPS[k]: n for k, n in true.get("segments", {}).items()})
        if sum(m["ooo_fpdus"] for m in messages):
            self.assertGreater(true["ooo"], 0)
        said = [m for m in messages if m["op"] == "terminate"]
        self.assertEqual(len(said), len(true.get("terminate_raw", [])))
        for m, raw in zip(said, true.get("terminate_raw", [])):
            self.check_terminate(m, raw)

    def check_terminate(self, m, raw):
        self.assertTrue(raw["rfc"].startswith(terminate_text(m)), (m, raw))
        if "as_siw" in m:
            siw = m["as_siw"]
            said = "%s MDR %d%d%d" % (terminate_text(siw), siw["m"], siw["d"], siw["r"])
            self.assertEqual(said, raw["siw"])

    def check_violations(self, file, said):
        """What the octets alone decide is named; where a file is not in the table nothing is wrong."""
        for v in said:
            self.assertIn(v["dir"], ("i2r", "r2i"))
            self.assertGreaterEqual(v["frame"], 1)
        found = [[v["dir"], v["requirement"], v["violation"]] for v in said]
        self.assertEqual(found, VIOLATIONS.get(file, []))

    def test_shipped(self):
        names = [p.name for p in folders.shipped()]
        self.assertEqual(sum(self.check_folder(folder, names) for folder in folders.SHIPPED), len(names))

    def test_larger(self):
        names = [p.name for p in folders.larger()]
        if not names:
            folders.not_proved("the 26 captures of siw above 32 kB decode to their truth")
        self.assertEqual(self.check_folder(folders.MORE, names), 26)


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    print("[  PASSED  ] %d test(s)." % (result.testsRun - len(result.failures) - len(result.errors) - len(result.skipped)))
    for _, why in result.skipped:
        print("[  SKIPPED ] 1 test(s).", why, sep="\n")
    sys.exit(not result.wasSuccessful())
