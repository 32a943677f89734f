/** What the rules of this slice need: store, evidence, persons, and what others know. */
import type { AuditStore, CommitEvidence, SignedRecords } from '#core/audit';
import type { Person } from '#core/identity';
import type { Tables, TenantId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Random } from '#platform/random';
import type { EditingLock } from '#slices/policies';

/** What rules are read with. */
export interface RuleReadPorts {
  readonly tables: Pick<Tables, 'find' | 'findMany' | 'findUnique' | 'page'>;
  readonly audit: Pick<AuditStore, 'findBySeq' | 'readEvents'>;
  /** Compares versions of rules with their last entries (signedRules.ts). */
  readonly signed: SignedRecords;
}

/** What writes records of rules, with their entries. */
export interface RuleWritePorts extends RuleReadPorts {
  readonly commit: CommitEvidence;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
}

/** What people change rules with. */
export interface RuleDeskPorts extends RuleWritePorts {
  readonly editingLock: EditingLock;
  /** Compares suppressions with their last entries (suppressions.ts). */
  readonly signedSuppressions: SignedRecords;
  /** Compares backtests with theirs (signedBacktests.ts). */
  readonly signedBacktests: SignedRecords;
  /** Compares alerts of rules with theirs (signedPosition.ts). */
  readonly signedPositions: SignedRecords;
  /** Read anew each time: a key that was revoked signs nothing more. */
  readonly listPersons: (tenantId: TenantId) => Promise<readonly Person[]>;
}
