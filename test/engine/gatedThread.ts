/**
 * A thread entry for tests of the pool. In the memory of the first index it waits for the gate to
 * be opened, counts the queries that it has begun, and writes each one's number into its answer.
 */
import { isStopped } from '../../src/engine/deadline.ts';
import {
  BLOCK,
  BLOCK_LENGTH,
  STATUS,
  type Task,
  type TaskQuery,
  type TaskResult,
} from '../../src/engine/messages.ts';

/** Numbers in the memory of the first index. */
export const GATE = { open: 0, begun: 1, length: 2 } as const;
/** A query of this name goes on until it is told to stop. */
export const ENDLESS = 'endless';

export function runTask({ answers, indexes, queries, stop }: Task): TaskResult {
  const gate = new Int32Array(indexes[0]?.buffer ?? new SharedArrayBuffer(0));
  const blocks = new Float64Array(answers);
  const asked = JSON.parse(queries) as TaskQuery[];
  asked.forEach(({ query }, at) => {
    const flag = { at, flags: stop };
    blocks[at * BLOCK_LENGTH + BLOCK.count] = Atomics.add(gate, GATE.begun, 1);
    Atomics.notify(gate, GATE.begun);
    Atomics.wait(gate, GATE.open, 0);
    const isEndless = 'names' in query && query.names.includes(ENDLESS);
    while (isEndless && !isStopped(flag)) Atomics.wait(stop, at, 0, 5);
    blocks[at * BLOCK_LENGTH] = isEndless ? STATUS.abandoned : STATUS.done;
  });
  const normalized = asked.map(({ query }) =>
    'names' in query ? null : { names: [query.name], variants: [] },
  );
  return { failures: [], normalized: JSON.stringify(normalized) };
}
