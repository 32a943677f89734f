/**
 * A word to the workers that a slice has work for them, so that one begins at once: a BullMQ queue
 * on Redis. What is to be done stands in the store, where workers look by themselves; so whatever
 * is lost here (Redis away, flushed, a word dropped) costs the time until then and nothing else.
 *
 * The sender waits for nothing: words on their way are bounded, more are dropped, and a Redis that
 * is away is asked again by its connection, not by us.
 */
import { type ConnectionOptions, Queue, Worker } from 'bullmq';
import type { RedisOptions } from 'ioredis';
import { withinMs } from '#platform/processLife';

const QUEUE_NAME = 'wake-ups';
/** On their way to Redis at once. */
export const WAKE_UPS_MAX = 100;
/** A word is of no use later. */
const WORD_MS_MAX = 2_000;
/** Without Redis, closing waits for ever; there is nothing to save. */
const CLOSE_MS = 2_000;
/** The word is heard when it is taken; nothing is done about it here. */
const HEARD_AT_ONCE = 10;

export interface Waker {
  /** After the commit. Neither throws nor waits. */
  wake(slice: string, id: string): void;
  /** Lets words on their way go, for as long as it is worth it. */
  close(): Promise<void>;
}

export interface WakeUpListener {
  close(): Promise<void>;
}

interface Word {
  /** Of the slice. */
  readonly name: string;
  readonly data: { readonly id?: unknown };
}

interface QueueOptions {
  /** `redisOptions(address, 'queue', name)`. */
  readonly connection: RedisOptions;
  /** Lost connections and words; log them as nothing that anybody must act on. */
  onFailure(error: unknown): void;
}

/** For those who leave work behind. */
export function createWaker({ connection, onFailure }: QueueOptions): Waker {
  const queue = new Queue(QUEUE_NAME, {
    // One class of options; its own declaration calls absent members undefined. Without a queue of
    // its own the connection refuses at once what it cannot send.
    connection: { ...connection, enableOfflineQueue: false } as ConnectionOptions,
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
  });
  queue.on('error', onFailure);
  const words = new Set<Promise<void>>();
  return {
    wake(slice, id) {
      if (words.size >= WAKE_UPS_MAX) return;
      // The id of the work: while nobody listens, one word of each is kept.
      const added = queue.add(slice, { id }, { jobId: `${slice}-${id}` });
      const word = withinMs(added, WORD_MS_MAX)
        .then(() => undefined, onFailure)
        .finally(() => words.delete(word));
      words.add(word);
    },
    async close() {
      await Promise.all(words);
      await withinMs(queue.close().catch(onFailure), CLOSE_MS);
      // Ends a connection that is still being tried.
      queue.disconnect().catch(onFailure);
    },
  };
}

/** For workers: `wake` is called for every word, by one of the listeners. */
export function listenForWakeUps(
  options: QueueOptions & { readonly wake: (slice: string, id: string) => void },
): WakeUpListener {
  const { connection, onFailure, wake } = options;
  const hear = async ({ data, name }: Word): Promise<void> => wake(name, String(data.id));
  const worker = new Worker<Word['data']>(QUEUE_NAME, hear, {
    concurrency: HEARD_AT_ONCE,
    connection: connection as ConnectionOptions,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
  });
  worker.on('error', onFailure);
  worker.on('failed', (_, error) => onFailure(error));
  return {
    async close() {
      await withinMs(worker.close().catch(onFailure), CLOSE_MS);
    },
  };
}
