/** Races and deaths: one package, one event, and no validation of what was not validated (T14). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { StaleChange } from '#core/audit';
import { changeReport, requestValidation, submitReport } from '#slices/str';
import { makeSqliteHarness } from '../../storage/sqlite/harness.ts';
import { openStrDesk, type StrDesk, WHOLE } from './strDesk.ts';

const RACES = 6;

let desk: StrDesk;
beforeAll(async () => {
  desk = await openStrDesk(makeSqliteHarness);
});
afterAll(() => desk.close());

test('validated while it is edited: never submitted as what was not validated', async () => {
  for (let race = 0; race < RACES; race++) {
    const { strId } = await desk.draft();
    await requestValidation(desk.ports, { ...desk.as('agnes'), strId });
    const report = await desk.find(strId);
    await Promise.allSettled([
      desk.validate(report),
      changeReport(desk.ports, { ...desk.as('agnes'), strId }, { action: `Edit ${race}` }),
    ]);
    const after = await desk.find(strId);
    // The edit is always there, and it is the later one: whatever the officer saw is void.
    expect([after.status, after.validation]).toEqual(['draft', undefined]);
    await expect(desk.submit(strId)).rejects.toMatchObject({ code: 'state-conflict' });
  }
});

test('submitted by several at once: one package, one entry, one event', async () => {
  const { strId } = await desk.validated();
  const tries = await Promise.allSettled([
    desk.submit(strId),
    desk.submit(strId),
    desk.submit(strId, 'cora'),
  ]);
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const one of tries) {
    if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'state-conflict' });
  }
  expect((await desk.find(strId)).submissions).toHaveLength(1);
  expect(await desk.entries('str.submitted', strId)).toHaveLength(1);
});

test('killed between package and event: filed once by whoever repeats it', async () => {
  const { strId } = await desk.validated();
  const dying = { ...desk.ports, commit: () => Promise.reject(new Error('killed')) };
  for (let kill = 0; kill < RACES; kill++) {
    const ask = { ...desk.as('carl'), strId };
    await expect(submitReport(dying as never, ask)).rejects.toThrow('killed');
    expect((await desk.find(strId)).status).toBe('validated');
  }
  await desk.submit(strId);
  const report = await desk.find(strId);
  expect(report.submissions).toHaveLength(1);
  // Acknowledged, told and lost: the commit was made, and the worker died before it knew.
  const lost = {
    ...desk.ports,
    commit: async (...of: Parameters<typeof desk.commit>) => {
      await desk.commit(...of);
      throw new StaleChange(0);
    },
  };
  const { dispatchStep } = await import('#slices/str');
  const hold = await desk.hold(strId);
  await dispatchStep(lost as never, hold as never).catch(() => undefined);
  await hold?.end();
  await desk.release(strId);
  await desk.step(strId);
  expect((await desk.find(strId)).status).toBe('acknowledged');
  expect(await desk.entries('str.acknowledged', strId)).toHaveLength(1);
});

test('two reports of one reference: the second is told so, and is not filed', async () => {
  const content = { ...WHOLE, entity_reference: 'TWICE' };
  const first = await desk.validated('agnes', content);
  const second = await desk.validated('agnes', content);
  await desk.submit(first.strId);
  await expect(desk.submit(second.strId)).rejects.toMatchObject({ code: 'state-conflict' });
  const { isFiled, status } = await desk.find(second.strId);
  expect([isFiled, status]).toEqual([false, 'validated']);
});
