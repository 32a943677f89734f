/**
 * OutboxStore on MongoDB: one document per group, in the order of (at, chain, group), which is a
 * chain's own order since `at` never goes back within it. Chains commit beside each other, so no
 * single cursor can say what was published: each document is marked, found by a partial index.
 */
import assert from 'node:assert/strict';
import type { OutboxEvent, OutboxStore } from '#core/audit';
import type { EpochMs } from '#platform/clock';
import { PAGE_ROWS_MAX } from '../limits.ts';
import type { Collections, OutboxDocument } from './collections.ts';
import { padId } from './effects.ts';

const INDEX_DIGITS = 6;
const idOf = (document: OutboxDocument, index: number): string =>
  `${document._id}-${padId(index, INDEX_DIGITS)}`;

/** What a token says: these documents wholly, and the last one up to `count` events. */
interface Token {
  readonly ids: readonly string[];
  readonly count: number;
}

export function outboxStore({ outbox }: Collections): OutboxStore {
  return {
    async readUnpublished(limit) {
      const count = Math.min(limit, PAGE_ROWS_MAX);
      const cursor = outbox.find({ isPending: true }).sort({ at: 1, chain: 1, group: 1 });
      const events: OutboxEvent[] = [];
      const ids: string[] = [];
      let countInLast = 0;
      for await (const document of cursor.limit(count)) {
        const room = count - events.length;
        countInLast = Math.min(document.events.length, document.published + room);
        events.push(...eventsOf(document, document.published, countInLast));
        ids.push(document._id);
        if (events.length === count) break;
      }
      const token = JSON.stringify({ ids, count: countInLast } satisfies Token);
      return events.length === 0 ? undefined : { events, token };
    },

    async markPublished(text) {
      const { ids, count } = parseToken(text);
      const last = ids.at(-1);
      const whole = {
        $unset: { isPending: true },
        $max: { published: Number.MAX_SAFE_INTEGER },
      } as const;
      await outbox.updateMany({ _id: { $in: ids.slice(0, -1) } }, whole);
      if (last === undefined) return;
      const isWhole = { _id: last, [`events.${count}`]: { $exists: false } };
      const { matchedCount } = await outbox.updateOne(isWhole, whole);
      if (matchedCount === 0) await outbox.updateOne({ _id: last }, { $max: { published: count } });
    },

    async readPublished({ partition, afterId, limit }) {
      const count = Math.min(limit, PAGE_ROWS_MAX);
      const fromGroup = Number(afterId.slice(0, afterId.indexOf('-')));
      const filter = { 'events.partition': partition, group: { $gte: fromGroup } };
      const found: OutboxEvent[] = [];
      for await (const document of outbox.find(filter).sort({ group: 1, chain: 1 })) {
        const published = eventsOf(document, 0, document.published);
        found.push(
          ...published.filter((event) => event.partition === partition && event.id > afterId),
        );
        if (found.length >= count) break;
      }
      return found.slice(0, count);
    },

    /** Counts groups of events, which is what is kept and goes together here. */
    async purgePublished(createdBefore) {
      const filter = { isPending: { $exists: false }, at: { $lt: createdBefore } };
      return (await outbox.deleteMany(filter)).deletedCount;
    },
  };
}

function eventsOf(document: OutboxDocument, from: number, until: number): OutboxEvent[] {
  return document.events.slice(from, until).map(({ topic, partition, payload }, index) => ({
    id: idOf(document, from + index),
    topic: topic as OutboxEvent['topic'],
    partition,
    payload: JSON.parse(payload) as OutboxEvent['payload'],
    createdAt: document.at as EpochMs,
  }));
}

function parseToken(text: string): Token {
  const token = JSON.parse(text) as Token;
  assert(Array.isArray(token.ids) && Number.isSafeInteger(token.count), 'outbox token');
  return token;
}
