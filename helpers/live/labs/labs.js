'use strict';
// Labs: a prediction, then a sweep that a Worker runs point by point and that is drawn as it comes, then what is read from it, and a code to hand in.
const $ = id => document.getElementById(id), data = id => JSON.parse($(id).textContent);
const NS = 'http://www.w3.org/2000/svg';
const SHAPES = [['var(--link)', ''], ['var(--second)', '6 4'], ['var(--third)', '2 3']];
let worker = null, waiting = new Map(), next = 0, student = '', marks = new Map();

const make = (tag, attrs, parent, text) => { const at = document.createElement(tag); for (const k in attrs) at.setAttribute(k, attrs[k]); if (text !== undefined) at.textContent = text; parent.append(at); return at; };
const draw = (tag, attrs, parent, text) => { const at = document.createElementNS(NS, tag); for (const k in attrs) at.setAttribute(k, attrs[k]); if (text !== undefined) at.textContent = text; parent.append(at); return at; };

async function start() {
  worker = new Worker(URL.createObjectURL(new Blob([$('worker').textContent], {type: 'text/javascript'})));
  worker.onmessage = ({data: told}) => { const [done, wrong] = waiting.get(told.id); waiting.delete(told.id); if (told.wrong === undefined) done(told.value); else wrong(Error(told.wrong)); };
  const packed = Uint8Array.from(atob(data('engine')), c => c.charCodeAt(0));
  const module = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'))).arrayBuffer();
  worker.postMessage({module});
}

function ask(call, ...given) {
  return new Promise((done, wrong) => { waiting.set(++next, [done, wrong]); worker.postMessage({id: next, call, given}); });
}

// The table of a lab: rows of x, columns of by; a number, or the sentence that says why there is none.
async function sweep(lab, told) {
  const table = lab.x.map(() => lab.by.map(() => null));
  for (let i = 0; i < lab.x.length; i++)
    for (let k = 0; k < lab.by.length; k++) {
      table[i][k] = await ask('labPoint', lab.number, i, k).catch(error => error.message);
      told(table);
    }
}

const shown = value => typeof value === 'number' ? String(Math.round(value * 1000) / 1000) : value === null ? '' : 'no run';

function plot(svg, lab, table) {
  const W = 360, H = 220, L = 46, R = 10, T = 10, B = 36, xs = lab.x.map(parseFloat);
  const values = table.flat().filter(v => typeof v === 'number'), most = Math.max(1e-9, ...values);
  const at = (i, v) => [L + (W - L - R) * (xs[i] - xs[0]) / (xs[xs.length - 1] - xs[0]), H - B - (H - T - B) * v / most];
  svg.textContent = '';
  draw('path', {d: `M${L} ${T}V${H - B}H${W - R}`, class: 'axis'}, svg);
  for (const i of [0, xs.length - 1]) draw('text', {x: at(i, 0)[0], y: H - B + 15, 'text-anchor': i ? 'end' : 'start'}, svg, lab.x[i]);
  for (const v of [0, most]) draw('text', {x: L - 4, y: at(0, v)[1] + 4, 'text-anchor': 'end'}, svg, shown(v));
  draw('text', {x: (L + W) / 2, y: H - 4, 'text-anchor': 'middle'}, svg, lab.xName);
  lab.by.forEach((by, k) => {
    const points = table.map((row, i) => [row[k], i]).filter(([v]) => typeof v === 'number').map(([v, i]) => at(i, v));
    const [stroke, dash] = SHAPES[k];
    if (points.length) draw('path', {d: 'M' + points.map(p => p.map(Math.round).join(' ')).join('L'), stroke, 'stroke-dasharray': dash, class: 'curve'}, svg);
    points.forEach(([x, y]) => draw('circle', {cx: x, cy: y, r: 3, fill: stroke}, svg));
  });
}

