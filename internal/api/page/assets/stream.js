// Requests to the API, and its event streams.

import { t } from './words.js';

/** A Problem says what went wrong, as RFC 9457 writes it. */
export class Problem extends Error {
  constructor({ code, detail, status = 0, retryAfter = 0, choices = [], now = null }) {
    super(detail);
    Object.assign(this, { code, detail, status, retryAfter, choices, now });
  }
}

/** ask is fetch, whose refusals are Problems. */
export async function ask(url, init) {
  let response;
  try {
    response = await fetch(url, init);
  } catch (err) {
    if (err.name === 'AbortError') throw err;
    throw new Problem({ code: 'unreachable', detail: t('the_service_cannot_be_reached') });
  }
  if (response.ok) return response;
  throw await problemOf(response);
}

export async function askJSON(url, init) { return (await ask(url, init)).json(); }

const filling = new WeakMap(); // node → what it is filled with last

/** fill asks url for what node is to show, and hands it to shown, or why there is none to refused, unless something else is asked for there or another address is shown meanwhile. */
export async function fill(node, url, shown, refused) {
  const at = location.hash;
  const mine = {};
  const here = () => at === location.hash && filling.get(node) === mine;
  filling.set(node, mine);
  node.setAttribute('aria-busy', 'true');
  try {
    const answer = await askJSON(url);
    if (here()) shown(answer);
  } catch (err) {
    if (here()) refused(err);
  }
  if (filling.get(node) === mine) node.removeAttribute('aria-busy');
}

async function problemOf(response) {
  const body = await response.json().catch(() => ({}));
  return new Problem({
    code: body.code || `http_${response.status}`, detail: body.detail || response.statusText || t('no_reason_was_given'),
    status: response.status, retryAfter: Number(response.headers.get('Retry-After')) || 0, choices: body.choices, now: body.now,
  });
}

/** events are the server-sent events of a body, as {event, data, id}. */
export async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return; // what is left was cut
      const blocks = (rest + value).split(/\r?\n\r?\n/);
      rest = blocks.pop();
      yield* blocks.map(parse).filter((e) => e.data !== '');
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function parse(block) {
  const e = { event: 'message', data: '', id: '' };
  for (const line of block.split(/\r?\n/)) {
    const [, field, value] = /^(event|data|id): ?(.*)$/.exec(line) || [];
    if (field) e[field] = field === 'data' && e.data ? `${e.data}\n${value}` : value;
  }
  return e;
}

const patience = { first: 2000, most: 60000 }; // ms until a stream that was refused is asked for again; it doubles each time

/** listen hands each event of a path to what hears its kind, until 'end' or close(). A stream that is cut the browser asks for again, one that is refused we do. */
export function listen(path, heard) {
  let source = null;
  let timer = 0;
  let wait = patience.first;
  function open() {
    source = new EventSource(path);
    for (const [kind, hear] of Object.entries(heard)) {
      source.addEventListener(kind, (e) => {
        if (kind === 'end') source.close();
        hear(JSON.parse(e.data));
      });
    }
    source.addEventListener('open', () => { wait = patience.first; });
    source.addEventListener('error', () => {
      if (source.readyState !== EventSource.CLOSED) return;
      timer = setTimeout(open, wait);
      wait = Math.min(2 * wait, patience.most);
    });
  }
  open();
  return { close() { clearTimeout(timer); source.close(); } };
}

const pause = 1000; // ms before what did not get through is sent again

/**
 * follow posts form to path and hands each event of the agents to watch, and to sent how
 * much of the form is sent, from 0 to 1. It returns the result or throws a Problem. What
 * does not get through is sent once more, as the service knows it again by its bytes, and
 * so is a stream that is cut, from where it was cut.
 */
export async function follow(path, form, { signal, watch, sent = () => {} }) {
  const seen = { ids: new Set(), last: '' };
  for (let attempt = 1; attempt <= 2; attempt++) {
    try {
      const answer = await once(path, form, { signal, seen, watch, sent });
      if (answer) return answer;
    } catch (err) {
      if (err.code !== 'unreachable' || attempt === 2) throw err;
      sent(0);
      await new Promise((done) => { setTimeout(done, pause); });
    }
  }
  throw new Problem({ code: 'cut', detail: t('the_answer_broke_off_twice') });
}

/** post is fetch by XMLHttpRequest, which alone tells how much is sent. */
function post(path, form, headers, { signal, sent }) {
  const x = new XMLHttpRequest();
  x.open('POST', path);
  for (const [name, value] of Object.entries(headers)) x.setRequestHeader(name, value);
  x.upload.addEventListener('progress', (e) => sent(e.total ? Math.min(e.loaded / e.total, 0.99) : 0));
  x.upload.addEventListener('load', () => sent(1));
  signal?.addEventListener('abort', () => x.abort());
  let read = 0;
  const encoder = new TextEncoder();
  return new Promise((resolve, reject) => {
    const body = new ReadableStream({
      start(stream) {
        const more = () => { stream.enqueue(encoder.encode(x.responseText.slice(read))); read = x.responseText.length; };
        const failed = (err) => { reject(err); try { stream.error(err); } catch { /* it was cancelled */ } };
        x.addEventListener('progress', more);
        x.addEventListener('load', () => { more(); stream.close(); });
        x.addEventListener('error', () => failed(new Problem({ code: 'unreachable', detail: t('the_service_cannot_be_reached') })));
        x.addEventListener('abort', () => failed(new DOMException('', 'AbortError')));
      },
      cancel() { x.abort(); },
    });
    x.addEventListener('readystatechange', () => {
      if (x.readyState !== XMLHttpRequest.HEADERS_RECEIVED || x.status === 0) return;
      resolve(new Response(body, { status: x.status, statusText: x.statusText, headers: { 'Retry-After': x.getResponseHeader('Retry-After') || '' } }));
    });
    x.send(form);
  });
}

async function once(path, form, { signal, seen, watch, sent }) {
  const headers = { Accept: 'text/event-stream' };
  if (seen.last) headers['Last-Event-ID'] = seen.last;
  signal?.throwIfAborted();
  const response = await post(path, form, headers, { signal, sent });
  if (!response.ok) throw await problemOf(response);
  let result = null;
  try {
    for await (const e of events(response.body)) {
      if (e.event === 'end') break;
      if (e.event === 'result') result = JSON.parse(e.data);
      if (e.event === 'problem') throw streamed(JSON.parse(e.data));
      if (e.event === 'agent' && !(e.id && seen.ids.has(e.id))) watch(JSON.parse(e.data));
      if (e.id) { seen.ids.add(e.id); seen.last = e.id; }
    }
  } catch (err) {
    if (err.name === 'AbortError' || (err instanceof Problem && err.code !== 'unreachable')) throw err; // else the stream was cut
  }
  return result;
}

/** streamed is the Problem of a stream that has begun. */
export const streamed = (p) => new Problem({ ...p, retryAfter: p.retry_after || 0 });
