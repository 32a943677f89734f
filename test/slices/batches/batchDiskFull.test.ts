/** A disk that is full for a while, at each step of a batch: it waits, says why, and goes on. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { DomainError } from '#core/kernel';
import type { Batch, BatchPorts } from '#slices/batches';
import { startBatchRunner } from '../../../src/slices/batches/edge/jobs.ts';
import { fastClock, quietLog } from '../../workers/quietWorker.ts';
import { BatchHouse } from './batchHouse.ts';
import { type BatchParts, openBatches } from './workParts.ts';

/** Leases and pauses are shorter by it, and so the waits of this test. */
const TIMES_FASTER = 50;
/** More than what makes a batch fail where nobody knows why. */
const REFUSALS = 14;

let house: BatchHouse;
let parts: BatchParts;
beforeAll(async () => {
  house = await BatchHouse.open();
  parts = await openBatches(house.installation);
});
afterAll(async () => {
  await parts.close();
  await house.close();
});

const full = (): never => {
  throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
};

type Step = 'cohort' | 'chunks' | 'reports';

const stepOf = ({ chunksTotal, counts }: Batch): Step => {
  if (chunksTotal === undefined) return 'cohort';
  return counts.chunks < chunksTotal ? 'chunks' : 'reports';
};

test('it waits in every step while the disk is full, and is whole in the end', async () => {
  const batch = await house.submit({ subjects: 1_500 });
  const refused = { chunks: 0, cohort: 0, reports: 0 };
  const notices = new Set<string>();
  const refuse = async (): Promise<void> => {
    const found = await house.find(batch);
    if (found.notice !== undefined) notices.add(`${stepOf(found)} ${found.notice.code}`);
    if (refused[stepOf(found)]++ < REFUSALS) full();
  };
  const put: BatchPorts['blobs']['put'] = async (bytes, options) => {
    if (bytes instanceof Uint8Array) await refuse();
    return parts.ports.blobs.put(bytes, options);
  };
  const writeReports: BatchPorts['writeReports'] = async (of) => {
    await refuse();
    return parts.ports.writeReports(of);
  };
  const runner = startBatchRunner({
    holder: 'test/one/0/0',
    log: quietLog,
    pollMs: 20,
    ports: {
      ...parts.ports,
      blobs: { ...parts.ports.blobs, put },
      clock: fastClock(parts.ports.clock, TIMES_FASTER),
      writeReports,
    },
    renewMs: 50,
  });
  await vi.waitUntil(() => Object.values(refused).every((times) => times > 0), {
    interval: 20,
    timeout: 60_000,
  });
  await house.expectWhole(await house.completed(batch), 1_500);
  await runner.close();
  expect([...notices].sort()).toEqual([
    'chunks storage-full',
    'cohort storage-full',
    'reports storage-full',
  ]);
});

test('a store that takes no writes is asked again after a while, not at once', async () => {
  const { batches, clock, tables } = parts.ports;
  let monotonicMs = 0;
  let refused: 'lease' | 'claim' | undefined = 'claim';
  const asked = { claim: 0, lease: 0, openBatches: 0 };
  const ask = (call: keyof typeof asked): void => {
    asked[call]++;
    if (call === refused) throw new DomainError('store-unavailable');
  };
  const runner = startBatchRunner({
    holder: 'test/two/0/0',
    log: quietLog,
    pollMs: 5,
    ports: {
      ...parts.ports,
      batches: {
        ...batches,
        openBatches: async (...args) => {
          ask('openBatches');
          return batches.openBatches(...args);
        },
      },
      tables: {
        ...tables,
        claim: async (...args) => {
          ask('claim');
          return tables.claim(...args);
        },
        lease: async (...args) => {
          ask('lease');
          return tables.lease(...args);
        },
      },
      clock: { monotonicMs: () => monotonicMs, now: () => clock.now() },
    },
  });
  const until = (condition: () => boolean): Promise<unknown> =>
    vi.waitUntil(condition, { interval: 5, timeout: 30_000 });
  const batch = await house.submit({ subjects: 1_500 });

  await until(() => asked.claim > 0);
  let enough = asked.openBatches + 20;
  await until(() => asked.openBatches > enough);
  expect(asked.claim).toBe(1);

  refused = 'lease';
  monotonicMs += 5_000;
  await until(() => asked.lease > 0);
  enough = asked.openBatches + 20;
  await until(() => asked.openBatches > enough);
  // All that work on chunks, and once more when the cohort is read: it is no failing batch then.
  const atOnce = parts.ports.threads.atOnce + 1;
  expect(asked.lease).toBeLessThanOrEqual(2 * atOnce);

  refused = undefined;
  monotonicMs += 5_000;
  await house.expectWhole(await house.completed(batch), 1_500);
  await runner.close();
});
