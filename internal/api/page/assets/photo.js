// The view of new photos: drop, paste, choose or take them, and watch.

import { facts, photo, showModel, title } from './card.js';
import { announce, byId, el, local, number, plural, session } from './dom.js';
import { clear, glimpse } from './evidence.js';
import * as many from './many.js';
import { problem } from './problem.js';
import * as samples from './samples.js';
import { steps } from './steps.js';
import { Problem, follow } from './stream.js';
import { more, t } from './words.js';

const atOnce = 2;
const maxBytes = 30 * 1024 * 1024;
const maxTogether = 20;
const kept = 'whatis.options';

const sets = 'whatis.sets'; // the names of the last sets that were sent from this browser

const tab = 'whatis.tab'; // names the questions of this tab, once there were any

const waiting = [];
let set = ''; // the name of the photos that are on the page
let running = 0;
let sending = 0; // photos of which not all is sent

const asks = (e) => e.preventDefault();

/** uploading counts what is being sent: meanwhile the browser asks before it closes the page. */
function uploading(n) {
  if (sending === 0 && n > 0) addEventListener('beforeunload', asks);
  sending += n;
  if (sending === 0) removeEventListener('beforeunload', asks);
}

const upload = () => import('./upload.js');

/** own are the photos of this page by the id of their result: the service keeps none. */
export const own = new Map();

export function start() {
  const over = (yes) => { for (const id of ['zone', 'search']) byId(id).classList.toggle('over', yes); };
  for (const [button, input] of [['choose', 'file'], ['take', 'camera']]) {
    byId(button).addEventListener('click', () => byId(input).click());
    byId(input).addEventListener('change', () => { add([...byId(input).files]); byId(input).value = ''; });
  }
  addEventListener('paste', (e) => { if (e.clipboardData?.files.length) taken([...e.clipboardData.files]); });
  addEventListener('dragover', (e) => {
    if (!e.dataTransfer?.types.includes('Files')) return;
    e.preventDefault();
    over(true);
  });
  addEventListener('dragleave', (e) => { if (!e.relatedTarget) over(false); });
  addEventListener('drop', (e) => {
    over(false);
    if (!e.dataTransfer?.files.length) return;
    e.preventDefault();
    taken([...e.dataTransfer.files]);
  });
  rememberOptions(byId('options'));
  many.start();
  samples.start(add);
  goOn();
  showSets();
  setTimeout(() => import('./answered.js').then((a) => a.show()).catch(() => { byId('answered').hidden = true; })); // the page is whole without it
}

/** goOn shows the questions that this tab asked before it was reloaded, and has no answer to. */
async function goOn() {
  if (!session.get(tab)) return;
  const items = (await (await upload()).remembered(session.get(tab))).map((q) => new Item(q.files, q.options, q.key));
  if (items.length) begin(items);
}

/** named is the name of the set of so many photos more: the form's, else that of the photos that are there, else the time. */
function named(n) {
  set = byId('options').elements.set.value.trim() || set || (n > 1 || byId('photos').childElementCount ? new Date().toLocaleString('sv').slice(0, 16) : '');
  return set;
}

/** showSets shows the last sets that were sent from this browser, with links to their results, and first that of so many photos more. */
function showSets(n = 0) {
  const known = JSON.parse(local.get(sets) || '[]');
  const others = known.filter(([name]) => name !== set);
  if (set && n) local.set(sets, JSON.stringify([[set, n + (known.find(([name]) => name === set)?.[1] || 0)], ...others].slice(0, 5)));
  byId('sets').replaceChildren(...(others.length ? [t('sent_before'), ' ', ...others.flatMap(([name, photos], i) => [i > 0 && ' · ', el('a', { href: `#results?set=${encodeURIComponent(name)}` }, name), ` (${number(photos)})`])].filter(Boolean) : []));
}

/** tabName names this tab, also after a reload. */
function tabName() {
  if (!session.get(tab)) session.set(tab, crypto.getRandomValues(new Uint32Array(4)).join('-'));
  return session.get(tab);
}

function rememberOptions(form) {
  form.addEventListener('submit', (e) => e.preventDefault());
  form.addEventListener('change', () => {
    const { as: _, set: __, ...values } = Object.fromEntries(new FormData(form));
    local.set(kept, JSON.stringify(values));
  });
  try {
    const values = Object.entries(JSON.parse(local.get(kept) || '{}'));
    for (const [name, value] of values) form.elements[name].value = value;
    form.querySelector('details').open = values.some(([, value]) => value);
  } catch { /* of an earlier form */ }
}

