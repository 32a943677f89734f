/** Tables that crashing processes write, the group that they write, and how to look for it. */

import type { EventGroup } from '#core/audit';
import type { AnyTable, Table, TableChange, TenantId } from '#core/kernel';
import { table } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { Storage } from '../../../src/storage/index.ts';
import { append, at, makeBus, makeGroup, makeIdempotency, TENANT_A } from '../contract/harness.ts';

interface Job {
  readonly tenantId: TenantId;
  readonly jobId: string;
  readonly name: string;
  readonly status: 'running' | 'done';
  readonly stage?: string;
  readonly version: number;
}
export const jobs = table<Job, 'tenantId' | 'jobId'>('crash_job', {
  key: ['tenantId', 'jobId'],
  chain: 'tenantId',
  derived: { isOpen: { field: 'status', in: ['running'] } },
  leased: { lane: ['tenantId'] },
  open: 'isOpen',
  personal: 'none',
  stamp: { fields: ['status'], name: 'crash_jobs' },
  unique: { name: ['tenantId', 'name', 'isOpen'] },
  work: ['stage'],
});

interface Line {
  readonly tenantId: TenantId;
  readonly no: number;
}
export const lines = table<Line, 'tenantId' | 'no'>('crash_line', {
  key: ['tenantId', 'no'],
  chain: 'tenantId',
  personal: 'none',
  writes: 'rows',
});

interface Setting {
  readonly name: string;
  readonly version: number;
}
export const settings = table<Setting, 'name'>('crash_setting', {
  key: ['name'],
  chain: 'any',
  personal: 'none',
});

export const CRASH_TABLES: readonly AnyTable[] = [jobs, lines, settings];
export const NOW = 1 as EpochMs;

export const makeJob = (jobId: string, given: Partial<Job> = {}): Job => ({
  jobId,
  name: `name of ${jobId}`,
  status: 'running',
  tenantId: TENANT_A,
  version: 1,
  ...given,
});
export const keyOf = (jobId: string) => ({ jobId, tenantId: TENANT_A });

/** A group of one event and these changes, in the tenant's chain; answers where it is stale. */
export async function commit(storage: Storage, changes: readonly TableChange[]) {
  const { result } = await append(storage, { changes });
  return result.kind === 'stale' ? result.changeIndex : result.kind;
}

/** What is there before: four jobs, one of them in hand, and work on it that was saved. */
export async function prepareTables(storage: Storage): Promise<void> {
  const { claim, saveWork } = storage.tables;
  const ids = ['ends', 'goes', 'renamed', 'stays'];
  await commit(storage, [
    ...ids.map((jobId) => jobs.insert(makeJob(jobId))),
    settings.insert({ name: 'limit', version: 1 }),
  ]);
  const leased = await claim(jobs, { holder: 'one that dies', key: keyOf('ends') });
  if (leased === undefined) throw new Error('the job is taken');
  for (const jobId of ['ends', 'stays', 'renamed'])
    await saveWork(jobs, { key: keyOf(jobId), work: { stage: 'reading' } });
}

/** A name that moves, an end under its fence, a removal and what comes in its place, rows. */
export const CRASH_CHANGES: readonly TableChange[] = [
  jobs.put(makeJob('renamed', { name: 'another', version: 2 }), 1),
  jobs.insert(makeJob('new', { name: 'name of renamed', stage: 'begun' })),
  jobs.expect(keyOf('ends'), { fence: 1, version: 1 }),
  jobs.put(makeJob('ends', { stage: 'ended', status: 'done', version: 2 }), 1, {
    work: ['stage'],
  }),
  jobs.remove(keyOf('goes'), 1),
  jobs.insert(makeJob('goes', { name: 'come again' })),
  jobs.put(makeJob('goes', { name: 'come and changed', version: 2 }), 1),
  lines.append({ no: 1, tenantId: TENANT_A }),
  lines.append({ no: 2, tenantId: TENANT_A }),
  settings.put({ name: 'limit', version: 2 }, 1),
];

export const crashTablesGroup = (fromSeq: number, nowMs: number): EventGroup =>
  makeGroup({
    bus: [makeBus('p', 'crash')],
    changes: CRASH_CHANGES,
    count: 2,
    fromSeq,
    idempotency: [makeIdempotency('crash', at(nowMs))],
    label: 'crash',
  });

/** Everything in the tables, as one value. */
export async function stateOf(storage: Storage) {
  const { held, page, stamp } = storage.tables;
  const all = async (of: AnyTable) =>
    (await page(of as Table<object, never>, { index: 'key', limit: 100 })).records;
  const inHand = await held(jobs, { limit: 9 });
  return {
    held: inHand.map(({ record }) => record.jobId),
    isStamped: (await stamp('crash_jobs')) > 1,
    jobs: await all(jobs),
    lines: await all(lines),
    settings: await all(settings),
  };
}

const WORKED = { stage: 'reading' };
export const STATE_AFTER = {
  held: [],
  isStamped: true,
  jobs: [
    makeJob('ends', { stage: 'ended', status: 'done', version: 2 }),
    makeJob('goes', { name: 'come and changed', version: 2 }),
    makeJob('new', { name: 'name of renamed', stage: 'begun' }),
    makeJob('renamed', { ...WORKED, name: 'another', version: 2 }),
    makeJob('stays', WORKED),
  ],
  lines: [
    { no: 1, tenantId: TENANT_A },
    { no: 2, tenantId: TENANT_A },
  ],
  settings: [{ name: 'limit', version: 2 }],
};
