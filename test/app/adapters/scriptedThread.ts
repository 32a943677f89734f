/**
 * A thread entry that does what the batch of its chunk is named, and keeps a record of it in memory
 * that the test shares: who holds which slot, and what each task was told.
 */
import assert from 'node:assert/strict';
import { threadId } from 'node:worker_threads';
import type { ChunkAnswer } from '#slices/batches';
import type { ChunkTask } from '../../../src/app/adapters/chunkPool.ts';

/** The stubborn wait as `waiting` does, and do not look at `stop` meanwhile. */
export type Script = 'done' | 'faulty' | 'lethal' | 'stubborn' | 'stubbornLethal' | 'waiting';

const SLOTS_MAX = 8;
const TASKS_MAX = 100;
const FIELDS = 4;
const CELL = { begun: 0, clashes: 1, nextTask: 2, permits: 3, users: 4, tasks: 4 + SLOTS_MAX };
/** Between two looks at `stop`. */
const LOOK_MS = 2;

interface BegunTask {
  readonly isChunk: boolean;
  readonly numbers: readonly number[];
  readonly slot: number;
  readonly thread: number;
}

/** What threads did, and how many of those that wait may end. */
export class TaskRecord {
  readonly cells: Int32Array<SharedArrayBuffer>;

  constructor(
    cells = new Int32Array(new SharedArrayBuffer(4 * (CELL.tasks + TASKS_MAX * FIELDS))),
  ) {
    this.cells = cells;
  }

  get begun(): number {
    return Atomics.load(this.cells, CELL.begun);
  }

  /** How often a task found its slot in use. */
  get clashes(): number {
    return Atomics.load(this.cells, CELL.clashes);
  }

  /** Tasks that hold each slot now. */
  users(slots: number): readonly number[] {
    return Array.from({ length: slots }, (_, slot) => Atomics.load(this.cells, CELL.users + slot));
  }

  /** All that have begun, while none is about to. */
  tasks(): readonly BegunTask[] {
    return Array.from({ length: this.begun }, (_, at) => {
      const from = CELL.tasks + at * FIELDS;
      const [kind, thread = 0, slot = 0, bits = 0] = this.cells.subarray(from, from + FIELDS);
      const numbers = [...Array(31).keys()].filter((number) => (bits & (1 << number)) !== 0);
      return { isChunk: kind === 1, numbers, slot, thread };
    });
  }

  enter({ isChunk, numbers, slot }: Omit<BegunTask, 'thread'>): void {
    if (Atomics.add(this.cells, CELL.users + slot, 1) !== 0) {
      Atomics.add(this.cells, CELL.clashes, 1);
    }
    const bits = numbers.reduce((sum, number) => sum | (1 << number), 0);
    const at = Atomics.add(this.cells, CELL.nextTask, 1);
    assert(at < TASKS_MAX && slot < SLOTS_MAX, 'the record has room');
    this.cells.set([isChunk ? 1 : 0, threadId, slot, bits], CELL.tasks + at * FIELDS);
    Atomics.add(this.cells, CELL.begun, 1);
  }

  leave(slot: number): void {
    Atomics.sub(this.cells, CELL.users + slot, 1);
  }

  /** So many of those that wait, or will, end. */
  permit(count: number): void {
    Atomics.add(this.cells, CELL.permits, count);
    Atomics.notify(this.cells, CELL.permits);
  }

  takePermit(): boolean {
    Atomics.wait(this.cells, CELL.permits, 0, LOOK_MS);
    const permits = Atomics.load(this.cells, CELL.permits);
    if (permits === 0) return false;
    return Atomics.compareExchange(this.cells, CELL.permits, permits, permits - 1) === permits;
  }
}

export interface RecordedPart {
  readonly number: number;
  readonly record: TaskRecord['cells'];
}

const ANSWER = {
  events: [],
  work: { bus: [], figures: {}, merkleRoot: 'root', packed: new Uint8Array() },
} as unknown as ChunkAnswer;

export function runChunkTask({
  indexes: { inUse, slot },
  order,
}: ChunkTask<RecordedPart>): ChunkAnswer | undefined {
  const [part] = inUse;
  assert(part !== undefined, 'the test keeps an index in use');
  const record = new TaskRecord(part.record);
  const numbers = inUse.map(({ number }) => number);
  record.enter({ isChunk: order !== undefined, numbers, slot });
  if (order === undefined) {
    record.leave(slot);
    return undefined;
  }
  const script = order.batch.name as Script;
  const isStopped = () => Atomics.load(order.stop, 0) !== 0;
  if (script === 'waiting') while (!isStopped() && !record.takePermit());
  if (script.startsWith('stubborn')) while (!record.takePermit());
  record.leave(slot);
  if (script === 'lethal' || script === 'stubbornLethal') process.exit(1);
  if (script === 'faulty') throw new Error('nobody expected this');
  return isStopped() ? { stopped: true } : ANSWER;
}
