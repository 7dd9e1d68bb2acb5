#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What ns-3 put on the wire, read by three who did not write it, must be what results.csv says was sent.

The judges: tshark; wire.py, an MPA reader of its own, tried on the vectors first; and `iwarpsim decode`. The runs lose,
reorder and duplicate packets, with and without markers. Each message counts once, however often TCP sent it.

tshark up to 4.0 takes the marker that stands behind an FPDU's last octet for that FPDU's own, though by RFC 5044
section 4.3 it belongs to the next (its number of markers in a segment is (octets from the first marker on) / 512 + 1).
It then waits for four more octets and reads everything after them askew, which looks like bad CRCs. With markers
tshark is therefore asked to read each segment by itself, and may miss only those FPDUs.
"""

import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import wire

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = Path(os.environ.get("IWARPSIM", TOP / "build/iwarpsim"))
SCENARIO = """title: capture
claim: what is on the wire can be read.
world: ns3
topology: {{kind: link, rate: 100Gbps, delay: 1us, mtu: 1500}}
llp: {{markers: {markers}}}
channel: {{loss: 0.005, duplicate: 0.01, reorder: {{probability: 0.05, delay: 5us}}}}
workload: {{kind: stream, op: {op}, size: 50000B, count: 20}}
payload: real
"""
HOSTS = ("10.0.0.1", "10.0.0.2")
# RDMAP opcodes: RFC 5040 figure 4
WRITE, REQUEST, RESPONSE, SEND = range(4)
POSTED = {"write": WRITE, "send": SEND, "read": REQUEST}

# By default tshark does not look into what TCP sent again or out of order.
TSHARK = ["tshark", "-o", "tcp.check_checksum:TRUE", "-o", "tcp.no_subdissector_on_error:FALSE"]
EACH_BY_ITSELF = ["-o", "tcp.desegment_tcp_streams:FALSE", "-o", "tcp.analyze_sequence_numbers:FALSE"]


def run(op, markers, folder):
    """Runs the scenario; the row of its results, and the capture of each host."""
    scenario = folder / f"{op}-{'markers' if markers else 'plain'}.yaml"
    scenario.write_text(SCENARIO.format(op=op, markers=str(markers).lower()))
    out = scenario.with_suffix("")
    subprocess.run([IWARPSIM, "run", scenario, "--out", out, "--pcap"], check=True, capture_output=True, text=True)
    with open(out / "results.csv", newline="") as file:
        row = next(csv.DictReader(file))
    return row, dict(zip(HOSTS, sorted(out.rglob("*.pcap"))))


def sent_by(capture, host):
    """The one stream that a host sends."""
    return next(way for way in capture.streams if way[0][0] == host)


def differ(what, found, expected):
    return [] if found == expected else [f"{what}: {found}, and {expected} are right"]


def check_wire(op, row, captures):
    """wire.py against results.csv. Each host's sending is looked at where it leaves, before the channel."""
    found, fpdus, starts, repeats = [], {}, {}, 0
    for host, pcap in captures.items():
        capture = wire.Capture(pcap)
        way = sent_by(capture, host)
        fpdus[host] = capture.fpdus(way)
        starts[host] = capture.streams[way].startup()[0]
        repeats += capture.streams[way].repeats()
        found += [wrong for one in fpdus[host] for wrong in one.wrong]
        found += [f"octets from {at} on were sent again and others" for at in capture.streams[way].differ]
    every = fpdus[HOSTS[0]] + fpdus[HOSTS[1]]
    messages = [one for one in every if one.last]
    carrier = RESPONSE if op == "read" else POSTED[op]
    found += differ("messages posted", sum(one.opcode == POSTED[op] for one in messages), int(row["messages_posted"]))
    found += differ("messages carried", sum(one.opcode == carrier for one in messages), int(row["messages"]))
    found += differ("segments", len(every), int(row["segments"]))
    found += differ("payload octets", sum(one.payload for one in every if one.opcode == carrier), int(row["bytes"]))
    found += differ("packets sent again", repeats, int(row["retransmits"]))
    if not repeats:
        found.append("nothing was sent again: this run shows nothing")
    return found, fpdus, starts


def tshark(pcap, options, *more):
    return subprocess.run(TSHARK + options + ["-r", str(pcap), *more], capture_output=True, text=True, check=True).stdout


