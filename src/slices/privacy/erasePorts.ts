/** What erasures are planned and carried out with. */
import type { AuditStore } from '#core/audit';
import type { TenantId } from '#core/kernel';
import type { Holding } from '#core/privacy';
import type { Hold } from '#core/work';
import type { SecretBox } from '#platform/secretBox';
import type { ErasureWork } from './erasureTables.ts';
import type { VaultPorts } from './identityVault.ts';

/** An erasure in hand. */
export type ErasureHold = Hold<ErasureWork, 'requestId' | 'tenantId'>;

export interface ErasePorts extends VaultPorts {
  readonly audit: Pick<AuditStore, 'eraseOpen' | 'findByEventId' | 'lastEntries' | 'searchEvents'>;
  readonly holdings: () => Promise<readonly Holding[]>;
  /** `privacy.retention_years` of a tenant. */
  readonly retentionYearsOf: (tenantId: TenantId) => Promise<number>;
  readonly secrets: Pick<SecretBox, 'isTagOf' | 'tag'>;
}
