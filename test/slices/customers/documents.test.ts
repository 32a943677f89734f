/** Documents of cases: stored sealed, scanned, read, compared, and kept to their entries. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { entry } from '#core/audit';
import { dataKeyTable } from '#core/blobs';
import type { EpochMs } from '#platform/clock';
import {
  type Check,
  caseDocumentTable,
  documentChecks,
  downloadDocument,
  forgetText,
  giveUpDocument,
  patchCase,
  readDocument,
  requireCase,
  requireRoom,
  ScannerAway,
  seeCase,
  subjectKeyId,
  viewDocument,
} from '#slices/customers';
import { makeMrz, seeded } from '../recognition/mrzLines.ts';
import { type CaseDesk, caseOf, HOLDER, openCaseDesk, passportOf } from './documentDesk.ts';

const DAY_MS = 24 * 3_600_000;
let desk: CaseDesk;
beforeAll(async () => {
  desk = await openCaseDesk();
});
beforeEach(() => desk.begin());
afterAll(() => desk.close());

/** Looks at the next document, as a worker would. */
async function readNext({ isLastTry = false } = {}): Promise<void> {
  const hold = await desk.take('document');
  if (hold === undefined) throw new Error('no document is due');
  await readDocument(desk.ports, hold, { isLastTry }).finally(() => hold.end());
}

const statusesOf = (checks: readonly Check[]) =>
  Object.fromEntries(checks.map(({ status, type }) => [type, status]));
const checksNow = async (caseId: string) =>
  (await documentChecks(desk.ports, await seeCase(desk.ports, { ...desk.by, caseId }))) ?? [];

const ALL_PASS = {
  age: 'pass',
  dob_match: 'pass',
  document_authentic_digits: 'pass',
  document_not_expired: 'pass',
  document_number_match: 'pass',
  document_readable: 'pass',
  document_reuse: 'pass',
  name_match: 'pass',
  nationality_match: 'pass',
};

describe('a document that comes in', () => {
  test('moves the case on, lies sealed, and leaves one task with the commit', async () => {
    const caseId = await desk.open();
    const bytes = await passportOf();
    const { document, record } = await desk.upload(caseId, bytes);
    expect(record).toMatchObject({ missing: [], status: 'processing' });
    expect(document).toMatchObject({ recognition: 'queued', scan: 'pending', version: 1 });
    const blob = desk.blobs.get(document.blob ?? '');
    expect(Buffer.from(blob ?? []).includes(bytes.subarray(0, 64))).toBe(false);
    expect(await desk.tasksOf(caseId, 'document')).toMatchObject([{ state: 'open' }]);
    expect(await desk.entries('kyc.document.uploaded')).toMatchObject([
      { kind: 'passport', sha256: document.sha256, target: `document:${document.documentId}` },
    ]);
  });

  test('stands for the older one of its kind', async () => {
    const caseId = await desk.open();
    const first = await desk.upload(caseId, await passportOf());
    const other = makeMrz('TD3', seeded(8));
    const second = await desk.upload(caseId, await passportOf(other));
    expect(second.record.documents).toMatchObject([
      { supersededBy: second.document.documentId },
      { documentId: second.document.documentId },
    ]);
    expect(second.record.documents[1]?.supersededBy).toBeUndefined();
    expect(first.document.documentId).not.toBe(second.document.documentId);
  });

  test('is refused where the case has thirty, or is decided', async () => {
    const caseId = await desk.open();
    const { record } = await desk.upload(caseId, await passportOf());
    const documents = Array.from({ length: 30 }, () => record.documents).flat();
    const full = expect.objectContaining({ code: 'documents-full' });
    expect(() => requireRoom({ documents, status: 'open' })).toThrow(full);
    expect(() => requireRoom({ documents: documents.slice(1), status: 'open' })).not.toThrow();
    const decided = expect.objectContaining({ code: 'state-conflict' });
    expect(() => requireRoom({ documents: [], status: 'rejected' })).toThrow(decided);
  });
});

