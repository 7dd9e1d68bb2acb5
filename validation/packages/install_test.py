#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What `./waf install` lays down: manual pages and completion that know every command and key; and, with
IWARPSIM_NIGHTLY, an installation from a copy of the project that runs its demo when that copy is gone."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "helpers/packages"))
sys.dont_write_bytecode = True
import symbols

IWARPSIM = Path(os.environ.get("IWARPSIM", TOP / "build/iwarpsim")).absolute()
INSTALLED = """bin/iwarpsim lib/libiwarp.a lib/libiwarp.so lib/libiwarp.so.1 lib/pkgconfig/iwarp.pc lib/cmake/iwarp/iwarp-config.cmake include/iwarp/engine/iw.h share/iwarpsim/d1-good.pcap
share/iwarpsim/scenarios/reordering.yaml share/man/man1/iwarpsim.1 share/man/man5/iwarpsim-scenario.5
share/bash-completion/completions/iwarpsim share/zsh/vendor-completions/_iwarpsim share/fish/vendor_completions.d/iwarpsim.fish""".split()
COMPLETE = 'source /dev/stdin; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _iwarpsim 2>/dev/null; printf "%s\\n" "${COMPREPLY[@]}"'


def output(*command, **more):
    return subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, text=True, check=True, **more).stdout


class Pages(unittest.TestCase):
    def setUp(self):
        self.commands = re.findall(r"^  ([a-z]+) ", output(IWARPSIM, "--help"), re.M)
        self.keys = re.findall(r"^([a-z][\w.]*): ", output(IWARPSIM, "keys"), re.M)

    def test_the_manual_page_has_every_command(self):
        page = output(sys.executable, TOP / "helpers/packages/man_page.py", IWARPSIM)
        self.assertGreater(len(self.commands), 8)
        for command in self.commands:
            self.assertIn(f"usage: iwarpsim {command}", page)
        self.readable(page)

    def test_the_scenario_page_has_every_key(self):
        page = output(IWARPSIM, "keys", "--man")
        self.assertGreater(len(self.keys), 100)
        self.assertEqual([k for k in self.keys if k not in page.replace("\\-", "-")], [])
        self.readable(page)

    @unittest.skipUnless(shutil.which("groff"), "no groff")
    def test_the_manual_pages_fit_80_columns(self):
        """Paragraphs and lists are filled; a command line of an example stays on one line, whatever its length."""
        examples = [line for line in output(IWARPSIM, "exercise", "--help").splitlines() if line.startswith("    iwarpsim ")]
        for page in output(sys.executable, TOP / "helpers/packages/man_page.py", IWARPSIM), output(IWARPSIM, "keys", "--man"):
            lines = output("groff", "-man", "-Tascii", "-P-cbou", "-rLL=80n", input=page).splitlines()
            wide = {line.strip() for line in lines if len(line) > 80}
            self.assertLessEqual(wide, {line.strip() for line in examples})

    def readable(self, page):
        """No line of text begins as a request of troff that is none."""
        requests = {line.split()[0] for line in page.splitlines() if line.startswith((".", "'"))}
        self.assertLessEqual(requests, {".TH", ".SH", ".SS", ".TP", ".B", ".BR", ".RI", ".br", ".nf", ".fi", ".PP"} | {r for r in requests if r.startswith('.\\"')})

    @unittest.skipUnless(shutil.which("bash"), "no bash")
    def test_completion(self):
        def complete(*words):
            script = output(IWARPSIM, "keys", "--completion", "bash")
            path = {**os.environ, "PATH": f"{IWARPSIM.parent}:{os.environ['PATH']}"}
            return output("bash", "-c", COMPLETE, "bash", "iwarpsim", *words, input=script, env=path).split()

        self.assertEqual(sorted(complete("")), sorted(self.commands))
        self.assertEqual(complete("run", "x.yaml", "--set", "topology.mt"), ["topology.mtu="])
        self.assertEqual(complete("run", "x.yaml", "--set", "rnic.receive", "=", "di"), ["discard"])


    # What zsh calls when Tab is pressed, with its own words for what was typed; compadd prints what it is offered.
    ZSH = """compadd() { [[ $1 == -S ]] && shift 2; shift; print -l -- ${(M)@:#$PREFIX*}; }
compset() { [[ $PREFIX == *=* ]] || return 1; IPREFIX=${PREFIX%%=*}=; PREFIX=${PREFIX#*=}; }
words=("$@[2,-1]") CURRENT=$#words PREFIX=$words[-1]
source $1 2>/dev/null"""

    @unittest.skipUnless(shutil.which("zsh"), "no zsh")
    def test_completion_of_zsh(self):
        def complete(*words):
            with tempfile.NamedTemporaryFile("w", suffix=".zsh") as script:
                script.write(output(IWARPSIM, "keys", "--completion", "zsh"))
                script.flush()
                path = {**os.environ, "PATH": f"{IWARPSIM.parent}:{os.environ['PATH']}"}
                return output("zsh", "-f", "-c", self.ZSH, "zsh", script.name, "iwarpsim", *words, env=path).split()

        self.assertEqual(sorted(complete("")), sorted(self.commands))
        self.completes(complete, "topology.mtu", ["discard"])

    @unittest.skipUnless(shutil.which("fish"), "no fish")
    def test_completion_of_fish(self):
        def complete(*words):
            path = {**os.environ, "PATH": f"{IWARPSIM.parent}:{os.environ['PATH']}"}
            line = " ".join(("iwarpsim", *words))
            said = output("fish", "--no-config", "-c", f"{IWARPSIM} keys --completion fish | source; complete -C '{line}'", env=path)
            return [word.split("\t")[0] for word in said.splitlines()]

        self.assertLessEqual(set(self.commands), set(complete("")))
        self.completes(complete, "topology.mtu=", ["rnic.receive=discard"])

    def completes(self, complete, key, word):
        self.assertEqual(complete("run", "x.yaml", "--set", "topology.mt"), [key])
        self.assertEqual(complete("run", "x.yaml", "--set", "rnic.receive=di"), word)
        self.assertEqual(complete("judge", "--rest"), ["--restart"])
        self.assertEqual(complete("help", "jud"), ["judge"])
        self.assertEqual(complete("keys", "topology.mt"), ["topology.mtu"])


