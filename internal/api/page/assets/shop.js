// Which shop the page is about: the one that its address names (?shop=), else the service's own.

export const shop = new URLSearchParams(location.search).get('shop') || '';

/** ofShop is a path of the API that is about that shop. */
export const ofShop = (path) => (shop ? `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams({ shop })}` : path);
