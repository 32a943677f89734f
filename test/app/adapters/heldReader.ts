/** A thread entry for tests of lanes: reads of `HELD` hold the thread up for good. */
import type { EntryAnswer, EntryTask } from '../../../src/app/adapters/entryReader.ts';

export const HELD = 'held';

export function readEntries(task: EntryTask): EntryAnswer {
  if (task.what === 'categories') return { found: {} };
  const ids = task.what === 'history' ? [task.ask.id] : task.ids;
  if (ids.includes(HELD)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  return { found: ids.map((id) => ({ id })) };
}
