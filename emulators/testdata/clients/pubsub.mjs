import assert from 'node:assert/strict';
import { PubSub } from '@google-cloud/pubsub';

const pubsub = new PubSub();
const code = (n) => (err) => (assert.equal(err.code, n, err.message), true);

const [topic] = await pubsub.createTopic('node');
await assert.rejects(pubsub.createTopic('node'), code(6));
const [subscription] = await topic.createSubscription('node-sub', { ackDeadlineSeconds: 20 });
assert.ok((await pubsub.getTopics())[0].some((t) => t.name === topic.name));
assert.ok((await topic.getSubscriptions())[0].some((s) => s.name === subscription.name));
assert.deepEqual(await subscription.exists(), [true]);
assert.equal((await subscription.getMetadata())[0].ackDeadlineSeconds, 20);
await assert.rejects(pubsub.topic('nowhere').publishMessage({ data: Buffer.from('x') }), code(5));

// Publish and receive by StreamingPull; a message that is put back comes again.
const received = new Map();
let nacked = false;
const all = new Promise((done, fail) => {
  subscription.on('error', fail);
  subscription.on('message', (m) => {
    if (!nacked) {
      nacked = true;
      m.nack();
      return;
    }
    m.ack();
    received.set(m.data.toString(), m.attributes);
    if (received.size === 3) done();
  });
});
const ids = await Promise.all(['green', 'black', 'white'].map((tea) => topic.publishMessage({ data: Buffer.from(tea), attributes: { kind: 'tea' } })));
assert.equal(new Set(ids).size, 3);
await all;
assert.deepEqual([...received.keys()].sort(), ['black', 'green', 'white']);
assert.deepEqual(received.get('green'), { kind: 'tea' });
await subscription.close();

// What was acknowledged does not come again.
assert.equal(nacked, true);
const late = pubsub.subscription('node-sub');
await topic.publishJSON({ tea: 'late' });
const next = await new Promise((done, fail) => late.once('error', fail).on('message', (m) => (m.ack(), done(m))));
assert.equal(next.data.toString(), '{"tea":"late"}');
await late.close();

await subscription.setMetadata({ ackDeadlineSeconds: 30 });
assert.equal((await subscription.getMetadata())[0].ackDeadlineSeconds, 30);
await subscription.delete();
await topic.delete();
assert.deepEqual(await topic.exists(), [false]);
await pubsub.close();
console.log('pubsub: done');
