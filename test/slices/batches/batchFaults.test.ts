/** Batches over a store that fails now and then: each ends, and nothing counts twice. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAuditLog } from '#core/audit';
import type { WorkLoop } from '#core/work';
import type { Clock } from '#platform/clock';
import { startBatchRunner } from '../../../src/slices/batches/edge/jobs.ts';
import { FaultyStorage } from '../../storage/faultyStorage.ts';
import { fastClock, quietLog } from '../../workers/quietWorker.ts';
import { BatchHouse } from './batchHouse.ts';
import { type BatchParts, openBatches } from './workParts.ts';

const SUBJECTS = 2_500;
/** Leases and pauses are shorter by it, and so the waits of this test. */
const TIMES_FASTER = 20;

interface Worker {
  readonly store: FaultyStorage;
  readonly parts: BatchParts;
  readonly runner: WorkLoop;
  close(): Promise<void>;
}

let house: BatchHouse;
beforeAll(async () => {
  house = await BatchHouse.open();
});
afterAll(() => house.close());

async function startWorker(holder: string, clock: Clock): Promise<Worker> {
  const { installation } = house;
  const { random, signer } = installation;
  const store = new FaultyStorage(installation.storage);
  const { storage } = store;
  const audit = createAuditLog({
    clock: installation.clock,
    holder,
    random,
    signer,
    store: storage.audit,
  });
  const parts = await openBatches({ ...installation, audit, storage });
  const ports = { ...parts.ports, clock };
  const runner = startBatchRunner({ holder, log: quietLog, pollMs: 20, ports, renewMs: 100 });
  const close = async () => {
    await runner.close();
    await parts.close();
    await audit.close();
  };
  return { close, parts, runner, store };
}

test('two workers whose every call fails in both ways screen each subject once', async () => {
  const clock = fastClock(house.installation.clock, TIMES_FASTER);
  const batches = [
    await house.submit({ subjects: SUBJECTS }),
    await house.submit({ subjects: SUBJECTS }),
    await house.submit({ subjects: 1 }),
  ];
  const workers = await Promise.all(
    ['test/one/0/0', 'test/two/0/0'].map((holder) => startWorker(holder, clock)),
  );
  for (const batch of batches) {
    await house.expectWhole(await house.completed(batch), Math.min(SUBJECTS, batch.subjectsTotal));
  }
  await Promise.all(workers.map((worker) => worker.close()));
  const faults = new Set(workers.flatMap(({ store }) => [...store.faults]));
  for (const call of ['claim', 'find', 'giveBack', 'held', 'insertMissing', 'inTurns', 'lease']) {
    expect(faults).toContain(`tables.${call} refused`);
    expect(faults).toContain(`tables.${call} answer-lost`);
  }
  expect(faults).toContain('audit.appendGroup refused');
  expect(faults).toContain('audit.appendGroup answer-lost');
  expect(faults).toContain('audit.takeHead answer-lost');
});
