/** A file of transactions in a worker: read from where it stands, and taken segment by segment. */
import { entry } from '#core/audit';
import { type BlobStore, LeafSeeds, openFile, type StoredFile } from '#core/blobs';
import { type BusEvent, chainOf, DomainError, type TenantId } from '#core/kernel';
import { type Hold, WorkLost } from '#core/work';
import { csvCell } from '#platform/csv/csvCell';
import { unpack } from '#slices/intake';
import { csvTransactions, type ReadRows } from './csvTransactions.ts';
import type { PartyScreening } from './screenParties.ts';
import { FILE_DEPTH } from './sealTransaction.ts';
import { type TransactionFile, transactionFilePartTable, transactionFileTable } from './tables.ts';
import { ingestKeyId, RAW_LABEL, takeAll } from './takeTransactions.ts';
import type { ReadingContext, Refusal } from './transaction.ts';
import type { Beside, Ingest, IngestOutcome, TakePorts } from './writeSegment.ts';

/** What works files off. */
export interface FileWorkPorts extends TakePorts {
  readonly blobs: Pick<BlobStore, 'get' | 'open' | 'put'>;
  readonly settingsOf: (tenantId: TenantId) => Promise<ReadingContext>;
}

/** A file that a worker has. */
export type FileHold = Pick<
  Hold<TransactionFile, 'tenantId' | 'ingestId'>,
  'expected' | 'record' | 'replace' | 'signal'
>;

/** Takes what is left of the file. Throws WorkLost where another worker has it. */
export async function takeFile(ports: FileWorkPorts, hold: FileHold): Promise<void> {
  const { bytes, fileDigest, ingestId, status, tenantId } = hold.record;
  if (status !== 'queued' && status !== 'running') throw new WorkLost('the ingest has ended');
  const key = await ports.dataKeys.find({ keyId: ingestKeyId(ingestId), tenantId });
  if (key === undefined) throw new DomainError('blob-damaged', { detail: 'its key is gone' });
  const stored: StoredFile = {
    address: fileDigest,
    bytes,
    sealed: { blob: hold.record.blob, keyId: key.keyId, keyVersion: key.version },
  };
  const packed = await openFile(ports.blobs, stored, { label: RAW_LABEL, secret: key.secret });
  if (packed === undefined) throw new DomainError('blob-damaged', { detail: 'the file is gone' });
  const { bytes: plain } = await unpack(packed);
  const context = await ports.settingsOf(tenantId);
  const leaves = new LeafSeeds(key.seeds[0]?.seed ?? new Uint8Array(), FILE_DEPTH);
  for await (const read of csvTransactions(plain, context, { done: hold.record.rows })) {
    hold.signal.throwIfAborted();
    if (read.rows > hold.record.rows) await takeRows(ports, hold, { leaves, read });
  }
  await complete(ports, hold);
}

async function takeRows(
  ports: FileWorkPorts,
  hold: FileHold,
  { leaves, read }: { readonly leaves: LeafSeeds; readonly read: ReadRows },
): Promise<void> {
  const { actor, ingestId, requestedBy, sandbox, tenantId } = hold.record;
  // Lists, policy and exclusions of now: a file of hours is not compared with those of its begin.
  const screening: PartyScreening = await ports.screening({ requestedBy, sandbox, tenantId });
  const ingest: Ingest = {
    asker: { actor },
    firsts: new Map(),
    format: 'csv_service',
    ingestId,
    leaves,
    now: ports.clock.now(),
    ports,
    requestedBy,
    screening,
    tenantId,
  };
  const { accepted, duplicates, tseqFrom, tseqTo } = hold.record;
  let told = 0;
  let next: TransactionFile = hold.record;
  let heard: IngestOutcome | undefined;
  await takeAll(ingest, read.transactions, {
    before: {
      accepted,
      duplicates,
      ingestId,
      refusals: [],
      ...(tseqFrom !== undefined && tseqTo !== undefined && { tseqs: [tseqFrom, tseqTo] }),
    },
    beside: async (outcome, isLast, count) => {
      hold.signal.throwIfAborted();
      const rows = isLast ? read.rows : (read.transactions[count - 1]?.index ?? 0) + 1;
      const refusals = [
        ...read.refusals.filter(({ index }) => index >= hold.record.rows && index < rows),
        ...outcome.refusals.slice(told),
      ];
      heard = outcome;
      next = fileAfter(hold.record, { outcome, refusals, rows });
      return besideOf(ports, hold, { next, refusals });
    },
    onTaken: () => {
      hold.replace(next);
      told = heard?.refusals.length ?? 0;
    },
    signal: hold.signal,
  });
}

