// The view of discoveries: what to seek, the latest runs, and one of them.

import { byId, el, plural, when } from './dom.js';
import { pages } from './pages.js';
import { problem } from './problem.js';
import { badge, run } from './run.js';
import { place, start as startForm } from './seek.js';
import { fill } from './stream.js';
import { discoveryEnds, rich, sectors, t } from './words.js';

let watched = null; // the run that is shown

export const start = () => startForm();

/** show shows the run id, or the form and the latest runs. */
export function show(id) {
  hide();
  byId('discover-start').hidden = Boolean(id);
  if (!id) byId('run').replaceChildren();
  const body = byId(id ? 'run' : 'runs');
  return fill(body, id ? `/discover/${encodeURIComponent(id)}` : '/discover', (found) => {
    if (id) watched = run(found);
    body.replaceChildren(id ? watched.node : list(found));
  }, (err) => refuse(err, body, id));
}

export function hide() {
  watched?.close();
  watched = null;
}

/** refuse says why there is nothing to show. */
function refuse(err, body, id) {
  if (err.code !== 'not_found') return void body.replaceChildren(id ? back() : '', problem(err, () => show(id)));
  byId('discover-start').hidden = true;
  byId('run').replaceChildren(el('section', { class: 'empty' }, el('p', {}, t('nothing_is_discovered_here_the')),
    el('p', {}, rich('set_variable_and_other_and', { variable: el('code', {}, 'TASKS_TOPIC'), other: el('code', {}, 'RESULTS_BUCKET') }))));
}

const back = () => el('p', {}, el('a', { href: '#discover' }, t('all_runs')));

function list(first) {
  if (!first.discoveries.length) return el('p', { class: 'quiet' }, t('no_runs_yet'));
  return pages('/discover', 'discoveries', first, line);
}

const line = (s) => el('li', {}, el('a', { href: `#discover/${encodeURIComponent(s.id)}`, title: discoveryEnds[s.action] },
  el('strong', {}, place(s.request)), el('span', { class: 'quiet' }, sectors[s.request.sector] || t('all_sectors'), s.action && s.items > 0 && ` · ${plural(s.items, 'record')}`, ' · ', when(s.created_at)), badge(s)));
