/**
 * The issuer's signing keys: fetched once, kept, and fetched again when they rotate.
 *
 * - Known key: no request at all for 10 minutes.
 * - Unknown key id: one fetch, but at most one in 30 s, so that invented ids cannot make us flood
 * the issuer; a new key is accepted at the latest 30 s after its publication.
 * - Issuer down: after the 10 minutes the cached keys go on working, up to 20 minutes from the last
 * success, so that an outage of up to 10 minutes has no effect; then 503, never 401. A failed fetch
 * is not repeated for 5 s.
 *
 * Ages run on the monotonic clock: jose's own cache reads the wall clock, which may jump.
 */
import {
  type CryptoKey,
  createLocalJWKSet,
  errors,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  type JWTHeaderParameters,
} from 'jose';
import { DomainError } from '#core/kernel';
import type { Clock } from '#platform/clock';

/** Age in milliseconds up to which fetched keys are used without a request. */
export const JWKS_FRESH_MS = 10 * 60_000;
/** Age in milliseconds up to which fetched keys are used while the issuer is down. */
export const JWKS_USABLE_MS = 20 * 60_000;
/** Milliseconds from a fetch until an unknown key id may cause the next one. */
export const JWKS_COOLDOWN_MS = 30_000;
const FAILURE_COOLDOWN_MS = 5_000;
const FETCH_TIMEOUT_MS = 5_000;
const DOCUMENT_BYTES_MAX = 262_144;
const RETRY_AFTER_S = 5;

/** The part of `fetch` that is used; a redirect is an error. */
export type FetchDocument = (
  url: string,
  init: { readonly redirect: 'error'; readonly signal: AbortSignal },
) => Promise<Response>;

type LocalKeys = ReturnType<typeof createLocalJWKSet>;
/** Finds the key of a token, in the form that jose's `jwtVerify` takes. */
export type KeyLookup = (
  header: JWTHeaderParameters,
  token: FlattenedJWSInput,
) => Promise<CryptoKey>;

/** The issuer, and how to fetch its documents. */
export interface IssuerKeysOptions {
  readonly issuer: string;
  /** Address of the key set; absent: the issuer's discovery document names it. */
  readonly jwksUrl?: string | undefined;
  readonly fetch: FetchDocument;
  readonly clock: Clock;
}

/**
 * A lookup of the issuer's keys, cached. It rejects with jose's `JWKSNoMatchingKey` or with
 * `identity-provider-unavailable`.
 */
export function createIssuerKeys(options: IssuerKeysOptions): KeyLookup {
  const { clock } = options;
  let keys: LocalKeys | undefined;
  let fetchedAtMs = Number.NEGATIVE_INFINITY;
  let failedAtMs = Number.NEGATIVE_INFINITY;
  let failure: unknown;
  let loading: Promise<LocalKeys> | undefined;

  const reload = (): Promise<LocalKeys> => {
    loading ??= load().finally(() => {
      loading = undefined;
    });
    return loading;
  };

  const load = async (): Promise<LocalKeys> => {
    if (clock.monotonicMs() - failedAtMs < FAILURE_COOLDOWN_MS) throw unavailable(failure);
    try {
      keys = createLocalJWKSet(await fetchKeys(options));
      fetchedAtMs = clock.monotonicMs();
      return keys;
    } catch (cause) {
      failure = cause;
      failedAtMs = clock.monotonicMs();
      throw unavailable(cause);
    }
  };

  const current = async (): Promise<LocalKeys> => {
    const ageMs = clock.monotonicMs() - fetchedAtMs;
    if (keys === undefined || ageMs >= JWKS_USABLE_MS) return reload();
    if (ageMs < JWKS_FRESH_MS) return keys;
    const kept = keys;
    return reload().catch(() => kept);
  };

  return async (header, token) => {
    const held = await current();
    try {
      return await held(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      if (clock.monotonicMs() - fetchedAtMs < JWKS_COOLDOWN_MS) throw error;
      return (await reload())(header, token);
    }
  };
}

async function fetchKeys(options: IssuerKeysOptions): Promise<JSONWebKeySet> {
  const url = options.jwksUrl ?? (await discover(options));
  const document = await fetchJson(url, options.fetch);
  if (!Array.isArray(document.keys)) throw new TypeError('the key set has no array `keys`');
  return { keys: document.keys };
}

/** The address of the key set. */
const discover = (options: IssuerKeysOptions): Promise<string> =>
  discoverAddress(options, 'jwks_uri');

/**
 * One address of the issuer's discovery document. OpenID Connect Discovery 1.0, 4.3: the document
 * must name the very issuer that was asked. Throws a TypeError.
 */
export async function discoverAddress(
  { issuer, fetch }: Pick<IssuerKeysOptions, 'fetch' | 'issuer'>,
  name: 'authorization_endpoint' | 'jwks_uri' | 'token_endpoint',
): Promise<string> {
  const base = issuer.replace(/\/$/, '');
  const document = await fetchJson(`${base}/.well-known/openid-configuration`, fetch);
  if (document.issuer !== issuer) throw new TypeError('discovery names another issuer');
  const address = document[name];
  if (typeof address !== 'string') throw new TypeError(`discovery names no ${name}`);
  if (new URL(address).protocol !== new URL(issuer).protocol) {
    throw new TypeError(`discovery names a ${name} of another scheme`);
  }
  return address;
}

async function fetchJson(url: string, fetch: FetchDocument): Promise<Record<string, unknown>> {
  const signal = AbortSignal.timeout(FETCH_TIMEOUT_MS);
  const response = await fetch(url, { redirect: 'error', signal });
  if (response.status !== 200) throw new TypeError(`${url} answered ${response.status}`);
  const value: unknown = JSON.parse(await readText(response));
  if (typeof value !== 'object' || value === null) throw new TypeError(`${url}: no JSON object`);
  return value as Record<string, unknown>;
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > DOCUMENT_BYTES_MAX) throw new TypeError('the issuer sent too much');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function unavailable(cause: unknown): DomainError {
  return new DomainError('identity-provider-unavailable', { retryAfterS: RETRY_AFTER_S, cause });
}
