// Each message: {id, settings, y}; the answer: {id, value} or {id, wrong}.
const BASE = {'world': 'fabric', 'topology.rate': '10Gbps', 'topology.delay': '5us', 'topology.mtu': 1500, 'llp.delayed_ack': 1, 'rnic.preset': 't6', 'rnic.window.bytes': '64KiB', 'workload.kind': 'script'};
const last = events => events.length ? events[events.length - 1].t / 1e6 : NaN;
const MEASURES = {
  segments: s => s.segments.filter(g => g.side === 0).length,
  placed: s => s.events.filter(e => e.kind === 'placed' && e.side === 1).length,
  delivered: s => last(s.events.filter(e => e.kind === 'delivered')),
  instants: s => new Set(s.events.filter(e => e.kind === 'done' && e.side === 1).map(e => e.t)).size,
  stream: s => Math.max(...s.segments.filter(g => g.side === 0).map(g => g.end)),
};
let engine = null;
onmessage = async ({data}) => {
  if (data.module) { engine = load(data.module); return; }
  try { postMessage({id: data.id, value: MEASURES[data.y]((await engine).run({...BASE, ...data.settings}).stories[0])}); }
  catch (error) { postMessage({id: data.id, wrong: String(error.message || error)}); }
};
