// What each field rests on, and where that stands on the photos.

import { cut, el, local, svg } from './dom.js';
import { fields, t } from './words.js';

const kept = 'whatis.boxes';

/** evidence lists what the fields of r rest on, and draws it on frames, those of its photos. */
export function evidence(r, frames = []) {
  clear(frames);
  const quotes = Object.keys(fields).map((field) => ({ field, quote: r.evidence?.[field] })).filter(({ quote }) => quote);
  if (!quotes.length) return null;
  const node = el('section', { class: 'evidence' });
  const draw = () => {
    clear(frames);
    const rows = quotes.map(({ field, quote }) => row(r, field, quote, onto(r, quote, frames)));
    const placed = rows.some((li) => li.querySelector('button'));
    const nowhere = rows.some((li) => li.classList.contains('nowhere'));
    node.replaceChildren(el('header', {}, el('h4', {}, t('evidence')), ...[placed && toggle(frames)].filter(Boolean)), el('ul', { 'aria-label': t('evidence') }, rows), nowhere ? legend() : '');
  };
  for (const f of frames) f.querySelector('img')?.addEventListener('error', draw); // there is nothing to draw on
  draw();
  return node;
}

/** glimpse is what is known while the photos are still being read: the names, and the lines, which are outlined on frames. */
export function glimpse({ visible_text: lines = [], name_as_printed: name, brand_as_printed: brand }, frames) {
  clear(frames);
  for (const { box, photo } of lines) {
    const frame = photo || frames.length === 1 ? frames[(photo || 1) - 1] : null; // of several only where it says of which
    const picture = frame?.querySelector('.picture');
    if (box?.length === 4 && picture) mark(picture, 'line', { box });
  }
  return el('section', { class: 'glimpse', 'aria-label': t('read_so_far') },
    (name || brand) && el('div', { class: 'headline' }, el('h3', { dir: 'auto' }, name || brand), name && brand && el('p', { class: 'maker', dir: 'auto' }, brand)),
    el('p', { class: 'quiet', dir: 'auto' }, cut(lines.map((l) => l.text).join(' · '), 300)));
}

/** legend says what the box of what is not on the photo means. */
const legend = () => el('p', { class: 'quiet quote nowhere legend-of' }, el('span', { class: 'swatch', 'aria-hidden': 'true' }), el('span', {}, t('a_dashed_box_it_was')));

/** clear takes what was drawn off the photos. */
export function clear(frames) {
  for (const f of frames) f.querySelector('.overlay')?.remove();
}

/** onto is the picture that a quote's box is drawn on; null if there is none, or nobody knows which. */
function onto(r, quote, frames) {
  if (quote.box?.length !== 4) return null;
  const sums = [r.image, ...(r.more_images || [])].map((i) => i?.sha256);
  const at = quote.photo ? quote.photo - 1 : new Set(sums).size === 1 ? 0 : -1;
  return frames[at]?.querySelector('.picture') || null;
}

function row(r, field, quote, picture) {
  const text = [el('span', { class: 'swatch' }), el('span', { class: 'field' }, fields[field]), ' ', el('q', { lang: r.lang }, cut(quote.text, 200))];
  const which = quote.photo && r.more_images && el('span', { class: 'quiet' }, ` ${t('photo_n', { n: quote.photo })}`);
  if (!picture) return el('li', { class: `quote of-${field} nowhere` }, text, which);
  const marks = mark(picture, field, quote, label(r, field, quote));
  const light = (on) => { for (const m of marks) m.classList.toggle('lit', on); };
  const button = el('button', {
    type: 'button', onmouseenter: () => light(true), onmouseleave: () => light(document.activeElement === button), onfocus: () => light(true), onblur: () => light(false),
    onclick: () => { button.focus(); picture.scrollIntoView({ block: 'nearest' }); },
  }, text, which, el('span', { class: 'unseen' }, `, ${where(quote.box)}`));
  return el('li', { class: `quote of-${field}` }, button);
}

const label = (r, field, quote) => (field === 'gtin' ? `${fields.gtin} ${r.gtin || cut(quote.text, 20)}` : fields[field]);

/** mark draws a box and, if it has a text, its label. A screen reader is told by the list. */
function mark(picture, field, { box: [top, left, bottom, right] }, text) {
  let overlay = picture.querySelector('.overlay');
  if (!overlay) {
    overlay = el('div', { class: 'overlay', 'aria-hidden': 'true', hidden: !wanted() }, svg('svg', { viewBox: '0 0 1000 1000', preserveAspectRatio: 'none' }));
    picture.append(overlay);
  }
  const at = { x: left, y: top, width: right - left, height: bottom - top };
  const group = svg('g', { class: `mark of-${field}` }, svg('rect', { ...at, class: 'halo' }), svg('rect', { ...at, class: 'line' }));
  overlay.firstElementChild.append(group);
  if (!text) return [group];
  const chip = labelled(field, text, left, right);
  const below = field === 'expiration_date' || field === 'gtin'; // so that labels of one line do not cover each other
  if (below) chip.style.top = `${Math.min(bottom, 940) / 10}%`;
  else chip.style.bottom = `${(1000 - Math.max(top, 60)) / 10}%`;
  overlay.append(chip);
  return [group, chip];
}

/** labelled is a label at the left or the right end of a box; what pushes it there gives way at the photo's edge. */
function labelled(field, text, left, right) {
  const push = el('i');
  const fromRight = field === 'brand' || field === 'gtin';
  push.style.flexBasis = `${(fromRight ? 1000 - right : left) / 10}%`;
  return el('div', { class: `mark of-${field}${fromRight ? ' from-right' : ''}` }, push, el('span', {}, text));
}

const places = [
  t('at_the_top_left_of'), t('at_the_top_of_the'), t('at_the_top_right_of'),
  t('at_the_left_of_the'), t('in_the_middle_of_the'), t('at_the_right_of_the'),
  t('at_the_bottom_left_of'), t('at_the_bottom_of_the'), t('at_the_bottom_right_of'),
];

/** where is the place of a box in words. */
export function where([top, left, bottom, right]) {
  const third = (a, b) => Math.min(2, Math.floor((a + b) * 3 / 2000));
  return places[3 * third(top, bottom) + third(left, right)];
}

function toggle(frames) {
  const input = el('input', { type: 'checkbox', role: 'switch', checked: wanted(), onchange: () => {
    local.set(kept, input.checked ? 'shown' : 'hidden');
    for (const f of frames) f.querySelector('.overlay')?.toggleAttribute('hidden', !input.checked);
  } });
  return el('label', { class: 'switch' }, input, ` ${t('show_on_the_photo')}`);
}

const wanted = () => local.get(kept) !== 'hidden';
