/** Steps of a worker that was slow, or whose disk or store failed it, beside those of another. */
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Batch,
  type BatchPorts,
  type BatchReports,
  finishBatch,
  readBatch,
  runChunk,
  startBatch,
} from '#slices/batches';
import { BatchHouse, LISTED } from './batchHouse.ts';
import { holdOf, leaseChunk } from './holds.ts';
import { type BatchParts, openBatches } from './workParts.ts';

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

const holdBatch = (batch: Batch, holder: string) => holdOf(parts.ports, batch, holder);

/** Everything of it is screened, and nobody has said so yet. */
async function screened(subjects: number): Promise<Batch> {
  const { ports } = parts;
  const batch = await house.submit({ subjects });
  const hold = await holdBatch(await startBatch(ports, batch), 'one');
  await readBatch(ports, hold);
  for (let chunk = await leaseChunk(ports, batch, 'one'); chunk; ) {
    await runChunk(ports, await house.find(batch), chunk);
    await chunk.end();
    chunk = await leaseChunk(ports, batch, 'one');
  }
  return house.find(batch);
}

test('one that is slow to start a batch pins no other lists under a batch that runs', async () => {
  const { ports } = parts;
  const batch = await house.submit({ subjects: 1 });
  const slow = startBatch(
    {
      ...ports,
      pinLists: async (asked) => {
        const pinned = await ports.pinLists(asked);
        await house.publish([...LISTED, 'Nobody Among Them']);
        await startBatch(ports, batch);
        return pinned;
      },
    },
    batch,
  );
  await expect(slow).rejects.toThrow('another worker has started it');
  const found = await house.find(batch);
  expect(found.listsPinned).toEqual((await ports.pinLists(batch)).listsPinned);
  const started = (await house.entries(batch)).filter(
    ({ action }) => action === 'aml.batch.started',
  );
  expect(started).toHaveLength(1);
});

test('a disk that is full while the cohort is read fails the reading alone', async () => {
  const { ports } = parts;
  // Sealed in frames of 1 MiB.
  const batch = await house.submit({ subjects: 60_000 });
  const hold = await holdBatch(await startBatch(ports, batch), 'one');
  const isFull = Promise.withResolvers<void>();
  const put: BatchPorts['blobs']['put'] = async (bytes, options) => {
    if (!(bytes instanceof Uint8Array)) return ports.blobs.put(bytes, options);
    isFull.resolve();
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  };
  // A few chunks, and the rest once the disk is full, while the reader waits for it.
  const open = async () =>
    (async function* () {
      const whole = (await ports.blobs.get(batch.source.sealed?.blob ?? '')) ?? new Uint8Array();
      yield whole.subarray(0, -100_000);
      await isFull.promise;
      await setImmediate();
      yield whole.subarray(-100_000);
    })();
  const unhandled: unknown[] = [];
  const listener = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', listener);
  try {
    const reading = readBatch({ ...ports, blobs: { ...ports.blobs, open, put } }, hold);
    await expect(reading).rejects.toThrow('no space left');
  } finally {
    process.off('unhandledRejection', listener);
    await hold.giveBack({ isTried: false });
  }
  expect(unhandled).toEqual([]);
});

test('whoever writes the reports anew writes the same bytes', async () => {
  const { ports } = parts;
  const batch = await screened(1_500);
  const first = await holdBatch(batch, 'one');
  const dies = async (): Promise<never> => {
    throw new Error('died before the commit');
  };
  const seen: BatchReports[] = [];
  const writeReports: BatchPorts['writeReports'] = async (of) => {
    const reports = await ports.writeReports(of);
    seen.push(reports);
    return reports;
  };
  const dying = finishBatch({ ...ports, commit: dies, writeReports }, first);
  await expect(dying).rejects.toThrow('died before the commit');
  await first.giveBack({ isTried: false });
  const completed = await finishBatch({ ...ports, writeReports }, await holdBatch(batch, 'two'));
  const digests = ({ csv, pdf, xlsx }: BatchReports) => [csv, pdf, xlsx].map((one) => one.address);
  expect(seen.at(1)).toEqual(completed.reports);
  expect(seen.map(digests)).toEqual([seen[1], seen[1]].map((one) => digests(one as BatchReports)));
  await house.expectWhole(completed, 1_500);
});
