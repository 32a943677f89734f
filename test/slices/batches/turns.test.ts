/** Long work on the batches of one tenant, beside another tenant's. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Batch,
  type BatchChunk,
  type BatchPorts,
  chunkTable,
  type PlacedBatch,
} from '#slices/batches';
import { startBatchRunner } from '../../../src/slices/batches/edge/jobs.ts';
import { quietLog } from '../../workers/quietWorker.ts';
import { BatchHouse } from './batchHouse.ts';
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

test('batches of one tenant, be they more than one look sees, hide none of another', async () => {
  const first = await house.submit({ subjects: 1 });
  const { tenantId } = first;
  const many = [first];
  while (many.length < 6) many.push(await house.submit({ subjects: 1, tenantId }));
  const goOn = Promise.withResolvers<void>();
  const { batches } = parts.ports;
  const seen: number[] = [];
  const ports = {
    ...parts.ports,
    batches: {
      ...batches,
      openBatches: async () => {
        const open = await batches.openBatches(3);
        seen.push(open.length);
        return open;
      },
    },
    writeReports: async (of: PlacedBatch) => {
      if (of.tenantId === tenantId) await goOn.promise;
      return parts.ports.writeReports(of);
    },
  };
  const runner = startBatchRunner({ holder: 'test/two/0/0', log: quietLog, pollMs: 20, ports });
  await house.until(first, () => seen.includes(3));
  const small = await house.submit({ subjects: 1 });
  await house.expectWhole(await house.completed(small), 1);
  expect(Math.max(...seen)).toBe(3);
  goOn.resolve();
  for (const batch of many) await house.expectWhole(await house.completed(batch), 1);
  await runner.close();
});

test('reports of one tenant that take for ever leave room for a batch of another', async () => {
  const first = await house.submit({ subjects: 1 });
  const { tenantId } = first;
  const large = [first];
  while (large.length < 4) large.push(await house.submit({ subjects: 1, tenantId }));
  const goOn = Promise.withResolvers<void>();
  let begun = 0;
  const writeReports: BatchPorts['writeReports'] = async (of) => {
    if (of.tenantId === tenantId) {
      begun++;
      await goOn.promise;
    }
    return parts.ports.writeReports(of);
  };
  const ports = { ...parts.ports, writeReports };
  const runner = startBatchRunner({ holder: 'test/one/0/0', log: quietLog, pollMs: 20, ports });
  await house.until(first, () => begun === 2);
  const small = await house.submit({ subjects: 1 });
  await house.expectWhole(await house.completed(small), 1);
  expect(begun).toBe(2);
  goOn.resolve();
  for (const batch of large) await house.expectWhole(await house.completed(batch), 1);
  await runner.close();
});

type Ports = BatchParts['ports'];
type Threads = Ports['threads'];

const ended = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    const end = (): void => reject(signal.reason);
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
  });

const partOf = (subjects: number, { batchId }: Pick<Batch, 'batchId'>) =>
  Buffer.from(`${subjects} of ${batchId}`);

test('chunks that go on for ever leave room for a batch of another tenant', async () => {
  const costly: Batch[] = [];
  const { tenantId } = await house.submit({ subjects: 1 });
  while (costly.length < 3) costly.push(await house.submit({ subjects: 900, tenantId }));
  let pieces = 0;
  /** Of each batch, the blobs that its chunk has named. */
  const named = new Map<string, string[]>();
  const isCostly = new Set(costly.map(({ batchId }) => batchId as string));
  let isCheap = false;
  const screen: Threads['screen'] = async (asked, signal) => {
    if (isCheap || !isCostly.has(asked.batch.batchId))
      return parts.ports.threads.screen(asked, signal);
    pieces++;
    const { part } = asked.chunk as BatchChunk;
    const { batchId } = asked.batch;
    if (part) named.set(batchId, [...(named.get(batchId) ?? []), part.blob]);
    // As a thread answers whose time is up: what it did before, and one subject more.
    const before = asked.part === undefined ? '0' : Buffer.from(asked.part).toString();
    const subjects = 1 + Number.parseInt(before, 10);
    return { part: partOf(subjects, asked.batch), subjects };
  };
  const ports: Ports = { ...parts.ports, threads: { atOnce: 1, screen } };
  const runner = startBatchRunner({ holder: 'test/three/0/0', log: quietLog, pollMs: 20, ports });
  await house.until(costly[0] as Batch, () => pieces > 9);
  const small = await house.submit({ subjects: 10 });
  await house.expectWhole(await house.completed(small), 10);
  const tables = house.installation.storage.tables;
  const first = await tables.find(chunkTable, {
    batchId: (costly[0] as Batch).batchId,
    chunkNo: 0,
  });
  expect(first?.part?.subjects).toBeGreaterThan(1);
  await runner.close();
  // Of each chunk the last part alone is kept.
  const chunks = await Promise.all(
    costly.map(({ batchId }) => tables.find(chunkTable, { batchId, chunkNo: 0 })),
  );
  const { blobs } = house.installation;
  for (const [at, chunk] of chunks.entries()) {
    const last = chunk?.part?.blob ?? '';
    const all = new Set([...(named.get((costly[at] as Batch).batchId) ?? []), last]);
    for (const blob of all) expect([blob, await blobs.has(blob)]).toEqual([blob, blob === last]);
  }
  // A part that cannot be read is a fault; one that is not signed as it stands counts for nothing.
  isCheap = true;
  for (const { batchId } of costly) {
    const chunk = await tables.find(chunkTable, { batchId, chunkNo: 0 });
    if (chunk?.part === undefined) continue;
    const part = { ...chunk.part, subjects: chunk.part.subjects + 1 };
    await tables.saveWork(chunkTable, { key: { batchId, chunkNo: 0 }, work: { part } });
  }
  const second = startBatchRunner({ holder: 'test/four/0/0', log: quietLog, pollMs: 20, ports });
  for (const batch of costly) await house.expectWhole(await house.completed(batch), 900);
  await second.close();
});

