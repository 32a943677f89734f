/** What the rules of forms need: store, evidence, and people. */
import type { CommitEvidence, SignedRecords } from '#core/audit';
import type { Person } from '#core/identity';
import type { Tables, TenantId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Random } from '#platform/random';
import type { EditingLock } from '#slices/policies';

/** What reads forms. */
export interface FormReadPorts {
  readonly tables: Pick<Tables, 'find' | 'findUnique' | 'page'>;
  /** Compares forms and versions with their last entries (signedForms.ts). */
  readonly signed: SignedRecords;
}

/** What writes them. */
export interface FormPorts extends FormReadPorts {
  readonly commit: CommitEvidence;
  readonly clock: Pick<Clock, 'now'>;
  readonly editingLock: EditingLock;
  readonly random: Random;
  /** ISO 3166-1 alpha-2 codes in use. */
  readonly countries: readonly string[];
  /** Read anew each time: a key that was revoked signs nothing more. */
  readonly listPersons: (tenantId: TenantId) => Promise<readonly Person[]>;
}
