/**
 * The guard with a DNS of the test's own, up to the socket: canaries listen on this host's two
 * addresses, and count who connects.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AllowedHost } from '#platform/outbound/allowedHosts';
import { configuredFetchGuard } from '#platform/outbound/fetchGuard';
import { guardedConnector } from '#platform/outbound/guardedConnector';
import {
  AddressRefused,
  createOutboundGuard,
  type ResolveHost,
} from '#platform/outbound/outboundGuard';

const PUBLIC = '93.184.215.14';
const WORDS = 'expected a public address, or one that FETCH_ALLOWED_HOSTS names';
const answering =
  (...addresses: readonly string[]): ResolveHost =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
const guardOf = (resolve: ResolveHost, allowed: readonly AllowedHost[] = []) =>
  createOutboundGuard({ allowed, resolve, variable: 'FETCH_ALLOWED_HOSTS' });

describe('as it is spelt', () => {
  const allowed = [{ name: 'mirror.local' }, { bits: 16, network: '10.1.0.0' }];
  const guard = guardOf(answering(PUBLIC), allowed);

  test.each([
    ...['127.0.0.1', '2130706433', '0x7f.1', '0177.0.0.1', '127.1', '0', '①②⑦.0.0.1', '127.0.0.1.'],
    ...['localhost', 'LOCALHOST.', 'a.localhost', '[::1]', '[::]', '[::ffff:7f00:1]', '10.2.0.1'],
    ...['[fe80::1]', '[64:ff9b::a00:1]', '169.254.169.254', '[::ffff:10.2.0.1]'],
  ])('%s is refused', async (host) => {
    const url = new URL(`https://${host}/`);
    expect(guard.allows(url)).toBe(false);
    await expect(guard.check(url)).rejects.toThrow(WORDS);
  });

  test.each([
    ['lists.example', false],
    ['localhost.example', false],
    [PUBLIC, false],
    ['[2606:4700::1111]', false],
    ['10.1.200.3', true],
    ['mirror.local', true],
    ['MIRROR.local.', true],
  ])('%s is not; named by the operator: %s', async (host, isNamed) => {
    const url = new URL(`https://${host}/`);
    expect([guard.allows(url), guard.isNamed(url)]).toEqual([true, isNamed]);
    await guard.check(url);
  });
});

describe('a configured name', () => {
  const url = new URL('https://lists.example/');

  test.each([['127.0.0.1'], ['10.0.0.1'], ['fe80::1'], ['::ffff:127.0.0.1']])(
    'that leads to %s is refused, also beside a public answer',
    async (address) => {
      await expect(guardOf(answering(address)).check(url)).rejects.toThrow(AddressRefused);
      await expect(guardOf(answering(PUBLIC, address)).check(url)).rejects.toThrow(AddressRefused);
      await expect(guardOf(answering(address, PUBLIC)).check(url)).rejects.toThrow(AddressRefused);
    },
  );

  test('that cannot be resolved now is asked again when it is called', async () => {
    const unknown: ResolveHost = () => Promise.reject(new Error('ENOTFOUND'));
    await guardOf(unknown).check(url);
  });

  test('is not resolved where this host makes no calls itself', async () => {
    const lists = { allowedHosts: [], proxyResolvesNames: true };
    const guards = [
      configuredFetchGuard({ deploymentMode: 'air-gapped', lists }),
      configuredFetchGuard({
        deploymentMode: 'connected',
        lists: { ...lists, proxyUrl: 'http://proxy.example:3128' },
      }),
    ];
    for (const guard of guards) {
      await guard.check(new URL('https://ip6-localhost/'));
      await expect(guard.check(new URL('https://10.0.0.1/'))).rejects.toThrow(WORDS);
    }
  });
});

describe('a connection', () => {
  const canaries: Server[] = [];
  let port: number;
  let connections: number;
  beforeAll(async () => {
    const canary = createServer((_, response) => void response.end('here'));
    canary.on('connection', () => {
      connections++;
    });
    canary.listen(0, '127.0.0.1');
    await once(canary, 'listening');
    port = (canary.address() as AddressInfo).port;
    canaries.push(canary);
  });
  beforeEach(() => {
    connections = 0;
  });
  afterAll(() => {
    for (const canary of canaries) canary.closeAllConnections();
    for (const canary of canaries) canary.close();
  });

  async function call(host: string, resolve: ResolveHost, allowed: readonly AllowedHost[] = []) {
    const connect = guardedConnector(guardOf(resolve, allowed), { timeoutMs: 2_000 });
    const dispatcher = new Agent({ connect });
    try {
      const { body } = await request(`http://${host}:${port}/`, { dispatcher });
      return await body.text();
    } finally {
      await dispatcher.destroy();
    }
  }

  test('is made to the address that was checked, and the DNS is asked once', async () => {
    let asked = 0;
    const resolve: ResolveHost = async () => {
      asked++;
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const allowed = [{ bits: 32, network: '127.0.0.1' }];
    expect(await call('lists.example', resolve, allowed)).toBe('here');
    expect([asked, connections]).toEqual([1, 1]);
  });

  test('to a name that the operator named goes wherever that leads', async () => {
    const allowed = [{ name: 'mirror.local' }];
    expect(await call('mirror.local', answering('127.0.0.1'), allowed)).toBe('here');
    await expect(call('other.local', answering('127.0.0.1'), allowed)).rejects.toThrow(WORDS);
  });

  test.each(['127.0.0.1', '2130706433', '0x7f.1', 'localhost', '[::ffff:127.0.0.1]'])(
    'is never opened to %s',
    async (host) => {
      await expect(call(host, answering('127.0.0.1'))).rejects.toThrow(WORDS);
      expect(connections).toBe(0);
    },
  );

  test('is never opened for a DNS that changes its mind', async () => {
    const answers = [PUBLIC, '127.0.0.1', '::ffff:127.0.0.1', '127.0.0.1'];
    let asked = 0;
    const resolve: ResolveHost = (host) => {
      const address = answers[asked++ % answers.length] ?? '';
      return answering(...(address === PUBLIC ? ['192.0.2.1'] : [PUBLIC, address]))(host);
    };
    for (let time = 0; time < 100; time++) {
      await expect(call('rebind.example', resolve)).rejects.toThrow(WORDS);
    }
    expect([asked, connections]).toEqual([100, 0]);
  });

  test('fails as the DNS does where a name leads nowhere', async () => {
    const unknown: ResolveHost = () =>
      Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
    await expect(call('nowhere.example', unknown)).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });
});
