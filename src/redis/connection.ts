/**
 * The one way to open a connection to Redis, with the differences between its uses named.
 *
 * `request`: serves requests (rate limits). It answers fast or fails fast, queues nothing while
 * disconnected, resends nothing. `background`: relays, which retry by themselves. `queue`: BullMQ.
 */
import { Redis, type RedisOptions } from 'ioredis';

export type RedisAddress = { readonly url: string } | { readonly socketPath: string };

const CONNECT_TIMEOUT_MS = 2_000;
const RECONNECT_MS_MIN = 50;
const RECONNECT_MS_MAX = 1_000;
export type RedisUse = 'request' | 'background' | 'queue';

const FAIL_FAST: RedisOptions = {
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  enableOfflineQueue: false,
};
const USES: Readonly<Record<RedisUse, RedisOptions>> = {
  request: { ...FAIL_FAST, commandTimeout: 250 },
  background: { ...FAIL_FAST, commandTimeout: 10_000 },
  // BullMQ blocks on commands and requires that they wait for ever.
  queue: { maxRetriesPerRequest: null },
};

export interface RedisConnectionOptions {
  readonly address: RedisAddress;
  readonly use: RedisUse;
  /** Name in CLIENT LIST. */
  readonly name: string;
  /** Called for every failed attempt; the connection goes on trying. The caller bounds its log. */
  onError(error: Error): void;
}

/** Connects in the background and retries for ever; `disconnect()` or `quit()` ends it. */
export function openRedis(options: RedisConnectionOptions): Redis {
  const { address, use, name } = options;
  // The mapping is spelled out because the class's type depends on it.
  const redis = new Redis({ ...redisOptions(address, use, name), replyMapping: 'legacy' });
  redis.on('error', options.onError);
  return redis;
}

/** Also for a library that opens its own connections (BullMQ: `use: 'queue'`). */
export function redisOptions(address: RedisAddress, use: RedisUse, name: string): RedisOptions {
  return {
    ...addressOptions(address),
    ...USES[use],
    connectionName: name,
    disableClientInfo: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    retryStrategy: (attempt: number) => Math.min(RECONNECT_MS_MIN * 2 ** attempt, RECONNECT_MS_MAX),
  };
}

/** `redis://`, `rediss://` or `unix:///path`. Throws an Error that says what was expected. */
export function parseRedisUrl(text: string): RedisAddress {
  const expected = 'REDIS_URL: expected redis://host[:port][/db], rediss://… or unix:///path';
  if (!URL.canParse(text)) throw new Error(`${expected}, got something that is no URL`);
  const url = new URL(text);
  if (url.protocol === 'unix:' && url.host === '' && url.pathname.length > 1) {
    return { socketPath: decodeURIComponent(url.pathname) };
  }
  if ((url.protocol === 'redis:' || url.protocol === 'rediss:') && url.hostname !== '') {
    return { url: text };
  }
  throw new Error(`${expected}, got the scheme ${url.protocol}`);
}

function addressOptions(address: RedisAddress): RedisOptions {
  if ('socketPath' in address) return { path: address.socketPath };
  const url = new URL(address.url);
  const db = Number(url.pathname.slice(1) || '0');
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || '6379'),
    db: Number.isSafeInteger(db) ? db : 0,
    ...(url.username === '' ? {} : { username: decodeURIComponent(url.username) }),
    ...(url.password === '' ? {} : { password: decodeURIComponent(url.password) }),
    ...(url.protocol === 'rediss:' ? { tls: {} } : {}),
  };
}

/** By Redis's own clock, in epoch milliseconds. */
export async function redisTime(redis: Redis): Promise<number> {
  const [seconds, micros] = await redis.time();
  return Number(seconds) * 1_000 + Number(micros) / 1_000;
}
