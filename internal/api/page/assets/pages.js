// A list of which the service answers a page at a time.

import { el, once } from './dom.js';
import { problem } from './problem.js';
import { askJSON } from './stream.js';
import { t } from './words.js';

/** pages is the list under name in the answers of path, with a button for what follows the first of them; line makes an element of an entry. */
export function pages(path, name, first, line) {
  const list = el('ul', { class: 'list' });
  const below = el('p', { class: 'centre' });
  function add(answer) {
    const lines = answer[name].map(line);
    list.append(...lines);
    below.replaceChildren(...(answer.next ? [el('button', { type: 'button', class: 'secondary', onclick: (e) => once(e.currentTarget, () => more(answer.next)) }, t('show_more'))] : []));
    return lines;
  }
  async function more(after) {
    try {
      add(await askJSON(`${path}?after=${encodeURIComponent(after)}`))[0]?.querySelector('a').focus();
    } catch (err) {
      below.replaceChildren(problem(err, () => more(after)));
    }
  }
  add(first);
  return el('div', { class: 'contents' }, list, below);
}
