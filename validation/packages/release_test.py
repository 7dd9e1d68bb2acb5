#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""`./waf release` in clones: the same octets from each, a bill of materials that has every file, checksums that hold, and what stops it."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
LICENCES = {p.stem for p in (TOP / "LICENSES").iterdir()}


def git(*words, folder=TOP):
    return subprocess.run(["git", "-C", folder, *words], stdout=subprocess.PIPE, text=True, check=True).stdout


def is_clone():
    return subprocess.run(["git", "-C", TOP, "ls-files", "--error-unmatch", "wscript"], capture_output=True).returncode == 0


@unittest.skipUnless(is_clone(), "no clone")
class Release(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def clone(self, name):
        subprocess.run(["git", "clone", "-q", "--shared", TOP, self.folder / name], check=True, capture_output=True)
        return self.folder / name

    def release(self, clone, *arguments, **more):
        return subprocess.run([sys.executable, clone / "helpers/packages/release.py", "no-program", clone / "build/release", *arguments], capture_output=True, text=True, **more)

    def sums(self, clone, *parts):
        done = self.release(clone, *parts)
        self.assertEqual(done.returncode, 0, done.stderr)
        return (clone / "build/release/SHA256SUMS").read_text().splitlines()

    def test_the_same_from_two_clones_with_every_file(self):
        clone = self.clone("a")
        made = self.sums(clone, "source", "sbom", "ns3")
        self.assertEqual(len(made), 3)
        self.assertLessEqual(set(self.sums(self.clone("b"), "source", "ns3")), set(made))
        out = clone / "build/release"
        subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=out, check=True)
        document = json.loads(next(out.glob("*.spdx.json")).read_text())
        self.assertEqual(sorted(f["fileName"][2:] for f in document["files"]), sorted(git("ls-files", folder=clone).splitlines()))
        self.assertEqual(len({f["SPDXID"] for f in document["files"]}), len(document["files"]))
        named = {word for f in document["files"] for word in f["licenseConcluded"].split() if word not in ("OR", "AND")}
        self.assertEqual(named, LICENCES)

    def test_what_stops_it(self):
        clone = self.clone("a")
        nothing = {**os.environ, "PATH": str(self.folder / "empty")}
        (self.folder / "empty").mkdir()
        done = self.release(clone, env=nothing)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (3, 1), done.stderr)
        self.assertIn("dpkg-buildpackage", done.stderr)
        self.assertEqual(self.release(clone, "source", "--apt", self.folder / "apt").returncode, 3 if not self.has("apt-ftparchive") else 2)
        (clone / "README.md").write_text("changed\n")
        done = self.release(clone, "source")
        self.assertEqual((done.returncode, done.stderr), (2, "release: 1 files differ from the commit, the first is README.md: commit them first\n"))
        self.assertFalse((clone / "build/release").exists())

    def has(self, tool):
        return any((Path(folder) / tool).exists() for folder in os.environ["PATH"].split(":"))


if __name__ == "__main__":
    unittest.main()
