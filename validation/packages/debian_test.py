#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Debian's packages. In every run: the lists from which debian/rules compiles are those of the wscript. With IWARPSIM_NIGHTLY, as root
with debhelper and lintian: dpkg-buildpackage makes them without a network, lintian finds nothing, they hold what `./waf install`
lays down, and debian/tests pass in a root in which they are unpacked.

    debian_test.py ./FOLDER      the long form alone, in FOLDER, which is kept"""

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
import debian_sources

PACKAGES = ["iwarpsim", "iwarpsim-doc", "iwarpsim-ns3", "iwarpsim-simgrid", "libiwarp-dev", "libiwarp1"]
TOOLS = ["dpkg-buildpackage", "dh", "lintian"]
NOT_PACKAGED = {"libcmocka-dev"}  # tests alone need it
TESTS = TOP / "debian/tests"
FOLDER = next((a for a in sys.argv[1:] if "/" in a), None)
LONG = FOLDER or os.environ.get("IWARPSIM_NIGHTLY")


def run(*command, **more):
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode:
        raise AssertionError(f"{command[0]} failed:\n{done.stdout[-6000:]}")
    return done.stdout


def words_of(name):
    return re.sub("#.*", "", (TOP / f"helpers/packages/{name}.txt").read_text()).split()


class Lists(unittest.TestCase):
    def test_debian_compiles_what_waf_compiles(self):
        self.assertEqual((TOP / "debian/sources.mk").read_text(), debian_sources.text(debian_sources.wscript()), "./waf configure writes it anew")

    def test_lists_are_of_files_that_are_there(self):
        paths = re.findall(r"^    ((?:model|helpers|scenarios|validation)/\S+)", (TOP / "debian/sources.mk").read_text(), re.M)
        self.assertGreater(len(paths), 300)
        self.assertEqual([p for p in paths if not (TOP / p).is_file()], [])

    def test_the_version_is_one(self):
        """It stands in model/engine/iw.h. What others read from a file of their own says the same, and nothing else says it."""
        version = debian_sources.wscript()["VERSION"]
        places = {"debian/changelog": r"iwarpsim \((.*?)\)", "CITATION.cff": r"^version: (.*)", "CHANGELOG.md": r"^## (.*)"}
        said = {place: re.search(how, (TOP / place).read_text(), re.M)[1] for place, how in places.items()}
        self.assertEqual(said, dict.fromkeys(places, version))
        found = subprocess.run(["git", "-C", TOP, "grep", "-lIP", rf"(?<![\d.]){re.escape(version)}(?![\d.])"], stdout=subprocess.PIPE, text=True).stdout.split()
        self.assertLessEqual(set(found), {*places, "model/engine/iw.h", "debian/sources.mk"})

    def test_the_libraries_are_build_dependencies(self):
        needs = re.findall(r"^ ([a-z][\w.+-]*)", re.search(r"Build-Depends:\n(.*?)^S", (TOP / "debian/control").read_text(), re.S | re.M)[1], re.M)
        libraries = {p for name in ("core", "simulators", "wasm", "manual") for p in words_of(name) if re.match(r"(lib(?!c6).*-dev|python3-|wasi|clang|lld)", p)}
        self.assertEqual(libraries - NOT_PACKAGED - set(needs), set())

    def test_a_line_of_a_description_has_80_characters_at_most(self):
        """So that lintian has nothing to say."""
        lines = [line for text in re.findall(r"^Description:.*\n((?: .*\n)+)", (TOP / "debian/control").read_text(), re.M) for line in text.splitlines()]
        self.assertGreater(len(lines), 20)
        self.assertEqual([line for line in lines if len(line) > 80], [])

    def test_licences_are_whole(self):
        said = (TOP / "debian/copyright").read_text()
        for name in ("BSD-2-Clause", "CC-BY-4.0"):
            text = "".join(" " + (line.rstrip() or ".") + "\n" for line in (TOP / f"LICENSES/{name}.txt").read_text().splitlines())
            self.assertIn(f"License: {name}\n{text}", said)


def copy_of_project(folder):
    """The files that belong to the project, without what was built."""
    listed = run("git", "-C", TOP, "ls-files", "-z").split("\0")
    for name in filter(None, listed):
        if (TOP / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(TOP / name, folder / name)


def build(folder):
    """The packages, made in folder without a network."""
    source = folder / ("iwarpsim-" + debian_sources.wscript()["VERSION"])
    copy_of_project(source)
    cut_off = ["unshare", "--net"] if os.geteuid() == 0 and shutil.which("unshare") else []
    run(*cut_off, "dpkg-buildpackage", "-us", "-uc", "-b", cwd=source)
    return sorted(folder.glob("*.deb"))


def unpacked(packages, root):
    for package in packages:
        run("dpkg-deb", "--extract", package, root)


def in_root(root, script):
    """Runs a script of debian/tests with the unpacked packages laid over this system's /usr."""
    inside = f"mount -t overlay overlay -o lowerdir={root}/usr:/usr /usr && exec env -u IWARPSIM sh {script}"
    return run("unshare", "--mount", "sh", "-c", inside, cwd=tempfile.gettempdir())


@unittest.skipUnless(LONG, "takes minutes: ./waf check --nightly")
@unittest.skipUnless(all(map(shutil.which, TOOLS)) and os.geteuid() == 0, "needs root, debhelper and lintian")
class Packages(unittest.TestCase):
    def test_built_clean_complete_and_working(self):
        with tempfile.TemporaryDirectory() as made:
            folder = Path(FOLDER or made).absolute()
            packages = build(folder)
            self.assertEqual(sorted({p.name.split("_")[0] for p in packages if "dbgsym" not in p.name}), PACKAGES)
            changes = next(folder.glob("*.changes"))
            self.assertEqual(run("lintian", "--fail-on", "error,warning", "--allow-root", changes), "")
            root = folder / "root"
            unpacked(packages, root)
            self.assertEqual(self.differences(folder, root), [])
            for name in ("decode", "worlds", "examples"):
                in_root(root, TESTS / name)

    def differences(self, folder, root):
        """Files that `./waf install` lays down and the packages do not have, but for places that are Debian's own."""
        copy, plain = folder / "copy", folder / "plain"
        copy_of_project(copy)
        if (TOP / "build/waf").exists():
            shutil.copytree(TOP / "build/waf", copy / "build/waf", dirs_exist_ok=True)
        run("./waf", "install", "--prefix=/usr", f"--destdir={plain}", cwd=copy, env={**os.environ, "WAF_NO_INSTALL": "1"})
        there = {re.sub(r"\.gz$", "", re.sub(r"^usr/lib/[^/]*-linux-[^/]*/", "usr/lib/", p.relative_to(root).as_posix())) for p in root.rglob("*") if not p.is_dir()}
        wanted = {re.sub(r"^usr/share/doc/iwarpsim/", "usr/share/doc/iwarpsim-doc/", p.relative_to(plain).as_posix()) for p in plain.rglob("*") if not p.is_dir()}
        return sorted(wanted - there)


if __name__ == "__main__":
    unittest.main(argv=[a if a != FOLDER else "Packages" for a in sys.argv])
