/** Fetching over HTTP from a publisher on this host, with everything that publishers do. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '#platform/clock';
import { systemRandom } from '#platform/random';
import { type FetchedList, type FetchListAsk, newSource } from '#slices/ingestion';
import { createHttpFetcher, type HttpFetcher } from '../../../src/sources/fetch/httpFetcher.ts';

/** As FETCH_ALLOWED_HOSTS=127.0.0.1: the publisher of these tests listens there. */
const THIS_HOST = [{ bits: 32, network: '127.0.0.1' }];
const REFUSED = 'expected a public address, or one that FETCH_ALLOWED_HOSTS names';

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

let directory: string;
let server: Server;
let handle: Handle;
let origin: string;
let seen: IncomingMessage[];
let waits: number[];
let log: string[];
const open: HttpFetcher[] = [];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'fetch-'));
  seen = [];
  waits = [];
  log = [];
  server = createServer((request, response) => {
    seen.push(request);
    handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((fetcher) => fetcher.close()));
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(directory, { recursive: true });
});

function fetcherOf(more: Partial<Parameters<typeof createHttpFetcher>[0]> = {}): HttpFetcher {
  const fetcher = createHttpFetcher({
    allowedHosts: THIS_HOST,
    clock: systemClock,
    random: systemRandom,
    sleep: async (ms) => void waits.push(ms),
    spoolDirectory: directory,
    userAgent: 'compliance-lists/1',
    ...more,
  });
  open.push(fetcher);
  return fetcher;
}

function ask(path: string, more: Partial<FetchListAsk> & { sourceId?: string } = {}): FetchListAsk {
  const { sourceId = 'UN_SC', ...rest } = more;
  return {
    kind: 'delta',
    onLog: (_, text) => log.push(text),
    signal: new AbortController().signal,
    source: { ...newSource(sourceId), url: `${origin}${path}` },
    ...rest,
  };
}

