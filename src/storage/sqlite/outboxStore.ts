/**
 * Outgoing events in the order of their commits. Writers take turns, so ids grow as commits do and
 * one cursor says what was published: no row is rewritten. Ids are zero-padded, so that comparing
 * them as text is comparing them as numbers.
 */
import assert from 'node:assert/strict';
import type { DatabaseSync } from 'node:sqlite';
import type { OutboxEvent } from '#core/audit';
import type { EpochMs } from '#platform/clock';
import { PAGE_ROWS_MAX, PURGE_ROWS_MAX } from '../limits.ts';

/** Digits of the largest integer that a number holds exactly. */
const ID_DIGITS = 16;
const PUBLISHED = '(SELECT published_id FROM outbox_cursor)';

export function outboxReader(database: DatabaseSync) {
  const unpublished = database.prepare(
    `SELECT * FROM outbox WHERE id > ${PUBLISHED} ORDER BY id LIMIT ?`,
  );
  const published = database.prepare(
    `SELECT * FROM outbox WHERE bus_partition = ? AND id > ? AND id <= ${PUBLISHED}
     ORDER BY id LIMIT ?`,
  );

  return {
    readUnpublished(limit: number): { events: OutboxEvent[]; token: string } | undefined {
      const events = unpublished.all(Math.min(limit, PAGE_ROWS_MAX)).map(toOutboxEvent);
      const last = events.at(-1);
      return last === undefined ? undefined : { events, token: last.id };
    },
    readPublished(page: { partition: string; afterId: string; limit: number }): OutboxEvent[] {
      const limit = Math.min(page.limit, PAGE_ROWS_MAX);
      return published.all(page.partition, parseId(page.afterId), limit).map(toOutboxEvent);
    },
  };
}

export function outboxWriter(database: DatabaseSync) {
  const mark = database.prepare('UPDATE outbox_cursor SET published_id = max(published_id, ?)');
  // By id first: the table is in the order of time but for clock corrections, which wait a round.
  const purge = database.prepare(
    `DELETE FROM outbox WHERE created_at < ?1 AND id IN
       (SELECT id FROM outbox WHERE id <= ${PUBLISHED} ORDER BY id LIMIT ?2)`,
  );
  return {
    markPublished(token: string): void {
      mark.run(parseId(token));
    },
    /** One step; the caller repeats it until it answers less than PURGE_ROWS_MAX. */
    purgePublished: (createdBefore: EpochMs): number =>
      Number(purge.run(createdBefore, PURGE_ROWS_MAX).changes),
  };
}

/** An empty id is the beginning. */
function parseId(id: string): number {
  const value = Number(id);
  assert(Number.isSafeInteger(value) && value >= 0, 'outbox id: expected a decimal number');
  return value;
}

function toOutboxEvent(row: Record<string, unknown>): OutboxEvent {
  return {
    id: String(row.id).padStart(ID_DIGITS, '0'),
    topic: row.topic as OutboxEvent['topic'],
    partition: row.bus_partition as string,
    payload: JSON.parse(row.payload as string) as OutboxEvent['payload'],
    createdAt: row.created_at as EpochMs,
  };
}
