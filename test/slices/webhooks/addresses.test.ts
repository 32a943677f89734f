/**
 * Where webhooks may not go (R11 to R13): spellings of private addresses at configuration and at
 * sending, ports, redirects, and names that lead elsewhere a moment later. Canaries on this machine
 * count connections.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DomainError } from '#core/kernel';
import type { ResolveHost } from '#platform/outbound/outboundGuard';
import {
  endpointEntry,
  endpointTable,
  findEndpoint,
  readConfiguration,
  removeEndpoint,
  type WebhookEndpoint,
} from '#slices/webhooks';
import { makeSqliteHarness } from '../../storage/sqlite/harness.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { ACTOR, OWN_PORT, openHouse, TENANT, type WebhookHouse } from './webhookHouse.ts';

const PRIVATE = [
  ...['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.254', '192.168.0.1', '192.168.255.1'],
  ...['0.0.0.0', '0.1.2.3', '127.0.0.1', '127.1.2.3', '127.255.255.255', '169.254.0.1'],
  ...['169.254.169.254', '100.64.0.1', '100.100.100.200', '100.127.255.255', '192.0.0.1'],
  ...['192.0.0.170', '192.0.2.1', '198.51.100.7', '203.0.113.9', '198.18.0.1', '198.19.255.255'],
  ...['192.88.99.1', '224.0.0.1', '239.255.255.255', '240.0.0.1', '254.1.1.1', '255.255.255.255'],
  ...['168.63.129.16', '2130706433', '0x7f000001', '0x7f.1', '0177.0.0.1', '0177.1', '127.1'],
  ...['127.0.1', '0x7f.0x0.0x0.0x1', '017700000001', '0', '00000000', '0x0', '1', '0xa.0.0.1'],
  ...[
    '3232235521',
    '0xc0a80001',
    '030052000001',
    '2852039166',
    '0xa9fea9fe',
    '0251.0376.0251.0376',
  ],
  ...['①②⑦.⓪.⓪.①', '１２７.０.０.１', '127。0。0。1', '127．0．0．1', '10.1', '10.0.1'],
  ...[
    '[::]',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
  ],
  ...['[::ffff:10.0.0.1]', '[::ffff:169.254.169.254]', '[64:ff9b::7f00:1]', '[64:ff9b::10.0.0.1]'],
  ...['[64:ff9b:1::1]', '[2002:7f00:1::]', '[2002:a00:1::1]', '[2001::1]', '[2001:0:7f00:1::]'],
  ...['[fc00::1]', '[fd00::1]', '[fd12:3456:789a::1]', '[fe80::1]', '[febf::1]', '[fec0::1]'],
  ...['[3fff::1]', '[3fff:fff::1]', '[2001:db8::1]', '[100::1]', '[5f00::1]', '[ff00::1]'],
  ...[
    '[ff02::1]',
    '[ff0e::1]',
    '[2001:2::1]',
    '[2001:10::1]',
    '[2001:20::1]',
    '[4000::1]',
    '[::2]',
  ],
  ...['localhost', 'localhost.', 'LOCALHOST', 'a.localhost', 'a.b.localhost.', 'LocalHost'],
] as const;

/** Deliveries to names whose DNS lies (R12). */
const SENDS = 1_000;
const NAMES = 5;

const listenAt = (server: Server, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });

let house: WebhookHouse;
let answers: ResolveHost;
beforeEach(async () => {
  answers = async () => [{ address: '93.184.216.34', family: 4 }];
  house = await openHouse(makeSqliteHarness, {
    isSandbox: false,
    resolve: (hostname) => answers(hostname),
    timeoutMs: 2_000,
  });
});
afterEach(() => house.close());

const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'taken',
    (error: unknown) =>
      error instanceof DomainError ? (error.violations[0]?.code ?? error.code) : error,
  );

test('there are as many spellings as were promised', () => {
  expect(new Set(PRIVATE).size).toBeGreaterThanOrEqual(90);
});

test('each of them is refused at configuration', async () => {
  for (const host of PRIVATE) {
    const code = await codeOf(house.register(`https://${host}/hook`));
    expect(['private-address', 'format'], host).toContain(code);
  }
});

