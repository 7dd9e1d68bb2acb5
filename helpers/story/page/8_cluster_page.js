// SPDX-License-Identifier: GPL-2.0-or-later
// ---- many hosts: the page. One clock, one or two runs, each with its own engine ----

// The knob of the network's size and shape; the rest of these keys is taken back.
const SHAPES = {'2 on a link': {kind: 'link'}, '4 at a switch': {kind: 'star', hosts: '4'}, '8 at a switch': {kind: 'star', hosts: '8'}, '16 at a switch': {kind: 'star', hosts: '16'}, '32 at a switch': {kind: 'star', hosts: '32'},
                '16 on a fat tree': {kind: 'fat_tree', k: '4'}, '54 on a fat tree': {kind: 'fat_tree', k: '6'}, '128 on a fat tree': {kind: 'fat_tree', k: '8'}, '432 on a fat tree': {kind: 'fat_tree', k: '12'}, '1,024 on a fat tree': {kind: 'fat_tree', k: '16'},
                '8 on a dragonfly': {kind: 'dragonfly'}, '8 on two planes': {kind: 'planes', hosts: '8'}, '16 on four planes of two tiers': {kind: 'planes', hosts: '16', planes: '4', radix: '8'}};
const OF_SHAPES = ['kind', 'k', 'hosts', 'planes', 'radix'].map(name => 'topology.' + name);
const ROWS_SHOWN = 16;
const clock = {t: 0, playing: false, last: 0, said: 0};
let views = [], knobsOf = 0, baseStated = new Map(), runs = 0;

// ---- settings ----

const keyOf = text => { const i = text.indexOf('='); return [text.slice(0, i), text.slice(i + 1)]; };
const settingOf = view => ({file: 'cluster.yaml', sets: [...view.stated].map(([key, value]) => `${key}=${value}`)});
const stated = (view, key) => view.stated.get(key) ?? LIVE.cluster.find(c => c.key === key)?.value ?? '';
const plainWords = text => text.replace(/^(--set: |[^ ]+:\d+:\d+: )/, '').trim();

function changeKnob(view, key, value) {
  const own = LIVE.cluster.find(c => c.key === key);
  if (!value || (own && value === own.value && !baseStated.has(key))) view.stated.delete(key); else view.stated.set(key, value);
  if (GOES_WITH[key] && key === 'rnic.receive') changeKnob(view, ...(value === 'copy' ? GOES_WITH[key](value) : ['rnic.window.policy', '']));
}

function changeShape(view, name) {
  for (const key of OF_SHAPES) view.stated.delete(key);
  for (const key in SHAPES[name]) view.stated.set('topology.' + key, SHAPES[name][key]);
}

const shapeNow = view => Object.keys(SHAPES).find(name => OF_SHAPES.every(key => (view.stated.get(key) || '') === (SHAPES[name][key.slice(9)] || ''))) || '';

// ---- the run of a view ----

function runView(view) {
  view.coming = clusterRecord();
  view.number = ++runs;
  view.began = performance.now();
  view.asking = settingOf(view);
  view.wrong.textContent = '';
  view.engine.post({ask: 'run', number: view.number, module: engine.module, setting: view.asking});
  writeAddress();
}

// A new picture comes with its first frame; until then the old one stays.
function takeShape(view) {
  view.record = view.coming;
  view.setting = view.asking;
  view.left.textContent = view.record.left.map(([key, why]) => `${key} is left out: it ${why}.`).join(' ');
  view.placed = placeNodes(view.record.shape);
  view.buffer = measure(stated(view, 'topology.buffer'));
  view.fastest = measure(stated(view, 'topology.rate'));
  view.at = view.groundOf = view.exact = view.chosen = null;
  view.firstRow = 0;
  showYaml();
}