describe('what is read', () => {
  test('agrees with the case: every check passes, and the checks of the case begin', async () => {
    const caseId = await desk.open();
    const { document } = await desk.upload(caseId, await passportOf());
    const before = await desk.tasksOf(caseId, 'checks');
    await readNext();
    const record = await requireCase(desk.ports, { ...desk.by, caseId });
    expect(statusesOf(record.checks)).toEqual(ALL_PASS);
    expect(await desk.tasksOf(caseId, 'checks')).toHaveLength(before.length + 1);
    expect(await desk.tasksOf(caseId, 'document')).toMatchObject([{ state: 'done' }]);
    const seen = await viewDocument(desk.ports, {
      ...desk.by,
      caseId,
      documentId: document.documentId,
      isPerson: true,
    });
    expect(seen.document).toMatchObject({ recognition: 'read', scan: 'skipped' });
    expect(seen.reading.read?.comparisons).toContainEqual({
      field: 'dob',
      result: 'match',
      score: 1,
    });
    expect(await desk.entries('kyc.document.read')).toMatchObject([
      { engine: 'unpdf', recognition: 'read', scan: 'skipped' },
    ]);
    expect(await desk.ports.signed.check(desk.by.tenantId)).toEqual([]);
  });

  test('nothing passes on digits alone: another name, and another date', async () => {
    const { subject, ...given } = caseOf();
    const caseId = await desk.open({ ...given, subject: { ...subject, full_name: 'Zoé Martin' } });
    await desk.upload(caseId, await passportOf());
    await readNext();
    expect(statusesOf(await checksNow(caseId))).toMatchObject({
      document_authentic_digits: 'review',
      name_match: 'fail',
    });
    const [digits] = (await checksNow(caseId)).filter(
      ({ type }) => type === 'document_authentic_digits',
    );
    expect(digits?.reasonCodes).toEqual(['digits_alone']);
  });

  test('is compared with what the case knows when the checks are made', async () => {
    const caseId = await desk.open();
    await desk.upload(caseId, await passportOf());
    await readNext();
    const patch = { subject: { full_name: 'Zoé Martin' } };
    await patchCase(desk.ports, { ...desk.by, caseId }, patch, { source: 'agent' });
    expect(statusesOf(await checksNow(caseId))).toMatchObject({ name_match: 'fail' });
  });

  test('a zone that the uploader sends never lets a check pass', async () => {
    const caseId = await desk.open();
    const blank = makeMrz('TD3', seeded(9));
    const page = await passportOf({ ...blank, lines: ['NO ZONE STANDS ON THIS PAGE AT ALL'] });
    const { document } = await desk.upload(caseId, page, {
      said: { mrz: HOLDER.lines.join('\n') },
    });
    await readNext();
    const statuses = statusesOf(await checksNow(caseId));
    expect(statuses).toMatchObject({
      dob_match: 'review',
      document_authentic_digits: 'review',
      name_match: 'review',
    });
    const ask = { ...desk.by, caseId, documentId: document.documentId, isPerson: false };
    const { reading } = await viewDocument(desk.ports, ask);
    expect(reading.read?.fields.every(({ source }) => source === 'client')).toBe(true);
  });

  test('the same bytes under another customer are looked at by a person', async () => {
    const bytes = await passportOf();
    const one = await desk.open();
    await desk.upload(one, bytes);
    await readNext();
    const other = await desk.open(caseOf(HOLDER, 'client-2'));
    await desk.upload(other, bytes);
    await readNext();
    const [reuse] = (await checksNow(other)).filter(({ type }) => type === 'document_reuse');
    expect(reuse).toMatchObject({
      evidence: { other_case_id: one },
      reasonCodes: ['same_document'],
      status: 'review',
    });
  });

  test('a selfie is compared with nothing', async () => {
    const caseId = await desk.open();
    await desk.upload(caseId, await passportOf());
    await readNext();
    await desk.upload(caseId, await passportOf(makeMrz('TD3', seeded(3))), { kind: 'selfie' });
    await readNext();
    expect(statusesOf(await checksNow(caseId))).toEqual(ALL_PASS);
  });

  test('the whole text goes after ninety days, the fields stay', async () => {
    const caseId = await desk.open();
    const { document } = await desk.upload(caseId, await passportOf());
    await readNext();
    const key = { documentId: document.documentId, tenantId: desk.by.tenantId };
    const text = (await desk.ports.tables.find(caseDocumentTable, key))?.textBlob ?? '';
    expect(desk.blobs.has(text)).toBe(true);
    expect(await desk.take('text')).toBeUndefined();
    desk.clock.advance(90 * DAY_MS);
    const hold = await desk.take('text');
    if (hold === undefined) throw new Error('no text is due');
    // All that is held of the customer is needed: an hour later it is looked at again.
    const held: unknown[] = [];
    await forgetText({ ...desk.ports, isHeld: async (of) => held.push(of) > 0 }, hold);
    expect(held).toEqual([{ caseIds: [caseId], tenantId: desk.by.tenantId }]);
    expect(desk.blobs.has(text)).toBe(true);
    desk.clock.advance(3_600_000 - 1);
    expect(await desk.take('text')).toBeUndefined();
    desk.clock.advance(1);
    const again = await desk.take('text');
    if (again === undefined) throw new Error('the text is due again');
    await forgetText({ ...desk.ports, isHeld: async () => false }, again);
    expect(desk.blobs.has(text)).toBe(false);
    const after = await desk.ports.signed.findDocument(key);
    expect(after?.textBlob).toBeUndefined();
    expect(after?.readBlob).toBeDefined();
  });
});

