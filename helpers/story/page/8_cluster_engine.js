// SPDX-License-Identifier: GPL-2.0-or-later
// ---- many hosts: the engine in a Worker ----
// What is needed there stands in functions that know nothing of the page; where there is no Worker, they run here in slices.

const engineParts = () => [instanceOf, textAt, giveTo, asRecords, clusterShape, clusterState, pairHops, clusterEngine];

// Nodes and links, flows with their ends, of the JSON of a state.
function clusterShape(json) {
  const nodes = new Map(), number = name => { if (!nodes.has(name)) nodes.set(name, nodes.size); return nodes.get(name); };
  const links = json.links.map(l => [number(l.from), number(l.to)]), carrier = new Map();
  json.connections.forEach((c, i) => c.flows.forEach(f => carrier.set(f, i)));
  return {nodes: [...nodes.keys()], links, flows: json.flows.map(f => ({from: f.from, to: f.to, connection: carrier.get(f.flow)}))};
}

// The numbers of a state that are drawn and said: of links, and of each flow where its octets go.
function clusterState(json) {
  const of = (list, value) => Float64Array.from(list, value), nothing = {received: 0, delivered: 0, beyond: 0, window_edge: null, window_bytes: null, staging_bytes: 0, held_bytes: 0, holes: []};
  const carried = new Map();
  json.connections.forEach(c => c.flows.forEach(f => carried.set(f, c)));
  const ends = json.flows.map(f => {
    const own = f.sides.reduce((a, b) => b.bytes_taken > a.bytes_taken || (b.bytes_taken === a.bytes_taken && b.side === 1) ? b : a, f.sides[0]);
    const c = carried.get(f.flow);
    return {own, lower: (c && c.sides.find(s => s.side === own.side)) || nothing, placed: f.bytes_placed};
  });
  const lower = name => of(ends, e => e.lower[name] === null ? NaN : e.lower[name]);
  return {t: Math.round(json.t_us * 1e6), queue: of(json.links, l => l.queue_bytes), waiting: of(json.links, l => l.queue_packets), octets: of(json.links, l => l.bytes),
          drops: of(json.links, l => l.drops || 0), paused: Uint8Array.from(json.links, l => l.paused),
          side: Uint8Array.from(ends, e => e.own.side), placed: of(ends, e => e.placed), early: of(ends, e => e.own.segments_placed_early), messages: of(ends, e => e.own.messages_delivered),
          received: lower('received'), delivered: lower('delivered'), beyond: lower('beyond'), edge: lower('window_edge'), window: lower('window_bytes'), staging: lower('staging_bytes'), held: lower('held_bytes'),
          holes: ends.map(e => e.lower.holes)};
}

// Records of live_cluster.c to: hops, each a packet on a link from its first bit's leaving to its arrival, in the order of arrival; packets; steps.
function pairHops(most) {
  const KINDS = {leaves: 0, arrives: 1, dropped: 2, trimmed: 3, lost: 4, sent: 5, again: 6, placed: 7, early: 8, delivered: 9};
  const open = new Map(), known = new Map(), data = new Map();
  let packets = 0, hops = 0, full = Infinity; // full: hops from then on are not kept
  return function pair(memory, address, count) {
    const wide = new Float64Array(memory, address, count * 5), words = new Uint32Array(memory, address, count * 10);
    const out = {start: [], end: [], link: [], packet: [], lost: [], who: [], number: [], key: [], length: [], again: [], stepAt: [], stepKind: [], stepWho: [], stepKey: [], stepLink: []};
    const step = (t, kind, who, key, link) => { out.stepAt.push(t); out.stepKind.push(kind); out.stepWho.push(who); out.stepKey.push(key); out.stepLink.push(link); };
    // Data wait for the packet that takes them: not for an acknowledgement between them, which is too small.
    function dataOf(who, size) {
      const line = data.get(who) || [];
      return line.length && line[0].octets < size ? line.shift() : {key: NaN, reach: 0, again: 0};
    }
    function packetOf(who, number, size) {
      const name = who * 4294967296 + number;
      let p = known.get(name);
      if (p !== undefined) return p;
      known.set(name, p = packets++);
      const d = dataOf(who, size);
      out.who.push(who); out.number.push(number); out.key.push(d.key); out.length.push(d.reach); out.again.push(d.again);
      return p;
    }
    for (let i = 0; i < count; i++) {
      const t = wide[5 * i], key = wide[5 * i + 1], [kind, link, who, number, octets] = words.subarray(10 * i + 4, 10 * i + 9);
      if (kind === KINDS.sent || kind === KINDS.again) data.set(who, [...(data.get(who) || []), {key, octets, reach: number, again: Number(kind === KINDS.again)}]);
      else if (kind === KINDS.placed) continue;
      else if (kind === KINDS.early || kind === KINDS.delivered) step(t, kind, who, key, 0);
      else if (kind === KINDS.leaves) {
        if (hops >= most) { full = Math.min(full, t); continue; }
        const p = packetOf(who, number, octets);
        open.set(p * 65536 + link % 65536, t);
      } else {
        const name = known.get(who * 4294967296 + number), at = name === undefined ? undefined : open.get(name * 65536 + link % 65536);
        if (kind !== KINDS.arrives) step(t, kind, who, NaN, link);
        if (at === undefined || kind === KINDS.trimmed || kind === KINDS.dropped) continue;
        open.delete(name * 65536 + link % 65536);
        hops++;
        out.start.push(at); out.end.push(t); out.link.push(link); out.packet.push(name); out.lost.push(Number(kind === KINDS.lost));
      }
    }
    for (const name in out) out[name] = Float64Array.from(out[name]);
    return {...out, full};
  };
}

