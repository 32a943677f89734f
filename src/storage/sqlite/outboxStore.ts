/**
 * Outgoing events in the order of their commits, and a cursor for each subscriber. Writers take
 * turns, so ids grow as commits do and one cursor says what was done: no row is rewritten. Ids are
 * zero-padded, so they compare as text as they do as numbers.
 *
 * A subscriber with few topics reads the events of all topics. No index on topics helps it, for
 * every commit would pay for that; its cursor skips other topics' events in long steps.
 */
import assert from 'node:assert/strict';
import type { DatabaseSync } from 'node:sqlite';
import type { OutboxBatch, OutboxEvent, SubscriberFigures, Subscription } from '#core/reactions';
import type { EpochMs } from '#platform/clock';
import { OUTBOX_COUNT_MAX, PAGE_ROWS_MAX, PURGE_ROWS_MAX } from '../limits.ts';

/** Digits of the largest integer that a number holds exactly. */
const ID_DIGITS = 16;
/** Rows that one read looks through; a cursor is not moved for less unless there is work. */
const LOOK_ROWS = 1_000;

/** The parameters of one page of a subscriber's rows. */
interface Place {
  readonly doneId: number;
  /** Undefined: every topic. */
  readonly topics: string | undefined;
}

export function outboxReader(database: DatabaseSync) {
  const read = subscriberReader(database);
  const kept = database.prepare(
    'SELECT * FROM outbox WHERE bus_partition = ? AND id > ? ORDER BY id LIMIT ?',
  );
  return {
    readFor: read.readFor,
    findBehind: (names: readonly string[]): string[] =>
      names.filter((name) => read.readFor(name, 1) !== undefined),
    figures: read.figures,
    readKept(page: { partition: string; afterId: string; limit: number }): OutboxEvent[] {
      const limit = Math.min(page.limit, PAGE_ROWS_MAX);
      return kept.all(page.partition, parseId(page.afterId), limit).map(toOutboxEvent);
    },
  };
}

function subscriberReader(database: DatabaseSync) {
  const subscribers = database.prepare(
    'SELECT name, done_id, topics FROM outbox_subscriber ORDER BY name',
  );
  const subscriber = database.prepare(
    'SELECT done_id, topics FROM outbox_subscriber WHERE name = ?',
  );
  // The border first: an event committed between the two statements lies behind it.
  const border = database.prepare(
    `SELECT max(id) AS id, count(*) AS rows
     FROM (SELECT id FROM outbox WHERE id > ? ORDER BY id LIMIT ?)`,
  );
  const rows = database.prepare(
    `SELECT * FROM outbox WHERE id > ?1 AND id <= ?2
       AND (?3 IS NULL OR topic IN (SELECT value FROM json_each(?3))) ORDER BY id LIMIT ?4`,
  );
  const waiting = database.prepare(
    `SELECT count(*) AS waiting, min(created_at) AS oldest
     FROM (SELECT topic, created_at FROM outbox WHERE id > ?1 ORDER BY id LIMIT ?2)
     WHERE ?3 IS NULL OR topic IN (SELECT value FROM json_each(?3))`,
  );
  const setAside = database.prepare(
    'SELECT count(*) AS count FROM (SELECT 1 FROM outbox_set_aside WHERE subscriber = ? LIMIT ?)',
  );

  function readFor(name: string, limit: number): OutboxBatch | undefined {
    const row = subscriber.get(name);
    if (row === undefined) return undefined;
    const { doneId, topics } = toPlace(row);
    const { id: last, rows: looked } = border.get(doneId, LOOK_ROWS) ?? {};
    if (typeof last !== 'number') return undefined;
    const count = Math.min(limit, PAGE_ROWS_MAX);
    const events = rows.all(doneId, last, topics ?? null, count).map(toOutboxEvent);
    if (events.length === 0 && Number(looked) < LOOK_ROWS) return undefined;
    const isFull = events.length === count;
    return { events, token: (isFull ? events.at(-1)?.id : undefined) ?? String(last) };
  }

  const figures = (): SubscriberFigures[] =>
    subscribers.all().map((row) => {
      const { doneId, topics } = toPlace(row);
      const found = waiting.get(doneId, OUTBOX_COUNT_MAX, topics ?? null);
      const oldest = found?.oldest;
      return {
        subscriber: String(row.name),
        waiting: Number(found?.waiting),
        ...(typeof oldest === 'number' && { oldestAt: oldest as EpochMs }),
        setAside: Number(setAside.get(String(row.name), OUTBOX_COUNT_MAX)?.count),
      };
    });

  return { readFor, figures };
}

export function outboxWriter(database: DatabaseSync) {
  const mark = database.prepare(
    'UPDATE outbox_subscriber SET done_id = max(done_id, ?) WHERE name = ?',
  );
  // By id first: the table is in the order of time except for clock corrections, which wait a
  // round. A subscriber to every topic bounds the look, so a bus that is away costs no walk of the
  // table.
  const purge = database.prepare(
    `DELETE FROM outbox WHERE created_at < ?1 AND id IN
       (SELECT id FROM outbox
        WHERE id <= (SELECT min(done_id) FROM outbox_subscriber WHERE topics IS NULL)
          AND NOT EXISTS (SELECT 1 FROM outbox_subscriber AS behind
            WHERE behind.done_id < outbox.id
              AND outbox.topic IN (SELECT value FROM json_each(behind.topics)))
        ORDER BY id LIMIT ?2)`,
  );
  const remove = database.prepare('DELETE FROM outbox_subscriber WHERE name = ?');
  const removeAside = database.prepare('DELETE FROM outbox_set_aside WHERE subscriber = ?');
  return {
    subscribe: subscriptionWriter(database),
    unsubscribe(name: string): void {
      removeAside.run(name);
      remove.run(name);
    },
    markDone(name: string, token: string): void {
      mark.run(parseId(token), name);
    },
    /** One step; the caller repeats it until it answers less than PURGE_ROWS_MAX. */
    purge: (createdBefore: EpochMs): number =>
      Number(purge.run(createdBefore, PURGE_ROWS_MAX).changes),
  };
}

function subscriptionWriter(database: DatabaseSync) {
  const find = database.prepare('SELECT topics FROM outbox_subscriber WHERE name = ?');
  const insert = database.prepare(
    `INSERT INTO outbox_subscriber (name, topics, done_id) VALUES
       (?1, ?2, CASE WHEN ?3 = 'kept' THEN 0 ELSE (SELECT coalesce(max(id), 0) FROM outbox) END)`,
  );
  const widen = database.prepare('UPDATE outbox_subscriber SET topics = ? WHERE name = ?');
  return (subscriptions: readonly Subscription[]): void => {
    for (const { from, name, topics } of subscriptions) {
      const found = find.get(name);
      if (found === undefined) insert.run(name, JSON.stringify(topics), from);
      if (typeof found?.topics !== 'string') continue;
      const known = JSON.parse(found.topics) as string[];
      const all = [...new Set([...known, ...topics])];
      if (all.length > known.length) widen.run(JSON.stringify(all), name);
    }
  };
}

const toPlace = (row: Record<string, unknown>): Place => ({
  doneId: Number(row.done_id),
  topics: typeof row.topics === 'string' ? row.topics : undefined,
});

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
