// The queue: what a person should look at, the most doubtful first, by the keyboard.

import { badge as source, facts, maker, nameless, photo, title } from './card.js';
import { announce, byId, el, fileName, plural } from './dom.js';
import { problem } from './problem.js';
import { askJSON } from './stream.js';
import { badge, by, panel, say, speaks, undo } from './verdict.js';
import { t } from './words.js';

const page = 50;
const mostBack = 20; // so many verdicts can be taken back, one after the other
const alikeBits = 10; // of 64 in which the hashes of two photos that look alike differ at most

let shown = false;
let queue = []; // what waits, the most doubtful first
let others = []; // the latest results, to find near duplicates among
let more = '';
let said = []; // what was said here, the latest last, to take it back
let early = false; // C was pressed while a verdict was on its way: it is of the next result

export function start() {
  document.addEventListener('keydown', pressed);
}

export async function show() {
  shown = true;
  await load('');
}

export function hide() { shown = false; }

async function load(after) {
  const view = byId('review');
  view.setAttribute('aria-busy', 'true');
  try {
    const [waiting, latest] = await Promise.all([
      askJSON(`/results?order=doubt&limit=${page}${after && `&after=${encodeURIComponent(after)}`}`), askJSON('/results?limit=100'),
    ]);
    [queue, more, others] = [waiting.results, waiting.next || '', latest.results];
    render();
  } catch (err) {
    view.replaceChildren(problem(err, () => load(after)));
  }
  view.removeAttribute('aria-busy');
}

const picture = (e, width) => e.has_photo && `/results/${encodeURIComponent(e.id)}/photo?width=${width}`;

function render() {
  const view = byId('review');
  view.removeAttribute('aria-busy');
  const who = view.querySelector('.rv-by') || speaks() || '';
  if (!queue.length) {
    view.replaceChildren(who, lastLine(), el('div', { class: 'empty' }, el('p', {}, t('nothing_waits_for_you')), el('p', {}, t('results_that_are_in_doubt'))));
    return;
  }
  const e = queue[0];
  const frame = photo(picture(e, 960), title(e.result));
  const near = alike(e);
  view.replaceChildren(who, lastLine(), el('article', { class: 'card rv-card' },
    el('header', {}, el('h2', {}, more ? t('results_and_more_waiting', { results: plural(queue.length, 'result') }) : t('results_waiting', { results: plural(queue.length, 'result') })), el('button', { type: 'button', class: 'secondary small', 'data-do': 'skip', 'aria-keyshortcuts': 'S', onclick: skip }, t('skip'), el('kbd', { 'aria-hidden': 'true' }, 'S'))),
    el('div', { class: 'columns' }, el('div', { class: 'photos' }, frame, el('p', { class: 'quiet' }, e.file && fileName(e.file)), !e.has_photo && el('p', { class: 'quiet' }, e.file.startsWith('gs://') ? t('it_is_no_longer_in_the') : t('it_was_sent_without_a'))),
      el('div', { class: 'body' }, panel(e, { keys: true, done: (r) => answered(e, r) }), near.length > 0 && besides(e, near), facts(e.result, [frame])))));
}

/** besides shows the near duplicates of e side by side. */
function besides(e, near) {
  const waiting = nameless(e.result) ? [] : near.filter((n) => !n.verdict && !nameless(n.result) && queue.includes(n));
  return el('section', { class: 'rv-near', 'aria-labelledby': 'rv-near' },
    el('h3', { id: 'rv-near' }, t('looks_like_photos', { photos: plural(near.length, 'other_photo') })),
    el('ul', {}, near.map((n) => el('li', {}, el('a', { href: `#results/${encodeURIComponent(n.id)}` }, photo(picture(n, 320), ''),
      el('strong', { lang: n.result.lang }, title(n.result)), n.file && el('span', { class: 'quiet' }, fileName(n.file)), el('span', { lang: n.result.lang }, maker(n.result)), el('span', { class: 'badges' }, source(n.result), badge(n.verdict)))))),
    waiting.length > 0 && el('p', { class: 'buttons' }, el('button', { type: 'button', class: 'secondary small', 'data-do': 'all', 'aria-keyshortcuts': 'Shift+A', onclick: () => acceptAll(e, waiting) },
      t('accept_all_n', { n: waiting.length + 1 }), el('kbd', { 'aria-hidden': 'true' }, '⇧A'))));
}

