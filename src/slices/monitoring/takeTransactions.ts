/**
 * Transactions are taken into the tenant's log. A segment of some hundred is one commit: its rows,
 * its evidence (one entry with the Merkle root over what was taken) and the event on the bus.
 * Numbers are dense and given inside the commit, so none becomes visible after a greater one.
 *
 * A body of more than a segment is several commits. Where the process dies between two, the same
 * body sent again finds the first ones as duplicates and takes the rest: nothing lost, nothing
 * twice.
 */
import {
  type Asker,
  type CommitEvidence,
  entry,
  type IdempotencyRecord,
  overwrite,
} from '#core/audit';
import { type BlobStore, type DataKeys, dataKeyTable, LeafSeeds, putSealed } from '#core/blobs';
import { chainOf, DomainError, type TableChange, type Tables, type TenantId } from '#core/kernel';
import type { Clock, EpochMs } from '#platform/clock';
import { merkleRoot } from '#platform/merkleTree';
import { type Random, uuidV7 } from '#platform/random';
import { contentDigestOf, contentKeyOf } from './contentKey.ts';
import { decideTaking, type ReadTransaction, type Taken, type Taking } from './decideTaking.ts';
import { INGEST_DEPTH, sealTransaction } from './sealTransaction.ts';
import { logLeaf } from './segmentEvidence.ts';
import {
  type LoggedTransaction,
  type TransactionState,
  transactionLogHeadTable,
  transactionLogTable,
  transactionMessageTable,
  transactionStateTable,
} from './tables.ts';
import type { Format, Refusal } from './transaction.ts';

/** Transactions of one commit: two rows each, and those of the ingest, within what it takes. */
export const SEGMENT_MAX = 450;

/** What takes transactions. */
export interface TakePorts {
  readonly tables: Pick<Tables, 'find' | 'findMany'>;
  readonly commit: CommitEvidence;
  readonly blobs: Pick<BlobStore, 'put'>;
  readonly dataKeys: Pick<DataKeys, 'find' | 'make'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
}

/** A body that was read. */
export interface TakeAsk extends Asker {
  readonly tenantId: TenantId;
  readonly format: Format;
  readonly raw: Uint8Array;
  readonly read: readonly ReadTransaction[];
  /** Those that could not be read. */
  readonly refusals: readonly Refusal[];
  readonly requestedBy: string;
  readonly idempotency?: (outcome: IngestOutcome) => IdempotencyRecord;
}

/** What became of a body. */
export interface IngestOutcome {
  readonly ingestId: string;
  readonly accepted: number;
  readonly duplicates: number;
  readonly refusals: readonly Refusal[];
  /** Numbers of the first and the last that were accepted. */
  readonly tseqs?: readonly [first: number, last: number];
}

/** The ingest while its segments are written. */
interface Ingest {
  readonly ports: TakePorts;
  readonly ask: TakeAsk;
  readonly ingestId: string;
  readonly blob: string;
  readonly leaves: LeafSeeds;
  readonly key: ReturnType<DataKeys['make']>;
  readonly now: EpochMs;
}

/** Durable when it resolves. Throws `ingest-rejected` where nothing was taken or known. */
export async function takeTransactions(ports: TakePorts, ask: TakeAsk): Promise<IngestOutcome> {
  const now = ports.clock.now();
  const ingestId = uuidV7(now, ports.random);
  const key = ports.dataKeys.make({ keyId: ingestKeyId(ingestId), tenantId: ask.tenantId });
  const root = key.key.seeds[0]?.seed ?? new Uint8Array();
  const blob = await putSealed(ports, ask.raw, { label: RAW_LABEL, secret: key.key.secret });
  const ingest = {
    ask,
    blob,
    ingestId,
    key,
    leaves: new LeafSeeds(root, INGEST_DEPTH),
    now,
    ports,
  };
  let outcome: IngestOutcome = { accepted: 0, duplicates: 0, ingestId, refusals: ask.refusals };
  const parts = Math.max(1, Math.ceil(ask.read.length / SEGMENT_MAX));
  for (let part = 0; part < parts; part++) {
    const some = ask.read.slice(part * SEGMENT_MAX, (part + 1) * SEGMENT_MAX);
    const before = outcome;
    const isLast = part === parts - 1;
    outcome = await overwrite(() => writeSegment(ingest, some, { before, isLast }));
  }
  return outcome;
}

