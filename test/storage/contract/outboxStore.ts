/** OutboxStore: at least once for each subscriber, in order, and kept until all have done it. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BusTopic } from '#core/kernel';
import type { OutboxBatch, Subscription } from '#core/reactions';
import type { Storage } from '../../../src/storage/index.ts';
import {
  append,
  at,
  CHAIN_A,
  CHAIN_B,
  type MakeHarness,
  makeBus,
  type StoreHarness,
} from './harness.ts';

const SCREENED: BusTopic = 'sanctions.screening.completed';
const UPDATED: BusTopic = 'service.sanctions.lists.updated';

const subscription = (name: string, given: Partial<Subscription> = {}): Subscription => ({
  from: 'now',
  name,
  topics: [SCREENED],
  ...given,
});
const namesOf = (batch: OutboxBatch | undefined) =>
  batch?.events.map(({ payload }) => (payload as { name: string }).name);
const updated = (name: string) => ({ ...makeBus('p', name), topic: UPDATED });

/** Reads and marks until there is nothing; answers the names in their order. */
async function drain(storage: Storage, subscriber: string, limit = 10): Promise<string[]> {
  const seen: string[] = [];
  for (;;) {
    const batch = await storage.outbox.readFor(subscriber, limit);
    if (batch === undefined) return seen;
    seen.push(...(namesOf(batch) ?? []));
    await storage.outbox.markDone(subscriber, batch.token);
  }
}

