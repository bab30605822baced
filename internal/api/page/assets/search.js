// The view of the catalogue: words, a picture or both, filters, and what was found.

import { showModel } from './card.js';
import { announce, byId, el, number, once, plural, reveal } from './dom.js';
import { facets, numeric } from './facets.js';
import { detail, found, reached, tiles } from './found.js';
import { address, at, keep, query } from './place.js';
import { problem } from './problem.js';
import { ofShop, shop } from './shop.js';
import { steps } from './steps.js';
import { Problem, askJSON, fill, follow } from './stream.js';
import { t } from './words.js';

const some = 12; // products of a page

let shown = false;
let picture = null; // {file, url} to search by
let like = null; // the product to find more like
let aborted = new AbortController();
let filters = null; // of the shop, once they are known
let chosen = null; // those that are set
let talk = ''; // the conversation, from the first search on until the page is left
let said = ''; // the words that were sent last

export function start() {
  if (shop) byId('search-shop').replaceChildren(`${t('shop')}: `, el('strong', {}, shop), ' · ', el('a', { href: '/#search' }, t('the_services_own_shop')));
  const form = byId('search');
  form.addEventListener('submit', (e) => { e.preventDefault(); like = null; again(); });
  byId('search-picture').addEventListener('click', () => byId('search-file').click());
  byId('search-file').addEventListener('change', () => { take([...byId('search-file').files]); byId('search-file').value = ''; });
  for (const id of ['sort', 'in-stock']) byId(id).addEventListener('change', changed);
  byId('facets').open = matchMedia('(min-width: 900px)').matches;
  byId('dialog').addEventListener('close', closed);
  addEventListener('pagehide', forget);
}

/** forget ends the conversation. Nobody waits for the answer: what is not forgotten expires. */
function forget() {
  if (talk) fetch(`/sessions/${encodeURIComponent(talk)}`, { method: 'DELETE', keepalive: true }).catch(() => {});
  talk = '';
}

/** show shows what the address asks for and, if id is one, that product over what was found. */
export async function show(id) {
  const { query: wanted, values } = at();
  const anew = (!shown || (wanted !== query(place()) && !(id && !wanted))) && Boolean(wanted || (asked() && !picture && !like && shown));
  shown = true;
  await load();
  if (anew) restore(values);
  else keep(place());
  if (id) open(id);
  else byId('dialog').close();
}

export function hide() {
  shown = false;
  byId('dialog').close();
}

/** take searches by the first of files. */
export function take(files) {
  if (!files.length) return;
  drop();
  like = null;
  picture = { file: files[0], url: URL.createObjectURL(files[0]) };
  again();
}

function drop() {
  if (picture) URL.revokeObjectURL(picture.url);
  picture = null;
}

async function load() {
  if (chosen) return;
  try {
    filters = await askJSON(ofShop('/search/filters'));
    if (chosen) return;
    chosen = facets(filters, changed);
    byId('facets-body').replaceChildren(chosen.node);
    byId('facets').hidden = byId('browse').hidden = false;
    if (!asked()) nothing();
  } catch (err) {
    await refused(err, load);
  }
}

/** refused shows a problem; of a shop that is being filled how far it is, until it can be searched. */
async function refused(err, again) {
  if (err.code !== 'shop_filling') return void byId('found').replaceChildren(problem(err, again));
  const { stored, total } = err.now;
  const bar = byId('found').querySelector('.progress') || el('label', { class: 'progress' }, el('span'), el('progress'));
  bar.firstElementChild.textContent = total ? t('the_shop_is_filled', { n: number(stored), total: number(total) }) : t('the_shop_is_filled_so_far', { n: number(stored) });
  if (total) Object.assign(bar.lastElementChild, { max: total, value: Math.min(stored, total) });
  byId('found').replaceChildren(bar);
  await new Promise((done) => setTimeout(done, err.retryAfter * 1000));
  if (bar.isConnected && shown) await again();
}

const words = () => byId('search').elements.query.value.trim();
const asked = () => Boolean(words() || picture || like || chosen?.any() || byId('sort').value || byId('in-stock').checked);

/** changed searches anew after a filter or the order has changed. Words that were sent before are those of the conversation, whatever they referred to. */
function changed() {
  if (asked()) return void again(talk && words() && words() === said);
  keep(place(), true);
  nothing();
}

/** place is what is asked for, but for a picture. */
const place = () => ({ q: words(), sort: byId('sort').value, in_stock: byId('in-stock').checked && 'true', ...(chosen && { filters: chosen.values().filters, price: chosen.values().price }) });

/** restore asks for what an address says. */
function restore(values) {
  byId('search').elements.query.value = values.q || '';
  byId('sort').value = values.sort || '';
  byId('in-stock').checked = values.in_stock === 'true';
  chosen?.set(values);
  drop();
  like = null;
  forget();
  if (asked()) again();
  else nothing();
}

/** nothing is shown when nothing is asked for any more. */
function nothing() {
  aborted.abort();
  chosen.count(null);
  byId('found').removeAttribute('aria-busy');
  byId('searching').replaceChildren();
  byId('found').replaceChildren(welcome(filters));
}

