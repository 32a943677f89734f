/** The end of a batch under a lease that is lost on the way: it is another worker's to write. */
import { expect, test } from 'vitest';
import { WorkLost } from '#core/work';
import { type BatchHold, finishBatch, readFindings, signedResults } from '#slices/batches';
import { sampleBatch } from '../../reports/sampleBatch.ts';
import { SampleBlobs, storeOf } from '../../reports/sampleStore.ts';

const CHUNKS = 20;

/** `at` hears of each step; what it calls loses the lease. */
async function finishing(at: (step: string, lose: () => void) => void) {
  const sample = sampleBatch({ chunkSubjects: 1, subjects: CHUNKS });
  const ports = await storeOf(sample, new SampleBlobs());
  const lost = new AbortController();
  const steps: string[] = [];
  const step = (name: string): void => {
    steps.push(name);
    at(name, () => lost.abort(new WorkLost('another worker has it')));
  };
  const { blobs } = ports;
  const batches: typeof ports.batches = {
    ...ports.batches,
    listChunks: async (ask) => {
      step('chunks');
      return ports.batches.listChunks(ask);
    },
  };
  const read: typeof blobs = {
    get: async (address) => {
      step('results');
      return blobs.get(address);
    },
  };
  const results = signedResults({ ...ports, blobs: read });
  const { completedAt: _, resultsRoot: __, ...batch } = sample.batch;
  const hold = {
    end: async () => step('end'),
    record: { ...batch, chunksTotal: CHUNKS, status: 'running' },
    signal: lost.signal,
  } as unknown as BatchHold;
  const finished = finishBatch(
    {
      batches,
      results,
      commit: async () => step('commit'),
      writeReports: async (of: typeof batch, signal: AbortSignal) => {
        step('reports');
        for await (const { lines } of readFindings({ batches, results }, of, signal)) {
          expect(lines).toHaveLength(1);
        }
        step('written');
        return {};
      },
    } as unknown as Parameters<typeof finishBatch>[0],
    hold,
  );
  return { finished: finished.catch((error: unknown) => error), steps };
}

test.each([
  ['before the reports', 'chunks', 1, ['chunks']],
  ['while they are written', 'results', 3, ['chunks', 'reports', 'chunks', 'results']],
  ['once they are written', 'written', 1, ['chunks', 'reports', 'chunks', 'results', 'written']],
])('a lease that is lost %s ends the work there', async (_, where, times, expected) => {
  let met = 0;
  const { finished, steps } = await finishing((step, lose) => {
    if (step === where && ++met === times) lose();
  });
  expect(await finished).toBeInstanceOf(WorkLost);
  expect(steps.filter((step, at) => step !== steps[at - 1])).toEqual(expected);
  if (where === 'results')
    expect(steps.filter((step) => step === 'results').length).toBeLessThan(6);
});