// Asked: {ask: 'run' or 'state', number, module, setting: {file, sets}, until}. Told: shape, frame, thin, hops, end, state, wrong; each with its number.
function clusterEngine(port) {
  const SLICE = 8, HOPS = 700000, FRAMES = 240, ROOM = 4e7, FREE = 800; // ms of work; hops; frames, and their octets; ms for frames beside as many as the run takes
  let running = 0, asked = 0, kept = null; // kept: the last engine that a state was asked of
  const channel = new MessageChannel(), due = [];
  channel.port1.onmessage = () => due.shift()();
  const others = () => new Promise(done => { due.push(done); channel.port2.postMessage(0); });
  const said = has => textAt(has, has.live_text());
  const json = has => { if (!has.live_cluster_state()) throw Error('out of memory'); return JSON.parse(textAt(has, has.live_stories())); };

  // What has no effect beside the rest is left out, and named.
  function begin(has, setting) {
    let sets = setting.sets;
    const left = [];
    for (;;) {
      giveTo(has, asRecords([['file', setting.file], ...sets.map(s => ['set', s])]));
      if (has.live_cluster()) return left;
      const why = said(has), found = /(?:^|[ :])([a-z][\w.]*): (has no effect .*)$/.exec(why);
      const fewer = found ? sets.filter(s => !s.startsWith(found[1] + '=')) : sets;
      if (fewer.length === sets.length) throw Error(why);
      sets = fewer;
      left.push([found[1], found[2]]);
    }
  }

  // As far as `until` in slices; each piece is as long as the last ones say. `look`: after each.
  async function go(has, until, is_wanted, look) {
    let step = 1e5, room = Infinity, more = true;
    while (more && has.live_cluster_now() < until && is_wanted()) {
      const began = performance.now();
      more = Boolean(has.live_cluster_run(Math.min(until, has.live_cluster_now() + Math.min(step, room))));
      const took = performance.now() - began;
      if (step <= room || took > SLICE) step = Math.max(1e4, Math.min(1e9, step * Math.max(0.5, Math.min(2, SLICE / Math.max(took, 0.5)))));
      room = look(took, more);
      await others();
    }
    return more;
  }

  async function run(asking) {
    const is_wanted = () => running === asking.number, tell = (kind, what, give) => port.postMessage({kind, number: asking.number, ...what}, give || []);
    running = asking.number;
    const has = await instanceOf(asking.module), left = begin(has, asking.setting), pair = pairHops(HOPS);
    const first = json(has), flat = state => [state.queue, state.waiting, state.octets, state.drops, state.paused, state.side, state.placed, state.early, state.messages, state.received, state.delivered, state.beyond, state.edge, state.window, state.staging, state.held].map(a => a.buffer);
    let frames = 0, every = 1e6, next = 0, owed = -FREE, most = FRAMES; // owed: ms that frames took more than the run
    tell('shape', {shape: clusterShape(first), left});
    function frame() {
      const began = performance.now(), state = clusterState(json(has)), buffers = flat(state);
      most = Math.max(24, Math.min(FRAMES, Math.floor(ROOM / buffers.reduce((n, b) => n + b.byteLength, 0))));
      tell('frame', {state}, buffers);
      if (++frames >= most) { frames >>= 1; every *= 2; tell('thin', {}); }
      owed += performance.now() - began;
      next = has.live_cluster_now() + every;
    }
    function look(took, more) {
      const address = has.live_cluster_seen(), count = has.live_cluster_count();
      if (count) { const hops = pair(has.memory.buffer, address, count); tell('hops', {hops}, Object.values(hops).map(a => a.buffer).filter(Boolean)); }
      owed -= took;
      if (!more || (has.live_cluster_now() >= next && owed <= 0)) frame();
      return next > has.live_cluster_now() ? next - has.live_cluster_now() : Infinity;
    }
    frame();
    if (await go(has, Number.MAX_SAFE_INTEGER, is_wanted, look)) return;
    const end = has.live_cluster_now();
    has.live_cluster_end();
    tell('end', {t: end, status: said(has), results: textAt(has, has.live_stories())});
  }

  async function state(asking) {
    const is_wanted = () => asked === asking.number, same = JSON.stringify(asking.setting);
    asked = asking.number;
    if (!kept || kept.same !== same || kept.has.live_cluster_now() > asking.until) {
      kept = null;
      const has = await instanceOf(asking.module);
      begin(has, asking.setting);
      kept = {has, same};
    }
    const {has} = kept, forget = () => { has.live_cluster_seen(); return Infinity; };
    await go(has, asking.until, is_wanted, forget);
    if (is_wanted()) port.postMessage({kind: 'state', number: asking.number, state: clusterState(json(has))});
  }

  // A solution of a challenge, judged as `exercise --verify` does.
  async function judge(asking) {
    const has = await instanceOf(asking.module);
    giveTo(has, new TextEncoder().encode(asking.code));
    const good = has.live_judge() === 1;
    port.postMessage({kind: 'verdict', number: asking.number, good, text: said(has)});
  }

  const jobs = {run, state, judge};
  port.onmessage = event => {
    const asking = event.data;
    if (jobs[asking.ask]) jobs[asking.ask](asking).catch(error => { kept = null; port.postMessage({kind: 'wrong', number: asking.number, text: String(error.message || error)}); });
    else running = asked = 0;
  };
  port.postMessage({kind: 'here'});
}

