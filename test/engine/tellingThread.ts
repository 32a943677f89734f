/** A thread entry that notes, in the memory of the first index, how many it was told are in use. */
import type { Task, TaskResult } from '../../src/engine/messages.ts';

export function runTask({ indexes, slot }: Task): TaskResult {
  const told = new Int32Array(indexes[0]?.buffer ?? new SharedArrayBuffer(0));
  Atomics.store(told, slot, indexes.length);
  return { failures: [], normalized: '[]' };
}
