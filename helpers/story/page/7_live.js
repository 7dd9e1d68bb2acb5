// SPDX-License-Identifier: GPL-2.0-or-later
// ---- live: the engine in the page ----

const LIVE = data('engine');
let engine = null, moved = new Map(), captured = false, challenge = null; // challenge: the one that is worked on

async function startEngine() {
  if (typeof DecompressionStream === 'undefined' || typeof WebAssembly === 'undefined')
    throw Error('This browser cannot unpack the engine (it has no DecompressionStream): a newer one can; Chromium from 80, Firefox from 113, Safari from 16.4.');
  const packed = Uint8Array.from(atob(LIVE.module), c => c.charCodeAt(0));
  const octets = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'))).arrayBuffer();
  LIVE.module = '';
  engine = {module: await WebAssembly.compile(octets)};
  await wake();
}

// Lists of fields, as live.c reads them.
function asRecords(records) {
  return new TextEncoder().encode(records.map(fields => fields.map(f => String(f).replace(/[\x1e\x1f\0]/g, ' ')).join('\x1f') + '\x1e').join(''));
}

// A new engine: what the module exports.
async function instanceOf(module) {
  const none = () => 8, has = {};
  const system = {fd_close: none, fd_read: none, fd_seek: none, fd_write: none, proc_exit: code => { throw Error(`the engine gave up (${code}): this run needs more memory than a page has`); },
                  clock_time_get: (id, precision, to) => { new DataView(has.memory.buffer).setBigUint64(to, 0n, true); return 0; }};
  Object.assign(has, (await WebAssembly.instantiate(module, {wasi_snapshot_preview1: system})).exports);
  has._initialize();
  return has;
}

function textAt(has, address) {
  const memory = new Uint8Array(has.memory.buffer);
  return new TextDecoder().decode(memory.subarray(address, memory.indexOf(0, address)));
}

function giveTo(has, octets) {
  const room = has.live_room(octets.length);
  if (!room) throw Error('not enough memory');
  new Uint8Array(has.memory.buffer).set(octets, room);
}

// A run that went wrong in a way that nobody foresaw leaves an engine nobody trusts: a new one takes its place.
async function wake() {
  engine.has = await instanceOf(engine.module);
}

const engineText = address => textAt(engine.has, address);
const give = octets => giveTo(engine.has, octets);

// {good, text, stories}: `stories` as JSON; `text`: what explain prints, or why it was refused.
function answerOf(good) {
  return {good: Boolean(good), text: engineText(engine.has.live_text()), stories: good ? engineText(engine.has.live_stories()) : ''};
}

function request(sets, beside, ...more) {
  give(asRecords([['file', challenge ? 'challenge' : LIVE.file], ['repeat', LIVE.repeat], ['beside', beside],
                  ...(challenge ? [] : LIVE.given).map(g => ['given', ...g]), ...sets.map(s => ['set', s]), ...more]));
}

function runScenario(sets, beside = LIVE.beside) {
  request(sets, beside);
  return answerOf(engine.has.live_scenario());
}

function runCapture(name, octets) {
  const head = new TextEncoder().encode(name + '\0'), all = new Uint8Array(head.length + octets.length);
  all.set(head);
  all.set(octets, head.length);
  give(all);
  return answerOf(engine.has.live_capture(all.length));
}

// A refusal as the page has it: without the command's option and the line of a file, and each key by the name of its control.
function spoken(text) {
  const own = text.replace(/^(iwarpsim \w+: )?/, '').replace(/^--set: /, '').replace(/^\S+:\d+(:\d+)?: /, '').replace(/^\S+\.yaml has /, 'This run has ').replace(/--set (?=[\w.]+)/g, ''), known = [...LIVE.controls].sort((a, b) => b.key.length - a.key.length);
  return known.reduce((words, c) => words.split(c.key).join(`\u201c${c.label}\u201d`), own);
}

function show(answerGiven) {
  $('wrong').textContent = answerGiven.good ? '' : spoken(answerGiven.text);
  if (!answerGiven.good) return false;
  $('told').textContent = answerGiven.text;
  $('text').hidden = false;
  load(JSON.parse(answerGiven.stories));
  return true;
}

const settings = () => [...(challenge ? challenge.base : sheet ? sheet.sets : []), ...changes()];
const changes = () => [...moved].map(([key, value]) => `${key}=${value}`);

function rerun() {
  captured = false;
  if (challenge) $('code').value = code();
  if (sheet) showCode();
  try { return show(runScenario(settings())); }
  catch (error) { $('wrong').textContent = String(error.message || error); wake(); return false; }
}

// ---- controls, made from the key table ----

let knobs = [];

function buildKnobs() {
  for (const c of LIVE.controls) {
    const label = html('label', {title: `${c.key}: ${c.what} Allowed: ${c.allowed}.`, class: c.type === 'text' ? 'wide' : ''}, $(c.group === 'first' ? 'knobs' : 'others'));
    html('span', {}, label, c.label);
    const knob = {...c, label, shown: html('output', {}, label, '')};
    knob.stops = c.stops ? stopsOf(c) : [];
    knob.input = c.type === 'slider' ? html('input', {type: 'range', min: 0, max: knob.stops.length - 1, step: 1}, label)
               : c.type === 'text' ? html('input', {type: 'text', spellcheck: 'false', autocomplete: 'off'}, label)
               : html('select', {}, label);
    const words = c.type === 'switch' ? ['false', 'true'] : c.type === 'choice' ? [...new Set([...c.choices, c.value])] : [];
    for (const word of words) html('option', {value: word}, knob.input, c.type === 'switch' ? {true: 'on', false: 'off'}[word] : word);
    put(knob, c.value);
    knob.input.addEventListener(c.type === 'slider' ? 'input' : 'change', () => move(knob, taken(knob)));
    knobs.push(knob);
  }
  if (!LIVE.controls.length) $('knobs').hidden = true;
}

