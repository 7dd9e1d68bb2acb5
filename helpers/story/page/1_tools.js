// SPDX-License-Identifier: GPL-2.0-or-later
// ---- small tools ----

const NS = 'http://www.w3.org/2000/svg';
const $ = id => document.getElementById(id);
function make(space, tag, attributes, parent, text) {
  const e = space ? document.createElementNS(space, tag) : document.createElement(tag);
  for (const name in attributes) e.setAttribute(name, attributes[name]);
  if (text !== undefined) e.textContent = text;
  if (parent) parent.appendChild(e);
  return e;
}
const svg = (tag, attributes, parent, text) => make(NS, tag, attributes, parent, text);
const html = (tag, attributes, parent, text) => make(null, tag, attributes, parent, text);
const data = id => JSON.parse($(id).textContent);
const us = t => (Math.round(t / 1000) / 1000).toFixed(3);
const plural = (n, word) => `${n} ${word}${n === 1 ? '' : 's'}`;
const MOODS = ['plain', 'early', 'placed', 'delivered', 'lost', 'error', 'quiet'];
const WHO = ['A', 'B'];
const largest = list => list.reduce((a, b) => Math.max(a, b), -Infinity); // a call has no room for a list of any length

// The first place in a sorted list whose value is at least `wanted`.
function lower(list, wanted, value = x => x) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (value(list[middle]) < wanted) low = middle + 1; else high = middle;
  }
  return low;
}
