/** How requests end without their change: by whom, once, and with an entry. */
import { expect, test } from 'vitest';
import { chainOf, DomainError } from '#core/kernel';
import { eachApart } from '#core/work';
import {
  approvalTable,
  EXPIRED_PER_RUN_MAX,
  expireRequests,
  rejectRequest,
  withdrawRequest,
} from '#slices/approvals';
import { approvalHouse, OTHER_TENANT, principalOf, requestOf, START, TENANT } from './requests.ts';

const REQUEST = requestOf(1);
const PLACE = { approvalId: REQUEST.approvalId, tenantId: TENANT };
const CARL = principalOf('carl');
const DORA = principalOf('dora');
const comment = 'Not this week';

test('a rejection says who and why; the comment can be erased', async () => {
  const { house, ports } = approvalHouse(REQUEST);
  const rejected = await rejectRequest(ports, {
    ...PLACE,
    comment,
    ip: '10.0.0.1',
    principal: DORA,
  });
  expect(rejected).toMatchObject({ comment, endedBy: 'person-dora', state: 'rejected' });
  expect(house.records(approvalTable)).toEqual([rejected]);
  expect(house.commits[0]?.chainId).toBe(chainOf(TENANT));
  expect(house.events).toMatchObject([
    {
      members: {
        action: 'APPROVAL_REJECTED',
        actor: 'person:person-dora',
        target: 'approval:approval-0001',
      },
      open: { comment, ip: '10.0.0.1' },
    },
  ]);
  expect(JSON.stringify(house.events[0]?.members)).not.toContain(comment);
  expect(house.bus).toMatchObject([
    {
      partition: TENANT,
      payload: { approval_id: 'approval-0001', resource: 'sanctions_source', state: 'rejected' },
      topic: 'approvals.decided',
    },
  ]);
});

test.each([
  ['its author', CARL, 'dual-control-same-person'],
  ['nobody who is registered', principalOf('eve', 'dsi_admin'), 'person-required'],
  ['a machine', { ...DORA, kind: 'api-key' as const }, 'person-required'],
])('%s does not reject it', async (_, principal, code) => {
  const { house, ports } = approvalHouse(REQUEST);
  await expect(rejectRequest(ports, { ...PLACE, comment, principal })).rejects.toMatchObject({
    code,
  });
  expect(house.commits).toEqual([]);
});

test('a person of neither role does not reject it', async () => {
  const { ports } = approvalHouse(requestOf(1, { signerRoles: ['admin'] }));
  const ask = { ...PLACE, comment, principal: DORA };
  await expect(rejectRequest(ports, ask)).rejects.toMatchObject({ code: 'dual-control-roles' });
});

test('its author alone withdraws it', async () => {
  const { house, ports } = approvalHouse(REQUEST);
  const refused = withdrawRequest(ports, { ...PLACE, principal: DORA });
  await expect(refused).rejects.toMatchObject({ code: 'role-insufficient' });
  const withdrawn = await withdrawRequest(ports, { ...PLACE, principal: CARL });
  expect(withdrawn).toMatchObject({ endedBy: 'person-carl', state: 'withdrawn' });
  expect(house.events).toHaveLength(1);
});

test("another tenant's request is as unknown as none", async () => {
  const { ports } = approvalHouse(REQUEST);
  const asks = [
    { ...PLACE, tenantId: OTHER_TENANT },
    { ...PLACE, approvalId: 'nothing' },
  ];
  for (const place of asks) {
    const refused = withdrawRequest(ports, { ...place, principal: CARL });
    await expect(refused).rejects.toMatchObject({ code: 'approval-unknown' });
  }
});

test('of two ends at once the first stays', async () => {
  const { house, ports } = approvalHouse(REQUEST);
  house.overtake(() => withdrawRequest(ports, { ...PLACE, principal: CARL }));
  const late = rejectRequest(ports, { ...PLACE, comment, principal: DORA });
  await expect(late).rejects.toMatchObject({ code: 'state-conflict' });
  expect(house.records(approvalTable)).toMatchObject([{ state: 'withdrawn', version: 2 }]);
  expect(house.commits).toHaveLength(1);
});

test.each(['applied', 'rejected', 'withdrawn', 'expired', 'stale'] as const)(
  'a request that is %s ends no second time',
  async (state) => {
    const { house, ports } = approvalHouse(requestOf(1, { state, version: 2 }));
    const refused = [
      rejectRequest(ports, { ...PLACE, comment, principal: DORA }),
      withdrawRequest(ports, { ...PLACE, principal: CARL }),
    ];
    for (const one of refused) {
      await expect(one).rejects.toMatchObject({ code: 'state-conflict' });
    }
    expect(house.commits).toEqual([]);
  },
);

test('a tenant whose chain cannot be signed keeps no other request from expiring', async () => {
  const elsewhere = { ...requestOf(2), tenantId: OTHER_TENANT };
  const { house, moveTo, ports } = approvalHouse(REQUEST, elsewhere);
  moveTo(Math.max(REQUEST.expiresAt, elsewhere.expiresAt));
  const behind: typeof ports = {
    ...ports,
    commit: async (chainId, commit) => {
      if (chainId === chainOf(TENANT)) throw new DomainError('audit-chain-behind');
      return house.commit(chainId, commit);
    },
  };
  const failed: unknown[] = [];
  expect(
    await expireRequests(
      behind,
      eachApart((tenantId) => void failed.push(tenantId)),
    ),
  ).toBe(1);
  expect(failed).toEqual([TENANT]);
  const states = house.records(approvalTable).map(({ state, tenantId }) => [tenantId, state]);
  expect(states.sort()).toEqual([
    [TENANT, 'open'],
    [OTHER_TENANT, 'expired'],
  ]);
});

test('after its time a request takes no decision, and expires once', async () => {
  const { house, moveTo, ports } = approvalHouse(REQUEST, requestOf(2));
  moveTo(REQUEST.expiresAt - 1);
  expect(await expireRequests(ports)).toBe(0);
  moveTo(REQUEST.expiresAt);
  const late = rejectRequest(ports, { ...PLACE, comment, principal: DORA });
  await expect(late).rejects.toMatchObject({ code: 'state-conflict' });
  expect(await expireRequests(ports)).toBe(1);
  expect(await expireRequests(ports)).toBe(0);
  const [first, second] = house.records(approvalTable);
  expect(first).toMatchObject({ endedAt: REQUEST.expiresAt, state: 'expired' });
  expect(first?.endedBy).toBeUndefined();
  expect(second?.state).toBe('open');
  expect(house.events).toMatchObject([
    { members: { action: 'APPROVAL_EXPIRED', actor: 'system:approvals' } },
  ]);
});

test('a decision that is faster than the job stays', async () => {
  const { house, moveTo, ports } = approvalHouse(REQUEST);
  house.overtake(() => {
    moveTo(REQUEST.expiresAt - 1);
    return withdrawRequest(ports, { ...PLACE, principal: CARL });
  });
  moveTo(REQUEST.expiresAt);
  await expireRequests(ports);
  expect(house.records(approvalTable)).toMatchObject([{ state: 'withdrawn' }]);
});

test('one run ends what it may, the next one goes on', async () => {
  const many = Array.from({ length: EXPIRED_PER_RUN_MAX + 1 }, (_, n) =>
    requestOf(n, { expiresAt: START }),
  );
  const { house, ports } = approvalHouse(...many);
  expect(await expireRequests(ports)).toBe(EXPIRED_PER_RUN_MAX);
  expect(await expireRequests(ports)).toBe(1);
  expect(house.records(approvalTable).every(({ state }) => state === 'expired')).toBe(true);
});
