// The card of a result.

import { expiry } from './dates.js';
import { byId, copier, cut, dollars, el, link, number, plural } from './dom.js';
import { evidence } from './evidence.js';
import { doubts, probability, why } from './why.js';
import { lang, source, t, unidentified, warnings } from './words.js';

/** photo is a picture that boxes can be drawn on, or a drawn one in its place. */
export function photo(url, name) {
  const frame = el('div', { class: 'frame' });
  const none = () => frame.replaceChildren(el('div', { class: 'no-photo', role: 'img', 'aria-label': url ? t('photo_which_cannot_be_shown', { photo: name || t('a_photo') }) : t('the_photo_is_not_kept') }));
  if (!url) none();
  else frame.append(el('div', { class: 'picture' }, el('img', { src: url, alt: name ? t('photo_name', { name }) : '', loading: 'lazy', decoding: 'async', onerror: none })));
  return frame;
}

export const badge = (r) => el('span', { class: r.error || unidentified(r) ? 'badge none' : 'badge' }, source(r));

/** facts is all that r says, beside the frames of its photos. */
export function facts(r, frames) {
  return el('div', { class: 'facts' },
    el('p', { class: 'badges' }, badge(r), modelBadges(r), r.cached && el('span', { class: 'badge none' }, `${t('from_memory')}${age(r.age_seconds)}`)),
    headline(r),
    'product_name' in r && [bars(r), details(r), features(r)],
    evidence(r, frames), warned(r), decided(r), found(r), bill(r), el('div', { class: 'folded' }, read(r), raw(r)));
}

// The warnings that no model of Google's answered. Each is the id of a banner, the key of a badge.
const others = ['emulated_model', 'local_model'];

const answeredBy = (r) => others.filter((code) => (r.warnings || []).includes(code));

/** modelBadges say that no model of Google's answered r. */
export const modelBadges = (r) => answeredBy(r).map((code) => el('span', { class: 'badge none' }, t(code)));

/** ofModel is true of the warnings that modelBadges and showModel say. */
export const ofModel = (code) => others.includes(code);

/** showModel shows the banner of the model that answered r, unless it is one of Google's. */
export function showModel(r) {
  for (const code of answeredBy(r)) byId(code).hidden = false;
}

export function title(r) {
  if (r.error === 'analysis_failed') return t('could_not_be_analysed');
  if (r.error) return t('no_product_in_this_photo');
  return nameless(r) ? t('unknown_product') : r.product_name;
}

/** nameless is true of an answer that does not say which product it is. */
export const nameless = (r) => !r.error && (unidentified(r) || !r.product_name);

/** maker stands below the title: the brand, or what was read of a product that nobody identified. */
export function maker(r) {
  const read = unidentified(r) && [r.product_name, r.brand].filter(Boolean).join(', ');
  return read ? t('read_text', { text: read }) : r.brand || '';
}

const age = (seconds = 0) => (seconds < 3600 ? '' : seconds < 86400 ? `, ${t('time_old', { time: plural(Math.round(seconds / 3600), 'hour') })}` : `, ${t('time_old', { time: plural(Math.round(seconds / 86400), 'day') })}`);

function headline(r) {
  const below = r.error ? r.description || r.message : [maker(r), r.category].filter(Boolean).join(' · ');
  return el('div', { class: 'headline' },
    el('h3', { lang: r.lang }, title(r)), below && el('p', { class: r.error ? '' : 'maker', lang: r.message ? 'en' : r.lang }, below),
    r.retryable && el('p', { class: 'quiet' }, t('the_same_photo_may_do')));
}

function bars(r) {
  return el('div', { class: 'bars' }, bar(t('name'), r.product_name_confidence), bar(t('brand'), r.brand_confidence));
}

function bar(label, value) {
  const percent = Math.round((value || 0) * 100);
  return el('label', { class: 'bar' }, el('span', {}, `${label} `, el('span', { class: 'figure' }, `${percent} %`)),
    el('meter', { min: 0, max: 1, low: 0.4, high: 0.7, optimum: 1, value: value || 0, 'aria-label': t('field_confidence', { field: label }) }));
}

