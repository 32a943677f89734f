/**
 * Who calls: an API key (X-API-Key), or a token (Authorization: Bearer) of a person or of an
 * onboarding session, never both. The tenant comes from the credential; the host name is only
 * compared with it.
 *
 * Fails closed: a store or an identity provider that does not answer is 503, not a guess.
 */
import type {
  ApiKeyDirectory,
  Environment,
  OidcVerifier,
  Principal,
  TenantDirectory,
} from '#core/identity';
import { requireSecondFactor } from '#core/identity';
import { DomainError } from '#core/kernel';
import type { HttpRequest } from '../http/port.ts';
import type { Authenticator } from '../ports.ts';

/** Tokens of onboarding sessions. */
export interface SessionTokens {
  /** Whether the token says that it is one: it is judged as nothing else. */
  isOne(token: string): boolean;
  /** Rejects with `credential-invalid`. One that has ended is a caller still, who may do little. */
  authenticate(token: string): Promise<Principal>;
}

const BEARER = /^bearer +([^ ]+) *$/i;

export interface AuthenticatorOptions {
  readonly apiKeys: ApiKeyDirectory;
  readonly tenants: TenantDirectory;
  /** Absent: no identity provider is configured, and every token is refused. */
  readonly oidc?: OidcVerifier | undefined;
  /** Tokens that we have made ourselves; absent: none. */
  readonly sessions?: SessionTokens | undefined;
  /** Where both are named, each serves its own kind of credential alone. */
  readonly origins: { readonly live?: string; readonly sandbox?: string };
  /** A proxy stands in front: X-Forwarded-Host is the host, and only then. */
  readonly trustProxy: boolean;
}

export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const environments = environmentsByHost(options.origins);
  return {
    async authenticate(request) {
      const principal = await identify(request, options);
      const tenant = await options.tenants.find(principal.tenantId);
      if (tenant === undefined) throw new DomainError('credential-invalid');
      // A token names no kind of its own: it is the tenant's.
      const environment = principal.kind === 'api-key' ? principal.environment : tenant.kind;
      if (environment !== tenant.kind) throw new DomainError('credential-invalid');
      const host = hostOf(request, options.trustProxy);
      const expected = environments.get(host);
      if (expected !== undefined && expected !== environment) {
        throw new DomainError('credential-invalid', {
          detail: `this address takes ${expected} credentials only`,
        });
      }
      const owner = await options.tenants.tenantOfHost(withoutPort(host));
      if (owner !== undefined && owner !== principal.tenantId) {
        throw new DomainError('host-tenant-mismatch');
      }
      const caller = { ...principal, environment };
      requireSecondFactor(caller);
      return caller;
    },
  };
}

async function identify(request: HttpRequest, options: AuthenticatorOptions): Promise<Principal> {
  const key = request.header('x-api-key');
  const authorization = request.header('authorization');
  if (key === undefined && authorization === undefined) {
    throw new DomainError('credential-missing');
  }
  if (key !== undefined && authorization !== undefined) {
    throw new DomainError('credential-invalid', {
      detail: 'expected one of X-API-Key and Authorization, got both',
    });
  }
  if (key !== undefined) return options.apiKeys.authenticate(key);
  const token = BEARER.exec(authorization ?? '')?.[1];
  if (token !== undefined && options.sessions?.isOne(token)) {
    return options.sessions.authenticate(token);
  }
  if (token === undefined || options.oidc === undefined) {
    throw new DomainError('credential-invalid');
  }
  const identity = await options.oidc.verify(token);
  return { ...identity, kind: 'user', environment: 'live' };
}

/** Empty unless both addresses are named and differ in their host. */
function environmentsByHost(
  origins: AuthenticatorOptions['origins'],
): ReadonlyMap<string, Environment> {
  if (origins.live === undefined || origins.sandbox === undefined) return new Map();
  const live = new URL(origins.live).host;
  const sandbox = new URL(origins.sandbox).host;
  if (live === sandbox) return new Map();
  return new Map<string, Environment>([
    [live, 'live'],
    [sandbox, 'sandbox'],
  ]);
}

/** Lower case, with the port unless it is the scheme's own: as `URL.host` writes it. */
function hostOf(request: HttpRequest, trustProxy: boolean): string {
  // The last value: the trusted proxy wrote it, while earlier clients or proxies wrote the others.
  const forwarded = trustProxy ? request.header('x-forwarded-host')?.split(',').at(-1) : undefined;
  const host = (forwarded ?? request.header('host') ?? '').trim().toLowerCase();
  return host.replace(/:(80|443)$/, '').replace(/\.(?=$|:)/, '');
}

function withoutPort(host: string): string {
  return host.replace(/:\d+$/, '');
}
