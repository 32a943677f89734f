/**
 * Tunnels through a proxy of the test's own, which notes what it is asked for: checked addresses,
 * never names, unless the operator says so.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Agent, request } from 'undici';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AllowedHost } from '#platform/outbound/allowedHosts';
import { createOutboundGuard, type ResolveHost } from '#platform/outbound/outboundGuard';
import { ProxyFailure, proxiedConnector } from '#platform/outbound/proxiedConnector';

const PUBLIC = '93.184.215.14';
const REFUSED = 'expected a public address, or one that FETCH_ALLOWED_HOSTS names';

interface Asked {
  readonly authority: string;
  readonly credentials: string | undefined;
}

let origin: Server;
let originPort: number;
let proxy: Server;
let asked: Asked[];
/** Statuses of the next answers; 200 leads to the test's own origin, whatever was asked for. */
let statuses: number[];
const sockets = new Set<Socket>();

beforeEach(async () => {
  asked = [];
  statuses = [];
  origin = createServer((_, response) => void response.end('there'));
  originPort = await listening(origin);
  proxy = createServer();
  proxy.on('connect', ({ headers, url = '' }, socket: Socket) => {
    asked.push({ authority: url, credentials: headers['proxy-authorization'] });
    sockets.add(socket.on('error', () => undefined));
    const status = statuses.shift() ?? 200;
    if (status === 0) return; // never answers
    socket.write(`HTTP/1.1 ${status} X\r\n\r\n`);
    if (status !== 200) return void socket.end();
    const through = connect(originPort, '127.0.0.1').on('error', () => undefined);
    socket.pipe(through).pipe(socket);
    sockets.add(through);
  });
  await listening(proxy);
});

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of [origin, proxy]) {
    server.closeAllConnections();
    server.close();
  }
});

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

interface Given {
  readonly allowed?: readonly AllowedHost[];
  readonly credentials?: string;
  readonly resolvesNames?: boolean;
  readonly timeoutMs?: number;
}

const answering =
  (...addresses: readonly string[]): ResolveHost =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

async function call(host: string, resolve: ResolveHost, given: Given = {}): Promise<string> {
  const { allowed = [], credentials = '', resolvesNames = false, timeoutMs = 5_000 } = given;
  const guard = createOutboundGuard({ allowed, resolve, variable: 'FETCH_ALLOWED_HOSTS' });
  const { port } = proxy.address() as AddressInfo;
  const proxyUrl = `http://${credentials}127.0.0.1:${port}`;
  const connector = proxiedConnector(guard, { proxyUrl, resolvesNames, timeoutMs });
  const dispatcher = new Agent({ connect: connector });
  try {
    const { body } = await request(`http://${host}/`, { dispatcher });
    return await body.text();
  } finally {
    await dispatcher.destroy();
  }
}

const authorities = () => asked.map(({ authority }) => authority);

test('the proxy is asked for the address that was checked, and the DNS only once', async () => {
  let lookups = 0;
  const resolve: ResolveHost = async () => {
    lookups++;
    return [{ address: PUBLIC, family: 4 }];
  };
  expect(await call('lists.example:8443', resolve)).toBe('there');
  expect(authorities()).toEqual([`${PUBLIC}:8443`]);
  expect(lookups).toBe(1);
});

test('an address of version 6 is asked for in brackets, in a URL and from the DNS', async () => {
  await call('lists.example', answering('2606:4700::1111'));
  await call('[2606:4700::1111]:444', answering());
  expect(authorities()).toEqual(['[2606:4700::1111]:80', '[2606:4700::1111]:444']);
});

test('credentials of the proxy are sent to it, unescaped', async () => {
  await call('lists.example', answering(PUBLIC), { credentials: 'me:p%40ss@' });
  expect(asked[0]?.credentials).toBe(`Basic ${Buffer.from('me:p@ss').toString('base64')}`);
});

describe('nothing is asked of the proxy', () => {
  test.each(['127.0.0.1', '2130706433', 'localhost', '[::ffff:10.0.0.1]', '169.254.169.254'])(
    'for %s',
    async (host) => {
      await expect(call(host, answering(PUBLIC))).rejects.toThrow(REFUSED);
      await expect(call(host, answering(PUBLIC), { resolvesNames: true })).rejects.toThrow(REFUSED);
      expect(asked).toEqual([]);
    },
  );

  test('for a name with one private answer, also where the DNS changes its mind', async () => {
    const answers = [[PUBLIC, '10.0.0.1'], ['127.0.0.1'], ['fd00::1', PUBLIC]];
    let lookups = 0;
    const resolve: ResolveHost = (host) =>
      answering(...(answers[lookups++ % answers.length] ?? []))(host);
    for (let time = 0; time < 9; time++) {
      await expect(call('rebind.example', resolve)).rejects.toThrow(REFUSED);
    }
    expect([asked, lookups]).toEqual([[], 9]);
  });

  test('for a name that leads nowhere', async () => {
    const unknown: ResolveHost = () =>
      Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
    await expect(call('nowhere.example', unknown)).rejects.toMatchObject({ code: 'ENOTFOUND' });
    expect(asked).toEqual([]);
  });
});

test('a proxy that resolves names is asked for the name, and this host looks none up', async () => {
  const resolve: ResolveHost = () => Promise.reject(new Error('looked up'));
  expect(await call('lists.example', resolve, { resolvesNames: true })).toBe('there');
  expect(authorities()).toEqual(['lists.example:80']);
});

test('the next address is asked for where the proxy does not reach one', async () => {
  statuses = [502, 200];
  expect(await call('lists.example', answering('2606:4700::1111', PUBLIC))).toBe('there');
  expect(authorities()).toEqual(['[2606:4700::1111]:80', `${PUBLIC}:80`]);
});

test.each([
  [502, 4],
  [407, 1],
])('a proxy that says %i is the failure, after %i', async (status, tries) => {
  statuses = [status, status, status, status, status];
  const addresses = [1, 2, 3, 4, 5].map((last) => `93.184.215.${last}`);
  const error = await call('lists.example', answering(...addresses)).catch((one: unknown) => one);
  expect(error).toBeInstanceOf(ProxyFailure);
  expect(error).toMatchObject({ statusCode: status });
  expect(asked).toHaveLength(tries);
});

test('a proxy that never answers fails in time, and is asked no further', async () => {
  statuses = [0];
  const error = await call('lists.example', answering(PUBLIC, '1.1.1.1'), {
    timeoutMs: 50,
  }).catch((one: unknown) => one);
  expect(error).toMatchObject({ cause: { code: 'UND_ERR_CONNECT_TIMEOUT' }, name: 'ProxyFailure' });
  expect(asked).toHaveLength(1);
});
