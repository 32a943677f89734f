/**
 * A person signs in by a link: the link is used up and the session opened in one commit, so that of
 * two browsers with one link one is refused. Every refusal is the same to who is refused.
 */
import { entry, StaleChange } from '#core/audit';
import { chainOf, DomainError } from '#core/kernel';
import { constantTimeEqual } from '#platform/crypto';
import { type OpenedLogin, openingLogin } from './openLogin.ts';
import type { ConsolePorts } from './ports.ts';
import { readSecret } from './secretText.ts';
import { findLink, linkDigest, linkTarget } from './signedLogins.ts';
import { type ConsoleLink, consoleLinkTable } from './tables.ts';

/** Throws `credential-invalid`, and `state-altered` for a link that is not what was signed. */
export async function signIn(
  ports: ConsolePorts,
  { ip, token }: { readonly ip: string; readonly token: string },
): Promise<OpenedLogin> {
  const link = await openLink(ports, token);
  const { linkId, personId, tenantId } = link;
  const actor = `person:${personId}` as const;
  const used: ConsoleLink = { ...link, state: 'used', version: link.version + 1 };
  const { change, event, opened } = openingLogin(ports, { actor, ip, linkId, tenantId });
  const told = entry(ports, {
    action: 'console.link.used',
    actor,
    members: { record_digest: linkDigest(used) },
    target: linkTarget(used),
    ...(ip !== '' && { ip }),
  });
  const changes = [consoleLinkTable.put(used, link.version), change];
  try {
    await ports.commit(chainOf(tenantId), { bus: [], changes, events: [told, event] });
  } catch (error) {
    // Another browser was first with the same link.
    if (error instanceof StaleChange) throw new DomainError('credential-invalid');
    throw error;
  }
  return opened;
}

async function openLink(ports: ConsolePorts, token: string): Promise<ConsoleLink> {
  const given = readSecret(token);
  const found = given && (await findLink(ports, { linkId: given.id, tenantId: given.tenantId }));
  const isGood =
    found !== undefined &&
    found.state === 'open' &&
    ports.clock.now() < found.expiresAt &&
    constantTimeEqual(found.secretDigest, given?.digest ?? '');
  const tenant = isGood ? await ports.tenants.find(found.tenantId) : undefined;
  if (!isGood || tenant?.kind !== 'sandbox') throw new DomainError('credential-invalid');
  return found;
}