async function contentOf(fetched: FetchedList): Promise<string> {
  if (fetched.status !== 'fetched') return fetched.status;
  const pieces: Uint8Array[] = [];
  for await (const piece of fetched.file.read()) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

const answer =
  (body: string | Buffer, headers: Record<string, string> = {}, status = 200): Handle =>
  (_, response) =>
    void response.writeHead(status, headers).end(body);

/** One after another; the last one stays. */
function sequence(...handles: Handle[]): void {
  handle = (request, response) => {
    const next = handles.length > 1 ? handles.shift() : handles[0];
    next?.(request, response);
  };
}

describe('a list', () => {
  test('arrives whole, with its digest and what the publisher says of it', async () => {
    handle = answer('<list/>', { etag: '"a"', 'last-modified': 'Mon, 02 Feb 2026 00:00:00 GMT' });
    const fetched = await fetcherOf().fetch(ask('/list.xml?token=secret'));
    expect(fetched).toMatchObject({
      etag: '"a"',
      file: { bytes: 7, sha256: createHash('sha256').update('<list/>').digest('hex') },
      lastModified: 'Mon, 02 Feb 2026 00:00:00 GMT',
    });
    expect(await contentOf(fetched)).toBe('<list/>');
    expect(seen[0]?.headers['user-agent']).toBe('compliance-lists/1');
    expect(log.join()).not.toContain('secret');
    if (fetched.status === 'fetched') await fetched.file.remove();
    expect(readdirSync(directory)).toEqual([]);
  });

  test('is asked for only if it changed, and a full run asks for it anyway', async () => {
    handle = (request, response) =>
      request.headers['if-none-match'] === '"a"'
        ? response.writeHead(304).end()
        : response.end('new');
    const validators = { etag: '"a"', fileSha256: '', lastModified: 'yesterday' };
    const asked = ask('/list.xml');
    const source = { ...asked.source, validators };
    expect(await fetcherOf().fetch({ ...asked, source })).toEqual({ status: 'not-modified' });
    expect(seen[0]?.headers['if-modified-since']).toBe('yesterday');
    const full = await fetcherOf().fetch({ ...asked, kind: 'full', source });
    expect(await contentOf(full)).toBe('new');
  });

  test('of the European Union is asked for in a language', async () => {
    handle = answer('x');
    await fetcherOf().fetch(ask('/', { sourceId: 'EU_CFSP' }));
    expect(seen[0]?.headers['accept-language']).toBe('en');
  });

  test('comes compressed, in several members too', async () => {
    const body = Buffer.concat([gzipSync('one '), gzipSync('two')]);
    handle = answer(body, { 'content-encoding': 'gzip' });
    expect(await contentOf(await fetcherOf().fetch(ask('/')))).toBe('one two');
  });

  test('is looked for behind three redirects, and not behind four', async () => {
    handle = (request, response) => {
      const hop = Number(request.url?.slice(1));
      if (hop === 0) response.end('here');
      else response.writeHead(302, { location: `/${hop - 1}` }).end();
    };
    expect(await contentOf(await fetcherOf().fetch(ask('/3')))).toBe('here');
    await expect(fetcherOf().fetch(ask('/4'))).rejects.toMatchObject({ code: 'list-unreachable' });
  });
});

describe('a publisher that fails', () => {
  test('is asked four times in all, later each time', async () => {
    handle = answer('', {}, 500);
    const failed = fetcherOf().fetch(ask('/list.xml?token=secret'));
    await expect(failed).rejects.toMatchObject({ code: 'list-unreachable' });
    await expect(failed).rejects.toThrow(/^127\.0\.0\.1:\d+\/list\.xml: HTTP 500$/);
    expect(seen).toHaveLength(4);
    expect(waits).toHaveLength(3);
    for (const [index, ms] of [2_000, 8_000, 32_000].entries()) {
      expect(waits[index]).toBeGreaterThanOrEqual(ms / 2);
      expect(waits[index]).toBeLessThanOrEqual(ms * 1.5);
    }
  });

  test.each([400, 401, 403, 404, 410])('and says %d is not asked again', async (status) => {
    handle = answer('', {}, status);
    await expect(fetcherOf().fetch(ask('/'))).rejects.toMatchObject({ code: 'list-unreachable' });
    expect(seen).toHaveLength(1);
  });

  test('is left alone for as long as it asks', async () => {
    sequence(answer('', { 'retry-after': '77' }, 429), answer('x'));
    expect(await contentOf(await fetcherOf().fetch(ask('/')))).toBe('x');
    expect(waits).toEqual([77_000]);
  });

  test('and asks for an hour is left to the next run', async () => {
    handle = answer('', { 'retry-after': '3600' }, 503);
    await expect(fetcherOf().fetch(ask('/'))).rejects.toMatchObject({ code: 'list-unreachable' });
    expect(waits).toEqual([]);
  });

  test.each(['full', 'delta'] as const)(
    'and says that nothing changed to who has nothing has failed: %s',
    async (kind) => {
      handle = answer('', { etag: '"a"' }, 304);
      await expect(fetcherOf().fetch(ask('/list.xml', { kind }))).rejects.toMatchObject({
        code: 'list-unreachable',
        message: expect.stringContaining('/list.xml: HTTP 304 to a request without conditions'),
      });
      expect(seen).toHaveLength(4);
    },
  );

  test('in the middle of a body leaves nothing behind, and is asked again', async () => {
    const cut: Handle = (request, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('half', () => request.socket.destroy());
    };
    sequence(cut, answer('whole'));
    expect(await contentOf(await fetcherOf().fetch(ask('/')))).toBe('whole');
    expect(readdirSync(directory)).toHaveLength(1);
  });

  test('in the middle of a compressed body is asked again', async () => {
    const half = gzipSync('whole'.repeat(1_000)).subarray(0, 30);
    const headers = { 'content-encoding': 'gzip' };
    sequence(answer(half, headers), answer(gzipSync('whole'), headers));
    expect(await contentOf(await fetcherOf().fetch(ask('/')))).toBe('whole');
  });

  test('whose port is closed is told by its host', async () => {
    const source = { ...newSource('UN_SC'), url: 'http://127.0.0.1:1/list.xml?token=secret' };
    await expect(fetcherOf().fetch({ ...ask('/'), source })).rejects.toThrow(
      '127.0.0.1:1/list.xml: nobody listens there (ECONNREFUSED)',
    );
    expect(log.join()).not.toContain('secret');
  });
});

describe('a proxy', () => {
  const resolve = async () => [{ address: '93.184.215.14', family: 4 }];
  const published = { ...newSource('UN_SC'), url: 'https://lists.test/list.xml?token=secret' };

  test('is not asked for what listens on this host', async () => {
    handle = answer('<list/>');
    const asked: string[] = [];
    const proxy = createServer(({ url = '' }, response) => {
      asked.push(url);
      response.writeHead(500).end();
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const fetched = await fetcherOf({ proxyUrl }).fetch(ask('/list.xml?token=secret'));
    expect(await contentOf(fetched)).toBe('<list/>');
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
    expect(asked).toEqual([]);
  });

  test('that is down is told to be the one that does not answer', async () => {
    const fetcher = fetcherOf({ proxyUrl: 'http://127.0.0.1:1', resolve });
    await expect(fetcher.fetch({ ...ask('/'), source: published })).rejects.toThrow(
      'lists.test/list.xml: the proxy (FETCH_PROXY_URL) does not answer: ' +
        'nobody listens there (ECONNREFUSED)',
    );
    expect(waits).toHaveLength(3);
  });

  test.each([
    [407, 0],
    [502, 3],
  ])('that says %d instead of leading there is told, too', async (status, retries) => {
    server.on('connect', (_, socket) => {
      socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
    });
    const fetcher = fetcherOf({ proxyUrl: origin, resolve });
    await expect(fetcher.fetch({ ...ask('/'), source: published })).rejects.toThrow(
      `lists.test/list.xml: the proxy (FETCH_PROXY_URL) answers HTTP ${status}`,
    );
    expect(waits).toHaveLength(retries);
  });

  test('that hangs up is the one that does not answer; a tunnel that breaks is not', async () => {
    server.on('connect', (_, socket) => socket.destroy());
    const fetcher = fetcherOf({ proxyUrl: origin, resolve });
    await expect(fetcher.fetch({ ...ask('/'), source: published })).rejects.toThrow('the proxy');
    server.removeAllListeners('connect');
    server.on('connect', (_, socket) => {
      socket.end('HTTP/1.1 200 OK\r\n\r\n', () => socket.destroy());
    });
    const broken = fetcher.fetch({ ...ask('/'), source: published });
    await expect(broken).rejects.not.toThrow('the proxy');
  });
});

describe('what is refused', () => {
  test('plain http to another host, at once or by a redirect', async () => {
    const elsewhere = { bits: 32, network: '198.51.100.7' };
    const fetcher = fetcherOf({ allowedHosts: [...THIS_HOST, elsewhere] });
    const source = { ...newSource('UN_SC'), url: 'http://198.51.100.7/list.xml' };
    await expect(fetcher.fetch({ ...ask('/'), source })).rejects.toThrow('expected https');
    handle = answer('', { location: 'http://198.51.100.7/x?token=secret' }, 302);
    const failed = fetcher.fetch(ask('/'));
    await expect(failed).rejects.toThrow('198.51.100.7/x: expected https');
    expect(waits).toEqual([]);
  });

  test('a redirect to another place that is not named', async () => {
    handle = answer('', { location: 'https://10.0.0.1/admin?token=secret' }, 302);
    const failed = fetcherOf().fetch(ask('/'));
    await expect(failed).rejects.toThrow(`10.0.0.1/admin: ${REFUSED}`);
    expect(waits).toEqual([]);
  });

  test('gzip in gzip, and an encoding that nobody asked for', async () => {
    handle = answer(gzipSync(gzipSync('x')), { 'content-encoding': 'gzip' });
    await expect(fetcherOf().fetch(ask('/'))).rejects.toMatchObject({ code: 'list-damaged' });
    handle = answer('x', { 'content-encoding': 'br' });
    await expect(fetcherOf().fetch(ask('/'))).rejects.toMatchObject({ code: 'list-unreachable' });
  });

  test('compressed nothing, long before it fills the disk', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    handle = answer(bomb, { 'content-encoding': 'gzip' });
    let most = 0;
    const onBytes = (bytes: number): void => {
      most = Math.max(most, bytes);
    };
    await expect(fetcherOf().fetch(ask('/', { onBytes }))).rejects.toMatchObject({
      code: 'list-damaged',
    });
    expect(most).toBeLessThan(20 * 1024 * 1024);
    expect(readdirSync(directory)).toEqual([]);
  });

  test('a run that was given up stops in the middle', async () => {
    handle = (_, response) => void response.writeHead(200).write('half');
    const stop = new AbortController();
    const onBytes = () => stop.abort(new Error('lease lost'));
    const given = fetcherOf().fetch(ask('/', { onBytes, signal: stop.signal }));
    await expect(given).rejects.toThrow('lease lost');
    expect(readdirSync(directory)).toEqual([]);
  });
});

describe('a feed with credentials', () => {
  test('gets its token, a new one after a 401, and none goes to another host', async () => {
    const other = createServer((request, response) => {
      seen.push(request);
      response.end('feed');
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    handle = (request, response) =>
      request.headers.authorization === 'Bearer 2'
        ? response.writeHead(307, { location: `http://127.0.0.1:${port}/feed` }).end()
        : response.writeHead(401).end();
    let token = 1;
    const fetcher = fetcherOf({
      authorizerOf: () => ({
        authorize: async () => ({ authorization: `Bearer ${token}` }),
        forget: () => {
          token++;
        },
        origin,
      }),
    });
    expect(await contentOf(await fetcher.fetch(ask('/feed')))).toBe('feed');
    expect(seen.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer 1',
      'Bearer 2',
      undefined,
    ]);
    other.closeAllConnections();
    other.close();
  });

  test('asks its token endpoint through the same client', async () => {
    let sent = '';
    handle = (request, response) => {
      if (request.url !== '/token') return void response.end('feed');
      request.setEncoding('utf8').on('data', (chunk: string) => {
        sent += chunk;
      });
      request.on('end', () => response.end('{"access_token":"t"}'));
      return undefined;
    };
    const fetcher = fetcherOf({
      authorizerOf: (_, send) => ({
        authorize: async () => {
          const { status, body } = await send({
            body: 'grant_type=client_credentials',
            bytesMax: 100,
            headers: {},
            url: `${origin}/token`,
          });
          return { authorization: `${status} ${Buffer.from(body).toString()}` };
        },
        forget: () => undefined,
        origin,
      }),
    });
    await fetcher.fetch(ask('/feed'));
    expect(sent).toBe('grant_type=client_credentials');
    expect(seen[1]?.headers.authorization).toBe('200 {"access_token":"t"}');
  });
});
