// SPDX-License-Identifier: GPL-2.0-or-later
// ---- challenges: the engine in the page is the judge; a solution's code is the solution itself ----

let challenges = [];
const student = () => /^\d{1,18}$/.test($('student').value) ? $('student').value : '0';

function buildChallenges() {
  if (!ABOUT || !ABOUT.challenges) return;
  const box = $('challenges');
  document.body.classList.add('challenging');
  box.hidden = false;
  const select = html('select', {id: 'which'}, html('label', {}, box, 'Challenge '));
  html('input', {id: 'student', type: 'text', inputmode: 'numeric', value: '0', size: 6}, html('label', {}, html('p', {}, box), 'Your number '));
  html('p', {id: 'task'}, box);
  html('button', {id: 'judge'}, box, 'judge it').addEventListener('click', judge);
  html('p', {id: 'verdict', role: 'status'}, box);
  const label = html('label', {}, html('p', {class: 'soft'}, box), 'The code to hand in: it is your solution, and is run again. ');
  html('input', {id: 'code', type: 'text', readonly: ''}, label);
  listChallenges();
  challenges.forEach(c => html('option', {value: c.number}, select, `${c.number}. ${c.title}`));
  select.addEventListener('change', () => { take(Number(select.value)); rerun(); remember(); });
  $('student').addEventListener('change', () => { listChallenges(); take(challenge.number); rerun(); remember(); });
  take(1);
}

function listChallenges() {
  give(new TextEncoder().encode(student()));
  engine.has.live_challenges();
  challenges = JSON.parse(engineText(engine.has.live_stories())).filter(c => !c.cluster);
}

// Begin with a challenge: its settings, and only what it may change can be moved.
function take(number) {
  challenge = challenges.find(c => c.number === number) || challenges[0];
  moved = new Map();
  $('which').value = challenge.number;
  $('task').textContent = challenge.text;
  $('verdict').textContent = '';
  const base = new Map(challenge.base.map(s => [s.slice(0, s.indexOf('=')), s.slice(s.indexOf('=') + 1)])), may = challenge.keys.split(' ');
  for (const knob of knobs) {
    knob.value = base.get(knob.key) || LIVE.controls.find(c => c.key === knob.key).value;
    put(knob, knob.value);
    knob.input.disabled = !may.includes(knob.key);
    knob.label.classList.toggle('idle', knob.input.disabled);
  }
  $('rest').open = may.some(key => knobs.some(k => k.key === key && k.group !== 'first'));
  $('code').value = code();
}

const code = () => [`challenge=${challenge.number}`, `student=${student()}`, ...[...moved].map(([key, value]) => `${key}=${encodeURIComponent(value)}`)].join('&');

function judgeCode(text) {
  give(new TextEncoder().encode(text));
  const verdict = engine.has.live_judge();
  return {verdict, text: engineText(engine.has.live_text())};
}

function judge() {
  $('code').value = code();
  const {verdict, text} = judgeCode(code());
  $('verdict').textContent = `${verdict === 1 ? '\u2713 solved' : '\u2717 not solved'}: ${text}`;
}

function challengeRead(words) {
  if (words.has('student') && words.get('student') !== student()) { $('student').value = words.get('student'); listChallenges(); }
  const number = Number(words.get('challenge') || challenge.number);
  if (number !== challenge.number || words.has('student')) take(number);
  STORIES = [];
}
