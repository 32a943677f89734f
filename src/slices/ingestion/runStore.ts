/** Runs and signed changes of schedules as the slice reads them, over tables of whichever store. */
import { IN_VALUES_MAX, type PageAsk, type Tables } from '#core/kernel';
import type { ListRun, RunStore } from './ports.ts';
import { scheduleAuditStore } from './scheduleAuditStore.ts';
import { runTable } from './tables.ts';

/** The store over these tables. What is written is a change of a commit, or work of a holder. */
export function runStore(tables: Pick<Tables, 'find' | 'page'>): RunStore {
  return {
    ...scheduleAuditStore(tables),
    findRun: (runId) => tables.find(runTable, { runId }),
    async listRuns(page) {
      const found = await Promise.all(
        questionsOf(page).map((ask) => tables.page(runTable, runsAsk(ask))),
      );
      const runs = found.flatMap(({ records }) => records);
      return found.length === 1 ? runs : runs.sort(latestFirst).slice(0, page.limit);
    },
  };
}

type RunsPage = Parameters<RunStore['listRuns']>[0];

/** A question may name IN_VALUES_MAX sources; there are more of them. */
function questionsOf(page: RunsPage): readonly RunsPage[] {
  const { sourceIds } = page;
  if (sourceIds === undefined) return [page];
  const questions: RunsPage[] = [];
  for (let from = 0; from < sourceIds.length; from += IN_VALUES_MAX) {
    questions.push({ ...page, sourceIds: sourceIds.slice(from, from + IN_VALUES_MAX) });
  }
  return questions;
}

const latestFirst = (one: ListRun, other: ListRun): number =>
  other.startedAt - one.startedAt || (one.runId < other.runId ? 1 : -1);

/** Each choice of filters finds its index. */
function runsAsk(page: RunsPage): PageAsk {
  const { before, limit, since, sourceIds, status } = page;
  return {
    direction: 'descending',
    ...(status !== undefined && { equal: { status } }),
    ...(sourceIds !== undefined && { in: { field: 'sourceId', values: sourceIds } }),
    index: indexOf(sourceIds, status),
    limit,
    ...(since !== undefined && { from: since }),
    ...(before && { after: [before.startedAt, before.runId] }),
  };
}

function indexOf(sourceIds: readonly string[] | undefined, status: string | undefined): string {
  if (sourceIds === undefined) return status === undefined ? 'byStart' : 'byStatus';
  return status === undefined ? 'bySource' : 'byStatusAndSource';
}
