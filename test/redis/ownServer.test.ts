/** On a real redis-server. What a killed parent leaves is made by a real process that is killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { openRedis } from '../../src/redis/connection.ts';
import { findOwnRedis, type OwnRedis, startOwnRedis } from '../../src/redis/ownServer.ts';
import { isSameProcess } from '../../src/redis/ownServerRecord.ts';
import { hasRedis } from './realRedis.ts';

const log = () => undefined;
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function temporary(name = ''): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'own-server-test-'));
  cleanups.push(() => rm(root, { recursive: true, force: true }));
  return join(root, name);
}

async function start(directory: string): Promise<OwnRedis> {
  const server = await startOwnRedis({ directory, log });
  cleanups.push(() => server.stop());
  return server;
}

function connect(server: OwnRedis) {
  const redis = openRedis({
    address: server.address,
    use: 'background',
    name: 'test',
    onError: () => undefined,
  });
  cleanups.push(async () => redis.disconnect());
  return vi.waitFor(async () => {
    await redis.ping();
    return redis;
  });
}

describe.skipIf(!hasRedis)('a redis-server of our own', () => {
  test('keeps its data from one start to the next', async () => {
    const directory = await temporary('redis');
    const first = await start(directory);
    await (await connect(first)).set('kept', 'yes');
    await first.stop();
    expect(isSameProcess(first.pid, undefined)).toBe(false);
    const second = await start(directory);
    expect(await (await connect(second)).get('kept')).toBe('yes');
  });

  test('listens on no port, never evicts, and appends to its file each second', async () => {
    const redis = await connect(await start(await temporary('redis')));
    const settings = await redis.config('GET', 'port', 'maxmemory-policy', 'appendonly', 'save');
    expect(settings).toEqual(
      expect.arrayContaining(['port', '0', 'maxmemory-policy', 'noeviction', 'appendonly', 'yes']),
    );
  });

  test('its directory and files are for the owner alone', async () => {
    const directory = await temporary('redis');
    await start(directory);
    expect((await stat(directory)).mode & 0o077).toBe(0);
    for (const name of await readdir(directory)) {
      expect((await stat(join(directory, name))).mode & 0o077, name).toBe(0);
    }
  });

  test('after a stop nothing is left but the data', async () => {
    const directory = await temporary('redis');
    const server = await start(directory);
    await server.stop();
    await server.stop();
    expect(await readdir(directory)).toEqual(['appendonlydir']);
  });

  test('a path too long for a socket is served from a short private one', async () => {
    const directory = await temporary(join('d'.repeat(120), 'redis'));
    await mkdir(directory, { recursive: true });
    const server = await start(directory);
    expect(server.address.socketPath.length).toBeLessThan(104);
    expect(await (await connect(server)).ping()).toBe('PONG');
    expect(await findOwnRedis(directory)).toEqual(server.address);
    await server.stop();
    await expect(stat(server.address.socketPath)).rejects.toThrow('ENOENT');
  });

  test('one that dies is started again with its data', async () => {
    const server = await start(await temporary('redis'));
    const redis = await connect(server);
    await redis.set('kept', 'yes');
    await redis.config('SET', 'appendfsync', 'always');
    await redis.set('kept', 'still');
    process.kill(server.pid, 'SIGKILL');
    await vi.waitFor(async () => expect(await redis.get('kept')).toBe('still'), 10_000);
  });

  test('what a killed parent left behind is shut down, and its data kept', async () => {
    const directory = await temporary('redis');
    const parent = await parentProcess(directory);
    const leftoverPid = parent.redisPid;
    parent.child.kill('SIGKILL');
    await once(parent.child, 'exit');
    expect(isSameProcess(leftoverPid, undefined)).toBe(true);
    const server = await start(directory);
    expect(isSameProcess(leftoverPid, undefined)).toBe(false);
    expect(await (await connect(server)).get('kept')).toBe('by the parent');
  });

  test('a directory whose installation lives is refused', async () => {
    const directory = await temporary('redis');
    const parent = await parentProcess(directory);
    await expect(startOwnRedis({ directory, log })).rejects.toThrow('another installation');
    expect(isSameProcess(parent.redisPid, undefined)).toBe(true);
  });

  test('a stranger behind the recorded socket is neither used nor stopped', async () => {
    const stranger = await start(await temporary('stranger'));
    const directory = await temporary('redis');
    await mkdir(directory, { mode: 0o700 });
    await writeFile(
      join(directory, 'owner.json'),
      JSON.stringify({ socketPath: stranger.address.socketPath, parentPid: process.pid }),
    );
    await expect(startOwnRedis({ directory, log })).rejects.toThrow('not ours');
    expect(await (await connect(stranger)).ping()).toBe('PONG');
  });

  test('Ctrl-C for the process group does not reach it', async () => {
    const parent = await parentProcess(await temporary('redis'));
    process.kill(-(parent.child.pid ?? 0), 'SIGINT');
    await once(parent.child, 'exit');
    expect(isSameProcess(parent.redisPid, undefined)).toBe(true);
  });
});

test('a missing redis-server is told in one sentence', async () => {
  const directory = await temporary('redis');
  const started = startOwnRedis({ directory, log, binary: join(directory, 'none') });
  await expect(started).rejects.toThrow(/^redis-server was not found: install it .*REDIS_URL$/);
});

test('a redis-server that ends at once is quoted', async () => {
  const directory = await temporary('redis');
  const binary = join(await temporary(), 'broken.sh');
  await writeFile(binary, '#!/bin/sh\necho no more memory >&2\nexit 3\n');
  await chmod(binary, 0o755);
  const started = startOwnRedis({ directory, log, binary });
  await expect(started).rejects.toThrow('ended at its start (3): no more memory');
});

/** A process that starts a server of its own, writes a key and waits to be killed. */
async function parentProcess(
  directory: string,
): Promise<{ child: ChildProcess; redisPid: number }> {
  const script = `
    const { startOwnRedis } = await import(${JSON.stringify(
      new URL('../../src/redis/ownServer.ts', import.meta.url).href,
    )});
    const { openRedis } = await import(${JSON.stringify(
      new URL('../../src/redis/connection.ts', import.meta.url).href,
    )});
    const server = await startOwnRedis({ directory: ${JSON.stringify(directory)}, log() {} });
    const redis = openRedis({ ...server, use: 'background', name: 'x', onError() {} });
    redis.once('ready', async () => {
      await redis.set('kept', 'by the parent');
      console.log(server.pid);
    });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  const redisPid = Number(String(line));
  cleanups.push(async () => {
    child.kill('SIGKILL');
    if (isSameProcess(redisPid, undefined)) process.kill(redisPid, 'SIGKILL');
    await vi.waitFor(() => expect(isSameProcess(redisPid, undefined)).toBe(false));
  });
  return { child, redisPid };
}