test('workers that die of each piece serve one tenant after the other', async () => {
  const [a, b] = [await house.submit({ subjects: 1 }), await house.submit({ subjects: 1 })];
  const served: string[] = [];
  const runners: { close(): Promise<void> }[] = [];
  let life = 0;
  const live = async (): Promise<void> => {
    const own = ++life;
    const begun = Promise.withResolvers<void>();
    /** The store of a process that has died is asked by nobody. */
    const mortal = <T extends object>(store: T): T =>
      new Proxy(store, {
        get: (of, name) => {
          const call = Reflect.get(of, name) as (...args: unknown[]) => unknown;
          return async (...args: unknown[]) => {
            if (life !== own) throw new Error('died');
            return call(...args);
          };
        },
      });
    const screen: Threads['screen'] = (asked, signal) => {
      served.push(asked.batch.batchId);
      begun.resolve();
      return ended(signal);
    };
    const ports: Ports = {
      ...parts.ports,
      batches: mortal(parts.ports.batches),
      tables: mortal(parts.ports.tables),
      // One chunk at a time.
      threads: { atOnce: 0, screen },
    };
    const isGone = (holder: string): boolean => holder !== `test/life/0/${own}`;
    const holder = `test/life/0/${own}`;
    runners.push(startBatchRunner({ holder, isGone, log: quietLog, pollMs: 20, ports }));
    await begun.promise;
    life++;
  };
  // Read before the first death, so that only chunks are waited for.
  const reader = startBatchRunner({
    holder: 'test/reader/0/0',
    log: quietLog,
    pollMs: 20,
    ports: { ...parts.ports, threads: { atOnce: 0, screen: (_, signal) => ended(signal) } },
  });
  for (const batch of [a, b]) await house.until(batch, ({ chunksTotal }) => chunksTotal === 1);
  await reader.close();
  served.length = 0;
  for (let lives = 0; lives < 4; lives++) await live();
  expect(new Set(served.slice(0, 2))).toEqual(new Set([a.batchId, b.batchId]));
  expect(served[2]).toBe(served[0]);
  expect(served[3]).toBe(served[1]);
  const last = startBatchRunner({
    holder: 'test/last/0/0',
    isGone: (holder) => holder !== 'test/last/0/0',
    log: quietLog,
    pollMs: 20,
    ports: parts.ports,
  });
  for (const batch of [a, b]) await house.expectWhole(await house.completed(batch), 1);
  await last.close();
  await Promise.all(runners.map((runner) => runner.close()));
});
