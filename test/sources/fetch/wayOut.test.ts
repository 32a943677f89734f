/** The way out: which addresses are this host's, and what becomes of a tunnel that is refused. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { MockAgent, request } from 'undici';
import { expect, test } from 'vitest';
import { httpGet } from '../../../src/sources/fetch/httpGet.ts';
import {
  isLocal,
  isPlainlyLocal,
  openWayOut,
  ProxyFailure,
} from '../../../src/sources/fetch/wayOut.ts';

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
  const get = {
    dispatcher: redirectingTo(url),
    headers: {},
    now: () => 0,
    secretHeaders: {},
    signal: AbortSignal.timeout(10_000),
    spoolDirectory: '/nowhere',
    url: new URL('https://publisher.example/list'),
  };
  await expect(httpGet(get)).rejects.toThrow('a redirect from another host to this one');
  await get.dispatcher.close();
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
  const way = openWayOut(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  try {
    const asked = request('https://lists.test/', { dispatcher: way.dispatcher });
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
