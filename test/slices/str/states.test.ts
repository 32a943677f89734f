/** A report from its draft to what the authority says, and all that must not happen on the way. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  addAttachment,
  changeReport,
  endSubmission,
  eraseReports,
  KEPT_YEARS,
  keyOfReport,
  nextReference,
  previewReport,
  readAttachment,
  readContent,
  requestValidation,
  returnReport,
  submitReport,
  unseal,
  validateReport,
} from '#slices/str';
import { makeSqliteHarness } from '../../storage/sqlite/harness.ts';
import { openStrDesk, type StrDesk, WHOLE } from './strDesk.ts';

let desk: StrDesk;
beforeAll(async () => {
  desk = await openStrDesk(makeSqliteHarness);
});
afterAll(() => desk.close());

const refused = (code: string) => expect.objectContaining({ code });

test('drafted, validated, submitted, acknowledged: each step one entry', async () => {
  const { strId } = await desk.validated();
  const submitted = await desk.submit(strId);
  expect([submitted.status, submitted.isFiled]).toEqual(['submitted', true]);
  desk.clock.advance(2_000);
  await desk.step(strId);
  const report = await desk.find(strId);
  expect([report.status, report.submissions.length]).toEqual(['acknowledged', 1]);
  const [submission] = report.submissions;
  expect(submission?.contentHash).toBe(report.contentHash);
  for (const action of ['str.drafted', 'str.validated', 'str.submitted', 'str.acknowledged']) {
    expect([action, (await desk.entries(action, strId)).length]).toEqual([action, 1]);
  }
  const [entry] = await desk.entries('str.submitted', strId);
  expect(entry).toMatchObject({
    confidential: true,
    content_hash: report.contentHash,
    package_sha256: submission?.packageSha256,
  });
  expect((await desk.dispatch(strId))?.state).toBe('ended');
});

test('the officer is another person than any who wrote it, whatever the account', async () => {
  const { strId } = await desk.draft('cora');
  await requestValidation(desk.ports, { ...desk.as('cora'), strId });
  const report = await desk.find(strId);
  await expect(desk.validate(report, 'cora')).rejects.toEqual(refused('dual-control-same-person'));
  const sign = desk.sign(report, 'cora');
  const checklist = { necessity: true, retention: true, special_categories: 'none' } as const;
  const other = { ...desk.as('cora', report.tenantId, 'cora-2'), ...sign, checklist, strId };
  await expect(validateReport(desk.ports, other)).rejects.toEqual(
    refused('dual-control-same-person'),
  );
  // An editor of yesterday is one too, though somebody else changed it last.
  await changeReport(desk.ports, { ...desk.as('carl'), strId }, { action: 'Account frozen' });
  await requestValidation(desk.ports, { ...desk.as('carl'), strId });
  await expect(desk.validate(await desk.find(strId), 'cora')).rejects.toEqual(
    refused('dual-control-same-person'),
  );
  expect((await desk.validate(await desk.find(strId), 'dpo')).status).toBe('validated');
});

test('a signature is of this content, by this officer, once, and any change voids it', async () => {
  const { strId } = await desk.draft();
  await requestValidation(desk.ports, { ...desk.as('agnes'), strId });
  const report = await desk.find(strId);
  const checklist = { necessity: true, retention: true, special_categories: 'none' } as const;
  const with_ = (given: { signature: string; timestamp: string }) =>
    validateReport(desk.ports, { ...desk.as('dpo'), ...given, checklist, strId });
  await expect(with_(desk.sign(report, 'dpo', 'f'.repeat(64)))).rejects.toEqual(
    refused('dual-control-signature-invalid'),
  );
  await expect(with_(desk.sign(report, 'carl'))).rejects.toEqual(
    refused('dual-control-signature-invalid'),
  );
  const signed = desk.sign(report, 'dpo');
  await with_(signed);
  const changed = await changeReport(
    desk.ports,
    { ...desk.as('agnes'), strId },
    { action: 'More' },
  );
  expect([changed.status, changed.validation]).toEqual(['draft', undefined]);
  await expect(desk.submit(strId)).rejects.toEqual(refused('state-conflict'));
  // Back to the very words that were signed: the officer looks at it anew all the same.
  await changeReport(desk.ports, { ...desk.as('agnes'), strId }, { clear: ['action'] });
  await requestValidation(desk.ports, { ...desk.as('agnes'), strId });
  expect((await desk.find(strId)).contentHash).toBe(report.contentHash);
  await expect(with_(signed)).rejects.toEqual(refused('dual-control-replayed'));
});

test('special categories need a reason; a report is returned to its author', async () => {
  const { strId } = await desk.draft();
  await requestValidation(desk.ports, { ...desk.as('agnes'), strId });
  const report = await desk.find(strId);
  await expect(
    validateReport(desk.ports, {
      ...desk.as('dpo'),
      ...desk.sign(report, 'dpo'),
      checklist: { necessity: true, retention: true, special_categories: 'justified' },
      strId,
    }),
  ).rejects.toEqual(refused('str-checklist-incomplete'));
  const returned = await returnReport(desk.ports, {
    ...desk.as('dpo'),
    comment: 'The second person is not needed',
    strId,
  });
  expect(returned.status).toBe('returned');
  await expect(desk.see(strId, 'dpo')).rejects.toEqual(refused('str-unknown'));
  expect((await desk.see(strId, 'agnes')).report.status).toBe('returned');
});

test('a subject needs no id of its own: transactions are its, where they name nobody', async () => {
  const { id: _, ...subject } = WHOLE.subject ?? { id: '' };
  const { strId } = await desk.draft('agnes', { ...WHOLE, subject: subject as never });
  const asked = await requestValidation(desk.ports, { ...desk.as('agnes'), strId });
  expect(asked.status).toBe('pending_validation');
});

test('an account that its party is not said to have is told as left out', async () => {
  const transactions = (WHOLE.transactions ?? []).map((one) => ({ ...one, account: 'X-77' }));
  const { strId } = await desk.draft('agnes', { ...WHOLE, transactions });
  const report = await desk.find(strId);
  const content = await readContent(desk.ports, report);
  const references = nextReference(report, content);
  const ask = { at: desk.clock.now(), content, references, report };
  const { omitted, xml } = await previewReport(desk.ports, ask);
  expect(omitted).toContain('/transactions/0/account');
  expect(xml).not.toContain('X-77');
});

test('all that it lacks is told at once, and nothing that XML cannot carry is taken', async () => {
  const { strId } = await desk.draft('agnes', { narrative: 'Too short' });
  const request = requestValidation(desk.ports, { ...desk.as('agnes'), strId });
  await expect(request).rejects.toMatchObject({ code: 'str-incomplete' });
  const { violations } = await request.catch((error) => error);
  expect(violations.map((one: { pointer: string }) => one.pointer)).toEqual(
    expect.arrayContaining(['/narrative', '/subject', '/transactions', '/counterparties']),
  );
  const bad = { narrative: `${WHOLE.narrative}\u0001` };
  await expect(desk.draft('agnes', bad)).rejects.toMatchObject({
    code: 'str-content-invalid',
    violations: [expect.objectContaining({ pointer: '/narrative' })],
  });
  const long = { ...WHOLE, narrative: 'x'.repeat(10_001) };
  const second = await desk.draft('agnes', long);
  await expect(
    requestValidation(desk.ports, { ...desk.as('agnes'), strId: second.strId }),
  ).rejects.toMatchObject({ violations: [expect.objectContaining({ pointer: '/narrative' })] });
});

test('whoever validated does not submit, and a revoked key counts no more', async () => {
  const first = await desk.validated();
  const { dpo } = desk.persons;
  desk.persons.dpo = {
    ...desk.persons.dpo,
    roles: ['data_protection_officer', 'compliance_officer'],
  };
  await expect(submitReport(desk.ports, { ...desk.as('dpo'), strId: first.strId })).rejects.toEqual(
    refused('dual-control-same-person'),
  );
  const [key] = desk.persons.dpo.keys;
  const revoked = { ...key, revokedAt: desk.clock.now() } as NonNullable<typeof key>;
  desk.persons.dpo = { ...desk.persons.dpo, keys: [revoked] };
  await expect(desk.submit(first.strId)).rejects.toEqual(refused('str-validation-stale'));
  desk.persons.dpo = dpo;
});

test('a refusal is kept with its reasons, and the next submission names it', async () => {
  const content = { ...WHOLE, entity_reference: 'CASE-7-REJECT' };
  const { strId } = await desk.validated('agnes', content);
  await desk.submit(strId);
  await desk.step(strId);
  const refusedOne = await desk.find(strId);
  expect([refusedOne.status, refusedOne.validation]).toEqual(['returned', undefined]);
  // It was filed once: its author is told nothing any more.
  await expect(desk.see(strId, 'agnes')).rejects.toEqual(refused('str-unknown'));
  await changeReport(desk.ports, { ...desk.as('carl'), strId }, { action: 'Branch added' });
  await requestValidation(desk.ports, { ...desk.as('carl'), strId });
  await desk.validate(await desk.find(strId));
  const again = await desk.submit(strId);
  expect(again.submissions.map(({ entityReference }) => entityReference)).toEqual([
    'CASE-7-REJECT',
    'CASE-7-REJECT-2',
  ]);
  const key = await keyOfReport(desk.ports, again);
  const zip = await unseal(desk.ports, again.submissions[1]?.blob ?? '', { key, kind: 'package' });
  expect(zip.subarray(0, 2).toString()).toBe('PK');
  await desk.step(strId, 2);
  expect((await desk.find(strId)).status).toBe('acknowledged');
  expect(await desk.entries('str.refused', strId)).toHaveLength(1);
});

test('attachments: known by their bytes, part of what is signed, altered is unread', async () => {
  const { strId } = await desk.draft();
  const ask = { ...desk.as('agnes'), strId };
  const png = Buffer.from('89504e470d0a1a0a00', 'hex');
  const exe = Buffer.from('MZ\u0000');
  await expect(addAttachment(desk.ports, ask, { bytes: exe, fileName: 'a.pdf' })).rejects.toEqual(
    refused('attachment-refused'),
  );
  await expect(addAttachment(desk.ports, ask, { bytes: png, fileName: 'a.pdf' })).rejects.toEqual(
    refused('attachment-refused'),
  );
  const before = await desk.find(strId);
  const { attachmentId, report } = await addAttachment(desk.ports, ask, {
    bytes: png,
    fileName: 'receipt.png',
  });
  expect(report.contentHash).not.toBe(before.contentHash);
  const seen = await desk.see(strId, 'agnes');
  expect((await readAttachment(desk.ports, seen, attachmentId)).bytes).toEqual(png);
  const [blob = ''] = report.attachments;
  const stored = Buffer.from(desk.blobs.get(blob) ?? []);
  stored[20] = (stored[20] ?? 0) ^ 1;
  desk.blobs.set(blob, stored);
  await expect(readAttachment(desk.ports, seen, attachmentId)).rejects.toEqual(
    refused('blob-damaged'),
  );
});

test('an answer is written down once, though channel and officer say it together', async () => {
  const { strId } = await desk.validated();
  await desk.submit(strId);
  const read = () => desk.find(strId);
  const say = (actor: string) =>
    endSubmission(desk.ports, read, {
      actor,
      answer: { fiuReference: 'FIU-1', kind: 'acknowledged' },
    });
  const said = await Promise.allSettled([say('person:a'), say('system:str'), say('person:b')]);
  expect(said.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await desk.entries('str.acknowledged', strId)).toHaveLength(1);
});

test('after ten years what it said is gone, and the evidence stays', async () => {
  const { strId } = await desk.validated();
  await desk.submit(strId);
  await desk.step(strId);
  expect(await eraseReports(desk.ports)).toBe(0);
  desk.clock.advance((KEPT_YEARS + 1) * 366 * 24 * 3_600_000);
  const report = await desk.find(strId);
  const content = await readContent(desk.ports, report);
  expect(content.narrative).toBe(WHOLE.narrative);
  expect(await eraseReports(desk.ports)).toBeGreaterThan(0);
  const erased = await desk.find(strId);
  await expect(readContent(desk.ports, erased)).rejects.toEqual(refused('state-conflict'));
  // The blob lies there still, and opens no more: its key is gone.
  await expect(readContent(desk.ports, report)).rejects.toEqual(refused('blob-damaged'));
  expect(await eraseReports(desk.ports)).toBe(0);
  expect(await desk.entries('str.erased', strId)).toHaveLength(1);
});

test('one that was altered does not keep what the others say', async () => {
  const altered = await desk.draft();
  desk.clock.advance(1_000);
  const other = await desk.draft();
  desk.clock.advance((KEPT_YEARS + 1) * 366 * 24 * 3_600_000);
  expect(await desk.alter('str_report', altered.contentHash, 'f'.repeat(64))).toBeGreaterThan(0);
  await expect(eraseReports(desk.ports)).rejects.toEqual(refused('state-altered'));
  expect((await desk.find(other.strId)).erasedAt).toBeDefined();
  expect((await desk.find(altered.strId)).erasedAt).toBeUndefined();
});

test('a record that was changed past the service is refused, whoever asks', async () => {
  const { strId } = await desk.validated();
  expect(await desk.alter('str_report', '"validated"', '"submitted"')).toBeGreaterThan(0);
  await expect(desk.submit(strId)).rejects.toEqual(refused('state-altered'));
  await expect(desk.see(strId, 'carl')).rejects.toEqual(refused('state-altered'));
  expect(await desk.ports.signed.check(desk.persons.carl.tenantId)).toContain(
    'a report to the authority: it is not what the entry seq ' +
      `${(await desk.entries('str.validated', strId))[0]?.seq} made it`,
  );
});
