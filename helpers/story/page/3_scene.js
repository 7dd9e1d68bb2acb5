// SPDX-License-Identifier: GPL-2.0-or-later
// ---- one moment: the two hosts, what is on its way between them, what waits, what is registered ----

const SCENE = {wide: 600, tall: 86, host: 46, lanes: [24, 62]};

// Acknowledgements that a packet without data carries: when it left and when it was taken, by the number of the packet. One
// that was lost is the last before the loss; of what was neither taken nor lost nobody knows, and it is not drawn.
function makeAcks(x) {
  const left = new Map(), same = new Map(), all = [];
  x.story.events.forEach((e, i) => {
    const own = e.conn + ':' + e.side, peers = e.conn + ':' + (1 - e.side);
    if (e.kind === 'ack' && e.key > 0) {
      const ack = {side: e.side, conn: e.conn, from: e.t, y: place.get(e.t), at: x.position[i], key: e.key, again: same.get(own) === e.key, behind: Boolean(e.say)};
      same.set(own, e.key);
      left.set(own + ':' + e.packet, ack);
      all.push(ack);
    }
    const heard = e.kind === 'heard' ? left.get(peers + ':' + e.packet) : null;
    if (heard && heard.to === undefined) Object.assign(heard, {to: e.t, end: place.get(e.t), until: x.position[i]});
  });
  x.story.events.forEach(e => {
    const lost = e.kind === 'lost' && e.segment === undefined ? all.filter(a => a.to === undefined && a.conn === e.conn && a.side === e.side && a.from <= e.t).pop() : null;
    if (lost) Object.assign(lost, {to: e.t, end: Math.min(bottom, lost.y + 14), until: lost.at, gone: true});
  });
  x.acks = all.filter(a => a.to !== undefined);
}

// ---- what waits at a receiver and is in no buffer of a program: the kernel's, the adapter's ----

const WAITS = {copy: 'kernel', hold: 'adapter', place: 'adapter', discard: 'adapter'};

function makeWaiting(x, b) {
  const story = x.story, refused = new Set(story.events.filter(e => isRefusal(e)).map(e => e.segment)), turns = [];
  b.waiting = [];
  for (const [index] of b.offset) {
    const g = story.segments[index];
    if (g.arrived === undefined || g.placed === undefined || refused.has(index)) continue;
    const part = {segment: index, name: g.name, length: g.length, at: x.position[g.arrived], until: x.position[g.placed]};
    if (part.until > part.at) { b.waiting.push(part); turns.push([part.at, part.length], [part.until, -part.length]); }
  }
  turns.sort((p, q) => p[0] - q[0] || p[1] - q[1]);
  let now = 0;
  b.most = turns.reduce((most, [, octets]) => Math.max(most, now += octets), 0);
  b.waits = story.name === 'copy' || story.name === 'hold' ? b.most > 0 : !x.several && b.most > 2 * largest([1, ...b.waiting.map(w => w.length)]);
}

function drawWaiting(x, b) {
  const root = b.waitStrip;
  while (root.firstChild) root.firstChild.remove();
  let from = 0;
  const wide = root.clientWidth || 600;
  root.setAttribute('viewBox', `0 0 ${wide} 22`); // letters are not stretched
  const there = b.waiting.filter(w => w.at <= at && w.until > at);
  svg('rect', {x: 0, y: 1, width: wide, height: 20, class: 'empty'}, root);
  for (const w of there) {
    const width = w.length / b.most * wide;
    choose(x, w.segment, svg('rect', {x: from, y: 1, width, height: 20, class: 'waits'}, root));
    if (width > 30) svg('text', {x: from + width / 2, y: 15, 'text-anchor': 'middle', class: 'halo'}, root, w.name);
    from += width;
  }
  const octets = there.reduce((n, w) => n + w.length, 0);
  b.waitWords.textContent = plural(octets, 'octet');
  root.setAttribute('aria-label', there.length ? `waits in ${WHO[b.side]}'s ${WAITS[x.story.name]}, in no buffer of a program: ${there.map(w => w.name).join(', ')}` : 'nothing waits');
}

// ---- the buffers in words: "placed, not delivered: 0-2879, 4320-8995" ----

function rangesOf(parts) {
  const out = [];
  for (const p of parts) {
    const last = out[out.length - 1];
    if (last && last[1] === p.from) last[1] = p.from + p.length; else out.push([p.from, p.from + p.length]);
  }
  return out.map(([a, b]) => `${a}-${b - 1}`).join(', ') || 'nothing';
}

