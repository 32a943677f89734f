/**
 * What becomes of transactions that were read: taken, known already, or refused, each by what the
 * tenant's log has of its id. A pure decision, so that it can be made again where another writer
 * was first.
 */
import type { EpochMs } from '#platform/clock';
import type { TextFindings } from './ports.ts';
import type { ScreenedParty } from './screenParties.ts';
import type { TransactionState } from './tables.ts';
import type { Format, Refusal, Transaction } from './transaction.ts';

/** A transaction that was read, with its place in the body. */
export interface ReadTransaction {
  readonly index: number;
  readonly line?: number;
  readonly transaction: Transaction;
}

/** The same with the digest of its content, and what was found of its parties. */
export interface DigestedTransaction extends ReadTransaction {
  readonly contentDigest: string;
  readonly parties: readonly ScreenedParty[];
  readonly text?: TextFindings;
}

/** One that is new to the log, or a new revision of what is there. */
export interface Taken extends DigestedTransaction {
  readonly revision: number;
  /** Whether the id is new to the log. */
  readonly isFirst: boolean;
}

/** What is to be written, and told. */
export interface Taking {
  readonly taken: readonly Taken[];
  readonly duplicates: number;
  readonly refusals: readonly Refusal[];
  /** Payments that came in another format before: their states get a link. */
  readonly linked: readonly TransactionState[];
}

interface Known {
  readonly contentDigest: string;
  readonly format: Format;
  readonly revision: number;
}

const MESSAGES: ReadonlySet<Format> = new Set(['iso20022_pacs008', 'swift_mt103']);

/** Clocks of two houses differ by so much. */
const AHEAD_MS_MAX = 5 * 60_000;
/** A day without a time stands at its noon; an hour more where the clocks change that day. */
const NOON_MS = 13 * 3_600_000;

/** What a body is, and when it came. */
export interface Arrival {
  readonly format: Format;
  readonly receivedAt: EpochMs;
}

/** @param states of the ids that the log knows, reversed ones included */
export function decideTaking(
  read: readonly DigestedTransaction[],
  states: ReadonlyMap<string, TransactionState>,
  arrival: Arrival,
): Taking {
  const { format } = arrival;
  const known = new Map<string, Known>(states);
  const taken: Taken[] = [];
  const refusals: Refusal[] = [];
  const linked = new Map<string, TransactionState>();
  let duplicates = 0;
  for (const one of read) {
    const { index, line, transaction } = one;
    const before = known.get(transaction.tx_id);
    const refusal = refusalOf(one, before, { arrival, known });
    if (isSame(one, before)) duplicates++;
    else if (before !== undefined && isOtherMessage(before.format, format)) {
      duplicates++;
      const state = states.get(transaction.tx_id);
      if (state !== undefined) linked.set(transaction.tx_id, state);
    } else if (refusal !== undefined) {
      refusals.push({ index, ...(line !== undefined && { line }), ...refusal });
    } else {
      const revision = before === undefined ? (transaction.revision ?? 0) : before.revision + 1;
      taken.push({ ...one, isFirst: before === undefined, revision });
      known.set(transaction.tx_id, { contentDigest: one.contentDigest, format, revision });
    }
  }
  return { duplicates, linked: [...linked.values()], refusals, taken };
}

const isSame = ({ contentDigest }: DigestedTransaction, before: Known | undefined): boolean =>
  before?.contentDigest === contentDigest;

/** The same payment as MT and as MX. */
const isOtherMessage = (one: Format, other: Format): boolean =>
  one !== other && MESSAGES.has(one) && MESSAGES.has(other);

function refusalOf(
  { transaction }: ReadTransaction,
  before: Known | undefined,
  { arrival, known }: { readonly arrival: Arrival; readonly known: ReadonlyMap<string, Known> },
): Omit<Refusal, 'index'> | undefined {
  const { format } = arrival;
  const { reverses, revision } = transaction;
  if (isInFuture(transaction, arrival)) {
    const detail = 'expected a time that is at most 5 minutes after it was received';
    return { code: 'occurred-at-in-future', detail, pointer: '/occurred_at' };
  }
  if (reverses !== undefined && !known.has(reverses)) {
    const detail = 'expected the tx_id of a transaction that was taken';
    return { code: 'reverses-unknown', detail, pointer: '/reverses' };
  }
  if (before === undefined) return undefined;
  if (format === 'json_service' && revision === before.revision + 1) return undefined;
  const detail =
    format === 'json_service'
      ? `expected the content that was taken, or revision ${before.revision + 1}`
      : 'expected the content that was taken';
  return { code: 'tx-conflict', detail, pointer: '/tx_id' };
}

function isInFuture({ occurred_at, precision }: Transaction, { receivedAt }: Arrival): boolean {
  const from = Date.parse(occurred_at) - (precision === 'day' ? NOON_MS : 0);
  return from > receivedAt + AHEAD_MS_MAX;
}
