/** A table of jobs, leased by tenant, over the model; time passes only as a test says. */
import { table } from '#core/kernel';
import type { LeasedWork } from '#core/work';
import { createModelTables } from '../../storage/modelTables.ts';

export interface Job {
  readonly tenantId: string;
  readonly jobNo: number;
  readonly text: string;
  readonly stage?: string;
  readonly dueAt?: number;
  readonly result?: string;
}

export const jobTable = table<Job, 'tenantId' | 'jobNo'>('job', {
  chain: 'tenantId',
  derived: { isWaiting: { absent: true, field: 'result' } },
  key: ['tenantId', 'jobNo'],
  leased: { lane: ['tenantId'] },
  open: 'isWaiting',
  personal: 'none',
  work: ['stage'],
  writes: 'once',
});

/** The same, of which each waits for its time. */
export const dueTable = table<Job, 'tenantId' | 'jobNo'>('due_job', {
  chain: 'tenantId',
  derived: { isWaiting: { absent: true, field: 'result' } },
  key: ['tenantId', 'jobNo'],
  leased: { due: 'dueAt', lane: ['tenantId'] },
  open: 'isWaiting',
  personal: 'none',
  work: ['dueAt'],
  writes: 'once',
});

export const TIMES = { leaseMs: 10_000, renewMs: 3_000 };

export const openModel = () => createModelTables([jobTable, dueTable]);
export type Model = ReturnType<typeof openModel>;

export const job = (tenantId: string, jobNo: number): Job => ({ jobNo, tenantId, text: 'do it' });

/** What a kind of work says at the least; a test says the rest. */
export const kindOf = (
  more: Pick<LeasedWork<Job, 'tenantId' | 'jobNo'>, 'work'> &
    Partial<LeasedWork<Job, 'tenantId' | 'jobNo'>>,
): LeasedWork<Job, 'tenantId' | 'jobNo'> => ({
  atOnce: 1,
  codeOf: (error) => (error as Error).message,
  fieldsOf: ({ jobNo }) => ({ count: jobNo }),
  giveUp: async () => {},
  plan: {
    kindOf: (code) => (code === 'full' ? 'transient' : code === 'broken' ? 'final' : 'counted'),
    pausesMs: [0, 5_000],
    suspectTries: 2,
    triesMax: 4,
  },
  table: jobTable,
  times: TIMES,
  what: 'a job',
  ...more,
});
