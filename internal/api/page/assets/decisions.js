// The log of a discovery: who decided what, and why.

import { el } from './dom.js';
import { lang, phases, rich, t } from './words.js';

const shown = 5; // decisions that a status has

const key = (d) => `${d.time} ${d.agent} ${d.action}`;

/** decisions is a list that add() adds the latest decisions to, and all() fills anew. */
export function decisions() {
  const list = el('ol', { class: 'steps log', 'aria-live': 'polite', 'aria-labelledby': 'title-log', tabindex: 0 });
  const node = el('section', { 'aria-labelledby': 'title-log', hidden: true }, el('h2', { id: 'title-log' }, t('decisions')), list);
  const seen = new Set();

  function append(rows) {
    const follow = list.scrollTop + list.clientHeight >= list.scrollHeight - 30; // whoever has scrolled up stays there
    list.append(...rows);
    node.hidden = !list.childElementCount;
    if (follow) list.scrollTop = list.scrollHeight;
  }

  return {
    node,
    add(latest) {
      const fresh = latest.filter((d) => !seen.has(key(d)));
      for (const d of fresh) seen.add(key(d));
      const gap = fresh.length === shown && el('li', { class: 'gap' }, el('p', {}, t('some_were_missed_here_all')));
      if (fresh.length) append([gap, ...fresh.map(row)].filter(Boolean));
    },
    all(log) {
      list.replaceChildren();
      append(log.map(row));
      list.scrollTop = 0;
    },
  };
}

const row = (d) => el('li', { class: 'done' },
  el('p', { class: 'what' }, el('strong', {}, phases[d.agent]?.[0] || d.agent), el('code', {}, d.action), el('span', { class: 'took' }, rich('iteration_n_time', { n: d.iteration, time: el('time', { datetime: d.time }, clock(d.time)) }))),
  el('p', { dir: 'auto' }, d.reason));

const clock = (time) => new Date(time).toLocaleTimeString(lang, { hour12: false });
