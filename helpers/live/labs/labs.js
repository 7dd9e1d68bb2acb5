'use strict';
// Labs: a prediction, then a sweep that a Worker runs point by point and that is drawn as it comes.
const $ = id => document.getElementById(id), data = id => JSON.parse($(id).textContent);
const LABS = data('labs'), NS = 'http://www.w3.org/2000/svg';
const SHAPES = [['var(--link)', ''], ['var(--second)', '6 4'], ['var(--third)', '2 3']];
let worker = null, waiting = new Map(), next = 0;

const make = (tag, attrs, parent, text) => { const at = document.createElement(tag); for (const k in attrs) at.setAttribute(k, attrs[k]); if (text !== undefined) at.textContent = text; parent.append(at); return at; };
const draw = (tag, attrs, parent, text) => { const at = document.createElementNS(NS, tag); for (const k in attrs) at.setAttribute(k, attrs[k]); if (text !== undefined) at.textContent = text; parent.append(at); return at; };

async function start() {
  if (worker) return;
  worker = new Worker(URL.createObjectURL(new Blob([$('worker').textContent], {type: 'text/javascript'})));
  worker.onmessage = ({data: told}) => { waiting.get(told.id)(told); waiting.delete(told.id); };
  const packed = Uint8Array.from(atob(data('engine')), c => c.charCodeAt(0));
  const module = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'))).arrayBuffer();
  worker.postMessage({module});
}

function ask(settings, y) {
  return new Promise(done => { waiting.set(++next, done); worker.postMessage({id: next, settings, y}); });
}

function settingsOf(lab, x, by) {
  const set = Object.fromEntries(Object.entries(lab.set).map(([key, value]) => [key, typeof value === 'string' ? value.replace('{x}', x).replace('{by}', by) : value]));
  if (set['rnic.window.policy'] === 'auto') set['rnic.window.policy'] = {place: 'placed', hold: 'held', discard: 'constant'}[by];
  return set;
}

// The table of a lab: rows of x, columns of by; a number, or the sentence that says why there is none.
async function sweep(lab, told) {
  const table = lab.x[1].map(() => lab.by[1].map(() => null));
  for (let i = 0; i < lab.x[1].length; i++)
    for (let k = 0; k < lab.by[1].length; k++) {
      const got = await ask(settingsOf(lab, lab.x[1][i], lab.by[1][k]), lab.y);
      table[i][k] = got.wrong === undefined ? got.value : got.wrong;
      told(table);
    }
  return table;
}

const shown = value => typeof value === 'number' ? String(Math.round(value * 1000) / 1000) : value === null ? '' : 'no run';

function plot(svg, lab, table) {
  const W = 360, H = 220, L = 46, R = 10, T = 10, B = 36, xs = lab.x[1];
  const values = table.flat().filter(v => typeof v === 'number' && isFinite(v)), most = Math.max(1e-9, ...values);
  const at = (i, v) => [L + (W - L - R) * (xs[i] - xs[0]) / (xs[xs.length - 1] - xs[0]), H - B - (H - T - B) * v / most];
  svg.textContent = '';
  draw('path', {d: `M${L} ${T}V${H - B}H${W - R}`, class: 'axis'}, svg);
  for (const i of [0, xs.length - 1]) draw('text', {x: at(i, 0)[0], y: H - B + 15, 'text-anchor': i ? 'end' : 'start'}, svg, xs[i]);
  for (const v of [0, most]) draw('text', {x: L - 4, y: at(0, v)[1] + 4, 'text-anchor': 'end'}, svg, shown(v));
  draw('text', {x: (L + W) / 2, y: H - 4, 'text-anchor': 'middle'}, svg, lab.x[0]);
  lab.by[1].forEach((by, k) => {
    const points = table.map((row, i) => [row[k], i]).filter(([v]) => typeof v === 'number' && isFinite(v)).map(([v, i]) => at(i, v));
    const [stroke, dash] = SHAPES[k % SHAPES.length];
    if (points.length) draw('path', {d: 'M' + points.map(p => p.map(Math.round).join(' ')).join('L'), stroke, 'stroke-dasharray': dash, class: 'curve'}, svg);
    points.forEach(([x, y]) => draw('circle', {cx: x, cy: y, r: 3, fill: stroke}, svg));
  });
}

function fillTable(body, lab, table) {
  body.textContent = '';
  const head = make('tr', {}, body);
  make('th', {scope: 'col'}, head, lab.x[0]);
  lab.by[1].forEach((by, k) => { const th = make('th', {scope: 'col'}, head, by); th.style.setProperty('color', SHAPES[k % SHAPES.length][0]); });
  table.forEach((row, i) => { const tr = make('tr', {}, body); make('th', {scope: 'row'}, tr, lab.x[1][i]); row.forEach(v => make('td', typeof v === 'string' ? {title: v} : {}, tr, shown(v))); });
}

function judge(lab, table, guess) {
  const is = table[lab.x[1].indexOf(lab.at[0])][lab.by[1].indexOf(lab.at[1])];
  const right = typeof is === 'number' && Math.abs(guess - is) <= lab.off * is + 1e-9;
  return `${right ? '\u2713 Right' : '\u2717 Not so'}: the run gives ${shown(is)}; you said ${guess}.`;
}

function build(lab, n) {
  const box = make('section', {id: `lab-${n}`}, $('list'));
  make('h2', {}, box, `Lab ${n}. ${lab.title}`);
  const label = make('label', {}, box, lab.ask + ' '), guess = make('input', {type: 'text', inputmode: 'decimal', autocomplete: 'off'}, label);
  const button = make('button', {}, box, 'run it'), status = make('p', {role: 'status'}, box);
  const svg = draw('svg', {viewBox: '0 0 360 220', role: 'img', 'aria-label': `${lab.title} The table below has its numbers.`}, box);
  const body = make('table', {}, box);
  const then = make('p', {hidden: ''}, box, lab.then);
  button.addEventListener('click', async () => {
    const number = Number(guess.value.replace(',', '.'));
    if (!guess.value.trim() || !isFinite(number)) { status.textContent = 'First your prediction: a number.'; return; }
    guess.readOnly = button.disabled = true;
    status.textContent = 'running';
    await start();
    const table = await sweep(lab, t => { plot(svg, lab, t); fillTable(body, lab, t); });
    status.textContent = judge(lab, table, number);
    then.hidden = false;
  });
}

LABS.forEach((lab, i) => build(lab, i + 1));
