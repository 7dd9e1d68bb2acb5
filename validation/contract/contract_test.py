#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What others rely on is what the lists beside this file say: keys, options, exit codes, columns, files, trace, ns-3 attributes.

    contract_test.py            prints what differs, and fails
    contract_test.py --write    writes the lists anew, for a change that is meant; commit them with it

Needs IWARPSIM (or build/iwarpsim). What needs a simulator that is not built (ns-3's attributes, SimGrid's trace) is left out with a sentence.
"""

import csv
import difflib
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
IWARPSIM = Path(os.environ.get("IWARPSIM", TOP / "build/iwarpsim")).absolute()
NS3 = Path(os.environ.get("IWARPSIM_BUILD", TOP / "build")) / "ns3/iwarp_ns3_test"

SMALL = "{repeat: 6, payload: none, workload: {count: 20}, sweep: {topology.delay: [1us, 2us]}}\n"
LONG = "{payload: none, workload: {count: 1000000, size: 1MiB}, limit: {sim: 1000s}}\n"
ONE = "{payload: none, workload: {kind: pingpong, size: 64B}}"
LINK = "topology.kind=link topology.rate=10Gbps workload.size=64KiB workload.count=12 workload.op=write"
LATE = " channel.reorder.probability=0.1 channel.reorder.delay=30us"
SCTP = LINK + " llp.kind=sctp workload.op=send workload.connections=4 llp.streams=4 channel.loss=0.05"
PACKET = LINK + " channel.loss=0.05 llp.kind=packet llp.recovery="
CLUSTER = "world=simgrid topology.kind=cluster topology.hosts=4 workload.size=64KiB workload.count=8 workload.kind="
TOURS = [  # runs that together tell all that a trace tells, beside the lessons
    LINK + LATE + " channel.loss=0.08 channel.duplicate=0.05 workload.depth=3",
    LINK + LATE + " channel.loss=0.05 llp.loss_detection=dupack",
    LINK + " channel.loss=0.97 workload.depth=1 workload.size=4KiB limit.sim=50s limit.idle=40s",
    LINK + " channel.corrupt=0.1 llp.crc_error=drop payload=real",
    LINK + ' topology.kind=star topology.reroute_after=10us topology.events=[{"at":"100us","link":"host1-*","state":"down"},{"at":"200us","link":"host1-*","state":"up"},'
           '{"at":"0us","switch":"switch0","rate":"5Gbps"}]',
    LINK + " channel.corrupt=0.3 workload.connections=4 payload=real",
    LINK + " rnic.receive=discard channel.loss=0.03",
    LINK + " topology.rate=100Gbps rnic.preset=t6 rnic.staging_bytes=20000B rnic.stall.every=20us rnic.stall.for=10us",
    LINK + " rnic.receive=copy rnic.preset=siw workload.op=send workload.consume_rate=1Mbps rnic.window.policy=buffer rnic.window.bytes=32KiB",
    LINK + " llp.kind=ideal channel.loss=0.05 workload.op=read",
    SCTP + LATE,
    "topology.kind=link llp.kind=sctp workload.kind=transport_classes workload.count=60 workload.class=unreliable_unordered workload.size=1KiB channel.loss=0.05",
    *(PACKET + recovery + LATE for recovery in ("go_back_n", "irn", "rud")),
    "topology.kind=star topology.hosts=9 workload.kind=incast workload.size=64KiB workload.count=4 topology.buffer=64KiB llp.kind=packet llp.recovery=irn topology.trim=true",
]
TOURS_OF_FLOWS = [
    CLUSTER + "permutation channel.loss=0.05 rnic.receive=discard channel.reorder.probability=0.05 channel.reorder.displacement=3",
    CLUSTER + "incast workload.op=send rnic.preset=t6 rnic.staging_bytes=20000B limit.sim=1ms",
    CLUSTER + "storage",
]
ENDS = {  # what a run ends as: its scenario
    "ok": "{workload: {count: 5}}",
    "ended": "{topology: {rate: 10Gbps}, channel: {corrupt: 0.3}}",
    "limit_sim": "{limit: {sim: 10us}}",
    "limit_idle": "{payload: none, channel: {loss: 1}, llp: {max_rto: 40s}, limit: {idle: 10ms}}",
    "deadlock": "{payload: none, topology: {kind: file, file: ring.yaml, delay: 500ns, mtu: 1500, flow_control: pfc, pfc: {xoff: 4KiB, xon: 2KiB}}, "
                "llp: {congestion: 'fixed:1MiB'}, rnic: {preset: t6, window: {bytes: 1MiB}}, workload: {kind: shuffle, size: 1MiB, count: 20, depth: 4}}",
}
EXITS = {  # a command line in a folder with ok.yaml, two.yaml, results `out`, a good and a bad capture: what it exits with
    "": "no command", "nothing": "no such command", "--version": "", "--help": "",
    "run ok.yaml --out good": "", "run ok.yaml --nothing": "no such option", "run nothing.yaml": "no such file",
    "run limit_sim.yaml --out late": "a limit", "run ok.yaml --set llp.congestion=bbr": "no such word",
    "check ok.yaml": "", "check ok.yaml --set topology.delay=5": "no unit", "verify out": "", "verify damaged": "a row was changed",
    "rerun out": "", "rerun damaged": "a row was changed", "compare out out": "", "compare out good": "no point in common", "merge out": "no shards",
    "size ok.yaml --find rnic.window.bytes --to 64KiB --until goodput_gbps>=1": "", "size ok.yaml --find rnic.window.bytes --until goodput_gbps>=500": "no value meets it", "keys llp.": "", "keys nothing": "no such key", "list": "", "list nothing": "no such adapter",
    "judge good.pcap": "", "judge bad.pcap": "a violation", "decode bad.pcap": "", "decode bad.pcap --fail-on error": "a violation", "decode ok.yaml": "not a capture",
    "explain ok.yaml": "", "stages stages.yaml": "", "fates good.pcap": "", "replay nothing.pcap 127.0.0.1:9": "no such file",
}


def said(*words, cwd=None, code=(0,)):
    done = subprocess.run([IWARPSIM, *words], cwd=cwd, capture_output=True, text=True, timeout=300)
    if code and done.returncode not in code:
        raise SystemExit(f"iwarpsim {' '.join(map(str, words))}: exit {done.returncode}: {done.stderr}")
    return done.stdout


def flat(value):
    return json.dumps(value, sort_keys=True)


# ---- the lists: each a function that gives lines, None: what it needs is not built ----


def keys(folder):
    return said("keys").splitlines()


def schema(folder):
    """What each value may be, as JSON schema; the rest, which names them, by its sum."""
    text = said("keys", "--schema")
    values = {name: one for name, one in json.loads(text)["$defs"].items() if name.startswith("value:") and "group:" not in name}
    return [f"{name}: {flat(one)}" for name, one in values.items()] + [f"SHA-256 of all: {hashlib.sha256(text.encode()).hexdigest()}"]


def commands(folder):
    whole = said("--help")
    lines = ["$ iwarpsim --help", *whole.splitlines()]
    for command in re.findall(r"^  ([a-z]+) +\S", whole, re.M):
        lines += ["", f"$ iwarpsim {command} --help", *said(command, "--help").splitlines()]
    return lines


def adapters(folder):
    listed = said("list").partition("\nscenarios\n")[0].replace(" (not built here)", "")
    names = re.findall(r"^  (\S+)", listed.partition("adapters")[2].partition("\n\n")[0], re.M)
    return listed.splitlines() + [line for name in names for line in ("", f"$ iwarpsim list {name}", *said("list", name).splitlines())]


def exits(folder):
    for name, text in {**ENDS, "two": SMALL, "stages": ONE}.items():
        (folder / f"{name}.yaml").write_text(text + "\n")
    for name, capture in (("good", "d1-good"), ("bad", "d1-err-crc-write")):
        (folder / f"{name}.pcap").write_bytes((TOP / f"validation/interop/{capture}.pcap").read_bytes())
    for out in ("out", "damaged"):
        said("run", "two.yaml", "--out", out, "--jobs", "1", cwd=folder)
    rows = folder / "damaged/results.csv"
    rows.write_text(rows.read_text().replace("ok", "OK", 1))
    lines = [f"{code_of(folder, *line.split())}  iwarpsim {line}{why and f'  ({why})'}" for line, why in EXITS.items()]
    for name in ENDS:
        row = folder / f"run-{name}"
        code = code_of(folder, "run", f"{name}.yaml", "--out", row, "--jobs", "1")
        lines.append(f"{code}  a run that ends as {', '.join(r['status'] for r in table(row / 'results.csv'))}")
    return lines + [f"{interrupted(folder)}  a run that is interrupted"]


def code_of(folder, *words):
    return subprocess.run([IWARPSIM, *words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=300).returncode


def interrupted(folder):
    (folder / "long.yaml").write_text(LONG)
    run = subprocess.Popen([IWARPSIM, "run", "long.yaml", "--out", "long", "--jobs", "1"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not catches(run.pid, signal.SIGINT) and run.poll() is None:
        time.sleep(0.01)
    run.send_signal(signal.SIGINT)
    return run.wait(timeout=60)


def catches(pid, number):
    """Has the process installed its handler? Until then the signal would end it without a word (proc(5))."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"SigCgt:\s*(\w+)", status)[1], 16) >> (number - 1) & 1


