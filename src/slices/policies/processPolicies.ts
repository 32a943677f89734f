/** The ports of the rules of policies, built from the installation of a process; one for each. */
import type { CommitEvidence } from '#core/audit';
import type { IdentityStore, TenantDirectory } from '#core/identity';
import type { Clock } from '#platform/clock';
import type { Config } from '#platform/config';
import { operatesLists } from '#slices/ingestion';
import type { PolicyInForce } from '#slices/screening';
import { type EditingLock, editingLock } from './asks.ts';
import { createPoliciesInForce, type PoliciesInForce } from './inForce.ts';
import type { PolicyDeskPorts, PolicyReadPorts } from './ports.ts';

/** What a process of any kind has of it. */
export interface PolicyMeans extends Pick<PolicyDeskPorts, 'keyRing' | 'random'> {
  readonly clock: Clock;
  readonly commit: CommitEvidence;
  readonly config: Pick<Config, 'deploymentMode'>;
  readonly identity: Pick<IdentityStore, 'listPersons'>;
  readonly storage: Pick<PolicyReadPorts, 'audit' | 'tables'>;
  readonly tenants: Pick<TenantDirectory, 'settings'>;
  ask(port: typeof editingLock): EditingLock;
  once<Part>(make: (process: this) => Part): Part;
}

/** What people change policies with. */
export const policyPortsOf = (process: PolicyMeans): PolicyDeskPorts => process.once(openPorts);

function openPorts(process: PolicyMeans): PolicyDeskPorts {
  const { clock, commit, config, identity, keyRing, random, storage, tenants } = process;
  return {
    audit: storage.audit,
    clock,
    commit,
    editingLock: process.ask(editingLock),
    keyRing,
    listPersons: (tenantId) => identity.listPersons(tenantId),
    mayChangeLists: (tenantId) => operatesLists({ mode: config.deploymentMode, tenants }, tenantId),
    random,
    tables: storage.tables,
  };
}

/** What every screening is decided by, and the flags that slices to the right read. */
export const policiesInForceOf = (process: PolicyMeans): PoliciesInForce =>
  process.once(openInForce);

function openInForce({ clock, keyRing, storage, tenants }: PolicyMeans): PoliciesInForce {
  const { audit, tables } = storage;
  return createPoliciesInForce({ audit, clock, keyRing, tables, tenants });
}

/** What screenings take of it: for slices to the right, as the answer of a port for screening. */
export const policySettingsOf = (process: PolicyMeans): PolicyInForce => {
  const policies = policiesInForceOf(process);
  return async (tenantId) => (await policies.of(tenantId)).settings;
};
