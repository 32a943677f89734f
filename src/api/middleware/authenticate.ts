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

/** What says whose an address is. */
export interface HostOptions {
  readonly tenants: Pick<TenantDirectory, 'tenantOfHost'>;
  /** Where both are named, each serves its own kind of credential alone. */
  readonly origins: { readonly live?: string; readonly sandbox?: string };
  /** A proxy stands in front: X-Forwarded-Host is the host, and only then. */
  readonly trustProxy: boolean;
}

export interface AuthenticatorOptions extends HostOptions {
  readonly apiKeys: ApiKeyDirectory;
  readonly tenants: TenantDirectory;
  /** Absent: no identity provider is configured, and every token is refused. */
  readonly oidc?: OidcVerifier | undefined;
  /** Tokens that we have made ourselves; absent: none. */
  readonly sessions?: SessionTokens | undefined;
}

/** Whether a caller came to an address that is theirs. */
export type RequireHost = (
  request: HttpRequest,
  caller: Pick<Principal, 'environment' | 'tenantId'>,
) => Promise<void>;

/** What it makes throws `credential-invalid` and `host-tenant-mismatch`. */
export function createRequireHost({ origins, tenants, trustProxy }: HostOptions): RequireHost {
  const environments = environmentsByHost(origins);
  return async (request, { environment, tenantId }) => {
    const host = hostOf(request, trustProxy);
    const expected = environments.get(host);
    if (expected !== undefined && expected !== environment) {
      throw new DomainError('credential-invalid', {
        detail: `this address takes ${expected} credentials only`,
      });
    }
    const owner = await tenants.tenantOfHost(withoutPort(host));
    if (owner !== undefined && owner !== tenantId) throw new DomainError('host-tenant-mismatch');
  };
}

export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const requireHost = createRequireHost(options);
  return {
    async authenticate(request) {
      const principal = await identify(request, options);
      const tenant = await options.tenants.find(principal.tenantId);
      if (tenant === undefined) throw new DomainError('credential-invalid');
      // A token names no kind of its own: it is the tenant's.
      const environment = principal.kind === 'api-key' ? principal.environment : tenant.kind;
      if (environment !== tenant.kind) throw new DomainError('credential-invalid');
      const caller = { ...principal, environment };
      await requireHost(request, caller);
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
function environmentsByHost(origins: HostOptions['origins']): ReadonlyMap<string, Environment> {
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
