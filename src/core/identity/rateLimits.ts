/**
 * Which token buckets stand before a call (decisions 1.3), and what a limiter answers. The limiter
 * is a port: src/redis/rateLimiter.ts shares its buckets between processes, and counts alone while
 * Redis is gone.
 */
import type { Principal } from './ports.ts';
import type { TenantLimits } from './settings.ts';

export interface Bucket {
  /**
   * Names the bucket everywhere; holds the tenant, and the limits, so that new limits start full.
   */
  readonly key: string;
  readonly name: 'general' | 'screening-tenant' | 'screening-user' | 'anonymous';
  /** Tokens that it holds: the burst. */
  readonly capacity: number;
  readonly refillPerSecond: number;
}

export interface BucketState {
  readonly bucket: Bucket;
  readonly remaining: number;
  /** Milliseconds until a token is there; 0 if one is. */
  readonly waitMs: number;
  /** Milliseconds until the bucket is full again. */
  readonly fullInMs: number;
}

export interface RateDecision {
  readonly allowed: boolean;
  readonly states: readonly BucketState[];
  /** `local`: this process alone counted, because Redis does not answer. */
  readonly counter: 'shared' | 'local';
}

export interface RateLimiter {
  /** Takes a token from every bucket, or from none of them. Never rejects. */
  take(buckets: readonly Bucket[]): Promise<RateDecision>;
}

export function bucketsOf(
  principal: Principal,
  limits: TenantLimits,
  kind: 'general' | 'screening',
): readonly Bucket[] {
  const { tenantId, id } = principal;
  const general = bucket('general', `${tenantId}:${principal.kind}:${id}`, {
    capacity: limits.burst,
    refillPerSecond: limits.requestsPerSecond,
  });
  if (kind === 'general') return [general];
  const perUser = limits.screeningPerMinutePerUser;
  return [
    general,
    bucket('screening-tenant', tenantId, {
      capacity: limits.screeningPerSecond,
      refillPerSecond: limits.screeningPerSecond,
    }),
    bucket('screening-user', `${tenantId}:${principal.kind}:${id}`, {
      capacity: perUser,
      refillPerSecond: perUser / 60,
    }),
  ];
}

/** Before a credential is known, and for calls whose credential is refused: per address. */
export function anonymousBucket(
  remoteAddress: string,
  limits: { readonly burst: number; readonly requestsPerSecond: number },
): Bucket {
  return bucket('anonymous', remoteAddress, {
    capacity: limits.burst,
    refillPerSecond: limits.requestsPerSecond,
  });
}

function bucket(
  name: Bucket['name'],
  of: string,
  rate: { readonly capacity: number; readonly refillPerSecond: number },
): Bucket {
  const { capacity, refillPerSecond } = rate;
  return { key: `limit:${name}:${of}:${capacity}:${refillPerSecond}`, name, ...rate };
}
