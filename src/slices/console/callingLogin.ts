/**
 * Who calls by the cookie of a session. A session ends after fifteen minutes without a request,
 * after twelve hours, when it is ended, and with the person: the roles are those that the person
 * has now, by the record of a sandbox or by the token of the identity provider.
 */
import {
  type Person,
  type Principal,
  personOf,
  requireSecondFactor,
  type Tenant,
} from '#core/identity';
import { DomainError } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { constantTimeEqual } from '#platform/crypto';
import { IDLE_MS, SEEN_EVERY_MS, STREAM_LOOK_MS } from './limits.ts';
import { accountOf } from './makeLink.ts';
import type { ConsolePorts } from './ports.ts';
import { providerIdentity } from './providerLogin.ts';
import { readSecret } from './secretText.ts';
import { findLogin } from './signedLogins.ts';
import { type ConsoleLogin, consoleLoginTable } from './tables.ts';

/** A person at work in a browser. */
export interface CallingLogin {
  readonly login: ConsoleLogin;
  /** Undefined: the account is no registered person's. */
  readonly person: Person | undefined;
  readonly principal: Principal;
  readonly tenant: Tenant;
}

type Who = Pick<Principal, 'id' | 'mfa' | 'roles'>;

/**
 * `isAtWork`: the request is a sign that somebody is there; what a page does by itself is none.
 * Throws `credential-invalid`, `credential-expired`, `mfa-required`, and `state-altered`.
 */
export async function callingLogin(
  ports: ConsolePorts,
  cookie: string,
  isAtWork = true,
): Promise<CallingLogin> {
  const login = await knownLogin(ports, cookie);
  const now = ports.clock.now();
  if (!isLive(login, now)) throw new DomainError('credential-expired');
  const { seenAt = login.createdAt, sessionId, tenantId } = login;
  const tenant = await ports.tenants.find(tenantId);
  if (tenant === undefined) throw new DomainError('credential-invalid');
  const who =
    login.tokens === undefined
      ? await localPerson(ports, login, tenant)
      : await providerIdentity(ports, login);
  if (isAtWork && now - seenAt >= SEEN_EVERY_MS) {
    await ports.tables.touch(consoleLoginTable, { sessionId, tenantId }, now);
  }
  const principal: Principal = {
    ...who,
    environment: tenant.kind,
    // What is answered for long is asked for anew, so that it ends soon after the session.
    expiresAt: Math.min(
      login.expiresAt,
      (isAtWork ? now : seenAt) + IDLE_MS,
      now + STREAM_LOOK_MS,
    ) as EpochMs,
    kind: 'user',
    tenantId,
  };
  requireSecondFactor(principal);
  const person = personOf(principal, await ports.identity.listPersons(tenantId));
  return { login, person, principal, tenant };
}

/** The session of a cookie, whether or not it may be used now. Throws `credential-invalid`. */
export async function knownLogin(ports: ConsolePorts, cookie: string): Promise<ConsoleLogin> {
  const given = readSecret(cookie);
  const login =
    given && (await findLogin(ports, { sessionId: given.id, tenantId: given.tenantId }));
  if (login === undefined || !constantTimeEqual(login.secretDigest, given?.digest ?? '')) {
    throw new DomainError('credential-invalid');
  }
  return login;
}

/**
 * In a sandbox alone, where no provider could ask for a second factor: once there is one, what was
 * opened by a link before is nobody's.
 */
async function localPerson(
  ports: ConsolePorts,
  { actor, tenantId }: ConsoleLogin,
  tenant: Tenant,
): Promise<Who> {
  if (ports.provider !== undefined) throw new DomainError('credential-invalid');
  const personId = actor.replace(/^person:/, '');
  const person = await ports.identity.findPerson(tenantId, personId);
  const id = person && accountOf(person);
  if (person === undefined || id === undefined || tenant.kind !== 'sandbox') {
    throw new DomainError('credential-invalid');
  }
  return { id, mfa: true, roles: person.roles };
}

/** Whether a session may be used now. */
export const isLive = (
  { createdAt, expiresAt, seenAt = createdAt, state }: ConsoleLogin,
  now: EpochMs,
): boolean => state === 'open' && now < expiresAt && now - seenAt < IDLE_MS;
