// SPDX-License-Identifier: GPL-2.0-or-later
// A Write and a Send of which a packet is lost: what is in place before it may be used?
import {readFile} from 'node:fs/promises';
import {load} from './index.js';

const engine = await load(await readFile(new URL('live.wasm', import.meta.url)));
const {text, stories} = engine.run({
  'world': 'fabric', 'seed': 3, 'channel.loss': 0.1,
  'topology.rate': '10Gbps', 'topology.delay': '5us',
  'workload.kind': 'script', 'workload.script': 'write 9000; send 2000'
});
const early = stories[0].segments.filter(segment => segment.early);
console.log(`${early.length} segments are placed early: ${early.map(segment => segment.name).join(' ')}`);
console.log(text.split('\n').filter(line => /DELIVERS/.test(line)).join('\n'));
