/**
 * What ends by time: idempotency records after 24 hours, published outbox rows after 30 days
 * (decisions 1.2, 7.6), ingestion runs after 90 (interface.md 8), blobs that no record names after
 * a day. Idempotent, in steps that the store bounds, so a crash or a second worker costs nothing.
 */
import type { AuditStore } from '#core/audit';
import type { OutboxStore } from '#core/reactions';
import type { Clock, EpochMs } from '#platform/clock';
import { inTurn } from '#platform/inTurn';
import type { BatchStore } from '#slices/batches';
import type { RunStore } from '#slices/ingestion';
import { applyListRetention, type RetentionPorts, type RetentionResult } from '#slices/lists';
import { type ResolutionStore, resolutionBlobs } from '#slices/resolution';

const HOUR_MS = 3_600_000;
/** A clock that is a few minutes off must not shorten the 24 hours that are promised. */
export const IDEMPOTENCY_KEPT_MS = 24 * HOUR_MS + HOUR_MS;
export const OUTBOX_KEPT_MS = 30 * 24 * HOUR_MS;
export const RUNS_KEPT_MS = 90 * 24 * HOUR_MS;

export interface RetentionCounts {
  readonly idempotency: number;
  readonly outbox: number;
  readonly runs: number;
}

export async function applyRetention(of: {
  readonly audit: Pick<AuditStore, 'purgeIdempotency'>;
  readonly outbox: Pick<OutboxStore, 'purge'>;
  readonly runs: Pick<RunStore, 'purgeRuns'>;
  readonly clock: Clock;
}): Promise<RetentionCounts> {
  const now = of.clock.now();
  return {
    idempotency: await of.audit.purgeIdempotency((now - IDEMPOTENCY_KEPT_MS) as EpochMs),
    outbox: await of.outbox.purge((now - OUTBOX_KEPT_MS) as EpochMs),
    runs: await of.runs.purgeRuns((now - RUNS_KEPT_MS) as EpochMs),
  };
}

/** Resolutions and batches name theirs in the store that the lists' are in. */
export function applyBlobRetention(
  of: Omit<RetentionPorts, 'alsoNamed'> & {
    readonly lists: Pick<ResolutionStore, 'listResolutions'>;
    readonly batches: Pick<BatchStore, 'namedBlobs'>;
  },
): Promise<RetentionResult> {
  const alsoNamed = inTurn(resolutionBlobs(of.lists), of.batches.namedBlobs());
  return applyListRetention({ ...of, alsoNamed });
}
