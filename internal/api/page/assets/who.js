// Who is asking, and what they may do.

import { byId, el } from './dom.js';
import { askJSON } from './stream.js';
import { t } from './words.js';

const roles = ['asker', 'reader', 'reviewer', 'owner']; // each may do what those before it may
const names = { asker: t('role_asker'), reader: t('role_reader'), reviewer: t('role_reviewer'), owner: t('role_owner') };

/** me is the caller. Where the service does not say, everything is offered, and the service refuses what may not be. */
export const me = await askJSON('/caller').catch(() => ({ name: '', role: 'owner', identified: false }));

/** may is whether the caller has a role. */
export const may = (role) => roles.indexOf(me.role) >= roles.indexOf(role);

/** needs says which role something takes that is not offered. */
export const needs = (role) => el('p', { class: 'quiet' }, t('this_takes_the_role_role', { role: names[role] }));

/** signature is who said something. */
export const signature = (said) => (said.verified ? t('by_name', { name: said.by }) : t('by_name_unverified', { name: said.by }));

const views = { results: 'reader', review: 'reviewer', catalogue: 'reader', batches: 'reader' };

/** start shows who is asking, and hides the links of what they may not see. */
export function start() {
  for (const a of document.querySelectorAll('#nav a')) a.hidden = !may(views[a.hash.slice(1)] || 'asker');
  if (!me.identified) return;
  byId('who').replaceChildren(me.name ? t('name_role', { name: me.name, role: names[me.role] }) : t('not_signed_in'));
  byId('who').hidden = false;
}
