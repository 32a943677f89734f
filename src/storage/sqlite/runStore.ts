/** Ingestion runs: the reading side of RunStore, their purge, their changes as parts of a group. */
import type { DatabaseSync } from 'node:sqlite';
import type { EpochMs } from '#platform/clock';
import type { ListRun, RunChange, RunStore } from '#slices/ingestion';
import { assertNewer } from '../knownChange.ts';
import { PAGE_ROWS_MAX, PURGE_ROWS_MAX } from '../limits.ts';
import { parseDocument, wrote } from './rows.ts';

export function runReader(database: DatabaseSync) {
  const run = database.prepare('SELECT document FROM list_run WHERE run_id = ?');

  return {
    findRun: (runId: string): ListRun | undefined => parseDocument(run.get(runId)),
    listRuns(page: Parameters<RunStore['listRuns']>[0]): ListRun[] {
      const { text, values } = runQuery(page);
      const rows = database.prepare(text).all(...values);
      return rows.map((row) => parseDocument<ListRun>(row));
    },
  };
}

/** Only the filters in use, so that each combination finds its index. */
function runQuery(page: Parameters<RunStore['listRuns']>[0]) {
  const { sourceId, status, since, before } = page;
  const conditions: string[] = [];
  const values: (string | number)[] = [];
  const where = (condition: string, ...given: (string | number)[]): void => {
    conditions.push(condition);
    values.push(...given);
  };
  if (sourceId !== undefined) where('source_id = ?', sourceId);
  if (status !== undefined) where('status = ?', status);
  if (since !== undefined) where('started_at >= ?', since);
  if (before) where('(started_at, run_id) < (?, ?)', before.startedAt, before.runId);
  const filter = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  values.push(Math.min(page.limit, PAGE_ROWS_MAX));
  return {
    text: `SELECT document FROM list_run ${filter} ORDER BY started_at DESC, run_id DESC LIMIT ?`,
    values,
  };
}

export function runWriter(database: DatabaseSync) {
  const purge = database.prepare(
    `DELETE FROM list_run WHERE run_id IN
       (SELECT run_id FROM list_run WHERE finished_at < ? LIMIT ?)`,
  );
  const ended = database.prepare("SELECT 1 FROM list_run WHERE run_id = ? AND status <> 'running'");
  const put = runPut(database);
  return {
    saveRun: (run: ListRun, versionExpected: number): boolean => {
      assertNewer(run, versionExpected);
      return ended.get(run.runId) === undefined && put(run, versionExpected);
    },
    /** One step; the caller repeats it until it answers less than PURGE_ROWS_MAX. */
    purgeRuns: (before: EpochMs): number => Number(purge.run(before, PURGE_ROWS_MAX).changes),
  };
}

export function runChanges(database: DatabaseSync): (change: RunChange) => boolean {
  const put = runPut(database);
  return ({ run, versionExpected }) => put(run, versionExpected);
}

function runPut(database: DatabaseSync) {
  const insert = database.prepare(
    `INSERT INTO list_run (source_id, status, started_at, finished_at, version, document, run_id)
     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const update = database.prepare(
    `UPDATE list_run SET source_id = ?, status = ?, started_at = ?, finished_at = ?, version = ?,
       document = ? WHERE run_id = ? AND version = ?`,
  );
  return (run: ListRun, expected: number): boolean => {
    const { sourceId, status, startedAt, finishedAt, version, runId } = run;
    const values = [
      sourceId,
      status,
      startedAt,
      finishedAt ?? null,
      version,
      JSON.stringify(run),
      runId,
    ];
    return expected === 0 ? wrote(insert, ...values) : wrote(update, ...values, expected);
  };
}
