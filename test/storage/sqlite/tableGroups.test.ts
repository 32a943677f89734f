/** Changes of declared tables in groups: in bounds, and all or none. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EventGroup } from '#core/audit';
import { CHANGES_MAX, plainTable, table } from '#core/kernel';
import { systemClock } from '#platform/clock';
import type { Storage } from '../../../src/storage/index.ts';
import { openDatabase } from '../../../src/storage/sqlite/connection.ts';
import { writeOperations } from '../../../src/storage/sqlite/operations.ts';
import { writeTogether } from '../../../src/storage/sqlite/writeTogether.ts';
import { append, CHAIN_A, makeGroup, TENANT_A, TTL_MS } from '../contract/harness.ts';
import { makeSqliteHarness } from './harness.ts';

interface Case {
  readonly tenantId: string;
  readonly caseId: string;
  readonly version: number;
}
const cases = table<Case, 'tenantId' | 'caseId'>('group_case', {
  chain: 'tenantId',
  key: ['tenantId', 'caseId'],
  personal: 'none',
});
interface Hit {
  readonly tenantId: string;
  readonly hitId: string;
  readonly text?: string;
}
const hits = table<Hit, 'tenantId' | 'hitId'>('group_hit', {
  chain: 'tenantId',
  key: ['tenantId', 'hitId'],
  personal: 'none',
  writes: 'rows',
});
const undeclared = table<Hit>('undeclared', { ...hits.spec, key: ['hitId'] });

const one = { tenantId: TENANT_A, caseId: 'a', version: 1 };
const hit = (hitId: string, text = ''): Hit => ({ tenantId: TENANT_A, hitId, text });

let harness: Awaited<ReturnType<typeof makeSqliteHarness>>;
let storage: Storage;
beforeEach(async () => {
  harness = await makeSqliteHarness();
  storage = await harness.open([cases, hits]);
});
afterEach(async () => {
  await storage.close();
  await harness.dispose();
});

const commit = async (...changes: EventGroup['changes']) =>
  (await append(storage, { changes })).result;
/** Everything that a group may have left. */
const traces = async () => ({
  cases: (await storage.tables.page(cases, { index: 'key', limit: 9 })).records.length,
  events: (await storage.audit.head(CHAIN_A)).seq,
  hits: (await storage.tables.page(hits, { index: 'key', limit: 9 })).records.length,
});
const NOTHING = { cases: 0, events: 0, hits: 0 };

test('changes of several tables are one group: all of them, or none', async () => {
  const stale = await commit(cases.insert(one), hits.append(hit('a')), cases.insert(one));
  expect(stale).toEqual({ changeIndex: 2, kind: 'stale' });
  expect(await traces()).toEqual(NOTHING);
  expect((await commit(cases.insert(one), hits.append(hit('a')))).kind).toBe('appended');
  expect(await traces()).toEqual({ cases: 1, events: 1, hits: 1 });
  const old = await commit(cases.put({ ...one, version: 2 }, 1), cases.insert(one));
  expect(old).toEqual({ changeIndex: 1, kind: 'stale' });
  expect(await storage.tables.find(cases, one)).toEqual(one);
});

test('what no table knows is refused before anything is written', async () => {
  const refusals = [
    [undeclared.append(hit('a')), /undeclared is not declared/],
    [cases.append(one), /append of a table of versioned/],
    [{ op: 'erase', record: one, table: 'group_case' } as never, /erase of a table/],
    [cases.put({ ...one, version: 3 }, 3), /must be over 3/],
    [cases.insert({ ...one, tenantId: 'another' }), /another chain/],
    [{ kind: 'no.such' } as never, /is not declared/],
  ] as const;
  for (const [change, reason] of refusals) {
    await expect(commit(hits.append(hit('b')), change)).rejects.toThrow(reason);
  }
  expect(await traces()).toEqual(NOTHING);
});

test('rows, outgoing events and answers count for the bound of a group', async () => {
  const text = 'a'.repeat(4 * 1024 * 1024);
  const large = [hits.append(hit('a', text)), hits.append(hit('b', text))];
  await expect(commit(...large)).rejects.toThrow(/characters/);
  const many = Array.from({ length: CHANGES_MAX + 1 }, (_, no) => hits.append(hit(`${no}`)));
  await expect(commit(...many)).rejects.toThrow(/1001 changes/);
  expect(await traces()).toEqual(NOTHING);
  expect((await commit(...many.slice(1))).kind).toBe('appended');
});

test('a failure at any step takes the rows back with their events', () => {
  const file = join(harness.dataDir, 'store', 'compliance.sqlite');
  const tables = [cases, hits].map(plainTable);
  const database = openDatabase(file, 'write', systemClock, tables);
  for (const step of ['changes', 'events', 'outbox', 'idempotency', 'head', 'before-commit']) {
    const onCrashPoint = (passed: string) => {
      if (passed === step) throw new Error(step);
    };
    const operations = writeOperations(database, onCrashPoint, tables);
    const run = writeTogether(database, operations, { clock: systemClock, onCrashPoint });
    const now = systemClock.now();
    const lease = operations.takeHead(
      { chainId: CHAIN_A, holder: 'h', ttlMs: TTL_MS },
      { nowMs: now },
    );
    const changes = [cases.insert(one), hits.append(hit('a'))];
    const group = makeGroup({ changes, fromSeq: 1 });
    const args = [lease, group, { release: true, ttlMs: TTL_MS }, now];
    const [answer] = run([{ args, id: 1, name: 'appendGroup' }]);
    expect(answer?.failure?.message).toBe(step);
  }
  const count = database.prepare(
    `SELECT (SELECT count(*) FROM group_case) + (SELECT count(*) FROM group_hit) AS rows`,
  );
  expect(count.get()).toEqual({ rows: 0 });
  database.close();
});
