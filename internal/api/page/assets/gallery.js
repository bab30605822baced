// The latest results, as they come in.

import { badge, facts, maker, photo, showModel, title } from './card.js';
import { announce, byId, el, fileName, plural, reveal, when } from './dom.js';
import { buttons } from './export.js';
import { own } from './photo.js';
import { problem } from './problem.js';
import { askJSON, fill } from './stream.js';
import { badge as said, feedback, forget, forgotten } from './verdict.js';
import { rich, t } from './words.js';

const page = 24;
const every = 4000;
const filters = [
  ['all', t('all_1'), ''], ['image', t('photo'), 'source=image'], ['local_db', t('catalogue'), 'source=local_db'],
  ['google_search', t('web'), 'source=google_search'], ['unidentified', t('not_identified'), 'source=unidentified'],
  ['doubtful', t('doubtful'), 'doubt=true'], ['failed', t('failed'), 'error=analysis_failed'],
];

let shown = false;
let filter = '';
let words = []; // that a result must hold to be shown
let entries = new Map();
let cursor = '';
let timer = 0;
let asked = 0; // counts the loads, so that a late answer of an earlier one is dropped
let loading = null; // the latest load
let resting = null; // the load of all that is older than the load of this number: {of, done}

export function start() {
  byId('filters').append(...filters.map(([id, name, query]) => el('button', {
    type: 'button', class: 'chip', id: `filter-${id}`, 'aria-pressed': String(query === ''), onclick: (e) => choose(e.currentTarget, query),
  }, name)));
  byId('more').addEventListener('click', () => load(cursor));
  byId('results-search').addEventListener('submit', (e) => e.preventDefault());
  byId('results-search').elements.q.addEventListener('input', (e) => search(e.target.value));
  byId('export').append(...buttons(async () => { await rest(); return found(); }, (err) => byId('gallery-state').replaceChildren(problem(err))));
  document.addEventListener('visibilitychange', () => { if (document.visibilityState === 'visible') poll(); });
  byId('dialog').addEventListener('close', closed);
}

function choose(button, query) {
  for (const b of byId('filters').children) b.setAttribute('aria-pressed', String(b === button));
  filter = query;
  load('');
}

/** show shows the gallery and, if id is one, that result. */
export function show(id) {
  if (!shown) load('');
  shown = true;
  if (id) open(id);
  else byId('dialog').close();
}

export function hide() {
  shown = false;
  asked++; // what is being loaded is no longer wanted
  clearTimeout(timer);
  byId('dialog').close();
}

function load(after) {
  loading = part(after);
  return loading;
}

/** part loads a page of results, the first of them or what follows after. */
async function part(after) {
  const mine = ++asked;
  if (!after) cursor = '';
  byId('gallery').setAttribute('aria-busy', 'true');
  try {
    const answer = await list(`limit=${page}${after && `&after=${encodeURIComponent(after)}`}`);
    if (mine !== asked) return;
    if (!after) entries = new Map();
    for (const e of answer.results) entries.set(e.id, e);
    cursor = answer.next || '';
    render();
    seek();
  } catch (err) {
    if (mine === asked) byId('gallery-state').replaceChildren(problem(err, () => load(after)));
  }
  byId('gallery').removeAttribute('aria-busy');
  schedule();
}

/** rest loads the older results, all of them, once for all who ask for them meanwhile, and anew if others are shown then. */
async function rest() {
  for (let mine = 0; mine !== asked && shown;) {
    mine = asked;
    if (resting?.of !== mine) resting = { of: mine, done: older(mine) };
    await resting.done;
  }
}

async function older(mine) {
  await loading;
  try {
    while (cursor && mine === asked) {
      const answer = await list(`limit=100&after=${encodeURIComponent(cursor)}`);
      if (mine !== asked) return;
      for (const e of answer.results) entries.set(e.id, e);
      cursor = answer.next || '';
    }
  } catch (err) {
    resting = null; // and who asks again has it tried again
    throw err;
  }
  render();
}

/** search shows the results that hold every word of text, old ones too. */
function search(text) {
  words = text.toLowerCase().split(/\s+/).filter(Boolean);
  render();
  seek();
}

async function seek() {
  try {
    if (words.length) await rest();
    announce(plural(found().length, 'result'));
  } catch (err) {
    byId('gallery-state').replaceChildren(problem(err, seek));
  }
}

const found = () => [...entries.values()].filter((e) => words.every((word) => textOf(e).includes(word)));

