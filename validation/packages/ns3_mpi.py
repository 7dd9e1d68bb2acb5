#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""ns-3 with its distributed simulator, out of Debian's source package, for `iwarpsim run --ranks N`.

    ns3_mpi.py PREFIX [JOBS]     fetches ns-3 with apt, builds what iwarpsim links and installs it in PREFIX
    ./waf configure --ns3=PREFIX

Debian's own libns3 is built without MPI. This build is a release build without logging, as quick as ns-3 gets. Four minutes of
two cores; PREFIX.build, 500 MB, is kept and gone on with. No rights are needed once the packages below are there.
"""

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "helpers/packages"))
sys.dont_write_bytecode = True
import fetch_waf

TOOLS = {"cmake": "cmake", "ninja": "ninja-build", "g++": "g++", "mpic++": "libopenmpi-dev", "mpirun": "openmpi-bin", "apt-get": "apt"}
MODULES = "core;network;internet;point-to-point;mpi;traffic-control;stats;bridge"
OPTIONS = """-GNinja -DCMAKE_BUILD_TYPE=release -DNS3_MPI=ON -DNS3_ASSERT=OFF -DNS3_LOG=OFF -DNS3_TESTS=OFF -DNS3_EXAMPLES=OFF
-DNS3_PYTHON_BINDINGS=OFF -DNS3_PRECOMPILE_HEADERS=OFF""".split()


def missing():
    """Debian packages that the build lacks."""
    return sorted(package for tool, package in TOOLS.items() if not shutil.which(tool))


def source(work):
    """ns-3's tree, unpacked below work."""
    trees = [p.parent for p in work.glob("source/**/ns3") if p.is_file() and (p.parent / "contrib").is_dir()]
    if not trees:
        archive = fetch_waf.fetch("ns3", work / "apt")
        with tarfile.open(archive) as tar:
            tar.extractall(work / "source")
        return source(work)
    return trees[0]


def build(prefix, jobs):
    work = prefix.with_name(prefix.name + ".build")
    tree = source(work)
    binary = work / "cmake"
    subprocess.run(["cmake", "-S", tree, "-B", binary, *OPTIONS, f"-DNS3_ENABLED_MODULES={MODULES}", f"-DCMAKE_INSTALL_PREFIX={prefix}"], check=True)
    subprocess.run(["cmake", "--build", binary, "--parallel", str(jobs)], check=True)
    subprocess.run(["cmake", "--install", binary], check=True, stdout=subprocess.DEVNULL)


def main(arguments):
    if not 1 <= len(arguments) <= 2 or arguments[0].startswith("-"):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    if missing():
        print(f"ns3_mpi.py: missing packages: {' '.join(missing())}", file=sys.stderr)
        return 2
    prefix = Path(arguments[0]).absolute()
    build(prefix, int(arguments[1]) if arguments[1:] else os.cpu_count())
    print(f"now: ./waf configure --ns3={prefix}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
