// The page: eight views, each with an address of its own.

import { byId, el } from './dom.js';
import * as photo from './photo.js';
import { at } from './place.js';
import { problem } from './problem.js';
import { Problem } from './stream.js';
import * as who from './who.js';
import { lang, languages, more, speak, t } from './words.js';

/** views are loaded when they are shown first, but for the first of them. */
const views = {
  photo: { title: t('photo') },
  search: { title: t('search'), load: () => import('./search.js') },
  forecast: { title: t('weather'), load: () => import('./forecast.js') },
  discover: { title: t('discover'), load: () => import('./discover.js') },
  results: { title: t('results'), load: () => import('./gallery.js') },
  review: { title: t('review'), load: () => import('./review.js') },
  catalogue: { title: t('catalogue'), load: () => import('./catalogue.js') },
  batches: { title: t('batches'), load: () => import('./batches.js') },
};

let current = '';

/** styles are those of all views but the first, loaded once. */
let styles = null;

const styled = () => { styles ||= Promise.all(['search', 'forecast', 'discover'].map(sheet)); return styles; };

const sheet = (name) => new Promise((done) => {
  document.head.append(el('link', { rel: 'stylesheet', href: new URL(`${name}.css`, import.meta.url), onload: done, onerror: done })); // without it the view is plain
});

/** route shows what the address names: #photo, #search/{id}, #forecast/{place}, #discover/{id}, #results/{id}, #review, #catalogue/{id}, #batches/{id}; some views have more behind them, as #results?q=tea. */
function route() {
  const [name, id] = at().path.split('/');
  if (name === 'main' && current) return; // the link that skips to the content
  const view = views[name] ? name : 'photo';
  if (current && current !== view) views[current].module?.hide();
  for (const v of Object.keys(views)) byId(`view-${v}`).hidden = v !== view;
  for (const a of document.querySelectorAll('nav a')) {
    if (a.hash === `#${view}`) a.setAttribute('aria-current', 'page');
    else a.removeAttribute('aria-current');
  }
  unfold(false);
  document.title = `${views[view].title} · whatis`;
  if (current && current !== view) scrollTo(0, 0);
  current = view;
  if (views[view].load) open(views[view], id && decodeURIComponent(id));
}

/** open shows a view, which is loaded before if it is not yet, unless another was chosen meanwhile. */
async function open(view, id) {
  const asked = location.hash;
  const section = document.querySelector('main > section:not([hidden])');
  try {
    if (!view.module) {
      section.setAttribute('aria-busy', 'true');
      await Promise.all([more(), styled()]);
      const module = await view.load();
      if (!view.module) module.start?.();
      view.module = module;
      section.removeAttribute('aria-busy'); // from here on it is the module's
    }
    if (asked === location.hash) view.module.show(id);
  } catch (err) {
    section.removeAttribute('aria-busy');
    byId('failure').replaceChildren(problem(new Problem({ code: 'unreachable', detail: String(err) }), () => { byId('failure').replaceChildren(); route(); }));
  }
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

frame();
who.start();
byId('spend').hidden = !who.may('reader');
byId('spend').addEventListener('toggle', async () => { if (byId('spend').open) (await Promise.all([import('./spend.js'), more()]))[0].show(); });
photo.start();
addEventListener('submit', (e) => { if (e.target.method !== 'dialog') e.preventDefault(); }); // what was sent before its view is loaded; the others do so themselves
addEventListener('hashchange', route);
route();
