#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What captures and traces cost: CPU of `run` with them against `run` without, all in turn, medians of five rounds (an argument: so many)."""

import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from program import TOP, program

PAIR = "topology: {rate: 100Gbps, delay: 1us, mtu: 9000}\nworkload: {op: write, size: 64KiB, count: COUNT, depth: 32}\n"
TREE = "topology: {kind: fat_tree, k: 8, rate: 100Gbps, delay: 1us, mtu: 1500, buffer: 1MiB, ecn_threshold: 64KiB}\nworkload: {kind: permutation, op: write, size: 1MiB, count: 1}\n"
JOBS = {
    "two hosts, 2,000 Writes of 64 KiB, octets real": PAIR.replace("COUNT", "2000") + "payload: real\n",
    "128 hosts, a fat tree, 1 MiB each, octets real": TREE + "payload: real\n",
    "the same, no octets": TREE + "payload: none\n",
}
WAYS = {"plain": [], "--pcap": ["--pcap"], "--trace": ["--trace"], "--trace --columns": ["--trace", "--columns"]}


def cpu(folder, out, words):
    """CPU seconds of a run, and the octets of its folder, which stays: ext4 makes the next one slowly where files have just gone."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([program(), "run", folder / "job.yaml", "--out", folder / out, *words], check=True, cwd=TOP, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    size = sum(f.stat().st_size for f in (folder / out).rglob("*") if f.is_file())
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, size


def measure(name, text, rounds):
    ways = {way: words for way, words in WAYS.items() if way != "--pcap" or "real" in text}  # a capture is of octets
    taken, octets = {way: [] for way in ways}, {}
    with tempfile.TemporaryDirectory(prefix="iwarpsim-") as folder:
        (Path(folder) / "job.yaml").write_text(text)
        for i in range(rounds):
            for way, words in ways.items():
                seconds, octets[way] = cpu(Path(folder), f"{i}{way}", words)
                taken[way].append(seconds)
    print(f"{name}: {median(taken['plain']):.2f} CPU s")
    for way in list(ways)[1:]:
        ratio = median(a / b for a, b in zip(taken[way], taken["plain"]))
        print(f"    {way:18} {ratio:.2f} x  {median(taken[way]):.2f} CPU s  {octets[way] / 1e6:.0f} MB")


if __name__ == "__main__":
    for job in JOBS.items():
        measure(*job, int(sys.argv[1]) if len(sys.argv) > 1 else 5)