function hear(view, told) {
  if (told.kind === 'state') return hearState(view, told);
  if (told.kind === 'verdict') return hearVerdict(told);
  if (told.number !== view.number) return;
  if (told.kind === 'wrong') { view.wrong.textContent = plainWords(told.text); view.answered = performance.now() - view.began; return; }
  TOLD[told.kind](view.coming, told);
  if (told.kind === 'shape') { takeShape(view); view.answered = performance.now() - view.began; }
  if (told.kind === 'thin') view.groundOf = null;
  if (told.kind === 'frame' && view.record.frames.length === 1) { buildRows(view); showClock(); drawAll(true); }
  if (told.kind === 'end') { clock.t = Math.min(clock.t, ends()); showClock(); drawAll(true); settle(); }
}

const reached = () => Math.max(1, ...views.map(v => v.record.now));
const ends = () => Math.max(1, ...views.map(v => v.record.end ?? Infinity));
const atIn = view => Math.min(Math.round(clock.t), view.record.end ?? view.record.now);

// ---- the state of this very instant ----

function stateShown(view, t) {
  const at = Math.min(Math.round(t), view.record.end ?? Infinity);
  return view.exact && view.exact.t === at ? view.exact : view.record.frames[frameAt(view.record, t)];
}
const isExact = view => view.record.frames.length > 0 && stateShown(view, clock.t).t === atIn(view);

function settle() {
  if (clock.playing) return;
  for (const view of views) {
    if (!view.record.frames.length || isExact(view) || view.asked) continue;
    view.asked = ++runs;
    view.engine.post({ask: 'state', number: view.asked, module: engine.module, setting: view.setting, until: atIn(view)});
  }
}

function hearState(view, told) {
  if (told.number !== view.asked) return;
  view.asked = 0;
  view.exact = told.state;
  view.groundOf = null;
  drawAll(true);
  settle();
}

// ---- the clock ----

function showClock() {
  const slider = $('cluster-time');
  slider.max = Math.ceil(reached() / 1000);
  slider.value = Math.round(clock.t / 1000);
  slider.setAttribute('aria-valuetext', us(clock.t) + ' us');
  $('cluster-play').textContent = clock.playing ? 'pause' : 'play';
}

function setClock(t) {
  clock.t = Math.max(0, Math.min(Math.round(t), ends(), reached()));
  showClock();
  drawAll(true);
  settle();
  writeAddress();
}

function playOn(on) {
  if (on && clock.t >= reached()) clock.t = 0;
  clock.playing = on;
  clock.last = performance.now();
  showClock();
  if (on) requestAnimationFrame(tick); else { drawAll(true); settle(); writeAddress(); }
}

const pace = () => Number($('cluster-pace').value) || Math.min(reached(), ends()) / 20;

function tick(now) {
  if (!clock.playing) return;
  clock.t = Math.min(reached(), clock.t + Math.max(0, now - clock.last) / 1000 * pace());
  clock.last = now;
  const words = now - clock.said > 250;
  if (words) { clock.said = now; showClock(); }
  drawAll(words);
  if (clock.t >= ends()) return playOn(false);
  requestAnimationFrame(tick);
}

function stepTo(kinds, word) {
  playOn(false);
  const next = Math.min(...views.map(v => nextStep(v.record, clock.t, kinds)).filter(t => t > 0));
  $('cluster-said').textContent = next < Infinity ? `${word} at ${us(next)} us` : views.some(v => v.record.end === null) ? `no ${word} so far` : `no ${word} after this`;
  if (next < Infinity) setClock(next);
}

// ---- what is seen ----

function drawAll(words) {
  for (const view of views) {
    view.shown = pace() / 10;
    if (view.record.frames.length) drawView(view, Math.min(clock.t, view.record.end ?? Infinity));
    if (words) tellView(view);
  }
}

const seconds = text => text.length > 90 ? text.slice(0, 90) + '...' : text;

function tellView(view) {
  const r = view.record;
  if (!r.frames.length) return;
  const state = stateShown(view, clock.t), exact = isExact(view), early = state.early.reduce((a, b) => a + b, 0), drops = state.drops.reduce((a, b) => a + b, 0);
  view.status.textContent = `${us(clock.t)} us` + (exact ? '' : `; queues and buffers are those of ${us(state.t)} us`) +
    `. ${early} segments placed early, ${drops} packets dropped in queues so far. ` + (r.end === null ? `The run is under way: ${us(r.now)} us.` : `The run ends at ${us(r.end)} us: ${seconds(r.status)}.`);
  tellQueues(view, state);
  tellRows(view, state);
}

