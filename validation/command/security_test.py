#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""llp.security against closed forms: octets on the wire, a crypto rate that binds, crypto latency; what ESP lets be placed and TLS
does not; altered packets; the same rows in both worlds of packets.

  security_test.py [TEST]     needs IWARPSIM (or build/iwarpsim) and iwarpsim-ns3 beside it
"""

import csv
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = Path(os.environ.get("IWARPSIM", TOP / "build/iwarpsim")).absolute()
ESP, TLS = 8 + 8 + 2 + 16, 5 + 1 + 16  # RFC 4303 2 with RFC 4106's IV and ICV, without padding; RFC 8446 5.2
IP, TCP, ETHERNET = 20, 20, 38
BIG = {"topology.rate": "100Gbps", "topology.delay": "1us", "payload": "none", "workload.op": "write", "workload.size": "1MiB", "workload.count": 40, "llp.congestion": "fixed:1MiB", "rnic.receive": "hold"}
SMALL = {"topology.rate": "100Gbps", "topology.delay": "1us", "workload.kind": "pingpong", "workload.op": "write", "workload.size": "64B", "workload.count": 100, "rnic.receive": "hold"}


class Security(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.runs = 0

    def rows(self, keys, trace=False, **sweep):
        self.runs += 1
        path, out = self.folder / f"s{self.runs}.yaml", self.folder / f"out{self.runs}"
        path.write_text("".join(f'{k}: "{v}"\n' if ":" in str(v) else f"{k}: {v}\n" for k, v in keys.items()))
        more = [word for k, v in sweep.items() for word in ("--set", f"{k.replace('__', '.')}={v}")]
        done = subprocess.run([IWARPSIM, "run", path, "--out", out, "--jobs", "1", *(["--trace"] if trace else []), *more], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(out / "results.csv", newline="") as lines:
            return list(csv.DictReader(lines))

    @staticmethod
    def full(security, mtu=1500):
        """ULP octets of a full packet of Writes, its FPDU, and what it takes on the wire."""
        most = {"none": mtu, "esp": (mtu - IP - ESP + 2) // 4 * 4 - 2 + IP, "tls": mtu - TLS}[security]
        mss = most - IP - TCP
        ulpdu = mss - 6 - mss % 4  # length 2, CRC 4, on a multiple of 4 (RFC 5044 4.5)
        fpdu = (ulpdu + 6 + 3) // 4 * 4
        inner = IP + TCP + fpdu
        pad = -(inner - IP + 2) % 4
        added = {"none": 0, "esp": ESP + pad, "tls": TLS}[security]
        return ulpdu - 14, fpdu, inner + added + ETHERNET

    def test_the_line_carries_what_the_headers_leave(self):
        for row in self.rows(BIG, llp__security="[none, esp, tls]", topology__mtu="[1500, 9000]"):
            payload, _, wire = self.full(row["llp.security"], int(row["topology.mtu"]))
            self.assertAlmostEqual(float(row["steady_gbps"]), 100 * payload / wire, delta=0.1, msg=row["point"])

    def test_check_tells_the_same(self):
        for security in ("none", "esp", "tls"):
            _, fpdu, wire = self.full(security)
            path = self.folder / "c.yaml"
            path.write_text(f"llp: {{security: {security}}}\nrnic: {{receive: hold}}\n")
            said = subprocess.run([IWARPSIM, "check", path], capture_output=True, text=True).stdout
            self.assertIn(f"FPDU {fpdu}, ", said)
            self.assertIn(f"; {wire} octets on the wire", said)

    def test_a_rate_that_binds(self):
        """Octets of FPDUs go through at the rate of encryption."""
        for row in self.rows(BIG, llp__security="[esp, tls]", rnic__crypto__rate="[10Gbps, 40Gbps]"):
            payload, fpdu, _ = self.full(row["llp.security"])
            self.assertAlmostEqual(float(row["steady_gbps"]), float(row["rnic.crypto.rate"]) * payload / fpdu, delta=0.2, msg=row["point"])

    def test_a_rate_of_either_end_binds(self):
        """Encryption of one host, decryption of the other: each as slow as its own adapter."""
        for row in self.rows(BIG, llp__security="[esp, tls]", hosts__0__rnic__crypto__rate="[10Gbps, 40Gbps]", hosts__1__rnic__crypto__rate="[10Gbps, 30Gbps]"):
            payload, fpdu, _ = self.full(row["llp.security"])
            rate = min(float(row["hosts.0.rnic.crypto.rate"]), float(row["hosts.1.rnic.crypto.rate"]))
            self.assertAlmostEqual(float(row["steady_gbps"]), rate * payload / fpdu, delta=0.2, msg=row["point"])

    def test_directions_do_not_wait_for_each_other(self):
        """What is sent is encrypted beside what is decrypted: two streams against each other have the whole rate each."""
        keys = {k: v for k, v in BIG.items() if not k.startswith("workload.")}
        both = {f"workloads.{name}.{k}": v for name, hosts in (("there", "0 1"), ("back", "1 0")) for k, v in (("hosts", hosts), ("op", "write"), ("size", "1MiB"), ("count", 20))}
        for security in ("esp", "tls"):
            self.rows(dict(keys, **both), llp__security=security, rnic__crypto__rate="10Gbps")
            payload, fpdu, _ = self.full(security)
            with open(self.folder / f"out{self.runs}/workloads.csv", newline="") as lines:
                rates = [float(row["goodput_gbps"]) for row in csv.DictReader(lines)]
            self.assertEqual(len(rates), 2)
            for rate in rates:
                self.assertAlmostEqual(rate, 10 * payload / fpdu, delta=0.1, msg=security)

    def test_latency_is_added_at_both_ends(self):
        """A message of one packet and its answer: half of a round takes two latencies more, one at each end."""
        for row, plain in zip(self.rows(SMALL, llp__security="[esp, tls]", rnic__crypto__latency="700ns"), self.rows(SMALL, llp__security="[esp, tls]")):
            self.assertAlmostEqual(float(row["latency_p50_us"]) - float(plain["latency_p50_us"]), 1.4, delta=0.001, msg=row["point"])

    def test_none_costs_nothing(self):
        plain, off = self.rows(BIG), self.rows(BIG, llp__security="[none, esp]", rnic__crypto__rate="10Gbps", rnic__crypto__latency="1us")
        self.assertEqual(plain[0]["steady_gbps"], off[0]["steady_gbps"])
        self.assertEqual(plain[0]["latency_p99_us"], off[0]["latency_p99_us"])

    def test_it_is_the_same_of_some_hosts(self):
        """A latency of one host, at both of its ends of each round; none where nothing is encrypted."""
        of_host = {"hosts.1.rnic.crypto.latency": "700ns"}
        for row, plain in zip(self.rows(dict(SMALL, **of_host), llp__security="[none, esp]"), self.rows(SMALL, llp__security="[none, esp]")):
            more = 0.7 if row["llp.security"] == "esp" else 0
            self.assertAlmostEqual(float(row["latency_p50_us"]) - float(plain["latency_p50_us"]), more, delta=0.001, msg=row["point"])

    def test_esp_is_placed_out_of_order_and_tls_is_held(self):
        keys = dict(BIG, **{"channel.loss": 0.001})
        place = self.rows(dict(keys, **{"rnic.receive": "place", "llp.security": "esp"}))[0]
        hold = self.rows(dict(keys, **{"llp.security": "tls"}))[0]
        self.assertGreater(int(place["placed_ooo_bytes"]), 100000)
        self.assertEqual(int(place["held_peak_bytes"]), 0)
        self.assertEqual(int(hold["placed_ooo_bytes"]), 0)
        self.assertGreater(int(hold["held_peak_bytes"]), 10000)

    def test_an_altered_packet_is_dropped_under_esp(self):
        """By its ICV, before TCP and MPA see it: nothing is wrong, no CRC fails, and the octets are sent again."""
        row = self.rows(dict(BIG, payload="real", **{"llp.security": "esp", "channel.corrupt": 0.002, "workload.size": "64KiB"}))[0]
        self.assertEqual((row["status"], row["messages_wrong"], row["crc_errors"], row["terminates"]), ("ok", "0", "0", "0"))
        self.assertGreater(int(row["retransmits"]), 1)

    def trace(self, keys, **sweep):
        self.rows(keys, trace=True, **sweep)
        with open(next((self.folder / f"out{self.runs}/trace").glob("*.csv")), newline="") as lines:
            return list(csv.DictReader(lines))

    def test_the_trace_names_what_was_lost(self):
        """A packet that the channel lost is one that was sent, and as long as when it came at last; every one is told, and no acknowledgement."""
        keys = dict(BIG, **{"workload.size": "64KiB", "channel.loss": 0.01})
        del keys["llp.congestion"]
        for kind, security in (("mpa", "none"), ("mpa", "esp"), ("mpa", "tls"), ("sctp", "esp"), ("packet", "esp"), ("ideal", "esp")):
            for world in ("fabric", "ns3"):
                more = {"llp__kind": kind, "llp__security": security, "world": world}
                events = {name: [] for name in ("sent", "left", "resent", "landed", "lost")}
                for line in self.trace(keys, **more):
                    events.get(line["event"], []).append((line["key"], line["end"], line["length"]))
                self.assertGreater(len(events["lost"]), 10, more)
                self.assertLessEqual({e[:2] for e in events["lost"]}, {e[:2] for e in events["sent"]}, more)
                self.assertLessEqual(set(events["lost"]), set(events["landed"]), more)
                self.assertEqual(len(events["left"]) + len(events["resent"]), len(events["landed"]) + len(events["lost"]), more)
                self.assertNotIn("lost", {line["event"] for line in self.trace(keys, **more, channel__direction="acks")}, more)

    def test_both_worlds_of_packets_give_the_same_rows(self):
        keys = dict(BIG, **{"workload.size": "64KiB", "channel.loss": 0.005, "rnic.crypto.rate": "50Gbps", "rnic.crypto.latency": "300ns"})
        for more in ({"llp__security": "[esp, tls]", "rnic__receive": "[hold, discard]"}, {"llp__security": "esp", "llp__kind": "[mpa, sctp, ideal, packet]", "llp__congestion": "cubic"},
                     {"llp__security": "esp", "payload": "real", "channel__corrupt": "0.01"}, {"llp__security": "esp", "channel__direction": "acks"}):
            both = [[{k: v for k, v in row.items() if k not in ("events", "world", "scenario")} for row in self.rows(dict(keys, world=world), **more)] for world in ("fabric", "ns3")]
            self.assertEqual(*both)

    def test_captures_are_refused(self):
        path = self.folder / "p.yaml"
        path.write_text("llp: {security: esp}\n")
        for words in ([], ["--point", "0"]):
            done = subprocess.run([IWARPSIM, "run", path, "--out", self.folder / "p", "--pcap", *words], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
            self.assertIn("llp.security: none", done.stderr)


if __name__ == "__main__":
    unittest.main()
