/**
 * What reactions need of storage: outgoing events read by any number of subscribers, each with its
 * own place in them, and leases on subscribers. src/storage/<technology>/outboxStore.ts and
 * outboxLeases.ts implement it.
 */
import type { BusEvent, BusTopic } from '#core/kernel';
import type { EpochMs } from '#platform/clock';

/**
 * The subscriber that brings events to the bus. It is registered in every store from the beginning
 * and takes every topic, so unread events wait for it.
 */
export const BUS_SUBSCRIBER = 'bus';

/** One event as a subscriber gets it. */
export interface OutboxEvent extends BusEvent {
  /** Unique, and growing within a partition. */
  readonly id: string;
  readonly createdAt: EpochMs;
}

/** Which events a subscriber wants. */
export interface Subscription {
  /** Kept for ever: another name is another subscriber, which begins anew. */
  readonly name: string;
  readonly topics: readonly BusTopic[];
  /**
   * Where it begins when it is registered for the first time: with events committed from then on,
   * or with the oldest that is kept.
   */
  readonly from: 'now' | 'kept';
}

/** Some events, and a token to mark them done. */
export interface OutboxBatch {
  /**
   * Oldest first within each partition; some may have topics that the subscriber did not ask for.
   * Empty where only other subscribers want the events that were read.
   */
  readonly events: readonly OutboxEvent[];
  /** For `markDone`: stands for all of `events`, and for the events that were skipped. */
  readonly token: string;
}

/** How far a subscriber is behind. */
export interface SubscriberFigures {
  readonly subscriber: string;
  /** Events that it has not done, counted up to some ten thousand. */
  readonly waiting: number;
  /** When the oldest of them was committed. */
  readonly oldestAt?: EpochMs;
  /** Events set aside for it, counted in the same way. */
  readonly setAside: number;
}

/** Outgoing events: at least once for each subscriber, in order within a partition. */
export interface OutboxStore {
  /**
   * Registers new subscribers, and adds topics to known ones. A topic is never removed, since a
   * process of an older release may subscribe as well. Repeatable.
   */
  subscribe(subscriptions: readonly Subscription[]): Promise<void>;
  /** Removes a subscriber that no release has any more, with its events set aside. */
  unsubscribe(subscriber: string): Promise<void>;
  /**
   * The next events that the subscriber has not done, about `limit` (1..1000) of them: a store may
   * return all events of a commit together. It returns the same events until they are marked.
   * Undefined: there is nothing to do.
   */
  readFor(subscriber: string, limit: number): Promise<OutboxBatch | undefined>;
  /**
   * Those of these subscribers for which `readFor` finds something: a look for all of them in one
   * call. A store may name others too, never too few.
   */
  findBehind(subscribers: readonly string[]): Promise<string[]>;
  /** Marks a batch done. Repeatable; an older token has no effect. */
  markDone(subscriber: string, token: string): Promise<void>;
  /**
   * For a reader whose stream was trimmed: a partition's events after an id, while they are kept.
   */
  readKept(page: { partition: string; afterId: string; limit: number }): Promise<OutboxEvent[]>;
  /** Figures of every subscriber, ordered by name. */
  figures(): Promise<SubscriberFigures[]>;
  /** Removes events committed before this instant that every subscriber has done. */
  purge(createdBefore: EpochMs): Promise<number>;
}

/**
 * The lease of a subscriber: one process at a time works for it. It is taken over once its holder
 * is silent: fence and beat stand still on the observer's own clock (decision 4.1).
 */
export interface SubscriberLease {
  readonly subscriber: string;
  /** Absent: the lease is free. */
  readonly holder?: string;
  /** Grows whenever the lease changes hands. */
  readonly fence: number;
  /** Grows with each renewal. */
  readonly beat: number;
  /** Id of the event that a careful holder has begun; `tries` is how many have begun it. */
  readonly trying?: string;
  readonly tries: number;
}

/** Leases, by compare-and-set. */
export interface SubscriberLeaseStore {
  /** Undefined: no such subscriber. */
  findLease(subscriber: string): Promise<SubscriberLease | undefined>;
  /** The lease, now the holder's; undefined where it is not as `seen` any more. */
  takeLease(seen: SubscriberLease, holder: string): Promise<SubscriberLease | undefined>;
  /** Writes beat, `trying` and `tries`; false: the lease has another fence by now. */
  renewLease(lease: SubscriberLease): Promise<boolean>;
  /** Releases the lease; no effect where its fence is another one by now. */
  releaseLease(lease: SubscriberLease): Promise<void>;
}

/**
 * An event that a subscriber could not do and has skipped. The event is stored in full, since the
 * outbox may remove it; it names ids and verdicts and no person (decision 7.6).
 */
export interface SetAside {
  readonly subscriber: string;
  readonly event: OutboxEvent;
  /** Code of the last failure. */
  readonly code: string;
  readonly tries: number;
  readonly at: EpochMs;
}

/** Events set aside, kept until an operator retries them with success or drops them. */
export interface SetAsideStore {
  /** Replaces the record of this subscriber and event, if there is one. */
  setAside(record: SetAside): Promise<void>;
  /** Oldest first, at most `limit` (1..1000). `isWanted`: only those that are to be retried. */
  listSetAside(page: {
    readonly subscriber?: string;
    readonly isWanted?: true;
    readonly limit: number;
  }): Promise<SetAside[]>;
  /** Those of these subscribers that have an event to retry. */
  findWanted(subscribers: readonly string[]): Promise<string[]>;
  /** Undefined: no such event is set aside for this subscriber. */
  findSetAside(subscriber: string, eventId: string): Promise<SetAside | undefined>;
  /** Lets the worker try it once more; false: no such event is set aside. */
  retrySetAside(subscriber: string, eventId: string): Promise<boolean>;
  /** Removes it; false: no such event is set aside. */
  dropSetAside(subscriber: string, eventId: string): Promise<boolean>;
}

/** Everything that a store implements for reactions. */
export interface Outbox extends OutboxStore, SubscriberLeaseStore, SetAsideStore {}
