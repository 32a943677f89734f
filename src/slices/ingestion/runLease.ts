/**
 * Who works on a run (runs.ts): a worker claims it, saves it every few seconds, and leaves it alone
 * once it could not. Every save is a compare-and-set of the run's version, without evidence.
 */
import type { Clock, EpochMs } from '#platform/clock';
import type { ListRun, RunStore } from './ports.ts';
import { RunLog } from './runLog.ts';

/** The holder saves its run this often, */
export const RUN_RENEW_MS = 3_000;
/** and ends its work by itself when it could not save for so long. */
export const RUN_LEASE_MS = 15_000;
interface LeasePorts {
  readonly runs: Pick<RunStore, 'saveRun'>;
  readonly clock: Pick<Clock, 'now'>;
}

export const heldBy = (holder: string, tries: number, now: EpochMs) => ({
  leaseHolder: holder,
  leaseUntil: (now + RUN_LEASE_MS) as EpochMs,
  tries,
});

/**
 * The run, held by `holder` from now on; undefined where another worker was first. `run` is as it
 * was read: no one has saved it since.
 */
export async function claimRun(
  ports: LeasePorts,
  { run, holder }: { readonly run: ListRun; readonly holder: string },
): Promise<ListRun | undefined> {
  if (run.status !== 'running') return undefined;
  const now = ports.clock.now();
  const tries = (run.tries ?? 0) + 1;
  const log = new RunLog(ports.clock, run.log);
  if (tries > 1) log.add('warn', `try ${tries}, from the start: the worker before fell silent`);
  const { stage: _, ...rest } = run;
  const claimed: ListRun = {
    ...rest,
    ...heldBy(holder, tries, now),
    log: log.lines(),
    version: run.version + 1,
  };
  return (await ports.runs.saveRun(claimed, run.version)) ? claimed : undefined;
}

/** The progress that a holder saves. */
export type RunProgress = Partial<Pick<ListRun, 'stage' | 'fetchedBytes' | 'log'>>;

/** The run with its lease renewed; undefined where it is the caller's no more: stop working. */
export async function renewRun(
  ports: LeasePorts,
  run: ListRun,
  progress: RunProgress = {},
): Promise<ListRun | undefined> {
  const leaseUntil = (ports.clock.now() + RUN_LEASE_MS) as EpochMs;
  const renewed: ListRun = { ...run, ...progress, leaseUntil, version: run.version + 1 };
  return (await ports.runs.saveRun(renewed, run.version)) ? renewed : undefined;
}
