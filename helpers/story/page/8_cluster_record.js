// SPDX-License-Identifier: GPL-2.0-or-later
// ---- many hosts: what a run has told so far, and what of it stands at an instant ----

const DROPS = [2, 3, 4], EARLY = 8, DELIVERED = 9; // kinds of steps (live_cluster.c)

function numbers() {
  let list = new Float64Array(1024), count = 0;
  return {
    get list() { return list; },
    get count() { return count; },
    add(more) {
      while (count + more.length > list.length) { const wider = new Float64Array(2 * list.length); wider.set(list); list = wider; }
      list.set(more, count);
      count += more.length;
    },
  };
}

function clusterRecord() {
  const columns = {};
  for (const name of 'start end link packet lost who number key length again stepAt stepKind stepWho stepKey stepLink'.split(' ')) columns[name] = numbers();
  return {shape: null, left: [], frames: [], columns, longest: 0, full: Infinity, now: 0, end: null, status: '', results: '', wrong: ''};
}

// What the engine tells of a run.
const TOLD = {
  shape(r, told) { r.shape = told.shape; r.left = told.left; },
  frame(r, told) { r.frames.push(told.state); r.now = Math.max(r.now, told.state.t); },
  thin(r) { r.frames = r.frames.filter((f, i) => i % 2 === 0 || i === r.frames.length - 1); },
  hops(r, told) {
    for (const name in r.columns) r.columns[name].add(told.hops[name]);
    for (let i = 0; i < told.hops.start.length; i++) r.longest = Math.max(r.longest, told.hops.end[i] - told.hops.start[i]);
    r.full = told.hops.full;
  },
  end(r, told) { r.end = r.now = told.t; r.status = told.status; r.results = told.results; },
  wrong(r, told) { r.wrong = told.text; },
};

function firstAbove(numbersOf, t) {
  let low = 0, high = numbersOf.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbersOf.list[middle] > t) high = middle; else low = middle + 1;
  }
  return low;
}

// Hops under way at an instant; they stand in the order of their ends.
function hopsAt(r, t, visit) {
  const {start, end} = r.columns;
  for (let i = firstAbove(end, t); i < end.count && end.list[i] <= t + r.longest; i++)
    if (start.list[i] <= t) visit(i);
}

function hopsOf(r, packet) {
  const {packet: of} = r.columns, found = [];
  for (let i = 0; i < of.count; i++) if (of.list[i] === packet) found.push(i);
  return found.sort((a, b) => r.columns.start.list[a] - r.columns.start.list[b]);
}

// The last frame up to an instant: nothing later is known of queues and buffers.
function frameAt(r, t) {
  let low = 0, high = r.frames.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (r.frames[middle].t > t) high = middle; else low = middle + 1;
  }
  return Math.max(0, low - 1);
}

// Octets a second that each link carried lately: in a hundredth of what has run, or the time of two frames.
function loadsAt(r, number) {
  const now = r.frames[number], before = r.frames[Math.min(Math.max(0, number - 1), frameAt(r, now.t - r.now / 100))], span = now.t - before.t;
  return now.octets.map((octets, i) => span > 0 ? (octets - before.octets[i]) * 1e12 / span : 0);
}

// When the next step of these kinds is; NaN: there is none so far.
function nextStep(r, t, kinds) {
  const {stepAt, stepKind} = r.columns;
  let best = NaN;
  for (let i = 0; i < stepAt.count; i++)
    if (stepAt.list[i] > t && !(stepAt.list[i] >= best) && kinds.includes(stepKind.list[i])) best = stepAt.list[i];
  return best;
}
