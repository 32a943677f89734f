/** How REDIS_URL is read; what connections do is tested where they are used. */
import { describe, expect, test } from 'vitest';
import { parseRedisUrl, redisOptions } from '../../src/redis/connection.ts';

describe('REDIS_URL', () => {
  test('names a host with port, user, password and database', () => {
    const address = parseRedisUrl('redis://user:p%40ss@cache.internal:6390/3');
    expect(redisOptions(address, 'request', 'x')).toMatchObject({
      db: 3,
      enableOfflineQueue: false,
      host: 'cache.internal',
      maxRetriesPerRequest: 0,
      password: 'p@ss',
      port: 6390,
      username: 'user',
    });
  });

  test('rediss is TLS, an IPv6 address loses its brackets', () => {
    expect(redisOptions(parseRedisUrl('rediss://[::1]'), 'queue', 'x')).toMatchObject({
      host: '::1',
      maxRetriesPerRequest: null,
      port: 6379,
      tls: {},
    });
  });

  test('unix:// is a socket', () => {
    expect(parseRedisUrl('unix:///run/redis/r.sock')).toEqual({ socketPath: '/run/redis/r.sock' });
  });

  test.each(['', 'redis', 'http://host', 'redis://', 'unix://host/path', 'unix:'])(
    '%j is refused with what was expected',
    (text) => {
      expect(() => parseRedisUrl(text)).toThrow(/^REDIS_URL: expected redis:\/\//);
    },
  );
});