def table(path):
    with open(path, newline="") as lines:
        return list(csv.DictReader(lines))


def results(folder):
    """Names, units and texts of columns; the files of a folder, with the head of each table."""
    (folder / "one.yaml").write_text(SMALL)
    loads = "{payload: none, workloads: {a: {count: 5}, b: {count: 5, op: send}}}\n"
    (folder / "many.yaml").write_text(loads)
    lines = []
    for name in ("one", "many"):
        said("run", f"{name}.yaml", "--out", name, "--jobs", "1", "--messages", "--flows", "--links", "--trace", cwd=folder)
        lines += ["", f"files of {name}: {(folder / f'{name}.yaml').read_text().strip()}", *files_of(folder / name)]
    said("compare", "one", "one", "--out", "both", cwd=folder)
    lines += ["", "files of a comparison", *files_of(folder / "both")]
    point = said("run", "one.yaml", "--point", "0", cwd=folder)
    lines += ["", "lines of run --point", flat([line.split()[0] for line in point.splitlines()])]
    return (folder / "one/columns.tsv").read_text().splitlines() + lines


def files_of(folder):
    """Files of the last of several of a kind stand for all."""
    found = {re.sub(r"\d+us-r\d", "POINT", str(p.relative_to(folder))): p for p in sorted(folder.rglob("*")) if p.is_file()}
    return [f"{name}{head_of(path)}" for name, path in found.items()]


