/** A pool of one thread that a test holds up: what waits, and what has begun, is then certain. */
import { vi } from 'vitest';
import { sharedMonotonicMs } from '../../src/engine/deadline.ts';
import { BLOCK } from '../../src/engine/messages.ts';
import { Pool } from '../../src/engine/pool.ts';
import { SETTINGS } from './fixtures.ts';
import { GATE } from './gatedThread.ts';

export interface GatedAsk {
  readonly turn?: string;
  readonly signal?: AbortSignal;
  readonly deadlineMs?: number;
}

export interface GatedPool {
  readonly pool: Pool;
  /** Resolves with the number at which the thread began the query. */
  screen(name: string, ask?: GatedAsk): Promise<number>;
  open(): void;
  /** Queries that the thread has begun. */
  begun(): number;
  /** Until that many have begun. */
  untilBegun(count: number): Promise<void>;
}

export function gatedPool(queueMax = 1_000): GatedPool {
  const gate = new Int32Array(new SharedArrayBuffer(GATE.length * Int32Array.BYTES_PER_ELEMENT));
  const pool = new Pool({
    indexes: () => [{ buffer: gate.buffer, number: 1 }],
    queueMax,
    threadUrl: new URL('./gatedThread.ts', import.meta.url),
    threads: 1,
  });
  const begun = (): number => Atomics.load(gate, GATE.begun);
  return {
    begun,
    open: () => {
      Atomics.store(gate, GATE.open, 1);
      Atomics.notify(gate, GATE.open);
    },
    pool,
    screen: (name, { deadlineMs = 60_000, signal, turn = '' } = {}) =>
      pool.run(
        {
          signal,
          task: {
            expiresAt: sharedMonotonicMs() + deadlineMs,
            indexes: [1],
            query: { names: [name], variants: [] },
            settings: SETTINGS,
          },
          turn,
        },
        (_, block) => block[BLOCK.count] ?? -1,
      ),
    untilBegun: (count) =>
      vi.waitFor(
        () => {
          if (begun() < count) throw new Error(`${begun()} of ${count} queries have begun`);
        },
        { interval: 2, timeout: 20_000 },
      ),
  };
}
