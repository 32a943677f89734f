/**
 * The outbox relay: the subscriber that brings the store's outgoing events to Redis streams, one
 * per partition, at least once and in order. It sets nothing aside: an event that Redis refuses
 * stops it, and the figures of the outbox show what waits.
 *
 * Nothing is marked as published before Redis has it. An event that a crash repeats carries the
 * same event id, by which a reader recognises it. One relay works at a time (a lease in Redis); a
 * second one waits, so it does not double every event. Streams are trimmed at 30 days and at a
 * length, whichever is first; the outbox serves what was trimmed early (decisions 7.6).
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { BUS_SUBSCRIBER, type OutboxEvent, type OutboxStore } from '#core/reactions';

const SCRIPT = readFileSync(new URL('./bus.lua', import.meta.url), 'utf8');
const SCRIPT_SHA1 = createHash('sha1').update(SCRIPT).digest('hex');
const LEASE_KEY = 'bus-relay:lease';
const FAILURE_PAUSE_MS = 1_000;

export interface BusLimits {
  /** Events in one step, 1..1000; more where a store returns all events of a commit together. */
  readonly batchEvents: number;
  /** Entries that a stream keeps, about. */
  readonly streamEntriesMax: number;
  readonly streamAgeMsMax: number;
  /** A relay that does nothing for this many milliseconds loses its lease. */
  readonly leaseMs: number;
  /** Milliseconds until an event is noticed without a call of `wake`. */
  readonly pollMs: number;
}

export const BUS_LIMITS: BusLimits = {
  batchEvents: 200,
  streamEntriesMax: 1_000_000,
  streamAgeMsMax: 30 * 24 * 3_600_000,
  leaseMs: 10_000,
  pollMs: 250,
};

/** The stream of a partition: a tenant's id, or a source's. */
export function busStream(partition: string): string {
  return `bus:${partition}`;
}

export interface OutboxRelay {
  /**
   * One step. `published` 0 with `more` false: there is nothing to do, or another relay does it.
   */
  runOnce(): Promise<{ readonly published: number; readonly more: boolean }>;
  /** Runs until the signal; failures are reported and retried. Resolves after the current step. */
  run(signal: AbortSignal): Promise<void>;
}

export function createOutboxRelay(options: {
  readonly outbox: Pick<OutboxStore, 'markDone' | 'readFor'>;
  /** Opened with `use: 'background'`. */
  readonly redis: Redis;
  /** Unique to this process and run. */
  readonly holder: string;
  readonly limits?: BusLimits;
  onFailure(error: unknown): void;
}): OutboxRelay {
  const { outbox, redis, holder } = options;
  const limits = options.limits ?? BUS_LIMITS;

  const runOnce: OutboxRelay['runOnce'] = async () => {
    const batch = await outbox.readFor(BUS_SUBSCRIBER, limits.batchEvents);
    if (batch === undefined || batch.events.length === 0) return { published: 0, more: false };
    const appended = await append(redis, holder, limits, batch.events);
    if (appended < 0) return { published: 0, more: false };
    if (appended < batch.events.length) {
      // Not marked: the whole batch comes again. Readers recognise the ids that they have seen.
      throw new Error(`bus: Redis took ${appended} of ${batch.events.length} events`);
    }
    await outbox.markDone(BUS_SUBSCRIBER, batch.token);
    return { published: appended, more: batch.events.length >= limits.batchEvents };
  };

  return {
    runOnce,
    async run(signal) {
      while (!signal.aborted) {
        let pauseMs = limits.pollMs;
        try {
          if ((await runOnce()).more) continue;
        } catch (error) {
          options.onFailure(error);
          pauseMs = FAILURE_PAUSE_MS;
        }
        await delay(pauseMs, undefined, { signal }).catch(() => undefined);
      }
      await release(redis, holder).catch(options.onFailure);
    },
  };
}

async function append(
  redis: Redis,
  holder: string,
  limits: BusLimits,
  events: readonly OutboxEvent[],
): Promise<number> {
  const keys = [LEASE_KEY, ...events.map(({ partition }) => busStream(partition))];
  const args = events.flatMap((event) => [
    event.id,
    event.topic,
    event.partition,
    new Date(event.createdAt).toISOString(),
    JSON.stringify(event.payload),
  ]);
  const { leaseMs, streamEntriesMax, streamAgeMsMax } = limits;
  const rest = [...keys, holder, leaseMs, streamEntriesMax, streamAgeMsMax, ...args];
  try {
    return Number(await redis.evalsha(SCRIPT_SHA1, keys.length, ...rest));
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return Number(await redis.eval(SCRIPT, keys.length, ...rest));
  }
}

/** Releases the lease, so that the next relay need not wait for it to expire. */
async function release(redis: Redis, holder: string): Promise<void> {
  if (redis.status === 'ready' && (await redis.get(LEASE_KEY)) === holder)
    await redis.del(LEASE_KEY);
}