const MOVING = 100; // the deepest ones, while it plays

function tellQueues(view, state) {
  const {shape} = view.record, full = [];
  state.queue.forEach((octets, i) => { if (octets) full.push(i); });
  full.sort((a, b) => state.queue[b] - state.queue[a]);
  const name = i => `${shape.nodes[shape.links[i][0]]} to ${shape.nodes[shape.links[i][1]]}`;
  view.queuesTitle.textContent = full.length ? `Queues: ${full.length}, the deepest ${state.queue[full[0]]} octets (${name(full[0])})` : 'Queues: all are empty';
  if (view.queuesBox.open || !clock.playing) view.queues.textContent = full.slice(0, clock.playing ? MOVING : full.length).map(i => `${name(i)}: ${state.queue[i]} octets in ${plural(state.waiting[i], 'packet')}`).join('\n');
  view.canvas.setAttribute('aria-label', `The network at ${us(clock.t)} us. ${view.queuesTitle.textContent}.`);
}

// ---- a row for each flow, where its octets go ----

const CELLS = [['placed', 'Placed'], ['staging', 'Staged'], ['held', 'Held'], ['beyond', 'Behind a hole'], ['holes', 'Holes'], ['delivered', 'Delivered'], ['window', 'Window'], ['edge', 'Its edge']];
const rangesOf = list => list.map(([a, b]) => `${a}-${b - 1}`);
const cellOf = (state, name, flow) => name === 'holes' ? rangesOf(state.holes[flow]).join(' ') || '-' : Number.isNaN(state[name][flow]) ? '-' : String(state[name][flow]);

// What came and is not delivered: from there to the last octet that came, but for the holes.
function waitsOf(state, flow) {
  const holes = state.holes[flow], begin = state.delivered[flow], reach = state.received[flow] + state.beyond[flow] + holes.reduce((n, [a, b]) => n + b - a, 0);
  return [begin, ...holes.flat(), reach].reduce((out, at, i, all) => i % 2 === 0 && at < all[i + 1] ? [...out, [at, all[i + 1]]] : out, []);
}

const WHERE = {place: 'placed', hold: 'held', copy: 'in the kernel', discard: 'here'}; // rnic.receive

// A stream in words; its first octet is 0.
function streamInWords(view, state, flow) {
  const delivered = state.delivered[flow] ? [[0, state.delivered[flow]]] : [], holes = rangesOf(state.holes[flow]), edge = state.edge[flow];
  return [['delivered', rangesOf(delivered)], [WHERE[stated(view, 'rnic.receive')] + ', not delivered', rangesOf(waitsOf(state, flow))], ['missing', holes]]
    .map(([what, list]) => `${what}: ${list.join(', ') || 'nothing'}`).join('; ') + (Number.isNaN(edge) ? '' : `; the window reaches to ${edge}`);
}

function buildRows(view) {
  view.rows.textContent = '';
  const head = html('tr', {class: 'head'}, html('thead', {}, view.rows));
  for (const title of ['Receiver', 'Its stream', ...CELLS.map(c => c[1])]) html('th', {scope: 'col'}, head, title);
  const body = html('tbody', {}, view.rows);
  view.lines = [];
  for (let i = 0; i < Math.min(ROWS_SHOWN, view.record.shape.flows.length); i++) {
    const tr = html('tr', {}, body), name = html('th', {scope: 'row'}, tr), cells = {};
    const strip = html('canvas', {class: 'stream', role: 'img', 'aria-label': 'its stream'}, html('td', {class: 'strip-cell'}, tr));
    for (const [cell, title] of CELLS) cells[cell] = html('td', {'data-head': title + ': ', 'data-cell': cell}, tr);
    view.lines.push({tr, name, cells, strip});
  }
  view.pages.hidden = view.record.shape.flows.length <= ROWS_SHOWN;
}

function put_text(element, text) { if (element.textContent !== text) element.textContent = text; }

