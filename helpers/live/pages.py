#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes the lessons as pages: each one file with all it needs, and index.html beside them.

  pages.py [OUT]      OUT: a folder [build/manual/lessons]; the engine for pages is put in where build/live.wasm.z is

A page's text is that of the lesson's README.md; the answers are those of ANSWERS.md; the stops of its tour stand in its
lesson.yaml, or in README.md where there is none:

  # tour: lost A3 | A3 is lost: the cross.           the event, by its kind and its segment or its number, and what to see
  # tour: copy: placed A4 | ...                      the same in the second receive path
  # cluster: eight senders | topology.hosts=9&...    the address of network.html that shows it with many hosts
"""

import base64
import html
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
LESSONS = TOP / "scenarios" / "lessons"
ABOUT = '<script type="application/json" id="about">null</script>'


def folders():
    return sorted(p.parent for p in LESSONS.glob("*/README.md"))


def number_of(folder):
    return int(folder.name[:2])


def page_of(folder):
    return f"lesson-{folder.name[:2]}.html"


# ---- a lesson's texts ----


def source_of(folder):
    scenario = folder / "lesson.yaml"
    return scenario if scenario.exists() else folder / "README.md"


def notes(folder, what):
    """The texts behind `# WHAT:` in the lesson's scenario, or behind `<!-- WHAT:` in its README."""
    text = "".join(source.read_text() for source in {source_of(folder), folder / "README.md"})
    return re.findall(rf"^(?:# |<!-- ){what}: *(.*?)(?: -->)?$", text, re.M)


def section(text, title):
    """Without its comments, which are for tests (validation/lessons/lessons.py)."""
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    return re.sub(r"\n *<!-- .*? -->", "", found[1]).strip() if found else ""


def joined(lines):
    return re.sub(r"\s*\n\s*", " ", lines).strip()


def items(text, mark):
    """Of a list: each begins with `mark`."""
    return [joined(part) for part in re.split(rf"^{mark} +", text, flags=re.M)[1:]]


def paragraphs(text):
    return [joined(p) for p in re.split(r"\n\s*\n", text) if p.strip()]


TABLE = re.compile(r"(?:^(?P<caption>[^\n|-][^\n]*)\n\n)?(?P<rows>(?:^\|.*\n?)+)", re.M)


def tables(text):
    """[caption, head, rows] of each."""
    out = []
    for found in TABLE.finditer(text):
        rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in found["rows"].splitlines()]
        out.append([found["caption"] or "", rows[0], [[for_page(cell) for cell in row] for row in rows[2:]]])
    return out


def stops(folder):
    out = []
    for note in notes(folder, "tour"):
        where, say = note.split(" | ", 1)
        take, at = where.split(": ", 1) if ": " in where else ("", where)
        out.append({"at": at, "take": take, "say": say})
    return out


def on_cluster(folder):
    """A paragraph of what the page of many hosts shows of a lesson; none: []"""
    ways = [note.split(" | ", 1) for note in notes(folder, "cluster")]
    return ["On the page of many hosts: " + "; ".join(f"[{words}](network.html#{address})" for words, address in ways) + "."] if ways else []


def for_page(text):
    """Links of a README as those of a page: to lessons; what has no page stays as words."""
    lesson = re.sub(r"\]\(\.\./(\d\d)-[^)]*\)", r"](lesson-\1.html)", text)
    return re.sub(r"\[([^\]]+)\]\((?!lesson-|https?:)[^)]*\)", r"\1", lesson)


def about(folder, before, after):
    text = (folder / "README.md").read_text()
    see = section(text, "What to see")
    answers = section((LESSONS / "ANSWERS.md").read_text(), str(number_of(folder)))
    title = re.search(r"^# (.*)$", text, re.M)[1]
    pairs = zip(items(section(text, "Questions"), r"\d+\."), items(answers, r"\d+\."))
    ways = [["all lessons", "index.html"]] + ([["before", page_of(before)]] if before else []) + ([["next", page_of(after)]] if after else [])
    return {"number": number_of(folder), "title": title, "aim": [for_page(p) for p in paragraphs(section(text, "What to expect"))] + on_cluster(folder),
            "see": [for_page(i) for i in items(TABLE.sub("", see), "-")], "tables": tables(see), "tour": stops(folder),
            "questions": [[for_page(q), for_page(a)] for q, a in pairs], "ways": ways}


# ---- pages ----


def play(program, folder, out):
    """The player of a lesson: live where that can be. False: its world is not built here."""
    words = shlex.split(notes(folder, "player")[0])
    source = words.pop(0) if words and not words[0].startswith("-") else str((folder / "lesson.yaml").relative_to(TOP))
    command = [program, "play", source, *words, "-o", str(out)]
    for more in (["--live"], []):
        done = subprocess.run(command + more, cwd=TOP, capture_output=True, text=True)
        if done.returncode == 0:
            return True
    if done.returncode == 3:
        return False
    sys.exit(done.stderr)


def as_json(value):
    """Nothing in it can end the element that it stands in."""
    return json.dumps(value).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def write_lesson(program, folder, before, after, out):
    page = out / page_of(folder)
    if not play(program, folder, page):
        print(f"{page.name} is left out: the program of its world is not built")
        return False
    text = page.read_text()
    if text.count(ABOUT) != 1:
        sys.exit(f"{page.name} has no place for the lesson's text")
    page.write_text(text.replace(ABOUT, ABOUT.replace("null", as_json(about(folder, before, after)))))
    return True


CHALLENGES = """\
title: Challenges
world: fabric
topology: {rate: 10Gbps, delay: 5us, mtu: 1500}
llp: {delayed_ack: 1}
rnic: {preset: t6, window: {bytes: 64KiB}}
workload: {kind: script, script: "write 9000; send 2000; send 1000"}
"""


