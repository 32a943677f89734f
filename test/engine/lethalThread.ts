/** A thread entry that dies of a query named `lethal`, for tests of what the pool does then. */
import type { Task, TaskResult } from '../../src/engine/messages.ts';
import { runTask as runRealTask } from '../../src/engine/thread.ts';

export function runTask(task: Task): TaskResult {
  if (task.queries.includes('"lethal"')) process.exit(1);
  return runRealTask(task);
}
