/** Scheduled jobs on a real Redis: they run, a failure is told, and a new Redis costs nothing. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConnectionOptions, Queue } from 'bullmq';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { DomainError } from '#core/kernel';
import { systemClock } from '#platform/clock';
import type { Log } from '#platform/log';
import { type OwnRedis, openRedis, redisOptions, startOwnRedis } from '../../src/redis/index.ts';
import { startJobs } from '../../src/workers/jobQueue.ts';

const isRedisHere = spawnSync('redis-server', ['--version']).status === 0;
if (!isRedisHere) console.warn('SKIPPED: test/workers/jobQueue needs a redis-server in PATH');

const EVERY_MS = 50;
const WAIT = { interval: 10, timeout: 30_000 };

describe.skipIf(!isRedisHere)('jobs', () => {
  let folder = '';
  let server: OwnRedis;
  const told: string[] = [];
  const tell = (_: object, message: string): void => void told.push(message);
  const log: Log = { debug: () => {}, error: tell, info: tell, isDebug: () => false, warn: tell };
  const start = (
    name: string,
    run: () => Promise<Record<string, number>>,
    everyMs: number = EVERY_MS,
  ) =>
    startJobs({
      clock: systemClock,
      connection: redisOptions(server.address, 'queue', 'test'),
      jobs: [{ everyMs, name, run }],
      log,
      lookEveryMs: 100,
    });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'jobs-'));
    server = await startOwnRedis({ directory: join(folder, 'redis'), log: () => {} });
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  async function flush(): Promise<void> {
    const redis = openRedis({
      address: server.address,
      name: 'flush',
      onError: () => {},
      use: 'background',
    });
    await new Promise((resolve) => redis.once('ready', resolve));
    await redis.flushall();
    redis.disconnect();
  }

  test('a scheduled job runs again and again, two workers run it no oftener than one', async () => {
    let runs = 0;
    let atOnce = 0;
    const run = async () => {
      atOnce += 1;
      expect(atOnce).toBe(1);
      runs += 1;
      await new Promise((resolve) => setImmediate(resolve));
      atOnce -= 1;
      return { done: 1 };
    };
    const workers = [start('tick', run), start('tick', run)];
    await vi.waitUntil(() => runs >= 3, WAIT);
    await Promise.all(workers.map((worker) => worker.close()));
    const afterClose = runs;
    expect(told).toContain('job done');
    await flush();
    expect(runs).toBe(afterClose);
  });

  test('an interval of another release gives way to the one of now', async () => {
    let runs = 0;
    const run = async () => ({ done: ++runs });
    const former = start('slow', run, 3_600_000);
    await vi.waitUntil(() => runs === 1, WAIT);
    await former.close();
    const now = start('slow', run);
    await vi.waitUntil(() => runs >= 4, WAIT);
    await now.close();
    await flush();
  });

  test('the schedule of a job that was retired goes, and its entries do nothing', async () => {
    let runs = 0;
    const former = start('former', async () => ({ done: ++runs }));
    await vi.waitUntil(() => runs >= 1, WAIT);
    await former.close();
    const connection = redisOptions(server.address, 'queue', 'test');
    const queue = new Queue('jobs', { connection: connection as ConnectionOptions });
    told.length = 0;
    const now = startJobs({
      clock: systemClock,
      connection,
      jobs: [],
      log,
      lookEveryMs: 100,
      retired: ['former'],
    });
    await vi.waitUntil(async () => (await queue.getJobSchedulersCount()) === 0, WAIT);
    await queue.add('former', {});
    await vi.waitUntil(async () => (await queue.getWaitingCount()) === 0, WAIT);
    await now.close();
    await queue.close();
    expect(told).toEqual([]);
    await flush();
  });

  test('a failure is told and the schedule goes on', async () => {
    let runs = 0;
    const worker = start('failing', async () => {
      runs += 1;
      throw new DomainError('store-unavailable');
    });
    await vi.waitUntil(() => runs >= 2 && told.includes('a job failed'), WAIT);
    await worker.close();
    await flush();
  });

  test('a Redis that lost everything has the schedule again once it is back', async () => {
    let runs = 0;
    const worker = start('survivor', async () => {
      runs += 1;
      return {};
    });
    await vi.waitUntil(() => runs >= 1, WAIT);
    await flush();
    const { pid } = server;
    process.kill(pid, 'SIGKILL');
    await vi.waitUntil(() => server.pid !== pid, WAIT);
    const before = runs;
    await vi.waitUntil(() => runs > before + 1, WAIT);
    await worker.close();
  });
});
