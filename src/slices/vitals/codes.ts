/**
 * Codes of troubles, each with its severity, who sees it, and what to do. Conditions of
 * notifications (a broken chain, a failing endpoint) are shown beside them by their own codes.
 */

/** How much it matters, worst first. */
export type TroubleSeverity = 'CRITICAL' | 'HIGH' | 'MEDIUM' | 'LOW';

/** What is declared of a code. */
export interface TroubleRow {
  readonly severity: TroubleSeverity;
  /** `all`: everybody who screens is concerned; `operators`: it names processes and disks. */
  readonly shownTo: 'all' | 'operators';
  readonly runbook: string;
}

const book = (name: string): string => `docs/runbooks/${name}.md`;

/** Every code, with its row. */
export const TROUBLES = {
  /** Nothing was learnt of a list for two of its fires, and twice its cadence. */
  LIST_STALE: { runbook: book('ListOld'), severity: 'HIGH', shownTo: 'all' },
  /** The last run of a list has failed. */
  LIST_RUN_FAILED: { runbook: book('ListOld'), severity: 'MEDIUM', shownTo: 'all' },
  /** A list would lose so much that two persons have to look at it. */
  LIST_SHRUNK: { runbook: book('ListOld'), severity: 'HIGH', shownTo: 'all' },
  /** The scheduler has disabled a source. */
  SOURCE_DISABLED: { runbook: book('ListOld'), severity: 'HIGH', shownTo: 'all' },
  /** The cluster is not green. */
  CLUSTER_DEGRADED: { runbook: book('ClusterDegraded'), severity: 'HIGH', shownTo: 'all' },
  /** A gateway does not screen against a list that is in force for a minute. */
  INDEX_MISSING: { runbook: book('ClusterDegraded'), severity: 'CRITICAL', shownTo: 'operators' },
  /** Events have waited in the outbox for a minute. */
  OUTBOX_LAG: { runbook: book('OutboxOld'), severity: 'HIGH', shownTo: 'operators' },
  /** Events have waited five minutes for their checkpoint. */
  CHECKPOINT_LATE: { runbook: book('CheckpointsLate'), severity: 'CRITICAL', shownTo: 'operators' },
  /** The disk of `DATA_DIR` is nearly full. */
  DISK_LOW: { runbook: book('DiskLow'), severity: 'HIGH', shownTo: 'operators' },
  /** The clock of a host differs from the store's, or from Redis's. */
  CLOCK_SKEW: { runbook: book('ClockOff'), severity: 'MEDIUM', shownTo: 'operators' },
  /** Policies of the tenant cannot be changed, since its chain is broken. */
  POLICY_LOCKED: { runbook: book('ChainBroken'), severity: 'HIGH', shownTo: 'all' },
  /** A client certificate of a webhook endpoint ends within thirty days. */
  CERTIFICATE_EXPIRING: { runbook: book('ExpiringSoon'), severity: 'MEDIUM', shownTo: 'all' },
  /** An API key ends within fourteen days. */
  KEY_EXPIRING: { runbook: book('ExpiringSoon'), severity: 'LOW', shownTo: 'all' },
  /** Alerts of the tenant were not closed in time. */
  REVIEW_OVERDUE: { runbook: book('ReviewOverdue'), severity: 'MEDIUM', shownTo: 'all' },
} as const satisfies Readonly<Record<string, TroubleRow>>;

/** A code that has a row. */
export type TroubleCode = keyof typeof TROUBLES;

/** The row of a code. */
export const troubleRow = (code: TroubleCode): TroubleRow => TROUBLES[code];
