#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Which requirement is checked by which test.

    python3 validation/conformance/report.py            one line for each requirement, then the counts
    python3 validation/conformance/report.py --summary  the counts alone
    python3 validation/conformance/report.py ID...      these requirements in full
    python3 validation/conformance/report.py --prove [ID...]    breaks them (wrong.tsv), and tells which test notices (prove.py)

The catalogues are conformance.tsv (RFC 5041, RFC 5040, DDPP core), draft00.tsv (where draft-ietf-rddp-ddp-00 differs from RFC 5041), mpa.tsv (RFC 5044),
sctp.tsv (RFC 5043), rfc7306.tsv (RFC 7306) and tcp.tsv (RFC 9293 and its extensions: TCP-section, TCPnnnn-section). A test says what it checks in a
comment directly above it, `/* checks: DDP-5.3-7 DDP-4.1-3 */` (Python: `# checks: ...`); a vector in its "requirements".
reasons.tsv says why an unchecked requirement may be so: `doc` (nothing can be observed) or the room that will bring it.

Exit code 1 when a requirement is neither checked nor excused, when one that this tree must check is only put off, when a
test names a requirement that does not exist, is never run, or checks what reasons.tsv excuses.
"""

import argparse
import json
import os
import re
import sys
from collections import Counter
from dataclasses import dataclass, field

import prove

HERE = os.path.dirname(os.path.abspath(__file__))
VALIDATION = os.path.dirname(HERE)
CATALOGUES = ("conformance.tsv", "draft00.tsv", "mpa.tsv", "sctp.tsv", "rfc7306.tsv", "tcp.tsv")
PARTS = {"DDP": "RFC 5041, DDP", "RDMAP": "RFC 5040, RDMAP", "CORE": "DDPP core", "DRAFT00": "DDP draft-00, what differs", "MPA": "RFC 5044, MPA", "SCTP": "RFC 5043, SCTP", "EXT": "RFC 7306, extensions"}
PARTS |= {"TCP": "RFC 9293, TCP", "TCP2018": "RFC 2018, SACK", "TCP2883": "RFC 2883, D-SACK", "TCP3042": "RFC 3042, limited transmit", "TCP3168": "RFC 3168, ECN",
          "TCP3465": "RFC 3465, byte counting", "TCP5681": "RFC 5681, congestion control", "TCP5682": "RFC 5682, F-RTO", "TCP5961": "RFC 5961, blind attacks",
          "TCP6298": "RFC 6298, timer", "TCP6582": "RFC 6582, newreno", "TCP6675": "RFC 6675, SACK recovery", "TCP6928": "RFC 6928, initial window", "TCP6937": "RFC 6937, PRR",
          "TCP7323": "RFC 7323, window scale", "TCP8257": "RFC 8257, DCTCP", "TCP8985": "RFC 8985, RACK-TLP", "TCP9406": "RFC 9406, HyStart++", "TCP9438": "RFC 9438, CUBIC"}
TESTED = re.compile(r"\b(enc|eng|perm|neg|api|fuzz)\b")  # kinds of test that need no simulator
CHECKS = re.compile(r"^\s*(?:/\*|\*|#)\s*checks:\s*(.*?)\s*(?:\*/)?\s*$")
C_FUNCTION = re.compile(r"^(?:TEST(?:_WITH)?\(|(?:static )?\w[\w :*]*?\b(?=\w+\())(\w+)")
C_TEST = re.compile(r"^TEST(?:_WITH)?\((\w+)", re.M)  # runs by itself
PYTHON_FUNCTION = re.compile(r"^\s*def (\w+)\(")


@dataclass
class Requirement:
    id: str
    level: str
    text: str
    side: str
    test: str
    observable: str
    kinds: str = ""
    checked_by: list = field(default_factory=list)
    excuse: tuple = ()  # (room or "doc", why)

    @property
    def part(self):
        return self.id.split("-")[0]

    @property
    def must_be_checked(self):
        """Everything that plain C can show."""
        return bool(TESTED.search(self.kinds))

    @property
    def is_doc(self):
        return self.kinds.startswith("doc") and not TESTED.search(self.kinds)

    @property
    def status(self):
        if self.checked_by:
            return "checked"
        if self.is_doc or self.excuse[:1] == ("doc",):
            return "doc"
        return "not yet" if self.excuse else "MISSING"


# ---- reading ----


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def table(name):
    rows = [line.split("\t") for line in read(os.path.join(HERE, name)).splitlines() if line and not line.startswith("#")]
    return rows[1:]


def catalogue():
    requirements, kinds = {}, ""
    for row in (row for name in CATALOGUES for row in table(name)):
        requirement = Requirement(*row)
        kinds = kinds if requirement.test == "as above" else requirement.test.split(":")[0]
        requirement.kinds = kinds
        requirements[requirement.id] = requirement
    return requirements


def named_tests(text, python):
    """(function, [IDs]) for each group of `checks:` comments, and the function that follows it."""
    function, ids = PYTHON_FUNCTION if python else C_FUNCTION, []
    for line in text.splitlines():
        comment = CHECKS.match(line)
        if comment:
            ids += comment.group(1).split()
        elif ids and function.match(line):
            yield function.match(line).group(1), ids
            ids = []
    if ids:
        yield None, ids


def sources(folder=VALIDATION):
    for path, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            if name.endswith((".c", ".cc", ".h", ".py", ".json")) and path != HERE:
                yield os.path.join(path, name)


def vectors_of(document):
    """Every object with an "id" in an array at the top of a file of vectors."""
    arrays = document.values() if isinstance(document, dict) else [document]
    for array in (a for a in arrays if isinstance(a, list)):
        yield from (v for v in array if isinstance(v, dict) and "id" in v)


def tests_in(path):
    """(test, IDs, problem or None) of one file."""
    text = read(path)
    if path.endswith(".json"):
        for vector in vectors_of(json.loads(text)):
            yield vector["id"], vector.get("requirements", []), None
        return
    python = path.endswith(".py")
    for name, ids in named_tests(text, python):
        yield name, ids, None if name and (python or is_used(name, text, path)) else f"{name or 'a checks: comment'} is never run"


def is_used(name, text, path):
    """A TEST() always, a static function by its own file, any other by a file beside it."""
    word = re.compile(rf"\b{name}\b")
    if name in C_TEST.findall(text) or len(word.findall(text)) > 1:
        return True
    beside = (p for p in sources(os.path.dirname(path)) if p != path and p.endswith(".c"))
    return not re.search(rf"^static .*\b{name}\(", text, re.M) and any(word.search(read(p)) for p in beside)


def unread_vectors(folder=VALIDATION):
    """Files of vectors that no test program names."""
    programs = "".join(read(p) for p in sources(folder) if p.endswith((".c", ".py")))
    for path in sources(folder):
        name = os.path.basename(path)
        if path.endswith(".json") and os.path.basename(os.path.dirname(path)) == "vectors" and name not in programs:
            yield f"vectors/{name}: no test reads it"


def find(requirements, name):
    """The requirement that an ID means; MPA-7.1-* stands for all that begin so."""
    if name in requirements:
        return requirements[name]
    return next((r for r in requirements.values() if r.id.endswith("*") and name.startswith(r.id[:-1])), None)


def gather(requirements, folder=VALIDATION):
    """Fills in checked_by and gives the problems found on the way."""
    problems = list(unread_vectors(folder))
    for path in sources(folder):
        shown = os.path.relpath(path, folder)
        for test, ids, problem in tests_in(path):
            if problem:
                problems.append(f"{shown}: {problem}")
            for name in ids:
                requirement = find(requirements, name)
                if requirement:
                    requirement.checked_by.append(f"{shown}:{test}")
                else:
                    problems.append(f"{shown}:{test} checks {name}, which no catalogue has")
    return problems


def excused(requirements, name):
    """The requirements that a row of reasons.tsv means: one, or for CORE-* all that begin so and can be observed."""
    if not name.endswith("*") or name in requirements:
        return [requirements[name]] if name in requirements else []
    return [r for r in requirements.values() if r.id.startswith(name[:-1]) and not r.is_doc]


def excuse(requirements, reasons):
    """Gives the requirements their excuses, and the problems found on the way."""
    found = [(excused(requirements, name), name, room, why) for name, room, why in reasons]
    problems = [f"reasons.tsv excuses {name}, which no catalogue has" for some, name, _, _ in found if not some]
    for requirement, room, why in ((r, room, why) for some, _, room, why in found for r in some):
        name, requirement.excuse = requirement.id, (room, why)
        if requirement.checked_by:
            problems.append(f"reasons.tsv excuses {name}, which {requirement.checked_by[0]} checks")
        elif requirement.must_be_checked and room != "doc":
            problems.append(f"reasons.tsv puts off {name}, which must be checked now ({requirement.test})")
    return problems


# ---- telling ----


def line(r):
    if r.checked_by:
        more = f" and {len(r.checked_by) - 1} more" if len(r.checked_by) > 1 else ""
        return f"{r.id:16} checked  {r.checked_by[0]}{more}"
    if r.excuse:
        return f"{r.id:16} {r.status:8} {'' if r.excuse[0] == 'doc' else r.excuse[0] + ': '}{r.excuse[1]}"
    return f"{r.id:16} {r.status:8} {r.test if r.is_doc else 'nobody checks it: ' + r.test}"


def in_full(r):
    where = r.checked_by or [f"{': '.join(r.excuse)}" if r.excuse else "nothing to observe" if r.is_doc else "nobody"]
    lines = [f"{r.id} {r.level}: {r.text}", f"  side {r.side}; test {r.test}; observable {r.observable}", f"  {r.status}:"]
    return "\n".join(lines + [f"    {w}" for w in where])


def summary(requirements):
    columns = ("checked", "doc", "not yet", "MISSING")
    yield f"{'':28}{'rows':>8}" + "".join(f"{c:>9}" for c in columns)
    for part, name in list(PARTS.items()) + [(None, "all")]:
        rows = [r for r in requirements.values() if part in (r.part, None)]
        count = Counter(r.status for r in rows)
        yield f"{name:28}{len(rows):8}" + "".join(f"{count[c]:9}" for c in columns)
    broken = {name for change in prove.changes() for name in change.requirements}
    for what, rows, count in prove.shares(requirements, broken):
        yield f"{what}: {count} of {rows} have a change that breaks them (wrong.tsv)"


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ids", nargs="*", metavar="ID", help="only these requirements, in full")
    parser.add_argument("--summary", action="store_true", help="only the counts")
    parser.add_argument("--prove", action="store_true", help="try the changes that break them")
    options = parser.parse_args(arguments)
    requirements = catalogue()
    problems = gather(requirements)
    problems += excuse(requirements, table("reasons.tsv"))
    problems += [f"{r.id} is neither checked nor excused ({r.test})" for r in requirements.values() if r.status == "MISSING"]
    if options.prove:
        return prove.main(requirements, options.ids)
    if options.ids:
        unknown = [i for i in options.ids if i not in requirements]
        for i in unknown:
            print(f"{i}: no catalogue has it", file=sys.stderr)
        print("\n\n".join(in_full(requirements[i]) for i in options.ids if i in requirements))
        return 2 if unknown else 0
    if not options.summary:
        print("\n".join(line(r) for r in requirements.values()))
    print("\n".join(summary(requirements)))
    for problem in problems:
        print(f"conformance: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
