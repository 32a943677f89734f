/**
 * How an institution files, as an administrator configures it: keys, certificates and the place of
 * deposits. Keys are sealed for their institution, and shown to nobody.
 */
import type { KeyObject, X509Certificate } from 'node:crypto';
import { isAbsolute } from 'node:path';
import { entry, overwrite } from '#core/audit';
import { chainOf, DomainError, type TenantId } from '#core/kernel';
import { readPrivateKey } from '#platform/certificates';
import type { SecretBox } from '#platform/secretBox';
import type { TaxAsk } from './classifySubject.ts';
import { type ChannelPlace, channelTable, type TaxChannel } from './filingTables.ts';
import { readGiin } from './giin.ts';
import { readCertificate, requireKeyOf } from './packageCertificate.ts';
import type { TaxPorts } from './ports.ts';
import { findReportingFi } from './reportingFi.ts';
import { digestOfRecord } from './signedTable.ts';
import type { PackageSigner } from './signReport.ts';
import type { PackageReceiver } from './writePackage.ts';

/** What a channel is made of. */
export interface SaveChannel
  extends TaxAsk,
    Pick<TaxChannel, 'answerPems' | 'approver' | 'certificatePem' | 'giin' | 'place' | 'receiver'> {
  readonly keyPem: string;
  readonly sshKey?: string;
  /** The key of a sandbox's IDES, whose certificate is the receiver's. */
  readonly idesKeyPem?: string;
}

/** What opens sealed keys. */
export type ChannelPorts = TaxPorts & { readonly secrets: SecretBox };

/** As entries name it. */
export const channelTarget = ({ giin }: Pick<TaxChannel, 'giin'>) => `tax-channel:${giin}`;

/** SHA-256 hex of all of a record. */
export const channelDigest = digestOfRecord<TaxChannel>('tax-channel-v1');

const purposeOf = ({ giin, tenantId }: Pick<TaxChannel, 'giin' | 'tenantId'>, what: string) =>
  `tax-channel\0${tenantId}\0${giin}\0${what}`;
const HOST_KEY = /^SHA256:[A-Za-z0-9+/]{43}$/;

const invalid = (detail: string): DomainError => new DomainError('channel-invalid', { detail });

/** Throws `reporting-fi-unknown`, `channel-invalid`, `certificate-invalid`, `state-altered`. */
export async function saveChannel(ports: ChannelPorts, ask: SaveChannel): Promise<TaxChannel> {
  const { answerPems, approver, certificatePem, giin, keyPem, place, receiver, sshKey } = ask;
  const { actor, idesKeyPem, ip, tenantId } = ask;
  await findReportingFi(ports, ask);
  requireKeyOf(certificateOf(certificatePem, 'certificate'), rsaKeyOf(keyPem));
  requirePlace(place, sshKey);
  for (const { certificatePem: pem, id } of [receiver, ...(approver ? [approver] : [])]) {
    const found = readGiin(id, { takesAuthorities: true });
    if (!found.isValid) throw invalid(`receiver: expected ${found.expected}`);
    certificateOf(pem, `certificate of ${id}`);
  }
  if (answerPems.length === 0) throw invalid('expected a certificate of who signs answers');
  for (const pem of answerPems) certificateOf(pem, 'certificate of answers');
  return overwrite(async () => {
    const before = await ports.tables.find(channelTable, { giin, tenantId });
    if (before !== undefined) await ports.signedChannels.require(before);
    const next: TaxChannel = {
      answerPems,
      certificatePem,
      giin,
      place,
      receiver,
      sealedKey: ports.secrets.seal(keyPem, purposeOf(ask, 'rsa')),
      tenantId,
      updatedAt: ports.clock.now(),
      updatedBy: actor,
      version: (before?.version ?? 0) + 1,
      ...(approver !== undefined && { approver }),
      ...(sshKey !== undefined && {
        sealedSshKey: ports.secrets.seal(sshKey, purposeOf(ask, 'ssh')),
      }),
      ...(idesKeyPem !== undefined && {
        sealedIdesKey: ports.secrets.seal(idesKeyPem, purposeOf(ask, 'ides')),
      }),
    };
    await ports.commit(chainOf(tenantId), {
      bus: [],
      changes: [channelTable.put(next, before?.version ?? 0)],
      events: [
        entry(ports, {
          action: 'tcr.channel.configured',
          actor,
          at: next.updatedAt,
          members: { channel_digest: channelDigest(next), kind: place.kind },
          target: channelTarget(next),
          ...(ip !== undefined && { ip }),
        }),
      ],
    });
    return next;
  });
}

