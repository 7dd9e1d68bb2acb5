// SPDX-License-Identifier: GPL-2.0-or-later
// ---- the lesson: its text, a tour of the run, questions with folded answers, the way to the next ----

const ABOUT = data('about');

// Text with *emphasis*, `code` and [links](to).
function putText(parent, text) {
  for (const part of text.split(/(\*[^*]+\*|`[^`]+`|\[[^\]]+\]\([^)]+\))/)) {
    const link = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(part);
    if (link) html('a', {href: link[2]}, parent, link[1]);
    else if (/^\*.+\*$/.test(part)) html('em', {}, parent, part.slice(1, -1));
    else if (/^`.+`$/.test(part)) html('code', {}, parent, part.slice(1, -1));
    else parent.append(part);
  }
  return parent;
}

let stops = [], stopAt = -1;

function buildLesson() {
  if (!ABOUT) return;
  const box = $('lesson');
  box.hidden = false;
  for (const text of ABOUT.aim) putText(html('p', {}, box), text);
  buildTables(foldedList(box, 'What to see', ABOUT.see));
  buildQuestions(box);
  buildWays();
  stops = ABOUT.tour;
  $('guide').hidden = stops.length === 0;
  $('stop').textContent = `A tour of this run: ${plural(stops.length, 'stop')}.`;
  $('stop-next').addEventListener('click', () => visit(1));
  $('stop-before').addEventListener('click', () => visit(-1));
}

// The next stop that happens with these settings.
function visit(by) {
  let to = stopAt + by;
  while (to >= 0 && to < stops.length && !stepOf(stops[to])) to += by;
  if (to < 0 || to >= stops.length) return;
  stopAt = to;
  leave();
  go(stepOf(stops[to]));
  if (innerWidth < 700) $('top').scrollIntoView(); // what it speaks of is in view on a phone
}

// A capture has no lesson to it: not its text, nor its tour.
function showLesson(on) {
  if (!ABOUT) return;
  $('lesson').hidden = !on;
  $('guide').hidden = !on || stops.length === 0;
  if (!on) stopAt = -1;
}

function foldedList(box, title, texts) {
  if (!texts.length) return;
  const fold = html('details', {}, box);
  html('summary', {}, fold, title);
  const list = html('ul', {}, fold);
  for (const text of texts) putText(html('li', {}, list), text);
  return fold;
}

function buildTables(box) {
  for (const [caption, head, rows] of ABOUT.tables) {
    const table = html('table', {}, html('div', {class: 'table', tabindex: 0, role: 'region', 'aria-label': caption || 'table'}, box));
    if (caption) putText(html('caption', {}, table), caption);
    const top = html('tr', {class: 'head'}, table);
    for (const cell of head) html(cell ? 'th' : 'td', cell ? {scope: 'col'} : {}, top, cell);
    for (const row of rows) {
      const line = html('tr', {}, table);
      row.forEach((cell, i) => putText(html(i ? 'td' : 'th', i ? {'data-head': head[i] + ': '} : {scope: 'row'}, line), cell));
    }
  }
}

function buildQuestions(box) {
  if (!ABOUT.questions.length) return;
  const fold = html('details', {}, box);
  html('summary', {}, fold, 'Three questions');
  const list = html('ol', {}, fold);
  for (const [question, answerText] of ABOUT.questions) {
    const item = putText(html('li', {}, list), question);
    const own = html('details', {}, item);
    html('summary', {}, own, 'answer');
    putText(html('p', {}, own), answerText);
  }
}

function buildWays() {
  $('ways').hidden = false;
  for (const [text, to] of ABOUT.ways) html('a', {href: to}, $('ways'), text);
}

// The first step at which a stop's event happens; 0: not with these settings. "lost A3", "delivered 2", "post 1".
function stepOf(stop) {
  const [kind, which] = stop.at.split(' '), take = stop.take ? STORIES.findIndex(s => s.name === stop.take) : 0;
  const story = STORIES[take];
  if (kind === 'start') return 1;
  if (kind === 'end') return steps.length;
  if (!story) return 0;
  let n = 0;
  const number = /^\d+$/.test(which || '') ? Number(which) : 1;
  for (let i = 0; i < story.events.length; i++) {
    const e = story.events[i];
    const named = which && !/^\d+$/.test(which);
    if (e.kind !== kind || !isTold(e) || (named && (e.segment === undefined || story.segments[e.segment].name !== which))) continue;
    if (named || ++n === number) return takes[take].position[i];
  }
  return 0;
}

function showTour() {
  if (!stops.length || stopAt < 0) return;
  const stop = stops[stopAt], here = stepOf(stop) === at;
  $('stop').textContent = '';
  html('b', {}, $('stop'), `${stopAt + 1} of ${stops.length}: `);
  putText($('stop'), stop.say);
  $('stop').classList.toggle('passed', !here);
  $('stop-next').textContent = 'next \u25b6';
}
