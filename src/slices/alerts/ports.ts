/** What the rules of alerts need: store, evidence, persons, and the settings of a tenant. */
import type { CommitEvidence } from '#core/audit';
import type { Person } from '#core/identity';
import type { Tables, TenantId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Random } from '#platform/random';
import type {
  AddExclusion,
  DecideExclusions,
  ExclusionRecord,
  ExclusionStep,
} from '#slices/exclusions';
import type { AlertSettings } from './settings.ts';
import type { Alert, AlertNote } from './tables.ts';

/** What writes alerts. */
export interface AlertPorts {
  readonly tables: Pick<Tables, 'find' | 'findMany' | 'page'>;
  readonly commit: CommitEvidence;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
  readonly settingsOf: (tenantId: TenantId) => Promise<AlertSettings>;
  /** Read anew each time, as what a person may do is decided by it. */
  readonly listPersons: (tenantId: TenantId) => Promise<readonly Person[]>;
}

/** What becomes of exclusions by a decision about a hit, for the decision's own commit. */
export interface HitExclusions {
  adding(ask: AddExclusion): Promise<ExclusionStep>;
  approving(ask: DecideExclusions): Promise<ExclusionStep>;
  revoking(ask: DecideExclusions): Promise<ExclusionStep>;
  /** Those of these that are proposed, or hold. */
  open(tenantId: TenantId, exclusionIds: readonly string[]): Promise<readonly ExclusionRecord[]>;
}

/** What a note says. */
export interface ReadNote {
  /** Absent once it was erased. */
  readonly text?: string;
}

/** What people work on alerts with. */
export interface AlertDeskPorts extends AlertPorts {
  readonly signed: ComparesAlerts;
  /** What a note says; undefined where it is not what its entry made it (signedNotes.ts). */
  readonly readNote: (note: AlertNote) => Promise<ReadNote | undefined>;
}

/** Says whether alerts are what their last entries in the chain made them (signedAlerts.ts). */
export interface ComparesAlerts {
  isAsSigned(alert: Alert): Promise<boolean>;
  /**
   * Answers for several alerts of a tenant, in their order. `turn` is awaited between two: each
   * costs a fraction of a millisecond.
   */
  areAsSigned(
    tenantId: TenantId,
    alerts: readonly Alert[],
    turn?: () => Promise<void>,
  ): Promise<readonly boolean[]>;
}
