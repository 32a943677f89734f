/** Verdicts of biometrics: from the named provider, with a consent, once, and as a check alone. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  changeCase,
  createCase,
  type GivenVerdict,
  putWorkflow,
  recordConsent,
  takeVerdict,
  type WorkflowContent,
} from '#slices/customers';
import workflows from '../../../config/kyc-workflows.json' with { type: 'json' };
import { type CaseDesk, caseOf, openCaseDesk } from './documentDesk.ts';

const CONTENT = workflows.individual_standard as unknown as WorkflowContent;
const VERDICT: GivenVerdict = {
  provider: 'provider-1',
  scoreConsolidated: 0.97,
  subscores: { face_match: 0.96, liveness: 0.98 },
  verdict: 'PASS',
  verificationId: 'v-1',
};

let desk: CaseDesk;
beforeAll(async () => {
  desk = await openCaseDesk();
});
beforeEach(() => desk.begin());
afterAll(() => desk.close());

async function openCase(hasConsent = true): Promise<string> {
  const content = { ...CONTENT, biometric_provider: 'provider-1' };
  await putWorkflow(desk.ports, { ...desk.by, code: 'with_biometrics', content });
  const given = { ...caseOf(), workflow_code: 'with_biometrics' };
  const { caseId } = await createCase(desk.ports, desk.by, given);
  if (hasConsent) {
    const ask = { ...desk.by, caseId };
    await recordConsent(desk.ports, ask, {
      given: true,
      locale: 'fr-TN',
      method: 'checkbox',
      purpose: 'biometric_processing',
      textVersion: '2026-01',
    });
  }
  return caseId;
}

const take = (caseId: string, given: Partial<GivenVerdict> = {}, isAllowed = true) =>
  takeVerdict(
    { ...desk.ports, mayProcess: async () => isAllowed },
    { ...desk.by, caseId },
    { ...VERDICT, ...given },
  );
const conflict = expect.objectContaining({ code: 'state-conflict' });

describe('a verdict', () => {
  test.each([
    ['PASS', 'pass', []],
    ['FAIL', 'fail', ['biometric_fail']],
    ['INCONCLUSIVE', 'review', ['biometric_inconclusive']],
  ] as const)('%s is a check that came to %s', async (verdict, status, reasonCodes) => {
    const record = await take(await openCase(), { verdict });
    expect(record.checks).toMatchObject([
      {
        evidence: { score_consolidated: 0.97, subscore_liveness: 0.98, verification_id: 'v-1' },
        reasonCodes,
        status,
        type: 'biometric',
      },
    ]);
    expect(await desk.entries('kyc.biometric.liveness_score')).toMatchObject([
      { provider: 'provider-1', score_consolidated: 0.97, verdict, verification_id: 'v-1' },
    ]);
  });

  test('is taken once, from the provider of the workflow, under a consent', async () => {
    const caseId = await openCase();
    await expect(take(caseId, { provider: 'another' })).rejects.toEqual(conflict);
    await take(caseId);
    await expect(take(caseId)).rejects.toEqual(conflict);
    const later = await take(caseId, { verdict: 'FAIL', verificationId: 'v-2' });
    expect(later.checks.map(({ status }) => status)).toEqual(['fail']);
    await expect(take(caseId)).rejects.toEqual(conflict);
  });

  test('that speaks against the customer voids the approval that waits', async () => {
    const caseId = await openCase();
    const decision = { decidedAt: desk.clock.now(), decidedBy: 'person:ada', decisionId: 'd-1' };
    await changeCase(desk.ports, { ...desk.by, caseId }, () => ({
      change: {
        pending: { ...decision, decision: 'approve', mode: 'manual', reasonCode: 'complete' },
      },
      entry: { action: 'kyc.case.decision_proposed' },
    }));
    expect((await take(caseId)).pending).toBeDefined();
    const failed = await take(caseId, { verdict: 'FAIL', verificationId: 'v-2' });
    expect(failed.pending).toBeUndefined();
    expect((await desk.entries('kyc.biometric.liveness_score')).at(-1)).toMatchObject({
      dropped_decision_id: 'd-1',
    });
  });

  test('is refused without a consent, and where its processing is restricted', async () => {
    await expect(take(await openCase(false))).rejects.toEqual(conflict);
    desk.begin();
    const restricted = { code: 'processing-restricted' };
    await expect(take(await openCase(), {}, false)).rejects.toMatchObject(restricted);
  });

  test('a workflow that approves on digits alone is refused', async () => {
    const checks = CONTENT.checks.filter((type) => type !== 'name_match');
    const content = { ...CONTENT, checks };
    await expect(
      putWorkflow(desk.ports, { ...desk.by, code: 'digits_alone', content }),
    ).rejects.toMatchObject({ code: 'workflow-invalid' });
  });
});
