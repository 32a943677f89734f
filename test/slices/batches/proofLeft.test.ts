/** A proof whose caller has left: the search through millions of results ends, for those behind. */
import { expect, test } from 'vitest';
import { signedResults } from '#slices/batches';
import type { Operation, OperationContext } from '../../../src/api/operation.ts';
import { batchProofOperations } from '../../../src/slices/batches/edge/proof.ts';
import { fakeRequest } from '../../api/fakes.ts';
import { sampleBatch } from '../../reports/sampleBatch.ts';
import { completedOf, SampleBlobs, storeOf } from '../../reports/sampleStore.ts';

const CHUNKS = 50;

/** `onRead` hears of every blob that is asked for. */
async function proofs(onRead: (reads: number) => void) {
  const sample = sampleBatch({ chunkSubjects: 2, subjects: 2 * CHUNKS });
  const blobs = new SampleBlobs();
  const ports = await storeOf(sample, blobs);
  const batch = await completedOf(sample, blobs);
  let reads = 0;
  const counted = {
    get: async (address: string) => {
      onRead(++reads);
      return blobs.get(address);
    },
  };
  const [operation] = batchProofOperations({
    ...ports,
    batches: { ...ports.batches, findBatch: async () => batch },
    blobs: counted,
    results: signedResults({ ...ports, blobs: counted }),
  } as unknown as Parameters<typeof batchProofOperations>[0]) as [Operation];
  const ask = (externalId: string, signal?: AbortSignal) =>
    operation.handle({
      params: { batch_id: batch.batchId },
      query: { external_id: externalId },
      request: fakeRequest({ path: '/', ...(signal && { signal }) }),
      tenantId: batch.tenantId,
    } as unknown as OperationContext);
  return { ask, reads: () => reads };
}

test('ends the search, and the next one has its turn', async () => {
  const left = new AbortController();
  const { ask, reads } = await proofs((count) => count === 5 && left.abort());
  const proof = ask('nobody', left.signal);
  const behind = ask('nobody');
  await expect(proof).rejects.toThrow('aborted');
  expect(reads()).toBeLessThan(10);
  await expect(behind).rejects.toMatchObject({ code: 'not-found' });
  expect(reads()).toBeGreaterThan(CHUNKS);
});

test('that waits for its turn never begins', async () => {
  const left = new AbortController();
  const { ask, reads } = await proofs((count) => count === 5 && left.abort());
  const first = ask('nobody');
  const waiting = ask('nobody', left.signal);
  await expect(first).rejects.toMatchObject({ code: 'not-found' });
  const read = reads();
  await expect(waiting).rejects.toThrow('aborted');
  expect(reads()).toBe(read);
});
