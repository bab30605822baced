// The page: eight views, each with an address of its own.

import * as batches from './batches.js';
import * as catalogue from './catalogue.js';
import { byId } from './dom.js';
import * as discover from './discover.js';
import * as forecast from './forecast.js';
import * as gallery from './gallery.js';
import * as photo from './photo.js';
import * as review from './review.js';
import * as search from './search.js';

const views = {
  photo: { title: 'Photo', show() {}, hide() {} },
  search: { title: 'Search', ...search },
  forecast: { title: 'Weather', ...forecast },
  discover: { title: 'Discover', ...discover },
  results: { title: 'Results', ...gallery },
  review: { title: 'Review', ...review },
  catalogue: { title: 'Catalogue', ...catalogue },
  batches: { title: 'Batches', ...batches },
};

let current = '';

/** route shows what the address names: #photo, #search/{id}, #forecast/{place}, #discover/{id}, #results/{id}, #review, #catalogue/{id}, #batches/{id}. */
function route() {
  const [name, id] = location.hash.slice(1).split('/');
  if (name === 'main' && current) return; // the link that skips to the content
  const view = views[name] ? name : 'photo';
  if (current && current !== view) views[current].hide();
  for (const v of Object.keys(views)) byId(`view-${v}`).hidden = v !== view;
  for (const a of document.querySelectorAll('nav a')) {
    if (a.hash === `#${view}`) a.setAttribute('aria-current', 'page');
    else a.removeAttribute('aria-current');
  }
  document.title = `${views[view].title} · whatis`;
  if (current && current !== view) scrollTo(0, 0);
  current = view;
  views[view].show(id && decodeURIComponent(id));
}

photo.start();
search.start();
forecast.start();
discover.start();
gallery.start();
review.start();
catalogue.start();
addEventListener('hashchange', route);
route();
