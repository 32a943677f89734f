/**
 * Who calls, with the work of finding out bounded by the caller's address (decisions 1.3).
 *
 * A credential that is not known to be good costs a token before anything is looked up, in this
 * process alone and without waiting. A good one gets it back, so valid callers pay for nothing,
 * and is passed without a token from then on. A refused one costs another token, which all
 * processes share. Requests that come with one unknown credential at once wait for the first.
 */
import type { Principal } from '#core/identity';
import { DomainError } from '#core/kernel';
import { sha256Hex } from '#platform/crypto';
import { callerAddress } from './asker.ts';
import { networkOf } from './callerNetwork.ts';
import type { HttpRequest } from './http/port.ts';
import type { Authenticator, RateDecision, RateLimiter } from './ports.ts';

/** Credentials that are remembered as good, oldest out first. */
const KNOWN_MAX = 20_000;

export interface IdentifyOptions {
  readonly authenticator: Authenticator;
  /** What a request comes with; absent: the credentials of the API. */
  readonly credentialOf?: (request: HttpRequest) => string | undefined;
  readonly rateLimiter: RateLimiter;
  /** A proxy stands in front: its forwarded headers are read. */
  readonly trustProxy?: boolean;
}

interface Identified {
  /** The rate headers of a refusal. */
  rateHeaders: RateDecision['headers'] | undefined;
}

/** Finds out who calls; `exchange` gets the headers of a refusal. */
export type Identify = (request: HttpRequest, exchange: Identified) => Promise<Principal>;

const REFUSED_CREDENTIAL: ReadonlySet<string> = new Set([
  'credential-missing',
  'credential-invalid',
  'credential-expired',
]);

const OURS: ReadonlySet<string> = new Set(['store-unavailable', 'identity-provider-unavailable']);

export function createIdentify(options: IdentifyOptions): Identify {
  const { authenticator, rateLimiter, trustProxy = false } = options;
  const { credentialOf = apiCredentialOf } = options;
  const known = new Set<string>();
  const underWay = new Map<string, Promise<void>>();

  const remember = (credential: string): void => {
    if (known.size >= KNOWN_MAX) {
      const [oldest = ''] = known;
      known.delete(oldest);
    }
    known.add(credential);
  };

  /** Throws `rate-limited` where the address has no token left. */
  const refuse = async (network: string, exchange: Identified, error: unknown): Promise<never> => {
    if (!isRefused(error)) throw error;
    const decision = await rateLimiter.takeAnonymous(network);
    exchange.rateHeaders = decision.headers;
    if (decision.allowed) throw error;
    throw new DomainError('rate-limited', { retryAfterS: decision.retryAfterS });
  };

  const firstTime = async (
    request: HttpRequest,
    of: { credential: string | undefined; exchange: Identified; network: string },
  ): Promise<Principal> => {
    const { credential, exchange, network } = of;
    const decision = rateLimiter.takeUnknown(network);
    if (!decision.allowed) {
      exchange.rateHeaders = decision.headers;
      throw new DomainError('rate-limited', { retryAfterS: decision.retryAfterS });
    }
    try {
      const principal = await authenticator.authenticate(request);
      rateLimiter.returnUnknown(network);
      if (credential !== undefined) remember(credential);
      return principal;
    } catch (error) {
      if (isOurs(error)) rateLimiter.returnUnknown(network);
      return await refuse(network, exchange, error);
    }
  };

  return async (request, exchange) => {
    const network = networkOf(callerAddress(request, trustProxy));
    const credential = credentialOf(request);
    // Without a wait where there is none to wait for: the first must be there for the second.
    const first = credential === undefined ? undefined : underWay.get(credential);
    if (first !== undefined) await first;
    if (credential !== undefined && known.has(credential)) {
      return authenticator.authenticate(request).catch((error: unknown) => {
        if (isRefused(error)) known.delete(credential);
        return refuse(network, exchange, error);
      });
    }
    const identified = firstTime(request, { credential, exchange, network });
    if (credential === undefined || underWay.has(credential)) return identified;
    const isOver = identified.then(ignore, ignore).finally(() => underWay.delete(credential));
    underWay.set(credential, isOver);
    return identified;
  };
}

const ignore = (): void => undefined;

const isRefused = (error: unknown): boolean =>
  error instanceof DomainError && REFUSED_CREDENTIAL.has(error.code);

/** Says nothing against the caller. */
const isOurs = (error: unknown): boolean => !(error instanceof DomainError) || OURS.has(error.code);

/** A digest: no secret is kept. */
function apiCredentialOf(request: HttpRequest): string | undefined {
  const key = request.header('x-api-key');
  const authorization = request.header('authorization');
  if (key === undefined && authorization === undefined) return undefined;
  return sha256Hex(JSON.stringify([key ?? '', authorization ?? '']));
}
