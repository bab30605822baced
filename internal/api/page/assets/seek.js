// The form of a discovery: a place, a sector, limits.

import { announce, byId, el, once } from './dom.js';
import { problem } from './problem.js';
import { askJSON } from './stream.js';
import { sectors, t } from './words.js';

const limits = ['max_iterations', 'max_calls', 'max_usd', 'max_searches', 'max_pages'];

// Lists of addresses and domains, between spaces, commas or lines.
const pointing = ['start_urls', 'only_domains', 'prefer_domains'];

export function start() {
  const form = byId('discover');
  form.elements.sector.append(el('option', { value: '' }), ...Object.entries(sectors).map(([code, name]) => el('option', { value: code }, name)));
  form.addEventListener('change', (e) => { if (e.target.name === 'mode') shape(); });
  form.addEventListener('input', clear);
  form.addEventListener('submit', (e) => { e.preventDefault(); begin(); });
  shape();
}

/** place is what a request seeks data of. */
export const place = (r) => [r.city || r.region, r.country].filter(Boolean).join(', ');

const fields = () => byId('discover').elements;
const mode = () => fields().mode.value;

/** shape shows the fields of a country, a region or a city. */
function shape() {
  for (const name of ['region', 'city']) fields()[name].parentElement.hidden = name !== mode();
  fields().country.previousElementSibling.textContent = mode() === 'country' ? t('country') : t('its_country_where_that_is');
  fields().sector.options[0].textContent = mode() === 'city' ? t('all_sectors') : t('choose_one');
  clear();
}

/** request is the form as JSON, less what is left open. */
function request() {
  const all = fields();
  const text = (name) => all[name].value.trim() || undefined;
  const set = limits.filter((name) => all[name].value !== '').map((name) => [name, all[name].valueAsNumber]);
  const named = pointing.map((name) => [name, all[name].value.split(/[\s,]+/).filter(Boolean)]).filter(([, list]) => list.length);
  return {
    ...Object.fromEntries(named),
    country: text('country'), region: mode() === 'region' ? text('region') : undefined, city: mode() === 'city' ? text('city') : undefined,
    sector: text('sector'), english_only: all.english_only.checked || undefined, limits: set.length ? Object.fromEntries(set) : undefined,
  };
}

/** post begins a run and shows it. */
export async function post(asked) {
  const s = await askJSON('/discover', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(asked) });
  location.hash = `#discover/${encodeURIComponent(s.id)}`;
}

const begin = () => once(byId('discover').querySelector('.buttons button'), async () => {
  clear();
  try {
    await post(request());
  } catch (err) {
    refused(err);
  }
});

/** refused says what is wrong beside the field that it is wrong of. */
function refused(err) {
  const name = err.code === 'bad_discovery' && fieldOf(err.detail);
  if (err.choices?.length) return which(err.choices);
  if (!name) return byId('discover-outcome').replaceChildren(problem(err, begin));
  const input = fields()[name];
  const note = el('span', { class: 'refusal', id: 'discover-refusal', role: 'alert' }, err.detail.replace(/^[^:]*wrong request: /, ''));
  input.closest('details')?.setAttribute('open', '');
  input.after(note);
  input.setAttribute('aria-invalid', 'true');
  input.setAttribute('aria-describedby', note.id);
  input.focus();
}

/** fieldOf is the field that a refusal speaks of, '' if that is not clear. */
function fieldOf(detail) {
  const [, name] = /(?:^|: )(?:no )?(max_\w+|start_urls|only_domains|prefer_domains|place|sector|country|region|city)\b/.exec(detail) || [];
  return name === 'place' || /200 bytes/.test(detail) ? mode() : name || '';
}

/** which offers the places that may be meant. */
function which(choices) {
  announce(t('which_one_is_meant'));
  byId('discover-outcome').replaceChildren(el('section', { 'aria-labelledby': 'which-place' }, el('h2', { id: 'which-place' }, t('which_one_is_meant')),
    el('p', { class: 'chips' }, choices.map((name) => el('button', { type: 'button', class: 'chip', onclick: () => choose(name) }, name)))));
  byId('discover-outcome').querySelector('button').focus();
}

/** choose takes one of them: "Punjab, PK-PB" is a region by its code, or a city of PK. */
function choose(name) {
  const [, called, country, rest] = /^(.+), ([A-Z]{2})-(\w+)$/.exec(name) || [];
  fields()[mode()].value = !called ? name : mode() === 'city' ? `${called}, ${country}` : `${country}-${rest} ${called}`;
  begin();
}

function clear() {
  byId('discover-outcome').replaceChildren();
  byId('discover-refusal')?.remove();
  for (const input of byId('discover').querySelectorAll('[aria-invalid]')) {
    input.removeAttribute('aria-invalid');
    input.removeAttribute('aria-describedby');
  }
}
