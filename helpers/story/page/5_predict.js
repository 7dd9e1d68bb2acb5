// SPDX-License-Identifier: GPL-2.0-or-later
// ---- predict: questions about what the rules say, asked before it is shown ----
// A question stands before a step. Each wrong choice knows why it is wrong.

let questions = null, answered = true, right = 0, count = 0, asked = -1, question = null;

const IN_ORDER = 'Messages are delivered in the order in which they were sent, each when all its octets and all before it are there (RFC 5041 5.4).';
const ANY_ORDER = 'Segments are placed in whatever order they come (RFC 5041 5.3); delivery is another matter.';

function questionBefore(position) {
  if (!questions) questions = makeQuestions();
  return questions.get(position) || null;
}

function makeQuestions() {
  const out = new Map(), ever = new Map();
  // At most n of a name, in one story or in all; what cannot be asked does not count.
  const limited = (known, name, n, make) => {
    const had = known.get(name) || 0, q = had < n ? make() : null;
    if (q) known.set(name, had + 1);
    return q;
  };
  takes.forEach(x => {
    const once = new Map();
    askWaiting(x, out, (name, n, make) => limited(ever, name, n, make));
    x.story.events.forEach((e, i) => {
      const position = x.position[i] - 1;
      if (position < 0 || steps[position].setup || !isTold(e)) return;
      for (const [kind, inAll, name, n, make] of ASKED) {
        if (out.has(position) || e.kind !== kind) continue;
        const q = limited(inAll ? ever : once, kind + name(x, e, i), n, () => make(x, e, i));
        if (q) out.set(position, placed(q, x, position));
      }
    });
  });
  return out;
}

// The story that a question is about is named where the others tell something else, and not by what it does.
function placed(q, x, position) {
  const alone = STORIES.length > 1 && steps[position].parts.length === 1;
  return {...q, take: x.take, text: q.text.replace('%', alone ? ` (${['first', 'second'][x.take]} picture)` : '')};
}

const opOf = (x, e) => e.message !== undefined ? x.story.messages[e.message].op : '';
const nameOf = (x, index) => x.story.segments[index].name;
const choice = (text, why) => ({text, why});

// A message whose last octet is in place while something before it is missing.
function askWaiting(x, out, limited) {
  const story = x.story;
  story.messages.forEach((m, k) => {
    const own = story.segments.filter(g => g.message === k && g.conn === m.conn && g.side === m.side);
    if (m.delivered === undefined || m.brought === undefined || m.brought === m.last || own.length < m.segments) return;
    if (own.some(g => g.placed === undefined) || story.segments[m.brought].message === k) return;
    const complete = largest(own.map(g => g.placed)), d = story.events[m.delivered];
    const hole = story.segments[m.brought];
    const open = hole.placed !== undefined ? hole.placed : hole.arrived;
    if (open === undefined || open <= complete || d.t <= story.events[complete].t) return;
    const position = x.position[complete]; // the step after the one that completed it
    if (position >= steps.length || out.has(position)) return;
    const what = m.op === 'Write' ? `the Write of ${plural(m.length, 'octet')}` : `the ${m.op}${m.msn ? ', MSN ' + m.msn : ''}`;
    const other = own.find(g => g !== hole) || hole;
    const q = limited('waits for ' + m.brought, 2, () => ({
      nothing: true,
      text: `All octets of ${what} are in ${WHO[d.side]}'s memory now%. What may ${WHO[d.side]}'s program use of it?`,
      choices: [choice(`nothing yet: ${hole.name} must arrive first`, ''),
                choice('all of it: every octet is in its place', `In place is not delivered. ${IN_ORDER} ${hole.name} is missing.`),
                choice('the first half: octets may be used from the front on', `No part of a message is delivered before the rest. ${IN_ORDER}`),
                choice(`nothing yet: ${other.name} must arrive again`, `${other.name} is in place and is not retransmitted for this. ${hole.name} is missing.`)],
      rule: `${IN_ORDER} Here ${hole.name} arrives ${us(d.t - story.events[complete].t)} us later.`}));
    if (q) out.set(position, placed(q, x, position));
  });
}

const PLACES = {
  place: ['into its place in the buffer, at once', 'place: DDP\'s header says where each octet goes, so nothing has to wait for order (RFC 5041 5.3).'],
  hold: ['into the adapter\'s own memory, until the hole is filled', 'hold: this adapter keeps early segments in its own memory and places them in order.'],
  copy: ['into the kernel\'s buffer, to be copied later', 'copy: a conventional receiver puts the stream in order in the kernel and copies it to the program.'],
  discard: ['nowhere: the adapter drops it, and it must be retransmitted', 'discard: this adapter takes segments in order only.']};

