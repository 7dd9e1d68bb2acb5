// SPDX-License-Identifier: GPL-2.0-or-later
// ---- the time line: every moment has a place, shared by all stories ----

const TOP = 42, LINE = 12;
let moments = [], place = new Map(), below = new Map(), bottom = TOP, cuts = []; // below: where the words of a moment end
const WORDS = ['post', 'left', 'resent', 'delivered', 'terminate_sent', 'closes', 'probed', 'timeout', 'stalled'];

function layOut() {
  moments = [...new Set(STORIES.flatMap(s => s.events.map(e => e.t)))].sort((a, b) => a - b);
  place = new Map();
  below = new Map();
  bottom = TOP;
  cuts = [];
  const gaps = moments.slice(1).map((t, i) => t - moments[i]).sort((a, b) => a - b);
  const usual = gaps[gaps.length >> 1] || 1;
  const told = new Map(); // how many lines of words a moment needs
  for (const story of STORIES) {
    const words = new Map();
    story.events.forEach((e, i) => {
      const leaves = e.kind === 'sent' && e.segment !== undefined && story.segments[e.segment].sent === i;
      if (leaves || WORDS.includes(e.kind)) words.set(e.t, (words.get(e.t) || 0) + 1);
    });
    words.forEach((n, t) => told.set(t, Math.max(told.get(t) || 0, n)));
  }
  moments.forEach((t, i) => {
    if (i) {
      const wanted = (t - moments[i - 1]) / usual * 9, before = told.get(moments[i - 1]);
      if (wanted > 90) cuts.push(bottom + 24);
      bottom += Math.max(before ? LINE * before : 4, Math.min(48, wanted));
    }
    place.set(t, bottom);
    below.set(t, bottom + (told.has(t) ? LINE * told.get(t) - 5 : 0));
  });
  for (const y of below.values()) bottom = Math.max(bottom, y);
  bottom += 24;
}

// ---- what stands where: once for each story; what is drawn of it depends on the part that is looked at ----

const isRefusal = e => e.kind === 'refused' || e.kind === 'dropped';
function nextLine(lines, where) { const n = lines.get(where) || 0; lines.set(where, n + 1); return n; }

function makeItems(x) {
  const names = new Map(), lines = new Map(), sends = sendsBySegment(x.story);
  x.flights = [];
  x.dots = [];
  x.story.segments.forEach((g, i) => flightsOf(x, g, i, sends.get(i) || [], names));
  x.marks = [];
  x.story.events.forEach((e, i) => markOf(x, e, i, lines));
  for (const b of x.buffers) { b.parts = partsOf(x, b); makeWaiting(x, b); }
  makeAcks(x);
  makeEdge(x);
}

function sendsBySegment(story) {
  const by = new Map();
  story.events.forEach((e, i) => {
    if (e.segment === undefined || !['left', 'resent', 'lost', 'sent', 'refused', 'dropped'].includes(e.kind)) return;
    if (e.kind === 'sent' && story.segments[e.segment].sent !== i) return;
    if (!by.has(e.segment)) by.set(e.segment, []);
    by.get(e.segment).push(i);
  });
  return by;
}

function flightsOf(x, g, index, own, names) {
  const events = x.story.events, sends = [], lost = new Map(), refused = new Map();
  if (g.sent === undefined) return;
  for (const i of own.length ? own : [g.sent]) {
    if (events[i].kind === 'lost') lost.set(sends[sends.length - 1], i);
    else if (isRefusal(events[i])) refused.set(sends.find(s => !lost.has(s) && !refused.has(s)), i);
    else sends.push(i);
  }
  const arrival = g.arrived !== undefined ? g.arrived : g.placed;
  let landed = -1;
  if (arrival !== undefined)
    for (const i of sends) if (!lost.has(i) && !refused.has(i) && events[i].t <= events[arrival].t) landed = i;
  sends.forEach((send, n) => {
    const to = landed === send ? arrival : refused.has(send) ? refused.get(send) : -1;
    const y = place.get(events[send].t), gone = lost.has(send);
    const ends = to >= 0 ? to : gone ? lost.get(send) : send;
    x.flights.push({segment: index, side: g.side, from: events[send].t, to: events[ends].t, y, end: gone ? Math.min(bottom, y + 14) : to >= 0 ? place.get(events[to].t) : y + 2,
                    at: x.position[send], until: to >= 0 ? x.position[to] : gone ? x.position[lost.get(send)] : 0, again: n > 0, gone, unknown: !gone && to < 0,
                    refused: to >= 0 && isRefusal(events[to]), name: g.name + (n > 0 ? ' again' : ''),
                    line: nextLine(names, g.side + ':' + events[send].t)});
  });
  if (g.placed !== undefined || arrival !== undefined) {
    const i = g.placed !== undefined ? g.placed : arrival;
    x.dots.push({segment: index, side: 1 - g.side, y: place.get(events[i].t), at: x.position[i], early: g.early});
  }
}

