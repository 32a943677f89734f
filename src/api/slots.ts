/**
 * How much of one kind of work a tenant may have running in this process. An upload holds a socket,
 * a growing file and memory for as long as its caller takes, and a proof waits for those before it.
 * So one tenant's work is bounded, and another's runs beside it.
 */
import { DomainError, type TenantId } from '#core/kernel';

const RETRY_AFTER_S = 5;

export class Slots {
  readonly #underWay = new Map<TenantId, number>();
  readonly #max: number;
  readonly #what: string;

  /** `what` names the work to its callers, in the plural. */
  constructor(of: { readonly max: number; readonly what: string }) {
    this.#max = of.max;
    this.#what = of.what;
  }

  /** Runs `work` in a slot. Rejects with `rate-limited` where none is free. */
  async hold<Value>(tenantId: TenantId, work: () => Promise<Value>): Promise<Value> {
    const before = this.#underWay.get(tenantId) ?? 0;
    if (before >= this.#max) {
      const detail = `expected at most ${this.#max} ${this.#what} at once`;
      throw new DomainError('rate-limited', { detail, retryAfterS: RETRY_AFTER_S });
    }
    this.#underWay.set(tenantId, before + 1);
    try {
      return await work();
    } finally {
      const left = (this.#underWay.get(tenantId) ?? 1) - 1;
      if (left === 0) this.#underWay.delete(tenantId);
      else this.#underWay.set(tenantId, left);
    }
  }
}
