/**
 * What reactions need of storage: outgoing events read by any number of subscribers, each with its
 * own place in them, and who works for a subscriber. src/storage/<technology>/outboxStore.ts and
 * outboxLeases.ts implement it.
 */
import type { BusEvent, BusTopic } from '#core/kernel';
import type { EpochMs } from '#platform/clock';

/**
 * The subscriber that brings events to the bus. It is registered in every store from the beginning
 * and takes every topic: what nobody has read yet waits for it.
 */
export const BUS_SUBSCRIBER = 'bus';

/** One event as a subscriber gets it. */
export interface OutboxEvent extends BusEvent {
  /** Unique, and growing within a partition. */
  readonly id: string;
  readonly createdAt: EpochMs;
}

/** Who wants which events. */
export interface Subscription {
  /** Kept for ever: another name is another subscriber, who begins anew. */
  readonly name: string;
  readonly topics: readonly BusTopic[];
  /**
   * Where it begins when it is registered for the first time: with events committed from then on,
   * or with the oldest that is kept.
   */
  readonly from: 'now' | 'kept';
}

/** Some events, and how to say that they are done. */
export interface OutboxBatch {
  /**
   * Oldest first within each partition; some may have topics that the subscriber did not ask for.
   * Empty where all that was looked through is for others.
   */
  readonly events: readonly OutboxEvent[];
  /** For `markDone`: all of `events`, and what was passed over. */
  readonly token: string;
}

/** How far a subscriber is behind. */
export interface SubscriberFigures {
  readonly subscriber: string;
  /** Events that it has not done, counted up to some ten thousand. */
  readonly waiting: number;
  /** When the oldest of them was committed. */
  readonly oldestAt?: EpochMs;
  /** Events set aside for it, counted likewise. */
  readonly setAside: number;
}

/** Outgoing events: at least once for each subscriber, in order within a partition. */
export interface OutboxStore {
  /**
   * Registers those that are new, and adds topics to those that are known: a topic is never taken
   * away, since a process of an older release may ask as well. Repeatable.
   */
  subscribe(subscriptions: readonly Subscription[]): Promise<void>;
  /** Forgets a subscriber that no release has any more, with what was set aside for it. */
  unsubscribe(subscriber: string): Promise<void>;
  /**
   * The next events that the subscriber has not done, about `limit` (1..1000) of them: a store may
   * hand out what was committed together as a whole. The same again until they are marked.
   * Undefined: there is nothing to do.
   */
  readFor(subscriber: string, limit: number): Promise<OutboxBatch | undefined>;
  /** Repeatable; an older token takes nothing back. */
  markDone(subscriber: string, token: string): Promise<void>;
  /** For a reader whose stream was trimmed: a partition's events after an id, while kept. */
  readKept(page: { partition: string; afterId: string; limit: number }): Promise<OutboxEvent[]>;
  /** Of every subscriber, by name. */
  figures(): Promise<SubscriberFigures[]>;
  /** Removes events committed before this instant that every subscriber has done. */
  purge(createdBefore: EpochMs): Promise<number>;
}

/**
 * Who works for a subscriber: one process at a time. A lease is taken over once its holder is
 * silent, told by fence and beat that stand still on the observer's own clock (decision 4.1).
 */
export interface SubscriberLease {
  readonly subscriber: string;
  /** Absent: nobody works. */
  readonly holder?: string;
  /** Grows whenever the lease changes hands. */
  readonly fence: number;
  /** Grows with each renewal. */
  readonly beat: number;
  /** The id of the event that a careful holder has begun, and how many have begun it. */
  readonly trying?: string;
  readonly tries: number;
}

/** Leases, by compare-and-set. */
export interface SubscriberLeaseStore {
  /** Undefined: no such subscriber. */
  findLease(subscriber: string): Promise<SubscriberLease | undefined>;
  /** The lease, now the holder's; undefined where it no longer stands as it was seen. */
  takeLease(seen: SubscriberLease, holder: string): Promise<SubscriberLease | undefined>;
  /** Writes beat, `trying` and `tries`; false: the lease has another fence by now. */
  renewLease(lease: SubscriberLease): Promise<boolean>;
  /** Nothing happens where the fence is another one by now. */
  releaseLease(lease: SubscriberLease): Promise<void>;
}

/**
 * An event that a subscriber could not do and has passed over. The event is held in full, since the
 * outbox may forget it; it names ids and verdicts and no person (decision 7.6).
 */
export interface SetAside {
  readonly subscriber: string;
  readonly event: OutboxEvent;
  /** Of the last failure. */
  readonly code: string;
  readonly tries: number;
  readonly at: EpochMs;
}

/** Events set aside, kept until somebody retries them with success or drops them. */
export interface SetAsideStore {
  /** Takes the place of what is there for this subscriber and event. */
  setAside(record: SetAside): Promise<void>;
  /** Oldest first, at most `limit` (1..1000); `isWanted`: those alone that are to be retried. */
  listSetAside(page: {
    readonly subscriber?: string;
    readonly isWanted?: true;
    readonly limit: number;
  }): Promise<SetAside[]>;
  /** The worker tries it once more; false: no such event is set aside. */
  retrySetAside(subscriber: string, eventId: string): Promise<boolean>;
  /** False: no such event is set aside. */
  dropSetAside(subscriber: string, eventId: string): Promise<boolean>;
}

/** All of it, as a store has it. */
export interface Outbox extends OutboxStore, SubscriberLeaseStore, SetAsideStore {}
