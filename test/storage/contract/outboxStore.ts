/** OutboxStore: at least once, in order, and readable again after it was published. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
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

export function outboxStoreContract(technology: string, makeHarness: MakeHarness): void {
  describe(`${technology}: OutboxStore`, () => {
    let harness: StoreHarness;
    let storage: Storage;

    beforeEach(async () => {
      harness = await makeHarness();
      storage = await harness.open();
    });
    afterEach(async () => {
      await storage.close();
      await harness.dispose();
    });
    const names = (events: readonly { payload: unknown }[] | undefined) =>
      events?.map(({ payload }) => (payload as { name: string }).name);

    test('an empty outbox has nothing to publish', async () => {
      expect(await storage.outbox.readUnpublished(10)).toBeUndefined();
      await append(storage, { count: 2 });
      expect(await storage.outbox.readUnpublished(10)).toBeUndefined();
    });

    test('events come in the order of their chain until they are marked', async () => {
      await append(storage, { bus: [makeBus('p', '1'), makeBus('p', '2')] });
      await append(storage, { bus: [makeBus('p', '3')] });
      const first = await storage.outbox.readUnpublished(2);
      expect(names(first?.events)).toEqual(['1', '2']);
      expect(names((await storage.outbox.readUnpublished(2))?.events)).toEqual(['1', '2']);
      await storage.outbox.markPublished(first?.token ?? '');
      const rest = await storage.outbox.readUnpublished(10);
      expect(names(rest?.events)).toEqual(['3']);
      await storage.outbox.markPublished(rest?.token ?? '');
      expect(await storage.outbox.readUnpublished(10)).toBeUndefined();
    });

    test('an event carries topic, partition, payload, time and an id that grows', async () => {
      await append(storage, { bus: [makeBus('p', '1'), makeBus('p', '2')] });
      const read = await storage.outbox.readUnpublished(10);
      const [one, two] = read?.events ?? [];
      expect(one).toEqual({
        ...makeBus('p', '1'),
        id: expect.any(String),
        createdAt: harness.clock.now(),
      });
      expect((one?.id ?? '') < (two?.id ?? '')).toBe(true);
    });

    test('marking an older token again takes nothing back', async () => {
      await append(storage, { bus: [makeBus('p', '1')] });
      const first = await storage.outbox.readUnpublished(1);
      await storage.outbox.markPublished(first?.token ?? '');
      await append(storage, { bus: [makeBus('p', '2')] });
      const second = await storage.outbox.readUnpublished(1);
      await storage.outbox.markPublished(second?.token ?? '');
      await storage.outbox.markPublished(first?.token ?? '');
      expect(await storage.outbox.readUnpublished(1)).toBeUndefined();
    });

    test('every chain is read, each in its own order', async () => {
      for (const name of ['1', '2', '3']) {
        await append(storage, { chain: CHAIN_A, bus: [makeBus('a', `a${name}`)] });
        await append(storage, { chain: CHAIN_B, bus: [makeBus('b', `b${name}`)] });
      }
      const seen: string[] = [];
      for (;;) {
        const read = await storage.outbox.readUnpublished(2);
        if (read === undefined) break;
        seen.push(...(names(read.events) ?? []));
        await storage.outbox.markPublished(read.token);
      }
      expect(seen.filter((name) => name.startsWith('a'))).toEqual(['a1', 'a2', 'a3']);
      expect(seen.filter((name) => name.startsWith('b'))).toEqual(['b1', 'b2', 'b3']);
    });

    test('published events are read again by partition, after an id', async () => {
      await append(storage, { bus: [makeBus('p', '1'), makeBus('q', 'x'), makeBus('p', '2')] });
      const none = { partition: 'p', afterId: '', limit: 10 };
      expect(await storage.outbox.readPublished(none)).toEqual([]);
      const read = await storage.outbox.readUnpublished(10);
      await storage.outbox.markPublished(read?.token ?? '');
      await append(storage, { bus: [makeBus('p', 'unpublished')] });
      const all = await storage.outbox.readPublished(none);
      expect(names(all)).toEqual(['1', '2']);
      const after = { partition: 'p', afterId: all[0]?.id ?? '', limit: 10 };
      expect(names(await storage.outbox.readPublished(after))).toEqual(['2']);
      expect(names(await storage.outbox.readPublished({ ...none, limit: 1 }))).toEqual(['1']);
    });

    test('a purge takes what was published before an instant, and nothing else', async () => {
      await append(storage, { bus: [makeBus('p', 'old')] });
      const read = await storage.outbox.readUnpublished(10);
      await storage.outbox.markPublished(read?.token ?? '');
      await append(storage, { bus: [makeBus('p', 'waiting')] });
      expect(await storage.outbox.purgePublished(harness.clock.now())).toBe(0);
      const later = at(harness.clock.now() + 1);
      expect(await storage.outbox.purgePublished(later)).toBe(1);
      const page = { partition: 'p', afterId: '', limit: 10 };
      expect(await storage.outbox.readPublished(page)).toEqual([]);
      expect(names((await storage.outbox.readUnpublished(10))?.events)).toEqual(['waiting']);
    });

    test('ids go on growing after everything was purged', async () => {
      await append(storage, { bus: [makeBus('p', '1')] });
      const first = await storage.outbox.readUnpublished(10);
      await storage.outbox.markPublished(first?.token ?? '');
      await storage.outbox.purgePublished(at(harness.clock.now() + 1));
      await append(storage, { bus: [makeBus('p', '2')] });
      const second = await storage.outbox.readUnpublished(10);
      expect(names(second?.events)).toEqual(['2']);
      expect((first?.events[0]?.id ?? '') < (second?.events[0]?.id ?? '')).toBe(true);
    });
  });
}
