/**
 * Tells the workers of all hosts that events were committed, so that who reacts to them looks at
 * once: topics on a channel of Redis. The outbox alone says what there is, and workers read it by
 * themselves; a message that is lost costs the time until their next look.
 *
 * Any number of commits in a short time are one message, and nobody waits for it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { openRedis, type RedisAddress } from './connection.ts';

const CHANNEL = 'outbox:committed';
/** Milliseconds after a message before the next one is sent. */
const APART_MS = 20;

export interface OutboxWaker {
  /** Called after a commit with events. Neither throws nor waits. */
  committed(events: readonly { readonly topic: string }[]): void;
}

/** For every process that commits. `redis` is its own, of any use. */
export function createOutboxWaker(options: {
  readonly redis: Pick<Redis, 'publish' | 'status'>;
  onFailure(error: unknown): void;
}): OutboxWaker {
  const { onFailure, redis } = options;
  const topics = new Set<string>();
  let isSending = false;

  const send = async (): Promise<void> => {
    while (topics.size > 0) {
      const message = JSON.stringify([...topics]);
      topics.clear();
      if (redis.status === 'ready') await redis.publish(CHANNEL, message).catch(onFailure);
      await delay(APART_MS, undefined, { ref: false });
    }
    isSending = false;
  };

  return {
    committed(events) {
      for (const { topic } of events) topics.add(topic);
      if (isSending || topics.size === 0) return;
      isSending = true;
      void send();
    },
  };
}

/** For workers: `wake` is called with the topics of each message. */
export function listenToOutbox(options: {
  readonly address: RedisAddress;
  readonly wake: (topics: readonly string[]) => void;
  onFailure(error: unknown): void;
}): { close(): void } {
  const { address, onFailure, wake } = options;
  const redis = openRedis({ address, name: 'outbox', onError: onFailure, use: 'background' });
  // A connection that is opened anew knows nothing of the former one's channel.
  redis.on('ready', () => void redis.subscribe(CHANNEL).catch(onFailure));
  redis.on('message', (_channel: string, message: string) => {
    const topics = topicsIn(message);
    if (topics.length > 0) wake(topics);
  });
  return { close: () => redis.disconnect() };
}

/** Another program on the same Redis may write anything there. */
function topicsIn(message: string): readonly string[] {
  try {
    const topics: unknown = JSON.parse(message);
    return Array.isArray(topics) ? topics.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}