/** textOf is what a result is searched in. */
function textOf({ file, result: r }) {
  const lines = (r.visible_text || []).map((l) => l.text);
  return [file, title(r), r.product_name, r.brand, r.category, r.gtin, ...(r.key_features || []), ...lines].join(' ').toLowerCase();
}

const list = (query) => askJSON(`/results?${query}${filter && `&${filter}`}`);

function schedule() {
  clearTimeout(timer);
  timer = setTimeout(poll, every);
}

/** poll asks for what came since the newest. */
async function poll() {
  if (!shown || document.visibilityState !== 'visible') return;
  const newest = [...entries.values()][0]?.finished_at;
  const mine = asked;
  try {
    const answer = await list(newest ? `limit=100&since=${encodeURIComponent(newest)}` : `limit=${page}`);
    if (mine !== asked || !shown) return;
    if (answer.next && newest) return void load('');
    if (answer.results.length) prepend(answer.results);
  } catch { /* the next poll may do better */ }
  schedule();
}

function prepend(results) {
  const fresh = new Map(results.map((e) => [e.id, e]));
  for (const [id, e] of entries) if (!fresh.has(id)) fresh.set(id, e);
  entries = fresh;
  render(results.length);
  announce(plural(results.length, 'new_result'));
}

function render() {
  const focused = document.activeElement?.dataset?.id;
  const before = new Map([...byId('gallery').children].map((li) => [li.dataset.key, li]));
  const matching = found();
  byId('gallery').replaceChildren(...matching.map((e) => before.get(key(e)) || tile(e)));
  byId('gallery-state').replaceChildren(...(matching.length ? [] : [empty()]));
  byId('export').hidden = !matching.length;
  byId('more').hidden = !cursor;
  for (const e of entries.values()) showModel(e.result);
  if (focused) byId('gallery').querySelector(`[data-id="${CSS.escape(focused)}"]`)?.focus();
}

const key = (e) => `${e.id} ${e.finished_at} ${e.verdict || ''}`;

function tile(e) {
  const r = e.result;
  return el('li', { 'data-key': key(e) }, el('a', { href: `#results/${encodeURIComponent(e.id)}`, 'data-id': e.id },
    photo(picture(e, 320), ''),
    el('div', { class: 'under' }, el('strong', { lang: r.lang }, title(r)), el('span', { lang: r.lang }, maker(r)),
      el('p', { class: 'badges' }, badge(r), e.doubt && el('span', { class: 'badge doubt' }, t('doubtful')), said(e.verdict)), el('small', { class: 'named' }, e.file && el('span', { title: e.file }, fileName(e.file)), when(e.finished_at)))));
}

const picture = (e, width) => (e.has_photo ? `/results/${encodeURIComponent(e.id)}/photo?width=${width}` : own.get(e.id));

function empty() {
  return el('div', { class: 'empty' }, el('p', {}, words.length ? t('no_result_holds_these_words') : filter ? t('no_result_of_this_kind') : t('no_results_yet')),
    el('p', {}, rich('link_and_it_will_be', { link: el('a', { href: '#photo' }, t('drop_a_photo')) })));
}

async function open(id) {
  if (entries.has(id)) present(entries.get(id));
  else await fill(byId('dialog-body'), `/results/${encodeURIComponent(id)}`, present, (err) => reveal(problem(err, () => open(id))));
}

/** present shows all of the result e. */
function present(e) {
  byId('dialog-title').textContent = e.file ? fileName(e.file) : t('result');
  const frame = photo(picture(e, 960), title(e.result));
  reveal(el('div', { class: 'columns' },
    el('div', { class: 'photos' }, frame, el('p', { class: 'quiet' }, when(e.finished_at))), el('div', { class: 'body' }, facts(e.result, [frame]), reviewed(e))));
}

/** reviewed is what can be said of the result e, and forgetting it. */
function reviewed(e) {
  const again = async () => { entries.delete(e.id); await open(e.id); load(''); };
  const gone = (f) => { entries.delete(e.id); byId('dialog-body').replaceChildren(forgotten(f)); render(); };
  return el('div', { class: 'rv' }, feedback(e, again), forget(e, gone));
}

/** closed goes back to the gallery, and the focus to the result that was open. */
function closed() {
  const id = /^#results\/(.+)$/.exec(location.hash)?.[1];
  byId('dialog-body').replaceChildren();
  if (!id) return;
  history.replaceState(null, '', '#results');
  byId('gallery').querySelector(`[data-id="${CSS.escape(decodeURIComponent(id))}"]`)?.focus();
}
