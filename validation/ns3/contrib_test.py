#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The module as contrib/iwarp of an ns-3 tree: built by ns-3's own build with asserts on, its tests and examples run.

    contrib_test.py FOLDER          in FOLDER, which is kept and gone on with; ns-3's source is fetched when it is not there
    contrib_test.py --ns3 DIR...    in the source trees of ns-3 that are given, 3.36 or newer, one after the other
Of `./waf check` only the nightly one does this, in a folder of its own: it takes ten minutes or more. The source is
Debian's source package ns3; only what the module needs of it is built.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "helpers/packages"))
sys.dont_write_bytecode = True
import fetch_waf

# A user's script: it includes ns-3's headers and the module's, and links what ns-3 gives it.
SCRATCH = """#include "ns3/core-module.h"
#include "ns3/iwarp-helper.h"
#include "ns3/iwarp-topology.h"
int main() {
    ns3::Time::SetResolution(ns3::Time::PS);
    ns3::IwarpTopology network({});
    std::cout << ns3::IwarpHelper().Install(network.GetHosts()).size() << " adapters" << std::endl;
    ns3::Simulator::Destroy();
}
"""
CONFIGURE = """configure --build-profile=default --enable-modules=iwarp,csma,applications,flow-monitor --filter-module-examples-and-tests=iwarp
--enable-examples --enable-tests""".split() + (["-G", "Ninja"] if shutil.which("ninja") else [])
STEPS = [  # what is asked of which program of the tree, what it must say
    ("configure", ["ns3", *CONFIGURE], "Build files have been written"),
    ("build", ["ns3", "build"], ""),
    ("test suites, by ns-3's own test.py", ["test.py", "--no-build", "--suite=iwarp*"], "3 of 3 tests passed"),
    ("a script of one's own", ["ns3", "run", "mine"], "2 adapters"),
    ("example write, traced", ["ns3", "run", "iwarp-write --trace=iwarp"], "delivered"),
    ("example flows: FlowMonitor", ["ns3", "run", "iwarp-flows"], "every octet arrived"),
    ("example reorder", ["ns3", "run", "iwarp-reorder"], "discard"),
]


def fetch(folder):
    """ns-3's tree, unpacked below folder."""
    trees = list(folder.glob("**/ns3"))
    if not trees:
        archive = fetch_waf.fetch("ns3", folder / "apt")
        with tarfile.open(archive) as tar:
            tar.extractall(folder / "source")
        trees = list((folder / "source").glob("**/ns3"))
    return next(t.parent for t in trees if t.is_file() and (t.parent / "contrib").is_dir())


def check(tree):
    """True: something failed."""
    version = (tree / "VERSION").read_text().strip()
    print(f"ns-3 {version}, {tree}", flush=True)
    subprocess.run(["sh", TOP / "model/ns3/to-contrib.sh", tree], check=True, stdout=subprocess.DEVNULL)
    (tree / "scratch/mine.cc").write_text(SCRATCH)
    passed = 0
    for name, (program, *arguments), says in STEPS:
        done = subprocess.run([tree / program, *arguments], cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        good = done.returncode == 0 and says in done.stdout
        print(f"{'ok    ' if good else 'FAILED'} {name}: ./{program} {' '.join(arguments)}", flush=True)
        if not good:
            print(done.stdout[-8000:])
            break
        passed += 1
    print(f"ns-3 {version}: {passed} passed, {len(STEPS) - passed} failed")
    return passed < len(STEPS)


def wrong(folder, tree):
    """What is wrong with a folder in words; None: nothing."""
    for name in {"contrib", "iwarp", "examples"}.intersection(folder.parts):
        return f"ns-3's own script does not find an example below a folder named {name}; choose another"
    lacks = [name for name in ("ns3", "contrib", "VERSION") if tree and not (folder / name).exists()]
    return f"no source tree of ns-3: it has no {' and no '.join(lacks)}" if lacks else None


def main(arguments):
    trees = arguments[:1] == ["--ns3"]
    folders = [Path(a).absolute() for a in arguments[trees:]]
    said = [f"{folder}: {why}" for folder in folders if (why := wrong(folder, trees))] + ["--ns3: which trees?"] * (trees and not folders)
    if said:
        print("\n".join(said), file=sys.stderr)
        return 2
    if folders:
        return any([check(folder if trees else fetch(folder)) for folder in folders])
    missing = [tool for tool in ("cmake", "g++", "apt-get") if not shutil.which(tool)]
    if missing or not os.environ.get("IWARPSIM_NIGHTLY"):
        print(f"skipped: needs {', '.join(missing)}" if missing else "skipped: builds ns-3, for ./waf check --nightly")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        return check(fetch(Path(folder)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
