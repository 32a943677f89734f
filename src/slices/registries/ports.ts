/** What lookups need: store, evidence, keys, and who answers for a registry. */
import type { AuditStore, CommitEvidence, KeyRing, SettlingAudit } from '#core/audit';
import type { BlobStore, DataKeys } from '#core/blobs';
import type { Tables, TenantId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Random } from '#platform/random';
import type { Company } from './company.ts';
import type { RegistryName } from './identifiers.ts';

/** What a registry is asked: one of the two. */
export type RegistryQuery = { readonly identifier: string } | { readonly name: string };

/** What a registry has said. */
export interface RegistryAnswer {
  readonly source: 'file' | 'live';
  readonly asOf: number;
  /** By identifier at most one; by name the best CANDIDATES_MAX. */
  readonly companies: readonly Company[];
}

/** A way to one registry: its extract, or the registry itself. Throws `registry-unavailable`. */
export interface CompanyRegistry {
  find(query: RegistryQuery): Promise<RegistryAnswer>;
}

/** What reads what was signed. */
export interface RegistryReadPorts {
  readonly audit: Pick<AuditStore, 'lastEntries'> & SettlingAudit;
  readonly blobs: Pick<BlobStore, 'get' | 'put'>;
  readonly keyRing: KeyRing;
  readonly tables: Pick<Tables, 'find' | 'page'>;
}

/** What imports extracts. */
export interface ImportPorts extends RegistryReadPorts {
  readonly clock: Pick<Clock, 'now'>;
  readonly commit: CommitEvidence;
  readonly random: Random;
}

/** What looks companies up. */
export interface LookupPorts extends ImportPorts {
  readonly dataKeys: Pick<DataKeys, 'find' | 'make'>;
  /** Undefined: nobody answers for it here. */
  readonly registryFor: (
    registry: RegistryName,
    tenantId: TenantId,
  ) => Promise<CompanyRegistry | undefined>;
}
