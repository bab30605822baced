// The client that openapi-typescript and openapi-fetch make of the document calls every
// operation of the service at an address.
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.js';

declare const process: { argv: string[] };

const url = process.argv[2]!;
const photo = 'gs://uploads/photos/a.png';
const client = createClient<paths, 'application/json' | 'application/problem+json'>({ baseUrl: url });

type Answer<T> = { data?: T; error?: unknown; response: Response };

/** The data of an answer that is as it should be. */
async function ok<T>(asked: Promise<Answer<T>>): Promise<NonNullable<T>> {
  const { data, error, response } = await asked;
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${JSON.stringify(error)}`);
  return data as NonNullable<T>;
}

function want(what: string, good: boolean, got: unknown): asserts good {
  if (!good) throw new Error(`${what}: ${JSON.stringify(got)}`);
}

/** Asks until an answer says that something has ended. */
async function until(ended: () => Promise<boolean>): Promise<void> {
  while (!(await ended())) await new Promise((done) => setTimeout(done, 50));
}

/** What each outcome of a photo has: the compiler knows it by the outcome. */
function told(r: components['schemas']['Result']): string {
  switch (r.outcome) {
    case 'product': return r.product_name;
    case 'no_product': return r.description;
    case 'failed': return r.message;
  }
}

async function service() {
  await ok(client.GET('/health', { parseAs: 'text' }));
  want('the service', (await ok(client.GET('/'))).status === 'online', '');
  await ok(client.GET('/openapi.json'));
  want('who asks', !(await ok(client.GET('/caller'))).identified, '');
  want('what today costs', (await ok(client.GET('/spend'))).day.length === 10, '');
  want('skills', (await ok(client.GET('/skills'))).skills.length > 3, '');
}

async function photos() {
  const one = await ok(client.POST('/analyze', { body: { uri: photo } }));
  want('the result of a photo', one.outcome === 'product' && told(one) !== '', one);
  const events = await ok(client.POST('/analyze', { body: { uri: photo }, headers: { Accept: 'text/event-stream' }, parseAs: 'text' }));
  want('the events of a photo', String(events).includes('event: end'), events);
  const several = await ok(client.POST('/analyze/photos', { body: [{ uri: photo }, { uri: 'gs://uploads/text.txt' }] }));
  want('the results of two photos', several.map((a) => a.result.outcome).join() === 'product,failed', several);
  const { error } = await client.POST('/analyze', { body: { uri: 'gs://other/a.png' } });
  want('a foreign bucket', error?.code === 'bucket_not_allowed', error);
}

async function batches() {
  const begun = await ok(client.POST('/batches', { body: { prefix: 'gs://uploads/photos/' } }));
  const path = { id: begun.id! };
  await until(async () => (await ok(client.GET('/batches/{id}', { params: { path } }))).state === 'done');
  want('the events of a batch', String(await ok(client.GET('/batches/{id}/events', { params: { path }, parseAs: 'text' }))).includes('event: end'), path);
  const rows = await ok(client.GET('/batches/{id}/result', { params: { path, query: { format: 'json' } } }));
  want('the result of a batch', rows.length === 1 && told((rows as components['schemas']['Answer'][])[0]!.result) !== '', rows);
  want('the batches', (await ok(client.GET('/batches'))).batches.length > 0, '');
  await ok(client.DELETE('/batches/{id}', { params: { path } }));
  const listed = (await ok(client.GET('/results', { params: { query: { limit: 50, doubt: undefined } } }))).results.find((l) => l.has_photo);
  want('a result with a photo', listed !== undefined, listed);
  await ok(client.GET('/results/{id}', { params: { path: { id: listed.id } } }));
  await ok(client.GET('/results/{id}/photo', { params: { path: { id: listed.id }, query: { width: 100 } }, parseAs: 'arrayBuffer' }));
}

async function reviews() {
  const result = (await ok(client.GET('/results', { params: { query: { limit: 50 } } }))).results.find((l) => l.has_photo);
  want('a result to review', result !== undefined, result);
  const path = { id: result.id };
  want('a review', (await ok(client.POST('/results/{id}/review', { params: { path }, body: { verdict: 'accept', by: 'kim' } }))).verdict === 'accept', path);
  want('the review', (await ok(client.GET('/results/{id}/review', { params: { path } }))).by === 'kim', path);
  await ok(client.DELETE('/results/{id}/review', { params: { path, query: { by: 'kim' } } }));
  want('what stays of a result', (await ok(client.DELETE('/results/{id}', { params: { path } }))).stays.length > 0, path);
  const acts = (await ok(client.GET('/results/{id}/acts', { params: { path } }))).acts;
  want('what was done to a result', acts.at(-1)?.act === 'forget', acts);
}

async function catalog() {
  const records = (await ok(client.GET('/catalog', { params: { query: { limit: 2 } } }))).records;
  want('what there is', (await ok(client.GET('/catalog-stats'))).records >= records.length, records);
  want('an export', String(await ok(client.GET('/catalog-export', { parseAs: 'text' }))).includes(records[0]!.product_name), records);
  const path = { id: records[0]!.id };
  want('a record', (await ok(client.GET('/catalog/{id}', { params: { path } }))).product_name === records[0]!.product_name, path);
  want('a confirmed record', (await ok(client.POST('/catalog/{id}/confirm', { params: { path }, body: { by: 'kim' } }))).status === 'confirmed', path);
  want('a deleted record', (await ok(client.DELETE('/catalog/{id}', { params: { path } }))).id === path.id, path);
  const acts = (await ok(client.GET('/catalog/{id}/acts', { params: { path } }))).acts;
  want('what was done to a record', acts.at(-1)?.act === 'delete', acts);
}

async function search() {
  const found = await ok(client.POST('/search', { body: { query: 'red frames', limit: 2 } }));
  const id = found.products[0]!.product_id;
  await ok(client.POST('/search/text', { body: { query: 'black frames' } }));
  want('filters', (await ok(client.GET('/search/filters'))).facets.length > 0, '');
  want('a product', (await ok(client.GET('/products/{id}', { params: { path: { id } } }))).product_id === id, id);
  await ok(client.GET('/products/{id}/similar', { params: { path: { id }, query: { limit: 1 } } }));
  await ok(client.GET('/products/{id}/image', { params: { path: { id } }, parseAs: 'arrayBuffer' }));
}

async function forecast() {
  const f = await ok(client.GET('/forecast/{city}', { params: { path: { city: 'Seattle' }, query: { audio: true, units: 'metric' } } }));
  const at = new URL(f.audio_url!, url);
  const path = { city: f.place.id, timestamp: at.pathname.split('/').pop()! };
  await ok(client.GET('/forecast/{city}/audio/{timestamp}', { params: { path, query: { which: at.searchParams.get('which')! } }, parseAs: 'arrayBuffer' }));
  want('its history', (await ok(client.GET('/forecast/{city}/history', { params: { path: { city: 'Seattle' } } }))).forecasts.length > 0, f);
  want('figures', (await ok(client.GET('/forecast'))).total_cities > 0, '');
  const { session } = await ok(client.POST('/forecast', { body: { message: 'How is the weather in Oslo?' } }));
  want('a conversation', (await ok(client.GET('/sessions/{id}', { params: { path: { id: session } } }))).messages.length > 1, session);
  await ok(client.DELETE('/sessions/{id}', { params: { path: { id: session } } }));
}

const question: components['schemas']['DiscoveryRequest'] = { country: 'Kenya', sector: 'waste', limits: { max_iterations: 1, max_searches: 1, max_pages: 4 } };

async function discover() {
  const path = { id: (await ok(client.POST('/discover', { body: question }))).id };
  await until(async () => Boolean((await ok(client.GET('/discover/{id}', { params: { path } }))).action));
  want('a discovery', (await ok(client.GET('/discover/{id}/result', { params: { path, query: { format: 'json' } } }))).id === path.id, path);
  want('the discoveries', (await ok(client.GET('/discover'))).discoveries.length > 0, '');
  const { response } = await client.POST('/discover/{id}/marks', { params: { path }, body: { duplicate_key: 'none', verdict: 'right' } });
  want('a mark of no record', response.status === 404, response.status);
  await ok(client.DELETE('/discover/{id}', { params: { path } }));
}

async function skills() {
  want('the skill analyze', (await ok(client.POST('/skills/analyze', { body: { uri: photo } }))).outcome === 'product', '');
  const batch = { id: (await ok(client.POST('/skills/analyze_batch', { body: { prefix: 'gs://uploads/photos/' } }))).id };
  await ok(client.GET('/skills/analyze_batch/{id}', { params: { path: batch } }));
  await ok(client.DELETE('/skills/analyze_batch/{id}', { params: { path: batch } }));
  await ok(client.POST('/skills/forecast', { body: { city: 'Lima' } }));
  want('the skill search', (await ok(client.POST('/skills/search', { body: { query: 'gold frames' } }))).products.length > 0, '');
  const run = { id: (await ok(client.POST('/skills/discover', { body: question }))).id };
  await ok(client.GET('/skills/discover/{id}', { params: { path: run } }));
  await ok(client.DELETE('/skills/discover/{id}', { params: { path: run } }));
}

for (const part of [service, photos, batches, reviews, catalog, search, forecast, discover, skills]) await part();
console.log('every operation was called');
