#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A clean link carries what the closed form says, by results.csv and by the time stamps of the capture at its far end.

    rate_test.py            MTU 1500 and 9000, with and without markers, at 100 Gb/s
    rate_test.py --all      at 10, 25, 40 and 100 Gb/s
Both print the table. The closed form counts what lies on the link: 38 octets of Ethernet and 40 of TCP/IP per packet, 20
of FPDU and DDP header per segment, a marker in 512 octets of stream. Both rates are the slope over the second half of
the octets. The rest of a message of 1 MiB fills its last segment in part, which costs up to 0.02 %.
"""

import csv
import os
import sys
import tempfile
from fractions import Fraction
from pathlib import Path
from subprocess import run

import wire

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = Path(os.environ.get("IWARPSIM", TOP / "build/iwarpsim"))
ETHERNET, TCP_IP, FPDU, TAGGED = 38, 40, 6, 14  # octets: 14 + 4 + 8 + 12; 20 + 20; length and CRC; RFC 5041 figure 3
TOLERANCE = 0.003
SCENARIO = """title: clean link
claim: what is left of the line rate.
world: ns3
topology: {{kind: link, rate: {rate}Gbps, delay: 1us}}
llp: {{congestion: "fixed:1MiB"}}
rnic: {{window: {{bytes: 4MiB}}}}
workload: {{kind: stream, op: write, size: 1MiB, count: 8}}
payload: real
sweep:
  topology.mtu: [1500, 9000]
  llp.markers: [false, true]
"""


def closed_form(rate, mtu, markers):
    emss = mtu - TCP_IP
    most = FPDU + (4 * -(-emss // 512) if markers else 0) + emss % 4  # RFC 5044 section 4.5
    payload = emss - most - TAGGED
    stream = Fraction(-(-(2 + TAGGED + payload) // 4) * 4 + 4) * (Fraction(512, 508) if markers else 1)
    return float(rate * payload / (stream + TCP_IP + ETHERNET))


def slope(pcap, source):
    """Gb/s of payload that arrives from `source`, over the second half of the octets."""
    capture = wire.Capture(pcap)
    way = next(way for way in capture.streams if way[0][0] == source)
    stream, start = capture.streams[way], capture.streams[way].startup()[0]
    payload = {start + one.at: one.payload for one in capture.fpdus(way, crc=False)}  # one FPDU in a segment
    arrived = [(ns, payload[at]) for at, _, ns in stream.sent if at >= start]
    half, octets = sum(size for _, size in arrived) / 2, 0
    for i, (ns, size) in enumerate(arrived):
        octets += size
        if octets >= half:
            return 8 * sum(size for _, size in arrived[i + 1 :]) / (arrived[-1][0] - ns)


def measure(rate, folder):
    """Rows: MTU, markers, closed form, steady_gbps, slope of the capture."""
    scenario = folder / f"rate{rate}.yaml"
    scenario.write_text(SCENARIO.format(rate=rate))
    out = scenario.with_suffix("")
    run([IWARPSIM, "run", scenario, "--out", out, "--pcap"], check=True, capture_output=True)
    with open(out / "results.csv", newline="") as file:
        for row in csv.DictReader(file):
            mtu, markers = int(row["topology.mtu"]), row["llp.markers"] == "true"
            pcap = next(out.rglob(row["point"].replace("/", "_") + "-r0-h1.pcap"))
            yield mtu, markers, closed_form(rate, mtu, markers), float(row["steady_gbps"]), slope(pcap, "10.0.0.1")


def main(arguments):
    if not Path(f"{IWARPSIM}-ns3").exists():
        print("skipped: no iwarpsim-ns3 in the build")
        return 77
    passed = failed = 0
    print("rate Gb/s    MTU  markers  closed form  steady_gbps  capture")
    with tempfile.TemporaryDirectory() as folder:
        for rate in (10, 25, 40, 100) if arguments == ["--all"] else (100,):
            for mtu, markers, form, *found in measure(rate, Path(folder)):
                good = all(abs(value - form) <= TOLERANCE * form for value in found)
                passed, failed = passed + good, failed + (not good)
                numbers = f"{form:11.3f}  {found[0]:11.3f}  {found[1]:7.3f}"
                print(f"{rate:9d}  {mtu:5d}  {'yes' if markers else 'no':>7s}  {numbers}{'' if good else '   DIFFERS'}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["--all"] * bool(os.environ.get("IWARPSIM_NIGHTLY"))))
