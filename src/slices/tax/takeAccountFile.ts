/** A file of accounts in a worker: read from where it stands, and taken segment by segment. */
import { type EventDraft, entry } from '#core/audit';
import { dataKeyTable, openFile, type StoredFile } from '#core/blobs';
import { chainOf, DomainError, type TableChange } from '#core/kernel';
import { type Hold, WorkLost } from '#core/work';
import { csvCell } from '#platform/csv/csvCell';
import { unpack } from '#slices/intake';
import type { ReportedAccount } from './account.ts';
import { bookDigest, bookTarget, findBook, shelfKey, shelfName } from './accountBooks.ts';
import { FILE_LABEL, fileKey, importDigest, importTarget } from './accountFiles.ts';
import { type LineRefusal, type ReadAccount, readAccountLines } from './accountLines.ts';
import { ClassifiedAccounts } from './classifiedAccounts.ts';
import type { TaxPorts } from './ports.ts';
import {
  type AccountBook,
  type AccountImport,
  accountBookTable,
  accountImportPartTable,
  accountImportTable,
} from './tables.ts';
import { SEGMENT_ACCOUNTS_MAX, takeAccounts } from './takeAccounts.ts';

/** A file that a worker has. */
export type ImportHold = Pick<
  Hold<AccountImport, 'tenantId' | 'importId'>,
  'expected' | 'record' | 'replace' | 'signal'
>;

/** Takes what is left of the file. Throws WorkLost where another worker has it. */
export async function takeAccountFile(ports: TaxPorts, hold: ImportHold): Promise<void> {
  const { format, rows: done, status } = hold.record;
  if (status !== 'queued' && status !== 'running') throw new WorkLost('the import has ended');
  await ports.signedImports.require(hold.record);
  const plain = await openPlain(ports, hold.record);
  let row = 0;
  let read: ReadAccount[] = [];
  for await (const some of readAccountLines(plain, format)) {
    for (const one of some) {
      row += 1;
      if (row <= done) continue;
      read.push(one);
      if (read.length < SEGMENT_ACCOUNTS_MAX) continue;
      await takeRows(ports, hold, read);
      read = [];
    }
  }
  if (read.length > 0) await takeRows(ports, hold, read);
  await complete(ports, hold);
}

async function openPlain(
  { blobs, dataKeys }: Pick<TaxPorts, 'blobs' | 'dataKeys'>,
  record: AccountImport,
): Promise<AsyncIterable<Uint8Array>> {
  const key = await dataKeys.find(fileKey(record));
  if (key === undefined) throw new DomainError('blob-damaged', { detail: 'its key is gone' });
  const stored: StoredFile = {
    address: record.fileDigest,
    bytes: record.bytes,
    sealed: { blob: record.blob, keyId: key.keyId, keyVersion: key.version },
  };
  const packed = await openFile(blobs, stored, { label: FILE_LABEL, secret: key.secret });
  if (packed === undefined) throw new DomainError('blob-damaged', { detail: 'the file is gone' });
  return (await unpack(packed)).bytes;
}

/** Rows of one commit: those that were read go into the book, the others into a list. */
async function takeRows(
  ports: TaxPorts,
  hold: ImportHold,
  read: readonly ReadAccount[],
): Promise<void> {
  hold.signal.throwIfAborted();
  const { importId, parts, tenantId, version } = hold.record;
  const { accounts, refusals } = await sorted(ports, hold.record, read);
  const next: AccountImport = {
    ...hold.record,
    accepted: hold.record.accepted + accounts.length,
    parts: parts + (refusals.length > 0 ? 1 : 0),
    rejected: hold.record.rejected + read.length - accounts.length,
    rows: hold.record.rows + read.length,
    status: 'running',
    version: version + 1,
  };
  const changes: TableChange[] = [hold.expected, accountImportTable.put(next, version)];
  if (refusals.length > 0) {
    const { address: blob } = await ports.blobs.put(Buffer.from(refusals.map(lineOf).join('')));
    changes.push(accountImportPartTable.insert({ blob, importId, partNo: parts, tenantId }));
  }
  await takeAccounts(ports, {
    accounts,
    actor: 'system:tax',
    beside: {
      changes,
      members: { import: importTarget(next), import_digest: importDigest(next) },
    },
    giin: next.giin,
    importId,
    period: next.period,
    tenantId,
  });
  hold.replace(next);
}

