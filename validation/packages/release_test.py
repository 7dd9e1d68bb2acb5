#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""`./waf release` in clones: the same octets from each, a bill of materials that has every file, checksums that hold, and what stops it. At night each artefact
is made and tried from itself alone."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "validation/player"))
import browser
import links

IWARPSIM = Path(os.environ.get("IWARPSIM", TOP / "build/iwarpsim"))
NIGHTLY = bool(os.environ.get("IWARPSIM_NIGHTLY"))
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
        return subprocess.run([sys.executable, clone / "helpers/packages/release.py", clone / "build/iwarpsim", clone / "build/release", *arguments], capture_output=True, text=True, **more)

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
        self.assertEqual(self.release(clone, "oci").returncode, 3 if not all(map(self.has, ("apt-ftparchive", "mmdebstrap", "umoci"))) else 2)
        (clone / "README.md").write_text("changed\n")
        done = self.release(clone, "source")
        self.assertEqual((done.returncode, done.stderr), (2, "release: 1 files differ from the commit, the first is README.md: commit them first\n"))
        self.assertFalse((clone / "build/release").exists())

    @unittest.skipUnless(NIGHTLY and shutil.which("npm") and browser.find(), "takes a compiler for wasm32, npm and chromium; at night")
    def test_course_and_npm_package_alone(self):
        clone = self.with_program("a")
        self.sums(clone, "course", "npm")
        alone = self.folder / "alone"
        shutil.move(clone / "build/release", alone)
        shutil.rmtree(clone)
        self.assertEqual((links.broken(alone / "course"), links.fetched(alone / "course")), ([], []))
        b = browser.Browser(browser.find())
        self.addCleanup(b.close)
        b.open(alone / "course/lesson-03.html")
        self.assertTrue(b.value("document.body.innerText.includes('Placement is not delivery')"))
        self.assertEqual(b.errors, [])
        mine = self.folder / "mine"
        mine.mkdir()
        said = {"cwd": mine, "capture_output": True, "text": True, "check": True}
        subprocess.run(["npm", "install", "--offline", "--no-audit", f"--cache={self.folder}/cache", next(alone.glob("iwarpsim-engine-*.tgz"))], **said)
        self.assertRegex(subprocess.run(["node", "node_modules/iwarpsim-engine/example.mjs"], **said).stdout, r"\A\d+ segments are placed early")

    @unittest.skipUnless(NIGHTLY and os.geteuid() == 0 and all(map(shutil.which, ("dh", "mmdebstrap", "umoci"))), "takes root, debhelper, mmdebstrap, umoci and minutes; at night")
    def test_image_alone(self):
        clone = self.clone("a")
        self.sums(clone, "deb", "oci")
        shutil.move(clone / "build/release/oci", self.folder / "oci")
        shutil.rmtree(clone)
        self.try_image(self.folder / "oci")

    def try_image(self, layout):
        """Unpacked by umoci: its own command runs a scenario and draws a figure, with nothing but what is in it."""
        name = json.loads((layout / "index.json").read_text())["manifests"][0]["annotations"]["org.opencontainers.image.ref.name"]
        bundle = self.folder / "bundle"
        subprocess.run(["umoci", "unpack", f"--image={layout}:{name}", bundle], check=True, capture_output=True)
        process = json.loads((bundle / "config.json").read_text())["process"]
        self.assertEqual((process["args"], process["cwd"]), (["iwarpsim", "--help"], "/data"))
        data = bundle / "rootfs/data"
        data.mkdir(exist_ok=True)
        (data / "my.yaml").write_text("title: small\nworkload: {count: 50}\nsweep: {topology.delay: [1us, 2us]}\n")
        inside = f"mount -t proc proc {bundle}/rootfs/proc && exec env -i {' '.join(process['env'])} chroot {bundle}/rootfs sh -c 'cd /data && exec iwarpsim run my.yaml --plot column'"
        done = subprocess.run(["unshare", "--mount", "sh", "-c", inside], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((data / "results/my/my.pdf").exists())

    def with_program(self, name):
        """A clone with what is built here."""
        clone = self.clone(name)
        (clone / "build").mkdir()
        shutil.copy(IWARPSIM, clone / "build")
        shutil.copytree(IWARPSIM.with_name("course"), clone / "build/course")
        return clone

    def has(self, tool):
        return any((Path(folder) / tool).exists() for folder in os.environ["PATH"].split(":"))


if __name__ == "__main__":
    unittest.main()
