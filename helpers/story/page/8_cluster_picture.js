// SPDX-License-Identifier: GPL-2.0-or-later
// ---- many hosts: the network on a canvas ----

// Hosts below, switches above by how far they are from hosts; each tier in the order of its numbers.
function placeNodes(shape) {
  const isHost = name => /^host\d+$/.test(name), far = shape.nodes.map(name => isHost(name) ? 0 : Infinity), beside = shape.nodes.map(() => []);
  for (const [a, b] of shape.links) beside[a].push(b);
  const line = shape.nodes.map((name, i) => i).filter(i => far[i] === 0);
  for (let i = 0; i < line.length; i++)
    for (const next of beside[line[i]]) if (far[next] === Infinity) { far[next] = far[line[i]] + 1; line.push(next); }
  const tiers = [];
  far.forEach((tier, i) => (tiers[tier] = tiers[tier] || []).push(i));
  const index = i => Number(/(\d+)$/.exec(shape.nodes[i])?.[1] ?? i);
  for (const tier of tiers) tier.sort((a, b) => index(a) - index(b));
  return {tier: far, tiers, beside};
}

function placeView(view) {
  const {shape} = view.record, {tiers} = view.placed, width = view.canvas.clientWidth, height = view.canvas.clientHeight;
  const bows = tiers.length > 1 && shape.links.some(([a, b]) => view.placed.tier[a] === tiers.length - 1 && view.placed.tier[b] === tiers.length - 1), room = bows ? 110 : 50;
  view.at = new Float64Array(2 * shape.nodes.length);
  tiers.forEach((tier, level) => tier.forEach((node, i) => {
    view.at[2 * node] = width * (i + 0.5) / tier.length;
    view.at[2 * node + 1] = tiers.length === 1 ? height / 2 : (height - 26) - level * (height - room) / (tiers.length - 1);
  }));
  view.radius = Math.max(1.5, Math.min(7, width / tiers[0].length / 3));
  view.size = [width, height];
}

const flat = (view, link) => { const [a, b] = view.record.shape.links[link]; return view.at[2 * a + 1] === view.at[2 * b + 1] && view.placed.tiers.length > 1; };

// Where a packet is on its link: the two directions of a line lie beside each other; between nodes of one tier links are bows.
function pointOn(view, link, share, out) {
  const [a, b] = view.record.shape.links[link], ax = view.at[2 * a], ay = view.at[2 * a + 1], bx = view.at[2 * b], by = view.at[2 * b + 1];
  const length = Math.hypot(bx - ax, by - ay) || 1, off = Math.min(2.5, view.radius / 2);
  out[0] = ax + (bx - ax) * share - (by - ay) / length * off;
  out[1] = ay + (by - ay) * share + (bx - ax) / length * off;
  if (flat(view, link)) out[1] -= 4 * share * (1 - share) * Math.min(60, length / 4);
  return out;
}

function traceLink(view, pen, link) {
  const p = [0, 0];
  pointOn(view, link, 0, p);
  pen.moveTo(p[0], p[1]);
  for (const share of flat(view, link) ? [0.25, 0.5, 0.75, 1] : [1]) { pointOn(view, link, share, p); pen.lineTo(p[0], p[1]); }
}

const inkOf = () => { const style = getComputedStyle(document.documentElement); return Object.fromEntries('ink soft line rule paper bad good early cursor mark'.split(' ').map(name => [name, style.getPropertyValue('--' + name).trim()])); };
const isDark = () => matchMedia('(prefers-color-scheme: dark)').matches;
const COLOURS = 48;
const colourOf = (flow, dark) => `hsl(${((flow % COLOURS) * 137.508 % 360).toFixed(1)} 75% ${dark ? 65 : 38}%)`;

const WIDTHS = 8, MANY_LINKS = 1000; // of lines; so many cover each other, and are told apart by their load alone

// Lines as wide as their load, queues as bars where they wait, nodes: what changes with the frame alone.
function drawGround(view, state, loads) {
  const {pen, record: {shape}, ink} = view, most = view.fastest / 8;
  pen.clearRect(0, 0, ...view.size);
  const widest = Math.max(2, Math.min(6, view.radius)), width = i => Math.ceil(WIDTHS * Math.min(1, loads[i] / most)), classes = Array.from({length: 2 * WIDTHS + 1}, () => []);
  for (let i = 0; i < shape.links.length; i++) classes[width(i) + (width(i) && state.paused[i] ? WIDTHS : 0)].push(i);
  classes.forEach((list, c) => {
    pen.lineWidth = c ? Math.max(0.8, widest * ((c - 1) % WIDTHS + 1) / WIDTHS) : 0.6;
    pen.strokeStyle = c > WIDTHS ? ink.bad : c ? ink.line : ink.rule;
    pen.globalAlpha = shape.links.length > MANY_LINKS ? Math.max(0.15, ((c - 1) % WIDTHS + 1) / WIDTHS) : 1;
    pen.beginPath();
    for (const i of list) traceLink(view, pen, i);
    pen.stroke();
  });
  pen.globalAlpha = 1;
  drawQueues(view, state);
  for (let i = 0; i < shape.nodes.length; i++) drawNode(view, i);
}