async function sorted(
  ports: TaxPorts,
  { tenantId }: AccountImport,
  read: readonly ReadAccount[],
): Promise<{
  readonly accounts: readonly ReportedAccount[];
  readonly refusals: readonly LineRefusal[];
}> {
  const classified = new ClassifiedAccounts(ports, tenantId);
  const accounts: ReportedAccount[] = [];
  const refusals: LineRefusal[] = [];
  for (const { account, line, refusals: found } of read) {
    refusals.push(...found);
    if (account === undefined) continue;
    const classed = await classified.of(account);
    if ('account' in classed) accounts.push(classed.account);
    else refusals.push({ ...UNKNOWN_CLASSIFICATION, line });
  }
  return { accounts, refusals };
}

/** What is told of an account that names a classification that is not there. */
export const UNKNOWN_CLASSIFICATION = {
  code: 'classification-unknown',
  detail: 'expected the id of a classification of the tenant',
  pointer: '/classification_id',
} as const;

const HEADER = 'line,member,code,detail\r\n';

/** RFC 4180, and no cell that a spreadsheet would execute. */
const lineOf = ({ code, detail, line, pointer }: LineRefusal): string =>
  `${line},${csvCell(pointer.slice(1))},${csvCell(code)},${csvCell(detail)}\r\n`;

/** The file of refusals is put together, and what was gathered takes the place of all. */
async function complete(ports: TaxPorts, hold: ImportHold): Promise<void> {
  const file = hold.record;
  const { address, bytes } = await ports.blobs.put(refusalsOf(ports, file));
  await end(ports, hold, { ...file, rejectedFile: { address, bytes }, status: 'completed' });
}

/** It is not tried again: what it gathered is dropped, what it took into the book stays. */
export const failAccountFile = (ports: TaxPorts, hold: ImportHold, code: string): Promise<void> =>
  end(ports, hold, { ...hold.record, failure: code, status: 'failed' });

async function* refusalsOf(
  { blobs, tables }: TaxPorts,
  { importId, parts, tenantId }: AccountImport,
): AsyncGenerator<Uint8Array> {
  yield Buffer.from(HEADER);
  for (let partNo = 0; partNo < parts; partNo++) {
    const part = await tables.find(accountImportPartTable, { importId, partNo, tenantId });
    const lines = part && (await blobs.get(part.blob));
    if (lines === undefined) throw new DomainError('blob-damaged', { detail: 'refusals are gone' });
    yield lines;
  }
}

async function end(ports: TaxPorts, hold: ImportHold, of: AccountImport): Promise<void> {
  const now = ports.clock.now();
  const next: AccountImport = { ...of, endedAt: now, version: hold.record.version + 1 };
  const before = await findBook(ports, next);
  if (before?.importId !== next.importId) throw new WorkLost('the import has ended');
  const { importId: _, staged, ...kept } = before;
  const book: AccountBook = {
    ...kept,
    ...(staged !== undefined && next.status === 'completed' && { shelf: staged }),
    updatedAt: now,
    version: before.version + 1,
  };
  await ports.commit(chainOf(next.tenantId), {
    bus: [],
    changes: [
      hold.expected,
      accountImportTable.put(next, hold.record.version),
      accountBookTable.put(book, before.version),
      ...(await droppedKey(ports, before, book)),
    ],
    events: [endedEntry(ports, next, book)],
  });
  hold.replace(next);
}

/** Accounts that no longer hold: the key of their shelf goes, and with it what lies under it. */
async function droppedKey(
  { dataKeys }: Pick<TaxPorts, 'dataKeys'>,
  before: AccountBook,
  after: AccountBook,
): Promise<readonly TableChange[]> {
  if (before.staged === undefined) return [];
  const isReplaced = after.shelf.epoch === before.staged.epoch;
  const { epoch } = isReplaced ? before.shelf : before.staged;
  const key = await dataKeys.find(shelfKey(before, shelfName(before, epoch)));
  if (key === undefined) return [];
  return [dataKeyTable.put(dataKeys.without(key, []).record, key.version)];
}

function endedEntry(
  ports: Pick<TaxPorts, 'clock' | 'random'>,
  next: AccountImport,
  book: AccountBook,
): EventDraft {
  const { accepted, failure, rejected, rejectedFile, rows, status } = next;
  return entry(ports, {
    action: 'tcr.import.ended',
    actor: 'system:tax',
    at: book.updatedAt,
    members: {
      accepted,
      book_digest: bookDigest(book),
      import: importTarget(next),
      import_digest: importDigest(next),
      rejected,
      rows,
      status,
      ...(failure !== undefined && { code: failure }),
      ...(rejectedFile !== undefined && { rejected_digest: rejectedFile.address }),
    },
    ...(failure !== undefined && { severity: 'ALERT' as const }),
    target: bookTarget(book),
  });
}
