'use strict';
const byId = (id) => document.getElementById(id);

function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

const path = (strings, ...parts) =>
  strings.reduce((text, piece, i) => text + encodeURIComponent(parts[i - 1]) + piece);

async function call(method, target, body) {
  const reply = await fetch(target, {method, body});
  const text = await reply.text();
  let json = null;
  try { json = JSON.parse(text); } catch (error) { /* not every reply is JSON */ }
  return {ok: reply.ok, status: reply.status, text, json};
}

function say(text, bad) {
  byId('said').textContent = text;
  byId('said').className = bad ? 'bad' : '';
}

async function tell(method, target, done) {
  const reply = await call(method, target);
  const note = reply.json && reply.json.note;
  say(reply.ok ? done + (note ? ' ' + note : '') : reply.json ? reply.json.error : reply.text, !reply.ok);
  return reply;
}

// --- The stream and its requests

const stream = () => byId('stream').value;

async function showStreams() {
  const reply = await call('GET', '/streams');
  if (!reply.ok) return;
  byId('streams').replaceChildren(...reply.json.streams.map((s) => make('option', {value: s.stream_id})));
  const found = reply.json.streams.find((s) => s.stream_id === stream());
  const rows = found ? found.avatars.flatMap((a) => a.requests.map((r) => ({a, r}))) : [];
  byId('requests').replaceChildren();
  if (rows.length === 0) return;
  const table = make('table', {}, make('tr', {}, ...['Avatar', 'Request', 'State', 'At', 'Held', '']
    .map((t) => make('th', {scope: 'col', textContent: t}))));
  for (const {a, r} of rows) {
    const stop = make('button', {type: 'button', textContent: 'Stop'});
    stop.setAttribute('aria-label', 'Stop ' + r.request_id);
    stop.onclick = () => tell('DELETE', path`/streams/${stream()}/requests/${r.request_id}`, 'Stopped.')
      .then(showStreams);
    table.append(make('tr', {}, ...[a.target_object_id || '(default)', r.request_id, r.state,
      r.position_s.toFixed(1) + ' s', r.buffered_s.toFixed(1) + ' s']
      .map((t) => make('td', {textContent: t})), make('td', {}, stop)));
  }
  byId('requests').append(table);
}

// --- Variables

function control(variable, set) {
  let input;
  if (variable.type === 'choice') {
    input = make('select', {}, ...variable.values.map((v) => make('option', {value: v, textContent: v})));
    input.value = variable.value;
    input.onchange = () => set(input.value);
  } else if (variable.type === 'flag') {
    input = make('input', {type: 'checkbox', checked: variable.value === 'true'});
    input.onchange = () => set(String(input.checked));
  } else if (variable.type === 'number') {
    input = make('input', {type: 'number', value: variable.value, step: 'any'});
    if ('min' in variable) input.min = variable.min;
    if ('max' in variable) input.max = variable.max;
    input.onchange = () => set(input.value);
  } else {
    input = make('input', {value: variable.value});
    input.onchange = () => set(input.value);
  }
  input.disabled = !stream();
  const about = variable.description + (variable.unit ? ` (${variable.unit})` : '');
  return make('label', {}, variable.name, input, make('small', {textContent: about}));
}

async function showVariables() {
  let reply = {ok: false};
  if (stream()) reply = await call('GET', path`/streams/${stream()}/animation_graphs/avatar/variables`);
  if (!reply.ok) reply = await call('GET', '/animation_graphs/avatar/variables');
  if (!reply.ok) return;
  byId('variables-hint').textContent = stream()
    ? 'Of the stream ' + stream() + '. Setting one makes the stream when it is not there.'
    : 'Name a stream to set them. These are the defaults.';
  byId('variables').replaceChildren(...reply.json.variables.map((v) => control(v, (value) =>
    tell('PUT', path`/streams/${stream()}/animation_graphs/avatar/variables/${v.name}/${value}`,
         `${v.name} is ${value}.`))));
}

function showAll() {
  showStreams();
  showVariables();
}

// --- Events

let patience = 250;

