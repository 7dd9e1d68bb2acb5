// SPDX-License-Identifier: GPL-2.0-or-later
// ---- many hosts: challenges; a Worker's engine is the judge, and a solution's code is its address ----

let task = null, judging = 0; // the one that is worked on

function tasksOf(student) {
  give(new TextEncoder().encode(student));
  engine.has.live_challenges();
  return JSON.parse(engineText(engine.has.live_stories())).filter(c => c.cluster);
}

function buildTasks() {
  const box = $('challenges');
  box.hidden = false;
  const select = html('select', {id: 'which'}, html('label', {}, box, 'Challenge '));
  html('option', {value: ''}, select, 'none: change what you like');
  for (const c of tasksOf('0')) html('option', {value: c.number}, select, `${c.number}. ${c.title}`);
  const rest = html('div', {id: 'tasks', hidden: ''}, box);
  html('input', {id: 'student', type: 'text', inputmode: 'numeric', value: '0', size: 6}, html('label', {}, rest, 'Your number '));
  html('p', {id: 'task'}, rest);
  html('p', {id: 'may'}, rest);
  button(rest, 'judge it', judgeTask);
  html('p', {id: 'verdict', role: 'status'}, rest);
  html('input', {id: 'code', type: 'text', readonly: ''}, html('label', {}, html('p', {class: 'soft'}, rest), 'The code to hand in: it is your solution, and is run again. '));
  const begin = () => { location.hash = select.value ? `challenge=${select.value}&student=${$('student').value}` : ''; };
  select.addEventListener('change', begin);
  $('student').addEventListener('change', begin);
}

// As the address says; null: none.
function takeTask(named) {
  const student = /^\d{1,18}$/.test(named.get('student')) ? named.get('student') : '0';
  task = tasksOf(student).find(c => String(c.number) === named.get('challenge')) || null;
  $('which').value = task ? task.number : '';
  $('student').value = student;
  $('tasks').hidden = !task;
  $('may').textContent = $('verdict').textContent = '';
  if (!task) return;
  $('task').textContent = task.text;
  for (const key of task.keys.split(' ')) {
    const input = html('input', {type: 'text', 'data-key': key, spellcheck: 'false'}, html('label', {class: 'wide'}, $('may'), key + ' '));
    input.addEventListener('change', () => { if (input.value) views[0].stated.set(key, input.value); else views[0].stated.delete(key); changed(views[0]); });
  }
}

const solution = () => [`challenge=${task.number}`, `student=${$('student').value}`, ...wordsOfView(views[0], '', new Map(task.base.map(keyOf)))];

function showTask() {
  if (!task) return;
  $('code').value = solution().join('&');
  for (const input of $('may').querySelectorAll('input')) input.value = stated(views[0], input.dataset.key);
}

function judgeTask() {
  $('verdict').textContent = 'It is run ...';
  judging = ++runs;
  views[0].engine.post({ask: 'judge', number: judging, module: engine.module, code: $('code').value});
}

function hearVerdict(told) {
  if (told.number === judging) $('verdict').textContent = `${told.good ? '\u2713 solved' : '\u2717 not solved'}: ${told.text}`;
}
