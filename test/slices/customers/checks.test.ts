/** Checks of cases by a worker: what they come to, and who dies meanwhile. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { storedMembers } from '#core/audit';
import { chainOf, DomainError, type ScreeningId } from '#core/kernel';
import {
  addDocument,
  afterMonths,
  type CaseRecord,
  type Check,
  type CheckType,
  changeCase,
  checkCase,
  isOfAge,
  patchCase,
  recordConsent,
  requireCase,
  taskTable,
} from '#slices/customers';
import {
  ADULT,
  as,
  type CaseDesk,
  CONSENT,
  decide,
  documentless,
  given,
  LISTED,
  openCaseDesk,
  openOne,
  reviewOne,
  riskOf,
  runChecks,
  submitOne,
  TENANT,
  takeTask,
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
describe('checks', () => {
  test('a case whose checks all pass is approved by its workflow, in one commit', async () => {
    const record = await submitOne(desk);
    await runChecks(desk);
    const done = await now(record);
    expect(done).toMatchObject({
      decision: { decidedBy: 'system', mode: 'automatic', reasonCode: 'checks_passed' },
      screening: { decision: 'CLEAR' },
      standing: 'approved',
      status: 'approved',
    });
    expect(done.checks.map(({ status, type }) => [type, status])).toEqual([
      ['consent', 'pass'],
      ['required_data', 'pass'],
      ['age', 'pass'],
      ['screening', 'pass'],
    ]);
    expect(done.nextReviewAt).toBe(afterMonths(done.decidedAt ?? (0 as never), 24));
    expect(await entriesOf('kyc.case.decision_made', record)).toHaveLength(1);
    expect(await entriesOf('kyc.case.checked', record)).toHaveLength(1);
    expect(await desk.ports.signed.check(TENANT)).toEqual([]);
  });

  test('a hit is for people, who come in turns', async () => {
    const one = await reviewOne(desk);
    desk.clock.advance(1);
    const other = await reviewOne(desk);
    expect(one).toMatchObject({
      screening: { decision: 'MATCH_DIRECT_SANCTIONS' },
      status: 'manual_review',
      statusReason: 'match_direct_sanctions',
    });
    const turns = ['person:ada', 'person:carl', 'person:lena', 'person:mia'];
    const turn = turns.indexOf(one.assignee ?? '');
    expect(turns).toContain(one.assignee);
    expect(other.assignee).toBe(turns[(turn + 1) % turns.length]);
    expect(one.proposedDecision).toBeUndefined();
  });

  test('owners of a business are compared too, and one of them is enough', async () => {
    await documentless(desk, { required_fields: [], subject_types: ['business'] });
    const subject = {
      beneficial_owners: [{ name: 'Tarek Velmorani' }, { name: 'Nobody Atall' }],
      legal_name: 'Amal SARL',
      officers: [{ name: 'Nobody Atall' }],
    };
    const record = await submitOne(desk, { subject, subject_type: 'business' });
    await runChecks(desk);
    const { checks, status } = await now(record);
    expect(status).toBe('manual_review');
    const screening = checks.find(({ type }) => type === 'screening');
    expect(screening?.evidence).toMatchObject({ hits: 1, parties: 3 });
  });

  test('a minor is proposed for rejection, and rejected where the workflow may', async () => {
    const subject = { ...ADULT, dob: '2020-01-01' };
    const record = await submitOne(desk, { subject });
    await runChecks(desk);
    expect(await now(record)).toMatchObject({
      proposedDecision: 'reject',
      status: 'manual_review',
      statusReason: 'under_age',
    });
    const lawful = { enabled: true, legal_basis: 'a law', reasons: ['under_age'] };
    await documentless(desk, { auto_reject: lawful });
    const other = await submitOne(desk, { subject });
    await runChecks(desk);
    expect(await now(other)).toMatchObject({
      decision: { emailTemplate: 'rejected', mode: 'automatic' },
      status: 'rejected',
    });
  });

  test('the day of the birthday counts', () => {
    const today = Date.UTC(2026, 10, 26) as never;
    expect(isOfAge('2008-11-26', 18, today)).toBe(true);
    expect(isOfAge('2008-11-27', 18, today)).toBe(false);
  });

  test('risk is rated by the screening of the same checks, which stands by then', async () => {
    const seen: (readonly [string | undefined, boolean])[] = [];
    const riskOfCase: typeof desk.ports.riskOf = async ({ screening }) => {
      const screeningId = (screening?.screeningId ?? '') as ScreeningId;
      const event = await desk.audit.findByScreening(chainOf(TENANT), screeningId);
      seen.push([screening?.decision, event !== undefined]);
      return riskOf(screening?.decision === 'CLEAR' ? 'low' : 'high');
    };
    for (const full_name of [ADULT.full_name, LISTED]) {
      const record = await submitOne(desk, { subject: { ...ADULT, full_name } });
      const hold = await takeTask(desk);
      if (hold === undefined) throw new Error('the checks wait');
      await checkCase({ ...desk.ports, riskOf: riskOfCase }, hold);
      await hold.end();
      expect((await now(record)).riskTier).toBe(full_name === LISTED ? 'high' : 'low');
    }
    expect(seen).toEqual([
      ['CLEAR', true],
      ['MATCH_DIRECT_SANCTIONS', true],
    ]);
  });

  test('another name in review is checked anew, and goes back to people', async () => {
    await documentless(desk, { four_eyes_tiers: ['standard'] });
    desk.around.risk = riskOf('standard');
    const patch = (record: CaseRecord, subject: object) =>
      patchCase(
        desk.ports,
        { actor: 'key:test', caseId: record.caseId, tenantId: TENANT },
        { subject: { ...subject } },
        { source: 'api' },
      );
    const record = await submitOne(desk);
    await runChecks(desk);
    const asked = await decide(desk, record, as('ada'), given('approve'));
    const same = await patch(asked, { full_name: ADULT.full_name, phone: '+21650000000' });
    expect(same).toMatchObject({ screening: { decision: 'CLEAR' }, status: 'manual_review' });
    const again = await decide(desk, record, as('ada'), given('approve'));
    expect(again.pending).toBeDefined();
    const other = await patch(again, { full_name: LISTED });
    expect(other).toMatchObject({ status: 'processing', statusReason: 'identity_changed' });
    for (const name of ['pending', 'proposedDecision', 'risk', 'screening']) {
      expect(other).not.toHaveProperty(name);
    }
    expect(other.checks.map(({ type }) => type).sort()).toEqual(['consent', 'required_data']);
    const told = await entriesOf('kyc.case.changed', record);
    expect(told.at(-1)?.dropped_decision_id).toBe(again.pending?.decisionId);
    await runChecks(desk);
    const listed = await now(record);
    expect(listed).toMatchObject({ screening: { decision: 'MATCH_DIRECT_SANCTIONS' } });
    await documentless(desk);
    const review = await reviewOne(desk);
    await patch(review, { full_name: ADULT.full_name });
    await runChecks(desk);
    expect(await now(review)).toMatchObject({
      proposedDecision: 'approve',
      screening: { decision: 'CLEAR' },
      status: 'manual_review',
    });
  });

  test('what two must see, or its subject has restricted, is not approved by itself', async () => {
    desk.around.risk = riskOf('high');
    const high = await submitOne(desk);
    await runChecks(desk);
    expect(await now(high)).toMatchObject({
      proposedDecision: 'approve',
      riskTier: 'high',
      status: 'manual_review',
    });
    desk.around.risk = riskOf('low');
    desk.around.mayApprove = false;
    const restricted = await submitOne(desk);
    await runChecks(desk);
    expect((await now(restricted)).status).toBe('manual_review');
  });

  test('a workflow that asks for what nobody has checked goes to people', async () => {
    await documentless(desk, { checks: ['consent', 'registry'] });
    const record = await submitOne(desk);
    await runChecks(desk);
    const { checks, status } = await now(record);
    expect(status).toBe('manual_review');
    expect(checks.at(-1)).toMatchObject({ reasonCodes: ['not_checked'], status: 'unavailable' });
  });

  test('a case that ends while its checks are made stays ended', async () => {
    const record = await submitOne(desk);
    const hold = await takeTask(desk);
    if (hold === undefined) throw new Error('the checks wait');
    await decide(desk, record, as('ada'), given('cancel'));
    await runChecks(desk);
    await checkCase(desk.ports, hold);
    await hold.end();
    expect((await now(record)).status).toBe('canceled');
    const task = await desk.ports.tables.find(taskTable, hold.record);
    expect(task?.state).toBe('done');
  });

  test('a document that nobody has read in time is not passed by the round before', async () => {
    const checks = ['consent', 'document_readable', 'name_match'] as const;
    await documentless(desk, { checks });
    const { caseId } = await openOne(desk);
    const ask = { actor: 'key:test', caseId, tenantId: TENANT } as const;
    const found = (type: CheckType): Check => ({
      at: desk.clock.now(),
      checkId: `former-${type}`,
      evidence: {},
      reasonCodes: [],
      status: 'pass',
      type,
    });
    await changeCase(desk.ports, ask, () => ({
      change: { checks: [found('document_readable'), found('name_match'), found('biometric')] },
      entry: { action: 'kyc.case.checked' },
    }));
    const bytes = Buffer.from('a picture');
    const media = { mediaType: 'image/jpeg', pages: 1 } as const;
    await addDocument(desk.ports, ask, { bytes, kind: 'passport', media, said: {} });
    const { record } = await recordConsent(desk.ports, ask, CONSENT);
    expect(record.status).toBe('processing');
    desk.clock.advance(16 * 60_000);
    await runChecks(desk);
    const after = await now(record);
    expect(after.status).toBe('manual_review');
    expect(after.checks.map(({ status, type }) => [type, status])).toEqual([
      ['consent', 'pass'],
      ['document_readable', 'unavailable'],
      ['name_match', 'unavailable'],
      ['biometric', 'pass'],
    ]);
  });

  test('a worker that dies before the commit, or lost its task, has done nothing', async () => {
    const record = await submitOne(desk);
    const hold = await takeTask(desk);
    if (hold === undefined) throw new Error('the checks wait');
    const killed = { ...desk.ports, commit: () => Promise.reject(new Error('killed')) };
    await expect(checkCase(killed, hold)).rejects.toThrow('killed');
    expect((await now(record)).status).toBe('processing');
    await hold.giveBack({ isTried: true });
    const again = await takeTask(desk);
    if (again === undefined) throw new Error('the checks wait again');
    await expect(checkCase(desk.ports, hold)).rejects.toThrow();
    expect((await now(record)).status).toBe('processing');
    await checkCase(desk.ports, again);
    await again.end();
    expect((await now(record)).status).toBe('approved');
    expect(await entriesOf('kyc.case.decision_made', record)).toHaveLength(1);
  });

  test('another try has the screening that stands, unless the lists say otherwise', async () => {
    await documentless(desk, { checks: ['screening', 'risk'] });
    desk.around.risk = riskOf('low');
    const record = await submitOne(desk);
    const screenings = async () => {
      const ask = { chainId: chainOf(TENANT), fromSeq: 1, limit: 1_000 };
      const events = await desk.audit.readEvents(ask);
      return events.filter(({ type }) => type === 'screening').length;
    };
    const before = await screenings();
    const killedAt = async (ports: Partial<CaseDesk['ports']>) => {
      const hold = await takeTask(desk);
      if (hold === undefined) throw new Error('the checks wait');
      const riskOfDead = () => Promise.reject(new Error('killed'));
      const dying = { ...desk.ports, riskOf: riskOfDead, ...ports };
      await expect(checkCase(dying, hold)).rejects.toThrow('killed');
      await hold.giveBack({ isTried: true });
    };
    await killedAt({});
    await killedAt({});
    expect(await screenings()).toBe(before + 1);
    const { openScreening } = desk.ports;
    await killedAt({
      openScreening: async (of) => {
        const screen = await openScreening(of);
        return async (asked) => {
          const { query, record: found } = await screen(asked);
          const verdict = { ...found.verdict, listVersion: 'another' };
          return { query, record: { ...found, verdict } };
        };
      },
    });
    expect(await screenings()).toBe(before + 2);
    await runChecks(desk);
    expect(await screenings()).toBe(before + 2);
    const { screening } = await now(record);
    const screeningId = screening?.screeningId as ScreeningId;
    expect(await desk.audit.findByScreening(chainOf(TENANT), screeningId)).toBeDefined();
  });

  test('lists that cannot be asked hold a case up, and in the end bring it to people', async () => {
    desk.around.screeningFault = new DomainError('list-unavailable');
    const record = await submitOne(desk);
    const hold = await takeTask(desk);
    if (hold === undefined) throw new Error('the checks wait');
    await expect(checkCase(desk.ports, hold)).rejects.toMatchObject({ code: 'list-unavailable' });
    await checkCase(desk.ports, hold, 'list-unavailable');
    await hold.end();
    const { checks, status } = await now(record);
    expect(status).toBe('manual_review');
    expect(checks.find(({ type }) => type === 'screening')).toMatchObject({
      reasonCodes: ['list_unavailable'],
      status: 'unavailable',
    });
  });
});
