/** What time and lists do to cases: each move once, with its entry, whoever looks at it. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { entry, type SignedEvents, storedMembers } from '#core/audit';
import { chainOf } from '#core/kernel';
import {
  addDocument,
  type CaseRecord,
  endTask,
  type ListedPorts,
  onListed,
  patchCase,
  readContent,
  recordConsent,
  rectify,
  requireCase,
  STUCK_MS,
  storedDocuments,
  sweepCases,
} from '#slices/customers';
import { monitoredTable } from '#slices/rescreening';
import { subjectKeyOfRef } from '#slices/screening';
import {
  ADULT,
  APPROVE,
  as,
  BY,
  type CaseDesk,
  CONSENT,
  decide,
  documentless,
  given,
  LISTED,
  openCaseDesk,
  openOne,
  REJECT,
  reviewOne,
  runChecks,
  submitOne,
  TENANT,
  takeTask,
} from './caseDesk.ts';

const DAY_MS = 24 * 3_600_000;

let desk: CaseDesk;
beforeAll(async () => {
  desk = await openCaseDesk();
});
afterAll(async () => desk.close());
beforeEach(async () => {
  Object.assign(desk.around, { mayApprove: true, risk: undefined, screeningFault: undefined });
  await documentless(desk);
});

const now = ({ caseId }: Pick<CaseRecord, 'caseId'>) =>
  requireCase(desk.ports, { caseId, tenantId: TENANT });
async function entriesOf(action: string, { caseId }: Pick<CaseRecord, 'caseId'>) {
  const chainId = chainOf(TENANT);
  const events = await desk.audit.readEvents({ action, chainId, fromSeq: 1, limit: 1_000 });
  return events.map(storedMembers).filter(({ target }) => target === `case:${caseId}`);
}

test('a case that waits for its customer expires at its time, once, and not before', async () => {
  const open = await openOne(desk);
  const asked = await decide(desk, await reviewOne(desk), as('ada'), given('request_documents'));
  desk.clock.advance(30 * DAY_MS - 1);
  expect(await sweepCases(desk.ports)).toMatchObject({ expired: 0 });
  desk.clock.advance(1);
  const [one, other] = await Promise.all([sweepCases(desk.ports), sweepCases(desk.ports)]);
  expect(one.expired + other.expired).toBe(2);
  for (const record of [open, asked]) {
    expect(await now(record)).toMatchObject({ status: 'expired', statusReason: 'expired' });
    expect((await now(record)).expiresAt).toBeUndefined();
    expect(await entriesOf('kyc.case.expired', record)).toMatchObject([
      { actor: 'system:customers', former_status: record.status },
    ]);
  }
  await expect(
    recordConsent(desk.ports, { ...BY, caseId: open.caseId }, CONSENT),
  ).rejects.toMatchObject({ code: 'state-conflict' });
  await expect(decide(desk, open, as('ada'), given('reopen'))).rejects.toMatchObject({
    code: 'role-insufficient',
  });
  expect((await decide(desk, open, as('lena'), given('reopen'))).status).toBe('manual_review');
});

test('what the customer gives in time takes the case on', async () => {
  await documentless(desk, { required_fields: ['dob', 'occupation'] });
  const record = await openOne(desk);
  desk.clock.advance(29 * DAY_MS);
  await recordConsent(desk.ports, { ...BY, caseId: record.caseId }, CONSENT);
  expect((await now(record)).status).toBe('open');
  desk.clock.advance(2 * DAY_MS);
  await sweepCases(desk.ports);
  expect((await now(record)).status).toBe('expired');
});

test('an approval is reviewed when it is due, unless its customer has another case', async () => {
  const approved = async () => {
    const record = await submitOne(desk);
    await runChecks(desk);
    return now(record);
  };
  const [due, renewed] = [await approved(), await approved()];
  expect(due.status).toBe('approved');
  desk.clock.set((due.nextReviewAt ?? 0) - desk.clock.now() - 1);
  expect(await sweepCases(desk.ports)).toMatchObject({ reviewed: 0 });
  desk.clock.set(1);
  const renewal = await openOne(desk, { external_ref: renewed.externalRef });
  expect(await sweepCases(desk.ports)).toMatchObject({ altered: 0, reviewed: 1 });
  expect(await now(due)).toMatchObject({
    standing: 'approved',
    status: 'manual_review',
    statusReason: 'review_due',
  });
  expect(await entriesOf('kyc.case.reopened', due)).toMatchObject([{ reason_code: 'review_due' }]);
  expect((await now(renewed)).status).toBe('approved');
  await recordConsent(desk.ports, { ...BY, caseId: renewal.caseId }, CONSENT);
  await runChecks(desk);
  expect(await now(renewed)).toMatchObject({ supersededBy: renewal.caseId });
  expect(await sweepCases(desk.ports)).toMatchObject({ reviewed: 0 });
});

test('a case whose task was lost gets another one', async () => {
  const record = await submitOne(desk);
  const hold = await takeTask(desk);
  if (hold === undefined) throw new Error('the checks wait');
  await endTask(desk.ports, hold, { fault: 'for a test' });
  await hold.end();
  desk.clock.advance(STUCK_MS - 1);
  expect(await sweepCases(desk.ports)).toMatchObject({ requeued: 0 });
  desk.clock.advance(1);
  expect(await sweepCases(desk.ports)).toMatchObject({ requeued: 1 });
  desk.clock.advance(STUCK_MS);
  expect(await sweepCases(desk.ports)).toMatchObject({ requeued: 0 });
  await runChecks(desk);
  expect((await now(record)).status).toBe('approved');
});

describe('inputs of expired cases', () => {
  let own: CaseDesk;
  beforeEach(async () => {
    own = await openCaseDesk();
    await documentless(own);
  });
  afterEach(() => own.close());
  const seen = ({ caseId }: Pick<CaseRecord, 'caseId'>) =>
    requireCase(own.ports, { caseId, tenantId: TENANT });
  const subjectOf = async (of: CaseRecord) =>
    (await readContent(own.ports, await seen(of))).subject;

  test('go after ninety days, unless they are needed', async () => {
    const record = await openOne(own);
    const bytes = Buffer.from('a picture');
    const media = { mediaType: 'image/jpeg', pages: 1 } as const;
    const ask = { actor: 'key:test', caseId: record.caseId, tenantId: TENANT } as const;
    await addDocument(own.ports, ask, { bytes, kind: 'passport', media, said: {} });
    const reviewed = await decide(own, await reviewOne(own), as('ada'), APPROVE);
    await decide(own, reviewed, as('lena'), given('reopen'));
    await decide(own, reviewed, as('ada'), given('request_documents'));
    own.clock.advance(30 * DAY_MS);
    expect(await sweepCases(own.ports)).toMatchObject({ expired: 2, forgotten: 0 });
    own.clock.advance(90 * DAY_MS - 1);
    expect(await sweepCases(own.ports)).toMatchObject({ forgotten: 0 });
    own.clock.advance(1);
    own.around.isHeld = true;
    expect(await sweepCases(own.ports)).toMatchObject({ forgotten: 0 });
    own.around.isHeld = false;
    expect(await sweepCases(own.ports)).toMatchObject({ forgotten: 1 });
    expect(await seen(record)).toMatchObject({ documents: [], status: 'expired' });
    expect(await subjectOf(record)).toEqual({});
    const [document] = await storedDocuments(own.ports, record);
    expect(document?.erasedAt).toBeDefined();
    expect(document?.blob).toBeUndefined();
    expect(own.around.forgotten).toEqual([record.caseId]);
    // Whom a law wants kept, since a case of theirs was approved, is.
    expect(await subjectOf(reviewed)).toMatchObject({ ...ADULT, full_name: LISTED });
    expect(await sweepCases(own.ports)).toMatchObject({ altered: 0, forgotten: 0 });
    expect(await own.ports.signed.check(TENANT)).toEqual([]);
  });

  test('do not come back by a correction of a customer who is here again', async () => {
    const record = await openOne(own);
    own.clock.advance(30 * DAY_MS);
    await sweepCases(own.ports);
    own.clock.advance(90 * DAY_MS);
    expect(await sweepCases(own.ports)).toMatchObject({ forgotten: 1 });
    const { externalRef } = record;
    const anew = await openOne(own, { external_ref: externalRef });
    const ask = { actor: as('ada').actor, externalRef, tenantId: TENANT };
    const changes = { email: 'amira@example.org' };
    await rectify(own.ports, ask, { changes, reason: 'Letter of 12 January' });
    expect(await subjectOf(anew)).toMatchObject(changes);
    expect(await subjectOf(record)).toEqual({});
  });

  test('stay where the case is opened again', async () => {
    const record = await openOne(own);
    own.clock.advance(30 * DAY_MS);
    await sweepCases(own.ports);
    await decide(own, record, as('lena'), given('reopen'));
    own.clock.advance(91 * DAY_MS);
    expect(await sweepCases(own.ports)).toMatchObject({ forgotten: 0 });
    expect(await subjectOf(record)).toMatchObject(ADULT);
  });
});

test('a case that nobody signed is counted, and holds up no other', async () => {
  const [altered, sound] = [await openOne(desk), await openOne(desk)];
  const ref = `"externalRef":"${altered.externalRef}","locale":"fr-TN"`;
  expect(await desk.alter('kyc_case', ref, ref.replace('fr-TN', 'ar-TN'))).toBe(1);
  desk.clock.advance(31 * DAY_MS);
  expect(await sweepCases(desk.ports)).toMatchObject({ altered: 1, expired: 1 });
  expect((await now(sound)).status).toBe('expired');
  await desk.alter('kyc_case', ref.replace('fr-TN', 'ar-TN'), ref);
});

test('who comes onto a list is looked at again, once for each finding', async () => {
  const rejected = await decide(desk, await reviewOne(desk), as('ada'), REJECT);
  const approved = await decide(desk, await reviewOne(desk), as('ada'), APPROVE);
  for (const record of [rejected, approved]) {
    const find = await foundBy(record);
    await onListed(find.ports, find.event);
    expect(await now(record)).toMatchObject({
      screening: { screeningId: find.screeningId },
      standing: record.standing,
      status: 'manual_review',
      statusReason: 'listed',
    });
    await decide(desk, record, as('ada'), REJECT);
    await onListed(find.ports, find.event);
    expect((await now(record)).status).toBe('rejected');
    expect(await entriesOf('kyc.case.reopened', record)).toMatchObject([
      { reason_code: 'listed', screening_id: find.screeningId },
    ]);
  }
});

test('a case that nobody has decided is told, and nothing but people decides it', async () => {
  const open = await openOne(desk);
  const found = await foundBy(open);
  await onListed(found.ports, found.event);
  await onListed(found.ports, found.event);
  expect(await now(open)).toMatchObject({
    screening: { screeningId: found.screeningId },
    status: 'open',
    statusReason: 'listed',
  });
  expect(await entriesOf('kyc.case.listed', open)).toMatchObject([
    { screening_id: found.screeningId, severity: 'NOTICE' },
  ]);
  // The lists that its own checks ask may still be those of before.
  await recordConsent(desk.ports, { ...BY, caseId: open.caseId }, CONSENT);
  await runChecks(desk);
  expect(await now(open)).toMatchObject({
    proposedDecision: 'approve',
    status: 'manual_review',
    statusReason: 'checks_passed',
  });
});

test('further documents give a listed case, or another person, back to no machine', async () => {
  const listed = await openOne(desk);
  const found = await foundBy(listed);
  await onListed(found.ports, found.event);
  await recordConsent(desk.ports, { ...BY, caseId: listed.caseId }, CONSENT);
  await runChecks(desk);
  const other = await reviewOne(desk);
  const ask = { actor: 'key:test', caseId: other.caseId, tenantId: TENANT } as const;
  await patchCase(desk.ports, ask, { subject: { ...ADULT } }, { source: 'api' });
  await runChecks(desk);
  for (const [record, forPeople] of [
    [listed, 'listed'],
    [other, 'identity_changed'],
  ] as const) {
    const asked = await decide(desk, record, as('ada'), given('request_documents'));
    expect(asked).toMatchObject({ forPeople, status: 'awaiting_customer' });
    const bytes = Buffer.from('a picture');
    const media = { mediaType: 'image/jpeg', pages: 1 } as const;
    const more = { ...ask, caseId: record.caseId };
    desk.clock.advance(1);
    await addDocument(desk.ports, more, { bytes, kind: 'passport', media, said: {} });
    // Nobody reads it in time.
    desk.clock.advance(16 * 60_000);
    await runChecks(desk);
    expect(await now(record)).toMatchObject({
      forPeople,
      proposedDecision: 'approve',
      status: 'manual_review',
    });
  }
});

test('an approval that waits falls with what a list says', async () => {
  await documentless(desk, { four_eyes_tiers: ['standard'] });
  const proposed = await decide(desk, await reviewOne(desk), as('ada'), APPROVE);
  expect(proposed.pending).toBeDefined();
  const found = await foundBy(proposed);
  await onListed(found.ports, found.event);
  const told = await now(proposed);
  expect(told).toMatchObject({ status: 'manual_review', statusReason: 'listed' });
  expect(told.pending).toBeUndefined();
  expect(told.checks.filter(({ type }) => type === 'screening')).toMatchObject([
    { evidence: { screening_id: found.screeningId }, reasonCodes: ['listed'], status: 'review' },
  ]);
  expect(await entriesOf('kyc.case.listed', proposed)).toMatchObject([
    { dropped_decision_id: proposed.pending?.decisionId },
  ]);
});

test('whose renewal is under way is looked at there', async () => {
  const standing = await decide(desk, await reviewOne(desk), as('ada'), APPROVE);
  const renewal = await openOne(desk, { external_ref: standing.externalRef });
  const found = await foundBy(standing);
  await onListed(found.ports, found.event);
  expect((await now(standing)).status).toBe('approved');
  expect((await now(renewal)).statusReason).toBe('listed');
});

test('a screening that somebody asked for, or of another kind, opens no case again', async () => {
  const record = await decide(desk, await reviewOne(desk), as('ada'), APPROVE);
  for (const change of [
    { channel: 'unit' },
    { decision: 'MATCH_PEP' },
    { subject_key: 'f'.repeat(32) },
  ]) {
    const find = await foundBy(record, change);
    await onListed(find.ports, find.event);
    expect((await now(record)).status).toBe('approved');
  }
});

/** A finding of the re-screening, as its event has it. */
async function foundBy(
  { externalRef }: CaseRecord,
  change: {
    readonly channel?: string;
    readonly decision?: string;
    readonly subject_key?: string;
  } = {},
) {
  const subjectId = subjectKeyOfRef(TENANT, externalRef);
  const screeningId = crypto.randomUUID();
  const decision = change.decision ?? 'MATCH_DIRECT_SANCTIONS';
  const hit = { directScore: 1, ftm_id: 'demo-1', primary_name: 'X', typology: decision };
  const body = {
    candidates: [hit],
    channel: 'rescreening',
    screening_id: screeningId,
    subject_key: subjectId,
    ...change,
  };
  const ports: ListedPorts = {
    ...desk.ports,
    audit: {
      findByScreening: async () =>
        ({
          body: JSON.stringify({ ...STORED, ...body, verdict: { decision, hits: ['demo-1'] } }),
        }) as never,
    },
    events: { read: async () => body } as unknown as SignedEvents,
  };
  await watch(externalRef, subjectId);
  const event = { partition: TENANT, payload: { screeningId, verdict: decision } };
  return { event, ports, screeningId };
}

/** The customer among those that are watched. */
async function watch(subjectRef: string, subjectId: string): Promise<void> {
  const watched = { state: 'active', subjectId, subjectRef, tenantId: TENANT, version: 1 };
  const { clock, commit, random, tables } = desk.ports;
  if ((await tables.find(monitoredTable, { subjectId, tenantId: TENANT })) !== undefined) return;
  await commit(chainOf(TENANT), {
    bus: [],
    changes: [monitoredTable.put(watched as never, 0)],
    events: [
      entry({ clock, random }, { action: 'kyc.case.checked', actor: BY.actor, target: 'test' }),
    ],
  });
}

const STORED = {
  effective_weights: [],
  list_version: 'v',
  lists: [],
  policy_version: 1,
  reranker_version: '1.1.0',
  thresholds: {},
  weights: {},
};
