/**
 * The audit trail as people read it (interface.md 4.5): a chain's events, filtered. The store finds
 * them by indexes that are written with the events; what is shown comes from the events themselves.
 *
 * One index serves an ask, and the other filters are looked at here: a call reads at most
 * EVENTS_READ_MAX events and returns where it stopped. An empty page with a next position says "go
 * on".
 */
import type { ChainId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { firstSeqAt } from './entrySearch.ts';
import type { AuditStore, EventSearch, SealedEvent } from './ports.ts';

/** Events that one call reads, however few of them its filter matches. */
export const EVENTS_READ_MAX = 500;
const BATCH_EVENTS = 100;
/** Clocks of processes differ by less, and an event is written this soon after it happened. */
const SKEW_MS = 60_000;
/** Ends a `type` that names every action which begins so. */
const WILDCARD = '*';

/** Which events of a chain are wanted; an absent member matches all. Members are ANDed. */
export interface TrailFilter {
  /** An action of interface.md 6.3, or `screening`; with `*` at its end all that begin so. */
  readonly type?: string;
  readonly actor?: string;
  readonly target?: string;
  /** RFC 3339 UTC with milliseconds; inclusive. */
  readonly from?: string;
  /** Exclusive. */
  readonly to?: string;
}

/** One line of the trail: the hashed part of an event, and the address that can be erased. */
export interface TrailEntry {
  readonly seq: number;
  readonly event_id: string;
  readonly timestamp: string;
  readonly action: string;
  readonly actor: string | null;
  readonly target: string | null;
  /** The caller's address; null where the call did not come over HTTP, and once it is erased. */
  readonly ip: string | null;
  readonly severity: string | null;
  readonly hash: string;
}

/** One page of the trail, in the order asked. */
export interface TrailPage {
  readonly entries: readonly TrailEntry[];
  /** Seq of the last event that was read; undefined at the end of the chain. */
  readonly nextAfterSeq?: number;
}

/** What a page is read for. */
export interface TrailAsk {
  readonly chainId: ChainId;
  /** Behind this event, in the order asked; absent or 0: from the first. */
  readonly afterSeq?: number;
  /** Absent: `asc`, the order of the chain. */
  readonly order?: 'asc' | 'desc';
  readonly limit: number;
  readonly filter: TrailFilter;
  /** Every action that is known, for types that end with `*`. */
  readonly actions?: readonly string[];
  /** Absent: entries that say that they are confidential do not exist for the caller. */
  readonly seesConfidential?: boolean;
  /** Refuses an event that is shown, or hidden, and not what was signed; may give way. */
  readonly verify?: (event: SealedEvent) => Promise<unknown>;
  /** Asked before each further batch of events; false ends the page there. */
  readonly mayReadOn?: () => Promise<boolean>;
}

/** What the trail is read from. */
export type TrailStore = Pick<AuditStore, 'findBySeq' | 'head' | 'readEvents' | 'searchEvents'>;

/**
 * Reads up to `limit` matching entries. Fewer come, or none, where EVENTS_READ_MAX ends the read
 * first.
 */
export async function readTrail(store: TrailStore, ask: TrailAsk): Promise<TrailPage> {
  const { afterSeq, filter, limit, order = 'asc' } = ask;
  const search = await searchOf(store, ask);
  if (search === undefined) return { entries: [] };
  const entries: TrailEntry[] = [];
  let last = afterSeq ?? 0;
  // What is hidden does not count, else the length of a page would tell of it.
  for (let read = 0; read < EVENTS_READ_MAX; ) {
    if (read > 0 && (await ask.mayReadOn?.()) === false) return { entries, nextAfterSeq: last };
    const events = await store.searchEvents({ ...search, ...boundsBehind(search, order, last) });
    for (const event of events) {
      last = event.seq;
      if (ask.seesConfidential !== true && isConfidential(event)) {
        // Else whoever can write the store hides any entry by a word.
        await ask.verify?.(event);
        continue;
      }
      read++;
      if (!mayPass(event, filter)) continue;
      const entry = trailEntry(event);
      if (!passes(entry, filter)) continue;
      await ask.verify?.(event);
      entries.push(entry);
      if (entries.length === limit) return { entries, nextAfterSeq: last };
    }
    if (events.length < BATCH_EVENTS) return { entries };
  }
  return { entries, nextAfterSeq: last };
}

/** Undefined where nothing can match. */
async function searchOf(store: TrailStore, ask: TrailAsk): Promise<EventSearch | undefined> {
  const { chainId, filter, order = 'asc' } = ask;
  const actions = actionsOf(filter.type, ask.actions ?? []);
  if (actions?.length === 0) return undefined;
  const { actor, target } = filter;
  return {
    ...(await seqsBetween(store, chainId, filter)),
    ...(actions !== undefined && { actions }),
    ...(actor !== undefined && { actor }),
    ...(target !== undefined && { target }),
    chainId,
    limit: BATCH_EVENTS,
    order,
  };
}

function boundsBehind(
  { fromSeq, toSeq }: EventSearch,
  order: 'asc' | 'desc',
  last: number,
): Pick<EventSearch, 'fromSeq' | 'toSeq'> {
  if (last === 0) return { fromSeq, toSeq };
  if (order === 'asc') return { fromSeq: Math.max(fromSeq, last + 1), toSeq };
  return { fromSeq, toSeq: Math.min(toSeq, last - 1) };
}

/** Undefined: any action. */
function actionsOf(
  type: string | undefined,
  known: readonly string[],
): readonly string[] | undefined {
  if (type === undefined || type === WILDCARD) return undefined;
  if (!type.endsWith(WILDCARD)) return [type];
  const beginning = type.slice(0, -WILDCARD.length);
  return [...known, 'screening'].filter((action) => action.startsWith(beginning));
}

/**
 * Seqs that have all events of the time asked, and few others: times ascend along a chain but for
 * the difference of clocks.
 */
async function seqsBetween(
  store: TrailStore,
  chainId: ChainId,
  { from, to }: TrailFilter,
): Promise<Pick<EventSearch, 'fromSeq' | 'toSeq'>> {
  const seqAt = (ms: number): Promise<number> => firstSeqAt(store, chainId, ms as EpochMs);
  return {
    fromSeq: from === undefined ? 1 : await seqAt(Date.parse(from) - SKEW_MS),
    toSeq: to === undefined ? Number.MAX_SAFE_INTEGER : (await seqAt(Date.parse(to) + SKEW_MS)) - 1,
  };
}

/** It says so itself, in its hashed part: one action may tell of both kinds. */
export const isConfidential = ({ body }: SealedEvent): boolean =>
  body.includes('"confidential":true') &&
  (JSON.parse(body) as { readonly confidential?: unknown }).confidential === true;

/** False: the text of the event has not what is asked for, and it need not be parsed. */
const mayPass = ({ body }: SealedEvent, { actor, target }: TrailFilter): boolean =>
  [actor, target].every((word) => word === undefined || body.includes(JSON.stringify(word)));

/** An event as a line of the trail; unverified. */
export function trailEntry(event: SealedEvent): TrailEntry {
  const body = JSON.parse(event.body) as Record<string, unknown>;
  const text = (key: string) => (typeof body[key] === 'string' ? body[key] : null);
  return {
    action: text('action') ?? event.type,
    actor: text('actor') ?? text('requested_by'),
    event_id: event.eventId,
    hash: event.hash,
    ip: ipOf(event),
    seq: event.seq,
    severity: text('severity'),
    target: text('target') ?? text('screening_id'),
    timestamp: text('occurred_at') ?? '',
  };
}

function ipOf({ open, type }: SealedEvent): string | null {
  if (type !== 'entry' || open === undefined) return null;
  const { details } = JSON.parse(open) as { readonly details?: { readonly ip?: unknown } };
  return typeof details?.ip === 'string' ? details.ip : null;
}

/** Whether an entry matches. Timestamps have one form, so they compare as text. */
function passes(entry: TrailEntry, filter: TrailFilter): boolean {
  return (
    isOfType(entry.action, filter.type) &&
    (filter.actor === undefined || entry.actor === filter.actor) &&
    (filter.target === undefined || entry.target === filter.target) &&
    (filter.from === undefined || entry.timestamp >= filter.from) &&
    (filter.to === undefined || entry.timestamp < filter.to)
  );
}

const isOfType = (action: string, type: string | undefined): boolean =>
  type === undefined ||
  (type.endsWith(WILDCARD) ? action.startsWith(type.slice(0, -WILDCARD.length)) : action === type);
