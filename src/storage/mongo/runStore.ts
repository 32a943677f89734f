/**
 * RunStore on MongoDB: reads, the purge, and saves of a running run. Changes that start or end a
 * run are in applyChange.
 */
import type { Filter } from 'mongodb';
import type { ListRun, RunStore } from '#slices/ingestion';
import { assertNewer } from '../knownChange.ts';
import { PAGE_ROWS_MAX } from '../limits.ts';
import type { AppendTools } from './append.ts';
import type { RecordDocument } from './collections.ts';
import { rollChangesForward } from './rollForward.ts';

export function runStore(tools: AppendTools): Omit<RunStore, 'listScheduleAudit'> {
  const { list_run: run } = tools.collections.records;
  return {
    async saveRun(saved, versionExpected) {
      assertNewer(saved, versionExpected);
      // A committed end that is not applied yet must be seen: it stands on the same version.
      if (!tools.hasTransactions) await rollChangesForward(tools);
      const { _id, ...fields } = runDocument(saved);
      // One that is committed just now may come to stand on the version that this save leaves.
      const filter = { _id, status: 'running', version: versionExpected };
      const found = await run.updateOne(filter, { $set: fields });
      return found.matchedCount === 1;
    },
    async findRun(runId) {
      const found = await run.findOne({ _id: runId });
      return found === null ? undefined : (JSON.parse(found.document) as ListRun);
    },
    async listRuns(page) {
      const found = await run
        .find(runFilter(page))
        .sort({ startedAt: -1, _id: -1 })
        .limit(Math.min(page.limit, PAGE_ROWS_MAX))
        .toArray();
      return found.map(({ document }) => JSON.parse(document) as ListRun);
    },
    async purgeRuns(before) {
      return (await run.deleteMany({ finishedAt: { $lt: before } })).deletedCount;
    },
  };
}

export function runDocument(run: ListRun): RecordDocument {
  const { runId, sourceId, status, startedAt, finishedAt, version } = run;
  return {
    _id: runId,
    version,
    document: JSON.stringify(run),
    sourceId,
    status,
    startedAt,
    ...(finishedAt !== undefined && { finishedAt }),
  };
}

function runFilter(page: Parameters<RunStore['listRuns']>[0]): Filter<RecordDocument> {
  const { sourceId, status, since, before } = page;
  const after = before && [
    { startedAt: { $lt: before.startedAt } },
    { startedAt: before.startedAt, _id: { $lt: before.runId } },
  ];
  return {
    ...(sourceId !== undefined && { sourceId }),
    ...(status !== undefined && { status }),
    ...(since !== undefined && { startedAt: { $gte: since } }),
    ...(after && { $or: after }),
  };
}
