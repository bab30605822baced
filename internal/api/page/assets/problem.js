// What went wrong, and what to do about it.

import { el } from './dom.js';
import { remedy } from './words.js';

/** problem shows a Problem. again() is offered, after a while if the service asks for one. */
export function problem(p, again) {
  const button = again && el('button', { type: 'button', class: 'secondary', onclick: again }, 'Try again');
  if (button && p.retryAfter > 0) countdown(button, Date.now() + p.retryAfter * 1000);
  return el('div', { class: 'problem', role: 'alert' }, el('p', {}, el('strong', {}, p.message), ' ', el('code', {}, p.code)), el('p', {}, remedy(p.code)), button);
}

function countdown(button, end) {
  const left = Math.ceil((end - Date.now()) / 1000);
  button.disabled = left > 0;
  button.textContent = left > 0 ? `Try again in ${left} s` : 'Try again';
  if (left > 0) setTimeout(countdown, 250, button, end);
}
