/**
 * What cases, exclusions and an old backup hold of a person is given to him and erased as the rest:
 * one marked word in every member is nowhere any more that somebody could read.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TenantId } from '#core/kernel';
import { uuidV7 } from '#platform/random';
import {
  caseTable,
  changeCase,
  createCase,
  readContent,
  requireCase,
  subjectTable,
} from '#slices/customers';
import { openVault, repeatErasure, subjectOf, tagOf } from '#slices/privacy';
import { monitoredTable } from '#slices/rescreening';
import { subjectKeyOfRef } from '#slices/screening';
import { casePortsOf } from '../../../src/slices/customers/edge/parts.ts';
import { openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';
import { erasureDesk, YEAR_MS } from './erasureDesk.ts';

const WORD = 'Zwirbelkanarie';

describe.skipIf(!hasRedis)('the erasure of what slices hold', () => {
  let gateway: RealGateway;
  beforeAll(async () => {
    gateway = await openRealGateway('node:http');
  });
  afterAll(() => gateway?.close());

  async function customer(ref: string, retentionYears: number) {
    const settings = { 'privacy.retention_years': retentionYears };
    const tenantId = await gateway.tenant('sandbox', settings);
    const ports = casePortsOf(gateway.process);
    const by = { actor: 'key:test', tenantId } as const;
    const { caseId } = await createCase(ports, by, {
      external_ref: ref,
      locale: 'fr-TN',
      subject: {
        dob: '1990-05-17',
        email: `${WORD}@example.org`,
        full_name: `Amira ${WORD}`,
        national_id: `${WORD}-77`,
        nationality: 'TN',
      },
      subject_type: 'individual',
      workflow_code: 'individual_standard',
    });
    return { caseId, desk: erasureDesk(gateway, tenantId), ports, tenantId };
  }

  /** As a person decides it; the slice's own tests go through the states. */
  const decided = ({ caseId, ports, tenantId }: Awaited<ReturnType<typeof customer>>) =>
    changeCase(ports, { actor: 'key:test', caseId, tenantId }, () => ({
      change: { decidedAt: ports.clock.now(), standing: 'approved', status: 'approved' },
      entry: { action: 'kyc.case.decision_made' },
    }));

  test('a case that nobody decided is gone with its key', async () => {
    const { caseId, desk, ports, tenantId } = await customer('case-1', 10);
    const request = await desk.planned('case-1');
    expect(request.plan?.rows.slice(0, 2)).toEqual([
      { action: 'delete', rows: 1, store: 'kyc_subject', why: 'no_duty' },
      { action: 'delete', rows: 1, store: 'kyc_case', why: 'no_duty' },
    ]);
    await desk.approved(request);
    const done = await desk.carryOut(request);
    const record = await requireCase(ports, { caseId, tenantId });
    expect(record).toMatchObject({
      consents: [],
      externalRef: done.erasure?.pseudonym,
      sealed: '',
      status: 'canceled',
    });
    await expect(readContent(ports, record)).rejects.toMatchObject({ code: 'subject-erased' });
    expect(await ports.signed.check(tenantId)).toEqual([]);
    expect(done.erasure?.keptUntil).toBeUndefined();
  });

  test('a decided case names nobody while a duty lasts, and two persons find who', async () => {
    const known = await customer('case-2', 10);
    const { caseId, desk, ports, tenantId } = known;
    await decided(known);
    const request = await desk.planned('case-2');
    expect(request.plan?.rows[0]).toMatchObject({ action: 'pseudonymise', why: 'legal_duty' });
    await desk.approved(request);
    const done = await desk.carryOut(request);
    const pseudonym = done.erasure?.pseudonym ?? '';
    const place = { caseId, tenantId };
    const record = await requireCase(ports, place);
    expect(record).toMatchObject({ externalRef: pseudonym, status: 'approved' });
    expect((await readContent(ports, record)).subject).toEqual({
      dob: '1990-05-17',
      nationality: 'TN',
    });
    const ask = { pseudonym, reason: 'Order of the court of 12 January', tenantId };
    await openVault(desk.ports, { ...ask, by: desk.person('one') });
    const seen = await openVault(desk.ports, { ...ask, by: desk.person('other') });
    expect(seen).toMatchObject({
      content: {
        custody: { kyc_subject: { identity: { [caseId]: { full_name: `Amira ${WORD}` } } } },
        subject: { caseIds: [caseId], subjectRef: 'case-2' },
      },
    });
    desk.move(10.1 * YEAR_MS);
    await desk.carryOut(request);
    const gone = await requireCase(ports, place);
    await expect(readContent(ports, gone)).rejects.toMatchObject({ code: 'subject-erased' });
    expect(await ports.signed.check(tenantId)).toEqual([]);
    expect(filesWith(gateway.installation.config.dataDir, WORD)).toEqual([]);
  });

  test('a request by the id of a case finds all that is under its reference', async () => {
    const { caseId, desk, tenantId } = await customer('case-3', 10);
    const subject = await subjectOf(await desk.ports.holdings(), { caseId, tenantId });
    expect(subject).toMatchObject({ caseIds: [caseId], subjectRef: 'case-3' });
    const names: string[] = [];
    for (const { files } of await desk.ports.holdings()) {
      for await (const { content, name } of files(subject)) {
        if (JSON.stringify(content).includes(WORD)) names.push(name);
      }
    }
    expect(names).toEqual([`cases/${caseId}.json`]);
  });

  test('whom an old backup brings back is erased again by a newer receipt', async () => {
    const { desk, tenantId } = await customer('case-4', 10);
    const caller = await gateway.caller(tenantId, 'agent_l2', 'admin');
    const subjects = [{ external_id: 'case-4', full_name: `Amira ${WORD}` }];
    expect((await caller.post('/v1/sanctions/monitored-subjects', { subjects })).status).toBe(200);
    const { clock, random } = gateway.process;
    const pseudonym = `psn_${'0'.repeat(26)}`;
    const receipt = {
      action: 'privacy.subject.erased',
      event_id: uuidV7(clock.now(), random),
      occurred_at: new Date(clock.now() + 1_000).toISOString(),
      pseudonym,
      subject_tag: tagOf(desk.ports, tenantId, 'case-4'),
      target: `privacy-request:${uuidV7(clock.now(), random)}`,
    };
    const again = (of: object) =>
      repeatErasure(desk.ports, gateway.process, {
        actor: 'cli:test',
        receipt: { ...receipt, ...of },
        tenantId,
      });
    const other = tagOf(desk.ports, tenantId, 'somebody else');
    expect(await again({ subject_tag: other })).toBe(false);
    expect(await again({})).toBe(true);
    expect(await watched(tenantId, 'case-4')).toMatchObject({ state: 'removed' });
    const ask = { equal: { tenantId }, index: 'key', limit: 10 };
    const { tables } = gateway.process.storage;
    const { records } = await tables.page(subjectTable, ask);
    expect(records).toMatchObject([{ externalRef: pseudonym }]);
    expect((await tables.page(caseTable, ask)).records).toMatchObject([{ sealed: '' }]);
    expect(await again({})).toBe(false);
  });

  const watched = (tenantId: TenantId, ref: string) =>
    gateway.process.storage.tables.find(monitoredTable, {
      subjectId: subjectKeyOfRef(tenantId, ref),
      tenantId,
    });
});

/** Files below a folder that have the word, in any case. */
function filesWith(folder: string, word: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => {
      const bytes = readFileSync(path);
      return bytes.includes(word) || bytes.toString('latin1').includes(word.toLowerCase());
    });
}
