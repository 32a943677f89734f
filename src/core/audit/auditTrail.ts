/**
 * The audit trail as people read it (interface.md 4.5): a chain's events in order, filtered.
 * Answers come from the chain itself, page by page, so no second copy has to be kept in step. A
 * filter on an action reads those entries alone, by the store's index.
 *
 * A rare match would make one page read the whole chain. A call therefore reads at most
 * EVENTS_READ_MAX events and returns where it stopped; an empty page with a next position says "go
 * on".
 */
import type { ChainId } from '#core/kernel';
import type { AuditStore, SealedEvent } from './ports.ts';

/** Events that one call reads, however few of them its filter matches. */
export const EVENTS_READ_MAX = 500;
const BATCH_EVENTS = 100;

/** Which events of a chain are wanted; an absent member matches all. Members are ANDed. */
export interface TrailFilter {
  /** An action of interface.md 6.3, or `screening`. */
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
  readonly hash: string;
}

/** One page of the trail, in the order of the chain. */
export interface TrailPage {
  readonly entries: readonly TrailEntry[];
  /** Seq of the last event that was read; undefined at the end of the chain. */
  readonly nextAfterSeq?: number;
}

/**
 * Reads up to `limit` matching entries behind `afterSeq` (0 begins at the start). Fewer come, or
 * none, where EVENTS_READ_MAX ends the read first.
 */
export async function readTrail(
  store: Pick<AuditStore, 'readEvents'>,
  ask: {
    readonly chainId: ChainId;
    readonly afterSeq: number;
    readonly limit: number;
    readonly filter: TrailFilter;
    /** Absent: entries that say that they are confidential do not exist for the caller. */
    readonly seesConfidential?: boolean;
    /** Refuses an event that is shown, or hidden, and not what was signed; may give way. */
    readonly verify?: (event: SealedEvent) => Promise<unknown>;
    /** Asked before each further batch of events; false ends the page there. */
    readonly mayReadOn?: () => Promise<boolean>;
  },
): Promise<TrailPage> {
  const entries: TrailEntry[] = [];
  let afterSeq = ask.afterSeq;
  for (let read = 0; read < EVENTS_READ_MAX; read += BATCH_EVENTS) {
    if (read > 0 && (await ask.mayReadOn?.()) === false) return { entries, nextAfterSeq: afterSeq };
    const page = {
      chainId: ask.chainId,
      fromSeq: afterSeq + 1,
      limit: BATCH_EVENTS,
      ...(isAction(ask.filter.type) && { action: ask.filter.type }),
    };
    const events = await store.readEvents(page);
    for (const event of events) {
      afterSeq = event.seq;
      if (ask.seesConfidential !== true && isConfidential(event)) {
        // Else whoever can write the store hides any entry by a word.
        await ask.verify?.(event);
        continue;
      }
      if (!mayPass(event, ask.filter)) continue;
      const entry = entryOf(event);
      if (!passes(entry, ask.filter)) continue;
      await ask.verify?.(event);
      entries.push(entry);
      if (entries.length === ask.limit) return { entries, nextAfterSeq: afterSeq };
    }
    if (events.length < BATCH_EVENTS) return { entries };
  }
  return { entries, nextAfterSeq: afterSeq };
}

/** It says so itself, in its hashed part: one action may tell of both kinds. */
const isConfidential = ({ body }: SealedEvent): boolean =>
  body.includes('"confidential":true') &&
  (JSON.parse(body) as { readonly confidential?: unknown }).confidential === true;

/** An entry's action has an index; screenings are found by walking the chain. */
const isAction = (type: string | undefined): type is string =>
  type !== undefined && type !== 'screening';

/** False: the text of the event has not what is asked for, and it need not be parsed. */
const mayPass = ({ body }: SealedEvent, { actor, target }: TrailFilter): boolean =>
  [actor, target].every((word) => word === undefined || body.includes(JSON.stringify(word)));

function entryOf(event: SealedEvent): TrailEntry {
  const body = JSON.parse(event.body) as Record<string, unknown>;
  const text = (key: string) => (typeof body[key] === 'string' ? body[key] : null);
  return {
    action: text('action') ?? event.type,
    actor: text('actor') ?? text('requested_by'),
    event_id: event.eventId,
    hash: event.hash,
    ip: ipOf(event),
    seq: event.seq,
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
    (filter.type === undefined || entry.action === filter.type) &&
    (filter.actor === undefined || entry.actor === filter.actor) &&
    (filter.target === undefined || entry.target === filter.target) &&
    (filter.from === undefined || entry.timestamp >= filter.from) &&
    (filter.to === undefined || entry.timestamp < filter.to)
  );
}
