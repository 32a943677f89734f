/** One event by itself: read as it was signed, and not at all once anything of it was changed. */
import { expect, test } from 'vitest';
import {
  eventText,
  newKeyRing,
  type SealedEvent,
  verifiedEvent,
  verifiedEvents,
} from '#core/audit';
import type { ChainId } from '#core/kernel';
import { buildChain } from './chainFixture.ts';
import { seededSigner } from './drafts.ts';

const { chainId, ring, store } = await buildChain(3);
const [, event] = await store.readEvents({ chainId, fromSeq: 1, limit: 3 });
if (event === undefined) throw new Error('no event');

const read = (
  changed: Partial<SealedEvent>,
  of: { chainId?: ChainId; keyRing?: typeof ring } = {},
) => verifiedEvent({ ...event, ...changed }, { chainId, keyRing: ring, ...of });

test('an event as it was signed is read, erased or not', () => {
  expect(read({})).toMatchObject({ event_id: event.eventId, seq: 2 });
  const { open: _, ...erased } = event;
  expect(verifiedEvent(erased, { chainId, keyRing: ring })).toMatchObject({ seq: 2 });
});

const body = JSON.parse(event.body) as { hash: string; signature: string };
const { signature } = body;
const flipped = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
test.each([
  ['another member', { body: event.body.replace('"seq":2', '"seq":3') }],
  ['another hash', { body: event.body.replace(body.hash, body.hash.replaceAll('a', 'b')) }],
  ['another signature', { body: event.body.replace(signature, flipped) }],
  ['other open members', { open: event.open?.replace(/"[a-z]+"/, '"changed"') }],
  ['no JSON', { body: '{' }],
  ['no object', { body: 'null' }],
  ['another time', { occurredAt: event.occurredAt + 1 }],
  ['no time', { occurredAt: Number.NaN }],
  ['another id', { eventId: '0190aaaa-0000-7000-8000-00000000000f' }],
  ['another place', { seq: 3 }],
  ['another action', { action: 'risk.evaluated' }],
  ['the id of another screening', { screeningId: '0190aaaa-0000-7000-8000-00000000000f' }],
  ['another type', { type: event.type === 'entry' ? 'screening' : 'entry' }],
])('%s, and nothing is read', (_, changed) => {
  expect(read(changed as Partial<SealedEvent>)).toBeUndefined();
});

test('nor is one of a type that there is not, as text and copy say it', () => {
  for (const type of ['alert', 'toString']) {
    const changed = { body: event.body.replace(/"type":"[a-z]+"/, `"type":"${type}"`), type };
    expect(read(changed as never)).toBeUndefined();
    expect(read({ ...changed, open: undefined } as never)).toBeUndefined();
  }
});

test("neither another key nor another chain's counts", () => {
  expect(read({}, { keyRing: newKeyRing(seededSigner('b').publicKey) })).toBeUndefined();
  expect(read({}, { chainId: 'another' as ChainId })).toBeUndefined();
});

test('what it is read as is what an export shows, member by member, in their order', async () => {
  const all = await store.readEvents({ chainId, fromSeq: 1, limit: 3 });
  for (const one of all.flatMap(({ open: _, ...erased }) => [erased])) {
    expect(JSON.stringify(verifiedEvent(one, { chainId, keyRing: ring }))).toBe(eventText(one));
  }
  for (const one of all) {
    expect(JSON.stringify(verifiedEvent(one, { chainId, keyRing: ring }))).toBe(eventText(one));
  }
});

test('the hash inside another member is no hash of the event', () => {
  const { hash } = body;
  const own = `"hash":"${hash}",`;
  const moved = event.body.replace(own, '').replace('{', `{"a":{${own}"b":1},`);
  expect(read({ body: moved })).toBeUndefined();
  // Where it stands among the members says nothing: another order is the same event.
  const first = event.body.replace(own, '').replace('{', `{${own}`);
  expect(read({ body: first })).toMatchObject({ hash, seq: 2 });
});

test('many are read as one is, each for itself', async () => {
  const all = await store.readEvents({ chainId, fromSeq: 1, limit: 3 });
  const changed = all.map((one, at) =>
    at === 1 ? { ...one, body: one.body.replace(signature, flipped) } : one,
  );
  const by = { chainId, keyRing: ring };
  const found = await verifiedEvents(changed, by);
  expect(found).toEqual(changed.map((one) => verifiedEvent(one, by)));
  expect(found.map((one) => one?.seq)).toEqual([1, undefined, 3]);
});
