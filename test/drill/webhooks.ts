/**
 * Webhooks while their workers are killed and Redis is emptied: every delivery arrives, twice at
 * most for what was in flight, under the same key and with the same bytes. Events come by the
 * product's own way: names are screened, and each verdict goes to ten endpoints.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { openRedis } from '../../src/redis/connection.ts';
import { Cluster, type Customer, RAISED, until } from './cluster.ts';
import { type DrillOptions, type DrillRow, Findings } from './row.ts';

const ENDPOINTS = 10;
const SCREENINGS = { short: 40, whole: 1_000 };
const KILLS = { short: 2, whole: 20 };
const CLIENTS = 4;
/** A customer's system takes a moment: so there is something in flight. */
const ANSWER_MS = 20;
/** Attempts of a tenant under way at once, those that are being written included. */
const IN_FLIGHT_MAX = 200;
const PER_SECOND = 400;

interface Call {
  readonly body: string;
  count: number;
  isSame: boolean;
}

/** A customer's system: what came, by key. */
class Receiver {
  readonly calls = new Map<string, Call>();
  received = 0;
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      void bodyOf(request).then(async (body) => {
        this.#note(String(request.headers['x-service-idempotency-key']), body);
        await delay(ANSWER_MS);
        response.writeHead(204).end();
      });
    });
  }

  async start(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #note(key: string, body: string): void {
    this.received++;
    const known = this.calls.get(key);
    if (known === undefined) {
      this.calls.set(key, { body, count: 1, isSame: true });
      return;
    }
    known.count++;
    known.isSame &&= known.body === body;
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  // A call whose sender was killed ends in an error, and was no call.
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}

export async function webhooks({ isShort }: DrillOptions): Promise<readonly DrillRow[]> {
  const findings = new Findings('webhooks', { isShort });
  const size = isShort ? 'short' : 'whole';
  const receiver = new Receiver();
  const port = await receiver.start();
  const cluster = await Cluster.start({ gateways: 1, workers: 1 });
  const redis = openRedis({
    address: cluster.redis.address,
    name: 'drill',
    onError: () => undefined,
    use: 'request',
  });
  try {
    const settings = [...RAISED, `webhooks.per_second=${PER_SECOND}`];
    const customer = await cluster.customer('Webhooks', { settings });
    for (let number = 0; number < ENDPOINTS; number++) {
      await call(cluster, customer, '/v1/webhooks', {
        catalog: 'B',
        events: ['sanctions.screening.completed'],
        url: `http://127.0.0.1:${port}/${number}`,
      });
    }
    const asked = SCREENINGS[size] * ENDPOINTS;
    const screening = screenNames(cluster, customer, SCREENINGS[size]);
    const kills = await killWorkers({ asked, cluster, kills: KILLS[size], receiver, redis });
    await screening;
    await until('every delivery has arrived', () => receiver.calls.size >= asked, 300_000);
    await until('every delivery is written', () => isSettled(cluster, customer), 120_000);
    judge(findings, { asked, kills, receiver });
    const { report } = await cluster.verified(customer.tenantId);
    findings.judge('the chain verifies', report, report.startsWith('good'));
    const fatal = cluster.fatalities();
    findings.judge('no process ends by itself', fatal.join('; ') || 'none', fatal.length === 0);
  } finally {
    redis.disconnect();
    receiver.stop();
    await cluster.stop();
  }
  return findings.rows;
}

function judge(
  findings: Findings,
  of: { readonly asked: number; readonly kills: number; readonly receiver: Receiver },
): void {
  const { asked, kills, receiver } = of;
  const calls = [...receiver.calls.values()];
  const doubled = receiver.received - calls.length;
  const what = `${kills} kills of the worker, Redis emptied at each`;
  findings.judge(
    `${what}: every delivery arrives`,
    `${calls.length} of ${asked}`,
    calls.length === asked && kills > 0,
  );
  findings.judge(
    'twice at most what was in flight',
    `${doubled} doubled; at most ${IN_FLIGHT_MAX * kills}`,
    doubled <= IN_FLIGHT_MAX * kills && calls.every(({ count }) => count <= 1 + kills),
  );
  const changed = calls.filter(({ isSame }) => !isSame).length;
  findings.judge('the same key, the same bytes', `${changed} changed`, changed === 0);
}

async function screenNames(cluster: Cluster, customer: Customer, count: number): Promise<void> {
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < count) {
      await call(cluster, customer, '/v1/sanctions/screen', { name: `Nobody Number${next++}` });
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

/** One after each part of the deliveries; answers how many there were. */
async function killWorkers(of: {
  readonly asked: number;
  readonly cluster: Cluster;
  readonly kills: number;
  readonly receiver: Receiver;
  readonly redis: ReturnType<typeof openRedis>;
}): Promise<number> {
  const { asked, cluster, kills, receiver, redis } = of;
  const [worker] = cluster.workers;
  let done = 0;
  while (done < kills) {
    const part = (asked * (done + 0.5)) / kills;
    await until('so many have arrived', () => receiver.calls.size >= part, 300_000);
    await worker?.end('SIGKILL');
    await redis.flushall();
    worker?.start();
    await worker?.ready();
    done++;
  }
  return done;
}

async function isSettled(cluster: Cluster, customer: Customer): Promise<boolean> {
  const [gateway] = cluster.gateways;
  const answers = await Promise.all(
    ['PENDING', 'RETRYING', 'RATE_LIMITED'].map((status) =>
      fetch(`${gateway?.origin}/v1/webhooks/deliveries?limit=1&status=${status}`, {
        headers: { 'X-API-Key': customer.apiKey },
      }).then((response) => response.json() as Promise<{ readonly data: readonly unknown[] }>),
    ),
  );
  return answers.every(({ data }) => data.length === 0);
}

/** Until it is taken: an answer may be refused for a moment while Redis is empty. */
async function call(
  cluster: Cluster,
  { apiKey }: Customer,
  path: string,
  body: object,
): Promise<void> {
  const [gateway] = cluster.gateways;
  const key = crypto.randomUUID();
  await until(path, async () => {
    const answer = await fetch(`${gateway?.origin}${path}`, {
      body: JSON.stringify(body),
      headers: {
        'Content-Type': 'application/json',
        'Idempotency-Key': key,
        'X-API-Key': apiKey,
      },
      method: 'POST',
    });
    const text = await answer.text();
    if (answer.status >= 400 && answer.status < 500) throw new Error(`${path}: ${text}`);
    return answer.ok;
  });
}
