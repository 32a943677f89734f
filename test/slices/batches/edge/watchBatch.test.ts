/** Following a batch: to its end, or until nobody works; what is told on the way. */
import { describe, expect, test } from 'vitest';
import type { BatchId, TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { type Batch, noCounts } from '#slices/batches';
import type { Progress } from '../../../../src/cli/output.ts';
import {
  NOBODY_ANY_MORE_MS,
  NOBODY_MS,
  spanOf,
  watchBatch,
} from '../../../../src/slices/batches/edge/watchBatch.ts';

const START = Date.UTC(2026, 0, 5) as EpochMs;

function batchOf(changes: Partial<Batch> = {}): Batch {
  const batch = {
    batchId: 'b-1' as BatchId,
    counts: noCounts(),
    name: 'weekly',
    requestedAt: START,
    status: 'queued',
    subjectsTotal: 40_000,
    tenantId: 't-1' as TenantId,
    version: 1,
    ...changes,
  };
  return batch as Batch;
}

/** The store as it looks after so many milliseconds. */
async function watched(
  lookAt: (ms: number) => { batch: Batch; beat?: number; others?: readonly Batch[] },
) {
  let ms = 0;
  const told: Progress[] = [];
  const seen = () => lookAt(ms);
  const clock = { monotonicMs: () => ms, now: () => (START + ms) as EpochMs };
  const result = await watchBatch(
    {
      batches: {
        findBatch: async () => seen().batch,
        heldBatches: async () => {
          const { batch: record, beat } = seen();
          const lease = { beat: beat ?? 0, fence: 1, holder: 'a', tries: 1 };
          return beat === undefined ? [] : [{ lease, record }];
        },
        listBatches: async () => [],
        openBatches: async () => [seen().batch, ...(seen().others ?? [])],
      },
      clock,
      onProgress: (progress) => void told.push(progress),
      sleep: async (wait) => {
        ms += wait;
        if (ms > 3_600_000) throw new Error('it would wait for ever');
      },
    },
    batchOf(),
  );
  return { ms, result, told };
}

const screened = (chunks: number): Partial<Batch> => ({
  counts: { ...noCounts(), chunks, hits: chunks * 3, subjects: chunks * 1_000 },
  startedAt: START,
  status: 'running',
  version: 2 + chunks,
});

describe('a batch that is followed', () => {
  test('ends with its end, and tells each step once where there is no bar', async () => {
    const { result, told } = await watched((ms) => {
      const chunks = Math.floor(ms / 1_000);
      if (chunks > 40) return { batch: batchOf({ ...screened(40), status: 'completed' }) };
      return { batch: batchOf(chunks === 0 ? {} : screened(chunks)) };
    });
    expect(result).toMatchObject({ batch: { status: 'completed' }, is: 'ended' });
    const shares = told.map(({ share }) => share);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    const lines = told.flatMap(({ line }) => line ?? []);
    expect(lines[0]).toBe('0% queued: 40,000 subjects, about 22 s left');
    expect(lines).toContain('50% 20,000 of 40,000 subjects, 60 hits, about 24 s left');
    expect(lines.at(-1)).toBe('99% 40,000 of 40,000 subjects, 120 hits: reports');
    expect(lines.length).toBeLessThan(25);
  });

  test.each(['failed', 'canceled'] as const)('ends where it %s', async (status) => {
    const { ms, result } = await watched(() => ({ batch: batchOf({ status }) }));
    expect(result).toMatchObject({ batch: { status }, is: 'ended' });
    expect(ms).toBe(0);
  });

  test('is left where nobody takes it', async () => {
    const { ms, result } = await watched(() => ({ batch: batchOf() }));
    expect(result).toMatchObject({ batch: { status: 'queued' }, is: 'left' });
    expect(ms).toBeGreaterThan(NOBODY_MS);
    expect(ms).toBeLessThan(NOBODY_MS + 2_000);
  });

  test('is left where its workers died', async () => {
    const { ms, result } = await watched(() => ({ batch: batchOf(screened(7)) }));
    expect(result).toMatchObject({ is: 'left' });
    expect(ms).toBeGreaterThan(NOBODY_ANY_MORE_MS);
  });

  test('is waited for while workers are busy with others', async () => {
    const hour = 1_800_000;
    const { result } = await watched((ms) => ({
      batch: batchOf(ms < hour ? {} : { status: 'completed' }),
      others: [batchOf({ ...screened(Math.floor(ms / 15_000)), batchId: 'b-0' as BatchId })],
    }));
    expect(result).toMatchObject({ is: 'ended' });
  });

  test('is waited for while its lease is renewed, though nothing else changes', async () => {
    const { result } = await watched((ms) => ({
      batch: batchOf(ms < 600_000 ? screened(3) : { status: 'completed' }),
      beat: Math.floor(ms / 3_000),
    }));
    expect(result).toMatchObject({ is: 'ended' });
  });

  test('is left where the worker that has it in hand fell silent', async () => {
    const { result } = await watched(() => ({ batch: batchOf(screened(3)), beat: 7 }));
    expect(result).toMatchObject({ is: 'left' });
  });

  test('batches that only come in are no sign of a worker', async () => {
    const { result } = await watched((ms) => ({
      batch: batchOf(),
      others: Array.from({ length: Math.min(50, Math.floor(ms / 500)) }, (_, at) =>
        batchOf({ batchId: `later-${at}` as BatchId }),
      ),
    }));
    expect(result).toMatchObject({ is: 'left' });
  });
});

test.each([
  [1, '1 s'],
  [99_000, '99 s'],
  [99_001, '2 min'],
  [3_600_000, '60 min'],
  [36_000_000, '10 h'],
])('%i ms are %s', (ms, text) => {
  expect(spanOf(ms)).toBe(text);
});
