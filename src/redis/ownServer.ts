/**
 * A redis-server of our own as a child, for an embedded installation: on a unix socket only, with
 * its files in the given directory, AOF each second, never evicting (a queue must not lose
 * entries).
 *
 * It runs in a process group of its own, so Ctrl-C reaches the application first and the
 * application stops Redis last. If we are killed with -9, it stays behind. The next start finds it
 * by the record in the directory, makes sure that it serves this very directory, and shuts it down
 * before starting a new one. A Redis that is not ours is never used and never stopped. If it dies
 * while we run (out of memory, an operator's kill), it is started again, and clients reconnect.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, realpath, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { systemClock } from '#platform/clock';
import { openRedis, type RedisAddress } from './connection.ts';
import {
  chooseSocketPath,
  isSameProcess,
  type OwnServerRecord,
  processStart,
  readRecord,
  writeRecord,
} from './ownServerRecord.ts';

const START_MS_MAX = 60_000;
const STOP_MS_MAX = 10_000;
const POLL_MS = 20;
const RESTART_MS_MIN = 200;
const RESTART_MS_MAX = 5_000;
const TAIL_CHARACTERS = 2_000;
const DIRECTORY_MODE = 0o700;
const PRIVATE_UMASK = 0o077;
const NOT_FOUND =
  'redis-server was not found: install it (Debian and Ubuntu: apt-get install redis-server; ' +
  'macOS: brew install redis) or set REDIS_URL';

export interface OwnRedis {
  readonly address: { readonly socketPath: string };
  /** Process id of the running child; another one after a restart. */
  readonly pid: number;
  /** Saves everything and ends the server; only the data stays. A second call has no effect. */
  stop(): Promise<void>;
}

export interface OwnRedisOptions {
  /** `DATA_DIR/redis`; created if absent. */
  readonly directory: string;
  /** Writes a line of redis-server, or one of ours about it. */
  log(level: 'debug' | 'warn', line: string): void;
  /** Path of the binary; absent: found in PATH. */
  readonly binary?: string;
}

type ServerPlace = OwnRedisOptions & { readonly socketPath: string };

/** Starts the server. Rejects with one sentence that an operator can act on. */
export async function startOwnRedis(options: OwnRedisOptions): Promise<OwnRedis> {
  await mkdir(options.directory, { recursive: true, mode: DIRECTORY_MODE });
  const directory = await realpath(options.directory);
  const socketPath = await endLeftover(directory, options.log);
  const record: OwnServerRecord = {
    socketPath,
    parentPid: process.pid,
    parentStart: processStart(process.pid),
  };
  // Before the child: after any later failure, the next start knows where to look.
  await writeRecord(directory, record);
  return supervise({ ...options, directory, socketPath });
}

/** Address of the Redis of this directory's running installation, for a process beside it. */
export async function findOwnRedis(directory: string): Promise<RedisAddress | undefined> {
  const record = await readRecord(directory);
  if (record === undefined) return undefined;
  const real = await realpath(directory);
  const server = await greet(record.socketPath, real);
  return server === undefined ? undefined : { socketPath: record.socketPath };
}

async function supervise(at: ServerPlace) {
  let stopping = false;
  let restartMs = RESTART_MS_MIN;
  let current = await launch(at);
  let restarting: Promise<void> = Promise.resolve();
  const abort = new AbortController();

  const watch = (child: ChildProcess): void => {
    child.once('exit', (code, signal) => {
      if (stopping) return;
      at.log('warn', `redis-server ended unexpectedly (${signal ?? code}); starting it again`);
      restarting = restart();
    });
  };

  const restart = async (): Promise<void> => {
    while (!stopping) {
      await delay(restartMs, undefined, { signal: abort.signal }).catch(() => undefined);
      if (stopping) return;
      try {
        current = await launch(at);
        restartMs = RESTART_MS_MIN;
        watch(current);
        return;
      } catch (error) {
        restartMs = Math.min(restartMs * 2, RESTART_MS_MAX);
        at.log('warn', error instanceof Error ? error.message : 'redis-server does not start');
      }
    }
  };

  watch(current);
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    stopping = true;
    abort.abort();
    // A start in progress would outlive us.
    await restarting;
    await endChild(current, at.socketPath);
    await rm(join(at.directory, 'owner.json'), { force: true });
    await rm(at.socketPath, { force: true });
    const short = dirname(at.socketPath);
    if (short !== at.directory) await rm(short, { recursive: true, force: true });
  };
  return {
    address: { socketPath: at.socketPath },
    get pid(): number {
      return current.pid ?? 0;
    },
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  } satisfies OwnRedis;
}

async function launch(at: ServerPlace) {
  const child = spawnPrivately(at.binary ?? 'redis-server');
  let tail = '';
  const listen = (chunk: string): void => {
    tail = (tail + chunk).slice(-TAIL_CHARACTERS);
    for (const line of chunk.split('\n')) if (line !== '') at.log('debug', line);
  };
  child.stdout?.setEncoding('utf8').on('data', listen);
  child.stderr?.setEncoding('utf8').on('data', listen);
  const failed = new Promise<string>((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      resolve(
        error.code === 'ENOENT' ? NOT_FOUND : `redis-server could not be started: ${error.message}`,
      );
    });
    child.once('exit', (code) => {
      resolve(`redis-server ended at its start (${code}): ${tail.trim().split('\n').at(-1) ?? ''}`);
    });
  });
  // The child may end before it read its configuration: `failed` reports that.
  child.stdin?.on('error', () => at.log('debug', 'redis-server closed its input'));
  child.stdin?.end(configuration(at.directory, at.socketPath));
  const ready = untilReady(at.socketPath, at.directory, START_MS_MAX);
  const problem = await Promise.race([failed, ready.then((ok) => (ok ? undefined : 'timeout'))]);
  if (problem === undefined) return child;
  child.kill('SIGKILL');
  throw new Error(
    problem === 'timeout'
      ? `redis-server did not answer on ${at.socketPath} within ${START_MS_MAX / 1_000} s`
      : problem,
  );
}