function requirePlace(place: ChannelPlace, sshKey: string | undefined): void {
  const isFolder = place.kind === 'folder' || place.kind === 'sandbox';
  if (isFolder && !isAbsolute(place.folder)) {
    throw invalid('folder: expected an absolute path, which every worker reaches');
  }
  if (place.kind !== 'sftp') return;
  if (!HOST_KEY.test(place.hostKey)) {
    throw invalid('host key: expected SHA256: and 43 characters, as ssh-keygen -l prints it');
  }
  if (sshKey === undefined) throw invalid('expected the SSH key of the user');
}

const certificateOf = (pem: string, whose: string): X509Certificate =>
  readCertificate(Buffer.from(pem), whose);

function rsaKeyOf(pem: string): KeyObject {
  const key = readPrivateKey(pem);
  if (key?.asymmetricKeyType === 'rsa') return key;
  const detail = 'expected an RSA private key, PEM without a passphrase';
  throw new DomainError('certificate-invalid', { detail });
}

/** A channel, with its keys opened. */
export interface OpenedChannel {
  readonly channel: TaxChannel;
  readonly signer: PackageSigner;
  readonly receiver: PackageReceiver;
  readonly approver?: PackageReceiver;
  /** Whose signature on an answer holds. */
  readonly trusted: readonly X509Certificate[];
  readonly sshKey?: string;
  readonly ides?: KeyObject;
}

/** As its last entry made it. Throws `channel-unknown`, `state-altered`. */
export async function findChannel(
  { signedChannels, tables }: Pick<TaxPorts, 'signedChannels' | 'tables'>,
  { giin, tenantId }: { readonly tenantId: TenantId; readonly giin: string },
): Promise<TaxChannel> {
  const found = await tables.find(channelTable, { giin, tenantId });
  if (found === undefined) throw new DomainError('channel-unknown');
  return signedChannels.require(found);
}

/** Throws as `findChannel`. */
export async function openChannel(
  ports: ChannelPorts,
  of: { readonly tenantId: TenantId; readonly giin: string },
): Promise<OpenedChannel> {
  const channel = await findChannel(ports, of);
  const { answerPems, approver, certificatePem, receiver, sealedKey, sealedSshKey } = channel;
  const { sealedIdesKey } = channel;
  const read = ({ certificatePem: pem, id }: TaxChannel['receiver']): PackageReceiver => ({
    certificate: certificateOf(pem, `certificate of ${id}`),
    id,
  });
  return {
    channel,
    receiver: read(receiver),
    signer: {
      certificate: certificateOf(certificatePem, 'signing certificate'),
      key: rsaKeyOf(ports.secrets.open(sealedKey, purposeOf(channel, 'rsa'))),
    },
    trusted: answerPems.map((pem) => certificateOf(pem, 'certificate of answers')),
    ...(approver !== undefined && { approver: read(approver) }),
    ...(sealedSshKey !== undefined && {
      sshKey: ports.secrets.open(sealedSshKey, purposeOf(channel, 'ssh')),
    }),
    ...(sealedIdesKey !== undefined && {
      ides: rsaKeyOf(ports.secrets.open(sealedIdesKey, purposeOf(channel, 'ides'))),
    }),
  };
}