function wordsOfBuffer(b) {
  const placedNow = b.parts.filter(p => p.placed <= at), usable = placedNow.filter(p => p.usable <= at);
  return `${WHO[b.side]}'s buffers: delivered: ${rangesOf(usable)}; placed, not delivered: ${rangesOf(placedNow.filter(p => p.usable > at))}`;
}

// ---- the hosts, and what is between them ----

function buildScene(x, box) {
  x.scene = svg('svg', {class: 'scene', viewBox: `0 0 ${SCENE.wide} ${SCENE.tall}`, role: 'img', 'aria-label': 'what is on its way'}, box);
}

// The share of its way, or -1: it is not on it.
function wayAt(from, to, t) {
  return t < from || t >= to ? -1 : (t - from) / Math.max(1, to - from);
}

function drawScene(x, t) {
  const root = x.scene, left = SCENE.host + 6, right = SCENE.wide - SCENE.host - 6, words = [];
  while (root.firstChild) root.firstChild.remove();
  WHO.forEach((name, side) => {
    const edge = side ? SCENE.wide - SCENE.host : 0;
    svg('line', {x1: left, x2: right, y1: SCENE.lanes[side], y2: SCENE.lanes[side], class: 'wire'}, root);
    svg('rect', {x: edge + 1, y: 4, width: SCENE.host - 2, height: SCENE.tall - 8, rx: 5, class: 'host'}, root);
    svg('text', {x: edge + SCENE.host / 2, y: 52, 'text-anchor': 'middle', class: 'letter'}, root, name);
  });
  const at = (side, way) => side ? right - (right - left) * way : left + (right - left) * way;
  const moving = x.flights.filter(f => f.to > f.from && wayAt(f.from, f.to, t) >= 0);
  let nth = 0;
  for (const a of x.acks) {
    const way = wayAt(a.from, a.to, t);
    if (way < 0) continue;
    svg('circle', {cx: at(a.side, a.gone ? way / 2 : way), cy: SCENE.lanes[a.side], r: 5, class: 'ack' + (a.behind ? ' behind' : '') + (a.gone ? ' gone' : '')}, root);
    words.push(`an acknowledgement of ${a.key}`);
  }
  for (const f of moving) {
    const way = wayAt(f.from, f.to, t);
    const middle = at(f.side, f.gone ? way / 2 : way), y = SCENE.lanes[f.side];
    choose(x, f.segment, svg('rect', {x: middle - 7, y: y - 9, width: 14, height: 18, rx: 3, class: 'packet' + (f.gone ? ' gone' : '') + (f.again ? ' again' : '')}, root));
    if (moving.length <= 14) svg('text', {x: middle, y: y + (nth++ % 2 ? 21 : -12), 'text-anchor': 'middle', class: 'small'}, root, f.name);
    words.push(f.name);
  }
  root.setAttribute('aria-label', words.length ? 'on its way: ' + words.join(', ') : 'nothing is on its way');
}

// From the moment that is shown to another one: moves while the page plays, or at a step forward.
let moving = 0, shownAt = 0;
function moveScene(t) {
  const from = shownAt, still = matchMedia('(prefers-reduced-motion: reduce)').matches || t <= from || (!timer && t - from > 5e6);
  const lasts = timer ? 1000 / Number($('speed').value) : 250, begun = performance.now(), mine = ++moving;
  const frame = now => {
    if (mine !== moving) return;
    const share = still ? 1 : Math.min(1, Math.max(0, (now - begun) / lasts));
    shownAt = from + (t - from) * share;
    takes.forEach(x => drawScene(x, shownAt));
    if (share < 1) requestAnimationFrame(frame);
  };
  if (still) { shownAt = t; takes.forEach(x => drawScene(x, t)); } else requestAnimationFrame(frame);
}

// ---- the right edge of the window, what is acknowledged and what was sent: octets of the stream to the right, time downwards ----

function makeEdge(x) {
  const side = x.sides[0], story = x.story, windows = [], sent = [];
  let most = 0;
  x.edge = null;
  if (x.several || story.sctp) return;
  story.events.forEach((e, i) => {
    if (e.conn < 0) return;
    if (e.kind === 'window' && e.side === side && e.edge !== undefined) windows.push({y: place.get(e.t), at: x.position[i], key: e.key, edge: e.edge});
    if ((e.kind === 'left' || (e.kind === 'sent' && story.capture)) && e.side !== side && e.end > most) { most = e.end; sent.push({y: place.get(e.t), at: x.position[i], end: most}); }
  });
  if (windows.length < 2 || !sent.length) return;
  const size = largest(windows.map(w => w.edge));
  x.edge = {windows, sent, size, binds: story.segments.some(g => g.side !== side && g.end !== undefined && beforeIt(windows, g, story) < g.end)};
}

