/** The way to an FIU's goAML Web, as the administrator configures it: off until it is. */
import { type Actor, entry, overwrite } from '#core/audit';
import { chainOf, DomainError, type TenantId } from '#core/kernel';
import type { SecretBox } from '#platform/secretBox';
import type { StrReadPorts, StrWritePorts } from './ports.ts';
import { digestOf } from './signedReports.ts';
import { type StrRemote, strRemoteTable } from './tables.ts';

const CHANNEL = 'goaml_b2b';
const purposeOf = (tenantId: TenantId): string => `str-channel\0${tenantId}\0${CHANNEL}`;

/** What the administrator gives. */
export interface RemoteAsk {
  readonly tenantId: TenantId;
  readonly actor: Actor;
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly isEnabled: boolean;
}

/** Throws `str-profile-invalid` for an address that is not HTTPS, but on this machine. */
export async function configureRemote(
  ports: StrWritePorts & { readonly secrets: SecretBox },
  { actor, isEnabled, password, tenantId, url, user }: RemoteAsk,
): Promise<StrRemote> {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  const isGood =
    address?.protocol === 'https:' ||
    (address?.protocol === 'http:' &&
      ['127.0.0.1', '[::1]', 'localhost'].includes(address.hostname));
  if (!isGood || address.username !== '' || address.hash !== '') {
    const detail = 'url: expected an https address without user and fragment';
    throw new DomainError('str-profile-invalid', { detail });
  }
  return overwrite(async () => {
    const place = { channel: CHANNEL, tenantId } as const;
    const before = await ports.tables.find(strRemoteTable, place);
    const next: StrRemote = {
      ...place,
      isEnabled,
      sealedPassword: ports.secrets.seal(password, purposeOf(tenantId)),
      updatedAt: ports.clock.now(),
      url: address.href,
      user,
      version: (before?.version ?? 0) + 1,
    };
    await ports.commit(chainOf(tenantId), {
      bus: [],
      changes: [strRemoteTable.put(next, before?.version ?? 0)],
      events: [
        entry(ports, {
          action: 'str.channel.changed',
          actor,
          members: {
            confidential: true,
            enabled: isEnabled,
            remote_digest: digestOf('remote', next),
            url: next.url,
          },
          target: `str-channel:${CHANNEL}`,
        }),
      ],
    });
    return next;
  });
}

/** With its password. Throws `str-channel-off`, `state-altered`. */
export async function openRemote(
  ports: StrReadPorts & { readonly secrets: SecretBox },
  tenantId: TenantId,
): Promise<StrRemote & { readonly password: string }> {
  const found = await ports.tables.find(strRemoteTable, { channel: CHANNEL, tenantId });
  if (found?.isEnabled !== true) throw new DomainError('str-channel-off');
  const remote = await ports.signed.requireRemote(found);
  return { ...remote, password: ports.secrets.open(remote.sealedPassword, purposeOf(tenantId)) };
}
