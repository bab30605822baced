// What went wrong, and what to do about it.

import { el, once } from './dom.js';
import { cause, lang, more, remedy, t } from './words.js';

const passing = [0, 408, 409, 425, 429, 500, 502, 503, 504]; // statuses of what another attempt may end; a cut line has none

/** permanent are the problems that end only when whoever runs the service changes something, whatever their status says. */
const permanent = ['model_gone', 'model_invalid', 'model_unauthorized', 'model_not_in_plan', 'model_unpaid', 'model_no_search', 'model_emulated'];

/** problem shows a Problem. again() is offered where it can help, after a while if the service asks for one. */
export function problem(p, again) {
  const button = again && passing.includes(p.status) && !permanent.includes(p.code) && el('button', { type: 'button', class: 'secondary', onclick: () => once(button, again) }, t('try_again'));
  if (button && p.retryAfter > 0) countdown(button, Date.now() + p.retryAfter * 1000);
  const said = el('p', {}, el('strong', { lang: p.status > 0 && 'en' }, p.message), ' ', el('code', {}, p.code));
  if (lang !== 'en' && p.status > 0) more().then(() => translate(p, said)).catch(() => {}); // then it stays as the service says it
  return el('div', { class: 'problem', role: 'alert' }, said, el('p', {}, remedy(p.code)), button);
}

/** translate puts what the problem is, in the language of the page, before what the service says of it. */
function translate(p, said) {
  if (!cause(p.code)) return;
  said.replaceChildren(el('strong', {}, cause(p.code)), ' ', el('code', {}, p.code));
  said.parentNode.append(el('p', { class: 'quiet', lang: 'en' }, p.message));
}

function countdown(button, end) {
  const left = Math.ceil((end - Date.now()) / 1000);
  button.disabled = left > 0;
  button.textContent = left > 0 ? t('try_again_in_n_s', { n: left }) : t('try_again');
  if (left > 0) setTimeout(countdown, 250, button, end);
}