/** chosen are the options that are set. */
export function chosen() {
  return Object.fromEntries([...new FormData(byId('options'))].map(([name, value]) => [name, value.trim()]).filter(([, value]) => value));
}

/** taken hands files to the view that is shown: to search by, or to be analysed. */
async function taken(files) {
  if (byId('view-search').hidden) add(files);
  else (await import('./search.js')).take(files);
}

function add(files) {
  if (!files.length) return;
  location.hash = '#photo';
  const { as, ...options } = chosen();
  const together = as && files.length > 1;
  const name = named(together ? 1 : files.length);
  if (name) options.set = name;
  begin(together ? [new Item(files, { ...options, as })] : files.map((f) => new Item([f], { ...options })));
  showSets(together ? 1 : files.length);
  announce(t('photos_added', { photos: plural(files.length, 'photo') }));
}

/** begin shows new items, and asks for them. */
function begin(items) {
  compact(true);
  set ||= items[0].options.set || '';
  byId('photos').prepend(...items.map((i) => i.node));
  many.add(items);
  items[0].node.scrollIntoView({ block: 'nearest' });
  items.forEach((i) => i.queue());
  upload().then(async ({ small }) => { for (const i of items) if (!i.removed) await i.thumbnail(small); }).catch(() => {}); // or each as it is sent
}

/** compact leaves the room to the photos, once there are any. */
function compact(yes) {
  for (const id of ['welcome', 'lead']) byId(id).hidden = yes;
  byId('start').classList.toggle('compact', yes);
}

function next() {
  while (running < atOnce && waiting.length) {
    running++;
    waiting.shift().run().finally(() => { running--; next(); });
  }
}

/** judged is what can be said of a result, and then what was said of it, which said is told. */
async function judged(e, said) {
  await more();
  const { feedback } = await import('./verdict.js');
  const node = feedback(e, async (review) => {
    e.verdict = review.verdict === 'undo' ? '' : review.verdict;
    said(e);
    const next = await judged(e, said);
    node.replaceWith(next);
    next.querySelector('button').focus();
  });
  return node;
}

const asProblem = (err) => (err instanceof Problem ? err : new Problem({ code: 'page', detail: String(err) }));

/** uploads shows in node how much is sent, which it is told from 0 to 1, and then that it is. */
function uploads(node) {
  const bar = el('progress', { max: 1, value: 0 });
  const label = el('label', { class: 'progress' }, el('span', {}, t('sending')), bar);
  let under = false;
  return (share) => {
    if (under === (share < 1)) { bar.value = share; return; }
    under = share < 1;
    uploading(under ? 1 : -1);
    node.replaceChildren(under ? label : el('p', { class: 'quiet' }, t('sent_the_first_step_will')));
  };
}

/** An Item is one question: one photo, or several of one product. */
class Item {
  constructor(files, options, key = crypto.getRandomValues(new Uint32Array(4)).join('-')) {
    Object.assign(this, { files, options, key, urls: files.map((f) => URL.createObjectURL(f)) });
    this.name = files.length > 1 ? t('n_photos_of_one_product', { n: files.length }) : files[0].name || t('pasted_photo');
    this.body = el('div', { class: 'body' });
    const remove = el('button', { type: 'button', class: 'icon', 'aria-label': t('remove_name', { name: this.name }), onclick: () => this.remove() }, '✕');
    this.frames = files.map((f, i) => photo(this.urls[i], f.name || t('pasted_photo')));
    this.heading = el('h2', {}, this.name);
    this.line = many.line(this);
    this.columns = el('div', { class: 'columns' }, el('div', { class: 'photos' }, this.frames), this.body);
    this.node = el('article', { class: 'card', 'aria-label': this.name }, el('header', {}, this.heading, this.line, remove), this.columns);
  }

  queue() {
    this.node.setAttribute('aria-busy', 'true');
    this.result = this.failed = this.begun = this.ended = null;
    clear(this.frames);
    this.body.replaceChildren(el('p', { class: 'quiet' }, t('waiting_for_its_turn')));
    waiting.push(this);
    upload().then((u) => { if (this.node.hasAttribute('aria-busy')) u.remember({ key: this.key, tab: tabName(), files: this.files, options: this.options }); });
    next();
  }

  again() {
    this.queue();
    many.update([this]);
  }

