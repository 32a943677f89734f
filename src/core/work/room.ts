/**
 * Room for the work of one process: several pieces beside each other, or one alone. A possible
 * poison job runs alone, so it takes no other work down with it (poison.ts).
 */

/** The room of a process; all runners that share the process share it. */
export class Room {
  readonly #inside = new Set<Promise<unknown>>();
  #isKept = false;

  /** Whether no piece of work has the room to itself, or waits to. */
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
   * Runs `work` once all others have ended. `false`, and nothing was done: another piece waits for
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
