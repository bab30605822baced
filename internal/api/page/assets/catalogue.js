// The catalogue, for whoever owns it.

import { bring } from './bring.js';
import { announce, byId, confirmed, el, link, plural, when } from './dom.js';
import { address, at, keep } from './place.js';
import { problem } from './problem.js';
import { ofShop, shop } from './shop.js';
import { askJSON, fill } from './stream.js';
import { by, speaks } from './verdict.js';
import { may, signature } from './who.js';
import { rich, t } from './words.js';

const page = 24;
const statuses = [['', t('all_1')], ['confirmed', t('confirmed')], ['imported', t('imported')], ['unconfirmed', t('learnt')], ['none', t('without_a_code')]];
const trust = { confirmed: t('confirmed'), imported: t('imported'), unconfirmed: t('learnt_unconfirmed') };
const sources = { import: t('an_imported_file'), google_search: t('a_web_search'), review: t('a_persons_review'), gtin_directory: t('a_directory_of_product_codes') };

let status = '';
let asked = 0; // counts the loads, so that a late answer of an earlier one is dropped

export function start() {
  const other = byId('records-shop');
  other.elements.shop.value = shop;
  other.addEventListener('submit', () => { location.href = `/?${new URLSearchParams(new FormData(other))}#catalogue`; });
  byId('records-status').append(...statuses.map(([value, name]) => el('button', { type: 'button', class: 'chip', id: `records-${value || 'any'}`, 'aria-pressed': String(!value), onclick: () => { status = value; load(''); } }, name)));
  bring(byId('records-bring'), () => load(''));
  byId('records-search').addEventListener('submit', (e) => { e.preventDefault(); load(''); });
  byId('records-search').elements.q.addEventListener('search', (e) => { if (!e.target.value) load(''); }); // its cross: Enter is a submit as well
}

/** show shows the record id, or what was asked for. */
export function show(id) {
  byId('records-all').hidden = Boolean(id);
  byId('record').hidden = !id;
  if (id) return one(id);
  const { values } = at();
  byId('records-search').elements.q.value = values.q || '';
  status = values.status || '';
  load('');
}

export function hide() {}

const words = () => byId('records-search').elements.q.value.trim();

async function load(after) {
  const mine = ++asked;
  const list = byId('records');
  for (const b of byId('records-status').children) b.setAttribute('aria-pressed', String(b.id === `records-${status || 'any'}`));
  keep({ q: words(), status }, true);
  list.setAttribute('aria-busy', 'true');
  const query = new URLSearchParams({ limit: page, ...(words() && { q: words() }), ...(status === 'none' ? { gtin: 'none' } : status && { status }), ...(after && { after }) });
  try {
    const answer = await askJSON(ofShop(`/catalog?${query}`));
    if (mine !== asked) return;
    if (!after) list.replaceChildren();
    list.append(...answer.records.map(line));
    const more = answer.next && el('button', { type: 'button', class: 'secondary', onclick: () => load(answer.next) }, t('show_more'));
    byId('records-state').replaceChildren(...(list.children.length ? [more].filter(Boolean) : [empty()]));
    announce(plural(list.children.length, 'record'));
  } catch (err) {
    if (mine === asked) byId('records-state').replaceChildren(problem(err, () => load(after)));
  }
  if (mine === asked) list.removeAttribute('aria-busy');
}

const empty = () => el('div', { class: 'empty' }, el('p', {}, words() || status ? t('no_record_is_like_this') : t('the_catalogue_is_empty')),
  !words() && !status && el('p', {}, rich('command_imports_a_file_an', { command: el('code', {}, 'whatisit catalog import FILE') })));

const badge = (r) => el('span', { class: `badge rv-${r.status}` }, trust[r.status] || r.status);

const line = (r) => el('li', {}, el('a', { href: `#catalogue/${encodeURIComponent(r.id)}` },
  el('strong', { lang: r.lang }, r.product_name), badge(r),
  el('span', { class: 'quiet', lang: r.lang }, [r.brand, r.category, r.gtin && `GTIN ${r.gtin}`].filter(Boolean).join(' · '))));

