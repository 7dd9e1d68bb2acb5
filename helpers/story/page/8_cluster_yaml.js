// SPDX-License-Identifier: GPL-2.0-or-later
// ---- many hosts: a scenario as YAML, out and in ----

const plainYaml = value => /^[A-Za-z0-9][\w.:+/-]*$/.test(value) && !value.endsWith(':') ? value : JSON.stringify(value);

// Of "topology.kind" => "star" ...: what `iwarpsim run` takes.
function yamlOf(stated) {
  const tree = {};
  for (const [key, value] of stated) {
    let at = tree;
    const parts = key.split('.');
    for (const part of parts.slice(0, -1)) at = at[part] = typeof at[part] === 'object' ? at[part] : {};
    at[parts[parts.length - 1]] = value;
  }
  const lines = (at, deep) => Object.entries(at).flatMap(([name, value]) => typeof value === 'object' ? ['  '.repeat(deep) + name + ':', ...lines(value, deep + 1)] : ['  '.repeat(deep) + name + ': ' + plainYaml(value)]);
  return lines(tree, 0).join('\n') + '\n';
}

// Mappings in blocks or braces, lists in brackets, scalars: what scenarios are written in. An error names the line.
function readYaml(text) {
  let at = 0;
  const wrong = what => Error(`line ${text.slice(0, at).split('\n').length}: ${what}`);
  const blank = () => { const m = /^(?:\s|#[^\n]*)*/.exec(text.slice(at)); at += m[0].length; };
  const column = () => at - text.lastIndexOf('\n', at - 1) - 1;
  const scalar = inside => {
    const quoted = /^"(?:[^"\\]|\\.)*"|^'(?:[^']|'')*'/.exec(text.slice(at));
    if (quoted) { at += quoted[0].length; return quoted[0][0] === '"' ? JSON.parse(quoted[0]) : quoted[0].slice(1, -1).replace(/''/g, "'"); }
    const plain = (inside ? /^(?:[^,[\]{}:#\n]|:(?=\S)|(?<=\S)#)+/ : /^(?:[^:#\n]|:(?=\S)|(?<=\S)#)+/).exec(text.slice(at));
    if (!plain) throw wrong('a value is missing');
    at += plain[0].length;
    return plain[0].trim();
  };
  const colon = () => { if (!/^\s*:(\s|$)/.test(text.slice(at))) throw wrong('a colon is missing'); at += /^\s*:/.exec(text.slice(at))[0].length; };
  const flow = () => {
    blank();
    const open = text[at], map = {}, list = [];
    if (open !== '{' && open !== '[') return scalar(true);
    for (at++, blank(); text[at] !== '}' && text[at] !== ']'; blank()) {
      if (open === '[') list.push(flow()); else { const name = scalar(true); colon(); map[name] = flow(); }
      blank();
      if (at >= text.length) throw wrong('a bracket is not closed');
      if (text[at] === ',') at++; else if (text[at] !== '}' && text[at] !== ']') throw wrong('a comma is missing');
    }
    at++;
    return open === '[' ? list : map;
  };
  const block = deep => {
    const map = {};
    for (blank(); at < text.length && column() === deep; blank()) {
      const name = scalar(false);
      colon();
      const line = text.slice(0, at).split('\n').length;
      blank();
      const same = text.slice(0, at).split('\n').length === line;
      if (text[at] === '{' || text[at] === '[') map[name] = flow();
      else if (same) map[name] = scalar(false);
      else if (at < text.length && column() > deep) map[name] = block(column());
      else throw wrong(`${name}: a value is missing`);
    }
    if (at < text.length && column() > deep) throw wrong('this does not belong to what is above it');
    return map;
  };
  blank();
  const tree = block(column());
  blank();
  if (at < text.length) throw wrong('this does not belong to what is above it');
  return tree;
}

// The same as keys and values of one point.
function statedOf(text) {
  const stated = new Map();
  const event = e => [e.at, e.switch ? 'switch ' + e.switch : e.link, e.state || e.rate].join(' ');
  const walk = (at, name) => {
    if (Array.isArray(at) && name === 'topology.events') stated.set(name, at.map(event).join('; '));
    else if (Array.isArray(at)) throw Error(`${name}: a page shows one point, and takes no list`);
    else if (typeof at !== 'object') stated.set(name, at);
    else for (const part in at) walk(at[part], name ? name + '.' + part : part);
  };
  const tree = readYaml(text);
  for (const part of ['sweep', 'cases', 'repeats']) if (part in tree) throw Error(`${part}: a page shows one point; state the values that you want to see`);
  for (const part of ['claim', 'plot']) delete tree[part];
  walk(tree, '');
  return stated;
}
