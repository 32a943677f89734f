/**
 * Whose turn it is among batches that have chunks waiting: of the tenant that was served least
 * lately, the batch that was. In this process alone; workers need not agree to be fair together.
 */
import type { Batch } from '#slices/batches';

export class BatchTurns {
  #turn = 0;
  readonly #served = new Map<string, number>();

  next(batches: readonly Batch[]): Batch | undefined {
    const when = (key: string): number => this.#served.get(key) ?? 0;
    const [first] = batches.toSorted(
      (a, b) => when(a.tenantId) - when(b.tenantId) || when(a.batchId) - when(b.batchId),
    );
    if (first === undefined) return undefined;
    this.#turn++;
    this.#served.set(first.tenantId, this.#turn);
    this.#served.set(first.batchId, this.#turn);
    return first;
  }

  forgetAllBut(batches: readonly Batch[]): void {
    const kept = new Set<string>(batches.flatMap(({ batchId, tenantId }) => [batchId, tenantId]));
    for (const key of this.#served.keys()) if (!kept.has(key)) this.#served.delete(key);
  }
}
