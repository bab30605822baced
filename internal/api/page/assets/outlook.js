// What is said of the weather of a place: the sentence, its sound, the hours ahead.

import { modelBadges, ofModel, raw } from './card.js';
import { dollars, duration, el, svg } from './dom.js';
import { Problem } from './stream.js';
import { problem } from './problem.js';
import { forecastTypes, lang, t, warnings, weatherWarnings } from './words.js';

/** outlook is all that r says, and its sound if it plays. speak answers with r once more, and with its
 * sound; or with a newer forecast, which then takes the place of this one. */
export function outlook(r, speak, plays) {
  return el('article', { class: 'card' },
    el('header', {}, el('h2', {}, [r.place.name, r.place.state, r.place.country].filter(Boolean).join(', '))),
    el('p', { class: 'badges' }, el('span', { class: 'badge' }, forecastTypes[r.type] || weekday(r.days[0].from, 'long')), el('span', { class: 'badge none' }, kept(r)), (r.warnings || []).includes(invented) && el('span', { class: 'badge none' }, t('emulated_weather')), modelBadges(r)),
    el('p', { class: 'summary', lang: r.lang, dir: 'auto' }, r.forecast_text),
    sound(r, speak, plays),
    r.hours?.length > 1 && chart(r),
    facts(r), warned(r), bill(r),
    el('div', { class: 'folded' }, raw(r)));
}

/** kept says which cache answered. */
const kept = (r) => (r.cached ? t('from_the_kept_forecasts_time', { time: duration(r.age_seconds) }) : t('written_for_you'));

// The warning of weather that is made up. A badge says it, as those of the models.
const invented = 'emulated_weather';

/** warned is what r warns of. */
export function warned(r) {
  const codes = (r.warnings || []).filter((code) => code !== invented && !ofModel(code));
  return codes.length > 0 && el('ul', { class: 'warnings', 'aria-label': t('warnings') },
    codes.map((code) => el('li', {}, weatherWarnings[code] || warnings[code] || t('docs_say_what_this_warning'), ' ', el('code', {}, code))));
}

/** sound is a button until somebody wants to hear it. */
function sound(r, speak, plays) {
  const button = el('button', { type: 'button', class: 'secondary', onclick: listen }, t('listen'));
  const node = el('div', { class: 'sound' }, plays ? player(r, true) : button);

  async function listen() {
    button.disabled = true;
    button.textContent = t('speaking');
    try {
      const spoken = r.audio_url ? r : await speak();
      if (!node.isConnected) return; // another forecast is shown
      if (!spoken.audio_url) throw new Problem({ code: 'speech_failed', detail: weatherWarnings.speech_failed });
      if (spoken.forecast_text !== r.forecast_text) return void node.closest('article').replaceWith(outlook(spoken, speak, true));
      const audio = player(spoken, true);
      node.replaceChildren(audio, warned({ warnings: (spoken.warnings || []).filter((code) => !(r.warnings || []).includes(code)) }) || '');
      audio.focus();
    } catch (err) {
      node.replaceChildren(problem(err, listen));
    }
  }
  return node;
}

/** player plays the sound of a forecast. */
export const player = (r, now) => el('audio', { src: r.audio_url, controls: true, autoplay: now, preload: 'metadata', 'aria-label': t('the_forecast_for_place_spoken', { place: r.place.name }) });

/** facts are the values that were said, each with its place in the payload. */
function facts(r) {
  const said = r.facts.filter((f) => f.slot !== 'city');
  return said.length > 0 && el('ul', { class: 'features', 'aria-label': t('what_was_said'), lang: 'en' },
    said.map((f) => el('li', { title: f.path }, el('span', { class: 'quiet' }, f.slot.replaceAll('_', ' ')), ' ', el('span', { lang: r.lang }, f.value))));
}

function bill(r) {
  return el('dl', { class: 'bill' }, [
    [t('cost'), dollars(r.cost_usd)], [t('where'), `${r.place.lat.toFixed(2)}, ${r.place.lon.toFixed(2)}`], [t('units'), r.units], [t('language'), r.lang],
  ].map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))));
}

const W = 360;
const H = 150;
const top = 26; // of the temperatures
const floor = 88;
const foot = 122; // of the bars, which are 26 high

