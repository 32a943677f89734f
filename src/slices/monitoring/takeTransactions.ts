/**
 * Transactions are taken into the tenant's log. A segment of some hundred is one commit
 * (writeSegment.ts). A body of more is several: where the process dies between two, the same body
 * sent again finds the first ones as duplicates and takes the rest: nothing lost, nothing twice.
 */
import { type Asker, type IdempotencyRecord, overwrite } from '#core/audit';
import { LeafSeeds, putSealed } from '#core/blobs';
import { DomainError, type TableChange, type TenantId } from '#core/kernel';
import { uuidV7 } from '#platform/random';
import type { ReadTransaction } from './decideTaking.ts';
import { INGEST_DEPTH } from './sealTransaction.ts';
import { fitting } from './segmentParties.ts';
import { type LoggedTransaction, transactionMessageTable } from './tables.ts';
import type { Format, Refusal } from './transaction.ts';
import {
  type Beside,
  type Ingest,
  type IngestOutcome,
  type Segment,
  type TakePorts,
  writeSegment,
} from './writeSegment.ts';

export type { IngestOutcome, TakePorts } from './writeSegment.ts';

/** Transactions of one commit: two rows each, and those of the ingest, within what it takes. */
export const SEGMENT_MAX = 450;

/** A body that was read. */
export interface TakeAsk extends Asker {
  readonly tenantId: TenantId;
  readonly sandbox: boolean;
  readonly format: Format;
  readonly raw: Uint8Array;
  readonly read: readonly ReadTransaction[];
  /** Those that could not be read. */
  readonly refusals: readonly Refusal[];
  readonly requestedBy: string;
  readonly idempotency?: (outcome: IngestOutcome) => IdempotencyRecord;
  /** Hears of the rows of each segment once they are durable. */
  readonly onTaken?: (rows: readonly LoggedTransaction[]) => void;
  /** Fires when nobody waits any more: what was not compared yet is not taken. */
  readonly signal?: AbortSignal;
}

/** Durable when it resolves. Throws `ingest-rejected` where nothing was taken or known. */
export async function takeTransactions(ports: TakePorts, ask: TakeAsk): Promise<IngestOutcome> {
  const { format, requestedBy, sandbox, tenantId } = ask;
  const now = ports.clock.now();
  const screening = await ports.screening({ requestedBy, sandbox, tenantId });
  const ingestId = uuidV7(now, ports.random);
  const key = ports.dataKeys.make({ keyId: ingestKeyId(ingestId), tenantId });
  const root = key.key.seeds[0]?.seed ?? new Uint8Array();
  const blob = await putSealed(ports, ask.raw, { label: RAW_LABEL, secret: key.key.secret });
  const ingest: Ingest = {
    asker: { actor: ask.actor, ...(ask.ip !== undefined && { ip: ask.ip }) },
    firsts: new Map(),
    format,
    ingestId,
    leaves: new LeafSeeds(root, INGEST_DEPTH),
    newKey: key.record,
    now,
    ports,
    requestedBy,
    screening,
    tenantId,
  };
  const begun: IngestOutcome = { accepted: 0, duplicates: 0, ingestId, refusals: ask.refusals };
  return takeAll(ingest, ask.read, {
    before: begun,
    beside: (outcome, isLast) => besideOf(ask, { blob, ingest, isLast, outcome }),
    ...(ask.onTaken !== undefined && { onTaken: ask.onTaken }),
    ...(ask.signal !== undefined && { signal: ask.signal }),
  });
}

type MaybeLater = ReturnType<Segment['beside']>;

/** What is written with each segment, and when to stop. */
export interface TakingAll {
  readonly before: IngestOutcome;
  /** `next`: how many of those that were read are taken by then. */
  readonly beside: (outcome: IngestOutcome, isLast: boolean, next: number) => MaybeLater;
  readonly onTaken?: TakeAsk['onTaken'];
  readonly signal?: AbortSignal;
}

/** Takes what was read, segment by segment; at least one. */
export async function takeAll(
  ingest: Ingest,
  read: readonly ReadTransaction[],
  { before, beside, onTaken, signal }: TakingAll,
): Promise<IngestOutcome> {
  let outcome = before;
  let firsts = new Map(ingest.firsts);
  for (let from = 0; from === 0 || from < read.length; ) {
    const block = read.slice(from, from + SEGMENT_MAX);
    const found = await ingest.screening.screen(
      block.map(({ transaction }) => transaction),
      signal,
    );
    const items = block.map((one, at) => ({ ...one, ...(found[at] ?? { parties: [] }) }));
    for (let at = 0; at === 0 || at < items.length; ) {
      const rest = items.slice(at);
      const count = fitting(rest, firsts);
      const some = rest.slice(0, count);
      const next = from + at + count;
      const isLast = next >= read.length;
      const segment: Segment = {
        before: outcome,
        beside: (become) => beside(become, isLast, next),
        read: some,
      };
      const written = await overwrite(() => writeSegment({ ...ingest, firsts }, segment));
      firsts = new Map([...firsts, ...written.firsts]);
      outcome = written.outcome;
      onTaken?.(written.rows);
      at += Math.max(1, count);
    }
    from += SEGMENT_MAX;
  }
  return outcome;
}

/** Name of the data key of an ingest. */
export const ingestKeyId = (ingestId: string): string => `transactions/${ingestId}`;
/** What raw bodies are sealed under. */
export const RAW_LABEL = 'transaction-message';

/** With the last segment the body is known, and the answer kept under its key. */
function besideOf(
  ask: TakeAsk,
  of: {
    readonly ingest: Ingest;
    readonly blob: string;
    readonly outcome: IngestOutcome;
    readonly isLast: boolean;
  },
): Beside {
  const { blob, ingest, isLast, outcome } = of;
  const { idempotency } = ask;
  if (!isLast) return { changes: [] };
  if (outcome.accepted === 0 && outcome.duplicates === 0) throw rejected(outcome);
  return {
    changes: outcome.accepted > 0 ? [messageOf(ask, ingest, { blob, outcome })] : [],
    ...(idempotency !== undefined && { idempotency: () => idempotency(outcome) }),
  };
}

function messageOf(
  { format, raw, requestedBy, tenantId }: TakeAsk,
  { ingestId, now }: Ingest,
  { blob, outcome }: { readonly blob: string; readonly outcome: IngestOutcome },
): TableChange {
  return transactionMessageTable.insert({
    accepted: outcome.accepted,
    blob,
    bytes: raw.length,
    duplicates: outcome.duplicates,
    format,
    ingestId,
    receivedAt: now,
    rejected: rejectedOf(outcome),
    requestedBy,
    tenantId,
  });
}

/** How many transactions were refused, however often each. */
export const rejectedOf = ({ refusals }: Pick<IngestOutcome, 'refusals'>): number =>
  new Set(refusals.map(({ index }) => index)).size;

/** Refusals that an answer tells. */
export const TOLD_REFUSALS_MAX = 100;

function rejected({ refusals }: IngestOutcome): DomainError {
  const told = refusals.slice(0, TOLD_REFUSALS_MAX);
  return new DomainError('ingest-rejected', {
    detail: `expected a transaction that can be taken, ${refusals.length} found wrong`,
    violations: told.map(({ code, detail, index, pointer }) => ({
      code,
      detail,
      pointer: `/transactions/${index}${pointer}`,
    })),
  });
}
