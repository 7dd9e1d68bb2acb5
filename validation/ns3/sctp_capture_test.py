#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""SCTP on ns-3: every operation arrives under loss, reordering, duplication and corruption, and tshark reads the wire.

tshark must find no malformed packet, every CRC32c good, and the payload protocol identifiers of RFC 5043 by their names; the segments
it counts are those of results.csv. The payload is compared by the workload at delivery.
"""

import csv
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = Path(os.environ.get("IWARPSIM", TOP / "build/iwarpsim"))
SCENARIO = """title: capture
claim: what is on the wire can be read.
world: ns3
topology: {{kind: link, rate: 100Gbps, delay: 1us, mtu: 1500}}
llp: {{kind: sctp, streams: 4, min_rto: 100us}}
channel: {channel}
workload: {{kind: stream, op: {op}, size: 20000B, count: 20, connections: 4}}
payload: {payload}
"""
BAD = "{loss: 0.01, corrupt: 0.005, duplicate: 0.01, reorder: {probability: 0.05, delay: 5us}}"
CLEAN = "{loss: 0}"
NAMES = {"DDP Segment Chunk": "16", "DDP Stream Session Control": "17"}


def run(op, channel, payload, folder):
    scenario = folder / f"{op}-{'bad' if channel == BAD else 'clean'}-{payload}.yaml"
    scenario.write_text(SCENARIO.format(op=op, channel=channel, payload=payload))
    out = scenario.with_suffix("")
    capture = ["--pcap"] if payload == "real" else []
    subprocess.run([IWARPSIM, "run", scenario, "--out", out, *capture], check=True, capture_output=True, text=True)
    with open(out / "results.csv", newline="") as file:
        return next(csv.DictReader(file)), sorted(out.rglob("*.pcap"))


def check_row(row, channel):
    """Every message arrived; where the channel is bad something was sent again and a checksum did not match."""
    found = [] if row["status"] == "ok" else [f"status {row['status']}"]
    found += [] if row["messages"] == row["messages_posted"] == "80" else [f"{row['messages']} of 80 messages"]
    again = int(row["retransmits"])
    if channel == BAD:
        found += [] if again and int(row["crc_errors"]) and int(row["segments_ooo"]) else ["the channel did nothing"]
    elif again:
        found.append(f"{again} chunks were sent again without a loss")
    return found


def tshark(pcap, *more):
    command = ["tshark", "-o", "sctp.checksum:crc-32c", "-r", str(pcap), *more]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def check_capture(pcap, sender, row):
    """The capture at a host: what it sent, before the channel; and (sender) its segments."""
    found = []
    lines = [line.split("\t") for line in tshark(pcap, "-T", "fields", "-e", "ip.src", "-e", "sctp.checksum.status").splitlines()]
    own = "10.0.0.1" if sender else "10.0.0.2"
    bad = [line for line in lines if line[0] == own and line[1] != "1"]
    found += [f"{len(bad)} of {len(lines)} checksums are not good"] if bad or not lines else []
    malformed = tshark(pcap, "-Y", "_ws.malformed && ip.src == " + own).count("\n")
    found += [f"{malformed} malformed packets"] if malformed else []
    text = tshark(pcap, "-O", "sctp", "-c", "40")
    found += [f"tshark does not name {name}" for name, number in NAMES.items() if f"{name} ({number})" not in text]
    fields = tshark(pcap, "-Y", "ip.src == " + own, "-T", "fields", "-e", "sctp.data_payload_proto_id").replace(",", "\n").split()
    count = Counter(fields)
    if set(count) - {"16", "17"}:
        found.append(f"other payload protocols: {dict(count)}")
    if sender and row["retransmits"] == "0" and count["16"] != int(row["segments"]):
        found.append(f"{count['16']} segments on the wire, {row['segments']} in results.csv")
    return found


def check(op, channel, payload, folder):
    row, captures = run(op, channel, payload, folder)
    found = check_row(row, channel)
    if op == "read" or not shutil.which("tshark"):
        return found, row
    for number, pcap in enumerate(captures):
        found += check_capture(pcap, number == 0, row)
    return found, row


def check_same(real, none):
    """Octets or only their number: the same run."""
    different = [name for name in real if name != "scenario" and real[name] != none[name]]
    return [f"{name}: {real[name]} with octets, {none[name]} without" for name in different]


def main():
    if not Path(f"{IWARPSIM}-ns3").exists():
        print("skipped: no iwarpsim-ns3")
        return 77
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for op in ("write", "send", "read"):
            for channel in (CLEAN, BAD):
                rows = {}
                for payload in ("real", "none"):
                    name = f"{op}, {channel}, payload {payload}"
                    results[name], rows[payload] = check(op, channel, payload, Path(folder))
                results[f"{op}, {channel}, both"] = check_same(rows["real"], rows["none"])
    if not shutil.which("tshark"):
        print("skipped: tshark's reading: no tshark")
    for name, found in results.items():
        print("\n".join(f"{name}: {f}" for f in found[:10]), end="\n" if found else "")
    failed = sum(1 for found in results.values() if found)
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
