/** A customer is put right in every case, by two persons where it says who they are. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { storedMembers } from '#core/audit';
import { chainOf } from '#core/kernel';
import {
  type CaseRecord,
  createCase,
  decideRectification,
  erasureOfSubject,
  type RectifyAsk,
  readContent,
  rectify,
  requireCase,
  waitingChanges,
} from '#slices/customers';
import { onEachStore } from '../../storage/eachStore.ts';
import {
  ADULT,
  APPROVE,
  as,
  BY,
  type CaseDesk,
  decide,
  documentless,
  LISTED,
  openCaseDesk,
  openOne,
  reviewOne,
  runChecks,
  submitOne,
  TENANT,
} from './caseDesk.ts';

const REASON = 'Letter of 12 January';

onEachStore((makeHarness) => {
  let desk: CaseDesk;
  beforeAll(async () => {
    desk = await openCaseDesk(makeHarness);
  });
  afterAll(() => desk?.close());
  beforeEach(() => documentless(desk));

  const by = (name: 'ada' | 'lena' | 'mia', of: Pick<CaseRecord, 'externalRef'>): RectifyAsk => ({
    actor: as(name).actor,
    externalRef: of.externalRef,
    tenantId: TENANT,
  });
  const now = ({ caseId }: Pick<CaseRecord, 'caseId'>) =>
    requireCase(desk.ports, { caseId, tenantId: TENANT });
  const subjectOf = async (of: CaseRecord) =>
    (await readContent(desk.ports, await now(of))).subject;
  const events = async (action: string, { subjectId }: CaseRecord) => {
    const page = { action, chainId: chainOf(TENANT), fromSeq: 1, limit: 1_000 };
    const found = await desk.audit.readEvents(page);
    return found.filter((event) => storedMembers(event).target === `subject:${subjectId}`);
  };
  /** Approved by its workflow. */
  async function approved(): Promise<CaseRecord> {
    const record = await submitOne(desk);
    await runChecks(desk);
    return now(record);
  }

  test('contact data is corrected at once, in every case, and asks nobody', async () => {
    const former = await approved();
    const { externalRef: external_ref } = former;
    const renewal = await openOne(desk, { external_ref });
    const changes = { address: { city: 'Sfax' }, email: 'amira@example.org', phone: null };
    const done = await rectify(
      desk.ports,
      { ...by('ada', former), actor: 'key:1' },
      { changes, reason: REASON },
    );
    expect(done).toMatchObject({ applied: ['address', 'email'], waiting: [] });
    for (const record of [former, renewal]) {
      const seen = await now(record);
      expect(await subjectOf(seen)).toMatchObject({
        address: { city: 'Sfax' },
        email: changes.email,
      });
      expect(seen.status).toBe(record.status);
    }
    const [told] = await events('kyc.subject.rectified', former);
    expect(told?.body).not.toContain('example.org');
    expect(await desk.ports.signed.check(TENANT)).toEqual([]);
    // What is so already is no change.
    const again = await rectify(desk.ports, by('ada', former), { changes, reason: REASON });
    expect(again.applied).toEqual([]);
    expect(await events('kyc.subject.rectified', former)).toHaveLength(1);
  });

  test('who they are waits for another person, and the case in force is checked anew', async () => {
    const record = await approved();
    const changes = { full_name: LISTED };
    const key = { ...by('ada', record), actor: 'key:1' as const };
    const given = { changes, reason: REASON };
    await expect(rectify(desk.ports, key, given)).rejects.toMatchObject({
      code: 'person-required',
    });
    const asked = await rectify(desk.ports, by('ada', record), given);
    const [change] = asked.waiting;
    expect(asked).toMatchObject({ applied: [], waiting: [{ member: 'full_name' }] });
    expect(JSON.stringify(asked.subject)).not.toContain(LISTED);
    expect(await subjectOf(record)).toMatchObject(ADULT);
    // The same again is the same; another value waits for the end of this one.
    const same = await rectify(desk.ports, by('ada', record), given);
    expect(same.waiting).toEqual(asked.waiting);
    await expect(
      rectify(desk.ports, by('lena', record), { changes: { full_name: 'X Y' }, reason: REASON }),
    ).rejects.toMatchObject({ code: 'state-conflict' });
    expect(await waitingChanges(desk.ports, by('lena', record))).toMatchObject([
      { former: ADULT.full_name, member: 'full_name', reason: REASON, value: LISTED },
    ]);
    const decision = { changeId: change?.changeId ?? '', comment: '', isApproved: true };
    await expect(
      decideRectification(desk.ports, by('ada', record), decision),
    ).rejects.toMatchObject({ code: 'dual-control-same-person' });
    await expect(decideRectification(desk.ports, key, decision)).rejects.toMatchObject({
      code: 'person-required',
    });
    const done = await decideRectification(desk.ports, by('lena', record), decision);
    expect(done).toMatchObject({ applied: ['full_name'], waiting: [] });
    expect(await now(record)).toMatchObject({
      forPeople: 'identity_changed',
      standing: 'approved',
      status: 'processing',
    });
    await runChecks(desk);
    expect(await now(record)).toMatchObject({
      screening: { decision: 'MATCH_DIRECT_SANCTIONS' },
      standing: 'approved',
      status: 'manual_review',
    });
    const [told] = await events('kyc.subject.rectified', record);
    expect(told?.body).not.toContain(ADULT.full_name);
    expect(told?.open).toContain(ADULT.full_name);
    await expect(
      decideRectification(desk.ports, by('lena', record), decision),
    ).rejects.toMatchObject({ code: 'case-unknown' });
    expect(await desk.ports.signed.check(TENANT)).toEqual([]);
  });

  test('a person in review is checked anew; a declined correction changes nothing', async () => {
    const record = await reviewOne(desk);
    const asked = await rectify(desk.ports, by('ada', record), {
      changes: { full_name: 'Amira Trabelsi', nationality: 'FR' },
      reason: REASON,
    });
    const [name, nationality] = asked.waiting;
    const decided = (changeId = '', isApproved = true) =>
      decideRectification(desk.ports, by('mia', record), {
        changeId,
        comment: 'Not what the passport says',
        isApproved,
      });
    const left = await decided(nationality?.changeId, false);
    expect(left.waiting).toMatchObject([{ member: 'full_name' }]);
    expect(await now(record)).toMatchObject({ status: 'manual_review' });
    await decided(name?.changeId);
    expect(await now(record)).toMatchObject({ status: 'processing' });
    await runChecks(desk);
    expect(await now(record)).toMatchObject({
      proposedDecision: 'approve',
      screening: { decision: 'CLEAR' },
    });
    expect(await subjectOf(record)).toMatchObject({
      full_name: 'Amira Trabelsi',
      nationality: ADULT.nationality,
    });
  });

  test('what is no customer, no value or no document of theirs is refused by name', async () => {
    const record = await approved();
    const ask = by('ada', record);
    await expect(
      rectify(desk.ports, { ...ask, externalRef: 'nobody' }, { changes: {}, reason: REASON }),
    ).rejects.toMatchObject({ code: 'subject-unknown' });
    await expect(
      rectify(desk.ports, ask, { changes: { dob: '1990-02-30' }, reason: REASON }),
    ).rejects.toMatchObject({
      code: 'subject-invalid',
      violations: [{ pointer: '/changes/dob' }],
    });
    const evidenceDocumentId = '0190aaaa-0000-7000-8000-0000000000dd';
    await expect(
      rectify(desk.ports, ask, {
        changes: { email: 'a@b.tn' },
        evidenceDocumentId,
        reason: REASON,
      }),
    ).rejects.toMatchObject({ violations: [{ pointer: '/evidence_document_id' }] });
  });

  test('values of before, and what waits, go with the customer', async () => {
    const { caseId } = await createCase(desk.ports, BY, {
      external_ref: 'r-erased',
      locale: 'fr-TN',
      subject: ADULT,
      subject_type: 'individual',
      workflow_code: 'documentless',
    });
    const record = await now({ caseId });
    await rectify(desk.ports, by('ada', record), {
      changes: { email: 'a@former.tn' },
      reason: REASON,
    });
    await rectify(desk.ports, by('ada', record), {
      changes: { email: 'b@later.tn', full_name: 'Amira Trabelsi' },
      reason: REASON,
    });
    const texts = async () => {
      const page = { chainId: chainOf(TENANT), fromSeq: 1, limit: 1_000 };
      return (await desk.audit.readEvents(page)).map(({ body, open = '' }) => body + open).join();
    };
    expect(await texts()).toContain('a@former.tn');
    const at = (desk.ports.clock.now() + 1) as never;
    await erasureOfSubject({ ...desk.ports, audit: desk.audit }).erase(
      { subjectRef: 'r-erased', tenantId: TENANT },
      {
        actor: 'system:erasure',
        asOf: at,
        now: at,
        pseudonym: `psn_${'0z'.repeat(13)}`,
        reason: 'test',
        retentionYears: 10,
      },
    );
    expect(await texts()).not.toContain('a@former.tn');
    const subject = await desk.ports.signed.findSubject(record);
    expect(subject?.erasedAt).toBeDefined();
    expect(subject?.changes).toBeUndefined();
    expect(await desk.ports.signed.check(TENANT)).toEqual([]);
  });

  test('a later decided case takes a correction with it, and the approval stands', async () => {
    const record = await decide(desk, await reviewOne(desk), as('ada'), APPROVE);
    const later = await submitOne(desk, { external_ref: record.externalRef });
    await runChecks(desk);
    expect((await now(record)).supersededBy).toBe(later.caseId);
    const asked = await rectify(desk.ports, by('ada', record), {
      changes: { dob: '1990-05-18' },
      reason: REASON,
    });
    const changeId = asked.waiting[0]?.changeId ?? '';
    const decision = { changeId, comment: '', isApproved: true };
    await decideRectification(desk.ports, by('lena', record), decision);
    expect((await now(record)).status).toBe('approved');
    expect((await now(later)).status).toBe('processing');
    expect(await subjectOf(record)).toMatchObject({ dob: '1990-05-18' });
  });
});
