/**
 * The subscribers of the outbox, and the lists of them that its documents carry (outboxStore.ts).
 * The relay's needs no registration: it takes every topic of every document.
 */
import type { Filter } from 'mongodb';
import { BUS_SUBSCRIBER, type Subscription } from '#core/reactions';
import type { Collections, OutboxDocument, SubscriberDocument } from './collections.ts';
import { EVERYONE } from './effects.ts';
import { isDuplicateKey } from './errors.ts';

/** Documents that one step addresses, so that others get their turn between steps. */
const STEP_DOCUMENTS = 1_000;

const BUS: SubscriberDocument = {
  _id: BUS_SUBSCRIBER,
  topics: null,
  holder: null,
  fence: 0,
  beat: 0,
  trying: null,
  tries: 0,
};

interface Known {
  readonly name: string;
  /** Null: every topic. */
  readonly topics: readonly string[] | null;
}

/** Subscribers by name; the relay's is always among them. */
export async function listSubscribers({ subscriber }: Collections): Promise<readonly Known[]> {
  const stored = await subscriber.find().sort({ _id: 1 }).toArray();
  const all = stored.some(({ _id }) => _id === BUS_SUBSCRIBER) ? stored : [BUS, ...stored];
  return all.map(({ _id, topics }) => ({ name: _id, topics }));
}

/** See OutboxStore.subscribe. */
export async function registerSubscribers(
  collections: Collections,
  subscriptions: readonly Subscription[],
): Promise<void> {
  await insert(collections, BUS);
  const known = new Set((await listSubscribers(collections)).map(({ name }) => name));
  const others = subscriptions.filter(({ name }) => name !== BUS_SUBSCRIBER);
  const added = others.filter(({ name }) => !known.has(name));
  // Events committed by now are for the subscribers registered by now.
  if (added.length > 0) await addressAll(collections);
  for (const { from, name, topics } of added) {
    if (from === 'kept') await addToKept(collections, name, topics);
    await insert(collections, { ...BUS, _id: name, topics });
  }
  for (const { name, topics } of others) {
    const $addToSet = { topics: { $each: [...topics] } };
    await collections.subscriber.updateOne({ _id: name }, { $addToSet });
  }
}

async function insert({ subscriber }: Collections, document: SubscriberDocument): Promise<void> {
  try {
    await subscriber.insertOne(document);
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
}

/** See OutboxStore.unsubscribe. */
export async function forgetSubscriber(collections: Collections, name: string): Promise<void> {
  await collections.subscriber.deleteOne({ _id: name });
  await collections.setAside.deleteMany({ subscriber: name });
  await removePending(collections, name, { pending: name });
}

/** Documents of the former release become pending for everyone; false where there were none. */
export async function adoptFormer({ outbox }: Collections): Promise<boolean> {
  const filter = { isPending: true } as const;
  // Nearly always: a read costs less than a write that finds nothing.
  if ((await outbox.findOne(filter, { projection: { _id: 1 } })) === null) return false;
  await outbox.updateMany(filter, { $set: { pending: [EVERYONE] }, $unset: { isPending: 1 } });
  return true;
}

/** Replaces EVERYONE in these documents by names, and answers those that are for `name`. */
export async function addressPage(
  collections: Collections,
  page: readonly OutboxDocument[],
  name: string,
): Promise<readonly OutboxDocument[]> {
  const isOpen = (document: OutboxDocument) => document.pending?.includes(EVERYONE) === true;
  const open = page.filter(isOpen);
  if (open.length === 0) return page;
  const known = await listSubscribers(collections);
  const namesOf = ({ events }: OutboxDocument): string[] =>
    known
      .filter(({ topics }) => topics === null || events.some(({ topic }) => topics.includes(topic)))
      .map((one) => one.name);
  const alike = Map.groupBy(open, (document) => JSON.stringify(namesOf(document)));
  for (const [names, documents] of alike) {
    const filter = { _id: { $in: documents.map(({ _id }) => _id) }, pending: EVERYONE };
    const pending = JSON.parse(names) as string[];
    await collections.outbox.updateMany(filter, { $set: { pending } });
  }
  return page.filter((document) => !isOpen(document) || namesOf(document).includes(name));
}

async function addressAll(collections: Collections): Promise<void> {
  await adoptFormer(collections);
  for (;;) {
    const open = collections.outbox.find({ pending: EVERYONE }).limit(STEP_DOCUMENTS);
    const page = await open.toArray();
    if (page.length === 0) return;
    await addressPage(collections, page, BUS_SUBSCRIBER);
  }
}

/** By id, in several writes: one write would take as long as the outbox is large. */
async function addToKept(
  { outbox }: Collections,
  name: string,
  topics: readonly string[],
): Promise<void> {
  const filter = { 'events.topic': { $in: [...topics] } };
  for (let after = ''; ; ) {
    const page = outbox
      .find({ _id: { $gt: after }, ...filter })
      .project<Pick<OutboxDocument, '_id'>>({ _id: 1 })
      .sort({ _id: 1 })
      .limit(STEP_DOCUMENTS);
    const ids = (await page.toArray()).map(({ _id }) => _id);
    const last = ids.at(-1);
    if (last === undefined) return;
    await outbox.updateMany({ _id: { $in: ids } }, { $addToSet: { pending: name } });
    after = last;
  }
}

/** A document that is pending for no one has no list, and so no place in the index. */
export async function removePending(
  { outbox }: Collections,
  name: string,
  filter: Filter<OutboxDocument>,
): Promise<void> {
  const others = { $setDifference: [{ $ifNull: ['$pending', []] }, [name]] };
  const pending = { $cond: [{ $eq: [others, []] }, '$$REMOVE', others] };
  await outbox.updateMany(filter, [{ $set: { pending } }]);
}
