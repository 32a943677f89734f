/**
 * The search of the audit trail. A range is a condition on the events of groups, with an index that
 * holds its groups in order; ranges are merged here, as those of tables are. First only places are
 * read, then the events that are wanted: a group may hold 64 events of 12 KB.
 *
 * Groups that a process of a former release wrote do not say who did what. Up to the last of them
 * every event is answered, and the caller looks at each.
 */
import assert from 'node:assert/strict';
import type { Filter } from 'mongodb';
import type { AuditStore, EventSearch } from '#core/audit';
import type { ChainId } from '#core/kernel';
import { PAGE_ROWS_MAX } from '../limits.ts';
import type { Collections, GroupDocument, StoredEvent } from './collections.ts';

/** As `type` of the trail names screenings, which have no action. */
const SCREENING = 'screening';
/** Groups fetched at once while places are read. */
const GROUPS_PER_BATCH = 8;
/** A group of which every so many events are wanted is read whole: one question, not many. */
const DENSE_SHARE = 4;
const PLACES = {
  'events.action': 1,
  'events.actor': 1,
  'events.screeningId': 1,
  'events.seq': 1,
  'events.target': 1,
  lastSeq: 1,
} as const;

/** A condition on one event, as the server has it and as it is checked here. */
interface Range {
  readonly filter: Filter<GroupDocument>;
  readonly isOf: (event: StoredEvent) => boolean;
}

interface Bounds extends Pick<EventSearch, 'chainId' | 'fromSeq' | 'limit' | 'order' | 'toSeq'> {
  /** Where the last group ends that may have an event of the range. */
  readonly lastSeqMax: number;
}

/** Where an event is: in the group that ends with `lastSeq`. */
interface Place {
  readonly lastSeq: number;
  readonly seq: number;
  /** Its group has few others, so that it is read whole. */
  readonly isDense: boolean;
}

/** What the store's other reads offer: an event at its place, and open members of many. */
export interface SearchReads {
  readonly storedAt: (chainId: ChainId, seq: number) => Promise<readonly StoredEvent[]>;
  readonly withOpen: (
    chainId: ChainId,
    events: readonly StoredEvent[],
  ) => ReturnType<AuditStore['searchEvents']>;
}

export function auditSearch(
  collections: Pick<Collections, 'group'>,
  { storedAt, withOpen }: SearchReads,
): Pick<AuditStore, 'searchEvents'> {
  return {
    async searchEvents(search) {
      const { chainId, limit, order } = search;
      assert(limit >= 1 && limit <= PAGE_ROWS_MAX, `search: limit ${limit}`);
      const lastSeqMax = await lastSeqAt(collections, search);
      const places: Place[] = [];
      for (const part of await partsOf(collections, search)) {
        if (places.length >= limit) break;
        const bounds = { ...search, ...part, lastSeqMax };
        const found = await Promise.all(
          part.ranges.map((range) => readPlaces(collections, range, bounds)),
        );
        const sign = order === 'asc' ? 1 : -1;
        // An event may be in two ranges: what it is about, and the screening that it is.
        const known = new Map(found.flat().map((place) => [place.seq, place]));
        places.push(...[...known.values()].sort((one, other) => sign * (one.seq - other.seq)));
      }
      const wanted = places.slice(0, limit);
      const read = await Promise.all([
        ...wanted.filter((one) => !one.isDense).map(({ seq }) => storedAt(chainId, seq)),
        ...groupsOf(wanted).map((groups) => eventsOf(collections, chainId, groups)),
      ]);
      const bySeq = new Map(read.flat().map((event) => [event.seq, event]));
      return withOpen(
        chainId,
        wanted.flatMap(({ seq }) => bySeq.get(seq) ?? []),
      );
    },
  };
}

/** Groups that are read whole, some at a time, by where they end. */
function groupsOf(places: readonly Place[]): readonly (readonly number[])[] {
  const all = [...new Set(places.filter((one) => one.isDense).map(({ lastSeq }) => lastSeq))];
  const parts: number[][] = [];
  for (let at = 0; at < all.length; at += GROUPS_PER_BATCH) {
    parts.push(all.slice(at, at + GROUPS_PER_BATCH));
  }
  return parts;
}

