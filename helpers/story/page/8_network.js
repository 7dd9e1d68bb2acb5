// SPDX-License-Identifier: GPL-2.0-or-later
// ---- many hosts on a fat tree: what is placed when, how much of it early, and where queues stand ----
// Two runs on the same settings, packets hashed by flow and packets sprayed.

const CHOICES = [['topology.k', 'Hosts', {'16': '4', '54': '6'}], ['workload.kind', 'Traffic', {permutation: 'permutation', incast: 'incast', 'all to all': 'shuffle'}],
                 ['rnic.receive', 'Receive path', {place: 'place', hold: 'hold', discard: 'discard'}], ['workload.size', 'Octets of a message', {'64 KiB': '64KiB', '256 KiB': '256KiB', '1 MiB': '1MiB'}],
                 ['seed', 'Seed', {1: '1', 2: '2', 3: '3', 4: '4', 5: '5'}]];
const ROUTES = [['flow_hash', 'one path for each flow'], ['spray', 'a path drawn for each packet']];
const BINS = 60, LINK_COLUMNS = 'point repeat link from to rate_gbps packets bytes drops marks trims lost queue_peak_bytes queue_mean_bytes pauses paused_us failed'.split(' ');

function networkSets(routing) {
  const sets = CHOICES.map(([key]) => `${key}=${$('net-' + key).value}`);
  return [...sets, 'topology.routing=' + routing];
}

// placed: {t, octets, early} of each placement; way: {t, most, left} on links and in queues, the most since the one before, and how much is left; links: rows of links.csv.
function runNetwork(sets) {
  const record = (...fields) => fields.join(FIELD) + RECORD;
  give(new TextEncoder().encode([record('file', LIVE.file), record('repeat', 0), ...LIVE.given.map(g => record('given', ...g)), ...sets.map(s => record('set', s))].join('')));
  if (!engine.has.live_network()) throw Error(engineText(engine.has.live_text()));
  const [placed, way, csv] = engineText(engine.has.live_stories()).split('\n\n');
  const rows = csv.trim().split('\n').map(line => line.split(','));
  return {placed: placed.trim().split('\n').map(line => { const [t, octets, early] = line.split(',').map(Number); return {t, octets, early}; }),
          way: way.trim().split('\n').map(line => { const [t, most, left] = line.split(',').map(Number); return {t, most, left}; }),
          links: rows.map(row => Object.fromEntries(row.map((cell, i) => [LINK_COLUMNS[i], cell])))};
}

function binned(placed, end) {
  const bins = Array.from({length: BINS}, () => ({octets: 0, early: 0, count: 0}));
  for (const p of placed) {
    const b = bins[Math.min(BINS - 1, Math.floor(p.t / end * BINS))];
    b.octets += p.octets;
    b.count++;
    b.early += p.early;
  }
  return bins;
}

// The most in each bin; what was left before where nothing moves.
function mostOf(way, end) {
  const bins = Array.from({length: BINS}, () => ({most: 0, left: null}));
  for (const w of way) {
    const bin = bins[Math.min(BINS - 1, Math.floor(w.t / end * BINS))];
    bin.most = Math.max(bin.most, w.most);
    bin.left = w.left;
  }
  let left = 0;
  return bins.map(bin => {
    const most = Math.max(bin.most, left);
    left = bin.left === null ? left : bin.left;
    return most;
  });
}

const HEIGHT = 150, LEFT = 64, UNDER = 18;

