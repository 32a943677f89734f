/** One call of appendGroup, as both ways of writing take it, and the record that it leads to. */
import { type EventGroup, type HeadLease, type SealedEvent, storedMembers } from '#core/audit';
import type { Clock } from '#platform/clock';
import type { OnCrashPoint } from '../crashPoints.ts';
import { isContinuation } from '../eventGroup.ts';
import type { ChainSessions } from './chainSessions.ts';
import type { Collections, GroupDocument, HeadDocument, StoredEvent } from './collections.ts';
import type { TableForms } from './tablePlan.ts';

export interface AppendOptions {
  readonly ttlMs: number;
  readonly release: boolean;
}

export interface Append {
  readonly lease: HeadLease;
  readonly group: EventGroup;
  readonly options: AppendOptions;
  readonly nowMs: number;
}

export interface AppendTools {
  readonly sessions: ChainSessions;
  readonly collections: Collections;
  /** Declared tables. */
  readonly forms: TableForms;
  readonly hasTransactions: boolean;
  readonly clock: Clock;
  readonly onCrashPoint: OnCrashPoint;
}

/** Whether the lease still holds and the group continues the chain from where it stands. */
export function isNext(head: HeadDocument | null, { lease, group }: Append): head is HeadDocument {
  if (head === null || head.fence !== lease.fence) return false;
  return isContinuation(head, lease, group);
}

/** The group's record, in its place after `head`. */
export function groupDocument(head: HeadDocument, { lease, group, nowMs }: Append): GroupDocument {
  const last = group.events.at(-1) ?? head;
  return {
    chain: lease.chainId,
    group: head.group + 1,
    ...(group.events[0] === undefined ? {} : { firstSeq: group.events[0].seq }),
    lastSeq: last.seq,
    lastHash: last.hash,
    at: Math.max(nowMs, head.at),
    events: group.events.map(storedEvent),
    isNamed: true,
  };
}

function storedEvent({ open: _apart, ...event }: SealedEvent): StoredEvent {
  if (event.action === undefined) {
    const actor = requestedBy(event.body);
    return actor === undefined ? event : { ...event, actor };
  }
  const { actor, target } = storedMembers(event);
  return {
    ...event,
    ...(typeof actor === 'string' && { actor }),
    ...(typeof target === 'string' && { target }),
  };
}

const REQUESTED_BY = /"requested_by":("(?:[^"\\]|\\.)*")/g;

/**
 * Who had a name screened. A screening has 12 KB of candidates, which need not be parsed for it:
 * the body is canonical JSON, in which no text can hold the word unescaped.
 */
function requestedBy(body: string): string | undefined {
  const [first, ...others] = body.matchAll(REQUESTED_BY);
  if (first?.[1] !== undefined && others.length === 0) return JSON.parse(first[1]) as string;
  const { requested_by } = storedMembers({ body });
  return typeof requested_by === 'string' ? requested_by : undefined;
}