function shortOp(op) {
  const word = op.replace(/^(Read|Atomic) /, '').split(' ')[0];
  return {Response: 'Resp.', Request: 'Req.', Terminate: 'Term.', Immediate: 'Imm.'}[word] || word;
}
const shortPost = say => say.replace(/^posts an? |^posts /, '').replace(/ of (\d+) octets?.*/, ' $1').slice(0, 22);

function markOf(x, e, index, lines) {
  if (e.conn < 0) return;
  const mark = {side: e.side, y: place.get(e.t), at: x.position[index]};
  const m = x.story.messages[e.message];
  if (e.kind === 'post') { mark.text = 'post ' + shortPost(e.say); mark.short = shortPost(e.say); }
  if (e.kind === 'delivered') { mark.bar = 'deliver'; mark.bold = true; mark.text = m && m.op === 'Write' ? 'Write whole' : 'DELIVER ' + shortOp(m ? m.op : ''); mark.short = m && m.op === 'Write' ? 'whole' : '\u2713 ' + shortOp(m ? m.op : ''); }
  if (e.kind === 'terminate_sent') { mark.bar = 'terminate'; mark.bold = true; mark.text = 'TERMINATE'; mark.short = 'TERM.'; }
  if (e.kind === 'probed') mark.text = mark.short = 'probe';
  if (e.kind === 'timeout') { mark.text = 'TIMEOUT'; mark.short = 'RTO'; mark.bold = true; }
  if (e.kind === 'stalled') mark.text = mark.short = 'stall';
  if (e.kind === 'closes') mark.text = mark.short = e.say.slice(6, 9);
  if (!mark.text) return;
  mark.line = nextLine(lines, e.side + ':' + e.t);
  x.marks.push(mark);
}

// Where the octets of each segment are, and from when to when.
function partsOf(x, buffer) {
  const parts = [], events = x.story.events;
  for (const [index, from] of buffer.offset) {
    const g = x.story.segments[index], m = x.story.messages[g.message];
    if (g.placed === undefined) { parts.push({segment: index, from, length: g.length, placed: Infinity, usable: Infinity, y: Infinity, until: Infinity}); continue; }
    const delivered = m && m.delivered, y = place.get(events[g.placed].t);
    parts.push({segment: index, from, length: g.length, name: g.name, placed: x.position[g.placed], usable: delivered !== undefined ? x.position[delivered] : Infinity,
                y, until: delivered !== undefined ? Math.max(y, place.get(events[delivered].t)) : Infinity});
  }
  return parts;
}

// ---- drawing what is in view ----

// Columns in pixels: times, A's buffers, A's words, flights, B's words, B's buffers, the edge of the window.
function columnsOf(x, width) {
  const times = 46, narrow = width < 620;
  const edge = x.edge && (!narrow || x.edge.binds) ? Math.round(width * (narrow ? .2 : .16)) : 0, end = width - 6 - (edge ? edge + 8 : 0);
  const words = !narrow ? 108 : edge ? 36 : Math.min(64, width * .16);
  const share = x.buffers.filter(b => b.drawn).length > 1 ? .17 : !edge ? .28 : narrow ? .14 : .2;
  const buffer = [0, 1].map(side => x.buffers.some(b => b.side === side && b.drawn) ? Math.round(width * share) : 0);
  const lane = [times + (buffer[0] ? buffer[0] + 6 : 0) + words, end - (buffer[1] ? buffer[1] + 6 : 0) - words];
  return {width, narrow, times, lane, edge: edge ? [width - 6 - edge, width - 6] : null, buffer: [[times + 4, times + 4 + buffer[0]], [end - buffer[1], end]]};
}

