// A sample that was answered before: what an answer looks like. No model is called for it.

import { badge, maker, modelBadges, photo, title } from './card.js';
import { expiry } from './dates.js';
import { byId, el } from './dom.js';
import { evidence } from './evidence.js';
import { why } from './why.js';

/** show shows it beside the drop zone. */
export async function show() {
  const r = await (await fetch(new URL('answered.json', import.meta.url))).json();
  const frame = photo(new URL('answered.jpg', import.meta.url), title(r));
  const [label, date] = expiry(r) || [];
  byId('answered-body').replaceChildren(frame, el('div', { class: 'said' },
    el('p', { class: 'badges' }, badge(r), modelBadges(r)),
    el('h3', { lang: r.lang }, title(r)), el('p', { class: 'maker', lang: r.lang }, [maker(r), r.category].join(' · ')),
    date && el('p', {}, `${label}: `, date), el('p', { class: 'quiet' }, why(r))));
  evidence(r, [frame]); // which draws the boxes
}