function isEarly(x, e) {
  const kind = {place: 'arrived', hold: 'landed', copy: 'landed', discard: 'refused'}[x.story.name];
  return e.kind === kind && e.segment !== undefined && e.twice === undefined && (x.story.name === 'discard' ? /discards/.test(e.say) : e.mood === MOODS.indexOf('early'));
}

function askEarly(x, e) {
  if (!isEarly(x, e)) return null;
  const g = x.story.segments[e.segment], hole = g.waits !== undefined ? nameOf(x, g.waits) : 'an earlier segment';
  const own = PLACES[x.story.name][1];
  const all = Object.keys(PLACES).sort((a, b) => (b === x.story.name) - (a === x.story.name));
  return {text: `${g.name} arrives at ${WHO[e.side]} while ${hole} is missing%. Where does it go?`,
          choices: all.map(path => choice(PLACES[path][0], `That is receive ${path}. ${own}`)), rule: own};
}

function askPost(x, e) {
  const m = x.story.messages.find(n => n.side === e.side && n.conn === e.conn && n.length === e.length && n.segments > 1);
  if (!m) return null;
  const n = m.segments, full = x.story.segments[m.first].length;
  const why = `Every segment but the last is full: ${plural(full, 'octet')} of payload here, what an FPDU in one packet leaves (RFC 5044 4.5). ${m.length} / ${full} rounded up is ${n}.`;
  return {text: `${WHO[e.side]} ${e.say}. Into how many DDP segments is it cut%?`,
          choices: [n, n + 1, Math.max(1, n - 1), 2 * n].filter((v, i, l) => l.indexOf(v) === i).map(v => choice(String(v), why)), rule: why};
}

function askLost(x, e) {
  const name = e.segment !== undefined ? nameOf(x, e.segment) : 'it';
  const rule = `Loss is the lower layer's business: it retransmits ${name} (RFC 5041 3, item 3, requires reliable transfer of it). Messages that wait for it are delivered later.`;
  return {text: `${name} is lost in transit to ${WHO[1 - e.side]}. What does ${WHO[1 - e.side]}'s program notice?`,
          choices: [choice('nothing: messages that wait for it are delivered later', ''),
                    choice('an error completion for its message', rule), choice('a message with a hole in it', `A message is delivered whole or not at all. ${rule}`),
                    choice('the end of the stream', `A loss ends no stream; an error in a header does. ${rule}`)], rule};
}

const isLate = (x, e) => {
  const m = x.story.messages[e.message];
  return m && m.brought !== undefined && m.brought !== m.last;
};

function askLate(x, e, index) {
  if (!isLate(x, e)) return null;
  const m = x.story.messages[e.message], story = x.story, truth = m.brought;
  const others = story.segments.map((g, i) => i).filter(i => {
    const g = story.segments[i];
    return i !== truth && g.side === m.side && g.conn === m.conn && g.placed !== undefined && g.placed < index;
  });
  const wrong = [m.last, ...others.reverse()].filter((v, i, l) => v !== truth && l.indexOf(v) === i).slice(0, 3);
  if (wrong.length < 2) return null;
  const what = m.op === 'Write' ? `the Write of ${plural(m.length, 'octet')}` : `the ${m.op}${m.msn ? ', MSN ' + m.msn : ''}`;
  return {text: `Now ${what} may be used at ${WHO[e.side]}%. Which segment was the last that it had to wait for?`,
          choices: [choice(nameOf(x, truth), ''), ...wrong.map(i => choice(nameOf(x, i), whyNot(x, i, truth)))], rule: IN_ORDER};
}

function whyNot(x, i, truth) {
  const g = x.story.segments[i], placed = x.story.events[g.placed === undefined ? g.arrived : g.placed];
  return placed ? `${g.name} had been in place since ${us(placed.t)} us. ${nameOf(x, truth)} arrived last. ${ANY_ORDER}` : ANY_ORDER;
}

