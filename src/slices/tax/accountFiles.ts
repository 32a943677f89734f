/**
 * A file of accounts is received whole and answered at once; workers take it into its book, some
 * hundreds in a commit. How far it is stands in its record, which changes in each of these commits:
 * a worker that dies leaves nothing half done. While it runs, nothing else changes the book.
 */
import { type EventDraft, entry, type IdempotencyRecord, overwrite } from '#core/audit';
import { dataKeyTable, sealedPuts } from '#core/blobs';
import { chainOf, DomainError, fullDisk, type TenantId } from '#core/kernel';
import { uuidV7 } from '#platform/random';
import { bounded, readAlong, unpack } from '#slices/intake';
import { bookDigest, bookTarget, emptyShelf, findBook } from './accountBooks.ts';
import { checkAccountHeader } from './accountLines.ts';
import type { TaxAsk } from './classifySubject.ts';
import type { TaxPorts } from './ports.ts';
import { findReportingFi } from './reportingFi.ts';
import { digestOfRecord } from './signedTable.ts';
import {
  type AccountBook,
  type AccountImport,
  accountBookTable,
  accountImportTable,
} from './tables.ts';
import { newBook } from './takeAccounts.ts';

/** Bytes of a file as it is sent. */
export const ACCOUNT_FILE_BYTES_MAX = 8_589_934_592;
/** What the blob of a file is sealed for. */
export const FILE_LABEL = 'tax-account-file';

/** As entries name it. */
export const importTarget = ({ importId }: Pick<AccountImport, 'importId'>) =>
  `tax-import:${importId}`;

/** SHA-256 hex of all of a record. */
export const importDigest = digestOfRecord<AccountImport>('tax-account-import-v1');

/** Name of the data key of a file. */
export const fileKey = ({ importId, tenantId }: Pick<AccountImport, 'importId' | 'tenantId'>) => ({
  keyId: `tax-import/${importId}`,
  tenantId,
});

/** A file in the blob store, sealed for an import that there may never be. */
export interface ReceivedAccounts {
  /** SHA-256 hex of the bytes as they were sent. */
  readonly digest: string;
  readonly bytes: number;
  readonly blob: string;
  readonly secret: Buffer;
  readonly format: AccountImport['format'];
}

/**
 * Seals the bytes as they come. A file that is cut off or damaged, or a CSV without the right
 * header, leaves nothing. Throws `csv-invalid`, `upload-damaged`, `body-too-large`, `storage-full`.
 */
export async function receiveAccounts(
  ports: Pick<TaxPorts, 'blobs' | 'dataKeys' | 'random'>,
  bytes: AsyncIterable<Uint8Array>,
): Promise<ReceivedAccounts> {
  const secret = ports.dataKeys.drawSecret();
  const puts = sealedPuts(ports, { label: FILE_LABEL, secret });
  try {
    const { aside, main } = await readAlong(bounded(bytes, ACCOUNT_FILE_BYTES_MAX), {
      aside: async (sent) => checkAccountHeader((await unpack(sent)).bytes),
      main: (sent) => puts.put(sent, { isPaced: true }),
    });
    const { address: digest, sealedBlob: blob } = main;
    return { blob, bytes: main.bytes, digest, format: aside, secret };
  } catch (error) {
    throw fullDisk(error) ?? error;
  }
}

/** Whose file it is, and what becomes of the accounts that are there. */
export interface OrderImport extends TaxAsk, Pick<AccountImport, 'giin' | 'period' | 'mode'> {
  readonly file: ReceivedAccounts;
}

/** Throws `reporting-fi-unknown`, `period-invalid`, `import-running`, `state-altered`. */
export async function orderImport(
  ports: TaxPorts,
  ask: OrderImport,
  idempotency?: (one: AccountImport) => IdempotencyRecord,
): Promise<AccountImport> {
  requirePeriod(ask.period, ports.clock.now());
  await findReportingFi(ports, ask);
  return overwrite(async () => {
    const now = ports.clock.now();
    const before = await findBook(ports, ask);
    requireFree(before);
    const importId = uuidV7(now, ports.random);
    const book = before ?? newBook(ask, now);
    const next: AccountBook = {
      ...book,
      importId,
      ...(ask.mode === 'replace' && {
        epochs: book.epochs + 1,
        staged: emptyShelf(book.epochs),
      }),
      updatedAt: now,
      version: book.version + 1,
    };
    const made = importOf(ask, importId, now);
    const { record: key } = ports.dataKeys.make(fileKey(made), {
      secret: ask.file.secret,
      seeds: [],
    });
    await ports.commit(chainOf(ask.tenantId), {
      bus: [],
      changes: [
        accountBookTable.put(next, book.version),
        dataKeyTable.insert(key),
        accountImportTable.insert(made),
      ],
      events: [receivedEntry(ports, ask, { book: next, made })],
      ...(idempotency !== undefined && { idempotency: () => idempotency(made) }),
    });
    return made;
  });
}

/** As its last entry made it. Throws `import-unknown`, `state-altered`. */
export async function findImport(
  { signedImports, tables }: Pick<TaxPorts, 'signedImports' | 'tables'>,
  place: { readonly tenantId: TenantId; readonly importId: string },
): Promise<AccountImport> {
  const found = await tables.find(accountImportTable, place);
  if (found === undefined) throw new DomainError('import-unknown');
  return signedImports.require(found);
}

const PERIOD_FIRST = 2014;
const PERIOD = /^20[0-9]{2}$/;

/** Throws `period-invalid`: reports begin with 2014, and a year is reported once it is over. */
export function requirePeriod(period: string, now: number): void {
  const last = new Date(now).getUTCFullYear() - 1;
  if (PERIOD.test(period) && Number(period) >= PERIOD_FIRST && Number(period) <= last) return;
  const detail = `expected a year from ${PERIOD_FIRST} to ${last}`;
  throw new DomainError('period-invalid', {
    violations: [{ code: 'period-invalid', detail, pointer: '/reporting_period' }],
  });
}

/** Throws `import-running`. */
export function requireFree(book: AccountBook | undefined): void {
  if (book?.importId === undefined) return;
  const detail = `the import ${book.importId} of this institution and period has not ended`;
  throw new DomainError('import-running', { detail });
}

const importOf = (
  { actor, file, giin, mode, period, tenantId }: OrderImport,
  importId: string,
  now: AccountImport['receivedAt'],
): AccountImport => ({
  accepted: 0,
  blob: file.blob,
  bytes: file.bytes,
  fileDigest: file.digest,
  format: file.format,
  giin,
  importId,
  mode,
  parts: 0,
  period,
  receivedAt: now,
  rejected: 0,
  requestedBy: actor,
  rows: 0,
  status: 'queued',
  tenantId,
  version: 1,
});

function receivedEntry(
  ports: Pick<TaxPorts, 'clock' | 'random'>,
  { actor, ip }: OrderImport,
  { book, made }: { readonly book: AccountBook; readonly made: AccountImport },
): EventDraft {
  return entry(ports, {
    action: 'tcr.import.received',
    actor,
    at: made.receivedAt,
    members: {
      book_digest: bookDigest(book),
      bytes: made.bytes,
      file_digest: made.fileDigest,
      import: importTarget(made),
      import_digest: importDigest(made),
      mode: made.mode,
    },
    target: bookTarget(book),
    ...(ip !== undefined && { ip }),
  });
}
