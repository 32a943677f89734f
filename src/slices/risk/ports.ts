/** What the rules of risk need: store, evidence, people, cases, and what screenings found. */
import type { AuditStore, CommitEvidence, KeyRing, SettlingAudit, SignedEvents } from '#core/audit';
import type { BlobStore } from '#core/blobs';
import type { Person } from '#core/identity';
import type { Tables, TenantId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Random } from '#platform/random';
import type { EditingLock } from '#slices/policies';
import type { ClientFactsPorts } from './clientFacts.ts';
import type { RiskInForce } from './inForce.ts';
import type { RiskSettings } from './settings.ts';
import type { SignedRisk } from './signedRisk.ts';

/** The chain, as evaluations are read from it. */
export type RiskAudit = Pick<
  AuditStore,
  'findByEventId' | 'findBySeq' | 'head' | 'lastEntries' | 'readEvents' | 'searchEvents'
> &
  SettlingAudit;

/** What reads policies and evaluations. */
export interface RiskReadPorts {
  readonly tables: Pick<Tables, 'find' | 'findMany' | 'findUnique' | 'insertMissing' | 'page'>;
  readonly audit: RiskAudit;
  readonly keyRing: KeyRing;
  readonly events: SignedEvents;
  readonly blobs: Pick<BlobStore, 'get' | 'put'>;
  readonly signed: SignedRisk;
  readonly clock: Clock;
}

/** What changes policies. */
export interface RiskDeskPorts extends RiskReadPorts {
  readonly commit: CommitEvidence;
  readonly editingLock: EditingLock;
  readonly random: Random;
  /** Read anew each time. */
  readonly listPersons: (tenantId: TenantId) => Promise<readonly Person[]>;
}

/** What evaluates clients. */
export interface RiskPorts extends RiskDeskPorts {
  readonly inForce: RiskInForce;
  readonly facts: ClientFactsPorts;
  readonly settingsOf: (tenantId: TenantId) => Promise<RiskSettings>;
}
