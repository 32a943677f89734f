/**
 * How many attempts a tenant may make now: tokens of a bucket that all workers share. They are
 * taken in blocks, since a call for each would cost more than it orders; what a block leaves over
 * is used within a second, or lost.
 */
import type { Bucket, RateLimiter } from '#core/identity';
import type { TenantId } from '#core/kernel';
import type { Clock } from '#platform/clock';

/** Tokens of one block, of a second's worth. */
const BLOCK_SHARE = 0.25;
/**
 * What a full bucket has, of a second's worth: with what flows in, and a block that was left over,
 * that is eleven seconds' worth in any ten seconds at most.
 */
const BURST_SHARE = 0.75;
const LEFT_OVER_MS = 1_000;
/** Milliseconds until a bucket is asked again, whatever it says: its rate may have been raised. */
const WAIT_MS_MAX = 1_000;

interface Rate {
  readonly tenantId: TenantId;
  readonly perSecond: number;
}

/** The tokens of this process. */
export class TenantTokens {
  readonly #limiter: RateLimiter;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #name: string;
  readonly #left = new Map<TenantId, { readonly count: number; readonly atMs: number }>();
  /** When the next block of a tenant may be there, on the monotonic clock. */
  readonly #blockAtMs = new Map<TenantId, number>();

  /** Tokens of one kind, by its name: all that ask for it share them. */
  constructor(limiter: RateLimiter, clock: Pick<Clock, 'monotonicMs'>, name = 'outbound') {
    this.#limiter = limiter;
    this.#name = name;
    this.#clock = clock;
  }

  /** Takes up to `wanted`; answers how many. Never rejects. */
  async take(rate: Rate, wanted: number): Promise<number> {
    const left = this.#leftOver(rate.tenantId);
    if (left >= wanted) {
      this.giveBack(rate.tenantId, left - wanted);
      return wanted;
    }
    const taken = await this.#takeBlock(rate);
    const given = Math.min(wanted, left + taken);
    this.giveBack(rate.tenantId, left + taken - given);
    return given;
  }

  /** What was taken and is not used. */
  giveBack(tenantId: TenantId, count: number): void {
    const left = this.#leftOver(tenantId) + count;
    if (left > 0) this.#left.set(tenantId, { atMs: this.#clock.monotonicMs(), count: left });
  }

  #leftOver(tenantId: TenantId): number {
    const left = this.#left.get(tenantId);
    this.#left.delete(tenantId);
    const isFresh = left !== undefined && this.#clock.monotonicMs() - left.atMs < LEFT_OVER_MS;
    return isFresh ? left.count : 0;
  }

  /**
   * A block, or nothing until it is there: what trickled in meanwhile would lease its rows one by
   * one, and each of these calls costs as much as that of a block.
   */
  async #takeBlock(rate: Rate): Promise<number> {
    const { perSecond, tenantId } = rate;
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < (this.#blockAtMs.get(tenantId) ?? nowMs)) return 0;
    this.#blockAtMs.delete(tenantId);
    const block = Math.max(1, Math.floor(perSecond * BLOCK_SHARE));
    const bucket = bucketOf(rate, this.#name);
    const { allowed, states } = await this.#limiter.take([bucket], block > 1 ? block : undefined);
    if (allowed) return block;
    const waitMs = Math.min(WAIT_MS_MAX, Math.max(...states.map((one) => one.waitMs)));
    // Others take of the same bucket: it is asked again before all of a long time is over.
    this.#blockAtMs.set(tenantId, nowMs + waitMs);
    return 0;
  }
}

function bucketOf({ perSecond, tenantId }: Rate, name: string): Bucket {
  const capacity = Math.max(2, Math.floor(perSecond * BURST_SHARE));
  return {
    capacity,
    key: `limit:${name}:${tenantId}:${capacity}:${perSecond}`,
    name: 'outbound',
    refillPerSecond: perSecond,
  };
}
