/** What both adapters hold a group to before they write it. */
import assert from 'node:assert/strict';
import type { EventGroup, IdempotencyRecord } from '#core/audit';
import { GROUP_BYTES_MAX, GROUP_EVENTS_MAX } from './limits.ts';

/** Holds on the adapter's side what the log promises: a gap must never reach the disk. */
export function assertGroup(group: EventGroup): void {
  const { events } = group;
  assert(events.length <= GROUP_EVENTS_MAX, `group: ${events.length} events`);
  const firstSeq = events[0]?.seq ?? 0;
  events.forEach((event, index) => {
    assert(event.seq === firstSeq + index, `group: a gap before seq ${event.seq}`);
  });
  const characters = events.reduce(
    (sum, { body, open }) => sum + body.length + (open?.length ?? 0),
    0,
  );
  assert(characters <= GROUP_BYTES_MAX, `group: ${characters} characters`);
}

/** Scopes that stand twice in one group: the second is taken by the first. */
export function scopesTwice(records: readonly IdempotencyRecord[]): string[] {
  const seen = new Set<string>();
  return records.flatMap(({ scope }) => {
    const isTwice = seen.has(scope);
    seen.add(scope);
    return isTwice ? [scope] : [];
  });
}
