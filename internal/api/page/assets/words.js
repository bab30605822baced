// The words of the page, in the reader's language: en.json, ko.json and vi.json.

/** languages are those that the page speaks, by their own names. */
export const languages = { en: 'English', ko: '한국어', vi: 'Tiếng Việt' };

const kept = 'whatis.lang';

/** lang is what was chosen, else the first of the browser's languages that there is. */
export const lang = [stored(), ...navigator.languages].map((tag) => tag.split('-')[0]).find((l) => Object.hasOwn(languages, l)) || 'en';

function stored() {
  try { return localStorage.getItem(kept) || ''; } catch { return ''; }
}

/** speak shows the page in another language, now and the next time. */
export function speak(language) {
  try { localStorage.setItem(kept, language); } catch { return; }
  location.reload();
}

const all = await (await fetch(`/page/${lang}.json`)).json();
const rule = new Intl.PluralRules(lang);

/** What the codes of the API mean. One that is not here is shown as it is. */
export const {
  warnings, facetNames, intents, searchTypes, searchWarnings, fields, kinds, precisions, suspicions, outcomes, states, forecastTypes, weatherWarnings,
  sectors, discoveryStates, discoveryEnds, phases, tiers, cells, gates, discoveryWarnings,
} = all;

/** t is a phrase, with values in the place of their {names}. */
export const t = (key, values = {}) => all.phrases[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);

/** rich is a phrase with elements in the place of their {names}, as a list. */
export const rich = (key, nodes) => all.phrases[key].split(/\{(\w+)\}/).map((part, i) => (i % 2 ? nodes[part] : part));

/** counted is what n of something is called; {n} stands for the number. */
export const counted = (n, what) => all.counts[what][rule.select(n)] || all.counts[what].other;

const attributes = ['aria-label', 'placeholder', 'content'];

/** translate fills what names its words: data-t its text, where {0} is its first child, and data-t-placeholder that attribute. */
export function translate() {
  document.documentElement.lang = lang;
  for (const node of document.querySelectorAll('[data-t]')) node.replaceChildren(...rich(node.dataset.t, [...node.children]));
  for (const name of attributes) {
    for (const node of document.querySelectorAll(`[data-t-${name}]`)) node.setAttribute(name, t(node.getAttribute(`data-t-${name}`)));
  }
}

const has = (r, warning) => (r.warnings || []).includes(warning);

/**
 * unidentified is true of a result that nobody identified. Its source is
 * google_search, as the seed wants it, whether the web was searched or not: it is
 * never shown.
 */
export const unidentified = (r) => has(r, 'unidentified');

/** source says what identified the product. */
export function source(r) {
  if (r.error === 'analysis_failed') return t('not_analysed');
  if (r.error) return t('no_product');
  return unidentified(r) ? t('not_identified') : all.sources[r.source] || r.source;
}

/** remedy is what to do about a problem. */
export const remedy = (code) => all.remedies[code] || t('try_again_if_it_stays');
