// What the address says of a view behind its name: #results?q=tea&rows=48.

/** at is the name in the address, or the name and an ID, and what it says behind them. */
export function at() {
  const [path, query] = location.hash.slice(1).split('?');
  return { path, query: query || '', values: Object.fromEntries(new URLSearchParams(query)) };
}

/** query is what values say in an address; those that are empty are left out. */
export const query = (values) => String(new URLSearchParams(Object.entries(values).filter(([, value]) => value)));

/** address is that of what values say. */
export const address = (path, values) => [`#${path}`, query(values)].filter(Boolean).join('?');

/** keep has the address say values: as a step that Back takes back, or in place of what it said. */
export function keep(values, step = false) {
  const { path, query: before } = at();
  if (query(values) !== before) history[step ? 'pushState' : 'replaceState'](null, '', address(path, values));
}
