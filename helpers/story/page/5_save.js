// SPDX-License-Identifier: GPL-2.0-or-later
// ---- a moment as SVG or PNG, the steps from here on as an SVG that moves, and an address for a slide ----

const PAPER = {wide: 660, line: 15, strip: 22, hold: 2}; // hold: how many steps long the last one stays

// An SVG of its own: the page's colours, hatching and arrow heads are in it.
function newPaper() {
  const root = svg('svg', {});
  svg('style', {}, root, document.querySelector('style').textContent);
  const defs = svg('defs', {}, root);
  for (const shape of $('shared').children) defs.append(shape.cloneNode(true));
  svg('rect', {width: '100%', height: '100%', fill: 'var(--paper)'}, root);
  return root;
}

function endPaper(root, tall) {
  for (const [name, value] of [['viewBox', `0 0 ${PAPER.wide} ${tall}`], ['width', PAPER.wide], ['height', tall]]) root.setAttribute(name, value);
  return new XMLSerializer().serializeToString(root);
}

// Words in lines; where the next thing goes.
function putWords(root, text, y) {
  let line = '';
  for (const word of text.trim().split(/\s+/).concat('')) {
    if (line && (!word || line.length + word.length > 105)) { y += PAPER.line; svg('text', {x: 6, y}, root, line); line = ''; }
    line += (line ? ' ' : '') + word;
  }
  return y + 6;
}

// A picture of the page, as it is now; its class is that of a group, so that its size is the paper's.
function putPicture(root, picture, y, tall, from = 0) {
  const copy = picture.cloneNode(true), group = svg('g', {class: copy.getAttribute('class') || ''}, root);
  copy.removeAttribute('class');
  for (const [name, value] of [['x', from], ['y', y], ['width', PAPER.wide - from], ['height', tall]]) copy.setAttribute(name, value);
  group.append(copy);
  return y + tall;
}

function putStrip(root, label, strip, y) {
  svg('text', {x: 6, y: y + 15, class: 'small'}, root, label);
  return putPicture(root, strip, y, PAPER.strip, 90) + 4;
}

const SCENE_TALL = PAPER.wide * SCENE.tall / SCENE.wide;

function pictureOfNow() {
  const root = newPaper();
  let y = putWords(root, $('caption').textContent, 4);
  leave();
  printing = true;
  for (const x of takes) {
    prepare(x);
    drawChart(x);
    drawScene(x, at ? steps[at - 1].t : 0);
    if (takes.length > 1) y = putWords(root, 'receive: ' + x.story.name, y);
    y = putPicture(root, x.scene, y, SCENE_TALL);
    for (const b of x.buffers) if (b.drawn) {
      y = putStrip(root, `${WHO[b.side]}'s buffers`, b.strip, y);
      if (b.waits) y = putStrip(root, `${WHO[b.side]}'s ${WAITS[x.story.name]}`, b.waitStrip, y);
    }
    y = putPicture(root, x.root, y, Number(x.root.getAttribute('height')));
  }
  printing = false;
  takes.forEach(x => { x.columns = null; drawChart(x); });
  return endPaper(root, y);
}

// ---- steps that move: groups and no pictures in pictures, whose clocks would be their own ----

// Values of an attribute over the whole film; at a share of it each.
function putMotion(node, film, name, points, jumps) {
  const all = (points[0][0] > 0 ? [[0, jumps ? 0 : points[0][1]], ...points] : points).filter((p, i, l) => !i || p[0] > l[i - 1][0] + 1e-6 || p[1] !== l[i - 1][1]);
  if (!jumps && all[all.length - 1][0] < 1) all.push([1, all[all.length - 1][1]]);
  svg('animate', {attributeName: name, dur: film.seconds + 's', repeatCount: 'indefinite', calcMode: jumps ? 'discrete' : 'linear',
                  keyTimes: all.map(p => p[0].toFixed(5)).join(';'), values: all.map(p => p[1].toFixed(1)).join(';')}, node);
}

const putThere = (node, film, from, to) => putMotion(node, film, 'opacity', to < 1 ? [[from, 1], [to, 0]] : [[from, 1]], true);

// The share of the film at which a step is shown, and that of a time: of the first step that is shown at it, and of the last.
const shareOfStep = (film, step) => Math.min(1, Math.max(0, (step - film.from) / (film.to - film.from + PAPER.hold)));
function shareOf(film, t) {
  const next = lower(steps, t, s => s.t), before = next ? steps[next - 1].t : 0, span = next < steps.length ? steps[next].t - before : 0;
  return shareOfStep(film, next + (span ? (t - before) / span : 0));
}
const shareBehind = (film, t) => Math.max(shareOf(film, t), shareOfStep(film, lower(steps, t + 1, s => s.t)));

// A shape, or a name, that goes the way of a packet while it is on it.
function putMoving(root, film, f, tag, shape, key, offset, y) {
  const first = Math.max(f.from, film.begin), last = Math.min(f.to, film.end), left = SCENE.host + 6, right = SCENE.wide - SCENE.host - 6;
  if (first >= last) return;
  const stops = [first, ...steps.map(s => s.t).filter(t => t > first && t < last), last].filter((t, i, l) => !i || t > l[i - 1]);
  const place = t => { const way = (t - f.from) / Math.max(1, f.to - f.from) / (f.gone ? 2 : 1); return (f.side ? right - (right - left) * way : left + (right - left) * way) + offset; };
  const node = svg(tag, {...shape, y, opacity: 0}, root, tag === 'text' ? f.name : undefined);
  putMotion(node, film, key, stops.flatMap(t => [[shareOf(film, t), place(t)], [shareBehind(film, t), place(t)]]), false);
  putThere(node, film, shareOf(film, first), shareOf(film, last));
}