function tellRows(view, state) {
  const {flows} = view.record.shape, first = view.firstRow, width = view.lines[0].strip.clientWidth, height = view.lines[0].strip.clientHeight;
  put_text(view.pagesSaid, `flows ${first} to ${Math.min(first + ROWS_SHOWN, flows.length) - 1} of ${flows.length}`);
  view.lines.forEach((line, i) => {
    const flow = first + i;
    line.tr.hidden = flow >= flows.length;
    if (line.tr.hidden) return;
    const {from, to} = flows[flow], other = state.side[flow] === 0;
    put_text(line.name, other ? `host${from} from host${to}` : `host${to} from host${from}`);
    line.tr.dataset.flow = flow;
    line.name.style.borderLeftColor = colourOf(flow, isDark());
    for (const [cell] of CELLS) put_text(line.cells[cell], cellOf(state, cell, flow));
    line.strip.setAttribute('aria-label', streamInWords(view, state, flow));
    drawStream(line.strip, view, state, flow, width, height);
  });
}

function pageRows(view, by) {
  const last = Math.max(0, view.record.shape.flows.length - 1);
  view.firstRow = Math.max(0, Math.min(Math.floor(last / ROWS_SHOWN) * ROWS_SHOWN, view.firstRow + by));
  drawAll(true);
}

// ---- what is clicked ----

function chooseIn(view, what) {
  const {columns, shape} = view.record, box = view.picked;
  view.chosen = what;
  view.groundOf = null;
  box.textContent = '';
  if (what && what.packet !== undefined) choosePacket(view, box, columns);
  else if (what && what.node !== undefined) chooseNode(view, box, shape.nodes[what.node]);
  else if (what) chooseLink(view, box, shape.links[what.link].map(n => shape.nodes[n]));
  drawAll(true);
}

function choosePacket(view, box, columns) {
  const c = view.chosen, {shape} = view.record, p = c.packet;
  Object.assign(c, {who: columns.who.list[p], key: columns.key.list[p], length: columns.length.list[p], path: hopsOf(view.record, p)});
  const flow = shape.flows[c.who >> 1], ways = c.path.map(i => shape.nodes[shape.links[columns.link.list[i]][1]]), from = c.who & 1 ? flow.to : flow.from, to = c.who & 1 ? flow.from : flow.to;
  const what = c.length > 0 ? `with ${c.key}-${c.key + c.length - 1} of its stream${columns.again.list[p] ? ', sent again' : ''}` : 'with no data';
  html('p', {}, box, `Packet ${columns.number.list[p]} of host${from} to host${to} ${what}: ` +
    `left at ${us(columns.start.list[c.path[0]])} us, by ${ways.slice(0, -1).join(', ') || 'no switch'}, at ${ways[ways.length - 1]} at ${us(columns.end.list[c.path[c.path.length - 1]])} us.`);
  view.firstRow = Math.floor((c.who >> 1) / ROWS_SHOWN) * ROWS_SHOWN;
}

