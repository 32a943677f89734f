/** Leases of the outbox's subscribers, and the events that were set aside for them. */
import type {
  OutboxEvent,
  SetAside,
  SetAsideStore,
  SubscriberLease,
  SubscriberLeaseStore,
} from '#core/reactions';
import type { EpochMs } from '#platform/clock';
import { PAGE_ROWS_MAX } from '../limits.ts';
import type { Collections, SetAsideDocument, SubscriberDocument } from './collections.ts';

export function leaseStore({ subscriber: subscribers }: Collections): SubscriberLeaseStore {
  return {
    async findLease(subscriber) {
      const found = await subscribers.findOne({ _id: subscriber });
      return found === null ? undefined : toLease(found);
    },
    async takeLease({ beat, fence, subscriber }, holder) {
      const taken = await subscribers.findOneAndUpdate(
        { _id: subscriber, beat, fence },
        { $set: { holder }, $inc: { beat: 1, fence: 1 } },
        { returnDocument: 'after' },
      );
      return taken === null ? undefined : toLease(taken);
    },
    async renewLease({ beat, fence, subscriber, tries, trying = null }) {
      const $set = { beat, tries, trying };
      return (await subscribers.updateOne({ _id: subscriber, fence }, { $set })).matchedCount === 1;
    },
    async releaseLease({ fence, subscriber }) {
      await subscribers.updateOne(
        { _id: subscriber, fence },
        { $set: { holder: null, tries: 0, trying: null }, $inc: { fence: 1 } },
      );
    },
  };
}

export function setAsideStore({ setAside: records }: Collections): SetAsideStore {
  const idOf = (subscriber: string, eventId: string): string => `${subscriber}/${eventId}`;
  return {
    async setAside({ at, code, event, subscriber, tries }) {
      await records.updateOne(
        { _id: idOf(subscriber, event.id) },
        {
          $set: { at, code, tries },
          $setOnInsert: { event: JSON.stringify(event), firstAt: at, subscriber },
          $unset: { isWanted: 1 },
        },
        { upsert: true },
      );
    },
    async listSetAside({ isWanted, limit, subscriber }) {
      const found = records
        .find({ ...(subscriber !== undefined && { subscriber }), ...(isWanted && { isWanted }) })
        .sort({ firstAt: 1, _id: 1 });
      return (await found.limit(Math.min(limit, PAGE_ROWS_MAX)).toArray()).map(toSetAside);
    },
    findWanted: (subscribers) =>
      records.distinct('subscriber', { isWanted: true, subscriber: { $in: [...subscribers] } }),
    async findSetAside(subscriber, eventId) {
      const found = await records.findOne({ _id: idOf(subscriber, eventId) });
      return found === null ? undefined : toSetAside(found);
    },
    async retrySetAside(subscriber, eventId) {
      const filter = { _id: idOf(subscriber, eventId) };
      return (await records.updateOne(filter, { $set: { isWanted: true } })).matchedCount === 1;
    },
    async dropSetAside(subscriber, eventId) {
      return (await records.deleteOne({ _id: idOf(subscriber, eventId) })).deletedCount === 1;
    },
  };
}

function toLease({ _id, beat, fence, holder, tries, trying }: SubscriberDocument): SubscriberLease {
  return {
    subscriber: _id,
    ...(holder !== null && { holder }),
    fence,
    beat,
    ...(trying !== null && { trying }),
    tries,
  };
}

const toSetAside = ({ at, code, event, subscriber, tries }: SetAsideDocument): SetAside => ({
  subscriber,
  event: JSON.parse(event) as OutboxEvent,
  code,
  tries,
  at: at as EpochMs,
});
