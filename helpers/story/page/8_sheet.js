// SPDX-License-Identifier: GPL-2.0-or-later
// ---- a student's sheet: questions with fields, a task, and the code to hand in; the engine in the page marks it as --verify does ----

let sheet = null; // {student, sets, draw}, of the one that is worked on

function buildSheet() {
  if (!ABOUT || !ABOUT.sheets || !Object.keys(ABOUT.sheets).length) return;
  const box = html('section', {id: 'sheet', 'aria-label': 'sheet'});
  $('side').insertBefore(box, $('live'));
  html('h2', {}, box, 'Your sheet');
  const number = html('input', {id: 'sheet-student', type: 'text', inputmode: 'numeric', size: 6, autocomplete: 'off'}, html('label', {}, html('p', {}, box), 'Your number '));
  html('div', {id: 'sheet-body'}, box);
  html('p', {id: 'sheet-verdict', role: 'status'}, box);
  number.addEventListener('change', () => { takeSheet(number.value); if (sheet) { rerun(); remember(); } });
}

// Begin with a student's sheet: its settings, and only what the task names can be moved.
function takeSheet(number) {
  if (!$('sheet') || (sheet && sheet.student === number)) return;
  $('sheet-student').value = number;
  $('sheet-body').textContent = '';
  if (!ABOUT.sheets[number]) {
    sheet = null;
    $('sheet-verdict').textContent = `There is no sheet for the number ${number}: this course has ${Object.keys(ABOUT.sheets)[0]} to ${Object.keys(ABOUT.sheets).pop()}.`;
    return;
  }
  sheet = {student: number, ...ABOUT.sheets[number]};
  moved = new Map();
  STORIES = [];
  $('sheet-verdict').textContent = '';
  const told = markSheet('');
  if (!told.good) { $('sheet-verdict').textContent = told.text; return; }
  putSheet(JSON.parse(told.stories));
}

function markSheet(codeText) {
  request(sheet.sets, 'none', ['draw', ...sheet.draw], ['code', codeText]);
  return answerOf(engine.has.live_sheet());
}

function putSheet({questions, task}) {
  const list = html('ol', {}, $('sheet-body')), may = task.keys.split(/[, ]+/);
  sheet.fields = questions.map((question, i) => {
    const item = html('li', {}, list, question.text + ' ');
    return question.fields.map((f, k) => {
      const label = html('label', {class: 'field'}, item, `${f.label} `);
      const input = html('input', {type: 'text', autocomplete: 'off', spellcheck: 'false', id: `a${i + 1}-${k + 1}`, placeholder: f.example}, label);
      if (f.unit && f.unit !== f.label) label.append(` ${f.unit}`);
      input.addEventListener('input', showCode);
      return input;
    });
  });
  html('p', {id: 'sheet-task'}, $('sheet-body'), `Task: change ${task.keys} alone, so ${task.text}. Use the controls below.`);
  html('button', {id: 'sheet-judge'}, $('sheet-body'), 'mark it').addEventListener('click', judgeSheet);
  const label = html('label', {}, html('p', {class: 'soft'}, $('sheet-body')), 'The code to hand in: it is what you wrote and changed, and is run again. ');
  html('input', {id: 'sheet-code', type: 'text', readonly: ''}, label);
  const own = new Map(sheet.sets.map(s => [s.slice(0, s.indexOf('=')), s.slice(s.indexOf('=') + 1)]));
  for (const knob of knobs) {
    knob.value = own.get(knob.key) || LIVE.controls.find(c => c.key === knob.key).value;
    put(knob, knob.value);
    knob.input.disabled = !may.includes(knob.key);
    knob.label.classList.toggle('idle', knob.input.disabled);
  }
  putFreeKeys(may.filter(key => !knobs.some(k => k.key === key)));
  $('rest').open = true;
  hideUntilPredicted();
}

// Keys of the task that have no control: a text each.
function putFreeKeys(keys) {
  for (const key of keys) {
    const input = html('input', {type: 'text', autocomplete: 'off', id: `key-${key}`}, html('label', {class: 'field'}, $('sheet-task'), ` ${key} `));
    input.addEventListener('change', () => { if (input.value) moved.set(key, input.value); else moved.delete(key); rerun(); remember(); });
  }
}

// A prediction is one only before the run is seen: it stays as it is when the chart shows.
function hideUntilPredicted() {
  const first = sheet.fields[0] && sheet.fields[0][0];
  const open = () => { for (const id of ['player', 'text']) $(id).hidden = !first.readOnly; };
  if (!first) return;
  html('button', {id: 'sheet-predict'}, first.parentNode.parentNode, 'I predict this: show the run').addEventListener('click', event => {
    if (!first.value) return;
    first.readOnly = true;
    event.target.hidden = true;
    open();
  });
  open();
}

function sheetCode() {
  const answers = sheet.fields.map(fields => fields.map(f => f.value.trim()).join('|')).map((a, i) => [a, i + 1]).filter(([a]) => a.replace(/\|/g, ''));
  return [`sheet=${ABOUT.number}`, `student=${sheet.student}`, ...answers.map(([a, i]) => `a${i}=${encodeURIComponent(a)}`),
          ...[...moved].map(([key, value]) => `${key}=${encodeURIComponent(value)}`)].join('&');
}

function showCode() {
  if ($('sheet-code')) $('sheet-code').value = sheetCode();
}

function judgeSheet() {
  showCode();
  const told = markSheet(sheetCode());
  if (!told.good) { $('sheet-verdict').textContent = told.text; return; }
  const {questions, task} = JSON.parse(told.stories), right = questions.filter(q => q.right).length;
  questions.forEach((q, i) => sheet.fields[i].forEach(f => f.classList.toggle('right', q.right)));
  const points = right + 2 * task.done, most = questions.length + 2;
  $('sheet-verdict').textContent = `${points} of ${most} points. Right: ${questions.map((q, i) => q.right ? i + 1 : 0).filter(Boolean).join(', ') || 'none'}. Task ${task.done ? 'done' : 'not done'}: ${task.said || 'nothing is changed'}.`;
  report(points, most);
}

// A learning platform (SCORM 1.2) hears of the points, where the page is in one.
function report(points, most) {
  let place = window, api = null;
  try {
    for (let i = 0; i < 8 && !api; i++, place = place.parent) api = place.API || null;
    if (!api) return;
    api.LMSInitialize('');
    api.LMSSetValue('cmi.core.score.max', String(most));
    api.LMSSetValue('cmi.core.score.raw', String(points));
    api.LMSSetValue('cmi.core.lesson_status', points === most ? 'passed' : 'incomplete');
    api.LMSCommit('');
  } catch (error) { /* a frame of another origin: there is nobody to tell */ }
}
