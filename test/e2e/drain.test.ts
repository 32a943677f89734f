/** A stop under load: whoever was let in gets an answer, whoever asks first is told in time. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type RealRedis, realRedis } from '../redis/realRedis.ts';
import { Load, RAISED, readiness, type Sent } from './load.ts';
import {
  cleanUp,
  type FirstRun,
  isRedisHere,
  newFolder,
  type Product,
  startProduct,
} from './product.ts';

const STOP_MS_MAX = 30_000;
const UNTIL = { interval: 10, timeout: 120_000 };
const ROOT = join(import.meta.dirname, '../..');

const statuses = (sent: readonly Sent[]) => [...new Set(sent.map(({ reply }) => reply?.status))];

describe.skipIf(!isRedisHere)('a stop under load', () => {
  let product: Product;
  let first: FirstRun;
  let redis: RealRedis | undefined;
  let alone: ChildProcess | undefined;

  beforeAll(async () => {
    product = startProduct(join(newFolder(), 'data'));
    first = await product.ready();
    await product.cli('tenant', 'set', first.tenant_id, ...RAISED);
  });
  afterAll(async () => {
    if (alone?.exitCode === null) alone.kill('SIGKILL');
    await redis?.close();
    await cleanUp();
  });

  test('of the whole product answers all that was sent before, and ends with 0', async () => {
    const load = new Load(first, 16);
    await vi.waitUntil(() => load.answered().length >= 200, UNTIL);
    const before = [...load.sent];
    const stoppedAt = performance.now();
    product.process.kill('SIGTERM');
    const ended = await product.ended;
    const tookMs = performance.now() - stoppedAt;
    await load.end();
    expect(ended.code).toBe(0);
    expect(tookMs).toBeLessThan(STOP_MS_MAX);
    expect(statuses(before)).toEqual([200]);
    expect(statuses(load.answered())).toEqual([200]);
    // A request that came too late was cut off before anything was done for it.
    const out = join(newFolder(), 'evidence.jsonl');
    await product.cli('audit', 'export', '--tenant', first.tenant_id, '--out', out);
    const exported = readFileSync(out, 'utf8').match(/"screening_id":"[^"]+"/g) ?? [];
    expect(exported).toHaveLength(load.answered().length);
  });

  test('of a gateway alone fails nobody who heeds /readyz, which says 503 at once', async () => {
    redis = await realRedis();
    const gateway = startAlone(redis, product.dataDir, new URL(first.origin).port);
    alone = gateway;
    await vi.waitUntil(async () => (await readiness(first)) === 200, UNTIL);
    const load = new Load(first, 16);
    await vi.waitUntil(() => load.answered().length >= 200, UNTIL);
    const ended = once(gateway, 'exit');
    const stoppedAt = performance.now();
    gateway.kill('SIGTERM');
    await vi.waitUntil(async () => (await readiness(first)) === 503, UNTIL);
    expect(gateway.exitCode).toBeNull();
    // Until the balancer has noticed, it still sends, and is still answered.
    const noticed = load.answered().length;
    await vi.waitUntil(() => load.answered().length >= noticed + 100, UNTIL);
    await load.end();
    expect(statuses(load.sent)).toEqual([200]);
    expect(await ended).toEqual([0, null]);
    expect(performance.now() - stoppedAt).toBeLessThan(STOP_MS_MAX);
    expect(await readiness(first)).toBeUndefined();
  });
});

/** As behind a balancer: no supervisor, a Redis of somebody else's. */
function startAlone(redis: RealRedis, dataDir: string, port: string): ChildProcess {
  const { PATH } = process.env;
  assert(PATH !== undefined);
  return spawn(process.execPath, [join(ROOT, 'src/app/gateway/main.ts')], {
    cwd: ROOT,
    env: {
      DATA_DIR: dataDir,
      LOG_LEVEL: 'warn',
      PATH,
      PORT: port,
      REDIS_URL: `unix://${redis.socketPath}`,
    },
    stdio: 'ignore',
  });
}
