/**
 * Rate limits as the wire shows them (decisions 1.3): the decision of the shared limiter under the
 * tenant's settings, and the headers of every answer. The tightest limit fills X-RateLimit-*; the
 * IETF draft's fields (draft-ietf-httpapi-ratelimit-headers) list them all, in seconds from now.
 */
import assert from 'node:assert/strict';
import {
  anonymousBucket,
  type Bucket,
  type RateDecision as BucketDecision,
  type RateLimiter as BucketLimiter,
  type BucketState,
  bucketsOf,
  limitSettings,
  publicBucket,
  type TenantDirectory,
  type TenantLimits,
} from '#core/identity';
import type { RateDecision, RateLimiter } from '../ports.ts';

type Header = readonly [name: string, value: string];

/** Buckets of this process alone, which answer at once. */
export interface BucketsHere {
  take(buckets: readonly Bucket[]): BucketDecision;
  /** Undoes one `take` of it. */
  giveBack(bucket: Bucket): void;
}

export function createRateLimit(options: {
  readonly limiter: BucketLimiter;
  readonly here: BucketsHere;
  readonly tenants: TenantDirectory;
  /** Limits of a tenant without settings, for answers before a credential is known. */
  readonly defaults: TenantLimits;
}): RateLimiter {
  const { burst, requestsPerSecond } = options.defaults;
  const untaken: readonly Header[] = [
    ['x-ratelimit-limit', String(burst)],
    ['x-ratelimit-remaining', String(burst)],
    ['ratelimit-policy', generalPolicy(burst, requestsPerSecond)],
    ['ratelimit', `"burst";r=${burst};t=0`],
  ];
  return {
    async take(principal, limits, further) {
      const settings = await options.tenants.settings(principal.tenantId);
      const inForce = settings.of(limitSettings);
      const buckets = bucketsOf(principal, inForce, limits, further !== undefined);
      return present(await options.limiter.take(buckets, further));
    },
    takeAnonymous: async (network) =>
      present(await options.limiter.take([anonymousBucket(network, options.defaults)])),
    takeUnknown: (network) =>
      present(options.here.take([anonymousBucket(network, options.defaults)])),
    returnUnknown: (network) => options.here.giveBack(anonymousBucket(network, options.defaults)),
    takePublic: (network) => present(options.here.take([publicBucket(network, options.defaults)])),
    untaken: () => untaken,
  };
}

/** Also for the tests of the figures: what one decision looks like on the wire. */
export function present(decision: BucketDecision): RateDecision {
  const { allowed, states } = decision;
  const tightest = tightestOf(states, allowed);
  return {
    allowed,
    headers: [
      ['x-ratelimit-limit', String(tightest.bucket.capacity)],
      ['x-ratelimit-remaining', String(tightest.remaining)],
      ['ratelimit-policy', states.map(policyOf).join(',')],
      ['ratelimit', states.map(stateOf).join(',')],
    ],
    // Whole seconds, rounded up: a caller that waits them finds a token.
    retryAfterS: allowed ? 0 : Math.max(1, Math.ceil(tightest.waitMs / 1_000)),
  };
}

/**
 * For a refusal the bucket with the longest wait; otherwise the one with the fewest tokens left.
 */
function tightestOf(states: readonly BucketState[], allowed: boolean): BucketState {
  const [first, ...others] = states;
  assert(first !== undefined, 'a decision over no bucket');
  return others.reduce((tightest, state) => {
    if (!allowed) return state.waitMs > tightest.waitMs ? state : tightest;
    const isTighter =
      state.remaining < tightest.remaining ||
      (state.remaining === tightest.remaining && state.bucket.capacity < tightest.bucket.capacity);
    return isTighter ? state : tightest;
  }, first);
}

function policyOf({ bucket }: BucketState): string {
  const { name, capacity, refillPerSecond } = bucket;
  if (name === 'general') return generalPolicy(capacity, refillPerSecond);
  return `"${name}";q=${capacity};w=${windowS(capacity, refillPerSecond)}`;
}

/** A bucket is two promises: what it holds at once, and what it refills. */
function generalPolicy(burst: number, perSecond: number): string {
  return `"burst";q=${burst};w=${windowS(burst, perSecond)},"sustained";q=${perSecond};w=1`;
}

function stateOf({ bucket, remaining, fullInMs }: BucketState): string {
  const name = bucket.name === 'general' ? 'burst' : bucket.name;
  return `"${name}";r=${remaining};t=${Math.ceil(fullInMs / 1_000)}`;
}

/** Seconds in which an empty bucket fills. */
function windowS(capacity: number, refillPerSecond: number): number {
  return Math.max(1, Math.ceil(capacity / refillPerSecond));
}
