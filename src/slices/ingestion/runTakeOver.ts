/**
 * Runs that are given up: those whose workers died too often, and those whose file was in the hands
 * of one process that is gone.
 */

import type { Leased, SourceId, Tables } from '#core/kernel';
import { heldRows, WorkLost } from '#core/work';
import type { ListRun } from './ports.ts';
import { RunLog } from './runLog.ts';
import { type EndingRun, finishRun, type RunPorts } from './runs.ts';
import { runTable } from './tables.ts';

/** Why a run by hand ends without its process. */
export const FILE_LOST = 'the process that read the file ended before the run did';

/** Ends the run as failed. Throws WorkLost where another worker was first. */
export async function abandonRun(
  ports: RunPorts,
  { expected, record }: EndingRun,
  errorMessage: string,
): Promise<ListRun> {
  const log = new RunLog(ports.clock, record.log);
  log.add('error', errorMessage);
  return finishRun(
    ports,
    { expected, record },
    { errorCode: 'run-abandoned', errorMessage, log: log.lines(), status: 'failed' },
  );
}

/**
 * For a run that is about to start where perhaps no worker watches, as one of the command line:
 * ends the one that holds the source, where its file was in the hands of a process that is known to
 * have ended. Else an interrupted import kept the source to itself until the service starts.
 */
export async function endLostRun(
  ports: RunPorts & { readonly tables: Pick<Tables, 'claim' | 'held' | 'takeOver'> },
  ask: {
    readonly sourceId: string;
    readonly holder: string;
    readonly isGone: (holder: string) => boolean;
  },
): Promise<void> {
  const { runningRunId } = (await ports.lists.findSource(ask.sourceId as SourceId)) ?? {};
  const run = runningRunId === undefined ? undefined : await ports.runs.findRun(runningRunId);
  if (run?.status !== 'running' || run.kind !== 'manual') return;
  const taken = await takeLost(ports.tables, run, ask);
  if (taken === undefined) return;
  const { lease, record } = taken;
  const expected = runTable.expect({ runId: run.runId }, { fence: lease.fence });
  await abandonRun(ports, { expected, record }, FILE_LOST).catch(ignoreLost);
}

async function takeLost(
  tables: Pick<Tables, 'claim' | 'held' | 'takeOver'>,
  { reservedFor, runId }: ListRun,
  { holder, isGone }: { readonly holder: string; readonly isGone: (holder: string) => boolean },
): Promise<Leased<ListRun> | undefined> {
  const key = { runId };
  const rows = await heldRows(tables, runTable);
  const seen = rows.find(({ record }) => record.runId === runId)?.lease;
  const owner = seen?.holder ?? reservedFor;
  if (owner === undefined || !isGone(owner)) return undefined;
  return seen === undefined
    ? tables.claim(runTable, { holder, key })
    : tables.takeOver(runTable, { holder, key, seen });
}

/** Another watcher was first. */
function ignoreLost(error: unknown): undefined {
  if (error instanceof WorkLost) return undefined;
  throw error;
}
