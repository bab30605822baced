// What today's calls of models have cost. It is asked for when it is opened.

import { byId, dollars, el, when } from './dom.js';
import { problem } from './problem.js';
import { askJSON } from './stream.js';
import * as who from './who.js';
import { rich, t } from './words.js';

const table = (heading, shares) => el('table', {}, el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, heading), el('th', { scope: 'col', class: 'figure' }, t('us_dollars')))),
  el('tbody', {}, shares.map((s) => el('tr', {}, el('td', {}, s.name), el('td', { class: 'figure' }, dollars(s.usd))))));

function shown(day) {
  const sum = day.limit_usd ? t('usd_of_limit', { usd: dollars(day.usd), limit: dollars(day.limit_usd) }) : t('usd_without_a_limit', { usd: dollars(day.usd) });
  const paused = day.paused && el('p', { role: 'status' }, ...rich('paid_work_is_paused', { since: when(day.paused.at) }));
  const act = who.may('owner') && day.limit_usd && el('button', { type: 'button', onclick: () => show(day.paused ? 'DELETE' : 'POST') }, day.paused ? t('resume_paid_work') : t('pause_paid_work'));
  return [paused, el('p', {}, sum), act, day.agents.length > 0 && table(t('agent'), day.agents), day.models.length > 0 && table(t('model'), day.models)].filter(Boolean);
}

/** show asks for the costs of today; with a method it begins (POST) or ends (DELETE) a pause first. */
export async function show(method) {
  const body = await (method ? askJSON('/spend/pause', { method }) : askJSON('/spend')).then(shown, (e) => [problem(e)]);
  byId('spend-body').replaceChildren(...body);
}
