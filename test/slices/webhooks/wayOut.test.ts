/**
 * Calls by names: the certificate is held to the host's name, whatever address it leads to, and a
 * proxy is asked for the address that was checked (W11, R12).
 */
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { changeTls, endpointEntry, endpointTable } from '#slices/webhooks';
import { makeCertificate } from '../../platform/testCertificates.ts';
import { makeSqliteHarness } from '../../storage/sqlite/harness.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { AUTHORITY, startTlsReceiver, type TlsReceiver } from './tlsReceiver.ts';
import { ACTOR, type HouseOptions, openHouse, TENANT, type WebhookHouse } from './webhookHouse.ts';

const HOST = 'hooks.example.com';
const NAMED = makeCertificate('named', { hosts: [HOST], issuer: AUTHORITY });
const OTHER = makeCertificate('other', { hosts: ['other.example.com'], issuer: AUTHORITY });
const owner = { sandbox: false, tenantId: TENANT };

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function opened(options: HouseOptions = {}): Promise<WebhookHouse> {
  const house = await openHouse(makeSqliteHarness, {
    allowed: [{ bits: 8, network: '127.0.0.0' }],
    isSandbox: false,
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    timeoutMs: 5_000,
    ...options,
  });
  ends.push(() => house.close());
  return house;
}

async function serving(certificate = NAMED): Promise<TlsReceiver> {
  const receiver = await startTlsReceiver({}, certificate);
  ends.push(() => receiver.close());
  return receiver;
}

async function outcome(house: WebhookHouse, port: number, host = HOST) {
  const { endpointId } = (await house.register(`https://${host}:${port}/hook`)).endpoint;
  const ask = { actor: ACTOR, endpointId, owner };
  await changeTls(house, ask, { caPem: AUTHORITY.certificatePem });
  await house.tell({ batch_id: 'b' });
  await house.send();
  const [delivery] = await house.deliveries();
  return { attempt: delivery?.attempts.at(-1), delivery };
}

test('the host is asked for by its name, and its certificate is held to it', async () => {
  const receiver = await serving();
  const { attempt } = await outcome(await opened(), receiver.port);
  expect(attempt).toMatchObject({ address: '127.0.0.1', responseCode: 204 });
  expect(receiver.names).toEqual([HOST]);
});

test('a certificate of another name is not believed, and nothing is sent', async () => {
  const receiver = await serving(OTHER);
  const { attempt, delivery } = await outcome(await opened(), receiver.port);
  expect(delivery).toMatchObject({ failureReason: 'tls', status: 'RETRYING' });
  expect(attempt).not.toHaveProperty('responseCode');
  expect(receiver.subjects).toEqual([]);
});

let proxy: Server;
let asked: string[];
/** What the proxy answers. */
let status: number;
let proxyUrl: string;
beforeEach(async () => {
  asked = [];
  status = 200;
  proxy = createServer();
  proxy.on('connect', ({ url = '' }, socket: Socket) => {
    asked.push(url);
    socket.on('error', () => undefined);
    socket.write(`HTTP/1.1 ${status} X\r\n\r\n`);
    if (status !== 200) return void socket.end();
    const through = connect(Number(url.split(':').at(-1)), '127.0.0.1');
    through.on('error', () => socket.destroy());
    socket.pipe(through).pipe(socket);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  ends.push(() => new Promise((resolve) => void proxy.close(resolve).closeAllConnections()));
});

test('a proxy is asked for the address that was checked; TLS is with the name', async () => {
  const receiver = await serving();
  const { attempt, delivery } = await outcome(await opened({ proxyUrl }), receiver.port);
  expect(delivery).toMatchObject({ status: 'DELIVERED' });
  expect(asked).toEqual([`127.0.0.1:${receiver.port}`]);
  expect(receiver.names).toEqual([HOST]);
  expect(attempt?.tls).toMatch(/^TLSv1\.3 /);
  expect(attempt?.address).toBe('127.0.0.1'); // of the endpoint, which is this machine here
});

test('it is asked for nothing that the guard refuses', async () => {
  const house = await opened({
    allowed: [],
    proxyUrl,
    resolve: async () => [{ address: '93.184.216.34', family: 4 }],
  });
  const { endpoint } = await house.register(`https://${HOST}:8443/`);
  const next = { ...endpoint, generation: 2, url: 'https://10.0.0.1:8443/', version: 2 };
  await house.commit(TENANT as never, {
    bus: [],
    changes: [endpointTable.put(next, 1)],
    events: [endpointEntry(house, { actor: ACTOR }, 'webhook.endpoint.changed', next)],
  });
  await house.tell({ batch_id: 'b' });
  await house.send();
  expect(await house.deliveries()).toMatchObject([{ failureReason: 'ssrf-blocked' }]);
  expect(asked).toEqual([]);
});

test.each([
  [502, 1],
  [407, 0],
])(
  'a proxy that answers %i: failures of the endpoint that are counted: %i',
  async (code, count) => {
    status = code;
    const house = await opened({ proxyUrl });
    const { delivery } = await outcome(house, 8_443);
    expect(delivery).toMatchObject({ failureReason: 'connect', status: 'RETRYING' });
    const { endpointId = '' } = delivery ?? {};
    const stored = await house.tables.find(endpointTable, { endpointId, tenantId: TENANT });
    expect(stored?.consecutiveFailures ?? 0).toBe(count);
  },
);

test('this machine is called directly: the proxy’s would be another', async () => {
  const receiver: Receiver = await startReceiver();
  ends.push(() => receiver.close());
  const house = await opened({ isSandbox: true, proxyUrl });
  await house.register(receiver.url);
  await house.tell({ batch_id: 'b' });
  await house.send();
  expect(receiver.received).toHaveLength(1);
  expect(asked).toEqual([]);
});
