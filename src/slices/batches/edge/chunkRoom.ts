/**
 * Room for the chunks of a worker: several beside each other, or one that has it to itself. A chunk
 * that may be what kills workers takes no other down with it there: else those beside it would be
 * begun as often as it is, and fail the batches of others.
 */
export class ChunkRoom {
  readonly #inside = new Set<Promise<unknown>>();
  #isKept = false;

  /** Whether no chunk has the room to itself, or waits to. */
  get isOpen(): boolean {
    return !this.#isKept;
  }

  /** To be called only while it is open. */
  async beside<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const own = work();
    this.#inside.add(own);
    try {
      return await own;
    } finally {
      this.#inside.delete(own);
    }
  }

  /**
   * Runs `work` once all others have ended. `false`, and nothing was done: another chunk waits for
   * the same.
   */
  async alone(work: () => Promise<void>): Promise<boolean> {
    if (this.#isKept) return false;
    this.#isKept = true;
    try {
      await Promise.allSettled(this.#inside);
      await work();
      return true;
    } finally {
      this.#isKept = false;
    }
  }
}
