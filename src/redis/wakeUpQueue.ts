/**
 * A wake-up for the workers when a slice has work for them, so that one begins at once: a BullMQ
 * queue on Redis. The store alone says what is to be done, and workers read it by themselves. So a
 * lost wake-up (Redis away, flushed, a job dropped) costs the time until their next look and
 * nothing else.
 *
 * The sender waits for nothing. Wake-ups in transit are bounded, and more are dropped; the
 * connection, not this code, retries a Redis that is away.
 */
import { type ConnectionOptions, Queue, Worker } from 'bullmq';
import type { RedisOptions } from 'ioredis';
import { withinMs } from '#platform/processLife';

const QUEUE_NAME = 'wake-ups';
/** Wake-ups in transit to Redis at once. */
export const WAKE_UPS_MAX = 100;
/** Milliseconds until a wake-up is dropped: it is of no use later. */
const WAKE_UP_MS_MAX = 2_000;
/**
 * Milliseconds to wait for a close. Without Redis it would wait for ever; there is nothing to save.
 */
const CLOSE_MS = 2_000;
/** Wake-ups taken at once. Taking one is all that happens here, no work is done. */
const HEARD_AT_ONCE = 10;

export interface Waker {
  /** Called after the commit. Neither throws nor waits. */
  wake(slice: string, id: string): void;
  /** Waits a short time for wake-ups in transit, then closes. */
  close(): Promise<void>;
}

export interface WakeUpListener {
  close(): Promise<void>;
}

interface Word {
  /** Name of the slice. */
  readonly name: string;
  readonly data: { readonly id?: unknown };
}

interface QueueOptions {
  /** `redisOptions(address, 'queue', name)`. */
  readonly connection: RedisOptions;
  /** Told of lost connections and wake-ups. Log them as nothing that needs action. */
  onFailure(error: unknown): void;
}

/** For code that leaves work for the workers. */
export function createWaker({ connection, onFailure }: QueueOptions): Waker {
  const queue = new Queue(QUEUE_NAME, {
    // One class of options, whose own declaration types absent members as undefined. Without a
    // queue of its own the connection refuses at once what it cannot send.
    connection: { ...connection, enableOfflineQueue: false } as ConnectionOptions,
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
  });
  queue.on('error', onFailure);
  const underWay = new Set<Promise<void>>();
  return {
    wake(slice, id) {
      if (underWay.size >= WAKE_UPS_MAX) return;
      // The id of the work: while no worker listens, one wake-up of each is kept.
      const added = queue.add(slice, { id }, { jobId: `${slice}-${id}` });
      const sent = withinMs(added, WAKE_UP_MS_MAX)
        .then(() => undefined, onFailure)
        .finally(() => underWay.delete(sent));
      underWay.add(sent);
    },
    async close() {
      await Promise.all(underWay);
      await withinMs(queue.close().catch(onFailure), CLOSE_MS);
      // Ends a connection that is still being opened.
      queue.disconnect().catch(onFailure);
    },
  };
}

/** For workers: one of the listeners calls `wake` for each wake-up. */
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
