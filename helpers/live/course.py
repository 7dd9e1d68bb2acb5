#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes the ready-made parts of a course, which `iwarpsim course` fills in where nobody compiles: course.py OUT

  pages.tsv     each page with a run: its name, its scenario or capture, whether it has sheets, the words of `iwarpsim play`
  NAME.json     what that page says (helpers/live/pages.py)
  parts.tsv     what is copied; the engine is put in at its mark; index.html is the last
"""

import html
import json
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


MORE = (("test-before", "A test before the course", "ten questions."),
        ("labs", "Eight labs", "predict, run a sweep, read it, hand in a code."),
        ("network", "A cluster", "what queues, paths and receivers do when many send at once, and six challenges."),
        ("challenges", "Challenges", "eighteen tasks; the engine in the page judges them."),
        ("test-after", "The test after the course", "ten more."))


# ---- the test before and after ----

QUESTION_STYLE = """
fieldset { border: 1px solid var(--rule); border-radius: 4px; margin: 1rem 0; }
fieldset label { display: flex; align-items: center; gap: .6rem; min-height: 44px; }
input[type=radio] { min-width: 1.4rem; height: 1.4rem; }
button { font: inherit; min-height: 44px; padding: .3rem 1rem; }
.why { margin: .3rem 0; font-weight: 600; }
"""
# A learning platform (SCORM 1.2) hears of the points, where the page is in one.
REPORT = """
function report(points, most) {
  let place = window, api = null;
  try {
    for (let i = 0; i < 8 && !api; i++, place = place.parent) api = place.API || null;
    if (!api) return;
    api.LMSInitialize('');
    api.LMSSetValue('cmi.core.score.max', String(most));
    api.LMSSetValue('cmi.core.score.raw', String(points));
    api.LMSSetValue('cmi.core.lesson_status', 'completed');
    api.LMSCommit('');
  } catch (error) { /* a frame of another origin: there is nobody to tell */ }
}
"""
TEST_SCRIPT = """'use strict';
const sets = [...document.querySelectorAll('fieldset')];
document.getElementById('mark').addEventListener('click', () => {
  const open = sets.filter(s => !s.querySelector(':checked')).length;
  if (open) { document.getElementById('score').textContent = `${open} of ${sets.length} have no answer yet.`; return; }
  let points = 0;
  for (const s of sets) {
    const right = s.querySelector(':checked').value === s.dataset.right, why = s.querySelector('.why');
    points += right;
    why.hidden = false;
    why.firstChild.textContent = `${right ? '\u2713 Right. ' : '\u2717 Right is: ' + s.querySelector(`[value="${s.dataset.right}"]`).parentNode.textContent.trim() + '. '}`;
  }
  document.getElementById('score').textContent = `${points} of ${sets.length} are right.`;
  report(points, sets.length);
});
""" + REPORT
TESTS = {"pre": ("test-before", "A test before the course"), "post": ("test-after", "The test after the course")}
COLUMNS = ("form", "topic", "question", "right", "wrong", "other", "reason", "lesson", "asked", "says")


def questions(form):
    lines = (pages.LESSONS / "test.tsv").read_text().splitlines()
    rows = [dict(zip(COLUMNS, line.split("\t"))) for line in lines if not line.startswith("#")]
    return [row for row in rows if row["form"] == form]


def question(number, row):
    """The right one is not always in the same place."""
    choices = [row["right"], row["wrong"], row["other"]]
    turn = (number * 2 + len(row["question"])) % 3
    choices = choices[turn:] + choices[:turn]
    labels = "\n".join(f'<label><input type="radio" name="q{number}" value="{i}"> {html.escape(c)}</label>' for i, c in enumerate(choices))
    return (f'<fieldset data-right="{choices.index(row["right"])}"><legend>{number}. {html.escape(row["question"])}</legend>\n{labels}\n'
            f'<p class="why" hidden><span> </span>{html.escape(row["reason"])} <a href="lesson-{int(row["lesson"]):02}.html">Lesson {row["lesson"]}</a></p></fieldset>')


def test(form):
    title = TESTS[form][1]
    asked = "\n".join(question(n, row) for n, row in enumerate(questions(form), 1))
    body = f"""<p><a href="index.html">all lessons</a></p>
<h1>{title}</h1>
<p>Ten questions, each about a belief that many programs rest on. There is one right answer each.</p>
{asked}
<p><button id="mark">mark it</button> <span id="score" role="status"></span></p>"""
    return pages.frame(title, body, TEST_SCRIPT, QUESTION_STYLE)


# ---- labs ----

LAB_STYLE = """
[hidden] { display: none !important; }
:root { --second: #a33c00; --third: #00664f; }
@media (prefers-color-scheme: dark) { :root { --second: #ff9a66; --third: #4fd1a5; } }
input, button { font: inherit; min-height: 44px; padding: .3rem .8rem; }
input.right { border: 2px solid var(--third); } input.code { width: 100%; box-sizing: border-box; }
#wrong { color: var(--second); font-weight: 600; }
svg { display: block; width: 100%; max-width: 36rem; } svg text { font-size: 11px; fill: var(--ink); }
.axis { fill: none; stroke: var(--soft); } .curve { fill: none; stroke-width: 2; }
table { border-collapse: collapse; } th, td { padding: .15rem .7rem; text-align: right; border-bottom: 1px solid var(--rule); }
"""


def labs():
    """One page; the engine in it runs in a Worker that is made from the page itself."""
    here = Path(__file__).with_name("labs")
    engine = Path(__file__).with_name("npm") / "index.js"
    worker = engine.read_text().replace("export async function", "async function") + (here / "worker.js").read_text()
    body = f"""<p><a href="index.html">all lessons</a></p>
<h1>Eight labs</h1>
<p>Predict, then run: the engine in this page makes every point of the plot, and marks what you read from it. Hand in the code of each lab.</p>
<p><label>Your number <input id="student" type="text" inputmode="numeric" size="6" autocomplete="off"></label></p>
<p id="wrong" role="alert"></p>
<div id="list"></div>
<script type="text/plain" id="worker">{worker}</script>
<script type="application/json" id="engine">"/*ENGINE*/"</script>"""
    return pages.frame("Eight labs", body, (here / "labs.js").read_text() + REPORT, LAB_STYLE, " 'wasm-unsafe-eval' blob:; worker-src blob:")


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
    parts = {f"{name}.html": test(form) for form, (name, _) in TESTS.items()}
    parts |= {"labs.html": labs(), "imsmanifest.xml": manifest(titles), "index.html": index(lessons)}
    for name, text in parts.items():
        (out / name).write_text(text)
    (out / "pages.tsv").write_text("\n".join(lines) + "\n")
    (out / "parts.tsv").write_text("\n".join(parts) + "\n")


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    write(Path(sys.argv[1]))
