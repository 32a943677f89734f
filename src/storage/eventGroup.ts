/** Checks of a group that both adapters make before they write it. */
import assert from 'node:assert/strict';
import type { ChainHead, EventGroup, HeadLease, IdempotencyRecord } from '#core/audit';
import { CHANGES_MAX, effectsSize } from '#core/kernel';
import { GROUP_BYTES_MAX, GROUP_EVENTS_MAX } from './limits.ts';

/** Holds on the adapter's side what the log promises: a gap must never reach the disk. */
export function assertGroup(group: EventGroup): void {
  const { events } = group;
  assert(events.length <= GROUP_EVENTS_MAX, `group: ${events.length} events`);
  const firstSeq = events[0]?.seq ?? 0;
  events.forEach((event, index) => {
    assert(event.seq === firstSeq + index, `group: a gap before seq ${event.seq}`);
  });
  assert(group.changes.length <= CHANGES_MAX, `group: ${group.changes.length} changes`);
  const evidence = events.reduce(
    (sum, { body, open }) => sum + body.length + (open?.length ?? 0),
    0,
  );
  const answers = group.idempotency.reduce((sum, { answer }) => sum + sizeOf(answer), 0);
  const characters = evidence + effectsSize(group) + answers;
  assert(characters <= GROUP_BYTES_MAX, `group: ${characters} characters`);
}

/**
 * Whether the group goes on where the chain stands. An entry that names a gap stands behind it, and
 * its head must not have moved.
 */
export function isContinuation(
  head: Pick<ChainHead, 'seq'>,
  lease: Pick<HeadLease, 'head'>,
  { events, isResumption = false }: Pick<EventGroup, 'events' | 'isResumption'>,
): boolean {
  const firstSeq = events[0]?.seq ?? head.seq + 1;
  if (!isResumption) return firstSeq === head.seq + 1;
  return events.length === 1 && head.seq === lease.head.seq && firstSeq > head.seq;
}

const sizeOf = (answer: IdempotencyRecord['answer']): number =>
  answer.kind === 'body' ? answer.body.length : 0;

/** Scopes that stand twice in one group: the second is taken by the first. */
export function scopesTwice(records: readonly IdempotencyRecord[]): string[] {
  const seen = new Set<string>();
  return records.flatMap(({ scope }) => {
    const isTwice = seen.has(scope);
    seen.add(scope);
    return isTwice ? [scope] : [];
  });
}
