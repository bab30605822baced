// What a search found: products, and what its intent asks for beside them.

import { modelBadges, ofModel, photo, raw } from './card.js';
import { dollars, el, number, plural } from './dom.js';
import { facetNames, intents, lang, searchTypes, searchWarnings, t, warnings } from './words.js';

/** found is all that r says. act is what can be done: ask, similar, more. */
export function found(r, list, act) {
  return el('div', { class: 'found' },
    el('div', { class: 'said' },
      el('p', { class: 'badges' }, el('span', { class: 'badge' }, intents[r.intent] || r.intent), r.search_type && el('span', { class: 'badge none' }, searchTypes[r.search_type]),
        caveats(r), modelBadges(r)),
      el('p', { class: 'summary' }, r.summary),
      r.products.length > 0 && el('p', { class: 'quiet fine' }, t('go_on_in_the_same_field'))),
    remarks(r), answer(r.result || {}, act),
    (r.products.length > (r.result?.product ? 1 : 0) || act.more) && el('ul', { class: 'products', 'aria-label': t('products') }, tiles(r.products, act)),
    act.more && el('p', { class: 'centre' }, el('span', { class: 'quiet' }, reached(r.products.length, r.total)), ' ', el('button', { type: 'button', class: 'secondary', onclick: act.more }, t('show_more'))),
    bill(r),
    el('div', { class: 'folded' },
      list.childElementCount > 0 && el('details', {}, el('summary', {}, t('how_it_was_found_steps', { steps: plural(list.childElementCount, 'step') })), list), raw(r)));
}

/** reached says how many of all products that were found are shown. */
export const reached = (n, total) => t('n_of_total', { n: number(n), total: number(total) });

const named = (facet) => (facetNames[facet] || facet).toLowerCase();

/** caveats are what was not as it was asked for, in a word each: the summary says it at length. */
function caveats(r) {
  return [
    r.relaxed?.length && t('given_up_filters', { filters: r.relaxed.map(named).join(', ') }),
    ...(r.ignored_filters || []).map((f) => t('ignored_filter', { filter: f.value || f.facet })),
  ].filter(Boolean).map((text) => el('span', { class: 'badge doubt' }, text));
}

/** remarks are what the summary does not say. */
function remarks(r) {
  const lines = [
    r.exhausted === false && t('there_are_more_products_than'),
    ...(r.warnings || []).filter((code) => !ofModel(code) && !told.includes(code)).map((code) => searchWarnings[code] || warnings[code] || code),
    r.recommended_shapes?.length && t('shapes_that_suit_the_face', { shapes: r.recommended_shapes.map(plain).join(', ') }),
  ].filter(Boolean);
  return lines.length > 0 && el('ul', { class: 'warnings', 'aria-label': t('remarks') }, lines.map((text) => el('li', {}, text)));
}

// The warnings that the summary says.
const told = ['irrelevant_image', 'not_exact', 'not_sold'];

const plain = (code) => code.replaceAll('_', ' ');

/** answer is what an intent asks for beside products. */
function answer(a, act) {
  return [
    a.product && el('div', { class: 'card' }, detail(a.product, act.similar)),
    a.comparison && comparison(a.comparison),
    ...[a.faq, ...(a.facts || [])].map((fact) => fact && el('figure', { class: 'card quote' }, el('blockquote', {}, fact.quote), el('figcaption', { class: 'quiet' }, fact.about || fact.source))),
    a.availability?.length > 0 && el('ul', { class: 'card stocks', 'aria-label': t('in_stock') }, a.availability.map(stock)),
    a.stats && stats(a.stats),
    a.suggestions?.length > 0 && el('p', { class: 'chips', role: 'group', 'aria-label': t('suggestions') },
      a.suggestions.map((s) => el('button', { type: 'button', class: 'chip', onclick: () => act.ask(s) }, s))),
  ].filter(Boolean);
}

function comparison(c) {
  return el('div', { class: 'scroll', role: 'region', 'aria-label': t('comparison'), tabindex: 0 }, el('table', { class: 'compare' },
    el('tbody', {}, c.rows.map((row) => el('tr', { class: row.differ ? 'differ' : '' },
      el('th', { scope: 'row' }, facetNames[row.attribute] || plain(row.attribute)), row.values.map((v) => el('td', {}, v || '–')))))));
}

const availability = { in_stock: t('in_stock'), out_of_stock: t('sold_out'), preorder: t('preorder'), backorder: t('backorder'), unknown: t('stock_unknown') };

function stock(s) {
  return el('li', {}, el('a', { href: `#search/${encodeURIComponent(s.product_id)}` }, s.name),
    el('span', { class: s.availability === 'in_stock' ? 'badge' : 'badge none' }, s.stock > 0 ? t('n_in_stock', { n: number(s.stock) }) : availability[s.availability] || s.availability),
    el('span', { class: 'figure' }, price(s)));
}