// The value that the scenario has is a stop, too.
function stopsOf(c) {
  const stops = c.stops.split(' ');
  if (stops.includes(c.value)) return stops;
  const size = v => measure(v), n = stops.findIndex(s => size(s) > size(c.value));
  stops.splice(n < 0 ? stops.length : n, 0, c.value);
  return stops;
}

const UNITS = {ps: 1e-12, ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1, B: 1, KiB: 1024, MiB: 1 << 20, GiB: 1 << 30, kB: 1e3, MB: 1e6, GB: 1e9, bps: 1, Kbps: 1e3, Mbps: 1e6, Gbps: 1e9};
function measure(text) {
  const m = /^([\d.]+)\s*([A-Za-z]*)$/.exec(text);
  return m ? Number(m[1]) * (UNITS[m[2]] || 1) : 0;
}

const taken = knob => knob.type === 'slider' ? knob.stops[Number(knob.input.value)] : knob.input.value;

function put(knob, value) {
  if (knob.type === 'slider') {
    if (!knob.stops.includes(value)) {
      const n = knob.stops.findIndex(s => measure(s) > measure(value));
      knob.stops.splice(n < 0 ? knob.stops.length : n, 0, value);
      knob.input.max = knob.stops.length - 1;
    }
    knob.input.value = knob.stops.indexOf(value);
    knob.input.setAttribute('aria-valuetext', value);
  } else knob.input.value = value;
  knob.shown.textContent = knob.type === 'slider' ? value : '';
  knob.label.classList.toggle('changed', value !== knob.value);
}

// A receive path and a window policy that go together.
const GOES_WITH = {'rnic.receive': value => ['rnic.window.policy', value === 'copy' ? 'buffer' : 'placed']};

function set(key, value) {
  const knob = knobs.find(k => k.key === key);
  if (knob ? value === knob.value : false) moved.delete(key); else moved.set(key, value);
  if (knob) put(knob, value);
}

let waiting = false;
function move(knob, value) {
  set(knob.key, value);
  if (GOES_WITH[knob.key]) {
    const [other, fits] = GOES_WITH[knob.key](value), own = LIVE.controls.find(c => c.key === other);
    set(other, value === knob.value && own ? own.value : fits);
  }
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; rerun(); remember(); });
}

// ---- in the address: a key by its last word where that is enough ----

function aliasOf(key) {
  const last = k => k.split('.').pop();
  return LIVE.controls.filter(c => last(c.key) === last(key)).length === 1 ? last(key) : key;
}

const RESERVED = ['challenge', 'sheet', 'student', 'lesson', 'step', 'seg', 'field', 'predict', 'beside', 'embed'];

function liveWords() {
  if (!LIVE || captured) return [];
  const words = challenge ? [`challenge=${challenge.number}`, `student=${student()}`] : sheet ? [`sheet=${sheet.student}`] : [];
  return words.concat([...moved].map(([key, value]) => `${challenge ? key : aliasOf(key)}=${encodeURIComponent(value)}`));
}

function liveRead(words) {
  if (!LIVE || !engine) return;
  if (challenge) challengeRead(words);
  if (words.has('sheet')) takeSheet(words.get('sheet'));
  const wanted = new Map();
  for (const [name, value] of words) {
    if (RESERVED.includes(name)) continue;
    const found = LIVE.controls.find(c => c.key === name) || LIVE.controls.find(c => aliasOf(c.key) === name);
    wanted.set(found ? found.key : name, value);
  }
  const same = wanted.size === moved.size && [...wanted].every(([k, v]) => moved.get(k) === v);
  if (same && STORIES.length && !captured) return;
  for (const knob of knobs) put(knob, knob.value);
  moved = new Map();
  wanted.forEach((value, key) => set(key, value));
  rerun();
}

// ---- captures ----

async function readCapture(file) {
  const octets = new Uint8Array(await file.arrayBuffer()), before = captured;
  if (!octets.length) { $('wrong').textContent = `${file.name} is empty: a capture begins with a head of 24 octets (pcap) or more.`; return; }
  try { captured = true; captured = show(runCapture(file.name, octets)) || before; }
  catch (error) { $('wrong').textContent = String(error.message || error); wake(); }
}

function listenForCaptures() {
  const over = on => event => { event.preventDefault(); document.body.classList.toggle('dropping', on); };
  document.addEventListener('dragover', over(true));
  document.addEventListener('dragleave', over(false));
  document.addEventListener('drop', event => { over(false)(event); if (event.dataTransfer.files[0]) readCapture(event.dataTransfer.files[0]); });
  $('capture').addEventListener('change', () => { if ($('capture').files[0]) readCapture($('capture').files[0]); });
}

async function startLive() {
  $('live').hidden = false;
  buildKnobs();
  listenForCaptures();
  $('undo').addEventListener('click', () => { for (const knob of knobs) put(knob, knob.value); moved = new Map(); rerun(); remember(); });
  try { await startEngine(); }
  catch (error) { $('wrong').textContent = String(error.message || error); $('where').textContent = ' '; return; }
  buildChallenges();
  buildSheet();
  liveRead(wordsOf(location.hash));
  if (!STORIES.length && !rerun()) { moved = new Map(); const why = $('wrong').textContent; rerun(); $('wrong').textContent = why; }
}
