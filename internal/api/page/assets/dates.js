// Expiry dates in words.

import { el, plural } from './dom.js';
import { kinds, lang, precisions, rich, t } from './words.js';

/** expiry is the name and the text of the row that tells of a result's expiry date, or null. */
export function expiry(r) {
  const d = r.expiry;
  if (!d) return r.expiration_date ? [t('expires'), r.expiration_date] : null;
  const readings = d.ambiguous?.length ? d.ambiguous : [d.date].filter(Boolean);
  const times = readings.flatMap((iso, i) => [i > 0 && ` ${t('or')} `, el('time', { datetime: iso }, spelled(iso))]);
  const period = d.period && span(d.period);
  const notes = [
    readings.length > 1 ? t('it_can_be_read_either') : precisions[d.precision],
    d.computed ? (period ? t('computed_from_the_day_of', { period }) : t('computed_from_the_day_of_production')) : d.raw && rich('printed_text', { text: el('q', { lang: r.lang }, d.raw) }),
  ].filter(Boolean).flatMap((note, i) => [i > 0 && '; ', note].flat());
  return [kinds[d.kind] || kinds[''], el('span', { lang }, times.length ? times : period, ' ', el('span', { class: 'quiet' }, notes))];
}

/** spelled is a date, a month or a year of ISO 8601 as people write it. */
export function spelled(iso) {
  const [year, month, day] = iso.split('-').map(Number);
  if (!year || iso.length < 7) return iso;
  return new Date(Date.UTC(year, month - 1, day || 1))
    .toLocaleDateString(lang === 'en' ? 'en-GB' : lang, { timeZone: 'UTC', year: 'numeric', month: 'long', day: day ? 'numeric' : undefined });
}

/** span is a period of ISO 8601, such as P18M, as people say it. */
export function span(iso) {
  const units = { Y: 'year', M: 'month', W: 'week', D: 'day' };
  return [...iso.matchAll(/(\d+)([YMWD])/g)].map(([, n, unit]) => plural(Number(n), units[unit])).join(' ') || iso;
}
