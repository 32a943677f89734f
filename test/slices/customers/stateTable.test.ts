/** Every state × decision × role, and every tier: no move but those of the table. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Role } from '#core/identity';
import {
  CASE_STATUSES,
  type CaseRecord,
  type CaseStatus,
  DECISIONS,
  RISK_TIERS,
  requireCase,
  rolesFor,
  TRANSITIONS,
} from '#slices/customers';
import {
  APPROVE,
  as,
  type CaseDesk,
  decide,
  documentless,
  given,
  openCaseDesk,
  openOne,
  REJECT,
  reviewOne,
  riskOf,
  submitOne,
  TENANT,
} from './caseDesk.ts';

let desk: CaseDesk;
beforeAll(async () => {
  desk = await openCaseDesk();
});
afterAll(async () => desk.close());
beforeEach(async () => {
  Object.assign(desk.around, { mayApprove: true, risk: undefined, screeningFault: undefined });
  await documentless(desk);
});

const now = (record: Pick<CaseRecord, 'caseId'>) =>
  requireCase(desk.ports, { caseId: record.caseId, tenantId: TENANT });
const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'done',
    (error: { code: string }) => error.code,
  );

const ROLES: readonly Role[] = [
  'agent_l1',
  'agent_l2',
  'mlro',
  'compliance_officer',
  'compliance_director',
  'dsi_admin',
  'data_protection_officer',
  'auditor',
  'admin',
  'developer',
];

describe('every state, decision and role', () => {
  const approved = async () => decide(desk, await reviewOne(desk), as('ada'), APPROVE);
  const reach: Readonly<Partial<Record<CaseStatus, () => Promise<CaseRecord>>>> = {
    approved,
    awaiting_customer: async () =>
      decide(desk, await reviewOne(desk), as('ada'), given('request_documents')),
    canceled: async () => decide(desk, await openOne(desk), as('ada'), given('cancel')),
    manual_review: () => reviewOne(desk),
    open: () => openOne(desk),
    processing: () => submitOne(desk),
    rejected: async () => decide(desk, await reviewOne(desk), as('ada'), REJECT),
  };

  test.each(CASE_STATUSES.filter((status) => status in reach))(
    'from %s a case goes where the table says, by whom it says',
    async (status) => {
      let record = await reach[status]?.();
      if (record === undefined) throw new Error(status);
      for (const decision of DECISIONS) {
        const { from, to } = TRANSITIONS[decision];
        for (const role of ROLES) {
          const by = { ...as('ada'), roles: [role] };
          const code = await codeOf(decide(desk, record, by, given(decision)));
          const after: CaseRecord = await now(record);
          const mayDo = rolesFor(decision, record).includes(role);
          const isThere = from.includes(status);
          const expected = mayDo ? (isThere ? 'done' : 'state-conflict') : 'role-insufficient';
          expect([decision, role, code]).toEqual([decision, role, expected]);
          expect(after.status).toBe(expected === 'done' ? to : status);
          if (expected === 'done') record = (await reach[status]?.()) ?? record;
        }
      }
    },
  );

  test.each(RISK_TIERS)('who decides a case of tier %s', async (tier) => {
    desk.around.risk = riskOf(tier);
    await documentless(desk, { four_eyes_tiers: [] });
    const allowed = {
      high: ['agent_l2', 'mlro', 'compliance_officer'],
      low: ['agent_l1', 'agent_l2', 'mlro', 'compliance_officer'],
      standard: ['agent_l1', 'agent_l2', 'mlro', 'compliance_officer'],
      very_high: ['mlro', 'compliance_officer'],
    }[tier];
    for (const role of ROLES) {
      const record = await reviewOne(desk);
      const code = await codeOf(decide(desk, record, { ...as('ada'), roles: [role] }, APPROVE));
      expect([role, code]).toEqual([role, allowed.includes(role) ? 'done' : 'role-insufficient']);
    }
  });
});
