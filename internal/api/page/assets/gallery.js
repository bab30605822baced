// The latest results, as they come in.

import { badge, facts, maker, photo, showModel, title } from './card.js';
import { spelled } from './dates.js';
import { announce, byId, copier, el, fileName, plural, reveal, when } from './dom.js';
import { buttons } from './export.js';
import { own } from './photo.js';
import { address, at, keep, query } from './place.js';
import { problem } from './problem.js';
import { askJSON, fill } from './stream.js';
import { badge as said, feedback, forget, forgotten } from './verdict.js';
import { rich, t } from './words.js';

const page = 24;
const most = 100; // of a request
const every = 4000;
const filters = [
  ['all', t('all_1'), ''], ['image', t('photo'), 'source=image'], ['local_db', t('catalogue'), 'source=local_db'],
  ['google_search', t('web'), 'source=google_search'], ['unidentified', t('not_identified'), 'source=unidentified'],
  ['doubtful', t('doubtful'), 'doubt=true'], ['failed', t('failed'), 'error=analysis_failed'], ['blurred', t('blurred'), 'blurred=true'],
];

let shown = false;
let place = {}; // what is shown: q, words that a result must hold; show, a filter; order, from and to; set, of a batch; rows, if there are more than a page
let words = []; // those of q
let entries = new Map();
let cursor = '';
let timer = 0;
let asked = 0; // counts the loads, so that a late answer of an earlier one is dropped
let loading = null; // the latest load
let resting = null; // the load of all that is older than the load of this number: {of, done}

export function start() {
  byId('filters').append(...filters.map(([id, name]) => el('button', { type: 'button', class: 'chip', id: `filter-${id}`, onclick: () => go({ show: id === 'all' ? '' : id }) }, name)));
  byId('more').addEventListener('click', () => load(cursor));
  byId('results-order').addEventListener('submit', (e) => e.preventDefault());
  byId('results-order').addEventListener('change', () => go(Object.fromEntries(new FormData(byId('results-order')))));
  byId('results-search').addEventListener('submit', (e) => e.preventDefault());
  byId('results-search').elements.q.addEventListener('input', (e) => search(e.target.value));
  byId('export').append(...buttons(async () => { await rest(); return found(); }, (err) => byId('gallery-state').replaceChildren(problem(err))), copier(t('copy_link'), () => location.href));
  document.addEventListener('visibilitychange', () => { if (document.visibilityState === 'visible') poll(); });
  byId('dialog').addEventListener('close', closed);
}

/** go shows what values say, and otherwise what is shown already, and has the address say so. */
function go(values) {
  place = { ...place, ...values, rows: '' };
  keep(place, true);
  set();
  load('');
}

/** set has the controls show what is shown. */
function set() {
  for (const b of byId('filters').children) b.setAttribute('aria-pressed', String(b.id === `filter-${place.show || 'all'}`));
  const { q } = byId('results-search').elements;
  if (q.value.trim() !== (place.q || '')) q.value = place.q || '';
  words = q.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const name of ['order', 'from', 'to']) byId('results-order').elements[name].value = place[name] || '';
  byId('results-days').hidden = place.order !== 'expires';
  byId('results-set').replaceChildren(...(place.set ? [`${t('of_the_set')} `, /^\d{8}-\d{6}-/.test(place.set) ? el('a', { href: `#batches/${encodeURIComponent(place.set)}` }, place.set) : el('strong', {}, place.set), ' ', el('button', { type: 'button', class: 'icon', 'aria-label': t('all_1'), onclick: () => go({ set: '' }) }, '✕')] : []));
}

/** show shows the gallery as the address says and, if id is one, that result over what is shown. */
export function show(id) {
  const { query: asked, values } = at();
  if (!shown || (asked !== query(place) && !(id && !asked))) {
    place = values;
    set();
    load('');
  }
  shown = true;
  keep(place);
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
    let wanted = after ? page : Math.max(page, Number(place.rows) || 0);
    let from = after;
    do {
      const answer = await list(`limit=${Math.min(wanted, most)}${from && `&after=${encodeURIComponent(from)}`}`);
      if (mine !== asked) return;
      if (!from) entries = new Map();
      for (const e of answer.results) entries.set(e.id, e);
      cursor = answer.next || '';
      from = cursor;
      wanted -= most;
    } while (from && wanted > 0);
    if (after && shown) {
      place.rows = String(entries.size);
      keep(place);
    }
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
  place.q = text.trim();
  keep(place);
  set();
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

/** filtered is what the service is asked to leave out. */
function filtered() {
  const filter = filters.find(([id]) => id === place.show)?.[2] || '';
  const more = query({ expires: place.order === 'expires' && `${place.from || ''}..${place.to || ''}`, set: place.set });
  return [filter, more].filter(Boolean).map((part) => `&${part}`).join('');
}

const list = (part) => askJSON(`/results?${part}${filtered()}`);

/** schedule has what comes looked for; in the order of expiry it may stand anywhere. */
function schedule() {
  clearTimeout(timer);
  if (place.order !== 'expires') timer = setTimeout(poll, every);
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

const key = (e) => `${e.id} ${e.finished_at} ${e.verdict || ''} ${place.order || ''}`;

function tile(e) {
  const r = e.result;
  return el('li', { 'data-key': key(e) }, el('a', { href: `#results/${encodeURIComponent(e.id)}`, 'data-id': e.id },
    photo(picture(e, 320), ''),
    el('div', { class: 'under' }, el('strong', { lang: r.lang }, title(r)), el('span', { lang: r.lang }, maker(r)),
      place.order === 'expires' && el('span', {}, `${t('expires')}: ${spelled(r.expiration_date.replaceAll('.', '-'))}`),
      el('p', { class: 'badges' }, badge(r), e.doubt && el('span', { class: 'badge doubt' }, t('doubtful')), said(e.verdict)), el('small', { class: 'named' }, e.file && el('span', { title: e.file }, fileName(e.file)), when(e.finished_at)))));
}

const picture = (e, width) => (e.has_photo ? `/results/${encodeURIComponent(e.id)}/photo?width=${width}` : own.get(e.id));

function empty() {
  return el('div', { class: 'empty' }, el('p', {}, words.length ? t('no_result_holds_these_words') : filtered() ? t('no_result_of_this_kind') : t('no_results_yet')),
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
    el('div', { class: 'photos' }, frame, el('p', { class: 'quiet' }, when(e.finished_at)), el('p', {}, copier(t('copy_link'), () => new URL(`/#results/${encodeURIComponent(e.id)}`, location.href).href))), el('div', { class: 'body' }, facts(e.result, [frame]), reviewed(e))));
}

/** reviewed is what can be said of the result e, and forgetting it. */
function reviewed(e) {
  const again = async () => { entries.delete(e.id); await open(e.id); load(''); };
  const gone = (f) => { entries.delete(e.id); byId('dialog-body').replaceChildren(forgotten(f)); render(); };
  return el('div', { class: 'rv' }, feedback(e, again), forget(e, gone));
}

/** closed goes back to the gallery, and the focus to the result that was open. */
function closed() {
  const id = /^results\/(.+)$/.exec(at().path)?.[1];
  byId('dialog-body').replaceChildren();
  if (!id) return;
  history.replaceState(null, '', address('results', place));
  byId('gallery').querySelector(`[data-id="${CSS.escape(decodeURIComponent(id))}"]`)?.focus();
}
