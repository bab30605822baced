// What the page is built with: elements of text, never of HTML.

import { counted, lang, t } from './words.js';

/** el makes an element: el('a', {href: '#x', onclick: f}, 'text', child, null). */
export const el = (tag, props, ...children) => filled(document.createElement(tag), props, children);

/** svg makes an element of a drawing. */
export const svg = (tag, props, ...children) => filled(document.createElementNS('http://www.w3.org/2000/svg', tag), props, children);

function filled(node, props = {}, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.flat().filter((c) => c !== undefined && c !== null && c !== false && c !== ''));
  return node;
}

export const byId = (id) => document.getElementById(id);

/** link is a link to another site, or plain text where uri is no web address. */
export function link(uri, text) {
  if (!/^https?:\/\//i.test(uri)) return el('span', {}, text || uri);
  return el('a', { href: uri, target: '_blank', rel: 'noopener noreferrer' }, text || uri);
}

/** fileName is the name of a photo without its bucket and folders. */
export const fileName = (file) => file.split('/').pop() || file;

/** once does what a button is for, unless it is being done. The button keeps the focus meanwhile. */
export async function once(button, action) {
  if (button.getAttribute('aria-disabled')) return;
  button.setAttribute('aria-disabled', 'true');
  try {
    await action();
  } finally {
    button.removeAttribute('aria-disabled');
  }
}

/** copier is a button that copies what text() is. Without https there is no clipboard: it is selected, to be copied. */
export function copier(name, text) {
  const button = el('button', { type: 'button', class: 'secondary small', onclick: async () => {
    try {
      await navigator.clipboard.writeText(text());
      button.textContent = t('copied');
    } catch {
      const next = button.nextElementSibling;
      const shown = next?.matches('pre') ? next : el('code', {}, text());
      if (next?.matches('code')) next.remove();
      if (shown !== next) button.after(shown);
      getSelection().selectAllChildren(shown);
      button.textContent = t('selected_press_ctrl_c');
    }
    setTimeout(() => { button.textContent = name; }, 2000);
  } }, name);
  return button;
}

/** reveal shows a node in the dialog, which it opens. */
export function reveal(node) {
  byId('dialog-body').replaceChildren(node);
  if (!byId('dialog').open) byId('dialog').showModal();
  byId('dialog-body').scrollTop = 0;
}

/** keeps is text by its key, '' where there is none, in a storage of the browser; what may not be kept there, as where storage is blocked, goes with the page. */
function keeps(storage) {
  const unkept = new Map();
  return {
    get(key) { try { return unkept.get(key) ?? window[storage].getItem(key) ?? ''; } catch { return ''; } },
    set(key, value) { try { window[storage].setItem(key, value); } catch { unkept.set(key, value); } },
  };
}

export const local = keeps('localStorage');
export const session = keeps('sessionStorage'); // of this tab, until it is closed

/** announce tells a screen reader. */
export function announce(text) { byId('status').textContent = text; }

export const number = (n) => Number(n || 0).toLocaleString(lang);
export const cut = (text, n) => (text.length > n ? `${text.slice(0, n - 1).trimEnd()}…` : text);

/** plural is a count of something that a language has words for, as plural(3, 'photo'). */
export const plural = (n, what) => counted(n, what).replace('{n}', number(n));

export function dollars(usd) {
  if (!usd) return '$0';
  return usd < 0.0001 ? t('under_n', { n: '$0.0001' }) : `$${usd < 1 ? usd.toPrecision(2) : usd.toFixed(2)}`;
}

export function duration(seconds) {
  if (seconds < 1) return t('n_ms', { n: Math.round(seconds * 1000) });
  if (seconds < 90) return t('n_s', { n: seconds < 10 ? seconds.toFixed(1) : Math.round(seconds) });
  return seconds < 5400 ? t('n_min', { n: Math.round(seconds / 60) }) : t('n_h', { n: Math.round(seconds / 3600) });
}

export function when(time) {
  const at = new Date(time);
  return el('time', { datetime: time, title: at.toLocaleString(lang) }, ago((Date.now() - at) / 1000, at));
}

function ago(seconds, at) {
  if (seconds < 60) return t('just_now');
  if (seconds < 86400) return t('time_ago', { time: duration(seconds) });
  return at.toLocaleDateString(lang, { day: 'numeric', month: 'short', year: 'numeric' });
}

/** confirmed asks before something that cannot be undone. */
export function confirmed(question, yes) {
  const dialog = el('dialog', { class: 'confirm', 'aria-label': question },
    el('form', { method: 'dialog' }, el('p', {}, question),
      el('p', { class: 'buttons' },
        el('button', { value: '', class: 'secondary', autofocus: true }, t('keep_it')),
        el('button', { value: 'yes', class: 'danger' }, yes))));
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => { dialog.remove(); resolve(dialog.returnValue === 'yes'); });
  });
}
