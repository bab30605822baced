// Which shop the page is about: the one that its address names (?shop=), else the service's own.

import { byId, el } from './dom.js';
import { t } from './words.js';

export const shop = new URLSearchParams(location.search).get('shop') || '';

/** ofShop is a path of the API that is about that shop. */
export const ofShop = (path) => (shop ? `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams({ shop })}` : path);

/** tell says in a node which shop a view is about, unless it is the service's own, with a way back. */
export function tell(node, view) {
  if (shop) byId(node).replaceChildren(`${t('shop')}: `, el('strong', {}, shop), ' · ', el('a', { href: `/#${view}` }, t('the_services_own_shop')));
}
