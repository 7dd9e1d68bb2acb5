#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Would the long fuzz run notice? fuzz_tcp, built as the flavour `swift` builds it, against TCP with one wrong change each.

From no corpus at all, 300,000 inputs find nothing in TCP as it is, and some of four such searches, with fixed seeds, finds each of the
wrong changes. The corpus, which would shorten them, is left out.
"""

import ast
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
RUNS = 300000
SEEDS = (1, 2, 3, 4)
PLANTED = [  # file, the old text, the new one
    ("tcp_rx.c", "range_at(t, j)->from <= r->to", "range_at(t, j)->from < r->to"),
    ("tcp_rx.c", "if (rx->nxt + (field << shift) < rx->advertised)\n        field++;", "if (0)\n        field++;"),
    ("tcp_undo.c", "        t->stats.flight += r->len;\n        tcp_chain_push(t, &t->tx.flying, i);\n    }\n    LAW(tcp_accounts(t));\n}",
     "        tcp_chain_push(t, &t->tx.flying, i);\n    }\n    LAW(tcp_accounts(t));\n}"),
    ("tcp_tx.c", "r->next = at;\n    r->prev = next->prev;", "r->next = at;"),
    ("tcp_ack.c", "t->tx.first++;", "t->tx.first += 1 + (n->records == 3);"),
]


def flavour(name):
    """Compiler and linker flags, as the wscript says them."""
    known = {}
    for node in ast.parse((TOP / "wscript").read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in ("CFLAGS", "SANITIZE", "LAWS_HOLD", "LOOKED_AT", "FLAVOURS"):
            exec(compile(ast.Module([node], []), "wscript", "exec"), known)
    compiling, linking = known["FLAVOURS"][name]
    return known["CFLAGS"] + compiling, linking


@unittest.skipUnless(shutil.which("clang"), "clang is missing")
class Planted(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.at = Path(cls.folder.name)
        cls.compiling, cls.linking = flavour("swift")
        cls.objects = {f.name: cls.compiled(f) for f in [*sorted(TOP.glob("model/llp/tcp*.c")), TOP / "validation/fuzz/fuzz_tcp.c"]}

    @classmethod
    def compiled(cls, source):
        made = cls.at / f"{source.name}{len(list(cls.at.iterdir()))}.o"
        command = ["clang", *cls.compiling, f"-I{TOP}/model", f"-I{TOP}", "-c", str(source), "-o", str(made)]
        subprocess.run(command, check=True, capture_output=True, text=True)
        return made

    def link(self, objects):
        program = self.at / "fuzz_tcp"
        subprocess.run(["clang", *self.linking, *map(str, objects.values()), "-o", str(program)], check=True, capture_output=True, text=True)
        return program

    def found(self, program, seed):
        options = ["-max_len=300", "-entropic=0", "-reduce_inputs=0", "-verbosity=0", f"-runs={RUNS}", f"-seed={seed}", f"-artifact_prefix={self.at}/"]
        return subprocess.run([str(program), *options], capture_output=True, text=True, errors="replace")

    def test_as_it_is(self):
        done = self.found(self.link(self.objects), SEEDS[0])
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])

    def test_planted(self):
        for name, old, new in PLANTED:
            with self.subTest(f"{name}: {old} -> {new}"):
                text = (TOP / "model/llp" / name).read_text()
                self.assertEqual(text.count(old), 1)
                wrong = self.at / name
                wrong.write_text(text.replace(old, new))
                program = self.link({**self.objects, name: self.compiled(wrong)})
                self.assertTrue(any(self.found(program, seed).returncode for seed in SEEDS), "not found")


if __name__ == "__main__":
    sys.exit(unittest.main())