function drawQueues(view, state) {
  const {pen, ink, record: {shape}} = view, p = [0, 0], q = [0, 0];
  pen.lineCap = 'butt';
  for (let i = 0; i < shape.links.length; i++) {
    if (!state.queue[i]) continue;
    const share = Math.min(1, state.queue[i] / view.buffer);
    pointOn(view, i, 0.08, p);
    pointOn(view, i, 0.08 + 0.42 * Math.max(0.04, share), q);
    pen.lineWidth = Math.max(3, Math.min(9, view.radius * 1.4));
    pen.strokeStyle = share > 0.9 ? ink.bad : ink.cursor;
    pen.beginPath(); pen.moveTo(p[0], p[1]); pen.lineTo(q[0], q[1]); pen.stroke();
  }
}

function drawNode(view, i) {
  const {pen, ink, at, radius} = view, host = view.placed.tier[i] === 0, x = at[2 * i], y = at[2 * i + 1];
  pen.fillStyle = view.chosen && view.chosen.node === i ? ink.early : host ? ink.ink : ink.paper;
  pen.strokeStyle = ink.ink;
  pen.lineWidth = 1.2;
  pen.beginPath();
  if (host) pen.arc(x, y, radius, 0, 7); else pen.rect(x - radius, y - radius, 2 * radius, 2 * radius);
  pen.fill();
  pen.stroke();
  if (view.placed.tiers[view.placed.tier[i]].length * 22 > view.size[0]) return;
  pen.fillStyle = ink.soft;
  pen.font = '11px system-ui, sans-serif';
  pen.textAlign = 'center';
  const name = view.record.shape.nodes[i], short = view.placed.tiers[view.placed.tier[i]].length * 76 > view.size[0] ? name.replace(/[^\d.]+/g, '') || name : name;
  pen.strokeStyle = ink.paper;
  pen.lineWidth = 3;
  pen.strokeText(short, x, host ? y + radius + 13 : y - radius - 4);
  pen.fillText(short, x, host ? y + radius + 13 : y - radius - 4);
}

// What moves: packets, a cross where one is dropped, the way of the chosen one. Dots of a colour are drawn at once.
function drawPackets(view, t) {
  const {pen, record, ink} = view, {start, end, link, packet, who, length} = record.columns, p = [0, 0], size = Math.max(1.6, Math.min(4, view.radius * 0.6));
  const places = Array.from({length: COLOURS}, () => []);
  view.dots = [];
  if (view.chosen && view.chosen.path) drawPath(view);
  hopsAt(record, t, i => {
    const of = packet.list[i], colour = (who.list[of] >> 1) % COLOURS, round = length.list[of] > 0 ? size : size * 0.55;
    pointOn(view, link.list[i], (t - start.list[i]) / Math.max(1, end.list[i] - start.list[i]), p);
    places[colour].push(p[0], p[1], round);
    view.dots.push(p[0], p[1], of);
  });
  places.forEach((list, i) => { if (list.length) { pen.fillStyle = colourOf(i, view.dark); drawDots(pen, list, size < 2); } });
  drawDrops(view, t);
  if (t > record.full) { pen.fillStyle = ink.soft; pen.textAlign = 'left'; pen.font = '12px system-ui, sans-serif'; pen.fillText('packets are kept until ' + us(record.full) + ' us', 6, 14); }
}

function drawDots(pen, list, small) {
  if (!small) pen.beginPath();
  for (let i = 0; i < list.length; i += 3) {
    const [x, y, round] = [list[i], list[i + 1], list[i + 2]];
    if (small) pen.fillRect(x - round, y - round, 2 * round, 2 * round);
    else { pen.moveTo(x + round, y); pen.arc(x, y, round, 0, 7); }
  }
  if (!small) pen.fill();
}

// For as long as a twentieth of a second shows.
function drawDrops(view, t) {
  const {pen, ink, record} = view, {stepAt, stepKind, stepLink} = record.columns, p = [0, 0];
  pen.strokeStyle = ink.bad;
  pen.lineWidth = 2;
  for (let i = firstAbove(stepAt, t) - 1; i >= 0 && stepAt.list[i] > t - view.shown; i--) {
    if (!DROPS.includes(stepKind.list[i])) continue;
    pointOn(view, stepLink.list[i], stepKind.list[i] === 4 ? 0.6 : 0.04, p);
    pen.beginPath(); pen.moveTo(p[0] - 5, p[1] - 5); pen.lineTo(p[0] + 5, p[1] + 5); pen.moveTo(p[0] - 5, p[1] + 5); pen.lineTo(p[0] + 5, p[1] - 5); pen.stroke();
  }
}

