/** What the rules of approvals need: store, evidence, persons, and what can be asked for. */
import type { AuditStore, CommitEvidence, KeyRing } from '#core/audit';
import type { FoundApprovable, Person } from '#core/identity';
import type { Tables, TenantId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Random } from '#platform/random';

/** What reads and ends requests. */
export interface EndPorts {
  readonly tables: Pick<Tables, 'find' | 'page'>;
  readonly commit: CommitEvidence;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
}

/** What asks for changes and applies them. */
export interface ApprovalPorts extends EndPorts {
  readonly audit: Pick<AuditStore, 'head' | 'readEvents'>;
  readonly keyRing: KeyRing;
  /** Read anew each time: a key that was revoked signs nothing more. */
  readonly listPersons: (tenantId: TenantId) => Promise<readonly Person[]>;
  /** Undefined for a resource that no slice has declared as approvable. */
  readonly approvableOf: (resource: string) => Promise<FoundApprovable | undefined>;
}