function stats(s) {
  const top = Math.max(1, ...s.counts.map((c) => c.count));
  return el('div', { class: 'card' }, el('h3', {}, `${facetNames[s.facet] || s.facet}: ${plural(s.total, 'product')}`),
    el('ul', { class: 'stats' }, s.counts.filter((c) => c.count > 0).map((c) => el('li', {}, el('span', {}, c.label), el('meter', { min: 0, max: top, value: c.count, 'aria-label': c.label }), el('span', { class: 'figure' }, number(c.count))))));
}

/** price is the price of a product as people write it, empty if there is none. */
function price(p) {
  if (!p.price) return '';
  try {
    return new Intl.NumberFormat(lang, { style: 'currency', currency: p.currency, currencyDisplay: 'narrowSymbol', maximumFractionDigits: Number.isInteger(p.price) ? 0 : 2 }).format(p.price);
  } catch {
    return `${number(p.price)} ${p.currency || ''}`;
  }
}

/** tiles are products in a list. */
export const tiles = (products, act) => products.map((p) => el('li', {}, tile(p, act)));

function tile(p, act) {
  return el('article', { class: 'product' },
    el('a', { href: `#search/${encodeURIComponent(p.product_id)}`, 'data-id': p.product_id }, photo(p.image_url, ''), el('strong', {}, p.name)),
    el('p', { class: 'quiet' }, [p.brand, price(p)].filter(Boolean).join(' · '), p.availability === 'out_of_stock' && ` · ${t('sold_out_2')}`),
    score(p),
    p.why?.length > 0 && el('ul', { class: 'features', 'aria-label': t('why') }, p.why.map((w) => el('li', {}, w))),
    p.variants && variants(p.variants),
    el('button', { type: 'button', class: 'secondary small', onclick: () => act.similar(p) }, t('more_like_this'), el('span', { class: 'unseen' }, `: ${p.name}`)));
}

/** variants are what else a product comes in. */
function variants(v) {
  const rest = v.count - 1 - v.others.length;
  return el('ul', { class: 'variants', 'aria-label': t('also_in') }, el('li', {}, t('also_in')),
    v.others.map((o) => el('li', {}, el('a', { href: `#search/${encodeURIComponent(o.product_id)}` }, differing(o)), o.availability === 'out_of_stock' && ` (${t('sold_out_2')})`)),
    rest > 0 && el('li', {}, t('and_n_more', { n: number(rest) })));
}

/** differing is what a variant differs in, or its name. */
const differing = (o) => Object.values(o.values).map((held) => held.map(plain).join(', ')).join(' · ') || o.sku || o.name;

const parts = [[t('words'), 'text_score'], [t('picture'), 'image_score']];

function score(p) {
  const both = parts.filter(([, field]) => typeof p[field] === 'number').map(([name, field]) => `${name} ${p[field].toFixed(2)}`);
  if (!both.length) return null; // it was compared with nothing
  return el('p', { class: 'score', title: both.join(', ') }, el('span', { class: 'figure' }, p.score.toFixed(2)),
    el('meter', { min: 0, max: 1, value: Math.max(0, p.score), 'aria-label': t('score_of_name', { name: p.name }) }), both.length > 1 && el('small', {}, both.join(' · ')));
}

/** detail is the full record of a product. */
export function detail(p, similar) {
  const rows = [
    [t('price'), price(p)], [t('stock'), p.stock > 0 ? plural(p.stock, 'piece') : p.availability && availability[p.availability]], ...Object.entries(p.facets || {}).filter(([facet]) => facet !== 'brand').map(([facet, code]) => [facetNames[facet] || facet, plain(code)]),
    ['SKU', p.sku], ['GTIN', p.gtin], [t('record'), p.status],
  ].filter(([, value]) => value);
  return el('div', { class: 'columns' }, el('div', { class: 'photos' }, photo(wide(p.image_url), p.name)),
    el('div', { class: 'facts' },
      el('div', { class: 'headline' }, el('h3', {}, p.name), el('p', { class: 'maker' }, p.brand)),
      p.description && el('p', {}, p.description),
      el('dl', {}, rows.map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value)))),
      p.key_features?.length > 0 && el('ul', { class: 'features', 'aria-label': t('features') }, p.key_features.map((f) => el('li', {}, f))),
      el('p', {}, el('button', { type: 'button', class: 'secondary', onclick: () => similar(p) }, t('more_like_this')))));
}

/** wide asks for a larger picture. Those that a shop keeps elsewhere are what they are. */
const wide = (url) => (!url?.startsWith('/') ? url : `${url}${url.includes('?') ? '&' : '?'}width=960`);

function bill(r) {
  const calls = r.model_calls || {};
  return el('dl', { class: 'bill' }, [
    [t('cost'), dollars(r.cost_usd)], [t('calls'), [plural(calls.generate || 0, 'model_call'), plural(calls.embed || 0, 'embedding')].join(', ')], [t('shop'), r.shop],
  ].map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))));
}
