/** Commits with changes in one group: what shares it, and what is refused where one is stale. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type AuditLog, createAuditLog } from '#core/audit';
import type { TableChange } from '#core/kernel';
import { clockAt, commitOf, draft, seededRandom, seededSigner, TENANT } from './drafts.ts';
import { MemoryAuditStore } from './memoryAuditStore.ts';

const put = (table: string): TableChange => ({ op: 'put', record: {}, table });

let store: MemoryAuditStore;
let log: AuditLog;
beforeEach(() => {
  store = new MemoryAuditStore();
  log = createAuditLog({
    clock: clockAt('2026-05-04T08:00:00Z'),
    holder: 'gateway',
    random: seededRandom('log'),
    signer: seededSigner('a'),
    store,
  });
});
afterEach(() => log.close());

test('commits with changes share a group, and none with those that are never stale', async () => {
  const of = (n: number, table?: string) =>
    log.commit(TENANT, commitOf([draft(n)], table ? { changes: [put(table)] } : {}));
  await Promise.all([of(1), of(2, 'case'), of(3, 'customer'), of(4), of(5)]);
  expect(store.groups.map(({ events }) => events.length)).toEqual([1, 2, 2]);
});

test('of a group with a stale change that commit is refused, by its own place', async () => {
  store.staleTables.add('customer');
  const results = await Promise.allSettled(
    [['case'], ['case', 'customer'], ['customer'], ['case'], ['case']].map((tables, n) =>
      log.commit(TENANT, commitOf([draft(n)], { changes: tables.map((table) => put(table)) })),
    ),
  );
  expect(results.map(({ status }) => status === 'fulfilled')).toEqual([
    true,
    false,
    false,
    true,
    true,
  ]);
  expect(results[1]).toMatchObject({ reason: { changeIndex: 1, code: 'state-conflict' } });
  expect(results[2]).toMatchObject({ reason: { changeIndex: 0 } });
  // One by one after it, so that each further one that is stale refuses itself alone.
  expect(store.groups.map(({ events }) => events.length)).toEqual([1, 1, 1]);
  await Promise.all(
    [6, 7].map((n) => log.commit(TENANT, commitOf([draft(n)], { changes: [put('case')] }))),
  );
  expect(store.groups.at(-1)?.events).toHaveLength(2);
});
