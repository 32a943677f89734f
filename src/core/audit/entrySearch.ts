/**
 * Finding entries in a chain by their action, which the store has an index for, and by about when
 * they happened. Events are given as they are stored: who acts on one verifies it first
 * (verifiedEvent.ts).
 */
import type { ChainId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { AuditStore, SealedEvent } from './ports.ts';

/** A hundredth of a second of reading; chains are long. */
const ENTRIES_A_PAGE = 500;
/** Clocks of processes differ by less. */
const SKEW_MS = 60_000;

/** Which entries of a chain. */
export interface EntryRange {
  readonly chainId: ChainId;
  readonly action: string;
  /** From 1. */
  readonly fromSeq: number;
  /** Inclusive; absent: to the head. */
  readonly toSeq?: number;
  readonly entriesAPage?: number;
}

/** Entries of one action in the order of the chain, in pages that are not empty. */
export async function* entryPages(
  audit: Pick<AuditStore, 'readEvents'>,
  of: EntryRange,
): AsyncGenerator<readonly SealedEvent[]> {
  const { action, chainId, entriesAPage: limit = ENTRIES_A_PAGE, fromSeq: first } = of;
  const { toSeq = Number.MAX_SAFE_INTEGER } = of;
  for (let fromSeq = first; fromSeq <= toSeq; ) {
    const page = await audit.readEvents({ action, chainId, fromSeq, limit });
    const within = page.filter(({ seq }) => seq <= toSeq);
    if (within.length > 0) yield within;
    if (page.length < limit) return;
    fromSeq = (page.at(-1)?.seq ?? toSeq) + 1;
  }
}

/**
 * A seq before which nothing happened at `since` or later, as if times ascended, with a minute for
 * clocks that differ. Times ascend only nearly: who does not find an entry from there on looks from
 * the beginning.
 */
export async function seqSince(
  audit: Pick<AuditStore, 'findBySeq' | 'head'>,
  chainId: ChainId,
  since: EpochMs,
): Promise<number> {
  let [low, high] = [1, (await audit.head(chainId)).seq + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const event = await audit.findBySeq(chainId, middle);
    if (event !== undefined && event.occurredAt < since - SKEW_MS) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The first event, along the chain, that happened at `at` or later, as if times ascended; behind
 * the head where none did. Numbers that are lost (gap.ts) count as the event behind them.
 */
export async function firstSeqAt(
  audit: Pick<AuditStore, 'findBySeq' | 'head' | 'readEvents'>,
  chainId: ChainId,
  at: EpochMs,
): Promise<number> {
  let [low, high] = [1, (await audit.head(chainId)).seq + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const event =
      (await audit.findBySeq(chainId, middle)) ??
      (await audit.readEvents({ chainId, fromSeq: middle, limit: 1 }))[0];
    if (event !== undefined && event.occurredAt < at) low = event.seq + 1;
    else high = middle;
  }
  return low;
}

/** Which entry, and about when it was written. */
export interface EntryNear {
  readonly action: string;
  readonly isIt: (event: SealedEvent) => boolean;
  readonly near: EpochMs;
  /** Fewer where many are looked for one by one; absent: as entryPages reads. */
  readonly entriesAPage?: number;
}

/** The entry that was written then or later; else any of before. Undefined where there is none. */
export async function findEntryNear(
  audit: Pick<AuditStore, 'findBySeq' | 'head' | 'readEvents'>,
  chainId: ChainId,
  { isIt, near, ...of }: EntryNear,
): Promise<SealedEvent | undefined> {
  const since = await seqSince(audit, chainId, near);
  for (const range of [{ fromSeq: since }, { fromSeq: 1, toSeq: since - 1 }]) {
    for await (const page of entryPages(audit, { ...of, chainId, ...range })) {
      // Every one of the page is looked at, for who keeps the places of others.
      const [found] = page.filter(isIt);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** Members of a stored event, as they stand there: unverified. */
export const storedMembers = ({ body }: Pick<SealedEvent, 'body'>): Record<string, unknown> =>
  JSON.parse(body) as Record<string, unknown>;
