/**
 * Webhooks over a real store and the real evidence, with a clock that is moved. What the workers
 * would do is done by `send`, until nothing is due.
 */
import { type CommitEvidence, createAuditLog, newKeyRing, readTrail } from '#core/audit';
import type { RateLimiter } from '#core/identity';
import { chainOf, type PublicEvent, type TenantId } from '#core/kernel';
import { signerFromSeed } from '#platform/crypto';
import type { AllowedHost } from '#platform/outbound/allowedHosts';
import { createOutboundGuard, type ResolveHost } from '#platform/outbound/outboundGuard';
import { isOwnAddress } from '#platform/outbound/ownAddresses';
import { systemRandom } from '#platform/random';
import { secretBox } from '#platform/secretBox';
import {
  type ConfigurePorts,
  createEndpointCache,
  Dispatcher,
  deliveryTable,
  type EndpointChoice,
  EndpointHealth,
  fanOut,
  registerEndpoint,
  signedEndpoints,
  type WebhookDelivery,
} from '#slices/webhooks';
import { createCallers } from '../../../src/slices/webhooks/callers.ts';
import type { MakeHarness } from '../../storage/contract/harness.ts';
import { freeLimiter } from '../../workers/quietWorker.ts';

export const TENANT = '0190aaaa-0000-7000-8000-00000000000a' as TenantId;
export const OTHER = '0190bbbb-0000-7000-8000-00000000000b' as TenantId;
export const ACTOR = 'cli:test' as const;

export const BATCH_EVENT: PublicEvent = {
  about: 'batch_id',
  audience: 'tenant',
  catalogs: ['A'],
  dataOf: async ({ payload }) => payload,
  description: 'A batch has ended',
  example: { batch_id: 'b' },
  name: 'aml.batch.completed',
  schema: {},
  since: '2026-11-23',
  topic: 'aml.batch.completed',
};
export const LIST_EVENT: PublicEvent = {
  audience: 'all',
  catalogs: ['A', 'B'],
  dataOf: async ({ payload }) => payload,
  description: 'A list has changed',
  example: { source_id: 'DEMO' },
  name: 'sanctions.list.updated',
  schema: {},
  since: '2026-11-23',
  topic: 'service.sanctions.lists.updated',
};

const LOOPBACK: readonly AllowedHost[] = [
  { bits: 8, network: '127.0.0.0' },
  { bits: 128, network: '::1' },
  { name: 'localhost' },
];

/** Of the installation itself. */
export const OWN_PORT = 18_080;

export interface HouseOptions {
  readonly isSandbox?: boolean;
  readonly limiter?: RateLimiter;
  readonly perSecond?: number;
  readonly perSecondOf?: (tenantId: TenantId) => Promise<number>;
  readonly resolve?: ResolveHost;
  readonly timeoutMs?: number;
  readonly allowed?: readonly AllowedHost[];
  readonly proxyUrl?: string;
}

export type WebhookHouse = Awaited<ReturnType<typeof openHouse>>;

