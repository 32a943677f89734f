/**
 * Work on a batch that failed in this process: it is left alone for a while. Of what one worker
 * does for the whole batch failures are counted here; of a chunk, in its record, over all workers.
 */
import type { Batch, BatchPorts } from '#slices/batches';

/** A full disk, a store that is away: looked after again. */
const RETRY_MS = 5_000;

export class BatchFailures {
  readonly #failed = new Map<string, { times: number; againMs: number }>();

  /** How often in a row. */
  count({ batchId }: Batch, clock: BatchPorts['clock']): number {
    const times = (this.#failed.get(batchId)?.times ?? 0) + 1;
    this.#failed.set(batchId, { againMs: clock.monotonicMs() + RETRY_MS, times });
    return times;
  }

  /** The same pause, not counted: a full disk or a store that is away is no fault of the batch. */
  putOff({ batchId }: Batch, clock: BatchPorts['clock']): void {
    const times = this.#failed.get(batchId)?.times ?? 0;
    this.#failed.set(batchId, { againMs: clock.monotonicMs() + RETRY_MS, times });
  }

  mayTry({ batchId }: Batch, clock: BatchPorts['clock']): boolean {
    return (this.#failed.get(batchId)?.againMs ?? 0) <= clock.monotonicMs();
  }

  forget({ batchId }: Batch): void {
    this.#failed.delete(batchId);
  }

  /** Forgets batches that have ended elsewhere. */
  forgetAllBut(open: readonly Batch[]): void {
    const kept = new Set<string>(open.map(({ batchId }) => batchId));
    for (const batchId of this.#failed.keys()) if (!kept.has(batchId)) this.#failed.delete(batchId);
  }
}