const button = (box, words, act) => html('button', {}, box, words).addEventListener('click', act);
function addEvent(view, event) {
  const before = view.stated.get('topology.events');
  view.stated.set('topology.events', (before ? before + '; ' : '') + event);
  changed(view);
}
function chooseLink(view, box, [from, to]) {
  const at = us(clock.t) + 'us', line = `${from}-${to}`, slow = Math.max(1, Math.round(view.fastest / 1e7)) + 'Mbps';
  html('p', {}, box, `The line between ${from} and ${to}, from ${us(clock.t)} us on:`);
  button(box, 'cut it', () => addEvent(view, `${at} ${line} down`));
  button(box, `slow it to ${slow}`, () => addEvent(view, `${at} ${line} ${slow}`));
  const full = stated(view, 'topology.rate');
  button(box, `${full} from 1 us on`, () => { view.stated.set('topology.events', `1us ${line} ${full}`); changed(view); });
  button(box, 'all lines as they were', () => { view.stated.delete('topology.events'); changed(view); });
}
function chooseNode(view, box, name) {
  const host = /^host(\d+)$/.exec(name);
  html('p', {}, box, name + (host ? ':' : ' is a switch.'));
  if (!host) { button(box, `take it down from ${us(clock.t)} us on`, () => addEvent(view, `${us(clock.t)}us switch ${name} down`)); return; }
  const stall = `hosts.${host[1]}.rnic.stall.`;
  if (view.stated.has(stall + 'for')) button(box, 'let its adapter run', () => { view.stated.delete(stall + 'for'); view.stated.delete(stall + 'every'); changed(view); });
  else button(box, 'its adapter stands still for 14 of each 20 us', () => { view.stated.set(stall + 'every', '20us'); view.stated.set(stall + 'for', '14us'); changed(view); });
  const flow = view.record.shape.flows.findIndex(f => f.to === Number(host[1]));
  if (flow >= 0) view.firstRow = Math.floor(flow / ROWS_SHOWN) * ROWS_SHOWN;
}
function chooseByName(view, text) {
  const {shape} = view.record, [a, b] = text.trim().split(/\s*(?:->|-|>| to )\s*/), node = shape.nodes.indexOf(a), other = shape.nodes.indexOf(b);
  const link = shape.links.findIndex(([from, to]) => from === node && to === other);
  if (b === undefined && node >= 0) chooseIn(view, {node});
  else if (link >= 0) chooseIn(view, {link});
  else view.picked.textContent = `There is no ${text}.`;
}

// ---- building ----

function changed(view) { showKnobs(); showTask(); runView(view); }

function buildView(name) {
  const box = html('section', {class: 'cluster-view', 'aria-label': name}, $('cluster-views')), view = {name, box, stated: new Map(baseStated), record: clusterRecord(), coming: null, firstRow: 0};
  view.wrong = html('p', {class: 'wrong', role: 'alert'}, box);
  view.left = html('p', {class: 'soft'}, box);
  view.canvas = html('canvas', {class: 'cluster', role: 'img', tabindex: 0, 'aria-label': 'the network'}, box);
  view.ground = document.createElement('canvas');
  view.status = html('p', {class: 'cluster-status'}, box);
  view.picked = html('div', {class: 'picked', role: 'status'}, box);
  const way = html('label', {class: 'by-name'}, box, 'Choose a node or a line (host3, edge0-host1) '), named = html('input', {type: 'text', size: 16}, way);
  named.addEventListener('change', () => chooseByName(view, named.value));
  buildSave(view, box);
  view.queuesBox = html('details', {}, box);
  view.queuesTitle = html('summary', {}, view.queuesBox, 'Queues');
  view.queues = html('pre', {class: 'queues', tabindex: 0}, view.queuesBox);
  const scroll = html('div', {class: 'table', tabindex: 0, role: 'region', 'aria-label': 'receivers'}, box);
  view.rows = html('table', {class: 'cluster-rows'}, scroll);
  view.pages = html('p', {hidden: ''}, box);
  button(view.pages, 'before', () => pageRows(view, -ROWS_SHOWN));
  button(view.pages, 'next', () => pageRows(view, ROWS_SHOWN));
  view.pagesSaid = html('span', {class: 'soft'}, view.pages);
  view.engine = startClusterEngine(told => hear(view, told));
  view.canvas.addEventListener('click', event => {
    const place = view.canvas.getBoundingClientRect();
    if (view.at) chooseIn(view, nearest(view, event.clientX - place.left, event.clientY - place.top));
  });
  views.push(view);
  return view;
}

