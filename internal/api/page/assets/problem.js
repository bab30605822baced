// What went wrong, and what to do about it.

import { el } from './dom.js';
import { remedy, t } from './words.js';

const passing = [0, 408, 409, 425, 429, 500, 502, 503, 504]; // statuses of what another attempt may end; a cut line has none

/** permanent are the problems that end only when whoever runs the service changes something, whatever their status says. */
const permanent = ['model_gone', 'model_invalid', 'model_unauthorized', 'model_emulated'];

/** problem shows a Problem. again() is offered where it can help, after a while if the service asks for one. */
export function problem(p, again) {
  const button = again && passing.includes(p.status) && !permanent.includes(p.code) && el('button', { type: 'button', class: 'secondary', onclick: again }, t('try_again'));
  if (button && p.retryAfter > 0) countdown(button, Date.now() + p.retryAfter * 1000);
  return el('div', { class: 'problem', role: 'alert' }, el('p', {}, el('strong', { lang: p.status > 0 && 'en' }, p.message), ' ', el('code', {}, p.code)), el('p', {}, remedy(p.code)), button);
}

function countdown(button, end) {
  const left = Math.ceil((end - Date.now()) / 1000);
  button.disabled = left > 0;
  button.textContent = left > 0 ? t('try_again_in_n_s', { n: left }) : t('try_again');
  if (left > 0) setTimeout(countdown, 250, button, end);
}
