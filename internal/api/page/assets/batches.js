// Many photos of a bucket at once.

import { announce, byId, confirmed, dollars, duration, el, fileName, number, once, plural, when } from './dom.js';
import { pages } from './pages.js';
import { at, keep } from './place.js';
import { problem } from './problem.js';
import { askJSON, fill, listen } from './stream.js';
import { fields, outcomes, rich, source as foundBy, states, t } from './words.js';

const maxRows = 200;
const ended = (s) => ['done', 'cancelled', 'failed'].includes(s.state);

let source = null; // of the batch that is shown

/** show shows the batch id, or the form and the latest batches. */
export function show(id) {
  hide();
  const view = byId('batches');
  return fill(view, id ? url(id) : '/batches', (got) => view.replaceChildren(...(id ? watch(got) : overview(got))),
    (err) => view.replaceChildren(err.code === 'batches_off' ? off() : problem(err, () => show(id))));
}

export function hide() {
  source?.close();
  source = null;
}

const url = (id, rest = '') => `/batches/${encodeURIComponent(id)}${rest}`;

const off = () => el('div', { class: 'empty' }, el('p', {}, t('there_are_no_batches_here')), el('p', {}, rich('set_variable_and_start_it', { variable: el('code', {}, 'TASKS_TOPIC') })));

function overview(first) {
  return [form(), el('section', { 'aria-labelledby': 'recent' }, el('h2', { id: 'recent' }, t('latest_batches')),
    first.batches.length ? pages('/batches', 'batches', first, line) : el('p', { class: 'quiet' }, t('none_yet_the_form_begins')))];
}

const line = (s) => el('li', {}, el('a', { href: `#batches/${encodeURIComponent(s.id)}` },
  el('strong', {}, s.prefix), el('span', { class: 'quiet' }, plural(s.photos || s.number, 'photo'), s.created_at && [' · ', when(s.created_at)]), state(s)));

const state = (s) => el('span', { class: `badge state-${s.state}` }, states[s.state] || s.state);

function form() {
  const outcome = el('div', { class: 'estimate', role: 'status' });
  const node = el('form', { class: 'card batch-form', autocomplete: 'off', onsubmit: (e) => { e.preventDefault(); estimate(node, outcome); }, oninput: () => outcome.replaceChildren() },
    field(t('photos_under'), { name: 'prefix', required: true, placeholder: 'gs://bucket/folder/', pattern: 'gs://.+', title: 'gs://bucket/ or gs://bucket/folder/', spellcheck: 'false' }),
    el('div', { class: 'fields' },
      field(t('at_most'), { name: 'sample', type: 'number', min: 1, step: 1, placeholder: t('all') }),
      field(t('country'), { name: 'country', list: 'countries', maxlength: 2, placeholder: t('default') }),
      field(t('language'), { name: 'lang', list: 'languages', maxlength: 35, placeholder: t('default') }),
      field(t('seed'), { name: 'seed', inputmode: 'numeric', pattern: '[0-9]{1,20}', title: t('a_whole_number'), placeholder: t('random') }),
      el('label', {}, `${t('tier')} `, el('select', { name: 'tier' }, tiers().map(([value, name]) => el('option', { value }, name)))),
      el('label', {}, `${t('one_result_for')} `, el('select', { name: 'group' }, el('option', { value: '' }, t('each_photo')), el('option', { value: 'folder' }, t('each_folder')), el('option', { value: 'barcode' }, t('each_barcode'))))),
    el('label', { class: 'switch' }, el('input', { type: 'checkbox', name: 'random', role: 'switch' }), ` ${t('pick_them_at_random')}`),
    el('label', { class: 'switch' }, el('input', { type: 'checkbox', name: 'fresh', role: 'switch' }), ` ${t('ask_anew')}`),
    el('p', { class: 'buttons' }, el('button', { type: 'submit' }, t('count_and_estimate'))), outcome);
  return node;
}

const tiers = () => [['', t('default')], ['standard', t('tier_standard')], ['flex', t('tier_flex')]];

const field = (name, props) => el('label', {}, `${name} `, el('input', props));

/** request is the JSON of the form. A seed may be larger than numbers are exact here. */
export function request(form, dryRun) {
  const v = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, value.trim()]));
  const body = JSON.stringify({
    prefix: v.prefix, sample: v.sample ? Number(v.sample) : undefined, random: v.random ? true : undefined,
    country: v.country || undefined, lang: v.lang || undefined, tier: v.tier || undefined, group: v.group || undefined, fresh: v.fresh ? true : undefined, dry_run: dryRun || undefined,
  });
  return v.seed ? `${body.slice(0, -1)},"seed":${v.seed.replace(/^0+(?=\d)/, '')}}` : body;
}

