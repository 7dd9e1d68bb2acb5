#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every number of the paper stands in a table of a figure or is marked as given; where LaTeX is installed the paper is built."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "plots/paper"))
import paper  # noqa: E402

TEXT = "1\\begin{document}%s\\begin{thebibliography}{9}"
WRONG = ["It takes 3 us.", "It takes 3.5.", "\\n{nowhere}", "(12 \\n{one})"]
RIGHT = ["ns-3, RoCEv2, GPL-2.0 \\n{one}", "\\given{100}~Gb/s \\n{one}", "\\ref{fig3}\\n{one}", "\\n{one} % 3\n"]


def check(name, right):
    print(("ok      " if right else "FAILED  ") + name)
    return right


def main():
    passed = [check(f"refused: {text}", bool(list(paper.faults(TEXT % text, {"one": "1"})))) for text in WRONG]
    passed += [check(f"taken: {text.strip()}", not list(paper.faults(TEXT % text, {"one": "1"}))) for text in RIGHT]
    passed += [check("the paper's numbers have sources", subprocess.call([sys.executable, TOP / "plots/paper/paper.py", "--check"]) == 0)]
    if shutil.which("pdflatex") and shutil.which("gnuplot"):
        with tempfile.TemporaryDirectory() as folder:
            built = subprocess.call([sys.executable, TOP / "plots/paper/paper.py", folder + "/out"]) == 0
            passed += [check("the paper is built", built and (Path(folder) / "out/paper.pdf").stat().st_size > 50000)]
    else:
        print("skipped: LaTeX builds the paper (helpers/packages/paper.txt)")
    print(f"{sum(passed)} passed, {len(passed) - sum(passed)} failed")
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
