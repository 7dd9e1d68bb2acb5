# SPDX-License-Identifier: GPL-2.0-or-later
"""Draws mutants from the sources: one small change each, by a table of rules."""

import random
import re

from rooms import FILES

# What is looked for, what stands there instead; names in the second column are functions of the match.
RULES = [
    (r" < ", [" <= ", " > "]),
    (r" <= ", [" < "]),
    (r" > ", [" >= ", " < "]),
    (r" >= ", [" > "]),
    (r" == ", [" != "]),
    (r" != ", [" == "]),
    (r" && ", [" || "]),
    (r" \|\| ", [" && "]),
    (r" \+ 1\b", [""]),
    (r" - 1\b", [""]),
    (r" \+ (?!1\b)", [" - "]),
    (r" - (?!1\b)", [" + "]),
    (r" \+= ", [" -= ", " = "]),
    (r" -= ", [" += "]),
    (r" \|= ", [" = "]),
    (r" &= ", [" = "]),
    (r" & ~", [" & "]),
    (r"\+\+(?=[;\])])", ["--"]),
    (r"\btrue\b", ["false"]),
    (r"\bfalse\b", ["true"]),
    (r"!(?=[\w(])(?!=)", [""]),
    (r"(?<=[ (,])(\d+)(?=[,;) ])", [lambda m: str(int(m[1]) + 1)]),
    (r"\bif \((?=[^\n]*\)\n)", ["if (0 && ", "if (1 || "]),
    (r"(?m)^ +(?!return|break|continue|const |struct |enum |static |unsigned |uint\d+_t |bool |int |iw_time |size_t )[\w>.\[\]*-]+(?:\([^\n;{}]*\)| [-+|&]?= [^\n;{}]*|\+\+|--);$", [lambda m: ";"]),
    (r"\breturn (?!true|false|;|0;|IW_OK;)[^\n;]*;", ["return 0;"]),
]
SKIPPED = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\]|\\.)'|^ *#[^\n]*|^[^\n]*\bassert\([^\n]*|\bfor \([^\n]*;", re.S | re.M)


def blanked(text):
    """The text with comments, strings and directives as spaces, at the same places."""
    return SKIPPED.sub(lambda m: re.sub(r"[^\n]", "~", m[0]), text)


def candidates(text):
    code = blanked(text)
    for pattern, news in RULES:
        for match in re.finditer(pattern, code):
            for new in news:
                yield match.start(), match.end(), new(match) if callable(new) else new


def draw(source, room, count, seed):
    """`count` mutants of a room as (id, room, file, old, new, at)."""
    lot = random.Random(f"{room} {seed}")
    every = []
    for path in sorted(p for pattern in FILES[room].split() for p in source.glob(pattern)):
        text = path.read_text()
        every += [(str(path.relative_to(source)), text, c) for c in candidates(text)]
    for n, (path, text, (start, end, new)) in enumerate(lot.sample(every, min(count, len(every)))):
        left, right = text.rfind("\n", 0, start) + 1, text.find("\n", end)
        yield {"id": f"{room}-{seed}-{n}", "room": room, "file": path, "old": text[left:right], "at": left,
               "new": text[left:start] + new + text[end:right], "accepted": ""}
