// The catalogue, for whoever owns it.

import { announce, byId, confirmed, el, number, when } from './dom.js';
import { problem } from './problem.js';
import { askJSON } from './stream.js';
import { by, speaks } from './verdict.js';

const page = 24;
const statuses = [['', 'All'], ['confirmed', 'Confirmed'], ['imported', 'Imported'], ['unconfirmed', 'Learnt']];
const trust = { confirmed: 'Confirmed', imported: 'Imported', unconfirmed: 'Learnt, unconfirmed' };
const sources = { import: 'an imported file', google_search: 'a web search', review: 'a person’s review', gtin_directory: 'a directory of product codes' };

let status = '';
let asked = 0; // counts the loads, so that a late answer of an earlier one is dropped

export function start() {
  byId('records-status').append(...statuses.map(([value, name]) => el('button', { type: 'button', class: 'chip', id: `records-${value || 'any'}`, 'aria-pressed': String(!value), onclick: (e) => choose(e.currentTarget, value) }, name)));
  byId('records-search').addEventListener('submit', (e) => { e.preventDefault(); load(''); });
  byId('records-search').elements.q.addEventListener('search', (e) => { if (!e.target.value) load(''); }); // its cross: Enter is a submit as well
}

/** show shows the record id, or what was asked for. */
export function show(id) {
  byId('records-all').hidden = Boolean(id);
  byId('record').hidden = !id;
  if (id) one(id);
  else load('');
}

export function hide() {}

function choose(button, value) {
  for (const b of byId('records-status').children) b.setAttribute('aria-pressed', String(b === button));
  status = value;
  load('');
}

const words = () => byId('records-search').elements.q.value.trim();

async function load(after) {
  const mine = ++asked;
  const list = byId('records');
  list.setAttribute('aria-busy', 'true');
  const query = new URLSearchParams({ limit: page, ...(words() && { q: words() }), ...(status && { status }), ...(after && { after }) });
  try {
    const answer = await askJSON(`/catalog?${query}`);
    if (mine !== asked) return;
    if (!after) list.replaceChildren();
    list.append(...answer.records.map(line));
    const more = answer.next && el('button', { type: 'button', class: 'secondary', onclick: () => load(answer.next) }, 'Show more');
    byId('records-state').replaceChildren(...(list.children.length ? [more].filter(Boolean) : [empty()]));
    announce(`${number(list.children.length)} records`);
  } catch (err) {
    if (mine === asked) byId('records-state').replaceChildren(problem(err, () => load(after)));
  }
  if (mine === asked) list.removeAttribute('aria-busy');
}

const empty = () => el('div', { class: 'empty' }, el('p', {}, words() || status ? 'No record is like this.' : 'The catalogue is empty.'),
  !words() && !status && el('p', {}, 'Import a file, or accept a result: the README says how.'));

const badge = (r) => el('span', { class: `badge rv-${r.status}` }, trust[r.status] || r.status);

const line = (r) => el('li', {}, el('a', { href: `#catalogue/${encodeURIComponent(r.id)}` },
  el('strong', { lang: r.lang }, r.product_name), badge(r),
  el('span', { class: 'quiet', lang: r.lang }, [r.brand, r.category, r.gtin && `GTIN ${r.gtin}`].filter(Boolean).join(' · '))));

async function one(id) {
  const view = byId('record');
  view.setAttribute('aria-busy', 'true');
  try {
    const r = await askJSON(`/catalog/${encodeURIComponent(id)}`);
    if (location.hash === `#catalogue/${encodeURIComponent(id)}`) view.replaceChildren(back(), card(r));
  } catch (err) {
    view.replaceChildren(back(), problem(err));
  }
  view.removeAttribute('aria-busy');
}

const back = () => el('p', {}, el('a', { href: '#catalogue' }, '← All records'));

function card(r) {
  const state = el('div', {});
  const list = [['Brand', r.brand], ['Category', r.category], ['GTIN', r.gtin], ['SKU', r.sku], ['Country', r.country], ['Language', r.lang], ['Made', r.created_at && when(r.created_at)]].filter((row) => row[1]);
  return el('article', { class: 'card' },
    el('div', { class: 'headline' }, el('h2', { lang: r.lang }, r.product_name), el('p', { class: 'badges' }, badge(r))),
    el('dl', {}, list.map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', { lang: r.lang }, value)))),
    r.key_features.length > 0 && el('ul', { class: 'features', 'aria-label': 'Features', lang: r.lang }, r.key_features.map((f) => el('li', {}, f))),
    el('section', { class: 'rv-from' }, el('h4', {}, 'Where it comes from'), el('ul', {}, origins(r))),
    el('section', { class: 'rv' }, r.status !== 'confirmed' && speaks(), el('p', { class: 'buttons' },
      r.status !== 'confirmed' && el('button', { type: 'button', onclick: () => confirm(r, state) }, 'Confirm'),
      el('button', { type: 'button', class: 'danger', onclick: () => remove(r, state) }, 'Delete')), state));
}

/** origins are who brought a record, who vouches for it, and what it rests on. */
function origins(r) {
  return [
    el('li', {}, `It comes from ${sources[r.source] || r.source || 'an unknown place'}`, r.status === 'unconfirmed' && r.probability ? `, which was ${Math.round(r.probability * 100)} % sure.` : '.'),
    r.confirmed_by && el('li', {}, `${r.confirmed_by} vouches for it.`),
    r.before && el('li', {}, r.before === 'new' ? 'A review has made it: it goes when that is taken back.' : `Reviews have raised it: before it was ${(trust[r.before] || r.before).toLowerCase()}.`),
    ...r.provenance.map((from) => el('li', {}, origin(from))),
  ];
}

function origin(from) {
  const result = /^result:([0-9a-f]{32})$/.exec(from)?.[1];
  if (result) return el('a', { href: `#results/${result}` }, 'The result that was reviewed');
  const hash = /^sha256:([0-9a-f]{12})/.exec(from)?.[1];
  return hash ? el('span', {}, 'A photo that is not kept, ', el('code', {}, hash)) : el('code', {}, from);
}

async function confirm(r, state) {
  if (!by()) {
    state.replaceChildren(el('p', { role: 'alert' }, 'Say who is speaking first: it is kept with the record.'));
    byId('record').querySelector('.rv-by input').focus();
    return;
  }
  try {
    const now = await askJSON(`/catalog/${encodeURIComponent(r.id)}/confirm`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ by: by() }) });
    byId('record').replaceChildren(back(), card(now));
    announce('Confirmed.');
  } catch (err) {
    state.replaceChildren(problem(err));
  }
}

async function remove(r, state) {
  const learnt = r.source === 'google_search' ? ' It will not be learnt again.' : '';
  if (!await confirmed(`Delete ${r.product_name} from the catalogue?${learnt}`, 'Delete it')) return;
  try {
    await askJSON(`/catalog/${encodeURIComponent(r.id)}`, { method: 'DELETE' });
    announce('Deleted.');
    location.hash = '#catalogue';
  } catch (err) {
    state.replaceChildren(problem(err));
  }
}