// ---- the page's end of it ----

// A page that knows trusted types gives addresses of its own making alone to Workers.
let clusterPolicy = null;
function trustedAddress(address) {
  if (!globalThis.trustedTypes) return address;
  clusterPolicy = clusterPolicy || trustedTypes.createPolicy('cluster', {createScriptURL: url => url});
  return clusterPolicy.createScriptURL(address);
}

// {post, stop, sliced}: `hear` gets what is told. Without Workers the same code runs here.
function startClusterEngine(hear) {
  const here = () => {
    const port = {postMessage: data => { if (data.kind !== 'here') setTimeout(() => hear(data), 0); }};
    clusterEngine(port);
    return {post: asking => port.onmessage({data: asking}), stop: () => port.onmessage({data: {ask: 'stop'}}), sliced: true};
  };
  if (new URLSearchParams(location.search).has('sliced') || typeof Worker === 'undefined') return here();
  try {
    const source = engineParts().map(String).join('\n') + '\nclusterEngine(self);';
    const address = URL.createObjectURL(new Blob([source], {type: 'text/javascript'}));
    const worker = new Worker(trustedAddress(address)), waiting = [], engineNow = {post: asking => to ? to.post(asking) : waiting.push(asking), stop: () => worker.terminate()};
    let to = null;
    worker.onmessage = event => {
      if (event.data.kind === 'here') { to = {post: asking => worker.postMessage(asking)}; waiting.splice(0).forEach(to.post); }
      else hear(event.data);
    };
    worker.onerror = () => { if (!to) { to = here(); engineNow.sliced = true; waiting.splice(0).forEach(to.post); } };
    return engineNow;
  } catch (error) { return here(); }
}