def head_of(path):
    if path.suffix == ".json":
        return ": " + flat(names_in(json.loads(path.read_text())))
    return ": " + path.read_text().partition("\n")[0] if path.suffix in (".csv", ".tsv") else ""


def names_in(value):
    """The names of a JSON document, its values as their types."""
    if isinstance(value, dict):
        return {k: names_in(v) for k, v in value.items()}
    return [names_in(value[0])] if isinstance(value, list) and value else type(value).__name__


def trace(folder):
    lessons = sorted((TOP / "scenarios/lessons").glob("*/lesson.yaml"))
    lines = set()
    for i, lesson in enumerate(path for path in lessons if "simgrid" not in path.read_text()):
        lines |= told(folder / f"lesson{i}", lesson)
    for i, tour in enumerate(TOURS):
        lines |= told(folder / f"tour{i}", scenario_of(folder, tour))
    return as_lines(lines, folder / "tour0")


def trace_of_flows(folder):
    if not (IWARPSIM.parent / "iwarpsim-simgrid").exists():
        return None
    lines = set()
    for i, tour in enumerate(TOURS_OF_FLOWS):
        lines |= told(folder / f"flows{i}", scenario_of(folder, tour))
    return as_lines(lines, folder / "flows0")


def scenario_of(folder, tour):
    pairs = {"payload": "none", **dict(word.split("=", 1) for word in tour.split())}
    path = folder / "tour.yaml"
    path.write_text("".join(f"{key}: {value}\n" for key, value in pairs.items()))
    return path


def told(out, scenario):
    """Each event with its text, numbers as N, and of the octets of its head the controls and how many there are; and which cells it fills."""
    said("run", scenario, "--out", out, "--jobs", "1", "--trace", code=(0, 3))
    rows = [row for path in (out / "trace").iterdir() for row in table(path)]
    return {shape(row) for row in rows} | {f"{row['event']} fills {name}" for row in rows for name, cell in row.items() if cell and name}


def shape(row):
    text = re.sub(r"STag \w+", "STag N", re.sub(r"\b\d+/\d+/\w+", "L/E/CC", row["text"]))
    octets = f" | head {row['head'][:4]}.. {len(row['head']) // 2} octets" if row["head"] else ""
    return f"{row['event']}: {re.sub(r'[0-9]+', 'N', text)}{octets}"


def as_lines(told, out):
    """The head of the trace, for each event the cells that it fills, and what it tells."""
    head = next((out / "trace").iterdir()).read_text().partition("\n")[0]
    fills = sorted(line.split(" fills ") for line in told if " fills " in line)
    cells = {event: [name for name in head.split(",") if [event, name] in fills] for event, _ in fills}
    return [head, *(f"{event} fills {' '.join(names)}" for event, names in cells.items()), *sorted(line for line in told if " fills " not in line)]


def ns3(folder):
    if not NS3.exists():
        return None
    return subprocess.run([NS3, "--attributes"], capture_output=True, text=True, check=True).stdout.splitlines()


LISTS = {list_of.__name__: list_of for list_of in (keys, schema, commands, exits, adapters, results, trace, trace_of_flows, ns3)}


def differs(name, lines, write):
    path = HERE / f"{name}.txt"
    was = path.read_text().splitlines() if path.exists() else []
    if write:
        path.write_text("".join(line.rstrip() + "\n" for line in lines))
    found = list(difflib.unified_diff(was, [line.rstrip() for line in lines], f"contract/{name}.txt", "now", n=0, lineterm=""))
    print("\n".join(found), end="\n" * bool(found))
    return bool(found)


def main(arguments):
    changed = 0
    for name, list_of in LISTS.items():
        with tempfile.TemporaryDirectory(prefix="iwarpsim-") as folder:
            lines = list_of(Path(folder))
        if lines is None:
            print(f"{name}: not compared: its simulator is not built")
        else:
            changed += differs(name, lines, "--write" in arguments)
    print(f"{len(LISTS)} lists, {changed} changed" + "; if that is meant: contract_test.py --write" * (changed > 0 and "--write" not in arguments))
    return 1 if changed and "--write" not in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
