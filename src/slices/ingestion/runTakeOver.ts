/**
 * Runs whose worker died: known by their version standing still (runs.ts), given to another worker
 * or ended.
 */
import { isConflict, type SourceId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { ListRun } from './ports.ts';
import { claimRun } from './runLease.ts';
import { RunLog } from './runLog.ts';
import { finishRun, type RunPorts } from './runs.ts';

/** Workers that may die of one run before it counts as failed. */
export const RUN_TRIES_MAX = 3;
/**
 * Milliseconds after which a worker whose run stands still is taken for dead, so that its death
 * costs at most 30 s. Longer than RUN_LEASE_MS: by then a worker that lives has released it. This
 * holds for every stage: the longest time that one keeps its process from answering, an overlay of
 * a tenth of a list, is seconds.
 */
export const RUN_SILENT_MS = 20_000;

/**
 * Claims a silent run for `holder`, to be done again from the start. Or ends it as failed: after
 * RUN_TRIES_MAX workers, and where only the dead process had its file.
 */
export async function takeOverRun(
  ports: RunPorts,
  { run, holder }: { readonly run: ListRun; readonly holder: string },
): Promise<ListRun | undefined> {
  const isLost = run.kind === 'manual';
  if (!isLost && (run.tries ?? 0) < RUN_TRIES_MAX) return claimRun(ports, { holder, run });
  const errorMessage = isLost
    ? 'the process that read the file ended before the run did'
    : `${run.tries} workers fell silent in stage ${run.stage ?? 'start'}`;
  const log = new RunLog(ports.clock, run.log);
  log.add('error', errorMessage);
  await finishRun(ports, run, {
    errorCode: 'run-abandoned',
    errorMessage,
    log: log.lines(),
    status: 'failed',
  }).catch(ignoreConflict);
  return undefined;
}

/**
 * For a run that is about to start where perhaps no worker watches, as one of the command line:
 * ends the one that holds the source, where its file was in the hands of a process that is known to
 * have ended. Else an interrupted import kept the source to itself until the service starts.
 */
export async function endLostRun(
  ports: RunPorts,
  ask: {
    readonly sourceId: string;
    readonly holder: string;
    readonly isGone: (holder: string) => boolean;
  },
): Promise<void> {
  const { holder, isGone, sourceId } = ask;
  const { runningRunId } = (await ports.lists.findSource(sourceId as SourceId)) ?? {};
  const run = runningRunId === undefined ? undefined : await ports.runs.findRun(runningRunId);
  if (run?.status !== 'running' || run.kind !== 'manual') return;
  if (run.leaseHolder !== undefined && isGone(run.leaseHolder)) {
    await takeOverRun(ports, { holder, run });
  }
}

/** Another watcher was first. */
function ignoreConflict(error: unknown): undefined {
  if (isConflict(error)) return undefined;
  throw error;
}

export interface RunWatchOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** The holder's process is known to have ended: nothing is waited for. */
  readonly isGone?: (holder: string) => boolean;
}

/** Observes which held runs have lost their worker. */
export class RunWatch {
  readonly #options: RunWatchOptions;
  #seen = new Map<string, { readonly version: number; readonly sinceMs: number }>();

  constructor(options: RunWatchOptions) {
    this.#options = options;
  }

  /** Those of the running runs whose worker is gone; to be called every second or two. */
  silent(running: readonly ListRun[]): ListRun[] {
    const now = this.#options.clock.monotonicMs();
    const before = this.#seen;
    this.#seen = new Map();
    return running.filter(({ leaseHolder, runId, version }) => {
      if (leaseHolder === undefined) return false;
      if (this.#options.isGone?.(leaseHolder) === true) return true;
      const known = before.get(runId);
      const sinceMs = known?.version === version ? known.sinceMs : now;
      this.#seen.set(runId, { sinceMs, version });
      return now - sinceMs >= RUN_SILENT_MS;
    });
  }
}
