/**
 * Whoever can write the database says which entries are one, or takes a separation by a person
 * back. Neither is used; a worker makes the resolution anew, with the pairs that entries tell.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PLATFORM_CHAIN } from '#core/kernel';
import { systemRandom } from '#platform/random';
import {
  type ApartPair,
  type ResolutionPointer,
  resolutionTable,
  resolvedListStore,
  resolveInForce,
  signedResolutionStore,
  signedResolutions,
} from '#slices/resolution';
import { onEachStore } from '../../storage/eachStore.ts';
import { type Forgery, openForgery } from '../../storage/forgery.ts';
import { memoryBlobs } from '../ingestion/memoryPorts.ts';

const ALTERED = { code: 'list-altered' };
const PAIR: ApartPair = {
  a: { ftm_id: 'un-1', source: 'UN_SC' },
  b: { ftm_id: 'eu-1', source: 'EU_CFSP' },
};
const POINTER: ResolutionPointer = {
  apart: [PAIR],
  blob: 'a'.repeat(64),
  lists: [['UN_SC', '1'.repeat(64), '2'.repeat(64)]],
  version: 1,
};

onEachStore((makeHarness) => {
  let forgery: Forgery;
  const store = () => resolvedListStore(forgery.tables);
  const find = () => signedResolutionStore(store(), forgery).findResolution();
  const tell = (action: string, members: object) => ({ action, members, target: 'resolution' });

  beforeEach(async () => {
    forgery = await openForgery(makeHarness);
    const separated = tell('SANCTIONS_ENTRIES_SEPARATED', { entries: [PAIR.a, PAIR.b] });
    await forgery.commit(PLATFORM_CHAIN, separated as never);
    const { blob: resolution, lists } = POINTER;
    const resolved = tell('SANCTIONS_LISTS_RESOLVED', { links: 0, lists, resolution });
    await forgery.commit(PLATFORM_CHAIN, resolved as never, resolutionTable.insert(POINTER));
  });
  afterEach(() => forgery?.close());

  test('what was resolved last is answered', async () => {
    expect(await find()).toEqual(POINTER);
  });

  describe('is refused', () => {
    const next = { ...POINTER, version: 2 };
    test.each([
      ['another blob', { ...next, blob: 'b'.repeat(64) }],
      ['lists that were not resolved', { ...next, lists: [] }],
      ['a separation that nobody withdrew', { ...next, apart: [] }],
    ])('%s', async (_, pointer) => {
      await forgery.forge(PLATFORM_CHAIN, resolutionTable.insert(pointer));
      await expect(find()).rejects.toMatchObject(ALTERED);
    });

    test('one that the chain does not know yet, and one whose record is gone', async () => {
      const signed = signedResolutions(forgery);
      expect(await signed.refusal(undefined)).toContain('gone');
      const resolved = tell('SANCTIONS_LIST_PUBLISHED', { resolution: 'c'.repeat(64) });
      await forgery.commit(PLATFORM_CHAIN, resolved as never);
      await expect(find()).rejects.toMatchObject(ALTERED);
    });
  });

  test('what was altered is made anew by the next worker', async () => {
    const forged = { ...POINTER, apart: [], blob: 'b'.repeat(64), version: 2 };
    await forgery.forge(PLATFORM_CHAIN, resolutionTable.insert(forged));
    const ports = {
      blobs: memoryBlobs(new Map()),
      clock: forgery.clock,
      commit: async (_: unknown, { changes, events }: never) => {
        const [event] = events as { action: string; members: object }[];
        if (event === undefined) throw new Error('it has an entry');
        const { action, ...members } = event.members as { action: string };
        await forgery.commit(PLATFORM_CHAIN, tell(action, members) as never, ...(changes as []));
      },
      lists: store(),
      random: systemRandom,
      signed: signedResolutions(forgery),
    };
    expect(await resolveInForce(ports as never)).toEqual({ links: 0, status: 'resolved' });
    expect(await find()).toMatchObject({ apart: [PAIR], lists: [], version: 3 });
  });
});
