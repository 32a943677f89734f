/**
 * OutboxStore on MongoDB: one document per group, in the order of (at, chain, group), which is a
 * chain's own order since `at` never goes back within it. Chains commit in parallel, so no cursor
 * can say what was done: each document lists the subscribers for which it is pending.
 *
 * A writer knows no subscribers and writes EVERYONE. A reader replaces that by those that are
 * registered for the document's topics. It reads them after the document, so one that is missing
 * among them was registered after the commit.
 *
 * A scan of the index is no snapshot: a document may move behind it while a later one of its chain
 * still lies ahead. So the documents found are checked once more before they are returned.
 */
import assert from 'node:assert/strict';
import type { Filter } from 'mongodb';
import type { OutboxBatch, OutboxEvent, OutboxStore, SubscriberFigures } from '#core/reactions';
import type { EpochMs } from '#platform/clock';
import { OUTBOX_COUNT_MAX, PAGE_ROWS_MAX, PURGE_ROWS_MAX } from '../limits.ts';
import type { Collections, OutboxDocument } from './collections.ts';
import { EVERYONE, padId } from './effects.ts';
import {
  addressPage,
  adoptFormer,
  forgetSubscriber,
  listSubscribers,
  registerSubscribers,
  removePending,
} from './outboxSubscribers.ts';

const INDEX_DIGITS = 6;
/** Documents that a look for all subscribers reads before it takes all of them for behind. */
const BEHIND_DOCUMENTS = 100;
const ORDER = { at: 1, chain: 1, group: 1 } as const;

/** Includes documents that no reader has addressed yet. */
const pendingFor = (subscriber: string): Filter<OutboxDocument> => ({
  pending: { $in: [subscriber, EVERYONE] },
});

export function outboxStore(collections: Collections): OutboxStore {
  const { outbox } = collections;
  return {
    subscribe: (subscriptions) => registerSubscribers(collections, subscriptions),
    unsubscribe: (subscriber) => forgetSubscriber(collections, subscriber),
    readFor: (subscriber, limit) => readFor(collections, { limit, subscriber }),

    async findBehind(subscribers) {
      const pending = { $in: [...subscribers, EVERYONE] };
      const found = await outbox
        .find({ $or: [{ pending }, { isPending: true }] }, { projection: { pending: 1 } })
        .limit(BEHIND_DOCUMENTS)
        .toArray();
      // What nobody has addressed yet, and what a process of the former release wrote, may be for
      // any of them.
      const isForAll = found.some((one) => one.pending?.includes(EVERYONE) ?? true);
      if (isForAll || found.length === BEHIND_DOCUMENTS) return [...subscribers];
      const named = new Set(found.flatMap((one) => one.pending ?? []));
      return subscribers.filter((name) => named.has(name));
    },

    async markDone(subscriber, token) {
      await removePending(collections, subscriber, { _id: { $in: parseToken(token) } });
    },

    async readKept({ partition, afterId, limit }) {
      const count = Math.min(limit, PAGE_ROWS_MAX);
      const fromGroup = Number(afterId.slice(0, afterId.indexOf('-')));
      const filter = { 'events.partition': partition, group: { $gte: fromGroup } };
      const found: OutboxEvent[] = [];
      for await (const document of outbox.find(filter).sort({ group: 1, chain: 1 })) {
        const events = eventsOf(document);
        found.push(
          ...events.filter((event) => event.partition === partition && event.id > afterId),
        );
        if (found.length >= count) break;
      }
      return found.slice(0, count);
    },

    async figures() {
      const known = await listSubscribers(collections);
      return Promise.all(known.map(({ name }) => figuresOf(collections, name)));
    },

    /** Counts groups of events, since a group is kept and removed as a whole here. */
    async purge(createdBefore) {
      const done = { 'pending.0': { $exists: false }, isPending: { $exists: false } } as const;
      const filter = { at: { $lt: createdBefore }, ...done };
      for (let purged = 0; ; ) {
        const page = outbox.find(filter, { projection: { _id: 1 } }).limit(PURGE_ROWS_MAX);
        const ids = (await page.toArray()).map(({ _id }) => _id);
        purged += (await outbox.deleteMany({ _id: { $in: ids } })).deletedCount;
        if (ids.length < PURGE_ROWS_MAX) return purged;
      }
    },
  };
}

async function readFor(
  collections: Collections,
  { limit, subscriber }: { readonly limit: number; readonly subscriber: string },
): Promise<OutboxBatch | undefined> {
  const { outbox } = collections;
  const count = Math.min(limit, PAGE_ROWS_MAX);
  for (;;) {
    const page: OutboxDocument[] = [];
    let found = 0;
    const cursor = outbox.find(pendingFor(subscriber)).sort(ORDER).limit(count);
    for await (const document of cursor) {
      page.push(document);
      found += document.events.length;
      if (found >= count) break;
    }
    // After the read: documents that a process of the former release wrote before it must not
    // follow.
    if (await adoptFormer(collections)) continue;
    const last = page.at(-1);
    if (last === undefined) return undefined;
    if (await hasEarlier(page, last)) continue;
    const mine = await addressPage(collections, page, subscriber);
    // All of it was for others, and is theirs now.
    if (mine.length === 0) continue;
    const token = JSON.stringify(mine.map(({ _id }) => _id));
    return { events: mine.flatMap((document) => eventsOf(document)), token };
  }

  /** One of a chain that was passed over, before one of it that was found. */
  async function hasEarlier(
    page: readonly OutboxDocument[],
    { at }: OutboxDocument,
  ): Promise<boolean> {
    const seen = new Set(page.map(({ _id }) => _id));
    const lastOf = new Map(page.map(({ chain, group }) => [chain, group]));
    const again = outbox
      .find({ ...pendingFor(subscriber), at: { $lte: at } })
      .project<Pick<OutboxDocument, '_id' | 'chain' | 'group'>>({ chain: 1, group: 1 });
    for await (const { _id, chain, group } of again) {
      if (!seen.has(_id) && group < (lastOf.get(chain) ?? 0)) return true;
    }
    return false;
  }
}

async function figuresOf(
  { outbox, setAside }: Collections,
  subscriber: string,
): Promise<SubscriberFigures> {
  const [found] = await outbox
    .aggregate<{ waiting: number; oldest: number }>([
      { $match: pendingFor(subscriber) },
      { $sort: ORDER },
      { $limit: OUTBOX_COUNT_MAX },
      {
        $group: {
          _id: null,
          waiting: { $sum: { $size: '$events' } },
          oldest: { $min: '$at' },
        },
      },
    ])
    .toArray();
  const aside = await setAside.countDocuments({ subscriber }, { limit: OUTBOX_COUNT_MAX });
  return {
    subscriber,
    waiting: found?.waiting ?? 0,
    ...(found !== undefined && { oldestAt: found.oldest as EpochMs }),
    setAside: aside,
  };
}

function eventsOf(document: OutboxDocument): OutboxEvent[] {
  return document.events.map(({ topic, partition, payload }, index) => ({
    id: `${document._id}-${padId(index, INDEX_DIGITS)}`,
    topic: topic as OutboxEvent['topic'],
    partition,
    payload: JSON.parse(payload) as OutboxEvent['payload'],
    createdAt: document.at as EpochMs,
  }));
}

/** Ids of documents: they are done as a whole. */
function parseToken(text: string): string[] {
  const ids: unknown = JSON.parse(text);
  assert(Array.isArray(ids), 'outbox token: expected a list of ids');
  return ids.map(String);
}
