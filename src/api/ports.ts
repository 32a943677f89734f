/**
 * What the gateway needs of its surroundings, in its own words. src/api/middleware/ implements the
 * first three, src/app joins them; tests hand in their own.
 */
import type { IdempotencyRecord } from '#core/audit';
import type { Principal } from '#core/identity';
import type { HttpReply, HttpRequest } from './http/port.ts';
import type { IdempotencyClaim, Operation } from './operation.ts';

export interface Authenticator {
  /** Throws DomainError `credential-…`, `mfa-required`, `host-tenant-mismatch`. */
  authenticate(request: HttpRequest): Promise<Principal>;
}

/** The state of the tightest limit after one call was taken, or refused. */
export interface RateDecision {
  readonly allowed: boolean;
  /** Rate headers of the answer, by their wire names; `Retry-After` is not among them. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Seconds after which the next call passes; set where `allowed` is false. */
  readonly retryAfterS: number;
}

export interface RateLimiter {
  /** Never throws for the sake of Redis: a local bucket stands in (decisions 1.3). */
  take(
    principal: Principal,
    limits: Operation['limits'],
    /** Instead of the one token, so many more for a call that took its first. */
    further?: number,
  ): Promise<RateDecision>;
  /** One call whose credential was refused, counted by the network that it came from. */
  takeAnonymous(network: string): Promise<RateDecision>;
  /**
   * One call before any work for it: nobody knows yet whether its credential is good. At once, in
   * this process alone.
   */
  takeUnknown(network: string): RateDecision;
  /** The credential was good: the call costs nothing. */
  returnUnknown(network: string): void;
  /** One call that needs no credential, before any work for it; counted as `takeUnknown` does. */
  takePublic(network: string): RateDecision;
  /** Headers of an answer that no credential paid for (401, unknown route): the default policy. */
  untaken(): RateDecision['headers'];
}

/** One request under a key, as far as its scope and its fingerprint go. */
export interface KeyedRequest {
  readonly key: string;
  readonly principal: Principal;
  readonly method: string;
  /** `/v1/kyc/cases/{id}`: the scope is the route's, not the path's. */
  readonly route: string;
  readonly path: string;
  readonly query: string;
  readonly contentType: string;
  /** The parsed JSON body; undefined where the operation takes none. */
  readonly body: unknown;
  /** For a body that was not kept in memory: its SHA-256 in hex, instead of `body`. */
  readonly bodyDigest?: string;
}

export interface IdempotencyGate {
  /** The key in canonical form. Throws `idempotency-key-missing` or `idempotency-key-invalid`. */
  parseKey(header: string | undefined): string;
  claimOf(request: KeyedRequest): IdempotencyClaim;
  /**
   * Reserves the key in this process, so that two requests under it never run at once here. Throws
   * `idempotency-key-reused` or `idempotency-key-in-progress`. A body that is still to come has no
   * fingerprint yet.
   */
  reserve(claim: Pick<IdempotencyClaim, 'scope'> & Partial<IdempotencyClaim>): void;
  /** Whether any request was answered under this key. */
  isAnswered(scope: string): Promise<boolean>;
  /**
   * The record of an answer that was already given under this key. Throws `idempotency-key-reused`
   * where it belongs to another request, `store-unavailable` where the store cannot say.
   */
  find(claim: IdempotencyClaim): Promise<IdempotencyRecord | undefined>;
  /** Frees what `reserve` reserved, after success and failure alike. */
  end(claim: Pick<IdempotencyClaim, 'scope'>): void;
}

/** Undefined: ready. Else the reason, one sentence for `/readyz` and nothing of a tenant. */
export type Readiness = () => Promise<string | undefined> | string | undefined;

/**
 * A second way to the operations, for callers whose credential is none of the API's: a browser with
 * a cookie. What stands behind the prefix is the path of the operation.
 */
export interface Door {
  /** `/console/api` leads to `/console/api/v1/...`. */
  readonly prefix: string;
  /** What the caller comes with, for the limits; undefined: nothing. */
  credentialOf(request: HttpRequest): string | undefined;
  /** Throws DomainError `credential-...`. It sees no header with a credential of the API. */
  authenticate(request: HttpRequest): Promise<Principal>;
}

/** A page around the API (decisions 7.3): no credential of the API, nothing that it would limit. */
export interface PublicPage {
  /** Absent: GET. */
  readonly method?: 'POST';
  /** `/problems/{slug}`: one parameter at most. */
  readonly path: string;
  /** Asked for by whoever watches the process, from addresses that others share: not limited. */
  readonly isProbe?: true;
  reply(page: PageRequest): Promise<HttpReply> | HttpReply;
}

export interface PageRequest {
  readonly request: HttpRequest;
  readonly params: Readonly<Record<string, string>>;
}
