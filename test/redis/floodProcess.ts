/** One gateway's worth of callers, for rateLimiter.test.ts: takes tokens until told to stop. */
import type { Bucket } from '#core/identity';
import { systemClock } from '#platform/clock';
import { openRedis } from '../../src/redis/connection.ts';
import { createRateLimiter } from '../../src/redis/rateLimiter.ts';

const [socketPath = '', buckets = '', callers = '', untilMs = ''] = process.argv.slice(2);
const redis = openRedis({ address: { socketPath }, use: 'request', name: 'flood', onError() {} });
const limiter = createRateLimiter({ redis, clock: systemClock, onCounterChanged() {} });
await new Promise((resolve) => redis.once('ready', resolve));

const taken: readonly Bucket[] = JSON.parse(buckets);
let allowed = 0;
let local = 0;
let calls = 0;
const startedAt = Date.now();
await Promise.all(Array.from({ length: Number(callers) }, flood));
console.log(JSON.stringify({ allowed, local, calls, startedAt, endedAt: Date.now() }));
redis.disconnect();

async function flood(): Promise<void> {
  while (Date.now() < Number(untilMs)) {
    const decision = await limiter.take(taken);
    calls++;
    if (decision.allowed) allowed++;
    if (decision.counter === 'local') local++;
  }
}
