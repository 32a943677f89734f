/**
 * The log as rules read it: in order, without a gap, each segment compared with its signed entry,
 * which also says what the segment was taken with. Whoever reads it again reads the same.
 */
import type { JsonRecord } from '#core/audit';
import { DomainError, type Tables, type TenantId } from '#core/kernel';
import { type LogMeans, openLogOf } from './logMeans.ts';
import type { LogStream, SegmentPins, StreamedTransaction } from './ports.ts';
import { type LogPorts, opened } from './readLog.ts';
import { signedRows } from './segmentEvidence.ts';
import { type LoggedTransaction, transactionLogHeadTable, transactionLogTable } from './tables.ts';

/** What the stream reads. */
export interface StreamPorts extends LogPorts {
  readonly tables: Pick<Tables, 'find' | 'page'>;
}

/** Rows of one read: more than a segment has. */
const PAGE = 1_000;

/** Reads the log of any tenant. */
export const logStream = (ports: StreamPorts): LogStream => ({
  head: async (tenantId) =>
    (await ports.tables.find(transactionLogHeadTable, { log: 'transactions', tenantId }))?.tseq ??
    0,
  read: ({ from, tenantId }) => read(ports, tenantId, Math.max(1, from)),
});

async function* read(
  ports: StreamPorts,
  tenantId: TenantId,
  from: number,
): AsyncGenerator<readonly StreamedTransaction[]> {
  let next = await beginOf(ports, tenantId, from);
  for (;;) {
    const { records } = await ports.tables.page(transactionLogTable, {
      equal: { tenantId },
      from: next,
      index: 'key',
      limit: PAGE,
    });
    // The last segment of a full page may go on behind it.
    const whole = records.filter(({ segment: [, last] }) => last < next + records.length);
    if (records.length > 0 && whole.length === 0) throw gap(next);
    for (const rows of bySegment(whole)) {
      const [first, ...others] = rows;
      if (first === undefined || first.tseq !== next) throw gap(next);
      const entry = await signedRows(ports, [first, ...others]);
      next = first.segment[1] + 1;
      const shown = await streamed(ports, rows, pinsOf(entry));
      yield shown.filter(({ tseq }) => tseq >= from);
    }
    if (records.length < PAGE) return;
  }
}

/** Where the segment of this number begins; the number itself at the end of the log. */
async function beginOf({ tables }: StreamPorts, tenantId: TenantId, from: number): Promise<number> {
  const row = await tables.find(transactionLogTable, { tenantId, tseq: from });
  return row?.segment[0] ?? from;
}

function bySegment(rows: readonly LoggedTransaction[]): readonly (readonly LoggedTransaction[])[] {
  const segments = new Map<number, LoggedTransaction[]>();
  for (const row of rows) {
    const own = segments.get(row.segment[0]) ?? [];
    own.push(row);
    segments.set(row.segment[0], own);
  }
  return [...segments.values()];
}

const gap = (tseq: number): DomainError =>
  new DomainError('evidence-altered', { detail: `transaction ${tseq}: it is gone` });

/** Entries of a release that screened nobody have none. */
function pinsOf(entry: JsonRecord): SegmentPins | undefined {
  if (entry.list_version === undefined) return undefined;
  return {
    factsSeq: Number(entry.facts_seq),
    listVersion: String(entry.list_version),
    policyVersion: Number(entry.policy_version),
    ratesVersion: Number(entry.rates_version),
  };
}

async function streamed(
  ports: StreamPorts,
  rows: readonly LoggedTransaction[],
  pins: SegmentPins | undefined,
): Promise<readonly StreamedTransaction[]> {
  const shown = await opened(ports, rows);
  // One object for all of a body: rules hold it beside each transaction.
  const ingests = new Map(
    shown.map(({ keyVersion, row: { ingestId } }) => [ingestId, { ingestId, keyVersion }] as const),
  );
  return shown.map(({ row, transaction }) => ({
    format: row.format,
    ingest: ingests.get(row.ingestId) ?? { ingestId: row.ingestId, keyVersion: 0 },
    isFirst: row.isFirst,
    parties: row.parties ?? [],
    receivedAt: row.receivedAt,
    revision: row.revision,
    tenantId: row.tenantId,
    tseq: row.tseq,
    txId: row.txId,
    ...(pins !== undefined && { pins }),
    ...(row.text !== undefined && { text: row.text }),
    ...(transaction !== undefined && { transaction }),
  }));
}

/** What a process reads the log with. */
export const logStreamOf = (process: LogMeans): LogStream => logStream(openLogOf(process));