/**
 * Starts the child so that its files are for this user only. The umask is inherited at the fork, so
 * it is set around it.
 */
function spawnPrivately(binary: string): ChildProcess {
  const umask = process.umask(PRIVATE_UMASK);
  try {
    return spawn(binary, ['-'], { detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  } finally {
    process.umask(umask);
  }
}

/** The configuration for standard input, so that none of it shows in the list of processes. */
function configuration(directory: string, socketPath: string): string {
  const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;
  return [
    'port 0',
    `unixsocket ${quoted(socketPath)}`,
    'unixsocketperm 700',
    `dir ${quoted(directory)}`,
    `pidfile ${quoted(join(directory, 'redis.pid'))}`,
    'daemonize no',
    'appendonly yes',
    'appendfsync everysec',
    'save ""',
    'maxmemory-policy noeviction',
    'loglevel notice',
    'always-show-logo no',
    '',
  ].join('\n');
}

/**
 * Ends a server that a killed predecessor left in the directory, and answers the socket path to
 * use. Rejects where a living installation owns the directory, or a foreign server the socket.
 */
async function endLeftover(directory: string, log: OwnRedisOptions['log']): Promise<string> {
  const record = await readRecord(directory);
  if (record === undefined) return chooseSocketPath(directory);
  if (record.parentPid !== process.pid && isSameProcess(record.parentPid, record.parentStart)) {
    throw new Error(`another installation (process ${record.parentPid}) runs on ${directory}`);
  }
  const pid = await greet(record.socketPath, directory);
  if (pid !== undefined) {
    log('warn', `shutting down the redis-server ${pid} that an earlier run left behind`);
    await shutDown(record.socketPath);
    if (!(await untilGone(pid, STOP_MS_MAX))) process.kill(pid, 'SIGKILL');
    await untilGone(pid, STOP_MS_MAX);
  }
  return chooseSocketPath(directory, record.socketPath);
}

async function endChild(child: ChildProcess, socketPath: string): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const abort = new AbortController();
  await shutDown(socketPath).catch(() => child.kill('SIGTERM'));
  const timeout = delay(STOP_MS_MAX, 'timeout', { signal: abort.signal }).catch(() => undefined);
  if ((await Promise.race([gone, timeout])) === 'timeout') child.kill('SIGKILL');
  abort.abort();
  await gone;
}

/**
 * The process id of the server behind the socket if it serves this directory; undefined where no
 * server listens.
 */
async function greet(socketPath: string, directory: string): Promise<number | undefined> {
  return withConnection(socketPath, async (redis) => {
    const [, served] = (await redis.config('GET', 'dir')) as string[];
    if (served !== directory) {
      throw new Error(`the socket ${socketPath} belongs to a Redis that is not ours: left alone`);
    }
    const pid = /^process_id:(\d+)/m.exec(await redis.info('server'))?.[1];
    assert(pid !== undefined, 'redis: INFO server has no process_id');
    return Number(pid);
  });
}

/** Sends SHUTDOWN, which writes the AOF. The connection breaks instead of an answer. */
async function shutDown(socketPath: string): Promise<void> {
  await withConnection(socketPath, async (redis) => {
    await redis.shutdown('NOSAVE').catch((error: Error) => {
      if (!/closed|ended|ECONNRESET|EPIPE/i.test(error.message)) throw error;
    });
    return true;
  });
}

/**
 * Runs `work` on a connection; undefined where no server listens. Waits for a server that still
 * loads its file.
 */
async function withConnection<Answer>(
  socketPath: string,
  use: (redis: Redis) => Promise<Answer>,
): Promise<Answer | undefined> {
  const redis = openRedis({
    address: { socketPath },
    use: 'background',
    name: 'own-server',
    onError: () => undefined,
  });
  // One attempt: a caller that waits for a server calls again.
  redis.options.retryStrategy = () => null;
  const abort = new AbortController();
  try {
    const state = await Promise.race([
      new Promise<'ready'>((resolve) => redis.once('ready', () => resolve('ready'))),
      new Promise<'nobody'>((resolve) => redis.once('end', () => resolve('nobody'))),
      delay(START_MS_MAX, 'silent' as const, { signal: abort.signal }),
    ]);
    if (state === 'silent') throw new Error(`${socketPath}: something listens but does not answer`);
    return state === 'ready' ? await use(redis) : undefined;
  } finally {
    abort.abort();
    redis.disconnect();
  }
}

async function untilReady(socketPath: string, directory: string, msMax: number): Promise<boolean> {
  const until = systemClock.monotonicMs() + msMax;
  while (systemClock.monotonicMs() < until) {
    const pid = await greet(socketPath, directory).catch(() => undefined);
    if (pid !== undefined) return true;
    await delay(POLL_MS);
  }
  return false;
}

async function untilGone(pid: number, msMax: number): Promise<boolean> {
  const until = systemClock.monotonicMs() + msMax;
  while (isSameProcess(pid, undefined)) {
    if (systemClock.monotonicMs() >= until) return false;
    await delay(POLL_MS);
  }
  return true;
}
