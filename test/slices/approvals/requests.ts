/** Made-up requests, and who decides them. */
import type { Person, Principal, Role } from '#core/identity';
import type { TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { Random } from '#platform/random';
import { systemRandom } from '#platform/random';
import { type ApprovalRequest, approvalTable, REQUEST_MS } from '#slices/approvals';
import { modelHouse } from '../../storage/modelHouse.ts';

export const TENANT = '0190aaaa-0000-7000-8000-00000000000a' as TenantId;
export const OTHER_TENANT = '0190bbbb-0000-7000-8000-00000000000b' as TenantId;
export const START = Date.UTC(2026, 0, 5, 12) as EpochMs;
const ISSUER = 'https://issuer.test';

export function personOf(name: string, ...roles: Role[]): Person {
  const accounts = [{ issuer: ISSUER, subject: name }];
  return { accounts, id: `person-${name}`, keys: [], name, roles, tenantId: TENANT, version: 1 };
}

export const PERSONS = {
  aude: personOf('aude', 'auditor'),
  carl: personOf('carl', 'compliance_officer'),
  dora: personOf('dora', 'dsi_admin'),
} as const;

/** With the roles given, or those that the person is registered with. */
export const principalOf = (name: string, ...roles: Role[]): Principal => ({
  environment: 'live',
  id: `${ISSUER}|${name}`,
  kind: 'user',
  mfa: true,
  roles: roles.length > 0 ? roles : (PERSONS[name as keyof typeof PERSONS]?.roles ?? []),
  tenantId: TENANT,
});

/** The n-th request, asked for n seconds after the start. */
export function requestOf(n: number, given: Partial<ApprovalRequest> = {}): ApprovalRequest {
  const requestedAt = (START + n * 1_000) as EpochMs;
  return {
    afterSeq: n,
    approvalId: `approval-${String(n).padStart(4, '0')}`,
    authorId: PERSONS.carl.id,
    baseVersion: 'base',
    expiresAt: (requestedAt + REQUEST_MS) as EpochMs,
    field: 'cron_full',
    newValue: 'new',
    oldValue: 'old',
    reason: 'a reason',
    requestedAt,
    resource: 'sanctions_source:UN_SC',
    signerRoles: ['dsi_admin', 'auditor'],
    state: 'open',
    tenantId: TENANT,
    version: 1,
    ...given,
  };
}

/** The rules over the model's tables, with a clock that is moved. */
export function approvalHouse(...seeded: readonly ApprovalRequest[]) {
  const house = modelHouse([approvalTable]);
  house.seed(approvalTable, ...seeded);
  let now: EpochMs = START;
  const ports = {
    clock: { monotonicMs: () => now, now: () => now },
    commit: house.commit,
    listPersons: async (): Promise<readonly Person[]> => Object.values(PERSONS),
    random: systemRandom as Random,
    tables: house.tables,
  };
  const moveTo = (at: number) => {
    now = at as EpochMs;
  };
  return { house, moveTo, ports };
}
