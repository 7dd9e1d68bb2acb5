# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds the project once as shared libraries, so that a mutant costs its own file and one link.

`Base` holds the objects, the libraries and the test programs as the sources are. A `Workshop` beside it has a copy of the sources:
there a file is changed, what includes it is compiled again, and a library of the same name comes first on the loader's path.
"""

import ast
import concurrent.futures
import os
import re
import shutil
import subprocess
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
MADE = {"build/helpers/story/page/page_html.c": "helpers/story", "build/helpers/judge/catalogue_table.c": "helpers/judge"}  # by ./waf build
FOLDERS = ("model", "helpers", "scenarios", "validation", "plots")
COMMON = ["-O1", "-fPIC", "-w", "-Imodel", "-I.", "-MMD"]


def packages(option):
    """What pkg-config says of the libraries that the wscript names, where they are."""
    names = [row[0] for row in ast.literal_eval(re.search(r"^PACKAGES = (\[.*?^\])", (TOP / "wscript").read_text(), re.M | re.S)[1])]
    here = [name for name in names if subprocess.run(["pkg-config", "--exists", name]).returncode == 0]
    return subprocess.check_output(["pkg-config", option, *here], text=True).split()


LIBRARIES = [*packages("--libs"), "-lm"]
C = ["-std=c11", *packages("--cflags"), *[f"-DIWARP_{n.upper()}" for n in ("isal", "zstd") if f"-l{n}" in LIBRARIES], "-D_DEFAULT_SOURCE", '-DIWARPSIM_COMMIT="mutant"', '-DIWARPSIM_DATADIR="/nowhere"']
CXX = ["-std=c++17"]
NS3 = ["-lns3-" + m for m in ("point-to-point", "internet", "traffic-control", "bridge", "network", "stats", "core")]
CACHE = ["ccache"] if shutil.which("ccache") else []
# The test that links usrsctp brings functions with the names of ours: they must not meet in one process.
NOT_SHARED = {"validation/unit/sctp_usrsctp_test.c"}


class DoesNotCompile(Exception):
    pass


def command(argv, folder):
    done = subprocess.run(argv, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise DoesNotCompile(" ".join(argv) + "\n" + done.stderr[-2000:])


def has_main(path):
    return re.search(r"^(int )?(main|LLVMFuzzerTestOneInput|TEST|TEST_WITH)\(", path.read_text(), re.M) is not None


def object_of(source):
    return source.replace("/", "_") + ".o"


def compile_source(tree, source, target, flags=()):
    language = ["g++", *CXX] if source.endswith(".cc") else ["gcc", *C]
    command([*CACHE, *language, *COMMON, *flags, "-c", source, "-o", str(target)], tree)


class Base:
    """Everything as it is, in `folder`: objects, libraries, programs. `flags`: also for the compiler; `wanted`: of the programs only these."""

    def __init__(self, folder, jobs, ns3, flags=(), wanted=None):
        self.folder = Path(folder)
        self.flags = flags
        self.source = self.folder / "source"
        self.objects = self.folder / "objects"
        self.jobs = jobs
        self.objects.mkdir(parents=True, exist_ok=True)
        copy_sources(self.source)
        self.layout(ns3 and Path("/usr/include/ns3").exists())
        if wanted:
            self.programs = {name: self.programs[name] for name in wanted}
        self.compile()
        self.link_all()

    def found(self, *patterns):
        return [str(p.relative_to(self.source)) for pattern in patterns for p in sorted(self.source.glob(pattern))]

    # A library: its sources, what it is linked with, the linker.
    def layout(self, ns3):
        rooms = ("engine", "llp", "rnic", "channel", "node", "fabric", "simgrid", "socket")
        model = [f for f in self.found("model/*.c", *(f"model/{room}/*.c" for room in rooms)) if f != "model/simgrid/ports.c"]
        helpers = [f for f in self.found("helpers/**/*.c", "scenarios/workloads/*.c") if "world/simgrid" not in f and "helpers/live" not in f]
        self.main = [f for f in helpers if has_main(self.source / f)]
        here = ["-L" + str(self.folder)]
        self.libraries = {
            "libiwarp.so": (model, LIBRARIES, "gcc"),
            "libhelpers.so": ([f for f in helpers if f not in self.main], [*here, "-liwarp", *LIBRARIES], "gcc"),
        }
        self.programs = {"iwarpsim": (self.main, [*here, "-lhelpers", "-liwarp", *LIBRARIES], "gcc")}
        shared = self.found("validation/support/*.c")
        for folder in ("unit", "laws", "reference"):
            files = self.found(f"validation/{folder}/*.c")
            support = shared + [f for f in files if not has_main(self.source / f)]
            for main in (f for f in files if f not in support and f not in NOT_SHARED):
                self.programs[f"{folder}/{Path(main).stem}"] = ([main, *support], [*here, "-lhelpers", "-liwarp", *LIBRARIES], "gcc")
        if ns3:
            more = [*here, "-liwarpns3", "-lhelpers", "-liwarp", *NS3, *LIBRARIES]
            self.libraries["libiwarpns3.so"] = (self.found("model/ns3/*.cc"), [*here, "-liwarp", *NS3], "g++")
            self.programs["iwarpsim-ns3"] = (self.found("helpers/world/ns3/*.cc"), more, "g++")
            self.programs["ns3/iwarp_ns3_test"] = (self.found("validation/ns3/*.cc"), more, "g++")
        if Path("/usr/include/simgrid").exists():
            simgrid = self.found("helpers/world/simgrid/*.c", "model/simgrid/ports.c", "model/simgrid/shim.cc")
            self.programs["iwarpsim-simgrid"] = (simgrid, [*here, "-lhelpers", "-liwarp", "-lsimgrid", *LIBRARIES], "g++")

    def sources(self):
        parts = [*self.libraries.values(), *self.programs.values()]
        return sorted({source for files, _, _ in parts for source in files})

    def compile(self):
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            list(pool.map(lambda s: compile_source(self.source, s, self.objects / object_of(s), self.flags), self.sources()))
        self.users = {}  # a header or source -> the sources that include it
        for source in self.sources():
            text = (self.objects / object_of(source)).with_suffix(".d").read_text()
            for name in text.replace("\\\n", " ").split(":", 1)[1].split():
                if not name.startswith("/"):
                    self.users.setdefault(os.path.normpath(name), set()).add(source)

    def link_all(self):
        for name, (files, more, linker) in self.libraries.items():
            link(self.folder / name, [self.objects / object_of(f) for f in files], ["-shared", *more], linker)
        for name, (files, more, linker) in self.programs.items():
            (self.folder / name).parent.mkdir(exist_ok=True)
            link(self.folder / name, [self.objects / object_of(f) for f in files], more, linker)


def link(target, objects, more, linker):
    command([linker, "-o", str(target), *map(str, objects), *more], target.parent)


def copy_sources(to):
    """Only what differs is written, so that times stay."""
    for folder in FOLDERS:
        subprocess.run(["cp", "-r", "--no-target-directory", str(TOP / folder), str(to / folder)], check=True) if (to / folder).exists() else \
            shutil.copytree(TOP / folder, to / folder, ignore=shutil.ignore_patterns("__pycache__"))
    if not all((TOP / made).exists() for made in MADE):
        raise SystemExit("build the project first: ./waf build")
    for made, folder in MADE.items():
        shutil.copy(TOP / made, to / folder)


class Workshop:
    """A copy of the sources in which one file at a time is changed."""

    def __init__(self, base, folder):
        self.base, self.folder = base, Path(folder)
        self.source = self.folder / "source"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        copy_sources(self.source)
        for folder in ("unit", "laws", "reference", "ns3"):  # programs that look for each other's neighbours
            if (base.folder / folder).exists():
                (self.folder / folder).symlink_to(base.folder / folder)
        for name in ("iwarpsim", "iwarpsim-ns3", "iwarpsim-simgrid"):
            (self.folder / name).symlink_to(base.folder / name)

    def change(self, path, text):
        """Puts the text in place and builds; raises DoesNotCompile."""
        self.restore()
        (self.source / path).write_text(text)
        self.changed = path
        users = self.base.users.get(path, set())
        for source in users:
            compile_source(self.source, source, self.folder / object_of(source), self.base.flags)
        for name, (files, more, linker) in self.base.libraries.items():
            if users & set(files):
                objects = [(self.folder if f in users else self.base.objects) / object_of(f) for f in files]
                link(self.folder / name, objects, ["-shared", *more], linker)
        return bool(users)

    changed = None

    def restore(self):
        if self.changed:
            shutil.copy(self.base.source / self.changed, self.source / self.changed)
        self.changed = None
        for stale in [*self.folder.glob("*.o"), *self.folder.glob("*.d"), *self.folder.glob("lib*.so")]:
            stale.unlink()

    def environment(self):
        path = f"{self.folder}:{self.base.folder}"
        return {**os.environ, "LD_LIBRARY_PATH": path, "IWARPSIM_BUILD": str(self.folder), "IWARPSIM": str(self.folder / "iwarpsim"),
                "IWARPSIM_LAW_SEEDS": "150", "CMOCKA_MESSAGE_OUTPUT": "STDOUT"}
