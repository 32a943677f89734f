/** Runs in the hands of whoever a test names, and runs that end without any. */
import type { Tables } from '#core/kernel';
import { heldRows } from '#core/work';
import {
  type ExecuteRunOptions,
  type ExecuteRunPorts,
  executeRun,
  finishRun,
  holdRun,
  type ListRun,
  type RunEnd,
  type RunHold,
  type RunOutcome,
  type RunPorts,
  runTable,
} from '#slices/ingestion';

type Holding = Parameters<typeof holdRun>[0];

export async function holdOf(ports: Holding, run: ListRun, holder = 'test'): Promise<RunHold> {
  const hold = await holdRun(ports, { holder, run });
  if (hold === undefined) throw new Error('another process has it');
  return hold;
}

/** Does the run in this process. */
export async function doRun(
  ports: ExecuteRunPorts & Holding,
  run: ListRun,
  options: ExecuteRunOptions = {},
): Promise<RunOutcome> {
  const hold = await holdOf(ports, run);
  try {
    return await executeRun(ports, hold, options);
  } finally {
    await hold.end();
  }
}

/** Ends the run, whoever has it. */
export const endRun = (
  ports: RunPorts,
  record: ListRun,
  end: RunEnd & { readonly status: 'failed' | 'skipped' },
): Promise<ListRun> =>
  finishRun(ports, { expected: runTable.expect({ runId: record.runId }, {}), record }, end);

/** Who has the run. */
export async function holderOf(
  tables: Pick<Tables, 'held'>,
  { runId }: ListRun,
): Promise<string | undefined> {
  const rows = await heldRows(tables, runTable);
  return rows.find(({ record }) => record.runId === runId)?.lease.holder;
}
