// What today's calls of models have cost. It is asked for when it is opened.

import { byId, dollars, el } from './dom.js';
import { problem } from './problem.js';
import { askJSON } from './stream.js';
import { t } from './words.js';

const table = (heading, shares) => el('table', {}, el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, heading), el('th', { scope: 'col', class: 'figure' }, t('us_dollars')))),
  el('tbody', {}, shares.map((s) => el('tr', {}, el('td', {}, s.name), el('td', { class: 'figure' }, dollars(s.usd))))));

function shown(day) {
  const sum = day.limit_usd ? t('usd_of_limit', { usd: dollars(day.usd), limit: dollars(day.limit_usd) }) : t('usd_without_a_limit', { usd: dollars(day.usd) });
  return [el('p', {}, sum), day.agents.length > 0 && table(t('agent'), day.agents), day.models.length > 0 && table(t('model'), day.models)].filter(Boolean);
}

/** show asks for the costs of today. */
export async function show() {
  const body = await askJSON('/spend').then(shown, (e) => [problem(e)]);
  byId('spend-body').replaceChildren(...body);
}
