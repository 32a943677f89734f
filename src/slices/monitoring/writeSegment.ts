/**
 * One segment of the log, in one commit: rows, states, matches, the evidence of whoever was
 * compared, the entry with the Merkle root, and the event on the bus. Numbers are dense and given
 * inside the commit, so none becomes visible after a greater one.
 */
import { type Asker, type CommitEvidence, entry, type JsonObject } from '#core/audit';
import {
  type BlobStore,
  type DataKeys,
  dataKeyTable,
  type LeafSeeds,
  type StoredDataKey,
} from '#core/blobs';
import { chainOf, type TableChange, type Tables, type TenantId } from '#core/kernel';
import type { Clock, EpochMs } from '#platform/clock';
import { merkleRoot } from '#platform/merkleTree';
import type { Random } from '#platform/random';
import { contentDigestOf, contentKeyOf } from './contentKey.ts';
import { decideTaking, type ReadTransaction, type Taking } from './decideTaking.ts';
import type { SegmentPins } from './ports.ts';
import type { OpenPartyScreening, PartyScreening, ScreenedTransaction } from './screenParties.ts';
import { sealTransaction } from './sealTransaction.ts';
import { logLeaf } from './segmentEvidence.ts';
import { type FirstSights, matchChanges, segmentParties, toldInCommit } from './segmentParties.ts';
import {
  type LoggedTransaction,
  type NumberedLog,
  type TransactionLogHead,
  type TransactionState,
  transactionLogHeadTable,
  transactionLogTable,
  transactionStateTable,
} from './tables.ts';
import type { Format, Refusal } from './transaction.ts';

/** What takes transactions. */
export interface TakePorts {
  readonly tables: Pick<Tables, 'find' | 'findMany'>;
  readonly commit: CommitEvidence;
  readonly blobs: Pick<BlobStore, 'put'>;
  readonly dataKeys: Pick<DataKeys, 'find' | 'make'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
  /** Compares parties with the lists in force. */
  readonly screening: OpenPartyScreening;
}

/** What became of a body, so far. */
export interface IngestOutcome {
  readonly ingestId: string;
  readonly accepted: number;
  readonly duplicates: number;
  readonly refusals: readonly Refusal[];
  /** Numbers of the first and the last that were accepted. */
  readonly tseqs?: readonly [first: number, last: number];
}

/** An ingest while its segments are written. */
export interface Ingest {
  readonly ports: TakePorts;
  readonly asker: Asker;
  readonly tenantId: TenantId;
  readonly format: Format;
  readonly requestedBy: string;
  readonly ingestId: string;
  readonly leaves: Pick<LeafSeeds, 'at'>;
  /** Not stored yet: written with the first transaction. */
  readonly newKey?: StoredDataKey['record'];
  readonly screening: PartyScreening;
  /** Comparisons of this body that are durable. */
  readonly firsts: FirstSights;
  readonly now: EpochMs;
}

/** Some transactions of a body with what was found of their parties, and what goes with them. */
export interface Segment {
  readonly read: readonly (ReadTransaction & ScreenedTransaction)[];
  readonly before: IngestOutcome;
  /** What else the commit has, once it is known what becomes of them. */
  readonly beside: (outcome: IngestOutcome) => Beside | Promise<Beside>;
}

/** What is written with a segment. */
export interface Beside {
  readonly changes: readonly TableChange[];
  readonly idempotency?: Parameters<CommitEvidence>[1]['idempotency'];
}

/** What a segment came to. */
export interface Written {
  readonly rows: readonly LoggedTransaction[];
  readonly outcome: IngestOutcome;
  readonly firsts: FirstSights;
}

/** Throws `stale` of overwrite where another writer was first. */
export async function writeSegment(ingest: Ingest, segment: Segment): Promise<Written> {
  const { ports, tenantId } = ingest;
  // The head is read first: where others took some since, the commit is stale.
  const heads = await headsOf(ports, tenantId);
  const states = await statesOf(ports, tenantId, segment.read);
  const content = await contentKeyOf(ports.dataKeys, tenantId);
  const digested = segment.read.map((one) => ({
    ...one,
    contentDigest: contentDigestOf(content, one.transaction),
  }));
  const taking = decideTaking(digested, states, {
    format: ingest.format,
    receivedAt: ingest.now,
  });
  const head = heads.get('transactions');
  const first = (head?.tseq ?? 0) + 1;
  const outcome = outcomeAfter(segment.before, taking, first);
  const beside = await segment.beside(outcome);
  const found = segmentParties(
    taking.taken.map(({ parties }) => parties),
    { first, known: ingest.firsts },
  );
  const rows = rowsOf(ingest, taking, {
    first,
    place: segment.before.accepted,
    verdicts: found.verdicts,
  });
  const isNew = segment.before.accepted === 0 && rows.length > 0;
  const told = toldInCommit(ports, { ...ingest, told: found.told });
  const pins = pinsOf(ingest, heads);
  await ports.commit(chainOf(tenantId), {
    bus: rows.length === 0 ? [] : [recordedEvent(ingest, rows), ...told.bus],
    changes: [
      ...(rows.length === 0 ? [] : [headAfter(tenantId, head, first + rows.length - 1)]),
      ...(isNew && ingest.newKey !== undefined ? [dataKeyTable.insert(ingest.newKey)] : []),
      ...(content.record && rows.length > 0 ? [dataKeyTable.insert(content.record)] : []),
      ...rows.map((row) => transactionLogTable.insert(row)),
      ...stateChanges(ingest, { rows, states, taking }),
      ...matchChanges(rows),
      ...told.changes,
      ...beside.changes,
    ],
    events: [
      ...told.events,
      rows.length === 0 ? ignoredEntry(ingest, taking) : segmentEntry(ingest, rows, pins),
    ],
    ...(beside.idempotency && { idempotency: beside.idempotency }),
  });
  for (const [one, since] of found.firsts) ingest.screening.remember(one, since);
  return { firsts: found.firsts, outcome, rows };
}

