/**
 * The rate limiter that all processes share: token buckets in Redis, on Redis's own clock.
 *
 * Every request needs it, a thousand and more a second, and one round trip each would cost the
 * gateway more than the screening's own bookkeeping. So the requests of one turn of the event loop
 * go in one script call; the script decides them one after the other, so the result is exact.
 *
 * While a connection is not ready, Redis is not called at all. A call that fails or takes longer
 * than the connection's command timeout opens the circuit, and local buckets decide until a probe
 * succeeds. A caller never waits longer than that one timeout.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';
import {
  type Bucket,
  type BucketState,
  type RateDecision,
  type RateLimiter,
  tokensFrom,
} from '#core/identity';
import type { Clock } from '#platform/clock';
import { createLocalBuckets } from './localBuckets.ts';

const SCRIPT = readFileSync(new URL('./tokenBuckets.lua', import.meta.url), 'utf8');
const SCRIPT_SHA1 = createHash('sha1').update(SCRIPT).digest('hex');
/** Requests in one script call: some 0.3 ms of Redis's one thread. */
const BATCH_REQUESTS_MAX = 128;
/** While the circuit is open, one batch in this time tries Redis. */
const PROBE_INTERVAL_MS = 500;
const MICROSECONDS_PER_S = 1_000_000;

interface Waiting {
  readonly buckets: readonly Bucket[];
  readonly further: number | undefined;
  readonly resolve: (decision: RateDecision) => void;
}

export interface SharedRateLimiter extends RateLimiter {
  /** For /metrics and tests. */
  readonly counter: 'shared' | 'local';
}

export function createRateLimiter(options: {
  /** Opened with `use: 'request'`. */
  readonly redis: Redis;
  readonly clock: Clock;
  /** Called once at each change, not per request. */
  onCounterChanged(counter: 'shared' | 'local', cause?: unknown): void;
}): SharedRateLimiter {
  const { redis, clock } = options;
  const local = createLocalBuckets(clock);
  const circuit = createCircuit(options);
  let waiting: Waiting[] = [];

  const flush = (): void => {
    const all = waiting;
    waiting = [];
    for (let from = 0; from < all.length; from += BATCH_REQUESTS_MAX) {
      void decide(all.slice(from, from + BATCH_REQUESTS_MAX));
    }
  };

  const decide = async (batch: readonly Waiting[]): Promise<void> => {
    if (!circuit.mayAsk()) {
      answerLocally(batch);
      return;
    }
    try {
      const values = await runScript(redis, encode(batch));
      circuit.answered();
      answer(batch, values);
    } catch (cause) {
      circuit.failed(cause);
      answerLocally(batch);
    }
  };

  const answerLocally = (batch: readonly Waiting[]): void => {
    for (const { buckets, further, resolve } of batch) resolve(local.take(buckets, further));
  };

  return {
    take(buckets, further) {
      return new Promise((resolve) => {
        // setImmediate, not a microtask: it runs after all sockets of this turn have been read.
        if (waiting.length === 0) setImmediate(flush);
        waiting.push({ buckets, further, resolve });
      });
    },
    get counter() {
      return circuit.counter;
    },
  };
}

/**
 * Whether Redis is called: not while disconnected, and after a failure only by one probe at a time.
 */
function createCircuit(options: {
  readonly redis: Redis;
  readonly clock: Clock;
  onCounterChanged(counter: 'shared' | 'local', cause?: unknown): void;
}) {
  const { redis, clock } = options;
  let counter: 'shared' | 'local' = 'shared';
  let probeAtMs = 0;
  const change = (to: 'shared' | 'local', cause?: unknown): void => {
    if (counter === to) return;
    counter = to;
    options.onCounterChanged(to, cause);
  };
  return {
    mayAsk(): boolean {
      if (redis.status !== 'ready') {
        change('local');
        return false;
      }
      if (counter === 'shared') return true;
      const nowMs = clock.monotonicMs();
      if (nowMs < probeAtMs) return false;
      probeAtMs = nowMs + PROBE_INTERVAL_MS;
      return true;
    },
    answered: () => change('shared'),
    failed(cause: unknown): void {
      probeAtMs = clock.monotonicMs() + PROBE_INTERVAL_MS;
      change('local', cause);
    },
    get counter() {
      return counter;
    },
  };
}

interface Encoded {
  readonly keys: readonly string[];
  readonly args: readonly (string | number)[];
}

function encode(batch: readonly Waiting[]): Encoded {
  const positions = new Map<string, number>();
  const args: (string | number)[] = [];
  const requests: string[] = [];
  for (const { buckets, further } of batch) {
    const prices: string[] = [];
    for (const bucket of buckets) {
      const { key, capacity, refillPerSecond } = bucket;
      let position = positions.get(key);
      if (position === undefined) {
        position = positions.size + 1;
        positions.set(key, position);
        const interval = MICROSECONDS_PER_S / refillPerSecond;
        args.push(interval, interval * capacity);
      }
      const { taken, wanted } = tokensFrom(bucket, further);
      prices.push(`${taken}/${wanted}*${position}`);
    }
    requests.push(prices.join(' '));
  }
  args.push(requests.join(','));
  return { keys: [...positions.keys()], args };
}

async function runScript(redis: Redis, { keys, args }: Encoded): Promise<readonly number[]> {
  const rest = [...keys, ...args];
  try {
    return (await redis.evalsha(SCRIPT_SHA1, keys.length, ...rest)) as number[];
  } catch (error) {
    // A restarted or failed-over server does not know the script yet.
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return (await redis.eval(SCRIPT, keys.length, ...rest)) as number[];
  }
}

function answer(batch: readonly Waiting[], values: readonly number[]): void {
  let at = 0;
  const next = (): number => {
    const value = values[at++];
    if (typeof value !== 'number')
      throw new TypeError('rate limiter: the script answered too little');
    return value;
  };
  const decisions = batch.map(({ buckets }): RateDecision => {
    const allowed = next() === 1;
    const states = buckets.map(
      (bucket): BucketState => ({
        bucket,
        remaining: next(),
        waitMs: next() / 1_000,
        fullInMs: next() / 1_000,
      }),
    );
    return { allowed, states, counter: 'shared' };
  });
  // Only if all of the answer was readable; otherwise the whole batch is decided locally.
  for (const [index, { resolve }] of batch.entries()) {
    const decision = decisions[index];
    if (decision !== undefined) resolve(decision);
  }
}