// The edge that was told before a segment left.
function beforeIt(windows, g, story) {
  const y = g.sent === undefined ? Infinity : place.get(story.events[g.sent].t);
  const lag = windows.filter(w => w.y < y - 1);
  return lag.length && y < Infinity ? lag[Math.max(0, lag.length - 6)].edge : Infinity;
}

function drawEdge(x, root, from, to) {
  const c = x.columns, [left, right] = c.edge, scale = (right - left) / x.edge.size;
  svg('rect', {x: left, y: Math.max(TOP - 6, from), width: right - left, height: Math.max(0, Math.min(bottom, to) - Math.max(TOP - 6, from)), class: 'frame'}, root);
  const stairs = (list, value, kind) => {
    const shown = list.filter(p => p.at <= at || printing), points = [];
    let before = 0;
    for (const p of shown) {
      if (p.y >= from - 40 && p.y <= to + 40) {
        if (!points.length) points.push([left + before * scale, Math.max(TOP - 6, from - 40)]);
        points.push([left + before * scale, p.y], [left + value(p) * scale, p.y]);
      }
      before = value(p);
    }
    const last = Math.min(to + 40, printing ? bottom : nowY, bottom);
    if (!points.length) points.push([left + before * scale, Math.max(TOP - 6, from - 40)]);
    if (shown.length) points.push([left + before * scale, Math.max(points[points.length - 1][1], last)]);
    if (shown.length) svg('polyline', {points: points.map(p => p.map(v => v.toFixed(1)).join(',')).join(' '), class: kind}, root);
  };
  stairs(x.edge.windows, p => p.key, 'stairs below');
  stairs(x.edge.sent, p => p.end, 'stairs sent');
  stairs(x.edge.windows, p => p.edge, 'stairs edge');
}

// ---- memory that is registered ----

const RIGHTS = ['local write', 'remote read', 'remote write'];

function regionsNow(x) {
  const known = new Map();
  x.story.events.forEach((e, i) => {
    if (!['region', 'rebind', 'invalidate'].includes(e.kind) || x.position[i] > at) return;
    const key = (e.node === undefined ? e.side : e.node) + e.stag, domain = (/domain (\d+)/.exec(e.text) || [])[1], tenant = (/tenant (\w+)/.exec(e.text) || [])[1];
    if (e.kind === 'invalidate') { const r = known.get(key); if (r) r.valid = false; return; }
    known.set(key, {who: who(e), stag: e.stag, domain, tenant, rights: RIGHTS.filter(r => e.text.includes(r)), to: e.to, length: e.length, valid: true});
  });
  return [...known.values()];
}

// The STag that the segment of this step names.
function stagNow(x) {
  const step = at ? steps[at - 1] : null, part = step && step.parts.find(p => p.take === x.take);
  const g = part && part.e.segment !== undefined ? x.story.segments[part.e.segment] : null;
  const field = g && g.fields.find(f => /STag$/.test(x.story.definitions[f[0]].name));
  return field ? field[3] : '';
}

function buildRegions() {
  const box = $('regions'), x = takes[0], most = x ? x.story.events.filter(e => e.kind === 'region').length : 0;
  box.hidden = !most;
  if (!most) return;
  if (innerWidth >= 1150 && document.querySelector('main.wide')) $('side').append(box); else $('stage').after(box);
  box.open = Boolean(ABOUT) && [6, 9, 17, 18, 23].includes(ABOUT.number);
  box.querySelector('summary').textContent = `Memory that is registered: ${plural(most, 'region')}`;
}

function drawRegions() {
  const body = $('region-rows'), x = takes[0];
  if ($('regions').hidden || !$('regions').open || !x) return;
  const now = stagNow(x);
  body.textContent = '';
  for (const r of regionsNow(x).slice(0, 60)) {
    const row = html('tr', {class: 'region' + (r.stag === now ? ' now' : '') + (r.valid ? '' : ' gone')}, body);
    html('th', {scope: 'row'}, row, r.stag);
    for (const [head, cell] of [['of', r.who], ['domain', r.domain || '\u2013'], ['rights', r.rights.join(', ') || 'none'], ['octets', `${r.to} .. ${Number(r.to) + r.length - 1}`],
                                ['now', r.valid ? r.stag === now ? 'this segment names it' : 'valid' : 'invalid']])
      html('td', {'data-head': head + ': '}, row, cell + (head === 'of' && r.tenant ? ', ' + r.tenant : ''));
  }
}
