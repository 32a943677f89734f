/**
 * Entry of an engine thread: runs the queries of a task one by one, and writes their answers into
 * shared memory.
 */
import { isStopped, sharedMonotonicMs } from './deadline.ts';
import { EngineError } from './errors.ts';
import {
  BLOCK,
  BLOCK_LENGTH,
  STATUS,
  type Task,
  type TaskQuery,
  type TaskResult,
} from './messages.ts';
import type { NormalizedQuery } from './ports.ts';
import { QueryRunner } from './queryRunner.ts';

const runner = new QueryRunner();

/**
 * The function that Piscina calls. Never throws for a query: each block gets a status, and a failed
 * query a message.
 */
export function runTask(task: Task): TaskResult {
  runner.useIndexes(task.indexes);
  const answers = new Float64Array(task.answers);
  const queries = JSON.parse(task.queries) as TaskQuery[];
  const failures: [number, string][] = [];
  const normalized: (NormalizedQuery | null)[] = queries.map(() => null);
  queries.forEach((query, at) => {
    const block = answers.subarray(at * BLOCK_LENGTH, (at + 1) * BLOCK_LENGTH);
    const stop = { at, flags: task.stop };
    if (isStopped(stop) || sharedMonotonicMs() > query.expiresAt) {
      block[BLOCK.status] = isStopped(stop) ? STATUS.abandoned : STATUS.expired;
      return;
    }
    try {
      const compared = runner.run(query, block, { slot: task.slot, stop });
      if (compared !== query.query) normalized[at] = compared;
    } catch (error) {
      const status = statusOf(error);
      block[BLOCK.status] = status;
      if (status !== STATUS.failed) return;
      failures.push([at, error instanceof Error ? error.message : String(error)]);
    }
  });
  return { failures, normalized: JSON.stringify(normalized) };
}

function statusOf(error: unknown): number {
  if (!(error instanceof EngineError)) return STATUS.failed;
  return error.code === 'caller-gone' ? STATUS.abandoned : STATUS.expired;
}
