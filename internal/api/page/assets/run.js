// One discovery: how far it is, what its agents decide, and what it came to.

import { ofModel, showModel } from './card.js';
import { changes } from './changes.js';
import { coverage, dropped, note, notRead } from './coverage.js';
import { decisions } from './decisions.js';
import { announce, confirmed, dollars, duration, el, number, once, plural } from './dom.js';
import { problem } from './problem.js';
import { records } from './records.js';
import { place, post } from './seek.js';
import { askJSON, listen } from './stream.js';
import { discoveryEnds, discoveryStates, discoveryWarnings, phases, sectors, t, warnings } from './words.js';

const over = (s) => ['done', 'canceled', 'failed'].includes(s.state);

/** badge says where a run stands. */
export const badge = (s) => el('span', { class: `badge state-${s.state}` }, discoveryStates[s.state] || s.state);

/** run shows a discovery as it goes on, until close(). */
export function run(first) {
  const path = `/discover/${encodeURIComponent(first.id)}`;
  const head = el('div', { class: 'contents' });
  const stop = el('button', { type: 'button', class: 'danger', onclick: () => cancel(path, stop, update) }, t('stop'));
  const buttons = el('p', { class: 'buttons' }, stop);
  const log = decisions();
  const planned = el('div', { class: 'contents' });
  const came = el('div', { class: 'contents' });
  let source = null;

  function update(s) {
    head.replaceChildren(...progress(s));
    log.add(s.decisions || []);
    planned.replaceChildren(plan(s.search_plan));
    if (s.state !== 'working') stop.remove();
  }

  async function end(s) {
    update(s);
    announce(t('the_run_has_ended_state', { state: discoveryStates[s.state] || s.state }));
    came.replaceChildren(el('p', { class: 'quiet' }, t('loading_what_it_came_to')));
    try {
      const r = await askJSON(`${path}/result`);
      buttons.replaceChildren(...downloads(path, s.id), ...again(s));
      showModel(r);
      log.all(r.decision_log || []);
      planned.replaceChildren(plan(r.search_plan));
      came.replaceChildren(...result(path, r));
    } catch (err) {
      came.replaceChildren(problem(err, () => end(s)));
    }
  }

  if (over(first)) end(first);
  else {
    update(first);
    source = listen(path, { progress: update, end });
  }
  return {
    node: el('div', { class: 'run' }, el('p', {}, el('a', { href: '#discover' }, t('all_runs'))), el('div', { class: 'card' }, head, buttons), came, planned, log.node),
    close: () => source?.close(),
  };
}

async function cancel(path, stop, update) {
  if (!await confirmed(t('stop_this_run_what_it'), t('stop_it'))) return;
  try {
    update(await askJSON(path, { method: 'DELETE' }));
    announce(t('the_run_is_being_stopped'));
  } catch (err) {
    stop.after(problem(err));
  }
}

const downloads = (path, id) => ['json', 'csv'].map((format) => el('a', { class: 'button secondary', href: `${path}/result?format=${format}`, download: `${id}.${format}` }, format.toUpperCase()));

/** again is a button that does the same anew, to see what has changed. */
function again(s) {
  if (s.state !== 'done' || s.action === 'not_on_emulated_web') return [];
  const button = el('button', { type: 'button', class: 'secondary', onclick: () => once(button, begin) }, t('look_again'));
  const refused = el('div');
  async function begin() {
    try {
      await post({ ...s.request, since: s.id });
    } catch (err) {
      refused.replaceChildren(problem(err));
    }
  }
  return [button, refused];
}

/** progress is how far a run is, and what it has cost. */
function progress(s) {
  const whole = s.estimate; // of the whole run, until it ends
  const rows = [
    [over(s) ? t('cost') : t('cost_so_far'), dollars(s.cost_usd)], [t('model_calls'), number(s.model_calls)], [t('searches'), number(s.searches)], [t('pages'), number(s.pages)], [t('records'), number(s.items)], [t('iteration'), number(s.iteration)],
    ...(whole ? [[t('likely_in_all'), t('likely_dollars_calls_minutes', { dollars: dollars(whole.cost_usd), calls: number(whole.model_calls), minutes: number(Math.ceil(whole.minutes)) })]] : []),
  ];
  return [
    el('header', {}, el('h2', {}, place(s.request), el('span', { class: 'quiet' }, sectors[s.request.sector] || t('all_sectors'))), badge(s)),
    el('p', { class: 'doing' }, over(s) ? ended(s) : doing(s)),
    el('dl', { class: 'bill' }, rows.map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value)))),
  ];
}

function doing(s) {
  if (s.state === 'cancelling') return t('it_stops_before_its_next');
  return `${phases[s.phase]?.[1] || s.phase || t('waiting_for_its_first_step')} …`;
}

const ended = (s) => [el('strong', {}, discoveryEnds[s.action] || s.action), s.reason && ` ${sentence(s.reason)}`];

const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;

/** result is what a run came to. */
function result(path, r) {
  const took = (new Date(r.end_time) - new Date(r.start_time)) / 1000;
  return [
    warned(r), assessed(r.reviewer_assessment || {}), changes(r.changes), note(r), records(path, r.items || []), coverage(r), dropped(path, r.dropped || []), notRead(r.not_read),
    el('p', { class: 'quiet' }, t('pages_in_iterations_time_languages', { pages: plural((r.sources || []).length, 'page'), iterations: plural(r.iterations, 'iteration'), time: duration(took), languages: (r.languages || []).join(', ') })),
  ].filter(Boolean);
}

const scores = { relevance_score: t('relevance'), credibility_score: t('credibility'), completeness_score: t('completeness'), overall_confidence: t('confidence') };

/** assessed is what the reviewer said last of all that was found. */
function assessed(review) {
  const given = Object.entries(scores).filter(([field]) => review[field]);
  return given.length > 0 && el('ul', { class: 'features', 'aria-label': t('what_the_reviewer_says') }, given.map(([field, name]) => el('li', {}, el('span', { class: 'quiet' }, name), ' ', review[field])));
}

function warned(r) {
  const codes = (r.warnings || []).filter((code) => !ofModel(code)); // the banner says it
  return codes.length > 0 && el('ul', { class: 'warnings', 'aria-label': t('warnings') },
    codes.map((code) => el('li', {}, discoveryWarnings[code] || warnings[code] || t('docs_say_what_this_warning'), ' ', el('code', {}, code))));
}

const queryStates = { pending: t('waiting'), searched: t('searched'), failed: t('not_searched') };

/** plan is what is searched, by rank. */
function plan(p) {
  const queries = [...(p?.search_queries || [])].sort((a, b) => a.rank - b.rank);
  if (!queries.length) return '';
  const searched = queries.filter((q) => q.status === 'searched').length;
  return el('section', { class: 'folded' }, el('details', { class: 'plan' }, el('summary', {}, t('the_plan_n_of_queries', { n: searched, queries: plural(queries.length, 'query') })),
    el('ol', { class: 'queries' }, queries.map((q) => el('li', { class: q.status },
      el('span', { class: 'figure' }, q.rank), el('span', { lang: q.language, dir: 'auto' }, q.query), el('span', { class: 'quiet' }, [q.language, q.target_type].filter(Boolean).join(' · ')),
      el('span', { class: q.status === 'searched' ? 'badge' : 'badge none' }, queryStates[q.status] || q.status || t('waiting'))))),
    named(t('institutions'), p.key_institutions), named(t('international_sources'), p.international_sources), named(t('kinds_of_documents'), p.document_types)));
}

const named = (title, list) => list?.length > 0 && el('p', { class: 'quiet' }, `${title}: ${list.join(', ')}`);