function drawPath(view) {
  const {pen, chosen} = view;
  pen.strokeStyle = colourOf(chosen.who >> 1, view.dark);
  pen.lineWidth = Math.max(3, view.radius * 0.8);
  pen.globalAlpha = 0.75;
  pen.beginPath();
  for (const i of chosen.path) traceLink(view, pen, view.record.columns.link.list[i]);
  pen.stroke();
  pen.globalAlpha = 1;
}

function drawView(view, t) {
  const {record} = view;
  if (!record.shape || !record.frames.length) return;
  const [width, height] = [view.canvas.clientWidth, view.canvas.clientHeight], dense = Math.min(2, devicePixelRatio || 1);
  if (!view.at || view.size[0] !== width || view.size[1] !== height || view.canvas.width !== Math.round(width * dense)) {
    view.canvas.width = view.ground.width = Math.round(width * dense);
    view.canvas.height = view.ground.height = Math.round(height * dense);
    placeView(view);
    view.groundOf = null;
  }
  const number = frameAt(record, t), state = stateShown(view, t), name = `${state.t} ${isDark()} ${view.chosen ? view.chosen.node : ''}`;
  if (view.groundOf !== name) {
    view.dark = isDark();
    view.ink = inkOf();
    view.pen = view.ground.getContext('2d');
    view.pen.setTransform(dense, 0, 0, dense, 0, 0);
    drawGround(view, state, loadsAt(record, number));
    view.groundOf = name;
  }
  view.pen = view.canvas.getContext('2d');
  view.pen.setTransform(1, 0, 0, 1, 0, 0);
  view.pen.clearRect(0, 0, view.canvas.width, view.canvas.height);
  view.pen.drawImage(view.ground, 0, 0);
  view.pen.setTransform(dense, 0, 0, dense, 0, 0);
  drawPackets(view, t);
}

// ---- what lies under a finger ----

function nearest(view, x, y) {
  let best = null, near = 14;
  for (let i = 0; view.dots && i < view.dots.length; i += 3) {
    const d = Math.hypot(view.dots[i] - x, view.dots[i + 1] - y);
    if (d < near) { near = d; best = {packet: view.dots[i + 2]}; }
  }
  if (best) return best;
  near = Math.max(12, view.radius + 4);
  view.record.shape.nodes.forEach((name, i) => { const d = Math.hypot(view.at[2 * i] - x, view.at[2 * i + 1] - y); if (d < near) { near = d; best = {node: i}; } });
  return best || nearestLink(view, x, y);
}

function nearestLink(view, x, y) {
  let best = null, near = 9;
  const p = [0, 0], q = [0, 0];
  view.record.shape.links.forEach((link, i) => {
    pointOn(view, i, 0, p); pointOn(view, i, 1, q);
    const dx = q[0] - p[0], dy = q[1] - p[1], share = Math.max(0, Math.min(1, ((x - p[0]) * dx + (y - p[1]) * dy) / (dx * dx + dy * dy || 1)));
    pointOn(view, i, share, p);
    const d = Math.hypot(p[0] - x, p[1] - y);
    if (d < near) { near = d; best = {link: i}; }
  });
  return best;
}

// ---- the stream of a flow where it goes: delivered, beyond holes, the edge of its window ----

function drawStream(canvas, view, state, flow, width, height) {
  const {ink} = view, dense = Math.min(2, devicePixelRatio || 1), holes = state.holes[flow], edge = state.edge[flow] || 0;
  const mark = view.chosen && view.chosen.length > 0 && view.chosen.who >> 1 === flow ? [view.chosen.key, view.chosen.length] : null;
  const name = [width, ink && ink.good, edge, state.received[flow], state.delivered[flow], state.beyond[flow], holes, mark].join(' ');
  if (!width || !ink || canvas.drawn === name) return;
  canvas.drawn = name;
  if (canvas.width !== Math.round(width * dense)) { canvas.width = Math.round(width * dense); canvas.height = Math.round(height * dense); }
  const pen = canvas.getContext('2d'), end = state.received[flow] + state.beyond[flow] + holes.reduce((n, [from, to]) => n + to - from, 0), most = Math.max(edge, end, 1), x = v => v / most * width;
  const fill = (colour, from, to) => { pen.fillStyle = colour; pen.fillRect(from, 0, to - from, height); };
  pen.setTransform(dense, 0, 0, dense, 0, 0);
  fill(ink.paper, 0, width);
  fill(ink.good, 0, x(state.delivered[flow] || state.received[flow]));
  pen.globalAlpha = 0.55;
  fill(ink.early, x(state.received[flow]), x(end));
  pen.globalAlpha = 1;
  for (const [from, to] of holes) fill(ink.paper, x(from), Math.max(x(from) + 1, x(to)));
  pen.strokeStyle = ink.cursor;
  pen.lineWidth = 3;
  if (mark) pen.strokeRect(x(mark[0]), 1.5, Math.max(2, x(mark[1])), height - 3);
  if (edge) fill(ink.bad, Math.min(width - 2, x(edge)), Math.min(width, x(edge) + 2));
}
