#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tshark, which nobody here wrote, reads what ns-3 put on the wire: every FPDU dissected, every CRC and TCP checksum
right, each message on the wire once, as many as the run says."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("IWARPSIM_BUILD", TOP / "build"))
WORLD = BUILD / "iwarpsim-ns3"
COUNT = 20
SCENARIO = """title: capture
claim: what is on the wire can be read.
world: ns3
topology: {{kind: link, rate: 100Gbps, delay: 1us, mtu: 1500}}
channel: {{loss: 0.005, duplicate: 0.01, reorder: {{probability: 0.05, delay: 5us}}}}
workload: {{kind: stream, op: {op}, size: 50000B, count: {count}}}
payload: real
"""
# RDMAP opcode of the last segment that makes one message: RFC 5040 figure 4
MESSAGE = {"write": 0, "send": 3, "read": 1}


# By default tshark does not look into what TCP sent again or out of order.
TSHARK = ["tshark", "-o", "tcp.check_checksum:TRUE", "-o", "tcp.no_subdissector_on_error:FALSE"]


def fields(pcap, *names, only="iwarp_ddp_rdmap"):
    command = TSHARK + ["-r", str(pcap), "-Y", only, "-T", "fields"]
    for name in names:
        command += ["-e", name]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [line.split("\t") for line in out.splitlines()]


def unique(pcap, only):
    """The segments, each named by sender and sequence number: the link and TCP may repeat them."""
    return {tuple(row) for row in fields(pcap, "ip.src", "tcp.seq", only=only)}


def text_of(pcap):
    return subprocess.run(TSHARK + ["-r", str(pcap), "-V"], capture_output=True, text=True, check=True).stdout


def check(op, folder):
    scenario = folder / f"{op}.yaml"
    scenario.write_text(SCENARIO.format(op=op, count=COUNT))
    out = folder / op
    subprocess.run([str(WORLD), str(scenario), "--point", "all", "--repeat", "0", "--out", str(out), "--pcap"], check=True,
                   capture_output=True, text=True)
    found = []
    for pcap in sorted(out.rglob("*.pcap")):
        text = text_of(pcap)
        if "Bad CRC32" in text or "Malformed" in text:
            found.append(f"{op}: {pcap.name}: a bad CRC or a malformed frame")
        wrong = [row for row in fields(pcap, "tcp.checksum.status", only="tcp") if row != ["1"]]
        if wrong:
            found.append(f"{op}: {pcap.name}: {len(wrong)} TCP checksums that are not good")
        sent = unique(pcap, "tcp.len > 20")  # start-up frames have 20
        read = unique(pcap, "iwarp_ddp_rdmap")
        if sent - read:
            found.append(f"{op}: {pcap.name}: {len(sent - read)} of {len(sent)} FPDUs were never dissected")
    sender = sorted(out.rglob("*h0.pcap"))[0]
    rows = fields(sender, "tcp.seq", "iwarp_rdma.opcode", "iwarp_ddp.last_flag", only="ip.src == 10.0.0.1 && iwarp_ddp_rdmap")
    last = {seq for seq, opcode, flag in rows if int(opcode, 0) == MESSAGE[op] and flag in ("1", "True")}
    if len(last) != COUNT:
        found.append(f"{op}: {len(last)} messages on the wire, {COUNT} were posted")
    return found


def main():
    if not WORLD.exists() or not shutil.which("tshark"):
        print("skipped: no iwarpsim-ns3 in the build, or no tshark")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        results = {op: check(op, Path(folder)) for op in MESSAGE}
    for found in results.values():
        print("\n".join(found) or "", end="\n" if found else "")
    failed = sum(1 for found in results.values() if found)
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
