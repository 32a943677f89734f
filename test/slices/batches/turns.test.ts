/** Long work on the batches of one tenant, beside another tenant's. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Batch, BatchPorts } from '#slices/batches';
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
    writeReports: async (of: Batch) => {
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
}, 60_000);

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
}, 60_000);
