/**
 * OIDC access tokens (RFC 9068): who a person is, for which tenant, in which roles.
 *
 * Keys come only from the configured issuer: a token that brings or points at its own key is
 * refused before any part of it is used. Only asymmetric algorithms, only `typ: at+jwt` (an ID
 * token is no access token), leeway 60 s. Every fault of a token gets one answer,
 * `credential-invalid`, so a forger learns nothing; only an expired token gets another code.
 */
import { decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from 'jose';
import { DomainError, type TenantId } from '#core/kernel';
import type { Clock, EpochMs } from '#platform/clock';
import { constantTimeEqual } from '#platform/crypto';
import { parseStrictJson } from '#platform/strictJson';
import { createIssuerKeys, type IssuerKeysOptions } from './jwks.ts';
import type { Role } from './ports.ts';
import { rolesOf } from './roles.ts';

/** Characters of an access token. */
export const TOKEN_CHARACTERS_MAX = 8_192;
/** Seconds that the issuer's clock may differ from ours. */
export const TOKEN_LEEWAY_S = 60;
const TOKEN_AGE_S_MAX = 24 * 3_600;
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'];
const KEY_CARRYING_HEADERS = ['jwk', 'jku', 'x5c', 'x5u'];
const JSON_DEPTH_MAX = 16;
const ROLE_NAMES_MAX = 256;
const SUBJECT_CHARACTERS_MAX = 255;
const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** RFC 8176 values by what they prove; two different kinds are two factors. */
const FACTOR_KINDS: ReadonlyMap<string, 'knows' | 'has' | 'is'> = new Map([
  ...['pwd', 'pin', 'kba'].map((method) => [method, 'knows'] as const),
  ...['otp', 'hwk', 'swk', 'pop', 'sc', 'sms', 'tel'].map((method) => [method, 'has'] as const),
  ...['face', 'fpt', 'iris', 'retina', 'vbm'].map((method) => [method, 'is'] as const),
]);

/** The content of a verified token. The tenant is not yet known to exist. */
export interface TokenIdentity {
  readonly tenantId: TenantId;
  /** `issuer|subject`. */
  readonly id: string;
  readonly roles: readonly Role[];
  readonly mfa: boolean;
  /** Until when it is taken: `exp` and the leeway. */
  readonly expiresAt: EpochMs;
}

/** Verifies access tokens of the configured issuer. */
export interface OidcVerifier {
  /** Throws `credential-invalid`, `credential-expired` or `identity-provider-unavailable`. */
  verify(token: string): Promise<TokenIdentity>;
}

/** A verifier for one issuer and one audience. It reads the time from `clock` alone. */
export function createOidcVerifier(
  options: IssuerKeysOptions & { readonly audience: string; readonly clock: Clock },
): OidcVerifier {
  const { issuer, audience, clock } = options;
  const keys = createIssuerKeys(options);
  return {
    async verify(token) {
      try {
        refuseOddForm(token);
        const now = clock.now();
        const { payload } = await jwtVerify(token, keys, {
          algorithms: ALGORITHMS,
          audience,
          clockTolerance: TOKEN_LEEWAY_S,
          currentDate: new Date(now),
          issuer,
          maxTokenAge: TOKEN_AGE_S_MAX,
          requiredClaims: ['exp', 'iat', 'sub', 'tenant_id'],
          typ: 'at+jwt',
        });
        return identityOf(payload, issuer);
      } catch (error) {
        throw presentable(error);
      }
    },
  };
}

/** What an ID token says of a sign-in. */
export interface SignInTold {
  readonly subject: string;
  /**
   * When the person proved who they are. Where the issuer does not say it, 0: a session of the
   * issuer that is days old brings a token of this very second.
   */
  readonly authenticatedAt: EpochMs;
}

/** Verifies ID tokens (OpenID Connect Core 1.0, 3.1.3.7) that the code flow has brought. */
export interface IdTokenVerifier {
  /** Throws `credential-invalid` or `identity-provider-unavailable`. */
  verify(token: string, nonce: string): Promise<SignInTold>;
}

/** A verifier for one issuer and one client. */
export function createIdTokenVerifier(
  options: IssuerKeysOptions & { readonly clientId: string; readonly clock: Clock },
): IdTokenVerifier {
  const { clientId, clock, issuer } = options;
  const keys = createIssuerKeys(options);
  return {
    async verify(token, nonce) {
      try {
        refuseOddForm(token);
        const { payload } = await jwtVerify(token, keys, {
          algorithms: ALGORITHMS,
          audience: clientId,
          clockTolerance: TOKEN_LEEWAY_S,
          currentDate: new Date(clock.now()),
          issuer,
          requiredClaims: ['exp', 'iat', 'nonce', 'sub'],
        });
        const { auth_time, azp, nonce: told, sub: subject = '' } = payload;
        const isOurs = azp === undefined || azp === clientId;
        if (typeof told !== 'string' || !constantTimeEqual(told, nonce) || !isOurs) {
          throw new DomainError('credential-invalid');
        }
        const at = typeof auth_time === 'number' ? auth_time : 0;
        return { authenticatedAt: (at * 1_000) as EpochMs, subject };
      } catch (error) {
        const refusal = presentable(error);
        throw refusal.code === 'credential-expired'
          ? new DomainError('credential-invalid', { cause: error })
          : refusal;
      }
    },
  };
}

/** Refuses what jose accepts or ignores: keys in the header, and members that occur twice. */
function refuseOddForm(token: string): void {
  if (token.length > TOKEN_CHARACTERS_MAX || !COMPACT_JWS.test(token)) {
    throw new DomainError('credential-invalid');
  }
  const header = decodeProtectedHeader(token);
  if (KEY_CARRYING_HEADERS.some((name) => Object.hasOwn(header, name))) {
    throw new DomainError('credential-invalid');
  }
  for (const part of token.split('.').slice(0, 2)) {
    parseStrictJson(Buffer.from(part, 'base64url'), { depthMax: JSON_DEPTH_MAX });
  }
}

function identityOf(payload: JWTPayload, issuer: string): TokenIdentity {
  const { amr, exp = 0, roles, sub, tenant_id } = payload;
  const isNamed = typeof sub === 'string' && sub.length > 0 && sub.length <= SUBJECT_CHARACTERS_MAX;
  if (!isNamed || typeof tenant_id !== 'string' || !UUID.test(tenant_id)) {
    throw new DomainError('credential-invalid');
  }
  return {
    tenantId: tenant_id as TenantId,
    id: `${issuer}|${sub}`,
    // The claim also names the provider's other groups. A name that is not a role of ours is
    // ignored.
    roles: rolesOf(stringsOf(roles).slice(0, ROLE_NAMES_MAX)),
    mfa: hasSecondFactor(stringsOf(amr)),
    expiresAt: ((exp + TOKEN_LEEWAY_S) * 1_000) as EpochMs,
  };
}

/** `mfa` says so, or two different kinds of factor do. */
function hasSecondFactor(methods: readonly string[]): boolean {
  if (methods.includes('mfa')) return true;
  const kinds = new Set(methods.map((method) => FACTOR_KINDS.get(method)));
  kinds.delete(undefined);
  return kinds.size >= 2;
}

function stringsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

function presentable(error: unknown): DomainError {
  if (error instanceof DomainError && error.code === 'identity-provider-unavailable') return error;
  if (error instanceof errors.JWTExpired) return new DomainError('credential-expired');
  return new DomainError('credential-invalid', { cause: error });
}