export async function openHouse(makeHarness: MakeHarness, options: HouseOptions = {}) {
  const { isSandbox = true, limiter = freeLimiter, perSecond = 100 } = options;
  const { proxyUrl, timeoutMs } = options;
  const harness = await makeHarness();
  const { clock } = harness;
  const storage = await harness.open();
  const signer = signerFromSeed(new Uint8Array(32).fill(7));
  const keyRing = newKeyRing(signer.publicKey);
  const random = systemRandom;
  const audit = createAuditLog({ clock, holder: 'test', random, signer, store: storage.audit });
  const commit: CommitEvidence = (chainId, of) => audit.commit(chainId, of);
  const resolve = options.resolve && { resolve: options.resolve };
  const allowed = options.allowed ?? [];
  const own = { isOwnAddress, ports: new Set([OWN_PORT]) };
  const guarded = { own, variable: 'ALLOWED', ...resolve };
  const held = { audit: storage.audit, clock, keyRing, tables: storage.tables };
  const shared: ConfigurePorts = {
    clock,
    commit,
    eventTypes: async () => [BATCH_EVENT, LIST_EVENT],
    guards: {
      common: createOutboundGuard({ ...guarded, allowed }),
      loopback: createOutboundGuard({ ...guarded, allowed: LOOPBACK }),
    },
    random,
    secrets: secretBox([new Uint8Array(32).fill(3)], random),
    signed: signedEndpoints(held),
    tables: storage.tables,
  };
  const failures: unknown[] = [];
  const onFailure = (error: unknown): void => void failures.push(error);
  const openWorker = (holder: string) => {
    const ports = { ...shared, signed: signedEndpoints(held) };
    const health = new EndpointHealth({ ...ports, onFailure });
    const callers = createCallers({
      ...ports,
      isSandbox: async () => isSandbox,
      ...(proxyUrl !== undefined && { proxyUrl }),
      ...(timeoutMs !== undefined && { timeoutMs }),
    });
    const altered: string[] = [];
    const onAltered = (_: object, refusal: string): void => void altered.push(refusal);
    const endpoints = createEndpointCache({ ...ports, onAltered });
    const dispatcher = new Dispatcher({
      ...ports,
      callerOf: callers.callerOf,
      endpoints,
      health,
      holder,
      isGone: (other) => other === 'dead',
      keptArrivals: async () => new Set([BATCH_EVENT.name]),
      limiter,
      onFailure,
      perSecondOf: options.perSecondOf ?? (async () => perSecond),
    });
    return {
      /** Refusals of endpoints that are not what was signed, as the log tells them. */
      altered,
      close: async () => {
        await dispatcher.close();
        await health.close();
        await callers.close();
      },
      dispatcher,
      endpoints,
      health,
    };
  };
  const worker = openWorker('worker');
  let counter = 0;
  return {
    ...shared,
    audit: storage.audit,
    failures,
    clock,
    harness,
    held,
    openWorker,
    storage,
    worker,
    /** As another process finds its endpoints. */
    check: () => signedEndpoints(held).check(TENANT),
    async close() {
      await worker.close();
      await audit.close();
      await storage.close();
      await harness.dispose();
    },
    register: (url: string, choice: Partial<EndpointChoice> = {}, tenantId = TENANT) =>
      registerEndpoint(
        shared,
        { actor: ACTOR, owner: { sandbox: isSandbox, tenantId } },
        { catalog: 'A', description: '', events: ['*'], isEnabled: true, url, ...choice },
      ),
    /** An event of the bus, as reactions hand it on. */
    async tell(
      payload: Readonly<Record<string, unknown>>,
      event = BATCH_EVENT,
      { by = worker, id }: { readonly by?: typeof worker; readonly id?: string } = {},
    ) {
      clock.advance(1_000);
      return fanOut({ ...shared, endpoints: by.endpoints, means: {}, wake: () => {} }, event, {
        createdAt: clock.now(),
        id: id ?? `event-${++counter}`,
        partition: TENANT,
        payload,
        topic: event.topic,
      });
    },
    /** Sends what is due now, and writes what that came to. */
    async send(by = worker): Promise<void> {
      clock.advance(300); // endpoints are read anew
      await by.dispatcher.freeSilent();
      await by.dispatcher.look();
      await by.dispatcher.settled();
      await by.health.settled();
    },
    async deliveries(tenantId = TENANT): Promise<readonly WebhookDelivery[]> {
      const ask = { equal: { tenantId }, index: 'key', limit: 1_000 };
      return (await storage.tables.page(deliveryTable, ask)).records;
    },
    async trail(tenantId = TENANT) {
      const page = { afterSeq: 0, chainId: chainOf(tenantId), filter: {}, limit: 200 };
      return (await readTrail(storage.audit, page)).entries;
    },
  };
}
