/** Runs, and the signed changes of schedules: their records, and how the slice reads them. */
import type { Actor } from '#core/audit';
import type { SourceId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';

/** `retry` follows a failed run by itself; `manual` comes from a person or a file. */
export type RunKind = 'full' | 'delta' | 'retry' | 'manual';

/** `partial`: published, though records of the file could not be read and stand in the log. */
export type RunStatus = 'running' | 'success' | 'failed' | 'partial' | 'skipped';

export interface RunLogLine {
  readonly at: EpochMs;
  readonly level: 'info' | 'warn' | 'error';
  /** Plain text, no personal data but what the public list itself says. */
  readonly text: string;
}

/** One ingestion run (interface.md 2.11, sanctions_list_run; 3.8). Kept 90 days. */
export interface ListRun {
  readonly runId: string;
  readonly sourceId: SourceId;
  readonly kind: RunKind;
  /** For a `retry`: the kind of run that it repeats. */
  readonly retryOf?: 'full' | 'delta';
  /** `cron`, or who asked: `cli:<user>`, `user:<issuer>|<subject>`, `key:<id>`. */
  readonly triggeredBy: Actor;
  readonly startedAt: EpochMs;
  readonly finishedAt?: EpochMs;
  readonly status: RunStatus;
  /** The current stage of a running one. */
  readonly stage?: string;
  /** Bytes read from the publisher or the file. */
  readonly fetchedBytes?: number;
  /** Records that the file declares, or holds where it declares none. */
  readonly fetchedCount?: number;
  readonly parsedCount?: number;
  readonly addedCount?: number;
  readonly updatedCount?: number;
  readonly removedCount?: number;
  /** Counts of values that were kept as published, or could not be read, by kind. */
  readonly notes?: Readonly<Record<string, number>>;
  readonly errorCode?: string;
  readonly errorMessage?: string;
  /** Content address of the signed bundle that it published. */
  readonly snapshotUri?: string;
  readonly listVersion?: string;
  /** SHA-256 of the file, where it was read to its end. */
  readonly fileSha256?: string;
  /** Digest of the entities that would be removed, where they were too many (shrinkRelease.ts). */
  readonly removedDigest?: string;
  /** A shrunk list waits for it: the second signer of a release of the 10 % rule. */
  readonly shrinkApprovedBy?: string;
  /** The released losses: further ones need another release. */
  readonly shrinkReleased?: ShrinkRelease;
  /** At most RUN_LOG_LINES_MAX, the first and the last ones. */
  readonly log: readonly RunLogLine[];
  readonly durationsMs?: Readonly<Record<string, number>>;
  /**
   * The process that started it to do it itself. Workers leave the run alone until it was begun, or
   * that process is gone or silent.
   */
  readonly reservedFor?: string;
  /** In records of a former release, the worker that had it; leases are the table's since then. */
  readonly leaseHolder?: string;
  /** How many workers have begun it: one after its first claim. */
  readonly tries?: number;
  /** W3C Trace Context of the request that asked for it, where that is traced. */
  readonly traceparent?: string;
  readonly version: number;
}

/** The refused losses that two persons examined. */
export interface ShrinkRelease {
  readonly removedCount: number;
  readonly fileSha256: string;
  readonly removedDigest: string;
}

export const RUN_LOG_LINES_MAX = 500;

/** One signed change of a schedule (interface.md 2.11); the rows of a source are a hash chain. */
export interface ScheduleAudit {
  readonly auditId: string;
  readonly sourceId: SourceId;
  /** From 1 per source; unique (sourceId, seq). */
  readonly seq: number;
  readonly changedAt: EpochMs;
  readonly changedBy: string;
  readonly field: string;
  readonly oldValue: string | null;
  readonly newValue: string | null;
  readonly approvalUserId: string;
  readonly approvalReason: string;
  /** SHA-256 hex ("schedule-audit-v1\0" ‖ former chain_hash, or 64 zeros ‖ JCS of the row). */
  readonly chainHash: string;
}

/** Runs and the signed changes of schedules. */
export interface RunStore {
  findRun(runId: string): Promise<ListRun | undefined>;
  /** Latest start first, ties by run id descending; `before` continues after a page's last run. */
  listRuns(page: {
    /** Any of these; absent: all. */
    readonly sourceIds?: readonly SourceId[];
    readonly status?: RunStatus;
    readonly since?: EpochMs;
    readonly before?: { readonly startedAt: EpochMs; readonly runId: string };
    readonly limit: number;
  }): Promise<readonly ListRun[]>;
  /** Latest first, at most 1,000; `before` continues after a page's last seq. */
  listScheduleAudit(page: {
    sourceId: SourceId;
    limit: number;
    before?: number;
  }): Promise<readonly ScheduleAudit[]>;
}
