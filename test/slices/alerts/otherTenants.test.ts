/** A tenant whose chain cannot be signed holds up no other tenant's work. */
import { expect, test } from 'vitest';
import { type ChainId, chainOf, DomainError, type TenantId } from '#core/kernel';
import { eachApart } from '#core/work';
import { alertTable, markOverdue, raiseAlerts } from '#slices/alerts';
import { draftOf, OTHER_TENANT, openDesk, START, TENANT } from './desk.ts';

const LONG_MS = 1_000 * 3_600_000;

test('overdue alerts of others are marked, and the tenant is told of once', async () => {
  const { house, moveTo, ports } = openDesk();
  await raiseAlerts(ports, TENANT, [draftOf(1), draftOf(2)]);
  await raiseAlerts(ports, OTHER_TENANT, [draftOf(1)]);
  moveTo(START + LONG_MS);
  const tried: ChainId[] = [];
  const behind: typeof ports = {
    ...ports,
    commit: async (chainId, commit) => {
      tried.push(chainId);
      if (chainId === chainOf(TENANT)) throw new DomainError('audit-chain-behind');
      return ports.commit(chainId, commit);
    },
  };
  const failed: TenantId[] = [];
  const perTenant = eachApart((tenantId) => void failed.push(tenantId));
  expect(await markOverdue(behind, undefined, perTenant)).toEqual({ altered: 0, overdue: 1 });
  expect(failed).toEqual([TENANT]);
  expect(tried).toEqual([chainOf(TENANT), chainOf(OTHER_TENANT)]);
  const overdue = house.records(alertTable).filter(({ deadline }) => deadline === 'breached');
  expect(overdue.map(({ tenantId }) => tenantId)).toEqual([OTHER_TENANT]);
});

test('a store that does not answer ends the run', async () => {
  const { moveTo, ports } = openDesk();
  await raiseAlerts(ports, TENANT, [draftOf(1)]);
  moveTo(START + LONG_MS);
  const down: typeof ports = {
    ...ports,
    commit: () => Promise.reject(new DomainError('store-unavailable')),
  };
  const failed: TenantId[] = [];
  const run = markOverdue(
    down,
    undefined,
    eachApart((tenantId) => void failed.push(tenantId)),
  );
  await expect(run).rejects.toMatchObject({ code: 'store-unavailable' });
  expect(failed).toEqual([]);
});
