/**
 * How much of one kind of work may run in this process: of a tenant, and in all. An upload holds a
 * socket, a growing file and memory for as long as its caller takes, and a proof waits for those
 * before it. So one tenant's work is bounded, and another's runs beside it.
 */
import { DomainError, type TenantId } from '#core/kernel';

const RETRY_AFTER_S = 5;
/** Part of the slots that is kept for tenants of which nothing runs. */
const KEPT_PART = 1 / 4;

export class Slots {
  readonly #underWay = new Map<TenantId, number>();
  readonly #max: number;
  readonly #inAllMax: number;
  readonly #what: string;
  #inAll = 0;

  /** `max` is a tenant's; `what` names the work to its callers, in the plural. */
  constructor(of: { readonly max: number; readonly inAllMax?: number; readonly what: string }) {
    this.#max = of.max;
    this.#inAllMax = of.inAllMax ?? Number.POSITIVE_INFINITY;
    this.#what = of.what;
  }

  /** Runs `work` in a slot. Rejects with `rate-limited` where none is free. */
  async hold<Value>(tenantId: TenantId, work: () => Promise<Value>): Promise<Value> {
    const before = this.#underWay.get(tenantId) ?? 0;
    this.#requireRoom(before);
    this.#underWay.set(tenantId, before + 1);
    this.#inAll++;
    try {
      return await work();
    } finally {
      this.#inAll--;
      const left = (this.#underWay.get(tenantId) ?? 1) - 1;
      if (left === 0) this.#underWay.delete(tenantId);
      else this.#underWay.set(tenantId, left);
    }
  }

  #requireRoom(before: number): void {
    if (before >= this.#max) throw refused(`expected at most ${this.#max} ${this.#what} at once`);
    const inAllMax = before === 0 ? this.#inAllMax : this.#inAllMax * (1 - KEPT_PART);
    if (this.#inAll < inAllMax) return;
    throw refused(`expected at most ${this.#inAllMax} ${this.#what} of all callers at once`);
  }
}

const refused = (detail: string): DomainError =>
  new DomainError('rate-limited', { detail, retryAfterS: RETRY_AFTER_S });
