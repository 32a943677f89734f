/** What people decide of cases. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { storedMembers } from '#core/audit';
import { chainOf } from '#core/kernel';
import {
  assignCase,
  type CaseRecord,
  confirmDecision,
  createCase,
  patchCase,
  readContent,
  requireCase,
  workflowOf,
} from '#slices/customers';
import {
  APPROVE,
  as,
  BY,
  type CaseDesk,
  decide,
  documentless,
  given,
  mailsOf,
  openCaseDesk,
  openOne,
  REJECT,
  reviewOne,
  riskOf,
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
/** Entries of one action about one case. */
async function entriesOf(action: string, { caseId }: Pick<CaseRecord, 'caseId'>) {
  const chainId = chainOf(TENANT);
  const events = await desk.audit.readEvents({ action, chainId, fromSeq: 1, limit: 1_000 });
  return events.map(storedMembers).filter(({ target }) => target === `case:${caseId}`);
}
const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'done',
    (error: { code: string }) => error.code,
  );

describe('decisions', () => {
  test('a rejection has a reason, which is sealed, and a mail', async () => {
    const record = await reviewOne(desk);
    const short = { ...REJECT, reason: 'no', reasonCode: '' };
    await expect(decide(desk, record, as('ada'), short)).rejects.toMatchObject({
      code: 'reason-required',
      violations: [{ pointer: '/reason_code' }, { pointer: '/reason' }],
    });
    const { emailTemplate: _, ...unmailed } = REJECT;
    for (const wrong of [unmailed, { ...REJECT, emailTemplate: 'farewell' }]) {
      expect(await codeOf(decide(desk, record, as('ada'), wrong))).toBe('email-template-unknown');
    }
    const done = await decide(desk, record, as('ada'), REJECT);
    expect(done).toMatchObject({ standing: 'rejected', status: 'rejected' });
    expect(JSON.stringify(done)).not.toContain(REJECT.reason);
    expect((await readContent(desk.ports, done)).reasons).toEqual({
      [done.decision?.decisionId ?? '']: REJECT.reason,
    });
    const [told] = await entriesOf('kyc.case.decision_made', record);
    expect(told).toMatchObject({
      decided_by: 'person:ada',
      decision: 'rejected',
      external_ref: record.externalRef,
      mode: 'manual',
      reason_code: 'document_forged',
    });
    expect(JSON.stringify(told)).not.toContain(REJECT.reason);
    expect(await mailsOf(desk, record)).toEqual(['rejected']);
  });

  test('a high tier waits for another registered person, who may decline', async () => {
    desk.around.risk = riskOf('high');
    const record = await reviewOne(desk);
    const key = { ...as('lena'), actor: 'key:1' as const };
    expect(await codeOf(decide(desk, record, key, APPROVE))).toBe('person-required');
    const asked = await decide(desk, record, as('lena'), APPROVE);
    expect(asked).toMatchObject({ pending: { decidedBy: 'person:lena' }, status: 'manual_review' });
    const decisionId = asked.pending?.decisionId ?? '';
    const confirm = (by: 'ada' | 'carl' | 'lena', isConfirmed = true, id = decisionId) =>
      confirmDecision(
        desk.ports,
        { ...as(by), caseId: record.caseId },
        { comment: 'Looked at it again', decisionId: id, isConfirmed },
      );
    expect(await codeOf(confirm('lena'))).toBe('dual-control-same-person');
    expect(await codeOf(confirm('ada'))).toBe('role-insufficient');
    expect(await codeOf(confirm('carl', true, 'another'))).toBe('case-unknown');
    expect(await codeOf(decide(desk, record, as('mia'), REJECT))).toBe('state-conflict');
    expect((await confirm('carl', false)).pending).toBeUndefined();
    expect(await codeOf(confirm('carl'))).toBe('case-unknown');
    const anew = await decide(desk, record, as('lena'), APPROVE);
    const done = await confirm('carl', true, anew.pending?.decisionId);
    expect(done).toMatchObject({
      decision: { confirmedBy: 'person:carl', decidedBy: 'person:lena' },
      status: 'approved',
    });
    expect(await entriesOf('kyc.case.decision_made', record)).toMatchObject([
      { confirmed_by: 'person:carl', decided_by: 'person:lena' },
    ]);
    expect(await entriesOf('kyc.case.decision_declined', record)).toHaveLength(1);
  });

  test('who approves, and how many, is a matter of the risk as it is then', async () => {
    const record = await reviewOne(desk);
    expect(record.riskTier).toBeUndefined();
    desk.around.risk = riskOf('high');
    expect(await codeOf(decide(desk, record, as('ada'), APPROVE))).toBe('role-insufficient');
    const asked = await decide(desk, record, as('lena'), APPROVE);
    expect(asked).toMatchObject({
      pending: { decidedBy: 'person:lena' },
      risk: { level: 'high' },
      riskTier: 'high',
      status: 'manual_review',
    });
    desk.around.risk = riskOf('very_high');
    const confirm = (by: 'carl' | 'lena', roles = as(by).roles) =>
      confirmDecision(
        desk.ports,
        { ...as(by), caseId: record.caseId, roles },
        { decisionId: asked.pending?.decisionId ?? '', isConfirmed: true },
      );
    expect(await codeOf(confirm('carl', ['agent_l2']))).toBe('role-insufficient');
    const done = await confirm('carl');
    expect(done).toMatchObject({ riskTier: 'very_high', status: 'approved' });
    const reviewed = new Date(done.nextReviewAt ?? 0);
    const { content } = await workflowOf(desk.ports, done);
    const expected = new Date(done.decidedAt ?? 0);
    expected.setUTCMonth(expected.getUTCMonth() + content.review_every_months.very_high);
    expect(reviewed.toISOString().slice(0, 7)).toBe(expected.toISOString().slice(0, 7));
  });

  test('what is given while an approval waits was not seen by who decided', async () => {
    desk.around.risk = riskOf('high');
    const record = await reviewOne(desk);
    await decide(desk, record, as('lena'), APPROVE);
    const ask = { ...BY, caseId: record.caseId };
    const patch = { subject: { full_name: 'Somebody Else' } };
    expect((await patchCase(desk.ports, ask, patch, { source: 'api' })).pending).toBeUndefined();
    const [told] = await entriesOf('kyc.case.changed', record);
    expect(told?.dropped_decision_id).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('no decision approves whom the policy prohibits', async () => {
    desk.around.risk = riskOf('very_high', { isProhibited: true });
    const record = await reviewOne(desk);
    expect(record.proposedDecision).toBe('reject');
    expect(await codeOf(decide(desk, record, as('mia'), APPROVE))).toBe('risk-prohibited');
    desk.around.risk = undefined;
    expect(await codeOf(decide(desk, record, as('mia'), APPROVE))).toBe('risk-prohibited');
  });

  test('documents are asked for as often as the workflow says, and then no more', async () => {
    await documentless(desk, { rounds_max: 1 });
    const record = await reviewOne(desk);
    const asked = await decide(desk, record, as('ada'), given('request_documents'));
    expect(asked).toMatchObject({
      missing: [{ kind: 'document', name: 'passport' }],
      rounds: 1,
      status: 'awaiting_customer',
    });
    expect(asked.expiresAt).toBe(desk.clock.now() + 30 * 24 * 3_600_000);
    expect(await mailsOf(desk, record)).toEqual(['documents_requested']);
    const other = await reviewOne(desk);
    const none = { ...given('request_documents'), documents: [] };
    expect(await codeOf(decide(desk, other, as('ada'), none))).toBe('body-invalid');
  });

  test('of a customer the later decision counts, and the older case stays closed', async () => {
    const first = await reviewOne(desk);
    await decide(desk, first, as('ada'), APPROVE);
    const externalRef = first.externalRef;
    const second = await reviewOne(desk, { external_ref: externalRef });
    expect(await codeOf(decide(desk, first, as('lena'), given('reopen')))).toBe('case-open-exists');
    await decide(desk, second, as('ada'), REJECT);
    const superseded = await now(first);
    expect(superseded).toMatchObject({ standing: 'approved', supersededBy: second.caseId });
    expect(superseded.nextReviewAt).toBeUndefined();
    expect(await codeOf(decide(desk, first, as('lena'), given('reopen')))).toBe('state-conflict');
    expect(await desk.ports.signed.check(TENANT)).toEqual([]);
  });

  test('an approval stays in force while the case is looked at again', async () => {
    const record = await reviewOne(desk);
    await decide(desk, record, as('ada'), APPROVE);
    const again = await decide(desk, record, as('lena'), given('reopen'));
    expect(again).toMatchObject({ standing: 'approved', status: 'manual_review' });
    expect(await codeOf(decide(desk, record, as('ada'), given('cancel')))).toBe('state-conflict');
    const made = { ...BY, caseId: record.caseId };
    expect(
      await codeOf(
        createCase(desk.ports, made, {
          external_ref: record.externalRef,
          locale: 'fr-TN',
          subject_type: 'individual',
          workflow_code: 'documentless',
        }),
      ),
    ).toBe('case-open-exists');
    expect((await decide(desk, record, as('ada'), REJECT)).standing).toBe('rejected');
    expect(await entriesOf('kyc.case.decision_made', record)).toHaveLength(2);
  });

  test('a case is given to registered persons alone', async () => {
    const record = await openOne(desk);
    const ask = { ...BY, caseId: record.caseId };
    const done = await assignCase(desk.ports, { ...ask, assignee: 'mia' });
    expect(done.assignee).toBe('person:mia');
    expect(await entriesOf('case.reassigned', record)).toMatchObject([
      { assignee: 'person:mia', former_assignee: null },
    ]);
    expect(await codeOf(assignCase(desk.ports, { ...ask, assignee: 'eve' }))).toBe('body-invalid');
    const from = { source: 'agent' } as const;
    const patched = await patchCase(desk.ports, ask, { assignee: 'lena' }, from);
    expect(patched.assignee).toBe('person:lena');
    expect((await patchCase(desk.ports, ask, { assignee: null }, from)).assignee).toBeUndefined();
    for (const assignee of ['eve', 'anybody at all', 'dan']) {
      await expect(patchCase(desk.ports, ask, { assignee }, from)).rejects.toMatchObject({
        code: 'body-invalid',
        violations: [{ pointer: '/assignee' }],
      });
    }
  });

  test('of two at once one decides', async () => {
    const record = await reviewOne(desk);
    const codes = await Promise.all(
      [APPROVE, REJECT, APPROVE, REJECT].map((one) => codeOf(decide(desk, record, as('ada'), one))),
    );
    expect(codes.toSorted()).toEqual([
      'done',
      'state-conflict',
      'state-conflict',
      'state-conflict',
    ]);
    expect(await entriesOf('kyc.case.decision_made', record)).toHaveLength(1);
  });
});
