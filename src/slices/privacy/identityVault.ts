/**
 * The identity vault: names and keys of an erased person, under a data key of its own, while a law
 * demands what is kept. Two persons open it: one asks, another one looks within a day. Both are
 * entries, and who asked is read from the signed one.
 */
import { type AuditStore, entry, type KeyRing, overwrite, verifiedEvent } from '#core/audit';
import { type DataKeys, dataKeyTable } from '#core/blobs';
import { chainOf, DomainError, type TableChange } from '#core/kernel';
import type { DataSubject, ErasureTerms } from '#core/privacy';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { SecretUnreadable, secretBox } from '#platform/secretBox';
import { type VaultRecord, vaultTable } from './erasureTables.ts';
import { REASON_CHARS_MIN, VAULT_ASKED_MS } from './limits.ts';
import type { PrivacyActor, PrivacyPorts } from './ports.ts';
import { invalidRequest } from './requestStep.ts';

/** What lies in it. */
export interface VaultContent {
  /** By which the erasure goes on when a duty ends; its request may be gone by then. */
  readonly terms: Pick<ErasureTerms, 'asOf' | 'retentionYears'>;
  readonly subject: Omit<DataSubject, 'tenantId'>;
  /** By store: what its slice gave into custody. */
  readonly custody: Readonly<Record<string, object>>;
}

/** What reads and writes it. */
export interface VaultPorts extends PrivacyPorts {
  readonly audit: Pick<AuditStore, 'lastEntries'>;
  readonly dataKeys: Pick<DataKeys, 'find' | 'make' | 'without'>;
  readonly keyRing: KeyRing;
}

type Place = Pick<VaultRecord, 'pseudonym' | 'tenantId'>;

export const vaultTarget = ({ pseudonym }: Pick<VaultRecord, 'pseudonym'>): string =>
  `identity-vault:${pseudonym}`;
const keyIdOf = ({ pseudonym }: Pick<VaultRecord, 'pseudonym'>): string => `vault/${pseudonym}`;
const purposeOf = ({ pseudonym, tenantId }: Place): string =>
  `identity-vault-v1/${tenantId}/${pseudonym}`;

/**
 * A record and its key, for the commit that begins an erasure. Keys are never restored to an older
 * state, records are: a key that is there is the one of a vault that a backup has lost.
 */
export async function newVault(
  { clock, dataKeys, random }: Pick<VaultPorts, 'clock' | 'dataKeys' | 'random'>,
  of: Place & Pick<VaultRecord, 'requestId'>,
  content: VaultContent,
): Promise<readonly TableChange[]> {
  const { pseudonym, requestId, tenantId } = of;
  const named = { keyId: keyIdOf(of), tenantId };
  const former = await dataKeys.find(named);
  const { key, record } =
    former === undefined ? dataKeys.make(named, { seeds: [] }) : dataKeys.without(former, []);
  const sealed = secretBox([key.secret], random).seal(JSON.stringify(content), purposeOf(of));
  const createdAt = clock.now();
  return [
    dataKeyTable.put(record, former?.version ?? 0),
    vaultTable.insert({
      createdAt,
      openings: 0,
      pseudonym,
      requestId,
      sealed,
      tenantId,
      version: 1,
    }),
  ];
}

/** Undefined where there is none. Throws `blob-damaged` where it is not what was sealed. */
export async function readVault(
  { dataKeys, random, tables }: Pick<VaultPorts, 'dataKeys' | 'random' | 'tables'>,
  { pseudonym, tenantId }: Place,
): Promise<{ readonly content: VaultContent; readonly record: VaultRecord } | undefined> {
  const record = await tables.find(vaultTable, { pseudonym, tenantId });
  const key = record && (await dataKeys.find({ keyId: keyIdOf(record), tenantId }));
  if (record === undefined || key === undefined) return undefined;
  try {
    const text = secretBox([key.secret], random).open(record.sealed, purposeOf(record));
    return { content: JSON.parse(text) as VaultContent, record };
  } catch (cause) {
    if (!(cause instanceof SecretUnreadable)) throw cause;
    throw new DomainError('blob-damaged', { cause, detail: 'an identity is not what was sealed' });
  }
}

/** What takes it away for good, also out of backups. */
export async function removalOf(
  { dataKeys, tables }: Pick<VaultPorts, 'dataKeys' | 'tables'>,
  { pseudonym, tenantId }: Place,
): Promise<readonly TableChange[]> {
  const record = await tables.find(vaultTable, { pseudonym, tenantId });
  const key = await dataKeys.find({ keyId: keyIdOf({ pseudonym }), tenantId });
  return [
    ...(record ? [vaultTable.remove({ pseudonym, tenantId }, record.version)] : []),
    ...(key ? [dataKeyTable.remove({ keyId: key.keyId }, key.version)] : []),
  ];
}

/** What the second person sees; the first one is told that another one must look. */
export type VaultAnswer =
  | { readonly isOpen: false; readonly askedAt: EpochMs }
  | { readonly isOpen: true; readonly content: VaultContent; readonly askedBy: string };

/** Throws `privacy-vault-unknown`, `person-required`, `privacy-request-invalid`. */
export function openVault(
  ports: VaultPorts,
  ask: Place & { readonly by: PrivacyActor; readonly reason: string },
): Promise<VaultAnswer> {
  const { by, reason } = ask;
  if (!by.isPerson) throw new DomainError('person-required');
  if (reason.trim().length < REASON_CHARS_MIN) {
    throw invalidRequest('/reason', `expected ${REASON_CHARS_MIN} characters or more`);
  }
  return overwrite(async () => {
    const vault = await readVault(ports, ask);
    if (vault === undefined) throw new DomainError('privacy-vault-unknown');
    const asked = await askedOf(ports, ask);
    const now = ports.clock.now();
    const isSecond = asked !== undefined && asked.by !== by.actor && asked.until > now;
    await commitLook(ports, vault.record, { by, isSecond, reason });
    return isSecond
      ? { askedBy: asked.by, content: vault.content, isOpen: true }
      : { askedAt: now, isOpen: false };
  });
}

/** Who asked last, where nobody has looked since. */
async function askedOf(
  { audit, keyRing }: Pick<VaultPorts, 'audit' | 'keyRing'>,
  of: Place,
): Promise<{ readonly by: string; readonly until: number } | undefined> {
  const chainId = chainOf(of.tenantId);
  const [event] = await audit.lastEntries({ chainId, targets: [vaultTarget(of)] });
  const last = event && verifiedEvent(event, { chainId, keyRing });
  if (event === undefined || last?.action !== 'privacy.vault.asked') return undefined;
  return { by: String(last.actor), until: event.occurredAt + VAULT_ASKED_MS };
}

async function commitLook(
  ports: VaultPorts,
  record: VaultRecord,
  of: { readonly by: PrivacyActor; readonly isSecond: boolean; readonly reason: string },
): Promise<void> {
  const { by, isSecond, reason } = of;
  const { openings, tenantId, version } = record;
  const next = { ...record, openings: openings + (isSecond ? 1 : 0), version: version + 1 };
  await ports.commit(chainOf(tenantId), {
    bus: [],
    changes: [vaultTable.put(next, version)],
    events: [
      entry(ports, {
        action: isSecond ? 'privacy.vault.opened' : 'privacy.vault.asked',
        actor: by.actor,
        ...(by.ip !== undefined && { ip: by.ip }),
        members: { at: toTimestamp(ports.clock.now()), request_id: record.requestId },
        open: { reason },
        severity: 'NOTICE',
        target: vaultTarget(record),
      }),
    ],
  });
}
