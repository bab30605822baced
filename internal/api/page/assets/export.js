// Results as files: what a table or a program can take.

import { el, once } from './dom.js';
import { t, unidentified } from './words.js';

const columns = [
  ['id', (e) => e.id], ['finished_at', (e) => e.finished_at], ['file', (e) => e.file], ['outcome', (e) => e.result.outcome],
  ...['product_name', 'product_name_confidence', 'brand', 'brand_confidence', 'category', 'gtin', 'expiration_date'].map((name) => [name, (e) => e.result[name]]),
  ['expires', (e) => e.result.expiration_date?.replaceAll('.', '-')], ['source', (e) => (unidentified(e.result) ? 'unidentified' : e.result.source)], ...['country', 'lang'].map((name) => [name, (e) => e.result[name]]),
  ['key_features', (e) => e.result.key_features?.join('; ')], ['warnings', (e) => e.result.warnings?.join('; ')], ['doubt', (e) => e.doubt], ['verdict', (e) => e.verdict], ['cost_usd', (e) => e.result.cost_usd],
];

/** cell is a value as RFC 4180 writes it; what a spreadsheet would take for a formula gets an apostrophe. */
function cell(value) {
  const text = String(value ?? '');
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const csv = (entries) => [columns.map(([name]) => name), ...entries.map((e) => columns.map(([, of]) => of(e)))].map((row) => row.map(cell).join(',')).join('\r\n');

const formats = {
  csv: { name: 'CSV', type: 'text/csv;charset=utf-8', write: (entries) => `\ufeff${csv(entries)}\r\n` }, // the mark tells spreadsheets that it is UTF-8
  json: { name: 'JSON', type: 'application/json', write: (entries) => JSON.stringify(entries, null, 2) },
};

/** buttons download what list() resolves to, in each format; failed is told if it does not. */
export const buttons = (list, failed) => Object.entries(formats).map(([ending, format]) => el('button', {
  type: 'button', class: 'secondary small', id: `export-${ending}`, onclick: (event) => once(event.currentTarget, async () => {
    try {
      save(`results.${ending}`, new Blob([format.write(await list())], { type: format.type }));
    } catch (err) {
      failed(err);
    }
  }),
}, t('export_as_format', { format: format.name })));

function save(name, blob) {
  const url = URL.createObjectURL(blob);
  el('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60000); // when the browser has it
}