/** alike are the results whose photos are those of e, or look like it. */
function alike(e) {
  const all = new Map([...others, ...queue].map((o) => [o.id, o]));
  all.delete(e.id);
  const [sha, looks] = [e.result.image?.sha256, e.result.image?.phash];
  return [...all.values()].filter(({ result: { image = {} } }) => (sha && image.sha256 === sha) || (looks && image.phash && bits(looks, image.phash) <= alikeBits)).slice(0, 6);
}

/** bits is in how many bits two hashes differ. */
function bits(a, b) {
  let differ = BigInt(`0x${a}`) ^ BigInt(`0x${b}`);
  let n = 0;
  for (; differ; differ &= differ - 1n) n++;
  return n;
}

function lastLine() {
  const last = said.at(-1);
  return el('p', { class: 'rv-last', 'aria-live': 'polite' }, last && [badge(last.verdict), el('span', {}, title(last.e.result)),
    last.verdict === 'reject' && nameless(last.e.result) && el('a', { href: '#photo' }, t('take_a_photo')),
    el('button', { type: 'button', class: 'secondary small', 'data-do': 'undo', 'aria-keyshortcuts': 'U', onclick: back }, t('take_it_back'), el('kbd', { 'aria-hidden': 'true' }, 'U'))]);
}

async function answered(e, review) {
  e.verdict = review.verdict;
  spread(e, review);
  keep(e, review.verdict);
  const known = others.find((o) => o.id === e.id);
  if (known) known.verdict = review.verdict;
  queue = queue.filter((q) => q.id !== e.id && !(q.verdict && q.verdict !== 'undo'));
  await next();
}

function keep(e, verdict) {
  said = [...said, { e, verdict }].slice(-mostBack);
}

/** spread has all results of the photo of e say what was said of it. */
function spread(e, review) {
  const [sha, said] = [e.result.image?.sha256, review.revision.split('.')[0]];
  for (const o of [...queue, ...others]) {
    if (sha && o.id !== e.id && o.result.image?.sha256 === sha) Object.assign(o, { verdict: review.verdict, revision: `${said}.${o.revision.split('.')[1]}` });
  }
}

async function next() {
  if (!queue.length && more) await load(more);
  render();
  byId('review').querySelector('.rv .buttons button')?.focus();
  if (early) byId('review').querySelector('[data-do=correct]')?.click();
  early = false;
  if (queue.length) announce(t('next_name', { name: title(queue[0].result) }));
}

function skip() {
  queue.push(queue.shift());
  next();
}

/** back takes back what was said last, of all results of the photo, and shows that result and what waits. */
const back = () => alone(async () => {
  const { e } = said.at(-1);
  await undo(e);
  said.pop();
  await load('');
  queue.sort((a, b) => (b.id === e.id) - (a.id === e.id));
  render();
});

function acceptAll(e, near) {
  if (!by()) return byId('review').querySelector('[data-do=accept]').click(); // which asks who speaks
  return alone(async () => {
    for (const one of near) {
      if (!one.verdict) {
        spread(one, await say(one, 'accept'));
        keep(one, 'accept');
      }
      one.verdict = 'accept';
      queue = queue.filter((q) => q !== one);
    }
    if (!e.verdict) return answered(e, await say(e, 'accept'));
    queue = queue.filter((q) => q !== e);
    await next();
  });
}

/** alone does what no other verdict may come between. */
async function alone(action) {
  if (busy()) return;
  const view = byId('review');
  view.setAttribute('aria-busy', 'true');
  try {
    await action();
  } catch (err) {
    view.querySelector(':scope > .problem')?.remove();
    view.prepend(problem(err));
  }
  view.removeAttribute('aria-busy');
}

const busy = () => document.querySelector('#review[aria-busy], #review [aria-busy]');

const keys = { a: 'accept', c: 'correct', n: 'none', r: 'reject', s: 'skip', u: 'undo', A: 'all' };

/** pressed does what a key stands for, unless somebody is writing. Until a verdict has been taken no other is heard: it would be of a result that nobody has seen. */
function pressed(event) {
  const writing = event.target.closest?.('input, textarea, select, [contenteditable]');
  if (!shown || writing || event.ctrlKey || event.metaKey || event.altKey || event.repeat || document.querySelector('dialog[open]')) return;
  const button = keys[event.key] && byId('review').querySelector(`[data-do=${keys[event.key]}]`);
  if (!button) return;
  event.preventDefault();
  if (busy()) {
    early ||= event.key === 'c';
    return;
  }
  early = false; // if the verdict was refused, this result is still the one that is shown
  button.click();
}