function prepare(x) {
  const box = x.scroller, height = printing ? printedOf()[1] : box.clientHeight;
  x.columns = columnsOf(x, printing ? 660 : box.clientWidth);
  for (const [name, value] of [['width', x.columns.width], ['height', height], ['viewBox', `0 0 ${x.columns.width} ${height}`]]) x.root.setAttribute(name, value);
  x.tall.style.height = bottom + 'px';
}

// What is printed: the chart up to the cursor, as much of it as a sheet has room for. [from, height]
const SHEET = 840;
function printedOf() {
  const end = at && at < steps.length ? Math.min(bottom, below.get(steps[at - 1].t) + 12) : bottom, height = Math.min(end, SHEET / takes.length);
  return [end - height, height];
}

let printing = false, nowY = Infinity; // nowY: what lies below has not happened yet

function drawChart(x) {
  if (!x.columns || (!printing && x.columns.width !== x.scroller.clientWidth)) prepare(x);
  nowY = printing || at === steps.length ? Infinity : at ? below.get(steps[at - 1].t) : TOP;
  const [first, printed] = printing ? printedOf() : [0, 0];
  const height = printing ? printed : x.scroller.clientHeight, top = printing ? first : Math.max(0, Math.min(x.scroller.scrollTop, bottom - height));
  const c = x.columns, from = top - 30, to = top + height + 30;
  const g = svg('g', {transform: `translate(0 ${-top})`});
  x.canvas = g;
  for (const side of [0, 1]) svg('line', {x1: c.lane[side], y1: TOP - 6, x2: c.lane[side], y2: bottom - 6, class: 'lane'}, g);
  const now = at && $('predict').checked ? place.get(steps[at - 1].t) : Infinity;
  for (const y of cuts) if (y > from && y < to && y < now) svg('text', {x: c.times, y: y + 3, class: 'small', 'text-anchor': 'end'}, g, '\u2248');
  drawTimes(g, c, from, to);
  for (const b of x.buffers) if (b.drawn) drawBuffer(x, g, b, from, to);
  if (c.edge) drawEdge(x, g, from, to);
  drawAcks(x, g, from, to);
  for (const f of x.flights) if (f.end >= from && f.y <= to) drawFlight(x, g, f);
  for (const d of x.dots)
    if (d.y >= from && d.y <= to && visible(d.at))
      choose(x, d.segment, svg('circle', {cx: c.lane[d.side], cy: d.y, r: 4, class: (d.early ? 'dot early' : 'dot') + faint(d.at)}, g));
  for (const m of x.marks) if (m.y + LINE * m.line >= from && m.y <= to && visible(m.at)) drawMark(g, c, m);
  const y = at ? below.get(steps[at - 1].t) : TOP;
  svg('line', {x1: c.times + 2, x2: c.width, y1: y, y2: y, class: 'cursor'}, g);
  drawHead(x, g, c, top);
  x.root.replaceChild(g, x.root.lastChild);
}

const visible = position => position <= at || !$('predict').checked;
const said = position => position <= at || printing;
const faint = position => position <= at || printing ? '' : ' future';

function drawHead(x, root, c, top) {
  const g = svg('g', {transform: `translate(0 ${top})`}, root), middle = side => ({x: c.lane[side], 'text-anchor': 'middle'});
  svg('rect', {x: 0, y: 0, width: c.width, height: TOP - 8, fill: 'var(--paper)'}, g);
  svg('text', {x: 4, y: 32, class: 'small'}, g, 'us');
  WHO.forEach((name, side) => {
    svg('text', {...middle(side), y: 17, class: 'bold'}, g, name);
    if (!c.narrow) svg('text', {...middle(side), y: 30, class: 'small'}, g, (x.story.packet ? '' : x.story.sctp ? 'SCTP ' : 'MPA ') + (side ? 'responder' : 'initiator'));
  });
  for (const b of x.buffers) {
    if (!b.drawn) continue;
    const [left, right] = c.buffer[b.side];
    svg('text', {x: left, y: 17, class: 'bold'}, g, c.narrow && c.edge ? 'buffers' : `${WHO[b.side]}'s buffers`);
    svg('text', {x: left, y: 30, class: 'small'}, g, c.narrow ? '0' : 'octet 0');
    svg('text', {x: right, y: 30, class: 'small', 'text-anchor': 'end'}, g, String(b.size));
  }
  if (c.edge) {
    svg('text', {x: c.edge[0], y: 17, class: 'bold'}, g, c.narrow ? 'window' : `${WHO[x.sides[0]]}'s window`);
    svg('text', {x: c.edge[1], y: 30, class: 'small', 'text-anchor': 'end'}, g, String(x.edge.size));
  }
}

