// The filters of a search: a chip for each code of each facet, a price, a shop.

import { el, number } from './dom.js';
import { facetNames, lang, t } from './words.js';

const own = lang === 'vi' || lang === 'ko' ? lang : 'en'; // what the codes have words in

const mostChips = 60; // more are searched by words
const mostCounts = 10; // facets are counted at once

/** facets is the filters of a shop; changed is called when one was chosen. */
export function facets(filters, changed) {
  const codes = {}; // of each facet, those that are pressed
  const price = el('fieldset', { class: 'facet' }, el('legend', {}, t('price')),
    el('div', { class: 'range' }, amount('min', t('from')), amount('max', t('to'))));
  const clear = el('button', { type: 'button', class: 'secondary small', hidden: true, onclick: () => reset() }, t('clear_all_filters'));
  const groups = filters.facets.filter((f) => f.values.length && f.values.length <= mostChips).map((f) => group(f, codes, chosen));
  const node = el('div', {}, groups.map((g) => g.node), price, el('p', {}, clear), el('p', { class: 'quiet' }, t('shop_name', { name: filters.shop })));
  price.addEventListener('change', chosen);

  function chosen() {
    clear.hidden = !Object.keys(codes).length && !bounds();
    changed();
  }

  function reset() {
    for (const facet of Object.keys(codes)) delete codes[facet];
    for (const chip of node.querySelectorAll('.chip')) chip.setAttribute('aria-pressed', 'false');
    for (const input of node.querySelectorAll('input')) input.value = '';
    chosen();
    node.querySelector('.chip')?.focus();
  }

  /** bounds is the price range that is set, if any is. */
  function bounds() {
    const set = [...price.querySelectorAll('input')].filter((i) => i.value !== '' && i.valueAsNumber > 0).map((i) => [i.name, i.valueAsNumber]);
    return set.length ? Object.fromEntries(set) : null;
  }

  /** set presses what an address names. */
  function set({ filters: named, price: range }) {
    const wanted = named ? JSON.parse(named) : {};
    for (const facet of Object.keys(codes)) delete codes[facet];
    for (const g of groups) g.set(wanted[g.facet]?.split('|') || []);
    const amounts = range ? JSON.parse(range) : {};
    for (const input of price.querySelectorAll('input')) input.value = amounts[input.name] ?? '';
    clear.hidden = !Object.keys(codes).length && !bounds();
  }

  const counted = filters.facets.filter((f) => f.values.length && f.values.length <= mostChips).map((f) => f.facet).slice(0, mostCounts);

  return {
    node,
    set,
    /** count shows how many products each value would leave, of what was found; null is of the whole shop. */
    count: (counts) => groups.forEach((g) => g.count(counts?.find((c) => c.facet === g.facet))),
    any: () => Object.keys(codes).length > 0 || bounds() !== null,
    values: () => ({
      filters: Object.keys(codes).length ? JSON.stringify(Object.fromEntries(Object.entries(codes).map(([facet, several]) => [facet, several.join('|')]))) : '',
      price: bounds() ? JSON.stringify(bounds()) : '',
      counts: Object.keys(codes).length || bounds() ? JSON.stringify(counted) : '',
    }),
  };
}

const amount = (name, label) => el('label', {}, label, el('input', { type: 'number', name, min: 0, step: 'any', inputmode: 'decimal', placeholder: t('any') }));

/** group is one facet: of its chips several may be pressed, and a product has one of these. */
function group(facet, codes, chosen) {
  const numbers = {}; // of each code, how many products have it
  const values = ascending(facet.values);
  const chips = values.map((value) => {
    numbers[value.code] = el('small', {});
    numbers[value.code].style.minInlineSize = `${inBrackets(value.count).trim().length}ch`; // that a smaller number moves no chip below a pointer
    const chip = el('button', { type: 'button', class: 'chip', lang: own, 'data-code': value.code, 'aria-pressed': 'false', onclick: () => press(chip, value.code) }, swatch(value.code), value[own], numbers[value.code]);
    return chip;
  });
  function count(counts) {
    values.forEach((value, i) => {
      const n = counts ? counts.counts.find((c) => c.code === value.code)?.count || 0 : value.count;
      numbers[value.code].textContent = counts || n > 0 ? inBrackets(n) : '';
      chips[i].classList.toggle('none', Boolean(counts) && !n);
    });
  }
  count(null);
  function press(chip, code) {
    const off = chip.getAttribute('aria-pressed') === 'true';
    chip.setAttribute('aria-pressed', String(!off));
    const others = (codes[facet.facet] || []).filter((other) => other !== code);
    codes[facet.facet] = off ? others : [...others, code];
    if (!codes[facet.facet].length) delete codes[facet.facet];
    chosen();
  }
  function set(wanted) {
    const pressed = wanted.filter((code) => chips.some((chip) => chip.dataset.code === code));
    for (const chip of chips) chip.setAttribute('aria-pressed', String(pressed.includes(chip.dataset.code)));
    if (pressed.length) codes[facet.facet] = pressed;
  }
  return { facet: facet.facet, count, set, node: el('fieldset', { class: 'facet' }, el('legend', {}, facetNames[facet.facet] || facet[own]), el('div', { class: 'chips' }, chips)) };
}

const inBrackets = (n) => ` (${number(n)})`;

/** numeric is whether all values of a facet begin with a number, as weights do. */
export const numeric = (values) => values.every((v) => !Number.isNaN(parseFloat(v.code)));

/** amountOf is the number that a value begins with, 1.5 of 1,5 kg. */
const amountOf = (value) => parseFloat(value.code.replace(',', '.'));

/** ascending sorts values that are numbers. */
const ascending = (values) => (numeric(values) ? values.toSorted((a, b) => amountOf(a) - amountOf(b)) : values);

/** swatch is a dot of the colour that a code is the name of, if it is one. */
function swatch(code) {
  if (!CSS.supports('color', code)) return null;
  const dot = el('span', { class: 'dot', 'aria-hidden': 'true' });
  dot.style.backgroundColor = code;
  return dot;
}
