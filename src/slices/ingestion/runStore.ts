/** Runs and signed changes of schedules as the slice reads them, over tables of whichever store. */
import type { PageAsk, Tables } from '#core/kernel';
import type { RunStore } from './ports.ts';
import { scheduleAuditStore } from './scheduleAuditStore.ts';
import { runTable } from './tables.ts';

/** The store over these tables. What is written is a change of a commit, or work of a holder. */
export function runStore(tables: Pick<Tables, 'find' | 'page'>): RunStore {
  return {
    ...scheduleAuditStore(tables),
    findRun: (runId) => tables.find(runTable, { runId }),
    async listRuns(page) {
      return (await tables.page(runTable, runsAsk(page))).records;
    },
  };
}

/** Each choice of filters finds its index. */
function runsAsk(page: Parameters<RunStore['listRuns']>[0]): PageAsk {
  const { before, limit, since, sourceId, status } = page;
  return {
    direction: 'descending',
    equal: { ...(sourceId !== undefined && { sourceId }), ...(status !== undefined && { status }) },
    index: indexOf(sourceId, status),
    limit,
    ...(since !== undefined && { from: since }),
    ...(before && { after: [before.startedAt, before.runId] }),
  };
}

function indexOf(sourceId: string | undefined, status: string | undefined): string {
  if (sourceId === undefined) return status === undefined ? 'byStart' : 'byStatus';
  return status === undefined ? 'bySource' : 'bySourceAndStatus';
}