function drawTimes(root, c, from, to) {
  let last = -99;
  for (let i = Math.max(0, lower(moments, from, t => place.get(t)) - 12); i < moments.length; i++) {
    const y = place.get(moments[i]);
    if (y > to) break;
    if ($('predict').checked && at && moments[i] > steps[at - 1].t) break;
    if (y - last < 26) continue;
    svg('text', {x: c.times - 2, y: y + 3, class: 'small', 'text-anchor': 'end'}, root, us(moments[i]).slice(0, 8).replace(/\.$/, ''));
    last = y;
  }
}

function choose(x, index, node) {
  node.addEventListener('click', event => { event.stopPropagation(); showSegment(x, index); });
  return node;
}

function drawFlight(x, root, f) {
  if (!visible(f.at)) return;
  const c = x.columns, from = c.lane[f.side], to = c.lane[1 - f.side], sign = f.side ? -1 : 1;
  const isChosen = chosen && chosen.take === x.take && chosen.index === f.segment;
  const group = svg('g', {class: 'segment' + (isChosen ? ' chosen' : '') + faint(f.at)}, root);
  choose(x, f.segment, group);
  const end = f.gone ? (from + to) / 2 : f.unknown ? from + sign * 22 : to - sign * 5;
  const line = {x1: from, y1: f.y, x2: end, y2: f.end};
  const way = f.at <= at && f.until > at && f.end > nowY ? Math.max(0, Math.min(1, (nowY - f.y) / (f.end - f.y))) : 1; // under way: as far as it has come
  if (way < 1) svg('line', {...line, x2: from + (end - from) * way, y2: f.y + (f.end - f.y) * way, class: 'flight under' + (f.again ? ' again' : '')}, group);
  if (way === 1 || !$('predict').checked) svg('line', {...line, class: 'flight' + (f.again ? ' again' : '') + (f.gone ? ' gone' : '') + (way < 1 ? ' future' : '')}, group);
  svg('line', {...line, class: 'hit'}, group);
  const cross = f.gone ? [end, f.end, f.at] : f.refused ? [to, f.end, f.until] : null;
  if (cross && visible(cross[2]))
    for (const s of [-1, 1])
      svg('line', {x1: cross[0] - 5, y1: cross[1] - 5 * s, x2: cross[0] + 5, y2: cross[1] + 5 * s, class: 'cross' + faint(cross[2])}, group);
  const off = 14 + (c.narrow ? 34 : 62) * f.line, slope = (f.end - f.y) / (end - from); // names of those that leave at one moment stand beside each other
  if (off < Math.abs(to - from) - 20 && said(f.at)) // what is faint has no words: nobody could read them
    svg('text', {x: from + sign * off, y: f.y + slope * sign * off - 3, 'text-anchor': f.side ? 'end' : 'start', class: 'halo'}, group, c.narrow ? f.name.replace(' again', "'") : f.name);
}

// Thin, and named where what they say is said again or reports a hole, and there is room for it.
function drawAcks(x, root, from, to) {
  const c = x.columns, named = [-99, -99];
  for (const a of x.acks) {
    if (a.end < from || a.y > to || !visible(a.at)) continue;
    const start = c.lane[a.side], full = c.lane[1 - a.side] + (a.side ? 5 : -5), end = a.gone ? (start + full) / 2 : full;
    const way = a.at <= at && a.until > at && a.end > nowY ? Math.max(0, Math.min(1, (nowY - a.y) / (a.end - a.y))) : 1;
    if (way < 1 && $('predict').checked && a.at > at) continue;
    svg('line', {x1: start, y1: a.y, x2: start + (end - start) * way, y2: a.y + (a.end - a.y) * way, class: 'ack' + (a.behind ? ' behind' : '') + (way === 1 && !a.gone ? '' : ' under') + faint(a.at)}, root);
    if (a.gone) for (const s of [-1, 1]) svg('line', {x1: end - 4, y1: a.end - 4 * s, x2: end + 4, y2: a.end + 4 * s, class: 'cross' + faint(a.at)}, root);
    if (!c.narrow && !x.several && said(a.at) && a.y - named[a.side] > 13 && (a.behind || !a.again)) {
      svg('text', {x: start + (a.side ? -14 : 14), y: a.y - 2, 'text-anchor': a.side ? 'end' : 'start', class: 'small halo'}, root, (x.story.sctp ? 'SACK' : `ack ${a.key}`) + (a.behind ? ' +' : ''));
      named[a.side] = a.y;
    }
  }
}

