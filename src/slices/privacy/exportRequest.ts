/**
 * What a proven request for access comes to: an archive that a person approves, that is told a
 * passphrase for once, and that is removed with its key thirty days later.
 */
import { overwrite } from '#core/audit';
import { type BlobStore, type DataKeys, dataKeyTable } from '#core/blobs';
import { DomainError, everyRecord } from '#core/kernel';
import type { HeldFile, Holding } from '#core/privacy';
import type { EpochMs } from '#platform/clock';
import type { Signer } from '#platform/crypto';
import { writeArchive } from './archive.ts';
import { archiveKeyId, passphraseOf } from './archiveKey.ts';
import type { DecideRequest } from './decideRequest.ts';
import { subjectOf } from './erasurePlan.ts';
import { ARCHIVE_KEPT_MS } from './limits.ts';
import type { PrivacyPorts } from './ports.ts';
import { requireOther } from './receiveRequest.ts';
import { commitRequest, type KeptRequest, requireState } from './requestStep.ts';
import { type PrivacyRequest, privacyRequestTable } from './tables.ts';

/** What archives are made with. */
export interface ExportPorts extends PrivacyPorts {
  readonly blobs: BlobStore;
  readonly dataKeys: DataKeys;
  readonly holdings: () => Promise<readonly Holding[]>;
  readonly signer: Signer;
}

const BY_WORKER = { actor: 'system:privacy' } as const;

/** Archives of all requests that wait for one; one that fails is told of and holds up no other. */
export async function buildArchives(
  ports: ExportPorts,
  onFailed: (request: PrivacyRequest, error: unknown) => void,
): Promise<number> {
  let built = 0;
  const open = { equal: { isOpen: true }, index: 'open' };
  for await (const found of everyRecord(ports.tables, privacyRequestTable, open)) {
    if (found.status !== 'in_progress' || found.action !== 'export') continue;
    try {
      await buildArchive(ports, found);
      built++;
    } catch (error) {
      onFailed(found, error);
    }
  }
  return built;
}

/** The request, with its archive, awaiting approval. */
export async function buildArchive(
  ports: ExportPorts,
  of: Pick<PrivacyRequest, 'requestId' | 'tenantId'>,
): Promise<PrivacyRequest> {
  const before = await ports.signed.requireRequest(of);
  requireState(before, 'in_progress');
  const { record, key } = ports.dataKeys.make(
    { keyId: archiveKeyId(before), tenantId: before.tenantId },
    { seeds: [] },
  );
  const now = ports.clock.now();
  const { pieces, written } = writeArchive({
    files: filesOf(await ports.holdings(), before),
    now,
    passphrase: passphraseOf(key),
    request: before,
    signer: ports.signer,
  });
  const [put, files] = await Promise.all([ports.blobs.put(pieces), written]);
  const archive = {
    blob: put.address,
    builtAt: now,
    bytes: put.bytes,
    files: files.length,
    keyId: record.keyId,
    sha256: put.address,
  };
  return commitRequest(ports, {
    action: 'privacy.archive.built',
    after: {
      ...before,
      archive,
      archiveState: 'kept',
      status: 'awaiting_approval',
      version: before.version + 1,
    },
    before,
    beside: [dataKeyTable.insert(record)],
    by: BY_WORKER,
    members: { files: files.length, sha256: archive.sha256 },
  });
}

async function* filesOf(
  holdings: readonly Holding[],
  request: PrivacyRequest,
): AsyncGenerator<HeldFile> {
  const subject = await subjectOf(holdings, request);
  for (const holding of holdings) yield* holding.files(subject);
}

/** A person has looked at what is given, and it may go out. */
export function approveRequest(
  ports: PrivacyPorts,
  { by, isExpected, requestId }: DecideRequest,
  idempotency?: KeptRequest,
): Promise<PrivacyRequest> {
  return overwrite(async () => {
    const before = await ports.signed.requireRequest({ requestId, tenantId: by.tenantId });
    if (isExpected?.(before.version) === false) throw new DomainError('precondition-failed');
    requireState(before, 'awaiting_approval');
    requireOther(before, by);
    const at = ports.clock.now();
    const { remindAt: _, ...rest } = before;
    return commitRequest(ports, {
      action: 'privacy.request.approved',
      after: {
        ...rest,
        archiveUntil: (at + ARCHIVE_KEPT_MS) as EpochMs,
        decision: { at, by: by.actor },
        endedAt: at,
        status: 'completed',
        version: before.version + 1,
      },
      before,
      by,
      idempotency,
    });
  });
}

/** The archive of a completed request. Throws `privacy-request-state`, `privacy-archive-gone`. */
export async function requireArchive(
  { signed }: Pick<PrivacyPorts, 'signed'>,
  of: Pick<PrivacyRequest, 'requestId' | 'tenantId'>,
) {
  const request = await signed.requireRequest(of);
  requireState(request, 'completed');
  if (request.archive === undefined) throw new DomainError('privacy-archive-gone');
  return { archive: request.archive, request };
}

/** The passphrase: told to one person, once. Throws `privacy-archive-gone` from then on. */
export function tellPassphrase(
  ports: Pick<ExportPorts, 'clock' | 'commit' | 'dataKeys' | 'random' | 'signed'>,
  { by, requestId }: Pick<DecideRequest, 'by' | 'requestId'>,
): Promise<string> {
  const { tenantId } = by;
  return overwrite(async () => {
    const { archive, request: before } = await requireArchive(ports, { requestId, tenantId });
    const key = await ports.dataKeys.find({ keyId: archive.keyId, tenantId });
    if (archive.passphraseToldAt !== undefined || key === undefined) {
      throw new DomainError('privacy-archive-gone');
    }
    await commitRequest(ports, {
      action: 'privacy.archive.passphrase_told',
      after: {
        ...before,
        archive: { ...archive, passphraseToldAt: ports.clock.now() },
        version: before.version + 1,
      },
      before,
      by,
    });
    return passphraseOf(key);
  });
}

/** Archives whose time is over are removed, and their keys; answers how many. */
export async function removeArchives(
  ports: Pick<ExportPorts, 'clock' | 'commit' | 'dataKeys' | 'random' | 'signed' | 'tables'>,
): Promise<number> {
  let removed = 0;
  const to = ports.clock.now() + 1;
  const ended = { equal: { hasArchive: true }, index: 'archives', to };
  for await (const { requestId, tenantId } of everyRecord(
    ports.tables,
    privacyRequestTable,
    ended,
  )) {
    await overwrite(async () => {
      const before = await ports.signed.requireRequest({ requestId, tenantId });
      const { archive, archiveUntil: _, ...rest } = before;
      if (archive === undefined) return;
      const key = await ports.dataKeys.find({ keyId: archive.keyId, tenantId });
      const { keyId } = archive;
      await commitRequest(ports, {
        action: 'privacy.archive.removed',
        after: { ...rest, archiveState: 'removed', version: before.version + 1 },
        before,
        beside: key === undefined ? [] : [dataKeyTable.remove({ keyId }, key.version)],
        by: BY_WORKER,
      });
      removed++;
    });
  }
  return removed;
}