const knobInputs = new Map();
function buildClusterKnobs() {
  const box = html('details', {id: 'cluster-knobs'}, $('side'));
  box.open = innerWidth >= 700;
  html('summary', {}, box, 'Change it: every change runs the cluster again');
  const sides = html('label', {id: 'cluster-sides', hidden: ''}, box, 'Change the one '), side = html('select', {}, sides);
  for (const [value, word] of [[0, 'on the left'], [1, 'on the right']]) html('option', {value}, side, word);
  side.addEventListener('change', () => { knobsOf = Number(side.value); showKnobs(); showYaml(); });
  const first = html('div', {class: 'knobs'}, box), rest = html('details', {}, box), more = (html('summary', {}, rest, 'more'), html('div', {class: 'knobs'}, rest));
  const add = (key, title, what, choices, into, act) => {
    const select = html('select', {title: what}, html('label', {title: what}, into, title));
    for (const [value, word] of choices) html('option', {value}, select, word);
    select.addEventListener('change', () => { act(views[knobsOf], select.value); changed(views[knobsOf]); });
    knobInputs.set(key, select);
  };
  add('shape', 'Hosts', 'How many hosts, and how they are joined.', Object.keys(SHAPES).map(n => [n, n]), first, changeShape);
  for (const c of LIVE.cluster) {
    const words = c.stops ? c.stops.split(' ') : c.type === 'switch' ? ['false', 'true'] : c.choices;
    const all = words.includes(c.value) ? words : [c.value, ...words];
    add(c.key, c.label, `${c.key}: ${c.what}`, all.map(w => [w, c.type === 'switch' ? {true: 'on', false: 'off'}[w] : w]), c.group === 'first' ? first : more, (view, value) => changeKnob(view, c.key, value));
  }
}

function showKnobs() {
  const view = views[knobsOf];
  for (const [key, select] of knobInputs) {
    const value = key === 'shape' ? shapeNow(view) : stated(view, key);
    if (![...select.options].some(o => o.value === value)) html('option', {value}, select, value || 'as written');
    select.value = value;
    select.disabled = Boolean(task) && !task.keys.split(' ').includes(key);
    select.parentElement.classList.toggle('changed', key !== 'shape' && view.stated.get(key) !== baseStated.get(key));
  }
}

function showYaml() {
  const view = views[knobsOf], left = new Set(view.record.left.map(l => l[0])), text = yamlOf([...view.stated].filter(([key]) => !left.has(key)));
  $('cluster-yaml').value = text;
  $('cluster-save').href = 'data:application/yaml;charset=utf-8,' + encodeURIComponent(text);
}

function openYaml(text, view = views[knobsOf]) {
  view.wrong.textContent = '';
  try { view.stated = statedOf(text); } catch (error) { view.wrong.textContent = String(error.message || error); return; }
  changed(view);
}

function beside(on) {
  $('cluster-sides').hidden = !on;
  if (on && views.length < 2) { const second = buildView('on the right'); second.stated = new Map(views[0].stated); runView(second); }
  if (!on && views.length > 1) { const second = views.pop(); second.engine.stop(); second.box.remove(); knobsOf = 0; $('cluster-sides').querySelector('select').value = 0; showKnobs(); showYaml(); }
  document.querySelector('#cluster-views').classList.toggle('two', on);
  $('cluster-beside').checked = on;
  drawAll(true);
  writeAddress();
}

// ---- in the address ----

const wordsOfView = (view, before, base) => [...new Set([...base.keys(), ...view.stated.keys()])].filter(key => view.stated.get(key) !== base.get(key)).map(key => `${before}${key}=${encodeURIComponent(view.stated.get(key) ?? '')}`);
let addressWaits = 0;
function writeAddress() {
  clearTimeout(addressWaits);
  addressWaits = setTimeout(() => {
    const words = [...(task ? solution() : wordsOfView(views[0], '', baseStated)), ...(views[1] ? ['beside=1', ...wordsOfView(views[1], 'right.', views[0].stated)] : []), ...(clock.t ? ['t=' + us(clock.t)] : [])];
    try { history.replaceState(null, '', words.length ? '#' + words.join('&') : location.pathname + location.search); } catch (error) { /* a frame that has no address of its own */ }
  }, 300);
}

function readAddress() {
  const words = location.hash.slice(1).split('&').filter(w => w.includes('=')).map(keyOf).map(([key, value]) => [key, decodeURIComponent(value)]), named = new Map(words);
  const put = (view, key, value) => { if (value) view.stated.set(key, value); else view.stated.delete(key); };
  takeTask(named);
  views[0].stated = new Map(task ? task.base.map(keyOf) : baseStated);
  if (named.has('yaml')) return openYaml(named.get('yaml'), views[0]);
  for (const [key, value] of words) if (/^[a-z][\w.]*$/.test(key) && !['beside', 't', 'challenge', 'student'].includes(key) && !key.startsWith('right.')) put(views[0], key, value);
  clock.t = Math.round((Number(named.get('t')) || 0) * 1e6);
  changed(views[0]);
  if (named.get('beside') !== '1') return beside(false);
  beside(true);
  views[1].stated = new Map(views[0].stated);
  for (const [key, value] of words) if (key.startsWith('right.')) put(views[1], key.slice(6), value);
  changed(views[1]);
}