function putMovingScene(root, film, x, y) {
  const still = svg('g', {class: 'scene', transform: `translate(0 ${y}) scale(${PAPER.wide / SCENE.wide})`}, root);
  WHO.forEach((name, side) => {
    const edge = side ? SCENE.wide - SCENE.host : 0;
    svg('line', {x1: SCENE.host + 6, x2: SCENE.wide - SCENE.host - 6, y1: SCENE.lanes[side], y2: SCENE.lanes[side], class: 'wire'}, still);
    svg('rect', {x: edge + 1, y: 4, width: SCENE.host - 2, height: SCENE.tall - 8, rx: 5, class: 'host'}, still);
    svg('text', {x: edge + SCENE.host / 2, y: 52, 'text-anchor': 'middle', class: 'letter'}, still, name);
  });
  for (const a of x.acks) putMoving(still, film, a, 'circle', {r: 5, cy: SCENE.lanes[a.side], class: 'ack' + (a.behind ? ' behind' : '') + (a.gone ? ' gone' : '')}, 'cx', 0, 0);
  x.flights.forEach((f, i) => {
    putMoving(still, film, f, 'rect', {width: 14, height: 18, rx: 3, class: 'packet' + (f.gone ? ' gone' : '') + (f.again ? ' again' : '')}, 'x', -7, SCENE.lanes[f.side] - 9);
    putMoving(still, film, f, 'text', {'text-anchor': 'middle', class: 'small'}, 'x', 0, SCENE.lanes[f.side] + (i % 2 ? 21 : -12));
  });
  return y + SCENE_TALL;
}

// A buffer: each part is empty, in place, usable, one over the other as it gets there.
function putMovingStrip(root, film, b, y) {
  svg('text', {x: 6, y: y + 15, class: 'small'}, root, `${WHO[b.side]}'s buffers`);
  const strip = svg('g', {class: 'strip', transform: `translate(90 ${y}) scale(${(PAPER.wide - 90) / 600} 1)`}, root);
  for (const part of b.parts)
    for (const [kind, step] of [['empty', 0], ['in-place', part.placed], ['usable', part.usable]]) {
      if (step > film.to || part.placed > film.to && kind === 'usable') continue;
      const node = svg('rect', {x: (part.from / b.size * 600).toFixed(1), y: 1, width: Math.max(.5, part.length / b.size * 600).toFixed(1), height: 20, class: kind}, strip);
      if (step > film.from) putThere(node, film, shareOfStep(film, step), 1);
    }
  return y + PAPER.strip + 4;
}

function filmFrom(from, count) {
  const to = Math.min(steps.length, Math.max(1, from) + count), root = newPaper(), first = Math.max(1, from);
  const film = {from: first, to, seconds: (to - first + PAPER.hold) / Number($('speed').value), begin: steps[first - 1].t, end: steps[to - 1].t};
  let y = 4 + PAPER.line;
  for (let i = first; i <= to; i++) {
    const group = svg('g', {opacity: 0}, root), step = steps[i - 1];
    y = Math.max(y, putWords(group, `${us(step.t)} us: ` + (step.setup ? 'Set-up' : `${who(step.e)} ${step.e.say}`), 4));
    putThere(group, film, shareOfStep(film, i), i < to ? shareOfStep(film, i + 1) : 1);
  }
  for (const x of takes) {
    if (takes.length > 1) y = putWords(root, 'receive: ' + x.story.name, y);
    y = putMovingScene(root, film, x, y);
    for (const b of x.buffers) if (b.drawn) y = putMovingStrip(root, film, b, y);
  }
  return endPaper(root, y + 4);
}

// ---- out of the page ----

const asBlob = text => new Blob([text], {type: 'image/svg+xml'});

// Twice as large as the SVG.
async function paintedOf(text) {
  const image = new Image(), address = URL.createObjectURL(asBlob(text));
  image.src = address;
  await image.decode();
  const canvas = Object.assign(document.createElement('canvas'), {width: 2 * image.naturalWidth, height: 2 * image.naturalHeight});
  canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(address);
  return new Promise(done => canvas.toBlob(done, 'image/png'));
}

function handOver(blob, name) {
  const address = URL.createObjectURL(blob);
  html('a', {href: address, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

const frameOf = () => html('iframe', {src: location.href.replace(/[?#].*/, '') + '?embed#' + stateWords().join('&'), width: 960, height: 540}).outerHTML;

function buildSave() {
  const box = html('details', {id: 'save', class: 'after nothing-to-print'}), name = end => `${ABOUT && ABOUT.number ? 'lesson-' + ABOUT.number + '-' : ''}step-${at}.${end}`;
  $('stage').after(box);
  html('summary', {}, box, 'Save a picture of this moment');
  const line = html('p', {}, box), button = (id, text, act) => html('button', {id}, line, text).addEventListener('click', act);
  button('save-svg', 'SVG', () => handOver(asBlob(pictureOfNow()), name('svg')));
  line.append(' ');
  button('save-png', 'PNG', async () => handOver(await paintedOf(pictureOfNow()), name('png')));
  line.append(' ');
  button('save-film', 'an SVG that moves', () => handOver(asBlob(filmFrom(at, Number($('save-steps').value))), name('moves.svg')));
  const more = html('label', {}, line, ' from here on, steps ');
  html('input', {id: 'save-steps', type: 'text', inputmode: 'numeric', size: 4, value: 20}, more);
  const label = html('label', {}, html('p', {class: 'soft'}, box), 'For a slide or a page of your own: '), code = html('input', {id: 'save-frame', type: 'text', readonly: ''}, label);
  box.addEventListener('toggle', () => { code.value = frameOf(); });
}