function fillTable(body, lab, table) {
  body.textContent = '';
  make('caption', {}, body, `${lab.y}, by ${lab.byName}`);
  const head = make('tr', {}, body);
  make('th', {scope: 'col'}, head, lab.xName);
  lab.by.forEach((by, k) => make('th', {scope: 'col'}, head, by).style.setProperty('color', SHAPES[k][0]));
  table.forEach((row, i) => { const tr = make('tr', {}, body); make('th', {scope: 'row'}, tr, lab.x[i]); row.forEach(v => make('td', typeof v === 'string' ? {title: v} : {}, tr, shown(v))); });
}

// ---- one lab ----

function putQuestion(list, question, number, told) {
  const [f] = question.fields, label = make('label', {}, make('li', {}, list), question.text + ' ');
  const input = make('input', {type: 'text', autocomplete: 'off', spellcheck: 'false', placeholder: f.example, 'data-answer': number}, label);
  label.append(` ${f.unit}`);
  input.addEventListener('input', told);
  return input;
}

function build(lab) {
  const box = make('section', {id: `lab-${lab.number}`}, $('list'));
  make('h2', {}, box, `Lab ${lab.number}. ${lab.title}`);
  const list = make('ol', {}, box), showCode = () => { code.value = codeOf(lab.number, inputs); };
  const inputs = lab.questions.map((q, i) => putQuestion(list, q, i + 1, showCode));
  for (const input of inputs.slice(1)) input.closest('li').hidden = true;
  const run = make('button', {}, box, 'run it'), status = make('p', {role: 'status'}, box);
  const svg = draw('svg', {viewBox: '0 0 360 220', role: 'img', 'aria-label': `${lab.title} The table below has its numbers.`, hidden: ''}, box);
  const body = make('table', {}, box), rest = make('div', {hidden: ''}, box);
  make('p', {}, rest, `To think about: ${lab.then}`);
  const mark = make('button', {}, rest, 'mark it');
  const code = make('input', {type: 'text', readonly: '', class: 'code'}, make('label', {}, make('p', {class: 'soft'}, rest), 'The code to hand in: it is what you wrote, and is run again. '));
  run.addEventListener('click', async () => {
    if (!inputs[0].value.trim()) { status.textContent = 'First your prediction.'; return; }
    inputs[0].readOnly = run.disabled = true;
    run.hidden = true;
    svg.removeAttribute('hidden');
    status.textContent = 'running';
    await sweep(lab, t => { plot(svg, lab, t); fillTable(body, lab, t); });
    status.textContent = 'Read the other answers from the table.';
    for (const input of inputs) input.closest('li').hidden = false;
    rest.hidden = false;
    showCode();
  });
  mark.addEventListener('click', async () => {
    showCode();
    try { putMarks(lab, (await ask('judgeLab', code.value)).questions, inputs, status); }
    catch (error) { status.textContent = error.message; }
  });
}

function codeOf(number, inputs) {
  const answers = inputs.map((input, i) => [input.value.trim(), i + 1]).filter(([a]) => a);
  return [`lab=${number}`, `student=${student}`, ...answers.map(([a, i]) => `a${i}=${encodeURIComponent(a)}`)].join('&');
}

function putMarks(lab, questions, inputs, status) {
  const right = questions.filter(q => q.right).length;
  questions.forEach((q, i) => inputs[i].classList.toggle('right', q.right));
  status.textContent = `${right} of ${questions.length} points. Right: ${questions.map((q, i) => q.right ? i + 1 : 0).filter(Boolean).join(', ') || 'none'}.`;
  marks.set(lab.number, right);
  report([...marks.values()].reduce((a, b) => a + b), 3 * 8);
}

// ---- all of them ----

async function begin() {
  const wanted = $('student').value.trim();
  $('list').textContent = '';
  if (!/^\d{1,18}$/.test(wanted)) { $('wrong').textContent = wanted ? `${wanted} is no number of a student: it is a whole number.` : ''; return; }
  $('wrong').textContent = '';
  student = wanted;
  marks = new Map();
  try {
    if (!worker) await start();
    (await ask('labs', student)).forEach((lab, i) => build({...lab, number: i + 1}));
  } catch (error) { $('wrong').textContent = String(error.message || error); }
}
$('student').addEventListener('change', begin);