const post = (body) => askJSON('/batches', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });

async function estimate(node, outcome) {
  const asked = request(node);
  const answered = (...nodes) => { if (request(node) === asked) outcome.replaceChildren(...nodes.filter(Boolean)); }; // else it is of another form
  try {
    const s = await post(request(node, true));
    answered(
      el('p', {}, el('strong', {}, plural(s.photos || s.number, 'photo')), rich('size_estimated_cost_cost', { size: megabytes(s.bytes), cost: el('strong', {}, range(s.estimate)) })),
      s.number > 0 && el('button', { type: 'button', onclick: (e) => once(e.currentTarget, () => begin(asked, outcome)) }, t('start_with_photos', { photos: plural(s.photos || s.number, 'photo') })));
  } catch (err) {
    answered(problem(err));
  }
}

async function begin(asked, outcome) {
  try {
    const s = await post(asked);
    location.hash = `#batches/${encodeURIComponent(s.id)}`;
  } catch (err) {
    outcome.replaceChildren(problem(err, () => begin(asked, outcome)));
  }
}

const megabytes = (n) => (n < 1e6 ? `${number(Math.ceil(n / 1e3))} kB` : `${number(Math.round(n / 1e5) / 10)} MB`);
const range = (e = {}) => (e.usd_low === e.usd_high ? dollars(e.usd_low) : t('low_to_high', { low: dollars(e.usd_low), high: dollars(e.usd_high) }));

/** watch shows a batch as it goes on. */
function watch(first) {
  const head = el('div', { class: 'card' });
  const rows = el('tbody');
  const seen = new Set();
  const failures = el('ul', { class: 'failures' });
  const failed = el('section', { hidden: true, 'aria-labelledby': 'failed' }, el('h2', { id: 'failed' }, t('failures')), failures);
  // The buttons stay the same ones, so that the focus stays on them.
  let now = first;
  const body = el('div', { class: 'contents' });
  const stop = el('button', { type: 'button', class: 'danger', onclick: () => cancel(now, update) }, t('cancel_the_batch'));
  head.append(body, el('p', { class: 'buttons' },
    el('a', { class: 'button secondary', href: url(first.id, '/result'), download: `${first.id}.json` }, 'JSON'),
    el('a', { class: 'button secondary', href: url(first.id, '/result?format=csv'), download: `${first.id}.csv` }, 'CSV'), el('a', { class: 'button secondary', href: `#results?set=${encodeURIComponent(first.id)}` }, t('results')), stop));
  const update = (s) => {
    now = s;
    body.replaceChildren(...progress(s));
    if (!['scanning', 'expanding', 'running'].includes(s.state)) stop.remove();
  };
  const add = (item) => {
    if (seen.has(item.index)) return;
    seen.add(item.index);
    rows.prepend(itemRow(item));
    while (rows.childElementCount > maxRows) rows.lastElementChild.remove();
    if (item.outcome !== 'failed') return;
    failed.hidden = false;
    failures.append(el('li', {}, el('code', {}, fileName(item.file)), ' ', item.reason));
  };
  const end = (s) => {
    update(s);
    announce(t('the_batch_has_ended_state', { state: states[s.state] || s.state }));
  };
  update(first);
  const changed = el('section', { 'aria-labelledby': 'changed' });
  others(first, changed);
  source = listen(url(first.id, '/events'), { item: add, progress: update, end });
  return [el('p', {}, el('a', { href: '#batches' }, t('all_batches'))), head, failed, changed,
    el('section', { 'aria-labelledby': 'ended' }, el('h2', { id: 'ended' }, t('photos_that_have_ended')), el('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-labelledby': 'ended' },
      el('table', {}, el('thead', {}, el('tr', {}, [t('photo'), t('outcome'), t('product'), t('cost')].map((h) => el('th', { scope: 'col' }, h)))), rows)))];
}

/** others offers the other batches of the same photos, to be compared with the batch s. */
async function others(s, node) {
  const { batches } = await askJSON('/batches?limit=100').catch(() => ({ batches: [] }));
  const same = batches.filter((o) => o.prefix === s.prefix && o.id !== s.id && ended(o));
  if (!same.length) return;
  const table = el('div');
  const choice = el('select', { onchange: async () => {
    keep({ with: choice.value }, true);
    try {
      table.replaceChildren(...(choice.value ? await differences(choice.value, s.id) : []));
    } catch (err) {
      table.replaceChildren(problem(err));
    }
  } }, el('option', { value: '' }, '—'), same.map((o) => el('option', { value: o.id }, o.id)));
  node.append(el('h2', { id: 'changed' }, t('what_changed')), el('p', {}, el('label', {}, `${t('compared_with')} `, choice)), table);
  choice.value = at().values.with || '';
  if (choice.value) choice.dispatchEvent(new Event('change'));
}

