// Many photos: a compact list below a head with their total and filters, which stays in view; keys lead through it.

import { badge, title } from './card.js';
import { announce, byId, dollars, duration, el, number, plural } from './dom.js';
import { buttons } from './export.js';
import { t } from './words.js';

const few = 6; // up to so many photos are shown whole

const items = []; // as they stand on the page
let chosen = 'all';

const kinds = {
  all: [t('all_1'), () => true],
  doubtful: [t('doubtful'), (i) => i.result && !i.verdict && i.result.doubt],
  known: [t('identified'), (i) => i.result?.outcome === 'product' && !is('doubtful', i)],
  none: [t('no_product'), (i) => i.result?.outcome === 'no_product' && !is('doubtful', i)],
  failed: [t('failed'), (i) => i.failed],
};

const is = (kind, item) => Boolean(kinds[kind][1](item));
const many = () => items.length > few;

export function start() {
  document.addEventListener('keydown', pressed);
}

/** add puts new items before the others. */
export function add(fresh) {
  items.unshift(...fresh);
  update();
}

export function remove(item) {
  items.splice(items.indexOf(item), 1);
  update();
}

/** line is the row of an item in the list, which opens and closes its card. It gets its picture once there is a small one. */
export const line = (item) => el('button', { type: 'button', class: 'line', hidden: true, onclick: () => { item.open = !item.open; update([item]); } },
  el('img', { alt: '', width: 48, height: 48, decoding: 'async' }), el('span', { class: 'file' }, item.name), el('span', { class: 'outcome' }));

/** update shows what has changed: totals, the rows of these items, and which of them there are. */
export function update(changed = items) {
  const folded = many();
  if (!folded) chosen = 'all';
  for (const i of changed) {
    i.node.classList.toggle('folded-card', folded);
    i.node.hidden = !is(chosen, i) && !i.open;
    i.heading.hidden = folded;
    i.line.hidden = !folded;
    i.line.setAttribute('aria-expanded', String(Boolean(i.open)));
    i.columns.hidden = folded && !i.open;
    i.line.lastElementChild.replaceChildren(...outcome(i));
  }
  byId('many').hidden = !folded;
  if (folded) byId('many').replaceChildren(...totals());
}

function outcome(i) {
  if (!i.result) return [el('span', { class: 'quiet' }, i.failed ? t('failed') : '…')];
  return [el('strong', { lang: i.result.lang }, title(i.result)), is('doubtful', i) ? el('span', { class: 'badge doubt' }, t('doubtful')) : badge(i.result)];
}

/** left is how many seconds the photos that wait will take, at the pace of those that have ended; 0 if nobody can tell. */
function left() {
  const took = items.filter((i) => i.begun && i.ended).map((i) => i.ended - i.begun);
  const open = items.filter((i) => !i.result && !i.failed).length;
  const since = Math.min(...items.filter((i) => i.begun).map((i) => i.begun));
  const seconds = took.length > 2 && open ? Math.round((Date.now() - since) / took.length * open / 1000) : 0;
  return seconds < 10 ? 0 : seconds; // as it jumps
}

/** entries are the results, as GET /results lists them. */
const entries = () => items.filter((i) => i.result).map((i) => ({ id: i.result.id, finished_at: new Date(i.ended).toISOString(), file: i.name, result: i.result, doubt: i.result.doubt, verdict: i.verdict }));

const files = buttons(async () => entries(), () => {});
const again = el('button', { type: 'button', class: 'secondary small', 'data-do': 'again', onclick: () => { for (const i of items.filter((one) => one.failed)) i.again(); } });

function totals() {
  const ended = items.filter((i) => i.result || i.failed).length;
  const failed = items.filter((i) => i.failed).length;
  const cost = items.reduce((sum, i) => sum + (i.result?.cost_usd || 0), 0);
  const set = items.find((i) => i.options.set)?.options.set;
  const wait = left();
  again.textContent = t('try_again_n', { n: number(failed) });
  again.hidden = !failed;
  const focused = document.activeElement?.dataset?.kind;
  const chips = Object.entries(kinds).map(([kind, [name]]) => el('button', {
    type: 'button', class: 'chip', 'data-kind': kind, 'aria-pressed': String(kind === chosen), onclick: () => { chosen = kind; update(); },
  }, `${name} ${number(items.filter((i) => is(kind, i)).length)}`));
  if (focused) requestAnimationFrame(() => document.activeElement === document.body && byId('many').querySelector(`[data-kind=${focused}]`)?.focus());
  return [
    set && el('p', { class: 'set' }, el('strong', {}, set), ' ', el('a', { href: `#results?set=${encodeURIComponent(set)}` }, t('in_results'))),
    el('label', { class: 'progress' }, el('span', {}, t('n_of_photos', { n: number(ended), photos: plural(items.length, 'photo') }), wait > 0 && ` · ${t('about_time_left', { time: duration(wait) })}`, cost > 0 && ` · ${dollars(cost)}`), el('progress', { max: items.length, value: ended })),
    el('div', { class: 'chips', role: 'group', 'aria-label': t('show_only') }, chips,
      el('button', { type: 'button', class: 'secondary small', 'data-do': 'next', 'aria-keyshortcuts': 'N', disabled: !items.some((i) => is('doubtful', i)), onclick: next }, t('next_doubtful'), el('kbd', { 'aria-hidden': 'true' }, 'N')), again, ended > 0 && files),
  ].filter(Boolean);
}

/** next opens the next doubtful one behind the one that is open, and closes that. */
function next() {
  const at = items.findIndex((i) => i.open);
  const found = [...items.slice(at + 1), ...items.slice(0, at + 1)].find((i) => is('doubtful', i));
  if (!found) return;
  for (const i of items) i.open = i === found;
  update();
  found.line.focus();
  found.node.scrollIntoView({ block: 'start' });
  announce(`${found.name}: ${title(found.result)}`);
}

/** pressed leads through the list, unless somebody is writing. */
function pressed(event) {
  const writing = event.target.closest?.('input, textarea, select, [contenteditable]');
  if (!many() || byId('view-photo').hidden || writing || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const open = items.find((i) => i.open);
  const button = { n: byId('many').querySelector('[data-do=next]'), a: open?.node.querySelector('[data-do=accept]'), c: open?.node.querySelector('[data-do=correct]') }[event.key];
  if (!button) return;
  event.preventDefault();
  button.click();
}