function one(id) {
  const view = byId('record');
  fill(view, `/catalog/${encodeURIComponent(id)}`, (r) => view.replaceChildren(back(), card(r)), (err) => view.replaceChildren(back(), problem(err, () => one(id))));
}

const back = () => el('p', {}, el('a', { href: address('catalogue', { q: words(), status }) }, t('all_records')));

function card(r) {
  const state = el('div', {});
  const list = [[t('brand'), r.brand], [t('category'), r.category], ['GTIN', r.gtin], ['SKU', r.sku], [t('country'), r.country], [t('language'), r.lang], [t('made'), r.created_at && when(r.created_at)]].filter((row) => row[1]);
  return el('article', { class: 'card' },
    el('div', { class: 'headline' }, el('h2', { lang: r.lang }, r.product_name), el('p', { class: 'badges' }, badge(r), r.hidden && el('span', { class: 'badge' }, t('hidden_from_searches')))),
    el('dl', {}, list.map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', { lang: r.lang }, value)))),
    r.key_features.length > 0 && el('ul', { class: 'features', 'aria-label': t('features'), lang: r.lang }, r.key_features.map((f) => el('li', {}, f))),
    el('section', { class: 'rv-from' }, el('h3', {}, t('where_it_comes_from')), el('ul', {}, origins(r))),
    acts(r),
    el('section', { class: 'rv' }, may('reviewer') && r.status !== 'confirmed' && speaks(), el('p', { class: 'buttons' },
      may('reviewer') && r.status !== 'confirmed' && el('button', { type: 'button', onclick: () => confirm(r, state) }, t('confirm')),
      may('owner') && el('button', { type: 'button', id: 'record-edit', class: 'secondary', onclick: () => edit(r, state) }, t('edit')),
      may('owner') && el('button', { type: 'button', class: 'secondary', onclick: () => conceal(r, state) }, r.hidden ? t('show_in_searches') : t('hide_from_searches')),
      may('owner') && el('button', { type: 'button', class: 'danger', onclick: () => remove(r, state) }, t('delete'))), state));
}

const done = { accept: t('accepted'), correct: t('corrected'), reject: t('rejected'), undo: t('taken_back'), confirm: t('confirmed'), edit: t('changed_by_its_owner'), delete: t('deleted_1') };

/** acts is who did what to a record, the latest first; it fills when it has come. */
function acts(r) {
  const node = el('section', { class: 'rv-from', hidden: true });
  askJSON(`/catalog/${encodeURIComponent(r.id)}/acts`).then(({ acts: all }) => {
    node.hidden = !all.length;
    node.append(el('h3', {}, t('who_did_what')), el('ul', {}, all.reverse().map((a) => el('li', {}, `${done[a.act] || a.act}, ${signature(a)}, `, when(a.at), ' ', changed(a)))));
  }).catch(() => {}); // the record is shown without
  return node;
}

/** changed is what an act changed, as before → after. */
function changed({ before, after }) {
  const name = (state) => state && `${state.product_name || ''} (${(trust[state.status] || state.status).toLowerCase()})`;
  const [was, is] = [name(before), name(after)];
  return was !== is && el('span', { class: 'quiet' }, [was, is].filter(Boolean).join(' → '));
}

const broughtBy = (r) => sources[r.source] || r.source || t('an_unknown_place');

/** origins are who brought a record, who vouches for it, and what it rests on. */
function origins(r) {
  return [
    el('li', {}, r.status === 'unconfirmed' && r.probability ? t('it_comes_from_source_which', { source: broughtBy(r), n: Math.round(r.probability * 100) }) : t('it_comes_from_source', { source: broughtBy(r) })),
    r.confirmed_by && el('li', {}, t('name_vouches_for_it', { name: r.confirmed_by }), !r.confirmed_by_verified && ` ${t('unverified')}`),
    r.before && el('li', {}, r.before === 'new' ? t('a_review_has_made_it') : t('reviews_have_raised_it_before', { status: (trust[r.before] || r.before).toLowerCase() })),
    ...r.provenance.map((from) => el('li', {}, origin(from))),
  ];
}

function origin(from) {
  const result = /^result:([0-9a-f]{32})$/.exec(from)?.[1];
  if (result) return el('a', { href: `#results/${result}` }, t('the_result_that_was_reviewed'));
  const hash = /^sha256:([0-9a-f]{12})/.exec(from)?.[1];
  return hash ? el('span', {}, t('a_photo_that_is_not'), ' ', el('code', {}, hash)) : el('code', {}, link(from));
}

async function confirm(r, state) {
  if (!by()) {
    state.replaceChildren(el('p', { role: 'alert' }, t('say_who_is_speaking_first')));
    byId('record').querySelector('.rv-by input').focus();
    return;
  }
  try {
    const now = await askJSON(`/catalog/${encodeURIComponent(r.id)}/confirm`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ by: by() }) });
    byId('record').replaceChildren(back(), card(now));
    announce(t('confirmed_1'));
  } catch (err) {
    state.replaceChildren(problem(err));
  }
}

