// What a discovery found otherwise than an earlier one.

import { el, link } from './dom.js';

const kinds = { new: 'New', gone: 'Gone', superseded: 'Superseded by a newer edition' };

/** changes are the records that have come, gone or been superseded since another run. */
export function changes(all) {
  if (!all) return null;
  const some = Object.entries(kinds).filter(([kind]) => all[kind]?.length);
  return el('section', { 'aria-labelledby': 'title-changes' },
    el('h2', { id: 'title-changes' }, 'Since ', el('a', { href: `#discover/${encodeURIComponent(all.since)}` }, 'the earlier run')),
    some.length ? el('dl', { class: 'card changes' }, some.map(([kind, name]) => el('div', {}, el('dt', {}, name), el('dd', {}, all[kind].map(one))))) : el('p', { class: 'quiet' }, 'Nothing has changed.'));
}

const one = (c) => el('p', { dir: 'auto' }, link(c.url, c.name), c.first_year > 0 && el('span', { class: 'quiet' }, ` ${c.first_year}–${c.last_year}`));
