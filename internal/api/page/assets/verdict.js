// What a person says of a result: buttons, a form to correct it, and what was said.

import { nameless } from './card.js';
import { announce, confirmed, el, local, when } from './dom.js';
import { problem } from './problem.js';
import { ask, askJSON } from './stream.js';
import { may, me, needs, signature } from './who.js';
import { t } from './words.js';

const speaker = 'whatis-by';
const words = { accept: t('accepted'), correct: t('corrected'), reject: t('rejected'), undo: t('taken_back') };
const url = (id, rest = '') => `/results/${encodeURIComponent(id)}${rest}`;
const post = (path, body) => askJSON(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });

/** by is who speaks: the caller whom the service knows, or else a name, as the last time. */
export const by = () => me.name || local.get(speaker);

/** speaks is the field for who speaks, or nothing where the service knows. */
export function speaks() {
  if (me.name) return null;
  const input = el('input', { name: 'by', value: by(), maxlength: 200, spellcheck: 'false', autocomplete: 'name', onchange: () => keep(input.value.trim()) });
  return el('label', { class: 'rv-by' }, t('who_is_speaking'), ' ', input);
}

function keep(name) {
  local.set(speaker, name);
  for (const input of document.querySelectorAll('.rv-by input')) input.value = name;
}

/** say sends a verdict on the result e as it is shown, and returns the review; e has the result as it is then. Somebody else may have said something since: then e has what stands now, and the same can be said again. */
export async function say(e, verdict, fields) {
  try {
    const review = await post(url(e.id, '/review'), { verdict, fields, by: by(), revision: e.revision });
    e.revision = review.revision;
    try {
      const { result, doubt } = await askJSON(url(e.id));
      Object.assign(e, { result, doubt });
    } catch { /* it is said all the same */ }
    announce(`${words[verdict]}.`);
    return review;
  } catch (err) {
    if (err.now) e.revision = err.now.revision;
    throw err;
  }
}

export const undo = (e) => say(e, 'undo');

/** badge says what was said last. */
export const badge = (verdict) => words[verdict] && verdict !== 'undo' && el('span', { class: `badge rv-${verdict}` }, words[verdict]);

/**
 * panel is what can be said of the result e. done(review) is called when it was said,
 * keys shows which keys do the same.
 */
export function panel(e, { done, keys = false }) {
  const below = el('div', { class: 'rv-below' });
  const key = (k) => keys && el('kbd', { 'aria-hidden': 'true' }, k);
  const node = el('div', { class: 'rv', role: 'group', 'aria-label': t('review') });
  const run = async (what) => {
    if (node.closest('[aria-busy]')) return;
    if (!by()) {
      below.replaceChildren(el('p', { role: 'alert' }, t('say_who_is_speaking_first_it')));
      node.closest('.feedback, #review').querySelector('.rv-by input')?.focus();
      return;
    }
    node.setAttribute('aria-busy', 'true');
    try {
      done(await what());
    } catch (err) {
      below.replaceChildren(...[problem(err), err.now && acts(err.now)].filter(Boolean));
    }
    node.removeAttribute('aria-busy');
  };
  const open = () => {
    if (node.closest('[aria-busy]')) return; // the answer would take the form away
    const form = correction(e.result, (fields) => run(() => say(e, 'correct', fields)), () => { below.replaceChildren(); buttons.querySelector('[data-do=correct]').focus(); });
    below.replaceChildren(form);
    form.elements.product_name.select(); // at once: what is typed next is the name
  };
  const button = (name, k, verdict, kind, onclick) => el('button', { type: 'button', class: kind, 'data-do': verdict, 'aria-keyshortcuts': keys && k, onclick }, name, key(k));
  const reject = (name, kind) => button(name, 'R', 'reject', kind, () => run(() => say(e, 'reject')));
  const buttons = el('p', { class: 'buttons' }, nameless(e.result) ? [
    button(t('name_it'), 'C', 'correct', '', open),
    button(t('no_product'), 'N', 'none', 'secondary', () => run(() => say(e, 'correct', { no_product: true }))),
    reject(t('take_it_again'), 'secondary'),
  ] : [
    button(t('accept'), 'A', 'accept', '', () => run(() => say(e, 'accept'))),
    button(t('correct'), 'C', 'correct', 'secondary', open),
    reject(t('reject'), 'danger'),
  ]);
  node.append(...(may('reviewer') ? [buttons, below] : [needs('reviewer')]));
  if (e.verdict || e.result.reviewed) past(e, node, run);
  return node;
}

/** feedback is what can be said of the result e, and who says it. */
export const feedback = (e, done) => el('div', { class: 'rv feedback' }, el('h4', {}, t('is_this_right')), may('reviewer') && speaks(), panel(e, { done }));

