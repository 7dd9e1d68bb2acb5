#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes the ready-made parts of a course, which `iwarpsim course` fills in where nobody compiles: course.py OUT

  pages.tsv     each page with a run: its name, its scenario or capture, whether it has sheets, the words of `iwarpsim play`
  NAME.json     what that page says (helpers/live/pages.py)
  parts.tsv     what is copied; the engine is put in at its mark; index.html is the last
"""

import html
import re
import shlex
import shutil
import sys
from pathlib import Path

import pages

TOP = pages.TOP
MANIFEST = """<?xml version="1.0" encoding="UTF-8"?>
<manifest identifier="iwarpsim" version="1.2" xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2" xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2">
<metadata><schema>ADL SCORM</schema><schemaversion>1.2</schemaversion></metadata>
<organizations default="course"><organization identifier="course"><title>iwarpsim</title>
{items}
</organization></organizations>
<resources>
{resources}
</resources>
</manifest>
"""


def item(name, title):
    return f'<item identifier="i-{name}" identifierref="{name}.html"><title>{html.escape(title)}</title></item>'


def resource(name):
    return f'<resource identifier="{name}.html" type="webcontent" adlcp:scormtype="sco" href="{name}.html"><file href="{name}.html"/></resource>'


def manifest(titles):
    return MANIFEST.format(items="\n".join(item(*t) for t in titles), resources="\n".join(resource(name) for name, _ in titles))


# ---- lessons ----


def has_sheets(folder):
    """Where a page runs the lesson: in the world that pages have."""
    scenario = folder / "lesson.yaml"
    return scenario.exists() and re.search(r"^world: fabric", scenario.read_text(), re.M) is not None


def lesson_page(folder, before, after, out):
    """Its line of pages.tsv."""
    name, words = f"lesson-{folder.name[:2]}", shlex.split(pages.notes(folder, "player")[0])
    if words and not words[0].startswith("-"):
        source = TOP / words.pop(0)
        shutil.copy(source, out / source.name)
        file, words = source.name, words
    else:
        file = f"{name}.yaml"
        shutil.copy(folder / "lesson.yaml", out / file)
    live = has_sheets(folder)
    (out / f"{name}.json").write_text(pages.as_json(pages.about(folder, before, after)))
    return "\t".join([name, file, str(int(live)), " ".join(words + ["--live"] * live)])


def task_page(name, out):
    (out / f"{name}.yaml").write_text(pages.TASKS[name][0])
    (out / f"{name}.json").write_text(pages.as_json(pages.about_task(name)))
    return "\t".join([name, f"{name}.yaml", "0", f"--beside {pages.BESIDE.get(name, 'none')} --live"])


# ---- the index ----


def row(folder):
    return (f'<li value="{pages.number_of(folder)}"><a href="{pages.page_of(folder)}">{html.escape(pages.title_of(folder))}</a>'
            f'<br><span class="soft">{html.escape(pages.first_sentence(folder))}</span></li>')


MORE = (("network", "A cluster", "what queues, paths and receivers do when many send at once."),
        ("challenges", "Challenges", "twelve tasks; the engine in the page judges them."))


def index(lessons):
    more = "\n".join(f'<li><a href="{name}.html">{title}</a>: {says}</li>' for name, title, says in MORE)
    body = f"""<h1>iWARP and placement: a course</h1>
<p>Each page runs the simulator's own engine, in this browser: no network, no server, nothing to install. Move a slider, write another script, drop a capture on it.</p>
<ol>
{chr(10).join(map(row, lessons))}
</ol>
<ul>
{more}
</ul>
<p class="soft">Where a lesson has a sheet for you, type your number in it: questions with fields for answers, and a task. What you hand in is the code that the page shows; it is run again.</p>"""
    return pages.frame("iWARP and placement: a course", body, pages.SCRIPT)


def write(out):
    out.mkdir(parents=True, exist_ok=True)
    lessons = pages.folders()
    neighbours = zip(lessons, [None] + lessons, lessons[1:] + [None])
    lines = [lesson_page(folder, before, after, out) for folder, before, after in neighbours] + [task_page(name, out) for name in pages.TASKS]
    titles = [(f"lesson-{f.name[:2]}", pages.title_of(f)) for f in lessons] + [(name, title) for name, title, _ in MORE]
    parts = {"imsmanifest.xml": manifest(titles), "index.html": index(lessons)}
    for name, text in parts.items():
        (out / name).write_text(text)
    (out / "pages.tsv").write_text("\n".join(lines) + "\n")
    (out / "parts.tsv").write_text("\n".join(parts) + "\n")


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    write(Path(sys.argv[1]))