describe('what is absent', () => {
  test('a reader: the case is not lost, and every check says so', async () => {
    const caseId = await desk.open();
    const blank = await passportOf({ ...HOLDER, lines: [''] });
    await desk.upload(caseId, blank);
    const recogniser = {
      engines: async () => [],
      recognise: async () => ({
        fields: [],
        pages: [],
        status: 'unavailable' as const,
        text: '',
        tookMs: 1,
        warnings: ['no-reader'],
      }),
    };
    const hold = await desk.take('document');
    if (hold === undefined) throw new Error('no document is due');
    await readDocument({ ...desk.ports, recogniser }, hold, { isLastTry: false });
    const statuses = statusesOf(await checksNow(caseId));
    expect(statuses).toMatchObject({ document_readable: 'unavailable', name_match: 'unavailable' });
    expect(await desk.tasksOf(caseId, 'checks')).not.toHaveLength(0);
  });

  test('a scanner that does not answer is asked again, and not taken for clean', async () => {
    const caseId = await desk.open();
    await desk.upload(caseId, await passportOf());
    desk.scanner.result = { reason: 'unreachable', status: 'failed' };
    const hold = await desk.take('document');
    if (hold === undefined) throw new Error('no document is due');
    const first = readDocument(desk.ports, hold, { isLastTry: false });
    await expect(first).rejects.toBeInstanceOf(ScannerAway);
    expect(await desk.tasksOf(caseId, 'document')).toMatchObject([{ state: 'open' }]);
    await readDocument(desk.ports, hold, { isLastTry: true });
    expect(await desk.entries('kyc.document.read')).toMatchObject([
      { recognition: 'read', scan: 'failed' },
    ]);
  });

  test('a scan that the tenant requires: neither read nor given out', async () => {
    const caseId = await desk.open();
    const { document } = await desk.upload(caseId, await passportOf());
    desk.settings.isScanRequired = true;
    await readNext();
    expect(statusesOf(await checksNow(caseId))).toMatchObject({ document_readable: 'unavailable' });
    const ask = { ...desk.by, caseId, documentId: document.documentId };
    await expect(downloadDocument(desk.ports, ask)).rejects.toMatchObject({
      code: 'document-withheld',
    });
    desk.settings.isScanRequired = false;
    expect((await downloadDocument(desk.ports, ask)).bytes).toHaveLength(document.bytes);
    expect(await desk.entries('kyc.document.viewed')).toMatchObject([{ what: 'content' }]);
  });

  test('a worker that dies again and again costs the look, not the case', async () => {
    const caseId = await desk.open();
    await desk.upload(caseId, await passportOf());
    const hold = await desk.take('document');
    if (hold === undefined) throw new Error('no document is due');
    await giveUpDocument(desk.ports, hold);
    expect(statusesOf(await checksNow(caseId))).toMatchObject({ document_readable: 'unavailable' });
    expect(await desk.tasksOf(caseId, 'document')).toMatchObject([{ state: 'failed' }]);
  });
});

