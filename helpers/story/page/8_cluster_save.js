// SPDX-License-Identifier: GPL-2.0-or-later
// ---- many hosts: the picture as PNG, and a span of it as WebM ----

// On paper: what is drawn alone has no ground.
function paintPicture(copy, view) {
  const pen = copy.getContext('2d');
  pen.fillStyle = getComputedStyle(document.body).backgroundColor;
  pen.fillRect(0, 0, copy.width, copy.height);
  pen.drawImage(view.canvas, 0, 0);
  return copy;
}

const sheetOf = view => Object.assign(document.createElement('canvas'), {width: view.canvas.width, height: view.canvas.height});
const pngOf = view => paintPicture(sheetOf(view), view).toDataURL('image/png');
const handOut = (href, name) => html('a', {href, download: name}).click();

// From now until it is paused or over: a Blob.
function filmOf(view) {
  const copy = paintPicture(sheetOf(view), view), recorder = new MediaRecorder(copy.captureStream(30), {mimeType: 'video/webm'}), parts = [];
  recorder.ondataavailable = event => parts.push(event.data);
  const done = new Promise(over => { recorder.onstop = () => over(new Blob(parts, {type: 'video/webm'})); });
  const paint = () => { paintPicture(copy, view); if (clock.playing) requestAnimationFrame(paint); else recorder.stop(); };
  recorder.start();
  playOn(true);
  paint();
  return done;
}

function buildSave(view, box) {
  const line = html('p', {class: 'buttons'}, box);
  button(line, 'save the picture', () => handOut(pngOf(view), `cluster-${us(clock.t)}us.png`));
  if (typeof MediaRecorder !== 'undefined') button(line, 'play, and save as a film until paused', async () => handOut(URL.createObjectURL(await filmOf(view)), 'cluster.webm'));
}
