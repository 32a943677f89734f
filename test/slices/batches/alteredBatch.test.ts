/**
 * Whoever can write the database changes what a batch is to do: while it waits, between its start
 * and a chunk, or after its end, where another batch goes on from it. Nothing is screened by it.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ToldEvent } from '#core/kernel';
import { type Batch, finishBatch, readBatch, runChunk, startBatch } from '#slices/batches';
import { publicEvents } from '../../../src/slices/batches/edge/publicEvents.ts';
import { checkBatches } from '../../../src/slices/batches/edge/stateChecks.ts';
import type { SliceProcess } from '../../../src/slices/processes.ts';
import { administered, BatchHouse } from './batchHouse.ts';
import { holdOf, leaseChunk } from './holds.ts';
import { type BatchParts, openBatches } from './workParts.ts';

const ALTERED = { code: 'results-altered' };

let house: BatchHouse;
let parts: BatchParts;
let batch: Batch;
beforeAll(async () => {
  house = await BatchHouse.open();
  parts = await openBatches(house.installation);
});
afterAll(async () => {
  await parts?.close();
  await house?.close();
});
beforeEach(async () => {
  batch = await house.submit({ subjects: 20 });
});

function swap(from: string, to: string): void {
  const { dataDir } = house.installation.config;
  const file = join(dataDir, 'store', 'compliance.sqlite');
  const database = new DatabaseSync(file, { timeout: 10_000 });
  try {
    const text = 'UPDATE batch SET document = replace(document, ?, ?) WHERE batch_id = ?';
    expect(database.prepare(text).run(from, to, batch.batchId).changes).toBe(1);
  } finally {
    database.close();
  }
}

async function started(): Promise<void> {
  const hold = await holdOf(parts.ports, await startBatch(parts.ports, batch), 'one');
  await readBatch(parts.ports, hold);
  await hold.end();
}

async function screened(): Promise<void> {
  const chunk = await leaseChunk(parts.ports, batch, 'one');
  if (chunk === undefined) throw new Error('a chunk waits');
  try {
    await runChunk(parts.ports, await house.find(batch), chunk);
    await chunk.end();
  } catch (error) {
    await chunk.giveBack({ isTried: false });
    throw error;
  }
}

async function finished(): Promise<Batch> {
  const hold = await holdOf(parts.ports, await house.find(batch), 'one');
  batch = await finishBatch(parts.ports, hold);
  return batch;
}

describe('one that waits does not start', () => {
  test.each([
    ['with other thresholds', '"autoClear":0.6', '"autoClear":0.9'],
    ['with other weights', '"missingAttributes":"rescale"', '"missingAttributes":"zero"'],
    ['without politically exposed persons', '"includePep":true', '"includePep":false'],
    ['for another address', '"baseUrl":"http://127', '"baseUrl":"http://126'],
  ])('%s', async (_, from, to) => {
    swap(from, to);
    await expect(startBatch(parts.ports, await house.find(batch))).rejects.toMatchObject(ALTERED);
  });
});

test('what is told of one that has ended is what was signed', async () => {
  await started();
  await screened();
  const { attestation } = (await finished()).reports ?? {};
  const [event] = publicEvents;
  const process = house.installation as unknown as SliceProcess;
  const forged = { batch_id: batch.batchId, hits_total: 0, subjects_with_hits: 0 };
  const told = (payload: ToldEvent['payload']) =>
    event?.dataOf(
      {
        createdAt: batch.completedAt ?? 0,
        partition: batch.tenantId,
        payload,
        topic: 'aml.batch.completed',
      },
      process,
    );
  const { hits, subjectsWithHits } = batch.counts;
  expect(hits).toBeGreaterThan(0);
  const data = {
    attestation_sha256: attestation?.address,
    batch_name: batch.name,
    hits_total: hits,
    list_versions: [{ list_version: expect.any(String), source: 'DEMO' }],
    mode: 'full',
    subjects_processed: 20,
    subjects_total: 20,
    subjects_with_hits: subjectsWithHits,
  };
  expect(await told(forged)).toMatchObject(data);
  swap(`"hits":${hits}`, '"hits":0');
  swap(`"name":"${batch.name}"`, '"name":"Nothing"');
  swap('"mode":"full"', '"mode":"delta"');
  expect(await told(forged)).toMatchObject(data);
  await expect(told({ batch_id: randomUUID() })).rejects.toMatchObject({
    code: 'evidence-altered',
  });
});

test('one that runs is not screened with other settings, whatever they are later', async () => {
  await started();
  for (const [from, to] of [
    ['"autoClear":0.6', '"autoClear":0.9'],
    ['"includePep":true', '"includePep":false'],
  ] as const) {
    swap(from, to);
    await expect(screened()).rejects.toMatchObject(ALTERED);
    swap(to, from);
  }
  await screened();
  expect((await finished()).status).toBe('completed');
});

test('one that has ended is no base, if it is not what was signed', async () => {
  await started();
  await screened();
  const { results } = parts.ports;
  await expect(results.checkCompleted(await house.find(batch))).rejects.toMatchObject(ALTERED);
  await finished();
  await results.checkCompleted(batch);
  const lists = batch.listsPinned?.map((list) => ({ ...list, list_version: 'v2027-01-01.a' }));
  for (const forged of [
    { ...batch, listsPinned: lists ?? [] },
    { ...batch, mode: 'newlist' as const },
    { ...batch, counts: { ...batch.counts, hits: 0 } },
    { ...batch, resultsRoot: '0'.repeat(64) },
  ]) {
    await expect(results.checkCompleted(forged)).rejects.toMatchObject(ALTERED);
  }
  expect(await checkBatches(administered(house, batch))).toMatch(/batches are what was signed$/);
  swap(`"hits":${batch.counts.hits}`, '"hits":0');
  await expect(checkBatches(administered(house, batch))).rejects.toThrow(
    `batch ${batch.batchId}: hits is not`,
  );
  swap('"hits":0', `"hits":${batch.counts.hits}`);
  const canceled = { ...batch, status: 'canceled' as const };
  await expect(results.checkRecord(canceled)).rejects.toMatchObject(ALTERED);
});