/** past tells who said what before, and takes the last of it back. */
async function past(e, node, run) {
  try {
    const r = await askJSON(url(e.id, '/review'));
    e.revision = r.revision;
    node.prepend(acts(r, r.stands && may('reviewer') && el('button', { type: 'button', class: 'secondary small', onclick: () => run(() => undo(e)) }, t('take_it_back'))));
  } catch { /* it was forgotten meanwhile */ }
}

/** acts is who said what of a photo, and when: the latest, and below it what was said before. */
function acts(r, back) {
  const line = (a) => {
    const said = a.fields ? `: ${a.fields.no_product ? t('no_product') : Object.values(a.fields).flat().filter(Boolean).join(', ')}` : '';
    return [el('span', { class: `badge rv-${a.verdict}` }, words[a.verdict]), ' ', el('span', {}, `${signature(a)}, `, when(a.at), said)];
  };
  return el('div', { class: 'rv-past' }, el('p', {}, line(r), ' ', back),
    r.history && el('details', {}, el('summary', {}, t('what_was_said_before')), el('ol', { reversed: true }, r.history.toReversed().map((a) => el('li', {}, line(a))))));
}

/** correction is the form of what is otherwise. Only what is changed is sent, and the name of what has none. */
function correction(r, send, cancel) {
  const before = { product_name: r.product_name || '', brand: r.brand || '', category: r.category || '', gtin: r.gtin || '', expiration_date: r.expiration_date || '', key_features: (r.key_features || []).join('\n') };
  const field = (name, label, props = {}) => el('label', {}, `${label} `, el('input', { name, value: before[name], maxlength: 300, lang: r.lang, ...props }));
  const form = el('form', { class: 'rv-form', autocomplete: 'off', onsubmit: (event) => {
    event.preventDefault();
    const now = Object.entries(before).map(([name, was]) => [name, form.elements[name].value.trim(), was]).filter(([name, value, was]) => value !== was || (name === 'product_name' && nameless(r)));
    if (now.length) send(Object.fromEntries(now.map(([name, value]) => [name, name === 'key_features' ? value.split('\n').map((f) => f.trim()).filter(Boolean) : value])));
    else form.querySelector('output').textContent = t('nothing_is_changed_yet');
  }, onkeydown: (event) => { if (event.key === 'Escape') { event.preventDefault(); event.stopPropagation(); cancel(); } } },
  el('div', { class: 'fields' }, field('product_name', t('product_name'), { required: true }), field('brand', t('brand')),
    field('category', t('category_in_english'), { lang: 'en', required: Boolean(before.category) }), field('gtin', t('barcode'), { inputmode: 'numeric', maxlength: 20, pattern: '[0-9 ]*', title: t('the_digits_below_the_bars') }),
    field('expiration_date', t('expires'), { pattern: '[0-9]{4}\\.[0-9]{2}\\.[0-9]{2}', placeholder: '2027.01.31', maxlength: 10 })),
  el('label', {}, `${t('features')} `, el('textarea', { name: 'key_features', rows: 4, lang: r.lang, required: Boolean(before.key_features) }, before.key_features)),
  el('p', { class: 'buttons' }, el('button', { type: 'submit' }, t('save_the_correction')), el('button', { type: 'button', class: 'secondary', onclick: cancel }, t('cancel')), el('output', { class: 'quiet' })));
  return form;
}

/** forget is the buttons that forget the result e; gone() is called with what stays. */
export function forget(e, gone) {
  if (!may('owner')) return null;
  const below = el('div', {});
  const button = (name, question, query) => el('button', { type: 'button', class: 'danger small', onclick: async () => {
    if (!await confirmed(question, name)) return;
    try {
      gone(await (await ask(url(e.id, query), { method: 'DELETE' })).json());
    } catch (err) {
      below.replaceChildren(problem(err));
    }
  } }, name);
  return el('details', { class: 'rv-forget' }, el('summary', {}, t('forget_this_result')),
    el('p', { class: 'quiet' }, t('removes_the_result_its_thumbnail')),
    el('p', { class: 'buttons' }, button(t('forget_it'), t('forget_this_result_it_cannot'), ''),
      e.file?.startsWith('gs://') && e.has_photo && button(t('forget_it_and_the_photo'), t('forget_this_result_and_delete'), '?photo=true')), below);
}

/** forgotten tells what stays of a result. */
export const forgotten = (f) => el('div', { class: 'rv-gone', role: 'status' }, el('p', {}, el('strong', {}, t('it_is_forgotten')), ' ', f.stays.length ? t('what_stays') : t('nothing_of_it_stays')),
  el('ul', {}, f.stays.map((s) => el('li', {}, el('strong', {}, stays[s.what] || s.what), ' ', s.where && el('code', {}, s.where), s.where && ' ', `${s.why}.`))));

const stays = { photo: t('the_photo'), record: t('a_record_of_the_catalogue'), events: t('events'), file_name: t('the_name_of_its_file') };
