/**
 * The gateway with nothing replaced, for tests over sockets: the embedded store and the blobs in a
 * folder of its own, the engine's threads, the shipped list, a redis-server on a unix socket.
 */
import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identityStore, type Role, type Tenant } from '#core/identity';
import { chainOf, type TenantId } from '#core/kernel';
import { loadConfig } from '#platform/config';
import { createMetrics } from '#platform/metrics';
import { importList } from '#slices/ingestion';
import type { CountryTable } from '#slices/lists';
import { changePolicySettings, isPolicySetting, policyPortsOf } from '#slices/policies';
import { screeningPartsOf } from '#slices/screening';
import countries from '../../config/tables/countries.json' with { type: 'json' };
import { createHttpServer, type HttpTechnology } from '../../src/api/http/index.ts';
import { openGateway } from '../../src/app/gateway/openGateway.ts';
import { type OpenInstallation, openInstallation } from '../../src/app/installation.ts';
import { openTelemetry } from '../../src/app/telemetry.ts';
import type { GatewayProcess } from '../../src/slices/processes.ts';
import { createAdministration } from '../../src/slices/tenants/administration.ts';
import { createListReaders } from '../../src/sources/index.ts';
import { realRedis } from '../redis/realRedis.ts';
import { importPorts } from '../slices/ingestion/runParts.ts';

const DEMO_FILE = new URL('../../config/demo/entities.jsonl', import.meta.url);
const ACTOR = 'cli:test' as const;
/** Limits that no test reaches which is not about them. */
const RAISED = {
  'limits.burst': 100_000,
  'limits.requests_per_second': 100_000,
  'limits.screening_per_second': 100_000,
  'limits.screening_per_minute_per_user': 100_000,
};

export interface Problem {
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly errors: readonly { readonly pointer: string; readonly code: string }[];
}

/** Status, headers and the exact text of an answer. */
export class Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;

  constructor(response: Response, text: string) {
    this.status = response.status;
    this.headers = response.headers;
    this.text = text;
  }

  json<Body>(): Body {
    return JSON.parse(this.text) as Body;
  }

  /** What a caller may tell problems apart by, without what is drawn for each request. */
  problem(): Pick<Problem, 'code' | 'detail' | 'status' | 'title'> {
    const { code, detail, status, title } = this.json<Problem>();
    return { code, detail, status, title };
  }
}

/** A caller with one API key. */
export class Caller {
  readonly tenantId: TenantId;
  readonly origin: string;
  readonly #apiKey: string;

  constructor(origin: string, tenantId: TenantId, apiKey: string) {
    this.origin = origin;
    this.tenantId = tenantId;
    this.#apiKey = apiKey;
  }

  async get(path: string): Promise<Answer> {
    return this.#send(path, { headers: { 'X-API-Key': this.#apiKey } });
  }

  /** Under a fresh key, or the one given, or none where it is given as undefined. */
  async post(
    path: string,
    body?: object,
    { key }: { readonly key: string | undefined } = { key: crypto.randomUUID() },
  ): Promise<Answer> {
    return this.#send(path, {
      ...(body !== undefined && { body: JSON.stringify(body) }),
      headers: {
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        'X-API-Key': this.#apiKey,
        ...(key !== undefined && { 'Idempotency-Key': key }),
      },
      method: 'POST',
    });
  }

  /** The same caller at another gateway. */
  at({ origin }: Pick<RealGateway, 'origin'>): Caller {
    return new Caller(origin, this.tenantId, this.#apiKey);
  }

  /** For clients that write their own bytes. */
  get credentialLine(): string {
    return `X-API-Key: ${this.#apiKey}`;
  }

  /** Anything, with the caller's key beside the headers given. */
  send(path: string, init: RequestInit & { headers?: Record<string, string> }): Promise<Answer> {
    return this.#send(path, { ...init, headers: { ...init.headers, 'X-API-Key': this.#apiKey } });
  }

  screen(body: object, key: string = crypto.randomUUID()): Promise<Answer> {
    return this.post('/v1/sanctions/screen', body, { key });
  }

  evidence(screeningId: string): Promise<Answer> {
    return this.get(`/v1/sanctions/screenings/${screeningId}/audit`);
  }

  async #send(path: string, init: RequestInit): Promise<Answer> {
    const response = await fetch(this.origin + path, init);
    return new Answer(response, await response.text());
  }
}