def check_tshark(host, pcap, fpdus, start, options, may_miss):
    """tshark against wire.py's reading of the same capture: the octets that its host sent."""
    found = []
    text = tshark(pcap, options, "-O", "iwarp_mpa,iwarp_ddp_rdmap")
    for bad in ("Bad CRC32", "Malformed"):
        found += differ(f"{host}: tshark says {bad}", text.count(bad), 0)
    fields = "ip.src", "tcp.seq_raw", "tcp.checksum.status", "iwarp_rdma.opcode", "iwarp_ddp.last_flag", "tcp.len", "tcp.flags.syn"
    rows = [r.split("\t") for r in tshark(pcap, options, "-T", "fields", *(x for f in fields for x in ("-e", f))).splitlines()]
    found += differ(f"{host}: TCP checksums that are not good", sum(r[2] != "1" for r in rows), 0)
    first = start + 1 + next(int(r[1]) for r in rows if r[0] == host and r[6] in ("1", "True"))  # its SYN
    read = {((int(r[1]) - first) % 2**32, int(r[3], 0), r[4] in ("1", "True")) for r in rows if r[0] == host and r[3]}
    wanted = {(one.at, one.opcode, one.last) for one in fpdus}
    missed = {one.at for one in fpdus if (one.at, one.opcode, one.last) not in read}
    if not missed <= {one.at for one in fpdus if may_miss(one)}:
        found.append(f"{host}: {len(missed)} of {len(fpdus)} FPDUs were not dissected")
    if not options:  # in the order in which they were sent, and in that in which they arrived
        sent = {(r[0], r[1]) for r in rows if int(r[5]) > start}
        found += differ(f"{host}: segments that were never dissected", len(sent - {(r[0], r[1]) for r in rows if r[3]}), 0)
    return found + differ(f"{host}: FPDUs that only tshark sees", len(read - wanted), 0)


def check_decode(op, row, captures):
    """`iwarpsim decode` at the end that posts, where every packet of both directions that counts is seen."""
    out = subprocess.run([IWARPSIM, "decode", captures[HOSTS[0]], "--json"], check=True, capture_output=True, text=True).stdout
    summary = json.loads(out.splitlines()[-1])["summary"]
    messages = int(row["messages_posted"]) * (2 if op == "read" else 1)  # a request and a response
    expected = {"messages": messages, "fpdus": int(row["segments"])}
    return [f for name, value in summary.items() for f in differ(f"decode, {name}", value, expected.get(name, 0))]


def check(op, markers, folder):
    row, captures = run(op, markers, folder)
    found, fpdus, starts = check_wire(op, row, captures)
    options = EACH_BY_ITSELF if markers else []
    may_miss = (lambda one: one.meets_marker) if markers else (lambda one: False)
    for host in HOSTS if shutil.which("tshark") else ():
        found += check_tshark(host, captures[host], fpdus[host], starts[host], options, may_miss)
    if markers and not all(one.markers for one in fpdus[HOSTS[0]] if one.end - one.at >= wire.INTERVAL):
        found.append("an FPDU of 512 octets without a marker")
    return found + check_decode(op, row, captures)


def check_reader():
    """wire.py reads what RFC 5044 draws and the other vectors of a sender, and sees each octet that is changed."""
    found = []
    for vector in json.loads((TOP / "validation/vectors/mpa.json").read_text())["send"]:
        key, octets = vector["key"], bytes.fromhex(vector["octets"])
        flags = vector.get("markers", False), vector.get("crc", False)
        ulpdus, wrong = read(key, octets, *flags)
        if ulpdus != vector["ulpdus"] or wrong:
            found.append(f"{vector['id']} is not read as it was written: {wrong}")
        altered = [octets[:i] + bytes([octets[i] ^ 1]) + octets[i + 1 :] for i in range(len(octets))] if flags[1] else []
        found += [f"{vector['id']}: altered at {i}, and nothing is wrong" for i, a in enumerate(altered) if not read(key, a, *flags)[1]]
    return found


def read(key, octets, with_markers, with_crc):
    """ULPDUs of the FPDUs from stream offset `key` on, and what is wrong with them."""
    ulpdus, wrong, at, stream = [], [], key, bytes(key) + octets
    while at < len(stream) and not wrong:
        try:
            one = wire.fpdu(stream, at, with_markers, with_crc)
        except ValueError as cut:
            return ulpdus, [str(cut)]
        ulpdus.append(one.ulpdu.hex())
        wrong, at = one.wrong, one.end
    return ulpdus, wrong


def main():
    results = {"the reader": check_reader()}
    if Path(f"{IWARPSIM}-ns3").exists():
        with tempfile.TemporaryDirectory() as folder:
            for op in POSTED:
                for markers in (False, True):
                    name = f"{op}, {'with' if markers else 'without'} markers"
                    results[name] = check(op, markers, Path(folder))
    skipped = [] if len(results) > 1 else ["the captures: no iwarpsim-ns3"]
    skipped += [] if shutil.which("tshark") else ["tshark's reading: no tshark"]
    for name, found in results.items():
        print("\n".join(f"{name}: {f}" for f in found[:10]), end="\n" if found else "")
    print("".join(f"skipped: {s}\n" for s in skipped), end="")
    failed = sum(1 for found in results.values() if found)
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
