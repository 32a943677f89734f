/**
 * Room for the work of one process: several pieces beside each other, or one that has it to itself.
 * Work that may be what kills workers takes no other down with it there (poison.ts).
 */

/** The room of a process; all runners that share the process share it. */
export class Room {
  readonly #inside = new Set<Promise<unknown>>();
  #isKept = false;

  /** No piece of work has it to itself, or waits to. */
  get isOpen(): boolean {
    return !this.#isKept;
  }

  /** To be asked for only while it is open. */
  async beside<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const own = work();
    this.#inside.add(own);
    try {
      return await own;
    } finally {
      this.#inside.delete(own);
    }
  }

  /** Once all that is inside has ended; `false`, and nothing was done: another piece waits to. */
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
