// SPDX-License-Identifier: GPL-2.0-or-later
// ---- the parts of a story on the page ----

let at = 0, chosen = null, field = -1;

function makeTake(story, take) {
  const x = {story, take, sides: receiversOf(story)};
  x.several = new Set(story.events.filter(e => e.conn >= 0).map(e => e.conn)).size > 1;
  x.position = positionsOf(story, take);
  x.buffers = x.sides.map(side => bufferOf(story, side));
  x.state = stateOf(x);
  makeItems(x);
  return x;
}

function buildTake(x) {
  const box = html('section', {class: 'take', 'aria-label': x.story.name ? 'receive path ' + x.story.name : 'what happens'}, $('stage'));
  if (x.story.name) html('h2', {class: STORIES.length > 1 ? '' : 'rare'}, box, 'receive: ' + x.story.name);
  buildScene(x, box);
  for (const b of x.buffers) {
    if (!b.drawn) continue;
    const strip = html('div', {class: 'strip'}, box);
    html('span', {}, strip, WHO[b.side] + "'s buffers");
    b.strip = svg('svg', {viewBox: '0 0 600 22', preserveAspectRatio: 'none', role: 'img', 'aria-label': `${WHO[b.side]}'s buffers now`}, strip);
    hatching(b.strip);
    if (b.waits) buildWaiting(x, b, box);
  }
  buildNumbers(x, box);
  x.scroller = html('div', {class: 'chart', tabindex: 0, role: 'region', 'aria-label': 'sequence chart' + (x.story.name ? ', receive ' + x.story.name : '')}, box);
  x.tall = html('div', {class: 'tall'}, x.scroller);
  x.root = svg('svg', {role: 'img', 'aria-label': 'What A and B send, and what lies in their buffers; the list below says the same.'}, x.scroller);
  hatching(x.root);
  svg('g', {}, x.root);
  x.scroller.addEventListener('scroll', () => follow(x));
}

function buildWaiting(x, b, box) {
  const strip = html('div', {class: 'strip waiting'}, box);
  html('span', {}, strip, `${WHO[b.side]}'s ${WAITS[x.story.name]}`);
  b.waitStrip = svg('svg', {viewBox: '0 0 600 22', preserveAspectRatio: 'none', role: 'img'}, strip);
  b.waitWords = html('output', {}, strip);
}