/** clock is a time as the place's own clock has it. */
const clock = (time) => time.slice(11, 16);
const weekday = (time, how = 'short') => new Intl.DateTimeFormat(lang, { weekday: how, timeZone: 'UTC' }).format(new Date(`${time.slice(0, 10)}T00:00Z`));
const at = (time) => `${weekday(time)} ${clock(time)}`;
const degree = (r, t) => `${Math.round(t)}${r.units === 'standard' ? ' K' : '°'}`.replace(/^-0/, '0');
const percent = (p) => `${Math.round(p * 100)} %`;

const has = (v) => typeof v === 'number';

/** runs splits the hours where the service left out a temperature. */
const runs = (hours) => hours.reduce((all, h, i) => {
  if (!has(h.temp)) return all;
  if (i && has(hours[i - 1].temp)) all.at(-1).push(i);
  else all.push([i]);
  return all;
}, []);

/** chart draws temperatures as a line, the chance of rain or snow as bars, and a line at which each part of
 * a day begins; what is missing is not drawn. */
function chart(r) {
  const temps = r.hours.map((h) => h.temp).filter(has);
  if (temps.length < 2) return false;
  const low = Math.min(...temps);
  const high = Math.max(...temps);
  const x = (i) => 22 + (i * (W - 44)) / (r.hours.length - 1);
  const y = (t) => floor - ((t - low) / Math.max(high - low, 1)) * (floor - top);
  const every = Math.ceil(r.hours.length / 6);
  const days = new Set(r.hours.map((h) => h.time.slice(0, 10))).size > 2;
  const wide = Math.min(18, (W - 44) / r.hours.length - 2);
  const steps = r.hours.map((h, i) => svg('g', {},
    svg('title', {}, `${weekday(h.time)} ${clock(h.time)}: ${[has(h.temp) && degree(r, h.temp), h.description, named[h.kind], has(h.pop) && percent(h.pop)].filter(Boolean).join(', ')}`),
    h.pop > 0 && svg('rect', { class: `wet ${h.kind || ''}`, x: x(i) - wide / 2, width: wide, y: foot - h.pop * 26, height: h.pop * 26 }),
    has(h.temp) && svg('circle', { cx: x(i), cy: y(h.temp), r: r.hours.length > 12 ? 2 : 3.5 }),
    i % every === 0 && [has(h.temp) && svg('text', { class: 'degree', x: x(i), y: y(h.temp) - 9 }, degree(r, h.temp)), svg('text', { x: x(i), y: H - 8 }, days ? `${weekday(h.time)} ${h.time.slice(11, 13)}` : clock(h.time))]));
  const apart = (W - 44) / (r.hours.length - 1);
  const parts = new Set((r.days || []).flatMap((d) => d.parts).map((p) => p.from));
  const begins = r.hours.map((h, i) => (parts.has(h.time) ? i : 0)).filter((i) => i > 0);
  const pops = r.hours.map((h) => h.pop).filter(has);
  const range = { from: at(r.hours[0].time), to: at(r.hours.at(-1).time), low: degree(r, low), high: degree(r, high) };
  const summary = pops.length ? t('from_to_to_low_to', { ...range, chance: percent(Math.max(...pops)) }) : t('from_to_to_low_alone', range);
  return el('figure', { class: 'chart' },
    svg('svg', { viewBox: `0 0 ${W} ${H}`, role: 'img', 'aria-label': summary },
      svg('line', { x1: 8, x2: W - 8, y1: foot, y2: foot }),
      begins.map((i) => svg('line', { class: 'part', x1: x(i) - apart / 2, x2: x(i) - apart / 2, y1: 8, y2: foot })),
      runs(r.hours).map((run) => svg('polyline', { points: run.map((i) => `${x(i).toFixed(1)},${y(r.hours[i].temp).toFixed(1)}`).join(' ') })), steps),
    el('figcaption', { class: 'quiet' }, spells(r)));
}

const named = { rain: t('rain'), sleet: t('sleet'), snow: t('snow'), storm: t('thunderstorm'), fog: t('fog') };

/** spells says when rain, snow, storms and fog are expected, and how likely rain or snow is. */
function spells({ days = [] }) {
  const pops = days.map((d) => d.rain.probability).filter(has);
  const said = pops.length ? { chance: percent(Math.max(...pops)) } : {};
  const all = days.flatMap((d) => d.spells).map((s) => t('what_from_to', { what: named[s.kind], from: at(s.from), to: at(s.to) })).join('; ');
  if (!all) return pops.length ? t('on_the_places_clock_nothing', said) : t('on_the_places_clock_dry');
  return pops.length ? t('on_the_places_clock_what', { all, ...said }) : t('on_the_places_clock_wet', { all });
}
