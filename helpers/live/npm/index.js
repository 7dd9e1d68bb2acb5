// SPDX-License-Identifier: GPL-2.0-or-later
// The engine as a function of a scenario's settings. It asks for no network, file or clock: each answer depends on what it is given alone.

const FIELD = '\x1f', RECORD = '\x1e';

/** `octets`: of live.wasm, or a compiled module. */
export async function load(octets) {
  const module = octets instanceof WebAssembly.Module ? octets : await WebAssembly.compile(octets);
  const none = () => 8;
  let has;
  const system = {fd_close: none, fd_read: none, fd_seek: none, fd_write: none, proc_exit: code => { throw Error(`the engine gave up (${code})`); },
                  clock_time_get: (id, precision, to) => { new DataView(has.memory.buffer).setBigUint64(to, 0n, true); return 0; }};
  has = (await WebAssembly.instantiate(module, {wasi_snapshot_preview1: system})).exports;
  has._initialize();

  const textAt = address => {
    const memory = new Uint8Array(has.memory.buffer);
    return new TextDecoder().decode(memory.subarray(address, memory.indexOf(0, address)));
  };
  const give = octetsGiven => {
    const room = has.live_room(octetsGiven.length);
    if (!room) throw Error('not enough memory');
    new Uint8Array(has.memory.buffer).set(octetsGiven, room);
  };
  const clean = text => String(text).replace(/[\x1e\x1f\0]/g, ' ');
  const answer = good => {
    if (!good) throw new RangeError(textAt(has.live_text()));
    return {text: textAt(has.live_text()), stories: JSON.parse(textAt(has.live_stories()))};
  };

  return {
    /** Runs a scenario: {"topology.rate": "10Gbps", ...}; `beside`: a second receive path. Throws a RangeError that says what is wrong. */
    run(settings, {beside = 'none', repeat = 0} = {}) {
      const sets = Object.entries(settings).map(([key, value]) => `set${FIELD}${clean(key)}=${clean(value)}${RECORD}`);
      give(new TextEncoder().encode(`file${FIELD}scenario${RECORD}repeat${FIELD}${Number(repeat)}${RECORD}beside${FIELD}${clean(beside)}${RECORD}${sets.join('')}`));
      return answer(has.live_scenario());
    },
    /** Tells a capture (pcap, pcapng) of iWARP. */
    capture(name, octetsGiven) {
      const head = new TextEncoder().encode(clean(name) + '\0'), all = new Uint8Array(head.length + octetsGiven.length);
      all.set(head);
      all.set(octetsGiven, head.length);
      give(all);
      return answer(has.live_capture(all.length));
    },
    /** Judges the code of a challenge. */
    judge(code) {
      give(new TextEncoder().encode(clean(code)));
      const verdict = has.live_judge();
      return {solved: verdict === 1, valid: verdict >= 0, text: textAt(has.live_text())};
    },
    /** The eight labs, with their questions to a student. */
    labs(student) {
      give(new TextEncoder().encode(clean(student)));
      return answer(has.live_labs()).stories;
    },
    /** One point of a lab, times in microseconds. */
    labPoint(lab, x, by) {
      const value = has.live_lab_point(lab, x, by);
      if (Number.isNaN(value)) throw new RangeError(textAt(has.live_text()));
      return value;
    },
    /** The questions of the lab whose code this is, and which answers are right. */
    judgeLab(code) {
      give(new TextEncoder().encode(clean(code)));
      return answer(has.live_lab_judge()).stories;
    }
  };
}