function askTold(x, e) {
  const op = opOf(x, e), program = WHO[e.side] + "'s program";
  const nothing = choice('nothing', 'Only a message into a receive buffer completes a receive (RFC 5040 5.3).');
  const receive = choice('a receive is complete, with its length', 'A Write uses no receive buffer of the peer, and its program is not told (RFC 5040 5.1).');
  const done = choice('its own request is complete', 'The request belongs to the other side.');
  const error = choice('an error: it came out of order', ANY_ORDER);
  if (op === 'Write') return {text: `The last octet of a Write is in ${WHO[e.side]}'s memory, and all before it. What is ${program} told?`, choices: [nothing, receive, done, error], rule: 'A Write places octets and tells nobody at the far end (RFC 5040 5.1); a Send behind it does.', nothing: true};
  if (/^Send/.test(op)) return {text: `All of a ${op} is here, and all before it. What is ${program} told?`, choices: [receive, nothing, done, error], rule: 'A Send fills a posted receive buffer, and its completion says so (RFC 5040 5.3).'};
  if (op === 'Read Response') return {text: `All octets that ${WHO[e.side]} asked for are here, and all before them. What is ${program} told?`,
    choices: [choice('its Read is complete', ''), {...receive, why: 'A Read Response goes to the buffer that the Read named; no receive is used (RFC 5040 5.2.2).'}, choice('nothing: the responder is told', 'The responder\'s program does not even know of the Read (RFC 5040 5.2).'), error], rule: 'The Read completes at the side that asked (RFC 5040 5.2.2, 5.5).'};
  return null;
}

// ---- where octets go, what is acknowledged, what is sent again, what an end of a request means ----

const HEADERS = 'A tagged segment (Write, Read Response) names a buffer and an offset in it; an untagged one (Send) names a message, and the receiver has chosen its buffer (RFC 5041 5.1).';

function askWhere(x, e) {
  const g = e.segment === undefined ? null : x.story.segments[e.segment];
  if (!g || !g.buffer) return null;
  const tagged = choice('the header: an STag and an offset in that buffer', HEADERS), own = choice(`${WHO[e.side]} itself: it takes the next buffer that its program posted`, HEADERS);
  const order = choice('the order in which segments come: one goes behind the other', ANY_ORDER), program = choice('the program, when it asks for the octets', 'It need not even run: the adapter places them.');
  return {text: `${g.name}, ${g.op}, is at ${WHO[e.side]}%. What says at which place in memory it is put?`,
          choices: /^Send/.test(g.op) ? [own, tagged, order, program] : [tagged, own, order, program], rule: HEADERS};
}

// The first octet of the other side's stream that has not landed; those that have.
function landedBefore(x, e, index) {
  const there = [];
  for (let i = 0; i <= index; i++) {
    const b = x.story.events[i];
    if (b.kind === 'landed' && b.side === e.side && b.conn === e.conn && b.end !== undefined) there.push(b);
  }
  return there;
}
const hasHole = (x, e, index) => landedBefore(x, e, index).some(b => b.key > e.key);

function askBelow(x, e, index) {
  const there = landedBefore(x, e, index);
  if (x.story.sctp || x.several || !there.length || !e.key) return null;
  const most = largest(there.map(b => b.end)), last = there[there.length - 1];
  const rule = `TCP acknowledges all octets below a number: the first that is missing (RFC 9293 3.4)${most > e.key ? '. What lies behind a hole is reported by SACK (RFC 2018)' : ''}.`;
  const wrong = [most, last.key, last.end, e.key + 1460, 2 * e.key, e.key - 1].filter((v, i, l) => v !== e.key && v > 0 && l.indexOf(v) === i).slice(0, 3);
  return {text: `${WHO[e.side]} acknowledges%: it has everything of ${WHO[1 - e.side]}'s stream below which octet?`,
          choices: [e.key, ...wrong].map(v => choice(String(v), rule)), rule};
}

function askEdge(x, e) {
  if (e.edge === undefined || !e.key || x.several || x.story.sctp) return null;
  const window = e.edge - e.key, rule = `The window counts from what is acknowledged: ${e.key} + ${window} = ${e.edge} (RFC 9293 3.8.6).`;
  const wrong = [window, e.edge - 2 * e.key, e.edge + e.key, 2 * window].filter((v, i, l) => v !== e.edge && v > 0 && l.indexOf(v) === i).slice(0, 3);
  return {text: `${WHO[e.side]} acknowledges octet ${e.key} and offers a window of ${window}%. Below which octet may ${WHO[1 - e.side]} send?`,
          choices: [e.edge, ...wrong].map(v => choice(String(v), rule)), rule};
}

