// What people say of records: right or wrong. The next run on the place knows it.

import { announce, el, local, when } from './dom.js';
import { problem } from './problem.js';
import { askJSON } from './stream.js';
import { may, me, signature } from './who.js';
import { t } from './words.js';

const key = 'marked-by';

/** by is where a person says who marks; nothing where the service knows. */
export const by = () => (me.name || !may('reviewer') ? null : el('label', { class: 'marker' }, t('you_mark_as'), ' ', el('input', { value: local.get(key), maxlength: 100, placeholder: t('nobody_in_particular'), spellcheck: 'false', oninput: (e) => local.set(key, e.target.value.trim()) })));

const verdicts = { right: t('right'), wrong: t('wrong') };
const signs = { right: '✓', wrong: '✗' };

/** marks are the buttons of some verdicts on a record of a run, of which that of its mark is pressed. */
export function marks(path, { name, duplicate_key: record, mark }, allowed = Object.keys(verdicts)) {
  const buttons = allowed.map((verdict) => el('button', { type: 'button', class: `secondary small verdict ${verdict}`, value: verdict, 'aria-label': `${verdicts[verdict]}: ${name}`, disabled: !may('reviewer'), onclick: () => say(verdict) }, `${signs[verdict]} ${verdicts[verdict]}`));
  const note = el('small');
  const node = el('div', { class: 'marks' }, buttons, note);

  function press(said) {
    for (const b of buttons) b.setAttribute('aria-pressed', String(b.value === said?.verdict));
    note.replaceChildren(...(said ? [said.by && `${signature(said)}, `, when(said.at)].filter(Boolean) : []));
  }

  async function say(verdict) {
    node.querySelector('.problem')?.remove();
    node.setAttribute('aria-busy', 'true');
    try {
      press(await askJSON(`${path}/marks`, {
        method: 'POST', headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ duplicate_key: record, verdict, by: local.get(key) || undefined }),
      }));
      announce(verdict === 'right' ? t('name_is_marked_right', { name }) : t('name_is_marked_wrong', { name }));
    } catch (err) {
      node.append(problem(err, () => say(verdict)));
    }
    node.removeAttribute('aria-busy');
  }
  press(mark);
  return node;
}
