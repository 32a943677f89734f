/** A link by which a person signs in once, on the machine of a sandbox. */
import { type Actor, entry } from '#core/audit';
import type { Person } from '#core/identity';
import { chainOf, DomainError, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { uuidV7 } from '#platform/random';
import { LINK_MS } from './limits.ts';
import type { ConsolePorts } from './ports.ts';
import { newSecret, secretText } from './secretText.ts';
import { linkDigest, linkTarget } from './signedLogins.ts';
import { type ConsoleLink, consoleLinkTable } from './tables.ts';

type Ports = Pick<ConsolePorts, 'clock' | 'commit' | 'identity' | 'random'>;

/** A link with the only copy of its secret. */
export interface MadeLink {
  readonly link: ConsoleLink;
  /** The secret stands in the fragment, which browsers send to nobody. */
  readonly url: string;
}

/**
 * Throws `not-found` for a tenant or person that is not there, and `setting-invalid` for a live
 * tenant and for a person without an account.
 */
export async function makeLink(
  ports: Ports,
  ask: {
    readonly actor: Actor;
    readonly origin: string;
    readonly personId: string;
    readonly tenantId: TenantId;
  },
): Promise<MadeLink> {
  const { actor, origin, personId, tenantId } = ask;
  const tenant = await ports.identity.findTenant(tenantId);
  const person = await ports.identity.findPerson(tenantId, personId);
  if (tenant === undefined || person === undefined) throw new DomainError('not-found');
  if (tenant.kind !== 'sandbox') {
    throw new DomainError('setting-invalid', { detail: 'tenant: expected a sandbox' });
  }
  if (accountOf(person) === undefined) {
    throw new DomainError('setting-invalid', { detail: 'person: expected one with an account' });
  }
  const now = ports.clock.now();
  const { digest, secret } = newSecret(ports.random);
  const link: ConsoleLink = {
    createdAt: now,
    expiresAt: (now + LINK_MS) as EpochMs,
    linkId: uuidV7(now, ports.random),
    personId,
    secretDigest: digest,
    state: 'open',
    tenantId,
    version: 1,
  };
  const told = entry(ports, {
    action: 'console.link.created',
    actor,
    members: {
      expires_at: new Date(link.expiresAt).toISOString(),
      person_id: personId,
      record_digest: linkDigest(link),
    },
    target: linkTarget(link),
  });
  const changes = [consoleLinkTable.insert(link)];
  await ports.commit(chainOf(tenantId), { bus: [], changes, events: [told] });
  return { link, url: `${origin}/console/#start=${secretText(tenantId, link.linkId, secret)}` };
}

/** The account that the person acts under in the console, as tokens name it. */
export function accountOf({ accounts }: Pick<Person, 'accounts'>): string | undefined {
  const [first] = accounts;
  return first && `${first.issuer}|${first.subject}`;
}