/** Name of the data key of an ingest. */
export const ingestKeyId = (ingestId: string): string => `transactions/${ingestId}`;
/** What raw bodies are sealed under. */
export const RAW_LABEL = 'transaction-message';

interface Part {
  readonly before: IngestOutcome;
  readonly isLast: boolean;
}

async function writeSegment(
  ingest: Ingest,
  read: readonly ReadTransaction[],
  part: Part,
): Promise<IngestOutcome> {
  const { ask, ports } = ingest;
  const { tenantId } = ask;
  // The head is read first: where others took some since, the commit is stale.
  const head = await ports.tables.find(transactionLogHeadTable, { log: 'transactions', tenantId });
  const states = await statesOf(ports, tenantId, read);
  const content = await contentKeyOf(ports.dataKeys, tenantId);
  const digested = read.map((one) => ({
    ...one,
    contentDigest: contentDigestOf(content, one.transaction),
  }));
  const taking = decideTaking(digested, states, ask.format);
  const first = (head?.tseq ?? 0) + 1;
  const outcome = outcomeAfter(part.before, taking, first);
  if (outcome.accepted === 0 && outcome.duplicates === 0 && part.isLast) throw rejected(outcome);
  const rows = rowsOf(ingest, taking.taken, { first, place: part.before.accepted });
  const isNew = part.before.accepted === 0 && rows.length > 0;
  const changes: TableChange[] = [
    ...(rows.length === 0 ? [] : [headAfter(tenantId, head, first + rows.length - 1)]),
    ...(isNew ? [dataKeyTable.insert(ingest.key.record)] : []),
    ...(content.record && rows.length > 0 ? [dataKeyTable.insert(content.record)] : []),
    ...rows.map((row) => transactionLogTable.insert(row)),
    ...stateChanges(ingest, { rows, states, taking }),
    ...(part.isLast && outcome.accepted > 0 ? [messageOf(ingest, outcome)] : []),
  ];
  const { idempotency } = ask;
  await ports.commit(chainOf(tenantId), {
    bus: rows.length === 0 ? [] : [recordedEvent(ingest, rows)],
    changes,
    events: rows.length === 0 ? [ignoredEntry(ingest, taking)] : [segmentEntry(ingest, rows)],
    ...(part.isLast && idempotency !== undefined && { idempotency: () => idempotency(outcome) }),
  });
  return outcome;
}

async function statesOf(
  { tables }: TakePorts,
  tenantId: TenantId,
  read: readonly ReadTransaction[],
): Promise<ReadonlyMap<string, TransactionState>> {
  const ids = read.flatMap(({ transaction: { reverses, tx_id } }) =>
    reverses === undefined ? [tx_id] : [tx_id, reverses],
  );
  const keys = [...new Set(ids)].map((txId) => ({ tenantId, txId }));
  const found = keys.length === 0 ? [] : await tables.findMany(transactionStateTable, keys);
  return new Map(found.map((state) => [state.txId, state]));
}

function outcomeAfter(before: IngestOutcome, taking: Taking, first: number): IngestOutcome {
  const accepted = taking.taken.length;
  const last = first + accepted - 1;
  const tseqs = accepted === 0 ? before.tseqs : ([before.tseqs?.[0] ?? first, last] as const);
  return {
    ...before,
    accepted: before.accepted + accepted,
    duplicates: before.duplicates + taking.duplicates,
    refusals: [...before.refusals, ...taking.refusals],
    ...(tseqs !== undefined && { tseqs }),
  };
}

function rowsOf(
  { ask, ingestId, leaves, now }: Ingest,
  taken: readonly Taken[],
  at: { readonly first: number; readonly place: number },
): readonly LoggedTransaction[] {
  const segment = [at.first, at.first + taken.length - 1] as const;
  return taken.map(({ contentDigest, isFirst, revision, transaction }, offset) => ({
    contentDigest,
    format: ask.format,
    ingestId,
    isFirst,
    place: at.place + offset,
    receivedAt: now,
    revision,
    segment,
    tenantId: ask.tenantId,
    tseq: at.first + offset,
    txId: transaction.tx_id,
    ...sealTransaction(transaction, leaves.at(at.place + offset)),
  }));
}