function askAgain(x, e, index) {
  if (e.segment === undefined) return null;
  const truth = e.segment, g = x.story.segments[truth];
  const others = x.story.segments.map((s, i) => i).filter(i => i !== truth && x.story.segments[i].side === g.side && x.story.segments[i].conn === g.conn && x.story.segments[i].sent < index);
  const near = others.sort((a, b) => Math.abs(a - truth) - Math.abs(b - truth)).slice(0, 3);
  const rule = e.say[0].toUpperCase() + e.say.slice(1) + (e.rfc ? ` (${e.rfc}).` : ' (RFC 5041 3, item 3: the lower layer repairs a loss).');
  if (near.length < 2) return null;
  return {text: `${WHO[e.side]} is about to send a segment once more%. Which?`,
          choices: [choice(nameOf(x, truth), ''), ...near.map(i => choice(nameOf(x, i), `Of ${nameOf(x, i)} nothing says that it is lost. ${rule}`))], rule};
}

// Why nothing left before this segment, though there was more: known where one limit was reached and the other was not.
function askPause(x, e, index) {
  const events = x.story.events, own = b => b.side === e.side && b.conn === e.conn;
  let before = index - 1;
  while (before >= 0 && !(own(events[before]) && events[before].kind === 'left')) before--;
  const waited = before >= 0 ? e.t - events[before].t : 0, g = e.segment === undefined ? null : x.story.segments[e.segment];
  const posted = g && g.message !== undefined && g.message === (x.story.segments[events[before === -1 ? index : before].segment] || {}).message;
  if (x.several || x.story.sctp || !posted || waited < 5e6) return null;
  const edge = largest(events.slice(0, before + 1).filter(b => b.kind === 'window' && b.side !== e.side && b.edge !== undefined).map(b => b.edge));
  if (edge === -Infinity) return null;
  const full = e.end > edge, room = choice('the window of the receiver: nothing may go beyond its right edge', 'The right edge was further on: the window had room.');
  const network = choice('the congestion window: what may be in flight for the sake of the network', 'The window of the receiver was used up; it is what holds the next segment.');
  const rule = full ? `The right edge that ${WHO[e.side]} knew was ${edge}, and the next segment ends at ${e.end} (RFC 9293 3.8.6).` : `The window reached to ${edge}, and the next segment ends at ${e.end}: it is the initial or the reduced congestion window that is used up (RFC 5681 3.1).`;
  return {text: `${WHO[e.side]} has more to send, and for ${us(waited)} us nothing has left%. Which limit does it wait for?`,
          choices: [full ? room : network, full ? network : room, choice('its program, which must post again', 'The message was posted as a whole.'), choice('a free line', `The line was idle. ${rule}`)], rule};
}

const kindOfDone = e => /FetchAdd|CmpSwap/.test(e.say) ? 'atomic' : (/that its (Write|Read|Send)/.exec(e.say) || [''])[1] + (/of a receive/.test(e.say) ? 'receive' : '');

function askDone(x, e) {
  const kind = kindOfDone(e), it = WHO[e.side], peer = WHO[1 - e.side];
  if (kind === 'atomic') return askNumber(x, e);
  const again = choice(`nothing: ${it} may use its own buffer again, no more`, ''), placed = choice(`every octet is in its place there`, 'RFC 5040 5.5, rule 9: it "does not guarantee that the ULP Message has yet reached the Remote Peer ULP Buffer".');
  const read = choice(`${peer}'s program has looked at them`, 'RFC 5040 5.5, rule 9: nor that it has "been examined by the Remote ULP".');
  if (kind === 'Write' || kind === 'Send')
    return {text: `${it} is told that a request of its own, a ${kind}, is complete%. What does that say of ${peer}'s memory?`, choices: [again, placed, read, choice(`${peer}'s program was told of it`, 'Its own adapter tells it, and only of what fills a receive buffer (RFC 5040 5.3).')],
            rule: 'Complete says that the sender may use its buffer again (RFC 5040 5.5, rule 9). What the peer has, the peer must say, in a message of its own.'};
  if (kind === 'Read')
    return {text: `${it}'s request to fetch octets is complete%. Who at ${peer} took part in it?`, choices: [choice('its adapter alone', ''), choice('its program: it posted the answer', 'No program posts a Read Response (RFC 5040 5.2).'), choice('its program: it lent a receive buffer', 'A Read Request goes to a queue of the adapter (RFC 5040 5.2.1).')],
            rule: `${peer}'s adapter answers by itself: its program registered the memory, long before (RFC 5040 5.2).`};
  return null;
}

