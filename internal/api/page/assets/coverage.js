// What the records of a discovery cover, and what its gates kept out.

import { el, link, number } from './dom.js';
import { marks } from './marks.js';
import { cells, gates, sectors, t } from './words.js';

/** coverage is a grid of subsectors and years, and what inventories say not to have. */
export function coverage({ coverage: grid, absent = [] }) {
  if (!grid?.rows?.length || !grid.years?.length) return absent.length > 0 && el('section', { 'aria-labelledby': 'title-coverage' }, el('h2', { id: 'title-coverage' }, t('coverage')), missing(absent));
  const bySector = Map.groupBy(grid.rows, (r) => r.sector);
  return el('section', { 'aria-labelledby': 'title-coverage' }, el('h2', { id: 'title-coverage' }, t('coverage')),
    el('div', { class: 'scroll', role: 'group', 'aria-labelledby': 'title-coverage', tabindex: 0 }, el('table', { class: 'coverage' },
      el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, t('subsector')), grid.years.map((y, i) => el('th', { scope: 'col', class: marked(grid.years, i) ? 'marked' : '' }, el('span', {}, y))))),
      [...bySector].map(([sector, rows]) => group(sector, rows, grid.years, bySector.size === 1)))),
    el('ul', { class: 'legend', 'aria-label': t('legend') }, Object.entries(cells).map(([code, name]) => el('li', {}, el('span', { class: `cell ${code}`, 'aria-hidden': 'true' }, short(code)), name))),
    absent.length > 0 && missing(absent));
}

const short = (code) => ({ NE: 'NE', NO: 'NO' })[code] || '';

/** group is the rows of a sector, and what it is called where there are others. */
function group(sector, rows, years, alone) {
  return el('tbody', {}, !alone && el('tr', { class: 'group' }, el('th', { scope: 'rowgroup', colspan: years.length + 1 }, el('span', {}, sectors[sector] || sector))),
    [...rows].sort((a, b) => a.subsector.localeCompare(b.subsector)).map((r) => el('tr', {}, el('th', { scope: 'row', dir: 'auto' }, r.subsector || t('the_whole_sector')), stretches(r, years))));
}

/** marked is true of the years that are written: the first, and each fifth. */
const marked = (years, i) => i === 0 || years[i] % 5 === 0;

/** stretches are the cells of a row, those of years that say the same as one. */
function stretches(row, years) {
  const all = [];
  row.cells.forEach((code, i) => {
    const last = all.at(-1);
    if (last?.code === code && years[i] === last.to + 1) Object.assign(last, { to: years[i], span: last.span + 1 });
    else all.push({ code, from: years[i], to: years[i], span: 1 });
  });
  return all.map(({ code, from, to, span }) => {
    const said = `${cells[code] || code} ${from === to ? from : t('low_to_high', { low: from, high: to })}`;
    return el('td', { colspan: span, title: said }, el('span', { class: `cell ${code}` }, el('span', { class: 'unseen' }, said), el('span', { 'aria-hidden': 'true' }, short(code))));
  });
}

/** missing is what inventories say themselves not to have. */
const missing = (absent) => el('details', {}, el('summary', {}, t('what_inventories_say_not_to', { n: number(absent.length) })),
  el('ul', { class: 'drops' }, absent.map((a) => el('li', {}, el('code', {}, a.key), ' ', a.subsector, ': ', el('q', { dir: 'auto' }, a.quote), ' ', link(a.url, host(a.url))))));

const host = (url) => { try { return new URL(url).host; } catch { return url; } };

const most = 100; // of a gate that are listed

/** dropped is what each gate of a run kept out, and why. */
export function dropped(path, all) {
  if (!all.length) return null;
  const byGate = Map.groupBy(all, (d) => d.gate);
  return el('section', { 'aria-labelledby': 'title-dropped' }, el('h2', { id: 'title-dropped' }, t('left_out_n', { n: number(all.length) })),
    el('div', { class: 'card gates' }, [...byGate].sort(([, a], [, b]) => b.length - a.length).map(([gate, list]) => el('details', {},
      el('summary', {}, gates[gate] || gate, el('span', { class: 'badge none' }, number(list.length))),
      el('ul', { class: 'drops', tabindex: 0, 'aria-label': gates[gate] || gate }, list.slice(0, most).map((d) => drop(path, d)), list.length > most && el('li', { class: 'quiet' }, t('n_more_stand_in_the', { n: number(list.length - most) })))))));
}

/** note is what was found, in sentences, and what was sought and not found. */
export function note({ note: lines = [], not_found: missing = [] }) {
  if (!lines.length) return null;
  return el('section', { 'aria-labelledby': 'title-note' }, el('h2', { id: 'title-note' }, t('in_short')),
    el('div', { class: 'card' }, lines.map((line) => el('p', { lang: 'en', dir: 'auto' }, line)),
      missing.length > 0 && el('details', {}, el('summary', {}, t('sought_not_found_n', { n: number(missing.length) })),
        el('ul', { class: 'drops', lang: 'en' }, missing.map((m) => el('li', {}, el('strong', {}, m.subsector), el('span', { class: 'quiet' }, m.reason)))))));
}

/** notRead is what was seen and not read, by the reason. */
export function notRead(all = []) {
  if (!all.length) return null;
  const byReason = Map.groupBy(all, (n) => n.reason);
  return el('section', { 'aria-labelledby': 'title-not-read' }, el('h2', { id: 'title-not-read' }, t('seen_not_read_n', { n: number(all.length) })),
    el('div', { class: 'card gates unread' }, [...byReason].sort(([, a], [, b]) => b.length - a.length).map(([reason, list]) => el('details', {},
      el('summary', { dir: 'auto' }, reason, el('span', { class: 'badge none' }, number(list.length))),
      el('ul', { class: 'drops', tabindex: 0, 'aria-label': reason }, list.slice(0, most).map((n) => el('li', { dir: 'auto' }, n.text && el('strong', {}, n.text), link(n.url), n.format && el('span', { class: 'quiet' }, n.format))),
        list.length > most && el('li', { class: 'quiet' }, t('n_more_stand_in_the', { n: number(list.length - most) })))))));
}

const drop = (path, d) => el('li', { dir: 'auto' }, d.record && el('strong', {}, d.record), link(d.url), el('span', { class: 'quiet' }, d.reason),
  d.duplicate_key && marks(path, { name: d.record || d.url, duplicate_key: d.duplicate_key }, ['right']));
