/** How far a batch is, and when it will be done: figures that a person plans by. */
import { describe, expect, test } from 'vitest';
import type { EpochMs } from '#platform/clock';
import {
  BATCH_SUBJECTS_PER_S,
  type Batch,
  type BatchQueue,
  batchQueue,
  estimatedCompletion,
  NO_QUEUE,
  noCounts,
  progressPct,
} from '#slices/batches';

const NOW = Date.UTC(2026, 0, 2) as EpochMs;
const at = (secondsAgo: number): EpochMs => (NOW - secondsAgo * 1_000) as EpochMs;

const batchOf = (subjects: number, more: Partial<Batch> = {}): Batch =>
  ({
    batchId: 'a',
    counts: { ...noCounts(), subjects },
    requestedAt: at(60),
    status: 'running',
    subjectsTotal: 10_000,
    tenantId: 't',
    ...more,
  }) as Batch;

const secondsLeft = (batch: Batch, queue: Partial<BatchQueue> = {}): number =>
  ((estimatedCompletion(batch, { now: NOW, queue: { ...NO_QUEUE, ...queue } }) ?? Number.NaN) -
    NOW) /
  1_000;

describe('when a batch will be done', () => {
  const queued = batchOf(0, { status: 'queued' });
  const other = (batchId: string, more: Partial<Batch>): Batch =>
    batchOf(0, { ...more, batchId: batchId as Batch['batchId'] });
  const overhead = secondsLeft(batchOf(0, { status: 'queued', subjectsTotal: 0 }));

  test('of the first of all: at the rate that is promised', () => {
    expect(secondsLeft(queued) - overhead).toBeCloseTo(10_000 / BATCH_SUBJECTS_PER_S);
  });

  test('before it has shown a pace: at that of its tenant lately', () => {
    expect(secondsLeft(queued, { subjectsPerS: 100 }) - overhead).toBeCloseTo(100);
    const begun = batchOf(1_000, { startedAt: at(4) });
    expect(secondsLeft(begun, { subjectsPerS: 100 }) - overhead).toBeCloseTo(90);
  });

  test('beside others of its tenant: by turns, as long as they last', () => {
    const small = other('b', { subjectsTotal: 4_000 });
    const large = other('c', { subjectsTotal: 10_000_000 });
    const queue = { open: [queued, small, large], subjectsPerS: 1_000 };
    expect(secondsLeft(queued, queue) - overhead).toBeCloseTo(24);
  });

  test('beside other tenants: by their number, and never by what they have to do', () => {
    const tenants = ['t-2', 't-3', 't-3'] as unknown as Batch['tenantId'][];
    const leftBeside = (subjectsTotal: number) => {
      const open = tenants.map((tenantId, at) => other(`o-${at}`, { subjectsTotal, tenantId }));
      return secondsLeft(queued, { open, subjectsPerS: 1_000 });
    };
    expect(leftBeside(1) - overhead).toBeCloseTo(30);
    expect(leftBeside(10_000_000)).toBe(leftBeside(1));
  });

  test('once it runs: at the pace that it has shown, and with its reports', () => {
    const running = batchOf(2_000, { startedAt: at(20) });
    const reports = secondsLeft(batchOf(10_000, { startedAt: at(20) }));
    expect(reports).toBeGreaterThan(0);
    expect(secondsLeft(running) - reports).toBe(80);
    expect(secondsLeft(running, { subjectsPerS: 1 }) - reports).toBe(80);
    const large = batchOf(10_000_000, { startedAt: at(20), subjectsTotal: 10_000_000 });
    expect(secondsLeft(large)).toBeCloseTo(1_000 * reports);
  });

  test('once it has ended: when it was, or never', () => {
    const completed = batchOf(10_000, { completedAt: at(5), status: 'completed' });
    expect(secondsLeft(completed)).toBe(-5);
    const canceled = batchOf(0, { completedAt: at(5), status: 'canceled' });
    expect(estimatedCompletion(canceled, { now: NOW, queue: NO_QUEUE })).toBeUndefined();
  });
});

describe('the pace of a tenant lately', () => {
  const done = (subjects: number, seconds: number): Batch =>
    batchOf(subjects, { completedAt: at(0), kind: 'aml', startedAt: at(seconds) });
  const paceOf = async (...completed: Batch[]) => {
    const asked: unknown[] = [];
    const batches = {
      listBatches: async (ask: object) => {
        asked.push(ask);
        return completed;
      },
      openBatches: async () => [],
    };
    const { subjectsPerS } = await batchQueue(batches, { kind: 'aml', tenantId: 't' as never });
    const which = { kind: 'aml', status: 'completed', tenantId: 't' };
    expect(asked).toEqual([expect.objectContaining(which)]);
    return subjectsPerS;
  };

  test('is that of its batches of this kind that took long enough to tell', async () => {
    expect(await paceOf()).toBeUndefined();
    expect(await paceOf(done(9_000, 2))).toBeUndefined();
    expect(await paceOf(done(9_000, 2), done(10_000, 10), done(80_000, 50))).toBe(1_500);
  });
});

describe('how far it is', () => {
  test('two decimals, never rounded up', () => {
    expect(progressPct(batchOf(1))).toBe(0.01);
    expect(progressPct(batchOf(3_333))).toBe(33.33);
    expect(progressPct(batchOf(1, { subjectsTotal: 30_000 }))).toBe(0);
  });

  test('100 says that the reports are there', () => {
    expect(progressPct(batchOf(10_000))).toBe(99.99);
    expect(progressPct(batchOf(0, { status: 'completed', subjectsTotal: 0 }))).toBe(100);
    expect(progressPct(batchOf(0, { subjectsTotal: 0 }))).toBe(0);
  });
});