const REFUSED = [
  ['http://hooks.example.com/', 'scheme'],
  ['ftp://hooks.example.com/', 'scheme'],
  ['file:///etc/passwd', 'scheme'],
  ['https://user@hooks.example.com/', 'userinfo'],
  ['https://user:word@hooks.example.com/', 'userinfo'],
  ['https://hooks.example.com@127.0.0.1/', 'userinfo'],
  ['https://hooks.example.com/#a', 'fragment'],
  ['https://hooks.example.com:22/', 'port'],
  ['https://hooks.example.com:25/', 'port'],
  ['https://hooks.example.com:80/', 'port'],
  ['https://hooks.example.com:6379/', 'port'],
  ['https://hooks.example.com:27017/', 'port'],
  ['https://hooks.example.com:5432/', 'port'],
  ['hooks.example.com', 'format'],
  [`https://hooks.example.com/${'a'.repeat(2_048)}`, 'too-long'],
] as const;

test('what is no address of a webhook is refused, with why', async () => {
  for (const [url, code] of REFUSED) expect(await codeOf(house.register(url)), url).toBe(code);
});

test.each([
  'https://hooks.example.com/a?b=c',
  'https://hooks.example.com:8443/',
  'https://1.1.1.1/',
])('%s is taken', async (url) => {
  expect(await codeOf(house.register(url))).toBe('taken');
});

test('a name that leads into a private network is refused at configuration', async () => {
  for (const address of ['127.0.0.1', '10.0.0.1', '::1', 'fd00::1', '::ffff:127.0.0.1']) {
    answers = async () => [
      { address: '93.184.216.34', family: 4 },
      { address, family: address.includes(':') ? 6 : 4 },
    ];
    expect(await codeOf(house.register('https://127-0-0-1.nip.io/'))).toBe('private-address');
  }
});

test('a name that leads nowhere is refused at configuration', async () => {
  answers = () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
  expect(await codeOf(house.register('https://nowhere.example.com/'))).toBe('unresolvable');
});

test('the installation’s own port is refused on every address of its machine', async () => {
  const own = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const allowed = [
    { bits: 0, network: '0.0.0.0' },
    { bits: 0, network: '::' },
  ];
  const opened = await openHouse(makeSqliteHarness, {
    allowed,
    isSandbox: false,
    resolve: (hostname) => answers(hostname),
  });
  const addresses = [...own.map(({ address }) => address), '127.9.9.9', '0.0.0.0'];
  for (const address of addresses.filter((one) => !one.includes('%'))) {
    const host = address.includes(':') ? `[${address}]` : address;
    const at = (port: number) => codeOf(opened.register(`https://${host}:${port}/`));
    expect(await at(OWN_PORT), host).toBe('private-address');
    expect(await at(OWN_PORT + 1), host).toBe('taken');
    const family = address.includes(':') ? 6 : 4;
    answers = async () => [{ address, family }];
    expect(await codeOf(opened.register(`https://own.example.com:${OWN_PORT}/`)), host).toBe(
      'private-address',
    );
    for (const { endpointId } of (await readConfiguration(opened, TENANT)).endpoints) {
      const owner = { sandbox: false, tenantId: TENANT };
      await removeEndpoint(opened, { actor: ACTOR, endpointId, owner });
    }
  }
  await opened.close();
});

test('nothing is connected to where a name comes to lead to the own port', async () => {
  let connections = 0;
  const self = createServer().on('connection', () => connections++);
  await new Promise<void>((resolve) => self.listen(OWN_PORT, '127.0.0.1', resolve));
  const opened = await openHouse(makeSqliteHarness, {
    allowed: [{ bits: 8, network: '127.0.0.0' }],
    isSandbox: false,
    resolve: (hostname) => answers(hostname),
  });
  await opened.register(`https://own.example.com:${OWN_PORT}/`);
  answers = async () => [{ address: '127.0.0.1', family: 4 }];
  await opened.tell({ batch_id: 'b' });
  await opened.send();
  expect(await opened.deliveries()).toMatchObject([{ failureReason: 'ssrf-blocked' }]);
  expect(connections).toBe(0);
  await opened.close();
  await new Promise((resolve) => self.close(resolve));
});

