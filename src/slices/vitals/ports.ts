/** What the rules of vitals need of their process. */
import type { AuditStore, CommitEvidence, EntryContext } from '#core/audit';
import type { ApiKey } from '#core/identity';
import type { Tables, TenantId } from '#core/kernel';
import type { SubscriberFigures } from '#core/reactions';
import type { Clock } from '#platform/clock';
import type { ListRun } from '#slices/ingestion';
import type { ListSource } from '#slices/lists';

/** What the cluster is looked at with. */
export interface LookPorts extends EntryContext {
  readonly clock: Clock;
  readonly listSources: () => Promise<readonly ListSource[]>;
  /** Rejects where the store does not answer. */
  readonly ping: () => Promise<void>;
  readonly subscribers: () => Promise<readonly SubscriberFigures[]>;
  readonly tables: Tables;
}

/** What troubles are looked out for with. */
export interface WatchPorts extends LookPorts {
  readonly commit: CommitEvidence;
  readonly findRun: (runId: string) => Promise<ListRun | undefined>;
  readonly tenantIds: () => Promise<readonly TenantId[]>;
  readonly keysOf: (tenantId: TenantId) => Promise<readonly ApiKey[]>;
  /** Whether policies of the tenant are locked. */
  readonly isLocked: (tenantId: TenantId) => Promise<boolean>;
}

/** What one tenant's own part of the answer is read with. */
export interface ChainPorts {
  readonly audit: Pick<AuditStore, 'findBySeq' | 'head' | 'latestCheckpoint'>;
}
