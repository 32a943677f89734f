/**
 * This host's clock beside the store's and Redis's. A process tells at its start where they differ;
 * `/metrics` has the figure as it is now. Nothing waits for it, and nothing depends on it.
 */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { Clock } from '#platform/clock';
import {
  type ClockOffset,
  clockOffset,
  isOff,
  leastAheadMs,
  offsetText,
} from '#platform/clockOffset';
import type { Log } from '#platform/log';
import type { Metrics } from '#platform/metrics';
import { redisTime } from '../redis/index.ts';
import type { Storage } from '../storage/index.ts';

/** Redis is connected to beside the start. */
const CONNECT_MS_MAX = 10_000;
/** A start keeps the event loop busy: answers come late or are given up, so it asks again. */
const ASKED_MAX = 10;
const ASKED_EVERY_MS = 1_000;
/** Milliseconds of uncertainty with which an answer is good enough. */
const SURE_MS = 100;

export interface ClocksOf {
  readonly clock: Clock;
  readonly redis: Redis;
  readonly storage: Pick<Storage, 'time'>;
}

/** Registers the figure, and tells of what differs now. */
export function compareClocks(
  of: ClocksOf & { readonly log: Log; readonly metrics: Metrics },
): void {
  registerClockFigures(of.metrics, of);
  void tellOffsets(of, of.log);
}

const othersOf = ({ redis, storage }: ClocksOf) =>
  [
    { ask: () => storage.time(), name: 'store', whose: 'the store' },
    { ask: () => redisTime(redis), name: 'redis', whose: 'Redis' },
  ] as const;

/** Never rejects: a clock that cannot be asked is told of by its owner's own checks. */
async function tellOffsets(of: ClocksOf, log: Log): Promise<void> {
  if (of.redis.status !== 'ready') {
    const signal = AbortSignal.timeout(CONNECT_MS_MAX);
    await once(of.redis, 'ready', { signal }).catch(() => undefined);
  }
  for (const { ask, whose } of othersOf(of)) {
    const offset = await surestOffset(of.clock, ask);
    if (offset !== undefined && isOff(offset)) {
      log.warn({ reason: offsetText(offset, whose) }, 'clocks differ: set them by one source');
    }
  }
}

/** The surest of some answers; undefined where there is none, or no clock of its own. */
async function surestOffset(
  clock: Clock,
  ask: () => Promise<number | undefined>,
): Promise<ClockOffset | undefined> {
  let surest: ClockOffset | undefined;
  let leastMs = Number.POSITIVE_INFINITY;
  for (let asked = 1; asked <= ASKED_MAX; asked++) {
    const offset = await clockOffset(clock, ask).catch(() => 'no answer' as const);
    if (offset === undefined) return undefined;
    if (offset !== 'no answer' && offset.unsureMs < leastMs) {
      surest = offset;
      leastMs = offset.unsureMs;
    }
    if (leastMs <= SURE_MS) return surest;
    await delay(ASKED_EVERY_MS, undefined, { ref: false });
  }
  return surest;
}

/** Also for the test of dashboards and alert rules. */
export function registerClockFigures(metrics: Metrics, of: ClocksOf): void {
  const gauge = metrics.gauge({
    help: 'Seconds by which the clock of this host is ahead of the store’s, or of Redis’s',
    labels: ['clock'],
    name: 'clock_offset_seconds',
  });
  metrics.beforeExposing(async () => {
    for (const { ask, name } of othersOf(of)) {
      const offset = await clockOffset(of.clock, ask).catch(() => undefined);
      if (offset === undefined) gauge.remove(name);
      else gauge.labels(name).set(leastAheadMs(offset) / 1_000);
    }
  });
}