describe('hostile files', () => {
  test('EICAR: the bytes are destroyed at once, and a person is told why', async () => {
    const caseId = await desk.open();
    const { document } = await desk.upload(caseId, await passportOf());
    desk.scanner.result = {
      engine: 'ClamAV 1.4.6',
      signature: 'Eicar-Test-Signature',
      status: 'infected',
    };
    await readNext();
    expect(desk.blobs.has(document.blob ?? '')).toBe(false);
    const [readable] = (await checksNow(caseId)).filter(({ type }) => type === 'document_readable');
    expect(readable).toMatchObject({ reasonCodes: ['infected'], status: 'fail' });
    expect(await desk.entries('kyc.document.deleted')).toMatchObject([
      { malware: 'Eicar-Test-Signature', reason: 'infected' },
    ]);
    const ask = { ...desk.by, caseId, documentId: document.documentId };
    await expect(downloadDocument(desk.ports, ask)).rejects.toMatchObject({
      code: 'document-withheld',
    });
  });

  test('a record that was changed past the service, and a blob that was, are refused', async () => {
    const caseId = await desk.open();
    const { document } = await desk.upload(caseId, await passportOf());
    desk.blobs.set(document.blob ?? '', Buffer.from('something else'));
    const hold = await desk.take('document');
    if (hold === undefined) throw new Error('no document is due');
    await expect(readDocument(desk.ports, hold, { isLastTry: false })).rejects.toMatchObject({
      code: 'blob-damaged',
    });
    await giveUpDocument(desk.ports, hold);
    expect(await desk.alter('kyc_document', '"kind":"passport"', '"kind":"other"')).not.toBe(0);
    const ask = { ...desk.by, caseId, documentId: document.documentId, isPerson: false };
    await expect(viewDocument(desk.ports, ask)).rejects.toMatchObject({ code: 'state-altered' });
  });

  test('once the key is destroyed nothing is readable, and the task ends', async () => {
    const caseId = await desk.open();
    const { document, record } = await desk.upload(caseId, await passportOf());
    const keyId = subjectKeyId(record.subjectId);
    const key = await desk.ports.dataKeys.find({ keyId, tenantId: desk.by.tenantId });
    if (key === undefined) throw new Error('no key');
    const hold = await desk.take('document');
    if (hold === undefined) throw new Error('no document is due');
    await desk.ports.commit(desk.by.tenantId as never, {
      bus: [],
      changes: [dataKeyTable.remove({ keyId }, key.version)],
      events: [
        entry(desk.ports, { ...desk.by, action: 'kyc.subject.erased', target: 'subject:test' }),
      ],
    });
    await expect(readDocument(desk.ports, hold, { isLastTry: false })).rejects.toMatchObject({
      code: 'subject-erased',
    });
    await giveUpDocument(desk.ports, hold);
    expect(await desk.tasksOf(caseId, 'document')).toMatchObject([{ state: 'failed' }]);
    expect(document.uploadedAt).toBeLessThanOrEqual(desk.clock.now() as EpochMs);
  });
});