const edited = [['product_name', t('name')], ['brand', t('brand')], ['category', t('category')], ['gtin', 'GTIN']];

/** edit shows a form for what a record says; its brand may be renamed on all records, and it may be merged into another. */
function edit(r, state) {
  const inputs = edited.map(([field, name]) => [field, el('input', { name: field, value: r[field] || '', required: field === 'product_name' }), name]);
  const everywhere = el('input', { type: 'checkbox', name: 'everywhere' });
  const into = el('input', { name: 'into', pattern: '.*[0-9a-f]{32}', placeholder: '2f8f4324…' });
  state.replaceChildren(el('form', { class: 'rv-form', onsubmit: (e) => { e.preventDefault(); save(r, state, inputs, everywhere.checked, into.value.slice(-32)); } },
    inputs.map(([, input, name]) => el('label', {}, name, ' ', input)),
    r.brand && el('label', { class: 'check' }, everywhere, ' ', t('rename_the_brand_on_all')),
    el('label', {}, t('it_is_the_same_as'), ' ', into),
    el('p', { class: 'buttons' }, el('button', {}, t('save')), el('button', { type: 'button', class: 'secondary', onclick: () => state.replaceChildren() }, t('cancel')))));
  inputs[0][1].focus();
}

async function save(r, state, inputs, everywhere, into) {
  const who = by() || t('the_owner');
  const asked = (method, path, body) => askJSON(path, { method, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ ...body, by: who }) });
  const at = `/catalog/${encodeURIComponent(r.id)}`;
  const changes = Object.fromEntries(inputs.map(([field, input]) => [field, input.value.trim()]).filter(([field, value]) => value !== (r[field] || '')));
  try {
    if (everywhere && changes.brand) {
      for (let more = true; more;) ({ more } = await asked('POST', ofShop('/catalog-brands/rename'), { from: r.brand, to: changes.brand }));
      delete changes.brand;
    }
    let now = Object.keys(changes).length ? await asked('PATCH', at, changes) : await askJSON(at);
    if (into) now = await asked('POST', `${at}/merge`, { into });
    announce(t('changed_by_its_owner'));
    if (now.id === r.id) byId('record').replaceChildren(back(), card(now));
    else location.hash = `#catalogue/${now.id}`;
  } catch (err) {
    state.replaceChildren(problem(err));
  }
}

/** conceal hides a product from searches, or shows it again. */
async function conceal(r, state) {
  try {
    const now = await askJSON(`/catalog/${encodeURIComponent(r.id)}`, { method: 'PATCH', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ hidden: !r.hidden, by: by() || t('the_owner') }) });
    byId('record').replaceChildren(back(), card(now));
    announce(now.hidden ? t('hidden_from_searches') : t('found_by_searches_again'));
  } catch (err) {
    state.replaceChildren(problem(err));
  }
}

async function remove(r, state) {
  const learnt = r.source === 'google_search' ? ` ${t('it_will_not_be_learnt')}` : '';
  const overrules = r.confirmed_by ? ` ${t('name_vouches_for_it', { name: r.confirmed_by })}` : '';
  if (!await confirmed(`${t('delete_name_from_the_catalogue', { name: r.product_name })}${overrules}${learnt}`, t('delete_it'))) return;
  try {
    await askJSON(`/catalog/${encodeURIComponent(r.id)}`, { method: 'DELETE' });
    announce(t('deleted'));
    location.hash = '#catalogue';
  } catch (err) {
    state.replaceChildren(problem(err));
  }
}
