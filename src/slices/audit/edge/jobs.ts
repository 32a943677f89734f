/**
 * What ends by time beside the evidence: idempotency records after 24 hours, published rows of the
 * outbox after 30 days (decisions 1.2, 7.6), records of tables when these say. Idempotent, in steps
 * that the store bounds, so that a crash or a second worker costs nothing.
 */
import type { AuditStore } from '#core/audit';
import { type AnyTable, purgeRecords, type Tables } from '#core/kernel';
import type { OutboxStore } from '#core/reactions';
import type { Clock, EpochMs } from '#platform/clock';
import type { ScheduledJob } from '../../../workers/jobQueue.ts';
import type { JobPurposes, WorkerProcess } from '../../processes.ts';

export const purposes: JobPurposes = { retention: 'retention' };

const EVERY_MS = 10 * 60_000;
const HOUR_MS = 3_600_000;
/** A clock that is a few minutes off must not shorten the 24 hours that are promised. */
const IDEMPOTENCY_KEPT_MS = 24 * HOUR_MS + HOUR_MS;
const OUTBOX_KEPT_MS = 30 * 24 * HOUR_MS;

export const scheduled = ({ clock, storage, tables }: WorkerProcess): readonly ScheduledJob[] => [
  {
    everyMs: EVERY_MS,
    name: 'retention',
    run: () => applyRetention({ ...storage, clock, declared: tables }),
  },
];

export async function applyRetention(of: {
  readonly audit: Pick<AuditStore, 'purgeIdempotency'>;
  readonly outbox: Pick<OutboxStore, 'purge'>;
  readonly tables: Pick<Tables, 'purge'>;
  readonly declared: readonly AnyTable[];
  readonly clock: Pick<Clock, 'now'>;
}): Promise<Readonly<Record<'idempotency' | 'outbox' | 'records', number>>> {
  const now = of.clock.now();
  return {
    idempotency: await of.audit.purgeIdempotency((now - IDEMPOTENCY_KEPT_MS) as EpochMs),
    outbox: await of.outbox.purge((now - OUTBOX_KEPT_MS) as EpochMs),
    records: await purgeRecords(of.tables, of.declared, now),
  };
}
