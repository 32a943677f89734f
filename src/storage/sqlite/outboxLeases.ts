/** Leases of the outbox's subscribers, and the events that were set aside for them. */
import type { DatabaseSync } from 'node:sqlite';
import type { OutboxEvent, SetAside, SubscriberLease } from '#core/reactions';
import type { EpochMs } from '#platform/clock';
import { PAGE_ROWS_MAX } from '../limits.ts';

const LEASE_COLUMNS = 'name, holder, fence, beat, trying, tries';

export function leaseReader(database: DatabaseSync) {
  const lease = database.prepare(`SELECT ${LEASE_COLUMNS} FROM outbox_subscriber WHERE name = ?`);
  const all = database.prepare(
    'SELECT * FROM outbox_set_aside WHERE is_wanted >= ? ORDER BY id LIMIT ?',
  );
  const bySubscriber = database.prepare(
    'SELECT * FROM outbox_set_aside WHERE subscriber = ? ORDER BY id LIMIT ?',
  );
  const wanted = database.prepare(
    'SELECT * FROM outbox_set_aside WHERE subscriber = ? AND is_wanted = 1 ORDER BY id LIMIT ?',
  );
  const one = database.prepare(
    'SELECT * FROM outbox_set_aside WHERE subscriber = ? AND event_id = ?',
  );
  return {
    findLease(subscriber: string): SubscriberLease | undefined {
      const row = lease.get(subscriber);
      return row === undefined ? undefined : toLease(row);
    },
    findSetAside(subscriber: string, eventId: string): SetAside | undefined {
      const row = one.get(subscriber, eventId);
      return row === undefined ? undefined : toSetAside(row);
    },
    findWanted: (subscribers: readonly string[]): string[] =>
      subscribers.filter((subscriber) => wanted.get(subscriber, 1) !== undefined),
    listSetAside(page: { subscriber?: string; isWanted?: true; limit: number }): SetAside[] {
      const limit = Math.min(page.limit, PAGE_ROWS_MAX);
      const least = page.isWanted === true ? 1 : 0;
      if (page.subscriber === undefined) return all.all(least, limit).map(toSetAside);
      const statement = page.isWanted === true ? wanted : bySubscriber;
      return statement.all(page.subscriber, limit).map(toSetAside);
    },
  };
}

export function leaseWriter(database: DatabaseSync) {
  const take = database.prepare(
    `UPDATE outbox_subscriber SET holder = ?1, fence = fence + 1, beat = beat + 1
     WHERE name = ?2 AND fence = ?3 AND beat = ?4 RETURNING ${LEASE_COLUMNS}`,
  );
  const renew = database.prepare(
    `UPDATE outbox_subscriber SET beat = ?1, trying = ?2, tries = ?3
     WHERE name = ?4 AND fence = ?5`,
  );
  const release = database.prepare(
    `UPDATE outbox_subscriber SET holder = NULL, fence = fence + 1, trying = NULL, tries = 0
     WHERE name = ?1 AND fence = ?2`,
  );
  return {
    takeLease(
      { beat, fence, subscriber }: SubscriberLease,
      holder: string,
    ): SubscriberLease | undefined {
      const row = take.get(holder, subscriber, fence, beat);
      return row === undefined ? undefined : toLease(row);
    },
    renewLease({ beat, fence, subscriber, tries, trying }: SubscriberLease): boolean {
      return renew.run(beat, trying ?? null, tries, subscriber, fence).changes === 1;
    },
    releaseLease({ fence, subscriber }: SubscriberLease): void {
      release.run(subscriber, fence);
    },
    ...setAsideWriter(database),
  };
}

function setAsideWriter(database: DatabaseSync) {
  const put = database.prepare(
    `INSERT INTO outbox_set_aside (subscriber, event_id, event, code, tries, at)
     VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (subscriber, event_id) DO UPDATE SET
       code = excluded.code, tries = excluded.tries, at = excluded.at, is_wanted = 0`,
  );
  const want = database.prepare(
    'UPDATE outbox_set_aside SET is_wanted = 1 WHERE subscriber = ? AND event_id = ?',
  );
  const drop = database.prepare(
    'DELETE FROM outbox_set_aside WHERE subscriber = ? AND event_id = ?',
  );
  return {
    setAside({ at, code, event, subscriber, tries }: SetAside): void {
      put.run(subscriber, event.id, JSON.stringify(event), code, tries, at);
    },
    retrySetAside: (subscriber: string, eventId: string): boolean =>
      want.run(subscriber, eventId).changes === 1,
    dropSetAside: (subscriber: string, eventId: string): boolean =>
      drop.run(subscriber, eventId).changes === 1,
  };
}

function toLease(row: Record<string, unknown>): SubscriberLease {
  return {
    subscriber: row.name as string,
    ...(typeof row.holder === 'string' && { holder: row.holder }),
    fence: row.fence as number,
    beat: row.beat as number,
    ...(typeof row.trying === 'string' && { trying: row.trying }),
    tries: row.tries as number,
  };
}

const toSetAside = (row: Record<string, unknown>): SetAside => ({
  subscriber: row.subscriber as string,
  event: JSON.parse(row.event as string) as OutboxEvent,
  code: row.code as string,
  tries: row.tries as number,
  at: row.at as EpochMs,
});