/** compared are the names of what is compared of a result, and what it says there. */
const compared = {
  [fields.product_name]: (r) => r.product_name, [fields.brand]: (r) => r.brand, [t('category')]: (r) => r.category, [fields.gtin]: (r) => r.gtin, [fields.expiration_date]: (r) => r.expiration_date, [t('found_by')]: foundBy,
};

/** differences is what two batches answer differently, photo by photo. */
async function differences(before, after) {
  const [was, is] = await Promise.all([before, after].map(async (id) => new Map((await askJSON(url(id, '/result'))).map((a) => [a.file, a.result]))));
  const both = [...is].filter(([file]) => was.has(file)).map(([file, now]) => ({ file, id: now.id, differs: Object.entries(compared).map(([name, of]) => [name, of(was.get(file)), of(now)]).filter(([, a, b]) => (a || '') !== (b || '')) }));
  const changed = both.filter((p) => p.differs.length);
  const row = (p) => p.differs.map(([name, a, b], i) => el('tr', {},
    i === 0 && el('td', { rowspan: p.differs.length }, el('a', { href: `#results/${encodeURIComponent(p.id)}`, title: p.file }, fileName(p.file))),
    el('td', {}, name), el('td', { class: 'what' }, a || '—'), el('td', { class: 'what' }, b || '—')));
  return [el('p', { role: 'status' }, t('n_of_photos_changed', { n: number(changed.length), photos: plural(both.length, 'photo') })),
    changed.length > 0 && el('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-labelledby': 'changed' },
      el('table', {}, el('thead', {}, el('tr', {}, [t('photo'), t('the_field'), t('was_before'), t('is_now')].map((h) => el('th', { scope: 'col' }, h)))), el('tbody', {}, changed.flatMap(row))))].filter(Boolean);
}

/** small is a picture of a result, which is left out where there is none. */
const small = (id) => el('img', { src: `/results/${encodeURIComponent(id)}/photo?width=96`, alt: '', width: 48, height: 48, loading: 'lazy', decoding: 'async', onerror: (e) => e.target.remove() });

function itemRow(item) {
  const named = [item.product_name, item.brand].filter(Boolean).join(', ');
  const product = (named && item.outcome === 'unidentified' ? t('read_text', { text: named }) : named) || item.reason || '';
  const name = el('span', { title: item.file }, fileName(item.file));
  const shown = item.id && item.outcome !== 'cancelled';
  return el('tr', {}, el('td', { class: 'pictured' }, shown ? el('a', { href: `#results/${encodeURIComponent(item.id)}` }, item.outcome !== 'failed' && small(item.id), name) : name),
    el('td', {}, el('span', { class: `badge ${item.outcome}` }, outcomes[item.outcome] || item.outcome)), el('td', { class: 'what' }, product), el('td', { class: 'figure' }, dollars(item.cost_usd)));
}

function progress(s) {
  const counts = Object.keys(outcomes).map((name) => [name, s.counts?.[name]]).filter(([, n]) => n > 0);
  return [
    el('header', {}, el('h2', {}, s.prefix), state(s)),
    s.reason && el('p', { class: 'problem' }, s.reason),
    el('label', { class: 'progress' }, el('span', {}, t('n_of_photos', { n: number(s.ended), photos: plural(s.number, s.group && s.state !== 'scanning' ? 'result' : 'photo') }), s.seconds_left !== undefined && !ended(s) && ` · ${t('about_time_left', { time: duration(s.seconds_left) })}`),
      el('progress', { max: s.number || 1, value: s.ended || 0 })),
    el('ul', { class: 'counts', 'aria-label': t('by_outcome') }, counts.map(([name, n]) => el('li', {}, el('span', { class: `badge ${name}` }, outcomes[name] || name), ' ', number(n)))),
    el('dl', { class: 'bill' }, [[ended(s) ? t('cost') : t('cost_so_far'), dollars(s.cost_usd)], [t('estimate'), range(s.estimate)], [t('seed'), s.seed], [t('asked_for'), [s.country, s.lang, s.tier === 'flex' && s.tier].filter(Boolean).join(', ')]]
      .filter(([, v]) => v).map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value)))),
  ].filter(Boolean);
}

async function cancel(s, update) {
  if (!await confirmed(t('cancel_this_batch_photos_will', { photos: plural(s.number - s.ended, 'photo') }), t('cancel_the_batch'))) return;
  try {
    update(await askJSON(url(s.id), { method: 'DELETE' }));
    announce(t('the_batch_is_being_cancelled'));
  } catch (err) {
    byId('batches').prepend(problem(err));
  }
}