function details(r) {
  const list = [
    expiry(r), r.gtins?.length > 1 ? ['GTIN', r.gtins.join(', ')] : ['GTIN', r.gtin], [t('looks_like'), r.image_features],
    r.more_images?.length && [t('photos'), t('n_of_one_product', { n: number(1 + r.more_images.length) })],
  ].filter((row) => row?.[1]);
  return list.length > 0 && el('dl', {}, list.map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', { lang: r.lang }, value))));
}

function features(r) {
  if (!(r.key_features || []).length) return null;
  return el('ul', { class: 'features', 'aria-label': t('features'), lang: r.lang }, r.key_features.map((f) => el('li', {}, f)));
}

function warned(r) {
  const codes = (r.warnings || []).filter((code) => !ofModel(code) && !['unidentified', 'no_web_search'].includes(code)); // badges and why() say these
  return codes.length > 0 && el('ul', { class: 'warnings', 'aria-label': t('warnings') },
    codes.map((code) => el('li', {}, warnings[code] || t('docs_say_what_this_warning'), ' ', el('code', {}, code))));
}

function decided(r) {
  if (!r.decision) return null;
  return el('section', { class: 'why' }, el('h4', {}, t('why')),
    el('p', {}, why(r), ' ', el('span', { class: 'quiet' }, t('row_n', { n: r.decision.row }))),
    [doubts(r), probability(r)].filter(Boolean).map((text) => el('p', {}, text)));
}

function found(r) {
  const list = r.citations || [];
  if (!list.length && !r.search_suggestions) return null;
  return el('section', {}, el('h4', {}, t('sources')),
    list.length > 0 && el('ul', { class: 'sources' }, list.map((c) => el('li', {}, link(c.uri, c.title), ' ', el('span', { class: 'quiet' }, host(c.uri))))),
    r.search_suggestions && suggestions(r.search_suggestions));
}

function host(uri) {
  try { return new URL(uri).host; } catch { return ''; }
}

let frames = 0;

/** suggestions shows Google's HTML as it came, in a frame that runs no script. */
function suggestions(html) {
  const name = `suggestions-${++frames}`;
  const form = el('form', { action: '/page/suggestions', method: 'post', target: name, hidden: true }, el('input', { type: 'hidden', name: 'html', value: html }));
  setTimeout(() => form.isConnected && form.submit());
  return el('div', {}, form, el('iframe', { name, title: t('google_search_suggestions'), sandbox: 'allow-popups allow-popups-to-escape-sandbox', class: 'suggestions' }));
}

function read(r) {
  const lines = r.visible_text || [];
  if (!lines.length) return null;
  return el('details', {}, el('summary', {}, t('print_on_the_pack_lines', { lines: plural(lines.length, 'line') })),
    el('ul', { class: 'print', lang: r.lang }, lines.map((l) => el('li', {}, l.text, l.clear === false && el('span', { class: 'quiet', lang }, ` ${t('unclear')}`)))));
}

function bill(r) {
  const used = r.token_usage || {};
  const calls = r.model_calls || {};
  const list = [
    [t('cost'), dollars(r.cost_usd)], [t('tokens'), number(used.total_tokens), t('n_in_m_out', { n: number(used.input_tokens), m: number(used.output_tokens) })], [t('time'), r.inference_time],
    [t('calls'), [plural(calls.generate || 0, 'model_call'), calls.embed && plural(calls.embed, 'embedding'), calls.grounded_queries && plural(calls.grounded_queries, 'web_query')].filter(Boolean).join(', ')],
  ];
  return [el('dl', { class: 'bill' }, list.map(([name, value, note]) => el('div', {}, el('dt', {}, name), el('dd', { title: note }, value)))), calledFor(r)];
}

/** calledFor is what each call was for, and cost when it was made. */
function calledFor(r) {
  if (!r.calls?.length) return null;
  return el('details', {}, el('summary', {}, t('each_call')), el('ol', { class: 'calls' }, r.calls.map((c) => el('li', {},
    el('code', {}, c.step || ''), ` ${c.model}: ${t('n_tokens', { n: number(c.total_tokens) })}, `, c.grounded_queries && `${plural(c.grounded_queries, 'web_query')}, `, dollars(c.cost_usd)))));
}

/** raw is r as it came. */
export function raw(r) {
  const text = JSON.stringify(r, null, 2);
  return el('details', { class: 'raw' }, el('summary', {}, t('raw_json')), copier(t('copy'), () => text), el('pre', { tabindex: 0, 'aria-label': t('raw_json') }, cut(text, 200000)));
}
