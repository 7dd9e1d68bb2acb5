#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What `run --series 10us` costs: CPU time of a point with it against one without, the least of five runs each, in turn."""

import os
import resource
import subprocess
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = Path(os.environ.get("IWARPSIM", TOP / "build/iwarpsim")).absolute()
WAYS = {"plain": [], "all": ["--series", "10us"], "flow": ["--series", "10us", "--series-of", "flow"]}


def cpu(words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory(prefix="iwarpsim-") as folder:
        subprocess.run([IWARPSIM, "run", *words, "--point", "0", "--out", Path(folder) / "out"], check=True, capture_output=True, cwd=TOP)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


for name in ("window", "incast", "loss-congestion", "spray", "shuffle-fat-tree"):
    least = {}
    for _ in range(5):
        for way, words in WAYS.items():
            least[way] = min(least.get(way, 1e9), cpu([f"scenarios/{name}.yaml", *words]))
    print(f"{name:18} {least['plain']:.3f} s  " + "  ".join(f"{way} {100 * (least[way] / least['plain'] - 1):+.1f} %" for way in ("all", "flow")))
