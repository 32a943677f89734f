/** What the rules of the console need. */
import type { AuditStore, CommitEvidence, KeyRing, SettlingAudit } from '#core/audit';
import type { IdentityStore, TenantDirectory } from '#core/identity';
import type { Tables } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Random } from '#platform/random';
import type { Provider } from './provider.ts';

/** Sign-ins, and the persons who sign in. */
export interface ConsolePorts {
  readonly audit: Pick<AuditStore, 'lastEntries'> & SettlingAudit;
  readonly clock: Clock;
  readonly commit: CommitEvidence;
  /** What it answers is what was signed. */
  readonly identity: IdentityStore;
  readonly keyRing: KeyRing;
  /** Absent: persons of a sandbox sign in by a link. */
  readonly provider?: Provider;
  readonly random: Random;
  readonly tables: Pick<Tables, 'find' | 'page' | 'touch'>;
  readonly tenants: Pick<TenantDirectory, 'find'>;
}
