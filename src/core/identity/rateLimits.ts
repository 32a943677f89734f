/**
 * Which token buckets limit a call (decisions 1.3), and what a limiter answers. The limiter is a
 * port: src/redis/rateLimiter.ts shares its buckets between processes, and counts alone while Redis
 * is unavailable.
 */
import type { Principal } from './ports.ts';
import type { TenantLimits } from './settings.ts';

/** A token bucket: `capacity` tokens, refilled at `refillPerSecond`. */
export interface Bucket {
  /**
   * Name of the bucket in all processes. It contains the tenant, and the limits, so that new limits
   * start full.
   */
  readonly key: string;
  readonly name:
    | 'general'
    | 'screening-tenant'
    | 'screening-user'
    /** Requests of an onboarding session, and its uploads. */
    | 'session'
    | 'session-uploads'
    /** Transactions of a tenant, however many stand in one call. */
    | 'transactions'
    | 'anonymous'
    | 'public'
    /** Calls that we make for a tenant. */
    | 'outbound';
  /** Tokens that it holds: the burst. */
  readonly capacity: number;
  readonly refillPerSecond: number;
}

/** A bucket after a call. */
export interface BucketState {
  readonly bucket: Bucket;
  readonly remaining: number;
  /** Milliseconds until as many tokens are there as the next such call takes; 0 if they are. */
  readonly waitMs: number;
  /** Milliseconds until the bucket is full again. */
  readonly fullInMs: number;
}

/** Whether a call is allowed, and the state of each of its buckets. */
export interface RateDecision {
  readonly allowed: boolean;
  readonly states: readonly BucketState[];
  /** `local`: this process counted alone, because Redis does not answer. */
  readonly counter: 'shared' | 'local';
}

/** Counts the calls of all processes. */
export interface RateLimiter {
  /**
   * Takes a token from every bucket, or from none of them. Never rejects. `further`: instead of the
   * one token, so many more for a call that took its first already, because it costs more than
   * others.
   */
  take(buckets: readonly Bucket[], further?: number): Promise<RateDecision>;
}

/**
 * Tokens that a call takes from a bucket, and those that must be there for it to pass when it comes
 * again. Of further ones it takes at most all that a full bucket has left after the first: else a
 * costly call could never pass a small bucket.
 */
export function tokensFrom(
  { capacity }: Bucket,
  further: number | undefined,
): { readonly taken: number; readonly wanted: number } {
  if (further === undefined) return { taken: 1, wanted: 1 };
  const taken = Math.min(further, capacity - 1);
  return { taken, wanted: taken + 1 };
}

/** What a call is counted as. */
export type LimitKind = 'documents' | 'general' | 'screening' | 'transactions';

/** Requests of one onboarding session. */
export const SESSION_REQUESTS_MAX = 300;
/** Documents that one onboarding session sends. */
export const SESSION_UPLOADS_MAX = 30;
/** They are for the whole session: one more comes back while it lives, no more. */
const SESSION_REFILL_PER_SECOND = 1 / 1_800;

/**
 * The buckets of an authenticated call: one per credential; for a screening also one of its tenant
 * and one of its user. Further tokens of kind `transactions` are of the tenant's transactions
 * alone: a call counts as one, whatever it holds.
 */
export function bucketsOf(
  principal: Principal,
  limits: TenantLimits,
  kind: LimitKind,
  isFurther = false,
): readonly Bucket[] {
  const { tenantId, id } = principal;
  if (principal.kind === 'session') return sessionBuckets(principal, kind);
  if (kind === 'transactions' && isFurther) {
    const { transactionsBurst: capacity, transactionsPerSecond: refillPerSecond } = limits;
    return [bucket('transactions', tenantId, { capacity, refillPerSecond })];
  }
  const general = bucket('general', `${tenantId}:${principal.kind}:${id}`, {
    capacity: limits.burst,
    refillPerSecond: limits.requestsPerSecond,
  });
  if (kind !== 'screening') return [general];
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

function sessionBuckets({ id, tenantId }: Principal, kind: LimitKind): readonly Bucket[] {
  const of = (name: 'session' | 'session-uploads', capacity: number) =>
    bucket(name, `${tenantId}:${id}`, { capacity, refillPerSecond: SESSION_REFILL_PER_SECOND });
  const requests = of('session', SESSION_REQUESTS_MAX);
  return kind === 'documents' ? [requests, of('session-uploads', SESSION_UPLOADS_MAX)] : [requests];
}

type AddressLimits = Pick<TenantLimits, 'burst' | 'requestsPerSecond'>;

/** The bucket of a network, for calls before a credential is known and for refused ones. */
export const anonymousBucket = (network: string, limits: AddressLimits): Bucket =>
  addressBucket('anonymous', network, limits);

/** The bucket of a network, for pages that need no credential. */
export const publicBucket = (network: string, limits: AddressLimits): Bucket =>
  addressBucket('public', network, limits);

const addressBucket = (
  name: 'anonymous' | 'public',
  network: string,
  { burst, requestsPerSecond }: AddressLimits,
): Bucket => bucket(name, network, { capacity: burst, refillPerSecond: requestsPerSecond });

function bucket(
  name: Bucket['name'],
  of: string,
  rate: { readonly capacity: number; readonly refillPerSecond: number },
): Bucket {
  const { capacity, refillPerSecond } = rate;
  return { key: `limit:${name}:${of}:${capacity}:${refillPerSecond}`, name, ...rate };
}
