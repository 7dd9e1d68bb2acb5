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
  const out = new Map();
  takes.forEach(x => {
    const once = new Map();
    const first = (name, n = 1) => { const k = once.get(name) || 0; once.set(name, k + 1); return k < n; };
    askWaiting(x, out);
    x.story.events.forEach((e, i) => {
      const position = x.position[i] - 1, here = q => { if (q && !out.has(position)) out.set(position, {...q, take: x.take}); };
      if (position < 0 || steps[position].setup || !isTold(e)) return;
      if (e.kind === 'post' && first('post ' + e.length, 1) && first('posts', 2)) here(askPost(x, e));
      if (e.kind === 'lost' && first('lost')) here(askLost(x, e));
      if (isEarly(x, e) && first('early', 2)) here(askEarly(x, e));
      if (e.kind === 'delivered' && isLate(x, e) && first('late', 3)) here(askLate(x, e, i));
      else if (e.kind === 'delivered' && first('delivered ' + opOf(x, e))) here(askTold(x, e));
      if (e.kind === 'terminate_sent') here(askTerminate(x, e, i));
    });
  });
  return out;
}

const opOf = (x, e) => e.message !== undefined ? x.story.messages[e.message].op : '';
const nameOf = (x, index) => x.story.segments[index].name;
const pathOf = x => STORIES.length > 1 ? ` (receive ${x.story.name})` : '';
const choice = (text, why) => ({text, why});

// A message whose last octet is in place while something before it is missing.
function askWaiting(x, out) {
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
    out.set(position, {
      take: x.take, nothing: true,
      text: `All octets of ${what} are in ${WHO[d.side]}'s memory now${pathOf(x)}. What may ${WHO[d.side]}'s program use of it?`,
      choices: [choice(`nothing yet: ${hole.name} must arrive first`, ''),
                choice('all of it: every octet is in its place', `In place is not delivered. ${IN_ORDER} ${hole.name} is missing.`),
                choice('the first half: octets may be used from the front on', `No part of a message is delivered before the rest. ${IN_ORDER}`),
                choice(`nothing yet: ${other.name} must arrive again`, `${other.name} is in place and is not retransmitted for this. ${hole.name} is missing.`)],
      rule: `${IN_ORDER} Here ${hole.name} arrives ${us(d.t - story.events[complete].t)} us later.`});
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
  const g = x.story.segments[e.segment], hole = g.waits !== undefined ? nameOf(x, g.waits) : 'an earlier segment';
  const own = PLACES[x.story.name][1];
  const all = Object.keys(PLACES).sort((a, b) => (b === x.story.name) - (a === x.story.name));
  return {text: `${g.name} arrives at ${WHO[e.side]} while ${hole} is missing (receive ${x.story.name}). Where does it go?`,
          choices: all.map(path => choice(PLACES[path][0], `That is receive ${path}. ${own}`)), rule: own};
}

function askPost(x, e) {
  const m = x.story.messages.find(n => n.side === e.side && n.conn === e.conn && n.length === e.length && n.segments > 1);
  if (!m) return null;
  const n = m.segments, full = x.story.segments[m.first].length;
  const why = `Every segment but the last is full: ${plural(full, 'octet')} of payload here, what an FPDU in one packet leaves (RFC 5044 4.5). ${m.length} / ${full} rounded up is ${n}.`;
  return {text: `${WHO[e.side]} ${e.say}. Into how many DDP segments is it cut${pathOf(x)}?`,
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
  const m = x.story.messages[e.message], story = x.story, truth = m.brought;
  const others = story.segments.map((g, i) => i).filter(i => {
    const g = story.segments[i];
    return i !== truth && g.side === m.side && g.conn === m.conn && g.placed !== undefined && g.placed < index;
  });
  const wrong = [m.last, ...others.reverse()].filter((v, i, l) => v !== truth && l.indexOf(v) === i).slice(0, 3);
  const what = m.op === 'Write' ? `the Write of ${plural(m.length, 'octet')}` : `the ${m.op}${m.msn ? ', MSN ' + m.msn : ''}`;
  return {text: `Now ${what} may be used at ${WHO[e.side]}${pathOf(x)}. Which segment was the last that it had to wait for?`,
          choices: [choice(nameOf(x, truth), ''), ...wrong.map(i => choice(nameOf(x, i), whyNot(x, i, truth)))], rule: IN_ORDER};
}

function whyNot(x, i, truth) {
  const g = x.story.segments[i], placed = x.story.events[g.placed === undefined ? g.arrived : g.placed];
  return placed ? `${g.name} had been in place since ${us(placed.t)} us. ${nameOf(x, truth)} arrived last. ${ANY_ORDER}` : ANY_ORDER;
}

function askTold(x, e) {
  const op = opOf(x, e), program = WHO[e.side] + "'s program";
  const nothing = choice(`nothing: a Write is not announced`, 'Only a message into a receive buffer completes a receive (RFC 5040 5.3).');
  const receive = choice('a receive is complete, with its length', 'A Write uses no receive buffer of the peer, and its program is not told (RFC 5040 5.1).');
  const done = choice('its own request is complete', 'The request belongs to the other side.');
  const error = choice('an error: it came out of order', ANY_ORDER);
  if (op === 'Write') return {text: `The last octet of a Write is in ${WHO[e.side]}'s memory, and all before it. What is ${program} told?`, choices: [nothing, receive, done, error], rule: 'A Write places octets and tells nobody at the far end (RFC 5040 5.1); a Send behind it does.', nothing: true};
  if (/^Send/.test(op)) return {text: `All of a ${op} is here, and all before it. What is ${program} told?`, choices: [receive, {...nothing, text: 'nothing'}, done, error], rule: 'A Send fills a posted receive buffer, and its completion says so (RFC 5040 5.3).'};
  if (op === 'Read Response') return {text: `All of a Read Response is here, and all before it. What is ${program} told?`,
    choices: [choice('its Read is complete', ''), {...receive, why: 'A Read Response goes to the buffer that the Read named; no receive is used (RFC 5040 5.2.2).'}, choice('nothing: the responder is told', 'The responder\'s program does not even know of the Read (RFC 5040 5.2).'), error], rule: 'The Read completes at the side that asked (RFC 5040 5.2.2, 5.5).'};
  return null;
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
