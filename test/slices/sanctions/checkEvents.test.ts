/** What the walk of the chains says of events whose copies in the store were altered. */
import { expect, test } from 'vitest';
import type { SealedEvent } from '#core/audit';
import { eventChecker } from '../../../src/slices/sanctions/checkEvents.ts';
import { buildChain, erase } from '../../core/audit/chainFixture.ts';

const fixture = await buildChain(2);
await erase(fixture, 1);
const { chainId, ring, store } = fixture;
const [, screening, told] = await store.readEvents({ chainId, fromSeq: 1, limit: 3 });
if (screening === undefined || told === undefined) throw new Error('no events');
const check = eventChecker(ring);

const reasonOf = (event: SealedEvent, changed: object): string | undefined => {
  const hashBefore = (JSON.parse(event.body) as { previous_event_hash: string })
    .previous_event_hash;
  const events = [{ ...event, hashBefore, ...changed }];
  return check({ chainId, events })[0]?.fault?.reason;
};

test('as they were written nothing is wrong', () => {
  expect(reasonOf(screening, {})).toBeUndefined();
  expect(reasonOf(told, {})).toBeUndefined();
});

test('a copy that was taken away is named as one that was changed', () => {
  expect(reasonOf(told, { action: 'aml.batch.created' })).toBe('copies-mismatch');
  expect(reasonOf(told, { action: undefined })).toBe('copies-mismatch');
  expect(reasonOf(screening, { screeningId: undefined })).toBe('copies-mismatch');
  expect(reasonOf(screening, { action: 'risk.evaluated' })).toBe('copies-mismatch');
});

test('a type that there is not stops no walk', () => {
  expect(screening.open).toBeDefined();
  expect(reasonOf(screening, { type: 'alert' })).toBe('event-malformed');
});
