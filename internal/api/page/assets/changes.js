// What a discovery found otherwise than an earlier one.

import { el, link } from './dom.js';
import { rich, t } from './words.js';

const kinds = { new: t('new'), gone: t('gone'), superseded: t('superseded_by_a_newer_edition'), not_looked_at: t('not_looked_at') };

/** changes are the records that have come, gone, been superseded or not been looked at since another run. */
export function changes(all) {
  if (!all) return null;
  const some = Object.entries(kinds).filter(([kind]) => all[kind]?.length);
  return el('section', { 'aria-labelledby': 'title-changes' },
    el('h2', { id: 'title-changes' }, rich('since_run', { run: el('a', { href: `#discover/${encodeURIComponent(all.since)}` }, t('the_earlier_run')) })),
    some.length ? el('dl', { class: 'card changes' }, some.map(([kind, name]) => el('div', {}, el('dt', {}, name), el('dd', {}, all[kind].map(one))))) : el('p', { class: 'quiet' }, t('nothing_has_changed')));
}

const one = (c) => el('p', { dir: 'auto' }, link(c.url, c.name), c.first_year > 0 && el('span', { class: 'quiet' }, ` ${c.first_year}–${c.last_year}`), c.reason && el('span', { class: 'quiet' }, ` ${c.reason}`));
