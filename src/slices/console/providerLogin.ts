/**
 * Sessions of persons whom the identity provider signs in. Each request is judged by the token as
 * the API judges it; one that has ended is changed for a new one, once for all gateways.
 */
import { entry, overwrite } from '#core/audit';
import type { TokenIdentity } from '#core/identity';
import { chainOf, DomainError } from '#core/kernel';
import type { ConsolePorts } from './ports.ts';
import type { Provider } from './provider.ts';
import { findLogin, sessionDigest, sessionTarget } from './signedLogins.ts';
import { type ConsoleLogin, consoleLoginTable } from './tables.ts';

/** Whose the session is by its token. Throws `credential-invalid`, `credential-expired`. */
export async function providerIdentity(
  ports: ConsolePorts,
  login: ConsoleLogin,
): Promise<Pick<TokenIdentity, 'id' | 'mfa' | 'roles'>> {
  const provider = requireProvider(ports);
  const { id, mfa, roles, tenantId } = await identify(ports, provider, login);
  if (tenantId !== login.tenantId || `user:${id}` !== login.actor) {
    throw new DomainError('credential-invalid');
  }
  return { id, mfa, roles };
}

async function identify(
  ports: ConsolePorts,
  provider: Provider,
  { sessionId, tenantId, tokens = '' }: ConsoleLogin,
): Promise<TokenIdentity> {
  try {
    return await provider.identify(tokens);
  } catch (error) {
    const isOver = error instanceof DomainError && error.code === 'credential-expired';
    if (!isOver) throw error;
    return provider.identify(await refreshed(ports, { former: tokens, sessionId, tenantId }));
  }
}

/** Another request may have been first: then its tokens serve. */
async function refreshed(
  ports: ConsolePorts,
  of: Pick<ConsoleLogin, 'sessionId' | 'tenantId'> & { readonly former: string },
): Promise<string> {
  const { former, sessionId, tenantId } = of;
  return overwrite(async () => {
    const login = await findLogin(ports, { sessionId, tenantId });
    if (login?.tokens === undefined) throw new DomainError('credential-invalid');
    if (login.tokens !== former) return login.tokens;
    const made = await requireProvider(ports).refresh(former);
    const next: ConsoleLogin = { ...login, tokens: made, version: login.version + 1 };
    const told = entry(ports, {
      action: 'console.session.refreshed',
      actor: login.actor,
      members: { record_digest: sessionDigest(next) },
      target: sessionTarget(next),
    });
    const changes = [consoleLoginTable.put(next, login.version)];
    await ports.commit(chainOf(tenantId), { bus: [], changes, events: [told] });
    return made;
  });
}

/** Throws `credential-invalid` where there is none. */
export function requireProvider({ provider }: ConsolePorts): Provider {
  if (provider !== undefined) return provider;
  throw new DomainError('credential-invalid', { detail: 'no identity provider is configured' });
}
