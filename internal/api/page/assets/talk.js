// The conversation about the weather, which the service keeps and this tab remembers.

import { showModel } from './card.js';
import { byId, el, plural, session } from './dom.js';
import { player, warned } from './outlook.js';
import { problem } from './problem.js';
import { steps } from './steps.js';
import { Problem, ask, askJSON, events, streamed } from './stream.js';
import { t } from './words.js';

const key = 'weather-session';
const gone = ['session_not_found'];

let restored = false;
let speaking = new AbortController();

export function start() {
  byId('say').addEventListener('submit', (e) => { e.preventDefault(); submit(); });
  byId('talk-anew').addEventListener('click', anew);
}

/** show restores, once, the conversation of this tab. */
export async function show() {
  const id = session.get(key);
  if (restored || !id) return;
  restored = true;
  try {
    const { messages } = await askJSON(`/sessions/${encodeURIComponent(id)}`);
    for (const m of messages) line(m.role, m.text);
  } catch (err) {
    if (gone.includes(err.code)) return void session.set(key, '');
    restored = false;
    byId('talk').replaceChildren(el('li', {}, problem(err, () => { byId('talk').replaceChildren(); show(); })));
  }
}

/** anew forgets the conversation, here and on the service. */
async function anew() {
  speaking.abort();
  const id = session.get(key);
  session.set(key, '');
  byId('talk').replaceChildren();
  byId('say').elements.message.focus();
  if (id) await ask(`/sessions/${encodeURIComponent(id)}`, { method: 'DELETE' }).catch(() => {}); // it expires
}

function line(role, ...children) {
  const node = el('li', { class: role, dir: 'auto' }, el('span', { class: 'unseen' }, role === 'user' ? t('you') : 'weather_agent:', ' '), children);
  byId('talk').append(node);
  byId('talk').hidden = false;
  byId('talk').scrollTop = byId('talk').scrollHeight;
  return node;
}

function submit() {
  const { message } = byId('say').elements;
  const text = message.value.trim();
  if (!text) return void message.focus();
  if (byId('say').hasAttribute('aria-busy')) return; // one after the other: the words stay where they are
  message.value = '';
  line('user', text);
  say(text);
}

/** say hands text to weather_agent and shows what it does and answers. */
async function say(text) {
  speaking = new AbortController();
  const { signal } = speaking;
  const list = steps(() => {});
  const words = el('p', { class: 'quiet' }, t('thinking'));
  const node = line('agent', words, list.node);
  const spoken = (said) => { words.className = ''; words.textContent = said; };
  byId('say').setAttribute('aria-busy', 'true');
  try {
    const reply = await exchange(text, signal, { agent: (e) => list.add(e), text: (r) => spoken(r.forecast_text) });
    session.set(key, reply.session);
    restored = true;
    spoken(reply.reply);
    if (reply.forecast) showModel(reply.forecast);
    node.append(...[...heard(reply.forecast)].filter(Boolean));
    list.stop();
    if (list.node.childElementCount) node.append(el('details', {}, el('summary', {}, t('how_steps', { steps: plural(list.node.childElementCount, 'step') })), list.node));
    else list.node.remove();
  } catch (err) {
    if (err.name === 'AbortError') return void node.remove();
    if (gone.includes(err.code)) session.set(key, '');
    node.replaceChildren(problem(err instanceof Problem ? err : new Problem({ code: 'page', detail: String(err) }), () => { node.remove(); say(text); }));
  } finally {
    byId('say').removeAttribute('aria-busy');
  }
  byId('talk').scrollTop = byId('talk').scrollHeight;
}

const heard = (r) => [r?.audio_url && player(r, false), r && warned(r)];

/** exchange is the reply to text. What comes before it goes to the watcher of its name. */
async function exchange(text, signal, watch) {
  const response = await ask('/forecast', {
    method: 'POST', signal, body: JSON.stringify({ message: text, session: session.get(key) || undefined }), headers: { Accept: 'text/event-stream', 'Content-Type': 'application/json' },
  });
  for await (const e of events(response.body)) {
    if (e.event === 'result') return JSON.parse(e.data);
    if (e.event === 'problem') throw streamed(JSON.parse(e.data));
    watch[e.event]?.(JSON.parse(e.data));
  }
  throw new Problem({ code: 'cut', detail: t('the_answer_broke_off') });
}
