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
    const bucket = bucketOf(rate, this.#name);
    const block = Math.max(1, Math.floor(rate.perSecond * BLOCK_SHARE));
    const taken = await this.#takeBlock(bucket, block);
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

  /** A block, or one where a block is not there. */
  async #takeBlock(bucket: Bucket, block: number): Promise<number> {
    // `further` leaves a token behind in a full bucket; all of a call or nothing is taken.
    if (block > 1 && (await this.#limiter.take([bucket], block)).allowed) return block;
    return (await this.#limiter.take([bucket])).allowed ? 1 : 0;
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