function drawMark(root, c, m) {
  const out = m.side ? 1 : -1, lane = c.lane[m.side];
  if (m.bar) svg('line', {x1: lane - 9, x2: lane + 9, y1: m.y, y2: m.y, class: m.bar + faint(m.at)}, root);
  if (said(m.at)) svg('text', {x: lane + out * 11, y: m.y + 4 + LINE * m.line, 'text-anchor': out > 0 ? 'start' : 'end',
               class: 'halo' + (m.bold ? ' bold' : '') + (c.narrow ? ' small' : '') + faint(m.at)}, root, c.narrow ? m.short : m.text);
}

// Only what changes in view is drawn by itself; neighbours that stay as they are become one.
function drawBuffer(x, root, b, from, to) {
  const c = x.columns, [left, right] = c.buffer[b.side], scale = (right - left) / b.size;
  svg('rect', {x: left, y: Math.max(TOP - 6, from), width: right - left, height: Math.max(0, Math.min(bottom, to) - Math.max(TOP - 6, from)), class: 'frame'}, root);
  const rect = (part, y, end, kind, position) => {
    const top = Math.max(y, from), low = Math.min(end, to, bottom - 8), now = position <= at ? Math.min(low, nowY) : top;
    const piece = (start, stop, faded) => {
      if (stop > start) choose(x, part.segment, svg('rect', {x: left + part.from * scale, y: start, width: Math.max(1, part.length * scale), height: stop - start, class: kind + faded}, root));
    };
    piece(top, now, '');
    if (!$('predict').checked) piece(Math.max(top, now), low, printing ? '' : ' future');
  };
  let run = null;
  const flush = () => { if (run) rect(run, run.y, run.end, run.kind, run.position); run = null; };
  const add = (part, y, end, kind, position) => {
    const alike = run && run.kind === kind && run.y === y && run.end === end && run.from + run.length === part.from && faint(run.position) === faint(position);
    if (alike) { run.length += part.length; return; }
    flush();
    run = {segment: part.segment, from: part.from, length: part.length, y, end, kind, position};
  };
  for (const part of b.parts) {
    if (part.y > to) continue;
    const before = part.y < from && (part.until < from || part.until > to); // nothing changes in view
    if (before && part.until < from) { add(part, from, Infinity, 'usable', part.usable); continue; }
    if (before) { add(part, from, Infinity, 'in-place', part.placed); continue; }
    flush();
    if (part.until > part.y) rect(part, part.y, part.until, 'in-place', part.placed);
    rect(part, part.until, Infinity, 'usable', part.usable);
    if (part.length * scale > 22 && part.y > from && said(part.placed))
      svg('text', {x: left + part.from * scale + 2, y: part.y + 11, class: 'small halo' + faint(part.placed)}, root, part.name);
  }
  flush();
}

// ---- the buffers of this moment ----

function drawStrip(x, b) {
  const root = b.strip;
  root.setAttribute('aria-label', wordsOfBuffer(b));
  while (root.firstChild) root.firstChild.remove();
  let run = null;
  const flush = () => { if (run) choose(x, run.segment, svg('rect', {x: run.from / b.size * 600, y: 1, width: Math.max(.5, run.length / b.size * 600), height: 20, class: run.kind}, root)); run = null; };
  const many = b.parts.length > 200;
  for (const part of b.parts) {
    const kind = part.usable <= at && part.placed <= at ? 'usable' : part.placed <= at ? 'in-place' : 'empty';
    if (many && run && run.kind === kind) { run.length += part.length; continue; }
    flush();
    run = {segment: part.segment, from: part.from, length: part.length, kind};
  }
  flush();
}