// Each picture has what its hatching and arrow heads refer to; the first of a name is taken for all.
function hatching(root) {
  const defs = svg('defs', {}, root);
  if (document.getElementById('hatch')) return;
  const head = svg('marker', {id: 'head', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 9, markerHeight: 9, markerUnits: 'userSpaceOnUse', orient: 'auto'}, $('shared'));
  svg('path', {d: 'M0 0 L8 4 L0 8 z', class: 'tip'}, head);
  const small = svg('marker', {id: 'head-small', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 6, markerHeight: 6, markerUnits: 'userSpaceOnUse', orient: 'auto'}, $('shared'));
  svg('path', {d: 'M0 0 L8 4 L0 8 z', class: 'tip'}, small);
  const hatch = svg('pattern', {id: 'hatch', width: 6, height: 6, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)'}, $('shared'));
  svg('rect', {width: 6, height: 6, class: 'hatch-ground'}, hatch);
  svg('line', {x1: 0, y1: 0, x2: 0, y2: 6, class: 'hatch-line'}, hatch);
  defs.remove();
}

// Only what somebody knows something of.
const NUMBER_SAYS = {placed: 'octets of payload that are in place', delivered: 'messages delivered', flight: 'octets sent to it and not acknowledged',
                     cwnd: 'octets that its peer may have in flight for the sake of the network; shown where it has been cut',
                     acknowledged: 'octets of the stream', window: 'octets that it offers', staging: 'octets that wait in the adapter', held: 'octets that the adapter holds for their turn',
                     crossings: 'octets that went over the memory bus'};
function buildNumbers(x, box) {
  const columns = COLUMNS.filter(([name]) => x.known.some(k => k[name]));
  x.cells = x.sides.map((side, k) => {
    const list = html('dl', {class: 'now'}, box), cells = {};
    for (const [name, label] of columns) {
      const pair = html('div', {title: NUMBER_SAYS[name], class: ['flight', 'staging', 'held'].includes(name) ? 'rare' : ''}, list);
      html('dt', {}, pair, (x.sides.length > 1 && name === columns[0][0] ? WHO[side] + ': ' : '') + label);
      cells[name] = html('dd', {'data-number': name, 'data-side': side}, pair, '');
    }
    return {cells, k};
  });
}

let following = false;
function follow(x) {
  if (following) return;
  following = true;
  requestAnimationFrame(() => {
    following = false;
    for (const other of takes) {
      if (other !== x && other.scroller.scrollTop !== x.scroller.scrollTop) other.scroller.scrollTop = x.scroller.scrollTop;
      drawChart(other);
    }
  });
}

// ---- another set of stories ----

function load(stories) {
  const t = at ? steps[at - 1].t : -1, atEnd = at > 0 && at === steps.length;
  STORIES = stories;
  HOSTS = Math.max(1, ...STORIES.flatMap(s => s.events.map(e => e.node || 0))) + 1;
  steps = makeSteps();
  layOut();
  takes = STORIES.map(makeTake);
  $('stage').textContent = '';
  takes.forEach(buildTake);
  buildRegions();
  $('title').textContent = ABOUT && !captured ? ABOUT.title : STORIES[0].title;
  showLesson(!captured);
  document.title = STORIES[0].title + ' - iwarpsim';
  $('setting').textContent = STORIES[0].setting + (STORIES[0].faults ? '; channel: ' + STORIES[0].faults : '');
  $('slider').max = steps.length;
  questions = null;
  $('question').hidden = answered = true;
  chosen = chosen && takes[chosen.take] && takes[chosen.take].story.segments[chosen.index] ? chosen : null;
  logFrom = -1;
  at = 0;
  go(atEnd ? steps.length : t < 0 ? 0 : lower(steps, t + 1, s => s.t));
}

// ---- stepping ----

function refresh(x) {
  const state = x.state[at];
  for (const row of x.cells)
    for (const name in row.cells) {
      const value = state.sides[row.k][name], text = value === null || !x.known[row.k][name] ? '\u2013' : String(value);
      if (row.cells[name].textContent !== text) row.cells[name].textContent = text;
    }
  for (const b of x.buffers) if (b.drawn) { drawStrip(x, b); if (b.waits) drawWaiting(x, b); }
  drawChart(x);
}

function tell() {
  const box = $('caption'), step = at ? steps[at - 1] : null;
  box.className = step && !step.setup ? MOODS[step.e.mood] : '';
  box.textContent = '';
  if (!step) {
    html('p', {}, box, 'At the start. Step on, play, or drag the slider.');
    return;
  }
  const p = html('p', {}, box);
  if (step.setup) {
    html('b', {}, p, 'Set-up: ');
    html('span', {id: 'said'}, p, setupSaid(step));
    return;
  }
  const only = STORIES.length > 1 && step.parts.length === 1 ? STORIES[step.take].name : '';
  html('b', {}, p, `${[us(step.t) + ' us', who(step.e), only].filter(Boolean).join(', ')}: `);
  html('span', {id: 'said'}, p, step.e.say);
  if (step.e.rfc) html('span', {class: 'soft'}, p, '  ' + step.e.rfc);
}

function setupSaid(step) {
  const said = [...new Set(step.parts.filter(p => p.take === step.parts[0].take).map(p => `${who(p.e)} ${p.e.say}`))];
  return said.length > 6 ? `${plural(said.length, 'region, receive or window')}: the list below has each` : said.join('; ');
}

function scrollTo(y) {
  for (const x of takes) {
    const box = x.scroller, height = box.clientHeight;
    const inside = y > box.scrollTop + 60 && y < box.scrollTop + height * .8;
    if (!inside) box.scrollTop = Math.max(0, y - height * .6);
  }
}

function go(to) {
  at = Math.max(0, Math.min(steps.length, to));
  document.body.classList.toggle('predicting', $('predict').checked);
  scrollTo(at ? place.get(steps[at - 1].t) : 0);
  takes.forEach(refresh);
  moveScene(at ? steps[at - 1].t : 0);
  drawRegions();
  tell();
  $('slider').value = at;
  $('slider').setAttribute('aria-valuetext', at ? `${at} of ${steps.length}, ${us(steps[at - 1].t)} us` : 'start');
  $('where').textContent = `${at} of ${steps.length}`;
  showLog();
  showTour();
  remember();
}

let timer = null;
function pause() { clearInterval(timer); timer = null; $('play').textContent = 'play'; }
function play() {
  if (timer) return pause();
  if (at === steps.length) go(0);
  $('play').textContent = 'pause';
  timer = setInterval(() => { if (at === steps.length || !forth()) pause(); }, 1000 / Number($('speed').value));
}

// One step on; false: a question stands in the way.
function forth() {
  if (!$('question').hidden && !answered) return false;
  $('question').hidden = true;
  const question = $('predict').checked && at < steps.length ? questionBefore(at) : null;
  if (question && asked !== at) { ask(question); return false; }
  go(at + 1);
  return true;
}

const SURPRISES = [MOODS.indexOf('early'), MOODS.indexOf('delivered'), MOODS.indexOf('lost'), MOODS.indexOf('error')];
function surprise() {
  let to = at + 1;
  while (to < steps.length && (steps[to - 1].setup || !SURPRISES.includes(steps[to - 1].e.mood))) to++;
  leave();
  go(to);
}

function leave() { pause(); $('question').hidden = answered = true; }

// ---- one segment ----

function showSegment(x, index) {
  chosen = {take: x.take, index};
  field = -1;
  const g = x.story.segments[index], box = $('detail');
  takes.forEach(drawChart);
  box.textContent = '';
  html('h2', {}, box, `${g.name}: ${g.op}, ${plural(g.length, 'octet')} of payload${x.story.name ? ' (' + x.story.name + ')' : ''}`);
  const end = g.end !== undefined ? ` .. ${g.end - 1}` : ' and on';
  const facts = [x.story.sctp ? `DDP-SSN ${g.key}` : `stream octets ${g.key}${end}`, g.sends > 1 ? `sent ${g.sends} times` : '',
                 g.early ? 'came early' + (g.waits !== undefined ? ': ' + x.story.segments[g.waits].name + ' was missing' : '') : ''];
  html('p', {class: 'soft'}, box, facts.filter(Boolean).join('; '));
  showOctets(g, html('div', {id: 'octets'}, box));
  const list = html('div', {id: 'fields'}, box);
  g.fields.forEach((f, i) => html('button', {}, list, x.story.definitions[f[0]].name + '=' + f[3]).addEventListener('click', () => chooseField(i)));
  html('p', {id: 'meaning', role: 'status'}, box, g.fields.length ? '' : 'Shorter than a header.');
  remember();
}

function showOctets(g, box) {
  const size = g.hex.length / 2, head = g.fields.length ? Math.max(...g.fields.map(f => Math.ceil((f[1] + f[2]) / 8))) : 0;
  for (let i = 0; i < size; i++) {
    const span = html('span', {'data-octet': i}, box, g.hex.slice(2 * i, 2 * i + 2));
    if (i < head) span.className = 'named';
    span.addEventListener('click', () => chooseField(g.fields.findIndex(f => i >= f[1] >> 3 && i < (f[1] + f[2] + 7) >> 3)));
    box.append(' ');
  }
  const own = head > 18 ? 0 : size - head;
  if (g.length > own && head <= 18) html('span', {}, box, `\u2026 and ${g.length - own} more of payload`);
}

function chooseField(i) {
  if (!chosen || i < 0) return;
  const x = takes[chosen.take], g = x.story.segments[chosen.index], f = g.fields[i];
  if (!f) return;
  field = i;
  const d = x.story.definitions[f[0]], first = f[1] >> 3, last = (f[1] + f[2] - 1) >> 3;
  document.querySelectorAll('#octets span[data-octet]').forEach(n =>
    n.classList.toggle('chosen', Number(n.dataset.octet) >= first && Number(n.dataset.octet) <= last));
  document.querySelectorAll('#fields button').forEach((n, k) => n.classList.toggle('chosen', k === i));
  const where = f[2] % 8 || f[1] % 8 ? `bit${f[2] > 1 ? 's' : ''} ${f[1] % 8}${f[2] > 1 ? ' .. ' + (f[1] % 8 + f[2] - 1) : ''} of octet ${first}`
                                     : `octet${last > first ? 's' : ''} ${first}${last > first ? ' .. ' + last : ''}`;
  $('meaning').textContent = '';
  html('b', {}, $('meaning'), `${d.name} = ${f[3]}`);
  $('meaning').append(`: ${d.meaning}. ${where[0].toUpperCase() + where.slice(1)} of the segment. ${d.section}.`);
  remember();
}

function nextSegment(by) {
  const x = takes[chosen ? chosen.take : 0], n = x.story.segments.length;
  if (n) showSegment(x, ((chosen ? chosen.index + by : by > 0 ? 0 : n - 1) + n) % n);
}
function nextField(by) {
  const n = chosen ? takes[chosen.take].story.segments[chosen.index].fields.length : 0;
  if (n) chooseField((field + by + (field < 0 && by < 0 ? 1 : 0) + n) % n);
}

// ---- all of it, as a table: the part round the step that is shown ----

const ROWS = 300;
let logFrom = -1, rows = [];

function logPart() {
  if (steps.length <= ROWS) return 0;
  const half = ROWS / 2, keep = logFrom >= 0 && at > logFrom && at <= logFrom + ROWS;
  return keep ? logFrom : Math.max(0, Math.min(steps.length - ROWS, at - half));
}

function showLog(from = logPart()) {
  if (from !== logFrom) buildLog(from);
  rows.forEach((row, i) => {
    const number = logFrom + i + 1;
    row.classList.toggle('current', number === at);
    row.hidden = $('predict').checked && number > at;
  });
}

function buildLog(from) {
  logFrom = from;
  $('log').textContent = '';
  $('earlier').hidden = from === 0;
  $('later').hidden = from + ROWS >= steps.length;
  rows = steps.slice(from, from + ROWS).map((s, i) => {
    const row = html('tr', {}, $('log')), names = STORIES.length > 1 && s.parts.length === 1 ? ' ' + STORIES[s.take].name : '';
    html('td', {}, row, us(s.t));
    html('td', {}, row, s.setup ? '' : who(s.e) + names);
    html('td', {}, row, s.setup ? [...new Set(s.parts.map(p => who(p.e) + ' ' + p.e.say))].join('; ') : s.e.say);
    html('td', {}, row, s.setup ? '' : s.e.rfc || '');
    row.addEventListener('click', () => { leave(); go(from + i + 1); });
    return row;
  });
}

// ---- the state of the page in its address: #step=40&seg=A4&field=TO, and what was changed ----

let remembering = null, reading = false;

function stateWords() {
  const words = [];
  if (ABOUT && ABOUT.number) words.push('lesson=' + ABOUT.number);
  words.push(...liveWords(), 'step=' + at);
  if (chosen) words.push('seg=' + takes[chosen.take].story.segments[chosen.index].name + (chosen.take ? '@' + chosen.take : ''));
  if (chosen && field >= 0) words.push('field=' + takes[chosen.take].story.definitions[takes[chosen.take].story.segments[chosen.index].fields[field][0]].name);
  if ($('predict').checked) words.push('predict=1');
  return words;
}

// Browsers limit how often an address may be changed: at most three times a second.
function remember() {
  if (remembering || reading) return;
  remembering = setTimeout(() => {
    remembering = null;
    try { history.replaceState(null, '', '#' + stateWords().join('&')); } catch (error) { /* the page goes on without */ }
  }, 330);
}

function wordsOf(hash) {
  const words = new Map();
  for (const word of hash.replace(/^#/, '').split('&')) {
    const equals = word.indexOf('=');
    if (equals > 0) {
      try { words.set(word.slice(0, equals), decodeURIComponent(word.slice(equals + 1))); } catch (error) { /* not ours */ }
    }
  }
  return words;
}

function readState() {
  const words = wordsOf(location.hash);
  reading = true;
  liveRead(words);
  if (words.get('predict') === '1') $('predict').checked = true;
  const [name, take] = (words.get('seg') || '').split('@');
  const x = takes[Number(take || 0)], index = x && name ? x.story.segments.findIndex(g => g.name === name) : -1;
  if (index >= 0) showSegment(x, index);
  if (index >= 0 && words.get('field')) chooseField(x.story.segments[index].fields.findIndex(f => x.story.definitions[f[0]].name === words.get('field')));
  leave();
  go(Number(words.get('step')) || 0);
  reading = false;
}
