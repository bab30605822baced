// The page: eight views, each with an address of its own.

import * as batches from './batches.js';
import * as catalogue from './catalogue.js';
import { byId, el } from './dom.js';
import * as discover from './discover.js';
import * as forecast from './forecast.js';
import * as gallery from './gallery.js';
import * as photo from './photo.js';
import * as review from './review.js';
import * as search from './search.js';
import * as spend from './spend.js';
import * as who from './who.js';
import { lang, languages, speak, t, translate } from './words.js';

const views = {
  photo: { title: t('photo'), show() {}, hide() {} },
  search: { title: t('search'), ...search },
  forecast: { title: t('weather'), ...forecast },
  discover: { title: t('discover'), ...discover },
  results: { title: t('results'), ...gallery },
  review: { title: t('review'), ...review },
  catalogue: { title: t('catalogue'), ...catalogue },
  batches: { title: t('batches'), ...batches },
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
  unfold(false);
  document.title = `${views[view].title} · whatis`;
  if (current && current !== view) scrollTo(0, 0);
  current = view;
  views[view].show(id && decodeURIComponent(id));
}

/** unfold shows the links of the menu, where there is no room for them otherwise. */
function unfold(yes) {
  byId('menu').setAttribute('aria-expanded', String(yes));
  byId('nav').classList.toggle('open', yes);
}

/** frame is what all views have: the menu, the choice of a language, names of countries. */
function frame() {
  byId('menu').addEventListener('click', () => unfold(!byId('nav').classList.contains('open')));
  byId('nav').addEventListener('keydown', (e) => { if (e.key === 'Escape') { unfold(false); byId('menu').focus(); } });
  byId('lang').append(...Object.entries(languages).map(([code, name]) => el('option', { value: code, lang: code, selected: code === lang }, name)));
  byId('lang').addEventListener('change', (e) => speak(e.target.value));
  byId('dialog-title').autofocus = true; // of the dialog, when it opens; in the HTML it would be that of the page
  const names = new Intl.DisplayNames(lang, { type: 'region' });
  for (const option of byId('countries').options) option.label = names.of(option.value);
}

translate();
frame();
who.start();
spend.start();
photo.start();
search.start();
forecast.start();
discover.start();
gallery.start();
review.start();
catalogue.start();
addEventListener('hashchange', route);
route();
