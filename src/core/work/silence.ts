/**
 * Rows whose worker died: their fence and beat stood still for the lease's length, as this process
 * saw by its own monotonic clock, or the process that holds them is known to be gone. No wall clock
 * decides, so a clock that jumps ends no lease (decisions 4.1).
 *
 * A silent row is taken over and given back, so it waits in its line again like every other one.
 * Any worker does that for any row, and of several that see the same silence one succeeds.
 */
import type { FieldOf, Leased, Table, TableRecord, Tables } from '#core/kernel';
import type { Clock } from '#platform/clock';
import { keyOf, keyValues, rowName } from './rowKey.ts';

const HELD_PAGE_ROWS = 500;
/** Milliseconds between two looks, on the monotonic clock: a look costs the store a read. */
const LOOK_MS = 1_000;

/** How long each of some things has not changed, as far as this process saw. */
export class Standstill {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #seen = new Map<string, { readonly pulse: string; readonly sinceMs: number }>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /**
   * Looks at all of them once, each under its name; names that are missing are forgotten. Returns
   * milliseconds, in the order given: 0 for one that is new or has changed.
   */
  look(all: readonly { readonly name: string; readonly pulse: string }[]): number[] {
    const names = new Set(all.map(({ name }) => name));
    for (const name of this.#seen.keys()) if (!names.has(name)) this.#seen.delete(name);
    return all.map((one) => this.lookAt(one));
  }

  /** Looks at one of them, and forgets none. */
  lookAt({ name, pulse }: { readonly name: string; readonly pulse: string }): number {
    const now = this.#clock.monotonicMs();
    const known = this.#seen.get(name);
    const sinceMs = known?.pulse === pulse ? known.sinceMs : now;
    this.#seen.set(name, { pulse, sinceMs });
    return now - sinceMs;
  }

  /** It is of no interest any more. */
  forget(name: string): void {
    this.#seen.delete(name);
  }
}

/** What a watch needs of its process. */
export interface LeaseWatchOptions<R extends TableRecord, K extends FieldOf<R>> {
  readonly table: Table<R, K>;
  readonly tables: Pick<Tables, 'held' | 'takeOver' | 'giveBack'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly leaseMs: number;
  /** The holder under which silent rows are taken over. */
  readonly holder: string;
  /** Whether the holder's process is known to have ended: then there is no wait. */
  readonly isGone?: (holder: string) => boolean;
}

/** Watches the leased rows of one table. */
export class LeaseWatch<R extends TableRecord, K extends FieldOf<R> = FieldOf<R>> {
  readonly #options: LeaseWatchOptions<R, K>;
  readonly #still: Standstill;
  #lookedMs = Number.NEGATIVE_INFINITY;

  constructor(options: LeaseWatchOptions<R, K>) {
    this.#options = options;
    this.#still = new Standstill(options.clock);
  }

  /** Rows that have lost their worker; none where it looked just now. */
  async silent(): Promise<readonly Leased<R>[]> {
    const { clock, isGone, leaseMs, table, tables } = this.#options;
    if (clock.monotonicMs() - this.#lookedMs < LOOK_MS) return [];
    const held = await heldRows(tables, table);
    this.#lookedMs = clock.monotonicMs();
    const stillMs = this.#still.look(
      held.map(({ lease, record }) => ({
        name: rowName(table, record),
        pulse: `${lease.fence}/${lease.beat}`,
      })),
    );
    return held.filter(
      ({ lease }, place) => isGone?.(lease.holder) === true || (stillMs[place] ?? 0) >= leaseMs,
    );
  }

  /**
   * Frees silent rows; returns those that this watch, and no other, has freed. The dead worker's
   * try counts.
   */
  async free(silent: readonly Leased<R>[]): Promise<readonly Leased<R>[]> {
    const { holder, table, tables } = this.#options;
    const freed: Leased<R>[] = [];
    for (const { lease: seen, record } of silent) {
      const key = keyOf(table, record);
      const taken = await tables.takeOver(table, { holder, key, seen });
      if (taken === undefined) continue;
      await tables.giveBack(table, { claim: taken.lease, isTried: false, key });
      freed.push({ lease: seen, record: taken.record });
    }
    return freed;
  }
}

/** Every leased row of a table; they are about as many as workers have threads. */
export async function heldRows<R extends TableRecord, K extends FieldOf<R>>(
  tables: Pick<Tables, 'held'>,
  table: Table<R, K>,
): Promise<readonly Leased<R>[]> {
  const all: Leased<R>[] = [];
  for (;;) {
    const last = all.at(-1);
    const after = last && keyValues(table, last.record);
    const ask = { limit: HELD_PAGE_ROWS, ...(after !== undefined && { after }) };
    const page = await tables.held(table, ask);
    all.push(...page);
    if (page.length < HELD_PAGE_ROWS) return all;
  }
}
