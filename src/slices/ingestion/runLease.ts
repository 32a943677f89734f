/**
 * How a run is held (core/work): whoever does it leases it, renews the lease every few seconds
 * together with the run's progress, and leaves the run alone once that was not possible.
 */
import type { Tables } from '#core/kernel';
import { Hold, type LeaseTimes, type RetryPlan } from '#core/work';
import type { Clock } from '#platform/clock';
import { failureReason } from './importEvidence.ts';
import type { ListRun } from './ports.ts';
import { runTable } from './tables.ts';

/** A run in hand. */
export type RunHold = Hold<ListRun, 'runId'>;

/**
 * A worker's death costs at most 30 s, in every stage: the longest time that one keeps its process
 * from answering, an overlay of a tenth of a list, is seconds.
 */
export const RUN_LEASE: LeaseTimes = { leaseMs: 20_000, renewMs: 3_000 };

/**
 * For runs whose workers died, or could not store how they ended. A run that fails ends by that,
 * and its schedule decides on a retry (scheduler.ts).
 */
export const RUN_RETRIES: RetryPlan = {
  kindOf: (code) => (code === 'internal' ? 'counted' : 'transient'),
  pausesMs: [0, 20_000],
  triesMax: 3,
};

/** The code of what kept a run from its end. */
export const runFaultCode = (error: unknown): string => failureReason(error).code;

/** Holds a run in the process that started it; undefined where another one has it. */
export async function holdRun(
  ports: { readonly tables: Tables; readonly clock: Pick<Clock, 'monotonicMs'> },
  { holder, run }: { readonly holder: string; readonly run: ListRun },
): Promise<RunHold | undefined> {
  const leased = await ports.tables.claim(runTable, { holder, key: { runId: run.runId } });
  return leased && new Hold(ports, runTable, leased, { times: RUN_LEASE });
}