function fileAfter(
  file: TransactionFile,
  of: {
    readonly outcome: IngestOutcome;
    readonly refusals: readonly Refusal[];
    readonly rows: number;
  },
): TransactionFile {
  const { outcome, refusals, rows } = of;
  const { accepted, duplicates, tseqs } = outcome;
  return {
    ...file,
    accepted,
    duplicates,
    parts: file.parts + (refusals.length > 0 ? 1 : 0),
    rejected: file.rejected + new Set(refusals.map(({ index }) => index)).size,
    rows,
    status: 'running',
    ...(tseqs !== undefined && { tseqFrom: tseqs[0], tseqTo: tseqs[1] }),
    version: file.version + 1,
  };
}

/** Progress, and what was refused: its lines are a blob of their own, which names no value. */
async function besideOf(
  { blobs }: Pick<FileWorkPorts, 'blobs'>,
  hold: FileHold,
  of: { readonly next: TransactionFile; readonly refusals: readonly Refusal[] },
): Promise<Beside> {
  const { next, refusals } = of;
  const { ingestId, parts, tenantId, version } = hold.record;
  const own = [hold.expected, transactionFileTable.put(next, version)];
  if (refusals.length === 0) return { changes: own };
  const { address: blob } = await blobs.put(Buffer.from(refusals.map(lineOf).join('')));
  const part = { blob, ingestId, partNo: parts, tenantId };
  return { changes: [...own, transactionFilePartTable.insert(part)] };
}

const HEADER = 'line,column,code,detail\r\n';

/** RFC 4180, and no cell that a spreadsheet would execute. */
const lineOf = ({ code, detail, line, pointer }: Refusal): string =>
  `${line ?? ''},${csvCell(pointer.slice(1))},${csvCell(code)},${csvCell(detail)}\r\n`;

/** The file of refusals is put together once all rows were read. */
async function complete(ports: FileWorkPorts, hold: FileHold): Promise<void> {
  const file = hold.record;
  const { address, bytes } = await ports.blobs.put(refusalsOf(ports, file));
  await end(ports, hold, { ...file, rejectedFile: { address, bytes }, status: 'completed' });
}

/** It is not tried again; what was taken stays, and the same file may be sent again. */
export function failFile(ports: FileWorkPorts, hold: FileHold, code: string): Promise<void> {
  const { contentKey: _, ...file } = hold.record;
  return end(ports, hold, { ...file, failure: code, status: 'failed' });
}

async function* refusalsOf(
  { blobs, tables }: FileWorkPorts,
  { ingestId, parts, tenantId }: TransactionFile,
): AsyncGenerator<Uint8Array> {
  yield Buffer.from(HEADER);
  for (let partNo = 0; partNo < parts; partNo++) {
    const part = await tables.find(transactionFilePartTable, { ingestId, partNo, tenantId });
    const lines = part && (await blobs.get(part.blob));
    if (lines === undefined) throw new DomainError('blob-damaged', { detail: 'refusals are gone' });
    yield lines;
  }
}

async function end(ports: FileWorkPorts, hold: FileHold, of: TransactionFile): Promise<void> {
  const now = ports.clock.now();
  const next: TransactionFile = { ...of, endedAt: now, version: hold.record.version + 1 };
  const { accepted, duplicates, failure, fileDigest, ingestId, rejected, rows, status } = next;
  const told = { accepted, duplicates, rejected, rows, status };
  await ports.commit(chainOf(next.tenantId), {
    bus: [endedEvent(next, told)],
    changes: [hold.expected, transactionFileTable.put(next, hold.record.version)],
    events: [
      entry(ports, {
        action: 'aml.transactions.file_ended',
        actor: 'system:transactions',
        at: now,
        members: {
          ...told,
          file_digest: fileDigest,
          ...(failure !== undefined && { code: failure }),
          ...(next.rejectedFile && { rejected_digest: next.rejectedFile.address }),
        },
        ...(failure !== undefined && { severity: 'ALERT' as const }),
        target: `ingest:${ingestId}`,
      }),
    ],
  });
  hold.replace(next);
}

const endedEvent = (
  { ingestId, tenantId }: TransactionFile,
  told: Readonly<Record<string, number | string>>,
): BusEvent => ({
  partition: tenantId,
  payload: { schema: 'aml.transactions.file_ended.v1', ingest_id: ingestId, ...told },
  topic: 'aml.transactions.file_ended',
});