  async run() {
    if (this.removed) return;
    this.begun = Date.now();
    this.aborted = new AbortController();
    const list = steps((what) => announce(`${this.name}: ${what}`));
    const way = el('div', { class: 'waiting' });
    this.body.replaceChildren(way, list.node);
    const sent = uploads(way);
    sent(0);
    try {
      this.show(await follow('/analyze', await this.form(), { signal: this.aborted.signal, sent, watch: (e) => this.watch(list, e) }), list.node);
    } catch (err) {
      list.stop();
      if (!this.removed) this.fail(err, list.node);
    }
    sent(1);
    this.end();
  }

  end() {
    this.node.removeAttribute('aria-busy');
    upload().then((u) => u.forget(this.key)).catch(() => {});
  }

  async form() {
    const form = new FormData();
    for (const [name, value] of Object.entries(this.options)) form.append(name, value);
    if (this.files.length > maxTogether) throw new Problem({ code: 'bad_body', detail: t('at_most_n_photos_can', { n: maxTogether }) });
    const { fitted, small } = await upload();
    for (const f of this.files) {
      const fit = await fitted(f);
      if (fit.size > maxBytes) throw new Problem({ code: 'too_many_bytes', detail: t('the_photo_has_n_mib', { n: number(fit.size / 1048576) }) });
      form.append('photo', fit, fit.name || 'photo');
      const picture = f === this.files[0] && await this.thumbnail(small);
      if (picture) form.append('thumbnail', picture, 'thumbnail.jpg');
    }
    return form;
  }

  /** thumbnail is the small picture that is sent with the first photo, and stands in the item's row: made once, null if it cannot be. */
  thumbnail(small) {
    this.picture ??= small(this.files[0]).then((picture) => {
      if (picture && !this.removed) {
        this.urls.push(URL.createObjectURL(picture));
        this.line.querySelector('img').src = this.urls.at(-1);
      }
      return picture;
    });
    return this.picture;
  }

  watch(list, event) {
    this.body.querySelector('.waiting')?.remove();
    if (event.kind === 'partial') this.glimpse(event.data);
    list.add(event);
  }

  /** glimpse shows what is read so far, and says the name once. */
  glimpse(known) {
    const before = this.body.querySelector('.glimpse');
    const now = glimpse(known, this.frames);
    if (before) before.replaceWith(now);
    else this.body.prepend(now);
    if (known.name_as_printed && !before?.querySelector('h3')) announce(`${this.name}: ${known.name_as_printed}`);
  }

  show(result, list) {
    if (result.id) own.set(result.id, this.urls[0]);
    showModel(result);
    const again = result.cached && el('p', {}, el('button', { type: 'button', class: 'secondary small', onclick: () => { this.options.fresh = 'true'; this.again(); } }, t('ask_again')));
    const judging = el('div');
    this.body.replaceChildren(facts(result, this.frames), ...[again, judging].filter(Boolean));
    if (result.id) judged({ id: result.id, result }, (e) => this.reviewed(e)).then((node) => judging.replaceWith(node), (err) => judging.replaceChildren(problem(asProblem(err))));
    if (list.childElementCount) this.body.querySelector('.folded').prepend(el('details', { class: 'how' }, el('summary', {}, t('how_it_was_found_steps', { steps: plural(list.childElementCount, 'step') })), list));
    this.result = result;
    this.ended = Date.now();
    this.failed = result.error === 'analysis_failed';
    many.update([this]);
    announce(`${this.name}: ${title(result)}`);
  }

  /** reviewed shows what the result e says since somebody has said something of it. */
  reviewed({ result, doubt, verdict }) {
    const how = this.body.querySelector('.folded > .how');
    this.body.querySelector('.facts').replaceWith(facts(result, this.frames));
    if (how) this.body.querySelector('.folded').prepend(how);
    Object.assign(this, { result: { ...result, doubt }, verdict });
    many.update([this]);
  }

  fail(err, list) {
    clear(this.frames);
    this.body.replaceChildren(problem(asProblem(err), () => this.again()), list);
    this.failed = true;
    this.ended = Date.now();
    many.update([this]);
  }

  remove() {
    this.removed = true;
    this.aborted?.abort();
    this.end();
    this.node.remove();
    many.remove(this);
    for (const [id, url] of own) if (this.urls.includes(url)) own.delete(id);
    this.urls.forEach((url) => URL.revokeObjectURL(url));
    compact(byId('photos').childElementCount > 0);
    byId('choose').focus();
  }
}