function askNumber(x, e) {
  const was = (/it was (\d+)/.exec(e.say) || [])[1], name = (/FetchAdd|CmpSwap/.exec(e.say) || [])[0];
  const all = x.story.events.filter(d => d.kind === 'done').map(d => (/it was (\d+)/.exec(d.say || '') || [])[1]).filter((v, i, l) => v !== undefined && v !== was && l.indexOf(v) === i);
  const rule = 'What comes back is what the number was before (RFC 7306 5.1); of several the first changes it first.';
  const wrong = [...all, '1', String(Number(was) + 1), '200'].filter((v, i, l) => v !== was && l.indexOf(v) === i).slice(0, 3);
  return was === undefined ? null : {text: `A ${name} is complete. Which number does it bring back?`, choices: [was, ...wrong].map(v => choice(v, rule)), rule};
}

const ENDS = ['1/1/00, invalid STag', '1/1/01, base or bounds violation', '1/2/01, invalid QN', '1/2/02, no buffer available', '1/2/03, MSN out of range',
              '1/2/05, message longer than the buffer', '0/1/02, access rights violation', '0/2/05, invalid opcode', '2/0/02, CRC error'];

function askTerminate(x, e, index) {
  const stream = x.several ? `Stream c${e.conn}` : 'The stream', truth = (/^TERMINATES the stream: ([^.]*)\./.exec(e.say) || [])[1];
  if (!truth) return null;
  const cause = (/The cause is ([^:]*:[^.]*)\./.exec(e.say) || [])[1];
  const why = `What it is about: ${cause || truth}. The code is of the layer that finds it: RDMAP 0, DDP 1, MPA 2 (RFC 5040 4.8, 7).`;
  const wrong = ENDS.filter(t => t.slice(0, 6) !== truth.slice(0, 6)), from = index % wrong.length;
  const last = lastBefore(x, e, index);
  return {text: `${last ? last + ' has come to ' + WHO[e.side] + '. ' : ''}${stream} cannot go on. With which layer, type and code does ${WHO[e.side]} end it?`,
          choices: [choice(truth, ''), ...[0, 1, 2].map(i => choice(wrong[(from + 2 * i) % wrong.length], why))], rule: why};
}

function lastBefore(x, e, index) {
  for (let i = index - 1; i >= 0; i--) {
    const b = x.story.events[i];
    if (b.conn === e.conn && b.side !== e.side && b.kind === 'sent' && b.segment !== undefined) {
      const g = x.story.segments[b.segment];
      return `${g.name} (${g.op}, ${plural(g.length, 'octet')})`;
    }
  }
  return '';
}

// A question of an event: its kind; whether all stories count together; under which name, and how often it is asked; the question.
const ASKED = [
  ['post', false, (x, e) => e.length, 1, askPost],
  ['lost', true, () => '', 1, askLost],
  ['arrived', false, () => 'early', 1, askEarly],
  ['landed', false, () => 'early', 1, askEarly],
  ['refused', false, () => 'early', 1, askEarly],
  ['delivered', true, (x, e) => x.several || !isLate(x, e) ? '' : x.story.messages[e.message].brought, 1, askLate],
  ['delivered', true, opOf, 1, askTold],
  ['placed', true, opOf, 1, askWhere],
  ['resent', true, (x, e) => x.several ? '' : e.segment, 1, askAgain],
  ['window', true, (x, e, i) => hasHole(x, e, i), 1, askBelow],
  ['window', true, () => 'edge', 1, askEdge],
  ['left', true, () => '', 2, askPause],
  ['done', true, (x, e) => kindOfDone(e) === 'atomic' ? e.say : kindOfDone(e), 1, askDone],
  ['terminate_sent', false, (x, e) => e.conn, 1, askTerminate]];

// ---- asking ----

function ask(q) {
  const box = $('question'), turn = (at * 7 + q.text.length) % q.choices.length;
  question = {...q, choices: q.choices.slice(turn).concat(q.choices.slice(0, turn))};
  question.correct = question.choices.indexOf(q.choices[0]);
  answered = false;
  asked = at;
  box.textContent = '';
  box.hidden = false;
  html('p', {}, box, question.text);
  question.choices.forEach((c, i) => html('button', {}, box, `${i + 1}: ${c.text}`).addEventListener('click', () => answer(i)));
  box.querySelector('button').focus({preventScroll: true});
}

function answer(i) {
  if (answered || i >= question.choices.length) return;
  const buttons = $('question').querySelectorAll('button');
  answered = true;
  count++;
  right += i === question.correct;
  buttons[question.correct].className = 'right';
  if (i !== question.correct) {
    buttons[i].className = 'wrong';
    html('p', {}, $('question'), question.choices[i].why);
  }
  if (i === question.correct || question.rule !== question.choices[i].why) html('p', {}, $('question'), question.rule);
  $('score').textContent = `${right} of ${count} right`;
  go(at + 1);
}
