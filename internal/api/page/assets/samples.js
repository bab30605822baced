// Photos that the service offers to whoever has none at hand.

import { byId, el } from './dom.js';
import { problem } from './problem.js';
import { ask, askJSON } from './stream.js';
import { t } from './words.js';

/** start shows the samples, if there are any; add takes the file of the one that is chosen. */
export async function start(add) {
  const names = await askJSON('/page/samples').catch(() => []); // the page is whole without them
  byId('samples').querySelector('ul').append(...names.map((name) => el('li', {}, button(name, add))));
  byId('samples').hidden = !names.length;
}

/** spoken is what the name of a file says of it: 03-oat-latte.jpg is an oat latte. */
const spoken = (name) => name.replace(/^\d+-/, '').replace(/\.\w+$/, '').replaceAll('-', ' ');

function button(name, add) {
  const url = `/page/samples/${encodeURIComponent(name)}`;
  const take = async () => {
    try {
      const data = await (await ask(url)).blob();
      add([new File([data], name, { type: data.type })]);
    } catch (err) {
      byId('samples').append(problem(err));
    }
  };
  return el('button', { type: 'button', 'aria-label': t('sample_name', { name: spoken(name) }), onclick: take }, el('img', { src: url, alt: '', loading: 'lazy', decoding: 'async', width: 96, height: 96 }));
}
