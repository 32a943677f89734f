/** Persons whom a tenant has screened, watches and restricts, and what is stored of them. */
import { expect } from 'vitest';
import { chainOf, type TenantId } from '#core/kernel';
import {
  changeFlags,
  legalHoldTable,
  privacyRequestTable,
  subjectFlagTable,
  vaultTable,
} from '#slices/privacy';
import { monitoredTable } from '#slices/rescreening';
import { subjectKeyOfRef } from '#slices/screening';
import type { Caller, RealGateway } from '../../api/realGateway.ts';
import { erasureDesk } from './erasureDesk.ts';

export function knownPersons(gateway: () => RealGateway) {
  /** A tenant that has screened, watches and restricts one person. */
  async function known(ref: string, retentionYears: number) {
    const settings = { 'privacy.retention_years': retentionYears };
    const tenantId = await gateway().tenant('sandbox', settings);
    const caller = await gateway().caller(tenantId, 'agent_l1', 'agent_l2', 'admin');
    const desk = erasureDesk(gateway(), tenantId);
    await know(caller, desk, ref);
    return { caller, desk, tenantId };
  }

  async function know(caller: Caller, desk: ReturnType<typeof erasureDesk>, ref: string) {
    const full_name = `Canaria ${ref}`;
    const screened = await caller.screen({ name: full_name, subject_ref: ref });
    expect(screened.status, screened.text).toBe(200);
    const subjects = [{ external_id: ref, full_name }];
    const added = await caller.post('/v1/sanctions/monitored-subjects', { subjects });
    expect(added.status, added.text).toBe(200);
    const reason = `Letter of ${ref} of 12 January`;
    await changeFlags(desk.ports, {
      by: desk.person('clerk'),
      opposed: true,
      reason,
      subjectRef: ref,
    });
  }

  return { find: recordsOf(gateway), know, known };
}

/** Records as they are stored. */
function recordsOf(gateway: () => RealGateway) {
  const tables = () => gateway().process.storage.tables;
  return {
    async entries(tenantId: TenantId, action: string) {
      const page = { action, chainId: chainOf(tenantId), fromSeq: 1, limit: 100 };
      const events = await gateway().process.storage.audit.readEvents(page);
      return events.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
    },
    hold: (tenantId: TenantId, subjectRef: string) =>
      tables().find(legalHoldTable, { subjectRef, tenantId }),
    flag: (tenantId: TenantId, subjectRef: string) =>
      tables().find(subjectFlagTable, { subjectRef, tenantId }),
    request: (tenantId: TenantId, requestId: string) =>
      tables().find(privacyRequestTable, { requestId, tenantId }),
    vault: (tenantId: TenantId, pseudonym: string) =>
      tables().find(vaultTable, { pseudonym, tenantId }),
    watched: (tenantId: TenantId, ref: string) =>
      tables().find(monitoredTable, { subjectId: subjectKeyOfRef(tenantId, ref), tenantId }),
  };
}
