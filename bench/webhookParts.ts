/** What the webhook bench measures with: a store filled with deliveries, a worker, and a sink. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identityStore } from '#core/identity';
import { INSERT_RECORDS_MAX, type TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { loadConfig } from '#platform/config';
import {
  changeTls,
  deliveryOf,
  deliveryTable,
  messageOf,
  messageTable,
  registerEndpoint,
  sealMessage,
  type WebhookDelivery,
  type WebhookEndpoint,
  type WebhookMessage,
} from '#slices/webhooks';
import { type OpenInstallation, openInstallation } from '../src/app/installation.ts';
import { openProcess } from '../src/app/process.ts';
import { createOutboxWaker, openRedis, startOwnRedis } from '../src/redis/index.ts';
import type { SliceProcess } from '../src/slices/processes.ts';
import { createAdministration } from '../src/slices/tenants/administration.ts';
import { configurePorts } from '../src/slices/webhooks/edge/parts.ts';
import { Member } from '../test/drill/member.ts';
import { makeCertificate } from '../test/platform/testCertificates.ts';
import { freePort } from './product.ts';
import type { SinkFigures, SinkWord } from './webhookSink.ts';

const ACTOR = 'cli:bench' as const;
export const BULK_EVENT = 'aml.batch.completed';
export const QUIET_EVENT = 'sanctions.list.updated';

/** Customers' systems in another process. */
export class Sink {
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  static async start(cert: string, key: string): Promise<Sink> {
    const child = fork(new URL('./webhookSink.ts', import.meta.url));
    return new Sink(child, await wordTo<number>(child, { cert, key }));
  }

  figures(ask: readonly string[] = []): Promise<SinkFigures> {
    return wordTo(this.#child, { ask });
  }

  /** The most that any tenant was sent in any ten seconds. */
  mostIn10S(): Promise<number> {
    return wordTo(this.#child, { most: true });
  }

  reset(): Promise<true> {
    return wordTo(this.#child, { reset: true });
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.disconnect();
    await ended;
  }
}

async function wordTo<Answer>(child: ChildProcess, word: SinkWord): Promise<Answer> {
  const answered = once(child, 'message');
  child.send(word);
  const [answer] = await answered;
  return answer as Answer;
}

/** A tenant with its endpoints. */
export interface Owner {
  readonly tenantId: TenantId;
  readonly endpoints: readonly WebhookEndpoint[];
}

export type Yard = Awaited<ReturnType<typeof openYard>>;

/** An installation on loopback, a sink, and tenants with endpoints there. */
export async function openYard() {
  const folder = await mkdtemp(join(tmpdir(), 'compliance-bench-webhooks-'));
  const redis = await startOwnRedis({ directory: join(folder, 'redis'), log: () => undefined });
  const authority = makeCertificate('Bench authority', { isAuthority: true });
  const server = makeCertificate('sink', { hosts: ['127.0.0.1'], issuer: authority });
  const sink = await Sink.start(server.certificatePem, server.keyPem);
  const dataDir = join(folder, 'data');
  const redisUrl = `unix://${redis.address.socketPath}`;
  const config = loadConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'error', REDIS_URL: redisUrl });
  // As a gateway tells the workers of its commits.
  const words = openRedis({
    address: redis.address,
    name: 'bench',
    onError: () => undefined,
    use: 'background',
  });
  const installation: OpenInstallation = await openInstallation({
    config,
    onBus: createOutboxWaker({ onFailure: () => undefined, redis: words }).committed,
    onWarning: () => undefined,
    processName: 'bench',
  });
  const opened = openProcess<SliceProcess>(installation, {});
  const ports = configurePorts(opened.process);
  const { tables } = installation.storage;
  const administration = createAdministration({ ...installation, store: identityStore(tables) });
  const worker = new Member({
    env: {
      DATA_DIR: dataDir,
      HOME: process.env.HOME ?? '',
      HOST: '127.0.0.1',
      LOG_LEVEL: 'warn',
      PATH: process.env.PATH ?? '',
      REDIS_URL: redisUrl,
    },
    name: 'worker-1',
    port: await freePort(),
    role: 'worker',
  });
  return {
    authorityPem: authority.certificatePem,
    installation,
    ports,
    sink,
    worker,
    async stop() {
      await worker.end('SIGTERM');
      await sink.stop();
      await opened.close();
      await installation.close();
      words.disconnect();
      await redis.stop();
      await rm(folder, { force: true, recursive: true });
    },
    /** A tenant whose endpoints take one event, each under a path of its own. */
    async owner(of: {
      readonly event: string;
      readonly endpoints: number;
      readonly path: string;
    }): Promise<Owner> {
      const { id } = await administration.tenants.create({
        actor: ACTOR,
        kind: 'sandbox',
        name: 'Bench',
      });
      const owner = { sandbox: true, tenantId: id };
      const endpoints: WebhookEndpoint[] = [];
      for (let number = 0; number < of.endpoints; number++) {
        const { endpoint } = await registerEndpoint(
          ports,
          { actor: ACTOR, owner },
          {
            catalog: 'A',
            description: '',
            events: [of.event],
            isEnabled: true,
            url: `https://127.0.0.1:${sink.port}/${of.path}/${number}`,
          },
        );
        const ask = { actor: ACTOR, endpointId: endpoint.endpointId, owner };
        endpoints.push(await changeTls(ports, ask, { caPem: authority.certificatePem }));
      }
      return { endpoints, tenantId: id };
    },
    /** So many events of a tenant, each to all of its endpoints. */
    async fill({ endpoints, tenantId }: Owner, events: number): Promise<void> {
      const at = installation.clock.now() as EpochMs;
      const type = (await ports.eventTypes()).find(({ name }) => name === BULK_EVENT);
      const data = type?.example ?? {};
      let messages: WebhookMessage[] = [];
      let deliveries: WebhookDelivery[] = [];
      const write = async (): Promise<void> => {
        await tables.insertMissing(messageTable, messages);
        await tables.insertMissing(deliveryTable, deliveries);
        messages = [];
        deliveries = [];
      };
      for (let number = 0; number < events; number++) {
        const source = { at, id: `bench-${number}`, tenantId };
        const made = messageOf(source, { data, eventType: BULK_EVENT });
        const message = sealMessage(ports.secrets, made);
        messages.push(message);
        deliveries.push(...endpoints.map((endpoint) => deliveryOf(message, endpoint)));
        if (deliveries.length + endpoints.length > INSERT_RECORDS_MAX) await write();
      }
      await write();
    },
  };
}
