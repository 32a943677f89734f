/** One event by itself: read as it was signed, and not at all once anything of it was changed. */
import { expect, test } from 'vitest';
import { newKeyRing, type SealedEvent, verifiedEvent } from '#core/audit';
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
])('%s, and nothing is read', (_, changed) => {
  expect(read(changed as Partial<SealedEvent>)).toBeUndefined();
});

test("neither another key nor another chain's counts", () => {
  expect(read({}, { keyRing: newKeyRing(seededSigner('b').publicKey) })).toBeUndefined();
  expect(read({}, { chainId: 'another' as ChainId })).toBeUndefined();
});
