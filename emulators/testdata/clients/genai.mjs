import assert from 'node:assert/strict';
import { GoogleGenAI, Type } from '@google/genai';

const ai = new GoogleGenAI({});
const status = (n) => (err) => (assert.equal(err.status, n, err.message), true);
const ask = (config, contents = 'Which tea is the best?', model = 'gemini-3.6-flash') => ai.models.generateContent({ model, contents, config });

// Free text: the emulated model says that it has no answer.
const free = await ask();
assert.ok(free.text.length > 0);
assert.ok(free.usageMetadata.totalTokenCount > 0);
const chunks = [];
for await (const c of await ai.models.generateContentStream({ model: 'gemini-3.6-flash', contents: 'And now?' })) chunks.push(c.text);
assert.ok(chunks.join('').length > 0);

// A schema of our own, in both of its spellings: the values fit it.
const typed = JSON.parse((await ask({
  responseMimeType: 'application/json',
  responseSchema: {
    type: Type.OBJECT,
    properties: {
      name: { type: Type.STRING, minLength: '3', maxLength: '5' },
      grade: { type: Type.STRING, enum: ['fine', 'coarse'] },
      grams: { type: Type.INTEGER, minimum: 5, maximum: 9 },
      price: { type: Type.NUMBER, minimum: -4, maximum: -1.5 },
      organic: { type: Type.BOOLEAN },
      seller: { type: Type.STRING, nullable: true },
      picked: { type: Type.STRING, format: 'date-time' },
      steps: { type: Type.ARRAY, minItems: '2', items: { type: Type.OBJECT, properties: { minutes: { type: Type.INTEGER } }, required: ['minutes'] } },
    },
    required: ['name', 'grade', 'grams', 'price', 'organic', 'picked', 'steps'],
    propertyOrdering: ['name', 'grade', 'grams', 'price', 'organic', 'seller', 'picked', 'steps'],
  },
})).text);
assert.ok(typed.name.length >= 3 && typed.name.length <= 5, typed.name);
assert.equal(typed.grade, 'fine');
assert.ok(typed.grams >= 5 && typed.grams <= 9, String(typed.grams));
assert.ok(typed.price >= -4 && typed.price <= -1.5, String(typed.price));
assert.equal(typed.organic, false);
assert.equal(typeof typed.seller, 'string');
assert.ok(!Number.isNaN(Date.parse(typed.picked)), typed.picked);
assert.deepEqual(typed.steps, [{ minutes: 0 }, { minutes: 0 }]);
assert.deepEqual(Object.keys(typed), ['name', 'grade', 'grams', 'price', 'organic', 'seller', 'picked', 'steps']);

const listed = JSON.parse((await ask({
  responseMimeType: 'application/json',
  responseJsonSchema: {
    type: 'array', minItems: 1, items: { $ref: '#/$defs/tea' },
    $defs: { tea: { type: 'object', properties: { name: { type: 'string' }, aged: { type: ['integer', 'null'] }, kind: { anyOf: [{ type: 'string', enum: ['loose'] }, { type: 'null' }] }, pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], minItems: 2, maxItems: 2 } }, required: ['name'], additionalProperties: false } },
  },
})).text);
assert.ok(Array.isArray(listed) && listed.length >= 1);
assert.equal(typeof listed[0].name, 'string');
assert.deepEqual(listed[0].pair?.map((v) => typeof v), ['string', 'number']);

const chosen = (await ask({ responseMimeType: 'text/x.enum', responseSchema: { type: Type.STRING, enum: ['green', 'black'] } })).text;
assert.equal(chosen, 'green');

// What the service refuses is refused.
await assert.rejects(ask({ responseMimeType: 'application/json', responseSchema: { type: Type.OBJECT, properties: {}, required: ['name'] } }), status(400));
await assert.rejects(ask({ responseSchema: { type: Type.STRING } }), status(400));
await assert.rejects(ask({}, 'x', 'gemini-9'), status(404));
await assert.rejects(new GoogleGenAI({ apiKey: '' }).models.list(), /API key|api_key|403|credential/i);

// Chats, counts, embeddings, models.
const chat = ai.chats.create({ model: 'gemini-3.6-flash' });
await chat.sendMessage({ message: 'Hello' });
assert.ok((await chat.sendMessage({ message: 'Hello again' })).text);
assert.equal(chat.getHistory().length, 4);
assert.ok((await ai.models.countTokens({ model: 'gemini-3.6-flash', contents: 'some tea' })).totalTokens > 0);
const vector = (await ai.models.embedContent({ model: 'gemini-embedding-2', contents: 'tea', config: { outputDimensionality: 768 } })).embeddings[0].values;
assert.equal(vector.length, 768);
assert.equal((await ai.models.get({ model: 'gemini-3.6-flash' })).name, 'models/gemini-3.6-flash');
const all = [];
for await (const m of await ai.models.list()) all.push(m.name);
assert.ok(all.length > 0);

// What the emulator does not have it says.
for (const [what, call] of Object.entries({
  files: () => ai.files.list(),
  caches: () => ai.caches.create({ model: 'gemini-3.6-flash', config: { contents: 'tea' } }),
  batches: () => ai.batches.list(),
  videos: () => ai.models.generateVideos({ model: 'veo-3.1-generate-preview', prompt: 'tea' }),
  stores: () => ai.fileSearchStores.list(),
})) {
  await assert.rejects(call(), (err) => (assert.equal(err.status, 501, `${what}: ${err.message}`), assert.match(err.message, /emulator/), true));
}
console.log('genai: done');
