/** What the rules of policies need: store, evidence, persons, and what others know. */
import type { AuditStore, CommitEvidence, KeyRing, SettlingAudit } from '#core/audit';
import type { Person } from '#core/identity';
import type { Tables, TenantId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Random } from '#platform/random';
import type { EditingLock } from './asks.ts';

/** What policies are read with. */
export interface PolicyReadPorts {
  readonly tables: Pick<Tables, 'find' | 'findUnique' | 'page'>;
  readonly audit: Pick<AuditStore, 'findBySeq' | 'readEvents'> & SettlingAudit;
  readonly keyRing: KeyRing;
}

/** What writes records of policies, with their entries. */
export interface PolicyWritePorts extends PolicyReadPorts {
  readonly commit: CommitEvidence;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
}

/** What people change policies with. */
export interface PolicyDeskPorts extends PolicyWritePorts {
  readonly editingLock: EditingLock;
  /** Read anew each time: a key that was revoked signs nothing more. */
  readonly listPersons: (tenantId: TenantId) => Promise<readonly Person[]>;
  /** Whether the tenant may add fires to the schedule of the installation's lists. */
  readonly mayChangeLists: (tenantId: TenantId) => Promise<boolean>;
}
