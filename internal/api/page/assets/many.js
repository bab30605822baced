// Many photos: a compact list with a total and filters, through which keys lead.

import { badge, title } from './card.js';
import { announce, byId, el, number, plural } from './dom.js';
import { t } from './words.js';

const few = 6; // up to so many photos are shown whole

const items = []; // as they stand on the page
let chosen = 'all';

const kinds = {
  all: [t('all_1'), () => true],
  doubtful: [t('doubtful'), (i) => i.result && !i.verdict && i.result.doubt],
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

function totals() {
  const ended = items.filter((i) => i.result || i.failed).length;
  const focused = document.activeElement?.dataset?.kind;
  const chips = Object.entries(kinds).map(([kind, [name]]) => el('button', {
    type: 'button', class: 'chip', 'data-kind': kind, 'aria-pressed': String(kind === chosen), onclick: () => { chosen = kind; update(); },
  }, `${name} ${number(items.filter((i) => is(kind, i)).length)}`));
  if (focused) requestAnimationFrame(() => document.activeElement === document.body && byId('many').querySelector(`[data-kind=${focused}]`)?.focus());
  return [
    el('label', { class: 'progress' }, el('span', {}, t('n_of_photos', { n: number(ended), photos: plural(items.length, 'photo') })), el('progress', { max: items.length, value: ended })),
    el('div', { class: 'chips', role: 'group', 'aria-label': t('show_only') }, chips,
      el('button', { type: 'button', class: 'secondary small', 'data-do': 'next', 'aria-keyshortcuts': 'N', disabled: !items.some((i) => is('doubtful', i)), onclick: next }, t('next_doubtful'), el('kbd', { 'aria-hidden': 'true' }, 'N'))),
  ];
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
