#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Laws of each room of model and of the workloads, `./waf lines --rooms`: LAW (model/engine/law.h) per 1,000 lines of .c, and the sentences "Law: ..." of
headers that no LAW names.

A sentence is named where its first words stand in a comment at a LAW: behind it, on the line above, or above the function that it asks. Of "Laws: a; b"
each part is one. laws.tsv lists the rooms of which less is demanded, with the reason."""

import re
from collections import defaultdict
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
LATER = Path(__file__).with_name("laws.tsv")
LEAST = 15  # per 1,000 lines
WORDS = 4  # of a sentence, by which it is known
SENTENCE = re.compile(r"\b(Laws?)\b(?: of \w+)?(?:,[^:*]{1,40})?:(.*)", re.S)
COMMENT = re.compile(r"/\*.*?\*/", re.S)
LAW = re.compile(r"\bLAW\(")
PREDICATE = re.compile(r"/\*((?:(?!\*/).)*)\*/\n(?:static )?(?:inline )?bool (\w+)\(", re.S)


def words(text):
    """Without what a comment and a sentence add: stars, quotes, commas."""
    bare = (w.strip(",.;:") for w in re.sub(r"[`*/]", " ", text).lower().split())
    return [w for w in bare if w]


def sentences(text):
    """The laws that the comments of a header say."""
    for comment in COMMENT.findall(text):
        match = SENTENCE.search(comment[:-2])
        if match:
            sentence = re.split(r"\.\s", match[2])[0]
            parts = sentence.split(";") if match[1] == "Laws" else [sentence]
            yield from (" ".join(words(part)[:WORDS]) for part in parts)


def statement_end(text, start):
    """Behind the parenthesis that closes LAW(."""
    depth, at = 1, start
    while depth:
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return at


def named(texts):
    """All that is said at LAWs, as one text: `texts` are those of a room's .c and .h files."""
    said, asked = [], set()
    for text in texts:
        for law in LAW.finditer(text):
            end = statement_end(text, law.end())
            asked.update(re.findall(r"\w+(?=\()", text[law.end() : end]))
            behind = re.match(r";[ \t]*(/\*.*?\*/)", text[end:], re.S)
            above = re.search(r"(/\*(?:(?!\*/).)*\*/)\s*$", text[: law.start()], re.S)
            said += [m[1] for m in (behind, above) if m]
    said += [comment for text in texts for comment, name in PREDICATE.findall(text) if name in asked]
    return "\n".join(" ".join(words(comment)) for comment in said)


def rooms():
    """{room: (texts of its .c files, texts of its .h files)}"""
    found = defaultdict(lambda: ([], []))
    for file in sorted([*TOP.glob("model/**/*.[ch]"), *TOP.glob("scenarios/workloads/*.[ch]")]):
        found[str(file.parent.relative_to(TOP))][file.suffix == ".h"].append(file.read_text())
    return {room: texts for room, texts in found.items() if texts[0]}


def judge_room(sources, headers):
    """(lines of .c, LAWs, sentences that no LAW names)"""
    lines, laws = sum(t.count("\n") for t in sources), sum(len(LAW.findall(t)) for t in sources)
    said = named([*sources, *headers])
    return lines, laws, [s for header in headers for s in sentences(header) if s not in said]


def later(text):
    return dict(line.split("\t") for line in text.splitlines()[1:])


def judge(found, excused):
    """(lines to print, what is wrong)"""
    said, wrong = [], []
    for room, texts in found.items():
        lines, laws, silent = judge_room(*texts)
        per = 1000 * laws / lines
        said.append(f"{room:26}{laws:8,}{per:8.1f}  {excused.get(room, '')}".rstrip())
        said += [f"    no LAW names: {s} ..." for s in silent]
        if room in excused:
            continue
        wrong += [f"{room}: {per:.1f} LAW per 1,000 lines, {LEAST} are the least"] * (per < LEAST)
        wrong += [f"{room}: no LAW names the sentence: {s} ..." for s in silent]
    return said, wrong