class Symbols(unittest.TestCase):
    def test_the_shared_library_exports_what_installed_headers_name(self):
        headers = [TOP / name for name in re.findall(r"model/\S+\.h", (TOP / "debian/sources.mk").read_text())]
        script = symbols.script(IWARPSIM.parent / "libiwarp.a", headers)
        self.assertTrue(script.startswith("LIBIWARP_1 {\nglobal:\n"))
        exported = set(re.findall(r"^    (\w+);", script, re.M))
        self.assertLessEqual({"iw_post", "iw_version", "llp_tcp", "fabric_run", "node_arrive", "rnic_presets"}, exported)
        self.assertEqual(exported & {"fabric_end_with", "settle_timer", "agenda_put"}, set())  # of *_inner.h


@unittest.skipUnless(os.environ.get("IWARPSIM_NIGHTLY"), "takes minutes: ./waf check --nightly")
class Installed(unittest.TestCase):
    def compiles_by_cmake(self, prefix, folder):
        """The example, against the shared and the static library; the next version but one is not there."""
        if not shutil.which("cmake"):
            return
        folder.mkdir()
        lines = "\n".join(f"add_executable({kind}_two {TOP}/model/examples/two_hosts.c)\ntarget_link_libraries({kind}_two iwarp::{kind})" for kind in ("iwarp", "static"))
        (folder / "CMakeLists.txt").write_text(f"cmake_minimum_required(VERSION 3.16)\nproject(x C)\nfind_package(iwarp ${{WANTED}} CONFIG REQUIRED)\n{lines}\n")
        output("cmake", f"-Diwarp_DIR={prefix}/lib/cmake/iwarp", "-DWANTED=1.0", ".", cwd=folder)
        output("cmake", "--build", ".", cwd=folder)
        for kind in ("iwarp", "static"):
            self.assertIn("the octets are the same", output(folder / f"{kind}_two"))
        self.assertNotEqual(subprocess.run(["cmake", "-DWANTED=2.0", "."], cwd=folder, capture_output=True).returncode, 0)

    def test_runs_without_the_project(self):
        with tempfile.TemporaryDirectory() as folder:
            copy, root, work = (Path(folder) / name for name in ("copy", "root", "work"))
            shutil.copytree(TOP, copy, symlinks=True, ignore=shutil.ignore_patterns("build", "results", ".git", ".lock-waf*"))
            if (TOP / "build/waf").exists():
                shutil.copytree(TOP / "build/waf", copy / "build/waf")
            output("./waf", "install", "--prefix=/opt/iwarpsim", f"--destdir={root}", cwd=copy, env={**os.environ, "WAF_NO_INSTALL": "1"})
            shutil.rmtree(copy)
            work.mkdir()
            self.assertEqual([f for f in INSTALLED if not (root / "opt/iwarpsim" / f).exists()], [])
            self.assertFalse([f for f in root.rglob("*_inner.h")])
            self.compiles_by_cmake(root / "opt/iwarpsim", Path(folder) / "cmake")
            program = root / "opt/iwarpsim/bin/iwarpsim"
            self.assertIn("reordering.yaml", output(program, "list", cwd=work))
            told = output(program, "demo", cwd=work)
            self.assertIn("11 RDMA messages", told)
            if Path(f"{program}-ns3").exists() and shutil.which("gnuplot"):
                self.assertTrue((work / "results/demo/reordering/reordering.svg").exists())


if __name__ == "__main__":
    unittest.main()
