# SPDX-License-Identifier: GPL-2.0-or-later
"""A requirement is proved when a test that it names fails once the model breaks it.

wrong.tsv has the wrong changes: the requirements that a change breaks, the file, the old text (once in the file), the new text
(`\\n` is a line break). Where the file is `mutants.tsv` the old text is the ID of a row there. A change costs one compilation, and one link
and run for each test: the object goes before the archive of the last ./waf build, whose own is not taken then.
"""

import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
sys.path.insert(0, str(TOP / "validation/mutants"))
from build import packages  # noqa: E402

BUILD = TOP / "build"
MUTANTS = TOP / "validation/mutants/mutants.tsv"
KINDS = ("unit", "laws")  # folders of programs that can be linked to a changed file, nearest first
CC = [*(["ccache"] if shutil.which("ccache") else []), "gcc", "-std=c11", "-O0", "-w", "-D_DEFAULT_SOURCE", "-Imodel", "-I."]
SECONDS = 20  # of CPU: a test that is not through by then runs in a circle
SEEDS = "150"  # of laws
SUM = re.compile(r"the sum of (?:the rows )?(\S+) to (\S+)")


@dataclass
class Change:
    line: int
    requirements: list
    file: str
    old: str
    new: str

    def text(self):
        """The file with the change; ValueError when it does not fit."""
        text = (TOP / self.file).read_text()
        if text.count(self.old) != 1 or self.old == self.new:
            raise ValueError(f"wrong.tsv:{self.line}: its old text stands {text.count(self.old)} times in {self.file}")
        return text.replace(self.old, self.new)

    def __str__(self):
        text = (TOP / self.file).read_text()
        return f"{self.file}:{text[:text.find(self.old)].count(chr(10)) + 1}"


def rows(path):
    lines = [(n, line.split("\t")) for n, line in enumerate(path.read_text().splitlines(), 1) if line and not line.startswith("#")]
    return lines[1:]


def changes():
    mutants = {row[0]: row[2:5] for _, row in rows(MUTANTS)}
    for number, (requirements, file, old, new) in rows(HERE / "wrong.tsv"):
        file, old, new = mutants[old] if file == MUTANTS.name else (file, old, new)
        yield Change(number, requirements.split(), file, *(t.replace("\\n", "\n") for t in (old, new)))


def has_main(path):
    return re.search(r"^(int )?(main|TEST|TEST_WITH)\(", path.read_text(), re.M) is not None


@dataclass
class Bench:
    """Compiles, links and runs, in a folder of its own."""

    folder: Path
    objects: dict = field(default_factory=dict)
    sound: dict = field(default_factory=dict)  # program -> does it pass when nothing is changed

    def __post_init__(self):
        if not (BUILD / "libsupport.a").exists():
            raise SystemExit("build the project first: ./waf build")
        self.flags = [*CC, *packages("--cflags"), *(["-DIWARP_ISAL"] if "-lisal" in packages("--libs") else [])]
        self.archives = [*map(str, BUILD.glob("helpers/base/built.c.1.o")), *(str(BUILD / f"lib{n}.a") for n in ("support", "helpers", "iwarp-socket", "iwarp"))]
        self.libraries = [*packages("--libs"), "-lm", "-lpthread"]

    def compile(self, source, beside, to):
        command = [*self.flags, "-iquote", beside, "-c", str(source), "-o", str(to)]
        done = subprocess.run(command, cwd=TOP, capture_output=True, text=True)
        if done.returncode:
            raise ValueError(f"does not compile: {done.stderr.strip().splitlines()[0]}")
        return str(to)

    def object_of(self, path):
        """Of a file as it is, compiled once."""
        if path not in self.objects:
            self.objects[path] = self.compile(path, str(path.parent), self.folder / f"{path.parent.name}-{path.stem}.o")
        return self.objects[path]

    def support(self, kind):
        return [self.object_of(p) for p in sorted((TOP / "validation" / kind).glob("*.c")) if not has_main(p)]

    def link(self, program, changed, name):
        path = TOP / "validation" / program
        out = self.folder / name
        objects = [self.object_of(path), *changed, *self.support(path.parent.name)]
        done = subprocess.run(["gcc", "-o", str(out), *objects, "-Wl,--start-group", *self.archives, "-Wl,--end-group", *self.libraries], capture_output=True, text=True)
        if done.returncode:
            raise ValueError(f"does not link: {done.stderr.strip().splitlines()[-2:][0]}")
        return out

    def passes(self, binary, test=None):
        def bounds():
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 2))
            resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        environment = {**os.environ, "IWARPSIM_LAW_SEEDS": SEEDS, **({"IWARPSIM_TEST": test} if test else {})}
        return subprocess.run([str(binary)], cwd=TOP, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=bounds).returncode == 0

    def must_be_sound(self, program):
        """ValueError when it fails though nothing is changed: then its failure says nothing."""
        if program not in self.sound:
            self.sound[program] = self.passes(self.link(program, [], "sound"))
        if not self.sound[program]:
            raise ValueError(f"{program} fails as it is")


