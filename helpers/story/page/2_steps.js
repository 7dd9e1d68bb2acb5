// SPDX-License-Identifier: GPL-2.0-or-later
// ---- steps: what is told, of all stories, by time ----
// Set-up is one step; what two stories have in common at a time is one step, too.

const SETUP = ['region', 'recv', 'window', 'startup'];
let STORIES = [], HOSTS = 2, steps = [], takes = [];
const who = e => e.kind === 'lost' ? '' : e.conn >= 0 ? WHO[e.side] : HOSTS > 2 ? 'host ' + e.node : WHO[e.node];
const isTold = e => e.say !== undefined;

// [{t, parts: [{take, index, e}], setup}]; `e` of a step is that of its first part.
function makeSteps() {
  const told = STORIES.map((story, take) => toldOf(story, take));
  const out = told.some(x => x.setup.length > 1) ? [{t: 0, parts: told.flatMap(x => x.setup), setup: true}] : told.flatMap(x => x.setup).map(p => ({t: p.e.t, parts: [p]}));
  const rest = told.map(x => x.rest), at = rest.map(() => 0);
  for (;;) {
    const t = Math.min(...rest.map((list, i) => at[i] < list.length ? list[at[i]].e.t : Infinity));
    if (t === Infinity) break;
    const now = rest.map((list, i) => {
      const from = at[i];
      while (at[i] < list.length && list[at[i]].e.t === t) at[i]++;
      return list.slice(from, at[i]);
    });
    for (const step of merged(t, now)) out.push(step);
  }
  for (const s of out) { s.e = s.parts[0].e; s.take = s.parts[0].take; s.index = s.parts[0].index; }
  return out;
}

function toldOf(story, take) {
  const parts = [];
  story.events.forEach((e, index) => { if (isTold(e)) parts.push({take, index, e}); });
  let n = 0;
  while (!story.capture && n < parts.length && SETUP.includes(parts[n].e.kind)) n++;
  return {setup: parts.slice(0, n), rest: parts.slice(n)};
}

const likeness = e => e.side + ' ' + e.node + ' ' + e.say;

// Events of one moment: those that both tell, in the same order, become one step.
function merged(t, now) {
  const [first, second = []] = now, out = [];
  let next = 0;
  for (const part of first) {
    const found = second.findIndex((p, i) => i >= next && likeness(p.e) === likeness(part.e));
    if (found < 0) { out.push({t, parts: [part]}); continue; }
    while (next < found) out.push({t, parts: [second[next++]]});
    next++;
    out.push({t, parts: [part, second[found]]});
  }
  while (next < second.length) out.push({t, parts: [second[next++]]});
  return out;
}

// How many steps are shown when an event is. One that is not told appears with the next told one of its story's moment,
// or with the first step at its time or after it.
function positionsOf(story, take) {
  const known = new Map(), out = new Array(story.events.length);
  steps.forEach((s, i) => s.parts.forEach(p => { if (p.take === take) known.set(p.index, i + 1); }));
  let next = null;
  for (let i = story.events.length - 1; i >= 0; i--) {
    const e = story.events[i];
    if (known.has(i)) next = {t: e.t, at: known.get(i)};
    out[i] = known.has(i) ? known.get(i) : next && next.t === e.t ? next.at : Math.min(lower(steps, e.t, s => s.t) + 1, steps.length);
  }
  for (let i = 1; i < out.length; i++) out[i] = Math.max(out[i], out[i - 1]);
  return out;
}

// ---- what each side has, after each step: numbers that the trace holds, null for what nobody knows ----

const COLUMNS = [['placed', 'octets placed'], ['delivered', 'messages'], ['flight', 'in flight'], ['cwnd', 'congestion window'], ['acknowledged', 'acknowledged'],
                 ['window', 'window'], ['staging', 'staging'], ['held', 'held'], ['crossings', 'crossed memory']];

// Sides that octets are placed at, the one with most first.
function receiversOf(story) {
  const octets = [0, 0];
  story.events.forEach(e => { if (e.kind === 'placed' && (e.segment === undefined || story.segments[e.segment].buffer)) octets[e.side] += e.length; });
  const sides = [1, 0].filter(side => octets[side] > 0).sort((a, b) => octets[b] - octets[a]);
  return sides.length ? sides : [1];
}

function bufferOf(story, side) {
  let size = 0;
  const offset = new Map();
  story.segments.forEach((g, i) => {
    if (g.side === side || !g.buffer) return;
    offset.set(i, size);
    size += g.length;
  });
  return {side, offset, size: size || 1, drawn: size > 0};
}

function stateOf(x) {
  const story = x.story, events = story.events;
  const has = (side, name) => events.some(e => e.side === side && e.conn >= 0 && e[name] !== undefined);
  const windows = side => !x.several && events.some(e => e.kind === 'window' && e.side === side);
  const now = x.sides.map(side => ({
    placed: events.some(e => e.kind === 'placed') ? 0 : null, delivered: 0,
    flight: null, cwnd: null, acknowledged: null, window: null,
    staging: has(side, 'staging') ? 0 : null, held: has(side, 'held') ? 0 : null, crossings: has(side, 'crossings') ? 0 : null}));
  const sent = [0, 0], out = [{t: 0, sides: now.map(n => ({...n}))}];
  const below = side => windows(side) && !story.sctp; // SCTP acknowledges behind a hole, too
  x.known = x.sides.map(side => ({placed: true, delivered: true, flight: below(side), cwnd: !x.several && has(1 - side, 'ssthresh'), acknowledged: below(side),
                                  window: windows(side) && events.some(e => e.side === side && e.edge !== undefined),
                                  staging: has(side, 'staging'), held: has(side, 'held'), crossings: has(side, 'crossings')}));
  let at = 0;
  for (let i = 1; i <= steps.length; i++) {
    for (; at < events.length && x.position[at] <= i; at++) take(events[at], at);
    out.push({t: steps[i - 1].t, sides: now.map(n => ({...n}))});
  }
  function take(e, index) {
    if (e.conn < 0) return;
    const g = e.segment !== undefined ? story.segments[e.segment] : null;
    if ((e.kind === 'left' || e.kind === 'sent') && e.end > sent[e.side] && (!g || g.sent === index)) sent[e.side] = e.end;
    x.sides.forEach((side, k) => {
      const n = now[k];
      if (e.side === side) {
        if (e.kind === 'window' && !x.several) { n.acknowledged = story.sctp ? null : e.key; n.window = e.edge === undefined ? null : e.edge - e.key; }
        for (const name of ['staging', 'held', 'crossings']) if (e[name] !== undefined) n[name] = e[name];
        if (e.kind === 'placed' && (!g || g.buffer)) n.placed += e.length;
        if (e.kind === 'delivered') n.delivered++;
      }
      if (e.side !== side && e.cwnd !== undefined) n.cwnd = e.cwnd;
      if (n.acknowledged !== null) n.flight = Math.max(0, sent[1 - side] - n.acknowledged);
    });
  }
  return out;
}
