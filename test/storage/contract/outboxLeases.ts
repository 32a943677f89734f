/** SubscriberLeaseStore and SetAsideStore: who works for a subscriber, and what it could not do. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OutboxEvent, SetAside } from '#core/reactions';
import type { Storage } from '../../../src/storage/index.ts';
import { at, type MakeHarness, makeBus, type StoreHarness } from './harness.ts';

const NAME = 'one';
const event = (id: string): OutboxEvent => ({ ...makeBus('p', id), createdAt: at(5), id });
const aside = (id: string, given: Partial<SetAside> = {}): SetAside => ({
  at: at(10),
  code: 'TypeError',
  event: event(id),
  subscriber: NAME,
  tries: 4,
  ...given,
});

export function outboxLeasesContract(technology: string, makeHarness: MakeHarness): void {
  describe(`${technology}: leases and events set aside`, () => {
    let harness: StoreHarness;
    let storage: Storage;
    beforeEach(async () => {
      harness = await makeHarness();
      storage = await harness.open();
      const topics = ['sanctions.screening.completed'] as const;
      await storage.outbox.subscribe([{ from: 'now', name: NAME, topics }]);
    });
    afterEach(async () => {
      await storage.close();
      await harness.dispose();
    });

    async function take(holder: string) {
      const seen = await storage.outbox.findLease(NAME);
      if (seen === undefined) throw new Error('no such subscriber');
      return storage.outbox.takeLease(seen, holder);
    }

    test('a lease is taken as it was seen, and by one process', async () => {
      const seen = await storage.outbox.findLease(NAME);
      if (seen === undefined) throw new Error('no such subscriber');
      expect(seen).not.toHaveProperty('holder');
      const takers = ['a', 'b', 'c'].map((holder) => storage.outbox.takeLease(seen, holder));
      const taken = (await Promise.all(takers)).filter((lease) => lease !== undefined);
      expect(taken).toHaveLength(1);
      expect(await storage.outbox.findLease(NAME)).toEqual(taken[0]);
      expect(taken[0]?.fence).toBeGreaterThan(seen.fence);
      expect(await storage.outbox.findLease('unknown')).toBeUndefined();
    });

    test('a renewal shows, and one under an older fence writes nothing', async () => {
      const first = await take('a');
      if (first === undefined) throw new Error('the lease is free');
      const noted = { ...first, beat: first.beat + 1, tries: 2, trying: 'event-1' };
      expect(await storage.outbox.renewLease(noted)).toBe(true);
      expect(await storage.outbox.findLease(NAME)).toEqual(noted);
      // A process that saw it before the renewal cannot take it.
      expect(await storage.outbox.takeLease(first, 'b')).toBeUndefined();
      const second = await take('b');
      expect(second).toMatchObject({ holder: 'b', tries: 2, trying: 'event-1' });
      expect(await storage.outbox.renewLease({ ...noted, beat: noted.beat + 1 })).toBe(false);
      await storage.outbox.releaseLease(noted);
      expect(await storage.outbox.findLease(NAME)).toEqual(second);
    });

    test('a released lease is free, and forgets what was tried', async () => {
      const lease = await take('a');
      if (lease === undefined) throw new Error('the lease is free');
      const noted = { ...lease, tries: 1, trying: 'event-1' };
      await storage.outbox.renewLease(noted);
      await storage.outbox.releaseLease(noted);
      const free = await storage.outbox.findLease(NAME);
      expect(free).toEqual({
        beat: lease.beat,
        fence: lease.fence + 1,
        subscriber: NAME,
        tries: 0,
      });
    });

    test('events set aside are listed in their order, once each, and counted', async () => {
      await storage.outbox.setAside(aside('1'));
      await storage.outbox.setAside(aside('2', { at: at(11) }));
      await storage.outbox.setAside(aside('1', { at: at(12), code: 'ENOENT', tries: 5 }));
      await storage.outbox.setAside(aside('1', { at: at(13), subscriber: 'bus' }));
      expect(await storage.outbox.findSetAside(NAME, '2')).toEqual(aside('2', { at: at(11) }));
      expect(await storage.outbox.findSetAside('bus', '2')).toBeUndefined();
      const again = aside('1', { at: at(12), code: 'ENOENT', tries: 5 });
      const own = { limit: 10, subscriber: NAME };
      expect(await storage.outbox.listSetAside(own)).toEqual([again, aside('2', { at: at(11) })]);
      expect(await storage.outbox.listSetAside({ limit: 10 })).toHaveLength(3);
      expect(await storage.outbox.listSetAside({ ...own, limit: 1 })).toEqual([again]);
      const figures = await storage.outbox.figures();
      expect(figures.map(({ setAside }) => setAside)).toEqual([1, 2]);
    });

    test('a retry is wanted until the event is set aside again or dropped', async () => {
      const wanted = { isWanted: true, limit: 10, subscriber: NAME } as const;
      await storage.outbox.setAside(aside('1'));
      await storage.outbox.setAside(aside('2', { at: at(11) }));
      expect(await storage.outbox.listSetAside(wanted)).toEqual([]);
      expect(await storage.outbox.retrySetAside(NAME, '1')).toBe(true);
      expect(await storage.outbox.retrySetAside(NAME, 'unknown')).toBe(false);
      expect(await storage.outbox.listSetAside(wanted)).toEqual([aside('1')]);
      const names = [NAME, 'bus'];
      expect(await storage.outbox.findWanted(names)).toEqual([NAME]);
      expect(await storage.outbox.findWanted(['bus'])).toEqual([]);
      const ofAll = { isWanted: true, limit: 10 } as const;
      expect(await storage.outbox.listSetAside(ofAll)).toEqual([aside('1')]);
      await storage.outbox.setAside(aside('1', { tries: 5 }));
      expect(await storage.outbox.listSetAside(wanted)).toEqual([]);
      expect(await storage.outbox.findWanted(names)).toEqual([]);
      expect(await storage.outbox.dropSetAside(NAME, '1')).toBe(true);
      expect(await storage.outbox.dropSetAside(NAME, '1')).toBe(false);
      const left = await storage.outbox.listSetAside({ limit: 10, subscriber: NAME });
      expect(left).toEqual([aside('2', { at: at(11) })]);
    });
  });
}