CLUSTER = """\
title: A cluster
world: fabric
topology: {kind: fat_tree, k: 4, rate: 10Gbps, delay: 1us, mtu: 1500, buffer: 256KiB, routing: spray}
rnic: {preset: t6, window: {bytes: 256KiB}}
workload: {kind: permutation, op: write, size: 64KiB, count: 1}
payload: none
"""


# A live page that is no lesson: its scenario, and what it says.
TASKS = {
    "challenges": (CHALLENGES, {"title": "Challenges", "challenges": True,
                                "aim": ["Each asks for a scenario in which something happens, and the engine in this page judges it."]}),
    "network": (CLUSTER, {"title": "A cluster",
                          "aim": ["The engine in this page runs every packet of every host. Dots are packets, coloured by their connection; a line is as wide as its load, a bar at its beginning is the queue that waits for it. "
                                  "Click a packet to see its way, a line to cut or slow it, a host to make it stand still. A row for each receiver says what of its stream is there, and what waits behind a hole."]}),
}


BESIDE = {"network": "cluster"}


def about_task(name):
    rest = {"see": [], "tables": [], "tour": [], "questions": [], "ways": [["all lessons", "index.html"]]}
    return {**TASKS[name][1], **rest}


def write_task(program, out, name):
    """False: without the engine there is none."""
    page, source = out / f"{name}.html", out / f"{name}.yaml"
    source.write_text(TASKS[name][0])
    done = subprocess.run([program, "play", source.name, "--live", "--beside", BESIDE.get(name, "none"), "-o", page.name], cwd=out, capture_output=True)
    source.unlink()
    if done.returncode:
        return False
    page.write_text(page.read_text().replace(ABOUT, ABOUT.replace("null", as_json(about_task(name)))))
    return True


FRAME = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; {policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main>
{body}
</main>
{script}</body>
</html>
"""
STYLE = """
:root { --ink: #1a1a1a; --soft: #555; --paper: #fff; --rule: #ccc; --link: #00539c; }
@media (prefers-color-scheme: dark) { :root { --ink: #ececec; --soft: #b5b5b5; --paper: #16181b; --rule: #555; --link: #8cc8ff; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 0 auto; padding: 0 1rem 2rem; max-width: 60rem; overflow-wrap: anywhere; }
a { color: var(--link); }
li { margin: .5rem 0; }
li > a, p > a:only-child { display: inline-flex; align-items: center; min-height: 44px; }
.soft { color: var(--soft); }
"""
# An address that names a lesson, index.html#lesson=3&loss=0.1, leads to its page.
SCRIPT = """'use strict';
const found = /(?:^#|&)lesson=(\\d+)/.exec(location.hash);
if (found) location.replace('lesson-' + found[1].padStart(2, '0') + '.html' + location.hash);
"""


def hashed(text):
    import hashlib
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def frame(title, body, script="", more="", rules=""):
    style = STYLE + more
    policy = f"style-src {hashed(style)}" + (f"; script-src {hashed(script)}" if script else "") + rules
    return FRAME.format(policy=policy, title=title, style=style, body=body, script=f"<script>{script}</script>\n" if script else "")


def first_sentence(folder):
    text = paragraphs(section((folder / "README.md").read_text(), "What to expect"))[0]
    plain = re.sub(r"[*`]|\[([^\]]+)\]\([^)]*\)", lambda m: m[1] or "", text)
    return re.match(r".*?[.!?](?= |$)", plain)[0]


def write_index(lessons, challenges, cluster, out):
    rows = "\n".join(f'<li value="{number_of(f)}"><a href="{page_of(f)}">{html.escape(title_of(f))}</a><br><span class="soft">{html.escape(first_sentence(f))}</span></li>' for f in lessons)
    gallery = out.parent / "gallery.html"
    more = '<a href="../index.html">The manual</a>, and <a href="../gallery.html">the gallery</a>: every figure with its claim.' if gallery.exists() else ""
    tasks = '<a href="challenges.html">Challenges</a>: eighteen tasks that the engine in the page judges. ' if challenges else ""
    tasks += '<a href="network.html">A cluster</a>: its packets, queues and buffers as they are at any instant, and six challenges. ' if cluster else ""
    body = f"""<h1>iwarpsim: lessons</h1>
<p>iWARP puts data where it belongs in whatever order it comes, and says that it is there in the order in which it was sent. Each page runs the engine that the
simulator runs: move a slider, write another script, drop a capture on it.</p>
<ol>
{rows}
</ol>
<p>{tasks}{more}</p>"""
    (out / "index.html").write_text(frame("iwarpsim: lessons", body, SCRIPT))


def title_of(folder):
    return re.search(r"^# \d+\. (.*)$", (folder / "README.md").read_text(), re.M)[1]


def write(program, out):
    out.mkdir(parents=True, exist_ok=True)
    lessons = folders()
    neighbours = zip(lessons, [None] + lessons, lessons[1:] + [None])
    written = [folder for folder, before, after in neighbours if write_lesson(program, folder, before, after, out)]
    challenges = write_task(program, out, "challenges")
    cluster = write_task(program, out, "network")
    write_index(written, challenges, cluster, out)
    return written


if __name__ == "__main__":
    where = Path(sys.argv[1]) if len(sys.argv) > 1 else TOP / "build" / "manual" / "lessons"
    program = os.environ.get("IWARPSIM", str(TOP / "build" / "iwarpsim"))
    print(f"{where / 'index.html'}: {len(write(program, where))} lessons")
