/**
 * A nightly file of transactions is received whole and answered at once; workers take it into the
 * log, segment by segment. How far it is stands in its row, which changes in the commit of each
 * segment: a worker that dies leaves nothing half done, and the next one goes on behind it.
 *
 * The same file again (SHA-256 of its bytes) is its first ingest.
 */
import { type Actor, type CommitEvidence, entry, type IdempotencyRecord } from '#core/audit';
import { type BlobStore, type DataKeys, dataKeyTable, sealedPuts } from '#core/blobs';
import { chainOf, DomainError, fullDisk, type Tables, type TenantId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import { type Random, uuidV7 } from '#platform/random';
import { bounded, readAlong, unpack } from '#slices/intake';
import { checkCsvHeader } from './csvTransactions.ts';
import { type TransactionFile, transactionFileTable } from './tables.ts';
import { ingestKeyId, RAW_LABEL } from './takeTransactions.ts';

/** Bytes of a file as it is sent. */
export const TRANSACTION_FILE_BYTES_MAX = 8_589_934_592;

/** What receives files. */
export interface FilePorts {
  readonly tables: Pick<Tables, 'find' | 'findUnique'>;
  readonly commit: CommitEvidence;
  readonly blobs: Pick<BlobStore, 'put'>;
  readonly dataKeys: Pick<DataKeys, 'drawSecret' | 'make'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
}

/** A file in the blob store, sealed for an ingest that there may never be. */
export interface ReceivedFile {
  /** SHA-256 hex of the bytes as they were sent. */
  readonly digest: string;
  readonly bytes: number;
  readonly blob: string;
  readonly secret: Buffer;
}

/**
 * Seals the bytes as they come. A file that is cut off, damaged or without the right header leaves
 * nothing. Throws `csv-invalid`, `upload-damaged`, `body-too-large` or `storage-full`.
 */
export async function receiveFile(
  ports: Pick<FilePorts, 'blobs' | 'dataKeys' | 'random'>,
  bytes: AsyncIterable<Uint8Array>,
): Promise<ReceivedFile> {
  const secret = ports.dataKeys.drawSecret();
  const puts = sealedPuts(ports, { label: RAW_LABEL, secret });
  try {
    const { main } = await readAlong(bounded(bytes, TRANSACTION_FILE_BYTES_MAX), {
      aside: async (sent) => checkCsvHeader((await unpack(sent)).bytes),
      main: (sent) => puts.put(sent, { isPaced: true }),
    });
    return { blob: main.sealedBlob, bytes: main.bytes, digest: main.address, secret };
  } catch (error) {
    throw fullDisk(error) ?? error;
  }
}

/** Whose file it is. */
export interface OrderFile {
  readonly actor: Actor;
  readonly ip?: string;
  readonly tenantId: TenantId;
  readonly sandbox: boolean;
  readonly requestedBy: string;
  readonly file: ReceivedFile;
  readonly idempotency?: (file: TransactionFile) => IdempotencyRecord;
}

/** The ingest of this file, or the one that it has already. */
export async function orderFile(ports: FilePorts, ask: OrderFile): Promise<TransactionFile> {
  const { actor, file, idempotency, ip, tenantId } = ask;
  const known = await ports.tables.findUnique(transactionFileTable, 'content', {
    contentKey: file.digest,
    tenantId,
  });
  const now = ports.clock.now();
  const asker = { actor, ...(ip !== undefined && { ip }) };
  if (known !== undefined) {
    await ports.commit(chainOf(tenantId), {
      bus: [],
      changes: [],
      events: [
        entry(ports, {
          ...asker,
          action: 'aml.transactions.file_known',
          at: now,
          members: { file_digest: file.digest },
          target: `ingest:${known.ingestId}`,
        }),
      ],
      ...(idempotency && { idempotency: () => idempotency(known) }),
    });
    return known;
  }
  const ingestId = uuidV7(now, ports.random);
  const { record } = ports.dataKeys.make(
    { keyId: ingestKeyId(ingestId), tenantId },
    { secret: file.secret },
  );
  const next: TransactionFile = {
    accepted: 0,
    actor,
    blob: file.blob,
    bytes: file.bytes,
    contentKey: file.digest,
    duplicates: 0,
    fileDigest: file.digest,
    ingestId,
    parts: 0,
    receivedAt: now,
    rejected: 0,
    requestedBy: ask.requestedBy,
    rows: 0,
    sandbox: ask.sandbox,
    status: 'queued',
    tenantId,
    version: 1,
  };
  await ports.commit(chainOf(tenantId), {
    bus: [],
    changes: [dataKeyTable.insert(record), transactionFileTable.insert(next)],
    events: [
      entry(ports, {
        ...asker,
        action: 'aml.transactions.file_received',
        at: now,
        members: { bytes: file.bytes, file_digest: file.digest },
        target: `ingest:${ingestId}`,
      }),
    ],
    ...(idempotency && { idempotency: () => idempotency(next) }),
  });
  return next;
}

/** Throws `not-found`. */
export async function findFile(
  { tables }: { readonly tables: Pick<Tables, 'find'> },
  place: { readonly tenantId: TenantId; readonly ingestId: string },
): Promise<TransactionFile> {
  const found = await tables.find(transactionFileTable, place);
  if (found === undefined) throw new DomainError('not-found', { detail: 'no such ingest' });
  return found;
}
