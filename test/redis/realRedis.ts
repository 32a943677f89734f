/** A real redis-server for a test file, on a unix socket in a directory that goes with it. */
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { openRedis, type RedisUse } from '../../src/redis/connection.ts';
import { startOwnRedis } from '../../src/redis/ownServer.ts';

export const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
if (!hasRedis) console.warn('SKIPPED: redis-server is not installed, so nothing here ran on Redis');

export interface RealRedis {
  readonly socketPath: string;
  readonly pid: number;
  connect(use: RedisUse): Promise<Redis>;
  close(): Promise<void>;
}

export async function realRedis(): Promise<RealRedis> {
  const root = await mkdtemp(join(tmpdir(), 'real-redis-'));
  const server = await startOwnRedis({ directory: join(root, 'redis'), log: () => undefined });
  const connections: Redis[] = [];
  return {
    socketPath: server.address.socketPath,
    get pid() {
      return server.pid;
    },
    async connect(use) {
      const redis = openRedis({ address: server.address, use, name: 'test', onError() {} });
      connections.push(redis);
      await new Promise((resolve) => redis.once('ready', resolve));
      return redis;
    },
    async close() {
      for (const redis of connections) redis.disconnect();
      await server.stop();
      await rm(root, { recursive: true, force: true });
    },
  };
}
