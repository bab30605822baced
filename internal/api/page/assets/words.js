// The words of the page, in the reader's language: en.json, ko.json and vi.json.

/** languages are those that the page speaks, by their own names. */
export const languages = { en: 'English', ko: '한국어', vi: 'Tiếng Việt' };

/** lang is the language of the page, which the service chose by the cookie, or by what the browser asks for. */
export const { lang } = document.documentElement;

/** speak shows the page in another language, now and the next time. */
export function speak(language) {
  document.cookie = `whatis.lang=${language}; path=/; max-age=31536000; samesite=strict`;
  if (document.cookie) location.reload(); // read, as a reload could overtake what is only written
}

const read = async (name) => (await fetch(new URL(name, import.meta.url))).json();

const all = await read(`${lang}.first.json`);

let rest = null;

/** more loads the words of all views but the first; they are asked for before. */
export function more() {
  rest ||= read(`${lang}.json`).then((whole) => { for (const [table, words] of Object.entries(whole)) Object.assign(all[table], words); });
  rest.catch(() => { rest = null; });
  return rest;
}

const rule = new Intl.PluralRules(lang);

/** What the codes of the API mean. One that is not here is shown as it is. */
export const {
  warnings, facetNames, intents, searchTypes, searchWarnings, fields, kinds, precisions, suspicions, outcomes, states, forecastTypes, weatherWarnings,
  sectors, discoveryStates, discoveryEnds, phases, publisherKinds, cells, gates, discoveryWarnings,
} = all;

/** t is a phrase, with values in the place of their {names}. */
export const t = (key, values = {}) => all.phrases[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);

/** rich is a phrase with elements in the place of their {names}, as a list. */
export const rich = (key, nodes) => all.phrases[key].split(/\{(\w+)\}/).map((part, i) => (i % 2 ? nodes[part] : part));

/** counted is what n of something is called; {n} stands for the number. */
export const counted = (n, what) => all.counts[what][rule.select(n)] || all.counts[what].other;

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

/** cause is what a problem is in the language of the page, once more() has come; in English the service says it, in more words. */
export const cause = (code) => all.causes?.[code];

/** remedy is what to do about a problem. */
export const remedy = (code) => all.remedies[code] || t('try_again_if_it_stays');
