// The view of the weather: a place, what is said of it, and the conversation beside it.

import { showModel } from './card.js';
import { announce, byId, el } from './dom.js';
import { outlook } from './outlook.js';
import { problem } from './problem.js';
import { Problem, askJSON } from './stream.js';
import * as talk from './talk.js';
import { lang, rich, t } from './words.js';

let aborted = new AbortController();
let shown = false;
let offered = null; // whether there are forecasts, once it is known
let told = ''; // the request that is answered, or being answered

export function start() {
  const form = byId('forecast');
  form.elements.lang.placeholder = lang;
  form.elements.type.append(...namedDays());
  form.addEventListener('submit', (e) => { e.preventDefault(); told = ''; ask(); });
  for (const name of ['type', 'units', 'lang']) form.elements[name].addEventListener('change', () => told && ask());
  talk.start();
}

/** show shows the view and, if city is one, the weather there. */
export async function show(city) {
  shown = true;
  if (!await offers() || !shown) return;
  talk.show();
  if (city) {
    place().value = city;
    ask();
  } else if (!told) byId('outlook').replaceChildren(welcome());
}

export function hide() {
  shown = false;
  for (const audio of byId('sky').querySelectorAll('audio')) audio.pause();
}

const place = () => byId('forecast').elements.city;

/** offers reports that the service says the weather, and shows the view only then. */
async function offers() {
  if (offered) return true;
  try {
    offered = (await askJSON('/skills')).skills.some((s) => s.id === 'forecast');
  } catch (err) {
    if (err.code !== 'not_found') {
      byId('outlook').replaceChildren(problem(err, () => show(place().value)));
      return false;
    }
  }
  byId('sky').classList.toggle('off', !offered);
  if (!offered) byId('outlook').replaceChildren(el('section', { class: 'empty' }, el('p', {}, t('there_are_no_forecasts_here')), el('p', {}, rich('set_variable_to_have_some', { variable: el('code', {}, 'OPENWEATHER_API_KEY') }))));
  return offered;
}

/** namedDays are the days after tomorrow that forecasts reach, by the reader's clock. */
function namedDays() {
  return [2, 3, 4].map((ahead) => {
    const day = new Date();
    day.setDate(day.getDate() + ahead);
    return el('option', { value: day.toLocaleDateString('en', { weekday: 'long' }).toLowerCase() }, day.toLocaleDateString(lang, { weekday: 'long' }));
  });
}

/** query is what is asked for, less what is not said. */
function query() {
  const { type, units, lang: spoken } = byId('forecast').elements;
  const all = Object.entries({ type: type.value, units: units.value, lang: spoken.value.trim() || lang });
  return new URLSearchParams(all.filter(([, value]) => value));
}

async function ask() {
  const city = place().value.trim();
  if (!city) return void place().focus();
  const path = `/forecast/${encodeURIComponent(city)}?${query()}`;
  if (path === told) return;
  told = path;
  history.replaceState(null, '', `#forecast/${encodeURIComponent(city)}`);
  aborted.abort();
  aborted = new AbortController();
  const { signal } = aborted;
  const body = byId('outlook');
  body.setAttribute('aria-busy', 'true');
  byId('asking').textContent = t('asking');
  try {
    const r = await askJSON(path, { signal, headers: { Accept: 'application/json' } });
    showModel(r);
    body.replaceChildren(outlook(r, () => askJSON(`${path}&audio=true`, { headers: { Accept: 'application/json' } })));
    announce(r.forecast_text);
  } catch (err) {
    if (err.name === 'AbortError') return; // another place is asked for
    told = '';
    body.replaceChildren(unanswered(err instanceof Problem ? err : new Problem({ code: 'page', detail: String(err) })));
  }
  byId('asking').textContent = '';
  body.removeAttribute('aria-busy');
}

/** unanswered says why there is no forecast, and offers the places that may be meant. */
function unanswered(err) {
  if (!err.choices.length) return problem(err, ask);
  announce(t('which_one_is_meant'));
  return el('section', { class: 'card', 'aria-labelledby': 'which' }, el('h2', { id: 'which' }, t('which_one_is_meant')), chips(err.choices));
}

const chips = (places) => el('p', { class: 'chips' }, places.map((name) => el('button', { type: 'button', class: 'chip', onclick: () => choose(name) }, name)));

function choose(name) {
  place().value = name;
  ask();
}

const welcome = () => el('section', { class: 'empty' }, el('p', {}, t('name_a_place_in_any')), chips(['Seoul', 'Seattle', 'Hà Nội', '東京']));