/** again searches anew, from the first products: if same, for what the conversation has asked for last. turn is its ID there, which it keeps when it is sent again. */
async function again(same = false, turn = crypto.getRandomValues(new Uint32Array(4)).join('-')) {
  by();
  keep(place(), true);
  if (!asked()) return void byId('search').elements.query.focus();
  aborted.abort();
  aborted = new AbortController();
  const { signal } = aborted;
  const list = steps((what) => announce(what));
  const data = form(same, turn);
  const sent = words(); // others may be in the field when the answer comes
  byId('found').setAttribute('aria-busy', 'true');
  byId('searching').replaceChildren(el('p', { class: 'quiet' }, t('searching')), list.node);
  try {
    const result = await follow('/search', data, { signal, watch: (e) => list.add(e) });
    showModel(result);
    talk = result.session;
    said = (result.warnings || []).includes('session_not_kept') ? '' : sent;
    data.set('session', talk);
    chosen?.count(result.counts || null);
    byId('found').replaceChildren(found(result, list.node, { ask, similar, more: result.next && ((e) => further(e.currentTarget, data, result.next)) }));
    announce(result.summary);
  } catch (err) {
    if (err.name === 'AbortError') return; // another search has begun
    if (err.code === 'session_not_found' && talk) {
      talk = '';
      return again();
    }
    await refused(err instanceof Problem ? err : new Problem({ code: 'page', detail: String(err) }), () => again(same, turn));
  }
  byId('searching').replaceChildren();
  byId('found').removeAttribute('aria-busy');
}

function form(same, turn) {
  const data = new FormData();
  const set = (name, value) => { if (value) data.append(name, value); };
  set('shop', shop);
  set('session', talk || 'new');
  set('turn', turn);
  set(same ? 'after' : 'query', same ? '0' : words());
  if (picture) data.append('image', picture.file, picture.file.name || 'picture');
  set('like', like?.product_id);
  set('limit', some);
  set('sort', byId('sort').value);
  set('in_stock', byId('in-stock').checked && 'true');
  for (const [name, value] of Object.entries(chosen ? chosen.values() : {})) set(name, value);
  return data;
}

const further = (button, data, next) => once(button, () => append(button, data, next));

/** append appends the products behind next to those that data, a search, has found. The focus stays on the button, or goes to the first of them with the last page. */
async function append(button, data, next) {
  const row = button.parentElement;
  row.querySelector('.problem')?.remove();
  data.set('after', next);
  data.delete('counts');
  const { signal } = aborted;
  try {
    const result = await follow('/search', data, { signal, watch: () => {} });
    showModel(result);
    const products = byId('found').querySelector('.products');
    const added = tiles(result.products, { similar });
    products.append(...added);
    announce(t('more_products', { products: plural(added.length, 'product'), n: number(products.childElementCount) }));
    const again = result.next && el('button', { type: 'button', class: 'secondary', onclick: (e) => further(e.currentTarget, data, result.next) }, t('show_more'));
    const focused = document.activeElement === button;
    row.querySelector('.quiet').textContent = reached(products.childElementCount, result.total);
    if (again) button.replaceWith(again);
    else row.remove();
    if (focused) (again || added[0]?.querySelector('a'))?.focus({ preventScroll: Boolean(again) });
  } catch (err) {
    if (err.name === 'AbortError') return;
    row.append(problem(err instanceof Problem ? err : new Problem({ code: 'page', detail: String(err) })));
  }
}

/** by shows what is searched by beside words. */
function by() {
  const without = (name, remove) => el('button', { type: 'button', class: 'icon', 'aria-label': t('search_without_what', { what: name }), onclick: () => {
    remove();
    forget(); // what was found by it is no base for the words
    byId('search').elements.query.focus();
    if (asked()) again();
    else by();
  } }, '✕');
  byId('search-by').replaceChildren(...[
    picture && el('span', { class: 'by' }, el('img', { src: picture.url, alt: t('the_picture_to_search_by') }), picture.file.name || t('pasted_picture'), without(t('the_picture'), drop)),
    like && el('span', { class: 'by' }, like.image_url && el('img', { src: like.image_url, alt: '' }), t('more_like_name', { name: like.name }), without(t('that_product'), () => { like = null; })),
  ].filter(Boolean));
}

/** ask searches for other words, in a conversation of their own. */
function ask(text) {
  byId('search').elements.query.value = text;
  forget();
  like = null;
  drop();
  again();
}

/** similar searches for more like a product. */
function similar(product) {
  byId('dialog').close();
  byId('search').elements.query.value = '';
  drop();
  like = product;
  again();
  byId('title-search').scrollIntoView({ block: 'nearest' });
}

/** welcome offers something to ask for: the commonest words of the shop, so that they are likely to be found together. */
function welcome({ facets: all }) {
  const [kind, ...others] = all.filter((f) => !numeric(f.values))
    .map((f) => f.values.reduce((most, v) => (v.count > most.count ? v : most)));
  const examples = [['en'], ['vi', others[0]], ['en', others[1]]].filter(() => kind)
    .map(([lang, other]) => [lang, (lang === 'vi' ? [kind, other] : [other, kind]).filter(Boolean).map((v) => v[lang]).join(' ').toLowerCase()]);
  return el('section', { class: 'empty' }, el('p', {}, t('say_what_you_are_looking')),
    el('p', { class: 'chips' }, examples.map(([lang, text]) => el('button', { type: 'button', class: 'chip', lang, onclick: () => ask(text) }, text))));
}

function open(id) {
  byId('dialog-title').textContent = t('product');
  fill(byId('dialog-body'), ofShop(`/products/${encodeURIComponent(id)}`), (product) => reveal(detail(product, similar)), (err) => reveal(problem(err, () => open(id))));
}

/** closed goes back to what was found, and the focus to the product that was open. */
function closed() {
  const id = /^search\/(.+)$/.exec(at().path)?.[1];
  if (!id) return;
  history.replaceState(null, '', address('search', place()));
  byId('found').querySelector(`[data-id="${CSS.escape(decodeURIComponent(id))}"]`)?.focus();
}
