/** A proof whose caller has left: the search through millions of results ends. */
import { expect, test } from 'vitest';
import { signedResults } from '#slices/batches';
import type { Operation, OperationContext } from '../../../src/api/operation.ts';
import { batchProofOperations } from '../../../src/slices/batches/edge/proof.ts';
import { fakeRequest } from '../../api/fakes.ts';
import { sampleBatch } from '../../reports/sampleBatch.ts';
import { completedOf, SampleBlobs, storeOf } from '../../reports/sampleStore.ts';

const CHUNKS = 120;

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
    clock: { monotonicMs: () => 0 },
    results: signedResults({ ...ports, blobs: counted }),
  } as unknown as Parameters<typeof batchProofOperations>[0]) as [Operation];
  const charged: number[] = [];
  const ask = (externalId: string, signal?: AbortSignal) =>
    operation.handle({
      charge: async (tokens: number) => void charged.push(tokens),
      params: { batch_id: batch.batchId },
      query: { external_id: externalId },
      request: fakeRequest({ path: '/', ...(signal && { signal }) }),
      tenantId: batch.tenantId,
    } as unknown as OperationContext);
  return { ask, charged, reads: () => reads };
}

test('ends the search, and no other one', async () => {
  const left = new AbortController();
  const { ask, reads } = await proofs((count) => count === 5 && left.abort());
  await expect(ask('nobody', left.signal)).rejects.toThrow('aborted');
  expect(reads()).toBe(5);
  await expect(ask('nobody')).rejects.toMatchObject({ code: 'not-found' });
  expect(reads()).toBe(5 + 1 + CHUNKS); // the attestation, too
});

test('that comes too late never begins', async () => {
  const { ask, reads } = await proofs(() => undefined);
  await expect(ask('nobody', AbortSignal.abort())).rejects.toThrow('aborted');
  expect(reads()).toBe(0);
});

test('costs a token for each hundred chunks', async () => {
  const { ask, charged } = await proofs(() => undefined);
  await expect(ask('nobody')).rejects.toMatchObject({ code: 'not-found' });
  expect(charged).toEqual([Math.floor(CHUNKS / 100)]);
});