export function outboxStoreContract(technology: string, makeHarness: MakeHarness): void {
  let harness: StoreHarness;
  let storage: Storage;
  const open = async () => {
    harness = await makeHarness();
    storage = await harness.open();
  };
  const close = async () => {
    await storage.close();
    await harness.dispose();
  };

  describe(`${technology}: OutboxStore`, () => {
    beforeEach(open);
    afterEach(close);

    test('an empty outbox has nothing to do', async () => {
      expect(await storage.outbox.readFor('bus', 10)).toBeUndefined();
      await append(storage, { count: 2 });
      expect(await storage.outbox.readFor('bus', 10)).toBeUndefined();
    });

    test('events come in the order of their chain until they are marked', async () => {
      await append(storage, { bus: [makeBus('p', '1'), makeBus('p', '2')] });
      await append(storage, { bus: [makeBus('p', '3')] });
      const first = await storage.outbox.readFor('bus', 2);
      expect(namesOf(first)).toEqual(['1', '2']);
      expect(namesOf(await storage.outbox.readFor('bus', 2))).toEqual(['1', '2']);
      await storage.outbox.markDone('bus', first?.token ?? '');
      expect(await drain(storage, 'bus')).toEqual(['3']);
    });

    test('an event carries topic, partition, payload, time and an id that grows', async () => {
      await append(storage, { bus: [makeBus('p', '1'), makeBus('p', '2')] });
      const [one, two] = (await storage.outbox.readFor('bus', 10))?.events ?? [];
      expect(one).toEqual({
        ...makeBus('p', '1'),
        id: expect.any(String),
        createdAt: harness.clock.now(),
      });
      expect((one?.id ?? '') < (two?.id ?? '')).toBe(true);
    });

    test('marking an older token again takes nothing back', async () => {
      await append(storage, { bus: [makeBus('p', '1')] });
      const first = await storage.outbox.readFor('bus', 1);
      await storage.outbox.markDone('bus', first?.token ?? '');
      await append(storage, { bus: [makeBus('p', '2')] });
      expect(await drain(storage, 'bus')).toEqual(['2']);
      await storage.outbox.markDone('bus', first?.token ?? '');
      expect(await storage.outbox.readFor('bus', 1)).toBeUndefined();
    });

    test('every chain is read, each in its own order', async () => {
      for (const name of ['1', '2', '3']) {
        await append(storage, { chain: CHAIN_A, bus: [makeBus('a', `a${name}`)] });
        await append(storage, { chain: CHAIN_B, bus: [makeBus('b', `b${name}`)] });
      }
      const seen = await drain(storage, 'bus', 2);
      expect(seen.filter((name) => name.startsWith('a'))).toEqual(['a1', 'a2', 'a3']);
      expect(seen.filter((name) => name.startsWith('b'))).toEqual(['b1', 'b2', 'b3']);
    });

    test('readers beside writers pass over nothing and see each chain in its order', async () => {
      await storage.outbox.subscribe([subscription('one'), subscription('two')]);
      const write = async (chain: typeof CHAIN_A) => {
        for (let index = 0; index < 12; index++) {
          await append(storage, { chain, bus: [makeBus(chain, String(index))] });
        }
      };
      let isWriting = true;
      const writing = Promise.all([write(CHAIN_A), write(CHAIN_B)]).finally(() => {
        isWriting = false;
      });
      const read = async (subscriber: string) => {
        const seen: { partition: string; name: string }[] = [];
        for (let isOver = false; !isOver; ) {
          isOver = !isWriting;
          const batch = await storage.outbox.readFor(subscriber, 3);
          for (const { partition, payload } of batch?.events ?? []) {
            seen.push({ name: (payload as { name: string }).name, partition });
          }
          if (batch === undefined) continue;
          await storage.outbox.markDone(subscriber, batch.token);
          isOver = false;
        }
        return seen;
      };
      const seen = await Promise.all(['bus', 'one', 'two'].map(read));
      await writing;
      const numbers = Array.from({ length: 12 }, (_, index) => String(index));
      for (const events of seen) {
        for (const chain of [CHAIN_A, CHAIN_B]) {
          const own = events.filter(({ partition }) => partition === chain);
          expect(own.map(({ name }) => name)).toEqual(numbers);
        }
      }
    });
  });

  describe(`${technology}: subscribers of the outbox`, () => {
    beforeEach(open);
    afterEach(close);

    test('each has its own place', async () => {
      await storage.outbox.subscribe([subscription('one'), subscription('two')]);
      await append(storage, { bus: [makeBus('p', '1')] });
      await append(storage, { bus: [makeBus('p', '2')] });
      const first = await storage.outbox.readFor('one', 1);
      await storage.outbox.markDone('one', first?.token ?? '');
      expect(await drain(storage, 'bus')).toEqual(['1', '2']);
      expect(await drain(storage, 'one')).toEqual(['2']);
      expect(await drain(storage, 'two')).toEqual(['1', '2']);
    });

    test('gets the topics that it asked for, and those that it asks for later', async () => {
      await storage.outbox.subscribe([subscription('lists', { topics: [UPDATED] })]);
      await append(storage, { bus: [makeBus('p', 'screened 1')] });
      await append(storage, { bus: [updated('list 1')] });
      await append(storage, { bus: [makeBus('p', 'screened 2')] });
      expect(await drain(storage, 'lists')).toEqual(['list 1']);
      await storage.outbox.subscribe([subscription('lists', { topics: [SCREENED] })]);
      await append(storage, { bus: [makeBus('p', 'screened 3')] });
      await append(storage, { bus: [updated('list 2')] });
      expect((await drain(storage, 'lists')).slice(-2)).toEqual(['screened 3', 'list 2']);
      expect(await drain(storage, 'bus')).toHaveLength(5);
    });

    test('begins with what is committed from then on, or with all that is kept', async () => {
      await append(storage, { bus: [makeBus('p', 'done')] });
      await drain(storage, 'bus');
      await append(storage, { bus: [makeBus('p', 'before')] });
      const both = [subscription('late'), subscription('whole', { from: 'kept' })];
      await storage.outbox.subscribe(both);
      await append(storage, { bus: [makeBus('p', 'after')] });
      await storage.outbox.subscribe(both);
      expect(await drain(storage, 'late')).toEqual(['after']);
      expect(await drain(storage, 'whole')).toEqual(['done', 'before', 'after']);
      expect(await drain(storage, 'bus')).toEqual(['before', 'after']);
    });

    test('one look says who has something to do', async () => {
      const lists = subscription('lists', { topics: [UPDATED] });
      await storage.outbox.subscribe([subscription('one'), lists]);
      const names = ['one', 'lists', 'bus'];
      const behind = async () => {
        // A store may name one too many as long as nobody has read what was committed.
        for (const name of names) await storage.outbox.readFor(name, 1);
        return storage.outbox.findBehind(names);
      };
      expect(await behind()).toEqual([]);
      await append(storage, { bus: [makeBus('p', '1')] });
      expect(await storage.outbox.findBehind(names)).toEqual(
        expect.arrayContaining(['one', 'bus']),
      );
      expect(await behind()).toEqual(['one', 'bus']);
      expect(await storage.outbox.findBehind(['lists'])).toEqual([]);
      await drain(storage, 'bus');
      expect(await behind()).toEqual(['one']);
      await drain(storage, 'one');
      await append(storage, { bus: [updated('list 1')] });
      expect(await behind()).toEqual(['lists', 'bus']);
    });

    test('another process on the same data sees the same places', async () => {
      await storage.outbox.subscribe([subscription('one')]);
      await append(storage, { bus: [makeBus('p', '1')] });
      await append(storage, { bus: [makeBus('p', '2')] });
      const other = await harness.open();
      const first = await storage.outbox.readFor('one', 1);
      await storage.outbox.markDone('one', first?.token ?? '');
      expect(await drain(other, 'one')).toEqual(['2']);
      expect(await storage.outbox.readFor('one', 9)).toBeUndefined();
      await other.close();
    });

    test('figures tell how far each is behind', async () => {
      await storage.outbox.subscribe([subscription('one')]);
      const oldestAt = harness.clock.now();
      await append(storage, { bus: [makeBus('p', '1'), makeBus('p', '2')] });
      harness.clock.advance(1_000);
      await append(storage, { bus: [makeBus('p', '3')] });
      const behind = { oldestAt, setAside: 0, waiting: 3 };
      expect(await storage.outbox.figures()).toEqual([
        { ...behind, subscriber: 'bus' },
        { ...behind, subscriber: 'one' },
      ]);
      await drain(storage, 'one');
      expect(await storage.outbox.figures()).toEqual([
        { ...behind, subscriber: 'bus' },
        { setAside: 0, subscriber: 'one', waiting: 0 },
      ]);
    });

    test('one that is forgotten holds nothing back, and begins anew', async () => {
      await storage.outbox.subscribe([subscription('one')]);
      await append(storage, { bus: [makeBus('p', '1')] });
      await drain(storage, 'bus');
      const later = at(harness.clock.now() + 1);
      expect(await storage.outbox.purge(later)).toBe(0);
      await storage.outbox.unsubscribe('one');
      expect(await storage.outbox.purge(later)).toBe(1);
      await storage.outbox.subscribe([subscription('one')]);
      await append(storage, { bus: [makeBus('p', '2')] });
      expect(await drain(storage, 'one')).toEqual(['2']);
    });
  });

  describe(`${technology}: what the outbox keeps`, () => {
    beforeEach(open);
    afterEach(close);

    test('events are read again by partition, after an id', async () => {
      await append(storage, { bus: [makeBus('p', '1'), makeBus('q', 'x'), makeBus('p', '2')] });
      await drain(storage, 'bus');
      const page = { partition: 'p', afterId: '', limit: 10 };
      const all = await storage.outbox.readKept(page);
      expect(namesOf({ events: all, token: '' })).toEqual(['1', '2']);
      const after = await storage.outbox.readKept({ ...page, afterId: all[0]?.id ?? '' });
      expect(after).toEqual(all.slice(1));
      expect(await storage.outbox.readKept({ ...page, limit: 1 })).toEqual(all.slice(0, 1));
    });

    test('a purge takes what all had done by an instant, and nothing else', async () => {
      const lists = subscription('lists', { topics: [UPDATED] });
      await storage.outbox.subscribe([subscription('one'), lists]);
      await append(storage, { bus: [makeBus('p', 'old')] });
      await drain(storage, 'bus');
      const later = at(harness.clock.now() + 1);
      expect(await storage.outbox.purge(later)).toBe(0);
      await drain(storage, 'one');
      await append(storage, { bus: [updated('waiting')] });
      await drain(storage, 'bus');
      expect(await storage.outbox.purge(harness.clock.now())).toBe(0);
      expect(await storage.outbox.purge(later)).toBe(1);
      const kept = await storage.outbox.readKept({ partition: 'p', afterId: '', limit: 10 });
      expect(namesOf({ events: kept, token: '' })).toEqual(['waiting']);
      expect(await drain(storage, 'lists')).toEqual(['waiting']);
    });

    test('ids go on growing after everything was purged', async () => {
      await append(storage, { bus: [makeBus('p', '1')] });
      const first = await storage.outbox.readFor('bus', 10);
      await storage.outbox.markDone('bus', first?.token ?? '');
      await storage.outbox.purge(at(harness.clock.now() + 1));
      await append(storage, { bus: [makeBus('p', '2')] });
      const second = await storage.outbox.readFor('bus', 10);
      expect(namesOf(second)).toEqual(['2']);
      expect((first?.events[0]?.id ?? '') < (second?.events[0]?.id ?? '')).toBe(true);
    });
  });
}
