// Bringing a shop's file into the catalogue: what it is and what it would change first, then the import.

import { announce, byId, el } from './dom.js';
import { problem } from './problem.js';
import { ofShop } from './shop.js';
import { askJSON } from './stream.js';
import { may } from './who.js';
import { t } from './words.js';

/** bring puts the choice of a file into node, for owners; done is called when one is imported. */
export function bring(node, done) {
  if (!may('owner')) return;
  const state = el('div', { id: 'bring-state' });
  const currency = el('input', { name: 'currency', maxlength: 3, size: 5, autocapitalize: 'characters', placeholder: 'EUR' });
  const pictures = el('input', { type: 'checkbox', name: 'pictures' });
  const address = el('input', { type: 'url', name: 'address', placeholder: 'https://shop.example/feed.xml', 'aria-label': t('address_of_a_feed') });
  const chosen = el('input', { type: 'file', id: 'bring-file', hidden: true, onchange: () => { if (chosen.files[0]) preview(chosen.files[0]); chosen.value = ''; } });
  node.replaceChildren(el('p', { class: 'buttons' }, chosen,
    el('button', { type: 'button', class: 'secondary', onclick: () => chosen.click() }, t('import_a_file')),
    el('label', {}, t('currency_of_prices_without_one'), ' ', currency),
    el('label', {}, pictures, ' ', t('fetch_pictures'))),
  el('form', { class: 'buttons', onsubmit: (e) => { e.preventDefault(); if (address.value) preview({ name: address.value, uri: address.value }); } }, address,
    el('button', { class: 'secondary' }, t('look_at_it'))), state);
  node.addEventListener('dragover', (e) => e.preventDefault());
  node.addEventListener('drop', (e) => { e.preventDefault(); e.stopPropagation(); if (e.dataTransfer.files[0]) preview(e.dataTransfer.files[0]); });

  const send = (file, more) => askJSON(ofShop('/catalog-imports?' + new URLSearchParams({ name: file.name, currency: currency.value, pictures: pictures.checked, ...(file.uri && { uri: file.uri }), ...more })),
    { method: 'POST', headers: { 'Content-Type': 'application/octet-stream' }, body: file.uri ? null : file });

  /** attempt shows in state what work gives, or why there is nothing. */
  async function attempt(work, again) {
    state.setAttribute('aria-busy', 'true');
    try {
      state.replaceChildren(...await work());
    } catch (err) {
      state.replaceChildren(problem(err, again));
    }
    state.removeAttribute('aria-busy');
  }

  function preview(file) {
    return attempt(async () => {
      const would = await send(file, { diff: 'true' });
      announce(effects(would));
      return [
        el('p', {}, t('name_is_origin', { name: file.name, origin: would.reading.origin })),
        el('p', { class: 'quiet' }, (would.reading.columns || []).map((c) => `${c.column} → ${c.field}`).join(', ')),
        would.reading.unread?.length && el('p', { class: 'quiet' }, t('not_read', { columns: would.reading.unread.join(', ') })),
        el('p', {}, el('strong', {}, effects(would))),
        would.differences.length > 0 && el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': t('what_would_change') }, el('table', {}, el('tbody', {}, would.differences.map(row)))),
        would.faults.length > 0 && el('ul', { class: 'features', 'aria-label': t('what_is_wrong_with_rows') }, would.faults.map((f) => el('li', {}, [f.line && `${f.line}:`, f.why].filter(Boolean).join(' ')))),
        el('p', { class: 'buttons' },
          el('button', { type: 'button', id: 'bring-it', onclick: () => start(file) }, t('import_it')),
          el('button', { type: 'button', class: 'secondary', onclick: () => state.replaceChildren() }, t('cancel'))),
      ].filter(Boolean);
    }, () => preview(file));
  }

  function start(file) {
    return attempt(async () => {
      const { id } = await send(file, {});
      const now = await ended(id, (so) => state.replaceChildren(el('p', { role: 'status' }, `${t('importing')} ${so ? counts(so) : ''}`)));
      if (now.state === 'failed') return [el('p', { role: 'alert' }, t('import_failed', { message: now.message || '' }))];
      announce(t('imported_1'));
      done();
      return [el('p', { role: 'status' }, counts(now))];
    }, () => start(file));
  }
}

/** ended waits for the end of an import, which is not found before its task has begun. */
async function ended(id, tell) {
  for (let now = null; ;) {
    tell(now);
    await new Promise((resolve) => { setTimeout(resolve, 1000); });
    try {
      now = await askJSON(`/catalog-imports/${id}`);
    } catch (err) {
      if (err.status !== 404) throw err;
    }
    if (now && now.state !== 'working') return now;
  }
}

const effects = ({ counts: c, left_out: left }) => t('import_effects', { added: c.new || 0, changed: (c.changed || 0) + (c.renamed || 0), kept: (c.kept || 0) + (c.undecided || 0), same: c.same || 0, left });

const counts = (n) => t('import_counts', { added: n.imported, changed: n.changed, same: n.known_before, left: n.left_out });

const effectNames = { new: t('import_new'), changed: t('import_changed'), renamed: t('import_renamed'), kept: t('import_kept'), undecided: t('import_undecided') };

const row = (d) => el('tr', {}, el('td', {}, el('span', { class: 'badge' }, effectNames[d.what] || d.what)), el('td', {}, d.product_name, ' ', el('span', { class: 'quiet' }, [d.sku, d.gtin].filter(Boolean).join(' · '))),
  el('td', {}, (d.fields || []).map((f) => el('div', {}, `${f.field}: ${value(f.before)} → ${value(f.after)}`)), d.why));

const value = (v) => (v === null || v === undefined || v === '' ? '–' : typeof v === 'string' ? v : JSON.stringify(v));
