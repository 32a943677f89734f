/** A person is found in all batches by his reference, and goes once no duty wants the results. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Erasures } from '#core/audit';
import {
  type EraseSubjectsPorts,
  erasureOfPersons,
  ordinalsOf,
  signedResults,
} from '#slices/batches';
import { startBatchRunner } from '../../../src/slices/batches/edge/jobs.ts';
import { onEachInstallation } from '../../storage/eachInstallation.ts';
import { quietLog } from '../../workers/quietWorker.ts';
import { BatchHouse } from './batchHouse.ts';
import { externalId } from './inventedCohort.ts';
import { type BatchParts, openBatches } from './workParts.ts';

onEachInstallation((env) => {
  let house: BatchHouse;
  let parts: BatchParts;
  let runner: ReturnType<typeof startBatchRunner>;
  beforeAll(async () => {
    house = await BatchHouse.open(env());
    parts = await openBatches(house.installation);
    runner = startBatchRunner({
      holder: 'test/one/0/0',
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

  function portsOf(): EraseSubjectsPorts {
    const { installation } = house;
    const { audit } = installation.storage;
    const read = { ...installation, audit };
    return {
      ...installation,
      batches: house.batches,
      erasures: new Erasures(read),
      results: signedResults(read),
      store: audit,
    };
  }

  test('a person goes out of batches once no duty wants the results', async () => {
    const batch = await house.completed(await house.submit({ subjects: 20 }));
    const { plan, erase: eraseHim } = erasureOfPersons(portsOf());
    const now = house.installation.clock.now();
    const him = { subjectRef: externalId(4), tenantId: batch.tenantId };
    const terms = (retentionYears: number) => ({ asOf: now, now, retentionYears });
    const [kept] = await plan(him, terms(10));
    expect(kept).toMatchObject({ action: 'keep', why: 'legal_duty' });
    expect(kept?.until).toBeGreaterThan(now + 9 * 365 * 24 * 3_600_000);
    const order = { actor: 'cli:test', pseudonym: 'psn_test', reason: 'asked' } as const;
    await eraseHim(him, { ...order, ...terms(10) });
    expect(await ordinalsOf(portsOf(), batch, him.subjectRef)).toEqual([4]);
    const before = await plan(him, terms(0));
    expect(before[0]).toMatchObject({ action: 'delete', why: 'no_duty' });
    await eraseHim(him, { ...order, ...terms(0) });
    expect(await ordinalsOf(portsOf(), batch, him.subjectRef)).toEqual([]);
    const left = (await plan(him, terms(0))).filter(({ action }) => action === 'delete');
    expect(left).toEqual([]);
  });

  test('a batch that is still read is looked at again in a day', async () => {
    const batch = await house.completed(await house.submit({ subjects: 2 }));
    const ports = portsOf();
    const listBatches: typeof ports.batches.listBatches = async (ask) =>
      (await ports.batches.listBatches(ask)).map(
        ({ chunksTotal: _, completedAt: __, ...one }) => ({ ...one, status: 'queued' }) as const,
      );
    const reading = Object.assign(Object.create(ports.batches), { listBatches });
    const now = house.installation.clock.now();
    const nobody = { subjectRef: 'of-no-batch', tenantId: batch.tenantId };
    const { plan } = erasureOfPersons({ ...ports, batches: reading });
    const [looked] = await plan(nobody, { asOf: now, now, retentionYears: 10 });
    expect(looked).toMatchObject({ action: 'keep', until: now + 24 * 3_600_000 });
  });
});
