/** Planning over all tenants: one who cannot be planned for keeps nobody else waiting. */
import { expect, test } from 'vitest';
import { allRecords, DomainError, type TenantId } from '#core/kernel';
import { eachApart } from '#core/work';
import { planRuns, registerSubjects, runTable } from '#slices/rescreening';
import { customer, openWorld, TENANT } from './world.ts';

/** Behind TENANT in the order of ids. */
const OTHER = '0190bbbb-0000-7000-8000-00000000000b' as TenantId;

async function openTwo() {
  const world = openWorld();
  for (const tenantId of [TENANT, OTHER]) {
    await registerSubjects(world.ports, {
      actor: 'cli:test',
      addedBy: 'command-line',
      subjects: [customer(1)],
      tenantId,
    });
  }
  return world;
}

test('a tenant whose policy was altered is left out, and the next one is not', async () => {
  const world = await openTwo();
  const pin: typeof world.ports.pin = async (tenantId) => {
    if (tenantId === TENANT) throw new DomainError('state-altered');
    return world.ports.pin(tenantId);
  };
  const left: TenantId[] = [];
  const apart = eachApart((tenantId) => left.push(tenantId));
  expect(await planRuns({ ...world.ports, pin }, undefined, apart)).toBe(2);
  expect(left).toEqual([TENANT]);
  const runs = await allRecords(world.house.tables, runTable, { index: 'key' });
  expect(runs.map(({ tenantId }) => tenantId)).toEqual([OTHER, OTHER]);
});

test('a tenant who wants no runs any more is behind nothing', async () => {
  const world = await openTwo();
  const told: unknown[] = [];
  const figures = {
    looked: () => undefined,
    planned: (...of: readonly unknown[]) => void told.push(of),
  };
  const pin: typeof world.ports.pin = async (tenantId) => ({
    ...(await world.ports.pin(tenantId)),
    isWanted: false,
  });
  expect(await planRuns({ ...world.ports, figures, pin })).toBe(0);
  expect(told).toEqual([
    [TENANT, undefined],
    [OTHER, undefined],
  ]);
});
