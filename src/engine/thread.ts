/**
 * Entry of an engine thread: runs the queries of a task one by one, and writes their answers into
 * shared memory.
 */
import { sharedMonotonicMs } from './deadline.ts';
import { EngineError } from './errors.ts';
import {
  BLOCK,
  BLOCK_LENGTH,
  STATUS,
  type Task,
  type TaskQuery,
  type TaskResult,
} from './messages.ts';
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
  queries.forEach((query, at) => {
    const block = answers.subarray(at * BLOCK_LENGTH, (at + 1) * BLOCK_LENGTH);
    if (sharedMonotonicMs() > query.expiresAt) {
      block[BLOCK.status] = STATUS.expired;
      return;
    }
    try {
      runner.run(query, block, false, task.slot);
    } catch (error) {
      if (error instanceof EngineError && error.code === 'deadline-exceeded') {
        block[BLOCK.status] = STATUS.expired;
        return;
      }
      block[BLOCK.status] = STATUS.failed;
      failures.push([at, error instanceof Error ? error.message : String(error)]);
    }
  });
  return failures;
}
