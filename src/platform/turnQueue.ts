/**
 * A bounded queue whose callers take turns: each `turn` (a tenant) gives one job at a time, however
 * many it has waiting, so that none waits for another's backlog.
 *
 * A turn may hold as many places as are free. Alone it comes to half of the queue, two that want
 * more to a third each, k to the (k+1)th part each; as much again stays free. A fixed share would
 * either let two fill the queue, or leave most of it unused where there is one tenant.
 */

/** Jobs of several turns, each turn's in the order in which they came. */
export class TurnQueue<Job extends { readonly turn: string }> {
  readonly #most: number;
  /** By turn; the turn that is next comes first. None is empty. */
  readonly #waiting = new Map<string, Set<Job>>();
  #count = 0;

  /** @param most places of all turns together */
  constructor(most: number) {
    this.#most = most;
  }

  /** Jobs of all turns. */
  get count(): number {
    return this.#count;
  }

  /** False, and the job is not taken, where its turn holds as many places as are free. */
  offer(job: Job): boolean {
    const own = this.#waiting.get(job.turn);
    if ((own?.size ?? 0) >= this.#most - this.#count) return false;
    if (own === undefined) this.#waiting.set(job.turn, new Set([job]));
    else own.add(job);
    this.#count += 1;
    return true;
  }

  /** The oldest job of the turn that is next; undefined where none waits. */
  take(): Job | undefined {
    for (const [turn, jobs] of this.#waiting) {
      for (const job of jobs) {
        this.#waiting.delete(turn);
        if (jobs.size > 1) this.#waiting.set(turn, jobs);
        jobs.delete(job);
        this.#count -= 1;
        return job;
      }
    }
    return undefined;
  }

  /** Takes a job out of turn; false where it does not wait here. */
  remove(job: Job): boolean {
    const jobs = this.#waiting.get(job.turn);
    if (jobs === undefined || !jobs.delete(job)) return false;
    if (jobs.size === 0) this.#waiting.delete(job.turn);
    this.#count -= 1;
    return true;
  }

  /** Takes each turn's oldest jobs out, up to the first one that is not `over`. */
  removeOver(isOver: (job: Job) => boolean): Job[] {
    const over: Job[] = [];
    for (const jobs of this.#waiting.values()) {
      for (const job of jobs) {
        if (!isOver(job)) break;
        over.push(job);
      }
    }
    for (const job of over) this.remove(job);
    return over;
  }
}
