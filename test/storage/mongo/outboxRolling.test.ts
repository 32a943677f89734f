/** The outbox while processes of the former release still write to it and read from it. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { OutboxEvent } from '#core/reactions';
import type { Storage } from '../../../src/storage/index.ts';
import { append, CHAIN_A, makeBus } from '../contract/harness.ts';
import { type MongoHarness, mongoHarness, withDatabase } from './harness.ts';
import { hasMongo, type MongoTestServer, startMongo } from './server.ts';

/** As the former release has them: a flag and a count instead of a list. */
interface FormerDocument {
  readonly _id: string;
  readonly chain: string;
  readonly group: number;
  readonly at: number;
  readonly events: readonly { topic: string; partition: string; payload: string }[];
  readonly published: number;
  readonly isPending?: true;
}

const namesOf = (events: readonly OutboxEvent[] = []) =>
  events.map(({ payload }) => (payload as { name: string }).name);

describe.skipIf(!hasMongo())('mongo: the outbox of two releases', () => {
  let server: MongoTestServer;
  let harness: MongoHarness;
  let storage: Storage;
  beforeAll(async () => {
    server = await startMongo();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    harness = await mongoHarness(() => server, 'off')();
    storage = await harness.open();
    return async () => {
      await storage.close();
      await harness.dispose();
    };
  });

  const former = (group: number, names: readonly string[], given: Partial<FormerDocument>) =>
    withDatabase(harness.url, (db) =>
      db.collection<FormerDocument>('outbox').insertOne({
        _id: `${String(group).padStart(12, '0')}-${CHAIN_A}`,
        chain: CHAIN_A,
        group,
        at: harness.clock.now(),
        events: names.map((name) => ({
          partition: 'p',
          payload: JSON.stringify({ name }),
          topic: 'sanctions.screening.completed',
        })),
        published: 0,
        ...given,
      }),
    );
  const drain = async (subscriber: string) => {
    const batch = await storage.outbox.readFor(subscriber, 100);
    if (batch !== undefined) await storage.outbox.markDone(subscriber, batch.token);
    return namesOf(batch?.events);
  };
  const register = () => {
    const topics = ['sanctions.screening.completed'] as const;
    return storage.outbox.subscribe([{ from: 'now', name: 'one', topics }]);
  };

  test('what the former release had not published as a whole waits for the relay', async () => {
    await former(1, ['published'], { published: 1 });
    await former(2, ['half 1', 'half 2'], { isPending: true, published: 1 });
    await former(3, ['waiting'], { isPending: true });
    // Half a document comes again as a whole: once more at the most.
    expect(await drain('bus')).toEqual(['half 1', 'half 2', 'waiting']);
    expect(await drain('bus')).toEqual([]);
  });

  test('what it goes on writing is for all that are registered by then', async () => {
    await former(1, ['before'], { isPending: true });
    await register();
    await former(2, ['after'], { isPending: true });
    expect(await drain('one')).toEqual(['after']);
    expect(await drain('bus')).toEqual(['before', 'after']);
  });

  test('its events and ours keep the order of their chain', async () => {
    await register();
    await append(storage, { bus: [makeBus('p', '1')] });
    await former(2, ['2'], { isPending: true });
    await former(3, ['3'], { isPending: true });
    expect(await drain('one')).toEqual(['1', '2', '3']);
    expect(await drain('bus')).toEqual(['1', '2', '3']);
  });

  test('a look for all names everybody where it cannot say for whom it is', async () => {
    await register();
    const behind = () => storage.outbox.findBehind(['bus', 'one']);
    expect(await behind()).toEqual([]);
    await former(1, ['theirs'], { isPending: true });
    expect(await behind()).toEqual(['bus', 'one']);
    await drain('one');
    await drain('bus');
    expect(await behind()).toEqual([]);
    const many = (count: number) =>
      withDatabase(harness.url, (db) =>
        db
          .collection<{ _id: string; pending: string[] }>('outbox')
          .insertMany(
            Array.from({ length: count }, (_, at) => ({ _id: `${count}-${at}`, pending: ['bus'] })),
          ),
      );
    await many(99);
    expect(await behind()).toEqual(['bus']);
    // More than a look reads.
    await many(1);
    expect(await behind()).toEqual(['bus', 'one']);
  });

  test('its relay sees none of ours, and what it marks meanwhile comes once more', async () => {
    await append(storage, { bus: [makeBus('p', 'ours')] });
    await former(2, ['theirs'], { isPending: true });
    const batch = await storage.outbox.readFor('bus', 100);
    await withDatabase(harness.url, async (db) => {
      const outbox = db.collection('outbox');
      expect(await outbox.countDocuments({ isPending: true })).toBe(0);
      await outbox.updateMany({ group: 2 }, { $max: { published: 9 }, $unset: { isPending: 1 } });
    });
    expect(namesOf(batch?.events)).toEqual(['ours', 'theirs']);
    expect(await drain('bus')).toEqual(['ours', 'theirs']);
    expect(await drain('bus')).toEqual([]);
  });
});