function buildClock(box) {
  const bar = html('div', {id: 'cluster-bar', role: 'toolbar', 'aria-label': 'time'}, box);
  const press = (id, words, title, act) => html('button', {id, title}, bar, words).addEventListener('click', act);
  const toNext = (id, what, title, kinds) => {
    const to = html('button', {id, title: 'to the next ' + title}, bar);
    html('span', {class: 'rare'}, to, 'next ');
    to.append(what);
    to.addEventListener('click', () => stepTo(kinds, what));
  };
  press('cluster-play', 'play', 'play or pause', () => playOn(!clock.playing));
  html('input', {id: 'cluster-time', type: 'range', min: 0, max: 1, value: 0, 'aria-label': 'time, in nanoseconds'}, bar).addEventListener('input', () => { clock.playing = false; setClock(Number($('cluster-time').value) * 1000); });
  toNext('cluster-drop', 'drop', 'packet that is dropped, cut or lost', DROPS);
  toNext('cluster-early', 'early arrival', 'segment placed while something before it was missing', [EARLY]);
  toNext('cluster-delivery', 'delivery', 'message delivered', [DELIVERED]);
  const pace = html('label', {class: 'soft'}, bar);
  html('span', {class: 'rare'}, pace, 'a second shows ');
  const speed = html('select', {id: 'cluster-pace', 'aria-label': 'a second shows'}, pace);
  for (const [value, word] of [['', 'a 20th of all'], [1e6, '1 us'], [5e6, '5 us'], [2e7, '20 us'], [1e8, '100 us'], [1e9, '1 ms']]) html('option', {value}, speed, word);
  html('input', {id: 'cluster-beside', type: 'checkbox'}, html('label', {class: 'soft'}, bar, 'two side by side ')).addEventListener('change', event => beside(event.target.checked));
  html('span', {id: 'cluster-said', class: 'soft', role: 'status'}, bar);
}

function buildYaml(box) {
  const fold = html('details', {}, box);
  html('summary', {}, fold, 'The scenario, for iwarpsim run');
  html('textarea', {id: 'cluster-yaml', rows: 14, spellcheck: 'false', 'aria-label': 'scenario, as YAML'}, fold);
  const line = html('p', {}, fold);
  button(line, 'open what is written here', () => openYaml($('cluster-yaml').value));
  html('a', {id: 'cluster-save', download: 'cluster.yaml'}, line, 'save it');
  const file = html('input', {type: 'file', 'aria-label': 'scenario to open'}, line);
  file.addEventListener('change', async () => { if (file.files[0]) openYaml(await file.files[0].text()); });
}

async function startCluster() {
  document.body.classList.toggle('embed', new URLSearchParams(location.search).has('embed'));
  document.querySelector('main').classList.add('wide');
  buildLesson();
  $('title').textContent = document.title = ABOUT ? ABOUT.title : 'A cluster: ' + LIVE.file;
  document.body.classList.add('network');
  const box = $('network');
  box.hidden = false;
  baseStated = new Map(LIVE.given.map(([key, , , value]) => [key, value]));
  buildClusterKnobs();
  buildClock(box);
  html('div', {id: 'cluster-views'}, box);
  buildYaml(box);
  buildView('on the left');
  showKnobs();
  try { await startEngine(); }
  catch (error) { views[0].wrong.textContent = String(error.message || error); $('where').textContent = ' '; return; }
  buildTasks();
  readAddress();
  window.addEventListener('hashchange', readAddress);
  window.addEventListener('resize', () => drawAll(true));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => drawAll(true));
  $('where').textContent = ' .';
}