describe('with canaries on both addresses of this machine', () => {
  const canaries: Server[] = [];
  let connections = 0;
  let port = 0;
  beforeAll(async () => {
    for (const host of ['127.0.0.1', '::1']) {
      const canary = createServer((_, response) => void response.end());
      canary.on('connection', () => connections++);
      await listenAt(canary, port, host);
      ({ port } = canary.address() as AddressInfo);
      canaries.push(canary);
    }
  });
  afterAll(async () => {
    for (const canary of canaries) await new Promise((resolve) => canary.close(resolve));
  });

  test('they would count', async () => {
    for (const host of ['127.0.0.1', '[::1]']) await fetch(`http://${host}:${port}/`);
    expect(connections).toBe(2);
    connections = 0;
  });

  /** As a former release, or another process, that checked less. */
  async function aim(endpoint: WebhookEndpoint, url: string): Promise<void> {
    const { generation, version } = endpoint;
    const next = { ...endpoint, generation: generation + 1, url, version: version + 1 };
    await house.commit(TENANT as never, {
      bus: [],
      changes: [endpointTable.put(next, version)],
      events: [endpointEntry(house, { actor: ACTOR }, 'webhook.endpoint.changed', next)],
    });
  }

  test('every spelling is refused at sending, and nothing is connected to', async () => {
    const { endpoint } = await house.register('https://hooks.example.com/');
    for (const host of PRIVATE) {
      if (!URL.canParse(`https://${host}:${port}/`)) continue;
      // That it fails is noted on it, so it is read anew.
      await aim(await findEndpoint(house, endpoint), `https://${host}:${port}/`);
      await house.tell({ batch_id: host });
      await house.send();
    }
    const deliveries = await house.deliveries();
    expect(deliveries.length).toBeGreaterThan(80);
    const reasons = deliveries.map(({ failureReason, status }) => `${status} ${failureReason}`);
    expect([...new Set(reasons)]).toEqual(['FAILED ssrf-blocked']);
    expect(connections).toBe(0);
  });

  test('a name that is rebound between check and connection reaches nothing', async () => {
    let asked = 0;
    const good = '93.184.216.34';
    const lies = [['127.0.0.1'], ['::1'], [good, '127.0.0.1'], ['::1', good], ['::ffff:7f00:1']];
    for (let number = 0; number < NAMES; number++) {
      await house.register(`https://rebinding${number}.example.com:${port}/`);
    }
    answers = async () => {
      const all = lies[asked++ % lies.length] ?? [];
      return all.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    };
    for (let told = 0; told < SENDS / NAMES; told++) await house.tell({ batch_id: `b-${told}` });
    while ((await house.deliveries()).some(({ status }) => status === 'PENDING'))
      await house.send();
    const statuses = new Set((await house.deliveries()).map(({ failureReason }) => failureReason));
    expect([...statuses]).toEqual(['ssrf-blocked']);
    expect(asked).toBe(SENDS);
    expect(connections).toBe(0);
  });
});

describe('redirects', () => {
  let local: WebhookHouse;
  let receiver: Receiver;
  beforeEach(async () => {
    local = await openHouse(makeSqliteHarness, { timeoutMs: 5_000 });
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await local.close();
    await receiver.close();
  });

  /** Hops through these answers; the last one stays. */
  function hops(...answers: readonly (readonly [number, string?])[]): void {
    receiver.reply = (response) => {
      const [status, location] = answers[
        Math.min(receiver.received.length, answers.length) - 1
      ] ?? [200];
      response.writeHead(status, location === undefined ? {} : { location }).end();
    };
  }
  async function outcome() {
    await local.register(receiver.url);
    await local.tell({ batch_id: 'b-1' });
    await local.send();
    const [delivery] = await local.deliveries();
    return {
      calls: receiver.received.length,
      reason: delivery?.failureReason,
      redirects: delivery?.attempts[0]?.redirects,
      status: delivery?.status,
    };
  }

  test('307 and 308 are followed, with method, body and signature', async () => {
    hops([307, '/a'], [308, '/b'], [307, '/c'], [204]);
    expect(await outcome()).toEqual({
      calls: 4,
      reason: undefined,
      redirects: 3,
      status: 'DELIVERED',
    });
    const [first, ...others] = receiver.received;
    for (const { body, headers } of others) {
      expect(body).toBe(first?.body);
      expect(headers['x-service-signature']).toBe(first?.headers['x-service-signature']);
    }
  });

  test('a fourth hop is not, and neither is a loop', async () => {
    hops([307, '/a'], [307, '/b'], [307, '/c'], [307, '/d'], [204]);
    expect(await outcome()).toMatchObject({ calls: 4, reason: 'redirect', status: 'RETRYING' });
  });

  test.each([301, 302, 303])('%i is not followed', async (status) => {
    hops([status, '/a']);
    expect(await outcome()).toMatchObject({ calls: 1, reason: 'redirect', status: 'RETRYING' });
  });

  test.each([
    'https://169.254.169.254/latest/meta-data/',
    'https://10.0.0.1/',
    'http://hooks.example.com/',
    'https://user@hooks.example.com/',
    'file:///etc/passwd',
    'gopher://127.0.0.1:6379/_',
  ])('a hop to %s ends the delivery', async (location) => {
    hops([307, '/a'], [307, location]);
    expect(await outcome()).toMatchObject({ calls: 2, reason: 'ssrf-blocked', status: 'FAILED' });
  });
});
