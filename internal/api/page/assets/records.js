// The records that a discovery found, each with its proof, and what people say of them.

import { el, link, plural } from './dom.js';
import { by, marks } from './marks.js';
import { publisherKinds, sectors, t } from './words.js';

const columns = [t('dataset'), t('publisher'), t('years'), t('files'), t('acceptance'), t('is_it_right')];

/** records are the datasets as a table; path is that of their run. */
export function records(path, items) {
  const title = el('h2', { id: 'title-records' }, plural(items.length, 'record'));
  if (!items.length) return el('section', { 'aria-labelledby': 'title-records' }, title, el('p', { class: 'quiet' }, t('nothing_that_could_be_proven')));
  return el('section', { 'aria-labelledby': 'title-records' }, el('div', { class: 'titled' }, title, by()),
    el('div', { class: 'scroll', role: 'group', 'aria-labelledby': 'title-records', tabindex: 0 }, el('table', { class: 'records' },
      el('thead', {}, el('tr', {}, columns.map((name) => el('th', { scope: 'col' }, name)))),
      el('tbody', {}, items.map((item) => row(path, item))))));
}

function row(path, item) {
  const cells = [
    [proof(item)], [item.publisher, el('span', { class: 'badge none' }, publisherKinds[item.publisher_kind] || item.publisher_kind, !item.proofs?.includes('publisher') && ` (${t('publisher_unproven')})`)], [years(item)], files(item), acceptance(item), marks(path, item),
  ];
  return el('tr', {}, cells.map((inside, i) => el('td', { 'data-label': i > 0 && columns[i] }, el('div', {}, inside))));
}

/** proof is what a record is, and the words of its page that say so. */
function proof(item) {
  return el('div', { class: 'proof' },
    el('strong', { dir: 'auto' }, link(item.url, item.name)),
    el('span', { class: 'quiet', dir: 'auto' }, [item.subsector, (item.sectors || [item.sector]).map((s) => sectors[s] || s).join(', '), item.granularity].filter(Boolean).join(' · ')),
    el('q', { dir: 'auto' }, item.quote),
    item.where && el('span', { class: 'quiet' }, t('where_place', { place: item.where })),
    item.landing_page && el('span', { class: 'quiet' }, t('a_file_of'), ' ', link(item.landing_page)),
    item.also?.length > 0 && el('details', {}, el('summary', {}, t('the_same_elsewhere_addresses', { addresses: plural(item.also.length, 'address') })), el('ul', {}, item.also.map(({ url }) => el('li', {}, link(url))))));
}

function years({ first_year: first, last_year: last }) {
  if (!first && !last) return el('span', { class: 'quiet' }, t('not_said'));
  return el('span', { class: 'figure' }, first === last ? `${first}` : `${first || '…'}–${last || '…'}`);
}

function files(item) {
  if (!item.files?.length) return [el('span', { class: 'quiet' }, item.method_of_access || t('none'))];
  return item.files.map((f) => el('span', { class: 'file', title: f.url }, link(f.url, f.format?.toUpperCase() || t('open'))));
}

function acceptance(item) {
  const percent = Math.round(item.acceptance * 100);
  return [el('span', { class: 'figure' }, `${percent} %`), el('meter', { min: 0, max: 1, low: 0.6, high: 0.75, optimum: 1, value: item.acceptance, 'aria-label': t('acceptance_of_name', { name: item.name }) })];
}
