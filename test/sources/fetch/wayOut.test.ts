/** The way out: which addresses are this host's, and what becomes of a tunnel that is refused. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { MockAgent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '#platform/clock';
import type { AllowedHost } from '#platform/outbound/allowedHosts';
import { createOutboundGuard, type ResolveHost } from '#platform/outbound/outboundGuard';
import { ProxyFailure } from '#platform/outbound/proxiedConnector';
import { systemRandom } from '#platform/random';
import { newSource } from '#slices/ingestion';
import { createHttpFetcher } from '../../../src/sources/fetch/httpFetcher.ts';
import { httpGet } from '../../../src/sources/fetch/httpGet.ts';
import { isLocal, isPlainlyLocal, openWayOut } from '../../../src/sources/fetch/wayOut.ts';

const THIS_HOST: readonly AllowedHost[] = [
  { bits: 8, network: '127.0.0.0' },
  { bits: 8, network: '0.0.0.0' },
  { bits: 127, network: '::' },
  { name: 'localhost' },
];

test.each([
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0.0.0.0',
  '0',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:0.0.0.0]',
  'localhost',
  'localhost.',
  'LOCALHOST',
  'a.localhost',
  'a.b.localhost.',
])('%s is this host, to which no redirect from elsewhere leads', async (host) => {
  const url = new URL(`https://${host}/admin`);
  expect(isLocal(url)).toBe(true);
  const dispatcher = redirectingTo(url);
  const way = (allowed: readonly AllowedHost[]) => ({
    dispatcher,
    guard: createOutboundGuard({ allowed, variable: 'FETCH_ALLOWED_HOSTS' }),
  });
  const get = {
    headers: {},
    now: () => 0,
    secretHeaders: {},
    signal: AbortSignal.timeout(10_000),
    spoolDirectory: '/nowhere',
    url: new URL('https://publisher.example/list'),
    // Though the operator named all of this host: the publisher's redirect is a stranger's.
    way: { named: way(THIS_HOST), publicOnly: way([]) },
  };
  await expect(httpGet(get)).rejects.toThrow('expected a public address');
  await dispatcher.close();
});

test.each([
  '126.255.255.255',
  '10.0.0.1',
  '[2001:db8::1]',
  '[::ffff:10.0.0.1]',
  'localhost.example',
  'notlocalhost',
])('%s is another host', (host) => expect(isLocal(new URL(`https://${host}/`))).toBe(false));

test.each(['0.0.0.0', '[::]', '[::ffff:127.0.0.1]', 'localhost.', 'a.localhost'])(
  'http is not enough for %s, which DNS or the system may lead elsewhere',
  (host) => expect(isPlainlyLocal(new URL(`http://${host}/`))).toBe(false),
);

test('a tunnel that the proxy refuses is closed, though the proxy keeps it open', async () => {
  const sockets: Socket[] = [];
  const proxy = createServer();
  const closed = new Promise<void>((resolve) => {
    proxy.on('connect', (_, socket: Socket) => {
      sockets.push(socket);
      socket
        .on('error', () => undefined)
        .once('close', resolve)
        .once('end', resolve)
        .resume();
      socket.write('HTTP/1.1 407 No\r\ncontent-length: 0\r\n\r\n');
    });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const resolve: ResolveHost = async () => [{ address: '93.184.215.14', family: 4 }];
  const way = openWayOut({ allowedHosts: [], proxyUrl, resolve });
  try {
    const asked = request('https://lists.test/', { dispatcher: way.named.dispatcher });
    await expect(asked).rejects.toThrow(ProxyFailure);
    await closed;
  } finally {
    await way.close();
    for (const socket of sockets) socket.destroy();
    proxy.close();
  }
});

/** A publisher that sends everybody there. */
function redirectingTo(url: URL): MockAgent {
  const agent = new MockAgent();
  agent.disableNetConnect();
  const publisher = agent.get('https://publisher.example');
  const headers = { location: url.href };
  publisher.intercept({ method: 'GET', path: '/list' }).reply(302, '', { headers });
  return agent;
}

describe('a list of a place that nobody named', () => {
  const REFUSED = 'expected a public address, or one that FETCH_ALLOWED_HOSTS names';
  let server: Server;
  let port: number;
  let connections = 0;
  let waits = 0;
  beforeAll(async () => {
    server = createServer((_, response) => void response.end('list'));
    server.on('connection', () => {
      connections++;
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => server.close());

  async function fetched(url: string, resolve?: ResolveHost): Promise<unknown> {
    const fetcher = createHttpFetcher({
      allowedHosts: [],
      clock: systemClock,
      random: systemRandom,
      sleep: async () => void waits++,
      spoolDirectory: '/nowhere',
      userAgent: 'test',
      ...(resolve !== undefined && { resolve }),
    });
    const source = { ...newSource('UN_SC'), url };
    const signal = AbortSignal.timeout(10_000);
    try {
      return await fetcher.fetch({ kind: 'full', signal, source }).catch((error: unknown) => error);
    } finally {
      await fetcher.close();
    }
  }

  test.each([
    'http://127.0.0.1',
    'https://127.0.0.1',
    'https://2130706433',
    'https://0x7f.1',
    'https://0177.0.0.1',
    'https://127.1',
    'https://①②⑦.0.0.1',
    'https://[::1]',
    'https://[::ffff:127.0.0.1]',
    'https://localhost',
    'https://localhost.',
    'https://a.localhost',
    'https://10.0.0.1',
    'https://169.254.169.254',
    'https://[fd00:ec2::254]',
  ])('%s is refused with one text, without a connection or another try', async (at) => {
    const error = await fetched(`${at}:${port}/list?token=secret`);
    expect(error).toMatchObject({ code: 'list-unreachable' });
    expect(String(error)).toContain(`/list: ${REFUSED}`);
    expect([connections, waits]).toEqual([0, 0]);
  });

  test('by a name of the DNS is refused, whatever it answered a moment before', async () => {
    const answers = ['192.0.2.1', '127.0.0.1', '10.1.1.1'];
    let asked = 0;
    const resolve: ResolveHost = async () =>
      ['93.184.215.14', answers[asked++ % answers.length] ?? ''].map((address) => ({
        address,
        family: 4,
      }));
    for (let time = 0; time < 6; time++) {
      const error = await fetched(`https://lists.example:${port}/list`, resolve);
      expect(String(error)).toContain(REFUSED);
    }
    expect([asked, connections, waits]).toEqual([6, 0, 0]);
  });
});
