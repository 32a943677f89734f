/**
 * Whose turn it is among lanes with waiting work: the tenant's that was served least lately, and
 * among its lanes the same rule. So one row of a small tenant waits for a few of a large one, and
 * not for all of them.
 *
 * Turns are numbered. Where a kind of work stores the number of a lane's last turn, they survive
 * the process: without it workers that die again and again would each begin with the same tenant.
 * Numbers are compared, and nothing else: workers need not agree on them to be fair together.
 */

/** A candidate for a turn: a line of rows, or one row. */
export interface Turn {
  /** Unique among the lanes of all tenants. */
  readonly name: string;
  /** Tenant of the work. Work of no tenant uses one common value. */
  readonly tenantId: string;
  /** The lane's last turn, as the store knows it. */
  readonly turn?: number | undefined;
}

/** Turns of one kind of work in this process. */
export class Turns {
  #turn = 0;
  readonly #lanes = new Map<string, number>();
  readonly #tenants = new Map<string, number>();

  /** The number of the last turn. */
  get last(): number {
    return this.#turn;
  }

  /** Notes the turns that other processes have given, before this one or beside it. */
  learn(waiting: readonly Turn[]): void {
    for (const { name, tenantId, turn = 0 } of waiting) {
      this.#turn = Math.max(this.#turn, turn);
      raise(this.#lanes, name, turn);
      raise(this.#tenants, tenantId, turn);
    }
  }

  /** The candidate whose turn it is, which it has then had; the first of several equals. */
  next<T extends Turn>(waiting: readonly T[]): T | undefined {
    const [first, ...others] = waiting;
    if (first === undefined) return undefined;
    const next = others.reduce((best, one) => (this.#isBefore(one, best) ? one : best), first);
    this.#turn++;
    this.#lanes.set(next.name, this.#turn);
    this.#tenants.set(next.tenantId, this.#turn);
    return next;
  }

  /** Forgets lanes that have no work any more. */
  forgetAllBut(waiting: readonly Turn[]): void {
    keep(this.#lanes, new Set(waiting.map(({ name }) => name)));
    keep(this.#tenants, new Set(waiting.map(({ tenantId }) => tenantId)));
  }

  #isBefore(one: Turn, other: Turn): boolean {
    const tenants = this.#servedAt(this.#tenants, one.tenantId, other.tenantId);
    return (tenants || this.#servedAt(this.#lanes, one.name, other.name)) < 0;
  }

  #servedAt(served: ReadonlyMap<string, number>, one: string, other: string): number {
    return (served.get(one) ?? 0) - (served.get(other) ?? 0);
  }
}

function raise(served: Map<string, number>, name: string, turn: number): void {
  if (turn > (served.get(name) ?? 0)) served.set(name, turn);
}

function keep(served: Map<string, number>, names: ReadonlySet<string>): void {
  for (const name of served.keys()) if (!names.has(name)) served.delete(name);
}
