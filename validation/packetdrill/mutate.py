# SPDX-License-Identifier: GPL-2.0-or-later
"""Wrong scripts, made of right ones: each says one thing that no TCP should do after the rest. The player must fail them all."""

import re

LINE = re.compile(r"^(?P<time>\s*(?:\+?[\d.]+(?:~\+?[\d.]+)?|\*)\s+)> (?P<ecn>\[\w+\] )?(?P<flags>[A-Z]*\.?) +"
                  r"(?P<seq>\d+):(?P<end>\d+)\((?P<len>\d+)\)(?P<ack> ack \d+)?(?P<options> <.*>)?(?P<rest>.*)$")


def wrong_scripts(text):
    """(line, what is wrong, the script) of each."""
    lines = text.split("\n")
    for n, line in enumerate(lines):
        packet = LINE.match(line)
        changes = list(of_packet(packet)) if packet else list(of_assertion(line)) + list(of_read(line))
        if packet and not is_acknowledgement(packet):
            changes += of_line(line, [LINE.match(later) for later in lines[n + 1:] if ">" in later])
        for what, changed in changes:
            yield n + 1, what, "\n".join(lines[:n] + changed + lines[n + 1:])


def is_acknowledgement(packet):
    return packet["flags"].strip("EW") == "." and packet["len"] == "0" and "sack" not in (packet["options"] or "")


def of_packet(p):
    def line(**new):
        new["flags"] = new.get("flags", p["flags"]) or "-"
        f = {**p.groupdict(default=""), **{k: str(v) for k, v in new.items()}}
        return [f"{f['time']}> {f['ecn']}{f['flags']} {f['seq']}:{f['end']}({f['len']}){f['ack']}{f['options']}{f['rest']}"]

    seq, end, length = int(p["seq"]), int(p["end"]), int(p["len"])
    yield "sequence number", line(seq=seq + 1, end=end + 1)
    yield "more octets", line(end=end + 1, len=length + 1)
    if length:
        yield "fewer octets", line(end=end - 1, len=length - 1)
    if p["ack"]:
        yield "acknowledgement", line(ack=f" ack {int(p['ack'].split()[1]) + 1}")
    for flag in "FSREW":
        yield f"flag {flag}", line(flags="".join(sorted(set(p["flags"]) ^ {flag}, key="FSRPEW.".index)))
    if p["options"] and "..." not in p["options"]:
        for at in re.finditer(r"(mss |sack |ecr |:)(\d+)", p["options"]):
            changed = p["options"][:at.start(2)] + str(int(at[2]) + 1) + p["options"][at.end(2):]
            yield f"option {at[1].strip()}", line(options=changed)
        for name in ("sackOK", "wscale 8"):
            if name in p["options"]:
                yield f"no {name}", line(options=p["options"].replace(name, "nop"))
    elif not p["options"]:
        yield "an option", line(options=" <sack 1:2>")
    if p["ecn"] and length:
        yield "ECN", line(ecn="[ce] ")


def of_line(line, later):
    """A packet that comes twice, or too late; one that is left out, where another one follows."""
    at = re.match(r"\s*\+([\d.]+)(?:~\+[\d.]+)?", line)
    if not at:  # any time
        return
    yield "later", [f"+{float(at[1]) + 0.06:.3f}{line[at.end():]}"]
    if float(at[1]) >= 0.1:
        yield "earlier", [f"+{float(at[1]) - 0.06:.3f}{line[at.end():]}"]
    if float(at[1]) == 0 and any(p and not is_acknowledgement(p) for p in later):
        yield "left out", []
    yield "twice", [line, line]


def of_assertion(line):
    for at in re.finditer(r"assert (\w+) == (\d+)", line):
        if at[1] != "tcpi_reord_seen":
            yield "assertion", [line[:at.start(2)] + str(int(at[2]) + 2) + line[at.end(2):]]
    for at in re.finditer(r"(TCP_CA_|TCP_)(Open|Recovery|Loss|CWR|Disorder|ESTABLISHED|CLOSING|TIME_WAIT)\b", line):
        other = "FIN_WAIT1" if at[1] == "TCP_" else "CWR" if at[2] == "Open" else "Open"
        yield "state", [line[:at.start(2)] + other + line[at.end(2):]]


def of_read(line):
    at = re.search(r"(?:read|recv)\(.*\) = (\d+)$", line)
    if at:
        yield "octets read", [line[:at.start(1)] + str(int(at[1]) + 1)]
    at = re.search(r" = -1 (EAGAIN|EPIPE|ECONNRESET)", line)
    if at:
        yield "errno", [line[:at.start(1)] + "ETIMEDOUT" + line[at.end(1):]]
