/** Several batches in one worker: tenants in turns, cancellation, and lists that move on. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WorkLoop } from '#core/work';
import { type Batch, cancelBatch, chunksOf } from '#slices/batches';
import { startBatchRunner } from '../../../../src/slices/batches/edge/jobs.ts';
import { quietLog } from '../../../workers/quietWorker.ts';
import { BatchHouse } from '../batchHouse.ts';
import { type BatchParts, openBatches } from '../workParts.ts';

let house: BatchHouse;
let parts: BatchParts;
let runner: WorkLoop;
beforeAll(async () => {
  house = await BatchHouse.open();
  parts = await openBatches(house.installation);
  runner = startBatchRunner({
    holder: house.installation.holder,
    log: quietLog,
    pollMs: 20,
    ports: parts.ports,
  });
});
afterAll(async () => {
  await runner.close();
  await parts.close();
  await house.close();
});

const cancel = ({ batchId, tenantId }: Batch): Promise<Batch> => {
  const { batches } = house;
  const { audit, clock, random } = house.installation;
  return cancelBatch(
    { batches, clock, commit: (chain, commit) => audit.commit(chain, commit), random },
    { actor: 'cli:test', batchId, tenantId },
  );
};
const hasBegun = ({ counts }: Batch): boolean => counts.chunks > 0;

async function doneAt(batch: Batch): Promise<readonly number[]> {
  const times: number[] = [];
  for await (const { result } of chunksOf(house.batches, batch)) {
    if (result !== undefined) times.push(result.completedAt);
  }
  return times;
}

test('the small batch of one tenant waits for a few chunks of another one', async () => {
  const large = await house.submit({ subjects: 50_000 });
  await house.until(large, hasBegun);
  const small = await house.submit({ subjects: 1_000 });
  const { requestedAt } = small;
  await house.until(small, hasBegun);
  const [screenedAt = 0] = await doneAt(small);
  const meanwhile = (await doneAt(large)).filter((at) => at > requestedAt && at < screenedAt);
  // A tenth of the large one's fifty.
  expect(meanwhile.length).toBeLessThan(5);
  await house.expectWhole(await house.completed(small), 1_000);
  await cancel(large);
});

test('a batch that is canceled is screened no further, and the next one is', async () => {
  const batch = await house.submit({ subjects: 30_000 });
  await house.until(batch, hasBegun);
  const canceled = await cancel(batch);
  const next = await house.completed(await house.submit({ subjects: 1_000 }));
  await house.expectWhole(next, 1_000);
  const after = await house.find(batch);
  expect(after).toMatchObject({ counts: canceled.counts, status: 'canceled' });
  expect((await doneAt(batch)).length).toBe(canceled.counts.chunks);
  const actions = (await house.entries(batch)).map(({ action }) => action);
  expect(actions.at(-1)).toBe('aml.batch.canceled');
  await expect(cancel(batch)).rejects.toMatchObject({ code: 'state-conflict' });
});

test('a list that is published meanwhile is for the next batch', async () => {
  const batch = await house.submit({ subjects: 8_000 });
  const begun = await house.until(batch, hasBegun);
  await house.publish(['Nobody Among Them']);
  const completed = await house.completed(batch);
  expect(completed.listsPinned).toEqual(begun.listsPinned);
  await house.expectWhole(completed, 8_000);
  const next = await house.completed(await house.submit({ subjects: 1_000 }));
  expect(next.listsPinned).not.toEqual(begun.listsPinned);
  expect(next.counts).toMatchObject({ hits: 0, subjects: 1_000 });
});

test('screenings of a sanctions batch are in the chain, beside the ends of chunks', async () => {
  await house.publish(['Zorbandule Kelvorth']);
  const batch = await house.submit({ kind: 'sanctions', subjects: 120 });
  const { counts } = await house.completed(batch);
  expect(counts).toMatchObject({ chunks: 3, hits: 4, subjects: 120, subjectsWithHits: 4 });
  const events = await house.installation.storage.audit.readEvents({
    chainId: batch.tenantId as never,
    fromSeq: 1,
    limit: 1_000,
  });
  expect(events.filter(({ type }) => type === 'screening')).toHaveLength(120);
  // Its reports are not those of an AML batch, whose addresses that message would send.
  expect(await house.completions(batch)).toBe(0);
});

test('a batch whose list is lost fails, and says which', async () => {
  const version = await house.publish(['Quellmar Ostrevani']);
  await house.lose(version);
  const batch = await house.submit({ subjects: 1_000 });
  const failed = await house.until(batch, ({ status }) => status === 'failed');
  expect(failed.failure).toEqual({
    code: 'list-unavailable',
    detail: expect.stringContaining(`DEMO ${version.listVersion}`),
  });
  expect(failed.counts.subjects).toBe(0);
  const actions = (await house.entries(batch)).map(({ action }) => action);
  expect(actions.at(-1)).toBe('aml.batch.failed');
});
