/**
 * A process of its own that opens the store and dies by SIGKILL at a named step of a write, or
 * appends, commits or takes chunks beside others. Started with one JSON argument; node runs this
 * file as it is.
 */
import assert from 'node:assert/strict';
import { writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { createAuditLog } from '#core/audit';
import { type EventId, plainTable } from '#core/kernel';
import type { Clock } from '#platform/clock';
import { systemClock } from '#platform/clock';
import { systemRandom, uuidV7 } from '#platform/random';
import { TABLES } from '../../../src/app/tables.ts';
import { chunkTable } from '../../../src/slices/batches/tables.ts';
import { openStorage, type Storage } from '../../../src/storage/index.ts';
import { openDatabase } from '../../../src/storage/sqlite/connection.ts';
import { writeOperations } from '../../../src/storage/sqlite/operations.ts';
import { writeTogether } from '../../../src/storage/sqlite/writeTogether.ts';
import { commitOf, draft, seededSigner } from '../../core/audit/drafts.ts';
import { batchIdOf } from './batchRecords.ts';
import { crashGroup } from './crashGroup.ts';
import { CRASH_STORE } from './crashTables.ts';
import { at, CHAIN_A, CHAIN_B, makeGroup, TTL_MS } from './harness.ts';

interface Load {
  readonly callers: number;
  readonly commitsEach: number;
  /** Added to each call of the store. */
  readonly slowMs: number;
}

/** What a child is told to do. */
export type ChildTask = {
  /** A SQLite file, or a MongoDB URL with its database. */
  readonly file?: string;
  readonly dataDir?: string;
  readonly url?: string;
  readonly transactions?: 'require' | 'off';
} & (
  | { readonly kind: 'crash'; readonly dieAt: string; readonly nowMs: number }
  | { readonly kind: 'recover'; readonly dieAt: string; readonly nowMs: number }
  | { readonly kind: 'compete'; readonly name: string; readonly groups: number }
  | { readonly kind: 'lease'; readonly name: string }
  | ({ readonly kind: 'commit'; readonly name: string } & Load)
);

const task = JSON.parse(process.argv[2] ?? '') as ChildTask;
if (task.kind === 'compete') await compete(task);
else if (task.kind === 'lease') await leaseChunks(task);
else if (task.kind === 'commit') await commitAtOnce(task);
else if (task.file !== undefined) crashSqlite(task.file, task);
else await crashMongo(task);

function dieAt(step: string): (passed: string) => void {
  return (passed) => {
    if (passed === step) process.kill(process.pid, 'SIGKILL');
  };
}

/** At once, and not when the loop comes round: what follows may end the process. */
function sayReady(): void {
  writeSync(1, 'ready\n');
}

/** On this thread, so that the steps can be heard; the code is the storage thread's own. */
function crashSqlite(file: string, { dieAt: step, nowMs }: { dieAt: string; nowMs: number }): void {
  const tables = CRASH_STORE.map(plainTable);
  const database = openDatabase(file, 'write', systemClock, tables);
  const onCrashPoint = dieAt(step);
  const operations = writeOperations(database, onCrashPoint, tables);
  const lease = operations.takeHead(
    { chainId: CHAIN_A, holder: 'child', ttlMs: TTL_MS },
    { nowMs },
  );
  if (lease === undefined) throw new Error('the head is taken');
  const group = crashGroup(lease.head.seq + 1, nowMs);
  const args = [lease, group, { ttlMs: TTL_MS, release: true }, nowMs];
  sayReady();
  writeTogether(database, operations, { clock: systemClock, onCrashPoint })([
    { id: 1, name: 'appendGroup', args },
  ]);
}

async function crashMongo(options: ChildTask & { dieAt: string; nowMs: number }): Promise<void> {
  const { url = '', transactions = 'off', nowMs } = options;
  const clock: Clock = { now: () => at(nowMs), monotonicMs: () => nowMs };
  const onCrashPoint = dieAt(options.dieAt);
  const { openMongoStorage } = await import('../../../src/storage/mongo/open.ts');
  const storage = await openMongoStorage({
    clock,
    onCrashPoint,
    tables: CRASH_STORE,
    transactions,
    url,
  });
  const lease = await takeHead(storage, CHAIN_A, 'child');
  if (options.kind === 'recover') return;
  const group = crashGroup(lease.head.seq + 1, nowMs);
  sayReady();
  await storage.audit.appendGroup(lease, group, { ttlMs: TTL_MS, release: true });
}

/** Appends groups to two chains in turn, taking and letting go of the head each time. */
async function compete(options: ChildTask & { name: string; groups: number }): Promise<void> {
  const { url, dataDir = '', transactions = 'off', name } = options;
  const place = url === undefined ? { dataDir } : { dataDir, mongodbUrl: url, transactions };
  const storage = await openStorage({ ...place, clock: systemClock, tables: TABLES });
  for (let written = 0; written < options.groups; ) {
    const chain = written % 2 === 0 ? CHAIN_A : CHAIN_B;
    const lease = await takeHead(storage, chain, name);
    const fromSeq = lease.head.seq + 1;
    const group = makeGroup({ chain, fromSeq, count: 3, label: `${name}/${written}` });
    const options = { ttlMs: TTL_MS, release: true };
    const result = await storage.audit.appendGroup(lease, group, options);
    if (result.kind === 'appended') written += 1;
  }
  await storage.close();
}

/** Takes chunks of a batch until there are none, and holds at the end each that it was given. */
async function leaseChunks(options: ChildTask & { name: string }): Promise<void> {
  const { url, dataDir = '', transactions = 'off', name: holder } = options;
  const place = url === undefined ? { dataDir } : { dataDir, mongodbUrl: url, transactions };
  const { close, tables } = await openStorage({ ...place, clock: systemClock, tables: TABLES });
  const batchId = batchIdOf(1);
  const given: number[] = [];
  for (;;) {
    const ask = { holder, lane: [batchId], limit: 1, now: at(1) };
    const [leased] = await tables.lease(chunkTable, ask);
    if (leased === undefined) break;
    given.push(leased.record.chunkNo);
  }
  assert(new Set(given).size === given.length, 'one chunk was given twice');
  // The one that a chunk was given to last has it, so the first of two would not be found here.
  const held = await tables.held(chunkTable, { limit: 1_000 });
  const holders = new Map(held.map(({ lease, record }) => [record.chunkNo, lease.holder]));
  for (const chunkNo of given) {
    const other = holders.get(chunkNo);
    assert(other === holder, `chunk ${chunkNo} was given to ${other} too`);
  }
  await close();
}

/** As a gateway does: callers that commit one event after the other, all to one chain. */
async function commitAtOnce(options: ChildTask & Load & { name: string }): Promise<void> {
  const { callers, commitsEach, dataDir = '', name: holder, slowMs } = options;
  const { transactions = 'off', url } = options;
  const place = url === undefined ? { dataDir } : { dataDir, mongodbUrl: url, transactions };
  const { audit, close } = await openStorage({ ...place, clock: systemClock, tables: TABLES });
  const slowly = <Args extends unknown[], T>(call: (...args: Args) => Promise<T>) => {
    return async (...args: Args): Promise<T> => {
      await delay(slowMs);
      return call(...args);
    };
  };
  const store = {
    ...audit,
    appendGroup: slowly(audit.appendGroup),
    releaseHead: slowly(audit.releaseHead),
    takeHead: slowly(audit.takeHead),
  };
  const signer = seededSigner('a');
  const log = createAuditLog({ clock: systemClock, holder, random: systemRandom, signer, store });
  const call = async (): Promise<void> => {
    for (let n = 0; n < commitsEach; n++) {
      const eventId = uuidV7(systemClock.now(), systemRandom) as EventId;
      await log.commit(CHAIN_A, commitOf([{ ...draft(3), eventId }]));
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  await log.close();
  await close();
}

async function takeHead(storage: Storage, chainId: typeof CHAIN_A, holder: string) {
  for (;;) {
    const lease = await storage.audit.takeHead({ chainId, holder, ttlMs: TTL_MS });
    if (lease !== undefined) return lease;
    await delay(1);
  }
}
