/** Cases over a real store and the real evidence: opened, changed, and held to their entries. */
import { afterEach, describe, expect, test } from 'vitest';
import { createAuditLog, entry, newKeyRing } from '#core/audit';
import { DataKeys, dataKeyTable } from '#core/blobs';
import type { TenantId } from '#core/kernel';
import { signerFromSeed } from '#platform/crypto';
import { systemRandom } from '#platform/random';
import {
  CASE_STATUSES,
  type CasePorts,
  type CreateCase,
  caseTable,
  createCase,
  listCases,
  moveTo,
  patchCase,
  readContent,
  recordConsent,
  requireCase,
  signedCases,
  subjectKeyId,
  TRANSITIONS,
  TRIGGERS,
  taskTable,
} from '#slices/customers';
import { makeSqliteHarness } from '../../storage/sqlite/harness.ts';

const TENANT = '0190aaaa-0000-7000-8000-00000000000a' as TenantId;
const GIVEN: CreateCase = {
  external_ref: 'client-1',
  locale: 'fr-TN',
  subject: { dob: '1990-05-17', full_name: 'Amira Ben Salah', nationality: 'TN' },
  subject_type: 'individual',
  workflow_code: 'individual_standard',
};
const CONSENT = {
  given: true,
  locale: 'fr-TN',
  method: 'checkbox',
  purpose: 'identity_verification',
  textVersion: '2026-01',
} as const;
const BY = { actor: 'key:test', tenantId: TENANT } as const;

let closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing) await close();
  closing = [];
});

async function openDesk() {
  const harness = await makeSqliteHarness();
  const { clock } = harness;
  const storage = await harness.open();
  const signer = signerFromSeed(new Uint8Array(32).fill(9));
  const audit = createAuditLog({
    clock: { monotonicMs: () => performance.now(), now: () => clock.now() },
    holder: 'test',
    random: systemRandom,
    signer,
    store: storage.audit,
  });
  closing.push(async () => {
    await audit.close();
    await storage.close();
    await harness.dispose();
  });
  const keyRing = newKeyRing(signer.publicKey);
  const { tables } = storage;
  const woken: string[] = [];
  const ports: CasePorts = {
    blobs: { get: async () => undefined, put: async () => ({ address: '', bytes: 0 }) },
    clock,
    commit: audit.commit,
    dataKeys: new DataKeys({ master: new Uint8Array(32), random: systemRandom, tables }),
    flagsOf: async () => ({ opposed: false, processing_restricted: false }),
    listPersons: async () => [],
    random: systemRandom,
    riskOf: async () => undefined,
    signed: signedCases({ audit: storage.audit, keyRing, tables }),
    tables,
    wake: (tenantId) => void woken.push(tenantId),
  };
  return { alter: harness.alter, clock, ports, woken };
}

describe('cases', () => {
  test('a case says what it waits for, and one reference has one that is undecided', async () => {
    const { ports } = await openDesk();
    const record = await createCase(ports, BY, GIVEN);
    expect(record).toMatchObject({ status: 'open', version: 1 });
    expect(record.missing).toEqual([
      { kind: 'consent', name: 'identity_verification' },
      { kind: 'document', name: 'passport|id_card_front|residence_permit' },
    ]);
    await expect(createCase(ports, BY, GIVEN)).rejects.toMatchObject({ code: 'case-open-exists' });
    const wrong = { ...GIVEN, external_ref: 'client-2', subject: { nationality: 'XX' } };
    await expect(createCase(ports, BY, wrong)).rejects.toMatchObject({ code: 'subject-invalid' });
    const { cases } = await listCases(ports, {
      filter: { status: 'open' },
      limit: 10,
      tenantId: TENANT,
    });
    expect(cases.map(({ caseId }) => caseId)).toEqual([record.caseId]);
  });

  test('a merge patch takes members away, and says where values come from', async () => {
    const { ports } = await openDesk();
    const { caseId } = await createCase(ports, BY, GIVEN);
    const ask = { ...BY, caseId };
    const patch = { subject: { dob: null, occupation: 'Architect' } };
    const next = await patchCase(ports, ask, patch, { source: 'agent' });
    const { provenance, subject } = await readContent(ports, next);
    expect(subject).toEqual({
      full_name: 'Amira Ben Salah',
      nationality: 'TN',
      occupation: 'Architect',
    });
    expect(provenance.occupation).toMatchObject({ source: 'agent' });
    expect(provenance.dob).toBeUndefined();
    expect(next.missing).toContainEqual({ kind: 'field', name: 'dob' });
    const stale = { ...ask, isExpected: (etag: string) => etag === '"1"' };
    await expect(patchCase(ports, stale, patch, { source: 'api' })).rejects.toMatchObject({
      code: 'precondition-failed',
    });
  });

  test('a consent counts until it is withdrawn', async () => {
    const { ports } = await openDesk();
    const { caseId } = await createCase(ports, BY, GIVEN);
    const ask = { ...BY, caseId };
    const names = async () => (await requireCase(ports, ask)).missing.map(({ name }) => name);
    await recordConsent(ports, ask, CONSENT);
    expect(await names()).not.toContain('identity_verification');
    await recordConsent(ports, ask, { ...CONSENT, given: false });
    expect(await names()).toContain('identity_verification');
  });

  test('what was written past the service is refused by name', async () => {
    const { alter, ports } = await openDesk();
    const record = await createCase(ports, BY, GIVEN);
    expect(await ports.signed.check(TENANT)).toEqual([]);
    expect(await alter('kyc_case', '"locale":"fr-TN"', '"locale":"ar-TN"')).toBe(1);
    await expect(requireCase(ports, record)).rejects.toMatchObject({ code: 'state-altered' });
    expect(await ports.signed.check(TENANT)).toHaveLength(1);
  });

  test('nothing of a person is readable once the data key is another one', async () => {
    const { ports } = await openDesk();
    const record = await createCase(ports, BY, GIVEN);
    const row = await ports.tables.find(caseTable, record);
    expect(JSON.stringify(row)).not.toContain('Amira');
    const keyId = subjectKeyId(record.subjectId);
    const key = await ports.dataKeys.find({ keyId, tenantId: TENANT });
    if (key === undefined) throw new Error('no key');
    const gone = ports.dataKeys.without(key, []);
    await ports.commit(TENANT as never, {
      bus: [],
      changes: [dataKeyTable.put(gone.record, key.version)],
      events: [entry(ports, { ...BY, action: 'kyc.subject.erased', target: 'subject:test' })],
    });
    await expect(readContent(ports, record)).rejects.toMatchObject({ code: 'blob-damaged' });
  });

  test('no state is left but by a row of the table', () => {
    for (const trigger of TRIGGERS) {
      for (const status of CASE_STATUSES) {
        const { from, to } = TRANSITIONS[trigger];
        const move = () => moveTo({ status }, trigger);
        if (from.includes(status)) expect(move()).toBe(to);
        else expect(move).toThrow(expect.objectContaining({ code: 'state-conflict' }));
      }
    }
    expect(taskTable.name).toBe('kyc_task');
  });
});
