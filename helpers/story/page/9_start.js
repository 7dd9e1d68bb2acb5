// SPDX-License-Identifier: GPL-2.0-or-later
// ---- start ----

function listen() {
  $('first').addEventListener('click', () => { leave(); go(0); });
  $('back').addEventListener('click', () => { leave(); go(at - 1); });
  $('forth').addEventListener('click', () => { pause(); forth(); });
  $('event').addEventListener('click', surprise);
  $('last').addEventListener('click', () => { leave(); go(steps.length); });
  $('play').addEventListener('click', play);
  $('earlier').addEventListener('click', () => { showLog(Math.max(0, logFrom - ROWS)); });
  $('later').addEventListener('click', () => { showLog(Math.min(steps.length - ROWS, logFrom + ROWS)); });
  $('regions').addEventListener('toggle', drawRegions);
  $('predict').addEventListener('change', () => { asked = -1; leave(); go(at); });
  $('slider').addEventListener('input', () => { leave(); go(Number($('slider').value)); });
  document.addEventListener('keydown', onKey);
  window.addEventListener('hashchange', readState);
  window.addEventListener('resize', () => { takes.forEach(x => { x.columns = null; }); takes.forEach(drawChart); });
  window.addEventListener('beforeprint', () => print(true));
  window.addEventListener('afterprint', () => print(false));
}

// On paper texts are unfolded, and folded again behind it.
let unfolded = [];
function print(on) {
  printing = on;
  if (on) unfolded = [...document.querySelectorAll('#lesson details:not([open])')];
  for (const fold of unfolded) fold.open = on;
  takes.forEach(x => { if (on) prepare(x); else x.columns = null; drawChart(x); });
}

// 1 to 4; a French keyboard has them in the row of digits with Shift, and symbols without. 0: another key.
function digitOf(event) {
  const found = /^([1-4])$/.exec(event.key) || (!event.shiftKey && !event.getModifierState('AltGraph') && /^Digit([1-4])$/.exec(event.code));
  return found ? Number(found[1]) : 0;
}

// Keys that need AltGr or Option on some keyboards are asked for by none; if one comes so, it counts.
function onKey(event) {
  const typing = ['SELECT', 'INPUT', 'TEXTAREA'].includes(event.target.tagName) && event.target.type !== 'checkbox' && event.target.id !== 'slider';
  const altGraph = event.getModifierState('AltGraph');
  if (typing || ((event.ctrlKey || event.metaKey || event.altKey) && !altGraph) || !steps.length) return;
  const button = ['BUTTON', 'SUMMARY', 'A'].includes(event.target.tagName);
  const keys = {ArrowRight: () => $('forth').click(), ArrowLeft: () => $('back').click(), Home: () => $('first').click(),
                End: () => $('last').click(), p: () => $('predict').click(), s: surprise, n: () => nextSegment(1), N: () => nextSegment(-1),
                '[': () => nextSegment(-1), ']': () => nextSegment(1), ',': () => nextField(-1), '.': () => nextField(1), ' ': button ? null : play};
  const digit = digitOf(event);
  const act = digit && !$('question').hidden ? () => answer(digit - 1) : keys[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

(async function start() {
  document.body.classList.toggle('embed', new URLSearchParams(location.search).has('embed'));
  if (new URLSearchParams(location.search).has('embed')) $('live').open = false;
  if (innerWidth < 1150) $('live').open = false;
  document.querySelector('main').classList.toggle('wide', Boolean(LIVE || ABOUT));
  buildLesson();
  buildSave();
  listen();
  const stories = data('stories');
  if (stories.length) load(stories);
  if (LIVE) await startLive();
  if (STORIES.length) readState();
  if (STORIES.length && stops.length && !wordsOf(location.hash).has('step')) visit(1);
})();
