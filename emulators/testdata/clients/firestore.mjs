import assert from 'node:assert/strict';
import { FieldValue, Firestore, Timestamp } from '@google-cloud/firestore';

const db = new Firestore();
const teas = db.collection('node-teas');
const code = (n) => (err) => (assert.equal(err.code, n, err.message), true);

// set, get, update, create, delete.
const green = teas.doc('green');
await green.set({ name: 'green', price: 3, leaves: ['whole'], made: { in: 'Jeju' }, at: FieldValue.serverTimestamp(), raw: Buffer.from('tea'), never: null });
let snapshot = await green.get();
assert.deepEqual({ ...snapshot.data(), at: undefined }, { name: 'green', price: 3, leaves: ['whole'], made: { in: 'Jeju' }, at: undefined, raw: Buffer.from('tea'), never: null });
assert.ok(snapshot.get('at') instanceof Timestamp && snapshot.createTime && snapshot.updateTime);
await green.update({ 'made.in': 'Boseong', price: FieldValue.increment(2), leaves: FieldValue.arrayUnion('cut'), never: FieldValue.delete() });
snapshot = await green.get();
assert.deepEqual([snapshot.get('made.in'), snapshot.get('price'), snapshot.get('leaves'), snapshot.get('never')], ['Boseong', 5, ['whole', 'cut'], undefined]);
await assert.rejects(green.create({ name: 'twice' }), code(6));
await assert.rejects(teas.doc('nowhere').update({ price: 1 }), code(5));
await assert.rejects(green.update({ price: 1 }, { lastUpdateTime: Timestamp.fromMillis(0) }), code(9));
assert.equal((await teas.doc('nowhere').get()).exists, false);

// A batch, a bulk writer, many documents at once.
const batch = db.batch();
for (const [name, price] of [['black', 4], ['oolong', 7], ['white', 9]]) batch.set(teas.doc(name), { name, price });
assert.equal((await batch.commit()).length, 3);
const writer = db.bulkWriter();
writer.set(teas.doc('puer'), { name: 'puer', price: 12 });
await writer.close();
assert.deepEqual((await db.getAll(green, teas.doc('puer'), teas.doc('nowhere'))).map((d) => d.get('price')), [5, 12, undefined]);

// Queries: filters, orders, cursors, projections, aggregations, listings.
const names = async (query) => (await query.get()).docs.map((d) => d.get('name'));
assert.deepEqual(await names(teas.where('price', '>', 4).orderBy('price', 'desc').limit(2)), ['puer', 'white']);
assert.deepEqual(await names(teas.orderBy('price').startAfter(5).endAt(9)), ['oolong', 'white']);
assert.deepEqual(await names(teas.orderBy('price').limitToLast(2)), ['white', 'puer']);
assert.deepEqual(await names(teas.where('leaves', 'array-contains', 'cut')), ['green']);
assert.deepEqual((await names(teas.where('name', 'in', ['green', 'white']))).sort(), ['green', 'white']);
assert.deepEqual((await teas.where('name', '==', 'green').select('price').get()).docs[0].data(), { price: 5 });
assert.equal((await teas.count().get()).data().count, 5);
assert.equal((await teas.where('price', '>', 4).count().get()).data().count, 4);
assert.deepEqual((await db.listCollections()).map((c) => c.id).filter((id) => id === 'node-teas'), ['node-teas']);
assert.equal((await teas.listDocuments()).length, 5);
const streamed = [];
for await (const d of teas.orderBy('name').stream()) streamed.push(d.id);
assert.deepEqual(streamed, ['black', 'green', 'oolong', 'puer', 'white']);

// Transactions, alone and at odds.
await db.runTransaction(async (t) => t.update(green, { price: (await t.get(green)).get('price') + 1 }));
assert.equal((await green.get()).get('price'), 6);
await Promise.all([1, 2, 3].map(() => db.runTransaction(async (t) => t.update(green, { price: (await t.get(green)).get('price') + 1 }))));
assert.equal((await green.get()).get('price'), 9);
await assert.rejects(db.runTransaction(async (t) => { t.update(green, { price: 0 }); throw new Error('no'); }), /no/);
assert.equal((await green.get()).get('price'), 9);
assert.equal(await db.runTransaction(async (t) => (await t.get(teas.where('price', '>=', 9))).size, { readOnly: true }), 3);

// The nearest by vector.
const vectors = db.collection('node-vectors');
for (const [id, v] of [['x', [1, 0]], ['xy', [1, 1]], ['y', [0, 1]]]) await vectors.doc(id).set({ v: FieldValue.vector(v) });
const nearest = await vectors.findNearest({ vectorField: 'v', queryVector: [1, 0.1], limit: 2, distanceMeasure: 'COSINE', distanceResultField: 'far' }).get();
assert.deepEqual(nearest.docs.map((d) => d.id), ['x', 'xy']);
assert.ok(nearest.docs[0].get('far') < 0.01);
assert.deepEqual(nearest.docs[0].get('v').toArray(), [1, 0]);

// A listener is told at once that there is none.
for (const listen of [(...f) => green.onSnapshot(...f), (...f) => teas.where('price', '>', 1).onSnapshot(...f)]) {
  const began = Date.now();
  const err = await new Promise((fail, told) => listen(() => told(new Error('a snapshot came')), fail));
  assert.match(err.message, /^Error 12: /); // the client surfaces no code
  assert.match(err.message, /Listen/);
  console.log('listener refused after', Date.now() - began, 'ms:', err.message);
}

await db.recursiveDelete(teas);
assert.equal((await teas.get()).size, 0);
await green.delete();
await db.terminate();
console.log('firestore: done');
