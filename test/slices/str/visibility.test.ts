/** For whom a report exists: by state, by role, and what everybody else is told (R34). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listReports, readerOf, requestValidation } from '#slices/str';
import { makeSqliteHarness } from '../../storage/sqlite/harness.ts';
import { NAMES, type Name, openStrDesk, type StrDesk, TENANT } from './strDesk.ts';

let desk: StrDesk;
beforeAll(async () => {
  desk = await openStrDesk(makeSqliteHarness);
});
afterAll(() => desk.close());

const UNKNOWN = '0190ffff-0000-7000-8000-000000000000';

/** Those who see it; each of the others gets the very refusal of an unknown id. */
async function seers(strId: string): Promise<readonly Name[]> {
  const seen: Name[] = [];
  for (const name of NAMES) {
    const unknown = await desk.see(UNKNOWN, name).catch((error) => error);
    const found = await desk.see(strId, name).catch((error) => error);
    if (!(found instanceof Error)) seen.push(name);
    else expect(JSON.stringify(found)).toBe(JSON.stringify(unknown));
  }
  return seen;
}

const listed = async (strId: string): Promise<readonly Name[]> => {
  const found: Name[] = [];
  for (const name of NAMES) {
    const { principal } = desk.as(name);
    const reader = readerOf(principal, Object.values(desk.persons));
    const { reports } = await listReports(desk.ports, { limit: 100, reader, tenantId: TENANT });
    if (reports.some((one) => one.strId === strId)) found.push(name);
  }
  return found;
};

test('each state exists for its own people, in a list as by its id', async () => {
  const { strId } = await desk.draft('agnes');
  const drafts = ['agnes', 'carl', 'cora', 'mira'];
  expect([await seers(strId), await listed(strId)]).toEqual([drafts, drafts]);
  await requestValidation(desk.ports, { ...desk.as('agnes'), strId });
  const pending = ['agnes', 'carl', 'cora', 'dpo', 'mira'];
  expect([await seers(strId), await listed(strId)]).toEqual([pending, pending]);
  await desk.validate(await desk.find(strId));
  expect([await seers(strId), await listed(strId)]).toEqual([drafts, drafts]);
  await desk.submit(strId);
  const filed = ['aude', 'carl', 'cora', 'root'];
  expect([await seers(strId), await listed(strId)]).toEqual([filed, filed]);
  await desk.step(strId);
  expect([await seers(strId), await listed(strId)]).toEqual([filed, filed]);
});

test('another tenant’s officer sees nothing of it', async () => {
  const { strId } = await desk.draft('agnes');
  const ask = {
    ...desk.as('carl', '0190bbbb-0000-7000-8000-00000000000b' as typeof TENANT),
    strId,
  };
  const { seeReport } = await import('#slices/str');
  await expect(seeReport(desk.ports, ask)).rejects.toMatchObject({ code: 'str-unknown' });
});