function headAfter(
  tenantId: TenantId,
  head: { readonly version: number } | undefined,
  tseq: number,
): TableChange {
  const before = head?.version ?? 0;
  const next = { log: 'transactions', tenantId, tseq, version: before + 1 } as const;
  return transactionLogHeadTable.put(next, before);
}

/** Each id has one change, whatever became of it in this segment. */
function stateChanges(
  { ask, ingestId }: Ingest,
  of: {
    readonly rows: readonly LoggedTransaction[];
    readonly states: ReadonlyMap<string, TransactionState>;
    readonly taking: Taking;
  },
): readonly TableChange[] {
  const next = new Map<string, TransactionState>();
  const change = (txId: string, members: Partial<TransactionState>): void => {
    const known = next.get(txId) ?? of.states.get(txId);
    const version = (of.states.get(txId)?.version ?? 0) + 1;
    next.set(txId, { ...(known as TransactionState), ...members, version });
  };
  for (const [at, { contentDigest, revision, transaction }] of of.taking.taken.entries()) {
    const { format, tenantId } = ask;
    const tseq = of.rows[at]?.tseq ?? 0;
    const txId = transaction.tx_id;
    change(txId, { contentDigest, format, revision, tenantId, tseq, txId });
    if (transaction.reverses !== undefined) change(transaction.reverses, { reversedBy: tseq });
  }
  for (const { alsoIn = [], txId } of of.taking.linked) {
    change(txId, { alsoIn: [...alsoIn, { format: ask.format, ingestId }].slice(-LINKS_MAX) });
  }
  return [...next.values()].map((state) =>
    transactionStateTable.put(state, of.states.get(state.txId)?.version ?? 0),
  );
}

/** Other formats of one payment that are remembered. */
const LINKS_MAX = 10;

function messageOf({ ask, blob, ingestId, now }: Ingest, outcome: IngestOutcome): TableChange {
  return transactionMessageTable.insert({
    accepted: outcome.accepted,
    blob,
    bytes: ask.raw.length,
    duplicates: outcome.duplicates,
    format: ask.format,
    ingestId,
    receivedAt: now,
    rejected: rejectedOf(outcome),
    requestedBy: ask.requestedBy,
    tenantId: ask.tenantId,
  });
}

/** How many transactions were refused, however often each. */
export const rejectedOf = ({ refusals }: Pick<IngestOutcome, 'refusals'>): number =>
  new Set(refusals.map(({ index }) => index)).size;

function segmentEntry({ ask, ingestId, now, ports }: Ingest, rows: readonly LoggedTransaction[]) {
  const [first, last] = rows[0]?.segment ?? [0, 0];
  return entry(ports, {
    action: 'aml.transactions.recorded',
    actor: ask.actor,
    at: now,
    ...(ask.ip !== undefined && { ip: ask.ip }),
    members: {
      count: rows.length,
      format: ask.format,
      leaves_root: merkleRoot(rows.map(logLeaf)).toString('hex'),
      tseq_from: first,
      tseq_to: last,
    },
    target: `ingest:${ingestId}`,
  });
}

/** A body of nothing new leaves its trace too: who sent it, and how much of it was known. */
const ignoredEntry = ({ ask, ingestId, now, ports }: Ingest, { duplicates }: Taking) =>
  entry(ports, {
    action: 'aml.transactions.known',
    actor: ask.actor,
    at: now,
    ...(ask.ip !== undefined && { ip: ask.ip }),
    members: { duplicates, format: ask.format },
    target: `ingest:${ingestId}`,
  });

const recordedEvent = ({ ask, ingestId }: Ingest, rows: readonly LoggedTransaction[]) => ({
  partition: ask.tenantId,
  payload: {
    count: rows.length,
    ingest_id: ingestId,
    tseq_from: rows[0]?.tseq,
    tseq_to: rows.at(-1)?.tseq,
  },
  topic: 'aml.transactions.recorded' as const,
});

/** Refusals that an answer tells. */
export const TOLD_REFUSALS_MAX = 100;

function rejected({ refusals }: IngestOutcome): DomainError {
  const told = refusals.slice(0, TOLD_REFUSALS_MAX);
  return new DomainError('ingest-rejected', {
    detail: `expected a transaction that can be taken, found ${refusals.length} faults`,
    violations: told.map(({ code, detail, index, pointer }) => ({
      code,
      detail,
      pointer: `/transactions/${index}${pointer}`,
    })),
  });
}