export interface RealGateway {
  readonly installation: OpenInstallation;
  readonly origin: string;
  readonly process: GatewayProcess;
  tenant(
    kind: Tenant['kind'],
    settings?: Readonly<Record<string, number | string>>,
  ): Promise<TenantId>;
  caller(tenantId: TenantId, ...roles: Role[]): Promise<Caller>;
  /** Seq of the newest event of a tenant: how many effects it has had. */
  headSeq(tenantId: TenantId): Promise<number>;
  /** What is published is in force once this resolves, without waiting for the next poll. */
  refreshLists(): Promise<void>;
  close(): Promise<void>;
}

/**
 * `beside`: a second gateway of the same installation, to be closed before that one. `environment`:
 * further variables of its configuration.
 */
export async function openRealGateway(
  technology: HttpTechnology,
  beside?: RealGateway,
  environment: Readonly<Record<string, string>> = {},
): Promise<RealGateway> {
  const dataDir =
    beside?.installation.config.dataDir ?? (await mkdtemp(join(tmpdir(), 'real-gateway-')));
  const redis = await realRedis();
  const config = loadConfig({
    LOG_LEVEL: 'error',
    ...environment,
    DATA_DIR: dataDir,
    ENGINE_THREADS: '1',
  });
  const metrics = createMetrics({ processFigures: true });
  const { log, tracing } = await openTelemetry('test', { config, metrics });
  const installation = await openInstallation({
    config,
    onWarning: () => undefined,
    processName: 'test',
    tracer: tracing.tracer,
  });
  if (beside === undefined) await importDemo(installation);
  let origin = '';
  const parts = await openGateway(installation, {
    checkReplies: true,
    log,
    metrics,
    origin: () => origin,
    redis: await redis.connect('request'),
  });
  const server = createHttpServer(technology, {
    bodyIdleTimeoutMs: 10_000,
    handler: parts.gateway.handler,
    headersBytesMax: 16_384,
    headersTimeoutMs: 10_000,
    keepAliveTimeoutMs: 5_000,
    refusal: parts.gateway.refusal,
  });
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  origin = `http://127.0.0.1:${port}`;
  const { storage } = installation;
  const administration = createAdministration({
    ...installation,
    store: identityStore(storage.tables),
  });
  return {
    caller: async (tenantId, ...roles) => {
      const ask = { actor: ACTOR, name: 'test', roles, tenantId };
      return new Caller(origin, tenantId, (await administration.apiKeys.create(ask)).secret.text);
    },
    close: async () => {
      await server.close(1_000);
      await parts.close();
      await installation.close();
      await tracing.close();
      await redis.close();
      if (beside === undefined) await rm(dataDir, { force: true, recursive: true });
    },
    headSeq: async (tenantId) => (await storage.audit.head(chainOf(tenantId))).seq,
    installation,
    origin,
    process: parts.process,
    refreshLists: async () => {
      // The first may be a poll's, which looked before the publication.
      const { lists } = await screeningPartsOf(parts.process);
      await lists.refresh();
      await lists.refresh();
    },
    tenant: async (kind, settings = {}) => {
      const { id } = await administration.tenants.create({ actor: ACTOR, kind, name: 'Test' });
      const given = Object.entries(settings);
      const own = given.filter(([key]) => !isPolicySetting(key));
      const changes = { ...RAISED, ...Object.fromEntries(own) };
      const tenant = await administration.tenants.setSettings({
        actor: ACTOR,
        changes,
        tenantId: id,
      });
      const ofPolicy = Object.fromEntries(given.filter(([key]) => isPolicySetting(key)));
      if (own.length < given.length) {
        const ports = { ...policyPortsOf(parts.process), settings: installation.settings };
        await changePolicySettings(ports, { actor: ACTOR, changes: ofPolicy, tenant });
      }
      return id;
    },
  };
}

async function importDemo(installation: OpenInstallation): Promise<void> {
  const reader = createListReaders(countries as CountryTable).get('DEMO');
  assert(reader !== undefined, 'no connector reads the shipped list');
  await importList({
    actor: ACTOR,
    ports: importPorts(installation),
    read: createReadStream(DEMO_FILE),
    reader,
    sourceId: 'DEMO',
  });
}
