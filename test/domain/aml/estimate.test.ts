/** How far a batch is, and when it will be done: figures that a person plans by. */
import { describe, expect, test } from 'vitest';
import {
  BATCH_SUBJECTS_PER_S,
  type Batch,
  estimatedCompletion,
  noCounts,
  progressPct,
  subjectsBefore,
} from '#domain/aml';
import type { EpochMs } from '#platform/clock';

const NOW = Date.UTC(2026, 0, 2) as EpochMs;
const at = (secondsAgo: number): EpochMs => (NOW - secondsAgo * 1_000) as EpochMs;

const batchOf = (subjects: number, more: Partial<Batch> = {}): Batch =>
  ({
    batchId: 'a',
    counts: { ...noCounts(), subjects },
    requestedAt: at(60),
    status: 'running',
    subjectsTotal: 10_000,
    ...more,
  }) as Batch;

const secondsLeft = (batch: Batch, before = 0): number =>
  ((estimatedCompletion(batch, { before, now: NOW }) ?? Number.NaN) - NOW) / 1_000;

describe('when a batch will be done', () => {
  test('before it began: after what was asked for before it, at the rate that is promised', () => {
    const queued = batchOf(0, { status: 'queued' });
    const alone = secondsLeft(queued);
    expect(alone).toBeGreaterThan(10_000 / BATCH_SUBJECTS_PER_S);
    expect(secondsLeft(queued, 100_000) - alone).toBeCloseTo(100_000 / BATCH_SUBJECTS_PER_S);
  });

  test('once it runs: at the pace that it has shown', () => {
    const running = batchOf(2_000, { startedAt: at(20) });
    expect(secondsLeft(running)).toBe(80);
    expect(secondsLeft(batchOf(10_000, { startedAt: at(20) }))).toBe(0);
  });

  test('once it has ended: when it was, or never', () => {
    const completed = batchOf(10_000, { completedAt: at(5), status: 'completed' });
    expect(secondsLeft(completed)).toBe(-5);
    const canceled = batchOf(0, { completedAt: at(5), status: 'canceled' });
    expect(estimatedCompletion(canceled, { before: 0, now: NOW })).toBeUndefined();
  });

  test('those before it are the ones that were asked for before it', () => {
    const open = [
      batchOf(4_000, { batchId: 'b' as never, requestedAt: at(70) }),
      batchOf(0, { batchId: 'a' as never }),
      batchOf(0, { batchId: 'c' as never, requestedAt: at(50) }),
    ];
    expect(subjectsBefore(open, batchOf(0))).toBe(6_000);
    expect(subjectsBefore(open, { requestedAt: at(0) })).toBe(26_000);
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
