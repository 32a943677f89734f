/**
 * A person signs in by the identity provider. A browser has one session: that which it had when the
 * sign-in began is ended, so that a cookie from before is good for nothing.
 */
import { requireSecondFactor } from '#core/identity';
import { chainOf, DomainError } from '#core/kernel';
import { knownLogin } from './callingLogin.ts';
import { endLogin } from './endLogin.ts';
import { type OpenedLogin, openingLogin } from './openLogin.ts';
import type { ConsolePorts } from './ports.ts';
import type { FlowAnswer } from './provider.ts';
import { requireProvider } from './providerLogin.ts';

/** Throws `credential-invalid`, `mfa-required`, `identity-provider-unavailable`. */
export async function signInByProvider(
  ports: ConsolePorts,
  answer: FlowAnswer,
  ip: string,
): Promise<OpenedLogin> {
  const { authenticatedAt, former, identity, tokens } = await requireProvider(ports).finish(answer);
  const { id, mfa, roles, tenantId } = identity;
  const tenant = await ports.tenants.find(tenantId);
  if (tenant === undefined) throw new DomainError('credential-invalid');
  requireSecondFactor({ environment: tenant.kind, id, kind: 'user', mfa, roles, tenantId });
  const { change, event, opened } = openingLogin(ports, {
    actor: `user:${id}`,
    authenticatedAt,
    ip,
    tenantId,
    tokens,
  });
  await ports.commit(chainOf(tenantId), { bus: [], changes: [change], events: [event] });
  if (former !== undefined) await endFormer(ports, former, ip);
  return opened;
}

/** What is no session, or not what was signed, is good for nothing already. */
async function endFormer(ports: ConsolePorts, cookie: string, ip: string): Promise<void> {
  try {
    const { actor, sessionId, tenantId } = await knownLogin(ports, cookie);
    await endLogin(ports, { actor, ip, sessionId, tenantId });
  } catch (error) {
    const isNone =
      error instanceof DomainError && ['credential-invalid', 'state-altered'].includes(error.code);
    if (!isNone) throw error;
  }
}
