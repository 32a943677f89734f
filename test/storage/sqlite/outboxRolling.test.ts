/** A file of the former release: its cursor is the relay's, and its processes still find it. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { MIGRATIONS } from '../../../src/storage/sqlite/migrations/index.ts';
import { makeBus } from '../contract/harness.ts';
import { makeSqliteHarness } from './harness.ts';

const FORMER_MIGRATIONS = 6;

test('the relay goes on where the former release stood, and others begin now', async () => {
  const harness = await makeSqliteHarness();
  const folder = join(harness.dataDir, 'store');
  mkdirSync(folder);
  const former = new DatabaseSync(join(folder, 'compliance.sqlite'));
  former.exec('PRAGMA application_id = 0x436d7050; PRAGMA journal_mode = WAL');
  for (const migration of MIGRATIONS.slice(0, FORMER_MIGRATIONS)) former.exec(migration);
  former.exec(`PRAGMA user_version = ${FORMER_MIGRATIONS}`);
  const insert = former.prepare(
    'INSERT INTO outbox (bus_partition, topic, payload, created_at) VALUES (?, ?, ?, 1)',
  );
  const put = (name: string) => {
    const { partition, payload, topic } = makeBus('p', name);
    insert.run(partition, topic, JSON.stringify(payload));
  };
  const mark = former.prepare('UPDATE outbox_cursor SET published_id = max(published_id, ?)');
  const unpublished = former.prepare(
    'SELECT id FROM outbox WHERE id > (SELECT published_id FROM outbox_cursor) ORDER BY id',
  );
  put('published');
  mark.run(1);
  put('waiting');

  const storage = await harness.open();
  const topics = ['sanctions.screening.completed'] as const;
  await storage.outbox.subscribe([{ from: 'now', name: 'one', topics }]);
  const namesFor = async (subscriber: string) =>
    (await storage.outbox.readFor(subscriber, 9))?.events.map(({ payload }) => payload.name) ?? [];
  expect(await namesFor('bus')).toEqual(['waiting']);
  put('later');
  expect(await namesFor('one')).toEqual(['later']);
  expect(unpublished.all().map(({ id }) => id)).toEqual([2, 3]);
  mark.run(2);
  mark.run(1);
  expect(await namesFor('bus')).toEqual(['later']);

  former.close();
  await storage.close();
  await harness.dispose();
});
