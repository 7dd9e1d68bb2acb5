#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""`plot --format tikz`: a picture of TeX macros in which TeX typesets whatever a scenario says and takes none of it for a command; LaTeX
compiles it where there is one. A gnuplot without the terminal is named in a sentence."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
IWARPSIM = Path(os.environ.get("IWARPSIM", TOP / "build/iwarpsim")).absolute()
TITLE = r'\input{/etc/passwd} \write18{id} 5% of a_b & #1 $x$ ^~ <1|2> {'
TYPESET = (r"\textbackslash{}input\{/etc/passwd\} \textbackslash{}write18\{id\} 5\% of a\_b \& \#1 \$x\$ "
           r"\textasciicircum{}\textasciitilde{} \textless{}1\textbar{}2\textgreater{} \{")
DOCUMENT = r"\documentclass{article}\usepackage{gnuplot-lua-tikz}\begin{document}\input{f}\end{document}"


def has_latex():
    tools = all(map(shutil.which, ("pdflatex", "kpsewhich", "pdftotext")))
    return tools and subprocess.run(["kpsewhich", "tikz.sty", "gnuplot-lua-tikz.sty"], capture_output=True).stdout.count(b"\n") == 2


@unittest.skipUnless(shutil.which("gnuplot"), "needs gnuplot")
class Tikz(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="iwarpsim-"))
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "s.yaml").write_text("workload: {count: 5}\nsweep: {rnic.receive: [place, hold], topology.delay: [1us, 2us]}\n")
        self.run_it("run", "s.yaml", "--out", "r")

    def run_it(self, *words, code=0, **more):
        done = subprocess.run([IWARPSIM, *words], cwd=self.folder, capture_output=True, text=True, timeout=60, **more)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def draw(self, *words):
        self.assertEqual(self.run_it("plot", "r", "--format", "tikz", "--name", "f", "--title", TITLE, *words).stdout, "r/f.tex; f.gp makes it again\n")
        return (self.folder / "r/f.tex").read_text()

    def texts(self, picture):
        return re.findall(r"^\\node\[gp node.*\) \{(.*)\};$", picture, re.M)

    def test_what_a_scenario_says_is_typeset(self):
        picture = self.draw("--size", "slide", "--caption", "none")
        said = " ".join(self.texts(picture))
        for words in TYPESET, "Link delay (us)", "Steady goodput (Gbps)", "hold":
            self.assertIn(words, said)
        self.assertEqual(sorted(p.name for p in (self.folder / "r").glob("f.*")), ["f.gp", "f.tex", "f.tsv"])
        self.assertIn("--format tikz", (self.folder / "r/f.gp").read_text())

    def test_the_manifest_knows_it_and_its_script_makes_it_again(self):
        picture = self.draw()
        self.assertIn('"f.tex"', (self.folder / "r/plot.manifest.json").read_text())
        self.run_it("verify", "r")
        (self.folder / "r/f.tex").unlink()
        subprocess.run(["gnuplot", "-d", "f.gp"], cwd=self.folder / "r", check=True)
        undated = [re.sub("(?m)^%% .*20.*\n", "", p) for p in (picture, (self.folder / "r/f.tex").read_text())]
        self.assertEqual(*undated)

    def test_a_gnuplot_without_it_is_named(self):
        bin = self.folder / "bin"
        bin.mkdir()
        (bin / "gnuplot").write_text(f"#!/bin/sh\nsed -i \"s/GPVAL_TERMINALS/' x11 svg '/\" figure.gp\nexec {shutil.which('gnuplot')} \"$@\"\n")
        (bin / "gnuplot").chmod(0o755)
        env = {**os.environ, "PATH": f"{bin}:{os.environ['PATH']}"}
        done = self.run_it("plot", "r", "--format", "tikz", "--name", "f", code=3, env=env)
        self.assertEqual(done.stderr, "iwarpsim plot: this gnuplot was built without the terminal that the figure is for (Debian's gnuplot-nox has it); the script is r/f.gp\n")
        self.run_it("plot", "r", "--name", "f", env=env)  # other pictures do not ask for it
        self.assertIn("pictures or tikz", self.run_it("plot", "r", "--format", "pgf", code=2).stderr)

    @unittest.skipUnless(has_latex(), "needs LaTeX with tikz (Debian: texlive-pictures, gnuplot-data) and pdftotext")
    def test_latex_compiles_it(self):
        for size in "column", "page", "slide":
            (self.folder / "f.tex").write_text(self.draw("--size", size, "--x", "topology.delay", "--y", "steady_gbps,latency_p50_us"))
            (self.folder / "doc.tex").write_text(DOCUMENT)
            done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "doc.tex"], cwd=self.folder, capture_output=True, text=True, errors="replace", timeout=120)
            self.assertEqual(done.returncode, 0, done.stdout[-2000:])
            words = subprocess.run(["pdftotext", self.folder / "doc.pdf", "-"], capture_output=True, text=True, check=True).stdout
            self.assertIn("/etc/passwd", words)
            self.assertNotIn("root:", words)


if __name__ == "__main__":
    unittest.main()