const LOGS = ['transactions', 'facts', 'rates'] as const satisfies readonly NumberedLog[];

type Heads = ReadonlyMap<NumberedLog, TransactionLogHead>;

async function headsOf({ tables }: TakePorts, tenantId: TenantId): Promise<Heads> {
  const keys = LOGS.map((log) => ({ log, tenantId }));
  const found = await tables.findMany(transactionLogHeadTable, keys);
  return new Map(found.map((head) => [head.log, head]));
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
  { format, ingestId, leaves, now, tenantId }: Ingest,
  { taken }: Taking,
  at: {
    readonly first: number;
    readonly place: number;
    readonly verdicts: ReturnType<typeof segmentParties>['verdicts'];
  },
): readonly LoggedTransaction[] {
  const segment = [at.first, at.first + taken.length - 1] as const;
  return taken.map(({ contentDigest, isFirst, revision, text, transaction }, offset) => ({
    contentDigest,
    format,
    ingestId,
    isFirst,
    parties: at.verdicts[offset] ?? [],
    place: at.place + offset,
    receivedAt: now,
    revision,
    segment,
    tenantId,
    ...(text !== undefined && { text }),
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
  { format, ingestId, tenantId }: Ingest,
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
    const tseq = of.rows[at]?.tseq ?? 0;
    const txId = transaction.tx_id;
    change(txId, { contentDigest, format, revision, tenantId, tseq, txId });
    if (transaction.reverses !== undefined) change(transaction.reverses, { reversedBy: tseq });
  }
  for (const { alsoIn = [], txId } of of.taking.linked) {
    change(txId, { alsoIn: [...alsoIn, { format, ingestId }].slice(-LINKS_MAX) });
  }
  return [...next.values()].map((state) =>
    transactionStateTable.put(state, of.states.get(state.txId)?.version ?? 0),
  );
}

/** Other formats of one payment that are remembered. */
const LINKS_MAX = 10;

const pinsOf = ({ screening: { terms } }: Ingest, heads: Heads): SegmentPins => ({
  factsSeq: heads.get('facts')?.tseq ?? 0,
  listVersion: terms.listSet.listVersion,
  policyVersion: terms.settings.policyVersion,
  ratesVersion: heads.get('rates')?.tseq ?? 0,
});

function segmentEntry(ingest: Ingest, rows: readonly LoggedTransaction[], pins: SegmentPins) {
  const { asker, format, ingestId, now, ports } = ingest;
  const [first, last] = rows[0]?.segment ?? [0, 0];
  return entry(ports, {
    ...asker,
    action: 'aml.transactions.recorded',
    at: now,
    members: {
      count: rows.length,
      facts_seq: pins.factsSeq,
      format,
      leaves_root: merkleRoot(rows.map(logLeaf)).toString('hex'),
      matches: rows.filter(({ parties = [] }) => parties.some(isMatch)).length,
      rates_version: pins.ratesVersion,
      ...termsOf(ingest),
      tseq_from: first,
      tseq_to: last,
    },
    target: `ingest:${ingestId}`,
  });
}

const isMatch = ({ decision }: { readonly decision: string }): boolean =>
  decision !== 'CLEAR' && decision !== 'UNSCREENED';

/** What parties were compared with, and by which rules: a replay starts from it. */
function termsOf({ screening: { terms } }: Ingest): JsonObject {
  const { exclusions, listSet, settings } = terms;
  return {
    ...(exclusions !== undefined && { exclusions }),
    list_version: listSet.listVersion,
    ...(listSet.listVersionV && { list_version_v: listSet.listVersionV }),
    lists: listSet.references.map((list) => ({ ...list })),
    policy_version: settings.policyVersion,
    reranker_version: settings.rerankerVersion,
    // Without a digest nothing else says what the settings were.
    ...(settings.policyDigest === undefined
      ? { settings: settings as unknown as JsonObject }
      : { policy_digest: settings.policyDigest }),
  };
}

/** A body of nothing new leaves its trace too: who sent it, and how much of it was known. */
const ignoredEntry = (
  { asker, format, ingestId, now, ports }: Ingest,
  { duplicates }: Pick<Taking, 'duplicates'>,
) =>
  entry(ports, {
    ...asker,
    action: 'aml.transactions.known',
    at: now,
    members: { duplicates, format },
    target: `ingest:${ingestId}`,
  });

const recordedEvent = ({ ingestId, tenantId }: Ingest, rows: readonly LoggedTransaction[]) => ({
  partition: tenantId,
  payload: {
    count: rows.length,
    ingest_id: ingestId,
    tseq_from: rows[0]?.tseq,
    tseq_to: rows.at(-1)?.tseq,
  },
  topic: 'aml.transactions.recorded' as const,
});