def tests_of(requirement, readers):
    """(program, test or None for all of it): the tests in C that the row names, nearest first; a vector in each program that reads its file."""
    named = [by.rsplit(":", 1) for by in requirement.checked_by]
    found = [(file, test if is_test(file, test) else None) for file, test in named if file.split("/")[0] in KINDS and is_program(file)]
    found += [(program, vector) for file, vector in named if file.endswith(".json") for program in readers.get(os.path.basename(file), [])]
    return sorted(dict.fromkeys(found), key=lambda f: (KINDS.index(f[0].split("/")[0]), f[1] is None))


def is_program(file):
    return file.endswith(".c") and has_main(TOP / "validation" / file)


def is_test(file, name):
    return re.search(rf"^TEST(_WITH)?\({name}\b", (TOP / "validation" / file).read_text(), re.M)


def readers_of_vectors():
    found = {}
    for path in sorted((TOP / "validation/unit").glob("*_test.c")):
        for name in re.findall(r"\w+\.json", path.read_text()):
            found.setdefault(name, []).append(f"unit/{path.name}")
    return found


def try_change(bench, change, requirements, readers):
    """(requirement, the test that fails or None, why not) for each that the change breaks."""
    wrong = bench.folder / "wrong.c"
    wrong.write_text(change.text())
    changed = [bench.compile(wrong, str(Path(change.file).parent), bench.folder / "wrong.o")]
    linked, verdicts = {}, {}
    for name in change.requirements:
        failed = None
        for program, test in tests_of(requirements[name], readers):
            if (program, test) not in verdicts:
                if program not in linked:
                    linked[program] = bench.link(program, changed, f"p{len(linked)}")
                verdicts[program, test] = bench.passes(linked[program], test)
            if not verdicts[program, test]:
                bench.must_be_sound(program)
                failed = f"{program}:{test or 'all of it'}"
                break
        yield name, failed


def prove(requirements, some, tell=print):
    """Tries changes; the names of the requirements that are proved, and problems."""
    readers, proved, problems = readers_of_vectors(), {}, []
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))

        def wrong(text):
            problems.append(text)
            tell(text)

        for change in some:
            try:
                for name, failed in try_change(bench, change, requirements, readers):
                    if failed:
                        proved.setdefault(name, f"{change} is wrong: {failed} fails")
                        tell(f"{name:16} proved    {proved[name]}")
                    else:
                        wrong(f"wrong.tsv:{change.line}: {name} is broken in {change}, and no test that it names fails")
            except ValueError as why:
                wrong(f"wrong.tsv:{change.line}: {why}")
    return proved, problems


def with_sums(requirements, proved):
    """The rows that are sums, proved when their parts are."""
    names = list(requirements)
    for r in requirements.values():
        sum_of = SUM.match(r.excuse[1]) if r.excuse else None
        parts = names[names.index(sum_of[1]) : names.index(sum_of[2]) + 1] if sum_of else []
        checked = [p for p in parts if requirements[p].checked_by]
        if checked and all(p in proved for p in checked):
            proved = proved | {r.id}
    return proved


def shares(requirements, proved):
    """(what, rows, proved) of MUST and MUST NOT in the documents of DDP and RDMAP, and of all that are checked."""
    checked = [r for r in requirements.values() if r.checked_by]
    must = [r for r in checked if r.part in ("DDP", "RDMAP", "CORE", "EXT") and r.level.startswith("MUST")]
    for what, some in (("MUST and MUST NOT of DDP and RDMAP", must), ("all that are checked", checked)):
        yield what, len(some), sum(r.id in proved for r in some)


def main(requirements, names):
    some = [c for c in changes() if not names or set(names) & set(c.requirements)]
    proved, problems = prove(requirements, some)
    for what, rows_, count in shares(requirements, proved):
        print(f"{what}: {count} of {rows_} proved, {100 * count / rows_:.1f} %")
    print(f"sums proved: {', '.join(sorted(with_sums(requirements, set(proved)) - set(proved))) or 'none'}")
    return 1 if problems else 0
