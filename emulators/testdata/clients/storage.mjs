import assert from 'node:assert/strict';
import { Storage } from '@google-cloud/storage';

const storage = new Storage();
const status = (code) => (err) => (assert.equal(err.code, code, err.message), true);

const [bucket] = await storage.createBucket('node');
await assert.rejects(storage.createBucket('node'), status(409));
const [buckets] = await storage.getBuckets();
assert.ok(buckets.some((b) => b.name === 'node'));
assert.deepEqual(await bucket.exists(), [true]);
assert.equal((await bucket.getMetadata())[0].name, 'node');
await assert.rejects(storage.bucket('nowhere').getMetadata(), status(404));

// Simple and resumable uploads, whole, in pieces, and by a stream.
const tea = bucket.file('tea/green tea.txt');
await tea.save('green', { resumable: false, contentType: 'text/plain', metadata: { metadata: { kind: 'tea' } } });
assert.equal(String((await tea.download())[0]), 'green');
const large = Buffer.alloc(1_000_000, 'tea');
await bucket.file('tea/large.bin').save(large, { resumable: true, chunkSize: 256 * 1024 });
assert.ok((await bucket.file('tea/large.bin').download())[0].equals(large));
assert.ok((await bucket.file('tea/large.bin').download({ start: 10, end: 19 }))[0].equals(large.subarray(10, 20)));
await new Promise((done, fail) => bucket.file('tea/streamed.txt').createWriteStream().on('error', fail).on('finish', done).end('streamed'));
const [uploaded] = await bucket.upload('package.json', { destination: 'package.json' });
assert.equal(uploaded.metadata.contentType, 'application/json');

// Metadata.
let [metadata] = await tea.getMetadata();
assert.equal(metadata.size, '5');
assert.equal(metadata.contentType, 'text/plain');
assert.deepEqual(metadata.metadata, { kind: 'tea' });
const generation = metadata.generation;
await tea.setMetadata({ cacheControl: 'no-store', metadata: { leaf: 'whole' } });
[metadata] = await tea.getMetadata();
assert.equal(metadata.cacheControl, 'no-store');
assert.deepEqual(metadata.metadata, { kind: 'tea', leaf: 'whole' });
assert.equal(metadata.generation, generation);
await tea.setMetadata({ metadata: { kind: null } });
assert.deepEqual((await tea.getMetadata())[0].metadata, { leaf: 'whole' });
await assert.rejects(bucket.setLabels({ leaf: 'whole' }), status(501));
await assert.rejects(tea.moveFileAtomic('elsewhere'), status(501));

// Preconditions.
await assert.rejects(tea.save('again', { resumable: false, preconditionOpts: { ifGenerationMatch: 0 } }), status(412));
await assert.rejects(tea.save('again', { resumable: true, preconditionOpts: { ifGenerationMatch: 0 } }), status(412));
await assert.rejects(tea.delete({ ifGenerationMatch: 1 }), status(412));
await tea.save('black', { resumable: false, preconditionOpts: { ifGenerationMatch: generation } });
assert.equal(String((await tea.download())[0]), 'black');
await assert.rejects(bucket.file('tea/green tea.txt', { generation }).download(), status(404));

// Lists: by prefix, by folder, by page.
await bucket.file('milk.txt').save('milk', { resumable: false });
const names = async (query) => (await bucket.getFiles(query))[0].map((f) => f.name);
assert.deepEqual(await names({ prefix: 'tea/' }), ['tea/green tea.txt', 'tea/large.bin', 'tea/streamed.txt']);
const [, , folders] = await bucket.getFiles({ delimiter: '/', autoPaginate: false });
assert.deepEqual(folders.prefixes, ['tea/']);
assert.deepEqual(await names({ delimiter: '/' }), ['milk.txt', 'package.json']);
const pages = [];
for (let query = { maxResults: 2, autoPaginate: false }; query;) {
  const [page, next] = await bucket.getFiles(query);
  pages.push(page.map((f) => f.name));
  query = next;
}
assert.deepEqual(pages, [['milk.txt', 'package.json'], ['tea/green tea.txt', 'tea/large.bin'], ['tea/streamed.txt']]);

// Copies, moves, compositions.
const [copy] = await tea.copy(bucket.file('copy of tea.txt'));
assert.equal(String((await copy.download())[0]), 'black');
await copy.move(bucket.file('moved.txt'));
assert.deepEqual(await copy.exists(), [false]);
await bucket.combine(['milk.txt', 'tea/green tea.txt'], 'milk tea.txt');
assert.equal(String((await bucket.file('milk tea.txt').download())[0]), 'milkblack');

await tea.delete();
assert.deepEqual(await tea.exists(), [false]);
await assert.rejects(tea.download(), status(404));
await assert.rejects(bucket.delete(), status(409));
await bucket.deleteFiles();
await bucket.delete();
assert.deepEqual(await bucket.exists(), [false]);
console.log('storage: done');