function listen() {
  const socket = new WebSocket(location.origin.replace(/^http/, 'ws') + '/ws');
  socket.onopen = () => {
    patience = 250;
    byId('socket').textContent = 'Newest first, of all streams.';
    socket.send(JSON.stringify({jsonrpc: '2.0', id: 1, method: 'WatchEvents', params: {}}));
  };
  socket.onmessage = (message) => {
    const said = JSON.parse(message.data);
    if (said.method !== 'Event') return;
    const e = said.params;
    const parts = [new Date(e.time_s * 1000).toLocaleTimeString(), e.type, e.stream_id,
      e.target_object_id, e.request_id, e.name, e.detail].filter((text) => text);
    byId('events').prepend(make('li', {textContent: parts.join('  ')}));
    while (byId('events').children.length > 200) byId('events').lastChild.remove();
    showStreams();
  };
  socket.onclose = () => {
    byId('socket').textContent = 'The WebSocket is closed; opening it again.';
    setTimeout(listen, patience);
    patience = Math.min(5000, patience * 2);
  };
}

// --- All calls, from the OpenAPI document

function operation(target, method, what) {
  const inputs = (what.parameters || []).map((p) => {
    const input = make('input', {required: p.in === 'path', autocomplete: 'off'});
    return {p, input, label: make('label', {}, p.name + (p.in === 'path' ? '' : ' (may be empty)'), input)};
  });
  const takes = what.requestBody && Object.keys(what.requestBody.content)[0];
  const body = !takes ? null : takes === 'application/json' ? make('textarea', {value: '{}', spellcheck: false})
    : make('input', {type: 'file'});
  const form = make('form', {}, ...inputs.map((i) => i.label));
  if (body) form.append(make('label', {}, 'Body', body));
  form.append(make('button', {textContent: 'Send'}));
  const answer = make('pre', {hidden: true, tabIndex: 0});
  answer.setAttribute('role', 'status');
  form.onsubmit = async (event) => {
    event.preventDefault();
    let url = target;
    const query = new URLSearchParams();
    for (const {p, input} of inputs) {
      if (p.in === 'path') url = url.replace(`{${p.name}}`, () => encodeURIComponent(input.value));
      else if (input.value) query.append(p.name, input.value);
    }
    if (query.size || String(query)) url += '?' + query;
    answer.hidden = false;
    try {
      const reply = await call(method, url, !body ? undefined : body.type === 'file' ? body.files[0] : body.value);
      answer.textContent = `${method} ${url}\n${reply.status}\n` +
        (reply.json ? JSON.stringify(reply.json, null, 2) : reply.text);
      answer.className = reply.ok ? '' : 'bad';
    } catch (error) {
      answer.textContent = String(error);
      answer.className = 'bad';
    }
    showStreams();
  };
  const head = make('summary', {}, make('b', {textContent: method}), make('code', {textContent: target}),
    ' ', make('span', {textContent: what.summary}));
  const block = make('details', {}, head, form, answer);
  block.addEventListener('toggle', () => {
    for (const {p, input} of inputs) {
      if (input.value) continue;
      if (p.name === 'stream_id') input.value = stream();
      if (p.name === 'graph') input.value = 'avatar';
    }
  });
  return block;
}

async function showCalls() {
  const {json} = await call('GET', '/openapi.json');
  byId('version').textContent = json.info.version;
  const groups = new Map();
  for (const [target, methods] of Object.entries(json.paths)) {
    for (const [method, what] of Object.entries(methods)) {
      const group = what.tags[0];
      if (!groups.has(group)) groups.set(group, []);
      groups.get(group).push(target === '/ws'
        ? make('p', {textContent: `${target}: ${what.description}`})
        : operation(target, method.toUpperCase(), what));
    }
  }
  for (const [group, blocks] of groups) {
    byId('calls').append(make('h3', {textContent: group}), ...blocks);
  }
}

byId('stream-form').onsubmit = (event) => {
  event.preventDefault();
  showAll();
};
byId('stream').onchange = showAll;
async function withStream(method, done) {
  if (!stream()) {
    say('Name a stream first.', true);
    byId('stream').focus();
    return;
  }
  await tell(method, path`/streams/${stream()}`, done);
  showAll();
}
byId('register').onclick = () => withStream('POST', 'Registered.');
byId('remove').onclick = () => withStream('DELETE', 'Removed.');
showAll();
showCalls();
listen();