async function eventsOf(
  { group }: Pick<Collections, 'group'>,
  chain: ChainId,
  lastSeqs: readonly number[],
): Promise<readonly StoredEvent[]> {
  const wanted = { chain, firstSeq: { $exists: true }, lastSeq: { $in: [...lastSeqs] } };
  const found = await group.find(wanted, { projection: { events: 1 } }).toArray();
  return found.flatMap(({ events }) => events);
}

/** What is to be read, in order: with ranges where groups say who did what, else all of it. */
async function partsOf(collections: Pick<Collections, 'group'>, search: EventSearch) {
  const { actor, fromSeq, order, target, toSeq } = search;
  const ranges = rangesOf(search);
  if (actor === undefined && target === undefined) return [{ fromSeq, ranges, toSeq }];
  const unnamed = await unnamedUntil(collections, search.chainId);
  const parts = [
    { fromSeq, ranges: [EVERY], toSeq: Math.min(toSeq, unnamed) },
    { fromSeq: Math.max(fromSeq, unnamed + 1), ranges, toSeq },
  ].filter((part) => part.fromSeq <= part.toSeq);
  return order === 'asc' ? parts : parts.reverse();
}

/** Seq of the last event of a group without names; 0 where all have them. */
async function unnamedUntil(
  { group }: Pick<Collections, 'group'>,
  chain: ChainId,
): Promise<number> {
  const found = await group.findOne(
    { chain, isNamed: { $exists: false } },
    { projection: { lastSeq: 1 }, sort: { lastSeq: -1 } },
  );
  return found?.lastSeq ?? 0;
}

const EVERY: Range = { filter: {}, isOf: () => true };

function rangesOf({ actions, actor, target }: EventSearch): readonly Range[] {
  if (target !== undefined) {
    return [
      { filter: { 'events.target': target }, isOf: (event) => event.target === target },
      {
        filter: { 'events.screeningId': target },
        isOf: (event) => event.screeningId === target,
      },
    ];
  }
  if (actor !== undefined && actions === undefined) {
    return [{ filter: { 'events.actor': actor }, isOf: (event) => event.actor === actor }];
  }
  if (actions === undefined) return [EVERY];
  return actions.map((action) => rangeOfAction(action, actor));
}

function rangeOfAction(action: string, actor: string | undefined): Range {
  const isOf = (event: StoredEvent): boolean =>
    (event.action ?? SCREENING) === action && (actor === undefined || event.actor === actor);
  if (actor === undefined && action !== SCREENING) {
    return { filter: { 'events.action': action }, isOf };
  }
  const one = {
    ...(actor !== undefined && { actor }),
    action: action === SCREENING ? { $exists: false } : action,
  };
  return { filter: { events: { $elemMatch: one } } as Filter<GroupDocument>, isOf };
}

/** Where the group ends that the range ends in: groups behind it have nothing of the range. */
async function lastSeqAt(
  { group }: Pick<Collections, 'group'>,
  { chainId: chain, toSeq }: EventSearch,
): Promise<number> {
  const found = await group.findOne(
    { chain, lastSeq: { $gte: toSeq } },
    { projection: { lastSeq: 1 }, sort: { lastSeq: 1 } },
  );
  return found?.lastSeq ?? Number.MAX_SAFE_INTEGER;
}

/** Places of a range, at most `limit`. */
async function readPlaces(
  { group }: Pick<Collections, 'group'>,
  { filter, isOf }: Range,
  { chainId, fromSeq, lastSeqMax, limit, order, toSeq }: Bounds,
): Promise<readonly Place[]> {
  const isWithin = ({ seq }: StoredEvent): boolean => seq >= fromSeq && seq <= toSeq;
  const lastSeq = { $gte: fromSeq, $lte: lastSeqMax };
  const groups = group
    .find({ ...filter, chain: chainId, lastSeq }, { projection: PLACES })
    .sort({ lastSeq: order === 'asc' ? 1 : -1 })
    .batchSize(GROUPS_PER_BATCH);
  const places: Place[] = [];
  for await (const { events, lastSeq: inGroup } of groups) {
    const found = events.filter((event) => isWithin(event) && isOf(event));
    const ordered = order === 'asc' ? found : found.toReversed();
    const isDense = found.length * DENSE_SHARE >= events.length;
    places.push(...ordered.map(({ seq }) => ({ isDense, lastSeq: inGroup, seq })));
    if (places.length >= limit) break;
  }
  return places.slice(0, limit);
}