// As wide as its place, so that letters are as large as on the rest of the page.
function drawLines(box, title, unit, series, end) {
  const WIDTH = Math.max(280, box.clientWidth);
  html('h3', {}, box, title);
  const root = svg('svg', {viewBox: `0 0 ${WIDTH} ${HEIGHT + UNDER}`, role: 'img', 'aria-label': `${title}; ${series.map(s => `${s.name}: at most ${s.most}`).join('; ')}`}, box);
  const most = largest(series.flatMap(s => s.values)) || 1, x = i => LEFT + i / (BINS - 1) * (WIDTH - LEFT - 4), y = v => HEIGHT - v / most * (HEIGHT - 12);
  svg('line', {x1: LEFT, x2: WIDTH, y1: HEIGHT, y2: HEIGHT, class: 'lane'}, root);
  svg('text', {x: LEFT - 4, y: 12, 'text-anchor': 'end'}, root, `${+most.toPrecision(3)} ${unit}`);
  svg('text', {x: LEFT - 4, y: HEIGHT, 'text-anchor': 'end'}, root, '0');
  svg('text', {x: WIDTH - 2, y: HEIGHT + 13, 'text-anchor': 'end'}, root, us(end) + ' us');
  series.forEach((s, k) => svg('polyline', {points: s.values.map((v, i) => `${x(i)},${y(v)}`).join(' '), class: 'curve curve' + k}, root));
}

function showNetwork() {
  const box = $('net-out');
  box.textContent = '';
  const runs = ROUTES.map(([routing, name]) => {
    const run = runNetwork(networkSets(routing));
    return {name, ...run, done: largest(run.placed.map(p => p.t))};
  });
  const end = largest(runs.map(r => r.done)) * 1.0001, span = end / BINS;
  const key = html('p', {class: 'soft'}, box);
  ROUTES.forEach(([, name], k) => html('span', {class: 'key key' + k}, key, name));
  const charts = html('div', {id: 'net-charts'}, box), places = [0, 1, 2].map(() => html('div', {}, charts));
  const lines = (title, unit, valuesOf) => drawLines(places.shift(), title, unit, runs.map(r => {
    const values = valuesOf(r);
    return {name: r.name, values, most: `${+largest(values).toPrecision(3)} ${unit}`};
  }), end);
  lines('Goodput of all hosts together', 'Gb/s', r => binned(r.placed, end).map(b => b.octets * 8000 / span));
  lines('Placed while something before it was missing', '%', r => binned(r.placed, end).map(b => b.count ? 100 * b.early / b.count : 0));
  lines('On links and in queues', 'kB', r => mostOf(r.way, end).map(octets => octets / 1000));
  const table = html('table', {id: 'net-table'}, box), head = html('tr', {class: 'head'}, table);
  const titles = ['', 'done at', 'placed early', 'dropped in queues', 'deepest queue', 'which link'];
  for (const title of titles) html(title ? 'th' : 'td', title ? {scope: 'col'} : {}, head, title);
  for (const r of runs) {
    const row = html('tr', {}, table), deepest = r.links.reduce((a, b) => Number(b.queue_peak_bytes) > Number(a.queue_peak_bytes) ? b : a);
    const early = r.placed.filter(p => p.early).length;
    const cells = [r.name, us(r.done) + ' us', `${early} of ${r.placed.length} segments`, String(r.links.reduce((n, l) => n + Number(l.drops), 0)),
                        deepest.queue_peak_bytes + ' octets', `${deepest.from} to ${deepest.to}`];
    cells.forEach((text, i) => html(i ? 'td' : 'th', i ? {'data-head': titles[i] + ': '} : {scope: 'row'}, row, text));
  }
}

function tryNetwork() {
  $('wrong').textContent = '';
  try { showNetwork(); }
  catch (error) { $('net-out').textContent = String(error.message || error); wake(); }
}

function buildNetwork() {
  if (!ABOUT || !ABOUT.network) return;
  document.body.classList.add('network');
  const box = $('network'), knobs = html('div', {class: 'knobs'}, box);
  box.hidden = false;
  for (const [key, title, words] of CHOICES) {
    const select = html('select', {id: 'net-' + key}, html('label', {}, knobs, title));
    for (const word in words) html('option', {value: words[word]}, select, word);
    select.addEventListener('change', tryNetwork);
  }
  html('div', {id: 'net-out'}, box);
  tryNetwork();
  let width = innerWidth;
  window.addEventListener('resize', () => { if (innerWidth !== width) { width = innerWidth; tryNetwork(); } });
}
