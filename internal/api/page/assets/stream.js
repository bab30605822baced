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

/**
 * follow posts form to path and hands each event of the agents to watch. It returns
 * the result or throws a Problem. A stream that is cut is asked for once more, from
 * where it was cut.
 */
export async function follow(path, form, { signal, watch }) {
  const seen = { ids: new Set(), last: '' };
  for (let attempt = 1; attempt <= 2; attempt++) {
    const answer = await once(path, form, signal, seen, watch);
    if (answer) return answer;
  }
  throw new Problem({ code: 'cut', detail: t('the_answer_broke_off_twice') });
}

async function once(path, form, signal, seen, watch) {
  const headers = { Accept: 'text/event-stream' };
  if (seen.last) headers['Last-Event-ID'] = seen.last;
  const response = await ask(path, { method: 'POST', body: form, signal, headers });
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
    if (err instanceof Problem || err.name === 'AbortError') throw err;
  }
  return result;
}

/** streamed is the Problem of a stream that has begun. */
export const streamed = (p) => new Problem({ ...p, retryAfter: p.retry_after || 0 });
